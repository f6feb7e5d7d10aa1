package emu

import (
	"strings"

	"warpscope/emu/num"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// lowerVideo lowers the video instructions (9.7.20).
func lowerVideo(l *lowerer) bool {
	ops, b := l.in.Operands, l.in.Match
	mnemonic, _, _ := strings.Cut(l.in.Opcode, ".")
	v := &num.Video{Mnemonic: mnemonic, Types: b.Types, Mods: b.Mods,
		Dst: ops[0].Sel(), A: ops[1].Sel(), B: ops[2].Sel(), NegateA: ops[1].Neg, NegateB: ops[2].Neg}
	c := ptx.Operand{Kind: ptx.OpImm, ImmType: isa.U64, Elem: -1}
	if len(ops) > 3 {
		c, v.NegateC = ops[3], ops[3].Neg
	}
	var s [3]row.Operand
	for i, op := range []ptx.Operand{ops[1], ops[2], c} {
		op.Neg = false // it is part of the operation
		s[i] = l.src(op, isa.U32)
	}
	return l.pure(threeSources(v.Build(), l.dst(ops[0]), s[0], s[1], s[2]))
}
