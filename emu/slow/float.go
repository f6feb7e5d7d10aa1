package slow

import (
	"slices"

	"warpscope/ptx/isa"
)

// finish rounds an exact result. ftz flushes a subnormal result (not one that rounds up to a normal number), sat limits
// to [0, 1] and relu to 0; NaN becomes 0 under sat. Whether a negative zero stays one under sat and relu is open. NaNs
// of .f64 are open; others are the canonical one.
func (i inst) finish(f *format, n number, mode string, ftz bool) Result {
	bits := f.round(n, mode)
	if ftz {
		bits = f.flush(bits)
	}
	return i.limit(f, bits)
}

// limit applies .sat and .relu to an encoding.
func (i inst) limit(f *format, bits uint64) Result {
	one := f.round(number{m: intOf(1, 2, false)}, "rn")
	negative := bits&f.sign() != 0 && !f.isNaN(bits)
	switch sat, relu := i.Has(".sat"), i.Has(".relu"); {
	case sat && f.isNaN(bits):
		return exactly(0)
	case (sat || relu) && bits == f.sign():
		return Result{0, []loose{{0, f.width(), anyZero, f}}}
	case (sat || relu) && negative:
		return exactly(0)
	case sat && bits > one:
		return exactly(one)
	case f == f64 && f.isNaN(bits):
		return someNaN(f)
	}
	return exactly(bits)
}

func someNaN(f *format) Result { return Result{f.nan, []loose{{0, f.width(), anyNaN, f}}} }

// float is 9.7.3, 9.7.4 and 9.7.5.
func (i inst) float() Result {
	t := i.lastType()
	switch {
	case i.Types[0] == isa.E4M3x4 || i.Types[0] == isa.E5M2x4:
		return i.alternate()
	case len(i.Types) > 2:
		return i.mixedPair()
	case len(i.Types) == 2: // mixed precision: a (and b) widen
		h, _ := formatOf(t)
		return i.arithmetic(f32, h, slices.Clone(i.in))
	}
	f, lanes := formatOf(t)
	var parts []Result
	for k := range lanes {
		in := make([]uint64, len(i.in))
		for n := range in {
			in[n] = i.in[n] >> (k * f.width()) & ones(f.width())
		}
		parts = append(parts, i.arithmetic(f, f, in))
	}
	return packed(f.width(), parts...)
}

// mixedPair is the packed part of 9.7.5: every operand and the result have a type of their own.
func (i inst) mixedPair() Result {
	f, _ := formatOf(i.Types[0])
	var out [2]Result
	for k := range uint(2) {
		x := make([]number, len(i.in))
		for n := range i.in {
			g, _ := formatOf(i.Types[1+n])
			a := i.in[n] >> (k * g.width()) & ones(g.width())
			if i.Has(".ftz") {
				a = g.flush(a)
			}
			if x[n] = g.decode(a); i.Form.Mnemonic == "mul" && g != f32 && g != f { // "a * convert(c)"
				x[n] = f.decode(f.round(x[n], "rn"))
			}
		}
		out[k] = i.finish(f, i.computed(x), i.mode(), i.Has(".ftz"))
	}
	return packed(f.width(), out[0], out[1])
}

// computed is a sum, a difference, a product or a fused product of exact numbers.
func (i inst) computed(x []number) number {
	last := x[len(x)-1]
	switch i.Form.Mnemonic {
	case "mul":
		return mul(x[0], x[1])
	case "fma", "mad":
		return add(mul(x[0], x[1]), last, i.mode())
	case "sub":
		last = last.negated()
	}
	return add(x[0], last, i.mode())
}

