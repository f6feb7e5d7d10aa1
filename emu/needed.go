package emu

import (
	"slices"

	"warpscope/ptx"
)

// bodies are a module's functions that have bodies, by name.
func bodies(m *ptx.Module) map[string]*ptx.Func {
	list := map[string]*ptx.Func{}
	for _, f := range m.Funcs {
		if f.Defined {
			list[f.Name] = f
		}
	}
	return list
}

// bodyOf returns the function that has the body of an alias or a declaration (11.2.3), or else the function itself.
func (l *lowerer) bodyOf(f *ptx.Func) *ptx.Func {
	if f.AliasOf != nil {
		f = f.AliasOf
	}
	if body := l.bodies[f.Name]; body != nil {
		return body
	}
	return f
}

// needed finds the functions that a launch of a kernel can execute: the kernel, and all that it calls. An indirect call
// can reach each function that is no kernel. Without a name, and without that kernel, all functions are needed.
func needed(l *lowerer, kernel string) map[*ptx.Func]bool {
	m, need := l.prog.Mod, map[*ptx.Func]bool{}
	var work []*ptx.Func
	add := func(f *ptx.Func) {
		if f = l.bodyOf(f); !need[f] {
			need[f] = true
			work = append(work, f)
		}
	}
	if at := slices.IndexFunc(m.Funcs, func(f *ptx.Func) bool { return f.Entry && f.Name == kernel }); at >= 0 {
		add(m.Funcs[at])
	} else {
		for _, f := range m.Funcs {
			add(f)
		}
	}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		for _, in := range f.Insts {
			if in.Call != nil && in.Call.Target.Kind == ptx.OpFunc {
				add(in.Call.Target.Func())
			}
			if in.Call != nil && in.Call.Target.Kind != ptx.OpFunc || namesFunction(in) {
				for _, g := range m.Funcs {
					if !g.Entry {
						add(g)
					}
				}
			}
		}
	}
	return need
}

// namesFunction says whether an instruction takes the address of a function.
func namesFunction(in *ptx.Inst) bool {
	takes := func(op ptx.Operand) bool { return op.Kind == ptx.OpFunc }
	return slices.ContainsFunc(in.Operands, takes) || in.Call != nil && slices.ContainsFunc(in.Call.Args, takes)
}

// noteGaps reports what is not emulated in a function that is not lowered.
func noteGaps(l *lowerer, f *ptx.Func) {
	for _, in := range f.Insts {
		if len(gapsOf[in.Match.Form.ID]) > 0 && gapOf(in.Match) != nil {
			l.notEmulated(in)
		}
	}
}
