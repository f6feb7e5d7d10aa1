package emu

import (
	"fmt"
	"slices"
	"unsafe"

	"warpscope/emu/causes"
	"warpscope/emu/machine"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// checkMatrix notes a product or copy that reads bytes which a copy under way has yet to write, or which threads have
// stored without a fence after the store.
func checkMatrix(w *machine.Warp, in *machine.Inst, lane int, r machine.SmemRead) {
	if w.CTA.Grid.Flying == 0 && w.CTA.Unfenced == nil {
		return
	}
	r.EachPiece(func(addr uint32) bool {
		addr += w.CTA.SharedOff
		return !w.LSU.CheckRange(in, lane, addr, 16, false) && !checkFenced(w, in, lane, addr, 16)
	})
}

// lowerFence is fence and membar (9.7.15.4). Lanes and warps take turns, so memory is always in order, and most fences
// have nothing to do. Two forms prevent a finding: fence.proxy.async, and fence.proxy.tensormap::generic.acquire, which
// has an address.
func lowerFence(l *lowerer) bool {
	l.i.X = &machine.Extra{Fences: true}
	switch ops := l.in.Operands; {
	case len(ops) > 0 && ops[0].Kind == ptx.OpAddr:
		ac := l.access(ops[0], isa.B64, false)
		l.i.X.Run = func(w *machine.Warp, _ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
			machine.EachLane(exec, func(lane int) { forgetMap(&w.CTA.Grid.State, machine.LaneAddr(ac, f, lane)) })
			return true
		}
	case l.has(".async", ".async::generic") && !l.has(".global", ".sync_restrict::shared::cluster::read"):
		l.i.X.Run = func(w *machine.Warp, _ *machine.Inst, _ unsafe.Pointer, _ Mask) bool {
			clear(w.CTA.Unfenced)
			return true
		}
	}
	return l.plain(machine.OpNop)
}

// forgetMap drops the change of the tensor map at an address: it is no finding any more.
func forgetMap(s *machine.GridState, at Addr) {
	s.Maps = slices.DeleteFunc(s.Maps, func(m machine.ChangedMap) bool { return m.At == at })
}

// changesMap records a change of the tensor map at an arena offset, if it is in global memory.
func changesMap(w *machine.Warp, in *machine.Inst, off uint32) {
	if g := w.CTA.Grid; machine.OwnerOfShared(g, off) == nil {
		at := g.Mem.Addr(off)
		forgetMap(&g.State, at)
		g.State.Maps = append(g.State.Maps, machine.ChangedMap{At: at, In: in})
	}
}

// checkMap notes a copy with a tensor map that no fence has handed to the tensormap proxy.
func checkMap(w *machine.Warp, in *machine.Inst, lane int, at Addr) {
	g := w.CTA.Grid
	for _, m := range g.State.Maps {
		if m.At == at {
			w.NoteWith(in, causes.Map, m.In,
				fmt.Sprintf("`%s` in lane %d of warp %d reads the tensor map at %#x, which `%s` of line %d "+
					"has changed: fence.proxy.tensormap::generic.acquire is missing between them", in.Src.Opcode, lane, w.Index, at,
					m.In.Src.Opcode, g.Position(m.In.Src).Line))
		}
	}
}

// checkFenced notes a copy that reads what no fence has handed to the async proxy.
func checkFenced(w *machine.Warp, in *machine.Inst, lane int, from, size uint32) bool {
	c := w.CTA
	at := from - c.SharedOff
	if c.Unfenced == nil || at >= uint32(c.SharedSize) || size == 0 {
		return false
	}
	for i := at >> 4; i <= (at+size-1)>>4; i++ {
		store := c.Unfenced[i]
		if store == nil {
			continue
		}
		w.NoteWith(in, causes.Proxy, store,
			fmt.Sprintf("`%s` in lane %d of warp %d reads shared+%d, where `%s` of line %d has stored: "+
				"fence.proxy.async is missing between them", in.Src.Opcode, lane, w.Index, i<<4, store.Src.Opcode,
				c.Grid.Position(store.Src).Line))
		return true
	}
	return false
}
