// Package live works out where the registers of a function are live, from what each instruction reads and writes.
package live

import (
	"math/bits"
	"slices"

	"warpscope/ptx"
)

// Set is a set of registers, by number.
type Set []uint64

// NewSet returns an empty set of registers with numbers below n.
func NewSet(n int) Set { return make(Set, (n+63)/64) }

// Has says whether register number n is in the set.
func (s Set) Has(n int32) bool { return s[n/64]>>(n%64)&1 != 0 }

// Add adds register number n.
func (s Set) Add(n int32) { s[n/64] |= 1 << (n % 64) }

// Common counts the registers that are in another set, too.
func (s Set) Common(other Set) (n int) {
	for i, v := range other {
		n += bits.OnesCount64(v & s[i])
	}
	return n
}

func (s Set) remove(n int32) { s[n/64] &^= 1 << (n % 64) }

// join adds the registers of another set, and says whether some of them are new.
func (s Set) join(other Set) (grown bool) {
	for i, v := range other {
		grown = grown || v&^s[i] != 0
		s[i] |= v
	}
	return grown
}

// Code is where instructions and blocks of a function are, by pc.
type Code interface {
	Block(pc int32) int
	Bounds(block int) (start, end int32)
}

// Flow is a function, and where its registers are live. Start, Reads, Kills and Always are given.
type Flow struct {
	Code   Code
	Nodes  *ptx.Func // its basic blocks
	Start  int32     // pc of the first instruction, which Reads and Kills begin with
	Reads  [][]int32 // by instruction; the last one is at the function's end
	Kills  [][]int32 // registers that all lanes write, by instruction
	Always Set       // live everywhere
	end    Set       // live at the function's end
	starts []Set     // live where a node of the control flow graph begins
}

// At returns the registers that are live before the instruction at a pc.
func (l *Flow) At(pc int32) Set {
	block := l.Code.Block(pc)
	_, end := l.Code.Bounds(block)
	return l.back(l.after(block), end, pc)
}

// Each visits the instructions of a block from the last one on, with the registers that are live before each.
func (l *Flow) Each(block int, visit func(pc int32, live Set)) {
	start, end := l.Code.Bounds(block)
	live := l.after(block)
	for pc := end - 1; pc >= start; pc-- {
		live = l.back(live, pc+1, pc)
		visit(pc, live)
	}
}

// after returns the registers that are live at the end of a block.
func (l *Flow) after(block int) Set {
	live, src := slices.Clone(l.Always), l.Nodes
	if block == len(src.Blocks) {
		return live
	}
	for _, node := range src.Next(block) {
		live.join(l.starts[node])
	}
	if src.Blocks[block].RunsOut {
		live.join(l.end)
	}
	return live
}

// back turns the registers that are live before pc from into those that are live before pc to, which is earlier in the
// same block.
func (l *Flow) back(live Set, from, to int32) Set {
	for i := from - l.Start - 1; i >= to-l.Start; i-- {
		for _, n := range l.Kills[i] {
			live.remove(n)
		}
		for _, n := range l.Reads[i] {
			live.Add(n)
		}
	}
	return live
}

// Solve finds what is live at the start of every node.
func (l *Flow) Solve() {
	src := l.Nodes
	l.end = l.At(l.Start + int32(len(l.Reads)) - 1)
	l.starts = make([]Set, src.Nodes())
	for node := range l.starts {
		l.starts[node] = slices.Clone(l.Always)
	}
	for changed := true; changed; {
		changed = false
		for node := len(l.starts) - 1; node >= 0; node-- {
			if node < len(src.Blocks) {
				start, end := l.Code.Bounds(node)
				changed = l.starts[node].join(l.back(l.after(node), end, start)) || changed
				continue
			}
			for _, b := range src.Next(node) { // of a table
				changed = l.starts[node].join(l.starts[b]) || changed
			}
		}
	}
}
