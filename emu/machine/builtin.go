package machine

import (
	"unsafe"

	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Builtin is a function that the CUDA driver provides to every kernel; a module declares it .extern. A pointer or a
// size among its parameters has the type B64 here; with 32-bit addresses it has 32 bits.
type Builtin struct {
	Run             func(w *Warp, args []uint64, lane int) (uint64, *Fault)
	Returns, Params []isa.Type
}

// declared returns the declaration that the function has in CUDA.
func (b *Builtin) declared(name string, addressSize int) *ptx.Func {
	list := func(types []isa.Type) (vars []*ptx.Var) {
		for _, t := range types {
			if t == isa.B64 && addressSize == 32 {
				t = isa.B32
			}
			vars = append(vars, &ptx.Var{Name: "_", Space: ptx.ParamSpace, Type: t, Size: int64(t.Bytes())})
		}
		return vars
	}
	return &ptx.Func{Name: name, Returns: list(b.Returns), Params: list(b.Params)}
}

// callBuiltin calls a provided function lane by lane, in ascending order.
func callBuiltin(w *Warp, in *Inst, fn *Function, f unsafe.Pointer, exec Mask) action {
	info := in.X.Call
	fr := w.Cur.Frame
	w.CTA.Grid.State.Progress = true
	var fault *Fault
	EachLane(exec, func(lane int) {
		if fault != nil {
			return
		}
		args := make([]uint64, len(info.Args))
		for i := range info.Args {
			args[i] = valueOf(w, fr, &info.Args[i], lane)[0]
		}
		var v uint64
		if v, fault = fn.Builtin.Run(w, args, lane); fault != nil {
			fault.Lanes = 1 << lane
			return
		}
		for i := range info.Rets {
			setValue(w, fr, &info.Rets[i], lane, row.Pair{v})
		}
	})
	if fault != nil {
		w.Fail(in, fault)
		return actFault
	}
	return actNext
}
