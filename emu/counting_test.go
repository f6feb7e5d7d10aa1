package emu_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/emu/count"
	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// countNames are the counts that testdata/counting.txtar names.
var countNames = map[string]func(c *count.Counts) int64{
	"instructions": func(c *count.Counts) int64 { return c.Instructions },
	"lanes":        func(c *count.Counts) int64 { return c.Lanes },
	"off":          func(c *count.Counts) int64 { return c.Off },
	"branches":     func(c *count.Counts) int64 { return c.Branches },
	"divergent":    func(c *count.Counts) int64 { return c.Divergent },
	"requests":     func(c *count.Counts) int64 { return c.Global.Requests },
	"sectors":      func(c *count.Counts) int64 { return c.Global.Parts },
	"ideal":        func(c *count.Counts) int64 { return c.Global.Ideal },
	"accesses":     func(c *count.Counts) int64 { return c.Shared.Requests },
	"wavefronts":   func(c *count.Counts) int64 { return c.Shared.Parts },
	"conflicts":    func(c *count.Counts) int64 { return c.Shared.Parts - c.Shared.Ideal },
	"locals":       func(c *count.Counts) int64 { return c.Local.Requests },
	"parts":        func(c *count.Counts) int64 { return c.Local.Parts },
	"atomics":      func(c *count.Counts) int64 { return c.Atomics },
	"repeats":      func(c *count.Counts) int64 { return c.Repeats },
	"arrivals":     func(c *count.Counts) int64 { return c.Arrivals },
	"waits":        func(c *count.Counts) int64 { return c.Waits },
}

// countingGrid launches two warps of a program of testdata/counting.txtar.
func countingGrid(t *testing.T, src string, o emu.Options) *emu.Grid {
	t.Helper()
	m, err := ptx.Parse("test.ptx", []byte(src))
	require.NoError(t, err)
	d, err := emu.Load(m, o)
	require.NoError(t, err)
	p, err := d.Alloc(4096)
	require.NoError(t, err)
	g, err := d.Launch(emu.Config{Entry: "k", Block: emu.Dim3{X: 64}, Args: [][]byte{emu.Ptr(p)}})
	require.NoError(t, err)
	return g
}

// wantCounts reads what a line says after "//=".
func wantCounts(t *testing.T, line string) (want map[string]int64, ok bool) {
	t.Helper()
	_, text, ok := strings.Cut(line, "//=")
	want = map[string]int64{}
	words := strings.Fields(text)
	for i := 0; i+1 < len(words); i += 2 {
		n, err := strconv.ParseInt(words[i+1], 10, 64)
		require.NoError(t, err)
		require.Contains(t, countNames, words[i])
		want[words[i]] = n
	}
	return want, ok
}

// TestCounters: each line counts what it says, with and without sanitizers, at full speed and in single steps; the
// lines together count as much as the warps together.
func TestCounters(t *testing.T) {
	for _, part := range txtar.Parts(t, "counting") {
		for _, o := range []emu.Options{{}, {Sanitize: emu.Racecheck | emu.Initcheck}, {Divergence: emu.Stack}} {
			o.Counters = true
			for _, steps := range []int64{1 << 20, 3, 0} {
				g := countingGrid(t, part.Text, o)
				for done := false; !done; done = g.Done() {
					var err error
					if steps == 0 {
						_, err = g.Step()
					} else {
						_, err = g.RunFor(steps)
					}
					require.NoError(t, err)
				}
				a := emu.AccountOf(g)
				for i, line := range strings.Split(part.Text, "\n") {
					want, ok := wantCounts(t, line)
					if !ok {
						continue
					}
					var have count.Counts
					for _, in := range a.At(i + 1) {
						have.Add(&in.Counts)
					}
					for name, of := range countNames {
						require.Equal(t, want[name], of(&have), "%s, %s, %v, %d steps: %s", part.Name, name, o, steps, line)
					}
				}
				var lines, warps count.Counts
				for _, in := range a.Insts {
					lines.Add(&in.Counts)
				}
				for _, w := range a.Warps {
					warps.Add(&w.Counts)
				}
				require.Equal(t, lines, warps, part.Name)
				require.Len(t, a.Warps, 2)
			}
		}
	}
}

// TestCountersChangeNothing: programs do the same with and without counters, step by step of the schedule.
func TestCountersChangeNothing(t *testing.T) {
	for _, file := range programs(t) {
		with, without := prepare(t, file, emu.Options{Counters: true}), prepare(t, file, emu.Options{})
		for steps := 0; steps < 10; steps++ {
			done, err := with.RunFor(997)
			again, errAgain := without.RunFor(997)
			require.Equal(t, done, again, file)
			require.Equal(t, err == nil, errAgain == nil, file)
			require.Equal(t, without.Hash(), with.Hash(), file)
			require.Equal(t, without.Stats(), with.Stats(), file)
			require.Equal(t, without.LineCounts(), with.LineCounts(), file)
			if done || err != nil {
				break
			}
		}
		stats, a := with.Stats(), emu.AccountOf(with)
		var total, warps count.Counts
		for _, in := range a.Insts {
			total.Add(&in.Counts)
		}
		for _, w := range a.Warps {
			warps.Add(&w.Counts)
		}
		require.Equal(t, stats.LaneInstructions, total.Lanes, file)
		require.Equal(t, stats.Branches, total.Branches, file)
		require.Equal(t, stats.DivergentBranches, total.Divergent, file)
		require.Equal(t, stats.Barriers, total.Arrivals, file)
		require.Equal(t, total, warps, file)
		require.Equal(t, stats.WarpInstructions, warps.Instructions, file)
	}
}

// Without counters nothing is kept.
func TestNoCounters(t *testing.T) {
	src := txtar.Parts(t, "counting")[0].Text
	g := countingGrid(t, src, emu.Options{})
	require.NoError(t, g.Run(context.Background()))
	require.Nil(t, emu.AccountOf(g))
}

// The registers of 32 bits that are live at most, by hand.
func TestLiveRegisters(t *testing.T) {
	const src = `.version 6.4
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .pred %q; .reg .u32 %a, %b, %c; .reg .u64 %p;
	ld.param.u64 %p, [p];
	mov.u32 %a, 1;
	mov.u32 %b, 2;
	setp.lt.u32 %q, %a, %b;
	add.u32 %c, %a, %b;
	@%q add.u32 %c, %c, %a;
	st.global.u32 [%p], %c;
	ret;
}
`
	// Before line 10, setp, %p counts two, %a and %b one each. Later there are as many: %p, %a and %c with %q.
	g := countingGrid(t, src, emu.Options{Counters: true})
	require.NoError(t, g.Run(context.Background()))
	require.Equal(t, count.Live{Registers: 4, Line: 10}, emu.AccountOf(g).Live)
}
