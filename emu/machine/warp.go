package machine

import (
	"fmt"
	"unsafe"

	"warpscope/emu/mem"
	"warpscope/emu/simt"
	"warpscope/ptx"
)

// What package simt schedules; its frames are the activations of functions here.
type (
	lanes  = simt.Lanes[*Frame]
	Group  = simt.Group[*Frame]
	policy = simt.Policy[*Frame]
)

// Warp is 32 lanes and what they share. The state that a feature of the machine keeps for each warp has a type beside
// the feature's code. So has the clone of that state, which a snapshot keeps.
type Warp struct {
	CTA   *CTA
	Mem   *mem.Memory // of the device
	LSU   LSU
	Index int
	lanes
	Policy  policy // decides which lanes run when they have branched apart
	Present Mask   // lanes that are threads
	Carry   Mask   // CC.CF, one bit for each lane (9.7.2)
	Base    *Frame
	Local   localMemory
	Stack   stackTops // for alloca
	waits   waits
	Cluster clusterLanes
	Copies  asyncCopies
	Late    lateWork
	Wgmma   groupUse
	Quota   RegisterQuota
	turns
	inProgress
}

// turns holds the ticks of the last two instructions that a warp has executed, counted from 1; 0 stands for none.
type turns struct{ last, prev int64 }

// inProgress is the state of a warp within an instruction. It has no meaning between instructions.
type inProgress struct {
	waited bool         // the instruction has made lanes wait
	Ran    int64        // instructions executed in this call of Run, set for Warp.special
	sides  [2]simt.Side // of the branch in progress
	Rec    *Step        // record of the step; nil at full speed
}

// clone returns a copy, which belongs to a clone of its CTA.
func (w *Warp) clone(c *CTA) *Warp {
	n := *w
	n.CTA, n.Host, n.LSU, n.inProgress = c, &n, LSU{Warp: &n}, inProgress{}
	n.Policy = w.Policy.Clone()
	n.waits, n.Copies, n.Late, n.Wgmma = w.waits.clone(), w.Copies.clone(), w.Late.clone(), w.Wgmma.clone()
	return &n
}

// cost returns the bytes that a clone takes.
func (w *Warp) cost() int64 {
	return sizeOf(w) + w.Policy.Bytes(frameBytes) + sliceBytes(w.waits.list) + sliceBytes(w.Wgmma.Users) +
		sliceBytes(w.Copies) + sliceBytes(w.Late)
}

// FramePtr returns the frame of the current group. The pointer is valid until memory grows.
func (w *Warp) FramePtr() unsafe.Pointer { return w.Mem.At(w.Cur.Frame.Off) }

func (w *Warp) exited() Mask { return w.Present &^ w.Live }

// progress says whether, in its model, lanes that are apart go on by themselves.
func (w *Warp) progress() bool { return w.CTA.Grid.Dev.model().Progress }

// Fail stops the grid with a fault of this warp at an instruction. It fills in where that was.
func (w *Warp) Fail(in *Inst, f *Fault) {
	g := w.CTA.Grid
	f.CTA, f.Warp, f.Inst = w.CTA.id, w.Index, in.Src
	if in.Src != nil {
		f.Pos = g.Prog.Mod.Position(int(in.Src.OpSpan.Start))
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
