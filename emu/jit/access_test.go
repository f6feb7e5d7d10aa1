package jit_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx"
)

// accessKernel loads and stores with offsets that the buffer in names, one for each thread, and follows a pointer.
const accessKernel = `.version 7.8
.target sm_80
.address_size 64
.entry k(.param .u64 in, .param .u64 out) {
	.reg .b64 %a, %in, %out, %v; .reg .b32 %t, %o, %w; .reg .pred %p;
	.shared .align 8 .b8 s[1024];
	ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %a, %t, 4, %in;
	ld.global.u32 %o, [%a];
	cvt.u64.u32 %a, %o; add.u64 %a, %a, %out;
	st.global.u32 [%a], %t;
	ld.u32 %w, [%a];
	st.global.u64 [%a+2048], %a;
	ld.global.u64 %v, [%a+2048];
	ld.global.u64 %v, [%v+2048];
	mov.u32 %w, s; and.b32 %o, %o, 504; add.u32 %w, %w, %o;
	st.shared.u32 [%w+4], %t;
	setp.gt.u32 %p, %t, 11;
	@%p ld.shared.u32 %o, [%w+4];
	@!%p st.shared.u64 [%w], %v;
	ld.shared.u64 %v, [%w];
	st.global.u64 [%a+4096], %v;
	st.global.u32 [%a+8192], %o;
	ret;
}`

// Offsets of all shapes, some of which fault: both engines come to the same state, or to the same fault.
func TestAccesses(t *testing.T) {
	m, err := ptx.Parse("access.ptx", []byte(accessKernel))
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(5, 6))
	faults := 0
	for round := range 120 {
		offs := make([]byte, 0, 256)
		start, step := r.Uint32N(200)*8, []uint32{0, 8, 16, 24}[r.IntN(4)]
		for lane := range uint32(64) {
			o := start + step*(lane%[...]uint32{4, 16, 32}[r.IntN(3)])
			switch {
			case round%3 == 0:
				o = r.Uint32N(250) * 8
			case round%3 == 1:
				o = start + step*(lane%16)
			}
			if r.IntN(1000) == 0 {
				o += [...]uint32{1, 4, 1 << 14, 1 << 31}[r.IntN(4)]
			}
			offs = binary.LittleEndian.AppendUint32(offs, o)
		}
		var ends [2]error
		var hashes [2]uint64
		for i, engine := range engines {
			d, err := emu.Load(m, emu.Options{Engine: engine})
			require.NoError(t, err)
			in, err := d.Alloc(256)
			require.NoError(t, err)
			require.NoError(t, d.Write(in, offs))
			out, err := d.Alloc(12288)
			require.NoError(t, err)
			g, err := d.Launch(emu.Config{Entry: "k", Grid: emu.Dim3{X: 3}, Block: emu.Dim3{X: 50},
				Args: [][]byte{emu.Ptr(in), emu.Ptr(out)}})
			require.NoError(t, err)
			ends[i] = g.Run(t.Context())
			hashes[i] = g.Hash()
		}
		if ends[0] != nil {
			faults++
			require.EqualError(t, ends[1], ends[0].Error())
		} else {
			require.NoError(t, ends[1])
		}
		require.Equal(t, hashes[0], hashes[1], "round %d", round)
	}
	require.Greater(t, faults, 3)
}
