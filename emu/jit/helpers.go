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
	locals: []wasm.Locals{{N: 8, Type: wasm.Vector}},
	write: func(w *wasm.Code) {
		const a, b, c, product, addend, sum, temp = 0, 1, 2, 3, 4, 5, 7 // sum and temp are two each
		for half := range uint32(2) {
			for _, v := range [...]uint32{a, b, c} {
				w.Get(v)
				if half == 1 {
					w.Get(v)
					w.Shuffle(upperHalf)
				}
				w.Op(wasm.F64x2PromoteLowF32x4)
				switch v {
				case b:
					w.Op(wasm.F64x2Mul)
					w.Tee(product)
				case c:
					w.Tee(addend)
				}
			}
			w.Op(wasm.F64x2Add)
			w.Set(sum + half)
			roundToOdd(w, product, addend, sum+half, temp)
		}
		narrow4(w, [2]uint32{sum, sum + 1})
	},
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

// roundToOdd corrects a sum of doubles: where it is not exact and its last bit is 0, it becomes its neighbour on the
// side of the exact sum. Rounding that to fewer bits gives what rounding the exact sum gives (Boldo and Melquiond). The
// error of the sum is exact, too (Knuth).
func roundToOdd(w *wasm.Code, x, y, sum, temp uint32) {
	// part = sum - x; err = (x - (sum - part)) + (y - part)
	part, err := temp, temp+1
	w.Get(sum)
	w.Get(x)
	w.Op(wasm.F64x2Sub)
	w.Set(part)
	w.Get(x)
	w.Get(sum)
	w.Get(part)
	w.Op(wasm.F64x2Sub, wasm.F64x2Sub)
	w.Get(y)
	w.Get(part)
	w.Op(wasm.F64x2Sub, wasm.F64x2Add)
	w.Set(err)
	// sum += (sign of err ^ sign of sum) | 1, as integers, where err is not 0 and the last bit is 0
	w.Get(sum)
	w.Get(err)
	w.Get(sum)
	w.Op(wasm.V128Xor)
	w.I32(63)
	w.Op(wasm.I64x2ShrS)
	w.V128(1, 1)
	w.Op(wasm.V128Or)
	w.Get(err)
	w.Op(wasm.F64x2Abs)
	w.V128(0, 0)
	w.Op(wasm.F64x2Gt, wasm.V128And)
	w.Get(sum)
	w.V128(1, 1)
	w.Op(wasm.V128And)
	w.V128(0, 0)
	w.Op(wasm.I64x2Eq, wasm.V128And, wasm.I64x2Add)
	w.Set(sum)
}

// narrow4 pushes 4 single-precision numbers, which are in two locals in double precision.
func narrow4(w *wasm.Code, pair [2]uint32) {
	for _, v := range pair {
		w.Get(v)
		w.Op(wasm.F32x4DemoteF64x2Zero)
	}
	w.Shuffle([16]byte{0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23})
}
