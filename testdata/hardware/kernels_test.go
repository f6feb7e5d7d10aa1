package hardware_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/fresh"
	"warpscope/ptx/isa"
)

// families are the families that have vector kernels.
const families = `add.int add.sat.s32 add.sat.u32 add.x2int add.x4int sub.int sub.sat.s32 sub.x4int mul.int mad.int
	mad.hi.sat.s32 clmad mul24 mad24 sad div.int rem.int abs.int neg.int neg.x4int min.int min.int.sm90 min.x4int
	max.int max.int.sm90 max.x4int popc clz bfind fns brev bfe bfi szext bmsk dp4a dp2a add.cc addc sub.cc subc mad.cc
	madc testp copysign add.f32 add.f64 add.f32x2 sub.f32 sub.f64 sub.f32x2 mul.f32 mul.f64 mul.f32x2 fma.f32 fma.f64
	fma.f32x2 mad.f32 mad.f64 div.f32.ieee div.f64 abs.fp neg.fp min.f32 min.f32.3in min.f64 max.f32 max.f32.3in
	max.f64 rcp.ieee sqrt.ieee add.half add.bf16 sub.half sub.bf16 mul.half mul.bf16 fma.half fma.bf16 neg.half
	abs.half min.half max.half add.mixed sub.mixed fma.mixed add.mixed.x2 sub.mixed.x2 fma.mixed.x2 mul.mixed.x2
	add.x4 sub.x4 mul.x4 fma.x4 set set.packed setp selp slct set.half setp.half and or xor not cnot lop3 shf shl shr
	prmt cvt.int cvt.f2i cvt.i2f cvt.f2f cvt.round cvt.half.pack cvt.tf32 cvt.fp8 cvt.fp6fp4 cvt.narrow.bf16x2
	cvt.ue5m3 cvt.ue8m0 cvt.pack div.approx.f32 div.full.f32 rcp.approx.f32 rcp.approx.ftz.f64 sqrt.approx.f32
	rsqrt.approx rsqrt.approx.ftz.f64 sin.approx cos.approx lg2.approx ex2.approx.f32 tanh.approx.f32 tanh.half
	ex2.half`

// cases is how many vectors there are: threads of a kernel. A column is 8 bytes for each.
const (
	cases  = 640
	column = 8 * cases
	block  = 128
)

// kernel is a file: one kernel that loads columns of operands and stores a column for each result.
type kernel struct {
	name, section, target string
	sm, version           int
	columns               []operand
	results               []string // opcode, and width in bits
	body                  strings.Builder
}

// operand is a source register: which operand it is, and its width.
type operand struct {
	place, width int
}

// letters name operands by their place; the last is for the carry.
const (
	letters = "abcdef"
	carryIn = 5
)

func (o operand) String() string { return fmt.Sprintf("%%%c%d", letters[o.place], o.width) }

// kernels makes the files of a family: one for each target that its opcodes need. The oldest target's has the family's
// name alone, so that recordings keep their names when a family grows.
func kernels(f *isa.Form) []*kernel {
	const perLine = 20
	var all []*kernel
	for _, opcode := range f.Opcodes(perLine) {
		bounds, _ := isa.Resolve(opcode)
		b := bounds[slices.IndexFunc(bounds, func(b *isa.Bound) bool { return b.Form == f })]
		needs := b.Requires()
		target := fmt.Sprintf("sm_%d%s", max(needs.SM, 70), needs.Arch)
		i := slices.IndexFunc(all, func(k *kernel) bool { return k.target == target })
		if i < 0 {
			i = len(all)
			all = append(all, &kernel{section: f.Section, target: target, sm: needs.SM, version: oldest(needs.SM)})
		}
		all[i].version = max(all[i].version, needs.Version)
		all[i].add(b, opcode)
	}
	slices.SortStableFunc(all, func(a, b *kernel) int { return a.sm - b.sm })
	for i, k := range all {
		if k.name = f.ID; i > 0 {
			k.name += "-" + k.target
		}
	}
	return all
}

// oldest is a .version that has the target.
func oldest(sm int) int {
	switch {
	case sm <= 80:
		return 70
	case sm == 89: // has conversions of 8 bits from then on
		return 81
	case sm <= 90:
		return 78
	case sm == 107:
		return 94
	}
	return 88
}

