package launch_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// count runs a program under a model of divergence and gives its counters; a fault, if any, comes from the model.
func count(t *testing.T, name, src string, model emu.Divergence) (emu.Stats, *emu.Fault) {
	t.Helper()
	m, err := ptx.Parse(name, []byte(src))
	require.NoError(t, err, name)
	spec, err := launch.FromSource(m)
	require.NoError(t, err, name)
	r, err := launch.Run(context.Background(), m, spec, emu.Options{Divergence: model})
	require.NoError(t, err, name)
	return r.Stats, r.Fault
}

// TestIndependentLanesMeetAsOnTheStack compares how many warp instructions programs take under the two models. Only a
// program that spins, which can hang on the stack, is allowed to take more than a tenth more under independent
// scheduling. With -v it prints the table.
func TestIndependentLanesMeetAsOnTheStack(t *testing.T) {
	t.Logf("%-45s %10s %11s %6s", "program", "stack", "independent", "ratio")
	for _, pattern := range []string{"../bench/*.ptx", "../public/examples/*.ptx", "../testdata/real/ptx/*.ptx"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for n, path := range files {
			if testing.Short() && n%12 != 0 {
				continue
			}
			src, err := os.ReadFile(path)
			require.NoError(t, err)
			stack, fault := count(t, path, string(src), emu.Stack)
			independent, none := count(t, path, string(src), emu.Independent)
			require.Nil(t, none, path)
			ratio := float64(independent.WarpInstructions) / float64(stack.WarpInstructions)
			t.Logf("%-45s %10d %11d %6.3f", filepath.Base(path), stack.WarpInstructions, independent.WarpInstructions, ratio)
			if fault != nil {
				hangs := emu.DivergenceDeadlock
				if strings.HasPrefix(filepath.Base(path), "45-barrier-on-two-sides") { // the lanes of one side wait there
					hangs = emu.BarrierDeadlock
				}
				require.Equal(t, hangs, fault.Kind, path)
				continue
			}
			require.LessOrEqual(t, ratio, 1.1, path)
		}
	}
}

// TestLanesThatWaitLongMeet: 31 lanes wait for the last one as long as it takes. The slowest lane executes 5
// instructions before the first loop, 5 in each of its 31 * 1024 rounds and 2 more to leave it, then one, 4 in each of
// 10000 rounds, and 4 to the end.
func TestLanesThatWaitLongMeet(t *testing.T) {
	src, err := os.ReadFile("../testdata/control/lanes-that-wait-long.ptx")
	require.NoError(t, err)
	for _, model := range emu.Divergences() {
		got, fault := count(t, "long", string(src), model)
		require.Nil(t, fault)
		require.EqualValues(t, 5+31*1024*5+2+1+10000*4+4, got.WarpInstructions, model)
	}
}

// TestAnExitThatNoLaneTakesChangesNothing: with the exit or without it, the program runs the same instructions.
func TestAnExitThatNoLaneTakesChangesNothing(t *testing.T) {
	src, err := os.ReadFile("../testdata/control/exit-that-no-lane-takes.ptx")
	require.NoError(t, err)
	without := strings.Replace(string(src), "bra UNREACHABLE;", "bra NEXT;", 1)
	require.NotEqual(t, string(src), without)
	for _, model := range emu.Divergences() {
		want, _ := count(t, "without", without, model)
		got, fault := count(t, "with", string(src), model)
		require.Nil(t, fault)
		require.Equal(t, want.WarpInstructions, got.WarpInstructions, model)
		require.Equal(t, want.DivergentBranches, got.DivergentBranches, model)
	}
}
