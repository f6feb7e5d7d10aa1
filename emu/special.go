package emu

import (
	"math/bits"
	"unsafe"

	"warpscope/ptx"
)

func firstLane(m Mask) int { return bits.TrailingZeros32(uint32(m)) }

// special executes the ops that the loop does not know. w.Cur.pc is the instruction's.
func (w *warp) special(in *inst, f unsafe.Pointer, exec Mask) action {
	x := in.x
	switch in.op {
	case opNop:
		w.fence(in.x, f, exec)
	case opLoad, opStore, opF1, opF2, opF3:
		if !w.lineOp(in, f, exec) {
			return actFault
		}
	case opBra:
		if !w.diverge(in, exec) {
			return actFault
		}
		return actJumped
	case opBrx:
		return w.brx(in, f, exec)
	case opCall:
		return w.doCall(in, f, exec)
	case opRet:
		return w.doRet(in, exec)
	case opExit:
		return w.doExit(exec)
	case opBar:
		return w.barrier(in, f, exec)
	case opTrap:
		w.fail(in, &Fault{Kind: Trap, Lanes: exec})
		return actFault
	case opSleep:
		return actYield
	case opAtom:
		if !w.atomic(in, f, exec) {
			return actFault
		}
	case opAtomWide:
		if !w.atomicWide(in, f, exec) {
			return actFault
		}
	case opPredLogic:
		w.predLogic(x, f, exec)
	case opSetp, opPredTest:
		x.setp(f, exec, w.compare(x, f, exec))
	case opSetpX2:
		w.setpX2(x, f, exec)
	case opCarry:
		w.carryOp(x, f, exec)
	case opMov128:
		blend64(f, x.d[0].off, x.s[0].off, uint32(exec))
		blend64(f, x.d[0].hi().off, x.s[0].hi().off, uint32(exec))
	case opIndexed:
		return w.indexed(x.indexing, f, exec)
	default:
		return w.specialLanes(in, f, exec)
	}
	return actNext
}

// specialLanes executes ops that work lane by lane or across lanes.
func (w *warp) specialLanes(in *inst, f unsafe.Pointer, exec Mask) action {
	x := in.x
	switch in.op {
	case opShfl, opVote, opMatch, opRedux, opElect, opBarWarp:
		return w.acrossLanes(in, f, exec)
	case opPack, opUnpack:
		w.packUnpack(x, f, exec)
	case opMovVector:
		w.movVector(x, f, exec)
	case opCvta:
		w.cvta(in, f, exec)
	case opIsspacep:
		w.isspacep(x, f, exec)
	case opActivemask:
		eachLane(exec, func(lane int) { x.d[0].set(f, lane, uint64(exec)) })
	case opClock:
		t := uint64(w.cta.grid.state.tick + w.ran)
		eachLane(exec, func(lane int) { x.d[0].set(f, lane, t>>x.mode) })
	case opFour:
		w.fourOp(x, f, exec)
	case opSelpPred:
		c := x.boolIn.lanes(f)
		x.p.setLanes(f, exec, x.s[0].lanes(f)&c|x.s[1].lanes(f)&^c)
	case opRun:
		if x.aligned {
			return w.acrossLanes(in, f, exec)
		}
		if !x.run(w, in, f, exec) {
			return actFault
		}
		if w.waited {
			w.waited = false
			return actJumped
		}
	default:
		w.fail(in, &Fault{Kind: IllegalInstruction, Lanes: exec, Detail: ": " + in.src.Opcode + " has no implementation"})
		return actFault
	}
	return actNext
}

func eachLane(exec Mask, do func(lane int)) {
	for m := uint32(exec); m != 0; m &= m - 1 {
		do(bits.TrailingZeros32(m))
	}
}

// scalar runs a pure function lane by lane.
func (w *warp) scalar(in *inst, f unsafe.Pointer, exec Mask) {
	x := in.x
	d, k := &x.d[0], x.kernel
	switch in.op {
	case opF1:
		a := &x.s[0]
		for m := uint32(exec); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			d.set(f, lane, k.F1(a.get(f, lane)))
		}
	case opF2:
		a, b := &x.s[0], &x.s[1]
		if x.mode != 0 {
			w.checkDivisors(in, b, f, exec)
		}
		for m := uint32(exec); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			d.set(f, lane, k.F2(a.get(f, lane), b.get(f, lane)))
		}
	case opF3:
		a, b, c := &x.s[0], &x.s[1], &x.s[2]
		for m := uint32(exec); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			d.set(f, lane, k.F3(a.get(f, lane), b.get(f, lane), c.get(f, lane)))
		}
	}
}

// compare evaluates a comparison or test in the lanes of exec.
func (w *warp) compare(x *extra, f unsafe.Pointer, exec Mask) (t uint32) {
	for m := uint32(exec); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		var r bool
		if x.kernel.P1 != nil {
			r = x.kernel.P1(x.s[0].get(f, lane))
		} else {
			r = x.kernel.P2(x.s[0].get(f, lane), x.s[1].get(f, lane))
		}
		t |= b2u(r) << lane
	}
	return t
}

