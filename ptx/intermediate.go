package ptx

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// What compilers say of the languages that a module comes from: .language (11.8.2), .loc_intermediate (11.5.5) and
// .nv_intermediate_source_section (11.5.6).

// languages are the names of .language by their codes; the manual keeps two codes without a name.
var languages = []string{"unknown", "", "", "ptx", "nvvm", "cuda c++", "cuda c++ tile", "tile ir", "python-cutile",
	"fortran", "optix"}

// language parses .language list, of names in any case and of codes.
func (p *parser) language(word string) bool {
	for {
		t := p.tok
		if t.kind != tokString {
			if _, ok := p.integer(word, 0, int64(len(languages)-1)); !ok {
				return false
			}
		} else if name := strings.ToLower(quoted(p.text(p.next()))); name == "" || !slices.Contains(languages, name) {
			p.report("bad-value", t.span(), "there is no language %s", p.text(t)).section("11.8.2")
		}
		if !p.accept(',') {
			return true
		}
	}
}

// locIntermediate parses .loc_intermediate file line column, which goes right after the .loc of an instruction.
func (p *parser) locIntermediate(afterLoc bool) {
	at := p.next()
	row := directiveRow(p.text(at))
	p.needVersion(at.span(), row.Name, row.Version, row.SM, row.Section)
	if !afterLoc {
		p.report("bad-directive", at.span(), "%s goes right after a .loc, once for an instruction", row.Name).
			section(row.Section)
	}
	place, ok := p.place3()
	switch {
	case !ok:
		p.resyncLine()
	case afterLoc && p.loc != nil:
		p.loc.Intermediate = place
	}
}

// intermediateSource parses .nv_intermediate_source_section { .code_block { … } … }.
func (p *parser) intermediateSource() {
	at := p.next()
	row := directiveRow(p.text(at))
	p.needVersion(at.span(), row.Name, row.Version, row.SM, row.Section)
	if !p.expect('{', " with .code_block after "+row.Name) {
		p.resyncLine()
		return
	}
	for first := true; first || p.is(".code_block"); first = false {
		if !p.codeBlock() {
			p.resync()
			return
		}
	}
	if p.expect('}', " after the last .code_block") {
		p.m.Sections = append(p.m.Sections, Span{at.start, p.prev.end})
	}
}

// codeBlock parses the fields of one text in their order.
func (p *parser) codeBlock() bool {
	if !p.field(".code_block", '{') || !p.field(".ir_name", ':') {
		return false
	}
	name := p.tok
	if !p.expect(tokString, " with the language's name") {
		return false
	}
	if quoted(p.text(name)) != "TileIR" {
		p.report("bad-value", name.span(), `the only intermediate language is "TileIR", not %s`,
			p.text(name)).section("11.5.6")
	}
	if !p.field(".sourceFileName", ':') {
		return false
	}
	file := p.tok
	n, ok := p.integer("the file index", 0, 1<<31-1)
	if !ok {
		return false
	}
	if _, given := p.m.Files[int(n)]; !given {
		p.report("bad-value", file.span(), "no .file before this has the number %s",
			strconv.FormatInt(n, 10)).section("11.5.6")
	}
	return p.sourceText() && p.expect('}', " after .source_end")
}

// field takes a word and the mark after it.
func (p *parser) field(word string, mark kind) bool {
	if p.tok.kind != tokDot || !p.is(word) {
		p.unexpected(word, "")
		return false
	}
	p.next()
	return p.expect(mark, " after "+word)
}

// sourceText skips .source_begin, any text, and .source_end, which is on a line of its own.
func (p *parser) sourceText() bool {
	begin := p.tok
	if begin.kind != tokDot || !p.is(".source_begin") {
		p.unexpected(".source_begin", "")
		return false
	}
	const end = ".source_end"
	for at := int(begin.end); ; {
		i := bytes.Index(p.src[at:], []byte(end))
		if i < 0 {
			p.report("syntax", begin.span(), "this .source_begin has no .source_end").section("11.5.6")
			p.pos = int32(len(p.src))
			p.next()
			return false
		}
		line := p.src[:at+i]
		at += i + len(end)
		if line = line[bytes.LastIndexByte(line, '\n')+1:]; len(bytes.TrimSpace(line)) == 0 &&
			class[p.scanner.at(int32(at))]&isFollow == 0 {
			p.pos = int32(at)
			p.next()
			return true
		}
	}
}
