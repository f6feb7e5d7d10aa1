package jit

import (
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
		h := shuffles[mode(".up", ".down", ".bfly", ".idx")]
		return func(x *crosser) { x.shuffle(h) }
	case "redux":
		if h := folds[[...]string{"add", "min", "max", "and", "or", "xor"}[mode(".add", ".min", ".max", ".and", ".or",
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
		x.context(ctxLive)
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
func (x *crosser) reduce(h *helper) {
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
func (x *crosser) shuffle(h *helper) {
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
			x.Mem(wasm.V128Load, 16, ctxOffs)
		})
	}
	x.setPred(x.o.P, func() {
		x.context(ctxRange)
	})
}

// folds are the helpers that fold the words of a row in the lanes of exec.
var folds = map[string]*helper{
	"add.u32": folding(wasm.I32x4Add, 0), "add.s32": folding(wasm.I32x4Add, 0),
	"min.u32": folding(wasm.I32x4MinU, 1<<32-1), "max.u32": folding(wasm.I32x4MaxU, 0),
	"min.s32": folding(wasm.I32x4MinS, 1<<31-1), "max.s32": folding(wasm.I32x4MaxS, 1<<31),
	"and.b32": folding(wasm.V128And, 1<<32-1), "or.b32": folding(wasm.V128Or, 0), "xor.b32": folding(wasm.V128Xor, 0),
}

// folding is a helper that folds. The other lanes have a value that changes nothing.
func folding(do wasm.Op, neutral uint64) *helper {
	const values, exec, sum = 0, 1, 2
	neutral |= neutral << 32
	return &helper{
		params: []byte{wasm.I32, wasm.I32},
		locals: []wasm.Locals{{N: 1, Type: wasm.Vector}},
		write: func(w *wasm.Code) {
			for g := range uint32(8) {
				w.Get(values)
				w.Mem(wasm.V128Load, 16, 16*g)
				w.V128(neutral, neutral)
				w.Get(exec)
				w.Op(wasm.I32x4Splat)
				lo, hi := uint64(1)<<(4*g)|uint64(2)<<(4*g+32), uint64(4)<<(4*g)|uint64(8)<<(4*g+32)
				w.V128(lo, hi)
				w.Op(wasm.V128And)
				w.V128(lo, hi)
				w.Op(wasm.I32x4Eq, wasm.V128Bitselect)
				if g > 0 {
					w.Get(sum)
					w.Op(do)
				}
				w.Set(sum)
			}
			for _, apart := range [...]byte{8, 4} {
				var from [16]byte
				for i := range from {
					from[i] = (byte(i) + apart) % 16
				}
				w.Get(sum)
				w.Get(sum)
				w.Get(sum)
				w.Shuffle(from)
				w.Op(do)
				w.Set(sum)
			}
			w.Get(sum)
			w.Op(wasm.I32x4ExtractLane)
			w.Bytes = append(w.Bytes, 0)
		},
	}
}

// shuffles are the helpers for the modes up, down, bfly and idx.
var shuffles = [4]*helper{shuffling(0), shuffling(1), shuffling(2), shuffling(3)}

// shuffling is a helper that puts into the context, for the lanes of exec, the words that they read of the row a, and
// as ctxRange which are in range. b and c are the rows of the other operands. The result is 0 if all read from lanes of
// exec. 9.7.10.6 has the pseudo-code.
func shuffling(mode int) *helper {
	const a, b, c, exec, ctx, left, lane, seg, most, from, in, read, ok = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
	return &helper{
		params: []byte{wasm.I32, wasm.I32, wasm.I32, wasm.I32, wasm.I32},
		locals: []wasm.Locals{{N: 8, Type: wasm.I32}},
		write: func(w *wasm.Code) {
			word := func(at uint32) {
				w.Get(at)
				w.Get(lane)
				w.I32(2)
				w.Op(wasm.I32Shl, wasm.I32Add)
			}
			w.Get(exec)
			w.Set(left)
			w.EachBit(left, lane, func() {
				word(c)
				w.Mem(wasm.I32Load, 4, 0)
				w.Tee(most) // c, so far
				w.I32(8)
				w.Op(wasm.I32ShrU)
				w.I32(31)
				w.Op(wasm.I32And)
				w.Set(seg)
				w.Get(lane) // most = lane & seg | c & 31 & ~seg
				w.Get(seg)
				w.Op(wasm.I32And)
				w.Get(most)
				w.I32(31)
				w.Get(seg)
				w.Op(wasm.I32Xor, wasm.I32And, wasm.I32Or)
				w.Set(most)
				word(b)
				w.Mem(wasm.I32Load, 4, 0)
				w.I32(31)
				w.Op(wasm.I32And)
				w.Set(from) // b
				w.Get(lane)
				switch mode {
				case 0:
					w.Get(from)
					w.Op(wasm.I32Sub)
				case 1:
					w.Get(from)
					w.Op(wasm.I32Add)
				case 2:
					w.Get(from)
					w.Op(wasm.I32Xor)
				case 3: // lane & seg | b & ~seg
					w.Get(seg)
					w.Op(wasm.I32And)
					w.Get(from)
					w.I32(31)
					w.Get(seg)
					w.Op(wasm.I32Xor, wasm.I32And, wasm.I32Or)
				}
				w.Tee(from)
				w.Get(most)
				w.Op([...]wasm.Op{wasm.I32GeS, wasm.I32LeS, wasm.I32LeS, wasm.I32LeS}[mode])
				w.Set(in)
				w.Get(from)
				w.Get(lane)
				w.Get(in)
				w.Op(wasm.Select)
				w.Set(from)
				for _, add := range [...]struct{ to, bit, at uint32 }{{ok, in, lane}, {read, 0, from}} {
					w.Get(add.to)
					if add.bit == 0 {
						w.I32(1)
					} else {
						w.Get(add.bit)
					}
					w.Get(add.at)
					w.Op(wasm.I32Shl, wasm.I32Or)
					w.Set(add.to)
				}
				word(ctx)
				w.Get(a)
				w.Get(from)
				w.I32(2)
				w.Op(wasm.I32Shl, wasm.I32Add)
				w.Mem(wasm.I32Load, 4, 0)
				w.Mem(wasm.I32Store, 4, ctxOffs)
			})
			w.Get(ctx)
			w.Get(ok)
			w.Mem(wasm.I32Store, 4, ctxRange)
			w.Get(read)
			w.Get(exec)
			w.I32(-1)
			w.Op(wasm.I32Xor, wasm.I32And)
		},
	}
}
