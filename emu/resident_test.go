package emu

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// TestMoreCTAsThanMemory: CTAs that run for long are under way together, but not more of them than memory holds. Here
// each has 512 KiB of local memory, and runs 32 warps * 1000 rounds * 3 instructions, more than its turn; the device
// has 4 MiB. 20 CTAs of 1024 threads add 20480.
func TestMoreCTAsThanMemory(t *testing.T) {
	m, err := ptx.Parse("many.ptx", []byte(txtar.Text(t, "resident/many")))
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
