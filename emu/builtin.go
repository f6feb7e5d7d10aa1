package emu

import (
	"bytes"
	"fmt"
	"math"
	"unsafe"

	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// builtin is a function that the CUDA driver provides to every kernel: a module declares it .extern. Where its
// parameters are pointers and sizes, their type here is B64; with 32-bit addresses they have 32 bits.
type builtin struct {
	run             func(w *warp, args []uint64, lane int) (uint64, *Fault)
	returns, params []isa.Type
}

var builtins = map[string]*builtin{
	"vprintf":      {vprintf, []isa.Type{isa.B32}, []isa.Type{isa.B64, isa.B64}},
	"malloc":       {malloc, []isa.Type{isa.B64}, []isa.Type{isa.B64}},
	"free":         {free, nil, []isa.Type{isa.B64}},
	"__assertfail": {assertFail, nil, []isa.Type{isa.B64, isa.B64, isa.B32, isa.B64, isa.B64}},
}

// declared is the declaration of the function in CUDA.
func (b *builtin) declared(name string, addressSize int) *ptx.Func {
	list := func(types []isa.Type) (vars []*ptx.Var) {
		for _, t := range types {
			if t == isa.B64 && addressSize == 32 {
				t = isa.B32
			}
			vars = append(vars, &ptx.Var{Name: "_", Space: ptx.ParamSpace, Type: t, Size: int64(t.Bytes())})
		}
		return vars
	}
	return &ptx.Func{Name: name, Returns: list(b.returns), Params: list(b.params)}
}

// callBuiltin calls a provided function lane by lane, in ascending order.
func callBuiltin(w *warp, in *inst, fn *function, f unsafe.Pointer, exec Mask) action {
	info := in.x.call
	fr := w.Cur.Frame
	w.cta.grid.state.progress = true
	var fault *Fault
	eachLane(exec, func(lane int) {
		if fault != nil {
			return
		}
		args := make([]uint64, len(info.args))
		for i := range info.args {
			args[i] = valueOf(w, fr, &info.args[i], lane)[0]
		}
		var v uint64
		if v, fault = fn.builtin.run(w, args, lane); fault != nil {
			fault.Lanes = 1 << lane
			return
		}
		for i := range info.rets {
			setValue(w, fr, &info.rets[i], lane, row.Pair{v})
		}
	})
	if fault != nil {
		w.fail(in, fault)
		return actFault
	}
	return actNext
}

// readable is the memory from a generic address to the end of what it is in, as the lane sees it.
func readable(w *warp, a Addr, lane int) []byte {
	kind := w.lsu.segment(ptx.Generic, a, 1, false)
	seg := &w.lsu.seg
	v := a + seg.Add
	if kind != "" || v >= seg.Size {
		return nil
	}
	off := seg.Base + uint32(v) + uint32(lane)*seg.Stride
	return w.mem.Bytes(off, uint32(seg.Size-v))
}

// textAt reads a string that ends with a zero byte, or after a number of bytes. Where it ends with neither, or where
// there is no memory, fault says so of what the string is.
func textAt(w *warp, a Addr, most, lane int, what string) (s []byte, fault *Fault) {
	s = readable(w, a, lane)
	if s == nil && most > 0 {
		return nil, badPointer(a, 1, what+" is not in memory that this lane can read")
	}
	s = s[:min(len(s), most)]
	if end := bytes.IndexByte(s, 0); end >= 0 {
		return s[:end], nil
	}
	if len(s) < most {
		return nil, badPointer(a+Addr(len(s)), 1, what+" runs over the end of its memory: no zero byte ends it")
	}
	return s, nil
}

func badPointer(a Addr, size int, why string) *Fault {
	return &Fault{Kind: IllegalAddress, Addr: a, Size: size, Space: "generic", Detail: "; " + why}
}

// malloc gives device memory, or null when there is none left.
func malloc(w *warp, args []uint64, _ int) (uint64, *Fault) {
	g := w.cta.grid
	if args[0] <= uint64(g.mem.Limit()) {
		if a, err := g.dev.reserve(int64(args[0]), "", mem.Global); err == nil {
			return a, nil
		}
	}
	g.state.refused = true
	return 0, nil
}

func free(w *warp, args []uint64, _ int) (uint64, *Fault) {
	if args[0] == 0 {
		return 0, nil
	}
	if w.cta.grid.dev.Free(args[0]) != nil {
		return 0, badPointer(args[0], 1, "free of something that malloc has not given")
	}
	return 0, nil
}

// assertFail is __assertfail(message, file, line, function, size of a character).
func assertFail(w *warp, args []uint64, lane int) (uint64, *Fault) {
	text := func(i int) string {
		s, fault := textAt(w, args[i], math.MaxInt, lane, "")
		if fault != nil {
			return "?"
		}
		return string(s)
	}
	return 0, &Fault{Kind: AssertFail, Detail: fmt.Sprintf(": %s:%d: %s: assertion `%s`", text(1), uint32(args[2]), text(3), text(0))}
}
