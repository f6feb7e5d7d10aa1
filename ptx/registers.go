package ptx

import "warpscope/ptx/isa"

// EachRegister calls do for each register in operands, those within lists and addresses included.
func EachRegister(ops []Operand, do func(op *Operand)) {
	for i := range ops {
		op := &ops[i]
		if op.Reg != nil {
			do(op)
		}
		if EachRegister(op.List(), do); op.Second() != nil {
			EachRegister([]Operand{*op.Second()}, do)
		}
	}
}

// EachRead calls do for each register that an instruction reads: its guard, its addresses and its other operands,
// accumulators included.
func (in *Inst) EachRead(do func(op *Operand)) {
	if g := in.Guard; g != nil {
		do(&Operand{Kind: OpReg, Reg: g.Reg, Elem: g.Elem})
	}
	if c := in.Call; c != nil {
		EachRegister([]Operand{c.Target}, do)
		EachRegister(c.Args, do)
	}
	slots := in.Match.Operands
	for i := range in.Operands {
		if i >= len(slots) || slots[i].Role != isa.Write {
			EachRegister(in.Operands[i:i+1], do)
		}
	}
}
