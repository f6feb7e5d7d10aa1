package emu

import (
	"fmt"
	"slices"
	"unsafe"

	"warpscope/emu/matrix"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Bulk and tensor copies, wgmma, tcgen05.mma and .cp read shared memory through the async proxy. What threads have stored
// there themselves is certain to be seen only behind fence.proxy.async (9.7.9.25.2, 9.7.15.4, 9.7.16.6.5); without it
// hardware reads old bytes now and then. Here the bytes are right, and the missing fence is a finding. A fence of any
// thread counts for all stores before it.

// unfenced notes for each 16 bytes of a CTA's shared memory which instruction has stored there since the last fence.
// It is nil in programs without such instructions.
type unfenced []*inst

// smemRead is a part of a matrix in shared memory, which a product or a copy reads.
type smemRead struct {
	matrix.Descriptor
	first, lines, k int
}

// chunks visits the addresses of the 16-byte pieces, until visit returns false.
func (r *smemRead) chunks(visit func(addr uint32) bool) { r.Chunks(r.first, r.lines, r.k, visit) }

// checkMatrix notes a product or copy that reads what copies under way are still to write, or what threads have stored
// without a fence after it.
func (w *warp) checkMatrix(in *inst, lane int, r smemRead) {
	if w.cta.grid.flying == 0 && w.cta.unfenced == nil {
		return
	}
	r.chunks(func(addr uint32) bool {
		addr += w.cta.sharedOff
		return !w.lsu.checkRange(in, lane, addr, 16, false) && !w.checkFenced(in, lane, addr, 16)
	})
}

// storesGeneric notes a store of a thread to a range of the arena.
func (w *lsu) storesGeneric(in *inst, off, size uint32) {
	c := w.cta
	if at := off - c.sharedOff; c.grid.prog.proxies && at < uint32(c.sharedSize) {
		if c.unfenced == nil {
			c.unfenced = make(unfenced, c.sharedSize>>4+1)
		}
		for i := at >> 4; i <= (at+size-1)>>4; i++ {
			c.unfenced[i] = in
		}
	}
}

// storeGeneric notes stores of lanes at w.seg and w.offs.
func (w *lsu) storeGeneric(in *inst, exec Mask, size uint32) {
	if w.cta.grid.prog.proxies {
		eachLane(exec, func(lane int) { w.storesGeneric(in, w.seg.Base+w.offs[lane], size) })
	}
}

// lowerFence is fence and membar (9.7.13.4): lanes and warps take turns, so memory is always in order. Two forms end
// what would be a finding: fence.proxy.async, and fence.proxy.tensormap::generic.acquire, which has an address.
func lowerFence(l *lowerer) bool {
	switch ops := l.in.Operands; {
	case len(ops) > 0 && ops[0].Kind == ptx.OpAddr:
		ac := l.access(ops[0], isa.B64, false)
		l.i.x = &extra{run: func(w *warp, _ *inst, f unsafe.Pointer, exec Mask) bool {
			eachLane(exec, func(lane int) { w.cta.grid.state.forgetMap(laneAddr(ac, f, lane)) })
			return true
		}}
	case l.has(".async", ".async::generic") && !l.has(".global", ".sync_restrict::shared::cluster::read"):
		l.i.x = &extra{run: func(w *warp, _ *inst, _ unsafe.Pointer, _ Mask) bool {
			clear(w.cta.unfenced)
			return true
		}}
	}
	return l.plain(opNop)
}

// changedMap is a tensor map in global memory that a kernel has changed. It is read through the tensormap proxy, and so
// behind a fence.proxy.tensormap::generic.acquire that names it (9.7.13.4); that of any thread counts.
type changedMap struct {
	at Addr
	in *inst // what has changed it
}

func (s *gridState) forgetMap(at Addr) {
	s.maps = slices.DeleteFunc(s.maps, func(m changedMap) bool { return m.at == at })
}

// changesMap notes a change of the tensor map at an arena offset, if it is in global memory.
func (w *warp) changesMap(in *inst, off uint32) {
	if g := w.cta.grid; ownerOfShared(g, off) == nil {
		at := g.mem.Addr(off)
		g.state.forgetMap(at)
		g.state.maps = append(g.state.maps, changedMap{at, in})
	}
}

// checkMap notes a copy with a tensor map that no fence has handed to the tensormap proxy.
func (w *warp) checkMap(in *inst, lane int, at Addr) {
	g := w.cta.grid
	for _, m := range g.state.maps {
		if m.at == at {
			w.noteWith(in, causeMap, m.in,
				fmt.Sprintf("`%s` in lane %d of warp %d reads the tensor map at %#x, which `%s` of line %d "+
					"has changed: fence.proxy.tensormap::generic.acquire is missing between them", in.src.Opcode, lane, w.index, at,
					m.in.src.Opcode, g.position(m.in.src).Line))
		}
	}
}

// checkFenced notes a copy that reads what no fence has handed to the async proxy.
func (w *warp) checkFenced(in *inst, lane int, from, size uint32) bool {
	c := w.cta
	at := from - c.sharedOff
	if c.unfenced == nil || at >= uint32(c.sharedSize) || size == 0 {
		return false
	}
	for i := at >> 4; i <= (at+size-1)>>4; i++ {
		store := c.unfenced[i]
		if store == nil {
			continue
		}
		w.noteWith(in, causeProxy, store,
			fmt.Sprintf("`%s` in lane %d of warp %d reads shared+%d, where `%s` of line %d has stored: "+
				"fence.proxy.async is missing between them", in.src.Opcode, lane, w.index, i<<4, store.src.Opcode,
				c.grid.position(store.src).Line))
		return true
	}
	return false
}

// overwrittenMaps forgets stores that an operation of the async proxy has overwritten.
func overwrittenMaps(g *Grid, off, size uint32) {
	if !g.prog.proxies || size == 0 {
		return
	}
	if c := ownerOfShared(g, off); c != nil && c.unfenced != nil {
		at := off - c.sharedOff
		clear(c.unfenced[at>>4 : (at+size-1)>>4+1])
	}
}
