package emu

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
)

// TestMoreCTAsThanMemory: CTAs that run for long are under way together, but not more of them than memory holds. Here
// each has 512 KiB of local memory, and runs 32 warps * 1000 rounds * 3 instructions, more than its turn; the device has
// 4 MiB. 20 CTAs of 1024 threads add 20480.
func TestMoreCTAsThanMemory(t *testing.T) {
	m, err := ptx.Parse("many.ptx", []byte(`.version 6.4
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out) {
	.local .align 8 .b8 room[512];
	.reg .u64 %out; .reg .u32 %i; .reg .pred %p;
	ld.param.u64 %out, [out];
	mov.u32 %i, 1000;
LOOP:
	sub.u32 %i, %i, 1;
	setp.ne.u32 %p, %i, 0;
	@%p bra LOOP;
	st.local.u32 [room], %i;
	red.global.add.u32 [%out], 1;
	ret;
}`))
	require.NoError(t, err)
	for _, cluster := range []int{1, 4} {
		m.SM = 90 // clusters
		d, err := Load(m, Options{MemoryLimit: 4 << 20})
		require.NoError(t, err)
		out, err := d.Alloc(4)
		require.NoError(t, err)
		g, err := d.Launch(Config{Entry: "k", Grid: Dim3{X: 20}, Block: Dim3{X: 1024}, Cluster: Dim3{X: cluster},
			Args: [][]byte{Ptr(out)}})
		require.NoError(t, err)
		require.NoError(t, g.Run(context.Background()), "clusters of %d", cluster)
		var sum [4]byte
		require.NoError(t, d.Read(out, sum[:]))
		require.EqualValues(t, 20480, binary.LittleEndian.Uint32(sum[:]))
	}
}
