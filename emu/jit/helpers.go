package jit

import (
	"slices"

	"warpscope/emu/jit/call"
	"warpscope/emu/jit/wasm"
)

// call calls a helper, which the module then has.
func (w *emitter) call(h *call.Helper) {
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
		h.Write(&c)
		list = append(list, wasm.Function{Params: h.Params, Locals: h.Locals, Code: c.Bytes})
	}
	return wasm.Module(exported, list)
}
