package jit

import (
	"math/bits"

	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/ptx/isa"
)

// tuples is mov between registers, scalars and tuples (9.7.10.4): the first element is the least significant.
func tuples(in *machine.Inst) emits {
	d, s := in.X.D, in.X.S
	width := func(mask uint64) int { return bits.OnesCount64(mask) }
	switch {
	case len(s) == 1 && len(d) == 1:
		return func(b *body, in *machine.Inst) {
			s, d := in.X.S[0], in.X.D[0]
			s.Mask &= d.Mask
			if !s.Wide() || !d.Wide() {
				b.word(s)
				b.setWord(d, false)
				return
			}
			b.long(s, 0)
			b.long(s, 1)
			b.setLong(d)
		}
	case len(s) == 2 && len(d) == 1 && width(s[0].Mask) == 32 && width(s[1].Mask) == 32 && d[0].Wide():
		return func(b *body, in *machine.Inst) {
			for half := range byte(2) {
				b.word(in.X.S[0])
				b.word(in.X.S[1])
				b.Shuffle(interleaved(4, 8*half))
			}
			b.setLong(in.X.D[0])
		}
	case len(s) == 1 && len(d) == 2 && s[0].Wide() && width(d[0].Mask) == 32 && width(d[1].Mask) == 32:
		return func(b *body, in *machine.Inst) {
			v := b.stash(in.X.S)[0]
			for n, pick := range [...][16]byte{wasm.LowerWords, wasm.UpperWords} {
				b.Get(v)
				b.Get(v + 1)
				b.Shuffle(pick)
				b.setWord(in.X.D[n], false)
			}
		}
	case len(s) == 2 && len(d) == 1 && width(s[0].Mask) == 16 && width(s[1].Mask) == 16 && d[0].Bits == 32:
		return func(b *body, in *machine.Inst) {
			b.word(in.X.S[0])
			b.word(in.X.S[1])
			b.I32(16)
			b.Op(wasm.I32x4Shl, wasm.V128Or)
			b.setWord(in.X.D[0], false)
		}
	case len(s) == 1 && len(d) == 2 && s[0].Bits == 32 && width(d[0].Mask) == 16 && width(d[1].Mask) == 16:
		return func(b *body, in *machine.Inst) {
			v := b.stash(in.X.S)[0]
			for n := range int32(2) {
				b.Get(v)
				b.I32(16 * n)
				b.Op(wasm.I32x4ShrU)
				b.extendWord(16, false)
				b.setWord(in.X.D[n], false)
			}
		}
	}
	return nil
}

// interleaved takes elements of two vectors in turns, from a byte on.
func interleaved(size, from byte) (pick [16]byte) {
	for i := range byte(16) {
		n := i / size
		pick[i] = from + n/2*size + i%size + n%2*16
	}
	return pick
}

// lop3 is any logic function of three operands, by its table (9.7.9.6): the bit number 4a + 2b + c.
func (e *layout) lop3(in *machine.Inst) emits {
	table, ok := e.fixed[in.X.S[3].Off]
	if !ok {
		return nil
	}
	bit := func(a, b, c int) int { return int(table >> (4*a + 2*b + c) & 1) }
	return func(b *body, in *machine.Inst) {
		at := b.stash(in.X.S[:3])
		for c := 1; c >= 0; c-- {
			logic(b, at[0], at[1], bit(0, 0, c)|bit(0, 1, c)<<1|bit(1, 0, c)<<2|bit(1, 1, c)<<3)
		}
		b.Get(at[2])
		b.Op(wasm.V128Bitselect)
		b.setWord(in.X.D[0], false)
	}
}

// logic pushes a logic function of two locals by its table: the bit number 2x + y. The upper half of the tables are
// the negations of the lower.
func logic(b *body, x, y uint32, table int) {
	not := table >= 8
	if not {
		table ^= 15
	}
	switch table {
	case 0:
		b.splat(0)
	case 3, 5: // !x, !y
		b.Get(map[int]uint32{3: x, 5: y}[table])
		b.Op(wasm.V128Not)
	case 2, 4: // y & !x, x & !y
		if table == 2 {
			x, y = y, x
		}
		b.Get(x)
		b.Get(y)
		b.Op(wasm.V128AndNot)
	default:
		b.Get(x)
		b.Get(y)
		switch table {
		case 1: // neither
			b.Op(wasm.V128Or, wasm.V128Not)
		case 6:
			b.Op(wasm.V128Xor)
		case 7: // not both
			b.Op(wasm.V128And, wasm.V128Not)
		}
	}
	if not {
		b.Op(wasm.V128Not)
	}
}

