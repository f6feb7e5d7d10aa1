package machine

import (
	"unsafe"

	"warpscope/emu/row"
	"warpscope/ptx/isa"
)

// Indexing is an instruction that names elements of arrays by registers (6.4.2), with what computes their addresses.
type Indexing struct {
	PC       int       // of the instruction
	Elements []Indexed // addresses that are computed first
	Inner    Inst      // what is executed then
}

// Indexed is the address of an array's element whose number is in a register. The manual does not say how a short
// number is extended: here with its sign when the register's type is signed, else with zeros.
type Indexed struct {
	Array, Number, Sum row.Operand
	Stride             uint64   // bytes from element to element
	Type               isa.Type // of the number
}

// indexed computes the addresses of the elements, then executes the instruction.
func (w *Warp) indexed(x *Indexing, f unsafe.Pointer, exec Mask) action {
	for _, e := range x.Elements {
		EachLane(exec, func(lane int) {
			e.Sum.Set(f, lane, e.Array.Get(f, lane)+e.Type.Extend(e.Number.Get(f, lane))*e.Stride)
		})
	}
	if x.Inner.Op == OpHandler {
		x.Inner.partial(f, exec)
		return actNext
	}
	return w.special(&x.Inner, f, exec)
}
