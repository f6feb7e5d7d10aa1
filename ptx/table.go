package ptx

import (
	"sync"

	"warpscope/ptx/isa"
)

// What the parser asks the instruction table for each statement, kept at hand.
var (
	mnemonics = sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for _, word := range isa.Complete("") {
			m[word] = true
		}
		return m
	})
	specialRegisters = sync.OnceValue(isa.SRegs)
)

// knownMnemonic says whether a word begins an opcode of PTX.
func knownMnemonic(word string) bool { return mnemonics()[word] }

// lookupSReg finds a special register; nil when there is none of this name.
func lookupSReg(name string) *isa.SReg {
	s, _ := isa.LookupSReg(name)
	return s
}

// directiveRow is the table's row for a directive; the zero row when it has none.
func directiveRow(word string) isa.Directive {
	if rows := isa.LookupDirective(word); len(rows) > 0 {
		return rows[0]
	}
	return isa.Directive{}
}
