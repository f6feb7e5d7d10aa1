// Package jit compiles parts of programs to WebAssembly SIMD. All 32 lanes of a warp go through the code in lock step,
// 4 at a time. Registers stay where the interpreter keeps them, in rows of the frame, and everything else that compiled
// code reads and writes is in the arena as well. It stops before an instruction that it cannot execute; the interpreter
// goes on there. See machine.Compiled for what is promised.
package jit

import (
	"encoding/binary"

	"warpscope/emu/jit/call"
	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/gpu"
	"warpscope/ptx"
)

// look moves the window of an access that compiled code has stopped before, if there is one at the pc, to where its
// first lane goes, and takes in where other lanes go. Accesses to shared memory with generic addresses, and such that
// fault, get nothing.
func (e *Engine) look(r *region, pc int32, frame uint32, active machine.Mask) {
	in := &e.prog.Code[pc]
	if !windowed(in) {
		return
	}
	f, ac := e.mem.At(frame), in.X.Mem
	exec := active & machine.Mask(*row.Pred(f, in.Guard)^in.Neg)
	if exec == 0 {
		return
	}
	s, first := r.site(pc), machine.FirstLane(exec)
	was, had := e.mem.Addr(s.seg), s.limit >= 0
	to := ac.Addr.Get(f, first)
	if !e.move(s, ac, to) || !apart(ac) {
		return
	}
	if had && s.seg != e.mem.Off(was) {
		e.others.add(e.mem, e.mem.Find(was, 1))
	}
	if exec &^= machine.Mask(1) << first; exec != 0 {
		machine.EachLane(exec, func(lane int) {
			if a := ac.Addr.Get(f, lane) + ac.Off; a+s.add-ac.Off > uint64(s.limit) {
				e.others.add(e.mem, e.mem.Find(a, uint64(ac.Size)))
			}
		})
	}
	e.others.show(e.mem.Bytes(call.At, mem.PageSize-call.At), e.host.Base())
}

// move moves the window of an access to where an address is, without the access's offset. It says whether it could.
func (e *Engine) move(s *site, ac *machine.Access, to uint64) bool {
	al := e.mem.Find(to+ac.Off, uint64(ac.Size))
	if al == nil || ac.Write && al.Kind != mem.Global || ac.Space == ptx.ConstSpace && al.Kind != mem.Const ||
		ac.Space == ptx.GlobalSpace && al.Kind == mem.Const {
		return false
	}
	seg := e.mem.Segment(al)
	s.seg, s.limit, s.add, s.changes = seg.Base, int64(seg.Size)-int64(ac.Size), seg.Add+ac.Off, e.mem.Changes()
	s.show(e.mem.Bytes(call.At, mem.PageSize-call.At), e.host.Base())
	return true
}

// Engine implements machine.Compiled for one device.
type Engine struct {
	layout
	host    mem.Host
	mem     *mem.Memory
	counted *region // whose counts are in the context
	cuts    []int64 // by pc: executions of its piece up to there
	cut     []int32 // pcs that have some
	warm    int64   // instructions that the interpreter executes of a region before it is compiled
	probed  bool    // relaxed has been found out
	gone    gone
	changes int // Memory.Changes when windows were found
	others  others
	batches []*batch // by number of the entry; nil: not looked at yet
}

// New returns an engine for a loaded device. Regions are compiled when warm instructions of them have been executed.
func New(d *machine.Device, host mem.Host, warm int64) *Engine {
	e := &Engine{host: host, mem: d.Mem, layout: layout{prog: d.Prog}, gone: gone{code: d.Prog.Code}, warm: warm}
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
		e.findBarriers(r)
		for i := range r.sites {
			r.sites[i].window = call.Counts + 8*uint32(len(r.pieces)) + call.WinSize*uint32(i)
		}
		r.counts, r.parting = make([]int64, len(r.pieces)), pay{least: payTogether}
		for _, p := range r.pieces {
			r.pays = append(r.pays, newPay(reaching(code[p.start:p.end])))
		}
	}
	return e
}

// reaching counts the instructions that reach memory or other lanes.
func reaching(code []machine.Inst) (n int64) {
	for i := range code {
		if in := &code[i]; reaches(in.Op) || crosses(in) {
			n++
		}
	}
	return n
}

