package ui

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The welcome says how many warps there are, and how many lanes they have: 48 threads are warps of 32 and of 16.
func TestWelcome(t *testing.T) {
	for shape, want := range map[string]string{
		"//@ block 32\n":                  "32 lanes run this program together.",
		"//@ block 4,4\n":                 "16 lanes run this program together.",
		"//@ block 1\n":                   "1 lane runs this program.",
		"//@ block 16,16\n":               "8 warps of 32 lanes run this program.",
		"//@ block 48\n":                  "2 warps of up to 32 lanes run this program.",
		"//@ grid 4\n//@ block 1\n":       "4 warps of 1 lane run this program.",
		"//@ grid 3\n//@ block 8\n":       "3 warps of 8 lanes run this program.",
		"//@ grid 25000\n//@ block 128\n": "100,000 warps of 32 lanes run this program.",
	} {
		_, model := opened(t, small(shape))
		require.Equal(t, want, welcome(model()), shape)
	}
}
