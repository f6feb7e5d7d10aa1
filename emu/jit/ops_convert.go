package jit

import (
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/ptx/isa"
)

// buildConvert is cvt (9.7.10.24) between integers, single and double precision.
func buildConvert(o *opcode) emits {
	if len(o.types) != 2 {
		return nil
	}
	to, from := o.types[0], o.types[1]
	integer := func(t isa.Type) bool {
		return whole(t) && t.Class() != isa.Bits || t == isa.U8 || t == isa.S8
	}
	float := func(t isa.Type) bool { return t == isa.F32 || t == isa.F64 }
	switch {
	case integer(to) && integer(from):
		return convertInteger(to, from)
	case float(to) && integer(from):
		return convertToFloat(o, to, from)
	case integer(to) && float(from):
		return convertToInteger(o, to, from)
	case to == isa.F64 && from == isa.F32:
		return promote(o.take("ftz"))
	case to == isa.F32 && from == isa.F64 && o.take("rn"):
		return demote(o.take("ftz"))
	case to == isa.F32 && from == isa.F32:
		return roundFloat(o)
	case to == isa.F64 && from == isa.F64:
		return roundDouble(o)
	}
	return nil
}

func convertInteger(to, from isa.Type) emits {
	signed := from.Class() == isa.Signed
	return func(b *body, in *machine.Inst) {
		s, d := in.X.S[0], in.X.D[0]
		switch {
		case from.Bits() == 64 && to.Bits() == 64:
			b.long(s, 0)
			b.long(s, 1)
			b.setLong(d)
			return
		case from.Bits() < 32:
			b.word(s)
			b.extendWord(from.Bits(), signed)
		default:
			b.word(s)
		}
		if to.Bits() == 64 {
			b.setWord(d, signed)
			return
		}
		b.extendWord(to.Bits(), to.Class() == isa.Signed)
		b.setWord(d, to.Class() == isa.Signed)
	}
}

// convertToFloat rounds once, to nearest.
func convertToFloat(o *opcode, to, from isa.Type) emits {
	signed := from.Class() == isa.Signed
	if o.take("ftz"); !o.take("rn") { // no integer is subnormal
		return nil
	}
	if from.Bits() == 64 {
		n := bit(!signed) + 2*bit(to == isa.F64)
		do := [...]wasm.Op{wasm.F32ConvertI64S, wasm.F32ConvertI64U, wasm.F64ConvertI64S, wasm.F64ConvertI64U}[n]
		as := [...]wasm.Op{wasm.I32ReinterpretF32, wasm.I64ReinterpretF64}[n/2]
		return eachLane(func(b *body, arg func(int)) {
			arg(0)
			b.Op(do, as)
		})
	}
	if to == isa.F32 {
		return func(b *body, in *machine.Inst) {
			b.word(in.X.S[0])
			b.extendWord(from.Bits(), signed)
			b.Op([...]wasm.Op{wasm.F32x4ConvertI32x4U, wasm.F32x4ConvertI32x4S}[bit(signed)])
			b.setWord(in.X.D[0], false)
		}
	}
	return func(b *body, in *machine.Inst) {
		v := b.fresh(1)
		b.word(in.X.S[0])
		b.extendWord(from.Bits(), signed)
		b.Set(v)
		for half := range 2 {
			if b.Get(v); half == 1 {
				b.Get(v)
				b.Shuffle(wasm.UpperHalf)
			}
			b.Op([...]wasm.Op{wasm.F64x2ConvertLowI32x4U, wasm.F64x2ConvertLowI32x4S}[bit(signed)])
		}
		b.setLong(in.X.D[0])
	}
}

// rounders are the instructions that round to an integer.
var rounders = map[string][2]wasm.Op{
	"rni": {wasm.F32x4Nearest, wasm.F64x2Nearest}, "rzi": {wasm.F32x4Trunc, wasm.F64x2Trunc},
	"rmi": {wasm.F32x4Floor, wasm.F64x2Floor}, "rpi": {wasm.F32x4Ceil, wasm.F64x2Ceil},
}

// convertToInteger clamps. NaN is 0 unless the source is .f64 or the destination has 64 bits: then it is the integer of
// which only the highest bit is set.
func convertToInteger(o *opcode, to, from isa.Type) emits {
	do, ok := rounders[o.oneOf("rni", "rzi", "rmi", "rpi")]
	if !ok {
		return nil
	}
	o.take("sat")
	ftz, signed := from == isa.F32 && o.take("ftz"), to.Class() == isa.Signed
	n := bit(!signed)
	switch {
	case to.Bits() == 64:
		return convertToLong(do, from, ftz, n)
	case from == isa.F64 && to.Bits() < 32:
		return nil
	case from == isa.F64:
		return doubleToWord(do[1], to, n)
	}
	return func(b *body, in *machine.Inst) {
		b.getFloat(in.X.S[0].Off)
		if ftz {
			b.flush()
		}
		b.Op(do[0], [...]wasm.Op{wasm.I32x4TruncSatF32x4S, wasm.I32x4TruncSatF32x4U}[n])
		b.clamp(to)
		b.setWord(in.X.D[0], signed)
	}
}

// clamp makes words fit into an integer type.
func (b *body) clamp(t isa.Type) {
	bits, signed := t.Bits(), t.Class() == isa.Signed
	switch {
	case bits >= 32:
	case signed:
		b.splat(1<<(bits-1) - 1)
		b.Op(wasm.I32x4MinS)
		b.splat(1<<32 - 1<<(bits-1))
		b.Op(wasm.I32x4MaxS)
	default:
		b.splat(1<<bits - 1)
		b.Op(wasm.I32x4MinU)
	}
}

