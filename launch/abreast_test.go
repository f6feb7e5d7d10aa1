package launch_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

func abreast(t *testing.T, src string, models ...emu.Divergence) *launch.Abreast {
	t.Helper()
	m, err := ptx.Parse("test.ptx", []byte(src))
	require.NoError(t, err)
	s, err := launch.FromSource(m)
	require.NoError(t, err)
	a, err := launch.NewAbreast(m, s, emu.Options{MemoryLimit: 16 << 20}, models)
	require.NoError(t, err)
	return a
}

func example(t *testing.T, name string) string {
	t.Helper()
	src, err := os.ReadFile("../public/examples/" + name + ".ptx")
	require.NoError(t, err)
	return string(src)
}

// shortCircuit is an "or" whose second test jumps to where the first one does: lanes 0 to 15 come to C from the first,
// 16 to 23 from the second test.
const shortCircuit = `//@ arg    out u32[32]
//@ expect out[0..15] == 3
//@ expect out[16..23] == 4
//@ expect out[24..31] == 1
.version 6.4
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .pred %p, %q; .reg .b32 %l, %v; .reg .b64 %a;
    mov.u32 %l, %laneid;
    mov.u32 %v, 0;
    setp.lt.u32 %p, %l, 16;
    setp.lt.u32 %q, %l, 24;
@%p bra C;
    add.u32 %v, %v, 1;
@%q bra C;
    bra D;
C:  add.u32 %v, %v, 1;
    add.u32 %v, %v, 1;
    add.u32 %v, %v, 1;
D:  ld.param.u64 %a, [out];
    mad.wide.u32 %a, %l, 4, %a;
    st.global.u32 [%a], %v;
    ret;
}
`

// 5 instructions, 2 for lanes 16 to 31, 1 for 24 to 31, 3 of C, and 4 at the end; the stack executes C once more. After
// the second branch (tick 7) the stack runs those that fall through to line 18 and the frontier does, too; then, at
// tick 8, the stack takes the other side of that branch alone, and the frontier all lanes that are at C.
func TestModelsPart(t *testing.T) {
	a := abreast(t, shortCircuit, emu.Stack, emu.Frontier)
	for a.Step() {
	}
	require.EqualValues(t, 5+2+1+3+3+4, a.Runs[0].Report().Stats.WarpInstructions)
	require.EqualValues(t, 5+2+1+3+4, a.Runs[1].Report().Stats.WarpInstructions)
	require.Equal(t, "The models differ after 8 warp instructions of warp 0 of CTA 0. Next, stack executes line 19 in "+
		"lanes 16-23, frontier executes line 19 in lanes 0-23.", a.Words())
	for _, r := range a.Runs {
		require.Equal(t, "finished, 3 of 3 expectations met", r.Outcome())
	}
}

// The runs are never further apart than the lanes of one instruction, and a whole run finds the same as its steps.
func TestModelsGoInStep(t *testing.T) {
	a := abreast(t, example(t, "07-switch"), emu.Stack, emu.Independent, emu.Frontier)
	for a.Step() {
		var progress []int64
		for _, r := range a.Runs {
			if !r.Done {
				progress = append(progress, r.Grid.Stats().LaneInstructions)
			}
		}
		for _, n := range progress {
			require.InDelta(t, progress[0], n, 32)
		}
	}
	b := abreast(t, example(t, "07-switch"), emu.Stack, emu.Independent, emu.Frontier)
	for b.Run(100) {
	}
	require.Equal(t, a.Words(), b.Words())
	for i := range a.Runs {
		require.Equal(t, a.Runs[i].Report(), b.Runs[i].Report())
		require.Equal(t, a.Runs[0].Report().Stats.LaneInstructions, a.Runs[i].Report().Stats.LaneInstructions)
	}
}

// The lock between lanes of one warp hangs on the stack, which says why, and finishes where every lane goes on.
func TestLockBetweenLanesUnderTwoModels(t *testing.T) {
	a := abreast(t, example(t, "30-lock-between-lanes"), emu.Stack, emu.Independent)
	for a.Run(1 << 16) {
	}
	require.Contains(t, a.Runs[0].Outcome(),
		"a lane that holds a lock must not be waiting on the stack while others want it")
	require.Equal(t, emu.DivergenceDeadlock, a.Runs[0].Report().Fault.Kind)
	require.Regexp(t, `^finished, (\d) of (\d) expectations met$`, a.Runs[1].Outcome())
	require.True(t, a.Runs[1].Report().OK())
	require.NotNil(t, a.Apart)
}

// A program without branches is the same under all models.
func TestModelsThatNeverPart(t *testing.T) {
	a := abreast(t, example(t, "01-hello-lanes"), emu.Stack, emu.Independent)
	require.Equal(t, "So far all models execute the same warp instructions.", a.Words())
	for a.Run(1000) {
	}
	require.Equal(t, "All models execute the same warp instructions.", a.Words())
}

// Lanes in more than three stretches are counted: their mask is drawn.
func TestTurnsNameFewLanes(t *testing.T) {
	for mask, words := range map[emu.Mask]string{0x15: "lanes 0,2,4", 0x55555555: "16 lanes", 1 << 31: "lane 31",
		1<<31 - 1: "lanes 0-30"} {
		require.Equal(t, words, mask.FewLanes())
	}
}
