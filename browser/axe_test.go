package browser

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// axeScript is axe-core, for all documents of a visit: those in frames, too. The service worker stays away.
func axeScript(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../node_modules/axe-core/axe.min.js")
	require.NoError(t, err, "npm ci fetches axe-core")
	return noWorker + ";\n" + string(text)
}

// violations lists what axe-core finds in a part of the page: the rule, and up to four elements with what is missing.
const violations = `axe.run(%q, { resultTypes: ["violations"] }).then(({ violations }) => violations.map((v) =>
	v.id + ": " + v.help + v.nodes.slice(0, 4).map((n) => "\n    " + n.target.flat().join(" ") + "  " +
	n.html.slice(0, 200) + "\n        " + [...n.any, ...n.all, ...n.none].map((c) => c.message).join("; ")).join("") +
	"\n    " + v.nodes.length + " in all"))`

// accessible has axe-core look at the page as it is.
func (v *visit) accessible(state string) {
	v.t.Helper()
	v.accessiblePart(state, "html")
}

// accessiblePart has axe-core look at the element of a selector.
func (v *visit) accessiblePart(state, selector string) {
	v.t.Helper()
	for _, found := range js[[]string](v, fmt.Sprintf(violations, selector)) {
		v.t.Errorf("%s: %s", state, found)
	}
}

func (v *visit) size(width, height int64) {
	v.t.Helper()
	v.run(emulation.SetDeviceMetricsOverride(width, height, 1, width < 500))
}

// command does what the palette finds first.
func (v *visit) command(words string) {
	v.t.Helper()
	v.press("k", input.ModifierCtrl)
	v.holds(`document.activeElement.getAttribute("role") === "combobox"`)
	v.run(input.InsertText(words))
	v.holds(fmt.Sprintf(`document.querySelector(".choice.current")?.textContent.toLowerCase().startsWith(%q)`, words))
	v.press(kb.Enter)
}

// closeDialog leaves a dialog by Escape.
func (v *visit) closeDialog() {
	v.t.Helper()
	v.press(kb.Escape)
	v.holds(`!document.querySelector("dialog[open]")`)
}

// axe-core finds nothing in the playground: neither with each panel in front, nor with what opens over them, nor when a
// program cannot run, fails or is very large.
func TestAxePlayground(t *testing.T) {
	v := open(t, setting{script: axeScript(t)}).ready()
	v.accessible("first look")
	v.load("05-")
	v.steps(9)
	v.accessible("diverged")
	v.axePanels()
	v.axeEditor()
	v.axeDialogs()

	v.find("combobox", "Layout").choose("Kernel")
	v.holds(inFront("warps"))
	v.button("Use the dark theme")
	text := v.load("18-")
	v.button("Run")
	v.status("Finished")
	v.accessible("matrix product, finished, dark")
	v.paste(text + "\n// changed")
	v.command("compare")
	v.holds(`document.querySelector(".compare > table")?.textContent.includes("Warp instructions")`)
	v.accessiblePart("comparison", "dialog[open]")
	v.closeDialog()

	softmax, err := os.ReadFile("../testdata/control/triton-softmax.ptx")
	require.NoError(t, err)
	v.paste(string(softmax))
	v.region("Editor", "softmax.py:7")
	v.button("Step")
	v.command("source")
	v.holds(inFront("source"))
	v.accessible("softmax of Triton, dark")

	v.paste(strings.Replace(beyondTheEnd, "//@ block", "//@ grid 20000\n//@ block", 1))
	v.holds(`document.title.startsWith("Beyond")`)
	v.button("Run")
	v.status("out of bounds")
	v.accessible("fault in one of 20,000 warps, dark")
	v.button("Use the light theme")
	v.find("combobox", "Layout").choose("Write")
	v.paste(beyondTheEnd + "oops")
	v.status("Cannot run")
	v.holds(inFront("problems"))
	js[any](v, `location.hash = "#p=nonsense"`)
	v.find("alert", "")
	js[any](v, `location.hash = "#example=99-none"`)
	v.holds(`document.querySelectorAll(".notice [role=alert]").length === 2`)
	v.accessible("stale text, a link that is none, and an example that is none")
}

// axePanels looks at what panels can show.
func (v *visit) axePanels() {
	v.t.Helper()
	for _, name := range []string{"Registers", "Launch", "Problems", "Output", "Statistics"} {
		v.panel(name)
		panel := strings.ToLower(name)
		v.holds(inFront(panel))
		switch panel {
		case "registers":
			js[any](v, `document.querySelector(".columns summary").click()`)
		case "launch":
			v.find("textbox", "Block").fill("many")
			v.holds(`document.querySelector("[aria-invalid=true]")`)
		}
		v.accessiblePart(name, "#slot-"+panel)
		if panel == "launch" {
			v.find("textbox", "Block").fill("32")
			v.holds(`!document.querySelector("[aria-invalid=true]")`)
		}
	}
	v.button("Arrange Statistics")
	v.holds(`document.activeElement.getAttribute("role") === "menuitem"`)
	v.accessiblePart("menu of a panel", ".workspace")
	v.press(kb.Escape)
	v.button("Close Output")
}

