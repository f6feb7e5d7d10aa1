package docs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireFresh fails with the first lines in which a document of this folder is stale.
func requireFresh(t *testing.T, file, want, have string) {
	t.Helper()
	if want != have {
		require.Fail(t, file+" is stale: run go test ./docs -update", difference(want, have))
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

func TestDifferenceIsShort(t *testing.T) {
	require.Equal(t, "from line 2 on, 1 lines in place of 1:\n- b\n+ B\n", difference("a\nB\nc\n", "a\nb\nc\n"))
	require.Equal(t, "from line 3 on, 1 lines in place of 0:\n+ c\n", difference("a\nb\nc\nd", "a\nb\nd"))
	require.Equal(t, "from line 2 on, 0 lines in place of 1:\n- a\n", difference("a\n", "a\na\n"))
	const head = "from line 1 on, 300 lines in place of 400:\n"
	require.Equal(t, head+strings.Repeat("- y\n", 5)+strings.Repeat("+ x\n", 5),
		difference(strings.Repeat("x\n", 300)+"end", strings.Repeat("y\n", 400)+"end"))
}
