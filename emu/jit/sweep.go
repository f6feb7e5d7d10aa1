package jit

import (
	"maps"
	"slices"
	"strings"

	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
)

// A sweep is the quick way of a warp through a batch: its lanes work on neighbouring elements. Numbers of threads,
// addresses and what is compared with lengths then grow by the same from lane to lane, so they are computed once for
// the warp, as scalars, and one look at the bounds of an access is enough. What is left is done by groups of lanes.
// When a number wraps around, lanes part, or two accesses overlap, the warp takes the long way; nothing is stored yet.
type sweep struct {
	*batcher
	even   map[uint32]even   // by row
	truths map[uint32]uint32 // by predicate: scalar local
	used   uint32            // i64 locals
	flags  uint32            // i32 locals
	spans  []int             // on the way
	line   []swept
	taken  map[uint32]int // by row: the number of the even value that a group's lanes have of it
	count  int
}

// even is a value that grows by the same from lane to lane: lane 0 has what push pushes, as an i64.
type even struct {
	push  func()
	step  int64
	bits  int
	fixed int64 // the value, if it is known; else -1
	n     int   // number, from 1 on
}

// swept is an instruction that groups of lanes execute.
type swept struct {
	pc    int32
	even  map[uint32]even // operands that are even
	local uint32          // address of a load or store
}

// sweep writes the quick way. Outside of it there is the block of the long way, and around that one that both leave. It
// says whether there is one.
func (k *batcher) sweep() bool {
	start, most := len(k.Bytes), k.most
	s := &sweep{batcher: k, even: map[uint32]even{}, truths: map[uint32]uint32{}, taken: map[uint32]int{}}
	if s.rows() && s.follow() {
		s.apart()
		s.groups()
		for _, i := range s.spans {
			k.add(locTick, k.batch.spans[i].end-k.batch.spans[i].start)
			k.add(locCounts+uint32(i), 1)
		}
		k.Arg(wasm.Br, 1)
		return true
	}
	k.Bytes, k.most = k.Bytes[:start], most
	return false
}

// long takes the long way if the i32 on the stack is not 0.
func (s *sweep) long() { s.Arg(wasm.BrIf, 0) }

// rows finds out which constant rows are even.
func (s *sweep) rows() bool {
	across := uint32(0)
	for _, c := range s.fn.Consts {
		off, bits := c.Off, 32
		if c.Wide {
			bits = 64
		}
		e := even{bits: bits, fixed: -1, push: func() { s.first(off, bits == 64) }}
		switch name, _, _ := strings.Cut(c.SReg, "."); {
		case c.Kind == machine.ConstBits:
			v := int64(c.Value)
			if bits == 32 {
				v &= 1<<32 - 1
			}
			e.push, e.fixed = func() { s.I64(v) }, v
		case c.Kind == machine.ConstCTASReg && slices.Contains(s.x, off):
			e.push = func() {
				s.Get(locLeft)
				s.Op(wasm.I64ExtendI32U)
			}
		case c.Kind == machine.ConstWarpSReg && c.SReg == "%tid.x":
			e.step, across = 1, off
		case c.Kind == machine.ConstArgument, c.Kind == machine.ConstCTASReg, c.Kind == machine.ConstWarpSReg,
			c.Kind == machine.ConstSReg && (name == "%ntid" || name == "%nctaid"):
		default:
			continue
		}
		s.name(off, e)
	}
	if across != 0 { // lanes are in one row of the CTA
		s.Get(locFrame)
		s.Mem(wasm.I32Load, 4, across+31*4)
		s.Get(locFrame)
		s.Mem(wasm.I32Load, 4, across)
		s.Op(wasm.I32Sub)
		s.I32(31)
		s.Op(wasm.I32Ne)
		s.long()
	}
	return across != 0
}

// first pushes lane 0 of a row.
func (s *sweep) first(off uint32, wide bool) {
	s.Get(locFrame)
	if wide {
		s.Mem(wasm.I64Load, 8, off)
	} else {
		s.Mem(wasm.I64Load32U, 4, off)
	}
}

// name gives a row a value.
func (s *sweep) name(off uint32, e even) {
	s.count++
	e.n = s.count
	s.even[off] = e
}

