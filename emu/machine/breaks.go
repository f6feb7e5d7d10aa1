package machine

import (
	"unsafe"

	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// SetBreaks sets the instructions that RunFor stops at. It replaces all earlier ones.
func (g *Grid) SetBreaks(insts map[*ptx.Inst]bool) {
	g.breaks = breakpoints{}
	if len(insts) == 0 {
		return
	}
	code := g.Prog.Code
	g.breaks.to = make([]int32, len(code))
	next := int32(len(code))
	for pc := next - 1; pc >= 0; pc-- {
		if insts[code[pc].Src] {
			next = pc
		}
		g.breaks.to[pc] = next - pc
	}
}

// SetBreaksOf does what SetBreaks does for one warp of a CTA; all others pass.
func (g *Grid) SetBreaksOf(cta, warp int, insts map[*ptx.Inst]bool) {
	g.SetBreaks(insts)
	g.breaks.one, g.breaks.cta, g.breaks.warp = true, cta, warp
}

// BreakWhereWritten lets stops of SetBreaks pass that write none of size bytes at a generic address.
func BreakWhereWritten(g *Grid, at Addr, size int) { g.breaks.from, g.breaks.end = at, at+Addr(size) }

// stops says whether lanes stop before an instruction with a breakpoint. While nothing is under way, stores and atomics
// write where their lanes say, and barriers and branches write nothing.
func (b *breakpoints) stops(g *Grid, in *Inst, f unsafe.Pointer, active Mask) (stop bool) {
	effect := in.Src.Match.Form.Effect
	switch {
	case b.end == 0 || g.Flying != 0:
		return true
	case effect&isa.WritesMemory == 0 && effect&(isa.Barrier|isa.Branches) != 0 && in.Src.Call == nil:
		return false
	case in.X == nil || in.X.Mem == nil || len(in.X.S) == 0: // not st, atom or red
		return true
	}
	ac := in.X.Mem
	size := Addr(ac.Size) * Addr(len(in.X.S))
	EachLane(in.guarded(f, active), func(lane int) {
		at := g.Generic(ac.Space, LaneAddr(ac, f, lane))
		stop = stop || at < b.end && b.from < at+size
	})
	return stop
}

// AtBreak says whether the instruction that runs next has a breakpoint at which it stops.
func (g *Grid) AtBreak() bool {
	if g.State.finished || g.State.Cur >= len(g.State.CTAs) {
		return false
	}
	c := g.State.CTAs[g.State.Cur]
	w := c.Warps[c.Cur]
	to, pc := w.toBreak(), w.Cur.PC
	return to != nil && to[pc] == 0 && g.breaks.stops(g, &g.Prog.Code[pc], w.FramePtr(), w.Cur.Mask)
}
