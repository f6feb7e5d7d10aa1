package emu

import (
	"math"
	"math/bits"

	"warpscope/emu/num"
	"warpscope/ptx/isa"
)

// dot is an element of D from a row of A, a column of B and the element of C.
//
// Precision (9.7.14.4.5, 9.7.14.5.14). The manual asks for exact products of .f16, .bf16, .tf32, .e4m3 and .e5m2, and
// for accumulation in at least single precision (half, when C and D are .f16), in any order, with any rounding. Here
// the element of C and the products, in ascending order of k, are summed in double precision, rounding to nearest even;
// the sum is rounded once more, to nearest even, to the type of D. The result is the correctly rounded exact one
// whenever no more than 53 bits lie between the highest and the lowest bit of the sums. Hardware cuts smaller summands
// off earlier, in ways that differ between generations: results are within the manual's bound, not bit-identical.
//
// .f64 is a chain of fma in ascending order of k, each rounded as the instruction says. Integers are exact: the sum is
// cut to 32 bits, or clamped by .satfinite.
type dot func(a, b []uint64, c uint64) uint64

// floatDot sums in double precision; from and to convert accumulators.
func floatDot(from func(uint64) float64, to func(float64) uint64) dot {
	return func(a, b []uint64, c uint64) uint64 {
		sum := from(c)
		b = b[:len(a)]
		for i, v := range a {
			sum += math.Float64frombits(v) * math.Float64frombits(b[i]) // exact products: a fused sum is no different
		}
		return to(sum)
	}
}

// fromFloat and toFloat read and write accumulators of .f16 and .f32.
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
	return func(v float64) uint64 { return uint64(math.Float32bits(canon(float32(v)))) }
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

func doubleDot(fma func(a, b, c uint64) uint64) dot {
	return func(a, b []uint64, c uint64) uint64 {
		for i, v := range a {
			c = fma(v, b[i], c)
		}
		return c
	}
}

func integerDot(saturate bool) dot {
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

// bitDot counts the bits of a xor b or a and b.
func bitDot(and bool) dot {
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
