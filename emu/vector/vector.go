// Package vector says by which instructions of WebAssembly SIMD an operation of emu/row computes lanes of its row. A
// vector holds 4 lanes of 32 bits, or 2 of 64.
package vector

import (
	"warpscope/emu/jit/wasm"
	"warpscope/emu/row"
)

// Kind says what the instructions of an operation take and give.
type Kind uint8

const (
	Other           Kind = iota // code of its own computes it
	Words                       // lanes of 32 bits
	Longs                       // lanes of 64 bits
	Floats                      // Words of single precision; a NaN becomes the one that PTX returns
	Flushed                     // Floats, whose subnormal operands and results become zeros
	Widen                       // Do: lanes 0 and 1, lanes 2 and 3; operands of 32 bits, results of 64
	High                        // Widen, and the upper 32 bits of that
	ShiftWords                  // Do: all lanes by one number, one lane; shifts by 32 and more are by 32
	ShiftLongs                  // the same with 64
	ShiftConst                  // Do: all lanes by one number, which is below 32
	Scalars                     // Do: one lane of 32 bits; vectors have no such instruction
	CompareWords                // where Do has two, one of them must hold
	CompareFloats               // the same, in single precision
	CompareLongs                // the same with lanes of 64 bits
	CompareUnsigned             // the same with lanes of 64 bits whose uppermost bits are flipped
)

// Operation is what computes a vector.
type Operation struct {
	Kind
	Do  []wasm.Op // of the first two operands, or of the only one
	Add wasm.Op   // adds the third operand to that; 0: there is none
}

