package isa

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rows reads a tab-separated fixture without its heading.
func rows(t *testing.T, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	var out [][]string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		out = append(out, strings.Split(line, "\t"))
	}
	return out
}

func formByID(id string) *Form {
	for _, f := range Forms() {
		if f.ID == id {
			return f
		}
	}
	return nil
}

// TestFamilies compares the table with the list of all form families of PTX ISA 9.4.
func TestFamilies(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Forms() {
		require.False(t, seen[f.ID], "%s is twice in the table", f.ID)
		seen[f.ID] = true
	}
	families := rows(t, "families.tsv")
	require.NotEmpty(t, families)
	for _, row := range families {
		f := formByID(row[0])
		if f == nil {
			t.Errorf("%s is missing", row[0])
			continue
		}
		require.Equal(t, row[1], f.Section, row[0])
		require.Equal(t, row[2], fmt.Sprint(f.Tier), row[0])
		delete(seen, row[0])
	}
	for id := range seen {
		f := formByID(id)
		require.NotZero(t, f.Gone.Version, "%s is in no list and is no legacy form", id)
	}
}

// TestRowsAreComplete checks what every row must have.
func TestRowsAreComplete(t *testing.T) {
	for _, f := range Forms() {
		require.NotEmpty(t, f.Summary, f.ID)
		require.True(t, strings.HasSuffix(f.Summary, "."), f.ID)
		require.NotContains(t, f.Summary, "\n", f.ID)
		require.NotEmpty(t, f.Example, f.ID)
		require.GreaterOrEqual(t, f.Version, 10, f.ID)
		require.LessOrEqual(t, f.Version, Latest, f.ID)
		require.GreaterOrEqual(t, f.SM, 10, f.ID)
		require.True(t, strings.HasPrefix(f.Section, "9.7."), f.ID)
		require.Contains(t, firstWordsOr(f), f.Mnemonic, f.ID)
	}
}

func firstWordsOr(f *Form) []string {
	if f.Mnemonic == "{" || f.Mnemonic == "@" {
		return []string{f.Mnemonic}
	}
	return firstWords(f)
}

// TestPatternsAreClosed finds typing errors in Syntax, Operands and Gates: operands without a meaning, meanings without
// an operand, sets that no line uses, gates on modifiers that no line has.
func TestPatternsAreClosed(t *testing.T) {
	for _, f := range Forms() {
		if len(firstWords(f)) == 0 {
			continue
		}
		lines := compile(f)
		require.NotEmpty(t, lines, f.ID)
		specs := parseSpecs(f.Operands)
		names, mods, slots := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, l := range lines {
			gatherNames(l.operands, names)
			for _, e := range l.elements {
				slots[e.slot] = true
				for _, v := range e.values {
					mods[v] = true
					require.Regexp(t, `^\.[A-Za-z0-9_:]+$`, v, "%s: %s", f.ID, l.text)
				}
			}
			for _, o := range l.operands {
				for _, s := range o.suffix {
					mods[s] = true
				}
			}
		}
		for name := range names {
			_, own := specs[name]
			_, common := commonOperands[name]
			require.True(t, own || common || name == "_", "%s: operand %q has no meaning", f.ID, name)
		}
		for name := range specs {
			require.True(t, names[name] || sharedSpecs(f), "%s: %q is no operand", f.ID, name)
		}
		for _, s := range statements(f.Syntax) {
			if !strings.HasPrefix(s.text, ".") {
				continue
			}
			for _, name := range strings.Split(strings.SplitN(s.text, "{", 2)[0], "=") {
				if name = strings.TrimSpace(name); name != "" {
					require.True(t, slots[name[1:]] || sharedSets(f), "%s: no line uses %s", f.ID, name)
				}
			}
		}
		for _, g := range f.Gates {
			if g.Mod[0] == '@' {
				require.True(t, names[g.Mod[1:]], "%s: gate on unknown %q", f.ID, g.Mod)
				continue
			}
			for _, m := range gateParts(g.Mod) {
				require.True(t, mods["."+m] || slots[m] || sharedGates(f), "%s: gate on unknown %q", f.ID, g.Mod)
			}
		}
	}
}

// The rows that share sets, gates or operand lists with others do not use all of them.
func sharedGates(f *Form) bool {
	switch f.Mnemonic {
	case "ld", "st", "atom", "red", "mbarrier", "cp", "wmma", "tcgen05", "mma":
		return true
	}
	return false
}
func sharedSets(f *Form) bool {
	switch f.Mnemonic {
	case "ld", "st", "wmma", "atom", "red":
		return true
	}
	return false
}
func sharedSpecs(f *Form) bool {
	return f.Mnemonic == "tcgen05" || f.Mnemonic == "wgmma"
}

func gateParts(mod string) []string {
	if !strings.HasPrefix(mod, ".") {
		return []string{strings.TrimPrefix(mod, "!")}
	}
	return strings.Split(mod[1:], ".")
}

func gatherNames(ops []opPattern, names map[string]bool) {
	for _, o := range ops {
		if o.open != 0 {
			gatherNames(o.inner, names)
		} else {
			names[o.name] = true
		}
		if o.pair != nil {
			names[o.pair.name] = true
		}
	}
}

// TestExamples resolves the example of every row to that row.
func TestExamples(t *testing.T) {
	for _, f := range Forms() {
		if len(firstWords(f)) == 0 {
			continue
		}
		opcode := strings.TrimSuffix(strings.Fields(f.Example)[0], ";")
		forms, err := Match(opcode)
		require.NoError(t, err, f.ID)
		require.Contains(t, forms, f, "%s: %s", f.ID, opcode)
	}
}
