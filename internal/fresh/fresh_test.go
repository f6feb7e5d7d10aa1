package fresh

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDifferenceIsShort(t *testing.T) {
	require.Equal(t, "from line 2 on, 1 lines in place of 1:\n- b\n+ B\n", difference("a\nB\nc\n", "a\nb\nc\n"))
	require.Equal(t, "from line 3 on, 1 lines in place of 0:\n+ c\n", difference("a\nb\nc\nd", "a\nb\nd"))
	require.Equal(t, "from line 2 on, 0 lines in place of 1:\n- a\n", difference("a\n", "a\na\n"))
	const head = "from line 1 on, 300 lines in place of 400:\n"
	require.Equal(t, head+strings.Repeat("- y\n", 5)+strings.Repeat("+ x\n", 5),
		difference(strings.Repeat("x\n", 300)+"end", strings.Repeat("y\n", 400)+"end"))
}
