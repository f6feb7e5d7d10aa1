package emu

// simtStack is the divergence model of hardware before Volta: a stack whose top entry runs. A branch whose lanes
// disagree turns the top into an entry that waits at the immediate post-dominator and pushes the two sides; an entry
// that arrives at its reconvergence point is popped. The side that falls through runs first. Calls push an entry that
// is popped when its last lane has returned.
//
// Invariants between instructions: masks never grow towards the top within one call; the top's mask is not empty
// unless the warp has ended; the top's pc is never its reconvergence point.
type simtStack struct {
	below []group // under the top, which is warp.cur; the last is next to run
}

func (s *simtStack) clone() policy {
	return &simtStack{append([]group(nil), s.below...)}
}

func (s *simtStack) push(w *warp, g group) {
	s.below = append(s.below, w.cur)
	w.cur = g
	w.recordStack(true, g)
}

// pop drops the top and lets the one below run.
func (s *simtStack) pop(w *warp) {
	w.recordStack(false, w.cur)
	if w.cur.kind == KindCall {
		w.cta.grid.giveFrame(w.cur.frame)
	}
	n := len(s.below) - 1
	if n < 0 {
		w.ended = true
		w.cur.mask = 0
		return
	}
	w.cur = s.below[n]
	s.below = s.below[:n]
}

func (s *simtStack) branch(w *warp, in *inst, taken Mask) {
	s.split(w, in, []side{{w.cur.pc + 1, w.cur.mask &^ taken}, {in.target, taken}})
}

// split makes the first side run first, then the second, and so on.
func (s *simtStack) split(w *warp, in *inst, sides []side) {
	if len(sides) == 1 {
		w.cur.pc = sides[0].pc
		s.reconverge(w)
		return
	}
	branch, top := w.cur.pc, w.cur
	rpc := in.reconv
	if rpc == top.rpc {
		// The entry below waits at the same point already: the sides replace the top.
		s.pop(w)
	} else {
		w.cur.pc = rpc
		if w.cur.kind == KindBranch {
			w.cur.kind = KindReconv
		}
	}
	for i := len(sides) - 1; i >= 0; i-- {
		if sides[i].pc == rpc {
			continue
		}
		s.push(w, group{pc: sides[i].pc, rpc: rpc, mask: sides[i].mask, frame: top.frame, kind: KindBranch, cause: branch})
	}
	s.reconverge(w)
}

// reconverge pops entries that have arrived or are empty.
func (s *simtStack) reconverge(w *warp) {
	for !w.ended && (w.cur.mask == 0 || w.cur.pc == w.cur.rpc) {
		s.pop(w)
	}
}

func (s *simtStack) call(w *warp, exec Mask, callee *frame) {
	call := w.cur.pc
	w.cur.pc++
	s.push(w, group{pc: callee.fn.start, rpc: noPC, mask: exec, frame: callee, kind: KindCall, cause: call})
}

func (s *simtStack) leave(w *warp, lanes Mask) {
	w.cur.mask &^= lanes
	if w.cur.kind != KindCall {
		for i := len(s.below) - 1; i >= 0; i-- {
			s.below[i].mask &^= lanes
			if s.below[i].kind == KindCall {
				break
			}
		}
	}
	s.advance(w)
}

func (s *simtStack) exit(w *warp, lanes Mask) {
	w.cur.mask &^= lanes
	for i := range s.below {
		s.below[i].mask &^= lanes
	}
	s.advance(w)
}

// advance steps over a ret or exit whose lanes have been taken out; lanes whose guard was false go on behind it.
func (s *simtStack) advance(w *warp) {
	if w.cur.mask != 0 {
		w.cur.pc++
	}
	s.reconverge(w)
}

// block stops the whole warp: its lanes move together.
func (s *simtStack) block(w *warp, _ Mask) {
	w.blocked = true
	w.cur.pc++
	s.reconverge(w)
}

func (s *simtStack) wake(w *warp, _ Mask) { w.blocked = false }

func (s *simtStack) turn(*warp) {}

func (s *simtStack) release(*warp) bool { return false }

// excused is the lanes that wait on the stack for their turn and have no barrier left on their way: they are as good
// as exited while the others wait at one. Those that wait at a barrier themselves have not got there.
func (s *simtStack) excused(w *warp) Mask {
	if len(w.waits) == 0 || w.waits[0].at == AtMbarrier {
		return 0
	}
	waiting, _ := w.atBarrier()
	return w.beyondBarriers() &^ waiting
}

func (s *simtStack) frames(w *warp, f func(fr *frame)) {
	if w.ended {
		return
	}
	f(w.cur.frame)
	for i := range s.below {
		f(s.below[i].frame)
	}
}

func (s *simtStack) entries(w *warp) []group {
	if w.ended {
		return nil
	}
	out := []group{w.cur}
	for i := len(s.below) - 1; i >= 0; i-- {
		g := s.below[i]
		g.wait = WaitTurn
		if g.kind != KindBranch {
			g.wait, g.missing = WaitConverge, g.mask&w.cur.mask
		}
		out = append(out, g)
	}
	return out
}
