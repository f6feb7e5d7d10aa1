package emu

import (
	"fmt"
	"unsafe"

	"warpscope/emu/causal"
	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/emu/texture"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// surfaceOp is a lowered suld, sust or sured (9.7.13.1 to 9.7.13.3).
type surfaceOp struct {
	image   handle
	shape   geometry
	coord   []row.Operand
	outside outside
	size    uint32 // of one register's data, bytes
	unit    uint32 // bytes that the first coordinate counts; 0: an element of the surface
	aligned bool   // the first coordinate is a multiple of the size
	regs    []row.Operand

	// What sured does to memory, with the operands as unsigned and as signed numbers.
	unsigned, signed func(old, b, c uint64) uint64
}

// outside is what an access outside of a surface does.
type outside uint8

const (
	faults  outside = iota // .trap
	clamped                // .clamp: it reaches the nearest place in the surface
	zeroed                 // .zero: a load gives zeros, a store nothing
)

func lowerSurface(l *lowerer) bool {
	ops := l.in.Operands
	t := l.in.Match.Types[0]
	v := &surfaceOp{shape: l.geometry(), size: uint32(t.Bytes()), unit: 1, aligned: true}
	address := ops[0]
	mnemonic := l.in.Match.Form.Mnemonic
	if mnemonic == "suld" {
		address = ops[1]
		for _, e := range elements(ops[0]) {
			v.regs = append(v.regs, l.dst(e))
		}
	} else {
		for _, e := range elements(ops[1]) {
			v.regs = append(v.regs, l.src(e, t))
		}
	}
	v.image, v.coord = l.handle(address), l.coords(address.List()[0], isa.S32)
	switch l.first(".trap", ".clamp", ".zero") {
	case ".clamp":
		v.outside = clamped
	case ".zero":
		v.outside = zeroed
	}
	switch mnemonic {
	case "suld":
		return l.runs(v.load)
	case "sured":
		return lowerReduce(l, v, t)
	}
	if l.has(".p") {
		v.unit, v.aligned = 0, false
		return l.runs(v.storeElements)
	}
	return l.runs(v.store)
}

// lowerReduce is sured (9.7.13.3). Whether a .p form is signed follows from the surface's format.
func lowerReduce(l *lowerer, v *surfaceOp, t isa.Type) bool {
	op := l.first(".add", ".min", ".max", ".and", ".or")
	unsigned, signed := t, t
	if l.has(".p") {
		v.unit, v.aligned = v.size, false // "scaled by the data-size given by .ctype"
		if unsigned, signed = isa.U32, isa.S32; v.size == 8 {
			unsigned, signed = isa.U64, isa.S64
		}
	}
	v.unsigned, v.signed = atomOp(op, unsigned, false), atomOp(op, signed, false)
	return v.unsigned != nil && v.signed != nil && l.runs(v.reduce)
}

// spot is the place in memory that a lane reaches.
type spot struct {
	*texture.Description
	off  uint32 // in the arena
	none bool   // outside: a load gives zeros, a store nothing
}

// find finds the bytes that a lane's coordinates name; size 0: one element.
func (v *surfaceOp) find(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, lane int, size uint32) (s spot, ok bool) {
	t, _, ok := textureOf(w, in, &v.image, f, lane, texture.Surface)
	if !ok {
		return s, false
	}
	var at texture.Place
	c := v.coord
	if v.shape.layers {
		at.Layer = int(min(c[0].Get(f, lane), 1<<30))
		c = c[1:]
	}
	unit := v.unit
	if unit == 0 {
		unit = t.ElementSize()
	}
	if size == 0 {
		size = t.ElementSize()
	}
	for i := range min(v.shape.dims, len(c)) {
		at.X[i] = int64(int32(c[i].Get(f, lane)))
	}
	at.X[0] *= int64(unit)
	if !t.Holds(at, size) {
		near, ok := t.Nearest(at, size)
		switch {
		case v.outside == zeroed:
			return spot{t, 0, true}, true
		case v.outside == faults || !ok:
			w.Fail(in, outsideSurface(t, at, lane, size))
			return s, false
		}
		at = near
	}
	if v.aligned && at.X[0]%int64(v.size) != 0 || at.X[0] < 0 {
		w.Fail(in, &Fault{Kind: Misaligned, Lanes: 1 << lane, Space: "surface", Addr: uint64(at.X[0]), Size: int(v.size),
			Detail: fmt.Sprintf("; the first coordinate counts bytes and must be a multiple of %d", v.size)})
		return s, false
	}
	return spot{t, w.Mem.Off(t.Data + t.Offset(at)), false}, true
}

// outsideSurface is the fault of an access outside of a surface.
func outsideSurface(t *texture.Description, at texture.Place, lane int, size uint32) *Fault {
	x := at.X
	return &Fault{Kind: OutOfBounds, Lanes: 1 << lane, Space: "surface", Addr: uint64(x[0]), Size: int(size),
		Detail: fmt.Sprintf("; byte %d of row %d, slice %d, layer %d; it has %s a row, %s, %s, %s", x[0], x[1], x[2],
			at.Layer, ptx.Plural(t.RowSize(), "byte"), ptx.Plural(max(t.Height, 1), "row"),
			ptx.Plural(max(t.Depth, 1), "slice"), ptx.Plural(max(t.Layers, 1), "layer"))}
}

// touch executes do, a lane's access to the spot. Loads and stores are weak, reductions like red (9.7.15.6).
func (s *spot) touch(w *machine.Warp, in *machine.Inst, lane int, p span, do func()) {
	var offs [32]uint32
	offs[lane] = s.off
	p.lanes, p.offs = 1<<lane, &offs
	touch(w, in, &p, do)
}

func (v *surfaceOp) each(exec Mask, do func(lane int) bool) bool {
	good := true
	machine.EachLane(exec, func(lane int) { good = good && do(lane) })
	return good
}

func (v *surfaceOp) load(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	return v.each(exec, func(lane int) bool {
		s, ok := v.find(w, in, f, lane, v.size*uint32(len(v.regs)))
		size := v.size * uint32(len(v.regs))
		var data [16]byte
		if ok && !s.none {
			s.touch(w, in, lane, span{size: size}, func() { copy(data[:], w.Mem.Bytes(s.off, size)) })
		}
		for i := range v.regs {
			at := uint32(i) * v.size
			v.regs[i].Set(f, lane, mem.ReadUint(data[at:at+v.size], int(v.size)))
		}
		return ok
	})
}

// store is sust.b (9.7.13.2).
func (v *surfaceOp) store(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	return v.each(exec, func(lane int) bool {
		s, ok := v.find(w, in, f, lane, v.size*uint32(len(v.regs)))
		if !ok || s.none {
			return ok
		}
		s.touch(w, in, lane, span{size: v.size * uint32(len(v.regs)), write: true}, func() {
			for i := range v.regs {
				v.write(w, s.off+uint32(i)*v.size, v.size, lane, v.regs[i].Get(f, lane))
			}
		})
		return true
	})
}

// storeElements is sust.p, which converts to the surface's format (9.7.13.2).
func (v *surfaceOp) storeElements(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	return v.each(exec, func(lane int) bool {
		s, ok := v.find(w, in, f, lane, 0)
		if !ok || s.none {
			return ok
		}
		channel, n := s.Format.Size(), min(s.Channels, len(v.regs))
		s.touch(w, in, lane, span{size: channel * uint32(n), write: true}, func() {
			for i := range n {
				v.write(w, s.off+uint32(i)*channel, channel, lane, s.Format.Encode(uint32(v.regs[i].Get(f, lane))))
			}
		})
		return true
	})
}

// write stores in the image, lane by lane in ascending order.
func (v *surfaceOp) write(w *machine.Warp, off, size uint32, lane int, value uint64) {
	ac := &machine.Access{Space: ptx.GlobalSpace}
	put(w, ac, w.Mem.Addr(off), lane, off, size, value)
}

// reduce is sured (9.7.13.3).
func (v *surfaceOp) reduce(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	return v.each(exec, func(lane int) bool {
		s, ok := v.find(w, in, f, lane, v.size)
		if !ok || s.none {
			return ok
		}
		do := v.unsigned
		if s.Format.Signed() {
			do = v.signed
		}
		s.touch(w, in, lane, span{size: v.size, reach: causal.Grid, write: true}, func() {
			old := mem.ReadUint(w.Mem.Bytes(s.off, v.size), int(v.size))
			v.write(w, s.off, v.size, lane, do(old, v.regs[0].Get(f, lane), 0))
		})
		return true
	})
}
