package jit

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx"
)

// device loads a file of bench on a device with buffers of the given numbers of words.
func device(t *testing.T, name string, words ...int) (*emu.Device, []emu.Addr) {
	t.Helper()
	src, err := os.ReadFile("../../bench/" + name + ".ptx")
	require.NoError(t, err)
	m, err := ptx.Parse(name, src)
	require.NoError(t, err)
	d, err := emu.Load(m, emu.Options{})
	require.NoError(t, err)
	var list []emu.Addr
	for _, n := range words {
		a, err := d.Alloc(4 * n)
		require.NoError(t, err)
		list = append(list, a)
	}
	return d, list
}

func compile(t *testing.T, d *emu.Device) *Engine {
	e := New(d, &testHost{t: t, arena: d.Mem}, 0)
	d.SetEngine(e)
	return e
}

// Both engines come to the same memory, statistics and counts.
func TestKernels(t *testing.T) {
	for _, test := range []struct {
		name        string
		grid, block int
		words       int
	}{
		{"hash", 16, 256, 4096},
		{"mandel", 256, 256, 65536},
	} {
		t.Run(test.name, func(t *testing.T) {
			var grids [2]*emu.Grid
			for i := range grids {
				d, args := device(t, test.name, test.words)
				if i == 1 {
					compile(t, d)
				}
				for range 2 {
					g, err := d.Launch(emu.Config{Entry: d.Mod.Funcs[0].Name, Grid: emu.Dim3{X: test.grid},
						Block: emu.Dim3{X: test.block}, Args: [][]byte{emu.Ptr(args[0])}})
					require.NoError(t, err)
					start := time.Now()
					require.NoError(t, g.Run(t.Context()))
					took := time.Since(start)
					t.Logf("%.0f M lane instructions/s", float64(g.Stats().LaneInstructions)/1e6/took.Seconds())
					grids[i] = g
				}
			}
			require.Equal(t, grids[0].Stats(), grids[1].Stats())
			require.Equal(t, grids[0].Counted(), grids[1].Counted())
			require.Equal(t, grids[0].Hash(), grids[1].Hash())
		})
	}
}
