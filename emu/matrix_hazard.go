package emu

import (
	"fmt"
	"slices"

	"warpscope/emu/causes"
	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// markHeld numbers the registers of the function's products, and marks the instructions that use them.
func markHeld(l *lowerer) {
	numbers, held := map[uint32]int32{}, &l.prog.Held
	number := func(regs []row.Operand, ops []ptx.Operand) (list []int32) {
		for i, r := range regs {
			if r.Sink {
				continue
			}
			n, ok := numbers[r.Off]
			if !ok {
				n = int32(len(held.Names))
				numbers[r.Off], held.Names = n, append(held.Names, ops[i].Reg.Name)
			}
			list = append(list, n)
		}
		return list
	}
	body := l.prog.Code[l.fn.Start:l.fn.End]
	for i := range body {
		if p := body[i].Product(); p != nil {
			l.in = body[i].Src
			d, _ := l.named("d")
			p.HoldsD = number(p.D.Regs, elements(d))
			if a, ok := l.named("a"); ok {
				p.HoldsA = number(p.A.Regs, elements(a))
			}
		}
	}
	if len(numbers) == 0 {
		return
	}
	for i := range body {
		if in := &body[i]; in.Product() == nil {
			var list []int32
			ptx.EachRegister(in.Src.Operands, func(op *ptx.Operand) {
				if n, ok := numbers[l.slots[machine.SlotKey{Reg: op.Reg, Elem: op.Elem}].Off]; ok {
					list = append(list, n)
				}
			})
			if in.Held = list != nil; in.Held {
				held.Users[l.fn.Start+int32(i)] = list
			}
		}
	}
}

// checkFence notes a product that uses registers which other instructions have used since the last wgmma.fence.
func checkFence(w *machine.Warp, in *machine.Inst) {
	p := in.X.Group
	check := func(list []int32, isD bool) {
		for _, n := range list {
			if w.Wgmma.Users != nil && w.Wgmma.Users[n] != nil && !ordersOf(w.Wgmma.Users[n], in, n, isD) {
				g, last := w.CTA.Grid, w.Wgmma.Users[n]
				w.NoteWith(in, causes.Fence, last,
					fmt.Sprintf("`%s` in warp %d uses %s, and so did `%s` of line %d: wgmma.fence must "+
						"come between them", in.Src.Opcode, w.Index, g.Prog.Held.Names[n], last.Src.Opcode, g.Position(last.Src).Line))
				break
			}
		}
	}
	check(p.HoldsA, false)
	check(p.HoldsD, true)
	for _, n := range p.HoldsA {
		machine.NoteProductUse(w, n, in)
	}
	for _, n := range p.HoldsD {
		machine.NoteProductUse(w, n, in)
	}
}

// ordersOf says whether two uses of a register need no fence between them. Either both are products of the same shape
// that add to it, or both are products that only read it.
func ordersOf(in *machine.Inst, next *machine.Inst, n int32, isD bool) bool {
	p := in.Product()
	if p == nil {
		return false
	}
	wasD := slices.Contains(p.HoldsD, n)
	_, n1, k1 := in.Src.Match.Shape()
	_, n2, k2 := next.Src.Match.Shape()
	return wasD == isD && (!isD || n1 == n2 && k1 == k2)
}
