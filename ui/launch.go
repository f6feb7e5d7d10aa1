package ui

import (
	"strings"

	"warpscope/launch"
	"warpscope/ptx"
)

// launchFacts is the launch in one line, in parts that are left out where there is no room.
type launchFacts struct {
	Threads, Buffers, Expects, Model string

	Lines  int  // of comment before the program
	Folded bool // … and out of sight
}

// initialForms are the forms of an initial value, and what each means. launch/doc.go has the whole grammar.
var initialForms = [][2]string{
	{"2.5", "this number in every element"},
	{"1, 2, 3", "a list, repeated to fill the buffer"},
	{"iota", "0, 1, 2, …"},
	{"iota(start, step)", "start, start + step, …"},
	{"random(seed)", "integers of the whole range, floats from 0 to 1; the same ones for the same seed"},
	{"address(x, 64)", "the address of buffer x, 64 bytes after its begin"},
	{"u64 address(x), u32 5", "the fields of a structure, as C lays them out"},
	{`text "…"`, "the bytes of a text"},
}

// maxNamed is how many buffers are named; more are counted.
const maxNamed = 3

// bufferWords names buffers with their types; neighbours of one type share it: "a b c f32[32,32]".
func bufferWords(args []launch.Arg) string {
	var words []string
	n, last := 0, ""
	for i := range args {
		a := &args[i]
		if len(a.Dims) == 0 {
			continue
		}
		n++
		if typ := a.Type + "[" + elementsText(a) + "]"; typ == last {
			at := len(words) - 1
			words[at] = strings.TrimSuffix(words[at], typ) + a.Name + " " + typ
		} else {
			words, last = append(words, a.Name+" "+typ), typ
		}
	}
	if n > maxNamed {
		return ptx.Plural(n, "buffer")
	}
	return strings.Join(words, ", ")
}

// launchLine is the launch of the current text.
func launchLine(m *Model) launchFacts {
	f := launchFacts{Lines: m.Head.Lines, Folded: m.Head.Folded}
	s := m.Spec
	if s == nil {
		if f.Threads = "not known: the text has errors"; m.blank() {
			f.Threads = "no program"
		}
		return f
	}
	f.Threads = dims(s.Grid) + " × " + dims(s.Block) + " threads"
	if s.Defaulted {
		f.Threads += ", guessed"
	}
	f.Buffers = bufferWords(s.Args)
	if n := len(s.Expects); n > 0 {
		f.Expects = ptx.Plural(n, "expectation")
	}
	f.Model = m.model().Label
	return f
}
