package emu

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"warpscope/emu/matrix"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// wgmma: products of four warps (9.7.15). Each warp has 16 of the 64 rows of A and D in fragments like those of mma, and
// B is in shared memory, so a warp can do its part alone.
//
// A product may be computed at any time until the warp has waited for its group. Here that is as late as possible, in
// wgmma.wait_group, where shared memory and the fragments are read and D is written: a program that does not wait, or
// changes its matrices too early, sees a wrong result every time. A missing wgmma.fence is a finding; see
// matrix_hazard.go. Descriptors, metadata and scale-d are read at once.

// groupProduct is wgmma.mma_async, the part of one warp.
type groupProduct struct {
	product
	descA, descB   row.Operand
	inMemory       bool // A
	transA, transB bool
	negA, negB     bool
	scaleD         row.Operand
	holdsD, holdsA []int32 // registers, see heldRegs
}

// lowerWgmma lowers all instructions of that name.
func lowerWgmma(l *lowerer) bool {
	var run func(*warp, *inst, unsafe.Pointer, Mask) bool
	switch {
	case l.has(".mma_async"):
		return lowerGroupProduct(l)
	case l.has(".fence"):
		run = (*warp).groupFence
	case l.has(".commit_group"):
		run = func(w *warp, in *inst, _ unsafe.Pointer, exec Mask) bool {
			for i := range w.late {
				w.late[i].age++
			}
			return w.whole(in, exec)
		}
	default:
		pending := int(min(l.in.Operands[0].Imm, math.MaxInt32))
		run = func(w *warp, in *inst, _ unsafe.Pointer, exec Mask) bool {
			w.doLate(func(l *late) bool { return l.kind == lateProduct && l.age > pending })
			return w.whole(in, exec)
		}
	}
	l.i.op, l.i.x = opRun, &extra{run: run}
	return true
}

// groupUse is what a warp has done with wgmma.
type groupUse struct {
	fences   int64   // wgmma.fence that it has executed
	products int64   // that it has issued with wgmma.mma_async
	users    []*inst // of registers of products, since the last wgmma.fence; see heldRegs
}

func (u groupUse) clone() groupUse {
	u.users = slices.Clone(u.users)
	return u
}

// groupFence is wgmma.fence (9.7.15.7.1). All warps of a warpgroup execute it, as they do the products behind it, none of
// which is complete before all have come. So they meet here: one that has waited for a product may let its matrices be
// overwritten, and a warp that was still to look at the mbarrier of these would miss a phase.
func (w *warp) groupFence(in *inst, _ unsafe.Pointer, exec Mask) bool {
	if !w.whole(in, exec) {
		return false
	}
	w.wgmma.fences++
	clear(w.wgmma.users)
	w.cta.grid.state.progress = true
	if w.aheadOfGroup() {
		w.waitAt(AtGroup, in, exec)
	}
	w.cta.settleGroups()
	return true
}

// aheadOfGroup says whether another warp of the warpgroup has executed fewer fences.
func (w *warp) aheadOfGroup() bool {
	first := w.index &^ 3
	return slices.ContainsFunc(w.cta.warps[first:min(first+4, len(w.cta.warps))], func(p *warp) bool {
		return !p.Ended && p.wgmma.fences < w.wgmma.fences
	})
}

// settleGroups lets warps go on whose warpgroups have met.
func (c *cta) settleGroups() {
	for _, w := range c.warps {
		if w.wgmma.fences > 0 && !w.aheadOfGroup() {
			w.endWaits(func(o *waiting) bool { return o.at == AtGroup })
		}
	}
}

// named is the operand with that name in the instruction's syntax.
//
//go:noinline
func (l *lowerer) named(name string) (ptx.Operand, bool) {
	for i, o := range l.in.Match.Operands {
		if o.Name == name && i < len(l.in.Operands) && l.in.Operands[i].Kind != ptx.OpMissing {
			return l.in.Operands[i], true
		}
	}
	return ptx.Operand{}, false
}

