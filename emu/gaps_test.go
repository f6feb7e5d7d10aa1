package emu

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
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

// TestGapsAreNamed loads a module with one statement of each kind that PTX ISA 9.2 to 9.4 added to asynchronous
// operations: what keeps it from running has a reason.
func TestGapsAreNamed(t *testing.T) {
	src, err := os.ReadFile("../ptx/testdata/ok/asynchronous.ptx")
	require.NoError(t, err)
	m, err := ptx.Parse("asynchronous.ptx", src)
	require.NoError(t, err)
	_, err = Load(m, Options{})
	var found ptx.Diagnostics
	if err != nil {
		require.ErrorAs(t, err, &found)
	}
	for _, d := range found {
		require.Equal(t, "not-emulated", d.Code, "%s", d)
		require.Contains(t, d.Message, "not emulated yet: ", "%s", d)
	}
}
