// Package row computes with the registers of a warp as rows of 32 lanes. It has the layout of the frame that holds
// them, operands, the handlers of frequent instructions, which package emu/gen writes, and the loop over instructions
// that need nothing else.
package row

import (
	"math"
	"unsafe"
)

// A frame holds the registers of one function activation of one warp as rows of 32 lanes, at byte offsets:
//
//	0        the predicate that is always true
//	4        the execution mask of the instruction in progress
//	8        scratch row: a handler's result, before the lanes that execute take it
//	264      predicates, 8 bytes each: bit i is lane i; the first is always false
//	...      constant rows: immediates, addresses, special registers
//	...      register rows: 128 bytes for up to 32 bits, 256 for 64, 512 for 128 (low halves, then high halves)
//
// Every operand is such an offset, so a handler need not know what kind of operand it has. Registers of less than 32
// bits are zero-extended in 32-bit rows.
const (
	TruePred  = 0
	ExecMask  = 4
	Scratch   = 8
	Row32     = 128
	Row64     = 256
	FalsePred = Scratch + Row64
	FirstFree = FalsePred + 8
)

// U32s returns the row of 32-bit lanes at an offset of the frame f.
func U32s(f unsafe.Pointer, off uint32) *[32]uint32 { return (*[32]uint32)(unsafe.Add(f, off)) }

// U64s returns the row of 64-bit lanes at an offset of the frame f.
func U64s(f unsafe.Pointer, off uint32) *[32]uint64 { return (*[32]uint64)(unsafe.Add(f, off)) }

// Pred returns the predicate at an offset of the frame f: bit i is lane i.
func Pred(f unsafe.Pointer, off uint32) *uint32 { return (*uint32)(unsafe.Add(f, off)) }

// Fill writes a value into all lanes of a row of 32 or 64 bits, eight bytes at a time.
func Fill(f unsafe.Pointer, off uint32, wide bool, v uint64) {
	words := U64s(f, off)[:]
	if !wide {
		v = v<<32 | v&math.MaxUint32
		words = words[:16]
	}
	for i := 0; i < len(words); i += 4 {
		four := words[i : i+4 : i+4]
		four[0], four[1], four[2], four[3] = v, v, v, v
	}
}
