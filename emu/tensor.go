package emu

import (
	"fmt"
	"unsafe"

	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/emu/tensor"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// tensorCopy is cp.async.bulk.tensor and cp.reduce.async.bulk.tensor (9.7.9.27.1).
type tensorCopy struct {
	tensor   *access       // the tensor map
	coords   []row.Operand // .s32
	mem      *access       // shared memory
	load     bool          // from global memory to shared memory
	mbarrier *access
	info     []row.Operand // im2col offsets, or wHalo and wOffset
	ctaMask  row.Operand
	rows     bool // .tile::gather4 and .tile::scatter4
	mode     TensorMode
	op       string // of a reduction, or ""
}

func lowerCopyTensor(l *lowerer) bool {
	m := l.in.Match
	v := &tensorCopy{ctaMask: row.Operand{Sink: true}, load: m.Value("src") == ".global", rows: l.has(".tile::gather4", ".tile::scatter4")}
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
			v.ctaMask = l.src(arg, op.Type)
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

// coordinates are what follows the tensor map in [map, {x, y}].
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
	bad := func(err error) bool {
		w.fail(in, &Fault{Kind: IllegalInstruction, Lanes: 1 << lane, Detail: fmt.Sprintf(": tensor map at %#x: %v", at, err)})
		return false
	}
	m, err := w.readMap(at)
	if err != nil {
		return bad(err)
	}
	w.checkMap(in, lane, at)
	if m.Sixteenths {
		w.note(in, causeStrides,
			fmt.Sprintf("`%s` in lane %d of warp %d reads the tensor map at %#x, whose strides cannot be "+
				"bytes: they are taken in units of 16 bytes, as compilers write them up to PTX ISA 8.5; later ones write bytes",
				in.src.Opcode, lane, w.index, at))
	}
	o := asyncOp{packs: !v.load && m.Padded()}
	box := v.box(&m, f, lane)
	if err = box.Fits(); err == nil {
		err = v.reduction(&m, &o)
	}
	if err == nil {
		err = box.Check()
	}
	if err != nil {
		return bad(err)
	}
	bytes := box.Bytes()
	if bytes > maxShared {
		return bad(fmt.Errorf("the box has %d bytes, more than any shared memory", bytes))
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
	base := ownerOfShared(w.cta.grid, mem[lane]).sharedOff
	moves := box.Moves(mem[lane] - base)
	if o.moves, err = w.cta.grid.dev.place(&moves, base, v.load); err != nil {
		return bad(err)
	}
	o.mbarrier, o.tx = bar[lane], m.Unpadded(total)
	le.PutUint64(o.fill[:], m.Fill())
	if len(o.moves) == 0 {
		return true // a store that is wholly outside
	}
	return w.startAll(in, lane, o, ranksOf(&v.ctaMask, f, lane))
}

// box reads the numbers of a lane.
func (v *tensorCopy) box(m *tensor.Layout, f unsafe.Pointer, lane int) *tensor.Box {
	b := &tensor.Box{Layout: m, Mode: v.mode, Load: v.load, Rows: v.rows, Dims: len(v.coords)}
	for i := range v.coords {
		b.At[i] = int64(int32(v.coords[i].Get(f, lane)))
	}
	for i := range v.info {
		b.Info[i] = int64(uint16(v.info[i].Get(f, lane)))
	}
	return b
}

// reduction finds what a reduction does to elements of the tensor.
func (v *tensorCopy) reduction(m *tensor.Layout, o *asyncOp) error {
	if v.op == "" {
		return nil
	}
	if t, size := m.Reduction(v.op); t != isa.NoType {
		o.fold, o.size = atomOp(v.op, t, false), size
	}
	if o.fold == nil {
		return fmt.Errorf("there is no reduction %s of elements of type %s (9.7.9.27.1.3)", v.op, m.Type)
	}
	return nil
}

// place turns moves into ones of the arena, where shared memory begins at base. All global memory that is touched must
// be in one allocation.
func (d *Device) place(m *tensor.Moves, base uint32, load bool) ([]move, error) {
	if m.High != 0 {
		al := d.mem.Find(m.Low, m.High-m.Low)
		if al == nil || !load && al.Kind != mem.Global {
			return nil, fmt.Errorf("the tensor reaches beyond its memory: %#x to %#x%s", m.Low, m.High, d.nearest(m.High))
		}
	}
	moves := make([]move, 0, len(m.List))
	for _, piece := range m.List {
		p := move{to: base + piece.Shared, size: piece.Size}
		if piece.Global != 0 {
			p.from = d.mem.Off(piece.Global)
		}
		if !load {
			p.to, p.from = p.from, p.to
		}
		moves = append(moves, p)
	}
	return moves, nil
}
