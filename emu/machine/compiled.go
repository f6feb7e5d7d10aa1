package machine

import (
	"warpscope/emu/simt"
	"warpscope/gpu"
)

// SetEngine makes launches of the device use an engine, or none.
func (d *Device) SetEngine(e Compiled) { d.engine = e }

// Compiles says whether compiled code can do what the device's model wants. It takes branches on which all lanes agree
// by itself, without the policy.
func (d *Device) Compiles() bool { return !d.model().jumps }

// OpOfBra returns the operation of bra under the device's model.
func (d *Device) OpOfBra() Op {
	if d.model().jumps {
		return OpJump
	}
	return OpBra
}

// engineFor returns the engine for a call of Warp.Run; nil where only the interpreter does what is asked for.
func engineFor(w *Warp) Compiled {
	if e := w.CTA.Grid.Dev.engine; e != nil && compiles(w) {
		return e
	}
	return nil
}

// compiles says whether nothing is asked of a warp that only the interpreter does.
func compiles(w *Warp) bool {
	g := w.CTA.Grid
	return w.toBreak() == nil && w.Rec == nil && g.Dev.Shadow == nil && g.counting == nil && g.Dev.opts.Schedule == 0
}

// runCompiled executes instructions with the engine, in a call of Run that has executed ran and can execute most more.
// It returns the next pc and how many it has executed.
func runCompiled(w *Warp, e Compiled, ran, most int64) (int32, int64) {
	g, cur := w.CTA.Grid, &w.Cur
	if g.Flying != 0 {
		return cur.PC, 0
	}
	return e.Run(w, Place{PC: cur.PC, RPC: cur.RPC, Active: cur.Mask, Frame: cur.Frame.Off, Left: g.State.left - ran,
		More: -LastTurn, Most: most})
}

// depart tells the policy of the lanes that have branched apart in a call of the engine. The others are at a pc.
func depart(w *Warp, gone *Gone, pc int32) {
	w.CTA.Grid.Counters.DivergentBranches += gone.Branches
	for _, d := range gone.Parts {
		in := &w.CTA.Grid.Prog.Code[d.Branch]
		if w.Cur.PC = d.Branch; d.Taken != 0 {
			w.sides = [2]simt.Side{{PC: d.Branch + 1, Mask: w.Cur.Mask &^ d.Taken}, {PC: in.Target, Mask: d.Taken}}
			w.Policy.Split(&w.lanes, in.Fork, w.sides[:])
		}
		if d.Second {
			w.Cur.PC = in.Fork.Reconv
			w.Policy.Reconverge(&w.lanes)
		}
		if d.Met && w.Cur.Kind == gpu.KindBranch {
			w.Cur.Kind = gpu.KindReconv
		}
	}
	w.Cur.PC = pc
}

// flush brings a grid's counts of executions up to date with what the engine has executed.
func flush(g *Grid) {
	if g.Dev.engine == nil {
		return
	}
	g.Dev.engine.Flush(func(start, end int32, n int64) {
		for pc := start; pc < end; pc++ {
			g.Counts[pc].Each += n
		}
	})
}

// MarkPrivate finds the private blocks of a program, those between two block boundaries that only compute with
// registers and go somewhere: other warps cannot change what they read. A turn goes on through them; see Grid. Each has
// its length at its first instruction.
func MarkPrivate(code []Inst) {
	n := int32(0)
	for pc := len(code) - 1; pc >= 0; pc-- {
		in := &code[pc]
		if pc+1 == len(code) || code[pc+1].Leader {
			n = 0
		}
		if n++; !in.private() || n < 0 {
			n = -int32(len(code)) // not as long as the block goes on
		}
		if in.Private = 0; in.Leader {
			in.Private = max(0, n)
		}
	}
}

// private says whether an instruction can be in a private block.
func (in *Inst) private() bool {
	switch in.Op {
	case OpHandler, OpBra, OpBrx, OpJump, OpRet, OpExit:
		return true
	case OpPure:
		return !in.X.Clock
	case OpCall:
		return in.X.Call.Target != nil && in.X.Call.Target.Builtin == nil
	}
	return in.Src != nil && in.Src.Match.Form.Mnemonic == "trap"
}