// keep pops lane 0 of a new value into a local of its own. Values of 32 bits must not wrap around between lanes.
func (s *sweep) keep(off uint32, bits int, step int64) bool {
	if s.used == 2*maxShapes || step < 0 || step >= 1<<32 {
		return false
	}
	if bits == 32 && step == 0 {
		s.I64(1<<32 - 1)
		s.Op(wasm.I64And)
	}
	local := locFirsts + s.used
	s.used++
	s.Set(local)
	e := even{push: func() { s.Get(local) }, step: step, bits: bits, fixed: -1}
	if bits == 32 && step > 0 {
		s.below(e, 32)
	}
	s.name(off, e)
	return true
}

// below takes the long way unless all lanes of a value are below a power of 2.
func (s *sweep) below(e even, bits int64) {
	e.push()
	e.push()
	s.I64(31 * e.step)
	s.Op(wasm.I64Add, wasm.I64Or)
	s.I64(bits)
	s.Op(wasm.I64ShrU)
	s.I64(0)
	s.Op(wasm.I64Ne)
	s.long()
}

// follow goes along the way of a warp that takes no branch under a guard.
func (s *sweep) follow() bool {
	code := s.e.prog.Code
	for i := 0; ; {
		p := s.batch.spans[i]
		s.spans = append(s.spans, i)
		next := p.end
		for pc := p.start; pc < p.end; pc++ {
			in := &code[pc]
			switch {
			case in.Op == machine.OpBra || p.returns:
				if in.Guard == row.TruePred {
					if p.returns {
						return len(s.line) > 0
					}
					next = in.Target
				} else if !s.stay(in) {
					return false
				}
			case in.Guard != row.TruePred || !s.scalar(in) && !s.lanes(in, pc):
				return false
			}
		}
		if i = slices.IndexFunc(s.batch.spans, func(p span) bool { return p.start == next }); i < 0 {
			return false
		}
	}
}

// stay takes the long way where a branch is taken.
func (s *sweep) stay(in *machine.Inst) bool {
	local, ok := s.truths[in.Guard]
	if !ok {
		return false
	}
	s.Get(local)
	if in.Neg != 0 {
		s.Op(wasm.I32Eqz)
	}
	s.long()
	return true
}

// scalar computes a value for all lanes, if it is one of those that are even.
func (s *sweep) scalar(in *machine.Inst) bool {
	if in.Op != machine.OpHandler || in.X != nil {
		return false
	}
	a, okA := s.even[in.A]
	b, okB := s.even[in.B]
	c, okC := s.even[in.C]
	rows := len(row.Operations[in.Number].Rows)
	if !okA || rows > 2 && !okB || rows > 3 && !okC {
		return false
	}
	if do, ok := compares[in.Number]; ok {
		return s.compare(in, do, a, b)
	}
	switch in.Number {
	case row.NMov32, row.NMov64:
		s.name(in.D, a)
		return true
	case row.NCvtS64S32, row.NMulWideS32, row.NMadWideS32: // not negative, they are like unsigned ones
		s.below(a, 31)
		if rows > 2 {
			s.below(b, 31)
		}
	}
	switch in.Number {
	case row.NCvtU64U32, row.NCvtS64S32:
		a.push()
		return s.keep(in.D, 64, a.step)
	case row.NAddU32, row.NAddU64:
		a.push()
		b.push()
		s.Op(wasm.I64Add)
		return s.keep(in.D, a.bits, a.step+b.step)
	case row.NSubU32, row.NSubU64:
		a.push()
		b.push()
		s.Op(wasm.I64Sub)
		return s.keep(in.D, a.bits, a.step-b.step)
	case row.NMulLoU32, row.NMulWideU32, row.NMulWideS32, row.NMadLoU32, row.NMadWideU32, row.NMadWideS32:
		return s.product(in, a, b, c, rows > 3)
	case row.NShlB32Const, row.NShlB64:
		if b.fixed < 0 || b.fixed >= int64(a.bits) || b.fixed > 16 {
			return false
		}
		a.push()
		s.I64(b.fixed)
		s.Op(wasm.I64Shl)
		return s.keep(in.D, a.bits, a.step<<b.fixed)
	}
	return false
}

