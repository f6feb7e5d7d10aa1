package slow

import (
	"math/big"
	"math/bits"

	"warpscope/ptx/isa"
)

// integer is 9.7.1.
func (i inst) integer() Result {
	t := i.lastType()
	if n := parts(t); n > 0 {
		return i.each(n, func(part inst) Result { return part.plain(n, i.signed()) })
	}
	switch i.Form.Mnemonic {
	case "clmad":
		return exactly(i.clmad())
	case "popc", "clz", "brev", "bfind", "fns", "bfe", "bfi", "szext", "bmsk":
		return exactly(i.bitwise(uint(t.Bits())))
	case "dp4a", "dp2a":
		return exactly(i.dot())
	}
	return i.plain(uint(t.Bits()), i.signed())
}

// parts is the width of one integer of a packed type, 0 for other types.
func parts(t isa.Type) uint {
	switch t {
	case isa.U16x2, isa.S16x2:
		return 16
	case isa.U8x4, isa.S8x4:
		return 8
	}
	return 0
}

// each applies an instruction to the parts of 32 bits.
func (i inst) each(n uint, do func(part inst) Result) Result {
	var out []Result
	for shift := uint(0); shift < 32; shift += n {
		part := inst{Bound: i.Bound}
		for _, a := range i.in {
			part.in = append(part.in, a>>shift&ones(n))
		}
		out = append(out, do(part))
	}
	return packed(n, out...)
}

// clmad is 9.7.1.5, with the product in 128 bits.
func (i inst) clmad() uint64 {
	product := new(big.Int)
	b := intOf(i.in[1], 64, false)
	for k := range uint(64) {
		if i.in[0]>>k&1 == 1 {
			product.Xor(product, new(big.Int).Lsh(b, k))
		}
	}
	if i.Has(".hi") {
		product.Rsh(product, 64)
	}
	return wrap(product, 64) ^ i.in[2]
}

// plain are the instructions that compute with integers of n bits.
func (i inst) plain(n uint, signed bool) Result {
	var x [3]*big.Int
	for k := range i.in {
		x[k] = intOf(i.in[k], n, signed)
	}
	r := new(big.Int)
	width := n
	switch i.Form.Mnemonic {
	case "add":
		r.Add(x[0], x[1])
	case "sub":
		r.Sub(x[0], x[1])
	case "mul", "mad":
		r.Mul(x[0], x[1])
		if i.Has(".wide") {
			width = 2 * n
		}
		if i.Has(".hi") {
			r.Rsh(r, n)
		}
		if i.Form.Mnemonic == "mad" {
			if i.Has(".wide") {
				x[2] = intOf(i.in[2], width, signed)
			}
			r.Add(r, x[2])
		}
	case "mul24", "mad24":
		r.Mul(intOf(i.in[0], 24, signed), intOf(i.in[1], 24, signed))
		if i.Has(".hi") { // bits 47 to 16 of the product
			r = intOf(wrap(r.Rsh(r, 16), 32), 32, signed)
		}
		if i.Form.Mnemonic == "mad24" {
			r.Add(r, x[2])
		}
	case "sad":
		r.Add(x[2], r.Abs(r.Sub(x[0], x[1])))
	case "div", "rem":
		if x[1].Sign() == 0 { // unspecified (9.7.1.9, 9.7.1.10)
			return Result{loose: []loose{{0, n, anyBits, nil}}}
		}
		if quo, rem := new(big.Int).QuoRem(x[0], x[1], new(big.Int)); i.Form.Mnemonic == "div" {
			r = quo
		} else {
			r = rem
		}
	case "abs":
		r.Abs(x[0])
	case "neg":
		r.Neg(x[0])
	case "min", "max":
		if r = x[0]; (x[1].Cmp(r) < 0) == (i.Form.Mnemonic == "min") {
			r = x[1]
		}
		if i.Has(".relu") && r.Sign() < 0 {
			r = new(big.Int)
		}
	}
	if i.Has(".sat") {
		r = clamp(r, n, signed)
	}
	return exactly(wrap(r, width))
}

