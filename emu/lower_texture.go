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

// textureOf reads the encoding that a lane names. It also returns the image's memory if kind is a texture or surface.
// Kind 0 accepts any encoding.
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
			a = mem.ReadUint(b, 8)
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

// coords are the elements of a coordinate operand: a scalar or a tuple.
func (l *lowerer) coords(op ptx.Operand, t isa.Type) (list []row.Operand) {
	for _, e := range elements(op) {
		list = append(list, l.src(e, t))
	}
	return list
}

// geometry is the shape that an opcode gives to an image. It says which elements a coordinate operand has: the layer of
// an array, the sample, then the coordinates.
type geometry struct {
	layers  bool
	samples bool
	cube    bool // the coordinates are a direction
	dims    int
}

var geometries = map[string]geometry{
	".1d":    {dims: 1},
	".2d":    {dims: 2},
	".3d":    {dims: 3},
	".cube":  {dims: 3, cube: true},
	".2dms":  {dims: 2, samples: true},
	".a1d":   {dims: 1, layers: true},
	".a2d":   {dims: 2, layers: true},
	".acube": {dims: 3, layers: true, cube: true},
	".a2dms": {dims: 2, layers: true, samples: true},
}

func (l *lowerer) geometry() geometry {
	return geometries[l.first(".1d", ".2d", ".3d", ".a1d", ".a2d", ".cube", ".acube", ".2dms", ".a2dms")]
}

// fetchOp is a lowered tex (9.7.12.3) or tld4 (9.7.12.4).
type fetchOp struct {
	image, sampler handle
	hasSampler     bool
	shape          geometry
	integer        bool                      // the coordinates are integers
	number         func(bits uint64) float64 // what a coordinate is
	coord, offset  []row.Operand
	depth          row.Operand
	hasDepth       bool
	look           looker
	d              []row.Operand
	part           texelPart
	resident       row.Operand // a predicate, or a sink
}

// looker gives the texel that a lane's lookup finds.
type looker func(k *texture.Lookup, f unsafe.Pointer, lane int) texture.Texel

// texelPart is what register n gets of a texel.
type texelPart func(v *texture.Texel, n int, integer bool) uint64

func lowerFetch(l *lowerer) bool {
	ops, types := l.in.Operands, l.in.Match.Types
	v := &fetchOp{shape: l.geometry(), integer: types[1] == isa.S32, number: floatOf, part: partOf(types[0]),
		resident: row.Operand{Sink: true}}
	if v.integer {
		v.number = func(bits uint64) float64 { return float64(int32(bits)) }
	}
	for _, e := range elements(ops[0]) {
		v.d = append(v.d, l.dst(e))
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
	e, hasE := l.named("e")
	reference, compares := l.named("f")
	switch {
	case hasE && e.Kind == ptx.OpVec:
		v.offset = l.coords(e, isa.S32)
	case hasE && !compares: // offsets are tuples, so a scalar is the reference value
		reference, compares = e, true
	}
	if compares {
		v.depth, v.hasDepth = l.src(reference, isa.F32), true
	}
	v.look = lowerLook(l, v)
	return l.runs(v.run)
}

// lowerLook chooses how a lookup finds its value.
func lowerLook(l *lowerer, v *fetchOp) looker {
	if l.in.Match.Form.Mnemonic == "tld4" {
		channel := map[string]int{".r": 0, ".g": 1, ".b": 2, ".a": 3}[l.first(".r", ".g", ".b", ".a")]
		return func(k *texture.Lookup, _ unsafe.Pointer, _ int) texture.Texel { return k.Footprint(channel) }
	}
	switch l.first(".level", ".grad") {
	case ".level":
		op, _ := l.named("lod")
		lod := l.src(op, l.in.Match.Types[1])
		return func(k *texture.Lookup, f unsafe.Pointer, lane int) texture.Texel {
			return k.Value(v.number(lod.Get(f, lane)))
		}
	case ".grad":
		x, _ := l.named("dPdx")
		y, _ := l.named("dPdy")
		return lookWithGradient(l.coords(x, isa.F32), l.coords(y, isa.F32))
	}
	if v.shape == geometries[".1d"] && v.integer {
		return lookInBuffer
	}
	return func(k *texture.Lookup, _ unsafe.Pointer, _ int) texture.Texel { return k.Value(0) }
}

// lookWithGradient chooses the level by the steps between neighbours.
func lookWithGradient(x, y []row.Operand) looker {
	n := min(len(x), len(y), 3)
	return func(k *texture.Lookup, f unsafe.Pointer, lane int) texture.Texel {
		var dx, dy [3]float64
		for i := range n {
			dx[i], dy[i] = floatOf(x[i].Get(f, lane)), floatOf(y[i].Get(f, lane))
		}
		return k.Value(k.Detail(dx, dy))
	}
}

// lookInBuffer reads a buffer: there are zeros outside of it.
func lookInBuffer(k *texture.Lookup, _ unsafe.Pointer, _ int) (none texture.Texel) {
	if k.Coord[0] < 0 || k.Coord[0] >= float64(k.Image.Width) {
		return none
	}
	return k.Value(0)
}

func floatOf(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }

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
	out := v.look(k, f, lane)
	for i := range v.d {
		v.d[i].Set(f, lane, v.part(&out, i, t.Format.Integer()))
	}
	return true
}

