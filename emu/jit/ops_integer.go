package jit

import (
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/ptx/isa"
)

// buildInteger finds what compiles an instruction on integers or bits that has no handler.
func (e *layout) buildInteger(o *opcode, t isa.Type, in *machine.Inst) emits {
	switch o.name {
	case "shl", "shr":
		return shiftBits(t, o.name == "shl")
	case "shf":
		return e.funnel(o, in)
	case "lop3":
		return e.lop3(in)
	case "prmt":
		return e.permute(in)
	case "bfe":
		return e.extractField(t, in)
	case "bfi":
		return e.insertField(t, in)
	case "popc", "clz", "brev", "bfind":
		return countBits(o, t)
	case "div", "rem":
		return divide(o, t)
	case "mul24", "mad24":
		return multiply24(o, t)
	}
	switch t.Bits() {
	case 64:
		return longInteger(o, t)
	case 16, 32:
		return wordInteger(o, t)
	}
	return nil
}

// wordInteger is arithmetic on 16 and 32 bits (9.7.1) and logic (9.7.9).
func wordInteger(o *opcode, t isa.Type) emits {
	signed, bits := t.Class() == isa.Signed, t.Bits()
	do := map[string][]wasm.Op{"add": {wasm.I32x4Add}, "sub": {wasm.I32x4Sub}, "and": {wasm.V128And},
		"or": {wasm.V128Or}, "xor": {wasm.V128Xor}, "not": {wasm.V128Not}, "neg": {wasm.I32x4Neg}, "abs": {wasm.I32x4Abs},
		"min": {wasm.I32x4MinU}, "max": {wasm.I32x4MaxU}}[o.name]
	switch {
	case o.name == "min" && signed:
		do = []wasm.Op{wasm.I32x4MinS}
	case o.name == "max" && signed:
		do = []wasm.Op{wasm.I32x4MaxS}
	case o.name == "mul" || o.name == "mad":
		return multiply(o, bits, signed)
	case o.name == "sad":
		return func(b *body, in *machine.Inst) { b.difference(in.X.S, bits, signed); b.setWord(in.X.D[0], false) }
	case o.name == "cnot":
		return func(b *body, in *machine.Inst) {
			b.word(in.X.S[0])
			b.splat(0)
			b.Op(wasm.I32x4Eq)
			b.splat(1)
			b.Op(wasm.V128And)
			b.setWord(in.X.D[0], false)
		}
	case do == nil:
		return nil
	}
	return func(b *body, in *machine.Inst) {
		for _, s := range in.X.S {
			b.word(s)
			b.extendWord(bits, signed)
		}
		b.Op(do...)
		b.setWord(in.X.D[0], false)
	}
}

// multiply is mul and mad on 16 bits, whose product 32 bits hold, and mad.hi on 32.
func multiply(o *opcode, bits int, signed bool) emits {
	half := o.oneOf("lo", "hi", "wide")
	if bits == 32 && half != "hi" || half == "" {
		return nil
	}
	return func(b *body, in *machine.Inst) {
		s := in.X.S
		if bits == 32 {
			do := [...]wasm.Op{wasm.I64x2ExtMulLowU, wasm.I64x2ExtMulHighU, wasm.I64x2ExtMulLowS, wasm.I64x2ExtMulHighS}
			for n := range uint32(2) {
				b.word(s[0])
				b.word(s[1])
				b.Op(do[2*row.Bit(signed)+n])
			}
			b.Shuffle(wasm.UpperWords)
		} else {
			for _, s := range s[:2] {
				b.word(s)
				b.extendWord(bits, signed)
			}
			b.Op(wasm.I32x4Mul)
			if half == "hi" {
				b.I32(16)
				b.Op(wasm.I32x4ShrU)
			}
		}
		if len(s) > 2 {
			b.word(s[2])
			b.Op(wasm.I32x4Add)
		}
		b.setWord(in.X.D[0], false)
	}
}

// difference pushes c + |a - b|.
func (b *body) difference(s []row.Operand, bits int, signed bool) {
	do := [...]wasm.Op{wasm.I32x4MaxU, wasm.I32x4MinU}
	if signed {
		do = [...]wasm.Op{wasm.I32x4MaxS, wasm.I32x4MinS}
	}
	for _, do := range do {
		for _, s := range s[:2] {
			b.word(s)
			b.extendWord(bits, signed)
		}
		b.Op(do)
	}
	b.Op(wasm.I32x4Sub)
	b.word(s[2])
	b.Op(wasm.I32x4Add)
}

