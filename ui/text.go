package ui

import (
	"hash/fnv"
	"html"
	"sort"
	"strings"

	"warpscope/ptx"
)

// lineIndex holds the byte offset of each line's first byte.
type lineIndex []int32

func indexLines(text string) lineIndex {
	lines := make(lineIndex, 1, strings.Count(text, "\n")+1)
	for at := 0; ; {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return lines
		}
		at += n + 1
		lines = append(lines, int32(at))
	}
}

// position is the line and column, from 1, of a byte offset.
func (l lineIndex) position(offset int32) ptx.Position {
	if len(l) == 0 {
		return ptx.Position{Line: 1, Column: 1}
	}
	line := sort.Search(len(l), func(i int) bool { return l[i] > offset })
	if line == 0 {
		return ptx.Position{Line: 1, Column: 1}
	}
	return ptx.Position{Line: line, Column: int(offset-l[line-1]) + 1}
}

// lineSpan is the byte range of a line without its line end.
func (l lineIndex) lineSpan(line, length int) ptx.Span {
	if line < 1 || line > len(l) {
		return ptx.Span{}
	}
	end := int32(length)
	if line < len(l) {
		end = l[line] - 1
	}
	return ptx.Span{Start: l[line-1], End: end}
}

// statement is the source text of an instruction on one line, without its semicolon; long ones are cut.
func (m *Model) statement(inst *ptx.Inst) string {
	text := ""
	switch in := inst.Span; {
	case in.Start < 0 || in.Start >= in.End:
	case m.former(inst) && int(in.End) <= len(m.Module.Src):
		text = string(m.Module.Src[in.Start:in.End])
	case int(in.End) <= len(m.Text):
		text = m.Text[in.Start:in.End]
	}
	words := strings.Fields(strings.TrimSuffix(strings.TrimSpace(text), ";"))
	s := strings.Join(words, " ")
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:79], "") + "…"
	}
	return s
}

// codeOf is a source line without its comment and outer space.
func codeOf(line string) string {
	if i := strings.Index(line, "//"); i >= 0 {
		line = line[:i]
	}
	return strings.Join(strings.Fields(line), " ")
}

// moveLines converts line numbers of one text to those of another, which differs from it in one place: lines below that
// place move with the end of the text.
func moveLines(lines []int, before, after string) []int {
	same := 0
	for same < min(len(before), len(after)) && before[len(before)-1-same] == after[len(after)-1-same] {
		same++
	}
	index := indexLines(before)
	shift := strings.Count(after, "\n") - strings.Count(before, "\n")
	moved := make([]int, 0, len(lines))
	for _, line := range lines {
		if line <= len(index) && int(index.lineSpan(line, len(before)).Start) >= len(before)-same {
			line += shift
		}
		moved = append(moved, line)
	}
	return moved
}

// textID says whether a text is the one from which it was made, without keeping that text.
type textID struct {
	Size int    `json:"size,omitempty"`
	Sum  uint64 `json:"sum,omitempty,string"`
}

func identify(text string) textID {
	h := fnv.New64a()
	h.Write([]byte(text))
	return textID{len(text), h.Sum64()}
}

func (id textID) is(text string) bool { return id.Size == len(text) && id == identify(text) }

// longestTitle is how many characters of a title are shown; embed.js cuts titles there too.
const longestTitle = 120

// heading is a title as it is shown, because texts from elsewhere can have any title.
func heading(title string) string {
	if runes := []rune(title); len(runes) > longestTitle {
		return string(runes[:longestTitle]) + "…"
	}
	return title
}

// sentenceHTML is text in which words between backquotes are code.
func sentenceHTML(text string) string {
	parts := strings.Split(html.EscapeString(text), "`")
	if len(parts)%2 == 0 { // one without its partner
		return html.EscapeString(text)
	}
	for i := 1; i < len(parts); i += 2 {
		parts[i] = "<code>" + parts[i] + "</code>"
	}
	return strings.Join(parts, "")
}
