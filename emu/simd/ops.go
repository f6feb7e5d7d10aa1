package simd

import (
	"warpscope/emu/jit/wasm"
	"warpscope/emu/row"
)

// parts are those of all operations that row.Run knows, and of accesses to memory.
func parts(s Setting) []*part {
	list := append(append(integers(), floats(s)...), compares()...)
	return append(list, accesses(s.Reached)...)
}

// mad pushes the operands in their order: the sum is on top of the product's factors.
func mad(multiply, add wasm.Op) group {
	return func(p *part) {
		p.Set(vectors)
		p.Op(multiply)
		p.Get(vectors)
		p.Op(add)
	}
}

func integers() []*part {
	return []*part{
		words(row.NAddU32, 2, wasm.I32x4Add),
		words(row.NSubU32, 2, wasm.I32x4Sub),
		words(row.NMulLoU32, 2, wasm.I32x4Mul),
		each(row.NMadLoU32, 3, 8, mad(wasm.I32x4Mul, wasm.I32x4Add)),
		words(row.NMinU32, 2, wasm.I32x4MinU),
		words(row.NMaxU32, 2, wasm.I32x4MaxU),
		words(row.NMinS32, 2, wasm.I32x4MinS),
		words(row.NMaxS32, 2, wasm.I32x4MaxS),
		words(row.NMov32, 1),
		longs(row.NMov64, 1),
		words(row.NAndB32, 2, wasm.V128And),
		words(row.NOrB32, 2, wasm.V128Or),
		words(row.NXorB32, 2, wasm.V128Xor),
		clamped(row.NShlB32, wasm.I32Shl),
		clamped(row.NShrU32, wasm.I32ShrU),
		clamped(row.NShrS32, wasm.I32ShrS),
		shift(row.NShlB32Const, wasm.I32x4Shl),
		shift(row.NShrU32Const, wasm.I32x4ShrU),
		shift(row.NShrS32Const, wasm.I32x4ShrS),
		words(row.NNegS32, 1, wasm.I32x4Neg),
		words(row.NPopcB32, 1, wasm.I8x16Popcnt, wasm.I16x8ExtAddI8x16U, wasm.I32x4ExtAddI16x8U),
		leadingZeros(),

		longs(row.NAddU64, 2, wasm.I64x2Add),
		longs(row.NSubU64, 2, wasm.I64x2Sub),
		longs(row.NMulLoU64, 2, wasm.I64x2Mul),
		each(row.NMadLoU64, 3, 16, mad(wasm.I64x2Mul, wasm.I64x2Add)),
		longs(row.NAndB64, 2, wasm.V128And),
		longs(row.NOrB64, 2, wasm.V128Or),
		longs(row.NXorB64, 2, wasm.V128Xor),
		widen(row.NMulWideU32, 2, wasm.I64x2ExtMulLowU, wasm.I64x2ExtMulHighU),
		widen(row.NMulWideS32, 2, wasm.I64x2ExtMulLowS, wasm.I64x2ExtMulHighS),
		madWide(row.NMadWideU32, wasm.I64x2ExtMulLowU, wasm.I64x2ExtMulHighU),
		madWide(row.NMadWideS32, wasm.I64x2ExtMulLowS, wasm.I64x2ExtMulHighS),
		widen(row.NCvtU64U32, 1, wasm.I64x2ExtendLowU, wasm.I64x2ExtendHighU),
		widen(row.NCvtS64S32, 1, wasm.I64x2ExtendLowS, wasm.I64x2ExtendHighS),
	}
}

// shift is a shift by a constant below 32, which all lanes of the row B have.
func shift(number uint16, op wasm.Op) *part {
	p := rows(number, 2)
	p.Get(rowB)
	p.Mem(wasm.I32Load, 4, 0)
	p.Set(temp)
	for n := range uint32(8) {
		p.Get(to)
		p.Get(rowA)
		p.Mem(wasm.V128Load, 4, 16*n)
		p.Get(temp)
		p.Op(op)
		p.Mem(wasm.V128Store, 4, 16*n)
	}
	return p.end()
}

