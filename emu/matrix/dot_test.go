package matrix

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx/isa"
)

func single(v float32) uint64 { return uint64(math.Float32bits(v)) }

// values turns bits of elements into what products are made of.
func values(t isa.Type, bytes bool, bits ...uint64) []uint64 {
	e := ElementOf(t, bytes)
	for i, v := range bits {
		bits[i] = e.Value(v)
	}
	return bits
}

// Expected values are the sums that comments show.
func TestDots(t *testing.T) {
	f32 := FloatDot(Accumulators{C: isa.F32, D: isa.F32})
	// .f16: 1.5*2 + -1*0.5 + 1 = 3.5
	a, b := values(isa.F16, false, 0x3e00, 0xbc00), values(isa.F16, false, 0x4000, 0x3800)
	require.Equal(t, single(3.5), f32(a, b, single(1)))
	// 2^-24, the smallest .f16, times itself: subnormal numbers count
	require.Equal(t, single(0x1p-48), f32(values(isa.F16, false, 1), values(isa.F16, false, 1), 0))
	// .e2m1 1.5 = 0b0011 in four bits, and in the middle of eight; 1.5 * 1.5 = 2.25
	require.Equal(t, single(2.25), f32(values(isa.E2M1, false, 3), values(isa.E2M1, true, 3<<2), 0))
	// .tf32 without the low 13 bits: 1 + 2^-10 keeps its last bit, and 2^-11 is cut off
	long, unit := values(isa.TF32, false, single(1+0x1p-10+0x1p-11)), values(isa.TF32, false, single(1))
	require.Equal(t, single(1+0x1p-10), f32(long, unit, 0))
	// the NaN of hardware
	require.Equal(t, uint64(0x7fffffff), f32(a, b, 0xffc00001))
	// C / 2^3: 8/8 + 2.5 = 3.5
	require.Equal(t, single(3.5), FloatDot(Accumulators{C: isa.F32, D: isa.F32, Shrink: 3})(a, b, single(8)))
	// .f16 accumulators: 65504 + 65504 is infinite, or the largest number with .satfinite
	big := values(isa.F16, false, 0x7bff)
	one := values(isa.F16, false, 0x3c00)
	require.Equal(t, uint64(0x7c00), FloatDot(Accumulators{C: isa.F16, D: isa.F16})(big, one, 0x7bff))
	require.Equal(t, uint64(0x7bff), FloatDot(Accumulators{C: isa.F16, D: isa.F16, Finite: true})(big, one, 0x7bff))

	// 127*127 + 2^31-1 wraps or is clamped
	s8 := values(isa.S8, false, 127)
	require.Equal(t, uint64(0x80003f00), IntegerDot(false)(s8, s8, 0x7fffffff)) // 2^31 - 1 + 16129 = 2^31 + 0x3f00
	require.Equal(t, uint64(0x7fffffff), IntegerDot(true)(s8, s8, 0x7fffffff))
	// -8 * 15 of .s4 and .u4, in 32 bits
	require.Equal(t, uint64(0xffffff88), IntegerDot(false)(values(isa.S4, false, 8), values(isa.U4, false, 15), 0))
	// 0b1100 and 0b1010: one bit in both, two in one of them
	require.Equal(t, uint64(8), BitDot(true)([]uint64{12}, []uint64{10}, 7))
	require.Equal(t, uint64(9), BitDot(false)([]uint64{12}, []uint64{10}, 7))
}

// A 16x4 dense matrix of which the columns 1 and 2 are stored: row 0 of A is 2 and 3, column 0 of B is 1, 10, 100,
// 1000.
func TestProductOfSparseMatrix(t *testing.T) {
	e := ElementOf(isa.S8, false)
	a, b := A(e, 16, 2), B(e, 8, 4)
	p := Product{A: &a, B: &b, Dot: IntegerDot(false)}
	va, vb, c, columns := make([]uint64, 32), make([]uint64, 32), make([]uint64, 128), make([]uint8, 32)
	copy(va, []uint64{2, 3})
	copy(vb, []uint64{1, 10, 100, 1000})
	copy(columns, []uint8{1, 2})
	c[0] = 5
	p.Multiply(va, vb, c, columns)
	require.Equal(t, uint64(5+2*10+3*100), c[0])
	require.Equal(t, make([]uint64, 127), c[1:])
}
