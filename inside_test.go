package main

import (
	gotypes "go/types"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fieldsOf adds the fields of a struct, and those of the structs that it embeds.
func fieldsOf(t gotypes.Type, fields map[gotypes.Object]bool) {
	s, ok := t.Underlying().(*gotypes.Struct)
	if !ok {
		return
	}
	for f := range s.Fields() {
		if fields[f] = true; f.Embedded() {
			fieldsOf(f.Type(), fields)
		}
	}
}

// TestFieldsStayInside: package emu may reach into a device and a grid, whose fields are exported for it. All others,
// who know both by their names in emu, use methods.
func TestFieldsStayInside(t *testing.T) {
	c := newChecker(t)
	machine, err := c.Import(module + "/emu/machine")
	require.NoError(t, err)
	fields := map[gotypes.Object]bool{}
	for _, name := range []string{"Device", "Grid"} {
		fieldsOf(machine.Scope().Lookup(name).Type(), fields)
	}
	require.Greater(t, len(fields), 20)
	folders := map[string]bool{}
	for folder := range c.files {
		if folder == "emu" || strings.HasPrefix(folder, "emu/") || !usesEmu(c.files[folder]) {
			continue
		}
		_, err := c.Import(module + "/" + folder)
		require.NoError(t, err)
		folders[folder] = true
		for id, o := range c.uses[folder] {
			if fields[o] {
				t.Errorf("%s: %s is a field of a machine", c.files[folder][0].fset.Position(id.Pos()), id.Name)
			}
		}
	}
	require.True(t, folders["debug"] && folders["launch"] && folders["headless"], folders)
}

func usesEmu(files []source) bool {
	return slices.ContainsFunc(files, func(f source) bool { return slices.Contains(f.imports(), module+"/emu") })
}
