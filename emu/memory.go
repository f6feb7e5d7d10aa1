package emu

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unsafe"

	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// lsu is the load/store unit of a warp: it makes the accesses of loads, stores and atomics.
type lsu struct {
	*warp
	offs [32]uint32  // offsets of the access in progress
	seg  mem.Segment // that offs refers to
}

// segment finds the range that an address of the access's space belongs to, and leaves it in w.seg.
func (w *lsu) segment(space ptx.Space, a Addr, size uint64, write bool) FaultKind {
	win := &w.mem.Win
	switch space {
	case ptx.SharedSpace:
		return w.sharedSegment(0)
	case clusterSpace:
		return w.clusterSegment(a, 0)
	case ptx.LocalSpace:
		return w.localSegment(0)
	case ptx.ParamSpace:
		if a < win.Global { // a function's parameter lies in local memory
			return w.localSegment(0)
		}
	case ptx.Generic:
		switch {
		case win.InShared(a):
			return w.clusterSegment(a, -win.Shared)
		case win.InLocal(a):
			return w.localSegment(-win.Local)
		case a < win.Global:
			return IllegalAddress
		}
	}
	al := w.mem.Find(a, size)
	switch {
	case al == nil && w.mem.Beyond(a):
		return IllegalAddress
	case al == nil:
		return OutOfBounds
	case write && al.Kind != mem.Global, space == ptx.ConstSpace && al.Kind != mem.Const,
		space == ptx.GlobalSpace && al.Kind == mem.Const:
		return IllegalAddress
	}
	w.seg = w.mem.Segment(al)
	return ""
}

// segmentOf is segment for an instruction that finds its allocation again where it was the last time.
func (w *lsu) segmentOf(ac *access, a Addr, size uint64) FaultKind {
	w.mem.LookFirst(ac.near)
	kind := w.segment(ac.space, a, size, ac.write)
	ac.near = w.mem.Near()
	return kind
}

func (w *lsu) sharedSegment(add uint64) FaultKind {
	w.seg = mem.Segment{Base: w.cta.sharedOff, Add: add, Size: uint64(w.cta.sharedSize)}
	return ""
}

func (w *lsu) localSegment(add uint64) FaultKind {
	fr := w.Cur.Frame
	w.seg = mem.Segment{Base: w.local.off, Add: add, Size: uint64(max(fr.local+fr.fn.localUsed, w.stack.end)),
		Stride: uint32(w.local.size)}
	return ""
}

// locate turns the addresses of an access of size bytes per lane into offsets from w.seg.Base, in w.offs; lanes outside
// exec get 0. It reports a fault when a lane may not make the access.
func (w *lsu) locate(in *inst, ac *access, f unsafe.Pointer, exec Mask, size uint64) bool {
	first := ac.off
	if ac.space != ptx.SharedSpace {
		first += ac.addr.Get(f, firstLane(exec))
	}
	if w.segmentOf(ac, first, size) == "" && w.seg.Size >= size {
		var bad, or uint64
		if ac.wide {
			bad, or = row.Offsets64(&w.offs, f, ac.addr.Off, ac.off+w.seg.Add, w.seg.Size-size, uint32(exec))
		} else {
			bad, or = row.Offsets32(&w.offs, f, ac.addr.Off, ac.off+w.seg.Add, w.seg.Size-size, uint32(exec))
		}
		if bad>>63 == 0 && or&(size-1) == 0 {
			if w.seg.Stride != 0 {
				for i := range w.offs {
					w.offs[i] += uint32(i) * w.seg.Stride
				}
			}
			return true
		}
	}
	return w.locateEach(in, ac, f, exec, size)
}

// locateEach is locate for lanes that do not share a segment, and for those that fault.
func (w *lsu) locateEach(in *inst, ac *access, f unsafe.Pointer, exec Mask, size uint64) bool {
	w.offs = [32]uint32{}
	var lanes Mask
	var kind FaultKind
	var at Addr
	for m := uint32(exec); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		a := ac.addr.Get(f, lane) + ac.off
		off, k := w.locateOne(ac.space, a, size, ac.write, lane)
		if k != "" && (kind == "" || k == kind) {
			if kind == "" {
				kind, at = k, a
			}
			lanes |= 1 << lane
		}
		w.offs[lane] = off
	}
	w.seg = mem.Segment{}
	if kind == "" {
		return true
	}
	w.memoryFault(in, ac, kind, at, int(size), lanes)
	return false
}

