package machine

import "warpscope/ptx"

// misfit returns why a call must not reach a function, or "".
func misfit(p *Program, c *ptx.Call, fn *Function) string {
	var cuda *ptx.Func
	if b := fn.Builtin; b != nil {
		cuda = ptx.Declared(fn.Src.Name, b.Returns, b.Params, p.Mod.AddressSize)
	}
	return c.Misfit(fn.Src, cuda, func(listed *ptx.Func) bool { return p.ByFunc[listed] == fn })
}
