package debug

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Source line 1 is one instruction, line 2 two, line 3 a loop of 400,000 rounds of three, line 4 a call, and line 5 the
// end. The function is of lines 11 and 12, of which line 11 is a loop, too.
const sourceLines = `.version 8.0
.target sm_70
.address_size 64
.func work()
{
	.reg .u32 %k;
	.reg .pred %p;
	.loc 1 11 1
	mov.u32 %k, 0;
again:
	add.u32 %k, %k, 1;
	setp.lt.u32 %p, %k, 400000;
	@%p bra again;
	.loc 1 12 1
	ret;
}
.visible .entry k()
{
	.reg .u32 %a, %k;
	.reg .pred %p;
	.loc 1 1 1
	mov.u32 %a, 1;
	.loc 1 2 1
	add.u32 %a, %a, 1;
	add.u32 %a, %a, 2;
	.loc 1 3 1
	mov.u32 %k, 0;
again:
	add.u32 %k, %k, 1;
	setp.lt.u32 %p, %k, 400000;
	@%p bra again;
	.loc 1 4 1
	call work;
	.loc 1 5 1
	add.u32 %a, %a, 3;
	ret;
}
.file 1 "k.cu"
`

// The ticks at which source lines begin: line 3 has 1 + 3 x 400,000 instructions, line 11 as many.
var lineBegins = []int64{0, 1, 3, 1_200_004, 1_200_005, 2_400_006, 2_400_007}

func finished(t *testing.T, text string) *Session {
	s := open(t, text)
	for s.RunFor(1 << 20) {
	}
	require.Equal(t, Finished, s.View().Phase)
	return s
}

// A step back by source line goes to where the line began: that of the place, or the one before.
func TestBackBySourceLine(t *testing.T) {
	s := finished(t, sourceLines)
	s.SeekTo(0)
	var begins []int64
	for s.Tick() < lineBegins[6] {
		begins = append(begins, s.Tick())
		arrive(s, Journey{Goal: ToSourceLine})
	}
	require.Equal(t, lineBegins[:6], begins)
	for i := len(lineBegins) - 2; i >= 0; i-- {
		arrive(s, Journey{Goal: ToSourceLine, Back: true})
		require.Equal(t, lineBegins[i], s.Tick())
	}
	arrive(s, Journey{Goal: ToSourceLine, Back: true})
	require.Zero(t, s.Tick())
	for _, c := range [][2]int64{{2, 1}, {4, 3}, {1_199_999, 3}, {1_200_003, 3}, {2_400_000, 1_200_005},
		{2_400_008, 2_400_007}, {2_400_009, 2_400_007}} {
		s.SeekTo(c[0])
		arrive(s, Journey{Goal: ToSourceLine, Back: true})
		require.Equal(t, c[1], s.Tick(), "from %d, within a line", c[0])
	}
}

// A journey that takes several calls of Go is one journey.
func TestStepOverALongCall(t *testing.T) {
	s := finished(t, sourceLines)
	s.SeekTo(lineBegins[3])
	calls := 1
	for s.Go(Journey{Goal: OverCall}) {
		calls++
	}
	require.Greater(t, calls, 1)
	require.Equal(t, lineBegins[6], s.Tick())
}

// The first source line of a warp begins with the warp, which need not be the first one.
func TestBackToTheFirstSourceLine(t *testing.T) {
	text := "//@ block 64\n" + strings.Replace(sourceLines, ".loc 1 2 1", ".loc 1 1 1", 1)
	s := finished(t, text)
	s.SeekTo(0)
	s.Follow(0, 1)
	arrive(s, Journey{Goal: ToLine, Line: 1 + strings.Count(text[:strings.Index(text, "mov.u32 %a")], "\n")})
	first := s.Tick()
	require.Positive(t, first)
	s.SeekTo(first + 2) // within the line
	s.Follow(0, 1)
	arrive(s, Journey{Goal: ToSourceLine, Back: true})
	require.Equal(t, first, s.Tick())
	arrive(s, Journey{Goal: ToSourceLine, Back: true})
	require.Equal(t, first, s.Tick())
	require.Equal(t, "There is no earlier source line.", s.View().Status)
}
