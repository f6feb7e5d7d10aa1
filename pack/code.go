package main

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
)

// codeSection is the section that holds the functions' bodies.
const codeSection = 10

// codeMark begins a module whose code is rewritten. public/unpack.js restores the module from:
//
//	codeMark, and the size of the head in four bytes
//	the head: the module's size; the number of templates, and of each its code, its length and itself; the size of the
//	    module before the first function; the number of functions
//	the module before the first function
//	of each function: twice the length, and one more where it is as the module has it; and what becomes of it
//	how many bytes of the module are between the last function and the table of functions, and how many become of
//	    that table (functions.go); then both
//	the rest of the module
//
// All numbers but the head's size are in LEB128. How functions are rewritten is said at body and at grammar.
const codeMark = "\x00pak"

// rewriteCode makes of a module what packs to less. A module that it cannot read stays as it is.
func rewriteCode(module []byte, table part) []byte {
	before, functions, after := splitCode(module)
	if functions == nil {
		return module
	}
	bodies := make([]*body, len(functions))
	for i, f := range functions {
		bodies[i] = newBody(i, f)
	}
	var g grammar
	g.find(bodies)
	templates := g.codes()

	head := binary.AppendUvarint(nil, uint64(len(module)))
	head = appendTemplates(head, templates)
	head = binary.AppendUvarint(head, uint64(len(before)))
	head = binary.AppendUvarint(head, uint64(len(functions)))
	out := binary.LittleEndian.AppendUint32([]byte(codeMark), uint32(len(head)))
	out = append(append(out, head...), before...)
	for i, b := range bodies {
		out = appendFunction(out, i, functions[i], g.append(nil, b), templates)
	}
	if len(table.packed) == 0 {
		return append(append(out, 0, 0), after...)
	}
	between := module[len(module)-len(after) : table.start]
	out = binary.AppendUvarint(out, uint64(len(between)))
	out = binary.AppendUvarint(out, uint64(len(table.packed)))
	out = append(append(out, between...), table.packed...)
	return append(out, module[table.end:]...)
}

func appendTemplates(out []byte, templates map[byte][]byte) []byte {
	out = binary.AppendUvarint(out, uint64(len(templates)))
	for _, code := range slices.Sorted(maps.Keys(templates)) {
		out = append(out, code)
		out = binary.AppendUvarint(out, uint64(len(templates[code])))
		out = append(out, templates[code]...)
	}
	return out
}

// appendFunction appends a function as it is rewritten, where that can be undone.
func appendFunction(out []byte, index int, function, rewritten []byte, templates map[byte][]byte) []byte {
	if !bytes.Equal(restored(index, rewritten, templates), function) {
		out = binary.AppendUvarint(out, uint64(2*len(function)+1))
		return append(out, function...)
	}
	out = binary.AppendUvarint(out, uint64(2*len(rewritten)))
	return append(out, rewritten...)
}

// splitCode finds the functions of a module; there are none where it is not as rewriteCode could restore it.
func splitCode(module []byte) (before []byte, functions [][]byte, after []byte) {
	if !bytes.HasPrefix(module, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, nil, nil
	}
	in := &wasm{rest: module[8:]}
	for len(in.rest) > 0 {
		id := in.bytes(1)
		section := in.bytes(in.unsigned())
		if in.err != nil {
			return nil, nil, nil
		}
		if id[0] == codeSection {
			functions, before = splitFunctions(section, module[:len(module)-len(in.rest)])
			return before, functions, in.rest
		}
	}
	return nil, nil, nil
}

// splitFunctions cuts the code section, with which a module's beginning ends. There are no functions where one has a
// size that is longer than it need be.
func splitFunctions(section, beginning []byte) (functions [][]byte, before []byte) {
	in := &wasm{rest: section}
	count := in.unsigned()
	before = beginning[:len(beginning)-len(in.rest)]
	for range count {
		size := in.rest
		function := in.bytes(in.unsigned())
		if in.err != nil || !bytes.HasPrefix(size, binary.AppendUvarint(nil, uint64(len(function)))) {
			return nil, nil
		}
		functions = append(functions, function)
	}
	if len(in.rest) > 0 {
		return nil, nil
	}
	return functions, before
}

