package launch

import (
	"slices"
	"strings"

	"warpscope/ptx"
)

// Compilers put the kernel's name, often a long mangled one, before every parameter: "_Z3addPf_param_0", and of
// old "__cudaparm__Z3addPf_x". Headers may leave it out, and the page shows what is left.

// paramLabel is the rest of a parameter's name; "" if the name has no such prefix or the rest has another meaning.
func paramLabel(f *ptx.Func, p *ptx.Param) string {
	label, ok := strings.CutPrefix(strings.TrimPrefix(p.Name, "__cudaparm_"), f.Name+"_")
	isName := label != "" && (label[0] == '_' || label[0]|0x20 >= 'a' && label[0]|0x20 <= 'z')
	taken := func(other *ptx.Param) bool { return other.Name == label }
	if !ok || !isName || slices.Contains(subjects, label) || slices.ContainsFunc(f.Params, taken) {
		return ""
	}
	return label
}

// Label is the argument's name for people, without the kernel's; or the whole name, if nothing can be left out.
func (a *Arg) Label() string {
	if a.label != "" {
		return a.label
	}
	return a.Name
}

// headerName is the argument's name in its header line, present or future.
func (a *Arg) headerName() string {
	if a.madeUp {
		return a.Label()
	}
	return a.Name
}

// called says whether a name means the argument.
func (a *Arg) called(name string) bool { return name == a.Name || name == a.label && name != "" }

// paramCalled is the parameter that a name means, or nil.
func paramCalled(f *ptx.Func, name string) *ptx.Param {
	i := slices.IndexFunc(f.Params, func(p *ptx.Param) bool { return p.Name == name || paramLabel(f, p) == name })
	if i < 0 || name == "" {
		return nil
	}
	return f.Params[i]
}
