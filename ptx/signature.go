package ptx

import (
	"fmt"
	"slices"
	"strings"

	"warpscope/ptx/isa"
)

// Misfit returns why an indirect call must not reach a function, or "". "If a function that doesn't match the prototype
// is called, the behavior is undefined" (9.7.14.5). A function matches when it has as many parameters and return values
// as the call names, each of the same size. Nothing else of a type travels through registers and parameter memory, so
// signedness, floats, arrays of bytes, .reg and .param make no difference. cuda is the function's declaration in CUDA,
// or nil; is says whether a function that the call lists is this one.
func (c *Call) Misfit(f, cuda *Func, is func(listed *Func) bool) string {
	name := f.Name
	switch {
	case f.Entry:
		return name + " is a kernel, and only device functions can be called"
	case !f.Defined && cuda == nil:
		return name + " is declared here but has no body, and nothing is linked to this module"
	case c.Targets != nil && !slices.ContainsFunc(c.Targets, is):
		var names []string
		for _, t := range c.Targets {
			names = append(names, t.Name)
		}
		return fmt.Sprintf("the address is that of %s, and the call lists %s only", name, strings.Join(names, ", "))
	}
	whose := "the function is"
	if cuda != nil {
		f, whose = cuda, "CUDA's function is"
	}
	why := c.Differs(f, name)
	if why == "" {
		return ""
	}
	return fmt.Sprintf("the call follows `%s`, but %s `%s`: %s", c.Proto.Signature(), whose, f.Signature(), why)
}

// Declared returns the declaration of a function by the types of what it takes and returns, of which those of 64 bits
// are as long as an address.
func Declared(name string, returns, params []isa.Type, addressSize int) *Func {
	list := func(types []isa.Type) (vars []*Var) {
		for _, t := range types {
			if t == isa.B64 && addressSize == 32 {
				t = isa.B32
			}
			vars = append(vars, &Var{Name: "_", Space: ParamSpace, Type: t, Size: int64(t.Bytes())})
		}
		return vars
	}
	return &Func{Name: name, Returns: list(returns), Params: list(params)}
}

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
