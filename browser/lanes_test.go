package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/stretchr/testify/require"
)

// manyRegisters writes 2,000 registers in their order, and then these ones once more.
func manyRegisters(again []int) string {
	var b strings.Builder
	b.WriteString(`//@ title Many registers
//@ block 32
.version 8.0
.target sm_70
.address_size 64
.visible .entry many()
{
	.reg .u32 %r<2000>;
`)
	for i := range 2000 {
		fmt.Fprintf(&b, "\tmov.u32 %%r%d, %d;\n", i, i)
	}
	for _, i := range again {
		fmt.Fprintf(&b, "\tadd.u32 %%r%d, %%r%d, 1;\n", i, i)
	}
	b.WriteString("\tret;\n}\n")
	return b.String()
}

// The grid scrolls when the reader turns the wheel, by as much as it is turned, and when a step writes a register that
// is out of sight. It never scrolls by itself.
func TestLaneGridOfManyRegisters(t *testing.T) {
	again := []int{1900, 5, 1000, 999, 1999, 0}
	v := open(t, setting{}).ready()
	v.paste(manyRegisters(again))
	v.holds(`document.title.startsWith("Many registers")`)
	v.button("Run")
	v.status("Finished")
	js[any](v, `(slider => { slider.value = 2000; slider.dispatchEvent(new Event("input", { bubbles: true })); })(
		document.querySelector("input[type=range][aria-label='Timeline']"))`)
	v.holds(`document.querySelector(".ticks").innerText.startsWith("2,000 /")`)
	js[any](v, `(grid => {
		grid.scrollTop = 0;
		globalThis.scrolls = 0;
		setTimeout(() => grid.addEventListener("scroll", () => globalThis.scrolls++), 100);
	})(document.querySelector(".lane-grid"))`)
	v.settle()

	at := call[[]float64](v.find("grid", ""), `e => {
		const box = e.getBoundingClientRect();
		return [box.left + box.width / 2, box.top + box.height / 2];
	}`)
	const notches, notch = 20, 100
	for range notches {
		v.run(input.DispatchMouseEvent(input.MouseWheel, at[0], at[1]).WithDeltaX(0).WithDeltaY(notch))
	}
	v.settle()
	require.Equal(t, float64(notches*notch), js[float64](v, `document.querySelector(".lane-grid").scrollTop`))
	js[any](v, "globalThis.scrolls = 0")
	v.settle()
	v.settle()
	require.Zero(t, js[int](v, "globalThis.scrolls"), "scroll events after the last notch")

	for _, register := range again {
		v.button("Step")
		v.holds(fmt.Sprintf(`(() => {
			const cell = document.querySelector('[data-reg="%%r%d"][data-lane="0"]');
			const grid = document.querySelector(".lane-grid").getBoundingClientRect();
			const head = document.querySelector(".lane-head").getBoundingClientRect();
			const box = cell?.getBoundingClientRect();
			return box && box.top >= head.bottom - 1 && box.bottom <= grid.bottom + 1 && cell.className.includes("glow") &&
				parseInt(cell.innerText) === %d;
		})()`, register, register+1))
	}
}
