package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// A changed example is compared with what it was: the text, the counters, and the results of both runs.
func TestCompare(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("06")
	v.goTo(40)
	v.press(kb.End)
	v.press("/")
	v.press("/")
	v.press("x")
	v.settle()
	for _, dark := range []bool{false, true} {
		if dark {
			v.button("Use the dark theme")
		}
		v.press("k", input.ModifierCtrl)
		v.holds(`document.activeElement.getAttribute("role") === "combobox"`)
		v.run(input.InsertText("compare"))
		v.press(kb.Enter)
		v.holds(`document.querySelector("dialog.compare[open] .added code")?.textContent.endsWith("//x")`)
		v.holds(`document.querySelector(".compare > table")?.textContent.includes("Warp instructions")`)
		v.holds(`!document.querySelector(".compare > table .differs")`)
		for _, size := range [][2]int64{{1440, 900}, {1024, 768}, {390, 844}} {
			v.run(emulation.SetDeviceMetricsOverride(size[0], size[1], 1, size[0] < 500))
			v.shot(fmt.Sprintf("compare-%d-%v", size[0], dark))
		}
		v.run(emulation.SetDeviceMetricsOverride(1440, 900, 1, false))
		v.press(kb.Escape)
		v.holds(`!document.querySelector("dialog[open]")`)
	}
}