// alternate is 9.7.6: c has the type of the result, but in a product.
func (i inst) alternate() Result {
	f, _ := formatOf(i.Types[0])
	types := slices.Clone(i.Types[1:])
	if i.Form.Mnemonic != "mul" {
		types = append(types, i.Types[0])
	}
	var out []Result
	for k := range uint(4) {
		x := make([]number, len(i.in))
		for n, t := range types {
			x[n] = quarter(t, i.in[n], k)
		}
		y := i.computed(x)
		bits := f.round(y, "rn")
		switch over := y.inf || f.isInfinite(bits) || f.beyond(y); {
		case y.nan, over && !f.hasInfinity && !i.Has(".satfinite"):
			out = append(out, someNaN(f))
		case over && i.Has(".satfinite"):
			out = append(out, exactly(bits&f.sign()|f.infinity-1))
		default:
			out = append(out, exactly(bits))
		}
	}
	return packed(8, out...)
}

// quarter is number k of four of a type (9.7.6): .e2m1x4 has them in four bits each, the others in the low bits of a
// byte.
func quarter(t isa.Type, a uint64, k uint) number {
	step := uint(8)
	g := e2m1
	switch t {
	case isa.UE8M0x4:
		if a = a >> (8 * k) & 0xff; a == 0xff {
			return number{nan: true}
		}
		return number{m: intOf(1, 2, false), e: int(a) - 127}
	case isa.E2M1x4:
		step = 4
	case isa.E2M1P4x4:
	default:
		g, _ = formatOf(t)
	}
	return g.decode(a >> (step * k) & ones(g.width()))
}

// oobNaN is the NaN of 5.5.3.3 in f16 and bf16. The manual does not give its bits; docs/coverage.md does.
const oobNaN = 0x7ffe

// arithmetic is one value of an instruction whose result and last operand have format f; the operands before that have
// the format from. It may change in.
func (i inst) arithmetic(f, from *format, in []uint64) Result {
	ftz, mode := i.Has(".ftz"), i.mode()
	x := make([]number, len(in))
	for k := range in {
		g := from
		if k == len(in)-1 {
			g = f
		}
		if ftz {
			in[k] = g.flush(in[k])
		}
		x[k] = g.decode(in[k])
	}
	switch i.Form.Mnemonic {
	case "add", "sub", "mul", "fma", "mad":
		if i.Has(".oob") && slices.Contains(in, oobNaN) { // +0, whatever the others are (9.7.4.4)
			return exactly(0)
		}
		return i.finish(f, i.computed(x), mode, ftz)
	case "div":
		return i.finish(f, div(x[0], x[1]), mode, ftz)
	case "rcp":
		return i.finish(f, div(number{m: intOf(1, 2, false)}, x[0]), mode, ftz)
	case "sqrt":
		return i.finish(f, sqrt(x[0]), mode, ftz)
	case "abs", "neg":
		if x[0].nan { // which one is unspecified (9.7.3.9, 9.7.3.10, 9.7.4.5, 9.7.4.6)
			return someNaN(f)
		}
		if i.Form.Mnemonic == "abs" {
			return exactly(in[0] &^ f.sign())
		}
		return exactly(in[0] ^ f.sign())
	case "min", "max":
		return i.extreme(f, in)
	case "copysign":
		return exactly(in[0]&f.sign() | in[1]&^f.sign())
	}
	return truth(i.testp(f, in[0])) // testp
}

// testp is 9.7.3.1: zero is normal.
func (i inst) testp(f *format, a uint64) bool {
	nan, inf := f.isNaN(a), f.isInfinite(a)
	switch i.Value("op") {
	case ".finite":
		return !nan && !inf
	case ".infinite":
		return inf
	case ".number":
		return !nan
	case ".notanumber":
		return nan
	case ".subnormal":
		return f.isSubnormal(a)
	}
	return !nan && !inf && !f.isSubnormal(a)
}

// extreme is min and max of two or three values (9.7.3.11, 9.7.3.12, 9.7.4.7, 9.7.4.8).
func (i inst) extreme(f *format, in []uint64) Result {
	sign := (in[0] ^ in[1]) & f.sign()
	if i.Has(".abs") {
		for k := range in {
			in[k] &^= f.sign()
		}
	}
	d := in[0]
	for _, b := range in[1:] {
		switch {
		case f.isNaN(d) && f.isNaN(b), i.Has(".NaN") && (f.isNaN(d) || f.isNaN(b)):
			d = f.nan
		case f.isNaN(d):
			d = b
		case f.isNaN(b):
		case i.above(f, d, b) == (i.Form.Mnemonic == "min"):
			d = b
		}
	}
	switch {
	case f.isNaN(d) && f == f64:
		return someNaN(f)
	case f.isNaN(d):
		return exactly(f.nan)
	case i.Has(".xorsign"):
		d = d&^f.sign() | sign
	}
	return exactly(d)
}

