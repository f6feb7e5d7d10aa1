package browser

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"warpscope/share"
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
	v.seek(2000)
	v.holds(`document.querySelector(".ticks").innerText.startsWith("2,000 /")`)
	js[any](v, `document.querySelector(".fold button").click()`) // most of these registers are not read
	v.holds(`document.querySelector(".lane-grid").scrollHeight > 2000 * 20`)
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
		v.inSight(register, register+1)
	}
	// After a journey on the timeline, too: step 2,004 has executed the fourth of those, step 1,201 wrote %r1200.
	for _, at := range [][3]int{{2004, 999, 1000}, {1201, 1200, 1200}, {2002, 5, 6}} {
		v.seek(at[0])
		v.inSight(at[1], at[2])
	}
	// It does not scroll by a row at each step: a register out of sight comes to the upper third.
	v.seek(1201)
	v.inSight(1200, 1200)
	js[any](v, "globalThis.scrolls = 0")
	for register := 1201; register <= 1212; register++ {
		v.button("Step")
		v.inSight(register, register)
	}
	require.LessOrEqual(t, js[int](v, "globalThis.scrolls"), 3, "12 steps down the grid")
	// At the end of the grid, the first row in sight is whole, too.
	const grid = `document.querySelector(".lane-grid").scrollTop`
	js[any](v, grid+" = 1e6")
	end := js[float64](v, grid)
	require.Greater(t, end, 30000.)
	require.Zero(t, math.Mod(end, 20))
}

// After a run, a line above the grid says that the warp has ended. A seek removes it when the grid has been drawn: then
// there is more room, and what the step wrote is in sight all the same, below a row that is whole.
func TestLaneGridGetsRoom(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("18-")
	v.ended()
	v.seek(400)
	v.holds(`(() => {
		const grid = document.querySelector(".lane-grid"), written = document.querySelector(".lane-rows .written");
		const top = document.querySelector(".strip").getBoundingClientRect().bottom;
		const end = grid.getBoundingClientRect().bottom;
		const box = written?.getBoundingClientRect();
		return box && grid.scrollTop > 0 && grid.scrollTop % 20 === 0 && box.top >= top - 1 && box.bottom <= end + 1;
	})()`)
}

// In a narrow window, too, offsets in the cells have the buffer that they follow beside the register, and operands say
// what they are; names are whole.
func TestHeadsOfNarrowRows(t *testing.T) {
	v := open(t, setting{width: 1024, height: 768}).ready()
	v.load("18-")
	v.ended()
	v.seek(5212)
	v.holds(`(() => {
		const seen = (e) => e && e.offsetWidth > 0 && e.scrollWidth <= e.offsetWidth ? e.innerText : "";
		const heads = [...document.querySelectorAll(".lane-row > [role=rowheader]")];
		const head = (name) => heads.find(e => e.firstChild.innerText === name);
		return seen(head("%pa").querySelector(".reading")) === "a+" && heads.every(e => seen(e.querySelector("b"))) &&
			seen(head("[%mya]").querySelector("small")) === "ta+" &&
			seen(head("%u").querySelector("small")) === "source";
	})()`)
}

// inSight waits until the register just written is between the strip and the end of the grid, marked, with its value in
// lane 0.
func (v *visit) inSight(register, value int) {
	v.t.Helper()
	v.holds(fmt.Sprintf(`(() => {
		const cell = document.querySelector('[data-reg="%%r%d"][data-lane="0"]');
		const grid = document.querySelector(".lane-grid").getBoundingClientRect();
		const strip = document.querySelector(".strip").getBoundingClientRect();
		const box = cell?.getBoundingClientRect();
		return box && box.top >= strip.bottom - 1 && box.bottom <= grid.bottom + 1 && cell.className.includes("glow") &&
			parseInt(cell.innerText) === %d;
	})()`, register, value))
}

// The registers panel has all 2,000 registers, writes those in sight, and follows the step.
func TestRegistersOfALargeFunction(t *testing.T) {
	v := open(t, setting{}).ready()
	v.paste(manyRegisters([]int{1900, 5}))
	v.holds(`document.title.startsWith("Many registers")`)
	v.find("tab", "Registers").click()
	v.button("Run")
	v.status("Finished")
	for _, at := range [][2]int{{2001, 1900}, {2002, 5}, {1001, 1000}} {
		js[any](v, fmt.Sprintf(`(slider => { slider.value = %d;
			slider.dispatchEvent(new Event("input", { bubbles: true })); })(
			document.querySelector("input[type=range][aria-label='Timeline']"))`, at[0]))
		v.holds(fmt.Sprintf(`(() => {
			const row = [...document.querySelectorAll(".register-rows tr.changed")].find(r => r.innerText.startsWith("%%r%d"));
			const room = document.querySelector(".register-rows").getBoundingClientRect(), box = row?.getBoundingClientRect();
			return box && box.top >= room.top + 20 && box.bottom <= room.bottom + 1;
		})()`, at[1]))
	}
	require.Less(t, js[int](v, `document.querySelectorAll(".register-rows tbody tr").length`), 120)
	// 2,000 rows of 21 pixels and the head.
	require.InDelta(t, 2001*21, js[float64](v, `document.querySelector(".register-rows").scrollHeight`), 30)
	js[any](v, `document.querySelector(".columns").open = true`)
	v.find("group", "Columns")
	js[any](v, `[...document.querySelectorAll(".columns label")].find(l => l.innerText.includes("Binary")).click()`)
	v.holds(`document.querySelector(".register-rows tr.changed .binary").innerText === "0b1111101000"`) // 1,000
}

