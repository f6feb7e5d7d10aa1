package emu_test

import (
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/emu/schedule"
	"warpscope/launch"
	"warpscope/ptx"
)

// ownPrograms are short: the test looks at them after every step.
const ownPrograms = "testdata/state/*.ptx"

// programs are the examples, the acceptance tests, and programs for what these do not reach.
func programs(t *testing.T) (list []string) {
	t.Helper()
	for _, pattern := range []string{"../public/examples/*.ptx", "../testdata/control/*.ptx", ownPrograms} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		list = append(list, files...)
	}
	return list
}

func prepare(t *testing.T, file string, o emu.Options) *emu.Grid {
	t.Helper()
	src, err := os.ReadFile(file)
	require.NoError(t, err)
	m, err := ptx.Parse(filepath.Base(file), src)
	require.NoError(t, err, file)
	spec, err := launch.FromSource(m)
	require.NoError(t, err, file)
	p, err := launch.Prepare(m, spec, o)
	require.NoError(t, err, file)
	return p.Grid
}

// same says that a grid's state is a former one, and names the first value that is not.
func same(t *testing.T, g *emu.Grid, want []uint64, format string, args ...any) {
	t.Helper()
	have := emu.StateOf(g).Values
	for i := range min(len(have), len(want)) {
		if have[i] != want[i] {
			require.Fail(t, fmt.Sprintf("%s is %#x, was %#x", emu.PathOf(g, i), have[i], want[i]),
				append([]any{format}, args...)...)
		}
	}
	require.Len(t, have, len(want), append([]any{format}, args...)...)
}

// walk is what TestSnapshotsHoldTheWholeState has seen.
type walk struct{ fields, changed, filled, used map[string]bool }

// at compares a grid with its snapshots, at a tick of a program.
func (w *walk) at(t *testing.T, g *emu.Grid, what string) {
	snap := g.Snapshot()
	state := emu.StateOf(g)
	maps.Copy(w.fields, state.Fields)
	for name, filled := range state.Filled {
		w.filled[name] = w.filled[name] || filled
	}
	for name, used := range state.Used {
		w.used[name] = w.used[name] || used
	}
	for _, p := range state.Places {
		key := p.Field
		if state.Filled[p.Field] {
			key += ", with contents"
		}
		if w.changed[key] {
			continue
		}
		w.changed[key] = true
		for _, now := range emu.StateOf(g).Places {
			if now.Field == p.Field {
				now.Change()
			}
		}
		require.NotEqual(t, state.Values, emu.StateOf(g).Values, "%s: %s is not looked at", what, p.Field)
		g.Restore(snap)
		same(t, g, state.Values, "%s: %s has changed, and Restore has not put it back", what, p.Field)
	}
	for range 2 {
		_, _ = g.RunFor(100)
		g.Restore(snap)
		same(t, g, state.Values, "%s: after 100 steps and Restore", what)
	}
}

// TestSnapshotsHoldTheWholeState goes through everything that can be reached from a grid, while programs of all kinds
// run: what is changed after a snapshot, or by running on, is as before after Restore. A field that a snapshot forgets,
// or whose contents it shares with the grid, fails here; one that it may leave out has a reason in kept or shared.
func TestSnapshotsHoldTheWholeState(t *testing.T) {
	w := walk{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for n, file := range programs(t) {
		if testing.Short() && n%16 != 0 {
			continue
		}
		for _, model := range emu.Divergences() {
			own, _ := filepath.Match(ownPrograms, file)
			g := prepare(t, file, emu.Options{Divergence: model, Counters: own})
			for steps := int64(1); ; steps *= 4 {
				if own {
					steps = 1
				}
				if done, err := g.RunFor(steps); done || err != nil || steps > 1000 {
					break
				}
				w.at(t, g, fmt.Sprintf("%s, %v", file, model))
			}
		}
	}
	if testing.Short() {
		return
	}
	for name := range w.filled {
		assert.True(t, w.filled[name], "no program fills %s", name)
	}
	for _, name := range emu.Exceptions() {
		assert.True(t, w.used[name], "%s is an exception and no field", name)
	}
	require.Greater(t, len(w.fields), 100)
	require.True(t, w.changed["Warp.Carry"])
}

// TestSnapshotsShareNoStaleCTA goes back and forth between snapshots of programs whose CTAs take short turns. Snapshots
// share what a CTA was while others ran: at each tick the state must be that of the first, straight run.
func TestSnapshotsShareNoStaleCTA(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	for n, file := range programs(t) {
		if testing.Short() && n%8 != 0 {
			continue
		}
		for _, seed := range []schedule.Seed{1, 2, 3} {
			g := prepare(t, file, emu.Options{Schedule: seed})
			var snaps []*emu.Snapshot
			var values [][]uint64
			for done := false; !done && len(snaps) < 10; {
				snaps, values = append(snaps, g.Snapshot()), append(values, emu.StateOf(g).Values)
				ended, err := g.RunFor(1 + r.Int63n(60))
				done = ended || err != nil
			}
			for range 10 {
				from := r.Intn(len(snaps))
				g.Restore(snaps[from])
				same(t, g, values[from], "%s, %d: at %d", file, seed, snaps[from].Tick)
				for at := from + 1; at < min(from+4, len(snaps)); at++ {
					_, _ = g.RunFor(snaps[at].Tick - g.Tick())
					same(t, g, values[at], "%s, %d: from %d to %d", file, seed, snaps[from].Tick, snaps[at].Tick)
					snaps[at] = g.Snapshot()
				}
			}
		}
	}
}
