package emu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/ptx/isa"
)

// sparseInst runs an instruction on registers in all lanes: the tuples that it writes come first, the ones that it
// reads after them. in has the words that each lane reads, one lane after the other; the result those that it writes.
func sparseInst(t *testing.T, opcode string, writes, reads []int, last string, in []uint32) ([]uint32, error) {
	t.Helper()
	var load, tuples, store []string
	next := 0
	registers := func(sizes []int, each func(reg, i int)) (total int) {
		for _, size := range sizes {
			var regs []string
			for range size {
				each(next, total)
				regs = append(regs, fmt.Sprintf("%%r%d", next))
				next, total = next+1, total+1
			}
			tuples = append(tuples, "{"+strings.Join(regs, ",")+"}")
		}
		return total
	}
	given := registers(writes, func(reg, i int) {
		store = append(store, fmt.Sprintf("st.global.b32 [%%p+%d], %%r%d;", 4*i, reg))
	})
	taken := registers(reads, func(reg, i int) {
		load = append(load, fmt.Sprintf("ld.global.b32 %%r%d, [%%p+%d];", reg, 4*i))
	})
	at := func(param string, n int) string {
		return fmt.Sprintf("ld.param.u64 %%p, [%s]; mad.wide.u32 %%p, %%l, %d, %%p;\n", param, 4*n)
	}
	out := make([]byte, 32*4*given)
	var bytes []byte
	for _, v := range in {
		bytes = machine.ByteOrder.AppendUint32(bytes, v)
	}
	require.Len(t, in, 32*taken)
	err := runMatrix(t, "in out", fmt.Sprintf("// sm_107a\n.reg .b32 %%r<%d>; .reg .b64 %%p;\n", next)+at("in", taken)+
		strings.Join(load, "\n")+opcode+" "+strings.Join(tuples, ", ")+last+";\n"+at("out", given)+strings.Join(store, "\n"),
		bytes, out)
	var words []uint32
	for i := 0; i < len(out); i += 4 {
		words = append(words, machine.ByteOrder.Uint32(out[i:]))
	}
	return words, err
}

// opcodesOf are the opcodes of a form.
func opcodesOf(t *testing.T, id string) []string {
	i := slices.IndexFunc(isa.Forms(), func(f *isa.Form) bool { return f.ID == id })
	require.NotEqual(t, -1, i)
	return isa.Forms()[i].Opcodes(1000)
}

// chunk is part i of a row of words, of so many bits.
func chunk(words []uint32, i, bits int) uint32 {
	return words[i*bits/32] >> (i * bits % 32) & (1<<bits - 1)
}

// spcompress in each of its forms, with integers: sorting keeps equal ones in order, so the first two of four stay.
//
// families = `spcompress`
func TestSpcompress(t *testing.T) {
	rng := rand.New(rand.NewPCG(30, 94))
	for n, opcode := range opcodesOf(t, "spcompress") {
		var size, places, num int
		_, err := fmt.Sscanf(opcode, "spcompress.b%d.b%d.sp::2:4.x%d", &size, &places, &num)
		require.NoError(t, err)
		if size == 16 {
			continue // floats, below
		}
		desc := n % 8 // .u8 and .s8 in turns, and MAX, MAXABS, MIN and MINABS
		rank := func(v uint32) int {
			r := int(v)
			if desc>>2 == 1 {
				r = int(int8(v))
			}
			if desc&1 == 1 {
				r = max(r, -r)
			}
			if desc&2 == 2 {
				return r
			}
			return -r
		}
		in := make([]uint32, 32*2*num)
		for i := range in {
			in[i] = rng.Uint32() & rng.Uint32()
		}
		meta := (num*places + size - 1) / size // Table 37
		got, err := sparseInst(t, opcode, []int{meta, num}, []int{2 * num}, fmt.Sprintf(", %d", desc), in)
		require.NoError(t, err)
		want := make([]uint32, 32*(meta+num))
		for lane := range 32 {
			data, m, c := in[lane*2*num:][:2*num], want[lane*(meta+num):][:meta], want[lane*(meta+num)+meta:][:num]
			for group := range 2 * num { // four bytes each
				at := []int{0, 1, 2, 3}
				slices.SortStableFunc(at, func(a, b int) int {
					return rank(chunk(data, 4*group+a, 8)) - rank(chunk(data, 4*group+b, 8))
				})
				at = at[:2]
				slices.Sort(at)
				for k, from := range at {
					e := 2*group + k
					m[e*places/32] |= uint32(from) << (e * places % 32)
					c[e*8/32] |= chunk(data, 4*group+from, 8) << (e * 8 % 32)
				}
			}
		}
		require.Equal(t, want, got, "%s %d", opcode, desc)
	}
}

// Elements of 16 bits are .f16 or .bf16, and the descriptor must agree with .elemsize (Table 38).
func TestSpcompressFloats(t *testing.T) {
	lanes := func(words ...uint32) []uint32 { return slices.Repeat(words, 32) }
	// 1, -2, 0.5, -0.25: the greatest are at 0 and 2, the greatest magnitudes at 0 and 1; the same in .bf16.
	one, two := []int{1, 1}, []int{2}
	got, err := sparseInst(t, "spcompress.b16.b2.sp::2:4.x1", one, two, ", 0", lanes(0xc000_3c00, 0xb400_3800))
	require.NoError(t, err)
	require.Equal(t, lanes(0b10_00, 0x3800_3c00), got)
	got, err = sparseInst(t, "spcompress.b16.b4.sp::2:4.x1", one, two, ", 5", lanes(0xc000_3f80, 0xbe80_3f00))
	require.NoError(t, err)
	require.Equal(t, lanes(0x10, 0xc000_3f80), got)
	for desc, want := range map[string]string{
		"8":    "the descriptor 0x8 of `spcompress.b16.b2.sp::2:4.x1`: the type 2 is none of 16 bits",
		"0x20": "the bits 0x20 are reserved",
	} {
		_, err = sparseInst(t, "spcompress.b16.b2.sp::2:4.x1", one, two, ", "+desc, lanes(0, 0))
		require.ErrorContains(t, err, want)
	}
}

