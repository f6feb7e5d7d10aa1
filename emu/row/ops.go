package row

import (
	"unsafe"

	"warpscope/emu/mem"
)

//go:generate go run ../gen -dir .

// PageShift is what generated stores need to know of the pages of memory.
const PageShift = mem.PageShift

// The values of Inst.How: how Run executes an instruction without the rest of the emulator. How is 0 when Run cannot do
// that. All but ByCall need all lanes.
const (
	ByCall       = 1 + iota // Run calls the handler
	ByFma                   // Run does what hFmaF32 does
	ByLoad32at32            // a load from shared memory of 32 or 64 bits, with addresses of 32 or 64 bits
	ByLoad32at64
	ByLoad64at32
	ByLoad64at64
)

// FirstAccess is the Number of a load from global memory with 32-bit data; see Access.
const FirstAccess = 1 << 10

// Access is the Number of a load from global memory, or of a store to shared or global memory, of lanes of width times
// 32 bits, which vectors can execute: D is the row of data, A that of addresses, C is added to them. Addresses of
// global memory have 64 bits.
func Access(store, global, wide bool, width uint8) uint16 {
	return FirstAccess + uint16(Bit(store)<<3|Bit(global)<<2|Bit(width == 2)<<1|Bit(wide))
}

// handler computes one instruction in all 32 lanes of the frame f. Its result goes to row to. A handler whose result is
// a mask stores the mask there, under the execution mask that the loop has put at ExecMask.
type handler func(f unsafe.Pointer, in *Inst, to uint32)

// Operation is a handler with the row widths of its result and operands (1: 32 bits, 2: 64 bits, 0: mask).
type Operation struct {
	Run  handler
	Rows []uint8
	How  uint8 // Inst.How
}
