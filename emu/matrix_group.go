package emu

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"warpscope/emu/causes"
	"warpscope/emu/machine"
	"warpscope/emu/matrix"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// lowerWgmma lowers all wgmma instructions (9.7.17).
func lowerWgmma(l *lowerer) bool {
	switch {
	case l.has(".mma_async"):
		return lowerGroupProduct(l)
	case l.has(".fence"):
		return l.runs(groupFence)
	case l.has(".commit_group"):
		return l.runs(func(w *machine.Warp, in *machine.Inst, _ unsafe.Pointer, exec Mask) bool {
			for i := range w.Late {
				w.Late[i].Age++
			}
			return wholeWarp(w, in, exec)
		})
	}
	pending := int(min(l.in.Operands[0].Imm, math.MaxInt32)) // .wait_group
	return l.runs(func(w *machine.Warp, in *machine.Inst, _ unsafe.Pointer, exec Mask) bool {
		w.DoLate(func(l *machine.Late) bool { return l.Kind == machine.LateProduct && l.Age > pending })
		return wholeWarp(w, in, exec)
	})
}

// groupFence is wgmma.fence (9.7.17.7.1). All warps of a warpgroup execute it, and the products after it. A product is
// not complete before all of them have issued it, so the warps wait for each other here. Otherwise a warp that has
// waited for a product could let its matrices be overwritten, and a warp that has yet to test the mbarrier of these
// matrices would miss a phase.
func groupFence(w *machine.Warp, in *machine.Inst, _ unsafe.Pointer, exec Mask) bool {
	if !wholeWarp(w, in, exec) {
		return false
	}
	w.Wgmma.Fences++
	clear(w.Wgmma.Users)
	w.CTA.Grid.State.Progress = true
	if w.AheadOfGroup() {
		w.WaitAt(AtGroup, in, exec)
	}
	w.CTA.SettleGroups()
	return true
}

func lowerGroupProduct(l *lowerer) bool {
	_, n, k := l.in.Match.Shape()
	dt, at, bt, _ := l.in.Match.MatrixTypes()
	p := &machine.GroupProduct{}
	p.Dot = lowerDot(l, dt, at, dt)
	stored := k
	if meta, ok := l.named("sp-meta"); ok {
		selector, _ := l.named("sp-sel")
		stored = k / 2
		p.Sparsity = lowerSparsity(l, at, stored, meta, selector)
	}
	var okA, okB bool
	p.A.Fragment, okA = multiplicand(l.in.Match, at, 16, stored, true)
	p.B.Fragment, okB = multiplicand(l.in.Match, bt, n, k, false)
	p.D.Fragment = accumulator(dt, 16, n, false)
	if !okA || !okB {
		return false
	}
	d, _ := l.named("d")
	hold(&p.D, l.registers(d, 32, true))
	p.C = p.D
	if a, has := l.named("a"); has {
		hold(&p.A, l.registers(a, 32, false))
	} else {
		desc, _ := l.named("a-desc")
		p.DescA, p.InMemory = l.src(desc, isa.B64), true
	}
	desc, _ := l.named("b-desc")
	p.DescB = l.src(desc, isa.B64)
	scale, _ := l.named("scale-d")
	p.ScaleD = l.src(scale, isa.Pred)
	p.NegA, p.NegB = l.chosen("imm-scale-a") < 0, l.chosen("imm-scale-b") < 0
	p.TransA, p.TransB = l.chosen("imm-trans-a") > 0, l.chosen("imm-trans-b") > 0
	l.prog.Proxies = true
	l.runs(bound(issue, p))
	l.i.X.Group = p
	return true
}

// chosen is the value of a constant operand, or 0 if the instruction does not have it.
func (l *lowerer) chosen(name string) int64 {
	op, _ := l.named(name)
	return int64(op.Imm)
}

