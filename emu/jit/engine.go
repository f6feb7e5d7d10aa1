// Package jit compiles parts of programs to WebAssembly SIMD. All 32 lanes of a warp go through the code in lock step,
// 4 at a time. Registers stay where the interpreter keeps them, in rows of the frame, and everything else that compiled
// code reads and writes is in the arena as well. It stops before an instruction that it cannot execute; the interpreter
// goes on there. See machine.Compiled for what is promised.
package jit

import (
	"encoding/binary"

	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/row"
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
	changes int     // Memory.Changes when windows were found
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
	ctxAt         = 64  // its arena offset
	ctxLeft       = 0   // i32, out: what is left of the budget
	ctxFloor      = 4   // i32: where a turn ends that goes on with private blocks
	ctxRPC        = 8   // i32: the reconvergence point of the group
	ctxEntry      = 12  // i32: the piece to begin with
	ctxMasks      = 16  // 8 vectors, of a variant for some lanes: all ones in active lanes
	ctxOffs       = 144 // 8 vectors: offsets of the access in progress
	ctxShared     = 272 // i32: address of the CTA's shared memory
	ctxSharedSize = 276 // i32
	ctxPlain      = 280 // i32: not 0 if stores need nothing but marks
	ctxMarks      = 284 // i32: address of the mark of the page at address 0
	ctxCounts     = 288 // i64 by piece: executions; then the windows of sites
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
		for i := range r.sites {
			r.sites[i].window = ctxCounts + 8*uint32(len(r.pieces)) + winSize*uint32(i)
		}
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
func (e *Engine) Run(w *machine.Warp, at machine.Place) (pc int32, ran int64) {
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
	base := e.host.Base()
	ctx := e.prepare(w, r, base)
	put := binary.LittleEndian.PutUint32
	put(ctx[ctxFloor:], uint32(-more))
	put(ctx[ctxRPC:], uint32(at.RPC))
	put(ctx[ctxEntry:], uint32(here.piece))
	pc = int32(e.host.Call(f, base+at.Frame, base+ctxAt, uint32(at.Active), uint32(left)))
	ran = left - int64(int32(binary.LittleEndian.Uint32(ctx[ctxLeft:])))
	if start := e.at[pc].start; start != pc && e.at[pc].region != nil {
		ran += int64(pc - start)
		if e.cuts[pc] == 0 {
			e.cut = append(e.cut, pc)
		}
		e.cuts[pc]++
	}
	if here := &e.at[pc]; here.region == r && len(r.sites) > 0 {
		e.look(w, r, pc, at)
	}
	return pc, ran
}

// variant returns the function for a mask of active lanes; ok is false while the region is too cold, or the host has
// refused it.
func (e *Engine) variant(r *region, piece int32, active machine.Mask) (f mem.Func, ok bool) {
	v := &r.state[0]
	if active != machine.FullMask {
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
	list, err := e.host.Compile(e.emit(r, active == machine.FullMask), 1)
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
	ctx := e.mem.Bytes(ctxAt, ctxCounts+8*uint32(len(r.pieces))+winSize*uint32(len(r.sites)))
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

// prepare fills the context for a region, as far as it depends on the warp, and returns it.
func (e *Engine) prepare(w *machine.Warp, r *region, base uint32) []byte {
	if e.counted != r {
		e.collect()
		e.counted, e.changes = r, -1
	}
	ctx := e.mem.Bytes(ctxAt, mem.PageSize-ctxAt)
	if len(r.sites) == 0 {
		return ctx
	}
	if now := e.mem.Changes(); e.changes != now {
		e.changes = now
		for i := range r.sites {
			s := &r.sites[i]
			if s.changes != now {
				s.limit = -1
			}
			s.show(ctx, base)
		}
	}
	g := w.CTA.Grid
	put := binary.LittleEndian.PutUint32
	put(ctx[ctxShared:], base+w.CTA.SharedOff)
	put(ctx[ctxSharedSize:], uint32(w.CTA.SharedSize))
	put(ctx[ctxPlain:], uint32(row.Bit(g.State.Progress && !g.Prog.Proxies)))
	put(ctx[ctxMarks:], base+e.mem.MarksAt()-base>>mem.PageShift)
	return ctx
}
