package jit

import (
	"encoding/binary"
	"slices"

	"warpscope/emu/jit/wasm"
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
	if len(o.list) == mostOthers {
		o.list = o.list[:mostOthers-1]
	}
	o.list = slices.Insert(o.list, 0, seg)
}

// show writes the other allocations into the context.
func (o *others) show(ctx []byte, base uint32) {
	clear(ctx[ctxOthers:][:mostOthers*otherSize])
	for i, seg := range o.list {
		at := ctx[ctxOthers+i*otherSize:]
		binary.LittleEndian.PutUint64(at[otherStart:], uint64(base)+uint64(seg.Base))
		binary.LittleEndian.PutUint64(at[otherEnd:], uint64(base)+uint64(seg.Base)+seg.Size)
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

// around looks for each lane of exec in a window and in the other allocations, and puts its offset into the context.
// The result is 0 if all are in one of them and aligned. An address has at most 32 bits there.
func around(wide bool) *helper {
	const addresses, exec, ctx, window, size, more, lane, all, offset, at, bad = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
	long := func(w *wasm.Code, local uint32) {
		w.Get(local)
		w.Op(wasm.I64ExtendI32U)
	}
	return &helper{
		params: []byte{wasm.I32, wasm.I32, wasm.I32, wasm.I32, wasm.I32, wasm.I32},
		locals: []wasm.Locals{{N: 2, Type: wasm.I32}, {N: 3, Type: wasm.I64}},
		write: func(w *wasm.Code) {
			w.Get(ctx)
			w.Get(window)
			w.Op(wasm.I32Add)
			w.Set(window)
			w.EachBit(exec, lane, func() {
				w.Get(addresses)
				w.Get(lane)
				w.I32(int32(2 + bit(wide)))
				w.Op(wasm.I32Shl, wasm.I32Add)
				w.Mem([...]wasm.Op{wasm.I64Load32U, wasm.I64Load}[bit(wide)], uint32(4+4*bit(wide)), 0)
				w.Get(window)
				w.Mem(wasm.I64Load, 8, winAdd)
				w.Op(wasm.I64Add)
				w.Set(offset)
				w.Get(window)
				w.Mem(wasm.I64Load, 8, winLimit)
				long(w, more)
				w.Op(wasm.I64Sub)
				w.Get(offset)
				w.Op(wasm.I64Sub)
				w.Get(offset)
				w.Op(wasm.I64Or)
				w.I64(0)
				w.Op(wasm.I64LtS)
				w.If()
				w.Get(offset)
				w.Get(window)
				w.Mem(wasm.I64Load32U, 4, winSeg)
				w.Op(wasm.I64Add)
				w.Set(at)
				w.I64(-1)
				w.Set(bad)
				for i := range uint32(mostOthers) { // below 0: before it or after it
					w.Get(ctx)
					w.Mem(wasm.I64Load, 8, ctxOthers+i*otherSize+otherEnd)
					long(w, size)
					w.Op(wasm.I64Sub)
					w.Get(at)
					w.Op(wasm.I64Sub)
					w.Get(at)
					w.Get(ctx)
					w.Mem(wasm.I64Load, 8, ctxOthers+i*otherSize+otherStart)
					w.Op(wasm.I64Sub, wasm.I64Or)
					w.Get(bad)
					w.Op(wasm.I64And)
					w.Set(bad)
				}
				w.Get(bad)
				w.Get(at)
				w.Op(wasm.I64Or)
				w.I64(0)
				w.Op(wasm.I64LtS)
				w.If()
				w.I32(1)
				w.Op(wasm.Return, wasm.End, wasm.End)
				w.Get(ctx)
				w.Get(lane)
				w.I32(2)
				w.Op(wasm.I32Shl, wasm.I32Add)
				w.Get(offset)
				w.Op(wasm.I32WrapI64)
				w.Tee(lane) // which is free now
				w.Mem(wasm.I32Store, 4, ctxOffs)
				w.Get(all)
				w.Get(lane)
				w.Op(wasm.I32Or)
				w.Set(all)
			})
			w.Get(all)
			w.Get(size)
			w.I32(1)
			w.Op(wasm.I32Sub, wasm.I32And)
		},
	}
}

var lookAround = [2]*helper{around(false), around(true)}
