package gpu

import (
	"bytes"

	"warpscope/ptx"
)

// Edit is a change that a person makes to a machine that is paused: of one register of one lane, or of bytes of memory.
type Edit struct {
	CTA, Warp, Lane int
	Reg             *ptx.Reg // nil: memory
	Elem            int      // component of a vector register, or -1
	Value, Hi       uint64   // of a register; Hi has the upper half of 128 bits
	Addr            Addr     // generic, as the lane sees it
	Bytes           []byte
}

// Equal says whether two edits are the same change.
func (e *Edit) Equal(o *Edit) bool {
	return e.CTA == o.CTA && e.Warp == o.Warp && e.Lane == o.Lane && e.Reg == o.Reg && e.Elem == o.Elem &&
		e.Value == o.Value && e.Hi == o.Hi && e.Addr == o.Addr && bytes.Equal(e.Bytes, o.Bytes)
}
