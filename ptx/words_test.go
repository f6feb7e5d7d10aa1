package ptx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlural(t *testing.T) {
	require.Equal(t, "0 arrivals", Plural(0, "arrival"))
	require.Equal(t, "1 arrival", Plural(1, "arrival"))
	require.Equal(t, "1,024 threads", Plural(int64(1024), "thread"))
	require.Equal(t, "-1,234,567", Thousands(-1234567))
	require.Equal(t, "-123", Thousands(-123))
}