func lowerGroupProduct(l *lowerer) bool {
	_, n, k := l.in.Match.Shape()
	dt, at, bt, _ := l.in.Match.MatrixTypes()
	p := &groupProduct{}
	p.dot = lowerDot(l, dt, at, dt)
	stored := k
	if meta, ok := l.named("sp-meta"); ok {
		selector, _ := l.named("sp-sel")
		stored = k / 2
		p.sparsity = lowerSparsity(l, at, stored, meta, selector)
	}
	var okA, okB bool
	p.a, okA = lowerMultiplicand(l, at, 16, stored, true)
	p.b, okB = lowerMultiplicand(l, bt, n, k, false)
	p.d = accumulator(dt, 16, n, false)
	if !okA || !okB {
		return false
	}
	d, _ := l.named("d")
	p.d.hold(l.registers(d, 32, true))
	p.c = p.d
	if a, has := l.named("a"); has {
		p.a.hold(l.registers(a, 32, false))
	} else {
		desc, _ := l.named("a-desc")
		p.descA, p.inMemory = l.src(desc, isa.B64), true
	}
	desc, _ := l.named("b-desc")
	p.descB = l.src(desc, isa.B64)
	scale, _ := l.named("scale-d")
	p.scaleD = l.src(scale, isa.Pred)
	p.negA, p.negB = l.chosen("imm-scale-a") < 0, l.chosen("imm-scale-b") < 0
	p.transA, p.transB = l.chosen("imm-trans-a") > 0, l.chosen("imm-trans-b") > 0
	l.prog.proxies = true
	l.i.op, l.i.x = opRun, &extra{group: p, run: p.issue}
	return true
}

// chosen is the value of an operand that is a constant; 0 when it is not there.
func (l *lowerer) chosen(name string) int64 {
	op, _ := l.named(name)
	return int64(op.Imm)
}

// issue notes a product. Descriptors that lead out of shared memory are a fault.
func (p *groupProduct) issue(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
	if !w.whole(in, exec) {
		return false
	}
	if w.index|3 >= len(w.cta.warps) {
		return illegal(w, in, exec, ": `%s` needs four warps, of which the first has a number that is a multiple of 4; "+
			"warp %d is in no such group", in.src.Opcode, w.index)
	}
	if w.wgmma.fences > 0 {
		w.checkFence(in)
	} else {
		w.note(in, causeFence,
			fmt.Sprintf("`%s` in warp %d: wgmma.fence must come before the first product, and after other "+
				"instructions have used its registers", in.src.Opcode, w.index))
	}
	w.wgmma.products++
	n := issuedProduct{groupProduct: p, accumulate: p.scaleD.Get(f, 0) != 0, in: in, number: w.wgmma.products}
	var ok bool
	if n.columns, ok = p.sparsity.columns(w, in, f); !ok {
		return false
	}
	n.b = matrix.Wgmma(p.descB.Get(f, 0), p.b.Bits, p.transB)
	at, bad := n.b.Outside(w.cta.sharedSize, 0, p.b.Rows, p.b.Cols)
	if p.inMemory && !bad {
		n.a = matrix.Wgmma(p.descA.Get(f, 0), p.a.Bits, p.transA)
		at, bad = n.a.Outside(w.cta.sharedSize, 0, groupRows, p.a.Cols)
	}
	if bad {
		w.lsu.memoryFault(in, &access{space: ptx.SharedSpace}, OutOfBounds, Addr(at), max(p.b.Bits/8, 1), exec)
		return false
	}
	if !n.shared(w) {
		for _, part := range n.parts(w) {
			w.checkMatrix(in, 0, part)
		}
	}
	w.postpone(late{kind: lateProduct, do: n.make, reads: &productReads{in: in, product: n}})
	w.cta.grid.flying++ // loads and stores look closer from now on
	return true
}

// issuedProduct is a product with the operands that were read when it was issued.
type issuedProduct struct {
	*groupProduct
	a, b       matrix.Descriptor
	accumulate bool
	columns    []uint8 // of the stored elements of a sparse A
	in         *inst
	number     int64 // products that the warp has issued
}

