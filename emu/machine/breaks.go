package machine

import "warpscope/ptx"

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

// AtBreak says whether the instruction that runs next has a breakpoint.
func (g *Grid) AtBreak() bool {
	if g.State.finished || g.State.Cur >= len(g.State.CTAs) {
		return false
	}
	c := g.State.CTAs[g.State.Cur]
	w := c.Warps[c.Cur]
	to := w.toBreak()
	return to != nil && to[w.Cur.PC] == 0
}
