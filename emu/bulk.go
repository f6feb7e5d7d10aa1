package emu

import (
	"fmt"
	"unsafe"

	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// bulk is cp.async.bulk and cp.reduce.async.bulk (9.7.9.25.4), st.async (9.7.9.12) and red.async (9.7.13.7).
type bulk struct {
	to, from *access     // from is nil where registers are written
	size     row.Operand // bytes
	mbarrier *access     // nil: a bulk group tracks it
	ctaMask  row.Operand // ranks that get the data; a sink: the CTA that dst names
	byteMask row.Operand
	values   []row.Operand // of st.async and red.async
	bytes    uint32        // of each
	fold     func(old, b, c uint64) uint64
	remote   bool // from shared memory to another CTA's
}

// accessIn is access for an operand of a state space of its own.
func (l *lowerer) accessIn(op ptx.Operand, space string, t isa.Type, write bool) *access {
	ac := l.access(op, t, write)
	switch space {
	case ".global":
		ac.space = ptx.GlobalSpace
	case ".shared::cta":
		ac.space = ptx.SharedSpace
	case ".shared::cluster":
		ac.space = clusterSpace
	}
	return ac
}

// lowerCopyBulk lowers cp.async.bulk and cp.reduce.async.bulk.
func lowerCopyBulk(l *lowerer) bool {
	m := l.in.Match
	dst, src := m.Value("dst"), m.Value("src")
	v := &bulk{ctaMask: row.Operand{Sink: true}, byteMask: row.Operand{Sink: true}}
	for i, op := range m.Operands {
		if i >= len(l.in.Operands) || l.in.Operands[i].Kind == ptx.OpMissing {
			continue
		}
		switch arg := l.in.Operands[i]; op.Name {
		case "dstMem":
			v.to = l.accessIn(arg, dst, isa.B128, true)
		case "srcMem":
			v.from = l.accessIn(arg, src, isa.B128, false)
		case "size":
			v.size = l.src(arg, isa.U32)
		case "mbar":
			v.mbarrier = l.accessIn(arg, dst, isa.B64, true)
		case "ctaMask":
			v.ctaMask = l.src(arg, op.Type)
		case "byteMask":
			v.byteMask = l.src(arg, isa.U16)
		}
	}
	if m.Has(".noftz") || m.Value("redOp") != "" || m.Has(".add") {
		t := m.Types[len(m.Types)-1]
		v.bytes = uint32(t.Bytes())
		v.fold = atomOp(l.first(".add", ".inc", ".dec", ".min", ".max", ".and", ".or", ".xor"), t, true)
		if v.fold == nil {
			return false
		}
	}
	v.remote = m.Form.ID == "cp.async.bulk" && dst == ".shared::cluster" && src == ".shared::cta"
	l.prog.proxies = l.prog.proxies || src == ".shared::cta"
	l.i.op, l.i.x = opRun, &extra{mem: v.to, reduces: v.fold != nil, run: v.copy}
	return true
}

// lowerStoreAsync lowers st.async and red.async to shared memory. Those to global memory, which nothing waits for, are
// ordinary stores and reductions.
func lowerStoreAsync(l *lowerer) bool {
	ops, t := l.in.Operands, l.in.Match.Types[0]
	red := l.in.Match.Form.Mnemonic == "red"
	v := &bulk{bytes: uint32(t.Bytes())}
	space := l.first(".shared::cluster") // none: generic addresses
	v.to, v.mbarrier = l.accessIn(ops[0], space, t, true), l.accessIn(ops[2], space, isa.B64, true)
	for _, e := range elements(ops[1]) {
		v.values = append(v.values, l.src(e, t))
	}
	if red {
		v.fold = atomOp(l.first(".add", ".inc", ".dec", ".min", ".max", ".and", ".or", ".xor"), t, true)
		if v.fold == nil {
			return false
		}
	}
	l.i.op, l.i.x = opRun, &extra{mem: v.to, reduces: v.fold != nil, run: v.store}
	return true
}

func (v *bulk) store(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
	n := v.bytes * uint32(len(v.values))
	to, ok := w.spans(in, v.to, f, exec, uint64(n), func(int) uint64 { return uint64(n) })
	if !ok {
		return false
	}
	at, ok := w.signals(in, v.mbarrier, f, exec, &to)
	if !ok {
		return false
	}
	if v.fold == nil && w.cta.grid.clusterSize() == 1 { // 9.7.9.12
		w.note(in, causeLonely,
			fmt.Sprintf("`%s` needs a cluster of more than one CTA: in any other its behaviour is undefined",
				in.src.Opcode))
	}
	eachLane(exec, func(lane int) {
		if v.fold != nil { // 9.7.13.7
			w.checkRemote(in, lane, to[lane])
		}
		o := asyncOp{moves: []move{{to: to[lane], size: n}}, read: true, tx: n, mbarrier: at[lane], group: -1,
			fold: v.fold, size: v.bytes}
		for i := range v.values {
			value := v.values[i].GetPair(f, lane)
			for k := range v.bytes {
				o.data = append(o.data, byte(value[k/8]>>(8*(k%8))))
			}
		}
		startAsync(w, in, lane, o)
	})
	return true
}

// checkRemote notes an operation on shared memory that must be another CTA's.
func (w *warp) checkRemote(in *inst, lane int, to uint32) {
	if ownerOfShared(w.cta.grid, to) == w.cta {
		w.note(in, causeLonely,
			fmt.Sprintf("`%s` is for the shared memory of another CTA of the cluster, and lane %d of warp %d names "+
				"its own", in.src.Opcode, lane, w.index))
	}
}

// signals finds the mbarriers that operations of lanes signal: in the CTA that they write to.
func (w *warp) signals(in *inst, ac *access, f unsafe.Pointer, exec Mask, to *[32]uint32) (at [32]uint32, ok bool) {
	if ac == nil {
		return at, true
	}
	if at, ok = w.spans(in, ac, f, exec, 8, func(int) uint64 { return 8 }); !ok {
		return at, false
	}
	g := w.cta.grid
	eachLane(exec, func(lane int) {
		c, ref := findMbarrier(g, at[lane])
		why := ""
		switch {
		case !ok:
			return
		case ref == nil:
			why = noMbarrier
		case c != ownerOfShared(g, to[lane]) && !in.pairs():
			why = "it must be in the shared memory of the CTA that is written to"
		default:
			return
		}
		ok = false
		w.fail(in, &Fault{Kind: IllegalInstruction, Lanes: 1 << lane,
			Detail: fmt.Sprintf(": mbarrier at %#x: %s", laneAddr(ac, f, lane), why)})
	})
	return at, ok
}

// pairs says whether a copy may signal the other CTA of a pair: .cta_group::2 (9.7.9.27.1.2).
func (in *inst) pairs() bool { return in.src.Match.Has(".cta_group::2") }

func (v *bulk) copy(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
	var odd Mask
	eachLane(exec, func(lane int) {
		if v.size.Get(f, lane)&15 != 0 {
			odd |= 1 << lane
		}
	})
	if odd != 0 {
		w.fail(in, &Fault{Kind: IllegalInstruction, Lanes: odd,
			Detail: ": " + ptx.Plural(int64(v.size.Get(f, firstLane(odd))), "byte") + ": the size is a multiple of 16"})
		return false
	}
	size := func(lane int) uint64 { return v.size.Get(f, lane) }
	to, ok := w.spans(in, v.to, f, exec, 16, size)
	if !ok {
		return false
	}
	from, ok := w.spans(in, v.from, f, exec, 16, size)
	if !ok {
		return false
	}
	at, ok := w.signals(in, v.mbarrier, f, exec, &to)
	if !ok {
		return false
	}
	eachLane(exec, func(lane int) {
		if v.remote {
			w.checkRemote(in, lane, to[lane])
		}
		if n := uint32(size(lane)); ok && n > 0 {
			m := move{to: to[lane], from: from[lane], size: n}
			if !v.byteMask.Sink {
				m.mask = ^uint16(v.byteMask.Get(f, lane))
			}
			ok = w.startAll(in, lane, asyncOp{moves: []move{m}, tx: n, mbarrier: at[lane], fold: v.fold, size: v.bytes},
				ranksOf(&v.ctaMask, f, lane))
		}
	})
	return ok
}

// ranks are the CTAs of a multicast; not several: the one that is named.
type ranks struct {
	several bool
	mask    uint64
}

func ranksOf(o *row.Operand, f unsafe.Pointer, lane int) (r ranks) {
	if !o.Sink {
		r = ranks{true, o.Get(f, lane)}
	}
	return r
}

// startAll starts an operation, once for each CTA of a multicast: at the same place of its shared memory, and with the
// mbarrier at the same place (9.7.9.25.4.1).
func (w *warp) startAll(in *inst, lane int, o asyncOp, to ranks) bool {
	if o.group = -1; o.mbarrier == 0 {
		o.group = 0
	}
	if !to.several {
		startAsync(w, in, lane, o)
		return true
	}
	g, mask := w.cta.grid, to.mask
	named, signalled := ownerOfShared(g, o.moves[0].to), ownerOfShared(g, o.mbarrier)
	var pieces []asyncOp
	for rank := 0; mask>>rank != 0; rank++ {
		if mask>>rank&1 == 0 {
			continue
		}
		c := w.cta.peer(rank)
		other := c
		if signalled != named { // .cta_group::2: the CTA of the pair with the parity of the one that is named
			other = w.cta.peer(rank&^1 | signalled.rank()&1)
		}
		if c == nil || other == nil {
			w.fail(in, &Fault{Kind: IllegalAddress, Lanes: 1 << lane,
				Detail: fmt.Sprintf(": the multicast goes to rank %d, and the cluster has no such CTA, or it has ended", rank)})
			return false
		}
		p := o
		p.moves = make([]move, len(o.moves))
		for i, m := range o.moves {
			m.to += c.sharedOff - named.sharedOff
			p.moves[i] = m
		}
		p.mbarrier += other.sharedOff - signalled.sharedOff
		if _, ref := findMbarrier(g, p.mbarrier); ref == nil {
			w.fail(in, &Fault{Kind: IllegalInstruction, Lanes: 1 << lane,
				Detail: fmt.Sprintf(": the CTA of rank %d has no mbarrier object at this place", rank)})
			return false
		}
		pieces = append(pieces, p)
	}
	for _, p := range pieces {
		startAsync(w, in, lane, p)
	}
	return true
}

// lowerBulkGroups lowers cp.async.bulk.commit_group and cp.async.bulk.wait_group (9.7.9.27.2).
func lowerBulkGroups(l *lowerer) bool {
	x := &extra{run: func(w *warp, _ *inst, _ unsafe.Pointer, exec Mask) bool {
		commitBulk(w, exec)
		return true
	}}
	if l.has(".wait_group") {
		n, read := int(min(l.in.Operands[0].Imm, maxFlight)), l.has(".read")
		x.run = func(w *warp, _ *inst, _ unsafe.Pointer, exec Mask) bool {
			waitBulk(w, exec, n, read)
			return true
		}
	}
	l.i.op, l.i.x = opRun, x
	return true
}

// lowerStoreBulk is st.bulk (9.7.9.13): zeros.
func lowerStoreBulk(l *lowerer) bool {
	ops := l.in.Operands
	mem, size := l.access(ops[0], isa.B64, true), l.src(ops[1], isa.NoType)
	if ops[2].Kind == ptx.OpImm && ops[2].Imm != 0 {
		return l.refuse(ops[2], "st.bulk writes zeros only")
	}
	l.i.op, l.i.x = opRun, &extra{mem: mem, run: func(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
		to, ok := w.spans(in, mem, f, exec, 8, func(lane int) uint64 { return size.Get(f, lane) })
		eachLane(exec, func(lane int) {
			n := uint32(size.Get(f, lane))
			switch {
			case !ok || n == 0:
			case n&7 != 0 || !w.lsu.inShared(to[lane]):
				ok = false
				w.fail(in, &Fault{Kind: IllegalInstruction, Lanes: 1 << lane,
					Detail: ": st.bulk writes multiples of 8 bytes of shared memory"})
			default:
				w.lsu.checkRange(in, lane, to[lane], n, true)
				w.lsu.storesGeneric(in, to[lane], n)
				w.cta.grid.record.memory(w.cta.grid, to[lane], n, lane,
					func() { clear(w.mem.Bytes(to[lane], n)) })
			}
		})
		return ok
	}}
	return true
}
