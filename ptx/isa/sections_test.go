package isa

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSections: the list has every section of today's manual with its number in PTX ISA 9.1, or "-"; it was matched by
// titles. The moves bring each to the other.
func TestSections(t *testing.T) {
	list := rows(t, "sections.tsv")
	require.Len(t, list, 733)
	former := 0
	for _, row := range list {
		now, was := row[0], row[1]
		if was != "-" {
			former++
			require.Equal(t, now, Renumbered(was), row[2])
			require.Equal(t, was, Formerly(now), row[2])
		}
	}
	require.Equal(t, 677, former)
	// clmad, add of alternate formats, fabric.try_get, multimem.red.async, layouts of mbarriers and decompression are new.
	for now, was := range map[string]string{"9.7.1.5": "", "9.7.6.1": "", "9.7.11.5.1": "", "9.7.15.8": "",
		"9.7.15.16.2": "", "9.7.18.10.8": "", "9.7.14.3": "9.7.12.3", "9.7.10.28.5.3": "9.7.9.27.1.2"} {
		require.Equal(t, was, Formerly(now), now)
	}
}
