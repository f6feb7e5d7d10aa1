package ptx

import (
	"strings"
	"sync"

	"warpscope/ptx/isa"
)

// mnemonics are the first words of all opcodes in the instruction table.
var mnemonics = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, f := range isa.Forms() {
		m[f.Mnemonic] = true
	}
	return m
})

func knownMnemonic(word string) bool { return mnemonics()[word] }
func lookupSReg(name string) *isa.SReg {
	for _, s := range allSRegs() {
		if s.Name == name {
			return s
		}
	}
	return nil
}
func allSRegs() []*isa.SReg { return nil }

func (p *parser) refusedOpcode(in *Inst, mnemonic string, err error) {
	if !knownMnemonic(mnemonic) {
		d := p.report("unknown-instruction", in.OpSpan, "there is no instruction %s", mnemonic)
		near := closest(mnemonic, func(yield func(string)) {
			for m := range mnemonics() {
				yield(m)
			}
		})
		if near != "" {
			d.Message += "; did you mean " + near + "?"
			d.fix(Span{in.OpSpan.Start, in.OpSpan.Start + int32(len(mnemonic))}, near, "write %s", near)
		}
		return
	}
	p.report("modifier-not-allowed", in.OpSpan, "%s", strings.TrimSpace(err.Error()))
}

func (p *parser) checkSpaces(in *Inst, mnemonic string) {}
func (p *parser) lint(in *Inst, mnemonic string)        {}
func (p *parser) lintModule()                           {}
