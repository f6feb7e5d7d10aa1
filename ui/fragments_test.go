package ui

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Registers that mma multiplies are read as what its opcode says, and so are those that they are moved from.
func TestFragments(t *testing.T) {
	text, err := os.ReadFile("../testdata/control/cutlass-gemm.ptx")
	require.NoError(t, err)
	module, err := ptx.Parse("gemm.ptx", text)
	require.NoError(t, err)
	m := &Model{Bits: AsHex, Fragments: fragments(module)}
	// mma.sync…f32.f16.f16.f32 {%f33 …}, {%r112 …}, {%r120, %r121}, {%f1 …}; mov.u32 %r112, %r84 comes before the loop.
	for reg, want := range map[string]Bits{"%r112": AsF16x2, "%r121": AsF16x2, "%r84": AsF16x2, "%r110": AsHex} {
		require.Equal(t, want, m.reading(reg, isa.B32), reg)
	}
	require.Equal(t, ByType, m.reading("%f33", isa.F32))
	m.Readings = map[string]Bits{"%r112": AsHex}
	require.Equal(t, AsHex, m.reading("%r112", isa.B32), "the user's choice")
	m.Bits = AsBinary
	require.Equal(t, AsBinary, m.reading("%r121", isa.B32), "the user's choice for all")
	require.Empty(t, fragments(nil))
}
