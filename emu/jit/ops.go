package jit

import (
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
)

// emits writes what an instruction does with 4 lanes: it pushes operands, and pops the result into D.
type emits func(b *body, in *machine.Inst)

// ops says how the operations of emu/handlers are compiled, by number. Those that have no entry end a piece.
var ops = [...]emits{
	row.NAddU32:      words(wasm.I32x4Add),
	row.NSubU32:      words(wasm.I32x4Sub),
	row.NMulLoU32:    words(wasm.I32x4Mul),
	row.NMadLoU32:    madWords,
	row.NMulHiU32:    mulHigh(wasm.I64x2ExtMulLowU, wasm.I64x2ExtMulHighU),
	row.NMulHiS32:    mulHigh(wasm.I64x2ExtMulLowS, wasm.I64x2ExtMulHighS),
	row.NMinU32:      words(wasm.I32x4MinU),
	row.NMaxU32:      words(wasm.I32x4MaxU),
	row.NMinS32:      words(wasm.I32x4MinS),
	row.NMaxS32:      words(wasm.I32x4MaxS),
	row.NMov32:       words(),
	row.NMov64:       longs(),
	row.NAndB32:      words(wasm.V128And),
	row.NOrB32:       words(wasm.V128Or),
	row.NXorB32:      words(wasm.V128Xor),
	row.NNotB32:      words(wasm.V128Not),
	row.NShlB32:      shiftWords(wasm.I32x4Shl, wasm.I32Shl),
	row.NShrU32:      shiftWords(wasm.I32x4ShrU, wasm.I32ShrU),
	row.NShrS32:      shiftWords(wasm.I32x4ShrS, wasm.I32ShrS),
	row.NShlB32Const: shiftBelow32(wasm.I32x4Shl),
	row.NShrU32Const: shiftBelow32(wasm.I32x4ShrU),
	row.NShrS32Const: shiftBelow32(wasm.I32x4ShrS),
	row.NNegS32:      words(wasm.I32x4Neg),
	row.NPopcB32:     words(wasm.I8x16Popcnt, wasm.I16x8ExtAddI8x16U, wasm.I32x4ExtAddI16x8U),
	row.NClzB32:      scalars(wasm.I32Clz),

	row.NAddU64:     longs(wasm.I64x2Add),
	row.NSubU64:     longs(wasm.I64x2Sub),
	row.NMulLoU64:   longs(wasm.I64x2Mul),
	row.NMadLoU64:   madLongs,
	row.NAndB64:     longs(wasm.V128And),
	row.NOrB64:      longs(wasm.V128Or),
	row.NXorB64:     longs(wasm.V128Xor),
	row.NNotB64:     longs(wasm.V128Not),
	row.NShlB64:     shiftLongs(wasm.I64x2Shl, wasm.I64Shl),
	row.NShrU64:     shiftLongs(wasm.I64x2ShrU, wasm.I64ShrU),
	row.NShrS64:     shiftLongs(wasm.I64x2ShrS, wasm.I64ShrS),
	row.NMulWideU32: widen(wasm.I64x2ExtMulLowU, wasm.I64x2ExtMulHighU),
	row.NMulWideS32: widen(wasm.I64x2ExtMulLowS, wasm.I64x2ExtMulHighS),
	row.NMadWideU32: widen(wasm.I64x2ExtMulLowU, wasm.I64x2ExtMulHighU),
	row.NMadWideS32: widen(wasm.I64x2ExtMulLowS, wasm.I64x2ExtMulHighS),
	row.NCvtU64U32:  widen(wasm.I64x2ExtendLowU, wasm.I64x2ExtendHighU),
	row.NCvtS64S32:  widen(wasm.I64x2ExtendLowS, wasm.I64x2ExtendHighS),
	row.NCvtU32U64:  narrow,

	row.NCvtF32S32: words(wasm.F32x4ConvertI32x4S),
	row.NCvtF32U32: words(wasm.F32x4ConvertI32x4U),
	row.NAddF32:    floats(wasm.F32x4Add),
	row.NSubF32:    floats(wasm.F32x4Sub),
	row.NMulF32:    floats(wasm.F32x4Mul),
	row.NAddFtzF32: flushed(wasm.F32x4Add),
	row.NSubFtzF32: flushed(wasm.F32x4Sub),
	row.NMulFtzF32: flushed(wasm.F32x4Mul),
	row.NFmaF32:    fma,

	row.NSetpEqU32:  compare(wasm.I32x4Eq),
	row.NSetpNeU32:  compare(wasm.I32x4Ne),
	row.NSetpLtU32:  compare(wasm.I32x4LtU),
	row.NSetpLeU32:  compare(wasm.I32x4LeU),
	row.NSetpGtU32:  compare(wasm.I32x4GtU),
	row.NSetpGeU32:  compare(wasm.I32x4GeU),
	row.NSetpLtS32:  compare(wasm.I32x4LtS),
	row.NSetpLeS32:  compare(wasm.I32x4LeS),
	row.NSetpGtS32:  compare(wasm.I32x4GtS),
	row.NSetpGeS32:  compare(wasm.I32x4GeS),
	row.NSetpEqU64:  compareLongs(0, wasm.I64x2Eq),
	row.NSetpNeU64:  compareLongs(0, wasm.I64x2Ne),
	row.NSetpLtU64:  compareLongs(1<<63, wasm.I64x2LtS),
	row.NSetpLeU64:  compareLongs(1<<63, wasm.I64x2LeS),
	row.NSetpGtU64:  compareLongs(1<<63, wasm.I64x2GtS),
	row.NSetpGeU64:  compareLongs(1<<63, wasm.I64x2GeS),
	row.NSetpLtS64:  compareLongs(0, wasm.I64x2LtS),
	row.NSetpLeS64:  compareLongs(0, wasm.I64x2LeS),
	row.NSetpGtS64:  compareLongs(0, wasm.I64x2GtS),
	row.NSetpGeS64:  compareLongs(0, wasm.I64x2GeS),
	row.NSetpEqF32:  compareFloats(wasm.F32x4Eq),
	row.NSetpNeF32:  lessOrGreater,
	row.NSetpLtF32:  compareFloats(wasm.F32x4Lt),
	row.NSetpLeF32:  compareFloats(wasm.F32x4Le),
	row.NSetpGtF32:  compareFloats(wasm.F32x4Gt),
	row.NSetpGeF32:  compareFloats(wasm.F32x4Ge),
	row.NSetpEqF64:  compareLongs(0, wasm.F64x2Eq),
	row.NSetpLtF64:  compareLongs(0, wasm.F64x2Lt),
	row.NSetpLeF64:  compareLongs(0, wasm.F64x2Le),
	row.NSetpGtF64:  compareLongs(0, wasm.F64x2Gt),
	row.NSetpGeF64:  compareLongs(0, wasm.F64x2Ge),
	row.NSetpNeuF32: compareFloats(wasm.F32x4Ne),
	row.NSelp32:     selectWords,
	row.NSelp64:     selectLongs,
}

