package browser

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Of the matrix product's 32 warps five of CTA 2 wait at the barrier in line 63, the sixth runs line 62, and two have
// not begun: these are at line 31, above what the text shows. The four CTAs have their names below the timeline.
func TestWarpsOutOfSight(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("18-")
	v.find("combobox", "Layout").choose("Kernel")
	v.button("Run")
	v.status("Finished")
	v.holds(`[...document.querySelectorAll(".scale text")].map(e => e.textContent).join() === "CTA 0,CTA 1,CTA 2,CTA 3"`)
	v.seek(5212)
	v.holds(`document.querySelector(".ptx-away.above")?.textContent === "▲ 2 warps at line 31"`)
	v.holds(`!document.querySelector(".ptx-away.below")`)
	js[any](v, `document.querySelector(".ptx-away.above").click()`)
	v.holds(`document.querySelector("[data-warps='2 warps']")?.checkVisibility()`)
	v.holds(`!document.querySelector(".ptx-away.above")`)
	v.holds(`document.querySelector(".ptx-away.below")?.textContent === "▼ 32 lanes at line 62 · 5 warps wait at line 63"`)
	v.load("05-")
	v.holds(`!document.querySelector(".ptx-away")`)
	v.button("Run")
	v.status("Finished")
	v.holds(`document.querySelector(".scale text:last-of-type").textContent === "27"`)
}

// A line that runs beyond the edge of the text comes to its middle, and the text stays there for the next steps.
func TestTextStaysWhileOneSteps(t *testing.T) {
	v := open(t, setting{width: 1200, height: 800}).ready()
	v.load("05-") // lines 33 to 68 run
	v.ended()
	v.seek(1)
	v.settle()
	const scrolled = `document.querySelector(".cm-scroller").scrollTop`
	places := []float64{js[float64](v, scrolled)}
	for range 20 { // to line 60
		v.button("Step")
		v.settle()
		if at := js[float64](v, scrolled); at != places[len(places)-1] {
			places = append(places, at)
			require.InDelta(t, 0, js[float64](v, `(() => {
				const middle = e => { const box = e.getBoundingClientRect(); return (box.top + box.bottom) / 2; };
				return middle(document.querySelector(".ptx-at-top")) - middle(document.querySelector(".cm-scroller"));
			})()`), 40)
		}
	}
	require.Len(t, places, 4) // half of the 23 lines in sight less the margin: 8 lines on each
}

// On a phone, what is before the text takes an eighth of the width. A touch of a line's number sets a breakpoint.
func TestGuttersOfAPhone(t *testing.T) {
	v := open(t, setting{width: 390, height: 844}).ready()
	v.load("05-")
	v.button("Step")
	v.holds(`document.querySelector(".cm-heat [class*=ptx-heat-]")`)
	require.LessOrEqual(t, js[float64](v, `document.querySelector(".cm-gutters").getBoundingClientRect().width`), 390/8.)
	js[any](v, `(() => {
		const number = [...document.querySelectorAll(".cm-lineNumbers > *")].find(e => e.textContent === "35");
		const { left, top, width, height } = number.getBoundingClientRect();
		const at = { clientX: left + width - 4, clientY: top + height / 2, bubbles: true };
		document.elementFromPoint(at.clientX, at.clientY).dispatchEvent(new MouseEvent("mousedown", at));
	})()`)
	v.holds(`document.querySelectorAll(".ptx-breakpoint").length === 2`) // and the one that keeps the room
	v.button("Run")
	v.status("breakpoint of line 35")
}
