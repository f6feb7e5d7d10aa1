package browser

import (
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// fire sends an event of the mouse to an element.
func (v *visit) fire(event, selector string) {
	v.t.Helper()
	v.holds(fmt.Sprintf(`document.querySelector(%q)`, selector))
	js[any](v, fmt.Sprintf(`document.querySelector(%q).dispatchEvent(
		new MouseEvent(%q, { bubbles: true, cancelable: true }))`, selector, event))
}

// item presses an item of the open menu, the last one with a name.
func (v *visit) item(name string) {
	v.t.Helper()
	js[any](v, fmt.Sprintf(`[...document.querySelectorAll("[role=menuitem]")]
		.findLast(e => e.textContent.startsWith(%q)).click()`, name))
}

// write gives a field a text, as a user who presses Enter after it. It does not depend on the focus: a panel takes that
// when it comes to the front.
func (v *visit) write(field, text string) {
	v.t.Helper()
	js[any](v, fmt.Sprintf(`(e => {
		e.value = %q;
		e.dispatchEvent(new Event("input", { bubbles: true }));
		e.dispatchEvent(new Event("change", { bubbles: true }));
		e.form?.requestSubmit();
	})(document.querySelector("[aria-label='%s']"))`, text, field))
}

const (
	lane26 = `.lane-grid [data-reg="%v"][data-lane="26"]`
	tick   = `document.querySelector("input[type=range][aria-label=Timeline]").value`
)

// Questions about example 05, where lane 26 holds 54 in %v from step 21 on (0x36; ui/celledit_test.go).
func TestQuestions(t *testing.T) { questions(open(t, setting{}).ready(), "") }

// The same on a phone, where lanes are tiles and panels are tabs.
func TestQuestionsOnAPhone(t *testing.T) {
	questions(open(t, setting{width: 390, height: 844}).ready(), "")
}

func questions(v *visit, pictures string) {
	t := v.t
	look := func(name string) {
		if pictures != "" {
			v.settle()
			v.shot("ask-" + pictures + "-" + name)
		}
	}
	v.load("05-")
	v.button("Run")
	v.status("Finished")

	v.button("Go to")
	v.holds(`document.activeElement.getAttribute("role") === "menuitem"`)
	look("menu")
	v.item("Previous divergence")
	v.holds(`!document.querySelector("#popup") && Number(` + tick + `) < 20`)
	v.seek(21)
	v.holds(tick + ` === "21"`)

	v.panel("Watch")
	v.holds(`document.querySelector("#panel-watch")`)
	v.write("New expression", "%v + 1")
	v.holds(`document.querySelector(".watch-row .run")?.innerText === "12"`)
	v.write("New expression", "popc(active)")
	v.holds(`document.querySelectorAll(".watch-row")[1].querySelectorAll(".run").length === 1`)
	v.write("New expression", "%w * 2")
	v.region("Watch", "%w")
	look("watch")

	v.panel("Breakpoints")
	v.holds(`document.querySelector("#panel-breakpoints")`)
	v.find("combobox", "Stop when").choose("When changed")
	v.write("Line, register or memory", "nowhere[5]")
	v.region("Breakpoints", "nowhere[5] changes", "no register, buffer or variable")
	look("stops")
	js[any](v, `document.querySelector("[aria-label='Remove nowhere[5] changes']").click()`)
	v.holds(`document.querySelectorAll(".stop-row").length === 3`)
	js[any](v, `document.querySelector("[aria-label='Stop at divergence']").click()`)
	v.holds(`document.querySelector("[aria-label='Stop at divergence']").checked`)

	v.panel("Lanes")
	v.fire("contextmenu", lane26)
	v.holds(`document.querySelector("#popup")?.textContent.includes("Who wrote this?")`)
	look("cell")
	v.item("Where does")
	v.holds(`document.querySelectorAll("[role=treeitem]").length > 2`)
	look("origin")
	js[any](v, `document.querySelectorAll("[role=treeitem]")[1].click()`)
	v.holds(tick + ` === "20"`)
	v.seek(21)
	v.holds(tick + ` === "21"`)

	v.fire("contextmenu", `.lane-grid [data-column="26"]`)
	v.holds(`document.querySelector("#popup")?.textContent.includes("active mask")`)
	v.item("Who wrote this?")
	v.holds(tick + ` !== "21"`)
	v.status("lane 26's bit of the active mask was changed by step")
	v.seek(21)
	v.holds(tick + ` === "21"`)

	v.fire("dblclick", lane26)
	v.holds(`document.querySelector("dialog[open]")?.innerText.includes("drops the")`)
	look("value")
	v.write("Value of %v in lane 26", "0x3e8")
	v.holds(`!document.querySelector("dialog[open]")`)
	v.status("You have set %v")
	require.Contains(t, js[string](v, fmt.Sprintf(`document.querySelector(%q).textContent`, lane26)), "3e8")
	js[any](v, fmt.Sprintf(`(e => { e.tabIndex = -1; e.focus() })(document.querySelector(%q))`, lane26))
	v.press(kb.Enter)
	v.holds(`document.querySelector("dialog[open] input")?.value === "0x3e8"`)
	v.press(kb.Escape)
	v.holds(`!document.querySelector("dialog[open]")`)
	v.fire("dblclick", ".panel-memory [data-offset='104']")
	v.holds(`document.querySelector("dialog[open] code")?.innerText === "out[26]"`)
	v.press(kb.Escape)
	v.holds(`!document.querySelector("dialog[open]")`)
	findings(v)
}

// findings goes to both places of a race, lines 32 and 34 of the program.
func findings(v *visit) {
	text, err := os.ReadFile("../testdata/bugs/race-shared-no-barrier.ptx")
	require.NoError(v.t, err)
	v.paste(string(text))
	v.button("Run")
	v.status("Finished")
	v.panel("Problems")
	for _, name := range []string{"Go to the earlier step", "Go to the later step"} {
		v.holds(fmt.Sprintf(`[...document.querySelectorAll(".problem button")].some(e => e.textContent === %q)`, name))
		v.button(name)
		v.status(map[string]string{"Go to the earlier step": "ld.shared.u32", "Go to the later step": "Finding: "}[name])
	}
}

// TestShotsOfQuestions takes pictures in both themes, wide and narrow.
func TestShotsOfQuestions(t *testing.T) {
	wantsShots(t)
	for _, size := range [][2]int64{{1440, 900}, {390, 844}} {
		for _, dark := range []bool{false, true} {
			v := open(t, setting{width: size[0], height: size[1], dark: dark}).ready()
			questions(v, fmt.Sprintf("%d-%v", size[0], dark))
		}
	}
}

// A clicked cell of a lane takes keys, as one that was reached by arrow keys: F2 edits it, and Escape comes back.
func TestAClickedLaneTakesKeys(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("05-")
	v.button("Run")
	v.status("Finished")
	v.seek(21)
	v.panel("Lanes")
	v.holds(fmt.Sprintf(`document.querySelector(%q)`, lane26))
	at := js[struct{ X, Y float64 }](v, fmt.Sprintf(`(r => ({ X: r.x + r.width / 2, Y: r.y + r.height / 2 }))(
		document.querySelector(%q).getBoundingClientRect())`, lane26))
	v.run(chromedp.MouseClickXY(at.X, at.Y))
	focused := fmt.Sprintf(`document.activeElement === document.querySelector(%q)`, lane26)
	v.holds(focused)
	v.press(kb.F2)
	v.holds(`document.querySelector("dialog[open] input")`)
	v.press(kb.Escape)
	v.holds(`!document.querySelector("dialog[open]") && ` + focused)
	v.run(chromedp.MouseClickXY(at.X, at.Y, chromedp.ButtonRight))
	v.holds(`document.activeElement.closest("#popup")`)
	v.press(kb.Escape)
	v.holds(`!document.querySelector("#popup") && ` + focused)
	v.press("w")
	v.status("was written by step")
}
