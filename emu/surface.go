package emu

import (
	"fmt"
	"unsafe"

	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/emu/texture"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// surfaceOp is a lowered suld, sust or sured (9.7.13.1 to 9.7.13.3). The first coordinate counts bytes, or elements for
// .p forms.
type surfaceOp struct {
	image  handle
	array  bool
	dims   int
	coord  []row.Operand
	clamp  string
	size   uint32 // of one register's data, bytes
	format bool   // .p: elements of the surface's format
	op     string // of sured
	typ    isa.Type
}

func lowerSurface(l *lowerer) bool {
	ops := l.in.Operands
	at, mnemonic := 0, l.in.Match.Form.Mnemonic
	x := &machine.Extra{}
	t := l.in.Match.Types[0]
	if mnemonic == "suld" {
		for _, e := range elements(ops[0]) {
			x.D = append(x.D, l.dst(e))
		}
		at = 1
	} else {
		for _, e := range elements(ops[1]) {
			x.S = append(x.S, l.src(e, t))
		}
	}
	geom := l.first(".1d", ".2d", ".3d", ".a1d", ".a2d")[1:]
	v := &surfaceOp{image: l.handle(ops[at]), array: geom[0] == 'a', coord: l.coords(ops[at].List()[0], isa.S32),
		clamp: l.first(".trap", ".clamp", ".zero"), size: uint32(t.Bytes()), typ: t,
		format: l.has(".p"), op: l.first(".add", ".min", ".max", ".and", ".or")}
	v.dims = int(geom[len(geom)-2] - '0')
	x.Run = map[string]func(*machine.Warp, *machine.Inst, unsafe.Pointer, Mask) bool{"suld": v.load, "sust": v.store,
		"sured": v.reduce}[mnemonic]
	l.i.Op, l.i.X = machine.OpRun, x
	return true
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
	if v.array {
		at.Layer = int(min(c[0].Get(f, lane), 1<<30))
		c = c[1:]
	}
	unit := int64(1)
	switch {
	case v.format && v.op != "": // "scaled by the data-size given by .ctype" (9.7.13.3)
		unit = int64(v.size)
	case v.format:
		unit = int64(t.ElementSize())
	}
	if size == 0 {
		size = t.ElementSize()
	}
	for i := range min(v.dims, len(c)) {
		at.X[i] = int64(int32(c[i].Get(f, lane)))
	}
	at.X[0] *= unit
	if !t.Holds(at, size) {
		near, ok := t.Nearest(at, size)
		switch {
		case v.clamp == ".zero":
			return spot{t, 0, true}, true
		case v.clamp == ".trap" || !ok:
			w.Fail(in, outsideSurface(t, at, lane, size))
			return s, false
		}
		at = near
	}
	if !v.format && at.X[0]%int64(v.size) != 0 || at.X[0] < 0 {
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

func (v *surfaceOp) each(exec Mask, do func(lane int) bool) bool {
	good := true
	machine.EachLane(exec, func(lane int) { good = good && do(lane) })
	return good
}

func (v *surfaceOp) load(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	return v.each(exec, func(lane int) bool {
		s, ok := v.find(w, in, f, lane, v.size*uint32(len(in.X.D)))
		for i := range in.X.D {
			value := uint64(0)
			if ok && !s.none {
				value = machine.ReadUint(w.Mem.Bytes(s.off+uint32(i)*v.size, v.size), int(v.size))
			}
			in.X.D[i].Set(f, lane, value)
		}
		return ok
	})
}

// store is sust.b, and sust.p, which converts (9.7.13.2).
func (v *surfaceOp) store(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	size := v.size * uint32(len(in.X.S))
	if v.format {
		size = 0
	}
	return v.each(exec, func(lane int) bool {
		s, ok := v.find(w, in, f, lane, size)
		if !ok || s.none {
			return ok
		}
		if !v.format {
			for i := range in.X.S {
				v.write(w, s.off+uint32(i)*v.size, v.size, lane, in.X.S[i].Get(f, lane))
			}
			return true
		}
		channel := s.Format.Size()
		for i := range min(s.Channels, len(in.X.S)) {
			v.write(w, s.off+uint32(i)*channel, channel, lane, s.Format.Encode(uint32(in.X.S[i].Get(f, lane))))
		}
		return true
	})
}

// write stores in the image, lane by lane in ascending order.
func (v *surfaceOp) write(w *machine.Warp, off, size uint32, lane int, value uint64) {
	ac := &machine.Access{Space: ptx.GlobalSpace}
	put(w, ac, w.Mem.Addr(off), lane, off, size, value)
}

// reduce is sured (9.7.13.3). Whether a .p form is signed follows from the surface's format.
func (v *surfaceOp) reduce(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	return v.each(exec, func(lane int) bool {
		s, ok := v.find(w, in, f, lane, v.size)
		if !ok || s.none {
			return ok
		}
		t := v.typ
		if v.format && v.op != ".and" && v.op != ".or" {
			t = map[bool]isa.Type{true: isa.S32, false: isa.U32}[s.Format.Signed()]
			if v.size == 8 {
				t = map[bool]isa.Type{true: isa.S64, false: isa.U64}[s.Format.Signed()]
			}
		}
		do := atomOp(v.op, t, false)
		if do == nil {
			return false
		}
		v.write(w, s.off, v.size, lane, do(machine.ReadUint(w.Mem.Bytes(s.off, v.size), int(v.size)),
			in.X.S[0].Get(f, lane), 0))
		return true
	})
}
