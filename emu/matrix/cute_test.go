package matrix

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx/isa"
)

// Where the manual has only a picture, the layouts of this package are compared here with a second public source: the
// layouts of CuTe in NVIDIA's CUTLASS, which its products on hardware depend on. Each test names the file.

// cute is a layout as CuTe writes it: the digits of an index, lowest first, in the mixed base shape, times stride.
type cute struct{ shape, stride []int }

func (c cute) at(index int) (sum int) {
	for i, n := range c.shape {
		sum += index % n * c.stride[i]
		index /= n
	}
	return sum
}

func (c cute) size() int {
	n := 1
	for _, s := range c.shape {
		n *= s
	}
	return n
}

// modes is the layout of the modes (shape):(stride), given in turn.
func modes(shape []int, stride ...int) cute { return cute{shape, stride} }

// fragmentCase is a thread-value layout: of thread and value to row + column * rows.
type fragmentCase struct {
	name           string
	g              Fragment
	threads, value cute
	step           int // values in an element of ours: 32 for single bits
}

// cuteFragments are those of include/cute/atom/mma_traits_sm80.hpp, _sm90.hpp (.f64), _sm120.hpp (4 bits),
// _sm90_gmma.hpp (the registers of wgmma) and _sm90_gmma_sparse.hpp.
func cuteFragments() []fragmentCase {
	of := func(t isa.Type) Element { return ElementOf(t, false) }
	eight := func(low, high int) cute { return modes([]int{4, 8}, low, high) }
	group := func(low int) cute { return modes([]int{4, 8, 4}, low, 1, 16) }
	acc := modes([]int{2, 2}, 16, 8)
	list := []fragmentCase{
		{"C of m16n8", Accumulator(isa.F32, 16, 8), eight(32, 1), acc, 1},
		{"C of m8n8", Accumulator(isa.S32, 8, 8), eight(16, 1), modes([]int{2}, 8), 1},
		{"A of m16n8k8, .f16", A(of(isa.F16), 16, 8), eight(32, 1), acc, 1},
		{"B of m16n8k8, .f16", B(of(isa.F16), 8, 8), eight(16, 1), modes([]int{2}, 8), 1},
		{"A of m16n8k16, .bf16", A(of(isa.BF16), 16, 16), eight(32, 1), modes([]int{2, 2, 2}, 16, 8, 128), 1},
		{"B of m16n8k16, .bf16", B(of(isa.BF16), 8, 16), eight(16, 1), modes([]int{2, 2}, 8, 64), 1},
		{"A of m16n8k4, .tf32", A(of(isa.TF32), 16, 4), eight(16, 1), modes([]int{2}, 8), 1},
		{"A of m16n8k8, .tf32", A(of(isa.TF32), 16, 8), eight(16, 1), modes([]int{2, 2}, 8, 64), 1},
		{"B of m16n8k8, .tf32", B(of(isa.TF32), 8, 8), eight(8, 1), modes([]int{2}, 32), 1},
		{"A of m8n8k4, .f64", A(of(isa.F64), 8, 4), eight(8, 1), modes([]int{1}, 0), 1},
		{"A of m16n8k4, .f64", A(of(isa.F64), 16, 4), eight(16, 1), modes([]int{2}, 8), 1},
		{"A of m16n8k16, .f64", A(of(isa.F64), 16, 16), eight(16, 1), modes([]int{2, 4}, 8, 64), 1},
		{"B of m16n8k16, .f64", B(of(isa.F64), 8, 16), eight(8, 1), modes([]int{4}, 32), 1},
		{"A of m8n8k16, .s8", A(of(isa.S8), 8, 16), eight(32, 1), modes([]int{4}, 8), 1},
		{"A of m16n8k16, .s8", A(of(isa.S8), 16, 16), eight(64, 1), modes([]int{4, 2}, 16, 8), 1},
		{"A of m16n8k32, .s8", A(of(isa.S8), 16, 32), eight(64, 1), modes([]int{4, 2, 2}, 16, 8, 256), 1},
		{"B of m16n8k32, .s8", B(of(isa.S8), 8, 32), eight(32, 1), modes([]int{4, 2}, 8, 128), 1},
		{"A of m16n8k64, 4 bits", A(of(isa.E2M1), 16, 64), eight(128, 1), modes([]int{8, 2, 2}, 16, 8, 512), 1},
		{"B of m16n8k64, 4 bits", B(of(isa.E2M1), 8, 64), eight(64, 1), modes([]int{8, 2}, 8, 256), 1},
		{"A of m16n8k256, .b1", A(of(isa.B1), 16, 256), eight(512, 1), modes([]int{32, 2, 2}, 16, 8, 2048), 32},
		{"B of m16n8k256, .b1", B(of(isa.B1), 8, 256), eight(256, 1), modes([]int{32, 2}, 8, 1024), 32},
		{"A of m16n8k128, .b1", A(of(isa.B1), 16, 128), eight(512, 1), modes([]int{32, 2}, 16, 8), 32},
		{"A of wgmma, .tf32", A(of(isa.TF32), 16, 8), group(64), modes([]int{2, 2}, 8, 256), 1},
		{"A of wgmma, .f16", A(of(isa.F16), 16, 16), group(128), modes([]int{2, 2, 2}, 64, 8, 512), 1},
		{"A of wgmma, .s8", A(of(isa.S8), 16, 32), group(256), modes([]int{4, 2, 2}, 64, 8, 1024), 1},
	}
	for _, n := range []int{8, 16, 96, 256} {
		list = append(list, fragmentCase{fmt.Sprintf("D of wgmma, N %d", n), Accumulator(isa.F32, 16, n), group(128),
			modes([]int{2, 2, n / 8}, 64, 8, 512), 1})
	}
	return list
}

