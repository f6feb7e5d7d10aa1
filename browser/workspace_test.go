package browser

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// box is where an element is on the screen.
type box struct{ Left, Top, Right, Bottom float64 }

func (n node) box() box {
	n.v.t.Helper()
	return call[box](n, `e => {
		const { left, top, right, bottom } = e.getBoundingClientRect();
		return { Left: left, Top: top, Right: right, Bottom: bottom };
	}`)
}

// statusHeight is that of the status line.
const statusHeight = 32

// inSight says whether the element is inside the window and nothing covers its middle.
const inSight = `(e) => {
	if (!e) return false;
	let { left, top, right, bottom } = e.getBoundingClientRect();
	if (right <= left || top < 0 || left < 0 || bottom > innerHeight) return false;
	if (e.matches(".cm-line")) right = Math.min(right, innerWidth); // long lines scroll
	if (right > innerWidth) return false;
	const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
	return e.contains(at) || Boolean(at?.contains(e));
}`

// The first screen shows an instruction and says what to do; header and status are there, and the page does not scroll.
func TestFirstScreen(t *testing.T) {
	for i, size := range [][2]int64{{1280, 720}, {1440, 900}, {1024, 768}, {2560, 1440}, {390, 844}} {
		for _, dark := range themes(i%2 == 1) {
			v := open(t, setting{width: size[0], height: size[1], dark: dark}).ready()
			name := fmt.Sprintf("%d-%v", size[0], dark)
			v.holds(`((p, row) => p.innerText ===
				"32 lanes run this program together. Press Step and watch the grid. New here? Lesson 1" &&
				p.scrollWidth <= p.clientWidth && p.getBoundingClientRect().bottom <= row.getBoundingClientRect().bottom)(
				document.querySelector(".welcome"), document.querySelector(".timeline-row"))`)
			v.holds(`(` + inSight + `)(document.querySelector(".ptx-at-top"))`)
			v.holds(`(` + inSight + `)(document.querySelector(".launch-line"))`)
			v.holds(`(` + inSight + `)([...document.querySelectorAll(".welcome a")].find(a => a.textContent === "Lesson 1"))`)
			v.holds(`[...document.querySelectorAll(".welcome a")].some(a => a.href.endsWith("/lessons/01-lanes.html"))`)
			v.holds(`(` + inSight + `)(document.querySelector("[role=status]"))`)
			require.LessOrEqual(t, js[float64](v, "document.documentElement.scrollHeight"), float64(size[1]), name)
			if size[0] > 760 {
				v.holds(`(` + inSight + `)(document.querySelector("[data-lane='31']"))`)
			} else { // a tile is under its lane's head
				tile := `document.querySelector(".tile [data-lane='31']").getBoundingClientRect().bottom`
				v.holds(tile + ` <= document.querySelector(".status").getBoundingClientRect().top`)
			}
			v.button("Step")
			v.holds(`(` + inSight + `)(document.querySelector("[role=slider], input[type=range]"))`)
			v.shot(name + "-first-step")
		}
	}
}

// With the longest counts, too, the welcome of a phone has two lines, none of them cut.
func TestWelcomeOnAPhone(t *testing.T) {
	v := open(t, setting{width: 390, height: 844}).ready()
	v.paste("//@ grid 25000\n//@ block 120\n.version 6.4\n.target sm_70\n.address_size 64\n" +
		".visible .entry k() {\n\tret;\n}\n")
	v.holds(`document.querySelector(".welcome").innerText.startsWith("100,000 warps of up to 32 lanes run this ")`)
	v.holds(`((p, row) => p.getClientRects().length === 1 && p.scrollWidth <= p.clientWidth && p.clientHeight === 32 &&
		p.scrollHeight === 32 && p.getBoundingClientRect().bottom <= row.getBoundingClientRect().bottom)(
		document.querySelector(".welcome"), document.querySelector(".timeline-row"))`)
	v.shot("welcome-phone")
}

