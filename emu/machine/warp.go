package machine

import (
	"fmt"
	"math/bits"
	"unsafe"

	"warpscope/gpu"
	"warpscope/ptx"
)

// FramePtr returns the frame of the current group. The pointer is valid until memory grows.
func (w *Warp) FramePtr() unsafe.Pointer { return w.Mem.At(w.Cur.Frame.Off) }

func (w *Warp) exited() Mask { return w.Present &^ w.Live }

// progress says whether, in its model, lanes that are apart go on by themselves.
func (w *Warp) progress() bool { return w.CTA.Grid.Dev.model().Progress }

// groups says whether lanes of the warp that are apart are groups, which wait at barriers for themselves.
func groups(w *Warp) bool { return w.CTA.Grid.Dev.model().Groups }

// Fail stops the grid with a fault of this warp at an instruction. It fills in where that was.
func (w *Warp) Fail(in *Inst, f *Fault) {
	g := w.CTA.Grid
	f.CTA, f.Warp, f.Inst = w.CTA.id, w.Index, in.Src
	if in.Src != nil {
		f.Pos = g.Position(in.Src)
	}
	if g.State.Refused && f.NearNull() {
		f.Detail += "; malloc has found no memory before this and has returned 0"
	}
	g.Fault = f
	if w.Rec != nil {
		w.Rec.Fault = f
	}
}

// NoMemory returns the message that no device memory is left for something.
func (g *Grid) NoMemory(what string) string {
	return fmt.Sprintf("no device memory is left for %s (limit %s)", what, ptx.Plural(g.Mem.Limit(), "byte"))
}

// Illegal stops the warp because an instruction cannot have such operands. It returns false.
func Illegal(w *Warp, in *Inst, lanes Mask, format string, args ...any) bool {
	w.Fail(in, &Fault{Kind: gpu.IllegalInstruction, Lanes: lanes, Detail: fmt.Sprintf(format, args...)})
	return false
}

// Trap executes trap (9.7.21.4): it stops the grid. It returns false.
func (w *Warp) Trap(in *Inst, _ unsafe.Pointer, exec Mask) bool {
	w.Fail(in, &Fault{Kind: gpu.Trap, Lanes: exec})
	return false
}

// FirstLane returns the lowest lane of a mask; 32 when the mask is empty.
func FirstLane(m Mask) int { return bits.TrailingZeros32(uint32(m)) }

// EachLane calls do for each lane of exec, in ascending order.
func EachLane(exec Mask, do func(lane int)) {
	for m := uint32(exec); m != 0; m &= m - 1 {
		do(bits.TrailingZeros32(m))
	}
}