// setpX2 is setp on packed halves (9.7.7.2): p belongs to the low half, q to the high one.
func (w *warp) setpX2(x *extra, f unsafe.Pointer, exec Mask) {
	var tp, tq uint32
	eachLane(exec, func(lane int) {
		p, q := x.kernel.P2x2(x.s[0].get(f, lane), x.s[1].get(f, lane))
		tp |= b2u(p) << lane
		tq |= b2u(q) << lane
	})
	c := uint32(0)
	if x.boolOp != 0 {
		c = x.boolIn.lanes(f)
	}
	x.p.setLanes(f, exec, combine(x.boolOp, tp, c))
	if x.hasQ {
		x.q.setLanes(f, exec, combine(x.boolOp, tq, c))
	}
}

// predLogic is mov, and, or, xor, not and cnot on predicates.
func (w *warp) predLogic(x *extra, f unsafe.Pointer, exec Mask) {
	v := x.s[0].lanes(f)
	switch x.sub {
	case "and":
		v &= x.s[1].lanes(f)
	case "or":
		v |= x.s[1].lanes(f)
	case "xor":
		v ^= x.s[1].lanes(f)
	case "not":
		v = ^v
	}
	x.d[0].setLanes(f, exec, v)
}

// carryOp is extended-precision arithmetic through CC.CF (9.7.2).
func (w *warp) carryOp(x *extra, f unsafe.Pointer, exec Mask) {
	eachLane(exec, func(lane int) {
		c := uint64(0)
		if len(x.s) > 2 {
			c = x.s[2].get(f, lane)
		}
		v, carry := x.kernel.C(x.s[0].get(f, lane), x.s[1].get(f, lane), c, w.carry.Has(lane))
		x.d[0].set(f, lane, v)
		if x.mode != 0 { // .cc
			w.carry = w.carry&^(1<<lane) | Mask(b2u(carry))<<lane
		}
	})
}

// fourOp is lop3 (9.7.8.6) and bfi (9.7.1.20).
func (w *warp) fourOp(x *extra, f unsafe.Pointer, exec Mask) {
	var nonzero uint32
	eachLane(exec, func(lane int) {
		v := x.four(x.s[0].get(f, lane), x.s[1].get(f, lane), x.s[2].get(f, lane), x.s[3].get(f, lane))
		x.d[0].set(f, lane, v)
		nonzero |= b2u(v != 0) << lane
	})
	if x.boolOp != 0 {
		x.p.setLanes(f, exec, combine(x.boolOp, nonzero, x.boolIn.lanes(f)))
	}
}

// packUnpack is mov between a scalar and a tuple (9.7.9.4): the first element is the least significant.
func (w *warp) packUnpack(x *extra, f unsafe.Pointer, exec Mask) {
	eachLane(exec, func(lane int) {
		var v [2]uint64
		at := 0
		for i := range x.s {
			s := &x.s[i]
			v[at/64] |= s.get(f, lane) << (at % 64)
			if s.bits == 128 {
				h := s.hi()
				v[1] = row64s(f, h.off)[lane]
			}
			at += bits.OnesCount64(s.mask)
		}
		at = 0
		for i := range x.d {
			d := &x.d[i]
			part := v[at/64] >> (at % 64) & d.mask
			d.set(f, lane, part)
			if d.bits == 128 && !d.sink {
				h := d.hi()
				h.set(f, lane, v[1])
			}
			at += bits.OnesCount64(d.mask)
		}
	})
}

// movVector is mov.v2 and mov.v4 (6.4.3). All elements are read before the first is written.
func (w *warp) movVector(x *extra, f unsafe.Pointer, exec Mask) {
	eachLane(exec, func(lane int) {
		var v [4]uint64
		for i := range x.s {
			v[i] = x.s[i].get(f, lane)
		}
		for i := range x.d {
			x.d[i].set(f, lane, v[i])
		}
	})
}

// isspacep tells whether a generic address lies in a state space's window (9.7.9.19).
func (w *warp) isspacep(x *extra, f unsafe.Pointer, exec Mask) {
	var t uint32
	eachLane(exec, func(lane int) { t |= b2u(w.inSpace(x.sub, x.s[0].get(f, lane))) << lane })
	x.p.setLanes(f, exec, t)
}