// operands lists the operands of an instruction.
func operands(in *machine.Inst) []uint32 {
	return []uint32{in.A, in.B, in.C}[:len(row.Operations[in.Number].Rows)-1]
}

// words is an operation on lanes of 32 bits.
func words(do ...wasm.Op) emits {
	return func(b *body, in *machine.Inst) {
		for _, off := range operands(in) {
			b.get(off)
		}
		b.Op(do...)
		b.put(in.D)
	}
}

// floats is an operation on single-precision numbers, one that makes NaNs.
func floats(do ...wasm.Op) emits {
	return func(b *body, in *machine.Inst) {
		for _, off := range operands(in) {
			b.getFloat(off)
		}
		b.Op(do...)
		b.putFloat(in.D)
	}
}

func madWords(b *body, in *machine.Inst) {
	b.get(in.A)
	b.get(in.B)
	b.Op(wasm.I32x4Mul)
	b.get(in.C)
	b.Op(wasm.I32x4Add)
	b.put(in.D)
}

// mulHigh is the upper half of a product.
func mulHigh(low, high wasm.Op) emits {
	return func(b *body, in *machine.Inst) {
		for _, do := range [...]wasm.Op{low, high} {
			b.get(in.A)
			b.get(in.B)
			b.Op(do)
		}
		b.Shuffle(upperWords)
		b.put(in.D)
	}
}

