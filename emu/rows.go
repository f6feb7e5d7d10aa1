package emu

import (
	"math"
	"math/bits"
	"unsafe"

	"warpscope/emu/num"
)

// row32s and row64s view a row of a frame.
func row32s(f unsafe.Pointer, off uint32) *[32]uint32 { return (*[32]uint32)(unsafe.Add(f, off)) }
func row64s(f unsafe.Pointer, off uint32) *[32]uint64 { return (*[32]uint64)(unsafe.Add(f, off)) }
func predAt(f unsafe.Pointer, off uint32) *uint32     { return (*uint32)(unsafe.Add(f, off)) }

// get reads an operand in one lane: the register's bits that the instruction's type covers.
func (o *operand) get(f unsafe.Pointer, lane int) uint64 {
	switch {
	case o.bits == 1:
		return uint64(o.lanes(f)>>lane) & 1
	case o.wide():
		return row64s(f, o.off)[lane] & o.mask
	}
	return uint64(row32s(f, o.off)[lane]) & o.mask
}

// set writes an operand in one lane, cut to the register's width.
func (o *operand) set(f unsafe.Pointer, lane int, v uint64) {
	switch {
	case o.sink:
	case o.bits == 1:
		p := predAt(f, o.off)
		*p = *p&^(1<<lane) | uint32(v&1)<<lane
	case o.wide():
		row64s(f, o.off)[lane] = v
	case o.bits == 32:
		row32s(f, o.off)[lane] = uint32(v)
	default:
		row32s(f, o.off)[lane] = uint32(v) & (1<<o.bits - 1)
	}
}

// hi is the place of the upper half of a 128-bit operand.
func (o operand) hi() operand {
	o.off += row64
	o.bits = 64
	return o
}

// lanes reads a predicate operand as a mask of lanes.
func (o *operand) lanes(f unsafe.Pointer) uint32 {
	p := *predAt(f, o.off)
	if o.neg {
		p = ^p
	}
	return p
}

// setLanes writes a predicate operand in the lanes of exec.
func (o *operand) setLanes(f unsafe.Pointer, exec Mask, v uint32) {
	if o.sink {
		return
	}
	p := predAt(f, o.off)
	*p = *p&^uint32(exec) | v&uint32(exec)
}

// rowInst is what executing an instruction in rows needs of it.
type rowInst struct {
	handler    handler // operations[number].run
	number     uint16  // what it computes, by its number in emu/handlers
	width      uint8   // of d when only some lanes take the result: 1 32-bit row, 2 64-bit row; 0: the handler sees to it
	row        uint8   // how runRows executes it
	d, a, b, c uint32  // offsets of operands in the frame; loads and stores: see lowerer.row
}

// allLanes is the mask of a warp whose lanes all execute.
const allLanes = 1<<32 - 1

// partial runs a handler when perhaps only some lanes may take its result. The scratch row is part of the state: who
// writes it must not depend on where a run was interrupted.
func (in *rowInst) partial(f unsafe.Pointer, exec uint32) {
	if in.width == 0 || exec == allLanes {
		in.handler(f, in, in.d)
		return
	}
	in.handler(f, in, scratchRow)
	switch {
	case bits.OnesCount32(exec) <= sparse:
		blendFew(f, in, exec)
	case in.width == 1:
		select32(f, in.d, scratchRow, in.d, exec)
	default:
		select64(f, in.d, scratchRow, in.d, exec)
	}
}

// blendFew takes the scratch row's values in a few lanes.
func blendFew(f unsafe.Pointer, in *rowInst, exec uint32) {
	if in.width == 1 {
		blend32(f, in.d, scratchRow, exec)
	} else {
		blend64(f, in.d, scratchRow, exec)
	}
}

// sparse is the number of lanes up to which a blend visits lanes one by one.
const sparse = 6

// blend32 and blend64 move row from to row to in the lanes of m.
func blend32(f unsafe.Pointer, to, from, m uint32) {
	if bits.OnesCount32(m) > sparse {
		select32(f, to, from, to, m)
		return
	}
	d, s := row32s(f, to), row32s(f, from)
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		d[i] = s[i]
	}
}

func blend64(f unsafe.Pointer, to, from, m uint32) {
	if bits.OnesCount32(m) > sparse {
		select64(f, to, from, to, m)
		return
	}
	d, s := row64s(f, to), row64s(f, from)
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		d[i] = s[i]
	}
}

func b2u(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// canon gives the NaN that single-precision instructions return on NVIDIA hardware.
func canon(x float32) float32 {
	if x != x {
		return math.Float32frombits(0x7fffffff)
	}
	return x
}

// canonLanes does so for some lanes of a row.
func canonLanes(d *[32]float32, from, to int) {
	for i := from; i < to; i++ {
		d[i] = canon(d[i])
	}
}

// flush is .ftz: subnormals become zero and keep their sign. It has no branch.
func flush(x float32) float32 {
	u := math.Float32bits(x)
	subnormal := uint32(int32(u&0x7f800000-1) >> 31) // all ones when the exponent is zero
	return math.Float32frombits(u &^ (subnormal & 0x7fffffff))
}

// hFmaF32 is fma.rn.f32: fmaRow leaves out groups of 8 lanes where rounding twice may be wrong.
func hFmaF32(f unsafe.Pointer, in *rowInst, to uint32) { fmaOdd(f, in, to, fmaRow(f, in, to)) }

// fmaOdd computes the groups that fmaRow has left out.
func fmaOdd(f unsafe.Pointer, in *rowInst, to, odd uint32) {
	for ; odd != 0; odd &= odd - 1 {
		lane := 8 * bits.TrailingZeros32(odd)
		row := func(off uint32) *[32]float32 { return (*[32]float32)(unsafe.Add(f, off)) }
		fmaExact(row(to), row(in.a), row(in.b), row(in.c), lane, lane+8)
	}
}

// fmaExact is fma.rn.f32 for some lanes where rounding the sum in float64 first may round twice.
func fmaExact(d, a, b, c *[32]float32, from, to int) {
	for i := from; i < to; i++ {
		d[i] = canon(num.FmaF32(a[i], b[i], c[i]))
	}
}

// The handlers of selp, which need no arithmetic.

func hSelp32(f unsafe.Pointer, in *rowInst, to uint32) { select32(f, to, in.a, in.b, *predAt(f, in.c)) }

func hSelp64(f unsafe.Pointer, in *rowInst, to uint32) { select64(f, to, in.a, in.b, *predAt(f, in.c)) }
