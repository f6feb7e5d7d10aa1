package jit

import (
	"encoding/binary"
	"slices"

	"warpscope/emu/jit/call"
	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/ptx"
)

// Lanes of one access can reach several allocations. Beside the window of its site they can be in one of a few other
// allocations, which all sites have in common: those where windows have been, and where other lanes of a group have
// gone.

// others are the other allocations, the one that came last first.
type others struct {
	list    []mem.Segment
	changes int // Memory.Changes when they were found
}

// add takes in an allocation of global memory.
func (o *others) add(m *mem.Memory, al *mem.Allocation) {
	if al == nil || al.Kind != mem.Global {
		return
	}
	seg := m.Segment(al)
	if slices.Contains(o.list, seg) {
		return
	}
	if len(o.list) == call.MostOthers {
		o.list = o.list[:call.MostOthers-1]
	}
	o.list = slices.Insert(o.list, 0, seg)
}

// show writes the other allocations into the context.
func (o *others) show(ctx []byte, base uint32) {
	clear(ctx[call.Others:][:call.MostOthers*call.OtherSize])
	for i, seg := range o.list {
		at := ctx[call.Others+i*call.OtherSize:]
		binary.LittleEndian.PutUint64(at[call.OtherStart:], uint64(base)+uint64(seg.Base))
		binary.LittleEndian.PutUint64(at[call.OtherEnd:], uint64(base)+uint64(seg.Base)+seg.Size)
	}
}

// forget drops all of them when memory has changed.
func (o *others) forget(now int) {
	if o.changes != now {
		o.list, o.changes = o.list[:0], now
	}
}

// apart says whether lanes of an access can be in other allocations than that of the window.
func apart(ac *machine.Access) bool { return ac.Space == ptx.GlobalSpace || ac.Space == ptx.Generic }
