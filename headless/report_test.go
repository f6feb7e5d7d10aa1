package headless

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A list of a thousand values does not bury what differs.
func TestLongExpectationsAreShortened(t *testing.T) {
	list := "out == 0" + strings.Repeat(", 0", 999)
	miss := (&Result{}).miss(Expectation{Text: list, Got: "out[7] is 1, expected 0"})
	require.True(t, strings.HasPrefix(miss, "out == 0, 0, 0"))
	require.True(t, strings.HasSuffix(miss, "…: out[7] is 1, expected 0"))
	require.Less(t, len(miss), 200)
	require.Equal(t, "out == 0: out[0] is 1", (&Result{}).miss(Expectation{Text: "out == 0", Got: "out[0] is 1"}))
}
