package machine

import (
	"fmt"
	"unsafe"

	"warpscope/emu/causes"
	"warpscope/gpu"
)

// Run executes the operation for lanes that have come together. It returns true: it cannot fail.
func (o *WarpOp) Run(w *Warp, in *Inst, f unsafe.Pointer, exec Mask) bool {
	common := gpu.FullMask
	if o.Sync {
		common = w.checkMembers(in, o, f, exec)
		if o.Strict {
			meetLanes(w, exec)
		}
	}
	o.Do(w, o, in, f, exec, common)
	return true
}

// compareMasks notes lanes that name each other in different masks: all lanes of a membermask must give the same one
// (9.7.10.6, 9.7.15.10).
func compareMasks(w *Warp, in *Inst, o *WarpOp, f unsafe.Pointer, exec Mask) {
	EachLane(exec, func(lane int) {
		m := Mask(o.Members.Get(f, lane))
		EachLane(m&exec, func(other int) {
			if n := Mask(o.Members.Get(f, other)); n != m && !w.CTA.Grid.Noted(in, causes.Masks) {
				w.Note(in, causes.Masks, fmt.Sprintf("`%s`: the mask %08x of lane %d of warp %d names lane %d, whose own mask is "+
					"%08x: all lanes of a mask must give the same mask, else the result is undefined; give lanes that "+
					"exchange nothing masks without common lanes", in.Src.Opcode, uint32(m), lane, w.Index, other, uint32(n)))
			}
		})
	})
}

// checkMembers notes misuse of a membermask, and returns the lanes that are in all masks. Warp operations with .sync
// are undefined for a lane that is not in its own mask. They wait for the lanes of the mask that have not exited, which
// must come (9.7.10.6, 9.7.15.10); bar.warp.sync waits for all of them (9.7.15.2). On the SIMT stack, lanes that are
// elsewhere cannot come, and lanes that have exited never will: the operation goes on with the lanes that are there.
func (w *Warp) checkMembers(in *Inst, o *WarpOp, f unsafe.Pointer, exec Mask) Mask {
	var stray, named Mask
	common := gpu.FullMask
	EachLane(exec, func(lane int) {
		m := Mask(o.Members.Get(f, lane))
		stray |= exec & (1 << lane) &^ m
		named |= m
		common &= m
	})
	if stray != 0 {
		w.Note(in, causes.Stray,
			fmt.Sprintf("`%s` is executed by %s of warp %d outside its own mask: the result is undefined",
				in.Src.Opcode, stray.Lanes(), w.Index))
	}
	if named != common && stray == 0 {
		compareMasks(w, in, o, f, exec)
	}
	if gone := named &^ w.Live; gone != 0 && o.Strict {
		w.Note(in, causes.Gone, fmt.Sprintf("the mask %08x of `%s` names %s of warp %d, gone or never there",
			uint32(named), in.Src.Opcode, gone.Lanes(), w.Index))
	}
	if elsewhere := named & w.Live &^ exec; elsewhere != 0 {
		w.Note(in, causes.Elsewhere,
			fmt.Sprintf("the mask %08x of `%s` names %s of warp %d, elsewhere in the program: only %s came",
				uint32(named), in.Src.Opcode, elsewhere.Lanes(), w.Index, exec.Lanes()))
	}
	return common
}
