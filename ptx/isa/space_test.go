package isa

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// spell writes out all opcodes of a syntax line in the manual's notation: `{…}` is optional, `{::a, ::b}` after a word
// are endings that it may have, and a word that is a set stands for its values, which may contain all of this.
func spellWith(text string, sets map[string][]string) []string {
	if text == "" {
		return []string{""}
	}
	var heads []string
	end := 0
	if text[0] == '{' {
		for depth := 0; ; end++ {
			depth += strings.Count(text[end:end+1], "{") - strings.Count(text[end:end+1], "}")
			if depth == 0 {
				break
			}
		}
		heads = append(spellWith(text[1:end], sets), "")
		end++
	} else {
		for end = 1; end < len(text) && text[end] != '.' && text[end] != '{'; end++ {
		}
		heads = []string{text[:end]}
		if strings.HasPrefix(text[end:], "{::") {
			list, _, _ := strings.Cut(text[end+1:], "}")
			end += len(list) + 2
			for _, ending := range strings.Split(list, ",") {
				heads = append(heads, heads[0]+strings.TrimSpace(ending))
			}
		} else if values, ok := sets[heads[0]]; ok {
			name := heads[0]
			heads = nil
			for _, v := range values {
				if v == name { // .clamp = .trap .clamp .zero
					heads = append(heads, v)
					continue
				}
				heads = append(heads, spellWith(v, sets)...)
			}
		}
	}
	var out []string
	for _, tail := range spellWith(text[end:], sets) {
		for _, head := range heads {
			out = append(out, head+tail)
		}
	}
	return out
}

// forbids says whether a restriction, `.a|.b !.c`, is about an opcode: it has one of the first words and not the other.
func forbids(rule, opcode string) bool {
	words := strings.SplitAfter(strings.ReplaceAll(opcode, ".", "\x00."), "\x00")
	has := func(list string) bool {
		return slices.ContainsFunc(strings.Split(list, "|"), func(w string) bool {
			return slices.ContainsFunc(words, func(o string) bool { return strings.TrimSuffix(o, "\x00") == w })
		})
	}
	return !slices.ContainsFunc(strings.Fields(rule), func(term string) bool {
		none, not := strings.CutPrefix(term, "!")
		return has(none) == not
	})
}

// canonical is one spelling for all orders that an opcode's modifiers may have.
func canonical(opcode string) string {
	mnemonic, mods := splitOpcode(opcode)
	var classes [numOrders][]string
	for _, m := range mods {
		classes[m.order] = append(classes[m.order], m.text)
	}
	slices.Sort(classes[anyOrder])
	for _, words := range classes {
		mnemonic += strings.Join(words, "")
	}
	return mnemonic
}

// space is the opcodes of PTX ISA 9.4 that begin with a mnemonic, as testdata/space.txt gives them, by their canonical
// spellings.
func space(t *testing.T) (mnemonics []string, opcodes map[string]map[string]bool) {
	text, err := os.ReadFile("testdata/space.txt")
	require.NoError(t, err)
	opcodes = map[string]map[string]bool{}
	for _, block := range strings.Split(string(text), "\n# ")[1:] {
		sets := map[string][]string{}
		var lines, rules []string
		for _, row := range strings.Split(block, "\n")[1:] {
			name, values, isSet := strings.Cut(row, "=")
			switch {
			case strings.HasPrefix(row, "- "):
				rules = append(rules, row[2:])
			case isSet:
				sets[strings.TrimSpace(name)] = strings.Fields(values)
			case row != "":
				lines = append(lines, row)
			}
		}
		for _, line := range lines {
			for _, opcode := range spellWith(line, sets) {
				if slices.ContainsFunc(rules, func(rule string) bool { return forbids(rule, opcode) }) {
					continue
				}
				mnemonic, _, _ := strings.Cut(opcode, ".")
				if opcodes[mnemonic] == nil {
					mnemonics = append(mnemonics, mnemonic)
					opcodes[mnemonic] = map[string]bool{}
				}
				opcodes[mnemonic][canonical(opcode)] = true
			}
		}
	}
	return mnemonics, opcodes
}

// accepted says whether the table has an opcode, or had it in an older version if old says so.
func accepted(opcode string, old bool) bool {
	mnemonic, mods := splitOpcode(opcode)
	return slices.ContainsFunc(theCatalog.linesOf(mnemonic), func(l *line) bool {
		return (old || l.form.Gone == (Gone{})) && l.assign(mods) != nil
	})
}

// triedNeighbours bounds how many neighbours of a mnemonic's opcodes are tried.
const triedNeighbours = 10_000

// TestSpace holds the whole opcode space against the manual's syntax lines: the table accepts every opcode that they
// spell and no other, and refuses those that differ from one of them in one modifier, which is one too many, too few or
// another.
func TestSpace(t *testing.T) {
	mnemonics, opcodes := space(t)
	theCatalog.index()
	for mnemonic := range theCatalog.forms {
		require.NotNil(t, opcodes[mnemonic], mnemonic)
	}
	random := rand.New(rand.NewPCG(9, 4))
	all, none := 0, 0
	for _, mnemonic := range mnemonics {
		legal := opcodes[mnemonic]
		var list []string
		words := []string{"uni", "sync", "u32"} // for an instruction without modifiers
		for opcode := range legal {
			require.True(t, accepted(opcode, true), opcode)
			list = append(list, opcode)
		}
		slices.Sort(list)
		for _, f := range theCatalog.forms[mnemonic] {
			if f.Gone == (Gone{}) {
				for _, opcode := range f.Opcodes(1 << 30) {
					require.True(t, legal[canonical(opcode)] || !strings.HasPrefix(opcode, mnemonic+"."), "%s has %s", f.ID, opcode)
				}
			}
		}
		for word := range vocabulary(mnemonic) {
			words = append(words, word)
		}
		slices.Sort(words)
		refused := map[string]bool{}
		for n := range triedNeighbours {
			at := list[n%len(list)]
			other := strings.Split(at, ".")
			i, word := random.IntN(len(other)), words[random.IntN(len(words))]
			switch kind := random.IntN(3); {
			case kind == 0 || i == 0:
				other = slices.Insert(other, i+1, word)
			case kind == 1:
				other[i] = word
			default:
				other = slices.Delete(other, i, i+1)
			}
			if opcode := strings.Join(other, "."); !legal[canonical(opcode)] && !refused[opcode] {
				require.False(t, accepted(opcode, false), "%s, a neighbour of %s", opcode, at)
				refused[opcode] = true
			}
		}
		t.Logf("%s: %d opcodes accepted, %d neighbours refused", mnemonic, len(list), len(refused))
		all, none = all+len(list), none+len(refused)
	}
	t.Logf("%d mnemonics: %d opcodes accepted, %d neighbours refused", len(mnemonics), all, none)
}
