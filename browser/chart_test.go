package browser

import (
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// The panel Divergence: example 05 has 27 steps. Its picture travels, selects and zooms by pointer and by keys, says in
// words what there is at the cursor, and is drawn in colours.
func TestDivergence(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("05-")
	v.find("combobox", "Layout").choose("Learn")
	v.region("Divergence", "Step or run")
	v.button("Run")
	v.status("Finished")
	v.region("Divergence", "Steps 0 to 26: 27 steps, 4 divergences")
	cursor := v.find("slider", "Step in the picture")
	at := func(step float64) (x, y float64) {
		b := cursor.box()
		return b.Left + (b.Right-b.Left)*(step+.5)/27, (b.Top + b.Bottom) / 2
	}
	mouse := func(kind input.MouseType, step float64) {
		x, y := at(step)
		v.run(input.DispatchMouseEvent(kind, x, y).WithButton(input.Left).WithButtons(1).WithClickCount(1))
	}

	mouse(input.MousePressed, 16)
	mouse(input.MouseReleased, 16)
	v.holds(`document.querySelector("#timeline").value === "16"`)
	v.region("Divergence", "Step 16: lanes 24-27 in block 55, 28 lanes wait.")
	v.holds(`document.querySelector("#chart-area").getAttribute("aria-valuetext").includes("block 55")`)
	v.holds(`(canvas => { // lane 0 at the first step has a block's colour, and waits at step 16
		const pixels = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
		const area = document.querySelector("#chart-area").getBoundingClientRect();
		const frame = canvas.getBoundingClientRect(), scale = canvas.width / frame.width;
		const saturation = step => {
			const x = area.left - frame.left + area.width * (step + .5) / 27;
			pixels.drawImage(canvas, -Math.floor(x * scale), -Math.floor(8 * scale));
			const [r, g, b] = pixels.getImageData(0, 0, 1, 1).data;
			return Math.max(r, g, b) - Math.min(r, g, b);
		};
		return saturation(0) > 20 && saturation(16) < 20;
	})(document.querySelector("#chart"))`)
	v.holds(`document.querySelector(".cm-editor [class*='ptx-stripe-']") !== null`)

	mouse(input.MousePressed, 3)
	mouse(input.MouseMoved, 4)
	mouse(input.MouseMoved, 5)
	mouse(input.MouseReleased, 5)
	v.region("Divergence", "Selected: steps 3 to 5: 3 steps, 1 divergence")
	v.holds(`document.querySelector("#timeline").value === "16"`)
	v.button("Zoom in")
	v.region("Divergence", "Steps 3 to 5: 3 steps, 1 divergence")
	v.button("Whole run")
	v.region("Divergence", "Steps 0 to 26")

	js[any](v, `document.querySelector("#chart-area").focus()`)
	v.press(kb.Home)
	v.region("Divergence", "Step 0: all 32 lanes in block entry.")
	v.press(kb.ArrowRight)
	v.region("Divergence", "Step 1:")
	v.press("+")
	v.holds(`document.querySelector("#chart-area").getAttribute("aria-valuemax") === "13"`) // 14 of 27 steps, less one
	v.press(kb.Enter)
	v.holds(`document.querySelector("#timeline").value === "1"`)
	v.press("0")
	v.region("Divergence", "Steps 0 to 26")
	v.shot("divergence")

	v.panel("Memory") // covered, it asks for nothing, and the gutter is plain
	v.holds(`document.querySelector(".cm-editor [class*='ptx-stripe-']") === null`)

	v.load("18-") // 4 CTAs of 8 warps
	v.find("combobox", "Layout").choose("Kernel")
	v.button("Run")
	v.status("Finished")
	v.panel("Divergence") // Access is before it
	v.button("All warps")
	v.region("Divergence", "Step 10,080: 32 warps have ended.", "Steps 0 to 10,079: 10,080 steps, 0 divergences")
	require.Equal(t, "true", js[string](v, `document.querySelector(".chart-tools button").getAttribute("aria-pressed")`))
	v.shot("divergence-warps")
}
