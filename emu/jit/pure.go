package jit

import (
	"slices"
	"strings"

	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/ptx/isa"
)

// opcode is the key of an instruction, taken apart.
type opcode struct {
	name  string
	mods  []string
	types []isa.Type
}

func parse(key string) *opcode {
	words := strings.Split(key, ".")
	o := &opcode{name: words[0]}
	for _, w := range words[1:] {
		if t, ok := isa.ParseType("." + w); ok {
			o.types = append(o.types, t)
		} else {
			o.mods = append(o.mods, w)
		}
	}
	return o
}

func (o *opcode) has(mod string) bool { return slices.Contains(o.mods, mod) }

// take removes a modifier and says whether it was there.
func (o *opcode) take(mod string) bool {
	i := slices.Index(o.mods, mod)
	if i < 0 {
		return false
	}
	o.mods = slices.Delete(o.mods, i, i+1)
	return true
}

// oneOf removes the first of these modifiers that is there and returns it, or "".
func (o *opcode) oneOf(mods ...string) string {
	for _, m := range mods {
		if o.take(m) {
			return m
		}
	}
	return ""
}

// does returns what compiles an instruction that computes with registers; nil if nothing does.
func (e *layout) does(in *machine.Inst) emits {
	if in.Op == machine.OpHandler && in.X == nil {
		if int(in.Number) < len(ops) {
			return ops[in.Number]
		}
		return nil
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

// whole says whether a type is an integer, or bits, of 16 to 64 bits.
func whole(t isa.Type) bool {
	switch t {
	case isa.U16, isa.S16, isa.B16, isa.U32, isa.S32, isa.B32, isa.U64, isa.S64, isa.B64:
		return true
	}
	return false
}

// predicates lists the predicates that an instruction writes.
func predicates(in *machine.Inst) (list []uint32) {
	switch {
	case in.X == nil || in.X.Key == "":
		if row.Operations[in.Number].Rows[0] == 0 {
			return []uint32{in.D}
		}
		return nil
	case in.X.Predicates != nil:
		for _, o := range []row.Operand{in.X.Predicates.P, in.X.Predicates.Q} {
			if !o.Sink {
				list = append(list, o.Off)
			}
		}
	}
	for _, o := range in.X.D {
		if o.Bits == 1 && !o.Sink {
			list = append(list, o.Off)
		}
	}
	return list
}

// writes says whether an instruction writes a row.
func writes(in *machine.Inst, off uint32) bool {
	switch {
	case in.Op == machine.OpStore:
		return false
	case in.X == nil:
		return in.D == off
	}
	return slices.ContainsFunc(in.X.D, func(o row.Operand) bool { return !o.Sink && o.Off == off })
}

// word pushes 4 lanes of an operand: its lower 32 bits.
func (b *body) word(o row.Operand) {
	switch {
	case o.Bits == 1:
		b.boolean(o)
		b.splat(1)
		b.Op(wasm.V128And)
		return
	case o.Wide():
		b.getHalf(o.Off, 0)
		b.getHalf(o.Off, 1)
		b.Shuffle(lowerWords)
	default:
		b.get(o.Off)
	}
	if m := uint32(o.Mask); m != 1<<32-1 {
		b.splat(uint64(m))
		b.Op(wasm.V128And)
	}
}

// boolean pushes 4 lanes of a predicate as all ones or zeros.
func (b *body) boolean(o row.Operand) {
	b.mask(o.Off)
	if o.Neg {
		b.Op(wasm.V128Not)
	}
}

// signed is word of a signed number of so many bits.
func (b *body) signed(o row.Operand, bits int) {
	b.word(o)
	b.extendWord(bits, true)
}

// extendWord makes words of their lower bits.
func (b *body) extendWord(bits int, signed bool) {
	switch {
	case bits >= 32:
	case signed:
		b.I32(int32(32 - bits))
		b.Op(wasm.I32x4Shl)
		b.I32(int32(32 - bits))
		b.Op(wasm.I32x4ShrS)
	default:
		b.splat(1<<bits - 1)
		b.Op(wasm.V128And)
	}
}

// long pushes 2 lanes of an operand, with 64 bits each.
func (b *body) long(o row.Operand, half uint32) {
	if !o.Wide() {
		b.word(o)
		b.Op([2]wasm.Op{wasm.I64x2ExtendLowU, wasm.I64x2ExtendHighU}[half])
		return
	}
	b.getHalf(o.Off, half)
	if o.Mask != 1<<64-1 {
		b.V128(o.Mask, o.Mask)
		b.Op(wasm.V128And)
	}
}

// setWord pops 4 lanes of 32 bits into a register. A wider one has zeros above, or copies of the sign.
func (b *body) setWord(o row.Operand, signed bool) {
	switch {
	case o.Sink:
		b.Op(wasm.Drop)
	case o.Wide():
		v := b.fresh(1)
		b.Set(v)
		widths := [2]wasm.Op{wasm.I64x2ExtendLowU, wasm.I64x2ExtendHighU}
		if signed {
			widths = extend
		}
		for _, do := range widths {
			b.Get(v)
			b.Op(do)
		}
		b.putHalves(o.Off)
	default:
		b.extendWord(int(o.Bits), false)
		b.put(o.Off)
	}
}

// setFloat pops 4 single-precision results.
func (b *body) setFloat(o row.Operand) {
	if o.Sink {
		b.Op(wasm.Drop)
	} else {
		b.putFloat(o.Off)
	}
}

// setLong pops lanes of 64 bits: lanes 2 and 3 first, then 0 and 1.
func (b *body) setLong(o row.Operand) {
	switch {
	case o.Sink:
		b.Op(wasm.Drop, wasm.Drop)
	case o.Wide():
		b.putHalves(o.Off)
	default:
		b.Shuffle(lowerWords)
		b.setWord(o, false)
	}
}

// setMask pops 4 lanes of a predicate.
func (b *body) setMask(o row.Operand) {
	if o.Sink {
		b.Op(wasm.Drop)
	} else {
		b.putMask(o.Off)
	}
}

// stash puts 4 lanes of each operand into locals, two for an operand of 64 bits, and returns them.
func (b *body) stash(list []row.Operand) []uint32 {
	at := make([]uint32, len(list))
	for i, o := range list {
		if o.Wide() {
			at[i] = b.fresh(2)
			for half := range uint32(2) {
				b.long(o, half)
				b.Set(at[i] + half)
			}
			continue
		}
		at[i] = b.fresh(1)
		b.word(o)
		b.Set(at[i])
	}
	return at
}

// eachLane computes lane by lane. do pushes the result of one; arg pushes an operand of it, an i32 or an i64.
func eachLane(do func(b *body, arg func(i int))) emits {
	return func(b *body, in *machine.Inst) {
		d, s := in.X.D[0], in.X.S
		at := b.stash(s)
		to := b.fresh(2)
		for n := range uint32(4) {
			half, lane := n/2, byte(n%2)
			if !d.Wide() {
				half, lane = 0, byte(n)
			}
			b.Get(to + half)
			do(b, func(i int) {
				if s[i].Wide() {
					b.lane(wasm.I64x2ExtractLane, at[i]+n/2, byte(n%2))
				} else {
					b.lane(wasm.I32x4ExtractLane, at[i], byte(n))
				}
			})
			replace := wasm.I32x4ReplaceLane
			if d.Wide() {
				replace = wasm.I64x2ReplaceLane
			}
			b.Op(replace)
			b.Bytes = append(b.Bytes, lane)
			b.Set(to + half)
		}
		b.Get(to)
		if d.Wide() {
			b.Get(to + 1)
			b.setLong(d)
		} else {
			b.setWord(d, false)
		}
	}
}

// A refusal pushes 4 lanes, all ones in those for which the interpreter must execute an instruction.
type refusal func(b *body, in *machine.Inst)

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
	w.exitIf(pc)
}
