package emu

import (
	"fmt"
	"math"
	"unsafe"

	"warpscope/emu/causes"
	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// stackTop is the address after all local memory that a lane uses.
func stackTop(w *machine.Warp, lane int) int64 {
	fr := w.Cur.Frame
	return max(w.Stack.Tops[lane], fr.Local+fr.Fn.Local)
}

// maxAlign is the largest alignment that alloca can ask for here: that of local memory itself.
const maxAlign = 1 << 23

// lowerStackOp is stacksave, stackrestore and alloca (9.7.19.1 to 9.7.19.3).
func lowerStackOp(l *lowerer) bool {
	ops, t := l.in.Operands, l.in.Match.Types[0]
	switch l.in.Match.Form.Mnemonic {
	case "stacksave":
		d := l.dst(ops[0])
		return l.runs(func(w *machine.Warp, _ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
			machine.EachLane(exec, func(lane int) { d.Set(f, lane, uint64(stackTop(w, lane))) })
			return true
		})
	case "stackrestore":
		a := l.src(ops[0], t)
		return l.runs(func(w *machine.Warp, _ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
			machine.SetStackTop(w, exec, func(lane int) int64 { return int64(min(a.Get(f, lane), uint64(w.Local.Size))) })
			return true
		})
	}
	v := &alloca{d: l.dst(ops[0]), size: l.src(ops[1], t), align: 8}
	if len(ops) > 2 && ops[2].Kind == ptx.OpImm {
		n := int64(ops[2].Imm)
		if n < 1 || n&(n-1) != 0 || n > maxAlign {
			return l.refuse(ops[2], "an alignment of %d: it is a power of 2 up to 2^23", n)
		}
		v.align = max(v.align, n)
	}
	return l.runs(v.run)
}

// alloca is a lowered alloca (9.7.19.3).
type alloca struct {
	d, size row.Operand
	align   int64
}

func (v *alloca) run(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	var at [32]int64
	need, over := int64(0), Mask(0)
	machine.EachLane(exec, func(lane int) {
		at[lane] = machine.AlignUp(stackTop(w, lane), v.align)
		n := at[lane] + int64(min(v.size.Get(f, lane), machine.MaxLocal+1))
		need, over = max(need, n), over|Mask(row.Bit(n > machine.MaxLocal))<<lane
	})
	if over != 0 {
		lane := machine.FirstLane(over)
		machine.Overflow(w, in, over, "alloca of %s after %s in use; a thread has %s of local memory",
			bytesInWords(v.size.Get(f, lane)),
			ptx.Plural(at[lane], "byte"), ptx.Plural(machine.MaxLocal, "byte"))
		return false
	}
	if why := w.GrowLocal(need); why != "" {
		machine.Overflow(w, in, exec, "%s", why)
		return false
	}
	f = w.FramePtr() // memory may have moved
	machine.SetStackTop(w, exec, func(lane int) int64 { return at[lane] + int64(v.size.Get(f, lane)) })
	machine.EachLane(exec, func(lane int) { v.d.Set(f, lane, uint64(at[lane])) })
	return true
}

// bytesInWords writes a size of 64 bits.
func bytesInWords(n uint64) string {
	if n > math.MaxInt64 {
		return fmt.Sprintf("%#x bytes", n)
	}
	return ptx.Plural(int64(n), "byte")
}

// lowerMultimem lowers the instructions on multimem addresses (9.7.10.15, 9.7.10.28.4.4, 9.7.10.28.4.5). Such an
// address names the same place on several devices. Here there is one device, so a reduction of the loaded values is the
// one loaded value.
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

// lowerLaunchControl lowers clusterlaunchcontrol (9.7.15.18, 9.7.15.19). The response has four words: x, y and z of the
// first CTA of the cancelled cluster, and 1. All are zero if no cluster was left.
func lowerLaunchControl(l *lowerer) bool {
	ops := l.in.Operands
	if l.has(".try_cancel") {
		v := &bulk{to: l.access(ops[0], isa.B128, true), mbarrier: &signal{access: l.access(ops[1], isa.B64, true)}}
		all := l.has(".multicast::cluster::all")
		return l.reaches(v.to, func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
			return tryCancel(w, in, v, f, exec, all)
		})
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
	return l.runs(func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		machine.EachLane(exec, func(lane int) {
			r := response.GetPair(f, lane)
			switch {
			case r[1]>>32 != 0:
			case first == 3:
				w.CTA.Refused = true
			default:
				w.Note(in, causes.Response,
					fmt.Sprintf("`%s` in lane %d of warp %d: the request has failed, so there is no CTA, and "+
						"the result is undefined; ask is_canceled first", in.Src.Opcode, lane, w.Index))
			}
			for i := range d {
				d[i].Set(f, lane, r[(first+i)/2]>>(32*((first+i)%2))&0xffffffff)
			}
		})
		return true
	})
}

// tryCancel cancels the next cluster that has not started, one for each lane.
func tryCancel(w *machine.Warp, in *machine.Inst, v *bulk, f unsafe.Pointer, exec Mask, all bool) bool {
	to, ok := w.Spans(in, v.to, f, exec, 16, func(int) uint64 { return 16 })
	if !ok {
		return false
	}
	at, ok := v.mbarrier.find(w, in, f, exec, &to)
	if !ok {
		return false
	}
	g := w.CTA.Grid
	s := &g.State
	if w.CTA.Refused {
		w.Note(in, causes.Refused,
			fmt.Sprintf("`%s` in warp %d: this CTA has been told already that no cluster is left, so that its "+
				"behaviour is undefined", in.Src.Opcode, w.Index))
	}
	machine.EachLane(exec, func(lane int) {
		if !ok {
			return
		}
		o := machine.AsyncOp{Moves: []machine.Move{{To: to[lane], Size: 16}}, Data: make([]byte, 16), Read: true, Tx: 16,
			Mbarrier: at[lane]}
		if int64(s.Next) < g.Counters.CTAs {
			id := g.Grid.Index(g.CTAAt(s.Next))
			s.Next += g.ClusterSize()
			g.Counters.CTAsDone += int64(g.ClusterSize())
			for i, n := range []int{id.X, id.Y, id.Z, 1} {
				machine.ByteOrder.PutUint32(o.Data[4*i:], uint32(n))
			}
		}
		ok = startAll(w, in, lane, o, ranks{all, 1<<g.ClusterSize() - 1})
	})
	return ok
}
