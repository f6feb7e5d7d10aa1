package jit

import (
	"math"

	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
)

// buildDouble finds what compiles an instruction on double-precision numbers (9.7.3).
func (e *layout) buildDouble(o *opcode) emits {
	rn := o.take("rn")
	switch o.name {
	case "add":
		return doubles(wasm.F64x2Add)
	case "sub":
		return doubles(wasm.F64x2Sub)
	case "mul":
		return doubles(wasm.F64x2Mul)
	case "neg":
		return signBits(wasm.V128Xor)
	case "abs":
		return absolute
	case "min":
		return extremeDouble(wasm.I64x2LtS)
	case "max":
		return extremeDouble(wasm.I64x2GtS)
	}
	if !rn {
		return nil
	}
	switch o.name {
	case "div":
		return doubles(wasm.F64x2Div)
	case "sqrt":
		return doubles(wasm.F64x2Sqrt)
	case "rcp":
		return reciprocal
	case "fma", "mad":
		if e.relaxed {
			return doubles(wasm.F64x2RelaxedMadd)
		}
		return fmaDouble
	}
	return nil
}

// doubles is an operation on double-precision numbers.
func doubles(do ...wasm.Op) emits {
	return func(b *body, in *machine.Inst) {
		at := b.stash(in.X.S)
		to := b.fresh(2)
		for half := range uint32(2) {
			for _, v := range at {
				b.Get(v + half)
			}
			b.Op(do...)
			b.Set(to + half)
		}
		b.setDouble(in.X.D[0], to, at)
	}
}

// nans pushes the lanes of a local that are NaNs of double precision.
func (b *body) nans(v uint32) {
	b.Get(v)
	b.Get(v)
	b.Op(wasm.F64x2Ne)
}

// setDouble makes two locals the result of an operation on others. A NaN is that of the first operand which is one,
// made quiet; else that of an invalid operation. See num.nan64.
func (b *body) setDouble(d row.Operand, to uint32, at []uint32) {
	const quiet, invalid = 1 << 51, 0xfff8 << 48
	b.nans(to)
	b.nans(to + 1)
	b.Op(wasm.V128Or, wasm.V128AnyTrue)
	b.If()
	for half := range uint32(2) {
		v := b.fresh(1)
		b.V128(invalid, invalid)
		b.Set(v)
		for i := len(at) - 1; i >= 0; i-- {
			b.Get(at[i] + half)
			b.V128(quiet, quiet)
			b.Op(wasm.V128Or)
			b.Get(v)
			b.nans(at[i] + half)
			b.Op(wasm.V128Bitselect)
			b.Set(v)
		}
		b.Get(v)
		b.Get(to + half)
		b.nans(to + half)
		b.Op(wasm.V128Bitselect)
		b.Set(to + half)
	}
	b.Op(wasm.End)
	b.Get(to)
	b.Get(to + 1)
	b.setLong(d)
}

// reciprocal is rcp.rn.f64.
func reciprocal(b *body, in *machine.Inst) {
	at, to := b.stash(in.X.S), b.fresh(2)
	one := math.Float64bits(1)
	for half := range uint32(2) {
		b.V128(one, one)
		b.Get(at[0] + half)
		b.Op(wasm.F64x2Div)
		b.Set(to + half)
	}
	b.setDouble(in.X.D[0], to, at)
}

// signBits changes signs, of NaNs, too.
func signBits(do wasm.Op) emits {
	return func(b *body, in *machine.Inst) {
		for half := range uint32(2) {
			b.long(in.X.S[0], half)
			b.V128(1<<63, 1<<63)
			b.Op(do)
		}
		b.setLong(in.X.D[0])
	}
}

// absolute is abs.f64, which passes NaNs through unchanged (9.7.3.9).
func absolute(b *body, in *machine.Inst) {
	at := b.stash(in.X.S)[0]
	for half := range uint32(2) {
		b.Get(at + half)
		b.Get(at + half)
		b.V128(1<<63, 1<<63)
		b.Op(wasm.V128AndNot)
		b.nans(at + half)
		b.Op(wasm.V128Bitselect)
	}
	b.setLong(in.X.D[0])
}

// extremeDouble is min and max (9.7.3.11, 9.7.3.12), where -0 is less than +0. Of a number and a NaN the number is the
// result. As integers, negative numbers are in the opposite order.
func extremeDouble(pick wasm.Op) emits {
	return func(b *body, in *machine.Inst) {
		at, to := b.stash(in.X.S), b.fresh(2)
		for half := range uint32(2) {
			x, y := at[0]+half, at[1]+half
			b.Get(x)
			b.Get(y)
			for _, v := range [...]uint32{x, y} {
				b.Get(v)
				b.Get(v)
				b.I32(63)
				b.Op(wasm.I64x2ShrS)
				b.I32(1)
				b.Op(wasm.I64x2ShrU, wasm.V128Xor)
			}
			b.Op(pick, wasm.V128Bitselect)
			b.Set(to + half)
			for _, p := range [...][2]uint32{{x, y}, {y, x}} {
				b.Get(p[0])
				b.Get(to + half)
				b.nans(p[1])
				b.Op(wasm.V128Bitselect)
				b.Set(to + half)
			}
		}
		b.setDouble(in.X.D[0], to, at)
	}
}

