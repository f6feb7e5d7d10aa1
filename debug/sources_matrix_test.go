package debug

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx"
)

// namesOf are the sources of a value without those of the sources: the name, and what is said of it.
func namesOf(o *Origin) (list []string) {
	for i := range o.Sources {
		name := o.Sources[i].Name
		if note := o.Sources[i].Note; note != "" {
			name += ", " + note
		}
		list = append(list, name)
	}
	return list
}

func sourcesOf(s *Session, reg string, lane int) []string {
	o := s.Origin(Cell{Lane: lane, Reg: regOf(s, reg), Elem: -1})
	return namesOf(&o)
}

// Shared memory holds 4n at 4n; lane n gives the address 16n. Lane 17 of ldmatrix gets elements 2 and 3 of row 4 of
// each matrix (9.7.16.5.15): the four bytes at 64 + 4 of matrix 0, and 128 bytes further of matrix 1; their addresses
// are those of lanes 4 and 12. With .trans it gets element 4 of rows 2 and 3: the two bytes at 32 + 8 and at 48 + 8.
func TestOriginThroughLdmatrix(t *testing.T) {
	s := open(t, kernel("sm_80", `
mov.u32 %w, sm; mad.lo.u32 %x, %n, 4, %w; shl.b32 %y, %n, 2; st.shared.u32 [%x], %y; st.shared.u32 [%x+128], %y;
mad.lo.u32 %w, %n, 16, %w; bar.sync 0;
ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%a, %b}, [%w];
ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%c}, [%w];`))
	finish(s)
	require.Equal(t, []string{"shared+68", "%w in lane 4"}, sourcesOf(s, "%a", 17))
	require.Equal(t, []string{"shared+196", "%w in lane 12"}, sourcesOf(s, "%b", 17))
	require.Equal(t, []string{"shared+40", "shared+56", "%w in lane 2", "%w in lane 3"}, sourcesOf(s, "%c", 17))
	o := s.Origin(Cell{Lane: 17, Reg: regOf(s, "%a"), Elem: -1})
	require.EqualValues(t, 68, o.Sources[0].Value)
	require.Equal(t, 17, o.Sources[0].Write.Lane)
	require.Contains(t, treeOf(&o, ""), "\n %w in lane 4 = 64, line 12\n  %n = 4, line 10")
}

// The reverse way (9.7.16.5.16): the four bytes at 68 are elements 2 and 3 of row 4, from lane 17, at the address of
// lane 4; those of the transposed matrix come from lanes 8 + 2 and 12 + 2, which have row 4 of columns 2 and 3.
func TestOriginThroughStmatrix(t *testing.T) {
	for trans, want := range map[string][]string{"": {"%v in lane 17", "%w in lane 4"},
		".trans": {"%v in lane 10", "%v in lane 14", "%w in lane 4"}} {
		s := open(t, kernel("sm_90", fmt.Sprintf(`
mov.u32 %%w, sm; mad.lo.u32 %%w, %%n, 16, %%w;
stmatrix.sync.aligned.m8n8.x1%s.shared.b16 [%%w], {%%v};`, trans)))
		finish(s)
		base, _ := s.history.grid.Shared(0)
		o := s.Origin(Cell{Addr: base + 68, Size: 4, Space: ptx.SharedSpace})
		require.ElementsMatch(t, want, namesOf(&o), trans)
	}
}

// Lane 17 of movmatrix gets elements 2 and 3 of row 4 of the transposed matrix: element 4 of rows 2 and 3, which
// lanes 4*2 + 2 and 4*3 + 2 have.
func TestOriginThroughMovmatrix(t *testing.T) {
	s := open(t, kernel("sm_80", `
movmatrix.sync.aligned.m8n8.trans.b16 %a, %v;`))
	finish(s)
	o := s.Origin(Cell{Lane: 17, Reg: regOf(s, "%a"), Elem: -1})
	require.Equal(t, []string{"%v in lane 10", "%v in lane 14"}, namesOf(&o))
	require.EqualValues(t, 100, o.Sources[0].Value)
}