// clamped is a shift by numbers of which those from 32 on mean 32. Vectors can be shifted by one number only.
func clamped(number uint16, op wasm.Op) *part {
	p := rows(number, 2)
	for lane := range uint32(32) {
		p.Get(to)
		p.Get(rowA)
		p.Mem(wasm.I32Load, 4, 4*lane)
		p.Get(rowB)
		p.Mem(wasm.I32Load, 4, 4*lane)
		p.Tee(temp)
		if op == wasm.I32ShrS { // by 31 at most
			p.I32(31)
			p.Get(temp)
			p.I32(32)
			p.Op(wasm.I32LtU, wasm.Select, op)
		} else {
			p.Op(op)
			p.I32(0)
			p.Get(temp)
			p.I32(32)
			p.Op(wasm.I32LtU, wasm.Select)
		}
		p.Mem(wasm.I32Store, 4, 4*lane)
	}
	return p.end()
}

func leadingZeros() *part {
	p := rows(row.NClzB32, 1)
	for lane := range uint32(32) {
		p.Get(to)
		p.Get(rowA)
		p.Mem(wasm.I32Load, 4, 4*lane)
		p.Op(wasm.I32Clz)
		p.Mem(wasm.I32Store, 4, 4*lane)
	}
	return p.end()
}

// widen makes lanes of 64 bits of lanes of 32: low and high are for the first and the last two lanes of four. The
// result may lie where an operand is, so operands are read first.
func widen(number uint16, operands uint32, low, high wasm.Op) *part {
	p := rows(number, operands)
	p.vectors = 8 * operands
	for n := range 8 * operands {
		p.Get(rowA + n/8)
		p.Mem(wasm.V128Load, 4, 16*(n%8))
		p.Set(vectors + n)
	}
	for n := range uint32(16) {
		p.Get(to)
		for i := range operands {
			p.Get(vectors + 8*i + n/2)
		}
		p.Op([...]wasm.Op{low, high}[n%2])
		p.Mem(wasm.V128Store, 4, 16*n)
	}
	return p.end()
}

// madWide is a wide product plus lanes of 64 bits.
func madWide(number uint16, low, high wasm.Op) *part {
	p := rows(number, 3)
	p.vectors = 16
	for n := range uint32(16) {
		p.Get(rowA + n/8)
		p.Mem(wasm.V128Load, 4, 16*(n%8))
		p.Set(vectors + n)
	}
	for n := range uint32(16) {
		p.Get(to)
		p.Get(vectors + n/2)
		p.Get(vectors + 8 + n/2)
		p.Op([...]wasm.Op{low, high}[n%2])
		p.Get(rowC)
		p.Mem(wasm.V128Load, 4, 16*n)
		p.Op(wasm.I64x2Add)
		p.Mem(wasm.V128Store, 4, 16*n)
	}
	return p.end()
}

func floats(s Setting) []*part {
	canonical := func(op wasm.Op) group {
		return func(p *part) {
			p.Op(op)
			p.canonical(vectors)
		}
	}
	list := []*part{
		words(row.NCvtF32S32, 1, wasm.F32x4ConvertI32x4S),
		words(row.NCvtF32U32, 1, wasm.F32x4ConvertI32x4U),
		each(row.NAddF32, 2, 8, canonical(wasm.F32x4Add)),
		each(row.NSubF32, 2, 8, canonical(wasm.F32x4Sub)),
		each(row.NMulF32, 2, 8, canonical(wasm.F32x4Mul)),
	}
	if !s.Relaxed {
		return append(list, sum())
	}
	return append(list, each(row.NFmaF32, 3, 8, canonical(wasm.F32x4RelaxedMadd)))
}

// operation is what an operation of emu/handlers does with a vector.
type operation struct {
	number uint16
	op     wasm.Op
}

