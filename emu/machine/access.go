package machine

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/gpu"
	"warpscope/ptx"
)

// load executes ld, ldu and ld.global.nc (9.7.10.8 to 9.7.10.10). in.X.D are the registers of the elements.
func (w *LSU) load(in *Inst, f unsafe.Pointer, exec Mask) bool {
	x := in.X
	ac := x.Mem
	flying := w.CTA.Grid.Flying != 0
	if in.Width != 0 && exec == gpu.FullMask && !flying && w.loadRow(in, ac, f) {
		return true
	}
	if !w.locate(in, ac, f, exec, uint64(ac.Size)*uint64(len(x.D))) {
		return false
	}
	if flying {
		w.checkFlight(in, exec, ac.Size*uint32(len(x.D)), false)
	}
	for i := range x.D {
		if d := &x.D[i]; !d.Sink {
			w.loadElement(ac, d, f, exec, w.Seg.Base+uint32(i)*ac.Size)
		}
	}
	return true
}

// rowSegment finds the range of the arena that a row of addresses is in, going by the first address. It returns the
// range's offset, what turns an address into an offset in the range, and the largest offset for an element. in.A is the
// row of addresses. ok is false where the common case does not apply.
func (w *LSU) rowSegment(in *Inst, ac *Access, f unsafe.Pointer) (base uint32, add, limit uint64, ok bool) {
	size := uint64(ac.Size)
	if ac.Space == ptx.SharedSpace {
		n := uint64(w.CTA.SharedSize)
		return w.CTA.SharedOff, ac.Off, n - size, n >= size
	}
	first := ac.Off
	if ac.Wide {
		first += row.U64s(f, in.A)[0]
	} else {
		first += uint64(row.U32s(f, in.A)[0])
	}
	if ac.Space == ptx.GlobalSpace || ac.Space == ptx.Generic {
		if al := w.Mem.Holder(ac.near, first, size); al != nil && al.Kind == mem.Global {
			if row.Straight != nil {
				w.CTA.Grid.Dev.reach.Open(w.Mem.Addr(al.Off), al.Off, al.Size)
			}
			return al.Off, ac.Off - w.Mem.Addr(al.Off), uint64(al.Size) - size, true
		}
	}
	ok = w.segmentOf(ac, first, size) == "" && w.Seg.Stride == 0 && w.Seg.Size >= size
	return w.Seg.Base, ac.Off + w.Seg.Add, w.Seg.Size - size, ok
}

// loadRow is the common case: all lanes load one element of a row's width from one segment. in.D is the destination. It
// returns false where that is not so, and then has loaded nothing.
func (w *LSU) loadRow(in *Inst, ac *Access, f unsafe.Pointer) bool {
	base, add, limit, ok := w.rowSegment(in, ac, f)
	if !ok {
		return false
	}
	at, wide := w.Mem.At(base), ac.Wide
	switch {
	case in.Width == 1 && wide:
		return row.Load32at64(f, &in.Inst, at, add, limit)
	case in.Width == 1:
		return row.Load32at32(f, &in.Inst, at, add, limit)
	case wide:
		return row.Load64at64(f, &in.Inst, at, add, limit)
	}
	return row.Load64at32(f, &in.Inst, at, add, limit)
}

// storeRow is the common case: all lanes store one element of a row's width to one segment. in.D is the source. It
// returns false where that is not so, and then has stored nothing.
func (w *LSU) storeRow(in *Inst, ac *Access, f unsafe.Pointer) bool {
	base, add, limit, ok := w.rowSegment(in, ac, f)
	if !ok {
		return false
	}
	wide := ac.Wide
	at, dirty, skip := w.Mem.At(base), w.Mem.Marks(base), base&(mem.PageSize-1)
	switch {
	case in.Width == 1 && wide:
		return row.Store32at64(f, &in.Inst, at, dirty, skip, add, limit)
	case in.Width == 1:
		return row.Store32at32(f, &in.Inst, at, dirty, skip, add, limit)
	case wide:
		return row.Store64at64(f, &in.Inst, at, dirty, skip, add, limit)
	}
	return row.Store64at32(f, &in.Inst, at, dirty, skip, add, limit)
}

// loadElement loads one element in the lanes of exec. from is the segment's base plus the element's offset.
func (w *LSU) loadElement(ac *Access, d *row.Operand, f unsafe.Pointer, exec Mask, from uint32) {
	start := w.Mem.At(0)
	to := d.Off
	if exec != gpu.FullMask {
		to = row.Scratch
	}
	switch {
	case ac.Size == 4 && d.Bits == 32:
		row.Gather32(&w.offs, f, to, start, from)
		if exec != gpu.FullMask {
			row.Blend32(f, d.Off, to, uint32(exec))
		}
	case ac.Size == 8 && d.Bits == 64:
		row.Gather64(&w.offs, f, to, start, from)
		if exec != gpu.FullMask {
			row.Blend64(f, d.Off, to, uint32(exec))
		}
	default:
		for m := uint32(exec); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			v, hi := mem.ReadElement(unsafe.Add(start, from+w.offs[lane]), ac.Size, ac.Signed)
			d.Set(f, lane, v)
			if d.Bits == 128 {
				h := d.Hi()
				h.Set(f, lane, hi)
			}
		}
	}
}