// A phone's page has the height of its window, however much the panels hold that are not in front.
func TestPhonePageDoesNotScroll(t *testing.T) {
	v := open(t, setting{width: 390, height: 844}).ready()
	v.load("18-")
	v.ended()
	v.seek(5212)
	v.holds(`document.querySelector("#slot-statistics .hot tr")`)
	v.front("Lanes")
	require.Equal(t, 844, js[int](v, "document.documentElement.scrollHeight"))
}

// On a phone the names of registers are whole, and so are 32 bits in hex beside them. A name of 40 letters has a third
// of the width, and a title.
func TestRegisterNamesAreWhole(t *testing.T) {
	v := open(t, setting{width: 390, height: 844}).ready()
	text := v.load("18-")
	v.ended()
	v.seek(5212)
	v.front("Registers")
	const cut = `[...document.querySelectorAll(".register-rows tbody :is(th, td)")].
		filter(c => c.scrollWidth > c.clientWidth).map(c => c.innerText)`
	v.holds(`[...document.querySelectorAll(".register-rows tbody th")].some(c => c.innerText === "%columnb")`)
	v.holds(cut + `.every(text => /^0x\w{16}$/.test(text))`)
	long := "%" + strings.Repeat("long", 10)
	v.paste(strings.ReplaceAll(text, "%columnb", long))
	v.holds(`document.title.startsWith("Matrix") && document.querySelector("[role=status]").innerText.startsWith("Ready")`)
	v.ended()
	v.seek(5212)
	v.holds(fmt.Sprintf(`(() => {
		const name = document.querySelector(".register-rows th[title='%s']");
		return name && name.offsetWidth > 110 && name.offsetWidth < 130 &&
			document.querySelector(".register-rows").scrollWidth <= 390;
	})()`, long))
}

// The strip has the operands of the instruction that has just run, or of the one that runs next.
func TestInstructionStrip(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("05-") // nested divergence: line 54 is "@%s bra five" in lanes 24 to 31; %s is true from lane 28 on
	for range 16 {
		v.button("Step")
	}
	strip := v.find("region", "Instruction")
	operand := func(name string) string {
		return js[string](v, `[...document.querySelectorAll('.strip [data-operand="`+name+`"] [data-lane]')]
			.map(c => c.innerText || "-").join("")`)
	}
	require.Contains(t, strip.text(), "8 lanes here: 4 jump, 4 fall through")
	require.Equal(t, strings.Repeat("-", 24)+"FFFFTTTT", operand("%s"))
	require.Equal(t, strings.Repeat("-", 24)+strings.Repeat("55", 4)+strings.Repeat("58", 4), operand("next"))
	v.button("Runs next") // line 55: mov.u32 %v, 4
	v.holds(`document.querySelector(".strip code").innerText === "mov.u32 %v, 4"`)
	v.button("Step")
	v.button("Just ran")
	v.holds(`document.querySelector(".strip code").innerText === "mov.u32 %v, 4"`)
	require.Equal(t, strings.Repeat("-", 24)+strings.Repeat("0x4", 4)+"----", operand("%v")) // .b32 is hex
	// The strip's columns are the grid's.
	require.Equal(t, []float64{0, 0}, js[[]float64](v, `(() => {
		const left = q => document.querySelector(q).getBoundingClientRect().left;
		return [17, 31].map(lane => left('.strip [data-lane="' + lane + '"]') -
			left('.lane-rows [data-lane="' + lane + '"]'));
	})()`))
}

// The strip keeps the room of the most operands that it has shown: registers stay where they are while one steps. The
// next program begins anew.
func TestStripKeepsItsRoom(t *testing.T) {
	// Line 44 is "add.u32 %v, %v, 10", with a source and a result; line 45 branches. The page opens at step 8: on the
	// way there, a slow machine would draw states whose strips are higher.
	_, text := example(t, "05-")
	v := open(t, setting{page: "#" + share.Encode(share.State{Text: text, Step: 8})}).ready()
	const top = `document.querySelector(".lane-rows > *").getBoundingClientRect().top`
	operands := func(n int) { v.holds(fmt.Sprintf(`document.querySelectorAll(".strip-rows > *").length === %d`, n)) }
	v.holds(`document.querySelector("#timeline").value === "8"`)
	operands(1)
	few := js[float64](v, top)
	v.button("Step")
	operands(2)
	most := js[float64](v, top)
	require.Greater(t, most, few+15)
	v.button("Step")
	operands(1)
	require.Equal(t, most, js[float64](v, top))
	v.load("01-")
	v.button("Step")
	v.holds(`(() => {
		const rows = document.querySelector(".strip-rows");
		return rows.children.length < 3 && rows.offsetHeight === 20 * rows.children.length;
	})()`)
}

