package ptx

import (
	"errors"
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

func modifiersAfter(opcode string) []string {
	_, err := isa.Resolve(opcode + ".?")
	var e *isa.OpcodeError
	if errors.As(err, &e) {
		return e.Allowed
	}
	return nil
}

func allSRegs() []*isa.SReg { return sregs }

func lookupSReg(name string) *isa.SReg { return sregByName[name] }

var sregs = func() []*isa.SReg {
	var out []*isa.SReg
	for i, names := range []string{"tid ntid ctaid nctaid clusterid nclusterid cluster_ctaid cluster_nctaid",
		"laneid warpid nwarpid smid nsmid cluster_ctarank cluster_nctarank lanemask_eq lanemask_le lanemask_lt lanemask_ge " +
			"lanemask_gt clock clock_hi globaltimer_lo globaltimer_hi total_smem_size aggr_smem_size dynamic_smem_size " +
			"reserved_smem_offset_begin reserved_smem_offset_end reserved_smem_offset_cap reserved_smem_offset_0 " +
			"reserved_smem_offset_1 pm0 pm1 pm2 pm3 pm4 pm5 pm6 pm7",
		"gridid clock64 globaltimer current_graph_exec"} {
		for _, n := range strings.Fields(names) {
			s := &isa.SReg{Name: "%" + n, Type: isa.U32, Vec: 1}
			if i == 0 {
				s.Vec = 4
			} else if i == 2 {
				s.Type = isa.U64
			}
			out = append(out, s)
		}
	}
	return append(out, &isa.SReg{Name: "%is_explicit_cluster", Type: isa.Pred, Vec: 1})
}()

var sregByName = func() map[string]*isa.SReg {
	m := map[string]*isa.SReg{}
	for _, s := range sregs {
		m[s.Name] = s
	}
	return m
}()
