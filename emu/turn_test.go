package emu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
)

// adds is a straight line of n instructions.
func adds(n int) string { return strings.Repeat("add.u32 %i, %i, 1; ", n) }

const turnHead = `.reg .pred %p, %never; .reg .b32 %i, %t;
	`

// turnFunction has 100 instructions before its ret.
var turnFunction = ".func f() { .reg .b32 %i; mov.u32 %i, %clock; " + adds(99) + "ret; }\n"

func launchTurns(t *testing.T, model Divergence, body string, grid, block int) *Grid {
	t.Helper()
	m, err := ptx.Parse("test.ptx", []byte(".version 6.4\n.target sm_70\n.address_size 64\n"+turnFunction+
		".entry k() {\n"+turnHead+body+"}"))
	require.NoError(t, err)
	d, err := Load(m, Options{Divergence: model})
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Grid: Dim3{X: grid}, Block: Dim3{X: block}})
	require.NoError(t, err)
	return g
}

// The first turn ends at the first block boundary that the warp comes to with 256 instructions or more. It goes on
// there, up to the first one with 4096 or more, while the block after the boundary only computes with registers. To
// read the clock is more than that.
func TestTurnsEndAtBlockBoundaries(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       int64
	}{
		{"a loop that comes to its head with 2 + 3k instructions: k = 85", `mov.u32 %i, 0; mov.u32 %t, 0;
			LOOP: mov.u32 %i, %clock; setp.lt.u32 %p, %i, 1500; @%p bra LOOP; ret;`, 257},
		{"a loop that comes to its head after 256", `mov.u32 %i, 0;
			LOOP: mov.u32 %i, %clock; setp.lt.u32 %p, %i, 1500; @%p bra LOOP; ret;`, 256},
		{"a private loop that comes to its head with 2 + 3k instructions: k = 1365", `mov.u32 %i, 0; mov.u32 %t, 0;
			LOOP: add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 5000; @%p bra LOOP; ret;`, 4097},
		{"a private loop, up to the block after it: 2 + 3 * 100", `mov.u32 %i, 0; mov.u32 %t, 0;
			LOOP: add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 100; @%p bra LOOP; mov.u32 %i, %clock; ` + adds(300) + `ret;`, 302},
		{"private blocks up to one that is not", adds(300) + "NEXT: " + adds(300) + "@%never bra NEXT; mov.u32 %i, %clock; " +
			adds(300) + "ret;", 601},
		{"a long block, with its branch", adds(300) + "bra NEXT; NEXT: mov.u32 %t, %clock; " + adds(300) + "ret;", 301},
		{"a block that ends at a label", adds(300) + "NEXT: mov.u32 %t, %clock; " + adds(300) +
			"@%never bra NEXT; ret;", 300},
		{"a branch that no lane takes", adds(260) + "@%never bra END; mov.u32 %t, %clock; " + adds(300) + "END: ret;", 261},
		{"an exit that no lane takes", adds(260) + "@%never exit; mov.u32 %t, %clock; " + adds(300) + "ret;", 261},
		{"a function's first instruction", adds(255) + "call f; " + adds(300) + "ret;", 256},
		{"the instruction after a call: 200 + 1 + 100 + 1", adds(200) + "call f; mov.u32 %t, %clock; " + adds(300) +
			"ret;", 302},
		{"the warp ends before", adds(10) + "ret;", 11},
		{"the warp waits before, in the middle of a block", adds(10) + "bar.sync 0; " + adds(300) + "ret;", 11},
		{"the warp yields before, in the middle of a block", adds(10) + "nanosleep.u32 1; " + adds(300) + "ret;", 11},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, model := range Divergences() {
				whole, steps := launchTurns(t, model, test.body, 1, 64), launchTurns(t, model, test.body, 1, 64)
				_, err := whole.RunFor(test.want)
				require.NoError(t, err)
				for range test.want {
					rec, err := steps.Step()
					require.NoError(t, err)
					require.Zero(t, rec.Warp, "tick %d", rec.Tick)
				}
				for _, g := range []*Grid{whole, steps} {
					_, warp, _ := g.Next()
					require.Equal(t, 1, warp)
				}
			}
		})
	}
}

