// Package fresh is for tests of files that are made from the code: it shows briefly where one is stale.
package fresh

import (
	"fmt"
	"strings"
	"testing"
)

// Require fails with the first lines in which a file is stale. remedy is the command that makes it anew.
func Require(t testing.TB, file, remedy, want, have string) {
	t.Helper()
	if want != have {
		t.Fatalf("%s is stale: run %s\n%s", file, remedy, difference(want, have))
	}
}

// difference shows what is between the lines that two texts begin and end with alike: with a minus what one has, with a
// plus what it should have, five lines of each at most.
func difference(want, have string) string {
	a, b := strings.Split(have, "\n"), strings.Split(want, "\n")
	line := 1
	for ; len(a) > 0 && len(b) > 0 && a[0] == b[0]; line++ {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	var out strings.Builder
	fmt.Fprintf(&out, "from line %d on, %d lines in place of %d:\n", line, len(b), len(a))
	for _, s := range a[:min(len(a), 5)] {
		out.WriteString("- " + s + "\n")
	}
	for _, s := range b[:min(len(b), 5)] {
		out.WriteString("+ " + s + "\n")
	}
	return out.String()
}
