package ptx

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/txtar"
	"warpscope/ptx/isa"
)

// parseOK parses a module that must have no errors.
func parseOK(t *testing.T, src string) *Module {
	t.Helper()
	m, err := Parse("test.ptx", []byte(src))
	require.NoError(t, err)
	return m
}

// kernel wraps statements in a kernel of a modern module.
func kernel(body string) string {
	return head + ".visible .entry k(.param .u64 arg) {\n" + body + "\n}\n"
}

func TestBenchmarkKernels(t *testing.T) {
	// lines of the bodies that end in a semicolon and are not directives, counted by awk
	for name, insts := range map[string]int{"hash": 24, "mandel": 33, "saxpy": 18, "matmul": 94} {
		src, err := os.ReadFile(filepath.Join("..", "bench", name+".ptx"))
		require.NoError(t, err)
		m, err := Parse(name, src)
		require.NoError(t, err)
		require.Empty(t, m.Diagnostics)
		require.Len(t, m.Entries(), 1)
		require.Equal(t, name, m.Entries()[0].Name)
		require.Len(t, m.Entries()[0].Insts, insts, name)
	}
}

func TestModuleHead(t *testing.T) {
	m := parseOK(t, ".version 7.8\n.target sm_90, texmode_independent\n.address_size 64\n")
	require.Equal(t, 78, m.Version)
	require.Equal(t, "sm_90", m.Target)
	require.Equal(t, 90, m.SM)
	require.Equal(t, []string{"texmode_independent"}, m.TargetOpts)
	require.Equal(t, 64, m.AddressSize)

	m = parseOK(t, ".version 8.0\r\n.target compute_90a\r\n")
	require.Equal(t, "a", m.Arch)
	require.Equal(t, 32, m.AddressSize) // 11.1.3
}

func TestConstantExpressions(t *testing.T) {
	// 4.5.5 and its examples
	for src, want := range map[string]int64{
		"-1 % 10": 5, "~0 > 0": 1, "-8 >> 1": -4, "-1 < 0U": 0, "0123": 83, "0b101": 5, "0x10U": 16,
		"WARP_SZ*2": 64, "1 ? 2 : 3": 2, "0 ? 2 : 3": 3, "1+2*3": 7, "(1+2)*3": 9, "10 - 4 - 3": 3, "!5": 0, "!0": 1,
		"-(-42)": 42, "1 << 33": 1 << 33, "7 & 3 | 8 ^ 1": 11, "2 > 1 && 0": 0, "2 > 1 || 0": 1, "5 % 3": 2,
		"(.u64)-1 > 0": 1, "(.s64)0xffffffffffffffff < 0": 1, "-7 / 2": -3, "1.5 < 2.0": 1, "3 == 3": 1, "3 != 3": 0,
		"0xfabc123400000000 > 1": 1, "1 << 64": 0,
	} {
		m := parseOK(t, head+".global .u64 x = "+src+";")
		var got int64
		for i, b := range m.Vars[0].Init {
			got |= int64(b) << (8 * i)
		}
		require.Equal(t, want, got, src)
	}
}

func TestFloatLiterals(t *testing.T) {
	for src, want := range map[string][]byte{
		".f32 x = 1.0": {0, 0, 0x80, 0x3f}, ".f32 x = 0F3f800000": {0, 0, 0x80, 0x3f}, ".f32 x = .5": {0, 0, 0, 0x3f},
		".f32 x = 1e1": {0, 0, 0x20, 0x41}, ".f64 x = 0d3FF0000000000000": {0, 0, 0, 0, 0, 0, 0xf0, 0x3f},
		".f64 x = -2.0*0.5": {0, 0, 0, 0, 0, 0, 0xf0, 0xbf}, ".f32 x = 1.": {0, 0, 0x80, 0x3f},
	} {
		m := parseOK(t, head+".global "+src+";")
		require.Equal(t, want, m.Vars[0].Init, src)
	}
}

