package jit

import (
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
)

// The grid's watch of spinning warps wants to know whether memory changes. While nothing has changed for some time,
// compiled code compares what it stores with what is there, and says so as soon as something differs.

// The values of ctxPlain.
const (
	storesHeld  = 0 // the interpreter does all stores
	storesPlain = 1
	storesQuiet = 2 // nothing has changed yet
)

// plain is the value of ctxPlain for a warp.
func plain(w *machine.Warp) uint32 {
	switch g := w.CTA.Grid; {
	case g.Prog.Proxies:
		return storesHeld
	case g.State.Progress:
		return storesPlain
	}
	return storesQuiet
}

// differ says for the lanes of exec whether elements of a row differ from those in memory, whose offsets are in the
// context.
func differ(size uint32) *helper {
	const values, exec, ctx, seg, shift, stride, lane = 0, 1, 2, 3, 4, 5, 6
	load, unequal := loaders(size, size == 8)[0], wasm.I32Ne
	if size == 8 {
		unequal = wasm.I64Ne
	}
	return &helper{
		params: []byte{wasm.I32, wasm.I32, wasm.I32, wasm.I32, wasm.I32, wasm.I32},
		locals: []wasm.Locals{{N: 1, Type: wasm.I32}},
		write: func(w *wasm.Code) {
			w.EachBit(exec, lane, func() {
				w.Get(values)
				w.Get(lane)
				w.Get(shift)
				w.Op(wasm.I32Shl, wasm.I32Add)
				w.Mem(load, size, 0)
				w.Get(ctx)
				w.Get(lane)
				w.I32(2)
				w.Op(wasm.I32Shl, wasm.I32Add)
				w.Mem(wasm.I32Load, 4, ctxOffs)
				w.Get(seg)
				w.Get(lane)
				w.Get(stride)
				w.Op(wasm.I32Mul, wasm.I32Add, wasm.I32Add)
				w.Mem(load, size, 0)
				w.Op(unequal)
				w.If()
				w.I32(1)
				w.Op(wasm.Return, wasm.End)
			})
			w.I32(0)
		},
	}
}

var differs = map[uint32]*helper{1: differ(1), 2: differ(2), 4: differ(4), 8: differ(8)}
