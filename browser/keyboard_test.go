package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// hiddenFocus says what is wrong with the look of what has the focus; "" for nothing. A text field has its caret.
const hiddenFocus = `(() => {
	const e = document.activeElement, style = getComputedStyle(e);
	const name = e.tagName + "." + e.className + " " + (e.ariaLabel ?? e.textContent).slice(0, 30);
	const box = e.getBoundingClientRect();
	const x = Math.min(Math.max((box.left + box.right) / 2, 1), innerWidth - 2);
	const y = Math.min(Math.max((box.top + box.bottom) / 2, 1), innerHeight - 2);
	const top = document.elementFromPoint(x, y);
	if (!top || !e.contains(top) && !top.contains(e)) return name + " is under " + top?.className;
	if (e.matches("input[type=text], input[type=search], input[type=number], .cm-content")) return "";
	if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 1) return name + " has no outline";
	return "";
})()`

// stop waits for an element to have the focus, and for the focus to be seen.
func (v *visit) stop(selector string) {
	v.t.Helper()
	v.holds(fmt.Sprintf("document.activeElement.matches(%q)", selector))
	require.Empty(v.t, js[string](v, hiddenFocus))
}

// tabTo presses Tab until an element has the focus.
func (v *visit) tabTo(selector string, modifiers ...input.Modifier) {
	v.t.Helper()
	for range 60 {
		v.press(kb.Tab, modifiers...)
		if js[bool](v, fmt.Sprintf("document.activeElement.matches(%q)", selector)) {
			v.stop(selector)
			return
		}
	}
	require.Fail(v.t, "no stop of Tab", selector)
}

// steps presses the key of Step n times, from the start of a launch.
func (v *visit) steps(n int) {
	v.t.Helper()
	for step := range n {
		v.press(kb.F10)
		v.holds(fmt.Sprintf(`document.querySelector("#timeline").value === "%d"`, step+1))
	}
}

// A program is opened, run, stepped, stopped, changed, read and shared, and no pointer is used.
func TestSessionByKeyboard(t *testing.T) {
	v := open(t, setting{}).ready()
	v.press(kb.Tab)
	v.stop(".skip a")
	v.command("nested div")
	v.holds(`document.title.startsWith("Nested divergence")`)

	at := func(step string) { v.holds(`document.querySelector("#timeline").value === "` + step + `"`) }
	v.steps(3)
	v.press(kb.F10, input.ModifierShift)
	at("2")

	v.command("editor")
	v.stop(".slot[data-panel=editor] *")
	v.tabTo(".cm-content")
	v.press(kb.End, input.ModifierCtrl)
	for range 7 {
		v.press(kb.ArrowUp)
	}
	v.press(kb.F9)
	v.holds(`document.querySelector(".ptx-breakpoint")`)
	v.press(kb.F5)
	v.status("Stopped at the breakpoint")
	v.press(kb.F5)
	v.status("Finished")
	v.press(kb.F5, input.ModifierCtrl, input.ModifierShift)
	at("0")

	v.command("launch")
	v.stop("[role=tab][data-tab=launch]")
	v.tabTo("[aria-label=Block]")
	v.press("a", input.ModifierCtrl)
	v.run(input.InsertText("16"))
	v.press(kb.Enter)
	v.region("Editor", "1 × 16 threads")
	v.press(kb.F10)
	at("1")

	v.command("lanes")
	v.stop("[role=tab][data-tab=lanes]")
	v.tabTo("[role=columnheader]")
	v.press(kb.ArrowRight)
	v.stop(`[data-column="1"]`)
	v.press(kb.Enter)
	v.holds(`document.activeElement.ariaSelected === "true"`)
	v.press(kb.ArrowDown)
	v.stop(`[data-reg="%lane"][data-lane="1"]`)
	require.Equal(t, "0x1", js[string](v, "document.activeElement.textContent"))

	v.command("registers")
	v.stop("[role=tab][data-tab=registers]")
	v.press(kb.ArrowLeft)
	v.stop("[role=tab][aria-selected=true][data-tab=stack]")

	v.command("memory")
	v.tabTo("td[data-offset]")
	v.press(kb.ArrowRight)
	v.stop("td[data-offset='4']")
	v.press(kb.ArrowLeft)
	v.stop("td[data-offset='0']")

	v.tabTo(".share-button", input.ModifierShift)
	v.press(kb.Enter)
	v.holds(`document.querySelector("dialog.share[open]")`)
	v.tabTo("dialog .copy button")
	v.press(kb.Escape)
	v.holds(`!document.querySelector("dialog[open]")`)
	v.stop(".share-button")
}

// Tab leads through the whole page and out of it, or around, in both directions, and each stop can be seen.
func TestFocusIsSeen(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("05-")
	v.button("Step")
	v.holds(`document.querySelector("#timeline").value === "1"`)
	for _, modifiers := range [][]input.Modifier{nil, {input.ModifierShift}} {
		js[any](v, `document.querySelector(".skip a").focus()`)
		first := js[string](v, focused)
		var stops []string
		for stop, presses := "", 0; stop != first && presses < 80; presses++ {
			v.press(kb.Tab, modifiers...)
			if js[bool](v, "document.activeElement === document.body") {
				if len(stops) == 0 {
					continue // before the first stop there is none: the next one is the last
				}
				break
			}
			require.Empty(t, js[string](v, hiddenFocus))
			stop = js[string](v, focused)
			stops = append(stops, stop)
		}
		require.Greater(t, len(stops), 40, "%q", stops)
		require.Less(t, len(stops), 60, "%q", stops)
	}
}

// Panels get places, sizes and neighbours by keys, and what has happened is said.
func TestWorkspaceByKeyboard(t *testing.T) {
	v := open(t, setting{}).ready()
	arrange := func(panel, item, words string) {
		t.Helper()
		v.stop("[role=tab][aria-selected=true][data-tab=" + panel + "]")
		v.tabTo("#menu-of-" + panel)
		v.press(kb.Enter)
		v.holds(`document.activeElement.getAttribute("role") === "menuitem"`)
		for range 30 {
			if js[string](v, "document.activeElement.textContent") == item {
				break
			}
			v.press(kb.ArrowDown)
		}
		v.stop(".menu [role=menuitem]")
		v.press(kb.Enter)
		v.holds(fmt.Sprintf(`document.querySelector(".spoken").textContent === %q`, words))
	}
	v.command("memory")
	arrange("memory", "Split: to the right", "Memory has a place of its own, at the right.")
	arrange("memory", "Tab beside Lanes", "Memory is now: tab beside Lanes.")
	arrange("memory", "Maximise", "Memory fills the workspace.")
	arrange("memory", "Restore", "Memory is back in its place.")
	v.tabTo("[role=separator][aria-orientation=horizontal]")
	now := js[string](v, "document.activeElement.ariaValueNow")
	v.press(kb.ArrowUp)
	v.holds(fmt.Sprintf("Number(document.activeElement.ariaValueNow) === %s - 16", now))
}
