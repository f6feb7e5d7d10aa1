package emu

import (
	"unsafe"

	"warpscope/emu/row"
	"warpscope/emu/texture"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// indexing is an instruction that names elements of arrays by registers (6.4.2), with what it does to their addresses.
type indexing struct {
	pc       int
	elements []indexed
	inner    inst
}

// indexed is the address of an array's element whose number is in a register. The manual does not say how a short
// number is extended: here with its sign when the register's type is signed, else with zeros.
type indexed struct {
	array, number, sum row.Operand
	stride             uint64   // bytes from element to element
	typ                isa.Type // of the number
}

// address is the address that an operand with a variable's name stands for.
func (l *lowerer) address(op ptx.Operand, t isa.Type, generic bool) row.Operand {
	scale := int64(1)
	if op.Var.Type.Class() == isa.Opaque {
		scale = texture.EncodedSize / int64(op.Var.Type.Bytes())
	}
	at := l.varAddr(op.Var, op.Off()*scale, t, generic)
	if op.Reg == nil {
		return at
	}
	x := indexed{array: at, number: l.reg(op.Reg, op.Elem), sum: at, stride: uint64(op.Var.Stride() * scale),
		typ: op.Reg.Type}
	x.sum.Off = l.reserve(row.Row64)
	l.indexed = append(l.indexed, x)
	return x.sum
}

// indexArrays has the instructions with indexed arrays find the addresses first.
func (p *program) indexArrays() {
	for _, x := range p.indexed {
		in := &p.code[x.pc]
		x.inner = *in
		in.op, in.How, in.x = opIndexed, 0, &extra{indexing: x}
	}
}

func (w *warp) indexed(x *indexing, f unsafe.Pointer, exec Mask) action {
	for _, e := range x.elements {
		eachLane(exec, func(lane int) {
			e.sum.Set(f, lane, e.array.Get(f, lane)+e.typ.Extend(e.number.Get(f, lane))*e.stride)
		})
	}
	if x.inner.op == opHandler {
		x.inner.partial(f, exec)
		return actNext
	}
	return w.special(&x.inner, f, exec)
}