// The numbers of a large grid are not cut: that of a CTA, and the last one below the rail, before there are marks.
func TestLargeNumbersFit(t *testing.T) {
	v := open(t, setting{}).ready()
	v.paste("//@ grid 2500000\n//@ block 128\n.version 6.4\n.target sm_70\n.address_size 64\n" +
		".visible .entry k() {\n\t.reg .u32 %r;\n\tmov.u32 %r, 1;\n\tret;\n}\n")
	v.holds(`document.querySelector(".welcome").innerText.startsWith("10,000,000 warps of 32 lanes ")`)
	v.button("Step")
	v.holds(`document.querySelector(".timeline-row:not(.untouched) .next-marks.none")`)
	v.holds(`document.querySelector(".timeline-row").getBoundingClientRect().right -
		document.querySelector(".scale").getBoundingClientRect().right >= 40`) // half of 1,500,000,000
	v.write("CTA", "2499999")
	v.holds(`document.querySelector("[role=status]").innerText === "Following warp 0 of CTA 2,499,999."`)
	v.holds(`(e => {
		const paint = document.createElement("canvas").getContext("2d");
		paint.font = getComputedStyle(e).font;
		return e.value === "2499999" && paint.measureText(e.value).width + 32 <= e.clientWidth; // 15 for arrows
	})(document.querySelector(".cta .number"))`)
	v.shot("large-numbers")
}

// The header has links to the lessons and examples where there is room for them. No part of it covers another, and none
// is cut.
func TestHeaderFits(t *testing.T) {
	v := open(t, setting{}).ready()
	for _, size := range []struct {
		width int64
		links []string
	}{{1024, []string{"Lessons", "Examples"}}, {1200, []string{"Lessons"}}, {1280, []string{"Lessons", "Examples"}},
		{1366, []string{"Lessons", "Examples"}}, {1440, []string{"Lessons", "Examples"}}} {
		v.run(emulation.SetDeviceMetricsOverride(size.width, 720, 1, false))
		v.settle()
		require.Equal(t, size.links, js[[]string](v, `[...document.querySelectorAll(".site-links a")]
			.filter(`+inSight+`).map(e => e.textContent)`), size.width)
		require.Empty(t, js[[]string](v, `(() => {
			const parts = [...document.querySelectorAll(".toolbar > *")].filter(e => e.getBoundingClientRect().width > 0);
			const left = e => e.getBoundingClientRect().left, right = e => e.getBoundingClientRect().right;
			const next = i => i + 1 < parts.length ? left(parts[i + 1]) : innerWidth;
			return parts.filter((e, i) => e.scrollWidth > e.clientWidth || right(e) > next(i)).map(e => e.className);
		})()`), size.width)
		for _, theme := range []string{"light", "dark"} {
			v.media("", "prefers-color-scheme", theme)
			v.shot(fmt.Sprintf("header-%d-%s", size.width, theme))
		}
	}
}

// A separator moves with the pointer and with keys, and stays where it is put.
func TestSeparators(t *testing.T) {
	v := open(t, setting{}).ready()
	const name = "Between Editor and Groups of lanes"
	line, editor := v.find("separator", name), v.find("region", "Editor")
	before := editor.box()
	at := line.box()
	v.run(chromedp.MouseEvent(input.MousePressed, at.Left, 300, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.MouseMoved, at.Left+50, 320, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.MouseMoved, at.Left+100, 320, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.MouseReleased, at.Left+100, 320, chromedp.ButtonLeft))
	v.eventually("a wider editor", func() (bool, string) {
		right := editor.box().Right
		return right == before.Right+100, fmt.Sprint(before.Right, " ", right)
	})
	call[any](line, "e => e.focus()")
	v.press(kb.ArrowLeft)
	v.press(kb.ArrowLeft)
	v.eventually("the keys to move it", func() (bool, string) {
		right := v.find("region", "Editor").box().Right
		return right == before.Right+100-2*16, fmt.Sprint(right)
	})
	require.Equal(t, strconv.Itoa(int(before.Right)+68),
		call[string](v.find("separator", name), "e => e.getAttribute('aria-valuenow')"))
	v.reload()
	require.Equal(t, before.Right+68, v.find("region", "Editor").box().Right)
}

