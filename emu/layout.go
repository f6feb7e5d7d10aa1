package emu

import (
	"fmt"
	"slices"

	"warpscope/emu/matrix"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Layout says which lanes and registers hold the elements of a matrix, or where in memory they are. It is what the
// instruction itself goes by.
type Layout struct {
	Name       string // A, B, C, D; T for tensor memory; or the number of a matrix of ldmatrix
	Operand    int    // of the instruction, whose registers hold the matrix
	Write      bool
	Late       bool // it is written when the warp waits
	Type       isa.Type
	Bits       int // of an element in a register
	Rows, Cols int
	Holders    []Holder // row after row, of a matrix in registers
	Packed     int      // elements of one bit that a column stands for, or 1
	RowLanes   []int    // the lane that gives the address of each row in memory; nil: there are none
	Stored     int      // bits of an element there

	// Of a matrix in memory; see MemoryLayouts.
	Home     Home
	Places   []MemoryPlace // row after row
	FirstRow int           // of the whole matrix that the warp or the CTA has
	FirstCol int
	values   func(m Memory) []uint64
}

// Holder is the place of an element: a lane, a register of the operand, and which part of it, from the lowest bits.
type Holder struct{ Lane, Register, Part int }

// At is the holder of an element.
func (l *Layout) At(row, col int) Holder { return l.Holders[row*l.Cols+col] }

// Home is what has the elements of a matrix.
type Home uint8

// The homes.
const (
	InRegisters Home = iota
	InShared         // memory of the CTA
	InTensor         // memory of the CTA
)

// MemoryPlace is where an element in memory begins: an address of the CTA's shared memory, or a lane and a column of
// its tensor memory, and the bit there.
type MemoryPlace struct{ Lane, At, Bit int }

// Memory is what matrices of a CTA are read from. Word is a word of tensor memory; ok is false where none is allocated.
type Memory struct {
	Shared []byte
	Word   func(lane, column int) (word uint32, ok bool)
}

// Values are the elements of a matrix in memory, row after row; nil where they are not all in that memory.
func (l *Layout) Values(m Memory) []uint64 { return l.values(m) }

// Layouts lists the matrices in the registers that an instruction names; none for most instructions.
func Layouts(in *ptx.Inst) []Layout {
	b := in.Match
	if b == nil {
		return nil
	}
	switch b.Form.Mnemonic {
	case "mma":
		return productLayouts(b, false)
	case "wmma":
		if b.Has(".mma") {
			return productLayouts(b, false)
		}
		return wmmaLayouts(b)
	case "wgmma":
		if b.Has(".mma_async") {
			return productLayouts(b, true)
		}
	case "ldmatrix", "stmatrix":
		return rowsLayouts(b)
	case "tcgen05":
		return tensorLayouts(b)
	}
	return nil
}

// productLayouts are D, A, B and C of a product. Of wgmma they are the 16 rows that a warp has, without what is in
// shared memory.
func productLayouts(b *isa.Bound, group bool) (list []Layout) {
	m, n, k := b.Shape()
	dt, at, bt, ct := b.MatrixTypes()
	stored := k
	if b.Sparse() {
		stored = k / 2
	}
	if group {
		m = 16
	}
	fa, okA := multiplicand(b, at, m, stored, true)
	fb, okB := multiplicand(b, bt, n, k, false)
	if !okA || !okB {
		return nil
	}
	for i, op := range b.Operands {
		switch op.Name {
		case "d":
			list = append(list, layoutsOf(accumulator(dt, m, n, fa.Quad()), "D", i, dt, false)...)
		case "a":
			list = append(list, layoutsOf(fa, "A", i, at, false)...)
		case "b":
			list = append(list, layoutsOf(fb, "B", i, bt, true)...)
		case "c":
			list = append(list, layoutsOf(accumulator(ct, m, n, fa.Quad()), "C", i, ct, false)...)
		}
	}
	for i := range list {
		list[i].Write = list[i].Name[0] == 'D'
		list[i].Late = list[i].Write && group
	}
	return list
}

// layoutsOf is the layout of a fragment; of mma.m8n8k4 of .f16 those of its four matrices. transposed: it is B.
func layoutsOf(g matrix.Fragment, name string, operand int, t isa.Type, transposed bool) (list []Layout) {
	g.Prepare()
	size, per := g.Rows*g.Cols, max(32/g.Bits, 1)
	count := 1
	if g.Quad() {
		count = 4
	}
	for i := range count {
		l := Layout{Name: name, Operand: operand, Type: t, Bits: g.Bits, Rows: g.Rows, Cols: g.Cols,
			Holders: make([]Holder, size), Packed: 1}
		if t == isa.B1 {
			l.Packed = g.Bits
		}
		if transposed {
			l.Rows, l.Cols = g.Cols, g.Rows
		}
		if g.Quad() {
			l.Name = fmt.Sprintf("%s of lanes %d–%d and %d–%d", name, 4*i, 4*i+3, 4*i+16, 4*i+19)
		}
		list = append(list, l)
	}
	for lane := range 32 {
		for i := range g.PerLane() {
			place := g.Place(lane, i)
			row, col := place%size/g.Cols, place%g.Cols
			l := &list[place/size]
			if transposed {
				row, col = col, row
			}
			l.Holders[row*l.Cols+col] = Holder{lane, i / per, i % per}
		}
	}
	return list
}

func wmmaLayouts(b *isa.Bound) []Layout {
	g, transposed, ok := wmmaFragment(b)
	if !ok {
		return nil
	}
	name, operand := "C", 0
	switch {
	case b.Has(".a"):
		name = "A"
	case b.Has(".b"):
		name = "B"
	case b.Has(".store"):
		name, operand = "D", 1
	}
	list := layoutsOf(g, name, operand, b.Types[0], transposed)
	list[0].Write = b.Has(".load")
	return list
}

// rowsLayouts are the matrices of ldmatrix and stmatrix as they are in memory: each row is where a lane's address says.
func rowsLayouts(b *isa.Bound) (list []Layout) {
	v := rowsMoveOf(b)
	n := max(b.Repeated(), 1)
	rows, cols, operand := v.lanes/n, 16/v.size, 0
	if b.Form.Mnemonic == "stmatrix" {
		operand = 1
	}
	for i := range n {
		l := Layout{Name: fmt.Sprintf("matrix %d", i), Operand: operand, Write: operand == 0,
			Type: map[int]isa.Type{1: isa.B8, 2: isa.B16}[v.size], Bits: 8 * v.size, Rows: rows, Cols: cols,
			Holders: make([]Holder, rows*cols), Packed: 1, Stored: v.bits}
		for row := range rows {
			l.RowLanes = append(l.RowLanes, i*rows+row)
		}
		list = append(list, l)
	}
	for r := range b.Tuple("r") {
		for lane := range 32 {
			for e := range 4 / v.size {
				row, col := v.place(r, lane, e)
				list[row/rows].Holders[row%rows*cols+col] = Holder{lane, r, e}
			}
		}
	}
	return list
}

// tensorLayouts are the lanes and columns of tensor memory that tcgen05.ld and tcgen05.st move, from the address on
// (9.7.18.2.3.1); none where .spcompress keeps elements by their values. With .16x32bx2 each half of the warp has
// a matrix of its own.
func tensorLayouts(b *isa.Bound) (list []Layout) {
	operand := slices.IndexFunc(b.Operands, func(o isa.Operand) bool { return o.Name == "r" })
	if operand < 0 {
		return nil
	}
	p, load := tensorPartOf(b, 0), b.Form.ID != "tcgen05.st"
	registers, lanes := b.Tuple("r"), 32
	if b.Has(".16x32bx2") {
		lanes = 16
	}
	for first := 0; first < 32; first += lanes {
		l := Layout{Name: "T", Operand: operand, Write: load, Late: load, Type: isa.BitsType(32 / p.per),
			Bits: 32 / p.per, Rows: p.rows, Cols: registers * lanes / p.rows * p.per, Packed: 1}
		if lanes < 32 {
			l.Name = fmt.Sprintf("T of lanes %d–%d", first, first+lanes-1)
		}
		l.Holders = make([]Holder, l.Rows*l.Cols)
		for lane := first; lane < first+lanes; lane++ {
			for r := range registers {
				row, col := p.place(lane, r)
				for part := range p.per {
					l.Holders[row*l.Cols+col+part] = Holder{lane, r, part}
				}
			}
		}
		list = append(list, l)
	}
	return list
}