// Lane 21 has elements 2 and 3 of rows 5 and 13 of D (9.7.16.5.8): in f32 a register each, in f16 a register for a
// row. Row 5 of A is in the first and the third register of lanes 20 to 23, row 13 in the others; column 3 of B is in
// lanes 12 to 15, column 2 in lanes 8 to 11.
func TestOriginOfAProduct(t *testing.T) {
	s := open(t, kernel("sm_80", `
.reg .f32 %f<4>, %g<4>; .reg .b32 %p<4>, %q<2>, %h<4>;
mov.f32 %g0, 0f00000000; mov.f32 %g1, %g0; mov.f32 %g2, %g0; mov.f32 %g3, %g0;
mov.b32 %p0, %v; mov.b32 %p1, %v; mov.b32 %p2, %v; mov.b32 %p3, %v; mov.b32 %q0, %v; mov.b32 %q1, %v;
mov.b32 %h0, 0; mov.b32 %h1, 0;
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%p0, %p1, %p2, %p3}, {%q0, %q1},
	{%g0, %g1, %g2, %g3};
mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%h2, %h3}, {%p0, %p1, %p2, %p3}, {%q0, %q1}, {%h0, %h1};`))
	finish(s)
	of := func(register, lanes, what string, one int) []string {
		return []string{fmt.Sprintf("%s in lane %d, %s", register, one, what),
			fmt.Sprintf("%s in %s, %s", register, lanes, what)}
	}
	join := func(lists ...[]string) (list []string) {
		for _, l := range lists {
			list = append(list, l...)
		}
		return list
	}
	require.Equal(t, join(of("%p0", "lanes 20,22-23", "row 5 of A", 21), of("%p2", "lanes 20,22-23", "row 5 of A", 21),
		of("%q0", "lanes 13-15", "column 3 of B", 12), of("%q1", "lanes 13-15", "column 3 of B", 12),
		[]string{"%g1 in lane 21"}), sourcesOf(s, "%f1", 21))
	require.Equal(t, join(of("%p1", "lanes 20,22-23", "row 13 of A", 21), of("%p3", "lanes 20,22-23", "row 13 of A", 21),
		of("%q0", "lanes 9-15", "columns 2 and 3 of B", 8), of("%q1", "lanes 9-15", "columns 2 and 3 of B", 8),
		[]string{"%h1 in lane 21"}), sourcesOf(s, "%h3", 21))
	o := s.Origin(Cell{Lane: 21, Reg: regOf(s, "%f1"), Elem: -1})
	require.Equal(t, "0x000000c8 … 0x000000e6", o.Sources[1].Text)
}

// The metadata of rows 5 and 13 of a sparse A is in lanes 20 to 23, of which the selector takes one or two.
func TestOriginOfASparseProduct(t *testing.T) {
	s := open(t, kernel("sm_80", `
.reg .f32 %f<4>, %g; .reg .b32 %p<2>, %q<2>, %e;
mov.f32 %g, 0f00000000; mov.b32 %e, 0x44444444; mov.b32 %p0, %v; mov.b32 %p1, %v; mov.b32 %q0, %v; mov.b32 %q1, %v;
mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%p0, %p1}, {%q0, %q1},
	{%g, %g, %g, %g}, %e, 0;`))
	finish(s)
	list := sourcesOf(s, "%f1", 21)
	require.Equal(t, []string{"%p0 in lane 21, row 5 of A", "%p0 in lanes 20,22-23, row 5 of A"}, list[:2])
	require.Subset(t, list, []string{"%e in lane 21, as the selector says", "%e in lanes 20,22-23, as the selector says"})
	require.NotContains(t, fmt.Sprint(list), "%p1")
}

// Which lane holds which element of a fragment the manual leaves open (9.7.16.4.1): the memory that a register comes
// from has what the register has, and what is stored is in the register that it comes from. Rows are 40 elements
// apart.
func TestOriginThroughWmma(t *testing.T) {
	for _, layout := range []string{"row", "col"} {
		for _, matrix := range []string{"a", "b"} {
			s := open(t, fmt.Sprintf(`//@ block 32
//@ arg in u16[1024] = iota
//@ arg out f32[1024]
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %%r<8>; .reg .f32 %%f<8>; .reg .b64 %%in, %%out;
ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out];
wmma.load.%[1]s.sync.aligned.m16n16k16.%[2]s.global.f16 {%%r0, %%r1, %%r2, %%r3, %%r4, %%r5, %%r6, %%r7}, [%%in], 40;
wmma.load.c.sync.aligned.m16n16k16.%[2]s.global.f32 {%%f0, %%f1, %%f2, %%f3, %%f4, %%f5, %%f6, %%f7}, [%%in];
wmma.store.d.sync.aligned.m16n16k16.%[2]s.global.f32 [%%out], {%%f0, %%f1, %%f2, %%f3, %%f4, %%f5, %%f6, %%f7}, 40;
ret;
}
`, matrix, layout))
			finish(s)
			for lane := 0; lane < 32; lane += 7 {
				for _, reg := range []string{"%r0", "%r5"} {
					o := s.Origin(Cell{Lane: lane, Reg: regOf(s, reg), Elem: -1})
					var want, have []uint64
					for i := range o.Sources {
						if c := o.Sources[i].Cell; c.Reg == nil {
							for k := range c.Size / 2 {
								have = append(have, o.Sources[i].Value>>(16*k)&0xffff)
							}
						}
					}
					want = append(want, o.Value&0xffff, o.Value>>16)
					require.ElementsMatch(t, want, have, "%s %s lane %d: %v", matrix, layout, lane, namesOf(&o))
				}
				o := s.Origin(Cell{Lane: lane, Reg: regOf(s, "%f3"), Elem: -1})
				require.Equal(t, o.Value, o.Sources[0].Value)
			}
			for _, at := range []emu.Addr{0, 40*5 + 3, 40*15 + 15} {
				o := s.Origin(Cell{Addr: s.View().Memory[1].Addr + 4*at, Size: 4, Space: ptx.GlobalSpace})
				require.Regexp(t, `^%f\d in lane \d+$`, o.Sources[0].Name)
				require.Equal(t, o.Value, o.Sources[0].Value, "%v", namesOf(&o))
			}
		}
	}
}

