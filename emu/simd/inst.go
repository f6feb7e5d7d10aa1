package simd

import (
	"unsafe"

	"warpscope/emu/jit/wasm"
	"warpscope/emu/row"
)

// Setting is what a module depends on.
type Setting struct {
	Relaxed bool   // the host's relaxed multiply-add rounds once
	Stride  uint32 // bytes from an instruction to the next one
	Reached uint32 // the address of row.Reached
}

// Offsets of the fields of row.Inst.
const (
	atNumber = uint32(unsafe.Offsetof(row.Inst{}.Number))
	atWidth  = uint32(unsafe.Offsetof(row.Inst{}.Width))
	atHow    = uint32(unsafe.Offsetof(row.Inst{}.How))
	atD      = uint32(unsafe.Offsetof(row.Inst{}.D))
	atA      = uint32(unsafe.Offsetof(row.Inst{}.A))
	atC      = uint32(unsafe.Offsetof(row.Inst{}.C))
)

// field pushes a field of the instruction.
func field(c *wasm.Code, at uint32) {
	c.Get(inst)
	c.Mem(wasm.I32Load, 4, at)
}
