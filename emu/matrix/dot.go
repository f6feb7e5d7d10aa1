package matrix

import (
	"math"
	"math/bits"

	"warpscope/emu/num"
	"warpscope/ptx/isa"
)

// Dot is an element of D from a row of A, a column of B and the element of C.
//
// Precision (9.7.16.4.5, 9.7.16.5.14). The manual asks for exact products of .f16, .bf16, .tf32, .e4m3 and .e5m2, and
// for accumulation in at least single precision (half, when C and D are .f16), in any order, with any rounding. Here
// the element of C and the products, in ascending order of k, are summed in double precision, rounding to nearest even;
// the sum is rounded once more, to nearest even, to the type of D. The result is the correctly rounded exact one
// whenever no more than 53 bits lie between the highest and the lowest bit of the sums. Hardware cuts smaller summands
// off earlier, in ways that differ between generations: results are within the manual's bound, not bit-identical.
//
// .f64 is a chain of fma in ascending order of k, each rounded as the instruction says. Integers are exact: the sum is
// cut to 32 bits, or clamped by .satfinite.
type Dot func(a, b []uint64, c uint64) uint64

// Accumulators are C and D of a product of floating-point numbers: .f16 or .f32, not always the same.
type Accumulators struct {
	C, D   isa.Type
	Finite bool // .satfinite, see finite
	Shrink int  // C is divided by 2^Shrink (scale-input-d of tcgen05.mma)
}

// FloatDot sums in double precision.
func FloatDot(x Accumulators) Dot {
	from, to := fromFloat(x.C), toFloat(x.D)
	if x.Finite {
		to = finite(to, x.D)
	}
	if x.Shrink > 0 {
		whole := from
		from = func(v uint64) float64 { return math.Ldexp(whole(v), -x.Shrink) }
	}
	return func(a, b []uint64, c uint64) uint64 {
		sum := from(c)
		b = b[:len(a)]
		for i, v := range a {
			sum += math.Float64frombits(v) * math.Float64frombits(b[i]) // exact products: a fused sum is no different
		}
		return to(sum)
	}
}

// fromFloat and toFloat read and write accumulators of .f16 and .f32. A NaN of .f32 is the one that hardware returns.
func fromFloat(t isa.Type) func(uint64) float64 {
	if t == isa.F16 {
		return num.Decoder(t)
	}
	return func(v uint64) float64 { return float64(math.Float32frombits(uint32(v))) }
}

func toFloat(t isa.Type) func(float64) uint64 {
	if t == isa.F16 {
		return func(v float64) uint64 { return uint64(num.ToF16(v)) }
	}
	return func(v float64) uint64 {
		if v != v {
			return 0x7fffffff
		}
		return uint64(math.Float32bits(float32(v)))
	}
}

// finite is .satfinite of floating-point wmma, which PTX had until ISA 6.5. The manual of today is silent about it; it
// is satf of CUDA C++'s mma_sync: infinity becomes the largest finite number, NaN becomes +0.
func finite(to func(float64) uint64, t isa.Type) func(float64) uint64 {
	largest := math.MaxFloat32
	if t == isa.F16 {
		largest = 65504
	}
	return func(v float64) uint64 {
		if v != v {
			v = 0
		}
		return to(min(max(v, -largest), largest))
	}
}

// DoubleDot is a chain of fma.f64.
func DoubleDot(fma func(a, b, c uint64) uint64) Dot {
	return func(a, b []uint64, c uint64) uint64 {
		for i, v := range a {
			c = fma(v, b[i], c)
		}
		return c
	}
}

// IntegerDot sums integers into 32 bits.
func IntegerDot(saturate bool) Dot {
	return func(a, b []uint64, c uint64) uint64 {
		sum := int64(int32(c))
		for i, v := range a {
			sum += int64(v * b[i])
		}
		if saturate {
			sum = min(max(sum, math.MinInt32), math.MaxInt32)
		}
		return uint64(uint32(sum))
	}
}

// BitDot counts the bits of a xor b, or of a and b.
func BitDot(and bool) Dot {
	return func(a, b []uint64, c uint64) uint64 {
		for i, v := range a {
			if and {
				v &= b[i]
			} else {
				v ^= b[i]
			}
			c += uint64(bits.OnesCount32(uint32(v)))
		}
		return uint64(uint32(c))
	}
}

// The largest matrices in fragments: A of mma.m16n8k64, B of mma.sp.m16n8k128, any accumulator but those of wgmma.
const (
	MaxA           = 1024
	MaxB           = 1024
	MaxAccumulator = 256
)

// Product multiplies matrices.
type Product struct {
	A, B *Fragment // B is transposed; of a sparse A, what is stored
	Dot  Dot
}

// Multiply adds A B to c. columns are those of the stored elements of a sparse A, or nil.
func (p *Product) Multiply(a, b, c []uint64, columns []uint8) {
	m, n, k := p.A.Rows, p.B.Rows, p.A.Cols
	var chosen [64]uint64 // elements of a column of B that meet a stored one
	for q := range p.A.batch() {
		for i := range m {
			row := a[(q*m+i)*k:][:k]
			for j := range n {
				col := b[(q*n+j)*p.B.Cols:][:p.B.Cols]
				if columns != nil {
					for at, from := range columns[i*k:][:k] {
						chosen[at] = col[from]
					}
					col = chosen[:k]
				}
				at := &c[(q*m+i)*n+j]
				*at = p.Dot(row, col, *at)
			}
		}
	}
}
