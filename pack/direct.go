package main

import (
	"bytes"
	"encoding/binary"
)

// directJumps makes jumps of Go's code into branches of WebAssembly. Go's compiler writes a function as points that one
// table leads to (place): each jump sets a number and branches to the table, since a function that is suspended has to
// go on after any call. But only what follows a call is entered from outside. So here
//
//   - a jump forward is a branch to the end of a block;
//   - a loop without a call in it is a loop;
//   - a jump back to what a suspended function may come to stays a way through the table.
//
// What is executed stays the same. There is less code, engines compile it faster, and it is faster: engines count each
// branch to the table as a round of a loop, and cannot see the loops that there are.
func directJumps(module []byte) []byte {
	before, functions, after := splitCode(module)
	if functions == nil {
		return module
	}
	code := binary.AppendUvarint(nil, uint64(len(functions)))
	for _, f := range functions {
		if d, ok := direct(f); ok {
			f = d
		}
		code = binary.AppendUvarint(code, uint64(len(f)))
		code = append(code, f...)
	}
	// The section's size and the number of functions are the last two numbers before the functions.
	size := lastSection(before)
	out := bytes.Clone(before[:size])
	out = binary.AppendUvarint(out, uint64(len(code)))
	return append(append(out, code...), after...)
}

// lastSection is where the size of the section is with which a module's beginning ends.
func lastSection(beginning []byte) int {
	in := &wasm{rest: beginning[8:]}
	for {
		id := in.bytes(1)
		size := len(beginning) - len(in.rest)
		if id[0] == codeSection || in.err != nil {
			return size
		}
		in.bytes(in.unsigned())
	}
}

// direct is a function with direct jumps; ok says whether it is one that has jumps, as Go's compiler writes them.
func direct(function []byte) (out []byte, ok bool) {
	f, ok := readPoints(function)
	if !ok {
		return nil, false
	}
	w := newWriter(f)
	w.function()
	return w.out, !w.lost
}

// destination says where a branch of a point leads to.
type destination int

const (
	inside  destination = iota // a block in the same point: label says which
	unwinds                    // the end that says that the function is suspended
	toPoint                    // another point
	nowhere                    // no branch
)

// op is an instruction, or a jump to a point.
type op struct {
	code  []byte // the instruction; of a branch, without its label
	to    destination
	label int
}

// points is a function of Go's as it is read.
type points struct {
	locals  []byte // what is before the first block
	unwinds bool   // it has an end that says that the function is suspended
	table   []int  // the point of each number
	code    [][]op // of each point
	exit    []int  // of each point: the one to which its end leads, or -1
	entered []bool // of each point: it is entered from outside
}

// readPoints reads a function that has jumps.
func readPoints(function []byte) (*points, bool) {
	r := &pointReader{in: &wasm{rest: function}}
	for range r.in.unsigned() {
		r.in.number()
		r.in.bytes(1)
	}
	r.take(globalGet, 0, opSet, 1) // the stack's pointer is in a local
	r.locals = function[:len(function)-len(r.in.rest)]
	if !r.head() {
		return nil, false
	}
	for range r.count {
		if !r.point() {
			return nil, false
		}
	}
	if !r.tail() {
		return nil, false
	}
	r.enter()
	return &r.points, true
}

type pointReader struct {
	points
	in    *wasm
	count int // of points
}

func (r *pointReader) take(what ...byte) bool {
	if !bytes.HasPrefix(r.in.rest, what) {
		return false
	}
	r.in.bytes(len(what))
	return true
}

const (
	opLoop      = 0x03
	opReturn    = 0x0f
	noResult    = 0x40
	unreachable = 0x00
	localGet    = 0x20
	globalGet   = 0x23
)

// head reads up to the first point: block, if the function can be suspended; loop; a block for each point; the table.
func (r *pointReader) head() bool {
	r.unwinds = r.take(opBlock, noResult)
	if !r.take(opLoop, noResult) {
		return false
	}
	for r.take(opBlock, noResult) {
		r.count++
	}
	if r.count == 0 || !r.take(localGet, 0, opBrTable) {
		return false
	}
	for range r.in.unsigned() + 1 {
		point := r.in.unsigned()
		if point >= r.count || r.in.err != nil {
			return false
		}
		r.table = append(r.table, point)
	}
	return r.take(end)
}

