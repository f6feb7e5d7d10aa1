package emu

import (
	"fmt"
	"math/bits"
	"unsafe"

	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// pairGroup makes an instruction work on both CTAs of a pair.
const pairGroup = ".cta_group::2"

// partner is the other CTA of the pair: their ranks differ in the last bit (9.7.16.5.1). It is nil when the cluster has
// none or it has ended.
func (c *cta) partner() *cta { return c.peer(c.rank() ^ 1) }

// group is the CTA, or the pair with the even one first.
func (c *cta) group(pair bool) []*cta {
	p := (*cta)(nil)
	if pair {
		p = c.partner()
	}
	switch {
	case p == nil:
		return []*cta{c}
	case c.rank()&1 != 0:
		return []*cta{p, c}
	}
	return []*cta{c, p}
}

// eachOf does something in the CTA, or in both of the pair.
func eachOf(pair bool, do func(c *cta)) func(c *cta) {
	return func(c *cta) {
		for _, p := range c.group(pair) {
			do(p)
		}
	}
}

// sameTensor says whether operations work on the tensor memory of one CTA, or of one pair.
func (g *Grid) sameTensor(a, b *asyncOp) bool {
	return a.cta == b.cta || (a.pair || b.pair) && g.cta(a.cta).partner() == g.cta(b.cta)
}

// grouped says whether the CTAs are there that .cta_group names; that they are not is a fault. All tcgen05 instructions
// of a kernel have the same .cta_group.
func (w *warp) grouped(in *inst, exec Mask, pair bool) bool {
	n := 1 + uint8(row.Bit(pair))
	if t := &w.cta.tensor; t.group != n {
		if t.group != 0 {
			w.note(in, causeGroup,
				fmt.Sprintf("`%s` has .cta_group::%d, and the one before had .cta_group::%d: all tcgen05 "+
					"instructions of a kernel must have the same", in.src.Opcode, n, t.group))
		}
		t.group = n
	}
	if !pair || w.cta.partner() != nil {
		return true
	}
	return illegal(w, in, exec, ": `%s` works on a pair of CTAs, but the cluster has no CTA of rank %d, or it has ended",
		in.src.Opcode, w.cta.rank()^1)
}

// tensorAlloc is tcgen05.alloc, .dealloc and .relinquish_alloc_permit (9.7.16.7.1). An allocation waits for free
// columns. With .cta_group::2 each "could block" until a warp of the other CTA does the same (9.7.16.5): here it always
// does, so that a program that must not rely on the opposite (Table 48) stops every time.
type tensorAlloc struct {
	does    string // the second part of the opcode
	pair    bool
	columns row.Operand
	addr    row.Operand // .dealloc
}

func lowerTensorAlloc(l *lowerer) bool {
	v := &tensorAlloc{does: l.first(".alloc", ".dealloc", ".relinquish_alloc_permit"), pair: l.has(pairGroup)}
	x := &extra{tensor: v, run: v.run}
	if count, ok := l.named("nCols"); ok {
		v.columns = l.src(count, isa.U32)
	}
	if taddr, ok := l.named("taddr"); ok {
		v.addr = l.src(taddr, isa.U32)
	}
	if dst, ok := l.named("dst"); ok {
		x.mem = l.access(dst, isa.B32, true)
	}
	l.i.op, l.i.x = opRun, x
	return true
}

// run checks the operands, and waits until it can be done.
func (v *tensorAlloc) run(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
	if !w.whole(in, exec) || !w.grouped(in, exec, v.pair) {
		return false
	}
	t := &w.cta.tensor
	if v.does != ".relinquish_alloc_permit" &&
		!w.uniform(in, "number of columns", func(lane int) uint64 { return v.columns.Get(f, lane) }) {
		return false
	}
	switch n := int(v.columns.Get(f, 0)); v.does {
	case ".alloc":
		if t.relinquished {
			return illegal(w, in, exec, ": the CTA has given up the right to allocate (tcgen05.relinquish_alloc_permit)")
		}
		if n < tensorUnit || n > tensorColumns || bits.OnesCount(uint(n)) != 1 {
			return illegal(w, in, exec, ": %s: tensor memory comes in powers of two from 32 to 512 columns",
				ptx.Plural(n, "column"))
		}
		if !w.uniform(in, "address", func(lane int) uint64 { return laneAddr(in.x.mem, f, lane) }) {
			return false
		}
		off, ok := v.slot(w, in, f)
		if !ok {
			return false
		}
		if ownerOfShared(w.cta.grid, off) != w.cta { // "the address window of .shared::cta"
			w.lsu.memoryFault(in, in.x.mem, IllegalAddress, laneAddr(in.x.mem, f, 0), 4, exec)
			return false
		}
		if t.asked > 0 && n > t.asked {
			w.note(in, causeTensor,
				fmt.Sprintf("`%s` asks for %d columns after %d: the number of columns does not increase between "+
					"the allocations of a CTA", in.src.Opcode, n, t.asked))
		}
		t.asked = n
	case ".dealloc":
		if !w.uniform(in, "address", func(lane int) uint64 { return v.addr.Get(f, lane) }) {
			return false
		}
		addr := v.addr.Get(f, 0)
		col := int(addr)
		if col%tensorUnit != 0 || col >= tensorColumns || n < tensorUnit || col%n != 0 ||
			int(t.units[col/tensorUnit])*tensorUnit != n {
			return illegal(w, in, exec, ": there is no allocation of %s at tensor memory address %#x",
				ptx.Plural(n, "column"), addr)
		}
		w.freesEarly(in)
	}
	w.waitAt(AtTensor, in, exec)
	w.cta.settleTensor(v.pair)
	return w.cta.grid.fault == nil
}

// freesEarly notes that columns are freed before operations on tensor memory have been waited for.
func (w *warp) freesEarly(in *inst) {
	g := w.cta.grid
	self := asyncOp{cta: w.cta.index}
	for i := range g.async {
		if o := &g.async[i]; len(o.tensor) > 0 && g.sameTensor(o, &self) {
			w.noteWith(in, causeFlight, o.in,
				fmt.Sprintf("`%s` frees tensor memory, and what %s tracks was not waited for",
					in.src.Opcode, describeTransfer(g, o)))
		}
	}
}

// slot is where the address of an allocation goes.
func (v *tensorAlloc) slot(w *warp, in *inst, f unsafe.Pointer) (off uint32, ok bool) {
	offs, ok := w.spans(in, in.x.mem, f, 1, 4, func(int) uint64 { return 4 })
	return offs[0], ok
}

// settleTensor does what warps of the CTA, or of the pair, wait to do, as far as it can be done.
func (c *cta) settleTensor(pair bool) {
	var warps []*warp
	for _, p := range c.group(pair) {
		warps = append(warps, p.warps...)
	}
	for i := 0; i < len(warps); i++ {
		if o := warps[i].atTensor(); o != nil && o.in.x.tensor.try(warps[i], o) {
			i = -1 // columns that are free now may do for others
		}
	}
}

// atTensor is the wait of a warp at tensor memory, or nil.
func (w *warp) atTensor() *waiting {
	for i := range w.waits.list {
		if w.waits.list[i].at == AtTensor {
			return &w.waits.list[i]
		}
	}
	return nil
}

// party is a warp that waits to allocate or free.
type party struct {
	w *warp
	o *waiting
}

// frame is where its operands are: memory may have grown.
func (p party) frame() unsafe.Pointer { return p.w.mem.At(p.o.frame.off) }

// parties are the warp, and one of the other CTA that waits to do the same; missing says that there is none.
func (v *tensorAlloc) parties(w *warp, o *waiting) (list []party, missing bool) {
	self := party{w, o}
	list = []party{self}
	if !v.pair {
		return list, false
	}
	p := w.cta.partner()
	if p == nil {
		return list, true
	}
	for _, ow := range p.warps {
		if oo := ow.atTensor(); oo != nil {
			other, u := party{ow, oo}, oo.in.x.tensor
			if u.pair && u.does == v.does && u.operand(other.frame()) == v.operand(self.frame()) {
				return append(list, other), false
			}
		}
	}
	return list, true
}

// operand is what both CTAs of a pair must agree on.
func (v *tensorAlloc) operand(f unsafe.Pointer) (is [2]uint64) {
	if v.columns.Bits != 0 {
		is[0] = v.columns.Get(f, 0)
	}
	if v.addr.Bits != 0 {
		is[1] = v.addr.Get(f, 0)
	}
	return is
}

// try does what a warp waits for, if it can be done.
func (v *tensorAlloc) try(w *warp, o *waiting) bool {
	who, missing := v.parties(w, o)
	if missing {
		return false
	}
	is := v.operand(who[0].frame())
	n, col := int(is[0]), int(is[1])
	if v.does == ".alloc" {
		if col = findColumns(n, who); col < 0 {
			return false
		}
	}
	for _, p := range who {
		t := &p.w.cta.tensor
		switch v.does {
		case ".alloc":
			p.w.cta.takeColumns(p.o.in, col, n)
			if off, ok := p.o.in.x.tensor.slot(p.w, p.o.in, p.frame()); ok {
				w.cta.grid.record.memory(w.cta.grid, off, 4, 0, func() {
					writeElement(w.mem.At(off), 4, uint64(col), 0)
				})
			}
		case ".dealloc":
			clear(t.units[col/tensorUnit:][:n/tensorUnit])
		default:
			t.relinquished = true
		}
	}
	w.cta.grid.state.progress = true
	for _, p := range who {
		p.w.endWaits(func(o *waiting) bool { return o.at == AtTensor })
	}
	return true
}

// findColumns is the first of n columns that are free for all, at a multiple of n, or -1.
func findColumns(n int, who []party) int {
	for col := 0; col < tensorColumns; col += n {
		free := true
		for _, p := range who {
			for u := col / tensorUnit; u < (col+n)/tensorUnit; u++ {
				free = free && p.w.cta.tensor.units[u] == 0
			}
		}
		if free {
			return col
		}
	}
	return -1
}

// takeColumns notes an allocation. The first one of a CTA makes its tensor memory.
func (c *cta) takeColumns(in *inst, col, n int) {
	t := &c.tensor
	if t.off == 0 {
		var ok bool
		if t.off, ok = c.mem.Alloc(tensorLanes * tensorColumns * 4); !ok {
			c.outOfMemory(in.src, c.grid.noMemory("the tensor memory of a CTA"))
			return
		}
	}
	for u := col / tensorUnit; u < (col+n)/tensorUnit; u++ {
		t.units[u] = uint8(n / tensorUnit)
	}
	t.from = in
}

// awaits tells what a warp waits for.
func (v *tensorAlloc) awaits(w *warp, o *waiting) string {
	if _, missing := v.parties(w, o); missing {
		return fmt.Sprintf("warp %d waits in `%s` for a warp of the other CTA of the pair to do the same", w.index,
			o.in.src.Opcode)
	}
	return fmt.Sprintf("warp %d waits in `%s` until %d columns of tensor memory are free", w.index, o.in.src.Opcode,
		v.operand(party{w, o}.frame())[0])
}
