package emu

import (
	"errors"
	"fmt"
	"unsafe"

	"warpscope/emu/causes"
	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/emu/tensor"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// tensorCopy is cp.async.bulk.tensor and cp.reduce.async.bulk.tensor (9.7.10.28.5).
type tensorCopy struct {
	tensor   *machine.Access // the tensor map
	coords   []row.Operand   // .s32
	mem      *machine.Access // shared memory
	load     bool            // from global memory to shared memory
	mbarrier *signal
	info     []row.Operand // im2col offsets, or wHalo and wOffset
	ctaMask  row.Operand
	over     *override // of fields of the tensor map, or nil
	rows     bool      // .tile::gather4 and .tile::scatter4
	mode     TensorMode
	op       string // of a reduction, for messages
	folds    []fold // of a reduction, by the type of the tensor; nil for types that it does not have
	report   machine.Report
}

func lowerCopyTensor(l *lowerer) bool {
	m := l.in.Match
	v := &tensorCopy{ctaMask: row.Operand{Sink: true}, load: m.Value("src") == ".global",
		rows: l.has(".tile::gather4", ".tile::scatter4")}
	switch {
	case l.has(".im2col", ".im2col_no_offs"):
		v.mode = Im2col
	case l.has(".im2col::w", ".im2col_no_offs::w"): // without offsets wHalo and wOffset are 0 (9.7.10.28.5.3)
		v.mode = Im2colW
	case l.has(".im2col::w::128"):
		v.mode = Im2colW128
	}
	v.report.Finds = inspections[report(m)]
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
			v.tensor.Space = ptx.Generic
			v.beside(l, arg.List(), op.Inner)
		case op.Name == "dstMem" || op.Name == "srcMem":
			v.mem = l.accessIn(arg, shared, isa.B128, v.load)
		case op.Name == "mbar":
			v.mbarrier = l.signal(arg, shared)
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
		v.folds = tensorFolds(v.op)
	}
	l.prog.Proxies = l.prog.Proxies || !v.load
	l.reaches(v.mem, v.run)
	l.i.X.Reduces = v.folds != nil
	return true
}

// fold is what a reduction does to a value in memory.
type fold = func(old, b, c uint64) uint64

// tensorFolds lists what a reduction does, by the type of the tensor.
func tensorFolds(op string) (list []fold) {
	for _, t := range tensor.Reductions(op) {
		var f fold
		if t != isa.NoType {
			f = atomOp(op, t, false)
		}
		list = append(list, f)
	}
	return list
}

// beside lowers what follows the tensor map in [map, …, {x, y}]: the coordinates, after what overrides fields of the
// map.
func (v *tensorCopy) beside(l *lowerer, list []ptx.Operand, slots []isa.Operand) {
	for i, op := range list {
		switch slot := slots[len(slots)-len(list)+i]; slot.Name {
		case "tensorCoords":
			v.coords = l.each(op, isa.S32)
		case "gAddrToOverride":
			v.over = &override{address: l.src(op, isa.U64)}
		case "tensorSizeToOverride":
			v.over.dims = l.each(op, isa.B8)
		case "tensorLowerStrideToOverride":
			v.over.lower = l.each(op, isa.B32)
		case "tensorUpperStrideToOverride":
			v.over.upper = l.src(op, isa.B16)
		}
	}
}

// each lowers the elements of a tuple.
func (l *lowerer) each(op ptx.Operand, t isa.Type) (list []row.Operand) {
	for _, e := range elements(op) {
		list = append(list, l.src(e, t))
	}
	return list
}

// override is what a copy uses in place of fields of its tensor map (9.7.10.28.5.2).
type override struct {
	address row.Operand
	dims    []row.Operand // none: those of the map
	lower   []row.Operand // strides of dimensions 1 and up, in units of 16 bytes
	upper   row.Operand   // their bits 32 to 35, in 4 bits each
}

// of reads the values of a lane.
func (v *override) of(f unsafe.Pointer, lane int) *tensor.Override {
	if v == nil {
		return nil
	}
	o := &tensor.Override{Address: v.address.Get(f, lane)}
	for i := range v.dims {
		o.Dims = append(o.Dims, v.dims[i].Get(f, lane))
	}
	for i := range v.lower {
		o.Strides = append(o.Strides, (v.lower[i].Get(f, lane)+v.upper.Get(f, lane)>>(4*i)&15<<32)<<4)
	}
	return o
}

