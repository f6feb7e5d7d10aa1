package emu

import (
	"unsafe"

	"warpscope/emu/machine"
	"warpscope/emu/matrix"
	"warpscope/emu/row"
	"warpscope/ptx/isa"
)

// lowerCompress is spcompress (9.7.10.30).
func lowerCompress(l *lowerer) bool {
	size, places := l.in.Match.Types[0].Bits(), l.in.Match.Types[1].Bits()
	ops := l.in.Operands
	data, descriptor := l.registers(ops[2], 32, false), l.src(ops[3], isa.B32)
	meta, kept := l.registers(ops[0], 32, true), l.registers(ops[1], 32, true)
	return l.runs(func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		ok := true
		machine.EachLane(exec, func(lane int) {
			if !ok {
				return
			}
			desc := uint32(descriptor.Get(f, lane))
			choice, err := matrix.ChoiceOf(desc, size)
			if err != nil {
				ok = machine.Illegal(w, in, 1<<lane, ": the descriptor %#x of `%s`: %v", desc, in.Src.Opcode, err)
				return
			}
			places, elements := choice.Compress(laneWords(data, f, lane), size, places)
			setLaneWords(meta, f, lane, places)
			setLaneWords(kept, f, lane, elements)
		})
		return ok
	})
}

// lowerDecompress is spdecompress (9.7.10.31).
func lowerDecompress(l *lowerer) bool {
	b := l.in.Match
	e := matrix.Expansion{Size: b.Types[0].Bits(), Places: b.Types[1].Bits(), Times: b.Repeated()}
	e.Stored, e.Group = b.Sparsity()
	ops := l.in.Operands
	meta, kept := l.registers(ops[1], 32, false), l.registers(ops[2], 32, false)
	data := l.registers(ops[0], 32, true)
	return l.runs(func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		ok := true
		machine.EachLane(exec, func(lane int) {
			if !ok {
				return
			}
			dense, err := e.Expand(laneWords(meta, f, lane), laneWords(kept, f, lane))
			if err != nil {
				ok = machine.Illegal(w, in, 1<<lane, ": the metadata of `%s` names %v", in.Src.Opcode, err)
				return
			}
			setLaneWords(data, f, lane, dense)
		})
		return ok
	})
}

// laneWords are a lane's values of registers.
func laneWords(regs []row.Operand, f unsafe.Pointer, lane int) []uint32 {
	words := make([]uint32, len(regs))
	for i := range regs {
		words[i] = uint32(regs[i].Get(f, lane))
	}
	return words
}

// setLaneWords sets them.
func setLaneWords(regs []row.Operand, f unsafe.Pointer, lane int, words []uint32) {
	for i := range regs {
		regs[i].Set(f, lane, uint64(words[i]))
	}
}
