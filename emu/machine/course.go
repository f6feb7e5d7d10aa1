package machine

import (
	"unsafe"

	"warpscope/emu/row"
)

// LastTurn is how many instructions of a turn are left, a negative number, where it goes on no more; see stretch.
const LastTurn = TurnLength - PrivateTurn

// course is the one of the warp that runs.
var course row.Course

// budget is how far straight may go.
type budget struct {
	most int64 // instructions
	more int64 // that may follow where the turn can go on
	turn int64 // instructions of the turn that are left
	once bool  // up to the first branch
}

// begin sets what does not change along a course, and what vectors reach.
func (b *budget) begin(w *Warp, code []Inst, f unsafe.Pointer, active Mask, rpc int32) {
	g := w.CTA.Grid
	c := &course
	c.Code, c.Counts = row.Address(unsafe.Pointer(&code[0])), row.Address(unsafe.Pointer(&g.Counts[0]))
	c.Frame, c.Active, c.RPC, c.Once = row.Address(f), uint32(active), rpc, row.Bit(b.once)
	c.Insts = 0
	if n := countsOf(w); n != nil {
		c.Insts, c.Warp = row.Address(unsafe.Pointer(&g.counting.insts[0])), row.Address(unsafe.Pointer(n))
		p := &g.Prog.AccessPlans
		c.Accesses, c.Next = row.Address(unsafe.Pointer(&p.Accesses[0])), row.Address(unsafe.Pointer(&p.Next[0]))
		c.Parts = row.Address(unsafe.Pointer(&p.Parts[0]))
	}
	if row.Reached = 0; g.Flying == 0 {
		r := &g.Dev.reach
		r.Look(g.Mem.Changes(), g.Mem.At(0), g.Mem.Marks(0))
		r.Give(w.CTA.SharedOff, uint32(w.CTA.SharedSize), storesPlain(w))
		row.Reached = row.Address(unsafe.Pointer(r))
	}
}

// goOn calls Straight at a pc. It returns where it has come, and how many instructions of the line there it has
// executed, or -1 after the last branch. What it takes of more, it adds to most.
func (b *budget) goOn(pc int32, left *int64) (to int32, done int64) {
	given, more := min(*left, 1<<28), min(b.more, 1<<28)
	course.PC, course.Left, course.More = pc, int32(given), int32(more)
	course.Turn = int32(b.turn - (b.most - *left) - given - more)
	n := row.Straight(&course)
	taken := more - int64(course.More)
	b.more, b.most = b.more-taken, b.most+taken
	*left += int64(course.Left) - given
	return course.PC, int64(n)
}
