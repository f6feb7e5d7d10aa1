package emu

import (
	"fmt"
	"slices"

	"warpscope/emu/row"
	"warpscope/ptx"
)

// Registers of wgmma.mma_async, the fragments of D and A, have rules (9.7.15.7.1, 9.7.15.7.3): no thread uses them before
// wgmma.wait_group has waited for the product, and between another instruction that uses them and a product there is a
// wgmma.fence. Products of the same shape that add to one D need none.
//
// Instructions that use such registers are marked when the program is lowered, so that only they look.

// heldRegs are the registers of a program's products, by number, and who uses them: by pc, the instructions that are no
// products.
type heldRegs struct {
	names []string
	users map[int32][]int32
}

// markHeld numbers the registers of the function's products, and marks the instructions that use them.
func markHeld(l *lowerer) {
	numbers, held := map[uint32]int32{}, &l.prog.held
	number := func(regs []row.Operand, ops []ptx.Operand) (list []int32) {
		for i, r := range regs {
			if r.Sink {
				continue
			}
			n, ok := numbers[r.Off]
			if !ok {
				n = int32(len(held.names))
				numbers[r.Off], held.names = n, append(held.names, ops[i].Reg.Name)
			}
			list = append(list, n)
		}
		return list
	}
	body := l.prog.code[l.fn.start:l.fn.end]
	for i := range body {
		if p := body[i].product(); p != nil {
			l.in = body[i].src
			d, _ := l.named("d")
			p.holdsD = number(p.d.regs, elements(d))
			if a, ok := l.named("a"); ok {
				p.holdsA = number(p.a.regs, elements(a))
			}
		}
	}
	if len(numbers) == 0 {
		return
	}
	for i := range body {
		if in := &body[i]; in.product() == nil {
			var list []int32
			eachRegister(in.src.Operands, func(op *ptx.Operand) {
				if n, ok := numbers[l.slots[slotKey{op.Reg, op.Elem}].Off]; ok {
					list = append(list, n)
				}
			})
			if in.held = list != nil; in.held {
				held.users[l.fn.start+int32(i)] = list
			}
		}
	}
}

func eachRegister(ops []ptx.Operand, do func(op *ptx.Operand)) {
	for i := range ops {
		op := &ops[i]
		if op.Reg != nil {
			do(op)
		}
		if eachRegister(op.List(), do); op.Second() != nil {
			eachRegister([]ptx.Operand{*op.Second()}, do)
		}
	}
}

// product is wgmma.mma_async, or nil.
func (in *inst) product() *groupProduct {
	if in.x == nil {
		return nil
	}
	return in.x.group
}

// checkHeld notes an instruction at pc that uses registers of products: who comes too early, and for later products.
func checkHeld(w *warp, in *inst, pc int32) {
	list := w.cta.grid.prog.held.users[pc]
	for i := range w.late {
		l := &w.late[i]
		if l.kind != lateProduct || l.frame != w.Cur.Frame {
			continue
		}
		p := l.reads.product
		for _, n := range list {
			if slices.Contains(p.holdsD, n) || slices.Contains(p.holdsA, n) {
				tooEarlyForProduct(w, in, p.in, n)
				break
			}
		}
	}
	for _, n := range list {
		lastUseOfProduct(w, n, in)
	}
}

// tooEarlyForProduct notes the first instruction that uses a register of a product that no wait has covered.
func tooEarlyForProduct(w *warp, in, product *inst, n int32) {
	g := w.cta.grid
	at := g.position(product.src)
	if slices.ContainsFunc(g.findings, func(f noted) bool { return f.cause == causeEarly && f.Other == at }) {
		return
	}
	w.noteWith(in, causeEarly, product, fmt.Sprintf("`%s` in warp %d uses %s, a register of `%s` of line %d: before "+
		"wgmma.wait_group has waited for its group, that is undefined", in.src.Opcode, w.index, g.prog.held.names[n],
		product.src.Opcode, at.Line))
}

func lastUseOfProduct(w *warp, n int32, in *inst) {
	if w.wgmma.users == nil {
		w.wgmma.users = make([]*inst, len(w.cta.grid.prog.held.names))
	}
	w.wgmma.users[n] = in
}

// checkFence notes a product that uses registers which others have used since the last wgmma.fence.
func (w *warp) checkFence(in *inst) {
	p := in.x.group
	check := func(list []int32, isD bool) {
		for _, n := range list {
			if w.wgmma.users != nil && w.wgmma.users[n] != nil && !w.wgmma.users[n].orders(in, n, isD) {
				g, last := w.cta.grid, w.wgmma.users[n]
				w.noteWith(in, causeFence, last,
					fmt.Sprintf("`%s` in warp %d uses %s, and so did `%s` of line %d: wgmma.fence must "+
						"come between them", in.src.Opcode, w.index, g.prog.held.names[n], last.src.Opcode, g.position(last.src).Line))
				break
			}
		}
	}
	check(p.holdsA, false)
	check(p.holdsD, true)
	for _, n := range p.holdsA {
		lastUseOfProduct(w, n, in)
	}
	for _, n := range p.holdsD {
		lastUseOfProduct(w, n, in)
	}
}

// orders says whether a use of a register needs no fence before another product's: both are products that add to it, of
// the same shape, or both only read it.
func (in *inst) orders(next *inst, n int32, isD bool) bool {
	p := in.product()
	if p == nil {
		return false
	}
	wasD := slices.Contains(p.holdsD, n)
	_, n1, k1 := in.src.Match.Shape()
	_, n2, k2 := next.src.Match.Shape()
	return wasD == isD && (!isD || n1 == n2 && k1 == k2)
}
