package machine

import (
	"unsafe"

	"warpscope/emu/row"
)

// Course is what Straight goes by. Addresses are those of the host.
type Course struct {
	Code, Counts, Frame uint32 // addresses
	Active              uint32 // lanes
	PC, RPC             int32
	Left                int32  // instructions that may be executed
	More                int32  // and where the turn can go on after them
	Turn                int32  // with Left and More: the instructions of the turn that are left
	Once                uint32 // 1: up to the first branch
}

// Straight, if there is one, does what Warp.straight does without breakpoints and counters, in code for this machine:
// see package emu/simd. It goes on from Course.PC, and leaves there, in Left and in More how far it has come. It returns
// how many instructions of the line that begins there it has executed as well, or Branched.
var Straight func(*Course) uint32

// Branched is what Straight returns after a branch, if it goes no further.
const Branched = 1<<32 - 1

// LastTurn is how many instructions of a turn are left, a negative number, where it goes on no more; see stretch.
const LastTurn = turnLength - privateTurn

// course is the one of the warp that runs.
var course Course

// budget is how far straight may go.
type budget struct {
	most int64 // instructions
	more int64 // that may follow where the turn can go on
	turn int64 // instructions of the turn that are left
	once bool  // up to the first branch
}

// budget is that of a warp which has left of n instructions and may execute most of them before its turn can end.
func (g *Grid) budget(w *Warp, most, left, n int64, once bool) budget {
	b := budget{most: most, turn: g.State.left - n + left, once: once}
	if !once && !w.Doubting && g.Dev.opts.Schedule == 0 {
		b.more = left - most
	}
	return b
}

// begin sets what does not change along a course.
func begin(code []Inst, counts []Count, f unsafe.Pointer, active Mask, rpc int32, b *budget) {
	course = Course{Code: address(unsafe.Pointer(&code[0])), Counts: address(unsafe.Pointer(&counts[0])),
		Frame: address(f), Active: uint32(active), RPC: rpc, Once: row.Bit(b.once)}
}

// goOn calls Straight at a pc. It returns where it has come, and how many instructions of the line there it has executed,
// or -1 after the last branch. What it takes of more, it adds to most.
func (b *budget) goOn(pc int32, left *int64) (to int32, done int64) {
	const limit = 1 << 28
	given, more := min(*left, limit), min(b.more, limit)
	course.PC, course.Left, course.More = pc, int32(given), int32(more)
	course.Turn = int32(b.turn - (b.most - *left) - given - more)
	n := Straight(&course)
	taken := more - int64(course.More)
	b.more -= taken
	b.most += taken
	*left += int64(course.Left) - given
	if n == Branched {
		return course.PC, -1
	}
	return course.PC, int64(n)
}

func address(p unsafe.Pointer) uint32 { return uint32(uintptr(p)) }