// inSpace says whether a generic address lies in the window of a space.
func (w *warp) inSpace(space string, a Addr) bool {
	g := w.cta.grid
	win := &g.dev.win
	switch space {
	case ".shared", ".shared::cta": // "only if the address is of a variable declared in the executing CTA"
		n := (a - win.shared) / clusterStride
		return n == 0 || a-win.shared < sharedWindow && n == uint64(w.cta.rank())+1
	case ".shared::cluster":
		return a-win.shared < clusterStride*uint64(g.clusterSize()+1)
	case ".local":
		return a >= win.local && a < win.localEnd
	}
	al := g.dev.find(a, 1)
	switch space {
	case ".const":
		return al != nil && al.space == ptx.ConstSpace
	case ".global": // kernel parameters lie inside the global window
		return a >= win.global && (al == nil || al.space != ptx.ConstSpace)
	}
	return al != nil && al.space == ptx.ParamSpace
}

// shfl is shfl and shfl.sync (9.7.9.6). Lanes outside exec give their register's value. common is the lanes that are in
// all masks.
func (w *warp) shfl(in *inst, f unsafe.Pointer, exec, common Mask) {
	x := in.x
	var values [32]uint64
	for lane := range 32 {
		values[lane] = x.s[0].get(f, lane)
	}
	var ok, read uint32
	var out [32]uint64
	var from [32]uint8
	eachLane(exec, func(lane int) {
		b, c := int(x.s[1].get(f, lane)&31), int(x.s[2].get(f, lane))
		clamp, seg := c&31, c>>8&31
		maxLane := lane&seg | clamp&^seg
		minLane := lane & seg
		j, valid := 0, false
		switch x.sub {
		case ".up":
			j = lane - b
			valid = j >= maxLane
		case ".down":
			j = lane + b
			valid = j <= maxLane
		case ".bfly":
			j = lane ^ b
			valid = j <= maxLane
		case ".idx":
			j = minLane | b&^seg
			valid = j <= maxLane
		}
		if !valid {
			j = lane
		}
		ok |= b2u(valid) << lane
		out[lane], from[lane] = values[j], uint8(j)
		read |= 1 << j
	})
	if read&^uint32(exec&common) != 0 {
		w.sources(in, f, exec, &from)
	}
	eachLane(exec, func(lane int) { x.d[0].set(f, lane, out[lane]) })
	if x.hasQ {
		x.q.setLanes(f, exec, ok)
	}
}

// member is the lanes of a membermask that take part: those that execute together.
func member(x *extra, f unsafe.Pointer, lane int, exec Mask) Mask {
	if x.mode == 0 {
		return exec // forms without .sync
	}
	return Mask(x.boolIn.get(f, lane)) & exec
}

// vote is vote and vote.sync (9.7.13.8, 9.7.13.9).
func (w *warp) vote(x *extra, f unsafe.Pointer, exec Mask) {
	p := Mask(x.s[0].lanes(f))
	var t uint32
	eachLane(exec, func(lane int) {
		m := member(x, f, lane, exec)
		switch x.sub {
		case ".ballot":
			x.d[0].set(f, lane, uint64(p&m))
		case ".all":
			t |= b2u(p&m == m) << lane
		case ".any":
			t |= b2u(p&m != 0) << lane
		case ".uni":
			t |= b2u(p&m == m || p&m == 0) << lane
		}
	})
	if x.sub != ".ballot" {
		x.p.setLanes(f, exec, t)
	}
}

// match is match.any and match.all (9.7.13.10).
func (w *warp) match(x *extra, f unsafe.Pointer, exec Mask) {
	var same [32]Mask
	eachLane(exec, func(lane int) {
		v := x.s[0].get(f, lane)
		eachLane(member(x, f, lane, exec), func(other int) {
			if x.s[0].get(f, other) == v {
				same[lane] |= 1 << other
			}
		})
	})
	var all uint32
	eachLane(exec, func(lane int) {
		m := member(x, f, lane, exec)
		v := same[lane]
		if x.sub == ".all" && v != m {
			v = 0
		}
		all |= b2u(v == m) << lane
		x.d[0].set(f, lane, uint64(v))
	})
	if x.hasQ {
		x.q.setLanes(f, exec, all)
	}
}

// redux is redux.sync (9.7.13.12).
func (w *warp) redux(x *extra, f unsafe.Pointer, exec Mask) {
	var out [32]uint64
	eachLane(exec, func(lane int) {
		m := member(x, f, lane, exec)
		first := true
		eachLane(m, func(other int) {
			v := x.s[0].get(f, other)
			if x.kernel != nil {
				v = x.kernel.F1(v)
			}
			if first {
				out[lane], first = v, false
			} else {
				out[lane] = x.fold(out[lane], v)
			}
		})
	})
	eachLane(exec, func(lane int) { x.d[0].set(f, lane, out[lane]) })
}

// elect is elect.sync (9.7.13.14): the lowest lane of the mask is the leader.
func (w *warp) elect(x *extra, f unsafe.Pointer, exec Mask) {
	var t uint32
	eachLane(exec, func(lane int) {
		leader := firstLane(member(x, f, lane, exec))
		x.d[0].set(f, lane, uint64(leader))
		t |= b2u(leader == lane) << lane
	})
	x.p.setLanes(f, exec, t)
}
