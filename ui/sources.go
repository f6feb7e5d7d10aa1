package ui

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"warpscope/ptx"
)

// Compilers say with .file and .loc (11.5.3, 11.5.4) which line of which source file an instruction comes from. The
// panel Source shows that file beside the PTX: as it was dropped on the page, or as the text itself quotes it.

// sourcePanel is the panel of source files.
const sourcePanel = "source"

// Actions on sources.
type (
	ShowSource  struct{ File int }          // the number of a .file
	PointSource struct{ Line int }          // the cursor is in a line of the source
	PointText   struct{ Line int }          // the cursor is in a line of the text
	AddSource   struct{ Name, Text string } // a file that the user gives
)

// sources says where the instructions of a module come from.
type sources struct {
	files []int // numbers of the files that have instructions, those of kernels first
	names map[int]string
	at    map[int]*ptx.Loc      // by line of the text
	from  map[int]map[int][]int // lines of the text, by file and line of the source
	texts map[int][]string      // what the text quotes, by file: lines from 1

	coloured *fileColours // the file whose colours were asked for last
}

// fileColours are what sourceStripes says of a file.
type fileColours struct {
	file         int
	source, text map[int]int
	from         map[int]int // lines of the source by line of the text
}

// colours of the file's lines, and of the text's.
func (s *sources) colours(file int) *fileColours {
	if c := s.coloured; c != nil && c.file == file {
		return c
	}
	c := &fileColours{file, map[int]int{}, map[int]int{}, map[int]int{}}
	from := s.from[file]
	for i, line := range slices.Sorted(maps.Keys(from)) {
		c.source[line] = i % stripeColours
		for _, at := range from[line] {
			c.text[at] = i % stripeColours
		}
	}
	for line, at := range s.at {
		c.from[line] = lineOf(at, file)
	}
	s.coloured = c
	return c
}

// newSources reads the places of a module; nil if it has none.
func newSources(m *ptx.Module, lines lineIndex) *sources {
	if m == nil || len(m.Files) == 0 {
		return nil
	}
	s := &sources{names: m.Files, at: map[int]*ptx.Loc{}}
	weight := map[int]int{}
	for _, f := range m.Funcs {
		for _, in := range f.Insts {
			if in.Loc == nil || in.Implicit() {
				continue
			}
			if line := lines.position(in.Span.Start).Line; s.at[line] == nil {
				s.at[line] = in.Loc
			}
			for at := in.Loc; at != nil; at = at.InlinedAt {
				weight[at.File]++
				if at.InlinedAt == nil && at.Line > 0 { // the code of the kernel, not what was inlined into it
					weight[at.File] += 1 << 20
				}
				if at.Intermediate != nil {
					weight[at.Intermediate.File]++
				}
			}
		}
	}
	if len(s.at) == 0 {
		return nil
	}
	for _, file := range slices.Sorted(maps.Keys(weight)) {
		if m.Files[file] != "" {
			s.files = append(s.files, file)
		}
	}
	sort.SliceStable(s.files, func(i, j int) bool { return weight[s.files[i]] > weight[s.files[j]] })
	s.from = map[int]map[int][]int{}
	for _, file := range s.files {
		s.from[file] = s.lines(file)
	}
	s.texts = quotedSources(m)
	return s
}

// lineOf is the line of a file that a place belongs to: its own, or where it was inlined, or what its compiler made in
// between; 0 for none.
func lineOf(at *ptx.Loc, file int) int {
	for ; at != nil; at = at.InlinedAt {
		if at.File == file {
			return at.Line
		}
		if i := at.Intermediate; i != nil && i.File == file {
			return i.Line
		}
	}
	return 0
}

// lines are the lines of the text that come from each line of a file.
func (s *sources) lines(file int) map[int][]int {
	from := map[int][]int{}
	for _, line := range slices.Sorted(maps.Keys(s.at)) {
		if at := lineOf(s.at[line], file); at > 0 {
			from[at] = append(from[at], line)
		}
	}
	return from
}