func TestInitialisers(t *testing.T) {
	// 5.4.4: {1,2},{3} is {1,2},{3,0},{0,0}
	m := parseOK(t, head+".global .s32 x[3][2] = { {1,2}, {3} };\n.global .s32 o[][2] = { {-1, 0}, {0, -1} };\n"+
		".global .v2 .u16 v[2] = {{1,2},{3,4}};")
	require.Equal(t, []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}, m.Vars[0].Init)
	require.EqualValues(t, 24, m.Vars[0].Size)
	require.Equal(t, []int64{2, 2}, m.Vars[1].Dims)
	require.EqualValues(t, 16, m.Vars[1].Size)
	require.Equal(t, []byte{1, 0, 2, 0, 3, 0, 4, 0}, m.Vars[2].Init)
	require.EqualValues(t, 4, m.Vars[2].Align) // vectors align to their whole size
}

func TestInitialiserAddresses(t *testing.T) {
	m := parseOK(t, head+`.const .u32 foo = 42;
.global .u32 bar[] = { 2, 3, 5 };
.global .u64 p1 = foo;
.global .u64 p2 = generic(foo)+8;
.global .u64 parr[] = { generic(bar), generic(bar)+4, bar+8, bar+-4 };
.global .u8 addr[] = {0xff(foo), 0xff00(foo+4), 0xff0000(generic(foo)+4), 0xFF(1000 + 546), 0xFF00(131187)};
.func f() { ret; }
.global .u64 table[2] = {f, f};`)
	foo, bar := m.Vars[0], m.Vars[1]
	require.Equal(t, []Reloc{{Offset: 0, Size: 8, Var: foo}}, m.Vars[2].Relocs)
	require.Equal(t, []Reloc{{Offset: 0, Size: 8, Var: foo, Addend: 8, Generic: true}}, m.Vars[3].Relocs)
	require.Equal(t, Reloc{Offset: 8, Size: 8, Var: bar, Addend: 4, Generic: true}, m.Vars[4].Relocs[1])
	require.Equal(t, Reloc{Offset: 24, Size: 8, Var: bar, Addend: -4}, m.Vars[4].Relocs[3])
	require.Equal(t, Reloc{Offset: 1, Size: 1, Var: foo, Addend: 4, Mask: 0xff00, Shift: 8}, m.Vars[5].Relocs[1])
	// 1546 = 0x60a; 131187 = 0x20073
	require.Equal(t, []byte{0x0a, 0x00}, m.Vars[5].Init[3:5])
	require.Equal(t, m.Funcs[0], m.Vars[6].Relocs[1].Func)
	require.EqualValues(t, 32, m.Vars[4].Size)
}

func TestParameters(t *testing.T) {
	m := parseOK(t, head+`.entry k(.param .u32 n, .param .align 8 .b8 st[12], .param .u64 .ptr.global.align 16 q,
  .param .b8 .align 4 late[8]) { ret; }`)
	f := m.Entries()[0]
	require.Len(t, f.Params, 4)
	require.Equal(t, []int64{4, 12, 8, 8}, []int64{f.Params[0].Size, f.Params[1].Size, f.Params[2].Size, f.Params[3].Size})
	require.Equal(t, []int64{4, 8, 8, 4}, []int64{f.Params[0].Align, f.Params[1].Align, f.Params[2].Align,
		f.Params[3].Align})
	require.Equal(t, &Ptr{Space: GlobalSpace, Align: 16}, f.Params[2].Ptr)
	require.Equal(t, 1, f.Params[1].Index)
}

func TestLegacyParameters(t *testing.T) {
	m := parseOK(t, ".version 1.3\n.target sm_13\n"+
		".entry k\n{\n .param .u32 n;\n .reg .u32 a;\n ld.param.u32 a, [n];\n exit;\n}")
	require.Len(t, m.Entries()[0].Params, 1)
	require.Empty(t, m.Entries()[0].Vars)
}

func TestRegistersAreMadeOnUse(t *testing.T) {
	m := parseOK(t, kernel(".reg .b32 %r<1000000>, x;\n.reg .b32 %r1<9>;\nmov.u32 %r999999, 1;\nmov.u32 %r18, 1;\n"+
		"mov.u32 x, %r999999;"))
	f := m.Entries()[0]
	require.Len(t, f.Regs, 3)
	require.Equal(t, "%r999999", f.Regs[0].Name)
	require.Equal(t, "%r18", f.Regs[1].Name) // %r1<9> is declared last and holds it
	for i, r := range f.Regs {
		require.Equal(t, i, r.Index)
	}
}

