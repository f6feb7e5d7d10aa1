package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// A typo keeps everything in sight; when it is repaired, one press runs to the same step.
func TestStaleTextInThePage(t *testing.T) {
	v := open(t, setting{}).ready()
	text := v.load("05-")
	for range 3 {
		v.button("Step")
	}
	v.holds(`document.querySelector("input[aria-label=Timeline]").value === "3"`)
	v.paste(text + "\noops")
	v.status("Cannot run")
	v.holds(`document.querySelector(".stale-note .badge").innerText === "stale: step 3 of the last good text"`)
	require.NotEmpty(t, v.lanes("%lane", "text"))
	v.holds(`document.querySelector(".stale-note button").getAttribute("aria-disabled") === "true"`)
	v.shot("stale")
	v.paste(text)
	v.status("Ready")
	v.button("Run again to step 3")
	v.holds(`document.querySelector("input[aria-label=Timeline]").value === "3"`)
	v.holds(`!document.querySelector(".app").classList.contains("stale")`)
}

// Beside a typo, panels show what they have shown; one that is opened then shows the last good text as well.
func TestPanelsBesideATypo(t *testing.T) {
	v := open(t, setting{}).ready()
	text := v.load("18-")
	v.button("Run")
	v.status("Finished")
	v.seek(5212)
	said := func(panel string) string {
		return call[string](v.find("region", panel), "e => e.innerText")
	}
	before := map[string]string{}
	for _, panel := range []string{"Access", "Counters", "Control flow", "Memory"} {
		v.panel(panel)
		v.settle()
		v.settle()
		before[panel] = said(panel)
	}
	require.Contains(t, before["Access"], "st.shared.f32 [%mya], %u")
	v.paste(strings.Replace(text, "    ld.global.f32   %u", "x    ld.global.f32   %u", 1))
	v.status("Cannot run")
	v.holds(`document.querySelector(".stale-note .badge").innerText === "stale: step 5,212 of the last good text"`)
	for _, panel := range []string{"Memory", "Control flow", "Counters", "Access"} {
		v.panel(panel)
		v.settle()
		v.settle()
		require.Equal(t, before[panel], said(panel), panel)
		v.shot("beside-a-typo-" + panel)
	}
	v.panel("Divergence")
	v.holds(`document.querySelector(".chart-at").innerText === "Step 5,212: all 32 lanes in block tile."`)
	v.settle()
	v.shot("beside-a-typo-Divergence")
}

// Where all of the text is deleted, no line is marked, nothing is red, and the page says what to do. So it does in a
// new program.
func TestEmptyTextInThePage(t *testing.T) {
	for _, width := range []int64{1440, 390} {
		v := open(t, setting{width: width, height: 844}).ready()
		v.load("05-")
		v.button("Step")
		const marks = `[...document.querySelectorAll(".cm-standing .cm-gutterElement")].filter(
			e => e.innerText).length`
		v.holds(marks + " === 1")
		call[any](v.find("textbox", "PTX source"), "e => e.focus()")
		v.press("a", input.ModifierCtrl)
		v.press(kb.Delete)
		for _, how := range []string{"deleted", "new"} {
			v.status("There is no program: type or paste PTX")
			v.holds(`document.querySelectorAll(".cm-line.ptx-at, .cm-line.ptx-error, .cm-trouble .ptx-error").length === 0`)
			v.holds(marks + " === 0")
			v.holds(`(hint => hint && hint.innerText.includes("choose an example") &&
				hint.getBoundingClientRect().right < innerWidth)(document.querySelector(".cm-placeholder"))`)
			require.False(t, js[bool](v, `document.querySelector(".app").classList.contains("stale")`))
			require.False(t, js[bool](v, `document.body.innerText.includes("next: line")`))
			v.shot(fmt.Sprintf("empty-%s-%d", how, width))
			if how == "deleted" {
				v.button("New program")
			}
		}
	}
}

const beyondTheEnd = `//@ title Beyond
//@ block 32
//@ arg out u32[24]
//@ expect out[0] == 1
.version 6.4
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .u32 %i;
	.reg .u64 %a, %o;
	ld.param.u64 %a, [out];
	mov.u32 %i, %tid.x;
	mul.wide.u32 %o, %i, 4;
	add.s64 %a, %a, %o;
	st.global.u32 [%a], %i;
	ret;
}
`

// The fault marks its line and what is after the end of the buffer. Its sentence is in the status line alone.
func TestFaultIsMarkedInThePage(t *testing.T) {
	v := open(t, setting{}).ready()
	v.paste(beyondTheEnd)
	v.holds(`document.title.startsWith("Beyond")`)
	v.button("Run")
	sentence := v.status("out of bounds")
	v.holds(`document.querySelector(".cm-line[data-fault]").innerText.includes("st.global")`)
	require.Equal(t, "8 lanes", js[string](v, `document.querySelector("[data-fault]").dataset.fault`))
	v.region("Memory", "out[24]: lane 24 would access this, after the end of out")
	times := fmt.Sprintf(`document.body.innerText.split(%q).length - 1`, sentence[len("Stopped at "):40])
	require.Equal(t, 1, js[int](v, times))
	v.shot("fault")
	v.button("Step back")
	v.holds(`!document.querySelector("[data-fault]")`)
}
