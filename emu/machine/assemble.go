package machine

import (
	"slices"
	"unsafe"

	"warpscope/emu/row"
	"warpscope/emu/simt"
	"warpscope/gpu"
)

// Lanes come together for warp operations (9.7.10.6, 9.7.15): shfl.sync, vote.sync, match.sync, redux.sync, elect.sync
// and bar.warp.sync. A lane that executes one waits until all lanes of its membermask that have not exited have
// executed the same operation with the same mask. They need not be at the same instruction.

// SameOperation implements simt.Host.
func (w *Warp) SameOperation(a, b *Group) bool {
	x, y := &w.CTA.Grid.Prog.Code[a.PC], &w.CTA.Grid.Prog.Code[b.PC]
	if x.X.Aligned {
		return x == y && a.Frame == b.Frame
	}
	return y.X.Across != nil && x.X.Across.Opcode == y.X.Across.Opcode
}

// acrossLanes executes a warp operation, or makes lanes wait for the others that it needs.
func (w *Warp) acrossLanes(in *Inst, f unsafe.Pointer, exec Mask) action {
	before := w.Cur.Mask
	exec, ok := w.assemble(in, f, exec)
	if !ok {
		return actJumped
	}
	if exec != 0 && !in.X.Run(w, in, f, exec) {
		return actFault
	}
	if w.Rec != nil && exec != 0 {
		widen(w.Rec, w.Cur.Mask, exec)
	}
	if w.waited {
		w.waited = false
		return actJumped
	}
	w.mark(w.Cur.Frame, in.Seen, exec)
	if exec != 0 && w.Cur.Mask == before {
		return actNext
	}
	w.Cur.PC++ // the group has grown
	return actJumped
}

// assemble brings the lanes of a warp operation together, and executes it for the lanes that are at other instructions
// or in other activations. It returns the lanes that execute in now. ok is false where the lanes of exec wait, or where
// they have been split into groups.
func (w *Warp) assemble(in *Inst, f unsafe.Pointer, exec Mask) (now Mask, ok bool) {
	members, same := w.members(in, f, exec)
	if same != exec { // each mask makes an operation of its own
		w.apart(in, exec, same)
		return 0, false
	}
	exec, away, ok := w.Policy.Meet(&w.lanes, members, exec)
	if !ok && w.Rec != nil {
		w.Rec.Waits = w.Rec.Exec
	}
	if ok && len(away) > 0 {
		w.exchange(in, f, exec, away)
		return 0, true
	}
	return exec, ok
}

// apart splits the lanes that execute an instruction: the lanes of first execute it before the others.
func (w *Warp) apart(in *Inst, exec, first Mask) {
	sides := []simt.Side{{PC: w.Cur.PC, Mask: first}, {PC: w.Cur.PC, Mask: exec &^ first}}
	if rest := w.Cur.Mask &^ exec; rest != 0 {
		sides = append(sides, simt.Side{PC: w.Cur.PC + 1, Mask: rest})
	}
	w.Policy.Split(&w.lanes, in.Fork, sides)
}

// members returns the membermask of the first lane, and the lanes of exec that have the same mask. When no lane has to
// wait it returns all of exec, whatever the masks are.
func (w *Warp) members(in *Inst, f unsafe.Pointer, exec Mask) (members, same Mask) {
	x := in.X
	if x.Aligned {
		return gpu.FullMask, exec
	}
	members = Mask(x.Across.Members.Get(f, FirstLane(exec)))
	wait := false
	EachLane(exec, func(lane int) {
		m := Mask(x.Across.Members.Get(f, lane))
		same |= Mask(row.Bit(m == members)) << lane
		wait = wait || m&w.Live&^exec != 0
	})
	if !wait {
		return 0, exec
	}
	return members, same
}

// site is one of several instructions that execute a warp operation together.
type site struct {
	in    *Inst
	f     unsafe.Pointer
	lanes Mask
	size  uint32 // of the frame
}

// execute runs the operation for all lanes on a copy of the site's frame. In the copy each source has a row of its own:
// in the frame two sources may share one.
func (s *site) execute(w *Warp, values [][32]uint64, all Mask) {
	rows := make([]uint64, (s.size+row.Row64*uint32(len(values)))/8)
	f := unsafe.Pointer(&rows[0])
	copy(unsafe.Slice((*byte)(f), s.size), unsafe.Slice((*byte)(s.f), s.size))
	op := *s.in.X.Across
	op.S = slices.Clone(op.S)
	for i := range values {
		o := &op.Members
		if i < len(op.S) {
			o = &op.S[i]
		}
		o.Off, o.Neg, o.Sink = s.size+row.Row64*uint32(i), false, false
		EachLane(all, func(lane int) { o.Set(f, lane, values[i][lane]) })
	}
	op.Run(w, s.in, f, all)
	for _, o := range []row.Operand{op.P, op.D} {
		if !o.Sink {
			EachLane(s.lanes, func(lane int) { o.Set(s.f, lane, o.Get(f, lane)) })
		}
	}
	*row.Pred(s.f, s.in.Seen) |= uint32(s.lanes)
}

// exchange executes a warp operation for lanes that are at different instructions, or in different activations of a
// function. Each site in turn sees the operands of all lanes.
func (w *Warp) exchange(in *Inst, f unsafe.Pointer, exec Mask, away []Group) {
	g := w.CTA.Grid
	sites := []site{{in, f, exec, w.Cur.Frame.Fn.Frame}}
	all := exec
	for _, o := range away {
		sites = append(sites, site{&g.Prog.Code[o.PC], g.Mem.At(o.Frame.Off), o.Mask, o.Frame.Fn.Frame})
		all |= o.Mask
	}
	values := make([][32]uint64, len(in.X.Across.S)+1)
	for _, s := range sites {
		o := s.in.X.Across
		EachLane(s.lanes, func(lane int) {
			for i := range o.S {
				values[i][lane] = o.S[i].Get(s.f, lane)
			}
			values[len(o.S)][lane] = o.Members.Get(s.f, lane)
		})
	}
	for _, s := range sites {
		s.execute(w, values, all)
	}
}

// widen notes in the record that more lanes have executed the instruction than the last group to come.
func widen(s *gpu.Step, active, exec Mask) {
	s.Active, s.Exec = active, exec
	for i := range s.Regs {
		s.Regs[i].Lanes = exec
	}
}
