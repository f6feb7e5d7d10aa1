package browser

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tritonMatmul is a matrix product in the shape of Triton's: 128 threads make 64 × 128 elements of C, 8 × 8 each, from
// tiles of A and B in shared memory. Each value has a register of its own, everything is unrolled but the loop over K,
// and .loc names source lines. A is 64 × 32 and counts up; B is 32 × 128 and is 1, 2, 3, 4 in turn.
func tritonMatmul() string {
	g := &tritonText{}
	g.line(0, "mov.u32 %%r1, %%tid.x")
	g.line(0, "ld.param.u64 %%rd1, [a]")
	g.line(0, "ld.param.u64 %%rd2, [b]")
	g.line(0, "ld.param.u64 %%rd3, [c]")
	for i := 1; i <= 3; i++ {
		g.line(0, "cvta.to.global.u64 %%rd%d, %%rd%d", i, i)
	}
	g.r, g.rd = 1, 3
	zero := g.float("mov.f32 %s, 0.0")
	for i := range 64 {
		g.line(12, "mov.f32 %%acc%d, %s", i, zero)
	}
	g.line(13, "mov.u32 %%k, 0")
	g.text.WriteString("loop:\n")
	for i := range 8 { // A: element i*128 + tid of the tile, 16 to a row
		g.copyTile(14, i*128, 4, 15, 5, "%rd1", "tileA")
	}
	for i := range 16 { // B: 128 to a row
		g.copyTile(15, i*128, 7, 127, 7, "%rd2", "tileB")
	}
	g.line(16, "bar.sync 0")
	rows := g.int("and.b32 %s, %%r1, -16") // 8 rows of 16 floats: 512 bytes for each 16 threads
	rows = g.int("shl.b32 %s, " + rows + ", 5")
	columns := g.int("and.b32 %s, %%r1, 15") // 8 floats: 32 bytes
	columns = g.int("shl.b32 %s, " + columns + ", 5")
	base := g.int("mov.u32 %s, tileA")
	rows = g.int("add.s32 %s, " + rows + ", " + base)
	base = g.int("mov.u32 %s, tileB")
	columns = g.int("add.s32 %s, " + columns + ", " + base)
	var sum [64]string
	for i := range sum {
		sum[i] = fmt.Sprintf("%%acc%d", i)
	}
	for k := range 16 {
		var a, b [8]string
		for i := range 8 {
			a[i] = g.float(fmt.Sprintf("ld.shared.f32 %%s, [%s+%d]", rows, 4*(16*i+k)))
		}
		for j := range 8 {
			b[j] = g.float(fmt.Sprintf("ld.shared.f32 %%s, [%s+%d]", columns, 4*(128*k+j)))
		}
		for i := range 64 {
			sum[i] = g.float("fma.rn.f32 %s, " + a[i/8] + ", " + b[i%8] + ", " + sum[i])
		}
	}
	for i := range sum {
		g.line(18, "mov.f32 %%acc%d, %s", i, sum[i])
	}
	g.line(19, "bar.sync 0")
	g.line(13, "add.s32 %%k, %%k, 16")
	g.line(13, "setp.lt.s32 %%p1, %%k, 32")
	g.line(13, "@%%p1 bra loop")
	for i := range 64 { // row 8*(tid/16) + i/8, column 8*(tid%16) + i%8
		row := g.int("shr.u32 %s, %%r1, 4")
		row = g.int("shl.b32 %s, " + row + ", 10")
		column := g.int("and.b32 %s, %%r1, 15")
		at := g.int("mad.lo.s32 %s, " + column + ", 8, " + row)
		wide := g.long("mul.wide.s32 %s, " + at + ", 4")
		wide = g.long("add.s64 %s, %%rd3, " + wide)
		g.line(20, "st.global.f32 [%s+%d], %%acc%d", wide, 4*(128*(i/8)+i%8), i)
	}
	return g.module()
}

// tritonText collects instructions, and counts the registers of each kind.
type tritonText struct {
	text     strings.Builder
	r, rd, f int
	loc      int
}

// line writes an instruction; sources have lines from 1.
func (g *tritonText) line(loc int, format string, args ...any) {
	if g.loc++; loc > 0 && g.loc%3 == 0 {
		fmt.Fprintf(&g.text, "\t.loc\t1 %d %d\n", loc, g.loc%40)
	}
	fmt.Fprintf(&g.text, "\t"+format+";\n", args...)
}

// value writes an instruction with a new register in the place of %s, and gives its name.
func (g *tritonText) value(count *int, kind, format string) string {
	*count++
	name := fmt.Sprintf("%%%s%d", kind, *count)
	g.line(17, "%s", strings.ReplaceAll(strings.Replace(format, "%s", name, 1), "%%", "%"))
	return name
}

func (g *tritonText) int(format string) string   { return g.value(&g.r, "r", format) }
func (g *tritonText) long(format string) string  { return g.value(&g.rd, "rd", format) }
func (g *tritonText) float(format string) string { return g.value(&g.f, "f", format) }

