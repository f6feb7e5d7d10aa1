package ptx

import (
	"regexp"
	"slices"
	"strings"

	"warpscope/ptx/isa"
)

// Words are the words of PTX by kind, sorted, for an editor's colours. Modifiers, types and directives have their dots.
type Words struct {
	Mnemonics, Modifiers, Types, Directives, Registers []string
}

var dottedWord = regexp.MustCompile(`\.[A-Za-z_][\w:]*`)

// Vocabulary collects the words of the instruction table, the special registers and the directives.
func Vocabulary() Words {
	mnemonics, modifiers := map[string]bool{}, map[string]bool{}
	for _, f := range isa.Forms() {
		mnemonics[f.Mnemonic] = true
		for _, word := range dottedWord.FindAllString(f.Syntax, -1) {
			if _, isType := isa.ParseType(word); !isType {
				modifiers[word] = true
			}
		}
	}
	var w Words
	for t := isa.B8; t <= isa.B6; t++ {
		w.Types = append(w.Types, t.String())
	}
	for _, s := range allSRegs() {
		w.Registers = append(w.Registers, s.Name)
	}
	w.Mnemonics, w.Modifiers, w.Directives = sortedWords(mnemonics), sortedWords(modifiers), sortedWords(directiveSet)
	for name := range directiveHelp {
		if strings.HasPrefix(name, ".") && !directiveSet[name] {
			w.Directives = append(w.Directives, name)
		}
	}
	slices.Sort(w.Types)
	slices.Sort(w.Registers)
	slices.Sort(w.Directives)
	return w
}

func sortedWords(set map[string]bool) []string {
	words := make([]string, 0, len(set))
	for word := range set {
		words = append(words, word)
	}
	slices.Sort(words)
	return words
}
