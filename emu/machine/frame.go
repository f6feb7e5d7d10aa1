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
	off, ok := g.takeFrame(fn)
	if !ok {
		return g.NoMemory("the registers of " + fn.Src.Name)
	}
	fr.Off = off
	if why = w.GrowLocal(fr.Local + fn.Local); why != "" {
		g.giveFrame(fr)
		return why
	}
	fr.fill(w)
	return ""
}

// fill gives the rows of an activation of a warp their first values.
func (fr *Frame) fill(w *Warp) {
	g := w.CTA.Grid
	t := g.template(fr.Fn)
	copy(g.Mem.Bytes(fr.Off, fr.Fn.Frame), t.bytes)
	f := g.Mem.At(fr.Off)
	for _, c := range t.local {
		v := uint64(fr.Local) + c.Value
		if c.Gen {
			v += g.Mem.Win.Local
		}
		row.Fill(f, c.Off, c.Wide, v)
	}
	for _, c := range t.ofCTA {
		row.Fill(f, c.Off, c.Wide, sregOf(w.CTA, c.SReg))
	}
	for i, values := range t.warp(g, w.Index) {
		copy(row.U32s(f, t.ofWarp[i].Off)[:], values[:])
	}
}

// warp returns the rows of ofWarp for a warp.
func (t *template) warp(g *Grid, index int) [][32]uint32 {
	if len(t.ofWarp) == 0 {
		return nil
	}
	for len(t.warps) <= index {
		rows := make([][32]uint32, len(t.ofWarp))
		for i, c := range t.ofWarp {
			rows[i] = threadRow(g, len(t.warps), c.SReg)
		}
		t.warps = append(t.warps, rows)
	}
	return t.warps[index]
}

func newFramePool(functions int) framePool {
	return framePool{templates: make([]*template, functions), free: make([][]uint32, functions)}
}

// template returns the template of a function's frames, which it makes on the first call.
func (g *Grid) template(fn *Function) *template {
	if t := g.frames.templates[fn.Number]; t != nil {
		return t
	}
	words := make([]uint64, fn.Frame/8)
	f := unsafe.Pointer(&words[0])
	t := &template{bytes: unsafe.Slice((*byte)(f), fn.Frame)}
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
		case ConstArgument:
			v = c.argument(g)
		case ConstSReg:
			for lane := range 32 {
				c.set(f, lane, g.sreg(c.SReg, lane))
			}
			continue
		case ConstLocal:
			t.local = append(t.local, c)
			continue
		case ConstCTASReg:
			t.ofCTA = append(t.ofCTA, c)
			continue
		case ConstWarpSReg:
			t.ofWarp = append(t.ofWarp, c)
			continue
		}
		row.Fill(f, c.Off, c.Wide, v)
	}
	g.frames.templates[fn.Number] = t
	return t
}

// takeFrame returns the arena offset of a frame for a function; ok is false when there is no memory.
func (g *Grid) takeFrame(fn *Function) (off uint32, ok bool) {
	free := &g.frames.free[fn.Number]
	if n := len(*free) - 1; n >= 0 {
		off, *free = (*free)[n], (*free)[:n]
		return off, true
	}
	return g.Mem.Alloc(int64(fn.Frame))
}

// GiveFrame implements simt.Host.
func (w *Warp) GiveFrame(fr *Frame) { w.CTA.Grid.giveFrame(fr) }

func (g *Grid) giveFrame(fr *Frame) {
	g.Mem.Touch(fr.Off, fr.Fn.Frame)
	fr.tidy(g.Mem)
	free := &g.frames.free[fr.Fn.Number]
	*free = append(*free, fr.Off)
}

// tidy clears what has no meaning between instructions, the execution mask and the scratch row: engines leave other
// things there.
func (fr *Frame) tidy(m *mem.Memory) {
	clear(m.Bytes(fr.Off+row.ExecMask, row.FalsePred-row.ExecMask))
}

// releaseFrames gives the memory of free frames back to the device.
func (g *Grid) releaseFrames() {
	for i, free := range g.frames.free {
		for _, off := range free {
			g.Mem.Release(off, int64(g.Prog.Funcs[i].Frame))
		}
	}
	clear(g.frames.free)
}

// argumentsChanged brings the rows of arguments up to date, after an edit of the kernel's parameters.
func argumentsChanged(g *Grid) {
	clear(g.frames.templates)
	for _, c := range g.State.CTAs {
		c.eachFrame(func(fr *Frame) {
			for i := range fr.Fn.Consts {
				if c := &fr.Fn.Consts[i]; c.Kind == ConstArgument {
					row.Fill(g.Mem.At(fr.Off), c.Off, c.Wide, c.argument(g))
				}
			}
			g.Mem.Touch(fr.Off, fr.Fn.Frame)
		})
	}
}

// argument returns the value of a row of the kind ConstArgument.
func (c *ConstRow) argument(g *Grid) uint64 {
	v, _ := mem.ReadElement(g.Mem.At(g.Mem.Off(g.params)+uint32(g.pOff[c.V])+uint32(c.Value)), c.bytes(), false)
	return v
}

// bytes returns the size of a constant in one lane.
func (c *ConstRow) bytes() uint32 {
	if c.Wide {
		return 8
	}
	return 4
}

// set writes one lane of a constant row.
func (c *ConstRow) set(f unsafe.Pointer, lane int, v uint64) {
	if c.Wide {
		row.U64s(f, c.Off)[lane] = v
	} else {
		row.U32s(f, c.Off)[lane] = uint32(v)
	}
}