// copyTile copies element first + tid of a tile whose rows have 1 << log elements. In memory rows have 1 << wide, and
// the tile of A begins at column k, that of B at row k.
func (g *tritonText) copyTile(loc, first, log, mask, wide int, from, to string) {
	at := g.int(fmt.Sprintf("add.s32 %%s, %%%%r1, %d", first))
	row := g.int(fmt.Sprintf("shr.u32 %%s, %s, %d", at, log))
	column := g.int(fmt.Sprintf("and.b32 %%s, %s, %d", at, mask))
	if to == "tileA" {
		column = g.int("add.s32 %s, " + column + ", %%k")
	} else {
		row = g.int("add.s32 %s, " + row + ", %%k")
	}
	index := g.int(fmt.Sprintf("shl.b32 %%s, %s, %d", row, wide))
	index = g.int("add.s32 %s, " + index + ", " + column)
	wideIndex := g.long("mul.wide.s32 %s, " + index + ", 4")
	address := g.long("add.s64 %s, " + from + ", " + wideIndex)
	value := g.float("ld.global.f32 %s, [" + address + "]")
	offset := g.int("shl.b32 %s, " + at + ", 2")
	base := g.int("mov.u32 %s, " + to)
	place := g.int("add.s32 %s, " + offset + ", " + base)
	g.line(loc, "st.shared.f32 [%s], %s", place, value)
}

// module is the whole text. Element (i, j) of C is the sum of (32 i + k) (1 + j%4) over k from 0 to 31, because 128 is
// a multiple of 4: (1024 i + 496) (1 + j%4).
func (g *tritonText) module() string {
	return fmt.Sprintf(`//@ title  Triton's matmul
//@ block  128
//@ arg    a f32[32,64] = iota
//@ arg    b f32[128,32] = 1, 2, 3, 4
//@ arg    c f32[128,64]
//@ expect c[0..3] == 496, 992, 1488, 1984
//@ expect c[8191] == 260032
.version 8.0
.target sm_80
.address_size 64
.file 1 "matmul.py"
.visible .entry matmul_kernel(.param .u64 a, .param .u64 b, .param .u64 c)
.maxntid 128, 1, 1
{
	.reg .pred %%p<2>;
	.reg .b32 %%k, %%r<%d>;
	.reg .f32 %%acc<64>, %%f<%d>;
	.reg .b64 %%rd<%d>;
	.shared .align 16 .f32 tileA[1024];
	.shared .align 16 .f32 tileB[2048];
%s	ret;
}
`, g.r+1, g.f+1, g.rd+1, g.text.String())
}

// A kernel of a compiler's size can be read: after a jump and at each step the register just written is in sight, and
// nothing scrolls by itself.
func TestTritonKernel(t *testing.T) {
	text := tritonMatmul()
	require.Greater(t, strings.Count(text, "\n"), 2800)
	v := open(t, setting{}).ready()
	v.paste(text)
	v.holds(`document.title.startsWith("Triton's matmul")`)
	v.button("Run")
	v.status("All 2 expectations are met")
	v.stepsInSight(6000, 6)
	v.silent()
}

// stepsInSight travels to a step and makes some more. Each shows the register that it wrote, after one scroll at most.
func (v *visit) stepsInSight(first, n int) {
	v.t.Helper()
	v.seek(first)
	v.holds(fmt.Sprintf(`+document.querySelector("[aria-label='Go to step']").value.replace(",", "") === %d`, first))
	js[any](v, `(grid => {
		globalThis.scrolls = 0;
		grid.addEventListener("scroll", () => globalThis.scrolls++);
	})(document.querySelector(".lane-grid"))`)
	for step := first; step < first+n; step++ {
		if step > first {
			v.button("Step")
			v.holds(fmt.Sprintf(`+document.querySelector("[aria-label='Go to step']").value.replace(",", "") > %d`, step-1))
		}
		v.holds(`(() => {
			const row = document.querySelector(".lane-rows .written");
			if (!row) return !document.querySelector(".strip-rows [data-operand^='%'] .glow");
			const box = row.getBoundingClientRect(), grid = row.closest(".lane-grid").getBoundingClientRect();
			const top = document.querySelector(".lane-top").getBoundingClientRect().bottom;
			return box.top >= top - 1 && box.bottom <= grid.bottom + 1;
		})()`)
	}
	require.LessOrEqual(v.t, js[int](v, "globalThis.scrolls"), n, "one scroll a step")
}

// A kernel in CUTLASS's shape. The steps are those of the main loop's ldmatrix, cp.async and mma: addresses are offsets
// in a buffer, and fragments are the halves that they hold.
func TestCutlassKernel(t *testing.T) {
	text, err := os.ReadFile("../testdata/control/cutlass-gemm.ptx")
	require.NoError(t, err)
	v := open(t, setting{}).ready()
	v.paste(string(text))
	v.status("cutlass::Kernel<…>")
	v.button("Run")
	v.status("All 11 expectations are met")
	v.stepsInSight(868, 18)
	v.holds(`document.querySelector(".strip-title code").innerText.startsWith("mma.sync")`)
	// Lane 0 has columns 0 and 1 of rows 0 and 8 of A, which is (2 i + k) mod 7: 0, 1 and 16 mod 7 = 2, 3.
	halves := func(reg string) string {
		return js[string](v, fmt.Sprintf(
			`document.querySelector(".strip-rows [data-operand='%s'] [data-lane='0']").innerText`, reg))
	}
	require.Equal(t, []string{"0 1", "2 3"}, []string{halves("%r112"), halves("%r113")})
	require.Regexp(t, `\d+ more operands below`, js[string](v, `document.querySelector(".strip-title .more").innerText`))
	v.seek(870)
	v.holds(`document.querySelector(".strip-rows .base")?.innerText === "shared+"`)
	v.silent()
}