func doubleToWord(do wasm.Op, to isa.Type, n int) emits {
	return func(b *body, in *machine.Inst) {
		v := b.stash(in.X.S)[0]
		for half := range uint32(2) {
			b.splat(1 << 31)
			b.Get(v + half)
			b.Op(do, [...]wasm.Op{wasm.I32x4TruncSatF64x2SZero, wasm.I32x4TruncSatF64x2UZero}[n])
			b.nans(v + half) // the conversion returns its words at the start
			b.V128(0, 0)
			b.Shuffle(wasm.LowerWords)
			b.Op(wasm.V128Bitselect)
		}
		b.Shuffle([16]byte{0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23})
		b.setWord(in.X.D[0], to.Class() == isa.Signed)
	}
}

// convertToLong converts vectors' lanes one by one.
func convertToLong(do [2]wasm.Op, from isa.Type, ftz bool, n int) emits {
	return func(b *body, in *machine.Inst) {
		d, v, to := in.X.D[0], b.fresh(2), b.fresh(2)
		if from == isa.F32 {
			b.getFloat(in.X.S[0].Off)
			if ftz {
				b.flush()
			}
			b.Op(do[0])
			b.Set(v)
		} else {
			for half := range uint32(2) {
				b.long(in.X.S[0], half)
				b.Op(do[1])
				b.Set(v + half)
			}
		}
		for lane := range uint32(4) {
			half, at := lane/2, byte(lane%2)
			b.Get(to + half)
			if from == isa.F32 {
				b.lane(wasm.F32x4ExtractLane, v, byte(lane))
				b.Op([...]wasm.Op{wasm.I64TruncSatF32S, wasm.I64TruncSatF32U}[n])
			} else {
				b.lane(wasm.F64x2ExtractLane, v+half, at)
				b.Op([...]wasm.Op{wasm.I64TruncSatF64S, wasm.I64TruncSatF64U}[n])
			}
			b.Op(wasm.I64x2ReplaceLane)
			b.Bytes = append(b.Bytes, at)
			b.Set(to + half)
		}
		for half := range uint32(2) {
			b.V128(1<<63, 1<<63)
			b.Get(to + half)
			if from == isa.F32 {
				b.Get(v)
				b.Get(v)
				b.Op(wasm.F32x4Ne, extend[half])
			} else {
				b.Get(v + half)
				b.Get(v + half)
				b.Op(wasm.F64x2Ne)
			}
			b.Op(wasm.V128Bitselect)
		}
		b.setLong(d)
	}
}

// promote is cvt.f64.f32. A NaN keeps its sign and payload, and becomes quiet.
func promote(ftz bool) emits {
	return func(b *body, in *machine.Inst) {
		v := b.fresh(4)
		b.word(in.X.S[0])
		if ftz {
			b.flush()
		}
		b.Set(v)
		for half := range uint32(2) {
			b.Get(v)
			if half == 1 {
				b.Get(v)
				b.Shuffle(wasm.UpperHalf)
			}
			b.Set(v + 1)
			b.Get(v + 1) // as a NaN: sign<<32 | payload<<29 | the exponent and the quiet bit
			b.Op(wasm.I64x2ExtendLowU)
			b.Set(v + 2)
			b.Get(v + 2)
			b.V128(1<<31, 1<<31)
			b.Op(wasm.V128And)
			b.I32(32)
			b.Op(wasm.I64x2Shl)
			b.Get(v + 2)
			b.V128(1<<23-1, 1<<23-1)
			b.Op(wasm.V128And)
			b.I32(29)
			b.Op(wasm.I64x2Shl, wasm.V128Or)
			b.V128(0x7ff8<<48, 0x7ff8<<48)
			b.Op(wasm.V128Or)
			b.Get(v + 1)
			b.Op(wasm.F64x2PromoteLowF32x4)
			b.Tee(v + 3)
			b.Get(v + 3)
			b.Get(v + 3)
			b.Op(wasm.F64x2Ne, wasm.V128Bitselect)
		}
		b.setLong(in.X.D[0])
	}
}

// demote is cvt.rn.f32.f64.
func demote(ftz bool) emits {
	return func(b *body, in *machine.Inst) {
		for half := range uint32(2) {
			b.long(in.X.S[0], half)
			b.Op(wasm.F32x4DemoteF64x2Zero)
		}
		b.Shuffle([16]byte{0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23})
		if ftz {
			b.flush()
		}
		b.setFloat(in.X.D[0])
	}
}

// roundFloat is cvt between single precision, which can round to an integer.
func roundFloat(o *opcode) emits {
	do := rounders[o.oneOf("rni", "rzi", "rmi", "rpi")]
	ftz, sat := o.take("ftz"), o.take("sat")
	return func(b *body, in *machine.Inst) {
		b.getFloat(in.X.S[0].Off)
		if ftz {
			b.flush()
		}
		if do[0] != 0 {
			b.Op(do[0])
		}
		if sat {
			b.saturate()
		}
		b.setFloat(in.X.D[0])
	}
}

// roundDouble is cvt between double precision, which can round to an integer.
func roundDouble(o *opcode) emits {
	do := rounders[o.oneOf("rni", "rzi", "rmi", "rpi")]
	if do[1] == 0 {
		return nil
	}
	return doubles(do[1])
}
