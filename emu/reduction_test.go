package emu

import (
	"fmt"
	"math/rand"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/mem"
	"warpscope/ptx/isa"
)

// families store to memory, or fold values into it, other than by a plain st.
const families = `atom.int atom.float atom.scope atom.half atom.cas16 atom.vec red.int red.float red.scope red.half
	red.vec red.async red.async.global st.async st.async.global cp.reduce.async.bulk multimem.ld_reduce multimem.st
	multimem.st.async multimem.red multimem.red.async multimem.cp.reduce.async.bulk`

// reduction is one opcode of them.
type reduction struct {
	opcode  string
	bound   *isa.Bound
	op      string // "": a store
	typ     isa.Type
	element isa.Type // of a packed type
	count   int      // elements of the vector, or of 64 bytes
	shared  bool     // the destination
	bulk    bool
}

// reductions are the opcodes of a family that differ in more than scopes and hints.
func reductions(f *isa.Form) (list []reduction) {
	seen := map[string]bool{}
	for _, opcode := range f.Opcodes(400) {
		bounds, _ := isa.Resolve(opcode)
		b := bounds[slices.IndexFunc(bounds, func(b *isa.Bound) bool { return b.Form == f })]
		r := reduction{opcode: opcode, bound: b, typ: b.Types[0], count: 1, bulk: strings.Contains(f.ID, "cp.reduce")}
		for _, op := range []string{".add", ".inc", ".dec", ".min", ".max", ".and", ".or", ".xor", ".exch", ".cas"} {
			if b.Has(op) {
				r.op = op[1:]
			}
		}
		for n, vec := range map[int]string{2: ".v2", 4: ".v4", 8: ".v8"} {
			if b.Has(vec) {
				r.count = n
			}
		}
		r.shared = f.ID == "red.async" || f.ID == "st.async" ||
			slices.ContainsFunc(b.Mods, func(mod string) bool { return strings.HasPrefix(mod, ".shared") })
		r.element = map[isa.Type]isa.Type{isa.F16x2: isa.F16, isa.BF16x2: isa.BF16}[r.typ]
		if r.element == isa.NoType {
			r.element = r.typ
		}
		key := fmt.Sprint(r.op, r.typ, r.count, r.shared, b.Value("dst"))
		if r.bulk {
			r.shared = b.Value("dst") == ".shared::cluster"
			r.count = 64 / r.typ.Bytes()
		}
		tooWide := !r.bulk && r.count*r.typ.Bytes() > 16 && r.count*r.typ.Bytes() != 32
		if b.Has(".L2::cache_hint") || seen[key] || r.typ.Bits() > 64 || tooWide {
			continue
		}
		seen[key] = true
		list = append(list, r)
	}
	return list
}

// whole are the encodings of small whole numbers in a floating-point type.
func whole(t isa.Type, v int) uint64 { return kinds[t.String()[1:]].encode(v) }

// fold is what an operation leaves in memory (9.7.15.5), on whole numbers; c is the new value of cas.
func (r *reduction) fold(old, b, c uint64) uint64 {
	if r.element.Class() == isa.Float && r.op != "exch" && r.op != "cas" && r.op != "" {
		number := func(bits uint64) int {
			for v := -100; ; v++ {
				if whole(r.element, v) == bits {
					return v
				}
			}
		}
		x, y := number(old), number(b)
		return whole(r.element, map[string]int{"add": x + y, "min": min(x, y), "max": max(x, y)}[r.op])
	}
	less := b < old
	if r.element.Class() == isa.Signed {
		shift := 64 - r.element.Bits()
		less = int64(b<<shift) < int64(old<<shift)
	}
	switch r.op {
	case "add":
		return old + b
	case "min", "max":
		if less == (r.op == "min") {
			return b
		}
		return old
	case "and":
		return old & b
	case "or":
		return old | b
	case "xor":
		return old ^ b
	case "inc":
		if old >= b {
			return 0
		}
		return old + 1
	case "dec":
		if old == 0 || old > b {
			return b
		}
		return old - 1
	case "cas":
		if old == b {
			return c
		}
		return old
	}
	return b
}

// values are 64 bytes of elements that the type holds.
func (r *reduction) values(rnd *rand.Rand) (out []byte) {
	for len(out) < 64 {
		v := rnd.Uint64()
		switch rnd.Intn(4) {
		case 0:
			v = uint64(rnd.Intn(5) - 2)
		case 1:
			v = 1 << rnd.Intn(64)
		}
		if r.element.Class() == isa.Float && kinds[r.element.String()[1:]].bits >= 16 {
			v = whole(r.element, rnd.Intn(81)-40)
		}
		for i := range max(r.element.Bits()/8, 1) {
			out = append(out, byte(v>>(8*i)))
		}
	}
	return out
}

