package launch

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx"
)

// Each lane doubles its number four times. After a header of two lines the loop's first instruction is in line 14, and
// its rounds begin with steps 3, 7, 11 and 15; the multiplication after the loop is in line 18, at step 19.
const doubling = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out) {
	.reg .pred %p;
	.reg .u32 %i, %v;
	.reg .u64 %a, %o;
	mov.u32 %v, %tid.x;
	mov.u32 %i, 0;
	ld.param.u64 %a, [out];
loop:
	add.u32 %v, %v, %v;
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, 4;
@%p bra loop;
	mad.wide.u32 %o, %i, 0, %a;
	setp.eq.u32 %p, %v, 16;
@%p st.u32 [%o], %v;
	ret;
	trap;
}
`

// Expectations at a line, by what they find: "" is a pass. The header has two lines before the text above.
func TestExpectationsAtALine(t *testing.T) {
	for text, want := range map[string]string{
		"%v == lane << %i at line 14":           "",
		"%i < 4 at line 14":                     "",
		"hits == %i + 1 at line 14":             "",
		"%v == 16 * lane && %i == 4 at line 18": "",
		"popc(active) == 32 at line 14":         "",
		"out[0] == 0 at line 20":                "",
		"out[0] == 0 at line 21":                "false at step 22 in lane 0 of CTA 0, warp 0: out[0] is 16", // lane 1's
		"%v < 64 at line 14":                    "false at step 11 in lane 16 of CTA 0, warp 0: %v is 64",
		"%i < 3 at line 14":                     "false at step 15 in lane 0 of CTA 0, warp 0: %i is 3",
		"any(%v == 1) at line 18":               "false at step 19 in lane 0 of CTA 0, warp 0",
		"%v == 0 at line 22":                    "no warp came to line 22",
	} {
		o, err := runText(t, "//@ arg out u32[1]\n//@ expect "+text+"\n"+doubling)
		require.NoError(t, err, text)
		got := o.Expectations[0]
		require.Equal(t, want == "", got.Pass, "%s: %s", text, got.Got)
		if want != "" {
			require.Equal(t, want, got.Got, text)
		}
	}
}

func runText(t *testing.T, text string) (*Report, error) {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(text))
	require.NoError(t, err)
	s, err := FromSource(m)
	if err != nil {
		return nil, err
	}
	return Run(context.Background(), m, s, emu.Options{})
}

// What cannot be asked at a line has its place in the header.
func TestWrongExpectationsAtALine(t *testing.T) {
	for text, want := range map[string]string{
		"%nothing == 1 at line 14":      "there is no register %nothing here",
		"%v == 1 at line 13":            "line 13 has no instruction",
		"%v == at line 14":              "a value is missing at the end",
		"other[0] == 1 at line 14":      "there is no buffer or function named other",
		"bank_conflict == 1 at line 14": `did you mean "bank_conflicts"?`,
	} {
		_, err := runText(t, "//@ arg out u32[1]\n//@ expect "+text+"\n"+doubling)
		require.ErrorContains(t, err, want, text)
		require.True(t, strings.Contains(err.Error(), "k.ptx:2:"), err.Error())
	}
}
