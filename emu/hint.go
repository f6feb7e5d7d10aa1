package emu

import (
	"fmt"
	"unsafe"

	"warpscope/ptx/isa"
)

// Hints change nothing that a program can see, but they have rules.

// discard writes no particular value (9.7.9.17). What was there stays, and initcheck takes it for unwritten.
func (l *lowerer) discard() bool {
	const line = 128 // bytes
	mem := l.accessIn(l.in.Operands[0], ".global", isa.B64, true)
	l.i.op, l.i.x = opRun, &extra{mem: mem, run: func(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
		at, ok := w.spans(in, mem, f, exec, line, func(int) uint64 { return line })
		if s := w.cta.grid.dev.shadow; ok && s != nil {
			eachLane(exec, func(lane int) {
				w.check(&watchedAccess{in: in, lane: lane, off: at[lane], size: line, op: opStore})
				for b := at[lane]; b < at[lane]+line; b += 64 {
					s.page(b).written[b&(pageSize-1)>>6] = 0
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
		eachLane(exec, func(lane int) { odd |= Mask(b2u(laneAddr(mem, f, lane)%to != 0)) << lane })
		if odd != 0 {
			w.memoryFault(in, mem, Misaligned, laneAddr(mem, f, firstLane(odd)), int(to), odd)
		}
		return odd == 0
	}}
	return true
}

// applyPriority is applypriority (9.7.9.16, 9.7.10.18, 9.7.10.19). What names a tensor is a hint, as its prefetch.
func (l *lowerer) applyPriority() bool {
	if l.has(".tensor") {
		return l.plain(opNop)
	}
	return l.aligned(128)
}

// createpolicy is createpolicy (9.7.9.18). There is no cache to govern: every policy is the same handle.
func (l *lowerer) createpolicy() bool {
	handle := l.bitsRow(0, isa.B64)
	return l.pure(tuples([]operand{l.dst(l.in.Operands[0])}, []operand{handle}))
}

// maxRegisters is setmaxnreg (9.7.19.5): each warp has as many registers as it names. How many it had before is known
// from .maxnreg and from the last setmaxnreg.
func (l *lowerer) maxRegisters() bool {
	n, more := int(l.in.Operands[0].Imm), l.has(".inc")
	l.i.op, l.i.x = opRun, &extra{run: func(w *warp, in *inst, _ unsafe.Pointer, exec Mask) bool {
		if !w.whole(in, exec) {
			return false
		}
		had := w.cta.grid.entry.src.MaxNReg
		if w.resized != nil {
			had = w.registers
		}
		if had != 0 && (more && n < had || !more && n > had) {
			w.note(in, causeRegisters,
				fmt.Sprintf("`%s` in warp %d asks for %d registers, and it has %d: .inc is for as many or "+
					"more, .dec for as many or fewer", in.src.Opcode, w.index, n, had))
		}
		w.registers, w.resizes, w.resized = n, w.resizes+1, in
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
			if w.resizes < few.resizes {
				few = w
			}
			if w.resizes > most.resizes {
				most = w
			}
		}
		if few.resizes < most.resizes {
			most.note(most.resized, causeWarpgroup,
				fmt.Sprintf("warp %d has executed `%s`, and warp %d has not: all warps of a "+
					"warpgroup must", most.index, most.resized.src.Opcode, few.index))
		}
	}
}
