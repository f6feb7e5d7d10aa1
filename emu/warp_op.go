package emu

import (
	"fmt"
	"strings"
	"unsafe"

	"warpscope/emu/num"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// warpOp is an operation in which lanes of a warp read what other lanes give. For the forms with .sync they come
// together; see assemble.go, which puts copies of sources and results in other places.
type warpOp struct {
	d, p    row.Operand   // results; sinks where there are none
	s       []row.Operand // sources
	sync    bool
	members row.Operand // the membermask, with .sync
	strict  bool        // the mask may not name lanes that have exited
	do      func(w *warp, o *warpOp, in *inst, f unsafe.Pointer, exec, common Mask)
}

// warpOp lowers a warp operation with results d|p. do gets the lanes that are in all masks as common.
func (l *lowerer) warpOp(d *ptx.Operand, p *ptx.Operand, s []row.Operand,
	do func(w *warp, o *warpOp, in *inst, f unsafe.Pointer, exec, common Mask)) bool {
	o := &warpOp{d: row.Operand{Sink: true}, p: row.Operand{Sink: true}, s: s, do: do}
	if d != nil {
		o.d = l.dst(*d)
	}
	if p != nil {
		o.p = l.dst(*p)
	}
	if o.sync = l.has(".sync"); o.sync {
		o.members = l.src(l.in.Operands[len(l.in.Operands)-1], isa.B32)
		l.i.fork.Reconv = int32(len(l.prog.code)) + 1
	}
	l.i.op, l.i.x = opRun, &extra{across: o, run: o.run}
	return true
}

// run executes the operation for lanes that have come together.
func (o *warpOp) run(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
	common := FullMask
	if o.sync {
		common = w.checkMembers(in, o, f, exec)
		w.cta.grid.dev.shadow.syncWarp(w)
	}
	o.do(w, o, in, f, exec, common)
	return true
}

// member is the lanes of a membermask that take part: those that execute together.
func (o *warpOp) member(f unsafe.Pointer, lane int, exec Mask) Mask {
	if !o.sync {
		return exec
	}
	return Mask(o.members.Get(f, lane)) & exec
}

// syncLanes lowers bar.warp.sync (9.7.13.2), for which lanes do no more than come together.
func (l *lowerer) syncLanes() bool {
	l.warpOp(nil, nil, nil, func(*warp, *warpOp, *inst, unsafe.Pointer, Mask, Mask) {})
	l.i.x.across.strict = true
	return true
}

// shuffled gives the lane from which shfl takes a lane's value, and whether it is in range (9.7.9.6).
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

// lowerShfl is shfl and shfl.sync (9.7.9.6). Lanes outside exec give their register's value.
func lowerShfl(l *lowerer) bool {
	ops := l.in.Operands
	from, down := shuffles[l.first(".up", ".down", ".bfly", ".idx")], l.has(".down")
	var s []row.Operand
	for n := 1; n <= 3; n++ {
		s = append(s, l.src(ops[n], isa.B32))
	}
	return l.warpOp(&ops[0], ops[0].Second(), s,
		func(w *warp, o *warpOp, in *inst, f unsafe.Pointer, exec, common Mask) {
			sources, read := o.shuffle(f, exec, from)
			if read&^(exec&common) != 0 {
				w.sources(in, o, f, exec, sources, down)
			}
		})
}

// shuffle moves the values. It says from where each lane takes its own, and which lanes are read.
func (o *warpOp) shuffle(f unsafe.Pointer, exec Mask, from shuffled) (sources *[32]uint8, read Mask) {
	a, b, c := &o.s[0], &o.s[1], &o.s[2]
	var values, out [32]uint64
	for lane := range 32 {
		values[lane] = a.Get(f, lane)
	}
	sources = new([32]uint8)
	ok := uint32(0)
	eachLane(exec, func(lane int) {
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
	eachLane(exec, func(lane int) { o.d.Set(f, lane, out[lane]) })
	o.p.SetLanes(f, exec, ok)
	return sources, read
}

// sources notes lanes that take a register from a lane that takes no part: it has exited, is elsewhere, or is not in
// the mask (9.7.9.6). from is the lane that each reads. The last lanes of every sum over a part of a warp do so by
// .down, and throw away what comes: only initcheck tells of that.
func (w *warp) sources(in *inst, o *warpOp, f unsafe.Pointer, exec Mask, from *[32]uint8, down bool) {
	why := causeSource
	if down {
		if why = causePast; !w.cta.grid.dev.shadow.on(Initcheck) {
			return
		}
	}
	for _, same := range []cause{why, causeStray, causeElsewhere} { // lanes that cannot come have been told of
		if w.cta.grid.noted(in, same) {
			return
		}
	}
	var readers, absent Mask
	eachLane(exec, func(lane int) {
		if s := int(from[lane]); s != lane && !o.member(f, lane, exec).Has(s) {
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
	w.note(in, why,
		fmt.Sprintf("`%s`: %s of warp %d %s from %s, which %s no part in it: the value read is undefined; "+
			"source lanes must be in the mask and execute the same shfl", in.src.Opcode, readers.Lanes(), w.index, reads,
			absent.Lanes(), take))
}

// lowerVote is vote and vote.sync (9.7.13.8, 9.7.13.9).
func lowerVote(l *lowerer) bool {
	ops := l.in.Operands
	s := []row.Operand{l.src(ops[1], isa.Pred)}
	var holds func(p, m Mask) bool
	switch l.first(".all", ".any", ".uni", ".ballot") {
	case ".ballot":
		return l.warpOp(&ops[0], nil, s, func(_ *warp, o *warpOp, _ *inst, f unsafe.Pointer, exec, _ Mask) {
			p := Mask(o.s[0].Lanes(f))
			eachLane(exec, func(lane int) { o.d.Set(f, lane, uint64(p&o.member(f, lane, exec))) })
		})
	case ".all":
		holds = func(p, m Mask) bool { return p&m == m }
	case ".any":
		holds = func(p, m Mask) bool { return p&m != 0 }
	case ".uni":
		holds = func(p, m Mask) bool { return p&m == m || p&m == 0 }
	}
	return l.warpOp(nil, &ops[0], s, func(_ *warp, o *warpOp, _ *inst, f unsafe.Pointer, exec, _ Mask) {
		p, t := Mask(o.s[0].Lanes(f)), uint32(0)
		eachLane(exec, func(lane int) { t |= row.Bit(holds(p, o.member(f, lane, exec))) << lane })
		o.p.SetLanes(f, exec, t)
	})
}

// lowerMatch is match.any and match.all (9.7.13.10).
func lowerMatch(l *lowerer) bool {
	ops := l.in.Operands
	wantsAll := l.has(".all")
	s := []row.Operand{l.src(ops[1], l.in.Match.Types[0])}
	return l.warpOp(&ops[0], ops[0].Second(), s, func(_ *warp, o *warpOp, _ *inst, f unsafe.Pointer, exec, _ Mask) {
		var same [32]Mask
		eachLane(exec, func(lane int) {
			v := o.s[0].Get(f, lane)
			eachLane(o.member(f, lane, exec), func(other int) {
				if o.s[0].Get(f, other) == v {
					same[lane] |= 1 << other
				}
			})
		})
		var all uint32
		eachLane(exec, func(lane int) {
			m := o.member(f, lane, exec)
			v := same[lane]
			if wantsAll && v != m {
				v = 0
			}
			all |= row.Bit(v == m) << lane
			o.d.Set(f, lane, uint64(v))
		})
		o.p.SetLanes(f, exec, all)
	})
}

// lowerRedux is redux.sync (9.7.13.12).
func lowerRedux(l *lowerer) bool {
	ops := l.in.Operands
	t := l.in.Match.Types[0]
	s := []row.Operand{l.src(ops[1], t)}
	each := func(a uint64) uint64 { return a }
	fold := folds[l.first(".add", ".min", ".max", ".and", ".or", ".xor")+t.String()]
	if t == isa.F32 {
		each, fold = lowerFloatFold(l)
	}
	l.warpOp(&ops[0], nil, s, func(_ *warp, o *warpOp, _ *inst, f unsafe.Pointer, exec, _ Mask) {
		var out [32]uint64
		eachLane(exec, func(lane int) {
			first := true
			eachLane(o.member(f, lane, exec), func(other int) {
				v := each(o.s[0].Get(f, other))
				if first {
					out[lane], first = v, false
				} else {
					out[lane] = fold(out[lane], v)
				}
			})
		})
		eachLane(exec, func(lane int) { o.d.Set(f, lane, out[lane]) })
	})
	return fold != nil
}

// lowerFloatFold is what redux.sync does with .f32: what becomes of each value, and the minimum or maximum. The minimum of
// a NaN and itself is the canonical NaN, and of a number and itself that number, so that a single value is folded, too.
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

// folds are the operations of redux.sync (9.7.13.12).
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

// lowerElect is elect.sync (9.7.13.14): the lowest lane of the mask is the leader.
func lowerElect(l *lowerer) bool {
	ops := l.in.Operands
	if ops[0].Second() == nil {
		return false
	}
	return l.warpOp(&ops[0], ops[0].Second(), nil, func(_ *warp, o *warpOp, _ *inst, f unsafe.Pointer, exec, _ Mask) {
		var t uint32
		eachLane(exec, func(lane int) {
			leader := firstLane(o.member(f, lane, exec))
			o.d.Set(f, lane, uint64(leader))
			t |= row.Bit(leader == lane) << lane
		})
		o.p.SetLanes(f, exec, t)
	})
}

// lowerActivemask is activemask (9.7.13.11).
func lowerActivemask(l *lowerer) bool {
	d := l.dst(l.in.Operands[0])
	return l.pure(func(_ *warp, _ *inst, f unsafe.Pointer, exec Mask) bool {
		eachLane(exec, func(lane int) { d.Set(f, lane, uint64(exec)) })
		return true
	})
}