// Of wgmma the wait writes D, and the step before it that has started the product has the sources. Lane 21 of warp 1
// has elements 2 and 3 of row 16 + 5 of D (9.7.17.5.1.1). The first element of row 21 of A, which counts up with 16
// in a row, is 336: 1.3125 * 2^8, 0x5d40 in .f16. That of column 3 of B is 48: 1.5 * 2^5, 0x5200.
func TestOriginThroughWgmma(t *testing.T) {
	text, err := os.ReadFile("../public/examples/29-wgmma.ptx")
	require.NoError(t, err)
	s := open(t, string(text))
	finish(s)
	o := s.Origin(Cell{Warp: 1, Lane: 21, Reg: regOf(s, "%d1"), Elem: -1})
	require.Contains(t, o.Write.Text, "wgmma.wait_group")
	require.Equal(t, []string{"%d1, which this step starts to make"}, namesOf(&o))
	product := &o.Sources[0]
	require.Contains(t, product.Write.Text, "wgmma.mma_async")
	require.Equal(t, o.Value, product.Value)
	list := product.Sources
	require.Equal(t, []string{"the first of row 21 of A", "", "the first of column 3 of B", ""},
		[]string{list[0].Note, list[1].Note, list[2].Note, list[3].Note})
	require.Equal(t, []uint64{0x5d40, 0x5200}, []uint64{list[0].Value, list[2].Value})
	require.Equal(t, []string{"%descA", "%descB"}, []string{list[1].Name, list[3].Name})
	require.Contains(t, list[0].Write.Text, "st.shared.v4.b32")
	require.Len(t, list, 4, "scale-d is 0: D is not added")
}

// A product that adds to D without a wait between has the product before it as a source, and that one what D was.
func TestOriginThroughProductsInARow(t *testing.T) {
	text, err := os.ReadFile("../public/examples/29-wgmma.ptx")
	require.NoError(t, err)
	first, second := "                    0,                          // D = A B; 1: D = A B + D\n", ""
	begin, end := strings.Index(string(text), "    wgmma.mma_async"), strings.Index(string(text), "    wgmma.commit")
	second = strings.Replace(string(text[begin:end]), first, "1,\n", 1)
	s := open(t, strings.Replace(string(text[:end])+second+string(text[end:]), "//@ expect", "// expect", -1))
	finish(s)
	o := s.Origin(Cell{Warp: 1, Lane: 21, Reg: regOf(s, "%d1"), Elem: -1})
	late := &o.Sources[0]
	require.Len(t, late.Sources, 5)
	early := late.Sources[4]
	require.Equal(t, "%d1", early.Name)
	require.Contains(t, early.Write.Text, "wgmma.mma_async")
	require.Less(t, early.Write.Line, late.Write.Line)
}

// A stop at what reads a byte knows which bytes a warp reads where lanes name rows, and where a copy says how many:
// lane n copies in[4n] and in[4n+1], then only the first of them; an ldmatrix of one matrix reads the rows of lanes 0
// to 7 and not those of the others; the rows of wmma are 16 bytes long and begin every 32.
func TestStopsAtReadsOfMatricesAndCopies(t *testing.T) {
	s := open(t, kernel("sm_80", `
.reg .b32 %r0; mov.u32 %w, sm; mad.lo.u32 %x, %n, 4, %w; mad.lo.u32 %w, %n, 8, %w; mad.wide.u32 %in, %n, 16, %in;
cp.async.ca.shared.global [%w], [%in], 8;
cp.async.ca.shared.global [%w], [%in], 8, 4;
cp.async.wait_all; mov.u32 %w, sm; mad.lo.u32 %w, %n, 16, %w;
ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%a}, [%w]; mov.u32 %w, sm;
wmma.load.a.sync.aligned.m8n32k16.row.shared.u8 {%r0}, [%w], 32;`))
	for what, lines := range map[string][]int{"in[4]": {12, 13}, "in[5]": {12}, "in[6]": nil, "sm[90]": {15},
		"sm[100]": {15, 16}, "sm[130]": {16}, "sm[150]": nil} {
		s.SetStops([]Stop{{Kind: StopRead, What: what}})
		s.Reset()
		var stopped []int
		for finish(s); s.View().Phase == Paused; finish(s) {
			stopped = append(stopped, s.View().Line)
		}
		require.Equal(t, lines, stopped, what)
	}
}
