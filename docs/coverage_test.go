package docs_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/docs"
	"warpscope/emu/coverage"
	"warpscope/internal/fresh"
	"warpscope/ptx/isa"
)

const coverageHead = `# Coverage

What Warpscope does with every instruction of PTX ISA 9.4, by family. Made by ` + "`go test ./docs -update`" + `, which
writes statements for each family (every combination of modifiers, or a spread of 200 where a line of its syntax has
more) and asks the emulator whether it takes them. Every family is parsed, checked and explained in the editor; this
is about running.

- **exact**: the manual leaves one answer, and Warpscope gives it.
- **within the manual's bound**: the manual gives an error bound, or leaves rounding and the order of additions open;
  Warpscope keeps to the manual, hardware may differ in the last bits. Bounds are relative, or absolute with a ±.
- **bit-identical to recorded hardware**: such a family, whose results on a GPU (testdata/hardware) are ours in every
  bit.
- **no effect here**: accepted; there is nothing for it to do in an emulator.
- **not emulated**: refused before anything runs, with the reason in the notes.

The last column names tests that run instructions of the family.

`

// testFiles are the tests of each family; they are looked for once.
var testFiles = sync.OnceValues(func() (map[string][]string, error) { return docs.TestFiles(os.DirFS("..")) })

// coverageText is the text of coverage.md.
func coverageText(t *testing.T) string {
	all, err := coverage.Families()
	require.NoError(t, err)
	tests, err := testFiles()
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString(coverageHead)
	writeCounts(&b, all)
	for _, ch := range docs.Chapters {
		fmt.Fprintf(&b, "\n## %s %s\n\n| family | section | types | checked | emulated | fidelity | notes | tests |\n"+
			"| --- | --- | --- | --- | --- | --- | --- | --- |\n", ch.Section, ch.Title)
		for _, c := range all {
			if docs.ChapterOf(c.Form.Section) == ch.Section {
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s | %s |\n", c.Form.ID, c.Form.Section, docs.Types(&c),
					docs.Checked(&c), docs.Emulated(&c), docs.Fidelity(&c), strings.Join(docs.Remarks(&c), "; "),
					docs.Tests(tests[c.Form.ID]))
			}
		}
	}
	for _, table := range docs.Outside() {
		fmt.Fprintf(&b, "\n## %s\n\n| %s | section | here |\n| --- | --- | --- |\n", table.Title, table.What)
		for _, r := range table.Rows {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", r.Name, r.Section, r.Here)
		}
	}
	return b.String()
}

// TestDirectivesAreExplained: every directive says what becomes of it, and nothing is explained that does not exist.
func TestDirectivesAreExplained(t *testing.T) {
	rows := docs.Directives()
	require.Len(t, rows, len(isa.Directives()))
	for _, r := range rows {
		require.NotEmpty(t, r.Here, r.Name)
	}
	require.Equal(t, len(isa.Directives()), docs.Explained())
}

// writeCounts sums up by tier.
func writeCounts(b *strings.Builder, all []coverage.Family) {
	b.WriteString("| tier | families | emulated | in part | not |\n| --- | --: | --: | --: | --: |\n")
	var sum [4]int
	row := func(name string, n [4]int) {
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d |\n", name, n[0], n[1], n[2], n[3])
	}
	opcodes, missing := 0, 0
	for tier := 1; tier < len(docs.Tiers); tier++ {
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
		row(fmt.Sprintf("%d: %s", tier, docs.Tiers[tier]), n)
	}
	row("all", sum)
	fmt.Fprintf(b, "\n%d of the %d opcodes tried are emulated.\n", opcodes-missing, opcodes)
}

func TestCoverageIsFresh(t *testing.T) {
	want := coverageText(t)
	if *update {
		require.NoError(t, os.WriteFile("coverage.md", []byte(want), 0o644))
	}
	have, err := os.ReadFile("coverage.md")
	require.NoError(t, err)
	fresh.Require(t, "coverage.md", remedy, want, string(have))
}

// TestFamiliesAreTested: every family that learners and compilers use has a test that runs it.
func TestFamiliesAreTested(t *testing.T) {
	tests, err := testFiles()
	require.NoError(t, err)
	for _, f := range isa.Forms() {
		if f.Tier <= 2 {
			require.NotEmpty(t, tests[f.ID], f.ID)
		}
	}
}

// TestChapters: no family is left out of the matrix.
func TestChapters(t *testing.T) {
	for _, f := range isa.Forms() {
		require.True(t, slices.ContainsFunc(docs.Chapters, func(c docs.Chapter) bool {
			return c.Section == docs.ChapterOf(f.Section)
		}), f.Section)
	}
}
