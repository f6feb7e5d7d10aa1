package emu

import (
	"fmt"
	"math/bits"
	"unsafe"

	"warpscope/emu/causes"
	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// pairGroup makes an instruction work on both CTAs of a pair.
const pairGroup = ".cta_group::2"

// groupOf is the CTA, or the pair with the even one first.
func groupOf(c *machine.CTA, pair bool) []*machine.CTA {
	p := (*machine.CTA)(nil)
	if pair {
		p = c.Partner()
	}
	switch {
	case p == nil:
		return []*machine.CTA{c}
	case c.Rank()&1 != 0:
		return []*machine.CTA{p, c}
	}
	return []*machine.CTA{c, p}
}

// eachOf does something in the CTA, or in both of the pair.
func eachOf(pair bool, do func(c *machine.CTA)) func(c *machine.CTA) {
	return func(c *machine.CTA) {
		for _, p := range groupOf(c, pair) {
			do(p)
		}
	}
}

// grouped says whether the CTAs are there that .cta_group names; that they are not is a fault. All tcgen05 instructions
// of a kernel have the same .cta_group.
func grouped(w *machine.Warp, in *machine.Inst, exec Mask, pair bool) bool {
	n := 1 + uint8(row.Bit(pair))
	if t := &w.CTA.Tensor; t.Group != n {
		if t.Group != 0 {
			w.Note(in, causes.Group,
				fmt.Sprintf("`%s` has .cta_group::%d, and the one before had .cta_group::%d: all tcgen05 "+
					"instructions of a kernel must have the same", in.Src.Opcode, n, t.Group))
		}
		t.Group = n
	}
	if !pair || w.CTA.Partner() != nil {
		return true
	}
	return machine.Illegal(w, in, exec, ": `%s` works on a pair of CTAs, but the cluster has no CTA of rank %d, or it "+
		"has ended",
		in.Src.Opcode, w.CTA.Rank()^1)
}

// requests are the second parts of the opcodes.
var requests = map[string]machine.TensorRequest{".alloc": machine.RequestColumns, ".dealloc": machine.FreeColumns,
	".relinquish_alloc_permit": machine.RelinquishPermit}

func lowerTensorAlloc(l *lowerer) bool {
	v := &machine.TensorAlloc{Does: requests[l.first(".alloc", ".dealloc", ".relinquish_alloc_permit")],
		Exclusive: l.has(".exclusive"), Pair: l.has(pairGroup)}
	var mem *machine.Access
	if count, ok := l.named("nCols"); ok {
		v.Columns = l.src(count, isa.U32)
	}
	if taddr, ok := l.named("taddr"); ok {
		v.Addr = l.src(taddr, isa.U32)
	}
	if dst, ok := l.named("dst"); ok {
		mem = l.access(dst, isa.B32, true)
	}
	l.reaches(mem, bound(runAlloc, v))
	l.i.X.Tensor = v
	return true
}

// runAlloc checks the operands, and waits until it can be done.
func runAlloc(v *machine.TensorAlloc, w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	if !wholeWarp(w, in, exec) || !grouped(w, in, exec, v.Pair) {
		return false
	}
	if v.Does != machine.RelinquishPermit &&
		!uniform(w, in, "number of columns", func(lane int) uint64 { return v.Columns.Get(f, lane) }) {
		return false
	}
	switch n := int(v.Columns.Get(f, 0)); v.Does {
	case machine.RequestColumns:
		if !canAllocate(v, w, in, f, exec, n) {
			return false
		}
	case machine.FreeColumns:
		if !canFree(v, w, in, f, exec, n) {
			return false
		}
	}
	w.WaitAt(AtTensor, in, exec)
	settleTensor(w.CTA, v.Pair)
	return w.CTA.Grid.Fault == nil
}

// canAllocate says whether a warp may ask for n columns; that it may not is a fault.
func canAllocate(v *machine.TensorAlloc, w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask, n int) bool {
	t := &w.CTA.Tensor
	if t.Relinquished {
		return machine.Illegal(w, in, exec, ": the CTA has given up the right to allocate (tcgen05.relinquish_alloc_permit)")
	}
	unit, most := "powers of two", machine.TensorShared
	good := bits.OnesCount(uint(n)) == 1
	if v.Exclusive { // Table 58
		unit, good = "multiples of 32", n%machine.TensorUnit == 0
		if w.CTA.Grid.Prog.Mod.SM == 107 {
			most = machine.TensorColumns
		}
	}
	if !good || n < machine.TensorUnit || n > most {
		return machine.Illegal(w, in, exec, ": %s: tensor memory comes in %s from 32 to %d columns",
			ptx.Plural(n, "column"), unit, most)
	}
	if !uniform(w, in, "address", func(lane int) uint64 { return machine.LaneAddr(in.X.Mem, f, lane) }) {
		return false
	}
	off, ok := slot(v, w, in, f)
	if !ok {
		return false
	}
	if machine.OwnerOfShared(w.CTA.Grid, off) != w.CTA { // "the address window of .shared::cta"
		w.LSU.MemoryFault(in, in.X.Mem, IllegalAddress, machine.LaneAddr(in.X.Mem, f, 0), 4, exec)
		return false
	}
	if t.Asked > 0 && n > t.Asked {
		w.Note(in, causes.Tensor,
			fmt.Sprintf("`%s` asks for %d columns after %d: the number of columns does not increase between "+
				"the allocations of a CTA", in.Src.Opcode, n, t.Asked))
	}
	t.Asked = n
	return true
}

// canFree says whether n columns are an allocation that the instruction can free; that they are not is a fault.
func canFree(v *machine.TensorAlloc, w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask, n int) bool {
	if !uniform(w, in, "address", func(lane int) uint64 { return v.Addr.Get(f, lane) }) {
		return false
	}
	t, addr := &w.CTA.Tensor, v.Addr.Get(f, 0)
	col := int(addr)
	if col%machine.TensorUnit != 0 || col >= machine.TensorColumns || n < machine.TensorUnit || col%n != 0 ||
		int(t.Units[col/machine.TensorUnit])*machine.TensorUnit != n {
		return machine.Illegal(w, in, exec, ": there is no allocation of %s at tensor memory address %#x",
			ptx.Plural(n, "column"), addr)
	}
	if v.Exclusive != t.Exclusive {
		return machine.Illegal(w, in, exec, ": tcgen05.dealloc has .exclusive if and only if tcgen05.alloc had it")
	}
	freesEarly(w, in)
	return true
}

// freesEarly notes that columns are freed before operations on tensor memory have been waited for.
func freesEarly(w *machine.Warp, in *machine.Inst) {
	g := w.CTA.Grid
	self := machine.AsyncOp{CTA: w.CTA.Index}
	for i := range g.Async {
		if o := &g.Async[i]; len(o.Tensor) > 0 && machine.SameTensor(g, o, &self) {
			w.NoteWith(in, causes.Flight, o.In,
				fmt.Sprintf("`%s` frees tensor memory, and what %s tracks was not waited for",
					in.Src.Opcode, machine.DescribeTransfer(g, o)))
		}
	}
}

// slot is where the address of an allocation goes.
func slot(v *machine.TensorAlloc, w *machine.Warp, in *machine.Inst, f unsafe.Pointer) (off uint32, ok bool) {
	offs, ok := w.Spans(in, in.X.Mem, f, 1, 4, func(int) uint64 { return 4 })
	return offs[0], ok
}

// settleTensor does what warps of the CTA, or of the pair, wait to do, as far as it can be done.
func settleTensor(c *machine.CTA, pair bool) {
	var warps []*machine.Warp
	for _, p := range groupOf(c, pair) {
		warps = append(warps, p.Warps...)
	}
	for i := 0; i < len(warps); i++ {
		if o := warps[i].AtTensor(); o != nil && try(o.In.X.Tensor, warps[i], o) {
			i = -1 // columns that are free now may do for others
		}
	}
}

// try does what a warp waits for, if it can be done.
func try(v *machine.TensorAlloc, w *machine.Warp, o *machine.Waiting) bool {
	who, missing := v.Parties(w, o)
	if missing {
		return false
	}
	is := v.Operand(who[0].Frame())
	n, col := int(is[0]), int(is[1])
	if v.Does == machine.RequestColumns {
		if col = findColumns(v.Exclusive, n, who); col < 0 {
			return false
		}
	}
	for _, p := range who {
		t := &p.W.CTA.Tensor
		switch v.Does {
		case machine.RequestColumns:
			t.Exclusive = v.Exclusive
			takeColumns(p.W.CTA, p.O.In, col, n)
			if off, ok := slot(p.O.In.X.Tensor, p.W, p.O.In, p.Frame()); ok {
				w.CTA.Grid.Record.Memory(w.CTA.Grid, off, 4, 0, func() {
					mem.WriteElement(w.Mem.At(off), 4, uint64(col), 0)
				})
			}
		case machine.FreeColumns:
			t.Exclusive = false
			clear(t.Units[col/machine.TensorUnit:][:n/machine.TensorUnit])
		default:
			t.Relinquished = true
		}
	}
	w.CTA.Grid.State.Progress = true
	for _, p := range who {
		p.W.EndWaits(func(o *machine.Waiting) bool { return o.At == AtTensor })
	}
	return true
}

// findColumns is the first of n columns that are free for all, at a multiple of n, or -1. An exclusive allocation needs
// all columns to be free, and next to it none is.
func findColumns(exclusive bool, n int, who []machine.Party) int {
	room, most := n, machine.TensorShared
	if exclusive {
		room, most = machine.TensorColumns, machine.TensorColumns
	}
	for col := 0; col < most; col += room {
		free := true
		for _, p := range who {
			free = free && !p.W.CTA.Tensor.Exclusive
			for u := col / machine.TensorUnit; u < (col+room)/machine.TensorUnit; u++ {
				free = free && p.W.CTA.Tensor.Units[u] == 0
			}
		}
		if free {
			return col
		}
	}
	return -1
}

// takeColumns notes an allocation. The first one of a CTA makes its tensor memory.
func takeColumns(c *machine.CTA, in *machine.Inst, col, n int) {
	t := &c.Tensor
	if t.Off == 0 {
		var ok bool
		if t.Off, ok = c.Mem.Alloc(machine.TensorLanes * machine.TensorColumns * 4); !ok {
			c.OutOfMemory(in.Src, c.Grid.NoMemory("the tensor memory of a CTA"))
			return
		}
	}
	for u := col / machine.TensorUnit; u < (col+n)/machine.TensorUnit; u++ {
		t.Units[u] = uint8(n / machine.TensorUnit)
	}
	t.From = in
}

// uniform says whether all lanes of a warp have the same operand; that they do not is a fault.
func uniform(w *machine.Warp, in *machine.Inst, what string, value func(lane int) uint64) bool {
	for lane := 1; lane < 32; lane++ {
		if a, b := value(0), value(lane); a != b {
			return machine.Illegal(w, in, 1<<lane, ": all lanes of a warp give `%s` the same %s, and lane 0 has %#x, lane %d "+
				"%#x",
				in.Src.Opcode, what, a, lane, b)
		}
	}
	return true
}
