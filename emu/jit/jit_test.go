package jit_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	_ "warpscope/emu/host"
	"warpscope/ptx"
)

// engines are those that must come to the same state.
var engines = [2]emu.Engine{emu.Interpreter, emu.Compiled}

// device loads a file of bench.
func device(t *testing.T, name string, engine emu.Engine) *emu.Device {
	t.Helper()
	src, err := os.ReadFile("../../bench/" + name + ".ptx")
	require.NoError(t, err)
	m, err := ptx.Parse(name, src)
	require.NoError(t, err)
	d, err := emu.Load(m, emu.Options{Engine: engine})
	require.NoError(t, err)
	return d
}

// The kernels of bench. The arguments are buffers of so many words (as int) or values.
var kernels = []struct {
	name        string
	grid, block emu.Dim3
	args        []any
}{
	{"hash", emu.Dim3{X: 16}, emu.Dim3{X: 256}, []any{4096}},
	{"mandel", emu.Dim3{X: 256}, emu.Dim3{X: 256}, []any{65536}},
	{"saxpy", emu.Dim3{X: 1024}, emu.Dim3{X: 256}, []any{uint32(1 << 18), float32(2.5), 1 << 18, 1 << 18}},
	{"matmul", emu.Dim3{X: 8, Y: 8}, emu.Dim3{X: 16, Y: 16}, []any{1 << 14, 1 << 14, 1 << 14, uint32(128)}},
}

// arguments puts the arguments of a kernel on a device. Buffers hold single-precision numbers between 0.5 and 2, each
// with as many digits as there can be.
func arguments(t *testing.T, d *emu.Device, args []any) (list [][]byte) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	for _, arg := range args {
		switch arg := arg.(type) {
		case uint32:
			list = append(list, emu.U32(arg))
		case float32:
			list = append(list, emu.U32(math.Float32bits(arg)))
		case int:
			a, err := d.Alloc(4 * arg)
			require.NoError(t, err)
			words := make([]byte, 0, 4*arg)
			for range arg {
				words = binary.LittleEndian.AppendUint32(words, 0x3f000000+r.Uint32()>>8)
			}
			require.NoError(t, d.Write(a, words))
			list = append(list, emu.Ptr(a))
		}
	}
	return list
}

// Both engines come to the same state: memory, registers, statistics and counts.
func TestKernels(t *testing.T) {
	for _, k := range kernels {
		t.Run(k.name, func(t *testing.T) {
			var grids [2]*emu.Grid
			for i, engine := range engines {
				d := device(t, k.name, engine)
				args := arguments(t, d, k.args)
				for range 2 {
					g, err := d.Launch(emu.Config{Entry: k.name, Grid: k.grid, Block: k.block, Args: args})
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

// At any tick the state is the same, however the runs are divided.
func TestStatesOnTheWay(t *testing.T) {
	for _, k := range kernels {
		t.Run(k.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			var grids [2]*emu.Grid
			for i, engine := range engines {
				d := device(t, k.name, engine)
				g, err := d.Launch(emu.Config{Entry: k.name, Grid: k.grid, Block: k.block,
					Args: arguments(t, d, k.args)})
				require.NoError(t, err)
				grids[i] = g
			}
			for range 30 {
				n := 1 + r.Int64N(5000)
				for _, g := range grids {
					_, err := g.RunFor(n)
					require.NoError(t, err)
				}
				require.Equal(t, grids[0].Tick(), grids[1].Tick())
				require.Equal(t, grids[0].Hash(), grids[1].Hash(), "tick %d", grids[0].Tick())
				require.Equal(t, grids[0].Counted(), grids[1].Counted())
			}
		})
	}
}
