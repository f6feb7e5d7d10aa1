package emu

import (
	"warpscope/emu/count"
	"warpscope/emu/machine"
	"warpscope/ptx"
)

// accessOp says which kind of access an instruction makes that is counted. Parameters are not in memory that lanes
// share, and constants have a cache of their own.
func accessOp(in *machine.Inst) count.Op {
	if in.X == nil || in.X.Mem == nil || in.X.Mem.Space == ptx.ConstSpace || in.X.Mem.Space == ptx.ParamSpace ||
		in.Src.Match.HasAny(".param", ".param::func", ".param::entry") {
		return count.None
	}
	return count.OpOf(in.Src.Match.Form.Mnemonic)
}

// planAccesses finds the accesses of a program, and cuts its straight lines into parts.
func planAccesses(p *machine.Program) {
	p.Parts, p.Next = make([]int32, len(p.Code)), make([]int32, len(p.Code))
	start, written := 0, map[uint32]bool{} // of the part in turn
	for pc := range p.Code {
		a := accessAt(p, pc)
		if pc > 0 && p.Code[pc-1].Line <= 1 || a.Op != count.None && written[a.Mem.Addr.Off] {
			start = pc
			clear(written)
		}
		if p.Next[pc] = int32(len(p.Accesses)); a.Op != count.None {
			for i := len(p.Accesses) - 1; i >= int(p.Next[start]) && a.Like < 0; i-- {
				if takesAsMuch(&a, &p.Accesses[i]) {
					a.Like = int32(i)
				}
			}
			p.Accesses = append(p.Accesses, a)
		}
		for _, d := range p.Writes[pc] {
			written[d.Op.Off] = true
		}
		for i := start; i <= pc; i++ {
			p.Parts[i] = int32(pc + 1)
		}
	}
	p.Accesses = append(p.Accesses, machine.AccessPlan{PC: int32(len(p.Code))})
}

// accessAt returns the plan of an instruction's access. Its Op is count.None where there is none.
func accessAt(p *machine.Program, pc int) machine.AccessPlan {
	in, a := &p.Code[pc], machine.AccessPlan{PC: int32(pc), Like: -1}
	if in.X != nil && in.X.Indexing != nil {
		in = &in.X.Indexing.Inner
	}
	if a.Op = accessOp(in); a.Op == count.None {
		return a
	}
	a.Mem, a.Size = in.X.Mem, bytesOf(a.Op, in)
	switch a.Mem.Space {
	case ptx.SharedSpace, machine.ClusterSpace:
		a.Shape = count.InShared
	case ptx.GlobalSpace:
		a.Shape = count.InGlobal
	case ptx.LocalSpace:
		a.Shape = count.InLocal
	}
	return a
}

// takesAsMuch says whether an access takes what another one with the same lanes takes, whatever is in their registers:
// both have the same addresses but for a distance that keeps sectors or banks.
func takesAsMuch(a, o *machine.AccessPlan) bool {
	if a.Mem.Addr.Off != o.Mem.Addr.Off || a.Mem.Space != o.Mem.Space || a.Size != o.Size ||
		a.Op >= count.Atomic || o.Op >= count.Atomic {
		return false
	}
	apart := a.Mem.Off - o.Mem.Off
	return apart == 0 || a.Step != 0 && apart%uint64(a.Step) == 0
}

// bytesOf returns the bytes that a lane accesses, whatever checks its instruction has.
func bytesOf(op count.Op, in *machine.Inst) uint32 {
	switch {
	case op == count.Load:
		return in.X.Bytes(machine.OpLoad)
	case op == count.Store:
		return in.X.Bytes(machine.OpStore)
	case in.Src.Match.HasAny(".v2", ".v4", ".v8"):
		return in.X.Bytes(machine.OpAtomWide)
	}
	return in.X.Bytes(machine.OpAtom)
}

// AccountOf returns all that a grid has counted so far, or nil where Options.Counters is false.
func AccountOf(g *Grid) *Account {
	a := CountsOf(g)
	if a != nil {
		a.Live = LiveOf(g)
	}
	return a
}

// CountsOf is AccountOf without Live, which is the same at any time.
func CountsOf(g *Grid) *Account { return machine.AccountOf(g) }

// LiveOf says where most registers of a grid's kernel are live.
func LiveOf(g *Grid) Live { return mostLive(g.Prog, g.Entry) }

// mostLive finds the first place where most registers of a function are live. Those that other lanes read across the
// warp count only where the lane itself can still read them.
func mostLive(p *machine.Program, fn *machine.Function) (most count.Live) {
	l := p.NewLiveness(fn, true)
	widths := registersByWidth(fn)
	for block := len(fn.Src.Blocks) - 1; block >= 0; block-- {
		l.Each(block, func(pc int32, alive machine.RegSet) {
			var now count.Live
			for bits, set := range widths {
				if n := alive.Common(set); bits == 1 {
					now.Predicates += n
				} else {
					now.Registers += n * ((bits + 31) / 32)
				}
			}
			if in := p.Code[pc].Src; in != nil && now.Registers >= most.Registers && now != (count.Live{}) {
				most = now
				most.Line = p.Mod.Position(int(in.OpSpan.Start)).Line
			}
		})
	}
	return most
}

// registersByWidth are the registers of a function by their bits.
func registersByWidth(fn *machine.Function) map[int]machine.RegSet {
	widths := map[int]machine.RegSet{}
	for i, r := range fn.Regs {
		bits := int(r.Bits)
		if widths[bits] == nil {
			widths[bits] = fn.NewRegSet()
		}
		widths[bits].Add(int32(i))
	}
	return widths
}