// A CTA's slice ends with the turn in which it has run 65,536 instructions. Its first turn has 2 + 3 * 1365 = 4097,
// each other one 3 * 1366 = 4098, and 4097 + 15 * 4098 = 65,567 is the first sum that is enough.
func TestSlicesOfCTAsEndWithATurn(t *testing.T) {
	g := launchTurns(t, Stack, `mov.u32 %i, 0; mov.u32 %t, 0;
		LOOP: add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 50000; @%p bra LOOP; ret;`, 2, 32)
	_, err := g.RunFor(65_566)
	require.NoError(t, err)
	cta, _, _ := g.Next()
	require.Equal(t, 0, cta)
	_, err = g.RunFor(1)
	require.NoError(t, err)
	cta, _, _ = g.Next()
	require.Equal(t, 1, cta)
}

// However a run is divided by slices, steps, breakpoints and snapshots, the state after some instructions is the same,
// even on the way to a block boundary.
func TestTurnsDoNotDependOnHowARunIsDivided(t *testing.T) {
	body := `.shared .b32 flag; mov.u32 %t, %tid.x; mov.u32 %i, 0; ` + adds(270) + `setp.lt.u32 %p, %t, 20; @%p bra LOW;
		` + adds(200) + ` call f; bra MEET;
	LOW: call f; ` + adds(333) + `
	MEET: bar.sync 0; mov.u32 %i, 0;
	LOOP: ` + adds(40) + `@%never bra LOOP; setp.lt.u32 %p, %i, 600; @%p bra LOOP;
		setp.eq.u32 %p, %t, 63; @%p st.volatile.shared.b32 [flag], 1; @%p bra END;
	SPIN: ld.volatile.shared.b32 %i, [flag]; setp.eq.u32 %p, %i, 0; @%p bra SPIN;
	END: ret;`
	for _, model := range Divergences() {
		start := func() *Grid { return launchTurns(t, model, body, 1, 64) }
		var hashes []uint64
		var executed []ptx.Span
		for g := start(); !g.Done(); {
			hashes = append(hashes, g.Hash())
			rec, err := g.Step()
			require.NoError(t, err)
			executed = append(executed, rec.Inst.Span)
		}
		for seed := range uint64(20) {
			r, g := rand.New(rand.NewPCG(seed, 1)), start()
			breaks, observed, seen := map[*ptx.Inst]bool{}, map[*ptx.Inst]bool{}, map[int64]bool{}
			at := map[ptx.Span]bool{}
			for _, f := range g.Prog.Mod.Funcs {
				for _, in := range f.Insts {
					breaks[in] = seed%2 == 1 && r.IntN(50) == 0
					observed[in] = seed%3 == 1 && r.IntN(50) == 0
					at[in.Span] = observed[in]
				}
			}
			if seed%3 == 1 {
				Observe(g, observed, func(cta, warp int) {
					require.Equal(t, hashes[g.Tick()], g.Hash(), "%v, seed %d, observed at %d", model, seed, g.Tick())
					require.Equal(t, executed[g.Tick()], g.Warp(cta, warp).PC.Span)
					seen[g.Tick()] = true
				})
			}
			if g.SetBreaks(breaks); seed%4 == 1 {
				g.SetBreaksOf(0, 1, breaks)
			}
			run := func() {
				if _, err := g.RunFor(1 + r.Int64N(1<<r.IntN(11))); err != nil {
					require.Equal(t, ErrBreak, err)
				}
				if !g.Done() {
					require.Equal(t, hashes[g.Tick()], g.Hash(), "%v, seed %d, tick %d", model, seed, g.Tick())
				}
			}
			for !g.Done() {
				run()
				if r.IntN(4) == 0 {
					snap := g.Snapshot()
					run()
					g.Restore(snap)
				}
			}
			require.EqualValues(t, len(hashes), g.Tick())
			for tick, span := range executed {
				require.Equal(t, at[span], seen[int64(tick)], "%v, seed %d, tick %d", model, seed, tick)
			}
		}
	}
}