func TestShadowing(t *testing.T) {
	m := parseOK(t, kernel(`.reg .u32 a;
mov.u32 a, 1;
{ .reg .u64 a; mov.u64 a, 2; { .reg .f32 a; mov.f32 a, 0f00000000; } }
mov.u32 a, 3;`))
	f := m.Entries()[0]
	require.Len(t, f.Regs, 3)
	require.Equal(t, isa.U64, f.Insts[1].Operands[0].Reg.Type)
	require.Same(t, f.Insts[0].Operands[0].Reg, f.Insts[3].Operands[0].Reg)
}

func TestLabelsHaveScopes(t *testing.T) {
	m := parseOK(t, kernel(`.reg .pred p;
{ L: @p bra L; }
{ @p bra L; L: @p bra OUT; }
OUT : ret;`))
	f := m.Entries()[0]
	require.Equal(t, []int{0}, f.Insts[0].Targets())
	require.Equal(t, []int{2}, f.Insts[1].Targets())
	require.Equal(t, []int{3}, f.Insts[2].Targets())
}

func TestBranchTable(t *testing.T) {
	m := parseOK(t, kernel(txtar.Text(t, "parse/branchTable")))
	f := m.Entries()[0]
	require.Equal(t, []int{2, 3, 2}, f.Insts[1].Targets())
	require.Equal(t, 4, f.Insts[1].Reconv())
	require.Equal(t, []int{5, 6}, f.Insts[7].Targets())
}

func TestGuardedBlock(t *testing.T) {
	m := parseOK(t, kernel(".reg .pred p; .reg .u32 a;\n@!p { mov.u32 a, 1; mov.u32 a, 2; }\nret;"))
	f := m.Entries()[0]
	in := f.Insts[0]
	require.True(t, in.Implicit())
	require.False(t, in.Guard.Neg)
	require.Equal(t, []int{3}, in.Targets())
	require.Equal(t, 3, in.Reconv())
	require.Equal(t, "guarded-block", m.Diagnostics[0].Code)
	require.Contains(t, m.Diagnostics[0].Message, "a branch around the instruction block")
}

// Operands that name the same special register share its part, and one of them can be half of a pair.
func TestPairOfSpecialRegister(t *testing.T) {
	m, _ := Parse("k.ptx", []byte(kernel(".reg .u32 a; .reg .pred p;\nmov.u32 a, %tid.x|p;\nmov.u32 a, %tid.x;\nret;")))
	insts := m.Funcs[0].Insts
	require.Equal(t, "p", insts[0].Operands[1].Second().Reg.Name)
	require.Nil(t, insts[1].Operands[1].Second())
	require.Same(t, insts[0].Operands[1].SReg(), insts[1].Operands[1].SReg())
}

func TestOperands(t *testing.T) {
	m := parseOK(t, kernel(txtar.Text(t, "parse/operands")))
	f := m.Entries()[0]
	ld := f.Insts[0].Operands
	require.Equal(t, OpVec, ld[0].Kind)
	require.Len(t, ld[0].List(), 4)
	require.EqualValues(t, 3, ld[0].List()[3].Elem)
	require.Equal(t, OpAddr, ld[1].Kind)
	require.EqualValues(t, -8, ld[1].Off())
	require.EqualValues(t, 1, f.Insts[1].Operands[1].Elem)
	require.Equal(t, OpSink, f.Insts[2].Operands[0].List()[1].Kind)
	setp := f.Insts[3].Operands
	require.Equal(t, "q", setp[0].Second().Reg.Name)
	require.Equal(t, int64(-5), int64(setp[2].Imm))
	require.True(t, setp[3].Neg)
	require.Equal(t, "%tid", f.Insts[4].Operands[1].SReg().Name)
	require.EqualValues(t, 0, f.Insts[4].Operands[1].Elem)
	require.EqualValues(t, 4, f.Insts[5].Operands[1].Off())
	require.EqualValues(t, 8, f.Insts[6].Operands[1].Off())
	require.EqualValues(t, 16, f.Insts[7].Operands[0].Off())
	require.EqualValues(t, 7, f.Insts[7].Operands[1].Imm)
	require.Equal(t, "p", f.Insts[8].Guard.Reg.Name)
}

