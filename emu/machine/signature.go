package machine

import (
	"fmt"
	"slices"
	"strings"

	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// misfit returns why a call must not reach a function, or "". "If a function that doesn't match the prototype is
// called, the behavior is undefined" (9.7.14.5). A function matches when it has as many parameters and return values as
// the call names, each of the same size. Nothing else of a type travels through registers and parameter memory, so
// signedness, floats, arrays of bytes, .reg and .param make no difference.
func (p *Program) misfit(c *ptx.Call, fn *Function) string {
	name := fn.Src.Name
	switch {
	case fn.Src.Entry:
		return name + " is a kernel, and only device functions can be called"
	case !fn.Src.Defined && fn.Builtin == nil:
		return name + " is declared here but has no body, and nothing is linked to this module"
	case c.Targets != nil && !slices.ContainsFunc(c.Targets, func(t *ptx.Func) bool { return p.ByFunc[t] == fn }):
		var names []string
		for _, t := range c.Targets {
			names = append(names, t.Name)
		}
		return fmt.Sprintf("the address is that of %s, and the call lists %s only", name, strings.Join(names, ", "))
	}
	f, whose := fn.Src, "the function is"
	if fn.Builtin != nil {
		f, whose = fn.Builtin.declared(name, p.Mod.AddressSize), "CUDA's function is"
	}
	why := c.Differs(f, name)
	if why == "" {
		return ""
	}
	return fmt.Sprintf("the call follows `%s`, but %s `%s`: %s", c.Proto.Signature(), whose, f.Signature(), why)
}

// declared returns the declaration that the function has in CUDA.
func (b *Builtin) declared(name string, addressSize int) *ptx.Func {
	list := func(types []isa.Type) (vars []*ptx.Var) {
		for _, t := range types {
			if t == isa.B64 && addressSize == 32 {
				t = isa.B32
			}
			vars = append(vars, &ptx.Var{Name: "_", Space: ptx.ParamSpace, Type: t, Size: int64(t.Bytes())})
		}
		return vars
	}
	return &ptx.Func{Name: name, Returns: list(b.Returns), Params: list(b.Params)}
}
