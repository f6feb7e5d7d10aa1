package emu

import (
	"slices"
	"unsafe"

	"warpscope/emu/row"
	"warpscope/emu/simt"
)

// Warp operations for which lanes come together (9.7.9.6, 9.7.13): shfl.sync, vote.sync, match.sync, redux.sync,
// elect.sync and bar.warp.sync. A lane that executes one waits until all lanes of its membermask that have not exited
// have executed the same operation with the same mask. They need not be at the same instruction.

// SameOperation implements simt.Host.
func (w *warp) SameOperation(a, b *group) bool {
	x, y := &w.cta.grid.prog.code[a.PC], &w.cta.grid.prog.code[b.PC]
	if x.x.aligned {
		return x == y && a.Frame == b.Frame
	}
	return x.src.Opcode == y.src.Opcode
}

// acrossLanes executes a warp operation, or makes the lanes wait that it needs.
func (w *warp) acrossLanes(in *inst, f unsafe.Pointer, exec Mask) action {
	before := w.Cur.Mask
	exec, ok := w.assemble(in, f, exec)
	if !ok {
		return actJumped
	}
	if exec != 0 && !in.x.run(w, in, f, exec) {
		return actFault
	}
	if w.rec != nil && exec != 0 {
		widen(w.rec, w.Cur.Mask, exec)
	}
	if w.waited {
		w.waited = false
		return actJumped
	}
	w.mark(w.Cur.Frame, in.seen, exec)
	if exec != 0 && w.Cur.Mask == before {
		return actNext
	}
	w.Cur.PC++ // the group has grown
	return actJumped
}

// widen notes that more lanes have executed the instruction than came to it last.
func widen(s *Step, active, exec Mask) {
	s.Active, s.Exec = active, exec
	for i := range s.Regs {
		s.Regs[i].Lanes = exec
	}
}

// assemble brings the lanes of a warp operation together and executes it for those that are at other instructions or in
// other activations. It gives the lanes that execute in now; false: the lanes of exec wait, or have been told apart.
func (w *warp) assemble(in *inst, f unsafe.Pointer, exec Mask) (Mask, bool) {
	members, same := w.members(in, f, exec)
	if same != exec { // each mask is an operation of its own
		w.apart(in, exec, same)
		return 0, false
	}
	exec, away, ok := w.policy.Meet(&w.lanes, members, exec)
	if !ok && w.rec != nil {
		w.rec.Waits = w.rec.Exec
	}
	if ok && len(away) > 0 {
		w.exchange(in, f, exec, away)
		return 0, true
	}
	return exec, ok
}

// apart makes some of the lanes that execute an instruction do so before the others.
func (w *warp) apart(in *inst, exec, first Mask) {
	sides := []simt.Side{{PC: w.Cur.PC, Mask: first}, {PC: w.Cur.PC, Mask: exec &^ first}}
	if rest := w.Cur.Mask &^ exec; rest != 0 {
		sides = append(sides, simt.Side{PC: w.Cur.PC + 1, Mask: rest})
	}
	w.policy.Split(&w.lanes, in.fork, sides)
}

// members is the membermask of the first lane, and the lanes of exec that go with it. When no lane has to wait all do,
// whatever their masks.
func (w *warp) members(in *inst, f unsafe.Pointer, exec Mask) (members, same Mask) {
	x := in.x
	if x.aligned {
		return FullMask, exec
	}
	members = Mask(x.across.members.Get(f, firstLane(exec)))
	wait := false
	eachLane(exec, func(lane int) {
		m := Mask(x.across.members.Get(f, lane))
		same |= Mask(row.Bit(m == members)) << lane
		wait = wait || m&w.Live&^exec != 0
	})
	if !wait {
		return 0, exec
	}
	return members, same
}

// site is one of the instructions that execute a warp operation together.
type site struct {
	in    *inst
	f     unsafe.Pointer
	lanes Mask
	size  uint32 // of the frame
}

// exchange executes a warp operation for lanes that are at different instructions, or in different activations of a
// function. Each site in turn sees the operands of all lanes.
func (w *warp) exchange(in *inst, f unsafe.Pointer, exec Mask, away []group) {
	g := w.cta.grid
	sites := []site{{in, f, exec, w.Cur.Frame.fn.frame}}
	all := exec
	for _, o := range away {
		sites = append(sites, site{&g.prog.code[o.PC], g.mem.At(o.Frame.off), o.Mask, o.Frame.fn.frame})
		all |= o.Mask
	}
	values := make([][32]uint64, len(in.x.across.s)+1)
	for _, s := range sites {
		o := s.in.x.across
		eachLane(s.lanes, func(lane int) {
			for i := range o.s {
				values[i][lane] = o.s[i].Get(s.f, lane)
			}
			values[len(o.s)][lane] = o.members.Get(s.f, lane)
		})
	}
	for _, s := range sites {
		s.execute(w, values, all)
	}
}

// execute runs the operation for all lanes on a copy of the site's frame, where each source has a row of its own: in the
// frame two sources may share one.
func (s *site) execute(w *warp, values [][32]uint64, all Mask) {
	rows := make([]uint64, (s.size+row.Row64*uint32(len(values)))/8)
	f := unsafe.Pointer(&rows[0])
	copy(unsafe.Slice((*byte)(f), s.size), unsafe.Slice((*byte)(s.f), s.size))
	op := *s.in.x.across
	op.s = slices.Clone(op.s)
	for i := range values {
		o := &op.members
		if i < len(op.s) {
			o = &op.s[i]
		}
		o.Off, o.Neg, o.Sink = s.size+row.Row64*uint32(i), false, false
		eachLane(all, func(lane int) { o.Set(f, lane, values[i][lane]) })
	}
	op.run(w, s.in, f, all)
	for _, o := range []row.Operand{op.p, op.d} {
		if !o.Sink {
			eachLane(s.lanes, func(lane int) { o.Set(s.f, lane, o.Get(f, lane)) })
		}
	}
	*row.Pred(s.f, s.in.seen) |= uint32(s.lanes)
}
