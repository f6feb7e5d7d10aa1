package emu

import (
	"warpscope/emu/machine"
)

// Which lanes have written a register? Lanes read zero from a register that they have never written, and people want to
// know. A frame has a word, one bit a lane, for each straight line of code that writes registers, and for each other
// instruction that does: lanes that have been there leave their bits. So it is known for each lane, each activation and
// at any time, and frames carry it through snapshots, for one OR a line.

// markWrites makes room for these words. Lines are those of MarkLines without breakpoints; one that is left in the
// middle has left no bits yet, see written.
func markWrites(p *machine.Program) {
	p.Marks = make([]uint32, len(p.Code))
	machine.MarkLines(p.Code, p.Marks)
	for _, fn := range p.Funcs {
		if !fn.Src.Defined {
			continue
		}
		word := func() uint32 {
			fn.Frame += 4
			return fn.Frame - 4
		}
		fn.Entered = word()
		for pc := fn.Start; pc <= fn.End; {
			next := pc + max(p.Code[pc].Line, 1)
			mark := uint32(0)
			for i := pc; i < next; i++ {
				if len(p.Writes[i]) > 0 && mark == 0 {
					mark = word()
				}
			}
			for ; pc < next; pc++ {
				p.Marks[pc] = mark
			}
		}
		fn.Frame = uint32(machine.AlignUp(int64(fn.Frame), 8))
	}
	for _, x := range p.Indexed {
		x.Inner.Seen = p.Marks[x.PC]
	}
	machine.MarkLines(p.Code, p.Marks)
}
