// Package bench_test measures the emulator on eight kernels and checks that it counts what it should. See README.md.
package bench_test

import (
	"context"
	"embed"
	"encoding/binary"
	"flag"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx"
)

// go test ./bench -engine interpreter
var engine = flag.String("engine", "auto", "the engine: "+strings.Join(emu.EngineNames(), ", "))

// options are those of a device for the chosen engine.
func options(tb testing.TB) emu.Options {
	tb.Helper()
	e, ok := emu.EngineNamed(*engine)
	require.True(tb, ok, "there is no engine %q", *engine)
	return emu.Options{Engine: e}
}

//go:embed *.ptx
var sources embed.FS

// A workload is one kernel with its launch. The arguments are buffers or values, in the parameters' order.
type workload struct {
	name             string
	grid, block      emu.Dim3
	args             []any // []uint32: a buffer with these contents; uint32: a value
	laneInstructions int64 // of one launch
	warpInstructions int64
	out              int // the argument that holds the result
	want             []uint32
}

// Lane-instructions of one launch: threads times the instructions that one thread executes, read off the kernel's text
// as before the loop + rounds * body + after it. mandel's differ by thread; TestMandelCounts adds them up.
const (
	hashLaneInstructions   = 4096 * (8 + 4096*12 + 4) // 201,375,744
	mandelLaneInstructions = 50_031_416
	saxpyLaneInstructions  = (1 << 20) * 18              // 18,874,368
	matmulLaneInstructions = 128 * 128 * (30 + 8*59 + 5) // 8,306,688
)

func hash() workload {
	want := make([]uint32, 4096)
	for i := range want {
		v := uint32(i) + 0x9E3779B9
		for range 4096 {
			v ^= v << 13
			v ^= v >> 17
			v ^= v << 5
			want[i] += v*1664525 + 1013904223
		}
	}
	return workload{
		name: "hash", grid: emu.Dim3{X: 16}, block: emu.Dim3{X: 256},
		args:             []any{make([]uint32, 4096)},
		laneInstructions: hashLaneInstructions, warpInstructions: hashLaneInstructions / 32,
		want: want,
	}
}

// mandelTrips is the number of rounds of one pixel. The conversions keep Go from fusing operations.
func mandelTrips(pixel int) uint32 {
	cx := float32(float32(pixel&255)*0.01171875) - 2
	cy := float32(float32(pixel>>8)*0.009765625) - 1.25
	var zx, zy float32
	n := uint32(0)
	for n < 256 {
		xx, yy := float32(zx*zx), float32(zy*zy)
		if float32(xx+yy) > 4 {
			break
		}
		xy := float32(zx * zy)
		zx = float32(xx-yy) + cx
		zy = float32(xy+xy) + cy
		n++
	}
	return n
}

// mandelInstructions is how many instructions mandel.ptx takes for so many rounds: 16 before the loop, 13 a round, 5
// up to the branch that leaves it early, 4 after it. A warp takes as many as its slowest lane.
func mandelInstructions(trips uint32) int64 {
	n := 16 + 13*int64(trips) + 4
	if trips < 256 {
		n += 5
	}
	return n
}

func mandel() workload {
	want := make([]uint32, 65536)
	var warps int64
	for i := range want {
		want[i] = mandelTrips(i)
		if i%32 == 31 {
			slowest := uint32(0)
			for _, n := range want[i-31 : i+1] {
				slowest = max(slowest, n)
			}
			warps += mandelInstructions(slowest)
		}
	}
	return workload{
		name: "mandel", grid: emu.Dim3{X: 256}, block: emu.Dim3{X: 256},
		args:             []any{make([]uint32, 65536)},
		laneInstructions: mandelLaneInstructions, warpInstructions: warps,
		want: want,
	}
}

// All values of saxpy and matmul are small multiples of 0.5, so that every order and every rounding gives the same.

func saxpy() workload {
	const n = 1 << 20
	x, y, want := make([]uint32, n), make([]uint32, n), make([]uint32, n)
	for i := range x {
		x[i] = math.Float32bits(float32(i))
		y[i] = math.Float32bits(1)
		want[i] = math.Float32bits(2.5*float32(i) + 1)
	}
	return workload{
		name: "saxpy", grid: emu.Dim3{X: 4096}, block: emu.Dim3{X: 256},
		args:             []any{uint32(n), math.Float32bits(2.5), x, y},
		laneInstructions: saxpyLaneInstructions, warpInstructions: saxpyLaneInstructions / 32,
		out: 3, want: want,
	}
}

