package machine

import (
	"unsafe"

	"warpscope/emu/mem"
	"warpscope/emu/row"
)

// newFrame makes an activation of fn that is called at a pc. When there is no memory for it, why says so.
func (w *Warp) newFrame(fn *Function, caller *Frame, call int32) (fr *Frame, why string) {
	fr = &Frame{Fn: fn, caller: caller, call: call, depth: caller.depth + 1}
	fr.Local = max(caller.Local+caller.Fn.Local, AlignUp(w.Stack.end, 16))
	return fr, w.fillFrame(fr)
}

// fillFrame gives an activation its registers. It copies the template and fills the rows that depend on the warp or the
// frame. When there is no memory for them, why says so.
func (w *Warp) fillFrame(fr *Frame) (why string) {
	g, fn := w.CTA.Grid, fr.Fn
	t := g.template(fn)
	off, ok := g.takeFrame(fn)
	if !ok {
		return g.NoMemory("the registers of " + fn.Src.Name)
	}
	fr.Off = off
	if why = w.GrowLocal(fr.Local + fn.Local); why != "" {
		g.giveFrame(fr)
		return why
	}
	copy(g.Mem.Bytes(off, fn.Frame), t)
	f := g.Mem.At(off)
	for i := range fn.Consts {
		c := &fn.Consts[i]
		switch c.Kind {
		case ConstLocal:
			v := uint64(fr.Local) + c.Value
			if c.Gen {
				v += g.Mem.Win.Local
			}
			fillRow(f, c, func(int) uint64 { return v })
		case ConstWarpSReg:
			fillSReg(w, f, c)
		}
	}
	return ""
}

func newFramePool() framePool {
	return framePool{templates: map[*Function][]byte{}, free: map[*Function][]uint32{}}
}

// template returns the initial contents of a function's frame: the constants that are the same for all warps.
func (g *Grid) template(fn *Function) []byte {
	if t, ok := g.frames.templates[fn]; ok {
		return t
	}
	words := make([]uint64, fn.Frame/8)
	f := unsafe.Pointer(&words[0])
	t := unsafe.Slice((*byte)(f), fn.Frame)
	*row.Pred(f, row.TruePred) = ^uint32(0)
	for i := range fn.Consts {
		c := &fn.Consts[i]
		v := c.Value
		switch c.Kind {
		case ConstShared:
			v += uint64(g.sharedOff[c.V])
			if c.Gen {
				v += g.Mem.Win.Shared
			}
		case ConstParam:
			v += g.params + Addr(g.pOff[c.V])
		case ConstSReg:
			fillRow(f, c, func(lane int) uint64 { return g.sreg(c.SReg, lane) })
			continue
		case ConstLocal, ConstWarpSReg:
			continue
		}
		fillRow(f, c, func(int) uint64 { return v })
	}
	g.frames.templates[fn] = t
	return t
}

// takeFrame returns the arena offset of a frame for a function; ok is false when there is no memory.
func (g *Grid) takeFrame(fn *Function) (off uint32, ok bool) {
	if free := g.frames.free[fn]; len(free) > 0 {
		g.frames.free[fn] = free[:len(free)-1]
		return free[len(free)-1], true
	}
	return g.Mem.Alloc(int64(fn.Frame))
}

// GiveFrame implements simt.Host.
func (w *Warp) GiveFrame(fr *Frame) { w.CTA.Grid.giveFrame(fr) }

func (g *Grid) giveFrame(fr *Frame) {
	g.Mem.Touch(fr.Off, fr.Fn.Frame)
	fr.tidy(g.Mem)
	g.frames.free[fr.Fn] = append(g.frames.free[fr.Fn], fr.Off)
}

// tidy clears what has no meaning between instructions, the execution mask and the scratch row: engines leave other
// things there.
func (fr *Frame) tidy(m *mem.Memory) {
	clear(m.Bytes(fr.Off+row.ExecMask, row.FalsePred-row.ExecMask))
}

// releaseFrames gives the memory of free frames back to the device.
func (g *Grid) releaseFrames() {
	for fn, free := range g.frames.free {
		for _, off := range free {
			g.Mem.Release(off, int64(fn.Frame))
		}
	}
	clear(g.frames.free)
}