// locateOne is the arena offset of one lane's access.
func (w *lsu) locateOne(space ptx.Space, a Addr, size uint64, write bool, lane int) (uint32, FaultKind) {
	if a&(size-1) != 0 {
		return 0, Misaligned
	}
	if kind := w.segment(space, a, size, write); kind != "" {
		return 0, kind
	}
	off, ok := w.seg.Place(a, size, lane)
	if !ok {
		return 0, OutOfBounds
	}
	return off, ""
}

func (w *lsu) memoryFault(in *inst, ac *access, kind FaultKind, a Addr, size int, lanes Mask) {
	space, win := spaceName(ac.space), &w.mem.Win
	detail := ""
	switch {
	case kind == Misaligned:
		detail = fmt.Sprintf("; it must be a multiple of %d", size)
	case kind == IllegalAddress && w.isShared(ac.space, a):
		detail = w.noPeer(a)
	case w.isShared(ac.space, a):
		detail = "; the CTA has " + ptx.Plural(w.cta.sharedSize, "byte") + " of shared memory"
	case ac.space == ptx.LocalSpace:
		detail = "; local memory in use: " + ptx.Plural(w.Cur.Frame.local+w.Cur.Frame.fn.localUsed, "byte")
	case kind == IllegalAddress && ac.write && w.mem.Find(a, uint64(size)) != nil:
		detail = "; this memory is read-only"
	case kind == IllegalAddress && ac.space == ptx.Generic && win.InLocal(a):
		detail = fmt.Sprintf("; this is local memory, which `%s` cannot reach", in.src.Opcode)
	case kind == IllegalAddress && ac.space == ptx.Generic && w.meant(a) != "":
		detail = w.meant(a)
	default:
		detail = w.cta.grid.dev.nearest(a)
	}
	w.fail(in, &Fault{Kind: kind, Lanes: lanes, Space: space, Addr: a, Size: size, Detail: detail})
}

// meant says what a generic address would be if it were an address of shared or local memory that has not been made
// generic (9.7.9.20); "" when it would be neither.
func (w *warp) meant(a Addr) string {
	const rule = "; it is in no window, but as a %[1]s address it is %[2]s: make it generic with cvta.%[1]s"
	for _, v := range w.cta.grid.sharedVars {
		size := v.Var.Size
		if size == 0 {
			size = w.cta.sharedSize - v.Off
		}
		if at := int64(a) - v.Off; at >= 0 && at < size {
			name := ptx.DisplayName(v.Var.Name)
			if at > 0 {
				name += fmt.Sprintf("+%d", at)
			}
			return fmt.Sprintf(rule, "shared", name)
		}
	}
	return ""
}

// isShared says whether an address is meant for shared memory.
func (w *lsu) isShared(space ptx.Space, a Addr) bool {
	return space == ptx.SharedSpace || space == clusterSpace ||
		space == ptx.Generic && w.mem.Win.InShared(a)
}

// inShared says whether an arena offset is in shared memory, the own or that of another CTA of the cluster.
func (w *lsu) inShared(off uint32) bool {
	return off-w.cta.sharedOff < uint32(w.cta.sharedSize) || w.cta.grid.clusterSize() > 1 && ownerOfShared(w.cta.grid, off) != nil
}

func spaceName(s ptx.Space) string {
	switch s {
	case ptx.SharedSpace:
		return ".shared"
	case clusterSpace:
		return ".shared::cluster"
	case ptx.LocalSpace:
		return ".local"
	case ptx.ParamSpace:
		return ".param"
	case ptx.ConstSpace:
		return ".const"
	case ptx.GlobalSpace:
		return ".global"
	}
	return "generic"
}

// load is ld, ldu and ld.global.nc (9.7.9.8 to 9.7.9.10): x.d are the elements' registers.
func (w *lsu) load(in *inst, f unsafe.Pointer, exec Mask) bool {
	x := in.x
	ac := x.mem
	flying := w.cta.grid.flying != 0
	if in.Width != 0 && exec == FullMask && !flying && w.loadRow(in, ac, f) {
		return true
	}
	if !w.locate(in, ac, f, exec, uint64(ac.size)*uint64(len(x.d))) {
		return false
	}
	if flying {
		w.checkFlight(in, exec, ac.size*uint32(len(x.d)), false)
	}
	for i := range x.d {
		if d := &x.d[i]; !d.Sink {
			w.loadElement(ac, d, f, exec, w.seg.Base+uint32(i)*ac.size)
		}
	}
	return true
}

