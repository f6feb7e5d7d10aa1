package ptx

import (
	"strings"
	"sync"

	"warpscope/ptx/isa"
)

// These are answers of the instruction table that the parser needs for each statement.
var (
	mnemonics = sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for _, word := range isa.Complete("") {
			m[word] = true
		}
		return m
	})
	specialRegisters = sync.OnceValue(isa.SRegs)
	directiveRows    = sync.OnceValue(func() map[string]isa.Directive {
		m := map[string]isa.Directive{}
		for _, d := range isa.Directives() {
			for _, word := range strings.Fields(d.Name) {
				if _, seen := m[word]; !seen {
					m[word] = d
				}
			}
		}
		return m
	})
	summaries = sync.OnceValue(func() map[string]string { // of the first form of each mnemonic
		m := map[string]string{}
		for _, f := range isa.Forms() {
			if m[f.Mnemonic] == "" {
				m[f.Mnemonic] = f.Summary
			}
		}
		return m
	})
)

// knownMnemonic says whether a word begins an opcode of PTX.
func knownMnemonic(word string) bool { return mnemonics()[word] }

// lookupSReg finds a special register; nil when there is none of this name.
func lookupSReg(name string) *isa.SReg {
	s, _ := isa.LookupSReg(name)
	return s
}

// directiveRow is the table's first row for a directive; the zero row when it has none.
func directiveRow(word string) isa.Directive { return directiveRows()[word] }
