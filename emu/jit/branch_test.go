package jit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx"
)

// Lanes branch apart after a straight line, in a loop and around guarded instructions, and meet again. After each run
// of a few instructions both engines are in the same state: so do the words where lanes note what they have written.
func TestBranchesThatDivideTheLanes(t *testing.T) {
	m, err := ptx.Parse("branches.ptx", []byte(`.version 7.8
.target sm_80
.address_size 64
.entry k() {
	.reg .b32 %t, %i, %j, %k, %u, %v; .reg .pred %p, %q, %r;
	mov.u32 %t, %tid.x;
	mov.u32 %i, 0;
LOOP:
	add.u32 %i, %i, 1;
	mul.lo.u32 %j, %i, %t;
	setp.gt.u32 %p, %t, 20;
	@%p bra HIGH;
	add.u32 %u, %u, %j;
	setp.lt.u32 %q, %j, 40;
	@%q xor.b32 %v, %v, %j;
	@!%q setp.eq.u32 %r, %j, %v;
	bra MEET;
HIGH:
	shr.u32 %k, %j, %i;
	@%r add.u32 %k, %k, 3;
MEET:
	setp.lt.u32 %p, %i, %t;
	@%p bra LOOP;
	add.u32 %v, %v, %k;
	ret;
}`))
	require.NoError(t, err)
	for _, model := range emu.Divergences() {
		var grids [2]*emu.Grid
		for i, engine := range engines {
			d, err := emu.Load(m, emu.Options{Divergence: model, Engine: engine})
			require.NoError(t, err)
			grids[i], err = d.Launch(emu.Config{Entry: "k", Block: emu.Dim3{X: 50}})
			require.NoError(t, err)
		}
		for !grids[0].Done() {
			for _, g := range grids {
				_, err := g.RunFor(37)
				require.NoError(t, err)
			}
			require.Equal(t, grids[0].Hash(), grids[1].Hash(), "%s, tick %d", model, grids[0].Tick())
			require.Equal(t, grids[0].Counted(), grids[1].Counted())
		}
		require.Equal(t, grids[0].Stats(), grids[1].Stats())
	}
}
