package ptx

import (
	"slices"
	"strings"
	"sync"

	"warpscope/ptx/isa"
)

// knownForms are the forms of the instruction table by the first word of their opcodes, and those words sorted.
var knownForms = sync.OnceValues(func() (map[string]*isa.Form, []string) {
	forms := map[string]*isa.Form{}
	var words []string
	for _, f := range isa.Forms() {
		for _, word := range strings.Split(f.Mnemonic, " ") {
			word, _, _ = strings.Cut(word, ".")
			if word == "" || forms[word] != nil {
				continue
			}
			forms[word] = f
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return forms, words
})

// mnemonicList is every instruction's first word, sorted.
func mnemonicList() []string {
	_, words := knownForms()
	return words
}

func knownMnemonic(word string) bool {
	forms, _ := knownForms()
	return forms[word] != nil
}

// summaryOf is the summary of the first form of a mnemonic.
func summaryOf(mnemonic string) string {
	forms, _ := knownForms()
	return forms[mnemonic].Summary
}