// rowSegment finds the range of the arena that a row of addresses lies in, as far as the first one tells: its offset,
// what added to an address gives the place in it, and the largest place for an element. in.a is the addresses.
func (w *lsu) rowSegment(in *inst, ac *access, f unsafe.Pointer) (base uint32, add, limit uint64, ok bool) {
	size := uint64(ac.size)
	if ac.space == ptx.SharedSpace {
		n := uint64(w.cta.sharedSize)
		return w.cta.sharedOff, ac.off, n - size, n >= size
	}
	first := ac.off
	if ac.wide {
		first += row.U64s(f, in.A)[0]
	} else {
		first += uint64(row.U32s(f, in.A)[0])
	}
	ok = w.segmentOf(ac, first, size) == "" && w.seg.Stride == 0 && w.seg.Size >= size
	return w.seg.Base, ac.off + w.seg.Add, w.seg.Size - size, ok
}

// loadRow is the common case: all lanes load one element of a row's width from one segment. in.d is the destination.
func (w *lsu) loadRow(in *inst, ac *access, f unsafe.Pointer) bool {
	base, add, limit, ok := w.rowSegment(in, ac, f)
	if !ok {
		return false
	}
	at, wide := w.mem.At(base), ac.wide
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

// storeRow is the common case: all lanes store one element of a row's width to one segment. in.d is the source.
func (w *lsu) storeRow(in *inst, ac *access, f unsafe.Pointer) bool {
	base, add, limit, ok := w.rowSegment(in, ac, f)
	if !ok {
		return false
	}
	wide := ac.wide
	at, dirty, skip := w.mem.At(base), w.mem.Marks(base), base&(mem.PageSize-1)
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

func (w *lsu) loadElement(ac *access, d *row.Operand, f unsafe.Pointer, exec Mask, from uint32) {
	start := w.mem.At(0)
	to := d.Off
	if exec != FullMask {
		to = row.Scratch
	}
	switch {
	case ac.size == 4 && d.Bits == 32:
		row.Gather32(&w.offs, f, to, start, from)
		if exec != FullMask {
			row.Blend32(f, d.Off, to, uint32(exec))
		}
	case ac.size == 8 && d.Bits == 64:
		row.Gather64(&w.offs, f, to, start, from)
		if exec != FullMask {
			row.Blend64(f, d.Off, to, uint32(exec))
		}
	default:
		for m := uint32(exec); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			v, hi := readElement(unsafe.Add(start, from+w.offs[lane]), ac.size, ac.signed)
			d.Set(f, lane, v)
			if d.Bits == 128 {
				h := d.Hi()
				h.Set(f, lane, hi)
			}
		}
	}
}

// readElement reads a little-endian element, extended to 64 bits; hi is the upper half of a 128-bit one.
func readElement(p unsafe.Pointer, size uint32, signed bool) (v, hi uint64) {
	switch size {
	case 1:
		v = uint64(*(*uint8)(p))
		if signed {
			v = uint64(int8(v))
		}
	case 2:
		v = uint64(*(*uint16)(p))
		if signed {
			v = uint64(int16(v))
		}
	case 4:
		v = uint64(*(*uint32)(p))
		if signed {
			v = uint64(int32(v))
		}
	case 8:
		v = *(*uint64)(p)
	case 16:
		v, hi = *(*uint64)(p), *(*uint64)(unsafe.Add(p, 8))
	}
	return v, hi
}

func writeElement(p unsafe.Pointer, size uint32, v, hi uint64) {
	switch size {
	case 1:
		*(*uint8)(p) = uint8(v)
	case 2:
		*(*uint16)(p) = uint16(v)
	case 4:
		*(*uint32)(p) = uint32(v)
	case 8:
		*(*uint64)(p) = v
	case 16:
		*(*uint64)(p), *(*uint64)(unsafe.Add(p, 8)) = v, hi
	}
}

// store is st (9.7.9.11): x.s are the elements' registers. Lanes store in ascending order.
func (w *lsu) store(in *inst, f unsafe.Pointer, exec Mask) bool {
	x := in.x
	ac := x.mem
	g := w.cta.grid
	plain := g.flying == 0 && !g.prog.proxies && w.rec == nil
	if in.Width != 0 && exec == FullMask && plain && g.state.progress && w.storeRow(in, ac, f) {
		return true
	}
	size := ac.size * uint32(len(x.s))
	if !w.locate(in, ac, f, exec, uint64(size)) {
		return false
	}
	if g.flying != 0 {
		w.checkFlight(in, exec, size, true)
	}
	w.storeGeneric(in, exec, size)
	before := w.recordBefore(exec, size)
	for m := uint32(exec); m != 0; m &= m - 1 {
		w.mem.Mark(w.seg.Base + w.offs[bits.TrailingZeros32(m)])
	}
	w.storeEach(x, f, exec)
	w.recordAfter(in, f, exec, size, before)
	return true
}

// storeEach stores the elements. What memory held before is no progress: loops of code that is not optimized keep their
// variables there.
func (w *lsu) storeEach(x *extra, f unsafe.Pointer, exec Mask) {
	g, ac := w.cta.grid, x.mem
	for m := uint32(exec); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		for i := range x.s {
			s := &x.s[i]
			if s.Sink {
				continue
			}
			hi := uint64(0)
			if s.Bits == 128 {
				h := s.Hi()
				hi = row.U64s(f, h.Off)[lane]
			}
			p := w.mem.At(w.seg.Base + w.offs[lane] + uint32(i)*ac.size)
			if g.state.progress {
				writeElement(p, ac.size, s.Get(f, lane), hi)
				continue
			}
			old, oldHi := readElement(p, ac.size, false)
			writeElement(p, ac.size, s.Get(f, lane), hi)
			now, nowHi := readElement(p, ac.size, false)
			g.state.progress = now != old || nowHi != oldHi
		}
	}
}

