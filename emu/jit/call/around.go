package call

import "warpscope/emu/jit/wasm"

// around looks for each lane of exec in a window and in the other allocations, and puts its offset into the context.
// The result is 0 if all are in one of them and aligned. An address has at most 32 bits there.
func around(wide bool) *Helper {
	shift, load := int32(2), wasm.Op(wasm.I64Load32U)
	if wide {
		shift, load = 3, wasm.I64Load
	}
	const addresses, exec, ctx, window, size, more, lane, all, offset, at, bad = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
	return &Helper{
		Params: []byte{wasm.I32, wasm.I32, wasm.I32, wasm.I32, wasm.I32, wasm.I32},
		Locals: []wasm.Locals{{N: 2, Type: wasm.I32}, {N: 3, Type: wasm.I64}},
		Write: func(w *wasm.Code) {
			w.Get(ctx)
			w.Get(window)
			w.Op(wasm.I32Add)
			w.Set(window)
			w.EachBit(exec, lane, func() {
				w.Get(addresses)
				w.Get(lane)
				w.I32(shift)
				w.Op(wasm.I32Shl, wasm.I32Add)
				w.Mem(load, 1<<shift, 0)
				w.Get(window)
				w.Mem(wasm.I64Load, 8, WinAdd)
				w.Op(wasm.I64Add)
				w.Set(offset)
				outsideWindow(w, window, more, offset)
				w.I64(0)
				w.Op(wasm.I64LtS)
				w.If()
				w.Get(offset)
				w.Get(window)
				w.Mem(wasm.I64Load32U, 4, WinSeg)
				w.Op(wasm.I64Add)
				w.Set(at)
				outsideOthers(w, ctx, size, at, bad)
				w.Get(bad)
				w.Get(at)
				w.Op(wasm.I64Or)
				w.I64(0)
				w.Op(wasm.I64LtS)
				w.If()
				w.I32(1)
				w.Op(wasm.Return, wasm.End, wasm.End)
				w.Get(ctx)
				w.Get(lane)
				w.I32(2)
				w.Op(wasm.I32Shl, wasm.I32Add)
				w.Get(offset)
				w.Op(wasm.I32WrapI64)
				w.Tee(lane) // which is free now
				w.Mem(wasm.I32Store, 4, Offs)
				w.Get(all)
				w.Get(lane)
				w.Op(wasm.I32Or)
				w.Set(all)
			})
			w.Get(all)
			w.Get(size)
			w.I32(1)
			w.Op(wasm.I32Sub, wasm.I32And)
		},
	}
}

var LookAround = [2]*Helper{around(false), around(true)}

// outsideWindow pushes a number that is below 0 if an offset is outside of the window: less than 0, or above the limit
// less more.
func outsideWindow(w *wasm.Code, window, more, offset uint32) {
	w.Get(window)
	w.Mem(wasm.I64Load, 8, WinLimit)
	long(w, more)
	w.Op(wasm.I64Sub)
	w.Get(offset)
	w.Op(wasm.I64Sub)
	w.Get(offset)
	w.Op(wasm.I64Or)
}

// outsideOthers sets bad to a number that is below 0 if the element at an address is in none of the other allocations.
func outsideOthers(w *wasm.Code, ctx, size, at, bad uint32) {
	w.I64(-1)
	w.Set(bad)
	for i := range uint32(MostOthers) { // below 0: before it or after it
		w.Get(ctx)
		w.Mem(wasm.I64Load, 8, Others+i*OtherSize+OtherEnd)
		long(w, size)
		w.Op(wasm.I64Sub)
		w.Get(at)
		w.Op(wasm.I64Sub)
		w.Get(at)
		w.Get(ctx)
		w.Mem(wasm.I64Load, 8, Others+i*OtherSize+OtherStart)
		w.Op(wasm.I64Sub, wasm.I64Or)
		w.Get(bad)
		w.Op(wasm.I64And)
		w.Set(bad)
	}
}

// long pushes a local of 32 bits as one of 64.
func long(w *wasm.Code, local uint32) {
	w.Get(local)
	w.Op(wasm.I64ExtendI32U)
}
