package emu

import (
	"fmt"
	"math"
	"unsafe"

	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/emu/texture"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// handle is where lanes find the encoding of a texture, sampler or surface.
type handle struct {
	addr    row.Operand
	off     uint64
	through bool // addr is that of a kernel parameter, which holds the address
}

func (l *lowerer) handle(op ptx.Operand) handle {
	if v := op.Var; v != nil {
		return handle{addr: l.address(op, isa.U64, true), through: v.Space == ptx.ParamSpace}
	}
	return handle{addr: l.reg(op.Reg, op.Elem), off: uint64(op.Off())}
}

// opaque encodes the initial properties of a variable (5.3.2).
func (l *lowerer) opaque(v *ptx.Var) []byte {
	t := texture.Description{Kind: texture.Image, Channels: 1, Format: texture.F32}
	switch v.Type {
	case isa.SamplerRef:
		t.Kind = texture.Sampler
	case isa.SurfRef:
		t.Kind = texture.Surface
	}
	for _, f := range v.Fields {
		if why := t.Set(f.Name, f.Value); why != "" {
			l.diags = append(l.diags, ptx.Diagnostic{Severity: ptx.Error, Code: "bad-initializer", Span: v.Span,
				Section: "5.3.2", Message: fmt.Sprintf("%s of %s: %s", f.Name, v.Name, why)})
		}
	}
	return t.Encode()
}

// textureOf reads the encoding that a lane names, with the image's memory where kind is that of one; 0 takes any kind.
func textureOf(w *machine.Warp, in *machine.Inst, h *handle, f unsafe.Pointer, lane int, kind texture.Kind) (
	*texture.Description, []byte, bool) {
	a := h.addr.Get(f, lane) + h.off
	bytes := func(a Addr, n int64) []byte {
		if w.Mem.Find(a, uint64(n)) == nil {
			return nil
		}
		return w.Mem.Bytes(w.Mem.Off(a), uint32(n))
	}
	if h.through {
		if b := bytes(a, 8); b != nil {
			a = machine.ReadUint(b, 8)
		}
	}
	what := [...]string{"texture or surface", "texture", "sampler", "surface"}[kind]
	bad := func(format string, args ...any) (*texture.Description, []byte, bool) {
		w.Fail(in, &Fault{Kind: IllegalAddress, Lanes: 1 << lane, Space: what, Addr: a, Size: texture.EncodedSize,
			Detail: "; " + fmt.Sprintf(format, args...)})
		return nil, nil, false
	}
	b := bytes(a, texture.EncodedSize)
	if b == nil {
		return bad("this is the handle of no %s", what)
	}
	t, why := texture.Decode(b)
	if why != "" {
		return bad("there is no %s here: %s", what, why)
	}
	if kind == 0 || kind == texture.Sampler {
		return &t, nil, true
	}
	if al := w.Mem.Find(t.Data, uint64(t.Size())); al == nil || al.Kind != mem.Global {
		return bad("no image is bound to this %s: the launch header can do it, as in `//@ texture t = img`", what)
	}
	return &t, bytes(t.Data, t.Size()), true
}

// coords are the elements of a coordinate operand: a scalar, a tuple or a vector.
func (l *lowerer) coords(op ptx.Operand, t isa.Type) (list []row.Operand) {
	if op.Kind == ptx.OpReg && op.Reg.Vec > 1 && op.Elem < 0 {
		for i := range op.Reg.Vec {
			list = append(list, l.reg(op.Reg, int8(i)))
		}
		return list
	}
	for _, e := range elements(op) {
		list = append(list, l.src(e, t))
	}
	return list
}

// fetchOp is a lowered tex (9.7.12.3) or tld4 (9.7.12.4).
type fetchOp struct {
	image, sampler handle
	hasSampler     bool
	geom           string // without the leading a of an array
	array          bool
	integer        bool // coordinates
	coord, offset  []row.Operand
	lod            row.Operand
	dx, dy         []row.Operand
	depth          row.Operand
	hasDepth       bool
	component      int // tld4; -1: tex
	mip            string
	result         isa.Type
	resident       row.Operand // a predicate, or a sink
}

func lowerFetch(l *lowerer) bool {
	ops, names := l.in.Operands, l.in.Match.Operands
	types := l.in.Match.Types
	v := &fetchOp{geom: l.first(".1d", ".2d", ".3d", ".a1d", ".a2d", ".cube", ".acube", ".2dms", ".a2dms")[1:],
		component: -1,
		mip:       l.first(".level", ".grad"), result: types[0], integer: types[1] == isa.S32,
		resident: row.Operand{Sink: true}}
	if v.array = v.geom[0] == 'a'; v.array {
		v.geom = v.geom[1:]
	}
	for i, c := range []string{".r", ".g", ".b", ".a"} {
		if l.in.Match.Form.Mnemonic == "tld4" && l.has(c) {
			v.component = i
		}
	}
	x := &machine.Extra{Run: v.run}
	for _, e := range elements(ops[0]) {
		x.D = append(x.D, l.dst(e))
	}
	if ops[0].Kind == ptx.OpReg && ops[0].Reg.Vec > 1 {
		x.D = nil
		for i := range ops[0].Reg.Vec {
			o := l.reg(ops[0].Reg, int8(i))
			n := len(l.prog.Writes) - 1
			l.prog.Writes[n] = append(l.prog.Writes[n], machine.DstReg{Reg: ops[0].Reg, Elem: i, Op: o})
			x.D = append(x.D, o)
		}
	}
	if p := ops[0].Second(); p != nil {
		v.resident = l.dst(*p)
	}
	args := ops[1].List()
	v.image = l.handle(ops[1])
	if len(args) == 2 {
		v.sampler, v.hasSampler = l.handle(args[0]), true
		args = args[1:]
	}
	v.coord = l.coords(args[0], types[1])
	for i := 2; i < len(ops) && i < len(names); i++ {
		if ops[i].Kind == ptx.OpMissing {
			continue
		}
		name := names[i].Name
		if o := &ops[i]; name == "e" && o.Kind != ptx.OpVec && (o.Reg == nil || o.Reg.Vec <= 1 || o.Elem >= 0) {
			name = "f" // offsets are tuples, so a scalar is the reference value
		}
		switch name {
		case "e":
			v.offset = l.coords(ops[i], isa.S32)
		case "lod":
			v.lod = l.src(ops[i], types[1])
		case "dPdx":
			v.dx = l.coords(ops[i], isa.F32)
		case "dPdy":
			v.dy = l.coords(ops[i], isa.F32)
		case "f":
			v.depth, v.hasDepth = l.src(ops[i], isa.F32), true
		}
	}
	l.i.Op, l.i.X = machine.OpRun, x
	return true
}

func f32(o *row.Operand, f unsafe.Pointer, lane int) float64 {
	return float64(math.Float32frombits(uint32(o.Get(f, lane))))
}

// number is a coordinate or level of detail.
func (v *fetchOp) number(o *row.Operand, f unsafe.Pointer, lane int) float64 {
	if v.integer {
		return float64(int32(o.Get(f, lane)))
	}
	return f32(o, f, lane)
}

func (v *fetchOp) run(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	good := true
	machine.EachLane(exec, func(lane int) {
		if good {
			good = v.lane(w, in, f, lane)
		}
	})
	if good {
		v.resident.SetLanes(f, exec, uint32(exec)) // all data is resident
	}
	return good
}

func (v *fetchOp) lane(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, lane int) bool {
	t, mem, ok := textureOf(w, in, &v.image, f, lane, texture.Image)
	if !ok {
		return false
	}
	k := &texture.Lookup{Image: t, Sampler: t, Memory: mem, Integer: v.integer}
	if v.hasSampler {
		if k.Sampler, _, ok = textureOf(w, in, &v.sampler, f, lane, texture.Sampler); !ok {
			return false
		}
	}
	v.place(k, f, lane)
	var out texture.Texel
	switch {
	case v.component >= 0:
		out = k.Footprint(v.component)
	case v.mip == ".level":
		out = k.Value(v.number(&v.lod, f, lane))
	case v.mip == ".grad":
		var dx, dy [3]float64
		for i := range min(len(v.dx), len(v.dy), 3) {
			dx[i], dy[i] = f32(&v.dx[i], f, lane), f32(&v.dy[i], f, lane)
		}
		out = k.Value(k.Detail(dx, dy))
	case v.integer && v.geom == "1d" && !v.array && (k.Coord[0] < 0 || k.Coord[0] >= float64(t.Width)):
		// a buffer: nothing is outside of it
	default:
		out = k.Value(0)
	}
	v.store(in.X, f, lane, out, t.Format.Integer())
	return true
}

// place finds the layer, the sample and the coordinates.
func (v *fetchOp) place(k *texture.Lookup, f unsafe.Pointer, lane int) {
	c := v.coord
	if v.array {
		k.Layer = int(min(c[0].Get(f, lane), 1<<30))
		c = c[1:]
	}
	if v.geom == "2dms" {
		k.Sample = int(min(c[0].Get(f, lane), uint64(max(k.Image.Samples, 1)-1)))
		c = c[1:]
	}
	k.Dims = map[string]int{"1d": 1, "2d": 2, "3d": 3, "cube": 3, "2dms": 2}[v.geom]
	for i := range min(k.Dims, len(c)) {
		k.Coord[i] = v.number(&c[i], f, lane)
	}
	for i := range min(k.Dims, len(v.offset)) {
		k.Offset[i] = int(int32(v.offset[i].Get(f, lane)))
	}
	if v.geom == "cube" {
		k.Cube()
	}
	k.Layer = min(k.Layer, max(k.Image.Layers, 1)-1)
	if v.hasDepth {
		d := f32(&v.depth, f, lane)
		k.Depth = &d
	}
}

// store converts the result to the instruction's type. Integer formats give integers, the others floats.
func (v *fetchOp) store(x *machine.Extra, f unsafe.Pointer, lane int, out texture.Texel, integer bool) {
	bits := func(i int) uint64 {
		if integer {
			return uint64(uint32(int64(out[i])))
		}
		return uint64(math.Float32bits(float32(out[i])))
	}
	half := func(i int) uint64 {
		return uint64(texture.F16.Encode(math.Float32bits(float32(out[i]))))
	}
	for i := range x.D {
		switch v.result {
		case isa.F16:
			x.D[i].Set(f, lane, half(i))
		case isa.F16x2:
			x.D[i].Set(f, lane, half(2*i)|half(2*i+1)<<16)
		default:
			x.D[i].Set(f, lane, bits(i))
		}
	}
}

// lowerQueryOpaque is txq (9.7.12.5) and suq (9.7.13.4).
func lowerQueryOpaque(l *lowerer) bool {
	ops := l.in.Operands
	d, h := l.dst(ops[0]), l.handle(ops[1])
	query := l.first(".width", ".height", ".depth", ".channel_data_type", ".channel_order", ".normalized_coords",
		".array_size",
		".num_mipmap_levels", ".num_samples", ".force_unnormalized_coords", ".filter_mode", ".addr_mode_0", ".addr_mode_1",
		".addr_mode_2", ".memory_layout")
	var lod *row.Operand
	if len(ops) > 2 && ops[2].Kind != ptx.OpMissing {
		o := l.src(ops[2], isa.U32)
		lod = &o
	}
	l.i.Op, l.i.X = machine.OpRun, &machine.Extra{Run: func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer,
		exec Mask) bool {
		good := true
		machine.EachLane(exec, func(lane int) {
			if !good {
				return
			}
			var t *texture.Description
			if t, _, good = textureOf(w, in, &h, f, lane, 0); !good {
				return
			}
			level := 0
			if lod != nil {
				level = int(min(lod.Get(f, lane), 31))
			}
			d.Set(f, lane, t.Property(query, level))
		})
		return good
	}}
	return true
}

// lowerIstypep is istypep (9.7.12.6).
func lowerIstypep(l *lowerer) bool {
	ops := l.in.Operands
	want := map[string]texture.Kind{".texref": texture.Image, ".samplerref": texture.Sampler,
		".surfref": texture.Surface}[l.first(".texref", ".samplerref", ".surfref")]
	p, a := l.dst(ops[0]), l.src(ops[1], isa.U64)
	l.i.Op, l.i.X = machine.OpRun, &machine.Extra{Run: func(w *machine.Warp, _ *machine.Inst, f unsafe.Pointer,
		exec Mask) bool {
		var is uint32
		machine.EachLane(exec, func(lane int) {
			at := a.Get(f, lane)
			if w.Mem.Find(at, texture.EncodedSize) != nil {
				t, why := texture.Decode(w.Mem.Bytes(w.Mem.Off(at), texture.EncodedSize))
				is |= row.Bit(why == "" && t.Kind == want) << lane
			}
		})
		p.SetLanes(f, exec, is)
		return true
	}}
	return true
}