// Opcodes that matter here, beside those of wasm.go.
const (
	opBlock   = 0x02
	opIf      = 0x04
	opBr      = 0x0c
	opBrIf    = 0x0d
	opBrTable = 0x0e
	opSet     = 0x21
	opLong    = 0x42 // i64.const
	opFloat   = 0x43 // f32.const
	opDouble  = 0x44 // f64.const
	opMore    = 0xfc // and a second number

	// Not WebAssembly's.
	opNext    = 0x06 // i64.const, the address of the next point
	opAddress = 0x07 // i64.const, an address in this function; its number less the last one
	opJump    = 0x08 // i32.const, the number of a point; local.set 0. How many points further that is
	opPoints  = 0x09 // br_table to points: how many, and how many numbers lead to each
)

// operandCount says how many operands an opcode has; -1 is an opcode that is not known. The operands of br_table count
// as one, and so do the bytes of a constant; those of opMore come after its second number.
func operandCount(op byte) int {
	switch {
	case op >= opNext && op <= opPoints:
		return min(int(op-opNext), 1)
	case op == 0x00, op == 0x01, op == 0x05, op == end, op == 0x0f, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4:
		return 0
	case op >= opBlock && op <= opIf, op >= opBr && op <= 0x10, op >= 0x20 && op <= 0x24, op >= 0x3f && op <= opDouble:
		return 1
	case op == 0x11, op >= 0x28 && op <= 0x3e: // call_indirect, loads and stores
		return 2
	}
	return -1
}

// moreOperands is operandCount of what the second number of opMore says: conversions, memory.copy and memory.fill.
func moreOperands(second byte) int {
	switch {
	case second < 8:
		return 0
	case second == 10:
		return 2
	case second == 11:
		return 1
	}
	return -1
}

// place is where a function's instructions have got to.
//
// A function of Go's that can be suspended begins with a br_table on its first argument, the number where it goes on.
// The table's blocks end one after the other, each at a point where the function can go on; one or more numbers lead
// there. A call pushes its return address, which is made of the function and the number of the point after the call. A
// jump sets the number and branches to the table.
type place struct {
	index  int   // the function
	depth  int   // how many blocks are open
	starts []int // the first number of each point, and one past the last number
	level  int   // where blocks end with a point: at this depth
	point  int   // the last point
	last   int   // the last number
}

// firstFunction is the function part of the first function's addresses (cmd/link/internal/wasm: funcValueOffset).
const firstFunction = 0x1000

func newPlace(index int) *place { return &place{index: index, level: -1} }

// address is the address of a number; it has 32 bits.
func (p *place) address(number int) int {
	return int(uint32(p.index+firstFunction)<<16 | uint32(number))
}

// outermost is how many blocks branches name from outside, the function among them.
const outermost = 3

// target is how a branch to a label is written; and where it is written so, it is the label.
func (p *place) target(label int) int {
	if outside := p.depth - label; outside >= 0 && outside < outermost {
		return outside
	}
	return label + outermost
}

func (p *place) label(target int) int {
	if target < outermost {
		return p.depth - target
	}
	return target - outermost
}

// begin says that the table of points has been seen.
func (p *place) begin(starts []int) {
	p.starts, p.level, p.point = starts, p.depth, -1
}

func (p *place) end() {
	p.depth--
	if p.depth >= p.level {
		return
	}
	p.level--
	p.point++
	p.last = p.start(p.point)
}

// start is the first number of a point; 0 for what is none.
func (p *place) start(point int) int {
	if point < 0 || point >= len(p.starts) {
		return 0
	}
	return p.starts[point]
}

// find is the point that begins with a number.
func (p *place) find(number int) (point int, ok bool) {
	point, ok = slices.BinarySearch(p.starts, number)
	return point, ok && point+1 < len(p.starts)
}

// body is a function as symbols and their operands. The symbols at first are instructions, with these changes, which
// make the same of what is alike at different places:
//
//   - A branch to one of the outermost blocks, which suspends the function or goes through its table, names its target
//     from outside: 0 is the function, 1 the outermost block. Others name it from inside, after those.
//   - Addresses and numbers of points are relative (place).
type body struct {
	locals   []byte
	symbols  []symbol
	operands [][]byte
}

