package debug

import (
	"fmt"

	"warpscope/emu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// piece is an element of a matrix that an instruction names.
type piece struct {
	of       *emu.Layout
	row, col int
}

// spread adds the sources of an instruction that moves or multiplies the matrices that a warp holds together: registers
// of all lanes that have a part in the cell, and memory where other lanes' addresses say. It is false for others.
func (q *inquiry) spread() bool {
	in := q.w.Inst
	layouts := emu.Layouts(in)
	switch {
	case in.Match.Form.Mnemonic == "movmatrix": // column lane/4 of two rows; four lanes have a row
		a := &in.Operands[1]
		q.lent(a.Reg, int(a.Elem), 0x11<<(q.w.Lane%4*8+q.w.Lane/8), "")
		return true
	case len(layouts) == 0 || in.Match.Form.Mnemonic == "tcgen05":
		return false
	}
	parts := q.parts(layouts)
	if len(parts) == 0 {
		return true
	}
	for i := range layouts {
		q.holders(&layouts[i], parts)
	}
	for i, o := range in.Match.Operands {
		line, op := parts[0].row, &in.Operands[min(i, len(in.Operands)-1)]
		if op.Reg == nil && o.Name != "scale-d" {
			continue
		}
		switch o.Name {
		case "scale-b-data":
			line = parts[0].col
			fallthrough
		case "e", "scale-a-data", "sp-meta":
			q.lent(op.Reg, int(op.Elem), 0xf<<(line%8*4), "as the selector says")
		case "a-desc", "b-desc":
			q.described(i, o.Name[0] == 'a', &parts[0])
		case "scale-d":
			if v, _ := operandValue(op, &q.view, q.w.Lane); v&1 != 0 {
				q.underWay()
			}
		}
	}
	q.lines(parts)
	return true
}

// described adds a descriptor, and the first element of the row of A or the column of B that it places.
func (q *inquiry) described(operand int, isA bool, x *piece) {
	in := q.w.Inst
	list, _ := emu.MemoryLayouts(in, emu.MatrixOperands{Module: q.module, Value: func(operand int) (uint64, bool) {
		return operandValue(&in.Operands[operand], &q.view, q.w.Lane)
	}})
	for i := range list {
		l := &list[i]
		if l.Operand != operand {
			continue
		}
		at, note := x.col, fmt.Sprintf("the first of column %d of B", x.col)
		if isA {
			row := q.w.Warp%4*16 + x.row // 9.7.17.5.1.1
			at, note = row*l.Cols, fmt.Sprintf("the first of row %d of A", row)
		}
		base, _ := q.history.grid.Shared(q.w.CTA)
		q.memory(base+emu.Addr(l.Places[at].At), max(l.Bits/8, 1), ptx.SharedSpace, l.Type).Note = note
	}
	q.register(in.Operands[operand].Reg, -1, q.w.Lane)
}

// underWay adds the register that asynchronous work writes: from the step that has started the work, unless it has
// ended.
func (q *inquiry) underWay() {
	ask := question{at: map[*ptx.Inst]bool{}, cta: q.w.CTA, warp: q.w.Warp, pass: -1}
	ask.match = func(rec *emu.Step) bool { return rec.Exec.Has(q.w.Lane) }
	for _, f := range q.module.Funcs {
		for _, in := range f.Insts {
			if lateWriter(in) && mentions(in, q.cell.Reg) {
				ask.at[in] = true
			}
		}
	}
	o := q.register(q.cell.Reg, q.cell.Elem, q.w.Lane)
	started := q.history.last(ask, q.w.Tick, 0)
	if w, ok := q.writerBefore(q.cell, q.w.Tick); started != nil && (!ok || w.Tick < started.rec.Tick) {
		w = q.change(q.cell, started.rec)
		o.Write, o.Value, o.Note = &w, q.w.New, "which this step starts to make"
	}
	q.history.seek(q.w.Tick)
}

// parts are the elements of the cell: those that the instruction writes into the register, or stores into the memory.
func (q *inquiry) parts(layouts []emu.Layout) (list []piece) {
	for i := range layouts {
		l := &layouts[i]
		registers := registersOf(q.w.Inst, l)
		used := len(registers)
		if q.w.Inst.Match.Form.Mnemonic == "wmma" { // whose fragments can hold a matrix twice
			used = min(used, max(l.Rows*l.Cols*l.Bits/1024, 1))
		}
		for k, h := range l.Holders {
			x := piece{l, k / l.Cols, k % l.Cols}
			if q.cell.Reg == nil {
				if at, size, _ := q.home(&x); at < q.cell.Addr+emu.Addr(q.cell.Size) && q.cell.Addr < at+emu.Addr(size) {
					list = append(list, x)
				}
				continue
			}
			for r := h.Register; r < len(registers) && l.Write && h.Lane == q.w.Lane; r += used {
				if op := &registers[r]; q.cell.Reg == op.Reg && max(q.cell.Elem, 0) == max(int(op.Elem), 0) {
					list = append(list, x)
				}
			}
		}
	}
	return list
}

// registersOf are the registers that hold a matrix.
func registersOf(in *ptx.Inst, l *emu.Layout) []ptx.Operand {
	if list := in.Operands[l.Operand].List(); len(list) > 0 {
		return list
	}
	return in.Operands[l.Operand:][:1]
}

// holders adds the registers of a matrix that parts are made of: a row of A, columns of B, elements of C, or what is
// stored.
func (q *inquiry) holders(l *emu.Layout, parts []piece) {
	registers := registersOf(q.w.Inst, l)
	lanes := make([]emu.Mask, len(registers))
	row, first, last, note := parts[0].row, parts[0].col, parts[len(parts)-1].col, ""
	for k, h := range l.Holders {
		for i := range parts {
			x := &parts[i]
			if !l.Write && h.Register < len(lanes) &&
				(l.Name[0] == 'B' || k/l.Cols == x.row) && (l.Name[0] == 'A' || k%l.Cols == x.col) &&
				(x.of == l || x.of.Write && x.of.Name[1:] == l.Name[1:]) {
				lanes[h.Register] |= 1 << h.Lane
			}
		}
	}
	switch {
	case l.Name[0] == 'A':
		note = fmt.Sprintf("row %d of %s", row, l.Name)
	case l.Name[0] == 'B' && first == last:
		note = fmt.Sprintf("column %d of %s", first, l.Name)
	case l.Name[0] == 'B':
		note = fmt.Sprintf("columns %d and %d of %s", first, last, l.Name)
	}
	for r := range registers {
		if op := &registers[r]; lanes[r] != 0 {
			q.lent(op.Reg, int(op.Elem), lanes[r], note)
		}
	}
}

// lines adds the places in memory from which parts are loaded, and the registers of the lanes that place them.
func (q *inquiry) lines(parts []piece) {
	var lanes emu.Mask
	for i := 0; i < len(parts); i++ {
		at, size, lane := q.home(&parts[i])
		if size == 0 {
			return
		}
		lanes |= 1 << lane
		for ; i+1 < len(parts); i++ {
			next, more, _ := q.home(&parts[i+1])
			if next != at+emu.Addr(size) {
				break
			}
			size += more
		}
		if q.cell.Reg != nil {
			q.memory(at, size, ptx.Generic, isa.NoType)
		}
	}
	for i := range q.w.Inst.Operands {
		if op := &q.w.Inst.Operands[i]; op.Reg != nil && i != parts[0].of.Operand {
			q.lent(op.Reg, int(op.Elem), lanes, "")
		}
	}
}

// home is where an element is in memory, its bytes there, and the lane whose address says so; 0 bytes: in no memory.
func (q *inquiry) home(x *piece) (at emu.Addr, size, lane int) {
	l, in := x.of, q.w.Inst
	bit, bits, lane := x.col*l.Stored, l.Stored, q.w.Lane
	switch {
	case l.RowLanes != nil:
		lane = l.RowLanes[x.row]
	case in.Match.Form.Mnemonic != "wmma" || in.Match.Has(".mma"):
		return 0, 0, 0
	default: // wmma
		line, place, stride := x.row, x.col, l.Cols*l.Packed
		if in.Match.Has(".col") {
			line, place, stride = x.col, x.row, l.Rows*l.Packed
		}
		if last := &in.Operands[len(in.Operands)-1]; len(in.Operands) > 2 && last.Kind != ptx.OpMissing {
			v, _ := operandValue(last, &q.view, lane)
			stride = int(v)
		}
		bit, bits = line*stride*l.Type.Bits()+place*l.Bits, l.Bits
	}
	for i := range q.operands {
		if o := &q.operands[i]; o.Memory {
			at = o.Values[lane] + emu.Addr(bit/8)
		}
	}
	return at, (bit%8 + bits + 7) / 8, lane
}
