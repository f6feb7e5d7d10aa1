package jit_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx"
)

// partLines are loads and stores of vectors and of elements that are narrower than their registers. %a is an address,
// and %g, %s, %c are those of global, shared and constant memory without the offset.
const partLines = `
ld.global.{u8|s8|b8} %{h1|r1|d1}, [%a];
ld.shared.{u16|s16|b16} %{h1|r1|d1}, [%s+2];
ld.{u32|s32|b32} %d1, [%a+64];
ld.global.v2.{u8|s8} {%h1, %h2}, [%a];
ld.shared.v4.{u16|s16} {%r1, %r4, %r2, %r3}, [%s];
ld.global.v4.u32 {%d1, %d2, %d4, %d3}, [%a];
ld.shared.v2.b64 {%d1, %a}, [%s+16];
ld.v2.f64 {%d1, %d2}, [%a+32];
ld.const.v4.u32 {%r1, %r2, %r3, %r4}, [%c];
ld.const.u8 %r1, [%c+3];
ld.global.v2.u32 {%r1, _}, [%a];
st.global.{u8|b8} [%a], %{h3|r3|d3};
st.shared.u16 [%s+2], %{h3|r3|d3};
st.u32 [%a], %d3;
st.global.v2.u8 [%a], {%h1, %h2};
st.shared.v4.u16 [%s], {%r1, %r2, %r3, %r4};
st.global.v4.u32 [%a], {%r1, 5, %r3, %r4};
st.v2.f64 [%a+16], {%d1, %d2};
st.shared.v2.u64 [%s], {%d1, %a};
ld.local.{u8|s8|b16|b32|b64} %d1, [%l];
ld.local.v2.b32 {%r1, %r2}, [%l+8];
st.local.{u8|b16|b32|b64} [%l+8], %d3;
st.local.v2.f64 [%l], {%d1, %d2};
red.shared.{add|min|max}.{u32|s32} [%s], %r2;
red.shared.{and|or|xor}.b32 [%s], %r2;
atom.global.{add|min|max}.{u32|s32} %r1, [%a], %r1;
atom.global.{exch|xor}.b32 %r1, [%a], %r1;
atom.shared.cas.b32 %r1, [%s+4], %r3, %r2;
atom.global.add.u32 %s, [%a], 7;
red.shared.{add.u64|min.u64|max.s64|and.b64|or.b64|xor.b64} [%s], %d1;
atom.global.{add.u64|min.s64|max.u64|and.b64|or.b64|xor.b64|exch.b64} %d3, [%a], %d1;
atom.{global|shared}.cas.b64 %d1, [%{a|s}+8], %d2, %d3;
atom.global.{inc|dec}.u32 %r1, [%a], %r2;
red.shared.{inc|dec}.u32 [%s], %r1;
`

// Vectors and narrow elements, at neighbouring, equal and other addresses, in all lanes and under a guard: both engines
// come to the same state, or to the same fault.
func TestParts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	faults, programs := 0, 0
	for n, line := range expandAll(partLines) {
		for shape := range 3 {
			line := []string{"", "@%p "}[(n+shape)%2] + line
			m, err := ptx.Parse("parts.ptx", []byte(partsKernel(line, shape)))
			require.NoError(t, err, line)
			offs, step := make([]byte, 0, 256), []uint32{0, 8, 16, 32}[r.IntN(4)]
			for lane := range uint32(64) {
				o := r.Uint32N(60) * 32
				if shape == 1 {
					o = step * (lane % 32)
				}
				if n%5 == 0 && lane == 40 {
					o += [...]uint32{1, 1 << 14}[r.IntN(2)]
				}
				offs = binary.LittleEndian.AppendUint32(offs, o)
			}
			ends, hashes := [2]string{}, [2]uint64{}
			for i, engine := range engines {
				d, err := emu.Load(m, emu.Options{Engine: engine})
				require.NoError(t, err)
				in, err := d.Alloc(256)
				require.NoError(t, err)
				require.NoError(t, d.Write(in, offs))
				out, err := d.Alloc(4096)
				require.NoError(t, err)
				words := make([]byte, 4096)
				for i := range words {
					words[i] = byte(i * 37)
				}
				require.NoError(t, d.Write(out, words))
				g, err := d.Launch(emu.Config{Entry: "k", Grid: emu.Dim3{X: 2}, Block: emu.Dim3{X: 50},
					Args: [][]byte{emu.Ptr(in), emu.Ptr(out)}})
				require.NoError(t, err)
				ends[i], hashes[i] = fmt.Sprint(g.Run(t.Context())), g.Hash()
			}
			require.Equal(t, ends[0], ends[1], line)
			require.Equal(t, hashes[0], hashes[1], "%s, shape %d", line, shape)
			if programs++; ends[0] != "<nil>" {
				faults++
			}
		}
	}
	t.Logf("%d programs, %d of them fault", programs, faults)
	require.Greater(t, faults, 3)
}

// expandAll writes out all alternatives of some lines.
func expandAll(lines string) (list []string) {
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		list = append(list, expand(line)...)
	}
	return list
}

// partsKernel executes a line in a loop, with the offsets that a buffer has (shape 0 and 1) or neighbours (shape 2).
func partsKernel(line string, shape int) string {
	neighbours := ""
	if shape == 2 {
		op, _, _ := strings.Cut(strings.TrimPrefix(line, "@%p "), " ")
		size := map[byte]int{'8': 1, '6': 2, '2': 4, '4': 8}[op[len(op)-1]]
		for _, v := range []int{2, 4} {
			if strings.Contains(line, fmt.Sprintf(".v%d.", v)) {
				size *= v
			}
		}
		neighbours = fmt.Sprintf("mul.lo.u32 %%o, %%t, %d;", size)
	}
	return `.version 8.6
.target sm_90
.address_size 64
.const .align 16 .b32 co[1024] = {1, 0x80fe8005, 3, 0xffffffff, 7};
.entry k(.param .u64 in, .param .u64 out) {
	.reg .b64 %a, %b, %in, %out, %x, %c, %l, %d<8>; .reg .b32 %t, %i, %o, %s, %r<8>; .reg .b16 %h<8>; .reg .pred %p, %q;
	.shared .align 16 .b8 sh[4096]; .local .align 16 .b8 lo[4096];
	ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
	mov.u32 %t, %tid.x; mov.u32 %i, 0;
	mad.wide.u32 %a, %t, 4, %in; ld.global.u32 %o, [%a];
	` + neighbours + `
	setp.gt.u32 %p, %t, 11;
	mov.u32 %s, sh; add.u32 %s, %s, %o; cvt.u64.u32 %x, %o; add.u64 %b, %x, %out;
	mov.u64 %c, co; add.u64 %c, %c, %x; mov.u64 %l, lo; add.u64 %l, %l, %x;
	mul.lo.u32 %r1, %t, 0x01020304; mul.lo.u32 %r2, %r1, 7;
	mov.u32 %r3, %r1; mov.u32 %r4, %r2;
	mov.b64 %d1, {%r1, %r2}; mov.b64 %d3, {%r3, %r1}; mov.u64 %d2, %d1;
	cvt.u16.u32 %h1, %r1; mov.u16 %h2, %h1; mov.u16 %h3, %h1;
AGAIN:
	mov.u64 %a, %b; st.local.u64 [%l], %b;
	` + line + `
	add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 3;
	@%q bra AGAIN;
	ret;
}`
}
