package emu

import (
	"slices"
	"unsafe"

	"warpscope/emu/row"
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
		fr.local = max(caller.local+caller.fn.local, alignUp(w.stack.end, 16))
		fr.depth = caller.depth + 1
	}
	if why = w.growLocal(fr.local + fn.local); why != "" {
		g.giveFrame(fr)
		return nil, why
	}
	copy(g.mem.Bytes(off, fn.frame), t)
	f := g.mem.At(off)
	for i := range fn.consts {
		c := &fn.consts[i]
		switch c.kind {
		case constLocal:
			v := uint64(fr.local) + c.value
			if c.gen {
				v += g.mem.Win.Local
			}
			fillRow(f, c, func(int) uint64 { return v })
		case constWarpSReg:
			fillSReg(w, f, c)
		}
	}
	return fr, ""
}

// framePool is the frames of a grid's functions.
type framePool struct {
	templates map[*function][]byte // what a new one holds
	free      map[*function][]uint32
}

func newFramePool() framePool {
	return framePool{templates: map[*function][]byte{}, free: map[*function][]uint32{}}
}

func (p framePool) clone() framePool {
	free := make(map[*function][]uint32, len(p.free))
	for fn, offs := range p.free {
		free[fn] = slices.Clone(offs)
	}
	p.free = free
	return p
}

func (p *framePool) cost() (n int64) {
	for _, free := range p.free {
		n += mapEntry + sliceBytes(free)
	}
	return n
}

// template is the initial contents of a function's frame: constants that are the same for all warps.
func (g *Grid) template(fn *function) []byte {
	if t, ok := g.frames.templates[fn]; ok {
		return t
	}
	words := make([]uint64, fn.frame/8)
	f := unsafe.Pointer(&words[0])
	t := unsafe.Slice((*byte)(f), fn.frame)
	*row.Pred(f, row.TruePred) = ^uint32(0)
	for i := range fn.consts {
		c := &fn.consts[i]
		v := c.value
		switch c.kind {
		case constShared:
			v += uint64(g.sharedOff[c.v])
			if c.gen {
				v += g.mem.Win.Shared
			}
		case constParam:
			v += g.params + Addr(g.pOff[c.v])
		case constSReg:
			fillRow(f, c, func(lane int) uint64 { return g.sreg(c.sreg, lane) })
			continue
		case constLocal, constWarpSReg:
			continue
		}
		fillRow(f, c, func(int) uint64 { return v })
	}
	g.frames.templates[fn] = t
	return t
}

func (g *Grid) takeFrame(fn *function) (uint32, bool) {
	if free := g.frames.free[fn]; len(free) > 0 {
		g.frames.free[fn] = free[:len(free)-1]
		return free[len(free)-1], true
	}
	return g.mem.Alloc(int64(fn.frame))
}

// GiveFrame implements simt.Host.
func (w *warp) GiveFrame(fr *frame) { w.cta.grid.giveFrame(fr) }

func (g *Grid) giveFrame(fr *frame) {
	g.mem.Touch(fr.off, fr.fn.frame)
	g.frames.free[fr.fn] = append(g.frames.free[fr.fn], fr.off)
}

// releaseFrames gives back the memory of free frames.
func (g *Grid) releaseFrames() {
	for fn, free := range g.frames.free {
		for _, off := range free {
			g.mem.Release(off, int64(fn.frame))
		}
	}
	clear(g.frames.free)
}

func fillRow(f unsafe.Pointer, c *constRow, value func(lane int) uint64) {
	for i := range 32 {
		if c.wide {
			row.U64s(f, c.off)[i] = value(i)
		} else {
			row.U32s(f, c.off)[i] = uint32(value(i))
		}
	}
}
