package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

const firstLine = `document.querySelector("#panel-counters tbody td")?.innerText`

// What accesses take, counters, the gutter, and who holds what. What they say is tested in ui and debug; here they come
// to the page and follow keys and the pointer.
func TestAccessAndCounters(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("18-")
	v.button("Run")
	v.status("Finished")
	v.panel("Access")
	// Line 61 stores a row of a tile: 32 words in 32 banks. 64 warps do it: 4 CTAs of 8, twice.
	v.holds(`document.querySelectorAll(".access-table tbody tr").length === 7`)
	js[any](v, `[...document.querySelectorAll(".access-table tbody button")].find(e => e.innerText === "61").click()`)
	v.region("Access", "1 wavefront", "ideal 1", "32 words in 32 banks: no bank conflict", "line 61")
	v.holds(`document.querySelector(".access-picture[role=img]")?.ariaLabel.startsWith("1 wavefront, ideal 1.")`)
	v.holds(`document.querySelectorAll(".access-places .used").length === 32`)
	js[any](v, `document.querySelector(".access-table th:nth-child(3) button").click()`)
	v.holds(`document.querySelector(".access-table th:nth-child(3)").ariaSort === "descending" &&
		document.querySelector(".access-table tbody button").innerText === "67"`)

	v.panel("Counters")
	v.holds(firstLine + ` === "31"`)
	js[any](v, `document.querySelector("#panel-counters .counts-by button:nth-child(2)").click()`) // Warps
	v.holds(firstLine + ` === "CTA 0 warp 0"`)
	js[any](v, `document.querySelectorAll("#panel-counters tbody button")[9].click()`)
	v.holds(`document.querySelector("#panel-lanes .cta input").value === "1"`) // 8 warps a CTA: this was CTA 1 warp 1
	v.button("Kernel")
	v.holds(firstLine + ` === "smsp__inst_executed.sum"`)
	v.region("Counters", "10,080")
	v.button("Lines")
	js[any](v, `document.querySelector("#panel-counters .occupancy").open = true`)
	v.find("combobox", "Architecture").choose("sm_70")
	// 256 threads and 2 tiles of 1024 bytes: 64 warps of 7.0 are 8 blocks; more registers than 32 a thread are a limit.
	v.holds(`document.querySelector("#panel-counters .occupancy").innerText.includes("64 of 64 warps, 100 %: 8 blocks")`)

	v.find("combobox", "Counter").choose("wavefronts · memory_l1_wavefronts_shared")
	v.holds(`[...document.querySelectorAll(".cm-heat .cm-gutterElement")].some(e => e.innerText === "1k")`)
	v.find("combobox", "Counter").choose("instructions · smsp__inst_executed.sum")
	v.holds(`[...document.querySelectorAll(".cm-heat .cm-gutterElement")].some(e => e.innerText === "64×")`)

	v.load("23-")
	v.panel("Who holds what")
	v.button("Run")
	v.status("Finished")
	v.seek(23)
	v.region("Who holds what", "mma.sync", "line 58, just ran", "14680")
	cell := `document.querySelector("#panel-holds tbody tr:nth-child(2) td:nth-child(4)")`
	require.Equal(t, "D[1][2] = 15192: lane 5, %d0", js[string](v, cell+".ariaLabel"))
	js[any](v, cell+`.focus()`)
	v.holds(`document.querySelector('#panel-lanes [data-column="5"]').hasAttribute("data-lit")`)
	v.press(kb.ArrowDown)
	v.holds(`document.activeElement.dataset.lane === "9" && document.activeElement.hasAttribute("data-lit")`)
	v.fire("mouseover", `#panel-lanes [data-column="7"]`)
	v.holds(`document.querySelectorAll("#panel-holds td[data-lit]").length === 4 &&
		document.querySelector("#panel-holds td[data-lit]").dataset.lane === "7"`)

	// Operands of a product in shared memory: the element lights up in the panel Memory, and the other way.
	v.load("29-")
	v.panel("Who holds what")
	v.button("Run")
	v.status("Finished")
	v.find("combobox", "Warp").choose("0 of 4")
	v.seek(181)
	v.region("Who holds what", "A is in shared memory, where the descriptor %descA says: ta to ta+2047.")
	press := func(name string) {
		js[any](v, `[...document.querySelectorAll("#panel-holds .segmented button")].find(e => e.innerText === "`+name+
			`").click()`)
	}
	press("A")
	cell = `document.querySelector("#panel-holds tbody tr:nth-child(6) td:nth-child(12)")`
	v.holds(cell + `?.ariaLabel === "A[5][10] = 90: ta+164"`)
	js[any](v, cell+`.click()`)
	v.holds(`document.querySelector("#panel-memory td.found")?.dataset.offset === "164"`)
	js[any](v, cell+`.focus()`)
	v.holds(`document.querySelector("#panel-memory td[data-lit]")?.dataset.offset === "164" &&
		document.querySelector("#holds-said").textContent === "A[5][10] = 90: ta+164"`)
	v.fire("mouseover", `#panel-memory [data-offset="168"]`)
	v.holds(`document.querySelectorAll("#panel-holds td[data-lit]").length === 2`)
	press("Memory")
	v.holds(`document.querySelector("#panel-holds tbody tr:nth-child(2) td:nth-child(2)")?.innerText === "72…\n4·8–15"`)
}

// Of a table with hundreds of rows those near what is in sight are in the page, and a scroll brings the others.
func TestLongTables(t *testing.T) {
	v := open(t, setting{}).ready()
	v.stepping(stepped[4], "Kernel")
	rows := `[...document.querySelectorAll(".access-table tbody tr")]`
	v.holds(rows + `.length >= 20 && ` + rows + `.length < 100`)
	v.holds(`document.querySelectorAll("#panel-counters tbody tr").length < 150`)
	v.holds(`+document.querySelector(".access-table").ariaRowCount > 250`)
	body := `document.querySelector("#panel-access .body")`
	js[any](v, body+`.scrollTop = 1e6`)
	v.holds(rows + `.at(-1).getAttribute("aria-rowindex") === document.querySelector(".access-table").ariaRowCount`)
	v.holds(rows + `.length < 100 && ` + rows + `.at(-1).getBoundingClientRect().bottom <= ` + body +
		`.getBoundingClientRect().bottom`)
	line := js[string](v, rows+`.at(-1).querySelector("button").innerText`)
	js[any](v, rows+`.at(-1).querySelector("button").click()`)
	v.region("Access", "line "+line)
	v.holds(body + `.scrollTop === 0 && document.activeElement.innerText === "Follow the steps"`)
	v.holds(rows + `[0].getAttribute("aria-rowindex") === "2"`)
	js[any](v, body+`.scrollTop = 3000`) // and no further
	v.drawn()
	v.settle()
	require.Equal(t, 3000, js[int](v, body+`.scrollTop`))
	js[any](v, `document.querySelector(".access-table th button").click()`)
	v.holds(`document.querySelector(".access-table th").ariaSort === "descending" &&
		` + rows + `[0].innerText > ` + rows + `[1].innerText`)
}