// lowerWords and upperWords pick words of 4 lanes of 64 bits.
var (
	lowerWords = [16]byte{0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27}
	upperWords = [16]byte{4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31}
)

// shiftWords is a shift, which is clamped to 32 bits. Vectors can be shifted by one number only.
func shiftWords(vector, scalar wasm.Op) emits {
	return func(b *body, in *machine.Inst) {
		if by, ok := b.consts[in.B]; ok {
			by &= 0xffffffff
			b.get(in.A)
			switch {
			case by < 32:
				b.I32(int32(by))
				b.Op(vector)
			case scalar == wasm.I32ShrS:
				b.I32(31)
				b.Op(vector)
			default:
				b.Op(wasm.Drop)
				b.V128(0, 0)
			}
			b.put(in.D)
			return
		}
		b.get(in.A)
		from := b.fresh(3)
		by, to := from+1, from+2
		b.Set(from)
		b.get(in.B)
		b.Set(by)
		for lane := range byte(4) {
			b.Get(to)
			b.lane(wasm.I32x4ExtractLane, from, lane)
			b.clampedShift(scalar, by, lane)
			b.Op(wasm.I32x4ReplaceLane)
			b.Bytes = append(b.Bytes, lane)
			b.Set(to)
		}
		b.Get(to)
		b.put(in.D)
	}
}

// shiftBelow32 is a shift by a constant below 32.
func shiftBelow32(do wasm.Op) emits {
	return func(b *body, in *machine.Inst) {
		b.get(in.A)
		if by, ok := b.consts[in.B]; ok {
			b.I32(int32(by & 31))
		} else {
			b.Get(locFrame)
			b.Mem(wasm.I32Load, 4, in.B)
		}
		b.Op(do)
		b.put(in.D)
	}
}

// clampedShift shifts the scalar on the stack by a lane.
func (b *body) clampedShift(do wasm.Op, by uint32, lane byte) {
	if do == wasm.I32ShrS { // by 31 at most
		b.lane(wasm.I32x4ExtractLane, by, lane)
		b.Tee(locTemp)
		b.I32(31)
		b.Get(locTemp)
		b.I32(32)
		b.Op(wasm.I32LtU, wasm.Select, do)
		return
	}
	b.lane(wasm.I32x4ExtractLane, by, lane)
	b.Tee(locTemp)
	b.Op(do)
	b.I32(0)
	b.Get(locTemp)
	b.I32(32)
	b.Op(wasm.I32LtU, wasm.Select)
}

// lane pushes one lane of a local.
func (b *body) lane(extract wasm.Op, local uint32, lane byte) {
	b.Get(local)
	b.Op(extract)
	b.Bytes = append(b.Bytes, lane)
}

// scalars is an operation on one operand of 32 bits that vectors do not have.
func scalars(do wasm.Op) emits {
	return func(b *body, in *machine.Inst) {
		b.get(in.A)
		from := b.fresh(2)
		b.Set(from)
		for lane := range byte(4) {
			b.Get(from + 1)
			b.lane(wasm.I32x4ExtractLane, from, lane)
			b.Op(do, wasm.I32x4ReplaceLane)
			b.Bytes = append(b.Bytes, lane)
			b.Set(from + 1)
		}
		b.Get(from + 1)
		b.put(in.D)
	}
}

func compare(do wasm.Op) emits {
	return func(b *body, in *machine.Inst) {
		b.get(in.A)
		b.get(in.B)
		b.Op(do)
		b.putMask(in.D)
	}
}

func compareFloats(do wasm.Op) emits {
	return func(b *body, in *machine.Inst) {
		b.getFloat(in.A)
		b.getFloat(in.B)
		b.Op(do)
		b.putMask(in.D)
	}
}

func selectWords(b *body, in *machine.Inst) {
	b.get(in.A)
	b.get(in.B)
	b.mask(in.C)
	b.Op(wasm.V128Bitselect)
	b.put(in.D)
}

// lessOrGreater is setp.ne, which is false for NaNs.
func lessOrGreater(b *body, in *machine.Inst) {
	for _, do := range [...]wasm.Op{wasm.F32x4Lt, wasm.F32x4Gt} {
		b.getFloat(in.A)
		b.getFloat(in.B)
		b.Op(do)
	}
	b.Op(wasm.V128Or)
	b.putMask(in.D)
}
