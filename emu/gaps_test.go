package emu

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx/isa"
)

// TestGaps: every gap names a form, and each form has one.
func TestGaps(t *testing.T) {
	forms := map[string]bool{}
	for _, f := range isa.Forms() {
		forms[f.ID] = true
	}
	seen := map[string]bool{}
	for _, g := range gaps {
		for _, id := range strings.Fields(g.forms) {
			require.True(t, forms[id], "gap %s", id)
			require.False(t, seen[id], "gap %s is twice in the list", id)
			seen[id] = true
		}
	}
}
