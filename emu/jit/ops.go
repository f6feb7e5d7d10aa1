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
	row.NMinU32:      words(wasm.I32x4MinU),
	row.NMaxU32:      words(wasm.I32x4MaxU),
	row.NMinS32:      words(wasm.I32x4MinS),
	row.NMaxS32:      words(wasm.I32x4MaxS),
	row.NMov32:       words(),
	row.NAndB32:      words(wasm.V128And),
	row.NOrB32:       words(wasm.V128Or),
	row.NXorB32:      words(wasm.V128Xor),
	row.NNotB32:      words(wasm.V128Not),
	row.NShlB32Const: shift(wasm.I32x4Shl),
	row.NShrU32Const: shift(wasm.I32x4ShrU),
	row.NShrS32Const: shift(wasm.I32x4ShrS),
	row.NNegS32:      words(wasm.I32x4Neg),
	row.NCvtF32S32:   words(wasm.F32x4ConvertI32x4S),
	row.NCvtF32U32:   words(wasm.F32x4ConvertI32x4U),
	row.NAddF32:      floats(wasm.F32x4Add),
	row.NSubF32:      floats(wasm.F32x4Sub),
	row.NMulF32:      floats(wasm.F32x4Mul),
	row.NSetpEqU32:   compare(wasm.I32x4Eq),
	row.NSetpNeU32:   compare(wasm.I32x4Ne),
	row.NSetpLtU32:   compare(wasm.I32x4LtU),
	row.NSetpLeU32:   compare(wasm.I32x4LeU),
	row.NSetpGtU32:   compare(wasm.I32x4GtU),
	row.NSetpGeU32:   compare(wasm.I32x4GeU),
	row.NSetpLtS32:   compare(wasm.I32x4LtS),
	row.NSetpLeS32:   compare(wasm.I32x4LeS),
	row.NSetpGtS32:   compare(wasm.I32x4GtS),
	row.NSetpGeS32:   compare(wasm.I32x4GeS),
	row.NSetpEqF32:   compareFloats(wasm.F32x4Eq),
	row.NSetpLtF32:   compareFloats(wasm.F32x4Lt),
	row.NSetpLeF32:   compareFloats(wasm.F32x4Le),
	row.NSetpGtF32:   compareFloats(wasm.F32x4Gt),
	row.NSetpGeF32:   compareFloats(wasm.F32x4Ge),
	row.NSetpNeuF32:  compareFloats(wasm.F32x4Ne),
	row.NSelp32:      selectWords,
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

// shift is a shift by a constant.
func shift(do wasm.Op) emits {
	return func(b *body, in *machine.Inst) {
		b.get(in.A)
		b.I32(int32(b.consts[in.B] & 31))
		b.Op(do)
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