// A row whose lanes agree is painted as one cell; all 32 cells are there with their texts.
func TestJoinedCellsKeepTheirTexts(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("05-")
	for range 16 {
		v.button("Step")
	}
	// Lanes 0 to 7 have 11 in %v, 8 to 15 have 12, 16 to 23 have 3; the others have not written it.
	v.find("combobox", "Bits as").choose("unsigned")
	want := append(append(slices.Repeat([]string{"11"}, 8), slices.Repeat([]string{"12"}, 8)...),
		slices.Repeat([]string{"3"}, 8)...)
	v.eventually("%v", func() (bool, string) {
		have := v.lanes("%v", "text")
		return slices.Equal(have, append(want, slices.Repeat([]string{"·"}, 8)...)), fmt.Sprint(have)
	})
	require.Equal(t, []int{0, 8, 16}, js[[]int](v, `[...document.querySelectorAll('[data-reg="%v"]')]
		.filter(c => c.classList.contains("join") && !c.classList.contains("hidden")).map(c => Number(c.dataset.lane))`))
	// A reading for one register, chosen at its name, kept over a reload.
	js[any](v, `document.querySelector('[data-read="%v"]').click()`)
	v.find("combobox", "Read %v as").choose("binary")
	v.eventually("%v", func() (bool, string) {
		have := v.lanes("%v", "text")
		return len(have) == 32 && have[0] == "0b1011", fmt.Sprint(have) // 8 + 2 + 1
	})
	require.Equal(t, "27", v.lanes("%lane", "text")[27])
	v.find("searchbox", "Filter registers").click()
	v.run(input.InsertText("nothing"))
	v.region("Lane grid", "No register of this function matches “nothing”.")
}

// A register that comes or goes leaves the rows of the others alone: they are the elements that they were, in the order
// of first use. Registers that are not written yet are folded away, as all 40 have no room.
func TestRowsOfRegistersStay(t *testing.T) {
	var text strings.Builder
	text.WriteString("//@ title Rows\n//@ block 32\n.version 8.0\n.target sm_80\n.address_size 64\n" +
		".visible .entry rows()\n{\n\t.reg .b32 %r<40>;\n\tbra start;\n")
	for i := range 40 {
		fmt.Fprintf(&text, "\tmov.u32 %%r%d, 0;\n", i)
	}
	text.WriteString("start:\n\tmov.u32 %r30, 1;\n\tmov.u32 %r10, 1;\n\tmov.u32 %r20, 1;\n\tmov.u32 %r5, 1;\n\tret;\n}\n")
	v := open(t, setting{}).ready()
	v.paste(text.String())
	v.holds(`document.title.startsWith("Rows")`)
	const rows = `[...document.querySelectorAll(".lane-rows [role=row]")]`
	const name = `row.querySelector("b").textContent`
	v.button("Step") // bra
	for i, want := range []string{"%r30", "%r10 %r30", "%r10 %r20 %r30", "%r5 %r10 %r20 %r30", "%r10 %r20 %r30"} {
		js[any](v, rows+`.forEach(row => { row.register = `+name+`; })`)
		if i < 4 {
			v.button("Step")
		} else {
			v.button("Step back")
		}
		v.holds(fmt.Sprintf(`%s.map(row => %s).join(" ") === %q`, rows, name, want))
		require.Equal(t, min(i, 3), js[int](v, rows+`.filter(row => row.register === `+name+`).length`), want)
	}
	v.silent()
}

// Where a step scrolls the grid, its rows become those of other registers: all cells of a row are of the one it names.
func TestRowsOfOtherRegisters(t *testing.T) {
	v := open(t, setting{}).ready()
	v.stepping(steppedProgram{"wide", "", wideKernel, 4600}, "Learn")
	names := `[...document.querySelectorAll(".lane-rows .lane-row")].map((row) => row.querySelector("b").innerText)`
	before := js[[]string](v, names)
	for range 20 {
		v.press(kb.F10)
		v.drawn()
	}
	require.NotEqual(t, before, js[[]string](v, names))
	v.holds(`[...document.querySelectorAll(".lane-rows .lane-row")].every((row) => {
		const cells = row.querySelectorAll("[data-reg]");
		return cells.length === 32 && [...cells].every((cell) => cell.dataset.reg === row.querySelector("b").innerText);
	})`)
}
