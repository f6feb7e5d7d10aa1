package emu

import (
	"fmt"
	"unsafe"

	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// tensorCopy is cp.async.bulk.tensor and cp.reduce.async.bulk.tensor (9.7.9.27.1).
type tensorCopy struct {
	tensor   *access   // the tensor map
	coords   []operand // .s32
	mem      *access   // shared memory
	load     bool      // from global memory to shared memory
	mbarrier *access
	info     []operand // im2col offsets, or wHalo and wOffset
	ctaMask  operand
	rows     bool // .tile::gather4 and .tile::scatter4
	mode     TensorMode
	op       string // of a reduction, or ""
}

func (l *lowerer) copyTensor() bool {
	m := l.in.Match
	v := &tensorCopy{ctaMask: operand{sink: true}, load: m.Value("src") == ".global", rows: l.has(".tile::gather4", ".tile::scatter4")}
	switch {
	case l.has(".im2col", ".im2col_no_offs"):
		v.mode = Im2col
	case l.has(".im2col::w"):
		v.mode = Im2colW
	case l.has(".im2col::w::128"):
		v.mode = Im2colW128
	}
	shared := m.Value("dst")
	if !v.load {
		shared = m.Value("src")
	}
	for i, op := range m.Operands {
		if i >= len(l.in.Operands) || l.in.Operands[i].Kind == ptx.OpMissing {
			continue
		}
		arg := l.in.Operands[i]
		switch {
		case len(arg.List()) > 0 && arg.Kind == ptx.OpAddr:
			v.tensor = l.access(arg, isa.B64, false)
			v.tensor.space = ptx.Generic
			for _, c := range coordinates(arg) {
				v.coords = append(v.coords, l.src(c, isa.S32))
			}
		case op.Name == "dstMem" || op.Name == "srcMem":
			v.mem = l.accessIn(arg, shared, isa.B128, v.load)
		case op.Name == "mbar":
			v.mbarrier = l.accessIn(arg, shared, isa.B64, true)
		case op.Name == "im2colInfo":
			for _, c := range elements(arg) {
				v.info = append(v.info, l.src(c, isa.U16))
			}
		case op.Name == "ctaMask":
			v.ctaMask = l.src(arg, isa.U16)
		}
	}
	if v.tensor == nil || v.mem == nil {
		return false
	}
	if m.Form.ID == "cp.reduce.async.bulk.tensor" {
		v.op = l.first(".add", ".min", ".max", ".inc", ".dec", ".and", ".or", ".xor")
	}
	l.prog.proxies = l.prog.proxies || !v.load
	l.i.op, l.i.x = opRun, &extra{mem: v.mem, reduces: v.op != "", run: v.run}
	return true
}

// coordinates are what stands behind the tensor map in [map, {x, y}].
func coordinates(op ptx.Operand) []ptx.Operand {
	if len(op.List()) == 1 && op.List()[0].Kind == ptx.OpVec {
		return op.List()[0].List()
	}
	return op.List()
}

func (v *tensorCopy) run(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
	ok := true
	eachLane(exec, func(lane int) { ok = ok && v.start(w, in, f, lane) })
	return ok
}

// start starts the copy of one lane.
func (v *tensorCopy) start(w *warp, in *inst, f unsafe.Pointer, lane int) bool {
	at := laneAddr(v.tensor, f, lane)
	bad := func(why string) bool {
		w.fail(in, &Fault{Kind: IllegalInstruction, Lanes: 1 << lane, Detail: fmt.Sprintf(": tensor map at %#x: %s", at, why)})
		return false
	}
	m, why := w.readMap(at)
	if why != "" {
		return bad(why)
	}
	w.checkMap(in, lane, at)
	if m.sixteenths {
		w.note(in, causeStrides,
			fmt.Sprintf("`%s` in lane %d of warp %d reads the tensor map at %#x, whose strides cannot be "+
				"bytes: they are taken in units of 16 bytes, as compilers write them up to PTX ISA 8.5; later ones write bytes",
				in.src.Opcode, lane, w.index, at))
	}
	o := asyncOp{packs: !v.load && m.padded()}
	if why = v.fits(&m, &o); why != "" {
		return bad(why)
	}
	box := v.box(&m, f, lane)
	if why = box.check(v.load); why != "" {
		return bad(why)
	}
	size := m.rowBytes()
	bytes := box.count() * int64(size)
	if bytes > maxShared {
		return bad(fmt.Sprintf("the box has %d bytes, more than any shared memory", bytes))
	}
	total := uint32(bytes)
	mem, ok := w.spans(in, v.mem, f, 1<<lane, 128, func(int) uint64 { return uint64(total) })
	if !ok {
		return false
	}
	bar, ok := w.signals(in, v.mbarrier, f, 1<<lane, &mem)
	if !ok {
		return false
	}
	b := moveBuilder{tensorMap: &m, load: v.load, base: w.cta.grid.sharedOwner(mem[lane]).sharedOff}
	for i, r := range box.list() {
		b.row(mem[lane]-b.base+uint32(i)*size, r)
	}
	if !b.inside(w.cta.grid.dev) {
		return bad(fmt.Sprintf("the tensor reaches beyond its memory: %#x to %#x%s", b.low, b.high, w.cta.grid.dev.nearest(b.high)))
	}
	o.moves, o.mbarrier, o.tx = b.moves, bar[lane], total/m.shared*m.global
	for i := range o.fill {
		if m.nan {
			o.fill[i] = byte(m.tensorElem.nan >> (8 * i))
		}
	}
	if len(o.moves) == 0 {
		return true // a store that is wholly outside
	}
	return w.startAll(in, lane, o, v.ctaMask.ranks(f, lane))
}

// box reads the numbers of a lane.
func (v *tensorCopy) box(m *tensorMap, f unsafe.Pointer, lane int) *tensorBox {
	b := &tensorBox{tensorMap: m, rows: v.rows}
	for i := range v.coords {
		b.at[i] = int64(int32(v.coords[i].get(f, lane)))
	}
	for i := range v.info {
		b.info[i] = int64(uint16(v.info[i].get(f, lane)))
	}
	return b
}

// fits checks the instruction against the tensor map, and finds the reduction.
func (v *tensorCopy) fits(m *tensorMap, o *asyncOp) string {
	switch {
	case v.rows && (m.rank != 2 || m.box[1] != 1):
		return ".tile::gather4 and .tile::scatter4 take tensors of 2 dimensions and boxes of one row (5.5.3.4)"
	case !v.rows && len(v.coords) != m.rank:
		return fmt.Sprintf("the tensor has %s, the instruction %d", ptx.Plural(m.rank, "dimension"), len(v.coords))
	case v.mode != m.mode:
		return fmt.Sprintf("it is %s, the instruction %s", m.mode, v.mode)
	case !v.load && m.name == "b4x16_p64":
		return fmt.Sprintf("elements of type %s are not copied to global memory (9.7.9.27.1.1)", m.name)
	}
	if v.op == "" {
		return ""
	}
	t := m.tensorElem.fold
	switch {
	case v.op == ".and" || v.op == ".or" || v.op == ".xor":
		if t = isa.BitsType(8 * int(m.global)); m.global < 4 {
			t = isa.NoType
		}
	case (v.op == ".inc" || v.op == ".dec") && t != isa.U32, v.op == ".add" && t == isa.S64,
		(v.op == ".min" || v.op == ".max") && t == isa.F32:
		t = isa.NoType
	}
	if t != isa.NoType {
		o.fold, o.size = atomOp(v.op, t, false), m.global
	}
	if o.fold == nil {
		return fmt.Sprintf("there is no reduction %s of elements of type %s (9.7.9.27.1.3)", v.op, m.name)
	}
	return ""
}

// moveBuilder turns rows into moves.
type moveBuilder struct {
	*tensorMap
	load      bool
	base      uint32 // arena offset of shared memory
	moves     []move
	low, high Addr // of the global memory that is touched
}

// row adds the moves of a row at an address of shared memory.
func (b *moveBuilder) row(shared uint32, r tensorRow) {
	outside := false
	addr := b.addr + uint64(r[0]/b.grain)*b.strides[0]
	for i := 1; i < b.rank; i++ {
		outside = outside || r[i] < 0 || r[i] >= b.dims[i]
		addr += uint64(r[i]) * b.strides[i]
	}
	units, first := b.width/b.per, r[0]/b.per
	from, to := min(max(-first, 0), units), min(max(b.dims[0]/b.per-first, 0), units) // inside the tensor
	if outside || from >= to {
		from, to = units, units
	}
	b.fill(shared, 0, from)
	b.inner(shared, from, to, addr)
	b.fill(shared, to, units)
}

// fill adds what lies outside of the tensor.
func (b *moveBuilder) fill(shared uint32, from, to int64) {
	if b.load && from < to {
		b.pieces(shared+uint32(from)*b.shared, uint32(to-from)*b.shared, 0)
	}
}

// inner adds what lies inside.
func (b *moveBuilder) inner(shared uint32, from, to int64, addr Addr) {
	if from >= to {
		return
	}
	start, end := addr+uint64(from)*uint64(b.global), addr+uint64(to)*uint64(b.global)
	if b.high == 0 {
		b.low = start
	}
	b.low, b.high = min(b.low, start), max(b.high, end)
	if b.global == b.shared {
		b.pieces(shared+uint32(from)*b.shared, uint32(end-start), start)
		return
	}
	for u := from; u < to; u++ { // padding between the units
		b.pieces(shared+uint32(u)*b.shared, b.global, addr+uint64(u)*uint64(b.global))
	}
}

// pieces adds moves between an address of shared memory and one of global memory, cut where swizzling exchanges chunks.
// A global address of 0 is the outside. Arena offsets of global memory are made by inside.
func (b *moveBuilder) pieces(shared, size uint32, global Addr) {
	chunk := b.chunk()
	for size > 0 {
		n := min(size, chunk-shared%chunk)
		at := b.base + b.swizzled(shared)
		b.moves = append(b.moves, move{to: at, size: n, global: global})
		shared, size = shared+n, size-n
		if global != 0 {
			global += Addr(n)
		}
	}
}

// inside says whether all that is touched is in one allocation, and finishes the moves.
func (b *moveBuilder) inside(d *Device) bool {
	if b.high != 0 {
		al := d.find(b.low, b.high-b.low)
		if al == nil || !b.load && al.space != ptx.GlobalSpace {
			return false
		}
	}
	for i := range b.moves {
		m := &b.moves[i]
		if m.global != 0 {
			m.from = uint32(m.global - d.win.global)
		}
		if !b.load {
			m.to, m.from = m.from, m.to
		}
	}
	return true
}
