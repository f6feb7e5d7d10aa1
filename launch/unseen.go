package launch

import (
	"fmt"
	"slices"
	"strings"

	"warpscope/emu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// sayUnseen tells who asks for racecheck what it does not look at in the module.
func (b *builder) sayUnseen(s *Spec) {
	if s.Sanitize&emu.Racecheck == 0 {
		return
	}
	var names []string
	var first *ptx.Inst
	for _, f := range b.m.Funcs {
		for _, in := range f.Insts {
			f := in.Match.Form
			if f.Effect&isa.Unwatched == 0 {
				continue
			}
			if !slices.Contains(names, f.ID) {
				names = append(names, f.ID)
			}
			if first == nil {
				first = in
			}
		}
	}
	if first == nil {
		return
	}
	s.Warnings = append(s.Warnings, b.m.Located(ptx.Diagnostics{{
		Severity: ptx.Info, Code: "header-unseen", Span: first.OpSpan,
		Message: fmt.Sprintf("racecheck does not look at what %s accesses: it finds no race with that",
			strings.Join(names, ", ")),
	}})...)
}
