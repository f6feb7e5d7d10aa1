package machine

import (
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// SetBreaks sets the instructions that RunFor stops at. It replaces all earlier ones.
func (g *Grid) SetBreaks(insts map[*ptx.Inst]bool) {
	g.breaks = breakpoints{at: insts}
	markPauses(g)
}

// SetBreaksOf does what SetBreaks does for one warp of a CTA, or for all of its warps if warp is -1; all others pass.
func (g *Grid) SetBreaksOf(cta, warp int, insts map[*ptx.Inst]bool) {
	g.breaks = breakpoints{at: insts, one: true, cta: cta, warp: warp}
	markPauses(g)
}

// Observe has the grid call do before a warp executes one of these instructions, while RunFor and Step run; more than
// once for one tick if they begin there. do must not change the grid. Nothing else changes, but the interpreter does
// all. It replaces an earlier call.
func Observe(g *Grid, insts map[*ptx.Inst]bool, do func(cta, warp int)) {
	g.observer = observer{insts, do}
	markPauses(g)
}

// markPauses notes where runs pause: for breakpoints and for the observer.
func markPauses(g *Grid) {
	b := &g.breaks
	if b.to = nil; len(b.at)+len(g.observer.at) == 0 {
		return
	}
	code := g.Prog.Code
	b.to = make([]int32, len(code))
	next := int32(len(code))
	for pc := next - 1; pc >= 0; pc-- {
		if b.at[code[pc].Src] || g.observer.at[code[pc].Src] {
			next = pc
		}
		b.to[pc] = next - pc
	}
}

// observe tells the observer of the instruction that runs next.
func observe(g *Grid) {
	if g.observer.do == nil || g.State.finished || g.State.Cur >= len(g.State.CTAs) {
		return
	}
	c := g.State.CTAs[g.State.Cur]
	if g.observer.at[g.Prog.Code[c.Warps[c.Cur].Cur.PC].Src] {
		g.observer.do(c.Index, c.Cur)
	}
}

// BreakWhereWritten lets stops of SetBreaks pass that write none of size bytes at a generic address.
func BreakWhereWritten(g *Grid, at Addr, size int) { g.breaks.from, g.breaks.end = at, at+Addr(size) }

// stops says whether lanes stop before an instruction with a breakpoint. While nothing is under way, stores and atomics
// write where their lanes say, and barriers and branches write nothing. A call and a return pass values on.
func (b *breakpoints) stops(w *Warp, in *Inst) (stop bool) {
	g, f, effect := w.CTA.Grid, w.FramePtr(), isa.Branches
	if in.Src != nil { // else it is the end of a body, where lanes return
		effect = in.Src.Match.Form.Effect
	}
	passes := in.Op == OpCall || in.Op == OpRet && w.Cur.Frame.caller != nil
	switch {
	case g.observer.at[in.Src] || b.end == 0 || g.Flying != 0:
		return true
	case effect&isa.WritesMemory == 0 && effect&(isa.Barrier|isa.Branches) != 0 && !passes:
		return false
	case in.X == nil || in.X.Mem == nil || len(in.X.S) == 0: // not st, atom or red
		return true
	}
	ac := in.X.Mem
	size := Addr(ac.Size) * Addr(len(in.X.S))
	EachLane(in.guarded(f, w.Cur.Mask), func(lane int) {
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
	in := &g.Prog.Code[w.Cur.PC]
	b := &g.breaks
	return b.at[in.Src] && b.of(w) && b.stops(w, in)
}