// add writes the statements of an opcode.
func (k *kernel) add(b *isa.Bound, opcode string) {
	var sources []string
	for n, o := range b.Operands[1:] {
		if o.Kinds&isa.KReg == 0 && o.Type != isa.Pred {
			sources = append(sources, "0x96") // lop3: the parity of three bits has no symmetry that could hide an error
			continue
		}
		sources = append(sources, k.column(n, o))
	}
	width := registerWidth(&b.Operands[0])
	if b.Form.Effect&isa.ReadsCarry != 0 { // CC.CF is whether f is not zero
		k.line("add.cc.u32 %%r32, %s, 0xffffffff;", k.column(carryIn, isa.Operand{Type: isa.B32}))
	}
	to := fmt.Sprintf("%%r%d", width)
	second := b.Operands[0].Pair
	if second != nil {
		to += "|%q1"
	}
	k.line("%s %s, %s;", opcode, to, strings.Join(sources, ", "))
	k.store(opcode, "r", width)
	if second != nil {
		k.store(opcode+"|", "q", 1)
	}
	if b.Has(".cc") {
		k.line("addc.u32 %%r32, 0, 0;")
		k.store(opcode+"|carry", "r", 32)
	}
}

// registerWidth is the width of an operand's register: no integer is converted in fewer than 16 bits.
func registerWidth(o *isa.Operand) int {
	if o.Wider {
		return max(o.Type.Bits(), 16)
	}
	return o.Type.Bits()
}

// column is the register that holds an operand, of a column of the input.
func (k *kernel) column(place int, o isa.Operand) string {
	c := operand{place, registerWidth(&o)}
	if !slices.Contains(k.columns, c) {
		k.columns = append(k.columns, c)
	}
	if o.Name == "base" { // 9.7.1.18: at most 31
		k.line("and.b32 %%r32, %v, 31;", c)
		return "%r32"
	}
	return c.String()
}

func (k *kernel) line(format string, args ...any) { fmt.Fprintf(&k.body, "\t"+format+"\n", args...) }

// store writes a result to the next column of the output.
func (k *kernel) store(name, register string, width int) {
	at := len(k.results) * column
	if width == 1 {
		k.line("selp.b32 %%t, 1, 0, %%%s1;", register)
		k.line("st.global.b32 [%%out+%d], %%t;", at)
	} else {
		k.line("st.global.b%d [%%out+%d], %%%s%d;", width, at, register, width)
	}
	k.results = append(k.results, fmt.Sprintf("%s %d", name, width))
}

// text is the file.
func (k *kernel) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "//@ title %s: %s\n//@ grid %d\n//@ block %d\n", k.section, k.name, cases/block, block)
	fmt.Fprintf(&b, "//@ arg in u64[%d,%d] = random(1)\n//@ arg out u64[%d,%d]\n", len(k.columns), cases, len(k.results),
		cases)
	for _, c := range k.columns {
		fmt.Fprintf(&b, "//: operand %c %d\n", letters[c.place], c.width)
	}
	for _, r := range k.results {
		fmt.Fprintf(&b, "//: result %s\n", r)
	}
	fmt.Fprintf(&b, ".version %d.%d\n.target %s\n.address_size 64\n", k.version/10, k.version%10, k.target)
	b.WriteString(".visible .entry vectors(.param .u64 in, .param .u64 out)\n{\n")
	b.WriteString("\t.reg .b64 %in, %out, %at;\n\t.reg .b32 %t, %n, %cta;\n")
	declared := map[string]bool{}
	declare := func(name string, width int) {
		if name = fmt.Sprintf("%%%s%d", name, width); !declared[name] {
			declared[name] = true
			typ := "b" + strconv.Itoa(width)
			if width == 1 {
				typ = "pred"
			}
			fmt.Fprintf(&b, "\t.reg .%s %s;\n", typ, name)
		}
	}
	for _, width := range []int{1, 8, 16, 32, 64} {
		declare("r", width)
	}
	declare("q", 1)
	for _, c := range k.columns {
		declare(string(letters[c.place]), c.width)
	}
	b.WriteString("\tld.param.u64 %in, [in];\n\tld.param.u64 %out, [out];\n\tmov.u32 %t, %tid.x;\n" +
		"\tmov.u32 %n, %ntid.x;\n\tmov.u32 %cta, %ctaid.x;\n\tmad.lo.u32 %t, %cta, %n, %t;\n" +
		"\tmul.wide.u32 %at, %t, 8;\n\tadd.s64 %in, %in, %at;\n\tadd.s64 %out, %out, %at;\n")
	for i, c := range k.columns {
		if c.width == 1 {
			fmt.Fprintf(&b, "\tld.global.b32 %%t, [%%in+%d];\n\tsetp.ne.b32 %v, %%t, 0;\n", i*column, c)
		} else {
			fmt.Fprintf(&b, "\tld.global.b%d %v, [%%in+%d];\n", c.width, c, i*column)
		}
	}
	return b.String() + k.body.String() + "\tret;\n}\n"
}

