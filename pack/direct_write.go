package main

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// writer writes a function with direct jumps.
type writer struct {
	*points
	flow   *flow
	items  []item
	after  []int  // of each point: the one that follows it in the order; -1 after the last one
	target []bool // of each point: something branches to it
	back   bool   // there are ways through the table
	number []int  // of each point: the first number that leads there
	open   []int  // of blocks and loops that have no end yet: the point where one ends or begins, or one of the others
	lost   bool   // a branch leads where no block ends
	out    []byte
}

// Not points.
const (
	none        = -1
	tableLoop   = -2
	unwindBlock = -3
)

func newWriter(f *points) *writer {
	n := len(f.code)
	w := &writer{points: f, flow: newFlow(f), after: make([]int, n), target: make([]bool, n), number: make([]int, n)}
	w.out = bytes.Clone(f.locals)
	w.items = w.flow.arrange()
	var sequence []int
	for _, i := range w.items {
		i.each(func(p int) { sequence = append(sequence, p) })
	}
	for i, p := range sequence {
		w.after[p] = -1
		if i+1 < len(sequence) {
			w.after[p] = sequence[i+1]
		}
	}
	w.find(w.items, nil)
	for number, p := range slices.Backward(w.table) {
		w.number[p] = number
	}
	return w
}

// find finds out what something branches to; loops are those around the items.
func (w *writer) find(items []item, loops []int) {
	for _, i := range items {
		if i.loop != nil {
			w.find(i.loop, append(loops, i.point))
			continue
		}
		branches := func(to int) {
			switch {
			case !slices.Contains(w.flow.next[i.point], to):
				w.back = true
			case !slices.Contains(loops, to):
				w.target[to] = true
			}
		}
		for _, o := range w.code[i.point] {
			if o.to == toPoint {
				branches(o.label)
			}
		}
		if to := w.exit[i.point]; w.leaves(i.point) {
			branches(to)
		}
	}
}

// leaves says whether the end of a point leads to another one than that which follows it.
func (w *writer) leaves(p int) bool { return w.exit[p] >= 0 && w.exit[p] != w.after[p] }

func (w *writer) function() {
	if w.unwinds {
		w.begin(opBlock, unwindBlock)
	}
	entries := 0
	for _, entered := range w.flow.entered {
		if entered {
			entries++
		}
	}
	table := entries > 1 || w.back || w.items[0].point != w.table[0]
	if table {
		for p, entered := range w.flow.entered {
			w.target[p] = w.target[p] || entered
		}
	}
	if w.back {
		w.begin(opLoop, tableLoop)
	}
	w.list(w.items, table)
	if w.back {
		w.end()
	}
	w.out = append(w.out, unreachable)
	if w.unwinds {
		w.end()
		w.out = append(w.out, i32Const, 1)
	}
	w.out = append(w.out, end)
}

func (w *writer) begin(op byte, point int) {
	w.out = append(w.out, op, noResult)
	w.open = append(w.open, point)
}

func (w *writer) end() {
	w.out = append(w.out, end)
	w.open = w.open[:len(w.open)-1]
}

// list writes items; where there is a table, it leads to them. A loop's first item needs no block: the loop is one.
func (w *writer) list(items []item, table bool) {
	loop := none
	if len(w.open) > 0 {
		loop = w.open[len(w.open)-1]
	}
	isTarget := func(i item) bool { return w.target[i.point] && i.point != loop }
	for _, i := range slices.Backward(items) {
		if isTarget(i) {
			w.begin(opBlock, i.point)
		}
	}
	label := make(map[int]int)
	for _, i := range items {
		if isTarget(i) {
			label[i.point] = len(label)
		}
	}
	if table {
		w.writeTable(label)
	}
	for _, i := range items {
		if isTarget(i) {
			w.end()
		}
		if i.loop == nil {
			w.point(i.point)
			continue
		}
		w.begin(opLoop, i.point)
		w.list(i.loop, false)
		w.end()
	}
}

func (w *writer) writeTable(label map[int]int) {
	w.out = append(w.out, localGet, 0, opBrTable)
	w.out = binary.AppendUvarint(w.out, uint64(len(w.table)-1))
	last := 0
	for _, p := range w.table {
		if l, ok := label[p]; ok {
			last = l
		}
		w.out = binary.AppendUvarint(w.out, uint64(last))
	}
}

func (w *writer) point(p int) {
	depth := 0
	for _, o := range w.code[p] {
		switch {
		case o.to == toPoint:
			w.branch(o.code[0], p, o.label, depth)
			continue
		case o.to == unwinds:
			w.out = append(w.out, o.code...)
			w.out = binary.AppendUvarint(w.out, uint64(depth+len(w.open)-1))
			continue
		case o.to == inside:
			w.out = append(w.out, o.code...)
			w.out = binary.AppendUvarint(w.out, uint64(o.label))
			continue
		case o.code[0] >= opBlock && o.code[0] <= opIf:
			depth++
		case o.code[0] == end:
			depth--
		}
		w.out = append(w.out, o.code...)
	}
	if w.leaves(p) {
		w.branch(opBr, p, w.exit[p], 0)
	}
}

// branch writes a branch at a depth of blocks in a point.
func (w *writer) branch(op byte, from, to, depth int) {
	if slices.Contains(w.flow.next[from], to) {
		for i, point := range slices.Backward(w.open) {
			if point == to {
				w.out = append(w.out, op)
				w.out = binary.AppendUvarint(w.out, uint64(depth+len(w.open)-1-i))
				return
			}
		}
		w.lost = true
		return
	}
	if op == opBrIf {
		w.out = append(w.out, opIf, noResult)
		depth++
	}
	w.out = appendSigned(append(w.out, i32Const), int64(w.number[to]))
	w.out = append(append(w.out, setsNumber...), opBr)
	w.out = binary.AppendUvarint(w.out, uint64(depth+len(w.open)-1-w.tableAt()))
	if op == opBrIf {
		w.out = append(w.out, end)
	}
}

func (w *writer) tableAt() int {
	if w.unwinds {
		return 1
	}
	return 0
}
