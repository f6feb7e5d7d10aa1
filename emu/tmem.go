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

// Tensor memory (9.7.16.1): 128 lanes of 512 columns of 32 bits for each CTA. An address has the lane in its upper half
// and the column in the lower. In the arena it lies column by column, from the CTA's first allocation on.
const (
	tensorLanes   = matrix.TensorLanes
	tensorColumns = 512
	tensorUnit    = 32 // columns, of an allocation
)

// tensorMemory is a CTA's.
type tensorMemory struct {
	off          uint32 // in the arena; 0: nothing has ever been allocated
	units        [tensorColumns / tensorUnit]uint8
	from         *inst // the last tcgen05.alloc
	relinquished bool
	group        uint8      // .cta_group of the last instruction; 0: none yet
	floats       bool       // the last product was one of floats
	issued       []tensorOp // of tcgen05.mma, .cp and .shift, not committed yet
	asked        int        // columns of the last allocation; 0: none yet
}

func (t tensorMemory) clone() tensorMemory {
	t.issued = slices.Clone(t.issued)
	for i := range t.issued {
		t.issued[i].behind = slices.Clone(t.issued[i].behind)
	}
	return t
}

func (t *tensorMemory) cost() int64 {
	n := sliceBytes(t.issued)
	for i := range t.issued {
		n += sliceBytes(t.issued[i].behind)
	}
	return n
}

// thread names a thread of a CTA.
type thread struct{ warp, lane int }

// tensorOp is an asynchronous operation on tensor memory that no tcgen05.commit tracks yet.
type tensorOp struct {
	in     *inst
	by     thread
	pair   bool     // .cta_group::2
	fenced bool     // its thread has executed tcgen05.fence::before_thread_sync since
	behind []thread // whose next operations come behind it: they have executed tcgen05.fence::after_thread_sync since
	do     func(c *cta)
	reads  []smemRead // of each CTA that it works on
}

// readsFrom calls visit for what the operation reads of a CTA's shared memory, in pieces of 16 bytes at arena offsets.
func (o *asyncOp) readsFrom(c *cta, visit func(by *tensorOp, at uint32)) {
	self := asyncOp{cta: c.index}
	for i := range o.tensor {
		op := &o.tensor[i]
		if len(op.reads) == 0 || !c.grid.sameTensor(o, &self) {
			continue
		}
		for _, r := range op.reads {
			r.chunks(func(addr uint32) bool {
				visit(op, c.sharedOff+addr)
				return true
			})
		}
	}
}

// word is a cell of tensor memory.
func (c *cta) word(lane, col int) *uint32 {
	return (*uint32)(c.mem.At(c.tensor.off + uint32(col*tensorLanes+lane)*4))
}

// touchTensor says that tensor memory is written.
func (c *cta) touchTensor(lane, lanes, col, n int) {
	g := c.grid
	g.mem.Touch(c.tensor.off+uint32(col*tensorLanes)*4, uint32(n*tensorLanes)*4)
	g.state.progress = true
	if s := g.record.step; s != nil {
		s.Tensor = append(s.Tensor, TensorWrite{CTA: c.index, Lane: lane, Lanes: lanes, Column: col, Columns: n})
	}
}

// Tensor is a copy of a CTA's tensor memory, lane by lane, up to the last column that is allocated; floats says that the
// last product had results in single precision.
func (g *Grid) Tensor(cta int) (columns int, bytes []byte, floats bool) {
	c := g.cta(cta)
	if c == nil || c.tensor.off == 0 {
		return 0, nil, false
	}
	for i, u := range c.tensor.units {
		if u != 0 {
			columns = (i + 1) * tensorUnit
		}
	}
	for lane := range tensorLanes {
		for col := range columns {
			bytes = le.AppendUint32(bytes, *c.word(lane, col))
		}
	}
	return columns, bytes, c.tensor.floats
}

// allocated says whether columns belong to allocations.
func (c *cta) allocated(col, n int) bool {
	for ; n > 0; col, n = col+1, n-1 {
		if col >= tensorColumns || c.tensor.units[col/tensorUnit] == 0 {
			return false
		}
	}
	return true
}

// lowerTcgen05 lowers the instructions of that name.
func lowerTcgen05(l *lowerer) bool {
	var run func(*warp, *inst, unsafe.Pointer, Mask) bool
	switch l.in.Match.Form.ID {
	case "tcgen05.alloc":
		return lowerTensorAlloc(l)
	case "tcgen05.ld", "tcgen05.ld.red", "tcgen05.st":
		return lowerTensorMove(l)
	case "tcgen05.wait":
		kind := lateLoad
		if l.has(".wait::st") {
			kind = lateStore
		}
		run = func(w *warp, in *inst, _ unsafe.Pointer, exec Mask) bool {
			w.doLate(func(l *late) bool { return l.kind == kind })
			return w.whole(in, exec)
		}
	case "tcgen05.fence":
		before := l.has(".fence::before_thread_sync")
		run = func(w *warp, _ *inst, _ unsafe.Pointer, exec Mask) bool {
			eachLane(exec, func(lane int) { w.cta.tensor.fence(thread{w.index, lane}, before) })
			return true
		}
	case "tcgen05.cp":
		return lowerTensorCopy(l)
	case "tcgen05.shift":
		return lowerTensorShift(l)
	case "tcgen05.commit":
		return lowerTensorCommit(l)
	default:
		return lowerTensorProduct(l)
	}
	l.i.op, l.i.x = opRun, &extra{run: run}
	return true
}

