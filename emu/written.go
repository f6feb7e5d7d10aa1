package emu

import (
	"warpscope/emu/machine"
)

// Which lanes have written a register? Lanes read zero from a register that they have never written, and the register
// view shows that. A frame has a word, with one bit per lane, for each straight line that writes registers, and for
// each other instruction that does. Lanes that execute it set their bits. So the machine knows the answer for each lane
// and each activation at any time. Snapshots have it because frames do. It costs one OR per straight line.

// markWrites reserves these words. Straight lines are those of machine.MarkLines without breakpoints. Lanes in the
// middle of one have not set their bits yet; writtenLanes of package machine counts them.
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
