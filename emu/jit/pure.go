package jit

import (
	"slices"

	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/ptx/isa"
)

// does returns what compiles an instruction that computes with registers; nil if nothing does.
func (e *layout) does(in *machine.Inst) emits {
	if in.Op == machine.OpHandler && in.X == nil {
		return compiles(in.Number)
	}
	if in.X.Key == "" {
		return nil
	}
	for _, o := range slices.Concat(in.X.D, in.X.S) {
		if o.Bits == 128 {
			return nil
		}
	}
	o := parse(in.X.Key)
	do := e.build(o, in)
	if len(o.mods) > 0 { // one that the builder does not know
		return nil
	}
	return do
}

// build finds what compiles an opcode. It takes the modifiers that it understands.
func (e *layout) build(o *opcode, in *machine.Inst) emits {
	switch o.name {
	case "mov":
		if len(o.types) == 0 {
			return tuples(in)
		}
	case "cvt":
		return buildConvert(o)
	case "setp":
		return buildSetp(o)
	case "set":
		return buildSet(o)
	case "slct":
		return buildSlct(o)
	}
	if len(o.types) == 0 {
		return nil
	}
	switch t := o.types[len(o.types)-1]; {
	case t == isa.Pred:
		return predicateLogic(o.name)
	case len(o.types) > 1:
		return nil
	case t == isa.F32:
		return buildFloat(o, len(in.X.S))
	case t == isa.F64:
		return e.buildDouble(o)
	case whole(t):
		return e.buildInteger(o, t, in)
	}
	return nil
}

// refuses returns what finds the lanes that compiled code cannot execute an instruction for; nil: there are none.
func (e *layout) refuses(in *machine.Inst) refusal {
	if in.Op != machine.OpPure || in.X.Key == "" {
		return nil
	}
	switch o := parse(in.X.Key); o.name {
	case "div", "rem":
		return e.refuseDivision(o, in)
	case "fma", "mad":
		if o.types[0] == isa.F64 && !e.relaxed {
			return refuseFma
		}
	}
	return nil
}

// refuse stops before an instruction if one of its lanes is refused.
func (w *emitter) refuse(pc int32, stop refusal) {
	w.refused(pc, stop)
	w.exitIf(pc)
}

// refused pushes the lanes of an instruction that are refused.
func (w *emitter) refused(pc int32, stop refusal) {
	in := &w.e.prog.Code[pc]
	w.I32(0)
	w.Set(locExec)
	b := w.body()
	b.eachGroup(func() {
		b.Get(locExec)
		stop(b, in)
		b.Op(wasm.I32x4Bitmask)
		b.Get(locShift)
		b.Op(wasm.I32Shl, wasm.I32Or)
		b.Set(locExec)
	})
	w.Get(locExec)
	w.Get(locMask)
	w.Op(wasm.I32And)
	w.Get(locFrame)
	w.Mem(wasm.I32Load, 4, in.Guard)
	if in.Neg != 0 {
		w.I32(-1)
		w.Op(wasm.I32Xor)
	}
	w.Op(wasm.I32And)
}