// The factors that fmaDouble takes are 0, infinite, NaN, or from 2^-400 to 2^400, and addends are below 2^1000, or
// infinite or NaN. So no product, nor its error, overflows or loses bits below the least number.
const mostFactor, mostAddend = 400, 1000

// refuseFma leaves other operands to the interpreter.
func refuseFma(b *body, in *machine.Inst) {
	s := in.X.S
	at := b.stash(s)
	for half := range uint32(2) {
		for i, v := range at {
			v += half
			least, most := math.Ldexp(1, -mostFactor), math.Ldexp(1, mostFactor)
			if i == 2 {
				least, most = 0, math.Ldexp(1, mostAddend)
			}
			size := b.fresh(1)
			b.Get(v)
			b.Op(wasm.F64x2Abs)
			b.Set(size)
			// least ≤ size ≤ most, or 0, or infinite or NaN: !(size < infinite)
			for n, c := range [...]float64{most, least} {
				b.Get(size)
				b.V128(math.Float64bits(c), math.Float64bits(c))
				b.Op([...]wasm.Op{wasm.F64x2Gt, wasm.F64x2Lt}[n])
			}
			b.Op(wasm.V128Or)
			b.Get(size)
			b.V128(0, 0)
			b.Op(wasm.F64x2Gt, wasm.V128And)
			b.Get(size)
			b.V128(math.Float64bits(math.Inf(1)), math.Float64bits(math.Inf(1)))
			b.Op(wasm.F64x2Lt, wasm.V128And)
			if i > 0 {
				b.Op(wasm.V128Or)
			}
		}
	}
	b.Shuffle(wasm.LowerWords)
}

// fmaDouble is fma.rn.f64. The product is exact as a sum of two numbers (Dekker), and so is the sum of three as one of
// two and a rest that is rounded to odd: rounding them together gives what rounding the exact sum gives (Boldo and
// Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd").
func fmaDouble(b *body, in *machine.Inst) {
	at, to, m := b.stash(in.X.S), b.fresh(2), b.fresh(12)
	for half := range uint32(2) {
		b.fmaHalf(at[0]+half, at[1]+half, at[2]+half, to+half, m)
	}
	b.setDouble(in.X.D[0], to, at)
}

func (b *body) fmaHalf(x, y, z, to, m uint32) {
	p, e, xh, xl, yh, yl, th, tl, vh, vl := m, m+1, m+2, m+3, m+4, m+5, m+6, m+7, m+8, m+9
	b.Get(x)
	b.Get(y)
	b.Op(wasm.F64x2Mul)
	b.Set(p)
	b.split(x, xh, xl)
	b.split(y, yh, yl)
	// e = ((xh yh - p) + xh yl + xl yh) + xl yl
	b.Get(xh)
	b.Get(yh)
	b.Op(wasm.F64x2Mul)
	b.Get(p)
	b.Op(wasm.F64x2Sub)
	for _, f := range [...][2]uint32{{xh, yl}, {xl, yh}, {xl, yl}} {
		b.Get(f[0])
		b.Get(f[1])
		b.Op(wasm.F64x2Mul, wasm.F64x2Add)
	}
	b.Set(e)
	b.twoSum(z, e, th, tl)
	b.twoSum(p, th, vh, vl)
	b.Get(tl)
	b.Get(vl)
	b.Op(wasm.F64x2Add)
	b.Set(e)
	b.RoundToOdd(tl, vl, e, m+10)
	b.Get(vh)
	b.Get(e)
	b.Op(wasm.F64x2Add)
	b.Set(to)
	// Where there is an infinity or NaN among the operands, and where the result is 0, x y + z is right.
	b.Get(to)
	b.Get(p)
	b.Get(z)
	b.Op(wasm.F64x2Add)
	b.Get(to)
	b.Op(wasm.F64x2Abs)
	b.V128(math.Float64bits(math.Inf(1)), math.Float64bits(math.Inf(1)))
	b.Op(wasm.F64x2Lt)
	b.Get(to)
	b.V128(0, 0)
	b.Op(wasm.F64x2Ne, wasm.V128And, wasm.V128Bitselect)
	b.Set(to)
}

