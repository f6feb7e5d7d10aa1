package isa

import (
	"fmt"
	"strings"
)

// Info is what there is to say about a word of PTX.
type Info struct {
	Title   string   // the row: "add.f32", ".maxntid", "%tid"
	Summary string   // one sentence
	Syntax  []string // syntax lines without value sets; for an opcode only the lines that accept it
	Section string
	Needs   Needs  // first version and lowest target
	Until   string // when it was taken out of PTX, in words; "" while it is there
	Example string
}

// Requirement says the first version and target in words: "PTX ISA 7.8, sm_90".
func (i Info) Requirement() string {
	return fmt.Sprintf("PTX ISA %d.%d, %s", i.Needs.Version/10, i.Needs.Version%10, i.Needs.Targets())
}

// Hover describes an opcode ("add.rn.f32"), a mnemonic ("add": all its rows), a directive (".reg") or a special
// register ("%tid", with or without component). An opcode that does not resolve is described by its mnemonic; nil when
// the word is not PTX.
func Hover(word string) []Info {
	switch {
	case strings.HasPrefix(word, "%"):
		name, _, _ := strings.Cut(word, ".")
		s, ok := LookupSReg(name)
		if !ok {
			return nil
		}
		return []Info{s.info()}
	case strings.HasPrefix(word, "."):
		var out []Info
		for _, d := range LookupDirective(word) {
			out = append(out, d.info())
		}
		return out
	}
	if strings.Contains(word, ".") {
		if bound, err := Resolve(word); err == nil {
			return boundInfo(bound)
		}
	}
	mnemonic, _, _ := strings.Cut(word, ".")
	return mnemonicInfo(mnemonic)
}

func boundInfo(bound []*Bound) []Info {
	var out []Info
	for _, b := range bound {
		text := syntaxLine(b.Form, b.Line)
		if n := len(out); n > 0 && out[n-1].Title == b.Form.ID {
			out[n-1].Syntax = append(out[n-1].Syntax, text)
			continue
		}
		i := b.Form.info()
		i.Syntax, i.Needs = []string{text}, b.Requires()
		out = append(out, i)
	}
	return out
}

// mnemonicInfo describes all rows of a mnemonic, those still in PTX first.
func mnemonicInfo(mnemonic string) []Info {
	c := &theCatalog
	c.mu.Lock()
	defer c.mu.Unlock()
	c.index()
	var out, gone []Info
	for _, f := range c.forms[mnemonic] {
		i := f.info()
		for _, s := range statements(f.Syntax) {
			if strings.HasPrefix(s.text, mnemonic) && (len(s.text) == len(mnemonic) || !isWord(s.text[len(mnemonic)])) {
				i.Syntax = appendNew(i.Syntax, s.text)
			}
		}
		if i.Until != "" {
			gone = append(gone, i)
		} else {
			out = append(out, i)
		}
	}
	return append(out, gone...)
}

// syntaxLine is the n-th syntax line of a form as written.
func syntaxLine(f *Form, n int) string {
	for _, s := range statements(f.Syntax) {
		if strings.HasPrefix(s.text, ".") {
			continue
		}
		if n--; n < 0 {
			return s.text
		}
	}
	return ""
}

func (f *Form) info() Info {
	i := Info{Title: f.ID, Summary: f.Summary, Section: f.Section, Example: f.Example,
		Needs: Needs{Version: f.Version, SM: f.SM, Arch: f.Arch, Family: f.Family, Lacks: f.Lacks}}
	if g := f.Gone; g.Version != 0 {
		i.Until = fmt.Sprintf("not in PTX ISA %d.%d and later", g.Version/10, g.Version%10)
		if g.SM > 0 {
			i.Until += fmt.Sprintf(" for sm_%d and higher", g.SM)
		}
	}
	return i
}

func (s *SReg) info() Info {
	typ := s.Type.String()
	if s.Vec == 4 {
		typ = ".v4 " + typ
	}
	return Info{Title: s.Name, Summary: s.Summary, Section: s.Section, Syntax: []string{".sreg " + typ + " " + s.Name},
		Needs: Needs{Version: s.Version, SM: s.SM}}
}

func (d Directive) info() Info {
	return Info{Title: d.Name, Summary: d.Summary, Section: d.Section,
		Syntax: []string{strings.TrimSpace(d.Name + " " + d.Syntax)}, Needs: Needs{Version: d.Version, SM: d.SM}}
}