func TestCalls(t *testing.T) {
	m := parseOK(t, head+txtar.Text(t, "parse/calls"))
	f := m.Entries()[0]
	inc := m.Funcs[1]
	require.True(t, inc.Defined)
	require.Len(t, inc.Regs, 3)
	require.Equal(t, []*Var{nil, nil}, inc.Params)
	require.Equal(t, "x", inc.ParamRegs[0].Name)
	calls := []*Call{}
	for _, in := range f.Insts {
		if in.Call != nil {
			calls = append(calls, in.Call)
		}
	}
	require.Len(t, calls, 6)
	require.True(t, calls[0].Uniform)
	require.Equal(t, "vprintf", calls[0].Target.Func().Name)
	require.Len(t, calls[0].Args, 2)
	require.Same(t, inc, calls[2].Target.Func())
	require.Equal(t, []*Func{inc}, calls[3].Targets)
	require.Equal(t, OpReg, calls[4].Target.Kind)
	require.Equal(t, []*Func{inc}, calls[5].Targets)
}

func TestDirectives(t *testing.T) {
	m := parseOK(t, txtar.Text(t, "parse/directives"))
	f := m.Entries()[0]
	require.Equal(t, [3]int{16, 16, 4}, f.MaxNTID)
	require.Equal(t, [3]int{2, 2, 1}, f.ReqNCTAPerCluster)
	require.True(t, f.ExplicitCluster)
	require.Equal(t, 4, f.MinNCTAPerSM)
	require.Equal(t, 32, f.MaxNReg)
	require.Equal(t, map[int]string{1: "a.cu", 2: "b.h"}, m.Files)
	require.Equal(t, &Loc{File: 1, Line: 9, Column: 3, InlinedAt: &Loc{File: 1, Line: 21, Column: 3}}, f.Insts[0].Loc)
	require.True(t, m.Funcs[1].NoReturn)
	require.Same(t, m.Funcs[3], m.Funcs[2].AliasOf)
	require.Len(t, m.Sections, 2)
	require.Contains(t, m.Text(m.Sections[0]), ".debug_str")
}

func TestPositions(t *testing.T) {
	m, err := Parse("f.ptx", []byte(head+"\n\n  bad;\n"))
	require.Error(t, err)
	require.Equal(t, Position{6, 3}, m.Position(int(m.Diagnostics[0].Span.Start)))
	require.Contains(t, err.Error(), "f.ptx:6:3: error: ")
	for offset := range m.Src {
		require.Equal(t, offset, m.Offset(m.Position(offset)))
	}
}

// Lines of DWARF data begin with @@DWARF; no other line begins with two @ (11.5.1).
func TestDwarfLines(t *testing.T) {
	const module = ".version 2.0\n.target sm_20\n%s\n.entry k() {\n%s\n ret;\n}\n"
	for _, line := range []string{"@@DWARF .byte 0x00 {", "@@DWARF\t.byte 0", "@@dwarf .byte 0", "@@DWARF"} {
		m := parseOK(t, fmt.Sprintf(module, line, line))
		require.Len(t, m.Sections, 2, line)
		require.Len(t, m.Entries()[0].Insts, 1, line)
	}
	for _, line := range []string{"@@", "@@ .byte 0;", "@@DWARFS .byte 0;", "@@DWAR", strings.Repeat("@", 1<<20)} {
		for _, src := range []string{fmt.Sprintf(module, line, ""), fmt.Sprintf(module, "", line)} {
			m, err := Parse("test.ptx", []byte(src))
			require.Error(t, err, "%.20s", line)
			require.Empty(t, m.Sections)
			require.LessOrEqual(t, len(m.Diagnostics), 2, "%.20s", line)
		}
	}
}
