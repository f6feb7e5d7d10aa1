// Package docs has the words of the coverage matrix, which the document and the site's page share.
package docs

import (
	"fmt"
	"strings"

	"warpscope/emu/coverage"
	"warpscope/ptx/isa"
)

// Tiers are the tiers of instructions by number.
var Tiers = []string{"", "what every learner needs", "what compilers write", "newer machinery", "special"}

// Chapter is a section of the manual that the matrix has a table for.
type Chapter struct{ Section, Title string }

// Chapters are all of them, in the manual's order.
var Chapters = []Chapter{
	{"9.7.1", "Integer arithmetic"},
	{"9.7.2", "Extended-precision integer arithmetic"},
	{"9.7.3", "Floating point"},
	{"9.7.4", "Half-precision floating point"},
	{"9.7.5", "Mixed-precision floating point"},
	{"9.7.6", "Alternate floating point"},
	{"9.7.7", "Comparison and selection"},
	{"9.7.8", "Half-precision comparison"},
	{"9.7.9", "Logic and shift"},
	{"9.7.10", "Data movement and conversion"},
	{"9.7.11", "Fabric"},
	{"9.7.12", "Texture"},
	{"9.7.13", "Surface"},
	{"9.7.14", "Control flow"},
	{"9.7.15", "Parallel synchronisation and communication"},
	{"9.7.16", "Warp-level matrices"},
	{"9.7.17", "Warpgroup-level matrices"},
	{"9.7.18", "Fifth-generation tensor core"},
	{"9.7.19", "Stack manipulation"},
	{"9.7.20", "Video"},
	{"9.7.21", "Miscellaneous"},
}

// ChapterOf cuts a section to three numbers.
func ChapterOf(section string) string {
	return strings.Join(strings.Split(section, ".")[:3], ".")
}

// Types are the types of a family's instructions.
func Types(c *coverage.Family) string {
	var names []string
	for _, t := range c.Types {
		names = append(names, t.String()[1:])
	}
	return strings.Join(names, " ")
}

// Emulated says how much of a family runs.
func Emulated(c *coverage.Family) string {
	switch c.Emulated {
	case coverage.Fully:
		return "yes"
	case coverage.Partly:
		return fmt.Sprintf("%d of %d opcodes", c.Tried-len(c.Missing), c.Tried)
	}
	return "no"
}

// Checked says whether statements of a family are parsed and their modifiers, operands and types checked.
func Checked(c *coverage.Family) string {
	if c.Tried > 0 && len(c.Invalid) == 0 {
		return "yes"
	}
	if c.Tried > 0 {
		return "in part"
	}
	return "no"
}

// Fidelity says how near a family's results are to those of a GPU.
func Fidelity(c *coverage.Family) string {
	if c.Fidelity != coverage.InBound {
		return string(c.Fidelity)
	}
	word := string(coverage.InBound) + ": " + strings.Join(c.Bounds, "; ")
	if done := c.Tried - len(c.Missing); c.Inexact < done {
		word = fmt.Sprintf("%s; %d of %d opcodes %s", coverage.Exact, c.Inexact, done, word)
	}
	return word
}

// Remarks are the note, the reason of a gap, and opcodes that show what is missing.
func Remarks(c *coverage.Family) []string {
	var out []string
	if c.Form.Gone != (isa.Gone{}) {
		out = append(out, fmt.Sprintf("gone from PTX ISA %d.%d on", c.Form.Gone.Version/10, c.Form.Gone.Version%10))
	}
	for _, s := range []string{c.Note, c.Gap} {
		if s != "" {
			out = append(out, s)
		}
	}
	if c.Emulated == coverage.Partly {
		const most = 10
		names := "`" + strings.Join(c.Missing[:min(most, len(c.Missing))], "` `") + "`"
		if more := len(c.Missing) - most; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		out = append(out, "not: "+names)
	}
	return out
}
