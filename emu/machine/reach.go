package machine

// excused returns the lanes that a barrier does not wait for: lanes that wait on the stack for their turn and cannot
// come to a barrier any more. They are as good as exited while the others wait at one. Lanes that wait at a barrier
// themselves are not excused. Where lanes that are apart go on by themselves, no lane is: it will come or exit.
func excused(w *Warp) Mask {
	if groups(w) || len(w.waits.list) == 0 || w.waits.list[0].At == AtMbarrier {
		return 0
	}
	waiting, _ := w.atBarrier()
	return beyondBarriers(w) &^ waiting
}

// beyondBarriers returns the lanes of a warp that cannot come to a barrier any more.
func beyondBarriers(w *Warp) Mask {
	return lanesWhere(w, func(e *Group) bool { return !barrierAhead(w, e) })
}

// beforeBarriers returns the lanes that are not at the pc of the running group and can still come to a barrier.
func beforeBarriers(w *Warp) Mask {
	return lanesWhere(w, func(e *Group) bool { return e.PC != w.Cur.PC && barrierAhead(w, e) })
}

// barrierAhead says whether lanes can reach a barrier, in their function or after it returns.
func barrierAhead(w *Warp, e *Group) bool {
	p := w.CTA.Grid.Prog
	ahead := p.Barrier[e.PC]
	for fr := e.Frame; fr.caller != nil && !ahead; fr = fr.caller {
		ahead = p.Barrier[fr.call+1]
	}
	return ahead
}

// lanesWhere returns the lanes whose entry is of a kind. The entry of a lane is the topmost that has it.
func lanesWhere(w *Warp, kind func(*Group) bool) (lanes Mask) {
	var seen Mask
	for _, e := range w.Policy.Entries(&w.lanes) {
		if own := e.Mask &^ seen; own != 0 && kind(&e) {
			lanes |= own
		}
		seen |= e.Mask
	}
	return lanes
}
