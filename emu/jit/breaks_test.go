package jit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx"
)

// Breakpoints of one warp stop that warp and let all others pass, with both engines.
func TestBreaksOfOneWarp(t *testing.T) {
	const text = `.version 7.0
.target sm_70
.address_size 64
.entry k() { .reg .b32 %r; .reg .pred %p; mov.u32 %r, 0;
L:	add.u32 %r, %r, 1; setp.lt.u32 %p, %r, 10; @%p bra L; bar.sync 0; ret; }
`
	for _, engine := range []emu.Engine{emu.Interpreter, emu.Compiled} {
		m, err := ptx.Parse("two.ptx", []byte(text))
		require.NoError(t, err)
		d, err := emu.Load(m, emu.Options{Engine: engine})
		require.NoError(t, err)
		g, err := d.Launch(emu.Config{Entry: "k", Grid: emu.Dim3{X: 2}, Block: emu.Dim3{X: 64}})
		require.NoError(t, err)
		g.SetBreaksOf(1, 1, map[*ptx.Inst]bool{m.Funcs[0].Insts[1]: true})
		stops := 0
		for done := false; !done; {
			if done, err = g.RunFor(1 << 20); err == nil {
				continue
			}
			require.ErrorIs(t, err, emu.ErrBreak)
			cta, warp, ok := g.Next()
			require.Equal(t, []any{1, 1, true}, []any{cta, warp, ok})
			require.True(t, g.AtBreak())
			stops++
		}
		require.Equal(t, 10, stops, "once a round")
	}
}
