package headless

import (
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
)

// snippets are the programs of a document: in Markdown, code fences whose first word is ptx; in all, the elements
// <warpscope-ptx> outside of fences. A fence that says "ptx ignore" is left out. One without .version is a fragment.
func (t *tool) snippets(file, text string) []*program {
	if documentKind(file) == "rst" {
		return t.directives(file, text)
	}
	var list []*program
	markdown := documentKind(file) == "markdown"
	lines := strings.SplitAfter(text, "\n")
	var outside strings.Builder // the text with code taken out, line by line
	for i := 0; i < len(lines); i++ {
		indent, fence, info := openFence(lines[i])
		if !markdown || fence == "" {
			outside.WriteString(lines[i])
			continue
		}
		outside.WriteString("\n")
		first := i + 1
		words := strings.FieldsFunc(strings.ToLower(info), func(r rune) bool { return strings.ContainsRune(" \t,{}.<%", r) })
		options := len(words) > 0 && slices.Contains(codeDirectives, words[0])
		if options || fence == shortcode { // MyST's {code-block} ptx, Hugo's {{< highlight ptx >}}
			words = words[1:]
		}
		var body strings.Builder
		for i++; i < len(lines) && !closesFence(lines[i], fence); i++ {
			line := unindent(lines[i], indent)
			if options = options && strings.HasPrefix(line, ":"); options {
				line = "\n"
			}
			body.WriteString(line)
			outside.WriteString("\n")
		}
		outside.WriteString("\n")
		if len(words) == 0 || words[0] != "ptx" || len(words) > 1 && words[1] == "ignore" {
			continue
		}
		src := body.String()
		list = append(list, &program{file: file, src: []byte(src), line: first, column: indent,
			fragment: !strings.Contains(src, ".version")})
	}
	return append(list, t.elements(file, outside.String())...)
}

// shortcode is what the lines around Hugo's highlighted code begin with.
const shortcode = "{{"

// openFence is a line that begins fenced code: how far it is indented, the fence, and what follows it.
func openFence(line string) (indent int, fence, info string) {
	text := strings.TrimLeft(line, " ")
	indent = len(line) - len(text)
	if strings.HasPrefix(strings.TrimLeft(text, "{<% "), "highlight ") && strings.HasPrefix(text, shortcode) {
		return indent, shortcode, text
	}
	for _, c := range []string{"`", "~"} {
		if n := len(text) - len(strings.TrimLeft(text, c)); n >= 3 {
			info = strings.TrimSpace(text[n:])
			if c == "`" && strings.Contains(info, "`") {
				return 0, "", ""
			}
			return indent, text[:n], info
		}
	}
	return 0, "", ""
}

func closesFence(line, fence string) bool {
	line = strings.TrimSpace(line)
	if fence == shortcode {
		return strings.HasPrefix(line, shortcode) && strings.Contains(line, "/highlight")
	}
	return len(line) >= len(fence) && strings.Trim(line, fence[:1]) == ""
}

func unindent(line string, n int) string {
	for n > 0 && strings.HasPrefix(line, " ") {
		line, n = line[1:], n-1
	}
	return line
}

// elements finds <warpscope-ptx>.
func (t *tool) elements(file, text string) []*program {
	const tag = "warpscope-ptx"
	var list []*program
	for at := 0; ; {
		open := indexFold(text[at:], "<"+tag)
		if open < 0 {
			return list
		}
		start := at + open
		if documentKind(file) == "markdown" && inCode(text[:start]) {
			at = start + 1
			continue
		}
		line := strings.Count(text[:start], "\n")
		attributes, body, ok := cutTag(text[start+1+len(tag):])
		if !ok {
			return list
		}
		end := indexFold(body, "</"+tag)
		if end < 0 {
			end = len(body)
		}
		at = len(text) - len(body) + end
		p := &program{file: file, line: line + strings.Count(text[start:len(text)-len(body)], "\n")}
		if src, given := attributes["src"]; given {
			p.line = 0
			p.file, p.src, p.err = t.named(file, src)
			list = append(list, p)
			continue
		}
		inner := body[:end]
		if i := indexFold(inner, "<script"); i >= 0 { // the program may be in a script that browsers do not run
			_, script, _ := cutTag(inner[i+len("<script"):])
			p.line += strings.Count(inner[:len(inner)-len(script)], "\n")
			if j := indexFold(script, "</script"); j >= 0 {
				script = script[:j]
			}
			p.src = []byte(script)
		} else {
			p.src = []byte(withoutMarkup(inner))
		}
		if strings.TrimSpace(string(p.src)) != "" {
			list = append(list, p)
		}
	}
}