// product computes a product, with or without an addend. A factor must be a constant where the other one differs from
// lane to lane.
func (s *sweep) product(in *machine.Inst, a, b, c even, adds bool) bool {
	bits := 32
	if row.Operations[in.Number].Rows[0] == 2 {
		bits = 64
	}
	if a.step != 0 {
		a, b = b, a
	}
	step := int64(0)
	if b.step != 0 {
		if a.step != 0 || a.fixed < 0 || a.fixed >= 1<<24 || b.step >= 1<<24 {
			return false
		}
		step = a.fixed * b.step
	}
	if !adds {
		c = even{push: func() { s.I64(0) }}
	}
	a.push()
	b.push()
	s.Op(wasm.I64Mul)
	if bits == 32 && step == 0 {
		s.I64(1<<32 - 1)
		s.Op(wasm.I64And)
	}
	c.push()
	s.Op(wasm.I64Add)
	return s.keep(in.D, bits, step+c.step)
}

// compares are comparisons of which all lanes give what the first and the last one do.
var compares = map[uint16]wasm.Op{
	row.NSetpLtU32: wasm.I64LtU, row.NSetpLeU32: wasm.I64LeU, row.NSetpGtU32: wasm.I64GtU, row.NSetpGeU32: wasm.I64GeU,
	row.NSetpLtS32: wasm.I64LtS, row.NSetpLeS32: wasm.I64LeS, row.NSetpGtS32: wasm.I64GtS, row.NSetpGeS32: wasm.I64GeS,
}

// compare sets a predicate that is the same in all lanes.
func (s *sweep) compare(in *machine.Inst, do wasm.Op, a, b even) bool {
	if s.flags == maxShapes {
		return false
	}
	switch in.Number {
	case row.NSetpLtS32, row.NSetpLeS32, row.NSetpGtS32, row.NSetpGeS32:
		s.below(a, 31)
		s.below(b, 31)
	}
	local := locKinds + s.flags
	s.flags++
	for _, lane := range [...]int64{31, 0} {
		for _, e := range [...]even{a, b} {
			e.push()
			s.I64(lane * e.step)
			s.Op(wasm.I64Add)
		}
		s.Op(do)
	}
	s.Tee(local)
	s.Op(wasm.I32Ne)
	s.long()
	s.truths[in.D] = local
	return true
}

// lanes adds an instruction to those that groups of lanes execute.
func (s *sweep) lanes(in *machine.Inst, pc int32) bool {
	w := swept{pc: pc, even: map[uint32]even{}}
	var reads []uint32
	switch {
	case reaches(in.Op):
		if in.Width == 0 || !s.access(in, &w) {
			return false
		}
		if in.Op == machine.OpStore {
			reads = []uint32{in.D}
		}
	case in.Op != machine.OpHandler || in.X != nil || s.e.refuses(in) != nil || row.Operations[in.Number].Rows[0] == 0:
		return false
	default:
		for i, off := range operands(in) {
			if row.Operations[in.Number].Rows[i+1] == 0 {
				return false
			}
			reads = append(reads, off)
		}
	}
	for _, off := range reads {
		if _, constant := s.consts[off]; constant {
			continue
		}
		if e, ok := s.even[off]; ok {
			if e.bits != 32 {
				return false
			}
			w.even[off] = e
		}
	}
	if in.Op != machine.OpStore {
		delete(s.even, in.D)
	}
	s.line = append(s.line, w)
	return true
}

// access takes the long way if an access is not one to neighbouring elements of its window.
func (s *sweep) access(in *machine.Inst, w *swept) bool {
	ac := in.X.Mem
	at, ok := s.even[ac.Addr.Off]
	if !ok || at.step != int64(ac.Size) || s.flags == maxShapes || !windowed(in) {
		return false
	}
	a := s.reached(w.pc)
	at.push()
	a.inside(31 * a.size)
	s.Op(wasm.I32Eqz)
	s.long()
	a.place()
	w.local = locKinds + s.flags
	s.flags++
	s.Get(locTemp)
	s.Set(w.local)
	return true
}

