package emu

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx/isa"
)

// TestGaps: every gap names forms and modifiers that they have, and no form is in two gaps for the same modifiers.
func TestGaps(t *testing.T) {
	forms := map[string]*isa.Form{}
	for _, f := range isa.Forms() {
		forms[f.ID] = f
	}
	seen := map[string]bool{}
	for _, g := range gaps {
		for _, id := range strings.Fields(g.forms) {
			require.NotNil(t, forms[id], "gap %s", id)
			require.False(t, seen[id+g.mods], "gap %s %s is twice in the list", id, g.mods)
			seen[id+g.mods] = true
			for _, mod := range strings.Fields(g.mods) {
				has := func(opcode string) bool { return strings.Contains(opcode+".", mod+".") }
				require.True(t, slices.ContainsFunc(forms[id].Opcodes(1000), has), "gap %s %s", id, mod)
			}
		}
	}
}