// split divides the 53 bits of a number into two halves (Veltkamp).
func (b *body) split(x, high, low uint32) {
	factor := math.Float64bits(1<<27 + 1)
	b.Get(x)
	b.V128(factor, factor)
	b.Op(wasm.F64x2Mul)
	b.Tee(low)
	b.Get(low)
	b.Get(x)
	b.Op(wasm.F64x2Sub, wasm.F64x2Sub)
	b.Set(high)
	b.Get(x)
	b.Get(high)
	b.Op(wasm.F64x2Sub)
	b.Set(low)
}

// twoSum is the sum of two numbers and its error (Knuth).
func (b *body) twoSum(x, y, sum, err uint32) {
	b.Get(x)
	b.Get(y)
	b.Op(wasm.F64x2Add)
	b.Set(sum)
	b.Get(sum)
	b.Get(x)
	b.Op(wasm.F64x2Sub)
	b.Set(err) // the part of y
	b.Get(x)
	b.Get(sum)
	b.Get(err)
	b.Op(wasm.F64x2Sub, wasm.F64x2Sub)
	b.Get(y)
	b.Get(err)
	b.Op(wasm.F64x2Sub, wasm.F64x2Add)
	b.Set(err)
}

// buildFloat finds what compiles an instruction on single-precision numbers that has no handler.
func buildFloat(o *opcode, sources int) emits {
	ftz, sat := o.take("ftz"), o.take("sat")
	var do []wasm.Op
	switch rn := o.take("rn"); o.name {
	case "add":
		do = []wasm.Op{wasm.F32x4Add}
	case "sub":
		do = []wasm.Op{wasm.F32x4Sub}
	case "mul":
		do = []wasm.Op{wasm.F32x4Mul}
	case "neg":
		do = []wasm.Op{wasm.F32x4Neg}
	case "abs":
		do = []wasm.Op{wasm.F32x4Abs}
	case "div":
		if o.take("full") || rn {
			do = []wasm.Op{wasm.F32x4Div}
		}
	case "sqrt":
		if o.take("approx") || rn {
			do = []wasm.Op{wasm.F32x4Sqrt}
		}
	case "rcp":
		if o.take("approx") || rn {
			return func(b *body, in *machine.Inst) {
				b.splat(0x3f800000)
				b.floatArgs(in.X.S, ftz)
				b.Op(wasm.F32x4Div)
				b.floatResult(in, ftz, false)
			}
		}
	case "fma", "mad":
		if rn {
			return fmaWith(ftz, sat)
		}
	case "min", "max":
		if sources == 2 {
			return extremeFloat(o.name == "max", ftz, o.take("NaN"))
		}
	}
	if do == nil {
		return nil
	}
	return func(b *body, in *machine.Inst) {
		b.floatArgs(in.X.S, ftz)
		b.Op(do...)
		b.floatResult(in, ftz, sat)
	}
}

func (b *body) floatArgs(s []row.Operand, ftz bool) {
	for _, o := range s {
		b.getFloat(o.Off)
		if ftz {
			b.flush()
		}
	}
}

// floatResult flushes a result, then clamps it.
func (b *body) floatResult(in *machine.Inst, ftz, sat bool) {
	if ftz {
		b.flush()
	}
	if sat {
		b.saturate()
	}
	b.setFloat(in.X.D[0])
}

// fmaWith is fma.rn.f32 with modifiers: fma on rows that are in locals only.
func fmaWith(ftz, sat bool) emits {
	return func(b *body, in *machine.Inst) {
		const first = 1 << 31 // no row has such an offset
		inner := machine.Inst{Inst: row.Inst{Number: row.NFmaF32, D: first + 3, A: first, B: first + 1, C: first + 2}}
		for i := range uint32(3) {
			b.floatArgs(in.X.S[i:i+1], ftz)
			v := b.fresh(1)
			b.Set(v)
			b.values[first+i] = &value{local: v}
		}
		b.values[first+3] = &value{local: b.fresh(1)}
		within := b.within
		b.within = false
		fma(b, &inner)
		b.within = within
		b.getFloat(first + 3)
		b.floatResult(in, ftz, sat)
	}
}

// extremeFloat is min and max (9.7.3.11, 9.7.3.12). Without .NaN, of a number and a NaN the number is the result.
func extremeFloat(most, ftz, nan bool) emits {
	do := wasm.F32x4Min
	if most {
		do = wasm.F32x4Max
	}
	return func(b *body, in *machine.Inst) {
		x, to := b.fresh(2), b.fresh(1)
		b.floatArgs(in.X.S, ftz)
		b.Set(x + 1)
		b.Set(x)
		b.Get(x)
		b.Get(x + 1)
		b.Op(do)
		if !nan {
			b.Set(to)
			for _, p := range [...][2]uint32{{x, x + 1}, {x + 1, x}} {
				b.Get(p[0])
				b.Get(to)
				b.Get(p[1])
				b.Get(p[1])
				b.Op(wasm.F32x4Ne, wasm.V128Bitselect)
				b.Set(to)
			}
			b.Get(to)
		}
		b.setFloat(in.X.D[0])
	}
}
