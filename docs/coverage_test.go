package docs_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx/isa"
)

// chapters are the sections of the manual that the matrix has a table for.
var chapters = []struct{ section, title string }{
	{"9.7.1", "Integer arithmetic"},
	{"9.7.2", "Extended-precision integer arithmetic"},
	{"9.7.3", "Floating point"},
	{"9.7.4", "Half-precision floating point"},
	{"9.7.5", "Mixed-precision floating point"},
	{"9.7.6", "Comparison and selection"},
	{"9.7.7", "Half-precision comparison"},
	{"9.7.8", "Logic and shift"},
	{"9.7.9", "Data movement and conversion"},
	{"9.7.10", "Texture"},
	{"9.7.11", "Surface"},
	{"9.7.12", "Control flow"},
	{"9.7.13", "Parallel synchronisation and communication"},
	{"9.7.14", "Warp-level matrices"},
	{"9.7.15", "Warpgroup-level matrices"},
	{"9.7.16", "Fifth-generation tensor core"},
	{"9.7.17", "Stack manipulation"},
	{"9.7.18", "Video"},
	{"9.7.19", "Miscellaneous"},
}

// chapterOf cuts a section to three numbers.
func chapterOf(section string) string {
	return strings.Join(strings.Split(section, ".")[:3], ".")
}

const coverageHead = `# Coverage

What Warpscope does with every instruction of PTX ISA 9.1, by family. Made by ` + "`go test ./docs -update`" + `, which
writes statements for each family (every combination of modifiers, or a spread of 200 where a line of its syntax has
more) and asks the emulator whether it takes them. Every family is parsed, checked and explained in the editor; this
is about running.

- **exact**: the manual leaves one answer, and Warpscope gives it.
- **within the bound**: the manual gives an error bound, or leaves rounding and the order of additions open; Warpscope
  keeps to the manual, hardware may differ in the last bits.
- **no effect**: accepted; there is nothing for it to do in an emulator.

`

// coverageText is the text of coverage.md.
func coverageText(t *testing.T) string {
	all, err := emu.Coverages()
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString(coverageHead)
	writeCounts(&b, all)
	for _, ch := range chapters {
		fmt.Fprintf(&b, "\n## %s %s\n\n| family | section | types | emulated | fidelity | notes |\n"+
			"| --- | --- | --- | --- | --- | --- |\n", ch.section, ch.title)
		for _, c := range all {
			if chapterOf(c.Form.Section) == ch.section {
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", c.Form.ID, c.Form.Section, typeNames(c.Types),
					emulated(&c), fidelity(&c), remarks(&c))
			}
		}
	}
	return b.String()
}

// writeCounts sums up by tier.
func writeCounts(b *strings.Builder, all []emu.Coverage) {
	tiers := []string{"", "what every learner needs", "what compilers write", "newer machinery", "special"}
	b.WriteString("| tier | families | emulated | in part | not |\n| --- | --: | --: | --: | --: |\n")
	var sum [4]int
	row := func(name string, n [4]int) {
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d |\n", name, n[0], n[1], n[2], n[3])
	}
	opcodes, missing := 0, 0
	for tier := 1; tier < len(tiers); tier++ {
		var n [4]int
		for _, c := range all {
			if c.Form.Tier != tier {
				continue
			}
			n[0]++
			n[3-int(c.Emulated)]++
			opcodes += c.Tried
			missing += len(c.Missing)
		}
		for i := range sum {
			sum[i] += n[i]
		}
		row(fmt.Sprintf("%d: %s", tier, tiers[tier]), n)
	}
	row("all", sum)
	fmt.Fprintf(b, "\n%d of the %d opcodes tried are emulated.\n", opcodes-missing, opcodes)
}

func typeNames(types []isa.Type) string {
	var names []string
	for _, t := range types {
		names = append(names, t.String()[1:])
	}
	return strings.Join(names, " ")
}

func emulated(c *emu.Coverage) string {
	switch c.Emulated {
	case emu.Fully:
		return "yes"
	case emu.Partly:
		return fmt.Sprintf("%d of %d opcodes", c.Tried-len(c.Missing), c.Tried)
	}
	return "no"
}

func fidelity(c *emu.Coverage) string {
	switch done := c.Tried - len(c.Missing); {
	case c.Emulated == emu.NotEmulated:
		return ""
	case c.NoEffect:
		return "no effect"
	case c.Inexact == 0:
		return "exact"
	case c.Inexact < done:
		return fmt.Sprintf("exact; %d of %d opcodes within the bound", c.Inexact, done)
	}
	return "within the bound"
}

// remarks are the note, the reason of a gap, and opcodes that show what is missing.
func remarks(c *emu.Coverage) string {
	var out []string
	if c.Form.Gone != (isa.Gone{}) {
		out = append(out, fmt.Sprintf("gone from PTX ISA %d.%d on", c.Form.Gone.Version/10, c.Form.Gone.Version%10))
	}
	for _, s := range []string{c.Note, c.Gap} {
		if s != "" {
			out = append(out, s)
		}
	}
	if c.Emulated == emu.Partly {
		const most = 10
		names := "`" + strings.Join(c.Missing[:min(most, len(c.Missing))], "` `") + "`"
		if more := len(c.Missing) - most; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		out = append(out, "not: "+names)
	}
	return strings.Join(out, "; ")
}

func TestCoverageIsFresh(t *testing.T) {
	want := coverageText(t)
	if *update {
		require.NoError(t, os.WriteFile("coverage.md", []byte(want), 0o644))
	}
	have, err := os.ReadFile("coverage.md")
	require.NoError(t, err)
	require.Equal(t, want, string(have), "run: go test ./docs -update")
}

// TestChapters: no family is left out of the matrix.
func TestChapters(t *testing.T) {
	for _, f := range isa.Forms() {
		require.True(t, slices.ContainsFunc(chapters, func(c struct{ section, title string }) bool {
			return c.section == chapterOf(f.Section)
		}), f.Section)
	}
}
