package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// warps are the tiles or cells in the panel: "cta.warp state".
func (v *visit) warps() []string {
	v.t.Helper()
	return call[[]string](v.find("region", "Warps"), `region => [...region.querySelectorAll("[data-cta]")]
		.map(e => e.dataset.cta + "." + e.dataset.warp + " " + e.dataset.state)`)
}

// Matrix product: 2 x 2 CTAs of 256 threads share tiles, with barriers between.
func TestWarpsOfTheGrid(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("18-")
	v.find("combobox", "Layout").choose("Kernel")
	v.region("Warps", "1 runs", "7 ready", "24 to come")
	v.button("Step")
	v.run()
	require.Equal(t, "0.0 run", v.warps()[0])
	v.button("Run")
	v.status("Finished")
	v.region("Warps", "32 ended")
	v.region("Lane grid", "of CTA 3 has ended. These are its last registers.")
	require.NotContains(t, v.lanes("%row", "text"), "")

	js[any](v, `document.querySelector("[data-cta='1'][data-warp='5']").click()`)
	v.region("Lane grid", "Warp 5 of CTA 1 has ended. These are its last registers.")
	v.holds(`document.querySelector(".warp.followed").dataset.cta === "1"`)
	js[any](v, `document.querySelector(".warp.followed").focus()`)
	v.press(kb.ArrowRight)
	v.holds(`document.activeElement.dataset.warp === "6" && document.activeElement.dataset.cta === "1"`)
	v.press(kb.Enter)
	v.region("Lane grid", "Warp 6 of CTA 1 has ended.")
	v.shot("warps-followed")
}

// Pictures of the panel in both themes at three widths.
func TestShotsOfWarps(t *testing.T) {
	for _, size := range [][2]int64{{1440, 900}, {1024, 768}, {390, 844}} {
		for _, dark := range []bool{false, true} {
			wantsShots(t)
			v := open(t, setting{width: size[0], height: size[1], dark: dark}).ready()
			v.load("18-")
			if size[0] > 760 {
				v.find("combobox", "Layout").choose("Kernel")
			} else {
				v.button("Warps")
			}
			v.button("Run")
			v.status("Finished")
			v.seek(5212)
			v.settle()
			v.shot(fmt.Sprintf("warps-%d-%v", size[0], dark))
		}
	}
}

// seek travels to a step.
func (v *visit) seek(step int) {
	v.t.Helper()
	js[any](v, fmt.Sprintf(`(slider => {
		slider.value = %d;
		slider.dispatchEvent(new Event("input", { bubbles: true }));
	})(document.querySelector("input[type=range][aria-label=Timeline]"))`, step))
}

// How many other warps are in the line that runs is written over the line's end, on the line's own ground.
func TestOtherWarpsAreReadable(t *testing.T) {
	v := open(t, setting{width: 390, height: 844}).ready()
	v.load("22-")
	v.ended()
	v.seek(900)
	v.holds(`(() => {
		const line = document.querySelector(".cm-line.ptx-at-top[data-warps]");
		const ground = line && getComputedStyle(line).backgroundColor;
		return line && getComputedStyle(line, "::before").content.includes("25 warps") &&
			getComputedStyle(line, "::before").backgroundColor === ground && /^(rgb\(|color\(srgb [^/]*$)/.test(ground);
	})()`)
}

// The words are on their line, also if it is the longest one, and not on the next.
func TestOtherWarpsAreOnTheirLine(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("18-")
	v.ended()
	v.seek(400)
	v.holds(`(() => {
		const lines = [...document.querySelectorAll(".cm-line[data-warps]")];
		return lines.length > 1 && lines.every(line => line.scrollHeight < 1.5 * line.clientHeight);
	})()`)
}

// No example leaves the reader without registers after Run.
func TestRegistersAfterRun(t *testing.T) {
	v := open(t, setting{}).ready()
	for _, prefix := range []string{"02-", "15-", "18-"} {
		v.load(prefix)
		v.button("Run")
		v.status("Finished")
		v.holds(`document.querySelectorAll(".lane-grid [data-reg]").length > 32`)
		v.holds(`!document.querySelector(".absence").innerText`)
	}
}
