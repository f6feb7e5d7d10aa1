package jit

import (
	"warpscope/emu/jit/call"
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/ptx/isa"
)

// Warp operations, in which lanes read what other lanes have. They are compiled for lanes that all come with one
// membermask, whose other lanes have exited. So no lane waits for others, and there is nothing to be noted. Everything
// else is the interpreter's.

// crosses says whether an instruction is a warp operation that can be compiled.
func crosses(in *machine.Inst) bool {
	switch {
	case in.Op == machine.OpPure:
		return in.X.Key == "activemask"
	case in.Op != machine.OpRun || in.X.Across == nil || in.Src == nil || in.Src.Match == nil:
		return false
	}
	o := in.X.Across
	for _, s := range append([]row.Operand{o.D}, o.S...) {
		if !s.Sink && s.Bits != 1 && (s.Bits != 32 || s.Mask != 1<<32-1) {
			return false
		}
	}
	return exchanges(in) != nil && (!o.Sync || o.Members.Bits == 32 && o.Members.Mask == 1<<32-1)
}

// crosser writes the code of a warp operation.
type crosser struct {
	*body
	in   *machine.Inst
	pc   int32
	o    *machine.WarpOp
	some bool // not all lanes execute it
}

// exchanges returns what writes a warp operation for the lanes in locExec; nil: nothing does.
func exchanges(in *machine.Inst) func(x *crosser) {
	m := in.Src.Match
	mode := func(modes ...string) int {
		for i, s := range modes {
			if m.Has(s) {
				return i
			}
		}
		return -1
	}
	switch m.Form.Mnemonic {
	case "vote":
		n := mode(".all", ".any", ".uni", ".ballot")
		return func(x *crosser) { x.vote(n) }
	case "shfl":
		h := call.Shuffles[mode(".up", ".down", ".bfly", ".idx")]
		return func(x *crosser) { x.shuffle(h) }
	case "redux":
		if h := call.Folds[[...]string{"add", "min", "max", "and", "or", "xor"}[mode(".add", ".min", ".max", ".and", ".or",
			".xor")]+m.Types[0].String()]; h != nil && m.Types[0] != isa.F32 {
			return func(x *crosser) { x.reduce(h) }
		}
	case "elect":
		return (*crosser).elect
	case "bar": // bar.warp.sync
		return func(*crosser) {}
	}
	return nil
}

// across writes a warp operation.
func (w *emitter) across(pc int32) {
	in := &w.e.prog.Code[pc]
	x := &crosser{body: w.body(), in: in, pc: pc, o: in.X.Across, some: !w.full || in.Guard != row.TruePred}
	x.whereExecuted(in)
	if x.o == nil {
		x.set(in.X.D[0], func() { x.Get(locExec) })
	} else {
		if x.o.Sync {
			x.members()
		}
		exchanges(in)(x)
	}
	if in.Line == 0 && in.Seen != 0 {
		x.join(in.Seen, func() { x.Get(locExec) })
	}
	x.Op(wasm.End)
}

// members stops before the operation unless the lanes that execute it name each other, and else only lanes that have
// exited.
func (x *crosser) members() {
	named := func() {
		x.Get(locFrame)
		x.Get(locExec)
		x.Op(wasm.I32Ctz)
		x.I32(2)
		x.Op(wasm.I32Shl, wasm.I32Add)
		x.Mem(wasm.I32Load, 4, x.o.Members.Off)
	}
	c, constant := x.consts[x.o.Members.Off]
	if constant {
		named = func() { x.I32(int32(uint32(c))) }
	}
	named()
	if !x.o.Strict { // that must not name lanes that have exited
		x.context(call.Live)
		x.Op(wasm.I32And)
	}
	x.Get(locExec)
	x.Op(wasm.I32Ne)
	if !constant {
		v := x.fresh(2)
		named()
		x.Op(wasm.I32x4Splat)
		x.Set(v)
		x.V128(0, 0)
		x.Set(v + 1)
		x.eachGroup(func() {
			x.Get(locAt32)
			x.Mem(wasm.V128Load, 16, x.o.Members.Off)
			x.Get(v)
			x.Op(wasm.V128Xor)
			x.executing()
			x.Op(wasm.V128And)
			x.fold(v+1, wasm.V128Or)
		})
		x.Get(v + 1)
		x.Op(wasm.V128AnyTrue, wasm.I32Or)
	}
	x.exitIf(x.pc)
}