func TestFragmentsAreThoseOfCuTe(t *testing.T) {
	for _, c := range cuteFragments() {
		c.g.Prepare()
		require.Equal(t, c.g.PerLane()*c.step, c.value.size(), c.name)
		rows := c.g.Rows * c.threads.size() / 32 // those of all warps
		for thread := range c.threads.size() {
			for i := range c.g.PerLane() {
				at := c.threads.at(thread) + c.value.at(i*c.step)
				row, col := at%rows-thread/32*16, at/rows/c.step
				require.Equal(t, row*c.g.Cols+col, c.g.Place(thread%32, i), "%s, thread %d, value %d", c.name, thread, i)
			}
		}
	}
}

// include/cute/atom/mma_traits_sm70.hpp: threads 0 to 3 and 16 to 19 are the first of four quad pairs, and so on.
func TestQuadsAreThoseOfCuTe(t *testing.T) {
	f16 := ElementOf(isa.F16, false)
	row, col := modes([]int{8}, 1), modes([]int{4, 2}, 8, 4)
	for _, c := range []fragmentCase{
		{"A by rows", QuadOf(A(f16, 8, 4), true), row, modes([]int{4}, 8), 1},
		{"A by columns", QuadOf(A(f16, 8, 4), false), col, modes([]int{4}, 1), 1},
		{"B by columns", QuadOf(B(f16, 8, 4), true), row, modes([]int{4}, 8), 1},
		{"C of .f16", QuadAccumulator(isa.F16, 8, 8), row, modes([]int{8}, 8), 1},
		{"C of .f32", QuadAccumulator(isa.F32, 8, 8), modes([]int{2, 2, 2}, 1, 16, 4), modes([]int{2, 2, 2}, 8, 2, 32), 1},
	} {
		c.g.Prepare()
		for quad := range 4 {
			for thread := range 8 {
				lane := modes([]int{4, 2}, 1, 16).at(thread) + 4*quad
				for i := range c.value.size() {
					at := c.threads.at(thread) + c.value.at(i)
					want := (quad*8+at%8)*c.g.Cols + at/8
					require.Equal(t, want, c.g.Place(lane, i), "%s, quad %d, thread %d, value %d", c.name, quad, thread, i)
				}
			}
		}
	}
}