// axeEditor looks at what opens over the text.
func (v *visit) axeEditor() {
	v.t.Helper()
	v.goTo(36)
	v.press("f", input.ModifierCtrl)
	v.holds(`document.activeElement.matches(".cm-textfield")`)
	v.accessiblePart("find and replace", "#slot-editor")
	v.press(kb.Escape)
	v.pointAt("upper;", "bra")
	v.holds(`document.querySelector(".ptx-hover")`)
	v.accessiblePart("help and values", "#slot-editor")
	v.press(kb.ArrowDown) // line 36 is empty
	v.press("i", input.ModifierCtrl)
	v.holds(`document.activeElement.matches(".ptx-hover[role=dialog]")`)
	v.accessiblePart("help and values by key", "#slot-editor")
	v.press(kb.Escape)
	v.press(kb.ArrowUp)
	v.press(kb.End)
	v.press(kb.Enter)
	v.run(input.InsertText("ad"))
	v.press(" ", input.ModifierCtrl)
	v.holds(`document.querySelector(".cm-tooltip-autocomplete [role=option]")`)
	v.accessiblePart("completion", "#slot-editor")
	v.press(kb.Escape)
}

// axeDialogs looks at the palette, the help and the sharing.
func (v *visit) axeDialogs() {
	v.t.Helper()
	v.press("k", input.ModifierCtrl)
	v.holds(`document.activeElement.getAttribute("role") === "combobox"`)
	v.run(input.InsertText("div"))
	v.holds(`document.querySelectorAll("[role=option]").length > 5`)
	v.accessiblePart("palette", "dialog[open]")
	v.closeDialog()
	v.button("Keyboard help")
	v.holds(`document.querySelector("dialog.help[open]")`)
	v.accessiblePart("keyboard help", "dialog[open]")
	v.closeDialog()
	for _, form := range []string{"Link", "<warpscope-ptx>"} {
		v.hand(form)
		v.accessiblePart("share as "+form, "dialog[open]")
	}
	v.closeDialog()
}

// The same where one panel shows at a time.
func TestAxePhone(t *testing.T) {
	v := open(t, setting{script: axeScript(t), width: 390, height: 844, dark: true}).ready()
	v.load("01-")
	v.button("Step")
	v.accessible("phone, dark")
	for n := range js[int](v, `document.querySelectorAll(".tabs button").length`) {
		tab := fmt.Sprintf(`document.querySelectorAll(".tabs button")[%d]`, n)
		js[any](v, tab+".click()")
		v.holds(tab + `.ariaPressed === "true"`)
		if js[string](v, tab+".textContent") == "Memory" {
			v.button("Image")
			v.holds(`document.querySelector("#memory-picture")`)
		}
		v.accessiblePart(fmt.Sprintf("phone, tab %d", n), ".slot.chosen")
	}
	v.button("Share")
	v.holds(`document.querySelector("dialog.share[open]")`)
	v.accessible("phone, share")
}

// axe-core finds nothing in the pages of text, dark on a phone, and in a program that runs in one.
func TestAxeSitePages(t *testing.T) {
	v := open(t, setting{page: sitePages[0], script: axeScript(t), width: 390, height: 844, dark: true})
	for i, page := range sitePages {
		if i > 0 {
			v.goToPage(page)
		}
		v.holds(`document.querySelector("h1")`)
		v.holds(`[...document.querySelectorAll(".listing")].every((box) => // once its size is known to the page
			box.closest("details:not([open])") || box.scrollWidth <= box.clientWidth || box.tabIndex === 0)`)
		if page == "coverage.html" { // its rows are alike, and very many
			v.find("searchbox", "Search").fill("brx")
			v.holds(`document.querySelectorAll(".family:not([hidden])").length < 6`)
			js[any](v, `document.querySelector(".family:not([hidden])").open = true`)
		}
		v.accessible(page)
	}
	v.size(1440, 900)
	v.goToPage("lessons/04-divergence.html")
	v.find("button", "Light theme").click()
	v.holds(`customElements.get("warpscope-ptx")`)
	js[any](v, `document.querySelector("warpscope-ptx").run()`)
	v.accessible("a lesson with a program that runs")
}
