package emu

import (
	"context"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/ptx"
)

const roundsPTX = `.version 6.4
.target sm_70
.address_size 64
.entry k() {
	.reg .u32 %n, %s;
	.reg .pred %p;
	mov.u32 %n, 0;
	mov.u32 %s, 0;
more:
	add.u32 %n, %n, 1;
	add.u32 %s, %s, %n;
	xor.b32 %s, %s, 5;
	setp.lt.u32 %p, %n, 3;
	@%p bra more;
	ret;
}
`

// Launches share the program's code, which none of them changes, and each has counters and breakpoints of its own. One
// breakpoint of two is in the middle of the loop's straight line. The loop, in lines 10 to 14 of the text, runs three
// times; the instruction before a breakpoint has then been executed one time more than the one that has it.
func TestLaunchesShareCode(t *testing.T) {
	d := load(t, roundsPTX)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&d.Prog.Code[0])),
		uintptr(len(d.Prog.Code))*unsafe.Sizeof(machine.Inst{}))
	before := slices.Clone(bytes)
	stops, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}})
	require.NoError(t, err)
	runs, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}})
	require.NoError(t, err)
	insts := d.Mod.Funcs[0].Insts
	stops.SetBreaks(map[*ptx.Inst]bool{insts[4]: true, insts[6]: true}) // lines 12 and 14
	for round := range int64(3) {
		_, err := stops.RunFor(1 << 20)
		require.ErrorIs(t, err, ErrBreak)
		require.Equal(t, 2+5*round+2, stops.Tick())
		require.Equal(t, round+1, stops.LineCounts()[11])
		require.Equal(t, round, stops.LineCounts()[12])
		_, err = stops.RunFor(1 << 20)
		require.ErrorIs(t, err, ErrBreak)
		require.Equal(t, 2+5*round+4, stops.Tick())
	}
	require.Equal(t, make([]int64, 16), runs.LineCounts())
	require.NoError(t, runs.Run(context.Background()))
	want := []int64{7: 1, 8: 1, 10: 3, 11: 3, 12: 3, 13: 3, 14: 3, 15: 1}
	require.Equal(t, want, runs.LineCounts())
	stops.SetBreaks(nil)
	require.NoError(t, stops.Run(context.Background()))
	require.Equal(t, want, stops.LineCounts())
	require.Equal(t, before, bytes)
}
