package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"warpscope/docs"
	"warpscope/emu/coverage"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// family is a row of the matrix.
type family struct {
	*coverage.Family
	Word     string // emulated: "yes", "part", "no"
	Emulated string
	Fidelity string
	Types    string
	Remarks  []string
	Needs    string
	Syntax   []string
	Checked  string
	Tests    []string // files
	Examples []*example
	Lessons  []*lesson
	First    bool // of its section: carries the section's anchor
}

type chapter struct {
	docs.Chapter
	Families []*family
}

// counted is a number at the top of the page.
type counted struct {
	Number string
	What   string
}

func writeCoverage(public string, examples []*example, lessons []*lesson) error {
	all, err := coverage.Families()
	if err != nil {
		return err
	}
	byID := map[string]*family{}
	var families []*family
	for i := range all {
		f := newFamily(&all[i])
		byID[f.Form.ID] = f
		families = append(families, f)
	}
	noteUses(byID, examples, lessons)
	tests, err := docs.TestFiles(os.DirFS(filepath.Dir(filepath.Clean(public))))
	if err != nil {
		return err
	}
	for id, files := range tests {
		if f := byID[id]; f != nil {
			f.Tests = files
		}
	}
	var chapters []chapter
	seen := map[string]bool{}
	for _, ch := range docs.Chapters {
		c := chapter{Chapter: ch}
		for _, f := range families {
			if docs.ChapterOf(f.Form.Section) == ch.Section {
				f.First = !seen[f.Form.Section]
				seen[f.Form.Section] = true
				c.Families = append(c.Families, f)
			}
		}
		chapters = append(chapters, c)
	}
	p := page{Title: "Coverage", Section: "Coverage",
		Summary: "Every instruction of PTX ISA 9.4 and what Warpscope does with it."}
	return writePage(public, "coverage.html", p, "coverage.html",
		map[string]any{"Counts": counts(families), "Chapters": chapters, "Outside": docs.Outside()})
}

func newFamily(c *coverage.Family) *family {
	f := &family{Family: c, Emulated: docs.Emulated(c), Fidelity: docs.Fidelity(c), Types: docs.Types(c),
		Checked: docs.Checked(c), Remarks: docs.Remarks(c)}
	f.Word = [...]string{coverage.NotEmulated: "no", coverage.Partly: "part", coverage.Fully: "yes"}[c.Emulated]
	for _, i := range isa.Hover(c.Form.Mnemonic) {
		if i.Title == c.Form.ID {
			f.Needs = i.Requirement()
		}
	}
	for _, line := range strings.Split(c.Form.Syntax, "\n") {
		f.Syntax = append(f.Syntax, strings.TrimSpace(line))
	}
	return f
}

// sectionAnchor is the place on the coverage page of an instruction section, with the version that numbers it so.
func sectionAnchor(section string) string {
	return fmt.Sprintf("v%d.%d-%s", isa.TableVersion/10, isa.TableVersion%10, section)
}

// Anchor is where links to the family's section lead.
func (f *family) Anchor() string { return sectionAnchor(f.Form.Section) }

// OldAnchor is where links lead that have the section's number in PTX ISA 9.1; "" for none.
func (f *family) OldAnchor() string {
	if was := isa.Formerly(f.Form.Section); was != "" {
		return "s" + was
	}
	return ""
}

// TestNames are the first of the files, and how many more there are.
func (f *family) TestNames() string {
	const most = 12
	names := strings.Join(f.Tests[:min(most, len(f.Tests))], ", ")
	if more := len(f.Tests) - most; more > 0 {
		names += " and " + ptx.Thousands(int64(more)) + " more"
	}
	return names
}

// FidelityWord is what the row has room for; Fidelity says all.
func (f *family) FidelityWord() string {
	switch {
	case f.Family.Fidelity == coverage.NoResults:
		return ""
	case f.Family.Fidelity == coverage.InBound && f.Inexact < f.Tried-len(f.Missing):
		return "exact; some within a bound"
	}
	return string(f.Family.Fidelity)
}

func counts(families []*family) []counted {
	n := map[string]int{}
	opcodes := 0
	for _, f := range families {
		n[f.Word]++
		opcodes += f.Tried - len(f.Missing)
	}
	number := func(n int) string { return ptx.Thousands(int64(n)) }
	tests := 0
	for _, f := range families {
		tests += min(len(f.Tests), 1)
	}
	return []counted{
		{number(len(families)), "families, all parsed and checked"},
		{number(n["yes"]), "emulated"},
		{number(n["part"]), "emulated in part"},
		{number(n["no"]), "not emulated yet"},
		{number(opcodes), "opcodes tried that run"},
		{number(tests), "families with tests that run them"},
	}
}

// noteUses finds out which examples and lessons contain which families.
func noteUses(byID map[string]*family, examples []*example, lessons []*lesson) {
	for _, e := range examples {
		for id := range uses(e.module) {
			if f := byID[id]; f != nil {
				f.Examples = append(f.Examples, e)
			}
		}
	}
	for _, l := range lessons {
		in := map[string]bool{}
		for _, p := range l.Programs {
			m, _ := ptx.Parse(l.Name, []byte(p.Source))
			for id := range uses(m) {
				in[id] = true
			}
		}
		for id := range in {
			if f := byID[id]; f != nil {
				f.Lessons = append(f.Lessons, l)
			}
		}
	}
}

// uses are the families of a module's instructions.
func uses(m *ptx.Module) map[string]bool {
	ids := map[string]bool{}
	for _, fn := range m.Funcs {
		for _, in := range fn.Insts {
			if in.Match != nil {
				ids[in.Match.Form.ID] = true
			}
		}
	}
	return ids
}
