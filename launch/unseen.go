package launch

import (
	"fmt"
	"slices"
	"strings"

	"warpscope/emu"
	"warpscope/ptx"
)

// unseen begin the opcodes whose accesses racecheck does not look at; docs/interpretations.md says why.
var unseen = []string{"tex.", "tld4.", "st.bulk.", "st.async.", "red.async.", "cp.async.bulk.", "cp.reduce.async.bulk.",
	"wgmma.mma_async.", "tcgen05.cp.", "tcgen05.mma."}

// sayUnseen tells who asks for racecheck what it does not look at in the module.
func (b *builder) sayUnseen(s *Spec) {
	if s.Sanitize&emu.Racecheck == 0 {
		return
	}
	var names []string
	var first *ptx.Inst
	for _, f := range b.m.Funcs {
		for _, in := range f.Insts {
			i := slices.IndexFunc(unseen, func(p string) bool { return strings.HasPrefix(in.Opcode+".", p) })
			if i < 0 || strings.Contains(in.Opcode, "_group") || strings.Contains(in.Opcode, ".prefetch") {
				continue
			}
			if name := strings.TrimSuffix(unseen[i], "."); !slices.Contains(names, name) {
				names = append(names, name)
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
