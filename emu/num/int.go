package num

import (
	"math/bits"

	"warpscope/ptx/isa"
)

// intType is a scalar integer type.
type intType struct {
	bits   uint
	signed bool
}

// integer accepts .u16 to .s64 (and .b types when bit-size is set); bits is 0 for anything else.
func integer(t isa.Type, bitSize bool) intType {
	n := uint(t.Bits())
	ok := n == 16 || n == 32 || n == 64
	_, packed := packedInt(t)
	switch c := t.Class(); {
	case packed || !ok:
		return intType{}
	case c == isa.Unsigned || c == isa.Signed || c == isa.Bits && bitSize:
		return intType{n, c == isa.Signed}
	}
	return intType{}
}

func (t intType) mask() uint64 { return ^uint64(0) >> (64 - t.bits) }

// extend widens a value to 64 bits by the sign of its type.
func (t intType) extend(a uint64) uint64 {
	if s := 64 - t.bits; t.signed {
		return uint64(int64(a<<s) >> s)
	} else {
		return a << s >> s
	}
}

// ordered maps values to unsigned numbers in the order of the type.
func (t intType) ordered(a uint64) uint64 {
	if t.signed {
		return t.extend(a) ^ 1<<63
	}
	return t.extend(a)
}

// limits are the least and the greatest value, extended.
func (t intType) limits() (least, greatest int64) {
	if t.signed {
		return -1 << (t.bits - 1), 1<<(t.bits-1) - 1
	}
	return 0, int64(t.mask())
}

// clamp saturates to the range of a type of at most 32 bits.
func (t intType) clamp(x int64) uint64 {
	least, greatest := t.limits()
	return uint64(min(max(x, least), greatest)) & t.mask()
}

// packedInt is the lane type of .u16x2, .s16x2, .u8x4 and .s8x4.
func packedInt(t isa.Type) (intType, bool) {
	switch t {
	case isa.U16x2:
		return intType{16, false}, true
	case isa.S16x2:
		return intType{16, true}, true
	case isa.U8x4:
		return intType{8, false}, true
	case isa.S8x4:
		return intType{8, true}, true
	}
	return intType{}, false
}

// buildAddSub: 9.7.1.1, 9.7.1.2; .cc is 9.7.2.
func buildAddSub(o *opcode) *Kernel {
	t := o.only()
	if lane, ok := packedInt(t); ok {
		if o.mnemonic == "sub" && lane.bits == 16 {
			return nil
		}
		return lanes(addSub(o.mnemonic, lane, o.take("sat")), lane.bits)
	}
	it := integer(t, false)
	switch {
	case it.bits == 0:
		return nil
	case it.bits >= 32 && o.take("cc"):
		return addSubCarry(o.mnemonic, it, true)
	}
	clamps := t == isa.S32 || t == isa.U32 && o.mnemonic == "add"
	return addSub(o.mnemonic, it, clamps && o.take("sat"))
}

func addSub(mnemonic string, t intType, sat bool) *Kernel {
	mask := t.mask()
	switch {
	case sat && mnemonic == "sub":
		return &Kernel{F2: func(a, b uint64) uint64 { return t.clamp(int64(t.extend(a)) - int64(t.extend(b))) }}
	case sat:
		return &Kernel{F2: func(a, b uint64) uint64 { return t.clamp(int64(t.extend(a)) + int64(t.extend(b))) }}
	case mnemonic == "sub":
		return &Kernel{F2: func(a, b uint64) uint64 { return (a - b) & mask }}
	}
	return &Kernel{F2: func(a, b uint64) uint64 { return (a + b) & mask }}
}

// product is the part of a·b that .lo, .hi or .wide names (9.7.1.3), as a function; nil for an unknown mode.
func product(mode string, t intType) func(a, b uint64) uint64 {
	mask, n := t.mask(), t.bits
	switch {
	case mode == "lo":
		return func(a, b uint64) uint64 { return a * b & mask }
	case mode == "wide" && n < 64:
		wide := ^uint64(0) >> (64 - 2*n)
		return func(a, b uint64) uint64 { return t.extend(a) * t.extend(b) & wide }
	case mode == "hi" && n < 64:
		return func(a, b uint64) uint64 { return t.extend(a) * t.extend(b) >> n & mask }
	case mode == "hi" && t.signed:
		return func(a, b uint64) uint64 {
			hi, _ := bits.Mul64(a, b)
			return hi - uint64(int64(a)>>63)&b - uint64(int64(b)>>63)&a
		}
	case mode == "hi":
		return func(a, b uint64) uint64 { hi, _ := bits.Mul64(a, b); return hi }
	}
	return nil
}

// buildMul: 9.7.1.3.
func buildMul(o *opcode) *Kernel {
	it := integer(o.only(), false)
	if it.bits == 0 {
		return nil
	}
	f := product(o.oneOf("lo", "hi", "wide"), it)
	if f == nil {
		return nil
	}
	return &Kernel{F2: f}
}

// buildMad: 9.7.1.4; .cc is 9.7.2.5.
func buildMad(o *opcode) *Kernel {
	t := o.only()
	it := integer(t, false)
	if it.bits == 0 {
		return nil
	}
	if o.take("cc") {
		return madCarry(o, it, true)
	}
	mode := o.oneOf("lo", "hi", "wide")
	mul := product(mode, it)
	if mul == nil {
		return nil
	}
	if mode == "hi" && t == isa.S32 && o.take("sat") { // the saturation applies to the addition
		return &Kernel{F3: func(a, b, c uint64) uint64 { return it.clamp(int64(int32(mul(a, b))) + int64(int32(c))) }}
	}
	mask := it.mask()
	if mode == "wide" {
		mask = ^uint64(0) >> (64 - 2*it.bits)
	}
	return &Kernel{F3: func(a, b, c uint64) uint64 { return (mul(a, b) + c) & mask }}
}

