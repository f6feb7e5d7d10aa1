package slow

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx/isa"
)

// The families without a model are in the table, and the sections with models are those that the table gives.
func TestFamiliesAreOfTheTable(t *testing.T) {
	known := map[string]bool{}
	for _, f := range isa.Forms() {
		known[f.ID] = true
	}
	for _, id := range strings.Fields(without) {
		require.True(t, known[id], id)
	}
	require.Subset(t, modelled(), strings.Fields("add.int addc slct shr prmt mov.pack cvt.int cvt.pack"))
}
