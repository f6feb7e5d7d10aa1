package emu

import (
	"fmt"
	"unsafe"

	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/ptx/isa"
)

// Hints change nothing that a program can see, but they have rules.

// lowerDiscard writes no particular value (9.7.9.17). What was there stays, and initcheck takes it for unwritten.
func lowerDiscard(l *lowerer) bool {
	const line = 128 // bytes
	ac := l.accessIn(l.in.Operands[0], ".global", isa.B64, true)
	l.i.op, l.i.x = opRun, &extra{mem: ac, run: func(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
		at, ok := w.spans(in, ac, f, exec, line, func(int) uint64 { return line })
		if s := w.cta.grid.dev.shadow; ok && s != nil {
			eachLane(exec, func(lane int) {
				w.lsu.check(&watchedAccess{in: in, lane: lane, off: at[lane], size: line, op: opStore})
				for b := at[lane]; b < at[lane]+line; b += 64 {
					s.page(b).written[b&(mem.PageSize-1)>>6] = 0
				}
			})
		}
		return ok
	}}
	return true
}

// aligned lowers a hint about global memory of which only the alignment of its address matters.
func (l *lowerer) aligned(to uint64) bool {
	mem := l.accessIn(l.in.Operands[0], ".global", isa.B64, false)
	l.i.op, l.i.x = opRun, &extra{mem: mem, run: func(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
		var odd Mask
		eachLane(exec, func(lane int) { odd |= Mask(row.Bit(laneAddr(mem, f, lane)%to != 0)) << lane })
		if odd != 0 {
			w.lsu.memoryFault(in, mem, Misaligned, laneAddr(mem, f, firstLane(odd)), int(to), odd)
		}
		return odd == 0
	}}
	return true
}

// lowerApplyPriority is applypriority (9.7.9.16, 9.7.10.18, 9.7.10.19). What names a tensor is a hint, as its prefetch.
func lowerApplyPriority(l *lowerer) bool {
	if l.has(".tensor") {
		return l.plain(opNop)
	}
	return l.aligned(128)
}

// lowerCreatepolicy is createpolicy (9.7.9.18). There is no cache to govern: every policy is the same handle.
func lowerCreatepolicy(l *lowerer) bool {
	handle := l.bitsRow(0, isa.B64)
	return l.pure(tuples([]row.Operand{l.dst(l.in.Operands[0])}, []row.Operand{handle}))
}

// registerQuota is what setmaxnreg has given to a warp.
type registerQuota struct {
	registers, changes int   // of the last setmaxnreg, and how many there were
	by                 *inst // the last one
}

// lowerMaxRegisters is setmaxnreg (9.7.19.5): each warp has as many registers as it names. How many it had before is known
// from .maxnreg and from the last setmaxnreg.
func lowerMaxRegisters(l *lowerer) bool {
	n, more := int(l.in.Operands[0].Imm), l.has(".inc")
	l.i.op, l.i.x = opRun, &extra{run: func(w *warp, in *inst, _ unsafe.Pointer, exec Mask) bool {
		if !w.whole(in, exec) {
			return false
		}
		had := w.cta.grid.entry.src.MaxNReg
		if w.quota.by != nil {
			had = w.quota.registers
		}
		if had != 0 && (more && n < had || !more && n > had) {
			w.note(in, causeRegisters,
				fmt.Sprintf("`%s` in warp %d asks for %d registers, and it has %d: .inc is for as many or "+
					"more, .dec for as many or fewer", in.src.Opcode, w.index, n, had))
		}
		w.quota = registerQuota{n, w.quota.changes + 1, in}
		return true
	}}
	return true
}

// checkResizes notes a setmaxnreg that not all warps of a warpgroup have executed.
func (c *cta) checkResizes() {
	for at := 0; at+3 < len(c.warps); at += 4 {
		group := c.warps[at:][:4]
		few, most := group[0], group[0]
		for _, w := range group[1:] {
			if w.quota.changes < few.quota.changes {
				few = w
			}
			if w.quota.changes > most.quota.changes {
				most = w
			}
		}
		if few.quota.changes < most.quota.changes {
			most.note(most.quota.by, causeWarpgroup,
				fmt.Sprintf("warp %d has executed `%s`, and warp %d has not: all warps of a "+
					"warpgroup must", most.index, most.quota.by.src.Opcode, few.index))
		}
	}
}