// place is "softmax.py:19" for a line of the text, "standard.py:131 in softmax.py:19" for an inlined one; "" for none.
func (s *sources) place(line int) string {
	if s == nil {
		return ""
	}
	var words []string
	for at := s.at[line]; at != nil; at = at.InlinedAt {
		if name := s.names[at.File]; name != "" && at.Line > 0 {
			words = append(words, path.Base(name)+":"+strconv.Itoa(at.Line))
		}
	}
	return strings.Join(words, " in ")
}

// quotedSources are sources that a text has within it, by the number of their file: nvcc's -src-in-ptx writes each line
// as a comment, "//add.cu:4   c[i] = a[i];", and 11.5.6 keeps a text between .source_begin and .source_end.
func quotedSources(m *ptx.Module) map[int][]string {
	texts := map[int][]string{}
	byName := map[string]int{}
	for _, file := range slices.Sorted(maps.Keys(m.Files)) {
		byName[path.Base(m.Files[file])] = file
	}
	for line := range bytes.Lines(m.Src) {
		comment, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("//"))
		if !ok {
			continue
		}
		file, n, text, ok := quotedLine(string(comment), byName)
		if !ok || n > maxSourceLines {
			continue
		}
		for len(texts[file]) < n {
			texts[file] = append(texts[file], "")
		}
		texts[file][n-1] = text
	}
	for _, span := range m.Sections {
		keepBlocks(string(m.Src[span.Start:span.End]), texts)
	}
	return texts
}

const maxSourceLines = 1 << 17

// quotedLine takes "path/add.cu:4 text" apart.
func quotedLine(comment string, byName map[string]int) (file, line int, text string, ok bool) {
	for name, n := range byName {
		_, rest, found := strings.Cut(comment, name+":")
		if !found {
			continue
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
		if end <= 0 || rest[end] != ' ' && rest[end] != '\t' {
			continue // Triton and LLVM write "file:line:column", without the text
		}
		if line, err := strconv.Atoi(rest[:end]); err == nil && line > 0 {
			return n, line, strings.TrimRight(rest[end+1:], "\r\n"), true
		}
	}
	return 0, 0, "", false
}

// keepBlocks takes the texts of .nv_intermediate_source_section.
func keepBlocks(section string, texts map[int][]string) {
	for {
		_, after, found := strings.Cut(section, ".sourceFileName")
		if !found {
			return
		}
		head, text, found := strings.Cut(after, ".source_begin")
		if !found {
			return
		}
		text, rest, _ := strings.Cut(text, ".source_end")
		section = rest
		if file, err := strconv.Atoi(strings.Trim(head, ": \t\r\n")); err == nil {
			_, text, _ = strings.Cut(text, "\n")
			texts[file] = strings.Split(strings.TrimRight(text, " \t\r\n"), "\n")
		}
	}
}

// isSource says whether a file's name is that of a source, not of PTX.
func isSource(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".inl", ".py", ".jl", ".rs", ".mojo", ".f90",
		".f", ".cuf", ".cl", ".ll", ".mlir", ".zig":
		return true
	}
	return false
}

// isData says whether a file is numbers or a picture, for a buffer, and not a text.
func isData(name, text string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".bin", ".npy", ".png", ".jpg", ".jpeg", ".gif", ".webp":
		return true
	}
	return strings.ContainsRune(text, 0)
}

// sourceView is what the panel Source shows.
type sourceView struct {
	File  int
	Name  string
	Text  string // "" where there is none
	Found bool   // … because the reader has not given the file
	Now   int    // the line of the instruction that runs next; 0 for none
	Lit   int    // the line that the cursor points at
	Used  []int  // the lines that have instructions, in order
}

// sourceFile is the file that the panel shows: the chosen one, else that of the kernels.
func (m *Model) sourceFile() int {
	switch s := m.Sources; {
	case s == nil || len(s.files) == 0:
		return 0
	case slices.Contains(s.files, m.SourceFile):
		return m.SourceFile
	default:
		return s.files[0]
	}
}

