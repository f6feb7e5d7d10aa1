package jit

import (
	"warpscope/emu/jit/wasm"
	"warpscope/emu/row"
	"warpscope/emu/vector"
)

// kinds says how the operations of a kind are compiled.
var kinds = [...]emits{
	vector.Words:           words,
	vector.Longs:           longs,
	vector.Floats:          floats,
	vector.Flushed:         flushed,
	vector.Widen:           widen,
	vector.High:            mulHigh,
	vector.ShiftWords:      shiftWords,
	vector.ShiftLongs:      shiftLongs,
	vector.ShiftConst:      shiftBelow32,
	vector.Scalars:         scalars,
	vector.CompareWords:    compareWords,
	vector.CompareFloats:   compareFloats,
	vector.CompareLongs:    compareLongs,
	vector.CompareUnsigned: compareLongs,
}

// special says how an operation is compiled that is not compiled as its kind is.
var special = [len(vector.Operations)]emits{
	row.NBrevB32:   reverseWords,
	row.NCvtU32U64: narrow,
	row.NFmaF32:    fma,
	row.NSetpLtU32: compareStrictly(wasm.I32x4LeU, 1<<32-1, 0),
	row.NSetpGtU32: compareStrictly(wasm.I32x4GeU, 1, 1<<32-1),
	row.NSelp32:    selectWords,
	row.NSelp64:    selectLongs,
}

// compiles returns what compiles an operation of emu/handlers; nil if nothing does, which ends a piece.
func compiles(number uint16) emits {
	if do := special[number]; do != nil {
		return do
	}
	return kinds[vector.Operations[number].Kind]
}