// reached returns what writes the parts of an access.
func (s *sweep) reached(pc int32) *reached {
	in := &s.e.prog.Code[pc]
	return &reached{k: s.batcher, accessor: &accessor{body: s.body(), in: in, ac: in.X.Mem, pc: pc, size: in.X.Mem.Size,
		store: in.Op == machine.OpStore}}
}

// apart takes the long way if a store overlaps with another access, unless it is to the same elements: groups of lanes
// go through all accesses one after the other.
func (s *sweep) apart() {
	code := s.e.prog.Code
	for i := range s.line {
		for j := range s.line[:i] {
			one, other := &code[s.line[i].pc], &code[s.line[j].pc]
			if !reaches(one.Op) || !reaches(other.Op) || one.Op == machine.OpLoad && other.Op == machine.OpLoad {
				continue
			}
			size := int32(max(one.X.Mem.Size, other.X.Mem.Size))
			s.Get(s.line[i].local)
			s.Get(s.line[j].local)
			s.Op(wasm.I32Sub)
			s.Tee(locTemp)
			s.I32(32*size - 1)
			s.Op(wasm.I32Add)
			s.I32(64*size - 1)
			s.Op(wasm.I32LtU)
			if one.X.Mem.Size == other.X.Mem.Size {
				s.Get(locTemp)
				s.I32(0)
				s.Op(wasm.I32Ne, wasm.I32And)
			}
			s.long()
		}
	}
}

// groups executes what is left by groups of lanes.
func (s *sweep) groups() {
	code := s.e.prog.Code
	for _, w := range s.line {
		if code[w.pc].Op == machine.OpStore {
			a := s.reached(w.pc)
			s.Get(w.local)
			s.Set(locTemp)
			a.mark(0)
			a.mark(32*a.size - 1)
		}
	}
	b := s.body()
	s.eachGroup(func() {
		for _, w := range s.line {
			in := &code[w.pc]
			for _, off := range slices.Sorted(maps.Keys(w.even)) {
				s.spreadEven(b, off, w.even[off])
			}
			switch in.Op {
			case machine.OpLoad:
				s.load(b, in, w.local)
			case machine.OpStore:
				s.store(b, in, w)
			default:
				b.instruction(in)
			}
			if in.Op != machine.OpStore {
				delete(s.taken, in.D)
			}
		}
		for _, w := range s.line {
			if in := &code[w.pc]; reaches(in.Op) {
				s.add(w.local, int32(4*in.X.Mem.Size))
			}
		}
	})
}

// spreadEven gives the lanes of a group their numbers.
func (s *sweep) spreadEven(b *body, off uint32, e even) {
	if s.taken[off] == e.n {
		return
	}
	s.taken[off] = e.n
	e.push()
	s.Op(wasm.I32WrapI64)
	if e.step != 0 {
		s.Get(locShift)
		s.I32(int32(e.step))
		s.Op(wasm.I32Mul, wasm.I32Add)
	}
	s.Op(wasm.I32x4Splat)
	if step := uint64(e.step); step != 0 {
		s.V128(step<<32, 2*step&(1<<32-1)|3*step<<32)
		s.Op(wasm.I32x4Add)
	}
	b.put(off)
}

func (s *sweep) load(b *body, in *machine.Inst, local uint32) {
	for off := uint32(0); off < 4*in.X.Mem.Size; off += 16 {
		s.Get(local)
		s.Mem(wasm.V128Load, 4, off)
	}
	if in.X.Mem.Size == 8 {
		b.putHalves(in.D)
	} else {
		b.put(in.D)
	}
}

func (s *sweep) store(b *body, in *machine.Inst, w swept) {
	s.Get(w.local)
	s.Set(locTemp)
	s.reached(w.pc).log(4 * in.X.Mem.Size)
	if in.X.Mem.Size == 4 {
		s.Get(w.local)
		b.get(in.D)
		s.Mem(wasm.V128Store, 4, 0)
		return
	}
	for half := range uint32(2) {
		s.Get(w.local)
		b.getHalf(in.D, half)
		s.Mem(wasm.V128Store, 4, 16*half)
	}
}
