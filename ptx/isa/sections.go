package isa

import (
	"strconv"
	"strings"
)

// moved are the sections that PTX ISA 9.1 numbers otherwise than TableVersion's manual: those from first to last of a
// section, with all that is in them, are now in the section to, from at on. testdata/sections.tsv has all sections.
var moved = []struct {
	section     string
	first, last int
	to          string
	at          int
}{
	{"9.7.1", 5, 24, "9.7.1", 6},           // clmad came
	{"9.7", 6, 9, "9.7", 7},                // alternate floating point came
	{"9.7.9", 13, 16, "9.7.10", 14},        // multimem.st.async came
	{"9.7.9", 17, 25, "9.7.10", 20},        // applypriority.async.bulk and .tensor came
	{"9.7.9", 26, 27, "9.7.10.28.4", 4},    // multimem copies are bulk copies
	{"9.7.9.27", 1, 2, "9.7.10.28", 5},     // tensor copies are copies
	{"9.7.9.27.1", 2, 4, "9.7.10.28.5", 3}, // overriding tensor properties came
	{"9.7.9", 28, 28, "9.7.10", 29},        // tensormap.replace
	{"9.7", 10, 19, "9.7", 12},             // fabric came
	{"9.7.13", 8, 18, "9.7.15", 9},         // multimem.red.async came
	{"9.7.13.15", 2, 5, "9.7.15.16", 3},    // layouts of mbarriers came
	{"9.7.13.15", 6, 7, "9.7.15.16", 8},    // tracking of successful completion came
	{"9.7.13.15", 8, 17, "9.7.15.16", 11},  // report-on came
	{"9.7.16.10", 8, 9, "9.7.18.10", 9},    // decompression of B came
	{"13", 1, 38, "13", 4},                 // the release notes of 9.2 to 9.4 came
}

// Renumbered is today's number of a section that has this number in PTX ISA 9.1.
func Renumbered(section string) string {
	for head, rest := section, ""; ; {
		parent, n := cutSection(head)
		for _, m := range moved {
			if m.section == parent && m.first <= n && n <= m.last {
				return m.to + "." + strconv.Itoa(m.at+n-m.first) + rest
			}
		}
		if parent == "" {
			return section
		}
		head, rest = parent, section[len(parent):]
	}
}

// Formerly is the number in PTX ISA 9.1 of a section that has this number today; "" where 9.1 has no place for it.
func Formerly(section string) string {
	for head, rest := section, ""; head != ""; {
		parent, n := cutSection(head)
		for _, m := range moved {
			if was := m.section + "." + strconv.Itoa(m.first+n-m.at) + rest; m.to == parent && Renumbered(was) == section {
				return was
			}
		}
		head, rest = parent, section[len(parent):]
	}
	if Renumbered(section) == section {
		return section
	}
	return ""
}

// cutSection cuts the last number off: "9.7.1.5" is in "9.7.1".
func cutSection(section string) (parent string, n int) {
	i := strings.LastIndexByte(section, '.')
	n, _ = strconv.Atoi(section[i+1:])
	return section[:max(i, 0)], n
}
