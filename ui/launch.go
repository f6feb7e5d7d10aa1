package ui

import (
	"strings"

	"warpscope/ptx"
)

// launchFacts is the launch in one line, in parts that are left out where there is no room.
type launchFacts struct {
	Threads, Buffers, Expects, Model string

	Lines  int  // of comment before the program
	Folded bool // … and out of sight
}

// maxNamed is how many buffers are named; more are counted.
const maxNamed = 3

// launchLine is the launch of the current text.
func launchLine(m *Model) launchFacts {
	f := launchFacts{Lines: m.Head.Lines, Folded: m.Head.Folded}
	s := m.Spec
	if s == nil {
		f.Threads = "not known: the text has errors"
		return f
	}
	f.Threads = dims(s.Grid) + " × " + dims(s.Block) + " threads"
	if s.Defaulted {
		f.Threads += ", guessed"
	}
	var names []string
	for i := range s.Args {
		if a := &s.Args[i]; len(a.Dims) > 0 {
			names = append(names, a.Name+" "+a.Type+"["+elementsText(a)+"]")
		}
	}
	f.Buffers = strings.Join(names, ", ")
	if len(names) > maxNamed {
		f.Buffers = ptx.Plural(len(names), "buffer")
	}
	if n := len(s.Expects); n > 0 {
		f.Expects = ptx.Plural(n, "expectation")
	}
	f.Model = m.model().Title
	return f
}