// executing pushes a vector of the lanes of the current group that execute the operation.
func (x *crosser) executing() {
	x.Get(locExec)
	x.Get(locShift)
	x.Op(wasm.I32ShrU)
	x.spread(0)
}

// set gives a register the i32 that push pushes, in all lanes that execute the operation.
func (x *crosser) set(d row.Operand, push func()) {
	if d.Sink {
		return
	}
	v := x.fresh(1)
	push()
	x.Op(wasm.I32x4Splat)
	x.Set(v)
	x.write(d, func() { x.Get(v) })
}

// write gives a register the vectors that push pushes, group by group.
func (x *crosser) write(d row.Operand, push func()) {
	x.eachGroup(func() {
		x.Get(locAt32)
		if push(); x.some {
			x.Get(locAt32)
			x.Mem(wasm.V128Load, 16, d.Off)
			x.executing()
			x.Op(wasm.V128Bitselect)
		}
		x.Mem(wasm.V128Store, 16, d.Off)
	})
}

// setPred gives a predicate the bits of the i32 that push pushes.
func (x *crosser) setPred(p row.Operand, push func()) {
	if p.Sink {
		return
	}
	old := func() {
		x.Get(locFrame)
		x.Mem(wasm.I32Load, 4, p.Off)
	}
	x.Get(locFrame)
	old()
	old()
	push()
	x.Op(wasm.I32Xor)
	x.Get(locExec)
	x.Op(wasm.I32And, wasm.I32Xor)
	x.Mem(wasm.I32Store, 4, p.Off)
}

// vote is vote (9.7.15.9) and vote.sync (9.7.15.10).
func (x *crosser) vote(mode int) {
	s := x.o.S[0]
	x.Get(locFrame)
	x.Mem(wasm.I32Load, 4, s.Off)
	if s.Neg {
		x.I32(-1)
		x.Op(wasm.I32Xor)
	}
	x.Get(locExec)
	x.Op(wasm.I32And)
	x.Set(locTemp)
	if mode == 3 {
		x.set(x.o.D, func() { x.Get(locTemp) })
		return
	}
	all := func() {
		x.Get(locTemp)
		x.Get(locExec)
		x.Op(wasm.I32Eq)
	}
	x.setPred(x.o.P, func() {
		x.I32(0)
		switch mode {
		case 0:
			all()
		case 1:
			x.Get(locTemp)
			x.I32(0)
			x.Op(wasm.I32Ne)
		case 2:
			all()
			x.Get(locTemp)
			x.Op(wasm.I32Eqz, wasm.I32Or)
		}
		x.Op(wasm.I32Sub)
	})
}

// reduce is redux.sync of integers (9.7.15.13).
func (x *crosser) reduce(h *call.Helper) {
	x.Get(locFrame)
	x.I32(int32(x.o.S[0].Off))
	x.Op(wasm.I32Add)
	x.Get(locExec)
	x.call(h)
	x.Set(locTemp)
	x.set(x.o.D, func() { x.Get(locTemp) })
}

// elect is elect.sync (9.7.15.15).
func (x *crosser) elect() {
	leader := func() {
		x.Get(locExec)
		x.Op(wasm.I32Ctz)
	}
	x.set(x.o.D, leader)
	x.setPred(x.o.P, func() {
		x.I32(1)
		leader()
		x.Op(wasm.I32Shl)
	})
}

// shuffle is shfl (9.7.10.5) and shfl.sync (9.7.10.6). It stops before the operation where a lane reads from one that
// takes no part.
func (x *crosser) shuffle(h *call.Helper) {
	for _, s := range x.o.S {
		x.Get(locFrame)
		x.I32(int32(s.Off))
		x.Op(wasm.I32Add)
	}
	x.Get(locExec)
	x.Get(locCtx)
	x.call(h)
	x.exitIf(x.pc)
	if !x.o.D.Sink {
		x.write(x.o.D, func() {
			x.Get(locAtCtx)
			x.Mem(wasm.V128Load, 16, call.Offs)
		})
	}
	x.setPred(x.o.P, func() {
		x.context(call.Range)
	})
}
