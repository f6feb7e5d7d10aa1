package emu

import (
	"fmt"
	"math"
	"unsafe"

	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// alloca takes local memory behind what the functions under way have declared (9.7.17). Each lane has its own stack
// pointer, and the stack grows upwards: the manual's grows down, but no program can see that. What a function has
// allocated ends where it calls another one, and is given back when its lanes return.

// stackTops are the addresses behind what alloca has given in each lane; less than what frames need where it has given
// nothing.
type stackTops struct {
	tops [32]int64
	end  int64 // the largest of them
}

// stackTop is the address behind all local memory that a lane uses.
func (w *warp) stackTop(lane int) int64 {
	fr := w.Cur.Frame
	return max(w.stack.tops[lane], fr.local+fr.fn.local)
}

// setStackTop moves the stack pointer of some lanes.
func setStackTop(w *warp, lanes Mask, to func(lane int) int64) {
	eachLane(lanes, func(lane int) { w.stack.tops[lane] = to(lane) })
	w.stack.end = 0
	for _, top := range w.stack.tops {
		w.stack.end = max(w.stack.end, top)
	}
}

// dropStack gives back what lanes have allocated in a frame.
func dropStack(w *warp, lanes Mask, fr *frame) {
	if w.stack.end > fr.local {
		setStackTop(w, lanes, func(lane int) int64 { return min(w.stack.tops[lane], fr.local) })
	}
}

// maxAlign bounds the alignment that alloca can ask for here: that of local memory itself.
const maxAlign = 1 << 23

// lowerStackOp lowers stacksave, stackrestore and alloca.
func lowerStackOp(l *lowerer) bool {
	ops, t := l.in.Operands, l.in.Match.Types[0]
	x := &extra{}
	switch l.in.Match.Form.Mnemonic {
	case "stacksave":
		d := l.dst(ops[0])
		x.run = func(w *warp, _ *inst, f unsafe.Pointer, exec Mask) bool {
			eachLane(exec, func(lane int) { d.Set(f, lane, uint64(w.stackTop(lane))) })
			return true
		}
	case "stackrestore":
		a := l.src(ops[0], t)
		x.run = func(w *warp, _ *inst, f unsafe.Pointer, exec Mask) bool {
			setStackTop(w, exec, func(lane int) int64 { return int64(min(a.Get(f, lane), uint64(w.local.size))) })
			return true
		}
	default:
		v := &alloca{d: l.dst(ops[0]), size: l.src(ops[1], t), align: 8}
		if len(ops) > 2 && ops[2].Kind == ptx.OpImm {
			n := int64(ops[2].Imm)
			if n < 1 || n&(n-1) != 0 || n > maxAlign {
				return l.refuse(ops[2], "an alignment of %d: it is a power of 2 up to 2^23", n)
			}
			v.align = max(v.align, n)
		}
		x.run = v.run
	}
	l.i.op, l.i.x = opRun, x
	return true
}

// alloca is alloca (9.7.17.3).
type alloca struct {
	d, size row.Operand
	align   int64
}

func (v *alloca) run(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
	var at [32]int64
	need, over := int64(0), Mask(0)
	eachLane(exec, func(lane int) {
		at[lane] = alignUp(w.stackTop(lane), v.align)
		n := at[lane] + int64(min(v.size.Get(f, lane), maxLocal+1))
		need, over = max(need, n), over|Mask(row.Bit(n > maxLocal))<<lane
	})
	if over != 0 {
		lane := firstLane(over)
		stackOverflow(w, in, over, "alloca of %s after %s in use; a thread has %s of local memory", bytesInWords(v.size.Get(f, lane)),
			ptx.Plural(at[lane], "byte"), ptx.Plural(maxLocal, "byte"))
		return false
	}
	if why := w.growLocal(need); why != "" {
		stackOverflow(w, in, exec, "%s", why)
		return false
	}
	f = w.framePtr() // memory may have moved
	setStackTop(w, exec, func(lane int) int64 { return at[lane] + int64(v.size.Get(f, lane)) })
	eachLane(exec, func(lane int) { v.d.Set(f, lane, uint64(at[lane])) })
	return true
}

// bytesInWords writes a size of 64 bits.
func bytesInWords(n uint64) string {
	if n > math.MaxInt64 {
		return fmt.Sprintf("%#x bytes", n)
	}
	return ptx.Plural(int64(n), "byte")
}

// lowerMultimem lowers the instructions on multimem addresses (9.7.9.14, 9.7.9.26, 9.7.9.27). They stand for the same place
// on several devices; with one device there is one place, and a reduction of what is loaded is what is loaded.
func lowerMultimem(l *lowerer) bool {
	switch l.in.Match.Form.ID {
	case "multimem.ld_reduce":
		return lowerLoad(l)
	case "multimem.st", "multimem.st.async":
		return lowerStore(l)
	case "multimem.red", "multimem.red.async":
		return lowerAtom(l)
	case "multimem.cp.async.bulk", "multimem.cp.reduce.async.bulk":
		return lowerCopyBulk(l)
	}
	return false
}

// lowerLaunchControl lowers clusterlaunchcontrol (9.7.13.17, 9.7.13.18). The response is 16 bytes, as words: x, y and z of
// the first CTA of the cluster that has been cancelled, and 1; all zero when none was left.
func lowerLaunchControl(l *lowerer) bool {
	ops := l.in.Operands
	if l.has(".try_cancel") {
		v := &bulk{to: l.access(ops[0], isa.B128, true), mbarrier: l.access(ops[1], isa.B64, true)}
		all := l.has(".multicast::cluster::all")
		l.i.op, l.i.x = opRun, &extra{mem: v.to, run: func(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
			return w.tryCancel(in, v, f, exec, all)
		}}
		return true
	}
	response := l.src(ops[len(ops)-1], isa.B128)
	var d []row.Operand
	for _, e := range elements(ops[0]) {
		d = append(d, l.dst(e))
	}
	first := 0
	switch l.first(".get_first_ctaid::x", ".get_first_ctaid::y", ".get_first_ctaid::z") {
	case ".get_first_ctaid::y":
		first = 1
	case ".get_first_ctaid::z":
		first = 2
	}
	if l.has(".is_canceled") {
		first = 3
	}
	l.i.op, l.i.x = opRun, &extra{run: func(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
		eachLane(exec, func(lane int) {
			r := response.GetPair(f, lane)
			switch {
			case r[1]>>32 != 0:
			case first == 3:
				w.cta.refused = true
			default:
				w.note(in, causeResponse,
					fmt.Sprintf("`%s` in lane %d of warp %d: the request has failed, so there is no CTA, and "+
						"the result is undefined; ask is_canceled first", in.src.Opcode, lane, w.index))
			}
			for i := range d {
				d[i].Set(f, lane, r[(first+i)/2]>>(32*((first+i)%2))&0xffffffff)
			}
		})
		return true
	}}
	return true
}

// tryCancel takes the next cluster that has not started, for each lane.
func (w *warp) tryCancel(in *inst, v *bulk, f unsafe.Pointer, exec Mask, all bool) bool {
	to, ok := w.spans(in, v.to, f, exec, 16, func(int) uint64 { return 16 })
	if !ok {
		return false
	}
	at, ok := w.signals(in, v.mbarrier, f, exec, &to)
	if !ok {
		return false
	}
	g := w.cta.grid
	s := &g.state
	if w.cta.refused {
		w.note(in, causeRefused,
			fmt.Sprintf("`%s` in warp %d: this CTA has been told already that no cluster is left, so that its "+
				"behaviour is undefined", in.src.Opcode, w.index))
	}
	eachLane(exec, func(lane int) {
		if !ok {
			return
		}
		o := asyncOp{moves: []move{{to: to[lane], size: 16}}, data: make([]byte, 16), read: true, tx: 16, mbarrier: at[lane]}
		if int64(s.next) < g.stats.CTAs {
			id := g.grid.Index(g.ctaAt(s.next))
			s.next += g.clusterSize()
			g.stats.CTAsDone += int64(g.clusterSize())
			for i, n := range []int{id.X, id.Y, id.Z, 1} {
				le.PutUint32(o.data[4*i:], uint32(n))
			}
		}
		ok = w.startAll(in, lane, o, ranks{all, 1<<g.clusterSize() - 1})
	})
	return ok
}
