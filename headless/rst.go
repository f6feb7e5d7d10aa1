package headless

import (
	"regexp"
	"strings"
)

// directive is a line of reStructuredText that begins a block of code or of HTML.
var directive = regexp.MustCompile(`^( *)\.\. +(code-block|code|sourcecode|raw):: *([\w-]+)\s*$`)

// directives are the programs of a document in reStructuredText: code blocks of the language ptx, and the elements in
// raw HTML.
func (t *tool) directives(file, text string) []*program {
	var list []*program
	lines := strings.SplitAfter(text, "\n")
	var raw strings.Builder // the document with nothing in it but raw HTML, line by line
	for i := 0; i < len(lines); {
		m := directive.FindStringSubmatch(lines[i])
		raw.WriteString("\n")
		i++
		if m == nil {
			continue
		}
		first, end := contentOf(lines, i, len(m[1]))
		body := lines[first:end]
		raw.WriteString(strings.Repeat("\n", first-i))
		if m[2] == "raw" && m[3] == "html" {
			raw.WriteString(strings.Join(body, ""))
		} else {
			raw.WriteString(strings.Repeat("\n", len(body)))
		}
		if m[2] != "raw" && m[3] == "ptx" && len(body) > 0 {
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