// A place by its tabs: arrows go from tab to tab, a double click fills the workspace, the menu moves panels.
func TestPlaces(t *testing.T) {
	v := open(t, setting{}).ready()
	v.find("tab", "Registers").click()
	v.holds(inFront("registers"))
	v.press(kb.ArrowRight)
	v.holds(inFront("watch"))
	v.holds(`document.activeElement.textContent === "Watch"`)
	v.press(kb.Home)
	v.holds(inFront("stack"))
	js[any](v, `requestAnimationFrame(() => // a timer ends before the next frame, in which the tab comes to be
		[...document.querySelectorAll("[role=tab]")].find(e => e.textContent === "Registers").click())`)
	v.holds(inFront("registers"))
	v.holds(`document.activeElement.textContent === "Registers"`)
	v.press(kb.Home)
	v.holds(inFront("stack"))

	tab := v.find("tab", "Lanes").box()
	v.run(chromedp.MouseClickXY(tab.Left+20, tab.Top+10, chromedp.ClickCount(2)))
	v.eventually("lanes over the whole workspace", func() (bool, string) {
		b := v.find("region", "Lane grid").box()
		return b.Top == 80 && b.Bottom == 900-statusHeight, fmt.Sprint(b)
	})
	v.button("Restore Lanes")
	v.holds(inFront("stack"))

	v.panel("Memory")
	v.holds(inFront("memory"))
	v.button("Arrange Memory")
	v.holds(`document.activeElement.getAttribute("role") === "menuitem"`)
	v.find("menuitem", "Tab beside Groups of lanes").click()
	v.holds(`document.querySelector("#slot-memory [role=tablist]").children.length === 7`)
	v.button("Arrange Memory")
	v.holds(`document.activeElement.getAttribute("role") === "menuitem"`)
	v.press(kb.Escape)
	v.holds(`document.activeElement.ariaLabel === "Arrange Memory"`)
	v.reload()
	v.holds(inFront("memory"))
	v.button("Arrange Memory")
	v.find("menuitem", "Reset this layout").click()
	v.holds(inFront("stack"))
}

// inFront says that a panel shows.
func inFront(panel string) string {
	return fmt.Sprintf(`!document.getElementById("slot-%s").classList.contains("covered")`, panel)
}

// A tab that is dragged to the edge of another place splits it, unless Escape takes it back.
func TestDraggingATab(t *testing.T) {
	v := open(t, setting{}).ready()
	tab, lanes := v.find("tab", "Registers").box(), v.find("region", "Lane grid").box()
	x, y := lanes.Right-40, (lanes.Top+lanes.Bottom)/2
	drag := func() {
		v.run(chromedp.MouseEvent(input.MousePressed, tab.Left+10, tab.Top+10, chromedp.ButtonLeft),
			chromedp.MouseEvent(input.MouseMoved, tab.Left+30, tab.Top+40, chromedp.ButtonLeft),
			chromedp.MouseEvent(input.MouseMoved, x, y, chromedp.ButtonLeft))
		v.holds(`!document.querySelector(".drop").classList.contains("empty")`)
	}
	drag()
	v.press(kb.Escape)
	v.holds(`document.querySelector(".drop").classList.contains("empty")`)
	v.run(chromedp.MouseEvent(input.MouseReleased, x, y, chromedp.ButtonLeft))
	v.settle()
	require.Equal(t, lanes, v.find("region", "Lane grid").box())

	drag()
	v.run(chromedp.MouseEvent(input.MouseReleased, x, y, chromedp.ButtonLeft))
	v.eventually("registers beside the lanes", func() (bool, string) {
		r, l := v.find("region", "Registers").box(), v.find("region", "Lane grid").box()
		return r.Top == l.Top && r.Left == l.Right+1, fmt.Sprint(r, l)
	})
}

// F6 goes from panel to panel, the report buttons open and close a drawer, and Layout offers three presets.
func TestPanelsByKey(t *testing.T) {
	v := open(t, setting{}).ready()
	panel := func(name string) {
		v.holds(fmt.Sprintf(`document.activeElement.closest(".slot")?.dataset.panel === %q`, name))
	}
	for _, name := range []string{"editor", "stack", "memory", "lanes", "editor"} { // the first example draws a picture
		v.press(kb.F6)
		panel(name)
	}
	v.press(kb.F6, input.ModifierShift)
	panel("lanes")

	v.find("button", "Expectations 0 of 4").click()
	v.holds(inFront("output"))
	v.find("button", "Expectations 0 of 4").click()
	v.holds(`!(` + inFront("output") + `)`)
	v.find("button", "Expectations 0 of 4").click()
	v.holds(inFront("output"))
	call[any](v.find("tab", "Output"), "e => e.focus()")
	v.press(kb.Escape)
	v.holds(`!(` + inFront("output") + `) && document.activeElement.classList.contains("report")`)

	require.Equal(t, []string{"Learn", "Kernel", "Write"},
		call[[]string](v.find("combobox", "Layout"), "e => [...e.options].map(o => o.text)"))
	v.find("combobox", "Layout").choose("Write")
	v.holds(inFront("problems"))
	v.find("combobox", "Layout").choose("Learn")
	v.load("18-")
	v.holds(inFront("lanes"))
}

// What was opened chooses the preset, until the reader does.
func TestPresetFollowsTheProgram(t *testing.T) {
	v := open(t, setting{}).ready()
	is := func(preset string) {
		v.holds(`document.querySelector("select[aria-label=Layout]").value === "` + preset + `"`)
	}
	is("learn")
	v.load("18-")
	is("kernel")
	v.load("05-")
	is("learn")
	v.find("combobox", "Layout").choose("Write")
	v.load("18-")
	is("write")
}

