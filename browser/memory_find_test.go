package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// enter writes into a field of the memory panel and presses Enter.
func (v *visit) enter(field, text string) {
	v.t.Helper()
	v.find("textbox", field).fill(text) // leaves the field
	v.find("textbox", field).click()
	v.press(kb.Enter)
}

// Matrix product: c[0..31] is 248, c[32..63] is 760; the product's tiles are in shared memory.
func TestMemoryIsSearched(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("18-")
	v.button("Run")
	v.status("Finished")
	v.enter("Address or element", "c[33]")
	v.holds(`document.querySelector(".panel-memory td.found").innerText === "760"`)
	v.enter("Find a value", "1272")
	v.region("Memory", "c[2][0], 1 of 32")
	v.enter("Address or element", "ta[3]")
	v.holds(`document.querySelector(".region-facts").innerText.includes(".shared")`)
	v.enter("Address or element", "nowhere")
	v.region("Memory", `there is no buffer or variable named "nowhere"`)
	v.find("combobox", "Read memory as").choose("u8")
	v.holds(`document.querySelector(".region-facts").innerText.startsWith("u8")`)
	v.enter("Address or element", "c")
	v.seek(2000)
	v.holds(`document.querySelector("input[aria-label=Timeline]").value === "2000"`)
	v.find("combobox", "Changed since").choose("this step on")
	v.seek(10080)
	v.holds(`document.querySelectorAll(".panel-memory td.changed").length > 20`)
	require.Equal(t, "step 2,000", js[string](v,
		`document.querySelector("select[aria-label='Changed since']").selectedOptions[0].innerText`))
}

func TestShotsOfMemory(t *testing.T) {
	wantsShots(t)
	for _, size := range [][2]int64{{1440, 900}, {1024, 768}} {
		for _, dark := range []bool{false, true} {
			v := open(t, setting{width: size[0], height: size[1], dark: dark}).ready()
			v.load("18-")
			v.button("Run")
			v.status("Finished")
			v.enter("Find a value", "760")
			v.settle()
			v.settle()
			v.shot(fmt.Sprintf("memory-%d-%v", size[0], dark))
		}
	}
}

// Each column of memory has its head straight above it, for each type and in each width, and heads stay where memory
// scrolls.
func TestMemoryHasHeads(t *testing.T) {
	for _, size := range [][2]int64{{1440, 900}, {1024, 768}, {390, 844}} {
		v := open(t, setting{width: size[0], height: size[1]}).ready()
		v.load("18-")
		v.inPreset("Kernel")
		v.ended()
		v.seek(5212)
		v.front("Memory")
		v.find("combobox", "Region").choose("ta")
		second, columns := "[0][8]", 8 // the tile's second row, or half of it
		if size[0] == 1440 {
			second, columns = "[1]", 16
		}
		v.holds(fmt.Sprintf(`(() => {
			const body = document.querySelector("#panel-memory .body");
			return body.querySelector("tbody tr:nth-child(2) th").innerText === %q &&
				body.querySelectorAll("thead th").length === %d && body.scrollWidth <= body.clientWidth;
		})()`, second, columns))
		for _, typ := range []string{"", "u8", "f16x2", "b64", "f64", "hex"} {
			if typ == "hex" {
				v.button("Hex")
				v.holds(`document.querySelector(".memory-hex")`)
			} else if typ != "" {
				v.find("combobox", "Read memory as").choose(typ)
				v.holds(`document.querySelector(".region-facts").innerText.startsWith("` + typ + `")`)
			}
			v.holds(`(() => {
				const cells = [...document.querySelectorAll(".panel-memory tbody tr:first-child td:not(.ascii)")];
				const heads = [...document.querySelectorAll(".panel-memory thead th")];
				const right = e => e.getBoundingClientRect().right;
				const { scrollWidth, clientWidth } = document.querySelector("#panel-memory .body");
				const fits = scrollWidth <= clientWidth || document.querySelector(".memory-hex"); // which is scrolled
				return cells.length > 0 && heads.length === cells.length && fits &&
					heads.every((h, i) => h.innerText && right(h) === right(cells[i]));
			})()`)
			v.shot(fmt.Sprintf("memory-heads-%d-%s", size[0], typ))
		}
		js[any](v, `document.querySelector("#panel-memory .body").scrollTop = 200`)
		v.holds(`(() => {
			const body = document.querySelector("#panel-memory .body"), top = e => e.getBoundingClientRect().top;
			return body.scrollTop < 60 || Math.abs(top(document.querySelector(".panel-memory thead th")) - top(body)) < 2;
		})()`)
	}
}

// Rows of memory are as wide as the panel: also when it gets another place while the machine rests.
func TestMemoryFollowsItsPlace(t *testing.T) {
	v := open(t, setting{width: 1440, height: 900}).ready()
	v.load("18-")
	v.inPreset("Kernel")
	v.front("Memory")
	v.find("combobox", "Region").choose("a")
	columns := func(is string) {
		v.holds(`document.querySelectorAll("#panel-memory thead th").length ` + is)
	}
	columns("=== 8")
	v.fire("dblclick", "#tab-memory-memory")
	columns("=== 32")
	v.fire("dblclick", "#tab-memory-memory")
	columns("=== 8")
}