func compares() []*part {
	list := []*part{compare(row.NSetpNeF32, 8, either(wasm.F32x4Lt, wasm.F32x4Gt)),
		compare(row.NSetpNeF64, 16, either(wasm.F64x2Lt, wasm.F64x2Gt))}
	for _, o := range []operation{
		{row.NSetpEqU32, wasm.I32x4Eq}, {row.NSetpNeU32, wasm.I32x4Ne}, {row.NSetpLtU32, wasm.I32x4LtU},
		{row.NSetpLeU32, wasm.I32x4LeU}, {row.NSetpGtU32, wasm.I32x4GtU}, {row.NSetpGeU32, wasm.I32x4GeU},
		{row.NSetpLtS32, wasm.I32x4LtS}, {row.NSetpLeS32, wasm.I32x4LeS}, {row.NSetpGtS32, wasm.I32x4GtS},
		{row.NSetpGeS32, wasm.I32x4GeS},
		{row.NSetpEqF32, wasm.F32x4Eq}, {row.NSetpNeuF32, wasm.F32x4Ne}, {row.NSetpLtF32, wasm.F32x4Lt},
		{row.NSetpLeF32, wasm.F32x4Le}, {row.NSetpGtF32, wasm.F32x4Gt}, {row.NSetpGeF32, wasm.F32x4Ge},
	} {
		list = append(list, compare(o.number, 8, do(o.op)))
	}
	for _, o := range []operation{
		{row.NSetpEqU64, wasm.I64x2Eq}, {row.NSetpNeU64, wasm.I64x2Ne}, {row.NSetpLtS64, wasm.I64x2LtS},
		{row.NSetpLeS64, wasm.I64x2LeS}, {row.NSetpGtS64, wasm.I64x2GtS}, {row.NSetpGeS64, wasm.I64x2GeS},
		{row.NSetpEqF64, wasm.F64x2Eq}, {row.NSetpLtF64, wasm.F64x2Lt}, {row.NSetpLeF64, wasm.F64x2Le},
		{row.NSetpGtF64, wasm.F64x2Gt}, {row.NSetpGeF64, wasm.F64x2Ge},
	} {
		list = append(list, compare(o.number, 16, do(o.op)))
	}
	for _, o := range []operation{
		{row.NSetpLtU64, wasm.I64x2LtS}, {row.NSetpLeU64, wasm.I64x2LeS}, {row.NSetpGtU64, wasm.I64x2GtS},
		{row.NSetpGeU64, wasm.I64x2GeS},
	} {
		list = append(list, compare(o.number, 16, unsigned(o.op)))
	}
	return list
}

// compare makes a mask: the result's lanes that execute take it.
func compare(number uint16, groups uint32, g group) *part {
	p := rows(number, 2)
	p.Get(to)
	for n := range groups {
		for i := range uint32(2) {
			p.Get(rowA + i)
			p.Mem(wasm.V128Load, 4, 16*n)
		}
		g(p)
		if groups == 8 {
			p.Op(wasm.I32x4Bitmask)
		} else {
			p.Op(wasm.I64x2Bitmask)
		}
		if n > 0 {
			p.I32(int32(32 / groups * n))
			p.Op(wasm.I32Shl, wasm.I32Or)
		}
	}
	// old ^ (old ^ new) & exec
	old := func() {
		p.Get(to)
		p.Mem(wasm.I32Load, 4, 0)
	}
	old()
	p.Op(wasm.I32Xor)
	p.Get(frame)
	p.Mem(wasm.I32Load, 4, row.ExecMask)
	p.Op(wasm.I32And)
	old()
	p.Op(wasm.I32Xor)
	p.Mem(wasm.I32Store, 4, 0)
	return p.end()
}

// either is setp.ne of floats, which is false for NaNs: less or greater.
func either(less, greater wasm.Op) group {
	return func(p *part) {
		p.Set(vectors)
		p.Tee(vectors + 1)
		p.Get(vectors)
		p.Op(less)
		p.Get(vectors + 1)
		p.Get(vectors)
		p.Op(greater, wasm.V128Or)
	}
}

// unsigned compares numbers as signed ones, all moved by half of their range.
func unsigned(op wasm.Op) group {
	return func(p *part) {
		half := func() {
			p.V128(1<<63, 1<<63)
			p.Op(wasm.V128Xor)
		}
		half()
		p.Set(vectors)
		half()
		p.Get(vectors)
		p.Op(op)
	}
}
