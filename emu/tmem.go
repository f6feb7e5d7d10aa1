package emu

import (
	"math"
	"unsafe"

	"warpscope/emu/machine"
	"warpscope/emu/matrix"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// touchTensor says that tensor memory is written.
func touchTensor(c *machine.CTA, lane, lanes, col, n int) {
	g := c.Grid
	g.Mem.Touch(c.Tensor.Off+uint32(col*machine.TensorLanes)*4, uint32(n*machine.TensorLanes)*4)
	g.State.Progress = true
	if s := g.Record.Step; s != nil {
		s.Tensor = append(s.Tensor, TensorWrite{CTA: c.Index, Lane: lane, Lanes: lanes, Column: col, Columns: n})
	}
}

// allocated says whether columns belong to allocations.
func allocated(c *machine.CTA, col, n int) bool {
	for ; n > 0; col, n = col+1, n-1 {
		if col >= machine.TensorColumns || c.Tensor.Units[col/machine.TensorUnit] == 0 {
			return false
		}
	}
	return true
}

// tensorShape is a shape of data movement (9.7.18.2.3): how many columns the registers of one number have in all lanes,
// and where a register of a lane lies. The layouts are those of Figures 186 to 190. With rows of 128 and 256 bits, a
// lane has the part of a matrix that it has in mma.
type tensorShape struct {
	rows, cols int
	at         func(lane, reg int) (row, col int)
}

var tensorShapes = map[string]tensorShape{
	".32x32b":   {32, 1, func(lane, reg int) (int, int) { return lane, reg }},
	".16x32bx2": {16, 1, func(lane, reg int) (int, int) { return lane & 15, reg }},
	".16x64b":   {16, 2, func(lane, reg int) (int, int) { return lane>>2 + lane&1*8, 2*reg + lane>>1&1 }},
	".16x128b":  {16, 2, func(lane, reg int) (int, int) { return lane>>2 + reg&1*8, reg>>1*4 + lane&3 }},
	".16x256b":  {16, 2, func(lane, reg int) (int, int) { return lane>>2 + reg>>1&1*8, reg>>2*8 + lane&3*2 + reg&1 }},
}

// tensorPart is the part of tensor memory that the registers of tcgen05.ld and tcgen05.st are. Without .spcompress
// there are as many registers as words.
type tensorPart struct {
	tensorShape
	per   int // 2: a register has the lower halves of two columns
	split int // .16x32bx2: columns that lanes 16 to 31 are to the right
	below int // and lanes that they are below
}

// tensorPartOf is that of an opcode. half is the operand immHalfSplitoff.
func tensorPartOf(b *isa.Bound, half uint64) tensorPart {
	p := tensorPart{per: 1, split: int(uint16(half)), below: int(uint16(half >> 16))}
	for _, slot := range []string{"shape", "shape1", "shape2", "shape3", "shape4"} {
		if shape, ok := tensorShapes[b.Value(slot)]; ok {
			p.tensorShape = shape
		}
	}
	if b.HasAny(".pack::16b", ".unpack::16b") {
		p.per = 2
	}
	return p
}

// place is where a register of a lane lies.
func (p *tensorPart) place(lane, reg int) (row, col int) {
	row, col = p.at(lane, reg)
	return row + lane>>4*p.below, col*p.per + lane>>4*p.split
}

// tensorMove is tcgen05.ld with its .red and .spcompress, and tcgen05.st (9.7.18.8.3, 9.7.18.8.4).
type tensorMove struct {
	tensorPart
	addr  func(f unsafe.Pointer, lane int) uint32
	regs  []row.Operand
	words int // that a lane moves: as many as registers, but for .spcompress
	kept  matrix.Choice
	meta  []row.Operand // .spcompress
	cols  int           // columns from the first to the last
	red   row.Operand
	fold  func(a, b uint32) uint32
}

func lowerTensorMove(l *lowerer) bool {
	mods := l.in.Match
	half, _ := l.named("immHalfSplitoff")
	v := &tensorMove{tensorPart: tensorPartOf(mods, half.Imm), addr: l.tensorAddress("taddr")}
	v.rows += v.below
	store := mods.Form.ID == "tcgen05.st"
	r, _ := l.named("r")
	if v.addr == nil {
		return false
	}
	v.regs = l.registers(r, 32, !store)
	v.words = len(v.regs)
	if meta, has := l.named("mdata"); has {
		kept, _ := l.named("cdata")
		v.meta, v.regs, v.words = l.registers(meta, 32, true), l.registers(kept, 32, true), mods.Repeated()
		v.kept = matrix.Choice{Type: isa.F32, Least: l.has(".min"), Absolute: l.has(".abs")}
	}
	v.cols = v.words*v.tensorShape.cols*v.per + v.split
	if red, has := l.named("redval"); has {
		v.red, v.fold = l.dst(red), lowerTensorFold(l)
	}
	run := v.load
	if store {
		run = v.store
	}
	l.runs(func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		lane, col, ok := v.locate(w, in, f, exec)
		if ok {
			run(w, f, lane, col)
		}
		return ok
	})
	l.i.X.Late = !store
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

// locate finds the first lane and column. A warp can access the lanes of its quarter only (9.7.18.8.1).
func (v *tensorMove) locate(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) (lane, col int, ok bool) {
	if !wholeWarp(w, in, exec) {
		return 0, 0, false
	}
	addr := v.addr(f, 0)
	lane, col = int(addr>>16), int(addr&0xffff)
	if !uniform(w, in, "address", func(lane int) uint64 { return uint64(v.addr(f, lane)) }) {
		return 0, 0, false
	}
	if first := w.Index % 4 * 32; lane < first || lane+v.rows > first+32 || lane%16 != 0 {
		return 0, 0, machine.Illegal(w, in, exec, ": warp %d can access lanes %d to %d of tensor memory, and not %d lanes "+
			"from %d on",
			w.Index, first, first+31, v.rows, lane)
	}
	return lane, col, hasColumns(w, in, exec, false, col, v.cols)
}

// hasColumns says whether columns are allocated, in both CTAs of a pair; that they are not is a fault.
func hasColumns(w *machine.Warp, in *machine.Inst, exec Mask, pair bool, col, n int) bool {
	for _, c := range groupOf(w.CTA, pair) {
		if !allocated(c, col, n) {
			return machine.Illegal(w, in, exec, ": the columns %d to %d of tensor memory are not all allocated", col, col+n-1)
		}
	}
	return true
}

// load reads tensor memory when the warp waits.
func (v *tensorMove) load(w *machine.Warp, _ unsafe.Pointer, lane, col int) {
	w.Postpone(machine.Late{Kind: machine.LateLoad, Do: func(w *machine.Warp, f unsafe.Pointer) {
		words := make([]uint32, v.words)
		for i := range 32 {
			for r := range words {
				row, at := v.place(i, r)
				words[r] = *w.CTA.Word(lane+row, col+at)
				if v.per == 2 {
					words[r] = words[r]&0xffff | *w.CTA.Word(lane+row, col+at+1)<<16
				}
			}
			v.give(f, i, words)
		}
	}})
}

// give sets a lane's registers to what it has loaded.
func (v *tensorMove) give(f unsafe.Pointer, lane int, words []uint32) {
	if v.fold != nil {
		red := words[0]
		for _, word := range words[1:] {
			red = v.fold(red, word)
		}
		v.red.Set(f, lane, uint64(red))
	}
	if v.meta != nil {
		var places []uint32
		places, words = v.kept.Compress(words, 32, 2)
		setLaneWords(v.meta, f, lane, places)
	}
	setLaneWords(v.regs, f, lane, words)
}

// store reads registers now and writes tensor memory when the warp waits.
func (v *tensorMove) store(w *machine.Warp, f unsafe.Pointer, lane, col int) {
	values := make([]uint32, 32*len(v.regs))
	for i := range values {
		values[i] = uint32(v.regs[i/32].Get(f, i%32))
	}
	w.Postpone(machine.Late{Kind: machine.LateStore, Do: func(w *machine.Warp, _ unsafe.Pointer) {
		for i, value := range values {
			row, at := v.place(i%32, i/32)
			if v.per == 2 {
				*w.CTA.Word(lane+row, col+at+1) = value >> 16
				value &= 0xffff
			}
			*w.CTA.Word(lane+row, col+at) = value
		}
		touchTensor(w.CTA, lane, v.rows, col, v.cols)
	}})
}

// tensorAddress lowers an address in tensor memory.
func (l *lowerer) tensorAddress(name string) func(f unsafe.Pointer, lane int) uint32 {
	op, ok := l.named(name)
	if !ok || op.Kind != ptx.OpAddr {
		return nil
	}
	ac := l.access(op, isa.B32, false)
	return func(f unsafe.Pointer, lane int) uint32 { return uint32(ac.Addr.Get(f, lane) + ac.Off) }
}