// multiply24 is mul24 and mad24 (9.7.1.11, 9.7.1.12): products of 24 bits, of which .hi takes bits 16 to 47.
func multiply24(o *opcode, t isa.Type) emits {
	half, signed := o.oneOf("lo", "hi"), t.Class() == isa.Signed
	return func(b *body, in *machine.Inst) {
		s := in.X.S
		do := [...]wasm.Op{wasm.I64x2ExtMulLowU, wasm.I64x2ExtMulHighU}
		if signed {
			do = [...]wasm.Op{wasm.I64x2ExtMulLowS, wasm.I64x2ExtMulHighS}
		}
		for _, do := range do {
			for _, s := range s[:2] {
				b.word(s)
				b.extendWord(24, signed)
			}
			if b.Op(do); half == "hi" {
				b.I32(16)
				b.Op(wasm.I64x2ShrU)
			}
		}
		b.Shuffle(wasm.LowerWords)
		if len(s) > 2 {
			b.word(s[2])
			b.Op(wasm.I32x4Add)
		}
		b.setWord(in.X.D[0], false)
	}
}

// longInteger is arithmetic on 64 bits that has no handler.
func longInteger(o *opcode, t isa.Type) emits {
	signed := t.Class() == isa.Signed
	do := map[string]wasm.Op{"add": wasm.I64x2Add, "sub": wasm.I64x2Sub, "and": wasm.V128And, "or": wasm.V128Or,
		"xor": wasm.V128Xor, "not": wasm.V128Not, "neg": wasm.I64x2Neg, "abs": wasm.I64x2Abs}[o.name]
	switch {
	case do != 0:
		return func(b *body, in *machine.Inst) {
			for half := range uint32(2) {
				for _, s := range in.X.S {
					b.long(s, half)
				}
				b.Op(do)
			}
			b.setLong(in.X.D[0])
		}
	case o.name == "min" || o.name == "max":
		return func(b *body, in *machine.Inst) {
			pick := wasm.I64x2LtS
			if o.name == "max" {
				pick = wasm.I64x2GtS
			}
			at, flip := b.stash(in.X.S), uint64(0)
			if !signed {
				flip = 1 << 63
			}
			for half := range uint32(2) {
				b.Get(at[0] + half)
				b.Get(at[1] + half)
				for _, v := range at {
					b.Get(v + half)
					b.V128(flip, flip)
					b.Op(wasm.V128Xor)
				}
				b.Op(pick, wasm.V128Bitselect)
			}
			b.setLong(in.X.D[0])
		}
	case o.name == "mul" && o.take("hi"), o.name == "mad" && o.take("hi"):
		return func(b *body, in *machine.Inst) {
			at := b.stash(in.X.S)
			for half := range uint32(2) {
				highProduct(b, at[0]+half, at[1]+half, signed)
				if len(at) > 2 {
					b.Get(at[2] + half)
					b.Op(wasm.I64x2Add)
				}
			}
			b.setLong(in.X.D[0])
		}
	}
	return nil
}

// highProduct pushes the upper 64 bits of products of two locals: from products of their halves, as on paper. A
// negative factor counts 2^64 more as an unsigned one.
func highProduct(b *body, x, y uint32, signed bool) {
	const low = 1<<32 - 1
	v := b.fresh(2)
	upper := func(local uint32) {
		b.Get(local)
		b.I32(32)
		b.Op(wasm.I64x2ShrU)
	}
	lower := func(local uint32) {
		b.Get(local)
		b.V128(low, low)
		b.Op(wasm.V128And)
	}
	upper(x) // v = hi(x) lo(y) + lo(x) lo(y) >> 32
	lower(y)
	b.Op(wasm.I64x2Mul)
	lower(x)
	lower(y)
	b.Op(wasm.I64x2Mul)
	b.I32(32)
	b.Op(wasm.I64x2ShrU, wasm.I64x2Add)
	b.Set(v)
	lower(x) // v+1 = lo(x) hi(y) + lo(v)
	upper(y)
	b.Op(wasm.I64x2Mul)
	lower(v)
	b.Op(wasm.I64x2Add)
	b.Set(v + 1)
	upper(x)
	upper(y)
	b.Op(wasm.I64x2Mul)
	upper(v)
	b.Op(wasm.I64x2Add)
	upper(v + 1)
	b.Op(wasm.I64x2Add)
	if !signed {
		return
	}
	for _, p := range [...][2]uint32{{x, y}, {y, x}} {
		b.Get(p[0])
		b.I32(63)
		b.Op(wasm.I64x2ShrS)
		b.Get(p[1])
		b.Op(wasm.V128And, wasm.I64x2Sub)
	}
}

