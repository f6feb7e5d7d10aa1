package headless

import (
	"path"
	"strings"
)

// program is a file, or a snippet of one.
type program struct {
	file     string
	src      []byte
	err      error // of reading it
	line     int   // lines of the file before it
	column   int   // columns before its text
	fragment bool  // a snippet that is not a whole module
}

// name is what messages call it.
func (p *program) name() string {
	if p.file == "-" {
		return "standard input"
	}
	return p.file
}

// programs reads what the paths name. In folders these are files named .ptx and, when asked for, the snippets of
// documents; a file that is named itself is taken with any ending.
func (t *tool) programs(snippets bool) []*program {
	var list []*program
	for _, p := range t.Paths {
		files, folder := []string{p}, false
		if p != "-" {
			var err error
			if files, folder, err = t.List(p); err != nil {
				list = append(list, &program{file: p, err: err})
				continue
			}
		}
		for _, file := range files {
			isDocument := documentKind(file) != ""
			if folder && !strings.HasSuffix(file, ".ptx") && !(isDocument && snippets) {
				continue
			}
			src, err := t.Read(file)
			if err != nil || !isDocument {
				list = append(list, &program{file: file, src: src, err: err})
				continue
			}
			list = append(list, t.snippets(file, string(src))...)
		}
	}
	return list
}

// documentKind is "markdown", "html", "rst" or "".
func documentKind(file string) string {
	switch strings.ToLower(path.Ext(file)) {
	case ".md", ".markdown", ".mdx":
		return "markdown"
	case ".html", ".htm":
		return "html"
	case ".rst":
		return "rst"
	}
	return ""
}

// check checks a program.
func (p *program) check() *entryOfReport {
	if p.err != nil {
		return p.unreadable()
	}
	c := Check(p.file, p.src)
	for i := range c.Diagnostics {
		p.shift(&c.Diagnostics[i])
	}
	return &entryOfReport{File: p.file, Line: p.line, Checked: c}
}

// run runs a program.
func (p *program) run(o Options) *entryOfReport {
	if p.err != nil {
		return p.unreadable()
	}
	r := Start(p.file, p.src, o).Finish()
	for i := range r.Diagnostics {
		p.shift(&r.Diagnostics[i])
	}
	if r.Fault != nil {
		r.Fault.Line, r.Fault.Column = r.Fault.Line+p.line, r.Fault.Column+p.column
	}
	for i := range r.Findings {
		r.Findings[i].Line += p.line
		r.Findings[i].Column += p.column
		if r.Findings[i].Other > 0 {
			r.Findings[i].Other += p.line
		}
	}
	for i := range r.Expectations {
		if r.Expectations[i].Line > 0 {
			r.Expectations[i].Line += p.line
		}
	}
	return &entryOfReport{File: p.file, Line: p.line, Result: r}
}

func (p *program) unreadable() *entryOfReport {
	return &entryOfReport{File: p.file, Line: p.line, Unread: &Unread{Verdict: Unreadable, Error: p.err.Error()}}
}

// shift moves a diagnostic's places from a snippet to its file.
func (p *program) shift(d *Diagnostic) {
	p.move(&d.Place)
	for i := range d.Notes {
		p.move(&d.Notes[i].Place)
	}
}

func (p *program) move(at *Place) {
	if at.Line == 0 {
		return
	}
	at.Line, at.EndLine = at.Line+p.line, at.EndLine+p.line
	at.Column, at.EndColumn = at.Column+p.column, at.EndColumn+p.column
}