// place finds the layer, the sample and the coordinates.
func (v *fetchOp) place(k *texture.Lookup, f unsafe.Pointer, lane int) {
	c := v.coord
	if v.shape.layers {
		k.Layer = int(min(c[0].Get(f, lane), 1<<30))
		c = c[1:]
	}
	if v.shape.samples {
		k.Sample = int(min(c[0].Get(f, lane), uint64(max(k.Image.Samples, 1)-1)))
		c = c[1:]
	}
	k.Dims = v.shape.dims
	for i := range min(k.Dims, len(c)) {
		k.Coord[i] = v.number(c[i].Get(f, lane))
	}
	for i := range min(k.Dims, len(v.offset)) {
		k.Offset[i] = int(int32(v.offset[i].Get(f, lane)))
	}
	if v.shape.cube {
		k.Cube()
	}
	k.Layer = min(k.Layer, max(k.Image.Layers, 1)-1)
	if v.hasDepth {
		d := floatOf(v.depth.Get(f, lane))
		k.Depth = &d
	}
}

// partOf converts texels to the type of a result. Integer formats give integers, the others floats.
func partOf(t isa.Type) texelPart {
	half := func(v *texture.Texel, i int) uint64 { return texture.F16.Encode(math.Float32bits(float32(v[i]))) }
	switch t {
	case isa.F16:
		return func(v *texture.Texel, n int, _ bool) uint64 { return half(v, n) }
	case isa.F16x2:
		return func(v *texture.Texel, n int, _ bool) uint64 { return half(v, 2*n) | half(v, 2*n+1)<<16 }
	}
	return func(v *texture.Texel, n int, integer bool) uint64 {
		if integer {
			return uint64(uint32(int64(v[n])))
		}
		return uint64(math.Float32bits(float32(v[n])))
	}
}

// lowerQueryOpaque is txq (9.7.12.5) and suq (9.7.13.4).
func lowerQueryOpaque(l *lowerer) bool {
	ops := l.in.Operands
	d, h := l.dst(ops[0]), l.handle(ops[1])
	property := texture.Property(l.first(".width", ".height", ".depth", ".channel_data_type", ".channel_order",
		".normalized_coords", ".array_size", ".num_mipmap_levels", ".num_samples", ".force_unnormalized_coords",
		".filter_mode", ".addr_mode_0", ".addr_mode_1", ".addr_mode_2", ".memory_layout"))
	lod := l.bitsRow(0, isa.U32)
	if len(ops) > 2 && ops[2].Kind != ptx.OpMissing {
		lod = l.src(ops[2], isa.U32)
	}
	return l.runs(func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		good := true
		machine.EachLane(exec, func(lane int) {
			if !good {
				return
			}
			var t *texture.Description
			if t, _, good = textureOf(w, in, &h, f, lane, 0); good {
				d.Set(f, lane, property(t, int(min(lod.Get(f, lane), 31))))
			}
		})
		return good
	})
}

// lowerIstypep is istypep (9.7.12.6).
func lowerIstypep(l *lowerer) bool {
	ops := l.in.Operands
	want := map[string]texture.Kind{".texref": texture.Image, ".samplerref": texture.Sampler,
		".surfref": texture.Surface}[l.first(".texref", ".samplerref", ".surfref")]
	p, a := l.dst(ops[0]), l.src(ops[1], isa.U64)
	return l.runs(func(w *machine.Warp, _ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
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
	})
}
