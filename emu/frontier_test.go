package emu

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// An "or" that is not structured: lanes 0 to 15 go from the first test to C, 16 to 23 from the second one, and the
// others pass it by. C does not post-dominate either test, so on the stack it runs once for each way into it.
const unstructured = `.reg .pred %p, %q; .reg .b32 %l, %v;
	mov.u32 %l, %laneid; mov.u32 %v, 0; setp.lt.u32 %p, %l, 16; setp.lt.u32 %q, %l, 24; @%p bra C;
	add.u32 %v, %v, 1; @%q bra C;
	bra D;
C:	add.u32 %v, %v, 1; add.u32 %v, %v, 1; add.u32 %v, %v, 1; add.u32 %v, %v, 1; add.u32 %v, %v, 1;
D:	ret;`

// 5 instructions come first, 2 for lanes 16 to 31, 1 for lanes 24 to 31, the 5 of C, and 1 at the end. On the stack the
// lanes that come to C from the second test run it before those that come from the first: 5 more.
func TestFrontiersMeetBeforeThePostDominator(t *testing.T) {
	for model, want := range map[Divergence]int64{Frontier: 5 + 2 + 1 + 5 + 1, Stack: 5 + 2 + 1 + 5 + 5 + 1} {
		g := launchOn(t, model, unstructured, 32)
		require.NoError(t, g.Run(context.Background()))
		s := g.Stats()
		require.Equal(t, want, s.WarpInstructions, "%v", model)
		require.EqualValues(t, 32*5+16*2+8+24*5+32, s.LaneInstructions, "%v: lanes do the same", model)
		require.EqualValues(t, 2, s.DivergentBranches, "%v", model)
	}
}

// The lane that has the lock is after the loop, and the lanes in the loop are before it: they run forever.
func TestSpinLockHangsAtTheFrontier(t *testing.T) {
	var fault *Fault
	require.ErrorAs(t, launchOn(t, Frontier, spinLock, 32).Run(context.Background()), &fault)
	require.Equal(t, DivergenceDeadlock, fault.Kind)
	require.Equal(t, Mask(0xfffffffe), fault.Lanes)
	require.Contains(t, fault.Error(), "lane 0 waits for the others at line 11")
	require.Contains(t, fault.Error(), "lock must not be waiting further on while others want it")
}

// Compiled code takes branches without the policy, so it is not used, even where Options ask for it.
func TestFrontiersAreInterpreted(t *testing.T) {
	require.False(t, deviceWith(t, Options{Divergence: Frontier, Engine: Compiled}, "", unstructured).Compiles())
}
