package browser

import (
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// focused is what has the focus: its panel, and its name.
const focused = `(() => {
	const e = document.activeElement;
	return (e.closest(".panel")?.id ?? "") + " " + (e.getAttribute("aria-label") ?? e.textContent).slice(0, 40);
})()`

// A panel with many controls is one stop of Tab: the page of a kernel with a hundred registers has few of them.
func TestTabStops(t *testing.T) {
	text, err := os.ReadFile("../testdata/control/triton-softmax.ptx")
	require.NoError(t, err)
	v := open(t, setting{}).ready()
	v.paste(string(text))
	v.region("Editor", "softmax.py:7")
	js[any](v, `document.querySelector("#app a, #app button").focus()`)
	require.Equal(t, " Skip to the editor", js[string](v, focused))
	stops := map[string]int{}
	n := 0
	for ; n < 100; n++ {
		v.press(kb.Tab)
		if js[bool](v, "document.activeElement === document.body") {
			break
		}
		stops[js[string](v, `document.activeElement.closest(".panel")?.id ?? ""`)]++
	}
	require.Less(t, n, 70, "%v", stops)
	require.LessOrEqual(t, stops["panel-problems"]+stops["panel-statistics"], 2, "%v", stops)

	js[any](v, `document.querySelector("#app a").focus()`)
	v.press(kb.Enter)
	v.holds(`document.activeElement.matches(".cm-content")`)
}

// The palette finds all that the site has, by keys alone.
func TestPalette(t *testing.T) {
	v := open(t, setting{}).ready()
	look := func(query string) {
		v.press("k", input.ModifierCtrl)
		v.holds(`document.activeElement.getAttribute("role") === "combobox"`)
		v.run(input.InsertText(query))
	}
	options := func(wanted ...string) {
		t.Helper()
		for _, want := range wanted {
			v.holds(fmt.Sprintf(`[...document.querySelectorAll("[role=option]")].some(e => e.textContent.includes(%q))`, want))
		}
	}
	look("diverg")
	options("Next divergence", "Nested divergence: the stack grows")
	v.holds(`document.querySelector("[role=group][aria-label=Lessons] [role=option]")`)
	require.Equal(t, "diverg", js[string](v, `document.querySelector(".palette mark").textContent.toLowerCase()`))
	for _, size := range [][2]int64{{1440, 900}, {1024, 768}, {390, 844}} {
		v.run(emulation.SetDeviceMetricsOverride(size[0], size[1], 1, size[0] < 500))
		v.shot(fmt.Sprintf("palette-%d", size[0]))
	}
	v.run(emulation.SetDeviceMetricsOverride(1440, 900, 1, false))
	v.press(kb.Escape)
	v.holds(`!document.querySelector("dialog[open]")`)

	look("nested div")
	v.press(kb.Enter)
	v.holds(`document.title.startsWith("Nested divergence")`)

	look("next divergence")
	v.press(kb.Enter)
	v.holds(`document.querySelector(".status [role=status]").textContent.includes("ine ")`)
	v.holds(`document.querySelector("#panel-stack tbody").rows.length > 1`)

	look("registers")
	v.press(kb.Enter)
	v.holds(`document.activeElement.textContent.startsWith("Registers")`)

	look("add.cc")
	v.holds(`document.querySelector(".choice.current")?.textContent.startsWith("add.cc")`)
}

// Letters typed before the palette is drawn belong to it, not to the program. Here no frame comes between them.
func TestPaletteHasTheFirstLetters(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("05-")
	const lines = `[...document.querySelectorAll(".cm-line")].map(e => e.textContent).join("\n")`
	was := js[string](v, lines)
	js[any](v, `(() => {
		const editor = document.querySelector(".cm-content");
		editor.focus();
		globalThis.prevented = [["k", true], ["d", false], ["i", false], ["v", false]].map(([key, ctrlKey]) =>
			!editor.dispatchEvent(new KeyboardEvent("keydown", { key, ctrlKey, bubbles: true, cancelable: true })));
	})()`)
	require.Equal(t, []bool{true, true, true, true}, js[[]bool](v, "globalThis.prevented"))
	v.holds(`document.activeElement.getAttribute("aria-label") === "Find anything"`)
	v.holds(`document.activeElement.value === "div"`)
	v.press("e")
	v.holds(`document.activeElement.value === "dive"`)
	v.press(kb.Escape)
	require.Equal(t, was, js[string](v, lines))
}