// Run implements machine.Compiled.
func (e *Engine) Run(w *machine.Warp, at machine.Place) (pc int32, ran int64) {
	here := e.at[at.PC]
	r := here.region
	if r == nil || here.start != at.PC {
		return at.PC, 0
	}
	full := at.Active == gpu.FullMask && !r.parting.pauses()
	f, ok := e.variant(r, here.piece, full)
	if !ok || e.warm > 0 && r.pays[here.piece].pauses() {
		return at.PC, 0
	}
	// Compiled code looks at the budget before blocks, and must never execute more than Most.
	last := at.Most - r.longest
	left := min(at.Left, last+1)
	more := min(at.More, last-left+1)
	if left+more <= 0 {
		return at.PC, 0
	}
	base := e.host.Base()
	ctx := e.prepare(w, r, base)
	put(ctx, call.RPC, uint32(at.RPC))
	put(ctx, call.Entry, uint32(here.piece))
	put(ctx, call.Floor, uint32(-more))
	put(ctx, call.Stay, uint32(bit(r.parting.pause > 0)))
	pc = int32(e.host.Call(f, base+at.Frame, base+call.At, uint32(at.Active), uint32(left)))
	if r.reaches && get(ctx, call.Plain) == call.StoresPlain {
		w.CTA.Grid.State.Progress = true
	}
	ran = e.stopped(r, ctx, pc, left, at.Frame, at.Active)
	r.pays[here.piece].note(ran)
	if full {
		r.parting.note(e.together(pc, ran))
	}
	return pc, ran
}

// together returns how many instructions a call for all lanes has executed before they branch apart at a pc.
func (e *Engine) together(pc int32, ran int64) int64 {
	if e.prog.Code[pc].Op == machine.OpBra && e.at[pc].start != pc {
		return ran
	}
	return payTogether
}

// stopped settles a call of a region's function that has stopped before a pc: what it was given of the turn, and the
// frame and the lanes of the warp. It returns how many instructions the call has executed.
func (e *Engine) stopped(r *region, ctx []byte, pc int32, given int64, frame uint32, active machine.Mask) int64 {
	ran := given - int64(int32(get(ctx, call.Left)))
	here := &e.at[pc]
	if here.start != pc && here.region != nil {
		ran += int64(pc - here.start)
		if e.cuts[pc] == 0 {
			e.cut = append(e.cut, pc)
		}
		e.cuts[pc]++
	}
	active = e.gone.look(ctx, given-ran, pc, active)
	if get(ctx, call.Miss) != 0 {
		put(ctx, call.Miss, 0)
		e.look(r, pc, frame, active)
	}
	return ran
}

// Gone implements machine.Compiled.
func (e *Engine) Gone() *machine.Gone { return &e.gone.Gone }

// variant returns the function for all lanes, or for some; ok is false while the region is too cold, or the host has
// refused it.
func (e *Engine) variant(r *region, piece int32, full bool) (f mem.Func, ok bool) {
	v := &r.state[bit(!full)]
	if v.made {
		return v.f, v.ok
	}
	if r.heat < e.warm {
		p := &r.pieces[piece]
		r.heat += int64(p.end - p.start)
		return 0, false
	}
	v.made = true
	e.try()
	list, err := e.host.Compile(e.emit(r, full), 1+bit(full && r.phased()))
	if err == nil {
		v.f, v.ok = list[0], true
	}
	if len(list) > 1 {
		r.phases = list[1]
	}
	return v.f, v.ok
}

// try finds out, once, what the host can do.
func (e *Engine) try() {
	if !e.probed {
		e.relaxed, e.probed = probe(e.host, e.mem), true
	}
}

// collect takes the counts out of the context.
func (e *Engine) collect() {
	r := e.counted
	if r == nil {
		return
	}
	ctx := e.mem.Bytes(call.At, call.Counts+8*uint32(len(r.pieces))+call.WinSize*uint32(len(r.sites)))
	for i := range r.pieces {
		r.counts[i] += int64(binary.LittleEndian.Uint64(ctx[call.Counts+8*i:]))
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
	for _, k := range e.batches {
		k.flush(executed)
	}
	for _, pc := range e.cut {
		executed(e.at[pc].start, pc, e.cuts[pc])
		e.cuts[pc] = 0
	}
	e.cut = e.cut[:0]
}

// open gives the context to a region, and shows its windows and where marks are.
func (e *Engine) open(r *region, base uint32) []byte {
	if e.counted != r {
		e.collect()
		e.counted, e.changes = r, -1
	}
	ctx := e.mem.Bytes(call.At, mem.PageSize-call.At)
	if now := e.mem.Changes(); e.changes != now {
		e.changes = now
		for i := range r.sites {
			s := &r.sites[i]
			if s.changes != now {
				s.limit = -1
			}
			s.show(ctx, base)
		}
		e.others.forget(now)
		e.others.show(ctx, base)
	}
	put(ctx, call.Marks, base+e.mem.MarksAt()-base>>mem.PageShift)
	return ctx
}

// prepare fills the context for a warp in a region, and returns it.
func (e *Engine) prepare(w *machine.Warp, r *region, base uint32) []byte {
	ctx := e.open(r, base)
	if r.reaches {
		put(ctx, call.Shared, base+w.CTA.SharedOff)
		put(ctx, call.SharedSize, uint32(w.CTA.SharedSize))
		put(ctx, call.Plain, plain(w))
	}
	if r.local {
		local, size, stride := machine.LocalRange(w)
		put(ctx, call.Local, base+local)
		put(ctx, call.LocalSize, size)
		put(ctx, call.Stride, stride)
	}
	if r.crosses {
		put(ctx, call.Live, uint32(w.Live))
	}
	return ctx
}
