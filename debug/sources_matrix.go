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

// spread lists the sources in the matrices that the lanes of a warp hold together: registers of all lanes that have a
// part in the cell, and memory where other lanes' addresses say. told are the registers that it is done with; nil if the
// instruction names no such matrix.
func (q *inquiry) spread() (list []Origin, told map[*ptx.Reg]bool) {
	in := q.w.Inst
	if in.Match.Form.Mnemonic == "movmatrix" { // column lane/4 of two rows; four lanes have a row
		a := &in.Operands[1]
		return q.lent(a.Reg, int(a.Elem), 0x11<<(q.w.Lane%4*8+q.w.Lane/8), ""), map[*ptx.Reg]bool{a.Reg: true}
	}
	layouts := emu.Layouts(in)
	if len(layouts) == 0 || layouts[0].Late {
		return nil, nil
	}
	told = map[*ptx.Reg]bool{}
	parts := q.parts(layouts)
	for i := range layouts {
		if l := &layouts[i]; !l.Write {
			list = append(list, q.holders(l, parts, told)...)
		}
	}
	for i, o := range in.Match.Operands {
		if len(parts) == 0 || i >= len(in.Operands) {
			break
		}
		line := parts[0].row
		switch op := &in.Operands[i]; o.Name {
		case "scale-b-data":
			line = parts[0].col
			fallthrough
		case "e", "scale-a-data":
			list = append(list, q.lent(op.Reg, int(op.Elem), 0xf<<(line%8*4), "as the selector says")...)
			told[op.Reg] = true
		}
	}
	return append(list, q.lines(parts, told)...), told
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
			for r := h.Register; r < len(registers); r += used {
				if op := &registers[r]; q.cell.Reg == nil && q.meets(x) || q.cell.Reg == op.Reg && l.Write &&
					h.Lane == q.w.Lane && max(q.cell.Elem, 0) == max(int(op.Elem), 0) {
					list = append(list, x)
					break
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

// holders are the registers of a matrix that some parts are made of: the rows of A, the columns of B, the elements of C,
// or what is stored.
func (q *inquiry) holders(l *emu.Layout, parts []piece, told map[*ptx.Reg]bool) (list []Origin) {
	lanes, from := map[*ptx.Operand]emu.Mask{}, ""
	var order []*ptx.Operand
	registers := registersOf(q.w.Inst, l)
	for k, h := range l.Holders {
		op := &registers[h.Register]
		told[op.Reg] = true
		for _, x := range parts {
			if (l.Name[0] == 'B' || k/l.Cols == x.row) && (l.Name[0] == 'A' || k%l.Cols == x.col) &&
				(x.of == l || x.of.Write && x.of.Name[1:] == l.Name[1:]) {
				if lanes[op] == 0 {
					order = append(order, op)
				}
				lanes[op] |= 1 << h.Lane
			}
		}
	}
	if len(parts) > 0 {
		first, last := parts[0], parts[len(parts)-1]
		switch l.Name[0] {
		case 'A':
			from = series("row", first.row, last.row) + " of " + l.Name
		case 'B':
			from = series("column", first.col, last.col) + " of " + l.Name
		}
	}
	for _, op := range order {
		list = append(list, q.lent(op.Reg, int(op.Elem), lanes[op], from)...)
	}
	return list
}

func series(what string, first, last int) string {
	if first == last {
		return fmt.Sprintf("%s %d", what, first)
	}
	return fmt.Sprintf("%ss %d and %d", what, first, last)
}

// lines are the places in memory from which parts are loaded, and the registers of the lanes that give the addresses.
func (q *inquiry) lines(parts []piece, told map[*ptx.Reg]bool) (list []Origin) {
	var lanes emu.Mask
	var cells []Cell
	for _, x := range parts {
		c, lane := q.home(x)
		if c.Size == 0 {
			continue
		}
		lanes |= 1 << lane
		if n := len(cells) - 1; n >= 0 && cells[n].Addr+emu.Addr(cells[n].Size) == c.Addr {
			cells[n].Size += c.Size
		} else {
			cells = append(cells, c)
		}
	}
	for i := range q.w.Inst.Operands {
		if op := &q.w.Inst.Operands[i]; op.Kind == ptx.OpAddr && op.Reg != nil && lanes != 0 {
			list = append(list, q.lent(op.Reg, -1, lanes, "")...)
			told[op.Reg] = true
		}
	}
	for _, c := range cells {
		if q.cell.Reg != nil {
			list = append(list, q.memory(c, "", isa.NoType))
		}
	}
	return list
}

// home is where an element is in memory, and the lane whose address says so; a size of 0 if it is in no memory.
func (q *inquiry) home(x piece) (c Cell, lane int) {
	l, in := x.of, q.w.Inst
	bit, size, lane := x.col*l.Stored, l.Stored, q.w.Lane
	switch {
	case l.RowLanes != nil:
		lane = l.RowLanes[x.row]
	case in.Match.Has(".mma"), in.Match.Form.Mnemonic != "wmma":
		return c, lane
	default:
		line, at, stride := x.row, x.col, l.Cols*l.Packed
		if in.Match.Has(".col") {
			line, at, stride = x.col, x.row, l.Rows*l.Packed
		}
		if last := &in.Operands[len(in.Operands)-1]; len(in.Operands) > 2 && last.Kind != ptx.OpMissing {
			v, _ := operandValue(last, &q.view, lane)
			stride = int(v)
		}
		bit, size = line*stride*l.Type.Bits()+at*l.Bits, l.Bits
	}
	for i := range q.operands {
		if o := &q.operands[i]; o.Memory {
			c = Cell{Addr: o.Values[lane] + emu.Addr(bit/8), Size: (bit%8 + size + 7) / 8, Space: o.Space}
		}
	}
	return c, lane
}

// meets says whether an element of a matrix in memory is in the cell.
func (q *inquiry) meets(x piece) bool {
	c, _ := q.home(x)
	return c.Addr < q.cell.Addr+emu.Addr(q.cell.Size) && q.cell.Addr < c.Addr+emu.Addr(c.Size)
}
