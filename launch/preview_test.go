package launch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/launch"
)

// The first numbers of an initial value. Halves count up by a half; a vector's components count as elements.
func TestPreview(t *testing.T) {
	for _, c := range []struct {
		typ  string
		dims []int
		init string
		want string
	}{
		{"u32", []int{1024}, "iota", "0, 1, 2, 3, …"},
		{"f16", []int{8}, "iota(1, 0.5)", "1, 1.5, 2, 2.5, …"},
		{"u8x4", []int{2, 2}, "1, 2", "1, 2, 1, 2, …"},
		{"s32", []int{3}, "-5", "-5, -5, -5"},
		{"s32", []int{2}, "7, 8", ""}, // the value says it all
		{"u32", []int{4}, "", ""},
		{"u32", nil, "5", ""},
		{"u64", []int{2}, "address(x)", ""},
		{"b8", []int{4}, `text "AB"`, "0x41, 0x42, 0x00, 0x00"},
		{"u32", []int{1 << 40}, "9", "9, 9, 9, 9, …"}, // only what is shown is computed
	} {
		a := launch.Arg{Name: "x", Type: c.typ, Dims: c.dims, Init: c.init, Buffer: true}
		require.Equal(t, c.want, a.Preview(4), c)
	}
}
