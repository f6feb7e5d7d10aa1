// Package row computes with the registers of a warp as rows of 32 lanes: the frame that they lie in, operands, the
// handlers of hot instructions, which package emu/gen writes, and the loop over those that need nothing else.
package row

import "unsafe"

// A frame holds the registers of one function activation of one warp as rows of 32 lanes, at byte offsets:
//
//	0        the predicate that is always true
//	4        the execution mask of the instruction in progress
//	8        scratch row: where a handler's result waits when only some lanes may take it
//	264      predicates, 8 bytes each: bit i is lane i; the first is always false
//	...      constant rows: immediates, addresses, special registers
//	...      register rows: 128 bytes for up to 32 bits, 256 for 64, 512 for 128 (low halves, then high halves)
//
// Every operand is such an offset, so that a handler never asks what kind of operand it has. Registers below 32 bits
// live zero-extended in 32-bit rows.
const (
	TruePred  = 0
	ExecMask  = 4
	Scratch   = 8
	Row32     = 128
	Row64     = 256
	FalsePred = Scratch + Row64
	FirstFree = FalsePred + 8
)

// U32s and U64s view a row of a frame.
func U32s(f unsafe.Pointer, off uint32) *[32]uint32 { return (*[32]uint32)(unsafe.Add(f, off)) }
func U64s(f unsafe.Pointer, off uint32) *[32]uint64 { return (*[32]uint64)(unsafe.Add(f, off)) }
func Pred(f unsafe.Pointer, off uint32) *uint32     { return (*uint32)(unsafe.Add(f, off)) }