// above says whether a > b, where +0 > -0.
func (i inst) above(f *format, a, b uint64) bool {
	x, y := f.decode(a), f.decode(b)
	if x.zero() && y.zero() {
		return !x.neg && y.neg
	}
	return compare(x, y) > 0
}

// relation says how a and b of a type compare: -1, 0, 1, or 2 when one of them is NaN. Nothing flushes .f64.
func relation(t isa.Type, a, b uint64, ftz bool) int {
	f, _ := formatOf(t)
	if f == nil {
		n := uint(t.Bits())
		signed := t.Class() == isa.Signed
		return intOf(a, n, signed).Cmp(intOf(b, n, signed))
	}
	a, b = a&ones(f.width()), b&ones(f.width())
	if ftz && f != f64 {
		a, b = f.flush(a), f.flush(b)
	}
	if f.isNaN(a) || f.isNaN(b) {
		return 2
	}
	return compare(f.decode(a), f.decode(b))
}

// holds says whether a comparison operator holds for a relation (9.3.1.1, 9.3.1.2).
func holds(op string, r int) bool {
	switch op {
	case ".num":
		return r != 2
	case ".nan":
		return r == 2
	case ".equ", ".neu", ".ltu", ".leu", ".gtu", ".geu":
		if r == 2 {
			return true
		}
		op = op[:3]
	}
	if r == 2 {
		return false
	}
	switch op {
	case ".eq":
		return r == 0
	case ".ne":
		return r != 0
	case ".lt", ".lo":
		return r < 0
	case ".le", ".ls":
		return r <= 0
	case ".gt", ".hi":
		return r > 0
	}
	return r >= 0
}

// comparison is 9.7.7 and 9.7.8.
func (i inst) comparison() []Result {
	t, ftz := i.lastType(), i.Has(".ftz")
	switch i.Form.Mnemonic {
	case "selp":
		if i.in[2] != 0 {
			return []Result{exactly(i.in[0])}
		}
		return []Result{exactly(i.in[1])}
	case "slct":
		if holds(".ge", relation(t, i.in[2], 0, ftz)) {
			return []Result{exactly(i.in[0])}
		}
		return []Result{exactly(i.in[1])}
	}
	op := i.Value("CmpOp")
	if n := parts(t); n > 0 {
		return []Result{i.each(n, func(part inst) Result {
			a, b := intOf(part.in[0], n, i.signed()), intOf(part.in[1], n, i.signed())
			return i.written(n, holds(op, a.Cmp(b)))
		})}
	}
	low := holds(op, relation(t, i.in[0], i.in[1], ftz))
	pair := t == isa.F16x2 || t == isa.BF16x2
	high := pair && holds(op, relation(t, i.in[0]>>16, i.in[1]>>16, ftz))
	switch {
	case i.Form.Mnemonic == "setp" && pair:
		return []Result{truth(i.combine(low)), truth(i.combine(high))}
	case i.Form.Mnemonic == "setp":
		return []Result{truth(i.combine(low)), truth(i.combine(!low))}
	case pair:
		return []Result{packed(16, i.written(16, i.combine(low)), i.written(16, i.combine(high)))}
	}
	return []Result{i.written(uint(i.Types[0].Bits()), i.combine(low))}
}

// written is what set writes: 1.0 or all ones.
func (i inst) written(n uint, t bool) Result {
	if !t {
		return exactly(0)
	}
	if f, _ := formatOf(i.Types[0]); f != nil {
		return exactly(f.round(number{m: intOf(1, 2, false)}, "rn"))
	}
	return exactly(ones(n))
}
