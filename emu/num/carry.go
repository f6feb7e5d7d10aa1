package num

import "math/bits"

// The carry flag CC.CF (9.7.2). Additions write the unsigned carry-out, whatever the sign of the type. For
// subtractions the manual says borrow-out; hardware computes a - b as a + ^b + 1 and keeps the carry-out of that sum,
// so the flag is the complement of the borrow, and subc takes it back the same way. Chains of sub.cc and subc agree
// with the manual either way; only code that mixes both families could tell (sub.cc followed by addc adds 1 when
// there was no borrow).

// addCarry is a + b + cf in n bits.
func addCarry(t intType, a, b uint64, cf bool) (uint64, bool) {
	var in uint64
	if cf {
		in = 1
	}
	mask := t.mask()
	sum, carry := bits.Add64(a&mask, b&mask, in)
	if t.bits < 64 {
		carry = sum >> t.bits
	}
	return sum & mask, carry != 0
}

// addSubCarry is add.cc and sub.cc when first, else addc and subc. Every kernel returns the flag; the caller keeps it
// only for an instruction with .cc.
func addSubCarry(mnemonic string, t intType, first bool) *Kernel {
	switch {
	case mnemonic[:3] == "sub" && first:
		return &Kernel{C: func(a, b, _ uint64, _ bool) (uint64, bool) { return addCarry(t, a, ^b, true) }}
	case mnemonic[:3] == "sub":
		return &Kernel{C: func(a, b, _ uint64, cf bool) (uint64, bool) { return addCarry(t, a, ^b, cf) }}
	case first:
		return &Kernel{C: func(a, b, _ uint64, _ bool) (uint64, bool) { return addCarry(t, a, b, false) }}
	}
	return &Kernel{C: func(a, b, _ uint64, cf bool) (uint64, bool) { return addCarry(t, a, b, cf) }}
}

// madCarry is mad.cc when first, else madc (9.7.2.5, 9.7.2.6). The flag is the carry of the final addition. The
// semantics of the manual show 32-bit slices; the 64-bit types use bits 127..64 and 63..0.
func madCarry(o *opcode, t intType, first bool) *Kernel {
	mul := product(o.oneOf("lo", "hi"), t)
	if mul == nil || t.bits == 16 {
		return nil
	}
	return &Kernel{C: func(a, b, c uint64, cf bool) (uint64, bool) {
		return addCarry(t, mul(a, b), c, cf && !first)
	}}
}

// buildCarry: addc, subc, madc, with or without .cc.
func buildCarry(o *opcode) *Kernel {
	it := integer(o.only(), false)
	if it.bits < 32 {
		return nil
	}
	o.take("cc")
	if o.mnemonic == "madc" {
		return madCarry(o, it, false)
	}
	return addSubCarry(o.mnemonic, it, false)
}
