// Package jit compiles parts of programs to WebAssembly SIMD. All 32 lanes of a warp go through the code in lock step,
// 4 at a time. Registers stay where the interpreter keeps them, in rows of the frame, and everything else that compiled
// code reads and writes is in the arena as well. It stops before an instruction that it cannot execute; the interpreter
// goes on there. See machine.Compiled for what is promised.
package jit

import (
	"encoding/binary"

	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/gpu"
)

// Engine implements machine.Compiled for one device.
type Engine struct {
	host    mem.Host
	mem     *mem.Memory
	prog    *machine.Program
	at      []place // by pc
	meets   []bool  // by pc: reconvergence points
	regions []*region
	counted *region // whose counts are in the context
	cuts    []int64 // by pc: executions of its piece up to there
	cut     []int32 // pcs that have some
	warm    int64   // instructions that the interpreter executes of a region before it is compiled
	relaxed bool    // the host's relaxed multiply-add rounds once
}

// place is a piece of a region.
type place struct {
	region *region
	piece  int32
	start  int32 // pc
}

// The context is in the arena's first page, which belongs to no allocation. Between calls of the engine all of it that
// differs between runs is zero, so that hashes and snapshots of the machine do not see it.
const (
	ctxAt     = 64  // its arena offset
	ctxLeft   = 0   // i32, out: what is left of the budget
	ctxFloor  = 4   // i32: where a turn ends that goes on with private blocks
	ctxRPC    = 8   // i32: the reconvergence point of the group
	ctxEntry  = 12  // i32: the piece to begin with
	ctxMasks  = 16  // 8 vectors, of a variant for some lanes: all ones in active lanes
	ctxCounts = 256 // i64 by piece: executions
)

// New returns an engine for a loaded device. Regions are compiled when warm instructions of them have been executed.
func New(d *machine.Device, host mem.Host, warm int64) *Engine {
	e := &Engine{host: host, mem: d.Mem, prog: d.Prog, warm: warm}
	code := e.prog.Code
	e.at, e.meets, e.cuts = make([]place, len(code)), make([]bool, len(code)), make([]int64, len(code))
	for pc := range code {
		if to := code[pc].Fork.Reconv; to >= 0 && int(to) < len(code) {
			e.meets[to] = true
		}
	}
	for _, fn := range e.prog.Funcs {
		if fn.Src.Defined {
			e.divide(fn)
		}
	}
	for _, r := range e.regions {
		r.measure()
		r.counts = make([]int64, len(r.pieces))
	}
	return e
}

// measure finds the longest way between two block boundaries.
func (r *region) measure() {
	n := int64(0)
	for i := range r.pieces {
		p := &r.pieces[i]
		if p.leader {
			n = 0
		}
		n += int64(p.end - p.start)
		r.longest = max(r.longest, n)
	}
}

// Run implements machine.Compiled.
func (e *Engine) Run(_ *machine.Warp, at machine.Place) (pc int32, ran int64) {
	here := e.at[at.PC]
	r := here.region
	if r == nil || here.start != at.PC {
		return at.PC, 0
	}
	// Compiled code looks at the budget before blocks, and must never execute more than Most.
	last := at.Most - r.longest
	left := min(at.Left, last+1)
	more := min(at.More, last-left+1)
	if left+more <= 0 {
		return at.PC, 0
	}
	f, ok := e.variant(r, here.piece, at.Active)
	if !ok {
		return at.PC, 0
	}
	if e.counted != r {
		e.collect()
		e.counted = r
	}
	ctx := e.mem.Bytes(ctxAt, ctxCounts)
	put := binary.LittleEndian.PutUint32
	put(ctx[ctxFloor:], uint32(-more))
	put(ctx[ctxRPC:], uint32(at.RPC))
	put(ctx[ctxEntry:], uint32(here.piece))
	base := e.host.Base()
	pc = int32(e.host.Call(f, base+at.Frame, base+ctxAt, uint32(at.Active), uint32(left)))
	ran = left - int64(int32(binary.LittleEndian.Uint32(ctx[ctxLeft:])))
	if start := e.at[pc].start; start != pc && e.at[pc].region != nil {
		ran += int64(pc - start)
		if e.cuts[pc] == 0 {
			e.cut = append(e.cut, pc)
		}
		e.cuts[pc]++
	}
	return pc, ran
}

// variant returns the function for a mask of active lanes; ok is false while the region is too cold, or the host has
// refused it.
func (e *Engine) variant(r *region, piece int32, active machine.Mask) (f mem.Func, ok bool) {
	v := &r.state[0]
	if active != gpu.FullMask {
		v = &r.state[1]
	}
	if v.made {
		return v.f, v.ok
	}
	if r.heat < e.warm {
		p := &r.pieces[piece]
		r.heat += int64(p.end - p.start)
		return 0, false
	}
	v.made = true
	list, err := e.host.Compile(e.emit(r, active == gpu.FullMask), 1)
	if err == nil {
		v.f, v.ok = list[0], true
	}
	return v.f, v.ok
}

// collect takes the counts out of the context.
func (e *Engine) collect() {
	r := e.counted
	if r == nil {
		return
	}
	ctx := e.mem.Bytes(ctxAt, ctxCounts+8*uint32(len(r.pieces)))
	for i := range r.pieces {
		r.counts[i] += int64(binary.LittleEndian.Uint64(ctx[ctxCounts+8*i:]))
	}
	clear(ctx)
	e.counted, r.counted = nil, true
}

// Flush implements machine.Compiled.
func (e *Engine) Flush(executed func(start, end int32, n int64)) {
	e.collect()
	for _, r := range e.regions {
		if !r.counted {
			continue
		}
		for i, n := range r.counts {
			if n != 0 {
				executed(r.pieces[i].start, r.pieces[i].end, n)
			}
		}
		clear(r.counts)
		r.counted = false
	}
	for _, pc := range e.cut {
		executed(e.at[pc].start, pc, e.cuts[pc])
		e.cuts[pc] = 0
	}
	e.cut = e.cut[:0]
}