// leftColumns notes that a CTA ends with operations that nothing tracks, and with columns allocated: they "must be
// explicitly deallocated".
func (c *cta) leftColumns() {
	for _, o := range c.tensor.issued {
		c.grid.note(o.in, causeTensor, c.index,
			fmt.Sprintf("CTA %d,%d,%d ended, and no tcgen05.commit has tracked `%s` of lane %d "+
				"of warp %d: it never happens", c.id.X, c.id.Y, c.id.Z, o.in.src.Opcode, o.by.lane, o.by.warp))
	}
	for i, u := range c.tensor.units {
		if u != 0 {
			c.grid.note(c.tensor.from, causeTensor, c.index,
				fmt.Sprintf("CTA %d,%d,%d ended without tcgen05.dealloc of the "+
					"columns from %d on", c.id.X, c.id.Y, c.id.Z, i*tensorUnit))
			return
		}
	}
}

// releaseTensor gives tensor memory back.
func (c *cta) releaseTensor() {
	if c.tensor.off != 0 {
		c.mem.Release(c.tensor.off, tensorLanes*tensorColumns*4)
	}
}

// tensorShape is a shape of data movement (9.7.16.2.3): how many columns the registers of one number have in all lanes,
// and where a register of a lane lies. The layouts are those of Figures 183 to 187. With rows of 128 and 256 bits, a
// lane has the part of a matrix that it has in mma.
type tensorShape struct {
	rows, cols int
	at         func(lane, reg int) (row, col int)
}

var tensorShapes = map[string]tensorShape{
	".32x32b":   {32, 1, func(lane, reg int) (int, int) { return lane, reg }},
	".16x32bx2": {16, 1, func(lane, reg int) (int, int) { return lane & 15, reg }},
	".16x64b":   {16, 2, func(lane, reg int) (int, int) { return lane>>2 + lane>>1&1*8, 2*reg + lane&1 }},
	".16x128b":  {16, 2, func(lane, reg int) (int, int) { return lane>>2 + reg&1*8, reg>>1*4 + lane&3 }},
	".16x256b":  {16, 2, func(lane, reg int) (int, int) { return lane>>2 + reg>>1&1*8, reg>>2*8 + lane&3*2 + reg&1 }},
}

// tensorMove is tcgen05.ld, tcgen05.ld.red and tcgen05.st (9.7.16.8.3, 9.7.16.8.4).
type tensorMove struct {
	tensorShape
	addr  func(f unsafe.Pointer, lane int) uint32
	regs  []row.Operand
	cols  int // columns from the first to the last
	split int // .16x32bx2: columns that lanes 16 to 31 are to the right
	below int // and lanes that they are below
	per   int // 2: a register has the lower halves of two columns
	red   row.Operand
	fold  func(a, b uint32) uint32
}

func lowerTensorMove(l *lowerer) bool {
	mods := l.in.Match
	v := &tensorMove{per: 1, addr: l.tensorAddress("taddr")}
	for _, slot := range []string{"shape1", "shape2", "shape3", "shape4"} {
		if shape, ok := tensorShapes[mods.Value(slot)]; ok {
			v.tensorShape = shape
		}
	}
	store := mods.Form.ID == "tcgen05.st"
	r, _ := l.named("r")
	if l.has(".pack::16b", ".unpack::16b") {
		v.per = 2
	}
	if off, has := l.named("immHalfSplitoff"); has {
		v.split, v.below = int(uint16(off.Imm)), int(uint16(off.Imm>>16))
		v.rows += v.below
	}
	if v.addr == nil {
		return false
	}
	v.regs = l.registers(r, 32, !store)
	v.cols = len(v.regs)*v.tensorShape.cols*v.per + v.split
	if red, has := l.named("redval"); has {
		v.red, v.fold = l.dst(red), lowerTensorFold(l)
	}
	run := v.load
	if store {
		run = v.store
	}
	l.i.op, l.i.x = opRun, &extra{run: func(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
		lane, col, ok := v.locate(w, in, f, exec)
		if ok {
			run(w, f, lane, col)
		}
		return ok
	}}
	return true
}