// permute is prmt by a constant (9.7.10.7): four bytes of two words; bit 3 of a selector replicates the byte's sign.
func (e *layout) permute(in *machine.Inst) emits {
	c, ok := e.fixed[in.X.S[2].Off]
	if !ok {
		return nil
	}
	return func(b *body, in *machine.Inst) {
		var pick [16]byte
		signs := uint64(0)
		for i := range byte(16) {
			sel := byte(c >> (4 * (i % 4)) & 15)
			if pick[i] = i&^3 + sel&3; sel&4 != 0 {
				pick[i] += 16
			}
			if sel&8 != 0 {
				signs |= 0xff << (8 * (i % 4))
			}
		}
		v := b.fresh(1)
		b.word(in.X.S[0])
		b.word(in.X.S[1])
		b.Shuffle(pick)
		if signs != 0 {
			b.Set(v)
			b.Get(v)
			b.I32(7)
			b.Op(wasm.I8x16ShrS)
			b.Get(v)
			b.splat(signs & 0xffffffff)
			b.Op(wasm.V128Bitselect)
		}
		b.setWord(in.X.D[0], false)
	}
}

// funnel is shf (9.7.9.7): a part of the 64 bits of b and a, after a shift by at most 32.
func (e *layout) funnel(o *opcode, in *machine.Inst) emits {
	left, wrap := o.oneOf("l", "r") == "l", o.oneOf("clamp", "wrap") == "wrap"
	if c, ok := e.fixed[in.X.S[2].Off]; ok {
		n := int32(min(c&0xffffffff, 32))
		if wrap {
			n = int32(c & 31)
		}
		if left { // the upper word after a shift by n is the lower one after a shift right by 32 - n
			n = 32 - n
		}
		return func(b *body, in *machine.Inst) {
			if n < 32 {
				b.word(in.X.S[0])
				b.I32(n)
				b.Op(wasm.I32x4ShrU)
			}
			if n > 0 {
				b.word(in.X.S[1])
				b.I32(32 - n)
				b.Op(wasm.I32x4Shl)
			}
			if n%32 != 0 {
				b.Op(wasm.V128Or)
			}
			b.setWord(in.X.D[0], false)
		}
	}
	return eachLane(func(b *body, arg func(int)) {
		arg(1)
		b.Op(wasm.I64ExtendI32U)
		b.I64(32)
		b.Op(wasm.I64Shl)
		arg(0)
		b.Op(wasm.I64ExtendI32U, wasm.I64Or)
		if arg(2); wrap {
			b.I32(31)
			b.Op(wasm.I32And)
		} else {
			b.least(32)
		}
		b.Op(wasm.I64ExtendI32U)
		if left {
			b.Op(wasm.I64Shl)
			b.I64(32)
		}
		b.Op(wasm.I64ShrU, wasm.I32WrapI64)
	})
}

// field returns the constant position and length of a bit field.
func (e *layout) field(pos, length uint32) (p, n int32, ok bool) {
	x, one := e.fixed[pos]
	y, two := e.fixed[length]
	return int32(x & 0xff), int32(y & 0xff), one && two
}

// extractField is bfe (9.7.1.20). Bits beyond the msb have the sign.
func (e *layout) extractField(t isa.Type, in *machine.Inst) emits {
	signed, wide := t.Class() == isa.Signed, t.Bits() == 64
	pos, length, ok := e.field(in.X.S[1].Off, in.X.S[2].Off)
	if ok && !wide && length > 0 && (pos < 32 || signed) {
		return func(b *body, in *machine.Inst) {
			b.word(in.X.S[0])
			b.I32(min(pos, 31))
			b.Op([...]wasm.Op{wasm.I32x4ShrU, wasm.I32x4ShrS}[bit(signed)])
			b.extendWord(int(length), signed)
			b.setWord(in.X.D[0], false)
		}
	}
	shift := [...]wasm.Op{wasm.I64ShrU, wasm.I64ShrS}[bit(signed)]
	widen := [...]wasm.Op{wasm.I64ExtendI32U, wasm.I64ExtendI32S}[bit(signed)]
	lowByte := func(b *body) { b.I32(0xff); b.Op(wasm.I32And) }
	return eachLane(func(b *body, arg func(int)) {
		if arg(0); !wide {
			b.Op(widen)
		}
		arg(1)
		lowByte(b)
		b.least(63)
		b.Op(wasm.I64ExtendI32U, shift)
		if !signed { // nothing is left from bit 64 on
			b.I64(0)
			arg(1)
			lowByte(b)
			b.I32(64)
			b.Op(wasm.I32LtU, wasm.Select)
		}
		b.Set(locOffset)
		arg(2)
		lowByte(b)
		b.Set(locExec)
		b.Get(locOffset) // both shifts are by 64 less the length, which is 0 at least
		for _, do := range [...]wasm.Op{wasm.I64Shl, shift} {
			b.I32(64)
			b.Get(locExec)
			b.least(64)
			b.Op(wasm.I32Sub, wasm.I64ExtendI32U, do)
		}
		b.I64(0)
		b.Get(locExec)
		if b.Op(wasm.Select); !wide {
			b.Op(wasm.I32WrapI64)
		}
	})
}