// point reads a point with the end of the next one's block; the end of the last one is that of the loop.
func (r *pointReader) point() bool {
	var code []op
	for depth := 0; r.in.err == nil && len(r.in.rest) > 0; {
		o, opens := r.op()
		if o.code == nil {
			return false
		}
		if o.code[0] == end && depth == 0 {
			r.leave(code)
			return true
		}
		depth += opens
		if o.to == inside && o.label >= depth {
			var ok bool
			if o, code, ok = r.outside(o, o.label-depth, code); !ok {
				return false
			}
		}
		code = shorter(append(code, o))
	}
	return false
}

// outside reads a branch to a block around its point: with the two instructions before it a jump, or one that suspends
// the function.
func (r *pointReader) outside(o op, label int, before []op) (op, []op, bool) {
	table := r.count - 1 - len(r.code) // blocks of points that are still open
	if label == table+1 && r.unwinds {
		o.to = unwinds
		return o, before, true
	}
	n := len(before) - 2
	if label != table || o.code[0] != opBr || n < 0 || before[n].code[0] != i32Const ||
		!bytes.Equal(before[n+1].code, setsNumber) {
		return o, before, false
	}
	number := signed(before[n].code[1:])
	if number < 0 || number >= len(r.table) {
		return o, before, false
	}
	return op{code: o.code, to: toPoint, label: r.table[number]}, before[:n], true
}

// leave ends a point.
func (r *pointReader) leave(code []op) {
	exit := len(r.code) + 1
	if n := len(code) - 1; n >= 0 {
		switch last := code[n]; {
		case last.to == toPoint && last.code[0] == opBr:
			exit, code = last.label, code[:n]
		case last.code[0] == opReturn || last.code[0] == unreachable:
			exit = -1
		}
	}
	if exit == r.count {
		exit, code = -1, append(code, op{code: []byte{unreachable}, to: nowhere})
	}
	r.code, r.exit = append(r.code, code), append(r.exit, exit)
}

// shorter makes of a jump in an if a branch with a condition.
func shorter(code []op) []op {
	n := len(code) - 3
	if n < 0 || code[n+2].code[0] != end || code[n+1].to != toPoint || code[n+1].code[0] != opBr ||
		!bytes.Equal(code[n].code, []byte{opIf, noResult}) {
		return code
	}
	return append(code[:n], op{code: []byte{opBrIf}, to: toPoint, label: code[n+1].label})
}

// op reads an instruction, and by how much it changes the depth of blocks.
func (r *pointReader) op() (o op, opens int) {
	rest := r.in.rest
	code := r.in.bytes(1)[0]
	o.to = nowhere
	switch {
	case code >= opBlock && code <= opIf:
		opens = 1
		if !r.take(noResult) {
			r.in.number()
		}
	case code == end:
		opens = -1
	case code == opBr || code == opBrIf:
		o.to, o.label = inside, r.in.unsigned()
		o.code = rest[:1]
		return o, 0
	case code == opBrTable:
		return op{}, 0 // none but that of the points is known
	case code == opFloat || code == opDouble:
		r.in.bytes(4 << (code - opFloat))
	case code == opMore:
		count := moreOperands(r.in.bytes(1)[0])
		if count < 0 {
			return op{}, 0
		}
		r.in.numbers(count)
	default:
		count := operandCount(code)
		if count < 0 {
			return op{}, 0
		}
		r.in.numbers(count)
	}
	o.code = rest[:len(rest)-len(r.in.rest)]
	return o, opens
}

// tail reads what follows the loop.
func (r *pointReader) tail() bool {
	if !r.take(unreachable) || r.unwinds && !r.take(end, i32Const, 1) {
		return false
	}
	return r.take(end) && len(r.in.rest) == 0
}

// enter finds the points that are entered from outside: the first, the one after each call, and the one that calls,
// since a function that has recovered goes on with its call of deferreturn.
func (r *pointReader) enter() {
	r.entered = make([]bool, r.count)
	r.entered[r.table[0]] = true
	for p, code := range r.code[:r.count-1] {
		if n := len(code) - 1; n >= 0 && code[n].to == unwinds && code[n].code[0] == opBrIf {
			r.entered[p], r.entered[p+1] = true, true
		}
	}
}