// Metadata of the larger shapes of mma.sp, and of wgmma.sp: ELayout of include/cute/atom/mma_traits_sm120_sparse.hpp
// and mma_traits_sm90_gmma_sparse.hpp, of thread and value to row + column * rows of the matrix that A stands for. A
// value is a column; the columns of a chunk share its four bits.
func TestMetadataIsThatOfCuTe(t *testing.T) {
	for _, c := range []struct {
		t       isa.Type
		columns int // of a chunk
		threads cute
		value   cute
		halves  bool // the second and the fourth of four lanes, or the other pair: the selector's
	}{
		{isa.E4M3, 4, modes([]int{2, 2, 8}, 8, 512, 1), modes([]int{32}, 16), false},
		{isa.E2M1, 8, modes([]int{2, 2, 8}, 8, 1024, 1), modes([]int{64}, 16), false},
		{isa.S8, 4, modes([]int{2, 2, 8, 4}, 8, 2048, 1, 16), modes([]int{32}, 64), false},
		{isa.F16, 4, modes([]int{2, 2, 8, 4}, 1024, 0, 1, 16), modes([]int{16, 2}, 64, 8), true},
		{isa.TF32, 2, modes([]int{2, 2, 8, 4}, 512, 0, 1, 16), modes([]int{8, 2}, 64, 8), true},
	} {
		rows := 16 * (c.threads.size() / 32)
		e := ElementOf(c.t, false)
		cols := (c.threads.at(3) + c.value.at(c.value.size()-1)) / rows // the last one
		s := Sparsity{Element: e, Cols: (cols + 1) / 2, Selector: 0}
		for thread := range c.threads.size() {
			if s.Selector = 0; c.halves {
				s.Selector = thread / 2 % 2
			}
			for v := 0; v < c.value.size(); v += c.columns {
				at := c.threads.at(thread) + c.value.at(v)
				row, chunk := at%rows-thread/32*16, at/rows/c.columns
				var meta [32]uint32
				meta[thread%32] = 0b1101 << (4 * v / c.columns)
				bits, lane := s.index(Row{Narrow: &meta}, row, chunk)
				require.Equal(t, [2]int{0b1101, thread % 32}, [2]int{bits, lane}, "%v, thread %d, value %d", c.t, thread, v)
			}
		}
	}
}

// SFALayout and SFBLayout of include/cute/atom/mma_traits_sm120.hpp. The mode of stride 0 is thread-id, which CuTe sets
// to 0; a value is a column.
func TestScalesAreThoseOfCuTe(t *testing.T) {
	const k = 64
	for _, c := range []struct {
		threads  cute
		ofA      bool
		threadID func(thread int) int
	}{
		{modes([]int{2, 2, 8}, 8, 0, 1), true, func(thread int) int { return thread / 2 % 2 }},
		{modes([]int{4, 8}, 0, 1), false, func(thread int) int { return thread % 4 }},
	} {
		rows := 8
		if c.ofA {
			rows = 16
		}
		var data [32]uint32
		for lane := range data {
			data[lane] = uint32(lane*0x04040404 + 0x03020100) // 4 lane + byte
		}
		s := Scales{Factors: 4, OfA: c.ofA, Value: func(v uint64) float64 { return float64(v & 255) }}
		for thread := range 32 {
			values := make([]uint64, rows*k)
			for i := range values {
				values[i] = math.Float64bits(1)
			}
			s.Apply(Row{Narrow: &data}, 0, c.threadID(thread), values, k)
			row := c.threads.at(thread)
			for col := range k {
				require.Equal(t, float64(4*thread+col*4/k), math.Float64frombits(values[row*k+col]), "thread %d", thread)
			}
		}
	}
}
