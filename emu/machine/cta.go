package machine

import (
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
	}
	c.eachFrame(func(fr *Frame) { c.Mem.Touch(fr.Off, fr.Fn.Frame) })
}

// eachFrame visits the activations of the CTA's warps, some of them more than once.
func (c *CTA) eachFrame(do func(fr *Frame)) {
	for _, w := range c.Warps {
		do(w.Base)
		w.Policy.Frames(&w.lanes, do)
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

// release gives the CTA's memory back to the device.
func (c *CTA) release() {
	g := c.Grid
	c.touch()
	g.Mem.Release(c.SharedOff, c.SharedSize)
	c.releaseTensor()
	for _, w := range c.Warps {
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
	for i := 1; i <= len(c.Warps); i++ {
		n := (c.Cur + i + len(c.Warps)) % len(c.Warps)
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
	for _, w := range c.Warps {
		any = w.Policy.Release(&w.lanes) || any
	}
	return any
}

// newCTA makes a CTA resident, or stops the grid when there is no memory for it. index is linear, x fastest.
func (g *Grid) newCTA(index int) (*CTA, error) {
	c := &CTA{Grid: g, Mem: g.Mem, Index: index, SharedSize: g.sharedSize, Cur: -1}
	c.id = g.Grid.Index(index)
	off, ok := g.Mem.Alloc(g.sharedSize)
	if !ok {
		return nil, c.OutOfMemory(nil, g.NoMemory("the shared memory of a CTA"))
	}
	c.SharedOff = off
	g.Dev.Shadow.forget(off, g.sharedSize)
	g.Dev.Shadow.Wrote(off+uint32(g.userShared), uint32(g.sharedSize-g.userShared)) // reserved memory is zero
	threads := g.block.X * g.block.Y * g.block.Z
	c.live = threads
	n := (threads + 31) / 32
	warps, frames := make([]Warp, n), make([]Frame, n) // two allocations, not two for each warp
	c.Warps = make([]*Warp, 0, n)
	policy := g.Dev.model().policy
	for i := range warps {
		w, fr := &warps[i], &frames[i]
		*fr = Frame{Fn: g.Entry, call: NoPC}
		w.CTA, w.Mem, w.Index, w.Policy, w.Present = c, g.Mem, i, policy(), gpu.FullMask
		w.LSU.Warp, w.Host = w, w
		if rest := threads - i*32; rest < 32 {
			w.Present = 1<<rest - 1
		}
		w.Live = w.Present
		c.Warps = append(c.Warps, w)
		if why := w.fillFrame(fr); why != "" {
			c.Warps = c.Warps[:i] // those that have a frame
			c.release()
			return nil, c.OutOfMemory(nil, why)
		}
		w.Base = fr
		w.Cur = Group{PC: g.Entry.Start, RPC: NoPC, Mask: w.Present, Frame: fr, Kind: gpu.KindBase, Cause: NoPC}
	}
	return c, nil
}