// The launch line stands for the comments before the program; a click opens them and the form.
func TestLaunchLine(t *testing.T) {
	v := open(t, setting{}).ready()
	text := v.load("05-")
	v.region("Editor", "1 × 32 threads", "out u32[32]", "5 expectations", "lines 1–21")
	first := `document.querySelector(".cm-line:not(:has(.ptx-fold-away))").textContent`
	require.NotContains(t, js[string](v, first), "//@")
	require.Equal(t, text, v.source(), "all of the text is there")
	js[any](v, `document.querySelector(".launch-line").click()`)
	v.holds(`document.querySelector(".cm-line").textContent.startsWith("//@ title")`)
	v.holds(inFront("launch"))
	js[any](v, `document.querySelector(".launch-line").click()`)
	v.holds(`!` + first + `.startsWith("//")`)
}

// With less room than panels need the workspace scrolls, and header, timeline and status stay.
func TestSmallWindows(t *testing.T) {
	v := open(t, setting{}).ready()
	for _, size := range [][2]int64{{1024, 768}, {800, 500}, {900, 360}} {
		v.run(emulation.SetDeviceMetricsOverride(size[0], size[1], 1, false))
		v.settle()
		require.LessOrEqual(t, js[float64](v, "document.documentElement.scrollHeight"), float64(size[1]))
		require.LessOrEqual(t, js[float64](v, "document.documentElement.scrollWidth"), float64(size[0]))
		for _, what := range []string{".toolbar", ".timeline-row", ".status"} {
			require.True(t, js[bool](v, `(`+inSight+`)(document.querySelector("`+what+`"))`), "%s at %v", what, size)
		}
	}
}

// A row of tabs that was scrolled sideways begins at its first tab in another preset and another size, or shows the tab
// in front if that is further on.
func TestTabsComeIntoSight(t *testing.T) {
	v := open(t, setting{width: 1024, height: 768}).ready()
	const row = `document.querySelector("#slot-stack .bar-tabs")`
	v.holds(row + `.scrollWidth > ` + row + `.clientWidth`)
	js[any](v, row+`.scrollLeft = 1000`)
	v.find("combobox", "Layout").choose("Kernel")
	v.panel("SIMT stack")
	v.holds(row + `.scrollLeft === 0`)
	js[any](v, row+`.scrollLeft = 1000`)
	v.size(1100, 768)
	v.holds(row + `.scrollLeft === 0`)

	for _, panel := range []string{"Who holds what", "Control flow", "Memory"} {
		v.find("combobox", "Layout").choose("Learn")
		v.find("tab", panel).click()
		for _, preset := range []string{"Write", "Learn"} {
			v.find("combobox", "Layout").choose(preset)
			v.panel(panel)
			v.holds(`(() => {
				const tabs = [...document.querySelectorAll(".bar [role=tab][aria-selected=true]")];
				const tab = tabs.find(tab => tab.innerText === "` + panel + `");
				const row = tab.parentElement.getBoundingClientRect();
				const end = tab.previousElementSibling?.getBoundingClientRect().right;
				const { left, right } = tab.getBoundingClientRect();
				return left >= row.left && right <= row.right - 12 && (end === undefined || Math.abs(end - left) < 1);
			})()`)
		}
	}
}

// What the status line's buttons open takes its room from the panels above, and covers none.
func TestDrawerCoversNothing(t *testing.T) {
	for _, size := range [][2]int64{{1440, 900}, {1024, 768}} {
		v := open(t, setting{width: size[0], height: size[1]}).ready()
		v.load("05-")
		v.steps(16)
		v.panel("Problems")
		v.eventually("panels above the drawer", func() (bool, string) {
			lanes, drawer := v.find("region", "Lane grid").box(), v.find("region", "Problems").box()
			return drawer.Top == lanes.Bottom+1 && drawer.Bottom == float64(size[1])-statusHeight, fmt.Sprint(lanes, drawer)
		})
		v.holds(`(` + inSight + `)(document.querySelector("[data-lane='31']"))`)
		v.holds(`(` + inSight + `)(document.querySelector(".ptx-at-top"))`)
		v.find("separator", "Between Editor and Problems")
		v.shot(fmt.Sprintf("drawer-%d", size[0]))
		v.button("Close Problems")
		v.eventually("the lanes to have their room again", func() (bool, string) {
			lanes := v.find("region", "Lane grid").box()
			return lanes.Bottom == float64(size[1])-statusHeight, fmt.Sprint(lanes)
		})
	}
}