// statement is the instruction with its operands, and how many values it gives back.
func (r *reduction) statement() (text string, results int) {
	id, target := r.bound.Form.ID, "%q+64"
	if r.shared {
		target = "%a+64"
	}
	const group = " cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
	expect := fmt.Sprintf("mbarrier.arrive.expect_tx.shared.b64 _, [bar], %d;\n", r.count*r.typ.Bytes())
	switch {
	case r.bulk && r.shared:
		return fmt.Sprintf("%s%s [%s], [%%a], 64, [%%b];\n%s", expect, r.opcode, target, waitBar), 0
	case r.bulk:
		return fmt.Sprintf("%s [%s], [%%a], 64;%s", r.opcode, target, group), 0
	case id == "red.async" || id == "st.async":
		return fmt.Sprintf("%s%s [%s], %s, [%%b];\n%s", expect, r.opcode, target, vector("e", r.count), waitBar), 0
	case id == "multimem.ld_reduce":
		return fmt.Sprintf("%s %s, [%s];\n", r.opcode, vector("d", r.count), target), r.count
	case r.op == "cas":
		return fmt.Sprintf("%s %%d0, [%s], %%e0, %%e1;\n", r.opcode, target), 1
	case strings.HasPrefix(id, "atom"):
		return fmt.Sprintf("%s %s, [%s], %s;\n", r.opcode, vector("d", r.count), target, vector("e", r.count)), r.count
	}
	return fmt.Sprintf("%s [%s], %s;\n", r.opcode, target, vector("e", r.count)), 0
}

func (r *reduction) check(t *testing.T, rnd *rand.Rand) {
	b, old := r.values(rnd), r.values(rnd)
	size, bits := r.typ.Bytes(), r.typ.Bits()
	text, results := r.statement()
	if r.op == "cas" && rnd.Intn(2) == 0 {
		copy(old[:size], b)
	}
	var k strings.Builder
	fmt.Fprintf(&k, ".reg .b%d %%d<8>, %%e<8>;\n", bits)
	const four = "{%v0, %v1, %v2, %v3}"
	for i := 0; i < 64; i += 16 {
		fmt.Fprintf(&k, "ld.global.v4.u32 %s, [%%p+%d]; st.shared.v4.u32 [s+%d], %[1]s; ld.global.v4.u32 %[1]s, [%%p+%[4]d];"+
			"st.shared.v4.u32 [s+%[4]d], %[1]s; st.global.v4.u32 [%%q+%[4]d], %[1]s;\n", four, i, i, 64+i)
	}
	for i := range min(8, 64/size) {
		fmt.Fprintf(&k, "ld.global.b%d %%e%d, [%%p+%d];\n", bits, i, i*size)
	}
	k.WriteString("fence.proxy.async;\n" + text)
	for i := 0; i < 64; i += 16 {
		from := map[bool]string{true: "shared.v4.u32 " + four + ", [s", false: "global.v4.u32 " + four + ", [%q"}[r.shared]
		fmt.Fprintf(&k, "ld.%s+%d]; st.global.v4.u32 [%%q+%d], %s;\n", from, 64+i, i, four)
	}
	for i := range results {
		fmt.Fprintf(&k, "st.global.b%d [%%q+%d], %%d%d;\n", bits, 128+i*size, i)
	}
	out, g, err := runBulk(t, 1, 1, k.String(), append(append([]byte{}, b...), old...))
	require.NoError(t, err, r.opcode)
	switch r.bound.Form.ID { // 9.7.10.12, 9.7.15.7
	case "st.async":
		require.Len(t, g.Findings(), 1)
		require.Contains(t, g.Findings()[0].Message, "needs a cluster of more than one CTA")
	case "red.async":
		require.Len(t, g.Findings(), 1)
		require.Contains(t, g.Findings()[0].Message, "is for the shared memory of another CTA")
	default:
		require.Empty(t, g.Findings(), r.opcode)
	}
	want := append([]byte{}, old...)
	step := r.element.Bytes()
	for i := 0; i < r.count*size && r.bound.Form.ID != "multimem.ld_reduce"; i += step {
		v := r.fold(mem.ReadUint(old[i:], step), mem.ReadUint(b[i:], step),
			mem.ReadUint(b[size:], step))
		for n := range step {
			want[i+n] = byte(v >> (8 * n))
		}
	}
	require.Equal(t, want, out[:64], "%s of %x and %x", r.opcode, old[:16], b[:16])
	require.Equal(t, old[:results*size], out[128:][:results*size], "%s gives what was there", r.opcode)
}

// Every opcode that folds into memory or stores asynchronously: integers of all kinds, and floating-point numbers
// without rounding, against arithmetic.
func TestEveryReduction(t *testing.T) {
	rnd := rand.New(rand.NewSource(16))
	for _, id := range strings.Fields(families) {
		at := slices.IndexFunc(isa.Forms(), func(f *isa.Form) bool { return f.ID == id })
		require.GreaterOrEqual(t, at, 0, id)
		list := reductions(isa.Forms()[at])
		require.NotEmpty(t, list, id)
		t.Logf("%s: %d opcodes", id, len(list))
		step := 1
		if runtime.GOOS == "js" { // the same arithmetic, at a tenth of the speed
			step = 36
		}
		for i := 0; i < len(list); i += step {
			for range 1 + 12/len(list) {
				list[i].check(t, rnd)
			}
		}
	}
}