// fullOpcodes are the functions of one .f32 whose every input can be recorded.
var fullOpcodes = strings.Fields(`rcp.approx.f32 rcp.approx.ftz.f32 sqrt.approx.f32 sqrt.approx.ftz.f32 rsqrt.approx.f32
	rsqrt.approx.ftz.f32 sin.approx.f32 sin.approx.ftz.f32 cos.approx.f32 cos.approx.ftz.f32 lg2.approx.f32
	lg2.approx.ftz.f32 ex2.approx.f32 ex2.approx.ftz.f32 tanh.approx.f32`)

// fullText is the file with a kernel for each of them: thread i computes the function of the bits first + i.
func fullText() string {
	var b strings.Builder
	b.WriteString("//@ title 9.7.3: approximate functions of every input\n//@ block 128\n" +
		"//@ arg first u32 = 0x3f800000\n//@ arg out f32[128]\n")
	for n, opcode := range fullOpcodes {
		fmt.Fprintf(&b, "//: full f%d %s\n", n, opcode)
	}
	b.WriteString(".version 7.0\n.target sm_75\n.address_size 64\n")
	for n, opcode := range fullOpcodes {
		fmt.Fprintf(&b, `.visible .entry f%d(.param .u32 first, .param .u64 out)
{
	.reg .b64 %%out, %%at;
	.reg .b32 %%i, %%n, %%t, %%first;
	.reg .f32 %%f;
	ld.param.u32 %%first, [first];
	ld.param.u64 %%out, [out];
	mov.u32 %%t, %%tid.x;
	mov.u32 %%n, %%ntid.x;
	mov.u32 %%i, %%ctaid.x;
	mad.lo.u32 %%i, %%i, %%n, %%t;
	mul.wide.u32 %%at, %%i, 4;
	add.s64 %%out, %%out, %%at;
	add.u32 %%i, %%i, %%first;
	mov.b32 %%f, %%i;
	%s %%f, %%f;
	st.global.f32 [%%out], %%f;
	ret;
}
`, n, opcode)
	}
	return b.String()
}

// TestKernelsAreFresh: the committed files are what the instruction table makes. With UPDATE=1 in the environment it
// writes them.
func TestKernelsAreFresh(t *testing.T) {
	want := map[string]string{"full.ptx": fullText()}
	known := strings.Fields(families)
	results, found := 0, 0
	for _, f := range isa.Forms() {
		if !slices.Contains(known, f.ID) {
			continue
		}
		found++
		for _, k := range kernels(f) {
			want[k.name+".ptx"] = k.text()
			results += len(k.results)
		}
	}
	require.Equal(t, len(known), found)
	have, err := filepath.Glob("*.ptx")
	require.NoError(t, err)
	if os.Getenv("UPDATE") != "" {
		for _, name := range have {
			require.NoError(t, os.Remove(name))
		}
		for name, text := range want {
			require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
		}
		return
	}
	for name, text := range want {
		have, err := os.ReadFile(name)
		require.NoError(t, err)
		fresh.Require(t, name, "UPDATE=1 go test -run Fresh", text, string(have))
	}
	require.Len(t, have, len(want))
	t.Logf("%d kernels, %d results of %d vectors", len(want)-1, results, cases)
}
