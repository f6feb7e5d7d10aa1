package emu

// simtStack is the divergence model of hardware before Volta: a stack whose top entry runs. A branch whose lanes
// disagree turns the top into an entry that waits at the immediate post-dominator and pushes the two sides; an entry
// that arrives at its reconvergence point is popped. The side that falls through runs first. Calls push an entry that
// is popped when its last lane has returned.
//
// Invariants between instructions: masks never grow towards the top within one call; the top's mask is not empty
// unless the warp has ended; the top's pc is never its reconvergence point.
type simtStack struct {
	below []group // under the top, which is lanes.cur; the last is next to run
}

func (s *simtStack) clone() policy {
	return &simtStack{append([]group(nil), s.below...)}
}

func (s *simtStack) push(l *lanes, g group) {
	s.below = append(s.below, l.cur)
	l.cur = g
	l.host.recordStack(true, g)
}

// pop drops the top and lets the one below run.
func (s *simtStack) pop(l *lanes) {
	l.host.recordStack(false, l.cur)
	if l.cur.kind == KindCall {
		l.host.giveFrame(l.cur.frame)
	}
	n := len(s.below) - 1
	if n < 0 {
		l.ended = true
		l.cur.mask = 0
		return
	}
	l.cur = s.below[n]
	s.below = s.below[:n]
}

// split makes the first side run first, then the second, and so on.
func (s *simtStack) split(l *lanes, at fork, sides []side) {
	if len(sides) == 1 {
		l.cur.pc = sides[0].pc
		s.reconverge(l)
		return
	}
	branch, top := l.cur.pc, l.cur
	rpc := at.reconv
	if rpc == top.rpc {
		// The entry below waits at the same point already: the sides replace the top.
		s.pop(l)
	} else {
		l.cur.pc = rpc
		if l.cur.kind == KindBranch {
			l.cur.kind = KindReconv
		}
	}
	for i := len(sides) - 1; i >= 0; i-- {
		if sides[i].pc == rpc {
			continue
		}
		s.push(l, group{pc: sides[i].pc, rpc: rpc, mask: sides[i].mask, frame: top.frame, kind: KindBranch, cause: branch})
	}
	s.reconverge(l)
}

// reconverge pops entries that have arrived or are empty.
func (s *simtStack) reconverge(l *lanes) {
	for !l.ended && (l.cur.mask == 0 || l.cur.pc == l.cur.rpc) {
		s.pop(l)
	}
}

func (s *simtStack) call(l *lanes, exec Mask, callee *frame, start int32, _ spinning) {
	call := l.cur.pc
	l.cur.pc++
	s.push(l, group{pc: start, rpc: noPC, mask: exec, frame: callee, kind: KindCall, cause: call})
}

func (s *simtStack) leave(l *lanes, exec Mask) {
	l.cur.mask &^= exec
	if l.cur.kind != KindCall {
		for i := len(s.below) - 1; i >= 0; i-- {
			s.below[i].mask &^= exec
			if s.below[i].kind == KindCall {
				break
			}
		}
	}
	s.advance(l)
}

func (s *simtStack) exit(l *lanes, exec Mask) {
	l.cur.mask &^= exec
	for i := range s.below {
		s.below[i].mask &^= exec
	}
	s.advance(l)
}

// advance steps over a ret or exit whose lanes have been taken out; lanes whose guard was false go on behind it.
func (s *simtStack) advance(l *lanes) {
	if l.cur.mask != 0 {
		l.cur.pc++
	}
	s.reconverge(l)
}

// block stops the whole warp: its lanes move together.
func (s *simtStack) block(l *lanes, _ Mask, _ bool) {
	l.blocked = true
	l.cur.pc++
	s.reconverge(l)
}

func (s *simtStack) wake(l *lanes, _ Mask) { l.blocked = false }

func (s *simtStack) turn(*lanes) {}

func (s *simtStack) release(*lanes) bool { return false }

// meet on the stack: lanes that are elsewhere cannot come.
func (s *simtStack) meet(_ *lanes, _, exec Mask) (Mask, []group, bool) { return exec, nil, true }

func (s *simtStack) frames(l *lanes, f func(fr *frame)) {
	if l.ended {
		return
	}
	f(l.cur.frame)
	for i := range s.below {
		f(s.below[i].frame)
	}
}

func (s *simtStack) entries(l *lanes) []group {
	if l.ended {
		return nil
	}
	out := []group{l.cur}
	for i := len(s.below) - 1; i >= 0; i-- {
		g := s.below[i]
		g.wait = WaitTurn
		if g.kind != KindBranch {
			g.wait, g.missing = WaitConverge, g.mask&l.cur.mask
		}
		out = append(out, g)
	}
	return out
}

func (s *simtStack) bytes(frame int64) int64 {
	return sizeOf(s) + sliceBytes(s.below) + frame*int64(len(s.below)+1)
}