// followSource turns the panel to the file that the next instruction comes from, where the shown one has no part in it:
// what was inlined into the shown file does not turn it.
func followSource(m *Model, before int) {
	if m.Sources == nil || m.Running || m.View.Line == before {
		return
	}
	next := m.Sources.at[m.View.Line]
	if lineOf(next, m.sourceFile()) > 0 {
		return
	}
	for at := next; at != nil; at = at.InlinedAt {
		if at.Line > 0 && slices.Contains(m.Sources.files, at.File) {
			m.SourceFile = at.File
			return
		}
	}
}

func (m *Model) sourceView() sourceView {
	file := m.sourceFile()
	if file == 0 && (m.Sources == nil || len(m.Sources.files) == 0) {
		return sourceView{}
	}
	s := m.Sources
	v := sourceView{File: file, Name: s.names[file], Used: slices.Sorted(maps.Keys(s.from[file]))}
	v.Text, v.Found = m.Given[path.Base(v.Name)]
	if lines := s.texts[file]; !v.Found && len(lines) > 0 {
		v.Text, v.Found = strings.Join(lines, "\n"), true
	}
	v.Now, v.Lit = lineOf(s.at[m.View.Line], file), lineOf(s.at[m.Pointed], file)
	return v
}

// stripes are the colours of lines in the gutter: those of their source, or of the blocks of code that the panel
// Divergence shows.
func (m *Model) stripes() (source, text map[int]int) {
	source, text = m.sourceStripes()
	if !m.bySource() && m.inView(chartPanel) {
		text = m.blockStripes()
	}
	return source, text
}

// sourceStripes are one of stripeColours in turn for each line of the source that has instructions, the same there and
// in the text.
func (m *Model) sourceStripes() (source, text map[int]int) {
	if m.Sources == nil {
		return map[int]int{}, map[int]int{}
	}
	c := m.Sources.colours(m.sourceFile())
	return c.source, c.text
}

const stripeColours = 8

// sourceAction applies an action on sources.
func (s *Store) sourceAction(action Action) bool {
	switch a := action.(type) {
	case ShowSource:
		s.update(func(m *Model) { m.SourceFile = a.File })
		s.markSources()
	case PointText:
		s.cursor = a.Line
		if s.model.Sources != nil && s.model.Sources.at[a.Line] != s.model.Sources.at[s.model.Pointed] {
			s.update(func(m *Model) { m.Pointed = a.Line })
			s.light()
		}
	case PointSource:
		if s.model.Sources == nil {
			return true
		}
		if lines := s.model.Sources.from[s.model.sourceFile()][a.Line]; len(lines) > 0 {
			s.update(func(m *Model) { m.Pointed = lines[0] })
			s.light()
			if s.editor != nil {
				s.editor.RevealLine(lines[0])
			}
		}
	case AddSource:
		s.addSource(a.Name, a.Text)
	default:
		return false
	}
	return true
}

// addSource keeps a source file for as long as the page is open, and shows it if the text names it.
func (s *Store) addSource(name, text string) {
	s.update(func(m *Model) {
		m.Given = maps.Clone(m.Given)
		if m.Given == nil {
			m.Given = map[string]string{}
		}
		m.Given[path.Base(name)] = text
	})
	var names []string
	if sources := s.model.Sources; sources != nil {
		for _, file := range sources.files {
			names = append(names, path.Base(sources.names[file]))
			if names[len(names)-1] == path.Base(name) {
				s.Do(ShowSource{file})
				s.Do(ShowPanel{sourcePanel})
				return
			}
		}
	}
	s.update(func(m *Model) {
		m.Notice = name + " is kept: it opens beside a text whose .file names it. This one names " +
			cmp.Or(strings.Join(names, ", "), "no source") + "."
	})
}

// markSources colours the text by its sources.
func (s *Store) markSources() {
	if s.editor == nil {
		return
	}
	_, text := s.model.stripes()
	s.editor.SetStripes(text)
	s.light()
}

// light shows which lines come from the one that is pointed at.
func (s *Store) light() {
	if s.editor == nil {
		return
	}
	var lines []int
	if m := s.model; m.Sources != nil && m.Pointed > 0 {
		file := m.sourceFile()
		lines = m.Sources.from[file][lineOf(m.Sources.at[m.Pointed], file)]
	}
	s.editor.SetLit(lines)
}
