package emu

import (
	"fmt"
	"unsafe"

	"warpscope/emu/causes"
	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// bulk is cp.async.bulk and cp.reduce.async.bulk (9.7.10.28.4), st.async (9.7.10.12) and red.async (9.7.15.7).
type bulk struct {
	to, from *machine.Access // from is nil where registers are written
	size     row.Operand     // bytes
	ignores  bool            // .ignore_oob: so many bytes at both ends may lie outside of an allocation
	ignored  [2]row.Operand
	mbarrier *signal
	ctaMask  row.Operand // ranks that get the data; a sink: the CTA that dst names
	byteMask row.Operand
	values   []row.Operand // of st.async and red.async
	bytes    uint32        // of each
	fold     func(old, b, c uint64) uint64
	remote   bool // from shared memory to another CTA's
	report   machine.Report
}

// accessIn is access for an operand of a state space of its own.
func (l *lowerer) accessIn(op ptx.Operand, space string, t isa.Type, write bool) *machine.Access {
	ac := l.access(op, t, write)
	switch space {
	case ".global":
		ac.Space = ptx.GlobalSpace
	case ".shared::cta":
		ac.Space = ptx.SharedSpace
	case ".shared::cluster":
		ac.Space = machine.ClusterSpace
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
		case "ignoreBytesLeft":
			v.ignores, v.ignored[0] = true, l.src(arg, isa.U32)
		case "ignoreBytesRight":
			v.ignored[1] = l.src(arg, isa.U32)
		case "mbar":
			v.mbarrier = l.signal(arg, dst)
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
	v.report.Finds = inspections[report(m)]
	v.remote = m.Form.ID == "cp.async.bulk" && dst == ".shared::cluster" && src == ".shared::cta"
	l.prog.Proxies = l.prog.Proxies || src == ".shared::cta"
	l.reaches(v.to, v.copy)
	l.i.X.Reduces = v.fold != nil
	return true
}

// lowerStoreAsync lowers st.async and red.async to shared memory. Those to global memory, which nothing waits for, are
// ordinary stores and reductions.
func lowerStoreAsync(l *lowerer) bool {
	ops, t := l.in.Operands, l.in.Match.Types[0]
	red := l.in.Match.Form.Mnemonic == "red"
	v := &bulk{bytes: uint32(t.Bytes())}
	space := l.first(".shared::cluster") // none: generic addresses
	v.to, v.mbarrier = l.accessIn(ops[0], space, t, true), l.signal(ops[2], space)
	for _, e := range elements(ops[1]) {
		v.values = append(v.values, l.src(e, t))
	}
	if red {
		v.fold = atomOp(l.first(".add", ".inc", ".dec", ".min", ".max", ".and", ".or", ".xor"), t, true)
		if v.fold == nil {
			return false
		}
	}
	l.reaches(v.to, v.store)
	l.i.X.Reduces = v.fold != nil
	return true
}

func (v *bulk) store(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	n := v.bytes * uint32(len(v.values))
	to, ok := w.Spans(in, v.to, f, exec, uint64(n), func(int) uint64 { return uint64(n) })
	if !ok {
		return false
	}
	at, ok := v.mbarrier.find(w, in, f, exec, &to)
	if !ok {
		return false
	}
	if v.fold == nil && w.CTA.Grid.ClusterSize() == 1 { // 9.7.10.12
		w.Note(in, causes.Lonely,
			fmt.Sprintf("`%s` needs a cluster of more than one CTA: in any other its behaviour is undefined",
				in.Src.Opcode))
	}
	machine.EachLane(exec, func(lane int) {
		if v.fold != nil { // 9.7.15.7
			checkRemote(w, in, lane, to[lane])
		}
		o := machine.AsyncOp{Moves: []machine.Move{{To: to[lane], Size: n}}, Read: true, Tx: n, Mbarrier: at[lane], Group: -1,
			Fold: v.fold, Size: v.bytes}
		for i := range v.values {
			value := v.values[i].GetPair(f, lane)
			for k := range v.bytes {
				o.Data = append(o.Data, byte(value[k/8]>>(8*(k%8))))
			}
		}
		startAsync(w, in, lane, o)
	})
	return true
}

// checkRemote notes an operation on shared memory that must be another CTA's.
func checkRemote(w *machine.Warp, in *machine.Inst, lane int, to uint32) {
	if machine.OwnerOfShared(w.CTA.Grid, to) == w.CTA {
		w.Note(in, causes.Lonely,
			fmt.Sprintf("`%s` is for the shared memory of another CTA of the cluster, and lane %d of warp %d names "+
				"its own", in.Src.Opcode, lane, w.Index))
	}
}

// signal is the mbarrier that an operation signals, or nil where a bulk group tracks it.
type signal struct {
	access  *machine.Access
	reports bool // the operation reports to it
	pair    bool // of a pair, the operation may signal either CTA (9.7.10.28.5.3)
}

func (l *lowerer) signal(op ptx.Operand, space string) *signal {
	return &signal{l.accessIn(op, space, isa.B64, true), report(l.in.Match) != "", l.has(pairGroup)}
}

// find finds the mbarriers that operations of lanes signal: in the CTA that they write to.
func (s *signal) find(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask,
	to *[32]uint32) (at [32]uint32, ok bool) {
	if s == nil {
		return at, true
	}
	if at, ok = w.Spans(in, s.access, f, exec, 8, func(int) uint64 { return 8 }); !ok {
		return at, false
	}
	g := w.CTA.Grid
	machine.EachLane(exec, func(lane int) {
		c, ref := machine.FindMbarrier(g, at[lane])
		why := ""
		switch {
		case !ok:
			return
		case !takes(s.reports, ref):
			why = lacks(ref)
		case c != machine.OwnerOfShared(g, to[lane]) && !s.pair:
			why = "it must be in the shared memory of the CTA that is written to"
		default:
			return
		}
		ok = false
		w.Fail(in, &Fault{Kind: IllegalInstruction, Lanes: 1 << lane,
			Detail: fmt.Sprintf(": mbarrier at %#x: %s", machine.LaneAddr(s.access, f, lane), why)})
	})
	return at, ok
}

// refused says what is wrong with the numbers of a lane.
func (v *bulk) refused(f unsafe.Pointer, lane int) string {
	if n := v.size.Get(f, lane); n&15 != 0 {
		return fmt.Sprintf("%s: the size is a multiple of 16", ptx.Plural(int64(n), "byte"))
	}
	if v.ignores {
		left, right := v.ignored[0].Get(f, lane), v.ignored[1].Get(f, lane)
		if max(left, right) > 15 {
			return fmt.Sprintf("%d and %d ignored bytes: there are at most 15 at each end (9.7.10.28.4.1)", left, right)
		}
	}
	return ""
}

// copied is what a lane copies: how many bytes of the source it leaves out first, and how many it copies then. Bytes
// that it ignores are "indeterminate" in shared memory (9.7.10.28.4.1): here they keep their values.
func (v *bulk) copied(f unsafe.Pointer, lane int) (skip, size uint64) {
	size = v.size.Get(f, lane)
	if v.ignores {
		skip = v.ignored[0].Get(f, lane)
		size -= min(size, skip+v.ignored[1].Get(f, lane))
	}
	return skip, size
}

func (v *bulk) copy(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	var odd Mask
	machine.EachLane(exec, func(lane int) {
		if v.refused(f, lane) != "" {
			odd |= 1 << lane
		}
	})
	if odd != 0 {
		w.Fail(in, &Fault{Kind: IllegalInstruction, Lanes: odd, Detail: ": " + v.refused(f, machine.FirstLane(odd))})
		return false
	}
	size := func(lane int) uint64 { return v.size.Get(f, lane) }
	to, ok := w.Spans(in, v.to, f, exec, 16, size)
	if !ok {
		return false
	}
	from, ok := w.Parts(in, v.from, f, exec, 16, func(lane int) (skip, size uint64) { return v.copied(f, lane) })
	if !ok {
		return false
	}
	at, ok := v.mbarrier.find(w, in, f, exec, &to)
	if !ok {
		return false
	}
	machine.EachLane(exec, func(lane int) {
		if v.remote {
			checkRemote(w, in, lane, to[lane])
		}
		if n := uint32(size(lane)); ok && n > 0 {
			o := machine.AsyncOp{Tx: n, Mbarrier: at[lane], Fold: v.fold, Size: v.bytes, Report: v.report}
			if skip, part := v.copied(f, lane); part > 0 {
				m := machine.Move{To: to[lane] + uint32(skip), From: from[lane], Size: uint32(part)}
				if !v.byteMask.Sink {
					m.Mask = ^uint16(v.byteMask.Get(f, lane))
				}
				o.Moves = append(o.Moves, m)
			}
			ok = startAll(w, in, lane, o, ranksOf(&v.ctaMask, f, lane))
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
// mbarrier at the same place (9.7.10.28.4.1).
func startAll(w *machine.Warp, in *machine.Inst, lane int, o machine.AsyncOp, to ranks) bool {
	if o.Group = -1; o.Mbarrier == 0 {
		o.Group = 0
	}
	if !to.several {
		startAsync(w, in, lane, o)
		return true
	}
	g, mask := w.CTA.Grid, to.mask
	named, signalled := machine.OwnerOfShared(g, o.Moves[0].To), machine.OwnerOfShared(g, o.Mbarrier)
	var pieces []machine.AsyncOp
	for rank := 0; mask>>rank != 0; rank++ {
		if mask>>rank&1 == 0 {
			continue
		}
		c := w.CTA.Peer(rank)
		other := c
		if signalled != named { // .cta_group::2: the CTA of the pair with the parity of the one that is named
			other = w.CTA.Peer(rank&^1 | signalled.Rank()&1)
		}
		if c == nil || other == nil {
			w.Fail(in, &Fault{Kind: IllegalAddress, Lanes: 1 << lane,
				Detail: fmt.Sprintf(": "+noSuchRank, rank)})
			return false
		}
		p := o
		p.Moves = make([]machine.Move, len(o.Moves))
		for i, m := range o.Moves {
			m.To += c.SharedOff - named.SharedOff
			p.Moves[i] = m
		}
		p.Mbarrier += other.SharedOff - signalled.SharedOff
		if _, ref := machine.FindMbarrier(g, p.Mbarrier); !takes(o.Report.Finds != nil, ref) {
			w.Fail(in, &Fault{Kind: IllegalInstruction, Lanes: 1 << lane,
				Detail: fmt.Sprintf(": mbarrier at this place of the CTA of rank %d: %s", rank, lacks(ref))})
			return false
		}
		pieces = append(pieces, p)
	}
	for _, p := range pieces {
		startAsync(w, in, lane, p)
	}
	return true
}

// lowerBulkGroups lowers cp.async.bulk.commit_group and cp.async.bulk.wait_group (9.7.10.28.6).
func lowerBulkGroups(l *lowerer) bool {
	if l.has(".wait_group") {
		n, read := int(min(l.in.Operands[0].Imm, maxFlight)), l.has(".read")
		return l.runs(func(w *machine.Warp, _ *machine.Inst, _ unsafe.Pointer, exec Mask) bool {
			waitBulk(w, exec, n, read)
			return true
		})
	}
	return l.runs(func(w *machine.Warp, _ *machine.Inst, _ unsafe.Pointer, exec Mask) bool {
		commitBulk(w, exec)
		return true
	})
}

// lowerStoreBulk is st.bulk (9.7.10.14): zeros.
func lowerStoreBulk(l *lowerer) bool {
	ops := l.in.Operands
	mem, size := l.access(ops[0], isa.B64, true), l.src(ops[1], isa.NoType)
	if ops[2].Kind == ptx.OpImm && ops[2].Imm != 0 {
		return l.refuse(ops[2], "st.bulk writes zeros only")
	}
	return l.reaches(mem, func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		to, ok := w.Spans(in, mem, f, exec, 8, func(lane int) uint64 { return size.Get(f, lane) })
		machine.EachLane(exec, func(lane int) {
			n := uint32(size.Get(f, lane))
			switch {
			case !ok || n == 0:
			case n&7 != 0 || !w.LSU.InShared(to[lane]):
				ok = false
				w.Fail(in, &Fault{Kind: IllegalInstruction, Lanes: 1 << lane,
					Detail: ": st.bulk writes multiples of 8 bytes of shared memory"})
			default:
				w.LSU.CheckRange(in, lane, to[lane], n, true)
				w.LSU.NoteUnfenced(in, to[lane], n)
				w.CTA.Grid.Record.Memory(w.CTA.Grid, to[lane], n, lane,
					func() { clear(w.Mem.Bytes(to[lane], n)) })
			}
		})
		return ok
	})
}