// insertField is bfi (9.7.1.21) by constants.
func (e *layout) insertField(t isa.Type, in *machine.Inst) emits {
	pos, length, ok := e.field(in.X.S[2].Off, in.X.S[3].Off)
	if !ok {
		return nil
	}
	mask := (uint64(1)<<length - 1) << pos
	return func(b *body, in *machine.Inst) {
		s, d := in.X.S, in.X.D[0]
		if t.Bits() == 64 {
			for half := range uint32(2) {
				b.long(s[0], half)
				b.I32(min(pos, 63))
				b.Op(wasm.I64x2Shl)
				b.long(s[1], half)
				b.V128(mask, mask)
				b.Op(wasm.V128Bitselect)
			}
			b.setLong(d)
			return
		}
		b.word(s[0])
		b.I32(min(pos, 31))
		b.Op(wasm.I32x4Shl)
		b.word(s[1])
		b.splat(mask & 0xffffffff)
		b.Op(wasm.V128Bitselect)
		b.setWord(d, false)
	}
}

// countBits is popc, clz, brev and bfind (9.7.1.15 to 9.7.1.19) that have no handler.
func countBits(o *opcode, t isa.Type) emits {
	wide, signed := t.Bits() == 64, t.Class() == isa.Signed
	switch {
	case o.name == "brev" && wide:
		return reverseLongs
	case o.name == "bfind":
		return findBit(wide, signed, o.take("shiftamt"))
	case !wide || o.name == "brev":
		return nil
	}
	do := wasm.I64Clz
	if o.name == "popc" {
		do = wasm.I64Popcnt
	}
	return eachLane(func(b *body, arg func(int)) {
		arg(0)
		b.Op(do, wasm.I32WrapI64)
	})
}

// findBit is bfind: the position of the highest bit that differs from the sign, or -1.
func findBit(wide, signed, shiftamt bool) emits {
	return eachLane(func(b *body, arg func(int)) {
		width := int64(32)
		if arg(0); wide {
			width = 64
		} else {
			b.Op([...]wasm.Op{wasm.I64ExtendI32U, wasm.I64ExtendI32S}[bit(signed)])
		}
		if signed {
			b.Tee(locOffset)
			b.Get(locOffset)
			b.I64(63)
			b.Op(wasm.I64ShrS, wasm.I64Xor)
		}
		b.Op(wasm.I64Clz, wasm.I32WrapI64)
		b.Set(locTemp) // of 64 bits
		if !shiftamt {
			b.I32(63)
			b.Get(locTemp)
			b.Op(wasm.I32Sub)
			return
		}
		b.I32(-1)
		b.Get(locTemp)
		b.I32(int32(64 - width))
		b.Op(wasm.I32Sub)
		b.Get(locTemp)
		b.I32(64)
		b.Op(wasm.I32Eq, wasm.Select)
	})
}

// reversed turns 4 lanes of 32 bits around, or 2 of 64: bits in bytes, and then bytes, change places.
func (b *body) reversed(size byte) {
	v := b.fresh(1)
	for _, step := range [...]struct {
		by   int32
		mask uint64
	}{{1, 0x55555555}, {2, 0x33333333}, {4, 0x0f0f0f0f}} {
		b.Set(v)
		b.Get(v)
		b.I32(step.by)
		b.Op(wasm.I32x4ShrU)
		b.splat(step.mask)
		b.Op(wasm.V128And)
		b.Get(v)
		b.splat(step.mask)
		b.Op(wasm.V128And)
		b.I32(step.by)
		b.Op(wasm.I32x4Shl, wasm.V128Or)
	}
	var pick [16]byte
	for i := range byte(16) {
		pick[i] = i&^(size-1) + size - 1 - i%size
	}
	b.Set(v)
	b.Get(v)
	b.Get(v)
	b.Shuffle(pick)
}

func reverseWords(b *body, in *machine.Inst) {
	b.get(in.A)
	b.reversed(4)
	b.put(in.D)
}

func reverseLongs(b *body, in *machine.Inst) {
	for half := range uint32(2) {
		b.long(in.X.S[0], half)
		b.reversed(8)
	}
	b.setLong(in.X.D[0])
}
