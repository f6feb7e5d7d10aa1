package call

import "warpscope/emu/jit/wasm"

// A Helper is a function beside that of a region, for what would be long in it and is done seldom.
type Helper struct {
	Locals []wasm.Locals
	Params []byte // types; its result has the type of the first
	Write  func(w *wasm.Code)
}

// Spread turns the bits of an i32 from bit first on into a vector: lane i is all ones if bit first+i is set.
func Spread(w *wasm.Code, first uint32) {
	bit := func(i uint32) uint64 { return 1 << (first + i) }
	lo, hi := bit(0)|bit(1)<<32, bit(2)|bit(3)<<32
	w.Op(wasm.I32x4Splat)
	w.V128(lo, hi)
	w.Op(wasm.V128And)
	w.V128(lo, hi)
	w.Op(wasm.I32x4Eq)
}

// SpreadMask makes vectors in the context of a mask of active lanes.
var SpreadMask = &Helper{
	Params: []byte{wasm.I32, wasm.I32},
	Write: func(w *wasm.Code) {
		const ctx, mask = 0, 1
		for g := range uint32(8) {
			w.Get(ctx)
			w.Get(mask)
			Spread(w, 4*g)
			w.Mem(wasm.V128Store, 16, Masks+16*g)
		}
		w.I32(0)
	},
}

// ExactSum is fma.rn.f32 of 4 lanes, which need not be one of those that fma can tell to be right.
var ExactSum = &Helper{
	Params: []byte{wasm.Vector, wasm.Vector, wasm.Vector},
	Locals: []wasm.Locals{{N: wasm.SumLocals, Type: wasm.Vector}},
	Write:  func(w *wasm.Code) { w.ExactSum(0) },
}

// gather loads words of shared memory in all lanes, from addresses of 32 or 64 bits with an offset added. It returns 0,
// or 1 where it must not load, and has not.
func gather(wide bool) *Helper {
	const addresses, to, ctx, off, lane, all, temp, limit = 0, 1, 2, 3, 4, 5, 6, 7
	return &Helper{
		Params: []byte{wasm.I32, wasm.I32, wasm.I32, wasm.I32},
		Locals: []wasm.Locals{{N: 1, Type: wasm.I32}, {N: 3, Type: wasm.I64}},
		Write: func(w *wasm.Code) {
			eachLane := func(do func()) { eachAddress(w, wide, addresses, off, lane, temp, do) }
			w.Get(ctx)
			w.Mem(wasm.I64Load32U, 4, SharedSize)
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
				w.Mem(wasm.I32Load, 4, Shared)
				w.Get(temp)
				w.Op(wasm.I32WrapI64, wasm.I32Add)
				w.Mem(wasm.I32Load, 4, 0)
				w.Mem(wasm.I32Store, 4, 0)
			})
			w.I32(0)
		},
	}
}

var Gathers = [2]*Helper{gather(false), gather(true)}

// eachAddress does something for each lane, with its address plus off in a local. The local lane is 4 times its number.
func eachAddress(w *wasm.Code, wide bool, addresses, off, lane, address uint32, do func()) {
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
	w.Set(address)
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

// Loaders are the loads of an element, without and with its sign.
func Loaders(size uint32, wide bool) [2]wasm.Op {
	if !wide {
		return map[uint32][2]wasm.Op{1: {wasm.I32Load8U, wasm.I32Load8S}, 2: {wasm.I32Load16U, wasm.I32Load16S},
			4: {wasm.I32Load, wasm.I32Load}, 8: {wasm.I32Load, wasm.I32Load}}[size]
	}
	return map[uint32][2]wasm.Op{1: {wasm.I64Load8U, wasm.I64Load8S}, 2: {wasm.I64Load16U, wasm.I64Load16S},
		4: {wasm.I64Load32U, wasm.I64Load32S}, 8: {wasm.I64Load, wasm.I64Load}}[size]
}
