package jit

import (
	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// accesses says whether a load or store can be compiled.
func accesses(in *machine.Inst) bool {
	if in.Op == machine.OpAtom {
		return atomicOp(in) != ""
	}
	switch in.X.Mem.Space {
	case ptx.SharedSpace, ptx.LocalSpace, ptx.GlobalSpace, ptx.ConstSpace, ptx.ParamSpace, ptx.Generic:
		return in.Width != 0 || compilable(in)
	}
	return false
}

// divide finds the regions of a function. at gives each piece's place by pc.
func (e *layout) divide(fn *machine.Function) {
	code := e.prog.Code
	e.fixed = constants(fn)
	var r *region
	var size int32
	for pc := fn.Start; pc <= fn.End; {
		if !e.knows(&code[pc]) {
			pc++
			continue
		}
		p := e.piece(pc, fn.End)
		if r == nil || size+p.end-p.start > regionSize && p.leader || len(r.pieces) == mostPieces ||
			len(r.sites) > mostSites {
			r, size = &region{}, 0
			e.regions = append(e.regions, r)
		}
		for i := p.start; i < p.end; i++ {
			if in := &code[i]; reaches(in.Op) {
				r.reaches, r.local = true, r.local || in.X.Mem.Space == ptx.LocalSpace
				if windowed(in) {
					r.sites = append(r.sites, site{pc: i, limit: -1})
				}
			} else if crosses(in) {
				r.crosses = true
			}
			e.at[i] = place{r, int32(len(r.pieces)), p.start}
		}
		r.pieces = append(r.pieces, p)
		size += p.end - p.start
		pc = p.end
	}
}

// windowed says whether a load or store reaches what a window shows.
func windowed(in *machine.Inst) bool {
	return reaches(in.Op) && in.X.Mem.Space != ptx.SharedSpace && in.X.Mem.Space != ptx.LocalSpace
}

// piece returns the piece that starts at a pc.
func (e *layout) piece(pc, last int32) piece {
	code := e.prog.Code
	p := piece{start: pc, leader: code[pc].Leader, private: code[pc].Private > 0, meets: e.meets[pc]}
	for scalars, windows := 0, 0; ; {
		in := &code[pc]
		p.jumps = in.Op == machine.OpBra
		switch {
		case reaches(in.Op):
			windows += bit(windowed(in))
		case in.Guard != row.TruePred || in.X != nil || in.Width == 0:
			scalars += 3 // two predicates, and its mark
		}
		pc++
		if p.jumps || pc > last || code[pc].Leader {
			break
		}
		if scalars > maxPreds-mostBases-3 || windows == mostWindows {
			break
		}
		if !e.knows(&code[pc]) {
			p.stops = true
			break
		}
	}
	p.end = pc
	return p
}

// knows says whether an instruction can be compiled.
func (e *layout) knows(in *machine.Inst) bool {
	switch {
	case in.Held:
		return false
	case in.Op == machine.OpBra:
		return true
	case in.Op == machine.OpHandler:
		return e.does(in) != nil
	case crosses(in):
		return true
	case in.Op == machine.OpPure:
		return in.X.Key != "" && e.does(in) != nil
	}
	return reaches(in.Op) && accesses(in)
}
