package simt

import (
	"slices"
	"unsafe"

	"warpscope/gpu"
)

// simtStack is the divergence model of hardware before Volta: a stack whose top entry runs. A branch whose lanes
// disagree turns the top into an entry that waits at the immediate post-dominator, and pushes the two sides. An entry
// that arrives at its reconvergence point is popped. The side that falls through runs first. A call pushes an entry,
// which is popped when its last lane has returned.
//
// Invariants between instructions: masks never grow towards the top within one call; the top's mask is not empty unless
// the warp has ended; the top's pc is never its reconvergence point.
type simtStack[F comparable] struct {
	below []Group[F] // the entries under the top, which is Lanes.Cur; the last one runs next
}

// NewStack returns the policy of a warp whose lanes wait for each other on a SIMT stack.
func NewStack[F comparable]() Policy[F] { return &simtStack[F]{} }

// Reset implements Policy.
func (s *simtStack[F]) Reset() { s.below = s.below[:0] }

// Clone implements Policy.
func (s *simtStack[F]) Clone() Policy[F] {
	return &simtStack[F]{slices.Clone(s.below)}
}

// push makes a group the top.
func (s *simtStack[F]) push(l *Lanes[F], g Group[F]) {
	s.below = append(s.below, l.Cur)
	l.Cur = g
	l.Host.RecordStack(true, g)
}

// pop drops the top and lets the one below run.
func (s *simtStack[F]) pop(l *Lanes[F]) {
	l.Host.RecordStack(false, l.Cur)
	if l.Cur.Kind == gpu.KindCall {
		l.Host.GiveFrame(l.Cur.Frame)
	}
	n := len(s.below) - 1
	if n < 0 {
		l.Ended = true
		l.Cur.Mask = 0
		return
	}
	l.Cur = s.below[n]
	s.below = s.below[:n]
}

// Split implements Policy.
func (s *simtStack[F]) Split(l *Lanes[F], at Fork, sides []Side) {
	if len(sides) == 1 {
		l.Cur.PC = sides[0].PC
		s.Reconverge(l)
		return
	}
	branch, top := l.Cur.PC, l.Cur
	rpc := at.Reconv
	if rpc == top.RPC {
		// The entry below already waits at the same point: the sides replace the top.
		s.pop(l)
	} else {
		l.Cur.PC = rpc
		if l.Cur.Kind == gpu.KindBranch {
			l.Cur.Kind = gpu.KindReconv
		}
	}
	for i := len(sides) - 1; i >= 0; i-- {
		if sides[i].PC == rpc {
			continue
		}
		s.push(l, Group[F]{PC: sides[i].PC, RPC: rpc, Mask: sides[i].Mask, Frame: top.Frame, Kind: gpu.KindBranch,
			Cause: branch})
	}
	s.Reconverge(l)
}

// Reconverge pops entries that have arrived or are empty.
func (s *simtStack[F]) Reconverge(l *Lanes[F]) {
	for !l.Ended && (l.Cur.Mask == 0 || l.Cur.PC == l.Cur.RPC) {
		s.pop(l)
	}
}

// Call implements Policy.
func (s *simtStack[F]) Call(l *Lanes[F], exec gpu.Mask, callee F, start int32, _ Spinning) {
	call := l.Cur.PC
	l.Cur.PC++
	s.push(l, Group[F]{PC: start, RPC: NoPC, Mask: exec, Frame: callee, Kind: gpu.KindCall, Cause: call})
}

// Leave implements Policy.
func (s *simtStack[F]) Leave(l *Lanes[F], exec gpu.Mask) {
	l.Cur.Mask &^= exec
	if l.Cur.Kind != gpu.KindCall {
		for i := len(s.below) - 1; i >= 0; i-- {
			s.below[i].Mask &^= exec
			if s.below[i].Kind == gpu.KindCall {
				break
			}
		}
	}
	s.advance(l)
}

// Exit implements Policy.
func (s *simtStack[F]) Exit(l *Lanes[F], exec gpu.Mask) {
	l.Cur.Mask &^= exec
	for i := range s.below {
		s.below[i].Mask &^= exec
	}
	s.advance(l)
}

// advance steps over a ret or exit whose lanes have been taken out. Lanes whose guard was false go on after it.
func (s *simtStack[F]) advance(l *Lanes[F]) {
	if l.Cur.Mask != 0 {
		l.Cur.PC++
	}
	s.Reconverge(l)
}

// Block stops the whole warp: its lanes move together.
func (s *simtStack[F]) Block(l *Lanes[F], _ gpu.Mask, _ bool) {
	l.Blocked = true
	l.Cur.PC++
	s.Reconverge(l)
}

// Wake implements Policy.
func (s *simtStack[F]) Wake(l *Lanes[F], _ gpu.Mask) { l.Blocked = false }

// Turn implements Policy: only the top runs.
func (s *simtStack[F]) Turn(*Lanes[F]) {}

// Release implements Policy: no lane of the stack waits only to run together with others.
func (s *simtStack[F]) Release(*Lanes[F]) bool { return false }

// Meet lets the lanes of exec go on: lanes that are elsewhere on the stack cannot come.
func (s *simtStack[F]) Meet(_ *Lanes[F], _, exec gpu.Mask) (gpu.Mask, []Group[F], bool) {
	return exec, nil, true
}

// Frames implements Policy.
func (s *simtStack[F]) Frames(l *Lanes[F], f func(fr F)) {
	if l.Ended {
		return
	}
	f(l.Cur.Frame)
	for i := range s.below {
		f(s.below[i].Frame)
	}
}

// Entries implements Policy.
func (s *simtStack[F]) Entries(l *Lanes[F]) []Group[F] {
	if l.Ended {
		return nil
	}
	out := []Group[F]{l.Cur}
	for i := len(s.below) - 1; i >= 0; i-- {
		g := s.below[i]
		g.Wait = gpu.WaitTurn
		if g.Kind != gpu.KindBranch {
			g.Wait, g.Missing = gpu.WaitConverge, g.Mask&l.Cur.Mask
		}
		out = append(out, g)
	}
	return out
}

// Bytes implements Policy.
func (s *simtStack[F]) Bytes(frame int64) int64 {
	n := int64(len(s.below))
	return int64(unsafe.Sizeof(*s)) + n*int64(unsafe.Sizeof(Group[F]{})) + frame*(n+1)
}
