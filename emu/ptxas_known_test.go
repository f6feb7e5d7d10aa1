package emu

import "regexp"

// differences are where ptxas 12.5 and the parser differ and keep to it, and why.
var differences = []struct {
	text *regexp.Regexp // of the statement
	why  string
}{
	{regexp.MustCompile(`^cvta\S*\.u32 |^mov\.funcaddr32 `), "ptxas 12 has no 32-bit addresses"},
}

// known says whether a difference is one of the list.
func (q *question) known() bool {
	for _, d := range differences {
		if d.text.MatchString(q.text) {
			return true
		}
	}
	return false
}
