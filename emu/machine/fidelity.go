package machine

import (
	"slices"

	"warpscope/emu/num"
	"warpscope/ptx"
)

// Inexact is an opcode for whose results the manual gives a bound only.
type Inexact struct {
	Opcode, Bound, Section string
	Line                   int   // of the text, where the opcode comes first
	Count                  int64 // warp instructions executed
}

// Inexact lists the opcodes executed so far that have a Bound, in the order of the text. All other opcodes were exact.
func (g *Grid) Inexact() []Inexact {
	var list []Inexact
	for pc, n := range g.Counted() {
		in := &g.Prog.Code[pc]
		if n == 0 || in.Src == nil {
			continue
		}
		bound := g.Prog.boundOf(in.Src)
		if bound == "" {
			continue
		}
		i := slices.IndexFunc(list, func(x Inexact) bool { return x.Opcode == in.Src.Opcode })
		if i < 0 {
			i = len(list)
			list = append(list, Inexact{in.Src.Opcode, bound, in.Src.Match.Form.Section, g.line(int32(pc)), 0})
		}
		list[i].Count += n
	}
	return list
}

// boundOf returns the Bound of an instruction. It looks up each opcode once.
func (p *Program) boundOf(in *ptx.Inst) string {
	bound, ok := p.Bounds[in.Opcode]
	if !ok {
		bound = num.Bound(in.Match)
		p.Bounds[in.Opcode] = bound
	}
	return bound
}
