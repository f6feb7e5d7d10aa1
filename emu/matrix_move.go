package emu

import (
	"bytes"
	"fmt"
	"math/bits"
	"unsafe"

	"warpscope/emu/causal"
	"warpscope/emu/machine"
	"warpscope/emu/matrix"
	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// span is what lanes access together: size bytes each, at arena offsets.
type span struct {
	lanes Mask
	offs  *[32]uint32
	size  uint32
	reach causal.Reach
	write bool
}

// touch executes do, which accesses a span, and tells the sanitizers. Ranges of a matrix count as accessed by the lane
// that gives the address, or has the number of the row or column; which lane it is the manual leaves open.
func touch(w *machine.Warp, in *machine.Inst, s *span, do func()) {
	g := w.CTA.Grid
	if g.Flying != 0 {
		machine.EachLane(s.lanes, func(lane int) { w.LSU.CheckRange(in, lane, s.offs[lane], s.size, s.write) })
	}
	if g.Dev.Shadow == nil || !s.write {
		do()
		w.LSU.Check(in, s.reach, s.lanes, s.offs, s.size, s.write, 0)
		return
	}
	var before [32][]byte
	var same Mask
	machine.EachLane(s.lanes, func(lane int) { before[lane] = bytes.Clone(w.Mem.Bytes(s.offs[lane], s.size)) })
	do()
	machine.EachLane(s.lanes, func(lane int) {
		if bytes.Equal(before[lane], w.Mem.Bytes(s.offs[lane], s.size)) {
			same |= 1 << lane
		}
	})
	w.LSU.Check(in, s.reach, s.lanes, s.offs, s.size, true, same)
}

// put writes a lane's element at an address of the access's space; off is that address in the arena. It is called
// within touch.
func put(w *machine.Warp, ac *machine.Access, a Addr, lane int, off, size uint32, v uint64) {
	g := w.CTA.Grid
	write := MemWrite{Space: ac.Space, Addr: g.Generic(ac.Space, a), Lane: lane}
	if w.Rec != nil {
		write.Old = append(write.Old, w.Mem.Bytes(off, size)...)
	}
	w.Mem.Touch(off, size)
	mem.WriteElement(w.Mem.At(off), size, v, 0)
	g.State.Progress = true
	if w.Rec != nil {
		write.New = append(write.New, w.Mem.Bytes(off, size)...)
		w.Rec.Mem = append(w.Rec.Mem, write)
	}
}

// rowsMove is ldmatrix and stmatrix. A row of a matrix has 16 bytes, or 8 without padding. Each lane in turn gives the
// address of a row: eight lanes for a matrix, or 16 for one of 16x16. A register has two elements of 16 bits or four of
// a byte.
type rowsMove struct {
	regs   []row.Operand
	lanes  int    // that give addresses
	size   int    // bytes of an element in a register: 2 or 1
	bits   int    // in memory: 16, 8, or 6 or 4 packed at the start of a row
	row    uint64 // bytes of a row
	signed bool   // elements are extended by their sign
	place  func(reg, lane, element int) (row, col int)
}

// The places of a lane's elements: which address, and which element of that row.

// rowPlace: the elements of row lane/4 in columns from 2(lane%4), or 4(lane%4) with elements of a byte (Figures 107,
// 109).
func rowPlace(per int) func(reg, lane, element int) (row, col int) {
	return func(reg, lane, element int) (row, col int) { return 8*reg + lane>>2, per*(lane&3) + element }
}

// columnPlace: .trans of 8x8 matrices.
func columnPlace(reg, lane, element int) (row, col int) {
	return 8*reg + 2*(lane&3) + element, lane >> 2
}

// squarePlace: 16x16 matrices. Two registers have rows lane/4 and 8 more of the transposed one, in four columns from
// 4(lane%4) (Figure 108).
func squarePlace(reg, lane, element int) (row, col int) {
	return reg&^1*8 + 4*(lane&3) + element, reg&1*8 + lane>>2
}

// tallPlace: 16x8 matrices of stmatrix, transposed. A register has two columns from 2(lane%4) of row lane/4, and of the
// row 8 more, as an accumulator has (Figure 111).
func tallPlace(reg, lane, element int) (row, col int) {
	return 8*reg + 2*(lane&3) + element&1, element>>1*8 + lane>>2
}

// rows finds the rows in shared memory.
func (v *rowsMove) rows(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) (offs [32]uint32, ok bool) {
	if !wholeWarp(w, in, exec) {
		return offs, false
	}
	ac := in.X.Mem
	lanes := FullMask >> (32 - v.lanes)
	var outside Mask
	machine.EachLane(lanes, func(lane int) {
		if ac.Space == ptx.Generic && !w.Mem.Win.InShared(machine.LaneAddr(ac, f, lane)) {
			outside |= 1 << lane
		}
	})
	if outside != 0 {
		w.Fail(in, &Fault{Kind: IllegalAddress, Lanes: outside, Space: "generic",
			Addr: machine.LaneAddr(ac, f, machine.FirstLane(outside)),
			Size: int(v.row), Detail: fmt.Sprintf("; `%s` takes rows of shared memory only", in.Src.Opcode)})
		return offs, false
	}
	return w.Spans(in, ac, f, lanes, v.row, func(int) uint64 { return v.row })
}

// span is the rows, as a weak access (9.7.16.5.15, 9.7.16.5.16).
func (v *rowsMove) span(offs *[32]uint32, write bool) *span {
	return &span{lanes: FullMask >> (32 - v.lanes), offs: offs, size: uint32(v.row), write: write}
}

func (v *rowsMove) load(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	offs, ok := v.rows(w, in, f, exec)
	if ok {
		touch(w, in, v.span(&offs, false), func() { v.collect(w, f, &offs) })
	}
	return ok
}

// collect reads the rows into the registers.
func (v *rowsMove) collect(w *machine.Warp, f unsafe.Pointer, offs *[32]uint32) {
	for n := range v.regs {
		for lane := range 32 {
			value := uint64(0)
			for e := range 4 / v.size {
				row, col := v.place(n, lane, e)
				bit := col * v.bits
				at := offs[row] + uint32(bit/16*2) // two or, where an element of 6 bits lies across, four bytes
				size := uint32(2)
				if bit%16+v.bits > 16 {
					size = 4
				}
				element, _ := mem.ReadElement(w.Mem.At(at), size, false)
				element = element >> (bit % 16) & (1<<v.bits - 1)
				if v.signed && element>>(v.bits-1) == 1 {
					element |= 1<<(8*v.size) - 1<<v.bits
				}
				value |= element << (8 * v.size * e)
			}
			v.regs[n].Set(f, lane, value)
		}
	}
}

func (v *rowsMove) store(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	offs, ok := v.rows(w, in, f, exec)
	if ok {
		for lane := range v.lanes {
			w.LSU.NoteUnfenced(in, offs[lane], 16)
		}
		touch(w, in, v.span(&offs, true), func() { v.spread(w, in.X.Mem, f, &offs) })
	}
	return ok
}

// spread writes the registers into the rows.
func (v *rowsMove) spread(w *machine.Warp, ac *machine.Access, f unsafe.Pointer, offs *[32]uint32) {
	for n := range v.regs {
		for lane := range 32 {
			value := v.regs[n].Get(f, lane)
			for e := range 4 / v.size {
				row, col := v.place(n, lane, e)
				at := uint32(col * v.size)
				put(w, ac, machine.LaneAddr(ac, f, row)+Addr(at), lane, offs[row]+at, uint32(v.size), value>>(8*v.size*e))
			}
		}
	}
}

// transpose is movmatrix: element j of row i goes to element i of row j.
type transpose struct{ d, a row.Operand }

func (v *transpose) run(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	if !wholeWarp(w, in, exec) {
		return false
	}
	var out [32]uint64
	for lane := range 32 {
		for e := range 2 {
			row, col := 2*(lane&3)+e, lane>>2
			out[lane] |= v.a.Get(f, 4*row+col/2) >> (16 * (col & 1)) & 0xffff << (16 * e)
		}
	}
	for lane := range 32 {
		v.d.Set(f, lane, out[lane])
	}
	return true
}

// wmmaMove is wmma.load and wmma.store. The rows of the matrix (byRow, else its columns) begin stride elements apart. B
// is transposed, in the fragment and in byRow.
type wmmaMove struct {
	machine.Frag
	byRow     bool
	stride    row.Operand
	hasStride bool
}

// lines is the number of rows or columns and of the elements in each.
func (v *wmmaMove) lines() (n, length int) {
	if v.byRow {
		return v.Rows, v.Cols
	}
	return v.Cols, v.Rows
}

// locate finds the lines in memory. They start at multiples of the fragment's size (9.7.16.4.2). For larger fragments
// multiples of 16 bytes suffice, as they do for hardware's accesses and for CUDA's wmma functions. All lanes must give
// the same address and stride.
func (v *wmmaMove) locate(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) (offs [32]uint32,
	step uint64, ok bool) {
	if !wholeWarp(w, in, exec) {
		return offs, 0, false
	}
	n, length := v.lines()
	ac := in.X.Mem
	size := uint64(length * v.Bits / 8)
	step = size
	base := machine.LaneAddr(ac, f, 0)
	for lane := range 32 {
		same := machine.LaneAddr(ac, f, lane) == base && (!v.hasStride || v.stride.Get(f, lane) == v.stride.Get(f, 0))
		if !same {
			w.Fail(in, &Fault{Kind: IllegalInstruction, Lanes: 1 << lane,
				Detail: fmt.Sprintf(": `%s` takes the same address and stride in all lanes", in.Src.Opcode)})
			return offs, 0, false
		}
	}
	align := uint64(min(len(v.Regs)*max(v.Bits, 32)/8, 16))
	align = 1 << (bits.Len64(align) - 1)
	if v.hasStride {
		elements := v.stride.Get(f, 0)
		if elements%uint64(v.PerByte()) != 0 {
			w.LSU.MemoryFault(in, ac, Misaligned, base, int(align), FullMask)
			return offs, 0, false
		}
		step = v.Bytes(elements)
	}
	for i := range n {
		at := base + uint64(i)*step
		off, kind := w.Span(ac, at, size, align, 0)
		if kind == "" && w.LSU.Seg.Stride != 0 { // local memory
			kind = IllegalAddress
		}
		if kind == Misaligned {
			size = align
		}
		if kind != "" {
			w.LSU.MemoryFault(in, ac, kind, at, int(size), FullMask)
			return offs, 0, false
		}
		offs[i] = off
	}
	return offs, step, true
}

// place is the line of an element, and its bit there.
func (v *wmmaMove) place(index int) (line int, bit uint32) {
	line, at := index/v.Cols, index%v.Cols
	if !v.byRow {
		line, at = at, line
	}
	return line, uint32(at * v.Bits)
}

// span is the lines, as a weak access (9.7.16.4.3, 9.7.16.4.4).
func (v *wmmaMove) span(offs *[32]uint32, write bool) *span {
	n, length := v.lines()
	return &span{lanes: FullMask >> (32 - n), offs: offs, size: uint32(length * v.Bits / 8), write: write}
}

func (v *wmmaMove) load(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	offs, _, ok := v.locate(w, in, f, exec)
	if !ok {
		return false
	}
	var m [matrix.MaxA]uint64
	touch(w, in, v.span(&offs, false), func() {
		for i := range v.Rows * v.Cols {
			line, bit := v.place(i)
			value, _ := mem.ReadElement(w.Mem.At(offs[line]+bit/8), uint32(max(v.Bits/8, 1)), false)
			m[i] = value >> (bit % 8) & (^uint64(0) >> (64 - v.Bits))
		}
	})
	write(&v.Frag, f, m[:])
	return true
}

// store writes accumulators: elements of whole bytes.
func (v *wmmaMove) store(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	offs, step, ok := v.locate(w, in, f, exec)
	if !ok {
		return false
	}
	ac := in.X.Mem
	base := machine.LaneAddr(ac, f, 0)
	var m [matrix.MaxA]uint64
	read(&v.Frag, f, m[:])
	size := uint32(v.Bits / 8)
	touch(w, in, v.span(&offs, true), func() {
		for lane := range 32 {
			for i := range v.PerLane() {
				index := v.Place(lane, i)
				line, bit := v.place(index)
				put(w, ac, base+uint64(line)*step+Addr(bit/8), lane, offs[line]+bit/8, size, m[index])
			}
		}
	})
	return true
}
