package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// pointAt rests the pointer on a word of a line of the editor, counted among those that are in sight.
func (v *visit) pointAt(line, word string) {
	v.t.Helper()
	at := js[[]float64](v, fmt.Sprintf(`(() => {
		const line = [...document.querySelectorAll(".cm-line")].find(e => e.innerText.includes(%q));
		const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
		for (let node; (node = walker.nextNode());) {
			const i = node.data.indexOf(%q);
			if (i < 0) continue;
			const range = document.createRange();
			range.setStart(node, i);
			range.setEnd(node, i + 2);
			const box = range.getBoundingClientRect();
			return [box.left + box.width / 2, box.top + box.height / 2];
		}
	})()`, line, word))
	require.Len(v.t, at, 2, "%q in %q", word, line)
	v.run(input.DispatchMouseEvent(input.MouseMoved, at[0]-30, at[1]),
		input.DispatchMouseEvent(input.MouseMoved, at[0], at[1]))
}

// A register's card has its values; what wrote it can be pressed. An instruction's card leads to its section.
func TestHoverCards(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("05-")
	v.button("Run")
	v.status("Finished")
	v.holds(`document.querySelectorAll("#marks [data-mark]").length > 3`)
	v.seek(21)
	v.holds(`document.querySelector("input[aria-label=Timeline]").value === "21"`)
	v.settle()
	v.pointAt("%v, %v, 30", "%v")
	v.holds(`document.querySelector(".ptx-hover .ptx-value")?.innerText.includes("in lane 0")`)
	require.Equal(t, 5, js[int](v, `document.querySelectorAll(".ptx-lanes > span").length`))
	v.shot("hover-register")
	js[any](v, `[...document.querySelectorAll(".ptx-hover .ptx-link")].find(e => e.innerText.includes("step ")).click()`)
	v.holds(`Number(document.querySelector("input[aria-label=Timeline]").value) < 21`)
	v.pointAt("bra             j3", "bra")
	v.holds(`document.querySelector(".ptx-hover a")?.href.startsWith("https://docs.nvidia.com/")`)
	v.holds(`document.querySelectorAll(".ptx-hover a")[1].getAttribute("href").startsWith("coverage.html#v")`)
	v.shot("hover-instruction")
}

// Ctrl+I opens the card of the word at the cursor with the focus in it, and Escape gives the focus back.
func TestHoverCardByKey(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("05-")
	v.steps(3)
	v.goTo(48) // setp.ge.u32 %r, %lane, 24
	inCard := `document.activeElement.matches(".ptx-hover[role=dialog]")`
	inText := `document.activeElement.matches(".cm-content")`
	v.press("i", input.ModifierCtrl)
	v.holds(inCard + ` && document.activeElement.ariaLabel.startsWith("setp")`)
	v.press(kb.Tab)
	v.holds(`document.activeElement.matches(".ptx-hover a")`)
	v.press(kb.Escape)
	v.holds(inText + ` && !document.querySelector(".ptx-hover")`)

	v.goTo(34) // setp.ge.u32 %p, %lane, 16: its %lane has a writer, which can be pressed
	for range len("    setp.ge.u32 %p, %l") {
		v.press(kb.ArrowRight)
	}
	v.press("i", input.ModifierCtrl)
	v.holds(inCard + ` && document.activeElement.querySelector(".ptx-value").innerText.includes("in lane 0")`)
	v.press(kb.Tab)
	v.holds(`document.activeElement.matches(".ptx-link")`)
	v.press(kb.Enter)
	v.holds(inText + ` && !document.querySelector(".ptx-hover")`)
}

// A tap on the text places the cursor and shows no card, which would cover what a finger touches next. A long press
// asks for the card.
func TestATapShowsNoCard(t *testing.T) {
	v := open(t, setting{width: 390, height: 844}).ready()
	v.load("05-")
	v.button("Step")
	touched := func(kind string) {
		js[any](v, fmt.Sprintf(`(() => {
			const line = [...document.querySelectorAll(".cm-line")].find(e => e.innerText.includes("mov.u32"));
			const { left, top, height } = line.getBoundingClientRect();
			const at = { clientX: left + 60, clientY: top + height / 2, bubbles: true, cancelable: true };
			const target = document.elementFromPoint(at.clientX, at.clientY);
			target.dispatchEvent(new PointerEvent("pointerdown", { ...at, pointerType: %q }));
			target.dispatchEvent(new MouseEvent("mousemove", at));
			if (%q === "press") target.dispatchEvent(new MouseEvent("contextmenu", at));
		})()`, map[bool]string{true: "mouse", false: "touch"}[kind == "mouse"], kind))
	}
	touched("mouse")
	v.holds(`document.querySelector(".ptx-hover")`)
	js[any](v, `document.querySelector(".cm-content").dispatchEvent(new MouseEvent("mousemove", { bubbles: true }))`)
	v.holds(`!document.querySelector(".ptx-hover")`)
	touched("tap")
	v.run(chromedp.Sleep(700 * time.Millisecond)) // a card comes after 300
	v.holds(`!document.querySelector(".ptx-hover")`)
	touched("press")
	v.holds(`document.querySelector(".ptx-hover[role=dialog]")`)
}
