package machine

import (
	"slices"
	"strings"

	"warpscope/emu/num"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// recorded lists forms with a Bound whose recorded results, in testdata/hardware, all equal ours bit for bit. A test
// compares them.
const recorded = ``

// Recorded says whether every recorded result of a form equals ours bit for bit.
func Recorded(form string) bool { return slices.Contains(strings.Fields(recorded), form) }

// Bound returns the error that the manual allows an opcode, in words; "" where the manual leaves one answer. Sums of
// floating-point products of matrices have no bound: the manual requires at least the precision of the result, and
// leaves their order and rounding open (9.7.16.4.5, 9.7.16.5.14, 9.7.16.6.3, 9.7.17.5.2).
func Bound(b *isa.Bound) string {
	if Recorded(b.Form.ID) {
		return ""
	}
	switch b.Form.Mnemonic {
	case "mma", "wmma", "wgmma":
		product := b.Form.Mnemonic == "mma" || b.Has(".mma") || b.Has(".mma_async")
		switch eight := b.Has(".e4m3") || b.Has(".e5m2"); {
		case b.Form.ID == "wgmma.mma_async" && eight && b.Has(".f32"):
			return "GPUs add with less than single precision" // the Note of 9.7.17.5.2
		case product && len(b.Types) > 1 && b.Types[0].Class() == isa.Float:
			return "order of additions and rounding open"
		}
		return ""
	case "tex":
		if b.Types[1] == isa.F32 {
			return "filter weights of eight bits and their sum are the hardware's"
		}
		return ""
	}
	if strings.HasPrefix(b.Form.ID, "tcgen05.mma") && !b.Has(".kind::i8") && !b.Has(".kind::ti16") {
		return "order of additions and rounding open"
	}
	if k, ok := num.Lookup(b.Key()); ok {
		return k.Bound
	}
	return ""
}

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
		bound = Bound(in.Match)
		p.Bounds[in.Opcode] = bound
	}
	return bound
}

// Nops lists the instructions that lowering has turned into nothing, because an emulator has nothing to do for them.
func (d *Device) Nops() []*ptx.Inst {
	var list []*ptx.Inst
	for i := range d.Prog.Code {
		if in := &d.Prog.Code[i]; in.Src != nil && in.Op == OpNop {
			list = append(list, in.Src)
		}
	}
	return list
}
