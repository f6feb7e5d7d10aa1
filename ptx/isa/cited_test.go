package isa

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCitedSections: the sections of all rows are in the list, and the title of an instruction's names it.
func TestCitedSections(t *testing.T) {
	titles := map[string]string{}
	for _, row := range rows(t, "sections.tsv") {
		titles[row[0]] = row[2]
	}
	for _, f := range Forms() {
		title, ok := titles[f.Section]
		require.True(t, ok, "%s cites %s, which is no section", f.ID, f.Section)
		if _, instruction, found := strings.Cut(title, "Instructions: "); found {
			require.Contains(t, instruction, f.Mnemonic, "%s cites %s, %s", f.ID, f.Section, title)
		}
	}
	for _, s := range SRegs() {
		require.Contains(t, titles, s.Section, s.Name)
	}
	for _, d := range Directives() {
		require.Contains(t, titles, d.Section, d.ID)
	}
}