// parts are what a warp's product needs of shared memory.
func (n *issuedProduct) parts(w *warp) []smemRead {
	p := n.groupProduct
	list := []smemRead{{n.b, 0, p.b.Rows, p.b.Cols}}
	if p.inMemory {
		list = append(list, smemRead{n.a, w.index % 4 * 16, 16, p.a.Cols})
	}
	return list
}

// groupRows is how many rows of A a warpgroup has.
const groupRows = 64

// groupReads is what a product has read from shared memory: the first warp of a warpgroup that waits for it reads for
// all four, since the product is one operation, and is complete for all of them then (9.7.15.7.3).
type groupReads struct {
	first int // warp of the group
	of    issuedProduct
	a, b  []uint64
	left  uint8 // warps that are still to take it
}

func (r *groupReads) cost() int64 { return sizeOf(r) + sliceBytes(r.a) + sliceBytes(r.b) }

// maxGroupReads bounds how far a warp can be ahead of the others of its warpgroup; beyond it, each reads for itself.
const maxGroupReads = 64

// is says whether a warp's product is this one.
func (r *groupReads) is(n *issuedProduct, w *warp) bool {
	return r.first == w.index&^3 && r.of.number == n.number && r.of.in == n.in && r.of.a == n.a && r.of.b == n.b
}

// shared says whether another warp has read already what a product reads.
func (n *issuedProduct) shared(w *warp) bool {
	return slices.ContainsFunc(w.cta.groupReads, func(r groupReads) bool { return r.is(n, w) })
}

// matrices reads A, all of it, and B, or takes what another warp has read.
func (n *issuedProduct) matrices(w *warp) (a, b []uint64) {
	p, c, self := n.groupProduct, w.cta, uint8(1)<<(w.index&3)
	c.groupReads = slices.DeleteFunc(c.groupReads, func(r groupReads) bool {
		if r.is(n, w) {
			a, b = r.a, r.b
		}
		return r.first == w.index&^3 && r.of.number <= n.number && r.left&^self == 0
	})
	for i := range c.groupReads {
		if r := &c.groupReads[i]; r.first == w.index&^3 && r.of.number <= n.number {
			r.left &^= self
		}
	}
	if b != nil {
		return a, b
	}
	if b = make([]uint64, p.b.Rows*p.b.Cols); p.inMemory {
		a = make([]uint64, groupRows*p.a.Cols)
		n.a.Read(c.sharedBytes(), 0, groupRows, p.a.Cols, a)
	}
	n.b.Read(c.sharedBytes(), 0, p.b.Rows, p.b.Cols, b)
	if len(c.groupReads) < maxGroupReads {
		r := groupReads{first: w.index &^ 3, of: *n, a: a, b: b}
		for i, other := range c.warps[r.first:][:4] {
			if other != w && !other.Ended && other.wgmma.products-other.pendingProducts() < n.number {
				r.left |= 1 << i
			}
		}
		if r.left != 0 {
			c.groupReads = append(slices.Clip(c.groupReads), r)
		}
	}
	return a, b
}

// pendingProducts is how many of the products that a warp has issued are still to be made.
func (w *warp) pendingProducts() (n int64) {
	for i := range w.late {
		n += int64(row.Bit(w.late[i].kind == lateProduct))
	}
	return n
}

// make computes the product.
func (n issuedProduct) make(w *warp, f unsafe.Pointer) {
	p := n.groupProduct
	var a [matrix.MaxA]uint64
	c := make([]uint64, p.c.Rows*p.c.Cols)
	rows, b := n.matrices(w)
	if b = slices.Clone(b); p.inMemory {
		copy(a[:], rows[w.index%4*16*p.a.Cols:][:16*p.a.Cols])
	} else {
		p.a.read(f, a[:])
	}
	if n.accumulate {
		p.c.read(f, c)
	}
	p.a.Values(a[:])
	p.b.Values(b)
	if p.negA {
		matrix.Negate(a[:p.a.Rows*p.a.Cols])
	}
	if p.negB {
		matrix.Negate(b)
	}
	p.multiply(a[:], b, c, n.columns)
	p.d.write(f, c)
}