// generic is the generic address of an address in a state space.
func (g *Grid) generic(space ptx.Space, a Addr) Addr {
	switch {
	case space == ptx.SharedSpace, space == clusterSpace:
		return g.mem.Win.Shared + a
	case space == ptx.LocalSpace, space == ptx.ParamSpace && a < g.mem.Win.Global:
		return g.mem.Win.Local + a
	}
	return a
}

// recordBefore copies what a store is about to overwrite; nil at full speed.
func (w *lsu) recordBefore(exec Mask, size uint32) map[int][]byte {
	if w.rec == nil {
		return nil
	}
	before := map[int][]byte{}
	for m := uint32(exec); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		off := w.seg.Base + w.offs[lane]
		before[lane] = append([]byte(nil), w.mem.Bytes(off, size)...)
	}
	return before
}

func (w *lsu) recordAfter(in *inst, f unsafe.Pointer, exec Mask, size uint32, before map[int][]byte) {
	if w.rec == nil {
		return
	}
	g, ac := w.cta.grid, in.x.mem
	for m := uint32(exec); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		off := w.seg.Base + w.offs[lane]
		addr := ac.addr.Get(f, lane) + ac.off
		w.rec.Mem = append(w.rec.Mem, MemWrite{Space: ac.space, Addr: g.generic(ac.space, addr), Lane: lane, Old: before[lane],
			New: append([]byte(nil), w.mem.Bytes(off, size)...)})
	}
}

// atomic is atom and red (9.7.13.5, 9.7.13.6): lanes take turns in ascending order.
func (w *lsu) atomic(in *inst, f unsafe.Pointer, exec Mask) bool {
	x := in.x
	ac := x.mem
	if !w.locate(in, ac, f, exec, uint64(ac.size)) {
		return false
	}
	if lanes := w.notAtomic(exec, true); lanes != 0 {
		w.memoryFault(in, ac, IllegalAddress, laneAddr(ac, f, firstLane(lanes)), int(ac.size), lanes)
		return false
	}
	if w.cta.grid.flying != 0 {
		w.checkFlight(in, exec, ac.size, true)
	}
	w.storeGeneric(in, exec, ac.size)
	for m := uint32(exec); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		off := w.seg.Base + w.offs[lane]
		p := w.mem.At(off)
		w.mem.Mark(off)
		old, _ := readElement(p, ac.size, false)
		var b, c uint64
		if len(x.s) > 0 {
			b = x.s[0].Get(f, lane)
		}
		if len(x.s) > 1 {
			c = x.s[1].Get(f, lane)
		}
		// The address register may be the destination: it is read before.
		addr := laneAddr(ac, f, lane)
		rmw := ac.rmw
		if w.inShared(off) {
			rmw = ac.rmwShared
		}
		now := rmw(old, b, c)
		writeElement(p, ac.size, now, 0)
		if now != old {
			w.cta.grid.state.progress = true
		}
		if len(x.d) > 0 {
			x.d[0].Set(f, lane, old)
		}
		if w.rec != nil {
			w.recordAtomic(ac, lane, addr, old, w.mem.Bytes(off, ac.size))
		}
	}
	return true
}

func laneAddr(ac *access, f unsafe.Pointer, lane int) Addr { return ac.addr.Get(f, lane) + ac.off }

func (w *lsu) recordAtomic(ac *access, lane int, addr Addr, old uint64, now []byte) {
	var was [8]byte
	binary.LittleEndian.PutUint64(was[:], old)
	w.rec.Mem = append(w.rec.Mem, MemWrite{Space: ac.space, Addr: w.cta.grid.generic(ac.space, addr), Lane: lane, Old: was[:ac.size],
		New: append([]byte(nil), now...)})
}