// bitwise are the instructions on bits, of n bits.
func (i inst) bitwise(n uint) uint64 {
	a := i.in[0] & ones(n)
	amount := func(k int) uint { return uint(i.in[k] & 0xffffffff) }
	switch i.Form.Mnemonic {
	case "popc":
		return uint64(bits.OnesCount64(a))
	case "clz":
		return uint64(int(n) - 1 - topBit(a))
	case "brev":
		return bits.Reverse64(a) >> (64 - n)
	case "bfind": // 9.7.1.17
		if i.signed() && a>>(n-1) == 1 {
			a = ^a & ones(n)
		}
		at := topBit(a)
		if at < 0 {
			return 0xffffffff
		}
		if i.Has(".shiftamt") {
			at = int(n) - 1 - at
		}
		return uint64(at)
	case "fns":
		return fns(uint32(a), int64(uint32(i.in[1])), int64(int32(i.in[2])))
	case "bfe": // 9.7.1.20, bit by bit
		pos, length := amount(1)&0xff, amount(2)&0xff
		fill := uint64(0)
		if i.signed() && length > 0 {
			fill = a >> min(pos+length-1, n-1) & 1
		}
		d := uint64(0)
		for k := range n {
			bit := fill
			if k < length && pos+k < n {
				bit = a >> (pos + k) & 1
			}
			d |= bit << k
		}
		return d
	case "bfi": // 9.7.1.21
		d, pos, length := i.in[1]&ones(n), amount(2)&0xff, amount(3)&0xff
		for k := uint(0); k < length && pos+k < n; k++ {
			d = d&^(1<<(pos+k)) | a>>k&1<<(pos+k)
		}
		return d
	case "szext": // 9.7.1.22
		length := amount(1)
		if i.Has(".wrap") {
			length &= 31
		}
		if length = min(length, 32); length == 0 {
			return 0
		}
		return wrap(intOf(a, length, i.signed()), 32)
	}
	// bmsk, 9.7.1.23
	pos, length := amount(0), amount(1)
	if i.Has(".wrap") {
		pos, length = pos&31, length&31
	}
	d := uint64(0)
	for k := pos; k < 32 && k-pos < length; k++ {
		d |= 1 << k
	}
	return d
}

// fns is the loop of 9.7.1.18. Inputs have a base of at most 31.
func fns(mask uint32, base, offset int64) uint64 {
	step, count := int64(1), offset-1
	switch {
	case offset == 0:
		step, count = 32, 0
	case offset < 0:
		step, count = -1, -offset-1
	}
	for pos := base; pos >= 0 && pos < 32; pos += step {
		if mask>>pos&1 == 0 {
			continue
		}
		if count == 0 {
			return uint64(pos)
		}
		count--
	}
	return 0xffffffff
}

// dot is 9.7.1.24 and 9.7.1.25.
func (i inst) dot() uint64 {
	aSigned, bSigned := i.Types[0].Class() == isa.Signed, i.Types[1].Class() == isa.Signed
	sum := intOf(i.in[2], 32, aSigned || bSigned)
	n, width, first := uint(4), uint(8), uint(0)
	if i.Form.Mnemonic == "dp2a" {
		n, width = 2, 16
		if i.Has(".hi") {
			first = 2
		}
	}
	for k := range n {
		a := intOf(i.in[0]>>(k*width), width, aSigned)
		b := intOf(i.in[1]>>((first+k)*8), 8, bSigned)
		sum.Add(sum, a.Mul(a, b))
	}
	return wrap(sum, 32)
}