// buildClmad: 9.7.1.5. The product of polynomials over two elements: terms are added without carries.
func buildClmad(o *opcode) *Kernel {
	mode := o.oneOf("lo", "hi")
	if o.only() != isa.U64 || mode == "" {
		return nil
	}
	high := mode == "hi"
	return &Kernel{F3: func(a, b, c uint64) uint64 {
		for i := uint(0); i < 64; i++ {
			term := b << i
			if high {
				term = b >> (64 - i) // 0 for i = 0
			}
			c ^= term & -(a >> i & 1)
		}
		return c
	}}
}

// buildMul24: 9.7.1.6, 9.7.1.7. The operands are the low 24 bits, by the sign of the type; .hi is bits 47..16.
func buildMul24(o *opcode) *Kernel {
	t := o.only()
	mode := o.oneOf("lo", "hi")
	if t != isa.U32 && t != isa.S32 || mode == "" {
		return nil
	}
	in := intType{24, t == isa.S32}
	shift := uint(0)
	if mode == "hi" {
		shift = 16
	}
	mul := func(a, b uint64) uint64 { return uint64(uint32(in.extend(a) * in.extend(b) >> shift)) }
	switch {
	case o.mnemonic == "mul24":
		return &Kernel{F2: mul}
	case mode == "hi" && in.signed && o.take("sat"):
		s32 := intType{32, true}
		return &Kernel{F3: func(a, b, c uint64) uint64 { return s32.clamp(int64(int32(mul(a, b))) + int64(int32(c))) }}
	}
	return &Kernel{F3: func(a, b, c uint64) uint64 { return uint64(uint32(mul(a, b) + c)) }}
}

// buildSad: 9.7.1.8. The comparison has the sign of the type, difference and sum wrap.
func buildSad(o *opcode) *Kernel {
	it := integer(o.only(), false)
	if it.bits == 0 {
		return nil
	}
	mask := it.mask()
	return &Kernel{F3: func(a, b, c uint64) uint64 {
		if it.ordered(a) < it.ordered(b) {
			return (c + b - a) & mask
		}
		return (c + a - b) & mask
	}}
}

// buildDivRem: 9.7.1.9, 9.7.1.10. Division truncates and the remainder has the sign of the dividend. The manual leaves
// division by zero open; as hardware does, the quotient is all ones and the remainder is the dividend. The least
// signed value divided by -1 wraps, with remainder 0.
func buildDivRem(o *opcode) *Kernel {
	it := integer(o.only(), false)
	if it.bits == 0 {
		return nil
	}
	mask := it.mask()
	if o.mnemonic == "rem" {
		return &Kernel{F2: func(a, b uint64) uint64 {
			a, b = it.extend(a), it.extend(b)
			switch {
			case b == 0:
				return a & mask
			case it.signed:
				return uint64(int64(a)%int64(b)) & mask
			}
			return a % b
		}}
	}
	return &Kernel{F2: func(a, b uint64) uint64 {
		a, b = it.extend(a), it.extend(b)
		switch {
		case b == 0:
			return mask
		case it.signed:
			return uint64(int64(a)/int64(b)) & mask
		}
		return a / b
	}}
}

// buildAbsNeg: 9.7.1.11, 9.7.1.12. Both wrap at the least value.
func buildAbsNeg(o *opcode) *Kernel {
	if o.mnemonic == "neg" && o.only() == isa.S8x4 {
		return lanes(negate(intType{8, true}), 8)
	}
	it := integer(o.only(), false)
	if !it.signed {
		return nil
	}
	if o.mnemonic == "neg" {
		return negate(it)
	}
	mask := it.mask()
	return &Kernel{F1: func(a uint64) uint64 {
		sign := uint64(int64(it.extend(a)) >> 63)
		return ((a ^ sign) - sign) & mask
	}}
}

func negate(t intType) *Kernel {
	mask := t.mask()
	return &Kernel{F1: func(a uint64) uint64 { return -a & mask }}
}

// buildMinMax: 9.7.1.13, 9.7.1.14. .relu clamps the result.
func buildMinMax(o *opcode) *Kernel {
	t := o.only()
	if lane, ok := packedInt(t); ok {
		return lanes(minMax(o.mnemonic, lane, lane.signed && o.take("relu")), lane.bits)
	}
	it := integer(t, false)
	if it.bits == 0 {
		return nil
	}
	return minMax(o.mnemonic, it, t == isa.S32 && o.take("relu"))
}

func minMax(mnemonic string, t intType, relu bool) *Kernel {
	mask, wantLess := t.mask(), mnemonic == "min"
	return &Kernel{F2: func(a, b uint64) uint64 {
		if (t.ordered(a) < t.ordered(b)) != wantLess {
			a = b
		}
		if relu && int64(t.extend(a)) < 0 {
			return 0
		}
		return a & mask
	}}
}

// AtomInc is the new value of atom.inc (9.7.15.5): 0 when old reached limit, else old + 1.
func AtomInc(old, limit uint32) uint32 {
	if old >= limit {
		return 0
	}
	return old + 1
}

// AtomDec is the new value of atom.dec (9.7.15.5): limit when old is 0 or beyond limit, else old - 1.
func AtomDec(old, limit uint32) uint32 {
	if old == 0 || old > limit {
		return limit
	}
	return old - 1
}
