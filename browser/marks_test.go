package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// marks are those above the timeline: "kind tick".
func (v *visit) marks() []string {
	v.t.Helper()
	return js[[]string](v, `[...document.querySelectorAll("#marks [data-mark]")]
		.map(e => e.dataset.kind + " " + e.dataset.tick)`)
}

// Nested branches: the first branch that splits the warp is the third instruction, the last step of 27 is the end.
func TestMarksOfTheTimeline(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("05-")
	v.button("Run")
	v.status("Finished")
	v.holds(`document.querySelectorAll("#marks [data-kind=divergence]").length > 2`)
	marks := v.marks()
	require.Equal(t, "divergence 3", marks[0])
	require.Equal(t, "end 27", marks[len(marks)-1])
	js[any](v, `document.querySelector("#marks [data-mark='0']").click()`)
	v.status("lanes branch", "pushed masks")
	v.holds(`document.querySelector("input[aria-label=Timeline]").value === "3"`)
	// What follows the present is paler. Marks do not inherit where that is: a step would style each of them again.
	at := `(e => Number(getComputedStyle(e).getPropertyValue("--at")).toFixed(4))`
	require.Equal(t, []string{"0.1111", "0.0000"}, js[[]string](v,
		`[document.querySelector("#marks"), document.querySelector("#marks .mark")].map(`+at+`)`))
	v.button("Next divergence")
	v.holds(`Number(document.querySelector("input[aria-label=Timeline]").value) > 3`)
	v.button("Next reconvergence")
	js[any](v, `document.querySelector("#marks [tabindex='0']").focus()`)
	v.press(kb.ArrowRight)
	v.holds(`document.activeElement.dataset.mark === "1"`)
	v.press(kb.Enter)
	v.holds(`document.querySelector("input[aria-label=Timeline]").value ===
		document.querySelector("[data-mark='1']").dataset.tick`)
}

// What is beside the rail can take room from it or give it back: the tick below it, of step 2,520, stays in its place,
// and CTAs whose names have no room any more share one.
func TestTicksFollowTheRail(t *testing.T) {
	v := open(t, setting{}).ready()
	text := v.load("18-")
	named := func(names string) {
		v.holds(`[...document.querySelectorAll(".scale text")].map(e => e.textContent).join() === "` + names + `"`)
	}
	follows := func(end int) {
		v.holds(fmt.Sprintf(`((rail, tick) =>
			Math.abs((tick.left + tick.right) / 2 - rail.left - rail.width * 2520 / %d) < 1)(
			...[".scale", ".scale line"].map(s => document.querySelector(s).getBoundingClientRect()))`, end))
	}
	v.button("Run")
	v.status("Finished")
	named("CTA 0,CTA 1,CTA 2,CTA 3")
	follows(10080)
	v.seek(5212)
	wide := js[int](v, `document.querySelector(".scale").clientWidth`)
	v.paste(strings.Replace(text, "    ld.global.f32   %u", "x    ld.global.f32   %u", 1))
	v.status("Cannot run")
	v.holds(fmt.Sprintf(`document.querySelector(".scale").clientWidth !== %d`, wide))
	follows(10080)
	v.shot("rail-stale")
	v.paste(text)
	v.button("Run again to step 5,212")
	named("CTA 0,CTA 1,")
	follows(5212)
	v.shot("rail-again")
	js[any](v, `document.querySelector(".rail").style.maxWidth = "80px"`)
	named("CTA 0-1,")
}

func TestShotsOfMarks(t *testing.T) {
	wantsShots(t)
	for _, size := range [][2]int64{{1440, 900}, {1024, 768}, {390, 844}} {
		for _, dark := range []bool{false, true} {
			v := open(t, setting{width: size[0], height: size[1], dark: dark}).ready()
			v.load(map[bool]string{true: "18-", false: "05-"}[dark])
			v.button("Run")
			v.status("Finished")
			v.seek(16)
			v.settle()
			v.settle()
			v.shot(fmt.Sprintf("marks-%d-%v", size[0], dark))
		}
	}
}

// The field for the step shows the step where the run is, whatever was entered.
func TestStepField(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("05-")
	v.button("Run")
	v.status("Finished")
	for _, c := range [][2]string{{"99", "27"}, {"abc", "27"}, {"12", "12"}, {"12x", "12"}, {"-3", "12"}} {
		v.enter("Go to step", c[0])
		v.holds(fmt.Sprintf(`document.querySelector("[aria-label='Go to step']").value === %q`, c[1]))
	}
}
