package num

import (
	"math/bits"

	"warpscope/ptx/isa"
)

// buildBits: popc (9.7.1.15) and clz (9.7.1.16), whose result is .u32 for both widths, and brev (9.7.1.19).
func buildBits(o *opcode) *Kernel {
	t := o.only()
	wide := t == isa.B64
	if t != isa.B32 && !wide {
		return nil
	}
	switch {
	case o.mnemonic == "popc" && wide:
		return &Kernel{F1: func(a uint64) uint64 { return uint64(bits.OnesCount64(a)) }}
	case o.mnemonic == "popc":
		return &Kernel{F1: func(a uint64) uint64 { return uint64(bits.OnesCount32(uint32(a))) }}
	case o.mnemonic == "clz" && wide:
		return &Kernel{F1: func(a uint64) uint64 { return uint64(bits.LeadingZeros64(a)) }}
	case o.mnemonic == "clz":
		return &Kernel{F1: func(a uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(a))) }}
	case wide:
		return &Kernel{F1: bits.Reverse64}
	}
	return &Kernel{F1: func(a uint64) uint64 { return uint64(bits.Reverse32(uint32(a))) }}
}

// buildBfind: 9.7.1.17. "Not found" is 0xffffffff, also with .shiftamt.
func buildBfind(o *opcode) *Kernel {
	it := integer(o.only(), false)
	if it.bits < 32 {
		return nil
	}
	shiftamt := o.take("shiftamt")
	return &Kernel{F1: func(a uint64) uint64 {
		a = it.extend(a)
		a ^= uint64(int64(a)>>63) & -boolBit(it.signed)
		switch {
		case a == 0:
			return 0xffffffff
		case shiftamt:
			return uint64(it.bits) - uint64(bits.Len64(a))
		}
		return uint64(bits.Len64(a)) - 1
	}}
}

func boolBit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// buildFns: 9.7.1.18.
func buildFns(o *opcode) *Kernel {
	if o.only() != isa.B32 {
		return nil
	}
	return &Kernel{F3: func(a, b, c uint64) uint64 { return uint64(Fns(uint32(a), uint32(b), int32(c))) }}
}

// Fns finds the n-th set bit of mask from bit base (9.7.1.18). base above 31 is undefined there; here nothing is found.
func Fns(mask, base uint32, offset int32) uint32 {
	const notFound = 0xffffffff
	if base > 31 {
		return notFound
	}
	if offset == 0 {
		if mask>>base&1 == 1 {
			return base
		}
		return notFound
	}
	step, count := 1, int64(offset)
	if offset < 0 {
		step, count = -1, -count
	}
	for pos := int(base); pos >= 0 && pos < 32; pos += step {
		if mask>>pos&1 == 0 {
			continue
		}
		if count--; count == 0 {
			return uint32(pos)
		}
	}
	return notFound
}

// buildBfe: 9.7.1.20. Bits beyond the msb, and above the field, have the sign bit a[min(pos+len-1, msb)].
func buildBfe(o *opcode) *Kernel {
	it := integer(o.only(), false)
	if it.bits < 32 {
		return nil
	}
	mask := it.mask()
	return &Kernel{F3: func(a, b, c uint64) uint64 {
		pos, length := uint(b&0xff), uint(c&0xff)
		if length == 0 {
			return 0
		}
		field := it.extend(a)
		if it.signed {
			field = uint64(int64(field) >> min(pos, 63))
		} else {
			field >>= pos
		}
		if length < 64 {
			field = intType{length, it.signed}.extend(field)
		}
		return field & mask
	}}
}

// buildBfi: 9.7.1.21.
func buildBfi(o *opcode) *Kernel {
	switch o.only() {
	case isa.B32:
		return &Kernel{F4: func(a, b, c, d uint64) uint64 {
			return uint64(Bfi32(uint32(a), uint32(b), uint32(c), uint32(d)))
		}}
	case isa.B64:
		return &Kernel{F4: func(a, b, c, d uint64) uint64 { return Bfi64(a, b, uint32(c), uint32(d)) }}
	}
	return nil
}

// Bfi64 inserts length bits of a into b at pos (9.7.1.21). pos and length are taken modulo 256; the field is cut at
// bit 63.
func Bfi64(a, b uint64, pos, length uint32) uint64 {
	pos, length = pos&0xff, length&0xff
	field := (uint64(1)<<length - 1) << pos
	return b&^field | a<<pos&field
}

// Bfi32 is Bfi64 for 32 bits.
func Bfi32(a, b, pos, length uint32) uint32 {
	pos, length = pos&0xff, length&0xff
	field := (uint32(1)<<length - 1) << pos
	return b&^field | a<<pos&field
}

// buildSzext: 9.7.1.22. N = 0 gives 0; N ≥ 32 gives a with .clamp and counts modulo 32 with .wrap.
func buildSzext(o *opcode) *Kernel {
	it := integer(o.only(), false)
	mode := o.oneOf("clamp", "wrap")
	if it.bits != 32 || mode == "" {
		return nil
	}
	clamp := mode == "clamp"
	return &Kernel{F2: func(a, b uint64) uint64 {
		n := uint(uint32(b))
		switch {
		case n >= 32 && clamp:
			return uint64(uint32(a))
		case n&31 == 0:
			return 0
		}
		return uint64(uint32(intType{n & 31, it.signed}.extend(a)))
	}}
}

// buildBmsk: 9.7.1.23.
func buildBmsk(o *opcode) *Kernel {
	mode := o.oneOf("clamp", "wrap")
	if o.only() != isa.B32 || mode == "" {
		return nil
	}
	if mode == "wrap" {
		return &Kernel{F2: func(a, b uint64) uint64 { return uint64(uint32((1<<(b&31) - 1) << (a & 31))) }}
	}
	return &Kernel{F2: func(a, b uint64) uint64 {
		pos, width := uint32(a), uint32(b)
		return uint64((uint32(1)<<width - 1) << pos) // Go's shifts by 32 and more give 0, so both limits clamp
	}}
}

// dotTypes are the types of a dot product: .u32 or .s32 for each operand.
func dotTypes(o *opcode) (a, b isa.Type, ok bool) {
	a, b = o.pair()
	return a, b, (a == isa.U32 || a == isa.S32) && (b == isa.U32 || b == isa.S32)
}

// buildDp4a: 9.7.1.24. Each operand's bytes extend by its own type.
func buildDp4a(o *opcode) *Kernel {
	at, bt, ok := dotTypes(o)
	if !ok {
		return nil
	}
	va, vb := intType{8, at == isa.S32}, intType{8, bt == isa.S32}
	return &Kernel{F3: func(a, b, c uint64) uint64 {
		for s := 0; s < 32; s += 8 {
			c += va.extend(a>>s) * vb.extend(b>>s)
		}
		return uint64(uint32(c))
	}}
}

// buildDp2a: 9.7.1.25. The halves of a against bytes 0 and 1 of b (.lo) or 2 and 3 (.hi).
func buildDp2a(o *opcode) *Kernel {
	at, bt, ok := dotTypes(o)
	mode := o.oneOf("lo", "hi")
	if !ok || mode == "" {
		return nil
	}
	va, vb := intType{16, at == isa.S32}, intType{8, bt == isa.S32}
	first := uint(0)
	if mode == "hi" {
		first = 16
	}
	return &Kernel{F3: func(a, b, c uint64) uint64 {
		c += va.extend(a)*vb.extend(b>>first) + va.extend(a>>16)*vb.extend(b>>(first+8))
		return uint64(uint32(c))
	}}
}
