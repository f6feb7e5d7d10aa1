package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// A Triton kernel names its source. Dropped on the page, it is beside the text, and each shows where the cursor of the
// other is.
func TestSourcePanel(t *testing.T) {
	text, err := os.ReadFile("../testdata/control/triton-softmax.ptx")
	require.NoError(t, err)
	var source strings.Builder
	for i := range 30 {
		fmt.Fprintf(&source, "line_%d()\n", i+1)
	}
	v := open(t, setting{width: 1440, height: 2000}).ready() // the panel has all lines in sight
	folder := writeFiles(t, map[string]string{"softmax.ptx": string(text), "softmax.py": source.String()})
	v.drop(filepath.Join(folder, "softmax.ptx"))
	v.region("Editor", "from softmax.py:7")
	v.drop(filepath.Join(folder, "softmax.py"))
	v.shows("region", "Source", "line_7()")
	at := `document.querySelector("#panel-source .ptx-at-top").textContent`
	v.holds(at + ` === "line_7()"`)
	require.Greater(t, js[int](v, `document.querySelectorAll("#panel-source [class*=ptx-stripe]").length`), 5)

	js[any](v, `document.querySelector("#panel-source .cm-content").focus()`)
	click := `[...document.querySelectorAll("#panel-source .cm-line")].find(e => e.textContent === "line_9()")`
	box := js[[]float64](v, `(() => {
		const r = (`+click+`).getBoundingClientRect();
		return [r.left + 40, r.top + 5];
	})()`)
	v.run(chromedp.MouseClickXY(box[0], box[1]))
	v.holds(`document.querySelector("#panel-source .ptx-lit")?.textContent === "line_9()"`)
	v.holds(`document.querySelectorAll("#panel-editor .ptx-lit").length > 0`)

	v.press(kb.F7)
	v.holds(at + ` !== "line_7()"`)
	for _, dark := range []bool{false, true} {
		if dark {
			v.button("Use the dark theme")
		}
		for _, size := range [][2]int64{{1440, 900}, {1024, 768}, {390, 844}} {
			v.run(emulation.SetDeviceMetricsOverride(size[0], size[1], 1, size[0] < 500))
			v.shot(fmt.Sprintf("source-%d-%v", size[0], dark))
		}
		v.run(emulation.SetDeviceMetricsOverride(1440, 900, 1, false))
	}
}
