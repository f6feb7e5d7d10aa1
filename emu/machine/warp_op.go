package machine

import (
	"unsafe"

	"warpscope/emu/row"
)

// WarpOp is an operation in which lanes of a warp read what other lanes give. For the forms with .sync they come
// together; see assemble.go, which puts copies of sources and results in other places.
type WarpOp struct {
	D, P    row.Operand   // results; sinks where there are none
	S       []row.Operand // sources
	Sync    bool
	Members row.Operand // the membermask, with .sync
	Strict  bool        // the mask may not name lanes that have exited
	Do      func(w *Warp, o *WarpOp, in *Inst, f unsafe.Pointer, exec, common Mask)
}

// Run executes the operation for lanes that have come together.
func (o *WarpOp) Run(w *Warp, in *Inst, f unsafe.Pointer, exec Mask) bool {
	common := FullMask
	if o.Sync {
		common = w.checkMembers(in, o, f, exec)
		w.CTA.Grid.Dev.Shadow.syncWarp(w)
	}
	o.Do(w, o, in, f, exec, common)
	return true
}
