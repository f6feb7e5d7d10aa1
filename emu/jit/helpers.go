package jit

import (
	"slices"

	"warpscope/emu/jit/wasm"
)

// call calls a helper, which the module then has.
func (w *emitter) call(h *helper) {
	i := slices.Index(w.helpers, h)
	if i < 0 {
		i = len(w.helpers)
		w.helpers = append(w.helpers, h)
	}
	w.Arg(wasm.Call, uint32(i)+1+w.beside)
}

// module returns the module of functions that the host calls, and helpers of the first.
func (w *emitter) module(list ...wasm.Function) []byte {
	exported := len(list)
	for _, h := range w.helpers {
		var c wasm.Code
		h.write(&c)
		list = append(list, wasm.Function{Params: h.params, Locals: h.locals, Code: c.Bytes})
	}
	return wasm.Module(exported, list)
}

// exactSum is fma.rn.f32 of 4 lanes, which need not be one of those that fma can tell to be right.
var exactSum = &helper{
	params: []byte{wasm.Vector, wasm.Vector, wasm.Vector},
	locals: []wasm.Locals{{N: wasm.SumLocals, Type: wasm.Vector}},
	write:  func(w *wasm.Code) { w.ExactSum(0) },
}

// gather loads words of shared memory in all lanes, from addresses of 32 or 64 bits with an offset added. It returns 0,
// or 1 where it must not load, and has not.
func gather(wide bool) *helper {
	const addresses, to, ctx, off, lane, all, temp, limit = 0, 1, 2, 3, 4, 5, 6, 7
	return &helper{
		params: []byte{wasm.I32, wasm.I32, wasm.I32, wasm.I32},
		locals: []wasm.Locals{{N: 1, Type: wasm.I32}, {N: 3, Type: wasm.I64}},
		write: func(w *wasm.Code) {
			eachLane := func(do func()) {
				w.I32(0)
				w.Set(lane)
				w.Loop()
				w.Get(addresses)
				w.Get(lane)
				if wide {
					w.I32(1)
					w.Op(wasm.I32Shl, wasm.I32Add)
					w.Mem(wasm.I64Load, 8, 0)
				} else {
					w.Op(wasm.I32Add)
					w.Mem(wasm.I64Load32U, 4, 0)
				}
				w.Get(off)
				w.Op(wasm.I64ExtendI32S, wasm.I64Add)
				w.Set(temp)
				do()
				w.Get(lane)
				w.I32(4)
				w.Op(wasm.I32Add)
				w.Tee(lane)
				w.I32(128)
				w.Op(wasm.I32Ne)
				w.Arg(wasm.BrIf, 0)
				w.Op(wasm.End)
			}
			w.Get(ctx)
			w.Mem(wasm.I64Load32U, 4, ctxSharedSize)
			w.I64(4)
			w.Op(wasm.I64Sub)
			w.Set(limit)
			eachLane(func() { // bit 63: one is outside; bits 0 and 1: one is not aligned
				w.Get(limit)
				w.Get(temp)
				w.Op(wasm.I64Sub)
				w.I64(-1 << 63)
				w.Op(wasm.I64And)
				w.Get(temp)
				w.Op(wasm.I64Or)
				w.Get(all)
				w.Op(wasm.I64Or)
				w.Set(all)
			})
			w.Get(all)
			w.I64(-1<<63 | 3)
			w.Op(wasm.I64And, wasm.I64Eqz, wasm.I32Eqz)
			w.If()
			w.I32(1)
			w.Op(wasm.Return, wasm.End)
			eachLane(func() {
				w.Get(to)
				w.Get(lane)
				w.Op(wasm.I32Add)
				w.Get(ctx)
				w.Mem(wasm.I32Load, 4, ctxShared)
				w.Get(temp)
				w.Op(wasm.I32WrapI64, wasm.I32Add)
				w.Mem(wasm.I32Load, 4, 0)
				w.Mem(wasm.I32Store, 4, 0)
			})
			w.I32(0)
		},
	}
}

var gathers = [2]*helper{gather(false), gather(true)}
