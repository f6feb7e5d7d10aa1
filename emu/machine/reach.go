package machine

// excused is the lanes that a barrier does not wait for: those that wait on the stack for their turn and have no
// barrier left on their way. They are as good as exited while the others wait at one. Those that wait at a barrier
// themselves have not got there. Where lanes that are apart go on by themselves, they will come or exit.
func excused(w *Warp) Mask {
	if w.progress() || len(w.waits.list) == 0 || w.waits.list[0].At == AtMbarrier {
		return 0
	}
	waiting, _ := w.atBarrier()
	return beyondBarriers(w) &^ waiting
}

// beyondBarriers is the lanes of a warp that have no barrier left on their way.
func beyondBarriers(w *Warp) Mask {
	return lanesWhere(w, func(e *Group) bool { return !barrierAhead(w, e) })
}

// beforeBarriers is the lanes elsewhere than the running ones that have a barrier on their way.
func beforeBarriers(w *Warp) Mask {
	return lanesWhere(w, func(e *Group) bool { return e.PC != w.Cur.PC && barrierAhead(w, e) })
}

func barrierAhead(w *Warp, e *Group) bool {
	p := w.CTA.Grid.Prog
	ahead := p.Barrier[e.PC]
	for fr := e.Frame; fr.caller != nil && !ahead; fr = fr.caller {
		ahead = p.Barrier[fr.call+1]
	}
	return ahead
}

// lanesWhere is the lanes whose entry, the topmost that they are in, is of a kind.
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