// Operations are by the numbers of emu/row.
var Operations = [len(row.Operations)]Operation{
	row.NAddU32:      {Kind: Words, Do: []wasm.Op{wasm.I32x4Add}},
	row.NSubU32:      {Kind: Words, Do: []wasm.Op{wasm.I32x4Sub}},
	row.NMulLoU32:    {Kind: Words, Do: []wasm.Op{wasm.I32x4Mul}},
	row.NMadLoU32:    {Kind: Words, Do: []wasm.Op{wasm.I32x4Mul}, Add: wasm.I32x4Add},
	row.NMulHiU32:    {Kind: High, Do: []wasm.Op{wasm.I64x2ExtMulLowU, wasm.I64x2ExtMulHighU}},
	row.NMulHiS32:    {Kind: High, Do: []wasm.Op{wasm.I64x2ExtMulLowS, wasm.I64x2ExtMulHighS}},
	row.NMinU32:      {Kind: Words, Do: []wasm.Op{wasm.I32x4MinU}},
	row.NMaxU32:      {Kind: Words, Do: []wasm.Op{wasm.I32x4MaxU}},
	row.NMinS32:      {Kind: Words, Do: []wasm.Op{wasm.I32x4MinS}},
	row.NMaxS32:      {Kind: Words, Do: []wasm.Op{wasm.I32x4MaxS}},
	row.NMov32:       {Kind: Words},
	row.NMov64:       {Kind: Longs},
	row.NAndB32:      {Kind: Words, Do: []wasm.Op{wasm.V128And}},
	row.NOrB32:       {Kind: Words, Do: []wasm.Op{wasm.V128Or}},
	row.NXorB32:      {Kind: Words, Do: []wasm.Op{wasm.V128Xor}},
	row.NNotB32:      {Kind: Words, Do: []wasm.Op{wasm.V128Not}},
	row.NShlB32:      {Kind: ShiftWords, Do: []wasm.Op{wasm.I32x4Shl, wasm.I32Shl}},
	row.NShrU32:      {Kind: ShiftWords, Do: []wasm.Op{wasm.I32x4ShrU, wasm.I32ShrU}},
	row.NShrS32:      {Kind: ShiftWords, Do: []wasm.Op{wasm.I32x4ShrS, wasm.I32ShrS}},
	row.NShlB32Const: {Kind: ShiftConst, Do: []wasm.Op{wasm.I32x4Shl}},
	row.NShrU32Const: {Kind: ShiftConst, Do: []wasm.Op{wasm.I32x4ShrU}},
	row.NShrS32Const: {Kind: ShiftConst, Do: []wasm.Op{wasm.I32x4ShrS}},
	row.NNegS32:      {Kind: Words, Do: []wasm.Op{wasm.I32x4Neg}},
	row.NPopcB32:     {Kind: Words, Do: []wasm.Op{wasm.I8x16Popcnt, wasm.I16x8ExtAddI8x16U, wasm.I32x4ExtAddI16x8U}},
	row.NClzB32:      {Kind: Scalars, Do: []wasm.Op{wasm.I32Clz}},

	row.NAddU64:     {Kind: Longs, Do: []wasm.Op{wasm.I64x2Add}},
	row.NSubU64:     {Kind: Longs, Do: []wasm.Op{wasm.I64x2Sub}},
	row.NMulLoU64:   {Kind: Longs, Do: []wasm.Op{wasm.I64x2Mul}},
	row.NMadLoU64:   {Kind: Longs, Do: []wasm.Op{wasm.I64x2Mul}, Add: wasm.I64x2Add},
	row.NAndB64:     {Kind: Longs, Do: []wasm.Op{wasm.V128And}},
	row.NOrB64:      {Kind: Longs, Do: []wasm.Op{wasm.V128Or}},
	row.NXorB64:     {Kind: Longs, Do: []wasm.Op{wasm.V128Xor}},
	row.NNotB64:     {Kind: Longs, Do: []wasm.Op{wasm.V128Not}},
	row.NShlB64:     {Kind: ShiftLongs, Do: []wasm.Op{wasm.I64x2Shl, wasm.I64Shl}},
	row.NShrU64:     {Kind: ShiftLongs, Do: []wasm.Op{wasm.I64x2ShrU, wasm.I64ShrU}},
	row.NShrS64:     {Kind: ShiftLongs, Do: []wasm.Op{wasm.I64x2ShrS, wasm.I64ShrS}},
	row.NMulWideU32: {Kind: Widen, Do: []wasm.Op{wasm.I64x2ExtMulLowU, wasm.I64x2ExtMulHighU}},
	row.NMulWideS32: {Kind: Widen, Do: []wasm.Op{wasm.I64x2ExtMulLowS, wasm.I64x2ExtMulHighS}},
	row.NMadWideU32: {Kind: Widen, Do: []wasm.Op{wasm.I64x2ExtMulLowU, wasm.I64x2ExtMulHighU}, Add: wasm.I64x2Add},
	row.NMadWideS32: {Kind: Widen, Do: []wasm.Op{wasm.I64x2ExtMulLowS, wasm.I64x2ExtMulHighS}, Add: wasm.I64x2Add},
	row.NCvtU64U32:  {Kind: Widen, Do: []wasm.Op{wasm.I64x2ExtendLowU, wasm.I64x2ExtendHighU}},
	row.NCvtS64S32:  {Kind: Widen, Do: []wasm.Op{wasm.I64x2ExtendLowS, wasm.I64x2ExtendHighS}},

	row.NCvtF32S32: {Kind: Words, Do: []wasm.Op{wasm.F32x4ConvertI32x4S}},
	row.NCvtF32U32: {Kind: Words, Do: []wasm.Op{wasm.F32x4ConvertI32x4U}},
	row.NAddF32:    {Kind: Floats, Do: []wasm.Op{wasm.F32x4Add}},
	row.NSubF32:    {Kind: Floats, Do: []wasm.Op{wasm.F32x4Sub}},
	row.NMulF32:    {Kind: Floats, Do: []wasm.Op{wasm.F32x4Mul}},
	row.NAddFtzF32: {Kind: Flushed, Do: []wasm.Op{wasm.F32x4Add}},
	row.NSubFtzF32: {Kind: Flushed, Do: []wasm.Op{wasm.F32x4Sub}},
	row.NMulFtzF32: {Kind: Flushed, Do: []wasm.Op{wasm.F32x4Mul}},

	row.NSetpEqU32:  {Kind: CompareWords, Do: []wasm.Op{wasm.I32x4Eq}},
	row.NSetpNeU32:  {Kind: CompareWords, Do: []wasm.Op{wasm.I32x4Ne}},
	row.NSetpLtU32:  {Kind: CompareWords, Do: []wasm.Op{wasm.I32x4LtU}},
	row.NSetpLeU32:  {Kind: CompareWords, Do: []wasm.Op{wasm.I32x4LeU}},
	row.NSetpGtU32:  {Kind: CompareWords, Do: []wasm.Op{wasm.I32x4GtU}},
	row.NSetpGeU32:  {Kind: CompareWords, Do: []wasm.Op{wasm.I32x4GeU}},
	row.NSetpLtS32:  {Kind: CompareWords, Do: []wasm.Op{wasm.I32x4LtS}},
	row.NSetpLeS32:  {Kind: CompareWords, Do: []wasm.Op{wasm.I32x4LeS}},
	row.NSetpGtS32:  {Kind: CompareWords, Do: []wasm.Op{wasm.I32x4GtS}},
	row.NSetpGeS32:  {Kind: CompareWords, Do: []wasm.Op{wasm.I32x4GeS}},
	row.NSetpEqU64:  {Kind: CompareLongs, Do: []wasm.Op{wasm.I64x2Eq}},
	row.NSetpNeU64:  {Kind: CompareLongs, Do: []wasm.Op{wasm.I64x2Ne}},
	row.NSetpLtU64:  {Kind: CompareUnsigned, Do: []wasm.Op{wasm.I64x2LtS}},
	row.NSetpLeU64:  {Kind: CompareUnsigned, Do: []wasm.Op{wasm.I64x2LeS}},
	row.NSetpGtU64:  {Kind: CompareUnsigned, Do: []wasm.Op{wasm.I64x2GtS}},
	row.NSetpGeU64:  {Kind: CompareUnsigned, Do: []wasm.Op{wasm.I64x2GeS}},
	row.NSetpLtS64:  {Kind: CompareLongs, Do: []wasm.Op{wasm.I64x2LtS}},
	row.NSetpLeS64:  {Kind: CompareLongs, Do: []wasm.Op{wasm.I64x2LeS}},
	row.NSetpGtS64:  {Kind: CompareLongs, Do: []wasm.Op{wasm.I64x2GtS}},
	row.NSetpGeS64:  {Kind: CompareLongs, Do: []wasm.Op{wasm.I64x2GeS}},
	row.NSetpEqF32:  {Kind: CompareFloats, Do: []wasm.Op{wasm.F32x4Eq}},
	row.NSetpNeF32:  {Kind: CompareFloats, Do: []wasm.Op{wasm.F32x4Lt, wasm.F32x4Gt}},
	row.NSetpLtF32:  {Kind: CompareFloats, Do: []wasm.Op{wasm.F32x4Lt}},
	row.NSetpLeF32:  {Kind: CompareFloats, Do: []wasm.Op{wasm.F32x4Le}},
	row.NSetpGtF32:  {Kind: CompareFloats, Do: []wasm.Op{wasm.F32x4Gt}},
	row.NSetpGeF32:  {Kind: CompareFloats, Do: []wasm.Op{wasm.F32x4Ge}},
	row.NSetpEqF64:  {Kind: CompareLongs, Do: []wasm.Op{wasm.F64x2Eq}},
	row.NSetpNeF64:  {Kind: CompareLongs, Do: []wasm.Op{wasm.F64x2Lt, wasm.F64x2Gt}},
	row.NSetpLtF64:  {Kind: CompareLongs, Do: []wasm.Op{wasm.F64x2Lt}},
	row.NSetpLeF64:  {Kind: CompareLongs, Do: []wasm.Op{wasm.F64x2Le}},
	row.NSetpGtF64:  {Kind: CompareLongs, Do: []wasm.Op{wasm.F64x2Gt}},
	row.NSetpGeF64:  {Kind: CompareLongs, Do: []wasm.Op{wasm.F64x2Ge}},
	row.NSetpNeuF32: {Kind: CompareFloats, Do: []wasm.Op{wasm.F32x4Ne}},
}