// newBody reads a function. What it cannot read is missing.
func newBody(index int, function []byte) *body {
	in := &wasm{rest: function}
	for range in.unsigned() {
		in.number()
		in.bytes(1)
	}
	b := &body{locals: function[:len(function)-len(in.rest)]}
	p := newPlace(index)
	for len(in.rest) > 0 {
		if !b.read(in, p) {
			return &body{}
		}
	}
	return b
}

// read reads an instruction, and says whether it knows it.
func (b *body) read(in *wasm, p *place) bool {
	op := in.bytes(1)[0]
	switch {
	case op >= opNext && op <= opPoints:
		return false
	case op >= opBlock && op <= opIf:
		p.depth++
	case op == end:
		p.end()
	case op == opBr || op == opBrIf:
		b.add(symbol(op), appendNumber(p.target(in.unsigned())))
		return in.err == nil
	case op == opBrTable:
		return b.readTable(in, p)
	case op == opFloat || op == opDouble:
		b.add(symbol(op), in.bytes(4<<(op-opFloat)))
		return in.err == nil
	case op == i32Const || op == opLong:
		b.readConst(op, in.number(), in, p)
		return in.err == nil
	case op == opMore:
		second := in.bytes(1)[0]
		b.add(firstMore+symbol(second&15), in.numbers(moreOperands(second))...)
		return in.err == nil && moreOperands(second) >= 0
	}
	b.add(symbol(op), in.numbers(operandCount(op))...)
	return in.err == nil && operandCount(op) >= 0
}

func (b *body) add(s symbol, operands ...[]byte) {
	b.symbols = append(b.symbols, s)
	b.operands = append(b.operands, operands...)
}

func (b *body) readTable(in *wasm, p *place) bool {
	table := in.rest
	count := in.unsigned()
	starts := []int{0}
	rising := p.level < 0
	for i, last := 0, 0; i <= count && in.err == nil; i++ {
		label := in.unsigned()
		if label == last+1 {
			starts = append(starts, i)
		}
		rising = rising && (label == last || label == last+1 && i > 0)
		last = label
	}
	if !rising {
		b.add(opBrTable, table[:len(table)-len(in.rest)])
		return in.err == nil
	}
	starts = append(starts, count+1)
	points := appendNumber(len(starts) - 1)
	for i, next := range starts[1:] {
		points = append(points, appendNumber(next-starts[i])...)
	}
	b.add(opPoints, points)
	p.begin(starts)
	return in.err == nil
}

// setsNumber sets the number with which the function goes on.
var setsNumber = []byte{opSet, 0}

func (b *body) readConst(op byte, operand []byte, in *wasm, p *place) {
	value := signed(operand)
	point, isPoint := p.find(value)
	number := value - p.address(0)
	switch {
	case op == i32Const && isPoint && bytes.HasPrefix(in.rest, setsNumber):
		in.bytes(len(setsNumber))
		b.add(opJump, appendNumber(folded(point-p.point)))
	case op == i32Const || number < 0 || number > 0xffff:
		b.add(symbol(op), operand)
	case number == p.start(p.point+1):
		b.add(opNext)
		p.last = number
	default:
		b.add(opAddress, appendNumber(folded(number-p.last)))
		p.last = number
	}
}

// number takes a LEB128 number as it is.
func (w *wasm) number() []byte {
	n := 0
	for n < len(w.rest) && w.rest[n] >= 0x80 {
		n++
	}
	return w.bytes(n + 1)
}

func (w *wasm) numbers(count int) (list [][]byte) {
	for range count {
		list = append(list, w.number())
	}
	return list
}

func appendNumber(v int) []byte { return binary.AppendUvarint(nil, uint64(v)) }

// signed is the value of a signed LEB128 number.
func signed(number []byte) (v int) {
	shift := 0
	for _, b := range number {
		v |= int(b&0x7f) << shift
		shift += 7
	}
	if len(number) > 0 && number[len(number)-1]&0x40 != 0 && shift < 64 {
		v |= -1 << shift
	}
	return v
}

// folded makes a small number without a sign of a small one: 0, -1, 1, -2 are 0, 1, 2, 3.
func folded(v int) int { return v<<1 ^ v>>63 }
