package emu

import (
	"slices"

	"warpscope/emu/machine"
	"warpscope/emu/num"
	"warpscope/ptx"
)

// Inexact is an opcode for whose results the manual gives a bound only.
type Inexact struct {
	Opcode, Bound, Section string
	Line                   int   // of the text, where the opcode comes first
	Count                  int64 // warp instructions executed
}

// InexactOf lists the opcodes of a launch executed so far that have a Bound, in the order of the text. All other
// opcodes were exact.
func InexactOf(g *Grid) []Inexact {
	var list []Inexact
	for pc, n := range g.Counted() {
		in := &g.Prog.Code[pc]
		if n == 0 || in.Src == nil {
			continue
		}
		bound := boundOf(g.Prog, in.Src)
		if bound == "" {
			continue
		}
		i := slices.IndexFunc(list, func(x Inexact) bool { return x.Opcode == in.Src.Opcode })
		if i < 0 {
			i = len(list)
			list = append(list, Inexact{in.Src.Opcode, bound, in.Src.Match.Form.Section, g.Position(in.Src).Line, 0})
		}
		list[i].Count += n
	}
	return list
}

// Executions returns how often a launch has executed some instructions so far, without those that have not run.
func Executions(g *Grid, some func(*ptx.Inst) bool) map[*ptx.Inst]int64 {
	ran := map[*ptx.Inst]int64{}
	for pc, n := range g.Counted() {
		if in := g.Prog.Code[pc].Src; n > 0 && in != nil && some(in) {
			ran[in] += n
		}
	}
	return ran
}

// boundOf returns the Bound of an instruction. It looks up each opcode once.
func boundOf(p *machine.Program, in *ptx.Inst) string {
	bound, ok := p.Bounds[in.Opcode]
	if !ok {
		bound = num.Bound(in.Match)
		p.Bounds[in.Opcode] = bound
	}
	return bound
}