// lowerTensorFold is min or max of 32-bit values; without .NaN, a NaN loses.
func lowerTensorFold(l *lowerer) func(a, b uint32) uint32 {
	greater := l.has(".max")
	t := l.in.Match.Types[0]
	abs, nan := l.has(".abs"), l.has(".NaN")
	return func(a, b uint32) uint32 {
		less := a < b
		switch t {
		case isa.S32:
			less = int32(a) < int32(b)
		case isa.F32:
			if abs {
				a, b = a&^(1<<31), b&^(1<<31)
			}
			x, y := math.Float32frombits(a), math.Float32frombits(b)
			switch {
			case x != x && y != y, nan && (x != x || y != y):
				return 0x7fffffff
			case x != x:
				return b
			case y != y:
				return a
			}
			less = x < y || x == y && a>>31 > b>>31
		}
		if less == greater {
			return b
		}
		return a
	}
}

// locate finds the first lane and column. A warp can access the lanes of its quarter only (9.7.16.8.1).
func (v *tensorMove) locate(w *warp, in *inst, f unsafe.Pointer, exec Mask) (lane, col int, ok bool) {
	if !w.whole(in, exec) {
		return 0, 0, false
	}
	addr := v.addr(f, 0)
	lane, col = int(addr>>16), int(addr&0xffff)
	if !w.uniform(in, "address", func(lane int) uint64 { return uint64(v.addr(f, lane)) }) {
		return 0, 0, false
	}
	if first := w.index % 4 * 32; lane < first || lane+v.rows > first+32 || lane%16 != 0 {
		return 0, 0, illegal(w, in, exec, ": warp %d can access lanes %d to %d of tensor memory, and not %d lanes from %d on",
			w.index, first, first+31, v.rows, lane)
	}
	return lane, col, w.hasColumns(in, exec, false, col, v.cols)
}

// uniform says whether all lanes of a warp have the same operand; that they do not is a fault.
func (w *warp) uniform(in *inst, what string, value func(lane int) uint64) bool {
	for lane := 1; lane < 32; lane++ {
		if a, b := value(0), value(lane); a != b {
			return illegal(w, in, 1<<lane, ": all lanes of a warp give `%s` the same %s, and lane 0 has %#x, lane %d %#x",
				in.src.Opcode, what, a, lane, b)
		}
	}
	return true
}

// hasColumns says whether columns are allocated, in both CTAs of a pair; that they are not is a fault.
func (w *warp) hasColumns(in *inst, exec Mask, pair bool, col, n int) bool {
	for _, c := range w.cta.group(pair) {
		if !c.allocated(col, n) {
			return illegal(w, in, exec, ": the columns %d to %d of tensor memory are not all allocated", col, col+n-1)
		}
	}
	return true
}

// place is where a register of a lane lies.
func (v *tensorMove) place(lane, reg int) (row, col int) {
	row, col = v.at(lane, reg)
	return row + lane>>4*v.below, col*v.per + lane>>4*v.split
}

// load reads tensor memory when the warp waits.
func (v *tensorMove) load(w *warp, _ unsafe.Pointer, lane, col int) {
	w.postpone(late{kind: lateLoad, do: func(w *warp, f unsafe.Pointer) {
		for i := range 32 {
			red := uint32(0)
			for r := range v.regs {
				row, at := v.place(i, r)
				value := *w.cta.word(lane+row, col+at)
				if v.per == 2 {
					value = value&0xffff | *w.cta.word(lane+row, col+at+1)<<16
				}
				v.regs[r].Set(f, i, uint64(value))
				if v.fold != nil && r > 0 {
					value = v.fold(red, value)
				}
				red = value
			}
			if v.fold != nil {
				v.red.Set(f, i, uint64(red))
			}
		}
	}})
}

// store reads registers now and writes tensor memory when the warp waits.
func (v *tensorMove) store(w *warp, f unsafe.Pointer, lane, col int) {
	values := make([]uint32, 32*len(v.regs))
	for i := range values {
		values[i] = uint32(v.regs[i/32].Get(f, i%32))
	}
	w.postpone(late{kind: lateStore, do: func(w *warp, _ unsafe.Pointer) {
		for i, value := range values {
			row, at := v.place(i%32, i/32)
			if v.per == 2 {
				*w.cta.word(lane+row, col+at+1) = value >> 16
				value &= 0xffff
			}
			*w.cta.word(lane+row, col+at) = value
		}
		w.cta.touchTensor(lane, v.rows, col, v.cols)
	}})
}

// tensorAddress lowers an address in tensor memory.
func (l *lowerer) tensorAddress(name string) func(f unsafe.Pointer, lane int) uint32 {
	op, ok := l.named(name)
	if !ok || op.Kind != ptx.OpAddr {
		return nil
	}
	ac := l.access(op, isa.B32, false)
	return func(f unsafe.Pointer, lane int) uint32 { return uint32(ac.addr.Get(f, lane) + ac.off) }
}
