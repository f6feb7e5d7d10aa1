package headless

import (
	"slices"
	"strings"
)

// codeDirectives are the names of blocks of code, in reStructuredText and in MyST.
var codeDirectives = []string{"code-block", "code", "sourcecode"}

// directive reads a line of reStructuredText that begins a block: what it is, and of which language.
func directive(line string) (name, language string) {
	text, found := strings.CutPrefix(strings.TrimLeft(line, " "), ".. ")
	if !found {
		return "", ""
	}
	name, language, _ = strings.Cut(text, "::")
	return strings.TrimSpace(name), strings.TrimSpace(language)
}

// directives are the programs of a document in reStructuredText: code blocks of the language ptx, and the elements in
// raw HTML.
func (t *tool) directives(file, text string) []*program {
	var list []*program
	lines := strings.SplitAfter(text, "\n")
	var raw strings.Builder // the document with nothing in it but raw HTML, line by line
	for i := 0; i < len(lines); {
		name, language := directive(lines[i])
		indent := indentation(lines[i])
		isCode := slices.Contains(codeDirectives, name)
		raw.WriteString("\n")
		i++
		if !isCode && name != "raw" {
			continue
		}
		first, end := contentOf(lines, i, indent)
		body := lines[first:end]
		raw.WriteString(strings.Repeat("\n", first-i))
		if name == "raw" && language == "html" {
			raw.WriteString(strings.Join(body, ""))
		} else {
			raw.WriteString(strings.Repeat("\n", len(body)))
		}
		if isCode && language == "ptx" && len(body) > 0 {
			list = append(list, codeBlock(file, body, first))
		}
		i = end
	}
	return append(list, t.elements(file, raw.String())...)
}

// contentOf is where a directive's content begins and ends: the lines that are indented more than the directive, after
// its options.
func contentOf(lines []string, i, indent int) (first, end int) {
	for i < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[i]), ":") && indentation(lines[i]) > indent {
		i++
	}
	for i < len(lines) && strings.TrimSpace(lines[i]) == "" {
		i++
	}
	first = i
	for i < len(lines) && (strings.TrimSpace(lines[i]) == "" || indentation(lines[i]) > indent) {
		i++
	}
	return first, i
}

// codeBlock is the program in these lines of a document, without the indentation of the first.
func codeBlock(file string, body []string, before int) *program {
	indent := indentation(body[0])
	var src strings.Builder
	for _, line := range body {
		src.WriteString(unindent(line, indent))
	}
	return &program{file: file, src: []byte(src.String()), line: before, column: indent,
		fragment: !strings.Contains(src.String(), ".version")}
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