// extended is 9.7.2: unsigned sums with a carry. Subtraction adds the complement, so that its flag is "no borrow", as
// hardware has it.
func (i inst) extended() ([]Result, bool) {
	n := uint(i.lastType().Bits())
	unsigned := func(k int) *big.Int { return intOf(i.in[k], n, false) }
	var r *big.Int
	in := i.carry
	switch i.Form.Mnemonic {
	case "add", "addc":
		r = unsigned(0)
		r.Add(r, unsigned(1))
		in = in && i.Form.Mnemonic == "addc"
	case "sub", "subc":
		r = unsigned(0)
		r.Add(r, intOf(^i.in[1], n, false))
		in = in || i.Form.Mnemonic == "sub"
	default: // mad, madc: the half of the product as bits
		p := intOf(i.in[0], n, i.signed())
		p.Mul(p, intOf(i.in[1], n, i.signed()))
		if i.Has(".hi") {
			p.Rsh(p, n)
		}
		r = intOf(wrap(p, n), n, false)
		r.Add(r, unsigned(2))
		in = in && i.Form.Mnemonic == "madc"
	}
	if in {
		r.Add(r, big.NewInt(1))
	}
	carry := i.carry
	if i.Has(".cc") {
		carry = r.Bit(int(n)) == 1
	}
	return []Result{exactly(wrap(r, n))}, carry
}

// logic is 9.7.9.
func (i inst) logic() []Result {
	n := uint(i.lastType().Bits())
	a := i.in[0] & ones(n)
	b := func() uint64 { return i.in[1] & ones(n) }
	switch i.Form.Mnemonic {
	case "and":
		return []Result{exactly(a & b())}
	case "or":
		return []Result{exactly(a | b())}
	case "xor":
		return []Result{exactly(a ^ b())}
	case "not":
		return []Result{exactly(^a & ones(n))}
	case "cnot":
		return []Result{truth(a == 0)}
	case "lop3":
		d := uint64(0)
		for k := range n {
			at := i.in[0]>>k&1<<2 | i.in[1]>>k&1<<1 | i.in[2]>>k&1
			d |= i.in[3] >> at & 1 << k
		}
		return []Result{exactly(d), truth(i.combine(d != 0))}
	case "shf":
		return []Result{exactly(i.shf())}
	}
	x := intOf(a, n, i.signed())
	by := min(uint(i.in[1]&0xffffffff), 64)
	if i.Form.Mnemonic == "shl" {
		return []Result{exactly(wrap(x.Lsh(x, by), n))}
	}
	return []Result{exactly(wrap(x.Rsh(x, by), n))}
}

// shf is 9.7.9.7.
func (i inst) shf() uint64 {
	n := i.in[2] & 0xffffffff
	if n = min(n, 32); i.Has(".wrap") {
		n = i.in[2] & 31
	}
	both := new(big.Int).Lsh(intOf(i.in[1], 32, false), 32)
	both.Add(both, intOf(i.in[0], 32, false))
	if i.Has(".l") {
		return wrap(both.Rsh(both.Lsh(both, uint(n)), 32), 32)
	}
	return wrap(both.Rsh(both, uint(n)), 32)
}

// permutations are the bytes that the modes of 9.7.10.7 select, the lowest first, by the last two bits of c.
var permutations = map[string][4]string{
	".f4e":  {"0123", "1234", "2345", "3456"},
	".b4e":  {"0765", "1076", "2107", "3210"},
	".rc8":  {"0000", "1111", "2222", "3333"},
	".ecl":  {"0123", "1123", "2223", "3333"},
	".ecr":  {"0000", "0111", "0122", "0123"},
	".rc16": {"0101", "2323", "0101", "2323"},
}

// prmt is 9.7.10.7.
func (i inst) prmt() uint64 {
	from := make([]uint64, 8)
	for k := range 4 {
		from[k], from[4+k] = i.in[0]>>(8*k)&0xff, i.in[1]>>(8*k)&0xff
	}
	d := uint64(0)
	for k := range 4 {
		control := i.in[2] >> (4 * k) & 0xf
		for mode, table := range permutations {
			if i.Has(mode) {
				control = uint64(table[i.in[2]&3][k] - '0')
			}
		}
		b := from[control&7]
		if control&8 != 0 { // its sign, eight times
			b = b >> 7 * 0xff
		}
		d |= b << (8 * k)
	}
	return d
}