func matmul() workload {
	const n = 128
	a, b, want := make([]uint32, n*n), make([]uint32, n*n), make([]uint32, n*n)
	for i := range a {
		a[i] = math.Float32bits(float32(i%7) - 3)
		b[i] = math.Float32bits(float32(i%5) - 2)
	}
	for i := range want {
		sum := 0
		for k := range n {
			sum += ((i/n*n+k)%7 - 3) * ((k*n+i%n)%5 - 2)
		}
		want[i] = math.Float32bits(float32(sum))
	}
	return workload{
		name: "matmul", grid: emu.Dim3{X: 8, Y: 8}, block: emu.Dim3{X: 16, Y: 16},
		args:             []any{a, b, make([]uint32, n*n), uint32(n)},
		laneInstructions: matmulLaneInstructions, warpInstructions: matmulLaneInstructions / 32,
		out: 2, want: want,
	}
}

// load puts a workload's module and buffers on a device and says where the result will be.
func load(tb testing.TB, w workload) (d *emu.Device, c emu.Config, out emu.Addr) {
	tb.Helper()
	name := w.name + ".ptx"
	src, err := sources.ReadFile(name)
	require.NoError(tb, err)
	m, err := ptx.Parse(name, src)
	require.NoError(tb, err)
	o := options(tb)
	o.Divergence = emu.Stack
	d, err = emu.Load(m, o)
	require.NoError(tb, err)
	c = emu.Config{Entry: w.name, Grid: w.grid, Block: w.block}
	for i, arg := range w.args {
		data, isBuffer := arg.([]uint32)
		if !isBuffer {
			c.Args = append(c.Args, emu.U32(arg.(uint32)))
			continue
		}
		addr, err := d.Alloc(4 * len(data))
		require.NoError(tb, err)
		require.NoError(tb, d.Write(addr, toBytes(data)))
		c.Args = append(c.Args, emu.Ptr(addr))
		if i == w.out {
			out = addr
		}
	}
	return d, c, out
}

func toBytes(words []uint32) []byte {
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func launch(tb testing.TB, d *emu.Device, c emu.Config) emu.Stats {
	tb.Helper()
	g, err := d.Launch(c)
	require.NoError(tb, err)
	require.NoError(tb, g.Run(context.Background()))
	return g.Stats()
}

// workloads are all kernels, in the order of README.md.
func workloads() []workload {
	return []workload{hash(), mandel(), saxpy(), matmul(), histogram(), xxhash(), nbody(), unpack()}
}

func TestResultsAndInstructionCounts(t *testing.T) {
	for _, w := range workloads() {
		t.Run(w.name, func(t *testing.T) {
			d, c, out := load(t, w)
			stats := launch(t, d, c)
			require.Equal(t, w.laneInstructions, stats.LaneInstructions, "lane-instructions")
			require.Equal(t, w.warpInstructions, stats.WarpInstructions, "warp instructions")
			got := make([]byte, 4*len(w.want))
			require.NoError(t, d.Read(out, got))
			for i, want := range w.want {
				require.Equal(t, want, binary.LittleEndian.Uint32(got[4*i:]), "element %d", i)
			}
		})
	}
}

// The counts that everything is measured by, worked out from the kernel's text and the pixels.
func TestMandelCounts(t *testing.T) {
	var lanes int64
	for i := range 65536 {
		lanes += mandelInstructions(mandelTrips(i))
	}
	require.EqualValues(t, mandelLaneInstructions, lanes)
	require.InDelta(t, 0.637, float64(lanes)/float64(32*mandel().warpInstructions), 0.0005)
}

// measure reports lane-instructions per second of the process's CPU time, which other processes hardly disturb.
func measure(b *testing.B, w workload) {
	d, c, _ := load(b, w)
	b.ReportAllocs() // a launch allocates for the CTAs that are resident together, not for each one
	start := cpuTime()
	for b.Loop() {
		launch(b, d, c)
	}
	b.ReportMetric(float64(w.laneInstructions)*float64(b.N)/(cpuTime()-start).Seconds(), "lane-instr/s")
}

func BenchmarkHash(b *testing.B)   { measure(b, hash()) }
func BenchmarkMandel(b *testing.B) { measure(b, mandel()) }
func BenchmarkSaxpy(b *testing.B)  { measure(b, saxpy()) }
func BenchmarkMatmul(b *testing.B) { measure(b, matmul()) }