// spdecompress in each of its forms, as the loop of 9.7.10.31 has it.
//
// families = `spdecompress`
func TestSpdecompress(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 94))
	for _, opcode := range opcodesOf(t, "spdecompress") {
		var size, places, stored, group, num int
		_, err := fmt.Sscanf(opcode, "spdecompress.b%d.b%d.sp::%d:%d.x%d", &size, &places, &stored, &group, &num)
		require.NoError(t, err)
		words := func(elements, bits int) int { return (elements*bits*num + 31) / 32 } // Table 39
		meta, kept, dense := words(stored, places), words(stored, size), words(group, size)
		in, want := make([]uint32, 32*(meta+kept)), make([]uint32, 32*dense)
		for lane := range 32 {
			m, c, d := in[lane*(meta+kept):][:meta], in[lane*(meta+kept)+meta:][:kept], want[lane*dense:][:dense]
			for i := range c {
				c[i] = rng.Uint32()
			}
			for n := range num {
				for s, to := range rng.Perm(group)[:stored] {
					e := n*stored + s
					m[e*places/32] |= uint32(to) << (e * places % 32)
					at := (n*group + to) * size
					d[at/32] |= chunk(c, e, size) << (at % 32)
				}
			}
		}
		got, err := sparseInst(t, opcode, []int{dense}, []int{meta, kept}, "", in)
		require.NoError(t, err)
		require.Equal(t, want, got, opcode)
	}
	beyond := slices.Repeat([]uint32{0x80, 0}, 32)
	_, err := sparseInst(t, "spdecompress.b8.b4.sp::1:8.x2", []int{4}, []int{1, 1}, "", beyond)
	require.ErrorContains(t, err, "names place 8 of group 1, which has 8 elements")
}

// tcgen05.ld.spcompress keeps values as they are; .red reduces all that is loaded, and .NaN counts for .red alone
// (9.7.18.8.3).
//
// families = `tcgen05.ld.spcompress`
func TestTensorCompress(t *testing.T) {
	f := math.Float32bits
	const nan = 0x7fc00000
	for _, c := range []struct {
		op   string
		in   [8]uint32
		meta uint32
		kept [4]uint32
		red  uint32
	}{
		{".max.sp::2:4", [8]uint32{f(1), f(-5), f(3), f(2), f(-1), f(-2), f(-3), f(-4)}, 0b01_00_11_10,
			[4]uint32{f(3), f(2), f(-1), f(-2)}, f(3)},
		{".max.sp::2:4.abs", [8]uint32{f(1), f(-5), f(3), f(2), f(-1), f(-2), f(-3), f(-4)}, 0b11_10_10_01,
			[4]uint32{f(-5), f(3), f(-3), f(-4)}, f(5)},
		{".min.sp::2:4", [8]uint32{f(1), f(-5), f(3), f(2), 0, 0x80000000, nan, f(9)}, 0b10_01_01_00,
			[4]uint32{f(1), f(-5), 0x80000000, nan}, f(-5)},
		{".min.sp::2:4.abs.NaN", [8]uint32{f(1), f(-5), f(3), f(2), f(7), nan, f(-6), f(9)}, 0b10_01_11_00,
			[4]uint32{f(1), f(2), nan, f(-6)}, 0x7fffffff},
	} {
		for _, red := range []bool{false, true} {
			if strings.HasSuffix(c.op, ".NaN") && !red {
				continue
			}
			m := newTensorImage(32)
			for lane := range 128 {
				for i, v := range c.in {
					m.set(lane, i, v)
				}
			}
			kind, redval, want := "", "", uint32(0)
			if red {
				kind, redval, want = ".red", " %r30,", c.red
			}
			then := "mov.b32 %r30, 0; tcgen05.ld" + kind + ".spcompress.sync.aligned.32x32b.x8" + c.op +
				".f32.b2 {%r20}, {%r21,%r22,%r23,%r24}," + redval + " [%base]; tcgen05.wait::ld.sync.aligned; // sm_107a\n" +
				"mov.b32 %r25, %r30; mov.b32 %r26, 0; mov.b32 %r27, 0;\n" +
				"tcgen05.st.sync.aligned.32x32b.x8.b32 [%base+16], {%r20,%r21,%r22,%r23,%r24,%r25,%r26,%r27}; " +
				"tcgen05.wait::st.sync.aligned;\n"
			require.NoError(t, runBlock(t, 128, "s t v", tensorKernel(t, 32, "", then), make([]byte, 49152), m.bytes, words()))
			got := [6]uint32{}
			for i := range got {
				got[i] = m.get(77, 16+i)
			}
			require.Equal(t, [6]uint32{c.meta, c.kept[0], c.kept[1], c.kept[2], c.kept[3], want}, got, kind+c.op)
		}
	}
}
