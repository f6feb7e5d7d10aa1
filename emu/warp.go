package emu

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
	lanes  = simt.Lanes[*frame]
	group  = simt.Group[*frame]
	policy = simt.Policy[*frame]
)

// warp is 32 lanes and what they have in common. What a feature of the machine needs of each warp is in a type beside its
// code, and so is the clone of that type which a snapshot keeps.
type warp struct {
	cta   *cta
	mem   *mem.Memory // of the device
	lsu   lsu
	index int
	lanes
	policy  policy // who runs when lanes branch apart
	present Mask   // lanes that are threads
	carry   Mask   // CC.CF, one bit a lane (9.7.2)
	base    *frame
	local   localMemory
	stack   stackTops // of alloca
	waits   waits
	cluster clusterArrivals
	copies  asyncCopies
	late    lateWork
	wgmma   groupUse
	quota   registerQuota
	turns
	inProgress
}

// turns are the ticks of the last two instructions that a warp has executed, counted from 1; 0: there is none.
type turns struct{ last, prev int64 }

// inProgress is what a warp knows while it executes an instruction. Between instructions it means nothing.
type inProgress struct {
	waited bool         // the instruction has made lanes wait
	ran    int64        // instructions executed in this call of run, as far as special ops must know
	sides  [2]simt.Side // of the branch
	rec    *Step        // record of the step, nil at full speed
}

// clone is a copy for another clone of its CTA.
func (w *warp) clone(c *cta) *warp {
	n := *w
	n.cta, n.Host, n.lsu, n.inProgress = c, &n, lsu{warp: &n}, inProgress{}
	n.policy = w.policy.Clone()
	n.waits, n.copies, n.late, n.wgmma = w.waits.clone(), w.copies.clone(), w.late.clone(), w.wgmma.clone()
	return &n
}

// cost is what a clone takes.
func (w *warp) cost() int64 {
	return sizeOf(w) + w.policy.Bytes(frameBytes) + sliceBytes(w.waits.list) + sliceBytes(w.wgmma.users) +
		sliceBytes(w.copies) + sliceBytes(w.late)
}

func (w *warp) framePtr() unsafe.Pointer { return w.mem.At(w.Cur.Frame.off) }

func (w *warp) exited() Mask { return w.present &^ w.Live }

// progress says whether lanes that are apart go on by themselves, as its model has it.
func (w *warp) progress() bool { return w.cta.grid.dev.model().Progress }

// noMemory says that the device has no memory left for something.
func (g *Grid) noMemory(what string) string {
	return fmt.Sprintf("no device memory is left for %s (limit %s)", what, ptx.Plural(g.mem.Limit(), "byte"))
}

// ofWarp says whether a special register differs between the warps of a grid.
func ofWarp(name string) bool {
	switch base, _, _ := strings.Cut(name, "."); base {
	case "%tid", "%warpid", "%ctaid", "%clusterid", "%cluster_ctaid", "%cluster_ctarank", "%perctamemoryoffset":
		return !strings.HasSuffix(name, ".w")
	}
	return false
}

// fillSReg fills the row of a special register of the warp (chapter 10).
func fillSReg(w *warp, f unsafe.Pointer, c *constRow) {
	if !strings.HasPrefix(c.sreg, "%tid.") {
		v := sregOf(w, c.sreg)
		fillRow(f, c, func(int) uint64 { return v })
		return
	}
	b, t := w.cta.grid.block, w.cta.grid.block.Index(w.index*32)
	fillRow(f, c, func(int) uint64 {
		v := t.Component(c.sreg)
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
func sregOf(w *warp, name string) uint64 {
	c, g := w.cta, w.cta.grid
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
		return uint64(c.rank())
	case "%perctamemoryoffset":
		return g.slices + Addr(int64(g.grid.Linear(c.id))*g.sliceSize)
	}
	return uint64(w.index) // %warpid
}
