package machine

import (
	"warpscope/emu/mem"
	"warpscope/gpu"
	"warpscope/ptx"
)

// touch marks the memory of a resident CTA that is written without a mark: shared and local memory, and frames.
func (c *CTA) touch() {
	if c.SharedSize > 0 {
		c.Mem.Touch(c.SharedOff, uint32(c.SharedSize))
	}
	for _, w := range c.Warps {
		w.Local.touch(c.Mem)
		w.Base.touch(c.Mem)
		if !w.Ended { // as all have when the CTA is released: no function is made then
			w.Policy.Frames(&w.lanes, func(fr *Frame) { fr.touch(c.Mem) })
		}
	}
}

func (fr *Frame) touch(m *mem.Memory) { m.Touch(fr.Off, fr.Fn.Frame) }

// eachFrame visits the activations of the CTA's warps, some of them more than once.
func (c *CTA) eachFrame(do func(fr *Frame)) {
	for _, w := range c.Warps {
		do(w.Base)
		if !w.Ended {
			w.Policy.Frames(&w.lanes, do)
		}
	}
}

// SharedBytes returns the CTA's shared memory itself, not a copy.
func (c *CTA) SharedBytes() []byte { return c.Mem.Bytes(c.SharedOff, uint32(c.SharedSize)) }

// OutOfMemory stops the grid because memory has run out: at an instruction, or at the kernel's name when in is nil and
// the CTA is about to start.
func (c *CTA) OutOfMemory(in *ptx.Inst, why string) error {
	g := c.Grid
	at := g.Entry.Src.Span
	if in != nil {
		at = in.OpSpan
	}
	g.Fault = &Fault{Kind: gpu.StackOverflow, CTA: c.id, Inst: in, Pos: g.Prog.Mod.Position(int(at.Start)),
		Detail: ": " + why}
	return g.Fault
}

// release gives the CTA's memory back to the device. The last warp gives its frame back first: frames are taken from
// the end of the list, so every warp of the next CTA gets that of the same warp.
func (c *CTA) release() {
	g := c.Grid
	c.touch()
	g.Mem.Release(c.SharedOff, c.SharedSize)
	c.releaseTensor()
	for i := len(c.Warps) - 1; i >= 0; i-- {
		w := c.Warps[i]
		g.giveFrame(w.Base)
		w.Local.release(g.Mem)
	}
}

// done says whether all warps of the CTA have ended.
func (c *CTA) done() bool {
	for _, w := range c.Warps {
		if !w.Ended {
			return false
		}
	}
	return true
}

// ready says whether some warp can run.
func (c *CTA) ready() bool {
	for _, w := range c.Warps {
		if w.runnable() {
			return true
		}
	}
	return false
}

// nextWarp gives the turn to the next warp that can run. It returns false when there is none.
func (c *CTA) nextWarp() bool {
	stride := c.Grid.Dev.opts.Schedule.Stride(len(c.Warps), c.Index)
	for i := 1; i <= len(c.Warps); i++ {
		n := (c.Cur + i*stride + len(c.Warps)) % len(c.Warps)
		w := c.Warps[n]
		if w.Ended {
			continue
		}
		ready := w.runnable()
		if w.Policy.Turn(&w.lanes); ready || w.runnable() {
			c.Cur = n
			return true
		}
	}
	return false
}

// releaseLanes lets lanes go on alone that have waited only to run together with others. It returns false when there
// are none.
func (c *CTA) releaseLanes() bool {
	any := false
	c.twin = nil
	for _, w := range c.Warps {
		any = w.Policy.Release(&w.lanes) || any
	}
	return any
}

// newCTA makes a CTA resident, or stops the grid when there is no memory for it. index is linear, x fastest.
func (g *Grid) newCTA(index int) (*CTA, error) {
	threads := g.block.X * g.block.Y * g.block.Z
	c := blankCTA(g, (threads+31)/32)
	c.Index, c.SharedSize, c.Cur, c.live = index, g.sharedSize, -1, threads
	c.id = g.Grid.Index(index)
	off, ok := g.Mem.Alloc(g.sharedSize)
	if !ok {
		return nil, c.OutOfMemory(nil, g.NoMemory("the shared memory of a CTA"))
	}
	c.SharedOff = off
	g.counting.begin(c)
	g.Dev.Shadow.Forget(off, g.sharedSize)
	g.Dev.Shadow.Wrote(off+uint32(g.userShared), uint32(g.sharedSize-g.userShared)) // reserved memory is zero
	for i, w := range c.Warps {
		w.Index, w.Present = i, gpu.FullMask
		if rest := threads - i*32; rest < 32 {
			w.Present = 1<<rest - 1
		}
		w.Live = w.Present
		if why := enterKernel(w); why != "" {
			c.Warps = c.Warps[:i] // those that have a frame
			c.release()
			return nil, c.OutOfMemory(nil, why)
		}
	}
	return c, nil
}

// enterKernel gives a warp its first activation. It keeps the one that w.Base names if that would be the same. When
// there is no memory for the registers, why says so.
func enterKernel(w *Warp) (why string) {
	entry := w.CTA.Grid.Entry
	fr := Frame{Fn: entry, call: NoPC}
	if why = w.fillFrame(&fr); why != "" {
		return why
	}
	if w.Base == nil || *w.Base != fr {
		first := fr
		w.Base = &first
	}
	enterLocal(w, w.Base, w.Present)
	w.Cur = Group{PC: entry.Start, RPC: NoPC, Mask: w.Present, Frame: w.Base, Kind: gpu.KindBase, Cause: NoPC}
	return ""
}

// mostSpare is how many CTAs that have ended a grid keeps.
const mostSpare = 4

// blankCTA returns a CTA of so many warps that have no state yet. It takes one that has ended, if there is one.
func blankCTA(g *Grid, warps int) *CTA {
	if n := len(g.spare) - 1; n >= 0 {
		c := g.spare[n]
		g.spare = g.spare[:n]
		c.reset()
		return c
	}
	c := &CTA{Grid: g, Mem: g.Mem, Warps: make([]*Warp, warps)}
	list := make([]Warp, warps) // one allocation, not one for each warp
	policy := g.Dev.model().policy
	for i := range list {
		w := &list[i]
		c.Warps[i], w.CTA, w.Mem, w.Policy = w, c, g.Mem, policy()
		w.LSU.Warp, w.Host = w, w
	}
	return c
}

// reset takes all state out of a CTA and its warps. What they have allocated they keep.
func (c *CTA) reset() {
	old := *c
	*c = CTA{Grid: old.Grid, Mem: old.Mem, Warps: old.Warps, counted: old.counted}
	for i := range c.barriers {
		c.barriers[i].lanes = old.barriers[i].lanes[:0]
	}
	for _, w := range c.Warps {
		policy, base, list := w.Policy, w.Base, w.waits.list[:0]
		policy.Reset()
		*w = Warp{CTA: c, Mem: c.Mem, Policy: policy, Base: base, waits: waits{list: list}}
		w.LSU.Warp, w.Host = w, w
	}
}
