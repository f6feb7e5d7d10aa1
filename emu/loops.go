package emu

import (
	"slices"

	"warpscope/emu/machine"
	"warpscope/emu/simt"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Loops that may wait for other lanes. A compiler for hardware would not make the lanes that have left such a loop wait
// for those that are still in it. So with independent scheduling they wait for a short time only.

// markSpins marks branches and functions that may spin. order is what calleesFirst returns.
func markSpins(p *machine.Program, order []*machine.Function) {
	for _, fn := range order {
		fn.Spins = loopWatches(p, fn)
		p.Spins = p.Spins || fn.Spins
	}
	spins := func(in machine.Inst) bool { return callSpins(p, in) }
	for changed := p.Spins; changed; {
		changed = false
		for _, fn := range order {
			if !fn.Spins && slices.ContainsFunc(p.Code[fn.Start:fn.End], spins) {
				fn.Spins, changed = true, true
			}
		}
	}
	for _, fn := range order {
		if fn.Spins {
			markBranches(p, fn)
		}
	}
}

// loopWatches says whether a function has a loop that reads what other lanes may write in the meantime.
func loopWatches(p *machine.Program, fn *machine.Function) bool {
	if !slices.ContainsFunc(p.Code[fn.Start:fn.End], watches) {
		return false
	}
	for b, loop := range ptx.Loops(fn.Src) {
		if loop != 0 && watchesIn(p, fn, b) {
			return true
		}
	}
	return false
}

// callSpins says whether an instruction calls a function that may spin. An indirect call can reach any function.
func callSpins(p *machine.Program, in machine.Inst) bool {
	if in.Op != machine.OpCall {
		return false
	}
	if callee := in.X.Call.Target; callee != nil {
		return callee.Spins
	}
	return p.Spins
}

// watchesIn says whether a block reads what other lanes may write in the meantime.
func watchesIn(p *machine.Program, fn *machine.Function, block int) bool {
	start, end := fn.Bounds(block)
	return slices.ContainsFunc(p.Code[start:end], watches)
}

// watches says whether an instruction reads what other lanes may write in the meantime (8.2, 9.7.15.16): an atomic
// whose result is used, a strong or volatile load, a test of an mbarrier.
func watches(in machine.Inst) bool {
	if in.Op == machine.OpAtom || in.Op == machine.OpAtomWide {
		return len(in.X.D) > 0 && !in.X.D[0].Sink
	}
	if in.Src == nil || in.Src.Match == nil {
		return false
	}
	m := in.Src.Match
	return m.Form.Effect&isa.ReadsMemory != 0 &&
		(in.Op == machine.OpLoad && m.HasAny(".volatile", ".relaxed", ".acquire", ".mmio") ||
			m.HasAny(".test_wait", ".try_wait"))
}

// markBranches marks the branches of a function that may spin.
func markBranches(p *machine.Program, fn *machine.Function) {
	f := fn.Src
	loop := ptx.Loops(fn.Src)
	watching := map[int]bool{} // by loop
	looks, calls := make([]bool, f.Nodes()), make([]bool, f.Nodes())
	blockAt := map[int32]int{machine.NoPC: -1} // by pc of the block's start
	for b := range f.Blocks {
		start, end := fn.Bounds(b)
		blockAt[start] = b
		calls[b] = slices.ContainsFunc(p.Code[start:end], func(in machine.Inst) bool { return callSpins(p, in) })
		looks[b] = calls[b] || watchesIn(p, fn, b)
		watching[loop[b]] = watching[loop[b]] || looks[b]
	}
	watching[0] = false // in no loop
	way := ptx.NewLoopFinder(f)
	for b := range f.Blocks {
		_, end := fn.Bounds(b)
		last := &p.Code[end-1]
		if !last.Op.Branches() {
			continue
		}
		meet := blockAt[last.Fork.Reconv]
		switch {
		case watching[loop[b]] && (meet < 0 || loop[meet] != loop[b]):
			last.Fork.Spins = simt.SpinAround
		case leadsTo(way, b, meet, looks, calls):
			last.Fork.Spins = simt.SpinAhead
		}
	}
}

// leadsTo says whether there is a loop with one of the marked blocks, or a call that may spin, between a branch and the
// block where its lanes meet. In a very large function it gives up and says yes.
func leadsTo(l *ptx.LoopFinder, branch, meet int, watches, calls []bool) bool {
	const most = 1 << 22 // nodes visited for all branches
	if l.Looked > most {
		return true
	}
	defer forget(l)
	for _, s := range l.Fn.Next(branch) {
		l.Find(s, meet)
	}
	return slices.ContainsFunc(l.Seen, func(n int) bool { return calls[n] || l.Loop[n] != 0 && watches[n] })
}

// forget prepares the finder for the next branch.
func forget(l *ptx.LoopFinder) {
	for _, n := range l.Seen {
		l.Order[n], l.Low[n], l.Loop[n], l.Next[n] = 0, 0, 0, 0
	}
	l.Seen, l.Count = l.Seen[:0], 0
}
