package row

import (
	"math"
	"math/bits"
	"unsafe"

	"warpscope/emu/num"
)

// Inst is the part of an instruction that executing it in rows needs.
type Inst struct {
	Handler    handler // Operations[Number].Run
	Number     uint16  // what it computes, by its number in emu/handlers; of loads and stores Access, or 0
	Width      uint8   // of the row D: 1 for 32 bits, 2 for 64; 0: the handler itself leaves other lanes as they are
	How        uint8   // how Run executes it: ByCall and so on, or 0
	D, A, B, C uint32  // frame offsets of the operands; loads and stores: D data, A addresses, C what is added to them
}

// allLanes is the mask of a warp whose lanes all execute.
const allLanes = 1<<32 - 1

// Partial runs the handler and gives its result to the lanes of exec. The scratch row is part of the state, so which
// instructions write it must not depend on where a run was interrupted.
func (in *Inst) Partial(f unsafe.Pointer, exec uint32) {
	if in.Width == 0 || exec == allLanes {
		in.Handler(f, in, in.D)
		return
	}
	in.Handler(f, in, Scratch)
	switch {
	case bits.OnesCount32(exec) <= sparse:
		blendFew(f, in, exec)
	case in.Width == 1:
		select32(f, in.D, Scratch, in.D, exec)
	default:
		select64(f, in.D, Scratch, in.D, exec)
	}
}

// blendFew copies the scratch row to the destination in a few lanes.
func blendFew(f unsafe.Pointer, in *Inst, exec uint32) {
	if in.Width == 1 {
		Blend32(f, in.D, Scratch, exec)
	} else {
		Blend64(f, in.D, Scratch, exec)
	}
}

// sparse is the number of lanes up to which a blend visits lanes one by one.
const sparse = 6

// Blend32 copies the row at from to the row at to, both of 32-bit lanes, in the lanes of m.
func Blend32(f unsafe.Pointer, to, from, m uint32) {
	if bits.OnesCount32(m) > sparse {
		select32(f, to, from, to, m)
		return
	}
	d, s := U32s(f, to), U32s(f, from)
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		d[i] = s[i]
	}
}

// Blend64 copies the row at from to the row at to, both of 64-bit lanes, in the lanes of m.
func Blend64(f unsafe.Pointer, to, from, m uint32) {
	if bits.OnesCount32(m) > sparse {
		select64(f, to, from, to, m)
		return
	}
	d, s := U64s(f, to), U64s(f, from)
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		d[i] = s[i]
	}
}

// Bit returns 1 for true and 0 for false.
func Bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// Canon returns x, or the NaN that single-precision instructions return on NVIDIA hardware where x is a NaN.
func Canon(x float32) float32 {
	if x != x {
		return math.Float32frombits(0x7fffffff)
	}
	return x
}

// canonLanes applies Canon to lanes from to to-1 of a row.
func canonLanes(d *[32]float32, from, to int) {
	for i := from; i < to; i++ {
		d[i] = Canon(d[i])
	}
}

// flush is .ftz: a subnormal number becomes zero and keeps its sign. The function has no branch.
func flush(x float32) float32 {
	u := math.Float32bits(x)
	subnormal := uint32(int32(u&0x7f800000-1) >> 31) // all ones when the exponent is zero
	return math.Float32frombits(u &^ (subnormal & 0x7fffffff))
}

// hFmaF32 is fma.rn.f32. fmaRow leaves out groups of 8 lanes in which it could round twice.
func hFmaF32(f unsafe.Pointer, in *Inst, to uint32) { FmaOdd(f, in, to, fmaRow(f, in, to)) }

// FmaOdd computes the groups of 8 lanes that fmaRow has left out. Bit i of odd is group i.
func FmaOdd(f unsafe.Pointer, in *Inst, to, odd uint32) {
	for ; odd != 0; odd &= odd - 1 {
		lane := 8 * bits.TrailingZeros32(odd)
		row := func(off uint32) *[32]float32 { return (*[32]float32)(unsafe.Add(f, off)) }
		fmaExact(row(to), row(in.A), row(in.B), row(in.C), lane, lane+8)
	}
}

// fmaExact is fma.rn.f32 for lanes from to to-1, where rounding the sum to float64 first could round twice.
func fmaExact(d, a, b, c *[32]float32, from, to int) {
	for i := from; i < to; i++ {
		d[i] = Canon(num.FmaF32(a[i], b[i], c[i]))
	}
}

// The handlers of selp, which need no arithmetic.

func hSelp32(f unsafe.Pointer, in *Inst, to uint32) { select32(f, to, in.A, in.B, *Pred(f, in.C)) }

func hSelp64(f unsafe.Pointer, in *Inst, to uint32) { select64(f, to, in.A, in.B, *Pred(f, in.C)) }
