package browser

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// media sets what a reader asks of every page.
func (v *visit) media(kind string, features ...string) {
	v.t.Helper()
	var list []*emulation.MediaFeature
	for i := 0; i < len(features); i += 2 {
		list = append(list, &emulation.MediaFeature{Name: features[i], Value: features[i+1]})
	}
	v.run(emulation.SetEmulatedMedia().WithMedia(kind).WithFeatures(list))
}

// picture is what the page shows at an element.
func (v *visit) picture(element string) (png string) {
	v.t.Helper()
	box := js[[]float64](v, fmt.Sprintf(`(({ x, y, width, height }) => [x, y, width, height])(%s.getBoundingClientRect())`,
		element))
	v.run(chromedp.ActionFunc(func(ctx context.Context) error {
		b, err := page.CaptureScreenshot().WithClip(&page.Viewport{X: box[0], Y: box[1], Width: box[2], Height: box[3],
			Scale: 1}).Do(ctx)
		png = string(b)
		return err
	}))
	return png
}

// In forced colours words stay readable, and states can be told apart, also where the theme is not the palette's.
func TestForcedColours(t *testing.T) {
	v := open(t, setting{}).ready()
	v.button("Use the dark theme")
	v.load("05-")
	v.steps(9)
	v.holds(`document.querySelector("#timeline").value === "9"`)
	for _, palette := range []string{"light", "dark"} {
		v.media("", "forced-colors", "active", "prefers-color-scheme", palette)
		for _, poor := range js[[]string](v, contrastScript) { // which sees no disc under a T
			require.Contains(t, poor, "(pred set", palette)
		}
		seen := map[string]string{v.picture(`document.querySelector(".legend")`): "all"}
		for state := range 5 {
			mark := fmt.Sprintf(`document.querySelectorAll(".legend .lane-mark")[%d]`, state)
			picture := v.picture(mark)
			require.NotContains(t, seen, picture, "state %d in %s", state, palette)
			seen[picture] = mark
		}
		track := v.picture(`document.querySelector("#timeline")`)
		js[any](v, `document.querySelector("#timeline").style.visibility = "hidden"`)
		require.NotEqual(t, len(track), len(v.picture(`document.querySelector("#timeline")`)))
		js[any](v, `document.querySelector("#timeline").style.visibility = ""`)
		set := v.picture(`document.querySelector(".pred.set:not(.hidden, .off)")`)
		js[any](v, `document.querySelector(".pred.set:not(.hidden, .off)").style.color = "transparent"`)
		require.NotEqual(t, set, v.picture(`document.querySelector(".pred.set:not(.hidden, .off)")`), "T on its disc")
		js[any](v, `document.querySelector(".pred.set:not(.hidden, .off)").style.color = ""`)
	}
}

// In forced colours the chart of divergence has the palette's colours: its bars that of lanes that run. The marks of
// the timeline have no box around them, and the stack's states their shapes.
func TestForcedColoursOfPictures(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("04-")
	v.steps(4)
	v.panel("Divergence")
	v.media("", "forced-colors", "active")
	v.button("Step") // draws the chart
	v.holds(`(() => {
		const canvas = document.querySelector(".chart-frame canvas"), ratio = canvas.width / canvas.clientWidth;
		const copy = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
		copy.drawImage(canvas, -80 * ratio, 25 * ratio - canvas.height);
		const bar = copy.getImageData(0, 0, 1, 1).data;
		const probe = document.createElement("i");
		probe.style.cssText = "color: Highlight; forced-color-adjust: none";
		document.body.append(probe);
		const want = getComputedStyle(probe).color.match(/\d+/g).slice(0, 3).map(Number);
		probe.remove();
		return want.every((n, i) => Math.abs(n - bar[i]) < 2);
	})()`)
	v.holds(`getComputedStyle(document.querySelector(".marks")).borderLeftColor === "rgba(0, 0, 0, 0)"`)
	v.holds(`getComputedStyle(document.querySelector(".panel-stack .waiting.lane-mark")).boxShadow !== "none"`)
}

// At 200 % a window of 1440 x 900 has 720 x 450 pixels. All lanes can be reached; the sentence and the commands stay.
func TestZoom(t *testing.T) {
	v := open(t, setting{width: 720, height: 450}).ready()
	v.load("05-")
	v.button("Step")
	v.holds(`document.querySelector("#timeline").value === "1"`)
	require.LessOrEqual(t, js[int](v, "document.documentElement.scrollWidth"), 720)
	shown := `((e) => {
		const { left, right, top, bottom } = e.getBoundingClientRect();
		const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
		return Boolean(there) && (e.contains(there) || there.contains(e) || there.closest(".lane-board") !== null);
	})`
	for _, part := range []string{`.lane-row.tile [data-lane="31"]`, ".tabs button:last-child", ".status p",
		".command-step", ".share-button", ".launch-line"} {
		js[any](v, fmt.Sprintf(`document.querySelector(%q).scrollIntoView({ block: "nearest" })`, part))
		v.holds(fmt.Sprintf(shown+`(document.querySelector(%q))`, part))
	}
	v.holds(shown + `(document.querySelector(".status p"))`)
}

