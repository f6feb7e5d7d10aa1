package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// arrows are what a folder imports and does not also import through another folder.
func arrows(folder string) []string {
	direct := strings.Fields(layers[folder].ours)
	through := map[string]bool{}
	for _, b := range direct {
		maps.Copy(through, below(b))
	}
	return slices.DeleteFunc(direct, func(b string) bool { return through[b] })
}

// below are the folders that lie below one, one arrow or more.
func below(folder string) map[string]bool {
	found := map[string]bool{}
	for _, b := range strings.Fields(layers[folder].ours) {
		found[b] = true
		maps.Copy(found, below(b))
	}
	return found
}

// drawing is what the page's program is made of, with all of emu: each package is on the floor above all that it
// imports.
func drawing() string {
	rooms := below("wasm")
	rooms["wasm"] = true
	for folder := range layers {
		if strings.HasPrefix(folder, "emu/") {
			rooms[folder] = true
		}
	}
	floors := map[int][]string{}
	for _, folder := range slices.Sorted(maps.Keys(rooms)) {
		floors[height(folder)] = append(floors[height(folder)], folder)
	}
	var b strings.Builder
	b.WriteString("```\nfloor\n")
	for floor := len(floors) - 1; floor >= 0; floor-- {
		label := fmt.Sprint(floor)
		for _, folder := range floors[floor] {
			line := fmt.Sprintf("%5s   %-14s", label, folder)
			if to := arrows(folder); len(to) > 0 {
				line += "-> " + strings.Join(to, ", ")
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			label = ""
		}
	}
	return b.String() + "```\n"
}

// TestRoomsAreDrawn: the drawing of the rooms in docs/architecture.md is layers.
func TestRoomsAreDrawn(t *testing.T) { requirePart(t, "rooms", drawing()) }