// store executes st (9.7.10.11). in.X.S are the registers of the elements. Lanes store in ascending order.
func (w *LSU) store(in *Inst, f unsafe.Pointer, exec Mask) bool {
	x := in.X
	ac := x.Mem
	g := w.CTA.Grid
	if in.Width != 0 && exec == gpu.FullMask && storesPlain(w.Warp) && w.storeRow(in, ac, f) {
		return true
	}
	size := ac.Size * uint32(len(x.S))
	if !w.locate(in, ac, f, exec, uint64(size)) {
		return false
	}
	if g.Flying != 0 {
		w.checkFlight(in, exec, size, true)
	}
	w.noteUnfencedLanes(in, exec, size)
	before := w.recordBefore(exec, size)
	for m := uint32(exec); m != 0; m &= m - 1 {
		w.Mem.Mark(w.Seg.Base + w.offs[bits.TrailingZeros32(m)])
	}
	w.storeEach(x, f, exec)
	w.recordAfter(in, f, exec, size, before)
	return true
}

// storesPlain says whether a store only changes memory: nothing looks at what it does.
func storesPlain(w *Warp) bool {
	g := w.CTA.Grid
	return g.Flying == 0 && !g.Prog.Proxies && w.Rec == nil && g.State.Progress
}

// storeEach stores the elements. It counts as progress only if memory changes: loops in code that is not optimized keep
// their variables there.
func (w *LSU) storeEach(x *Extra, f unsafe.Pointer, exec Mask) {
	g, ac := w.CTA.Grid, x.Mem
	for m := uint32(exec); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		for i := range x.S {
			s := &x.S[i]
			if s.Sink {
				continue
			}
			hi := uint64(0)
			if s.Bits == 128 {
				h := s.Hi()
				hi = row.U64s(f, h.Off)[lane]
			}
			p := w.Mem.At(w.Seg.Base + w.offs[lane] + uint32(i)*ac.Size)
			if g.State.Progress {
				mem.WriteElement(p, ac.Size, s.Get(f, lane), hi)
				continue
			}
			old, oldHi := mem.ReadElement(p, ac.Size, false)
			mem.WriteElement(p, ac.Size, s.Get(f, lane), hi)
			now, nowHi := mem.ReadElement(p, ac.Size, false)
			g.State.Progress = now != old || nowHi != oldHi
		}
	}
}

// recordBefore copies what a store is about to overwrite, by lane. It returns nil at full speed.
func (w *LSU) recordBefore(exec Mask, size uint32) map[int][]byte {
	if w.Rec == nil {
		return nil
	}
	before := map[int][]byte{}
	for m := uint32(exec); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		off := w.Seg.Base + w.offs[lane]
		before[lane] = append([]byte(nil), w.Mem.Bytes(off, size)...)
	}
	return before
}

// recordAfter records what a store has written. before is what recordBefore returned.
func (w *LSU) recordAfter(in *Inst, f unsafe.Pointer, exec Mask, size uint32, before map[int][]byte) {
	if w.Rec == nil {
		return
	}
	g, ac := w.CTA.Grid, in.X.Mem
	for m := uint32(exec); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		off := w.Seg.Base + w.offs[lane]
		addr := ac.Addr.Get(f, lane) + ac.Off
		w.Rec.Mem = append(w.Rec.Mem, gpu.MemWrite{Space: ac.Space, Addr: g.Generic(ac.Space, addr), Lane: lane,
			Old: before[lane],
			New: append([]byte(nil), w.Mem.Bytes(off, size)...)})
	}
}

// atomic executes atom and red (9.7.15.5, 9.7.15.6). Lanes take turns in ascending order.
func (w *LSU) atomic(in *Inst, f unsafe.Pointer, exec Mask) bool {
	x := in.X
	ac := x.Mem
	if !w.locate(in, ac, f, exec, uint64(ac.Size)) {
		return false
	}
	if lanes := w.notAtomic(exec, true); lanes != 0 {
		w.MemoryFault(in, ac, gpu.IllegalAddress, LaneAddr(ac, f, FirstLane(lanes)), int(ac.Size), lanes)
		return false
	}
	if w.CTA.Grid.Flying != 0 {
		w.checkFlight(in, exec, ac.Size, true)
	}
	w.noteUnfencedLanes(in, exec, ac.Size)
	for m := uint32(exec); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		off := w.Seg.Base + w.offs[lane]
		p := w.Mem.At(off)
		w.Mem.Mark(off)
		old, _ := mem.ReadElement(p, ac.Size, false)
		var b, c uint64
		if len(x.S) > 0 {
			b = x.S[0].Get(f, lane)
		}
		if len(x.S) > 1 {
			c = x.S[1].Get(f, lane)
		}
		// The address register can be the destination, so the address is read first.
		addr := LaneAddr(ac, f, lane)
		rmw := ac.Rmw
		if w.InShared(off) {
			rmw = ac.RmwShared
		}
		now := rmw(old, b, c)
		mem.WriteElement(p, ac.Size, now, 0)
		if now != old {
			w.CTA.Grid.State.Progress = true
		}
		if len(x.D) > 0 {
			x.D[0].Set(f, lane, old)
		}
		if w.Rec != nil {
			w.recordAtomic(ac, lane, addr, old, w.Mem.Bytes(off, ac.Size))
		}
	}
	return true
}

// recordAtomic records what a lane's atomic has changed at an address of the access's space.
func (w *LSU) recordAtomic(ac *Access, lane int, addr Addr, old uint64, now []byte) {
	var was [8]byte
	binary.LittleEndian.PutUint64(was[:], old)
	w.Rec.Mem = append(w.Rec.Mem, gpu.MemWrite{Space: ac.Space, Addr: w.CTA.Grid.Generic(ac.Space, addr), Lane: lane,
		Old: was[:ac.Size],
		New: append([]byte(nil), now...)})
}
