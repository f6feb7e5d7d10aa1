package emu

import (
	"fmt"
	"strings"
	"unsafe"

	"warpscope/emu/simt"
	"warpscope/ptx"
)

// frame is one activation of a function: its registers and its part of each lane's local memory.
type frame struct {
	fn     *function
	off    uint32 // of the rows, in the arena
	local  int64  // base of its variables in the lanes' local memory
	caller *frame
	call   int32 // pc of the call, or noPC for the entry
	depth  int
}

// What package simt schedules, with the activations of functions here.
type (
	lanes  = simt.Lanes[*frame]
	group  = simt.Group[*frame]
	policy = simt.Policy[*frame]

	spinning = simt.Spinning
)

// warp is 32 lanes and what they have in common.
type warp struct {
	cta   *cta
	index int
	lanes
	policy    policy // who runs when lanes branch apart
	present   Mask   // lanes that are threads
	waits     []waiting
	waited    bool  // by the instruction in progress
	suspended bool  // some lanes wait at mbarriers
	carry     Mask  // CC.CF, one bit a lane (9.7.2)
	ran       int64 // instructions executed in this call of run, as far as special ops must know
	base      *frame

	localOff  uint32 // local memory: localSize bytes for each lane, one after the other
	localSize int64
	stack     [32]int64 // addresses behind what alloca has given; less than what frames need where it has given nothing
	stackEnd  int64     // the largest of these

	fences   int64   // wgmma.fence that it has executed
	products int64   // that it has issued with wgmma.mma_async
	users    []*inst // of registers of products, since the last wgmma.fence; see heldRegs

	registers, resizes int   // of the last setmaxnreg, and how many there were
	resized            *inst // the last one

	copies []asyncCopy // started, not yet made
	late   []late      // waits for the warp to wait

	last, prev int64 // ticks of the last two instructions that it has executed, counted from 1; 0: there is none

	arrived, awaiting Mask // lanes that have arrived at the cluster's barrier: in this phase, and without waiting since

	offs  [32]uint32   // offsets of the access in progress
	seg   segment      // that offs refers to
	sides [2]simt.Side // of the branch in progress
	fault *Fault
	rec   *Step // record of the step in progress, nil at full speed
}

func (w *warp) framePtr() unsafe.Pointer { return w.cta.grid.dev.arena.at(w.Cur.Frame.off) }

func (w *warp) exited() Mask { return w.present &^ w.Live }

// progress says whether lanes that are apart go on by themselves, as its model has it.
func (w *warp) progress() bool { return w.cta.grid.dev.model().Progress }

// newFrame makes an activation of fn for this warp: template rows, then what depends on warp and frame. Where there is
// no memory for it, why says so.
func (w *warp) newFrame(fn *function, caller *frame, call int32) (fr *frame, why string) {
	g := w.cta.grid
	t := g.template(fn)
	off, ok := g.takeFrame(fn)
	if !ok {
		return nil, g.noMemory("the registers of " + fn.src.Name)
	}
	fr = &frame{fn: fn, off: off, caller: caller, call: call}
	if caller != nil {
		fr.local = max(caller.local+caller.fn.local, alignUp(w.stackEnd, 16))
		fr.depth = caller.depth + 1
	}
	if why = w.growLocal(fr.local + fn.local); why != "" {
		g.giveFrame(fr)
		return nil, why
	}
	copy(g.dev.arena.bytes[off:off+fn.frame], t)
	f := g.dev.arena.at(off)
	for i := range fn.consts {
		c := &fn.consts[i]
		switch c.kind {
		case constLocal:
			v := uint64(fr.local) + c.value
			if c.gen {
				v += g.dev.win.local
			}
			fillRow(f, c, func(int) uint64 { return v })
		case constWarpSReg:
			w.fillSReg(f, c)
		}
	}
	return fr, ""
}

// noMemory says that the device has no memory left for something.
func (g *Grid) noMemory(what string) string {
	return fmt.Sprintf("no device memory is left for %s (limit %s)", what, ptx.Plural(g.dev.arena.limit, "byte"))
}

func fillRow(f unsafe.Pointer, c *constRow, value func(lane int) uint64) {
	for i := range 32 {
		if c.wide {
			row64s(f, c.off)[i] = value(i)
		} else {
			row32s(f, c.off)[i] = uint32(value(i))
		}
	}
}

// maxLocal is the local memory of a thread in bytes, as on hardware of compute capability 5.0 and later.
const maxLocal = 512 << 10

// growLocal makes room for need bytes of local memory per lane, and says why there is none.
func (w *warp) growLocal(need int64) (why string) {
	if need > maxLocal {
		return fmt.Sprintf("%s of local memory are needed, and a thread has at most %s (512 KiB)", ptx.Plural(need, "byte"),
			ptx.Plural(maxLocal, "byte"))
	}
	if need <= w.localSize {
		return ""
	}
	size := min(max(w.localSize*2, alignUp(need, 16), 64), maxLocal)
	a := w.cta.grid.dev.arena
	off, ok := a.alloc(size * 32)
	if !ok {
		return w.cta.grid.noMemory("the local memory of a warp")
	}
	for lane := range int64(32) {
		copy(a.bytes[int64(off)+lane*size:], a.bytes[int64(w.localOff)+lane*w.localSize:][:w.localSize])
	}
	if w.localSize > 0 {
		a.touch(w.localOff, uint32(w.localSize*32))
		a.release(w.localOff, w.localSize*32)
	}
	w.localOff, w.localSize = off, size
	return ""
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
func (w *warp) fillSReg(f unsafe.Pointer, c *constRow) {
	if !strings.HasPrefix(c.sreg, "%tid.") {
		v := w.sreg(c.sreg)
		fillRow(f, c, func(int) uint64 { return v })
		return
	}
	b, t := w.cta.grid.block, w.cta.grid.block.index(w.index*32)
	fillRow(f, c, func(int) uint64 {
		v := t.component(c.sreg)
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

// sreg is the value of a special register that is the same for all lanes of a warp.
func (w *warp) sreg(name string) uint64 {
	c, g := w.cta, w.cta.grid
	switch name {
	case "%ctaid.x", "%ctaid.y", "%ctaid.z":
		return c.id.component(name)
	case "%clusterid.x", "%clusterid.y", "%clusterid.z":
		cluster, _ := g.inCluster(c.id)
		return cluster.component(name)
	case "%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_ctaid.z":
		_, at := g.inCluster(c.id)
		return at.component(name)
	case "%cluster_ctarank":
		return uint64(c.rank())
	case "%perctamemoryoffset":
		return g.slices + Addr(int64(g.grid.linear(c.id))*g.sliceSize)
	}
	return uint64(w.index) // %warpid
}