// Readers whose browser has larger letters get a larger page, and nothing in it is cut.
func TestLargerLetters(t *testing.T) {
	v := open(t, setting{}).ready()
	letters := func(size int64) {
		v.run(page.SetFontSizes(&page.FontSizes{Standard: size, Fixed: size}))
	}
	defer letters(16)
	v.load("05-")
	code := `(size) => getComputedStyle(document.querySelector(".cm-content")).fontSize === size + "px"`
	for _, size := range []int64{20, 24} {
		letters(size)
		v.holds(fmt.Sprintf("(%s)(%v)", code, 12.5/16*float64(size)))
		for _, width := range []int64{1440, 390} {
			v.size(width, 900)
			v.settle()
			v.button("Step")
			require.LessOrEqual(t, js[int64](v, "document.documentElement.scrollWidth"), width)
			require.Empty(t, js[[]string](v, cutScript), "letters of %d pixels, %d pixels wide", size, width)
			v.holds(`((line, editor) => line?.top > editor.top && line.bottom < editor.bottom)(...[".ptx-at-top", "#slot-editor"]
				.map((part) => document.querySelector(part)?.getBoundingClientRect()))`)
		}
		v.size(1440, 900)
		v.settle()
		wide := js[float64](v, `document.querySelector(".lane-row [data-lane='31']").getBoundingClientRect().right`)
		require.InDelta(t, 1440-10./16*float64(size), wide, 1.5, "lanes fill the width")
	}
}

// cutScript lists controls and heads whose words are higher than they are, and commands outside the window.
const cutScript = `[...document.querySelectorAll(
	"button, select, input, th, .status > p, .lane-state, .launch-line .part")]
	.filter((e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
		!e.closest(".spoken, .covered") && (e.scrollHeight > e.clientHeight + 2 && e.clientHeight > 0 ||
			e.closest(".toolbar, .commands") && e.getBoundingClientRect().right > innerWidth + 0.5))
	.map((e) => e.outerHTML.slice(0, 120) + ": " + e.scrollHeight + " in " + e.clientHeight)`

// On paper all lines of the text and the panels in sight are there, one below the other, and nothing to press.
func TestPrint(t *testing.T) {
	v := open(t, setting{dark: true}).ready()
	v.load("05-")
	v.steps(9)
	v.media("print")
	defer v.media("")
	v.holds(`document.querySelectorAll(".cm-line").length > 45 && getComputedStyle(document.body).backgroundColor ===
		"rgb(255, 255, 255)"`)
	places := js[[][2]float64](v, `[...document.querySelectorAll(".slot")].map((e) => e.getBoundingClientRect())
		.filter((box) => box.height > 0).map(({ top, bottom }) => [top, bottom]).sort(([a], [b]) => a - b)`)
	require.Len(t, places, 4, "editor, lanes, stack and memory")
	for i := range places[1:] {
		require.LessOrEqual(t, places[i][1], places[i+1][0], "no panel is over another")
	}
	require.Empty(t, js[[]string](v, `[...document.querySelectorAll(
		".toolbar button, .bar button, .cm-scroller, .panel > .body")].filter((e) => e.offsetParent)
		.filter((e) => e.tagName === "BUTTON" ? e.getBoundingClientRect().height : e.scrollHeight > e.clientHeight + 2)
		.map((e) => e.outerHTML.slice(0, 100))`))
}

// Readers who want less motion get none.
func TestReducedMotion(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("05-")
	v.steps(3)
	v.holds(`document.querySelector(".panel-stack .pushed td")`)
	motion := `getComputedStyle(document.querySelector(".panel-stack .pushed td")).animationName`
	v.media("", "prefers-reduced-motion", "no-preference")
	require.Equal(t, "arrive", js[string](v, motion))
	v.media("", "prefers-reduced-motion", "reduce")
	require.Equal(t, "none", js[string](v, motion))
}

// Pictures for looking at: forced colours, a zoom of 200 %, larger text, print.
func TestShotsOfWishes(t *testing.T) {
	wantsShots(t)
	v := open(t, setting{}).ready()
	v.load("05-")
	v.steps(9)
	shots := func(state string) {
		for _, scheme := range []string{"light", "dark"} {
			v.media("", "forced-colors", "active", "prefers-color-scheme", scheme)
			v.settle()
			v.shot("forced-" + scheme + "-" + state)
			v.media("", "prefers-color-scheme", scheme)
			v.size(720, 450)
			v.settle()
			v.shot("zoom-" + scheme + "-" + state)
			v.size(1440, 900)
		}
		v.media("print", "prefers-color-scheme", "light")
		v.settle()
		v.shot("print-" + state)
		v.media("", "prefers-color-scheme", "light")
		js[any](v, `document.documentElement.style.fontSize = "200%"`)
		v.settle()
		v.shot("text-" + state)
		js[any](v, `document.documentElement.style.fontSize = ""`)
	}
	shots("diverged")
	v.press("k", input.ModifierCtrl)
	v.run(input.InsertText("div"))
	v.settle()
	shots("palette")
	v.closeDialog()
	v.load("18-")
	v.find("combobox", "Layout").choose("Kernel")
	v.steps(12)
	shots("kernel")
	v.find("combobox", "Layout").choose("Learn")
	v.paste(beyondTheEnd)
	v.holds(`document.title.startsWith("Beyond")`)
	v.button("Run")
	v.status("out of bounds")
	shots("fault")
}