// check looks at what the manual demands of overridden fields, beyond what a tensor map obeys.
func (v *override) check(w *machine.Warp, in *machine.Inst, lane int, o *tensor.Override, at [5]int64) error {
	const accessible = 128 << 10 // 9.7.10.28.5.2.1
	if v != nil && w.CTA.Grid.Dev.Mem.Find(o.Address, accessible) == nil {
		w.Note(in, causes.Address,
			fmt.Sprintf("`%s` in lane %d of warp %d overrides a tensor's address by %#x, and of the %s from there on, which "+
				"must be allocated, some are not", in.Src.Opcode, lane, w.Index, o.Address, ptx.Plural(accessible, "byte")))
	}
	if v != nil && len(v.dims) > 0 && at != [5]int64{} {
		return errors.New("its dimensions are overridden, and then all coordinates must be zero (9.7.10.28.5.2.2)")
	}
	return nil
}

func (v *tensorCopy) run(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	ok := true
	machine.EachLane(exec, func(lane int) { ok = ok && v.start(w, in, f, lane) })
	return ok
}

// start starts the copy of one lane.
func (v *tensorCopy) start(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, lane int) bool {
	at := machine.LaneAddr(v.tensor, f, lane)
	bad := func(err error) bool {
		w.Fail(in, &Fault{Kind: IllegalInstruction, Lanes: 1 << lane,
			Detail: fmt.Sprintf(": tensor map at %#x: %v", at, err)})
		return false
	}
	over := v.over.of(f, lane)
	m, err := readMap(w, at, over)
	if err != nil {
		return bad(err)
	}
	checkMap(w, in, lane, at)
	if m.Sixteenths {
		w.Note(in, causes.Strides,
			fmt.Sprintf("`%s` in lane %d of warp %d reads the tensor map at %#x, whose strides cannot be "+
				"bytes: they are taken in units of 16 bytes, as compilers write them up to PTX ISA 8.5; later ones write bytes",
				in.Src.Opcode, lane, w.Index, at))
	}
	o := machine.AsyncOp{Packs: !v.load && m.Padded(), Report: v.report}
	box := v.box(&m, f, lane)
	if err = box.Fits(); err == nil {
		err = v.reduction(&m, &o)
	}
	if err == nil {
		err = box.Check()
	}
	if err == nil {
		err = v.over.check(w, in, lane, over, box.At)
	}
	if err != nil {
		return bad(err)
	}
	bytes := box.Bytes()
	if bytes > machine.MaxShared {
		return bad(fmt.Errorf("the box has %d bytes, more than any shared memory", bytes))
	}
	total := uint32(bytes)
	mem, ok := w.Spans(in, v.mem, f, 1<<lane, 128, func(int) uint64 { return uint64(total) })
	if !ok {
		return false
	}
	bar, ok := v.mbarrier.find(w, in, f, 1<<lane, &mem)
	if !ok {
		return false
	}
	base := machine.OwnerOfShared(w.CTA.Grid, mem[lane]).SharedOff
	moves := box.Moves(mem[lane] - base)
	if o.Moves, err = placeVar(w.CTA.Grid.Dev, &moves, base, v.load); err != nil {
		return bad(err)
	}
	o.Mbarrier, o.Tx = bar[lane], m.Unpadded(total)
	machine.ByteOrder.PutUint64(o.Fill[:], m.Fill())
	if len(o.Moves) == 0 {
		return true // a store that is wholly outside
	}
	return startAll(w, in, lane, o, ranksOf(&v.ctaMask, f, lane))
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
func (v *tensorCopy) reduction(m *tensor.Layout, o *machine.AsyncOp) error {
	if v.folds == nil {
		return nil
	}
	o.Fold, o.Size = v.folds[m.Type], m.Element()
	if o.Fold == nil {
		return fmt.Errorf("there is no reduction %s of elements of type %s (9.7.10.28.5.4)", v.op, m.Type)
	}
	return nil
}

// placeVar turns moves into ones of the arena, where shared memory begins at base. All global memory that is touched
// must be in one allocation.
func placeVar(d *Device, m *tensor.Moves, base uint32, load bool) ([]machine.Move, error) {
	if m.High != 0 {
		al := d.Mem.Find(m.Low, m.High-m.Low)
		if al == nil || !load && al.Kind != mem.Global {
			return nil, fmt.Errorf("the tensor reaches beyond its memory: %#x to %#x%s", m.Low, m.High, d.Nearest(m.High))
		}
	}
	moves := make([]machine.Move, 0, len(m.List))
	for _, piece := range m.List {
		p := machine.Move{To: base + piece.Shared, Size: piece.Size}
		if piece.Global != 0 {
			p.From = d.Mem.Off(piece.Global)
		}
		if !load {
			p.To, p.From = p.From, p.To
		}
		moves = append(moves, p)
	}
	return moves, nil
}