// shiftBits is shl and shr (9.7.9.8, 9.7.9.9) on other widths than handlers have, lane by lane in 64 bits: a shift by
// more than the width is one by the width.
func shiftBits(t isa.Type, left bool) emits {
	signed, bits := t.Class() == isa.Signed, int64(t.Bits())
	do := wasm.I64ShrU
	switch {
	case left:
		do = wasm.I64Shl
	case signed:
		do = wasm.I64ShrS
	}
	if bits == 64 {
		return nil
	}
	return eachLane(func(b *body, arg func(int)) {
		arg(0)
		if b.Op(wasm.I64ExtendI32U); signed {
			b.I64(64 - bits)
			b.Op(wasm.I64Shl)
			b.I64(64 - bits)
			b.Op(wasm.I64ShrS)
		}
		arg(1)
		b.least(bits)
		b.Op(wasm.I64ExtendI32U, do, wasm.I32WrapI64)
	})
}

// divide is div and rem (9.7.1.9, 9.7.1.10) with divisors that are not refused.
func divide(o *opcode, t isa.Type) emits {
	signed, bits := t.Class() == isa.Signed, t.Bits()
	n := row.Bit(!signed) + 2*row.Bit(o.name == "rem")
	if bits == 64 {
		do := [...]wasm.Op{wasm.I64DivS, wasm.I64DivU, wasm.I64RemS, wasm.I64RemU}[n]
		return eachLane(func(b *body, arg func(int)) {
			arg(0)
			arg(1)
			b.Tee(locOffset)
			b.I64(1) // a lane that does not execute can have any divisor
			b.Get(locOffset)
			if b.I64(1); signed {
				b.Op(wasm.I64Add)
				b.I64(2)
			}
			b.Op(wasm.I64GeU, wasm.Select, do)
		})
	}
	do := [...]wasm.Op{wasm.I32DivS, wasm.I32DivU, wasm.I32RemS, wasm.I32RemU}[n]
	return eachLane(func(b *body, arg func(int)) {
		for i := range 2 {
			if arg(i); signed && bits < 32 {
				b.I32(int32(32 - bits))
				b.Op(wasm.I32Shl)
				b.I32(int32(32 - bits))
				b.Op(wasm.I32ShrS)
			}
		}
		b.Tee(locTemp)
		b.I32(1)
		b.Get(locTemp)
		if b.I32(1); signed {
			b.Op(wasm.I32Add)
			b.I32(2)
		}
		b.Op(wasm.I32GeU, wasm.Select, do)
	})
}

// refuseDivision leaves divisors of 0, which are noted, and of -1 to the interpreter: dividing the least number by -1
// is an overflow.
func (e *layout) refuseDivision(o *opcode, in *machine.Inst) refusal {
	t := o.types[0]
	if t.Class() == isa.Float {
		return nil
	}
	mask := ^uint64(0) >> (64 - t.Bits())
	if c, ok := e.fixed[in.X.S[1].Off]; ok && c&mask != 0 && c&mask != mask {
		return nil
	}
	return func(b *body, in *machine.Inst) {
		d, refused := in.X.S[1], []uint64{0}
		if t.Class() == isa.Signed {
			refused = append(refused, mask)
		}
		for n, c := range refused {
			if t.Bits() == 64 {
				for half := range uint32(2) {
					b.long(d, half)
					b.V128(c, c)
					b.Op(wasm.I64x2Eq)
				}
				b.Shuffle(wasm.LowerWords)
			} else {
				b.word(d)
				b.splat(c)
				b.Op(wasm.I32x4Eq)
			}
			if n == 1 {
				b.Op(wasm.V128Or)
			}
		}
	}
}
