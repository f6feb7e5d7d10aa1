package isa

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Below the limit the list is complete.
func TestOpcodesAreAll(t *testing.T) {
	require.ElementsMatch(t, []string{"bra", "bra.uni"}, formByID("bra").Opcodes(10))
	require.ElementsMatch(t, []string{"prmt.b32", "prmt.b32.f4e", "prmt.b32.b4e", "prmt.b32.rc8", "prmt.b32.ecl",
		"prmt.b32.ecr", "prmt.b32.rc16"}, formByID("prmt").Opcodes(10))
	require.Empty(t, formByID("guard").Opcodes(10))
}

// Beyond the limit the list still has every value of every slot.
func TestOpcodesAreSpread(t *testing.T) {
	f := formByID("set.half")
	some := f.Opcodes(200)
	words := map[string]bool{}
	for _, s := range some {
		_, mods := splitOpcode(s)
		for _, m := range mods {
			words[m.text] = true
		}
	}
	for _, l := range compile(f) {
		for _, e := range l.elements {
			for _, v := range e.values {
				require.True(t, words[v], v)
			}
		}
	}
}

// Every opcode listed is one that the form accepts.
func TestOpcodesMatch(t *testing.T) {
	for _, f := range Forms() {
		for _, s := range f.Opcodes(20) {
			forms, err := Match(s)
			require.NoError(t, err, "%s: %s", f.ID, s)
			require.True(t, slices.Contains(forms, f), "%s: %s", f.ID, s)
		}
	}
}
