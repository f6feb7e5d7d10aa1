package emu

import (
	"fmt"
	"strings"
	"unsafe"

	"warpscope/emu/causes"
	"warpscope/emu/machine"
	"warpscope/emu/num"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// warpOp lowers a warp operation with results d|p. do gets, as common, the lanes that are in all masks.
func (l *lowerer) warpOp(d *ptx.Operand, p *ptx.Operand, s []row.Operand,
	do func(w *machine.Warp, o *machine.WarpOp, in *machine.Inst, f unsafe.Pointer, exec, common Mask)) bool {
	o := &machine.WarpOp{D: row.Operand{Sink: true}, P: row.Operand{Sink: true}, S: s, Do: do}
	if d != nil {
		o.D = l.dst(*d)
	}
	if p != nil {
		o.P = l.dst(*p)
	}
	if o.Sync = l.has(".sync"); o.Sync {
		o.Members = l.src(l.in.Operands[len(l.in.Operands)-1], isa.B32)
		o.Opcode = l.opcode()
		l.i.Fork.Reconv = int32(len(l.prog.Code)) + 1
	}
	l.runs(o.Run)
	l.i.X.Across = o
	return true
}

// opcode returns the number of the instruction's opcode in the program.
func (l *lowerer) opcode() int {
	n, ok := l.opcodes[l.in.Opcode]
	if !ok {
		n = len(l.opcodes)
		l.opcodes[l.in.Opcode] = n
	}
	return n
}

// member is the lanes of a lane's membermask that take part: those that execute together.
func member(o *machine.WarpOp, f unsafe.Pointer, lane int, exec Mask) Mask {
	if !o.Sync {
		return exec
	}
	return Mask(o.Members.Get(f, lane)) & exec
}

// syncLanes lowers bar.warp.sync (9.7.15.2). Its lanes meet, and do nothing else.
func (l *lowerer) syncLanes() bool {
	l.warpOp(nil, nil, nil, func(*machine.Warp, *machine.WarpOp, *machine.Inst, unsafe.Pointer, Mask, Mask) {})
	l.i.X.Across.Strict = true
	return true
}

// shuffled gives the lane from which shfl takes a lane's value, and whether it is in range (9.7.10.6).
type shuffled func(lane, b, minLane, maxLane, seg int) (from int, ok bool)

var shuffles = map[string]shuffled{
	".up":   func(lane, b, _, maxLane, _ int) (int, bool) { return lane - b, lane-b >= maxLane },
	".down": func(lane, b, _, maxLane, _ int) (int, bool) { return lane + b, lane+b <= maxLane },
	".bfly": func(lane, b, _, maxLane, _ int) (int, bool) { return lane ^ b, lane^b <= maxLane },
	".idx": func(_, b, minLane, maxLane, seg int) (int, bool) {
		j := minLane | b&^seg
		return j, j <= maxLane
	},
}

// lowerShfl is shfl and shfl.sync (9.7.10.6). Lanes outside exec give their register's value.
func lowerShfl(l *lowerer) bool {
	ops := l.in.Operands
	from, down := shuffles[l.first(".up", ".down", ".bfly", ".idx")], l.has(".down")
	var s []row.Operand
	for n := 1; n <= 3; n++ {
		s = append(s, l.src(ops[n], isa.B32))
	}
	return l.warpOp(&ops[0], ops[0].Second(), s,
		func(w *machine.Warp, o *machine.WarpOp, in *machine.Inst, f unsafe.Pointer, exec, common Mask) {
			sources, read := shuffle(o, f, exec, from)
			if read&^(exec&common) != 0 {
				sourcesOf(w, in, o, f, exec, sources, down)
			}
		})
}

// shuffle moves the values. It returns the lane that each lane reads, and the set of lanes that are read.
func shuffle(o *machine.WarpOp, f unsafe.Pointer, exec Mask, from shuffled) (sources *[32]uint8, read Mask) {
	a, b, c := &o.S[0], &o.S[1], &o.S[2]
	var values, out [32]uint64
	for lane := range 32 {
		values[lane] = a.Get(f, lane)
	}
	sources = new([32]uint8)
	ok := uint32(0)
	machine.EachLane(exec, func(lane int) {
		b, c := int(b.Get(f, lane)&31), int(c.Get(f, lane))
		clamp, seg := c&31, c>>8&31
		j, valid := from(lane, b, lane&seg, lane&seg|clamp&^seg, seg)
		if !valid {
			j = lane
		}
		ok |= row.Bit(valid) << lane
		out[lane], sources[lane] = values[j], uint8(j)
		read |= 1 << j
	})
	machine.EachLane(exec, func(lane int) { o.D.Set(f, lane, out[lane]) })
	o.P.SetLanes(f, exec, ok)
	return sources, read
}

// sourcesOf notes lanes that read a register of a lane that takes no part: it has exited, is elsewhere, or is not in
// the mask (9.7.10.6). from is the lane that each reads. In every sum over a part of a warp the last lanes do so with
// .down, and discard the value: only initcheck reports that.
func sourcesOf(w *machine.Warp, in *machine.Inst, o *machine.WarpOp, f unsafe.Pointer, exec Mask, from *[32]uint8,
	down bool) {
	why := causes.Source
	if down {
		if why = causes.Past; !w.CTA.Grid.Dev.Shadow.On(Initcheck) {
			return
		}
	}
	// lanes that cannot come have been noted already
	for _, same := range []causes.Kind{why, causes.Stray, causes.Elsewhere} {
		if w.CTA.Grid.Noted(in, same) {
			return
		}
	}
	var readers, absent Mask
	machine.EachLane(exec, func(lane int) {
		if s := int(from[lane]); s != lane && !member(o, f, lane, exec).Has(s) {
			readers |= 1 << lane
			absent |= 1 << s
		}
	})
	if readers == 0 {
		return
	}
	reads := "read"
	if readers.Count() == 1 {
		reads = "reads"
	}
	take := "take"
	if absent.Count() == 1 {
		take = "takes"
	}
	w.Note(in, why,
		fmt.Sprintf("`%s`: %s of warp %d %s from %s, which %s no part in it: the value read is undefined; "+
			"source lanes must be in the mask and execute the same shfl", in.Src.Opcode, readers.Lanes(), w.Index, reads,
			absent.Lanes(), take))
}

// lowerVote is vote and vote.sync (9.7.15.9, 9.7.15.10).
func lowerVote(l *lowerer) bool {
	ops := l.in.Operands
	s := []row.Operand{l.src(ops[1], isa.Pred)}
	var holds func(p, m Mask) bool
	switch l.first(".all", ".any", ".uni", ".ballot") {
	case ".ballot":
		return l.warpOp(&ops[0], nil, s, func(_ *machine.Warp, o *machine.WarpOp, _ *machine.Inst, f unsafe.Pointer, exec,
			_ Mask) {
			p := Mask(o.S[0].Lanes(f))
			machine.EachLane(exec, func(lane int) { o.D.Set(f, lane, uint64(p&member(o, f, lane, exec))) })
		})
	case ".all":
		holds = func(p, m Mask) bool { return p&m == m }
	case ".any":
		holds = func(p, m Mask) bool { return p&m != 0 }
	case ".uni":
		holds = func(p, m Mask) bool { return p&m == m || p&m == 0 }
	}
	return l.warpOp(nil, &ops[0], s, func(_ *machine.Warp, o *machine.WarpOp, _ *machine.Inst, f unsafe.Pointer, exec,
		_ Mask) {
		p, t := Mask(o.S[0].Lanes(f)), uint32(0)
		machine.EachLane(exec, func(lane int) { t |= row.Bit(holds(p, member(o, f, lane, exec))) << lane })
		o.P.SetLanes(f, exec, t)
	})
}

// lowerMatch is match.any and match.all (9.7.15.11).
func lowerMatch(l *lowerer) bool {
	ops := l.in.Operands
	wantsAll := l.has(".all")
	s := []row.Operand{l.src(ops[1], l.in.Match.Types[0])}
	return l.warpOp(&ops[0], ops[0].Second(), s, func(_ *machine.Warp, o *machine.WarpOp, _ *machine.Inst,
		f unsafe.Pointer, exec, _ Mask) {
		var same [32]Mask
		machine.EachLane(exec, func(lane int) {
			v := o.S[0].Get(f, lane)
			machine.EachLane(member(o, f, lane, exec), func(other int) {
				if o.S[0].Get(f, other) == v {
					same[lane] |= 1 << other
				}
			})
		})
		var all uint32
		machine.EachLane(exec, func(lane int) {
			m := member(o, f, lane, exec)
			v := same[lane]
			if wantsAll && v != m {
				v = 0
			}
			all |= row.Bit(v == m) << lane
			o.D.Set(f, lane, uint64(v))
		})
		o.P.SetLanes(f, exec, all)
	})
}

// lowerRedux is redux.sync (9.7.15.13).
func lowerRedux(l *lowerer) bool {
	ops := l.in.Operands
	t := l.in.Match.Types[0]
	s := []row.Operand{l.src(ops[1], t)}
	each := func(a uint64) uint64 { return a }
	fold := folds[l.first(".add", ".min", ".max", ".and", ".or", ".xor")+t.String()]
	if t == isa.F32 {
		each, fold = lowerFloatFold(l)
	}
	l.warpOp(&ops[0], nil, s, func(_ *machine.Warp, o *machine.WarpOp, _ *machine.Inst, f unsafe.Pointer, exec, _ Mask) {
		var out [32]uint64
		machine.EachLane(exec, func(lane int) {
			first := true
			machine.EachLane(member(o, f, lane, exec), func(other int) {
				v := each(o.S[0].Get(f, other))
				if first {
					out[lane], first = v, false
				} else {
					out[lane] = fold(out[lane], v)
				}
			})
		})
		machine.EachLane(exec, func(lane int) { o.D.Set(f, lane, out[lane]) })
	})
	return fold != nil
}

// lowerFloatFold is what redux.sync does with .f32: what it does to each value, and the minimum or maximum. Each value
// is folded with itself first, so that a single NaN becomes the canonical NaN. A number stays the same.
func lowerFloatFold(l *lowerer) (each func(a uint64) uint64, fold func(a, b uint64) uint64) {
	key := strings.TrimPrefix(l.first(".min", ".max"), ".")
	if l.has(".NaN") {
		key += ".NaN"
	}
	k, ok := num.Lookup(key + ".f32")
	if !ok {
		return nil, nil
	}
	sign := uint64(0)
	if l.has(".abs") {
		sign = 1 << 31
	}
	return func(a uint64) uint64 { return k.F2(a&^sign, a&^sign) }, k.F2
}

// folds are the operations of redux.sync (9.7.15.13).
var folds = map[string]func(a, b uint64) uint64{
	".add.u32": func(a, b uint64) uint64 { return uint64(uint32(a + b)) },
	".add.s32": func(a, b uint64) uint64 { return uint64(uint32(a + b)) },
	".min.u32": func(a, b uint64) uint64 { return min(a, b) },
	".max.u32": func(a, b uint64) uint64 { return max(a, b) },
	".min.s32": func(a, b uint64) uint64 { return uint64(uint32(min(int32(a), int32(b)))) },
	".max.s32": func(a, b uint64) uint64 { return uint64(uint32(max(int32(a), int32(b)))) },
	".and.b32": func(a, b uint64) uint64 { return a & b },
	".or.b32":  func(a, b uint64) uint64 { return a | b },
	".xor.b32": func(a, b uint64) uint64 { return a ^ b },
}

// lowerElect is elect.sync (9.7.15.15): the lowest lane of the mask is the leader.
func lowerElect(l *lowerer) bool {
	ops := l.in.Operands
	if ops[0].Second() == nil {
		return false
	}
	return l.warpOp(&ops[0], ops[0].Second(), nil, func(_ *machine.Warp, o *machine.WarpOp, _ *machine.Inst,
		f unsafe.Pointer, exec, _ Mask) {
		var t uint32
		machine.EachLane(exec, func(lane int) {
			leader := machine.FirstLane(member(o, f, lane, exec))
			o.D.Set(f, lane, uint64(leader))
			t |= row.Bit(leader == lane) << lane
		})
		o.P.SetLanes(f, exec, t)
	})
}

// lowerActivemask is activemask (9.7.15.12).
func lowerActivemask(l *lowerer) bool {
	d := l.dst(l.in.Operands[0])
	list := []row.Operand{d}
	return computes(l, "activemask", list, nil, func(_ *machine.Warp, _ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		machine.EachLane(exec, func(lane int) { d.Set(f, lane, uint64(exec)) })
		return true
	})
}
