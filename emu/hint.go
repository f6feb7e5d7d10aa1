package emu

import (
	"fmt"
	"unsafe"

	"warpscope/emu/causes"
	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/ptx/isa"
)

// Hints change nothing that a program can see, but they have rules.

// lowerDiscard is discard, after which memory has undefined values (9.7.10.20). The bytes stay as they are, and
// initcheck takes them for unwritten.
func lowerDiscard(l *lowerer) bool {
	const line = 128 // bytes
	ac := l.accessIn(l.in.Operands[0], ".global", isa.B64, true)
	return l.reaches(ac, func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		at, ok := w.Spans(in, ac, f, exec, line, func(int) uint64 { return line })
		if s := w.CTA.Grid.Dev.Shadow; ok && s != nil {
			machine.EachLane(exec, func(lane int) {
				w.LSU.CheckStore(in, lane, at[lane], line)
				for b := at[lane]; b < at[lane]+line; b += 64 {
					s.Page(b).Written[b&(mem.PageSize-1)>>6] = 0
				}
			})
		}
		return ok
	})
}

// aligned lowers a hint about global memory. Only the alignment of its address matters.
func (l *lowerer) aligned(to uint64) bool {
	mem := l.accessIn(l.in.Operands[0], ".global", isa.B64, false)
	return l.reaches(mem, func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		var odd Mask
		machine.EachLane(exec, func(lane int) { odd |= Mask(row.Bit(machine.LaneAddr(mem, f, lane)%to != 0)) << lane })
		if odd != 0 {
			w.LSU.MemoryFault(in, mem, Misaligned, machine.LaneAddr(mem, f, machine.FirstLane(odd)), int(to), odd)
		}
		return odd == 0
	})
}

// lowerApplyPriority is applypriority (9.7.10.17, 9.7.10.18, 9.7.10.19). A form that names a tensor has no effect here,
// like the prefetch of a tensor.
func lowerApplyPriority(l *lowerer) bool {
	if l.has(".tensor") {
		return l.plain(machine.OpNop)
	}
	return l.aligned(128)
}

// lowerCreatepolicy is createpolicy (9.7.10.21). There is no cache, so every policy is the same handle.
func lowerCreatepolicy(l *lowerer) bool {
	handle := l.bitsRow(0, isa.B64)
	return moves(l, []row.Operand{l.dst(l.in.Operands[0])}, []row.Operand{handle})
}

// lowerMaxRegisters is setmaxnreg (9.7.21.5): its operand says how many registers each thread of the warp has from then
// on. The last setmaxnreg says how many it had before, or else .maxnreg.
func lowerMaxRegisters(l *lowerer) bool {
	n, more := int(l.in.Operands[0].Imm), l.has(".inc")
	return l.runs(func(w *machine.Warp, in *machine.Inst, _ unsafe.Pointer, exec Mask) bool {
		if !wholeWarp(w, in, exec) {
			return false
		}
		had := w.CTA.Grid.Entry.Src.MaxNReg
		if w.Quota.By != nil {
			had = w.Quota.Registers
		}
		if had != 0 && (more && n < had || !more && n > had) {
			w.Note(in, causes.Registers,
				fmt.Sprintf("`%s` in warp %d asks for %d registers, and it has %d: .inc is for as many or "+
					"more, .dec for as many or fewer", in.Src.Opcode, w.Index, n, had))
		}
		w.Quota = machine.RegisterQuota{Registers: n, Changes: w.Quota.Changes + 1, By: in}
		return true
	})
}
