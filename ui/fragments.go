package ui

import (
	"strings"

	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Fragments of matrices are in registers of bits, several numbers in each. What they are only the instructions say that
// multiply them; the page reads the registers so, unless the user wants something else.

// matrixReadings are the readings of the types that matrices have.
var matrixReadings = map[isa.Type]Bits{isa.F16: AsF16x2, isa.BF16: AsBF16x2, isa.E4M3: AsE4M3, isa.E5M2: AsE5M2,
	isa.S8: AsS8x4, isa.B1: AsB1, isa.TF32: AsFloat, isa.F32: AsFloat, isa.S32: AsSigned}

// fragments are the readings of the registers that hold fragments in a module, by name.
func fragments(m *ptx.Module) map[string]Bits {
	if m == nil {
		return nil
	}
	list := map[string]Bits{}
	for _, f := range m.Funcs {
		var moves []*ptx.Inst
		for _, in := range f.Insts {
			switch match := in.Match; {
			case match == nil:
			case strings.HasSuffix(match.Form.Mnemonic, "mma") && len(match.Types) == 4 && len(in.Operands) == 4:
				for k, t := range match.Types { // D, A, B and C
					read(list, &in.Operands[k], matrixReadings[t])
				}
			case match.Form.Mnemonic == "mov" && in.Operands[0].Reg != nil && in.Operands[1].Reg != nil:
				moves = append(moves, in)
			}
		}
		for changed := true; changed; { // loops carry fragments from register to register
			before := len(list)
			for _, in := range moves {
				from, to := &in.Operands[1], &in.Operands[0]
				read(list, from, list[to.Reg.Name])
				read(list, to, list[from.Reg.Name])
			}
			changed = len(list) > before
		}
	}
	return list
}

// read notes the reading of an operand's registers, which the first instruction decides.
func read(list map[string]Bits, o *ptx.Operand, as Bits) {
	if o.Reg != nil && as != ByType && list[o.Reg.Name] == ByType {
		list[o.Reg.Name] = as
	}
	for k := range o.List() {
		read(list, &o.List()[k], as)
	}
}
