package machine

import (
	"fmt"
	"strings"
	"unsafe"

	"warpscope/emu/mem"
	"warpscope/emu/simt"
	"warpscope/ptx"
)

// What package simt schedules, with the activations of functions here.
type (
	lanes  = simt.Lanes[*Frame]
	Group  = simt.Group[*Frame]
	policy = simt.Policy[*Frame]
)

// Warp is 32 lanes and what they have in common. What a feature of the machine needs of each warp is in a type beside
// its code, and so is the clone of that type which a snapshot keeps.
type Warp struct {
	CTA   *CTA
	Mem   *mem.Memory // of the device
	LSU   LSU
	Index int
	lanes
	Policy  policy // who runs when lanes branch apart
	Present Mask   // lanes that are threads
	Carry   Mask   // CC.CF, one bit a lane (9.7.2)
	Base    *Frame
	Local   localMemory
	Stack   stackTops // of alloca
	waits   waits
	Cluster clusterLanes
	Copies  asyncCopies
	Late    lateWork
	Wgmma   groupUse
	Quota   RegisterQuota
	turns
	inProgress
}

// turns are the ticks of the last two instructions that a warp has executed, counted from 1; 0: there is none.
type turns struct{ last, prev int64 }

// inProgress is what a warp knows while it executes an instruction. Between instructions it means nothing.
type inProgress struct {
	waited bool         // the instruction has made lanes wait
	Ran    int64        // instructions executed in this call of run, as far as special ops must know
	sides  [2]simt.Side // of the branch
	Rec    *Step        // record of the step, nil at full speed
}

// clone is a copy for another clone of its CTA.
func (w *Warp) clone(c *CTA) *Warp {
	n := *w
	n.CTA, n.Host, n.LSU, n.inProgress = c, &n, LSU{Warp: &n}, inProgress{}
	n.Policy = w.Policy.Clone()
	n.waits, n.Copies, n.Late, n.Wgmma = w.waits.clone(), w.Copies.clone(), w.Late.clone(), w.Wgmma.clone()
	return &n
}

// cost is what a clone takes.
func (w *Warp) cost() int64 {
	return sizeOf(w) + w.Policy.Bytes(frameBytes) + sliceBytes(w.waits.list) + sliceBytes(w.Wgmma.Users) +
		sliceBytes(w.Copies) + sliceBytes(w.Late)
}

func (w *Warp) FramePtr() unsafe.Pointer { return w.Mem.At(w.Cur.Frame.Off) }

func (w *Warp) exited() Mask { return w.Present &^ w.Live }

// progress says whether lanes that are apart go on by themselves, as its model has it.
func (w *Warp) progress() bool { return w.CTA.Grid.Dev.model().Progress }

// NoMemory says that the device has no memory left for something.
func (g *Grid) NoMemory(what string) string {
	return fmt.Sprintf("no device memory is left for %s (limit %s)", what, ptx.Plural(g.Mem.Limit(), "byte"))
}

// OfWarp says whether a special register differs between the warps of a grid.
func OfWarp(name string) bool {
	switch base, _, _ := strings.Cut(name, "."); base {
	case "%tid", "%warpid", "%ctaid", "%clusterid", "%cluster_ctaid", "%cluster_ctarank", "%perctamemoryoffset":
		return !strings.HasSuffix(name, ".w")
	}
	return false
}

// fillSReg fills the row of a special register of the warp (chapter 10).
func fillSReg(w *Warp, f unsafe.Pointer, c *ConstRow) {
	if !strings.HasPrefix(c.SReg, "%tid.") {
		v := sregOf(w, c.SReg)
		fillRow(f, c, func(int) uint64 { return v })
		return
	}
	b, t := w.CTA.Grid.block, w.CTA.Grid.block.Index(w.Index*32)
	fillRow(f, c, func(int) uint64 {
		v := t.Component(c.SReg)
		if t.X++; t.X == b.X {
			t.X = 0
			if t.Y++; t.Y == b.Y {
				t.Y = 0
				t.Z++
			}
		}
		return v
	})
}

// sregOf is the value of a special register that is the same for all lanes of a warp.
func sregOf(w *Warp, name string) uint64 {
	c, g := w.CTA, w.CTA.Grid
	switch name {
	case "%ctaid.x", "%ctaid.y", "%ctaid.z":
		return c.id.Component(name)
	case "%clusterid.x", "%clusterid.y", "%clusterid.z":
		cluster, _ := g.inCluster(c.id)
		return cluster.Component(name)
	case "%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_ctaid.z":
		_, at := g.inCluster(c.id)
		return at.Component(name)
	case "%cluster_ctarank":
		return uint64(c.Rank())
	case "%perctamemoryoffset":
		return g.slices + Addr(int64(g.Grid.Linear(c.id))*g.sliceSize)
	}
	return uint64(w.Index) // %warpid
}
