package num

import "warpscope/ptx/isa"

// buildLogic: 9.7.9.1 to 9.7.9.5. A predicate is one bit.
func buildLogic(o *opcode) *Kernel {
	t := o.only()
	mask := uint64(1)
	switch t {
	case isa.B16, isa.B32, isa.B64:
		mask = integer(t, true).mask()
	case isa.Pred:
		if o.mnemonic == "cnot" {
			return nil
		}
	default:
		return nil
	}
	switch o.mnemonic {
	case "and":
		return &Kernel{F2: func(a, b uint64) uint64 { return a & b & mask }}
	case "or":
		return &Kernel{F2: func(a, b uint64) uint64 { return (a | b) & mask }}
	case "xor":
		return &Kernel{F2: func(a, b uint64) uint64 { return (a ^ b) & mask }}
	case "not":
		return &Kernel{F1: func(a uint64) uint64 { return ^a & mask }}
	}
	return &Kernel{F1: func(a uint64) uint64 { return boolBit(a&mask == 0) }}
}

// Lop3 looks every bit position up in lut (9.7.9.6): index a<<2 | b<<1 | c.
func Lop3(a, b, c uint32, lut uint8) uint32 {
	var d uint32
	for i := 0; i < 8; i++ {
		if lut>>i&1 == 0 {
			continue
		}
		d |= sameIf(a, i&4 != 0) & sameIf(b, i&2 != 0) & sameIf(c, i&1 != 0)
	}
	return d
}

func sameIf(x uint32, same bool) uint32 {
	if same {
		return x
	}
	return ^x
}

// buildLop3: the table is the fourth operand. BoolOp and its predicate are the caller's.
func buildLop3(o *opcode) *Kernel {
	o.oneOf("and", "or")
	if o.only() != isa.B32 {
		return nil
	}
	return &Kernel{F4: func(a, b, c, d uint64) uint64 {
		return uint64(Lop3(uint32(a), uint32(b), uint32(c), uint8(d)))
	}}
}

// buildShift: 9.7.9.8, 9.7.9.9. The amount is an unsigned 32-bit value and clamps to the width; .s fills with the sign.
func buildShift(o *opcode) *Kernel {
	it := integer(o.only(), true)
	if it.bits == 0 || o.mnemonic == "shl" && o.only().Class() != isa.Bits {
		return nil
	}
	mask := it.mask()
	switch {
	case o.mnemonic == "shl":
		return &Kernel{F2: func(a, b uint64) uint64 { return a << uint32(b) & mask }}
	case it.signed:
		return &Kernel{F2: func(a, b uint64) uint64 { return uint64(int64(it.extend(a))>>uint32(b)) & mask }}
	}
	return &Kernel{F2: func(a, b uint64) uint64 { return a & mask >> uint32(b) }}
}

// buildShf: 9.7.9.7. [b, a] is one 64-bit value; .l gives its high word after the shift, .r the low one.
func buildShf(o *opcode) *Kernel {
	dir, mode := o.oneOf("l", "r"), o.oneOf("clamp", "wrap")
	if o.only() != isa.B32 || dir == "" || mode == "" {
		return nil
	}
	wrap := mode == "wrap"
	amount := func(c uint64) uint {
		if wrap {
			return uint(c & 31)
		}
		return uint(min(uint32(c), 32))
	}
	if dir == "l" {
		return &Kernel{F3: func(a, b, c uint64) uint64 { return (b<<32 | uint64(uint32(a))) << amount(c) >> 32 }}
	}
	return &Kernel{F3: func(a, b, c uint64) uint64 {
		return uint64(uint32((b<<32 | uint64(uint32(a))) >> amount(c)))
	}}
}

// prmtSelectors are the selectors of a special form (table of 9.7.10.7) as generic selectors, indexed by c[1:0].
func prmtSelectors(mode string) [4]uint32 {
	switch mode {
	case "f4e":
		return [4]uint32{0x3210, 0x4321, 0x5432, 0x6543}
	case "b4e":
		return [4]uint32{0x5670, 0x6701, 0x7012, 0x0123}
	case "rc8":
		return [4]uint32{0x0000, 0x1111, 0x2222, 0x3333}
	case "ecl":
		return [4]uint32{0x3210, 0x3211, 0x3222, 0x3333}
	case "ecr":
		return [4]uint32{0x0000, 0x1110, 0x2210, 0x3210}
	}
	return [4]uint32{0x1010, 0x3232, 0x1010, 0x3232} // rc16
}

// buildPrmt: 9.7.10.7.
func buildPrmt(o *opcode) *Kernel {
	if o.only() != isa.B32 {
		return nil
	}
	mode := o.oneOf("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")
	if mode == "" {
		return &Kernel{F3: func(a, b, c uint64) uint64 { return uint64(Prmt(uint32(a), uint32(b), uint32(c))) }}
	}
	selectors := prmtSelectors(mode)
	return &Kernel{F3: func(a, b, c uint64) uint64 { return uint64(Prmt(uint32(a), uint32(b), selectors[c&3])) }}
}

// Prmt is the generic byte permute: four selectors of four bits; bit 3 replicates the sign of the selected byte.
func Prmt(a, b, selectors uint32) uint32 {
	source := uint64(b)<<32 | uint64(a)
	var d uint32
	for s := 0; s < 32; s += 8 {
		sel := selectors >> (s / 2)
		value := uint32(source>>(sel&7*8)) & 0xff
		if sel&8 != 0 {
			value = -(value >> 7) & 0xff
		}
		d |= value << s
	}
	return d
}
