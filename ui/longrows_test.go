package ui

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Wherever the table begins and whatever is scrolled to, the rows in sight are there, and few others.
func TestRowWindow(t *testing.T) {
	const height, view, n = 20, 400, 1000
	for _, begin := range []int{0, 90, 300} {
		for top := 0; top <= begin+n*height-view; top += 7 {
			from, to := rowWindow(top, view, 300, height, n)
			require.LessOrEqual(t, from*height+begin, max(top, begin), "the first in sight")
			require.GreaterOrEqual(t, to*height+begin, top+view, "the last in sight")
			require.Less(t, to-from, 100)
		}
	}
	from, to := rowWindow(90000, view, 300, height, 3)
	require.LessOrEqual(t, from, to, "the table has become short")
	require.LessOrEqual(t, to, 3)
}
