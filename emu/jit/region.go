package jit

import (
	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/row"
)

// A piece is a run of instructions of one basic block. Compiled code is entered at the start of a piece only, and
// counts executions of whole pieces. A piece ends with its block, or before an instruction that cannot be compiled.
type piece struct {
	start, end int32
	leader     bool // there is a block boundary before it, where a turn can end
	private    bool // see machine.MarkPrivate
	meets      bool // lanes can have their reconvergence point there
	jumps      bool // its last instruction is a branch
	stops      bool // the instruction after it cannot be compiled
}

// A region is what one function of WebAssembly does: neighbouring pieces of one function of the program.
type region struct {
	pieces  []piece
	longest int64 // instructions between two looks at the budget
	heat    int64 // instructions that were executed here before it was compiled
	state   [2]compiled
	counts  []int64 // by piece: executions that Flush has not told yet
	counted bool    // there are some
}

// compiled is a variant of a region: 0 for warps of which all lanes are active, 1 for others.
type compiled struct {
	made bool
	ok   bool // the host has taken it
	f    mem.Func
}

const (
	regionSize = 192 // instructions; a region goes on up to the end of a block
	mostPieces = 440 // that the context has counters for
)

// divide finds the regions of a function. at gives each piece's place by pc.
func (e *Engine) divide(fn *machine.Function) {
	code := e.prog.Code
	var r *region
	var size int32
	for pc := fn.Start; pc <= fn.End; {
		if !e.knows(&code[pc]) {
			pc++
			continue
		}
		p := e.piece(pc, fn.End)
		if r == nil || size+p.end-p.start > regionSize && p.leader || len(r.pieces) == mostPieces {
			r, size = &region{}, 0
			e.regions = append(e.regions, r)
		}
		for i := p.start; i < p.end; i++ {
			e.at[i] = place{r, int32(len(r.pieces)), p.start}
		}
		r.pieces = append(r.pieces, p)
		size += p.end - p.start
		pc = p.end
	}
}

// piece returns the piece that starts at a pc.
func (e *Engine) piece(pc, last int32) piece {
	code := e.prog.Code
	p := piece{start: pc, leader: code[pc].Leader, private: code[pc].Private > 0, meets: e.meets[pc]}
	for scalars := 0; ; {
		p.jumps = code[pc].Op == machine.OpBra
		if !p.jumps && (code[pc].Guard != row.TruePred || row.Operations[code[pc].Number].Rows[0] == 0) {
			scalars += 2
		}
		pc++
		if p.jumps || pc > last || code[pc].Leader {
			break
		}
		if scalars > maxPreds-2 {
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
func (e *Engine) knows(in *machine.Inst) bool {
	switch {
	case in.Held:
		return false
	case in.Op == machine.OpBra:
		return true
	case in.Op == machine.OpHandler:
		return in.X == nil && int(in.Number) < len(ops) && ops[in.Number] != nil
	}
	return false
}
