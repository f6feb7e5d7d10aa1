package jit

import (
	"warpscope/emu/jit/call"
	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/gpu"
)

// Phases implements machine.Compiled.
func (e *Engine) Phases(c *machine.CTA, p *machine.Phases) {
	p.Barriers, p.Come, p.Passed, p.Since, p.Ran = p.Barriers[:0], 0, 0, 0, 0
	warps := c.Warps
	cur := &warps[p.Cur].Cur
	here := e.at[cur.PC]
	r := here.region
	if r == nil || here.start != cur.PC || !r.phased() {
		return
	}
	if _, ok := e.variant(r, here.piece, true); !ok {
		return
	}
	base := e.host.Base()
	ctx := e.prepare(warps[p.Cur], r, base)
	put(ctx, call.RPC, uint32(cur.RPC))
	put(ctx, call.Entry, uint32(here.piece))
	put(ctx, call.Floor, 0)
	if r.reaches && get(ctx, call.Plain) == call.StoresQuiet {
		// Whether memory has changed decides what the next barrier is.
		put(ctx, call.Plain, call.StoresHeld)
	}
	own := ctx[r.phaseAt():][:phaseSize]
	for i, w := range warps {
		put(own, phaseFrames+4*i, base+w.Cur.Frame.Off)
		if r.local {
			local, size, stride := machine.LocalRange(w)
			if size != get(ctx, call.LocalSize) || stride != get(ctx, call.Stride) {
				clear(own)
				return
			}
			put(own, phaseLocals+4*i, base+local)
		}
	}
	put(own, phaseCur, uint32(p.Cur))
	put(own, phaseWarps, uint32(len(warps)))
	put(own, phaseMost, uint32(p.Most))
	put(own, phaseTurn, uint32(p.Turn))
	put(own, phaseSince, uint32(-p.Quiet))
	put(own, phasePlain, uint32(row.Bit(!e.prog.Proxies)))
	pc := int32(e.host.Call(r.phases, base+cur.Frame.Off, base+call.At, uint32(gpu.FullMask), uint32(p.Left)))
	e.passed(p, own)
	if given := get(own, phaseGiven); given != 0 {
		w := warps[p.Cur]
		p.PC, p.Ran = pc, e.stopped(r, ctx, pc, int64(given), w.Cur.Frame.Off, gpu.FullMask)
	}
	clear(own)
}

// passed tells what the function for phases has noted.
func (e *Engine) passed(p *machine.Phases, own []byte) {
	turn := func(at int) int64 { return int64(int32(get(own, at))) }
	p.Cur, p.Come, p.Barrier = int(get(own, phaseCur)), int(get(own, phaseCome)), int32(get(own, phaseBarrier))
	p.Passed, p.Since, p.Left = turn(phasePassed), max(0, turn(phaseSince)), turn(phaseLeft)
	for i := range int(get(own, phaseBarriers)) {
		p.Barriers = append(p.Barriers, int32(get(own, phaseList+4*i)))
	}
	for i := range p.Ends {
		p.Ends[i] = turn(phaseEnds + 4*i)
	}
}