// issue adds a product to those under way. A descriptor that leads out of shared memory is a fault.
func issue(p *machine.GroupProduct, w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	if !wholeWarp(w, in, exec) {
		return false
	}
	if w.Index|3 >= len(w.CTA.Warps) {
		return machine.Illegal(w, in, exec, ": `%s` needs four warps, of which the first has a number that is a multiple of "+
			"4; "+
			"warp %d is in no such group", in.Src.Opcode, w.Index)
	}
	if w.Wgmma.Fences > 0 {
		checkFence(w, in)
	} else {
		w.Note(in, causes.Fence,
			fmt.Sprintf("`%s` in warp %d: wgmma.fence must come before the first product, and after other "+
				"instructions have used its registers", in.Src.Opcode, w.Index))
	}
	w.Wgmma.Products++
	n := machine.IssuedProduct{GroupProduct: p, Accumulate: p.ScaleD.Get(f, 0) != 0, In: in, Number: w.Wgmma.Products}
	var ok bool
	if n.Columns, ok = columns(p.Sparsity, w, in, f); !ok {
		return false
	}
	n.B = matrix.Wgmma(p.DescB.Get(f, 0), p.B.Bits, p.TransB)
	at, bad := n.B.Outside(w.CTA.SharedSize, 0, p.B.Rows, p.B.Cols)
	if p.InMemory && !bad {
		n.A = matrix.Wgmma(p.DescA.Get(f, 0), p.A.Bits, p.TransA)
		at, bad = n.A.Outside(w.CTA.SharedSize, 0, groupRows, p.A.Cols)
	}
	if bad {
		w.LSU.MemoryFault(in, &machine.Access{Space: ptx.SharedSpace}, OutOfBounds, Addr(at), max(p.B.Bits/8, 1), exec)
		return false
	}
	if !sharedOfProduct(&n, w) {
		for _, part := range n.Parts(w) {
			checkMatrix(w, in, 0, part)
		}
	}
	w.Postpone(machine.Late{Kind: machine.LateProduct,
		Do:    func(w *machine.Warp, f unsafe.Pointer) { makeProduct(n, w, f) },
		Reads: &machine.ProductReads{In: in, Product: n}})
	w.CTA.Grid.Flying++ // loads and stores look for conflicts from now on
	return true
}

// groupRows is how many rows of A a warpgroup has.
const groupRows = 64

// maxGroupReads bounds how many products' matrices are kept for the slower warps of a warpgroup. When there are more,
// each warp reads for itself.
const maxGroupReads = 64

// is says whether these matrices are those of a warp's product.
func is(r *machine.GroupReads, n *machine.IssuedProduct, w *machine.Warp) bool {
	return r.First == w.Index&^3 && r.Of.Number == n.Number && r.Of.In == n.In && r.Of.A == n.A && r.Of.B == n.B
}

// sharedOfProduct says whether another warp has already read the matrices of a product.
func sharedOfProduct(n *machine.IssuedProduct, w *machine.Warp) bool {
	return slices.ContainsFunc(w.CTA.GroupReads, func(r machine.GroupReads) bool { return is(&r, n, w) })
}

// matrices reads B, and all of A if it is in memory, or takes what another warp has read.
func matrices(n *machine.IssuedProduct, w *machine.Warp) (a, b []uint64) {
	p, c, self := n.GroupProduct, w.CTA, uint8(1)<<(w.Index&3)
	c.GroupReads = slices.DeleteFunc(c.GroupReads, func(r machine.GroupReads) bool {
		if is(&r, n, w) {
			a, b = r.A, r.B
		}
		return r.First == w.Index&^3 && r.Of.Number <= n.Number && r.Left&^self == 0
	})
	for i := range c.GroupReads {
		if r := &c.GroupReads[i]; r.First == w.Index&^3 && r.Of.Number <= n.Number {
			r.Left &^= self
		}
	}
	if b != nil {
		return a, b
	}
	if b = make([]uint64, p.B.Rows*p.B.Cols); p.InMemory {
		a = make([]uint64, groupRows*p.A.Cols)
		n.A.Read(c.SharedBytes(), 0, groupRows, p.A.Cols, a)
	}
	n.B.Read(c.SharedBytes(), 0, p.B.Rows, p.B.Cols, b)
	if len(c.GroupReads) < maxGroupReads {
		r := machine.GroupReads{First: w.Index &^ 3, Of: *n, A: a, B: b}
		for i, other := range c.Warps[r.First:][:4] {
			if other != w && !other.Ended && other.Wgmma.Products-pendingProducts(other) < n.Number {
				r.Left |= 1 << i
			}
		}
		if r.Left != 0 {
			c.GroupReads = append(slices.Clip(c.GroupReads), r)
		}
	}
	return a, b
}

// pendingProducts is how many of the products that a warp has issued are not yet computed.
func pendingProducts(w *machine.Warp) (n int64) {
	for i := range w.Late {
		n += int64(row.Bit(w.Late[i].Kind == machine.LateProduct))
	}
	return n
}

// makeProduct computes the product.
func makeProduct(n machine.IssuedProduct, w *machine.Warp, f unsafe.Pointer) {
	p := n.GroupProduct
	var a [matrix.MaxA]uint64
	c := make([]uint64, p.C.Rows*p.C.Cols)
	rows, b := matrices(&n, w)
	if b = slices.Clone(b); p.InMemory {
		copy(a[:], rows[w.Index%4*16*p.A.Cols:][:16*p.A.Cols])
	} else {
		read(&p.A, f, a[:])
	}
	if n.Accumulate {
		read(&p.C, f, c)
	}
	p.A.Values(a[:])
	p.B.Values(b)
	if p.NegA {
		matrix.Negate(a[:p.A.Rows*p.A.Cols])
	}
	if p.NegB {
		matrix.Negate(b)
	}
	multiplyParts(&p.Product, a[:], b, c, n.Columns)
	write(&p.D, f, c)
}
