package jit

import (
	"slices"

	"warpscope/emu/jit/call"
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// A stretch is loads from shared memory and operations between them, by all lanes. One look at each register with
// addresses is enough for all of its loads, and one loop over the groups of lanes does everything.
type stretch struct {
	from, to int32 // pcs
	loads    int
	bases    []base
}

// The limits of a stretch: registers with addresses, which have scalar locals, and how far loads go from them.
const (
	mostBases = 4
	farLoad   = 1 << 20
	locBases  = locPreds + maxPreds - 2*mostBases // for two groups
)

// stretch returns the stretch that begins at a pc; it has no loads if there is none. A piece ends at a pc.
func (w *emitter) stretch(from, end int32) (s stretch) {
	s.from, s.to = from, from
	var written []uint32
	for pc := from; pc < end; pc++ {
		in := &w.e.prog.Code[pc]
		if in.Guard != row.TruePred || in.Op == machine.OpHandler && in.X != nil {
			break
		}
		if in.Op == machine.OpLoad {
			if ac := in.X.Mem; slices.Contains(written, ac.Addr.Off) || !s.load(in, pc) {
				break
			}
		} else if in.Op != machine.OpHandler {
			break
		}
		s.to = pc + 1
		written = append(written, in.D)
	}
	return s
}

// load adds a load to the stretch, if it is one of 32 bits for which there is room.
func (s *stretch) load(in *machine.Inst, pc int32) bool {
	ac := in.X.Mem
	off := int64(ac.Off)
	if ac.Space != ptx.SharedSpace || ac.Size != 4 || in.Width != 1 || off%4 != 0 || off < 0 || off > farLoad {
		return false
	}
	i := slices.IndexFunc(s.bases, func(b base) bool { return b.off == ac.Addr.Off })
	if i < 0 {
		if i = len(s.bases); i == mostBases {
			return false
		}
		s.bases = append(s.bases, base{first: pc, off: ac.Addr.Off, least: off, most: off})
	}
	s.bases[i].near = s.bases[i].near || off == s.bases[i].most+4
	s.bases[i].least, s.bases[i].most = min(s.bases[i].least, off), max(s.bases[i].most, off)
	s.loads++
	return true
}

// guess returns the likely kind of a register with addresses: a warp that reads along rows reads the same with all
// lanes, and one that reads along columns reads rows.
func (s *base) guess() uint32 {
	if s.near {
		return 1
	}
	return 2
}

// atOnce writes a stretch. When a look at the addresses is not enough, it is done instruction by instruction.
func (w *emitter) atOnce(s *stretch) {
	w.Block()
	w.Block()
	var kinds []uint32
	for _, b := range s.bases {
		a := &accessor{body: w.body(), in: &w.e.prog.Code[b.first], pc: b.first, size: 4}
		a.ac = a.in.X.Mem
		kinds = append(kinds, a.shape())
	}
	for i, base := range s.bases {
		w.inside(base, kinds[i])
	}
	w.Block()
	for i, base := range s.bases {
		w.Get(locKinds + kinds[i])
		w.I32(int32(base.guess()))
		w.Op(wasm.I32And, wasm.I32Eqz)
		w.Arg(wasm.BrIf, 0)
	}
	b := w.body()
	for i, base := range s.bases {
		b.direct = append(b.direct, direct{base: base, scalar: locBases + uint32(i), kind: base.guess()})
	}
	b.stretch(w.e.prog.Code[s.from:s.to])
	w.Arg(wasm.Br, 2)
	w.Op(wasm.End)
	b = w.body()
	for i, base := range s.bases {
		b.direct = append(b.direct, direct{base: base, scalar: locBases + uint32(i), turn: b.fresh(1)})
		w.V128(0x0302010003020100, 0x0302010003020100)
		w.V128(0x0706050403020100, 0x0f0e0d0c0b0a0908)
		w.Get(locKinds + kinds[i])
		w.I32(2)
		w.Op(wasm.I32And, wasm.I32Eqz, wasm.Select)
		w.Set(b.direct[i].turn)
	}
	b.stretch(w.e.prog.Code[s.from:s.to])
	w.Arg(wasm.Br, 1)
	w.Op(wasm.End)
	for pc := s.from; pc < s.to; pc++ {
		if in := &w.e.prog.Code[pc]; in.Op == machine.OpLoad {
			w.gather(in.X.Mem, in.D)
			w.exitIf(pc)
		} else {
			w.body().lanes(w.e.prog.Code[pc : pc+1])
		}
	}
	w.Op(wasm.End)
}

// gather calls the helper of this name for a load of a stretch.
func (w *emitter) gather(ac *machine.Access, to uint32) {
	for _, off := range [...]uint32{ac.Addr.Off, to} {
		w.Get(locFrame)
		w.I32(int32(off))
		w.Op(wasm.I32Add)
	}
	w.Get(locCtx)
	w.I32(int32(ac.Off))
	w.call(call.Gathers[bit(ac.Wide)])
}

// inside leaves the block if the shape of a base is not known, or an access is outside of shared memory.
func (w *emitter) inside(b base, n uint32) {
	w.Get(locKinds + n)
	w.Op(wasm.I32Eqz)
	w.Arg(wasm.BrIf, 0)
	w.Get(locCtx)
	w.Mem(wasm.I64Load32U, 4, call.SharedSize)
	w.I64(b.most + 4)
	w.Op(wasm.I64Sub)
	w.Get(locSpans + n)
	w.Op(wasm.I64Sub)
	w.Get(locFirsts + n)
	w.Op(wasm.I64Sub)
	w.Get(locFirsts + n)
	w.Op(wasm.I64Or)
	w.I64(0)
	w.Op(wasm.I64LtS)
	w.Arg(wasm.BrIf, 0)
}

// stretch writes what is done when all addresses are good.
func (b *body) stretch(code []machine.Inst) {
	var operations []machine.Inst
	for i := range code {
		if code[i].Op == machine.OpHandler {
			operations = append(operations, code[i])
		}
	}
	b.declare(operations)
	if pairs(b, operations) {
		b.many, b.lots[1] = 2, b.lot.renew()
	}
	b.groups(b.many, func() {
		eachSide(b, func() { addresses(b) })
		attempt(b, operations, func() {
			for i := range code {
				eachSide(b, func() {
					if code[i].Op == machine.OpLoad {
						b.load(&code[i])
					} else {
						b.instruction(&code[i])
					}
				})
			}
		})
	})
	b.storePreds()
}

// addresses sets the scalar locals of the registers with addresses.
func addresses(b *body) {
	for _, d := range b.direct {
		at, off := uint32(locAt32), d.off+16*b.side
		if b.e.prog.Code[d.first].X.Mem.Wide {
			at, off = locAt64, d.off+32*b.side
		}
		b.Get(at)
		b.Mem(wasm.I32Load, 4, off)
		b.context(call.Shared)
		b.Op(wasm.I32Add)
		b.Set(d.scalar + mostBases*b.side)
	}
}

// load loads 4 elements when they are needed, and gives each lane its own. Bytes after those that a lane accesses are
// read, but not used.
func (b *body) load(in *machine.Inst) {
	ac := in.X.Mem
	i := slices.IndexFunc(b.direct, func(d direct) bool { return d.off == ac.Addr.Off })
	v := b.values[in.D]
	if v == nil {
		v = b.add(in.D, false)
	}
	*v = value{local: v.local, dirty: true, late: true, from: &b.direct[i], at: uint32(ac.Off)}
}
