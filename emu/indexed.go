package emu

import (
	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/emu/texture"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// address is the address of an operand that names a variable.
func (l *lowerer) address(op ptx.Operand, t isa.Type, generic bool) row.Operand {
	scale := int64(1)
	if op.Var.Type.Class() == isa.Opaque {
		scale = texture.EncodedSize / int64(op.Var.Type.Bytes())
	}
	at := l.varAddr(op.Var, op.Off()*scale, t, generic)
	if op.Reg == nil {
		return at
	}
	x := machine.Indexed{Array: at, Number: l.reg(op.Reg, op.Elem), Sum: at, Stride: uint64(op.Var.Stride() * scale),
		Type: op.Reg.Type}
	x.Sum.Off = l.reserve(row.Row64)
	l.indexed = append(l.indexed, x)
	return x.Sum
}

// indexArrays wraps the instructions that index arrays: they compute the addresses first.
func indexArrays(p *machine.Program) {
	for _, x := range p.Indexed {
		in := &p.Code[x.PC]
		x.Inner = *in
		in.Op, in.How, in.X = machine.OpIndexed, 0, &machine.Extra{Indexing: x}
	}
}