// named reads the file that an element's src names, where the page's site will have it.
func (t *tool) named(document, src string) (file string, text []byte, err error) {
	document = strings.ReplaceAll(document, `\`, "/")
	if strings.Contains(src, "://") {
		return document, nil, errors.New(src + " is not in this folder")
	}
	var places []string
	if rest, fromRoot := strings.CutPrefix(src, "/"); fromRoot {
		if t.Root == "" {
			return document, nil, errors.New(document + ": src=" + strconv.Quote(src) +
				" starts at the root of the site: -root names the folder that it is")
		}
		for ok := true; ok; _, rest, ok = strings.Cut(rest, "/") { // the first names may be the site's base path
			places = append(places, path.Join(t.Root, rest))
		}
	} else { // many generators make a folder of a page
		places = []string{path.Join(path.Dir(document), src),
			path.Join(strings.TrimSuffix(document, path.Ext(document)), src)}
	}
	for i, place := range places {
		found, e := t.Read(place)
		if e == nil {
			return place, found, nil
		}
		if i == 0 {
			err = e
		}
	}
	return places[0], nil, err
}

// inCode says that a line of Markdown ends within code: the text speaks of an element.
func inCode(before string) bool {
	return strings.Count(before[strings.LastIndexByte(before, '\n')+1:], "`")%2 == 1
}

// indexFold finds an ASCII word in lower case, in a text of any case.
func indexFold(text, word string) int {
	for i := 0; i+len(word) <= len(text); i++ {
		if text[i]|0x20 == word[0]|0x20 && strings.EqualFold(text[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}

// cutTag reads the attributes of a tag and gives what follows it.
func cutTag(text string) (attributes map[string]string, rest string, ok bool) {
	attributes = map[string]string{}
	for {
		text = strings.TrimLeft(text, " \t\r\n/")
		if text == "" {
			return attributes, "", false
		}
		if text[0] == '>' {
			return attributes, text[1:], true
		}
		n := strings.IndexAny(text, "= \t\r\n/>")
		if n <= 0 {
			n = min(1, len(text))
		}
		name := strings.ToLower(text[:n])
		text = strings.TrimLeft(text[n:], " \t\r\n")
		value := ""
		if strings.HasPrefix(text, "=") {
			text = strings.TrimLeft(text[1:], " \t\r\n")
			end := strings.IndexAny(text, " \t\r\n>")
			if text != "" && (text[0] == '"' || text[0] == '\'') {
				quote := text[:1]
				text = text[1:]
				end = strings.Index(text, quote)
				if end >= 0 {
					value, text = text[:end], text[end+1:]
				}
			} else if end >= 0 {
				value, text = text[:end], text[end:]
			}
			if end < 0 {
				return attributes, "", false
			}
		}
		attributes[name] = unescape(value)
	}
}

// withoutMarkup is the text of HTML: tags and comments are left out, character references resolved.
func withoutMarkup(text string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, "<")
		out.WriteString(unescape(before))
		if !found {
			return out.String()
		}
		end := ">"
		if strings.HasPrefix(after, "!--") {
			end = "-->"
		}
		tag, rest, closed := strings.Cut(after, end)
		if !closed || tag == "" || !strings.ContainsAny(tag[:1], "!/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			out.WriteString("<")
			text = after
			continue
		}
		out.WriteString(strings.Repeat("\n", strings.Count(tag, "\n")))
		text = rest
	}
}

var references = map[string]string{"lt": "<", "gt": ">", "amp": "&", "quot": `"`, "apos": "'", "nbsp": " "}

// unescape resolves the character references that programs are written with.
func unescape(text string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, "&")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name, rest, closed := strings.Cut(after, ";")
		c, known := references[name]
		if digits, numeric := strings.CutPrefix(name, "#"); closed && numeric {
			if hex := strings.TrimLeft(digits, "xX"); hex != digits {
				digits = "0x" + hex
			}
			if n, err := strconv.ParseUint(digits, 0, 21); err == nil {
				c, known = string(rune(n)), true
			}
		}
		if !closed || !known {
			out.WriteString("&")
			text = after
			continue
		}
		out.WriteString(c)
		text = rest
	}
}
