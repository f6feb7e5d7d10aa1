package ptx

import (
	"fmt"
)

// Differs says how the sizes that a call passes and takes back differ from those of a function, which messages call
// name; "" when they do not.
func (c *Call) Differs(f *Func, name string) string {
	proto, call := c.Proto, c.Proto.Name
	if call == name {
		call = "the declaration"
	}
	why := compare("parameter", call, name, given(passes(proto.Params, proto.ParamRegs), c.Args),
		passes(f.Params, f.ParamRegs))
	if why == "" {
		why = compare("return value", call, name, given(passes(proto.Returns, proto.ReturnRegs), c.Returns),
			passes(f.Returns, f.ReturnRegs))
	}
	return why
}

// open is the size of an unsized array, which takes what it gets (7.1).
const open = -1

// passes returns the sizes of parameters or return values in bits.
func passes(vars []*Var, regs []*Reg) []int64 {
	sizes := make([]int64, len(vars))
	for i, v := range vars {
		switch {
		case v == nil:
			sizes[i] = int64(regs[i].Type.Bits() * max(regs[i].Vec, 1))
		case v.Size == 0:
			sizes[i] = open
		default:
			sizes[i] = 8 * v.Size
		}
	}
	return sizes
}

// given gives the unsized arrays of a prototype the sizes of the variables that the call passes for them, where there
// are some.
func given(sizes []int64, operands []Operand) []int64 {
	for i := range sizes {
		if sizes[i] == open {
			sizes[i] = 0
			if i < len(operands) && operands[i].Var != nil {
				sizes[i] = 8 * operands[i].Var.Size
			}
		}
	}
	return sizes
}

// compare says how the sizes that a call passes differ from those that the function takes; "" when they do not.
func compare(what, call, name string, has, wants []int64) string {
	if len(has) != len(wants) {
		return fmt.Sprintf("%s has %s, %s has %s", call, Plural(len(has), what), name, Plural(len(wants), what))
	}
	for i := range has {
		if has[i] != wants[i] && wants[i] != open {
			return fmt.Sprintf("%s %d of %s has %s, that of %s has %s", what, i+1, call, sizeInWords(has[i]), name,
				sizeInWords(wants[i]))
		}
	}
	return ""
}

func sizeInWords(n int64) string {
	if n%8 != 0 {
		return Plural(n, "bit")
	}
	return Plural(n/8, "byte")
}
