package emu

import (
	"fmt"
	"unsafe"

	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/gpu"
	"warpscope/ptx/isa"
)

func lowerMbarrierWait(l *lowerer) bool {
	v := &machine.MbarrierWait{Complete: l.predicates(l.in.Operands[0]), Value: row.Operand{Sink: true},
		Parity: l.has(".parity"), Conditional: l.has(".phase_type::conditional"), Suspend: l.has(".try_wait"),
		Acquires: !l.has(".relaxed"), Scope: machine.ScopeOf(l.in.Match)}
	if value, ok := l.named("reportValue"); ok {
		v.Value = l.dst(value)
	}
	if parity, ok := l.named("phaseParity"); ok {
		v.Phase = l.src(parity, isa.U32)
	} else {
		state, _ := l.named("state")
		v.Phase = l.src(state, isa.B64)
	}
	addr, _ := l.named("addr")
	mem := l.access(addr, isa.B64, false)
	l.reaches(mem, bound(runWait, v))
	l.i.X.Wait = v
	return true
}

func runWait(v *machine.MbarrierWait, w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	at, ok := w.Mbarriers(in, in.X.Mem, f, exec)
	if !ok {
		return false
	}
	g := w.CTA.Grid
	valid := true
	machine.EachLane(exec, func(lane int) {
		c, ref := machine.FindMbarrier(g, at[lane])
		switch is, why := v.Phase.Get(f, lane), machine.ValidMbarrier(g, ref, at[lane]); {
		case !valid:
		case why != "":
			valid = mbarrierFault(w, in, f, lane, why)
		case c != w.CTA:
			valid = mbarrierFault(w, in, f, lane, "a thread can wait only for objects of its own CTA")
		case !v.Parity && !set(gpu.Mbarrier(is)):
			valid = mbarrierFault(w, in, f, lane, fmt.Sprintf("%#x is no state that mbarrier.arrive has returned", is))
		case !v.Parity && (ref.Is.Phase()-gpu.Mbarrier(is).Phase())&2 != 0:
			valid = mbarrierFault(w, in, f, lane, fmt.Sprintf("a state of a phase before the last one, and it is in %s",
				c.MbarrierView(ref)))
		default:
			g.Record.Mbarrier(c.MbarrierView(ref))
		}
	})
	if !valid {
		return false
	}
	done := v.Test(w, f, exec, &at)
	switch {
	case done == exec:
	case v.Suspend:
		w.WaitAt(AtMbarrier, in, exec)
		return true
	default: // what is under way arrives for the next look
		g.State.Polled = g.State.Tick + w.Ran + 1
		machine.EachLane(exec&^done, func(lane int) { machine.DeliverTo(g, at[lane]) })
	}
	v.Answer(w, f, exec, done, &at)
	return g.Fault == nil
}
