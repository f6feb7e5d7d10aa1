package debug

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// passing is one warp; lane n calls square(n + 3) on line 15, which returns its square on line 7, and stores it.
const passing = `//@ block 32
//@ arg out u32[32]
.version 8.0
.target sm_80
.address_size 64
.func (.reg .u32 %sq) square(.reg .u32 %x) {
	mul.lo.u32 %sq, %x, %x; ret;
}
.visible .entry k(.param .u64 out) {
	.reg .u32 %n, %m, %b;
	.reg .u64 %at;
	mov.u32 %n, %tid.x;
	add.u32 %m, %n, 3;
	ld.param.u64 %at, [out];
	call (%b), square, (%m);
	mad.wide.u32 %at, %n, 4, %at;
	st.global.u32 [%at], %b;
	ret;
}
`

// A return assigns the results, and a call the parameters (9.7.14.5, 9.7.14.6).
func TestStopsAtResultsAndParameters(t *testing.T) {
	for _, c := range []struct {
		stop Stop
		tick int64 // after the step
	}{
		{Stop{Kind: StopChange, What: "%b"}, 6},
		{Stop{Kind: StopWrite, What: "%b"}, 6},
		{Stop{Kind: StopWrite, What: "%x"}, 4},
	} {
		s := open(t, passing)
		s.SetStops([]Stop{c.stop})
		finish(s)
		require.Equal(t, Paused, s.View().Phase, c.stop.What)
		require.Equal(t, c.tick, s.View().Tick, c.stop.What)
	}
}

// Lane 0 calls with 3, lane 31 with 34: 3 * 3 = 9, and 34 * 34 = 1156.
func TestSentencesOfCallsAndReturns(t *testing.T) {
	s := open(t, passing)
	finish(s)
	s.SeekTo(4)
	require.Contains(t, s.View().Status, "all 32 lanes call square, %x = 3 … 34 in all 32 lanes")
	s.SeekTo(6)
	require.Contains(t, s.View().Status, "all 32 lanes return, %b = 9 … 1156 in all 32 lanes")
}

func TestWhoWroteAResult(t *testing.T) {
	s := open(t, passing)
	finish(s)
	w, ok := s.Writer(Cell{Lane: 5, Reg: regOf(s, "%b"), Elem: -1})
	require.True(t, ok)
	require.Equal(t, "`ret`", w.Text)
	require.EqualValues(t, 5, w.Tick)
	require.EqualValues(t, 64, w.New) // (5 + 3)²
	w, ok = s.Writer(Cell{Lane: 5, Reg: regOf(s, "%x"), Elem: -1})
	require.True(t, ok)
	require.Equal(t, 15, w.Line)
	require.EqualValues(t, 8, w.New)
}

// Lanes that run past the end of a body return (9.7.14.6): here from line 7 to the call on line 11. 5 + 1 = 6.
func TestTheEndOfABodyReturns(t *testing.T) {
	s := open(t, `//@ block 32
.version 8.0
.target sm_80
.address_size 64
.func (.reg .u32 %next) next(.reg .u32 %x) {
	add.u32 %next, %x, 1;
}
.visible .entry k() {
	.reg .u32 %n, %b;
	mov.u32 %n, %laneid;
	call (%b), next, (%n);
	mov.u32 %n, %b;
}
`)
	s.SetStops([]Stop{{Kind: StopChange, What: "%b"}})
	finish(s)
	require.EqualValues(t, 4, s.View().Tick)
	s.SetStops([]Stop{{Kind: StopWrite, What: "%next", Condition: "laneid == 40"}, {Kind: StopRead, What: "%x"}})
	finish(s)
	finish(s)
	for s.Survey(1 << 10) {
	}
	s.SetStops(nil)
	finish(s)
	s.SeekTo(4)
	require.Contains(t, s.View().Status,
		"line 7, the end of the function: all 32 lanes return, %b = 1 … 32 in all 32 lanes")
	s.SeekTo(5)
	require.Equal(t, "%n = 6, line 12\n %b = 6, line 7\n  %next = 6, line 6\n   %x = 5, line 11\n    %n = 5, line 10\n"+
		"     %laneid = 5\n   1 = 1", origins(s, "%n", 5))
}
