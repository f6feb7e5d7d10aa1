package emu

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
)

// hungry are programs whose state is mostly something else than buffers.
var hungry = map[string]struct {
	threads, ctas int
	between       int64 // ticks from one snapshot to the next
	text          string
}{
	"allocations": {32, 1, 20_000, `.extern .func (.param .b64 r) malloc (.param .b64 n);
.visible .entry k() {
	.reg .pred %p; .reg .b64 %d;
L:	{ .param .b64 n; .param .b64 r; st.param.b64 [n], 1; call (r), malloc, (n); ld.param.b64 %d, [r]; }
	setp.ne.u64 %p, %d, 0;
	@%p bra L;
	ret;
}`},
	"CTAs": {256, 512, 40_000_000, `.visible .entry k() {
L:	bra L;
}`},
	"recursion": {32, 1, 3_500, `.func f() { call f; ret; }
.visible .entry k() { call f; ret; }`},
	"deep recursion": {1024, 1, 32 * 3500, `.func f() { call f; ret; }
.visible .entry k() { call f; ret; }`},
	"recursion on one side": {64, 1, 10_000, `.func f() {
	.reg .pred %p; .reg .u32 %l;
	mov.u32 %l, %laneid;
	setp.gt.u32 %p, %l, 7;
	@%p bra D;
	call f;
D:	ret;
}
.visible .entry k() { call f; ret; }`},
}

func launchHungry(t *testing.T, name string, model Divergence) *Grid {
	t.Helper()
	p := hungry[name]
	m, err := ptx.Parse("test.ptx", []byte(".version 6.4\n.target sm_70\n.address_size 64\n"+p.text))
	require.NoError(t, err)
	d, err := Load(m, Options{Divergence: model, MemoryLimit: 128 << 20})
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Grid: Dim3{X: p.ctas}, Block: Dim3{X: p.threads}})
	require.NoError(t, err)
	return g
}

// allocation returns the bytes that a function allocates, as Go's heap counts them: a sum that only grows, whatever the
// garbage collector frees meanwhile, and when.
func allocation(do func()) int64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // no other goroutine runs meanwhile, as in testing.AllocsPerRun
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// The size that a snapshot reports is the size that it allocates on the heap, and SnapshotBytes predicts it.
func TestSnapshotsCountAllThatTheyHold(t *testing.T) {
	for name, p := range hungry {
		for _, model := range Divergences() {
			g := launchHungry(t, name, model)
			_, err := g.RunFor(p.between)
			require.NoError(t, err, name)
			most := g.SnapshotBytes()
			var snap, next *Snapshot
			held := allocation(func() { snap = g.Snapshot() })
			require.InEpsilon(t, held, snap.Bytes, 0.25, "%s, %v: %d bytes held", name, model, held)
			require.LessOrEqual(t, snap.Bytes, most, name)

			_, err = g.RunFor(min(p.between, 500))
			require.NoError(t, err, name)
			held = allocation(func() { next = g.Snapshot() })
			beside := next.BytesBeside(snap) // frames of calls, which the two share, count for each
			require.GreaterOrEqual(t, beside, held*3/4, "%s, %v: %d bytes held beside", name, model, held)
			require.LessOrEqual(t, beside, held*9/4, "%s, %v: %d bytes held beside", name, model, held)
		}
	}
}

// Thirty-two warps, each in thousands of calls: taking a snapshot and going back to it goes through the calls once.
func TestSnapshotsOfDeepRecursion(t *testing.T) {
	g := launchHungry(t, "deep recursion", Independent)
	_, err := g.RunFor(32 * 3900)
	require.NoError(t, err)
	rounds := 5
	if testing.Short() {
		rounds = 1
	}
	for range rounds {
		snap, hash := g.Snapshot(), g.Hash()
		_, err := g.RunFor(64)
		require.NoError(t, err)
		require.NotEqual(t, hash, g.Hash())
		g.Restore(snap)
		require.Equal(t, hash, g.Hash())
	}
}

// Two snapshots share the CTAs that had no turn between them: of 512, all but two.
func TestSnapshotsShareCTAsThatWait(t *testing.T) {
	models := Divergences()
	if testing.Short() {
		models = models[:1]
	}
	for _, model := range models {
		g := launchHungry(t, "CTAs", model)
		_, err := g.RunFor(hungry["CTAs"].between)
		require.NoError(t, err)
		require.Len(t, g.State.CTAs, 512)
		hash := g.Hash()
		snap := g.Snapshot()
		_, err = g.RunFor(500)
		require.NoError(t, err)
		next := g.Snapshot()
		require.Less(t, next.Bytes, snap.Bytes/20, model)
		require.Less(t, next.BytesBeside(snap), snap.Bytes/20, model)
		g.Restore(snap)
		require.Equal(t, hash, g.Hash())
	}
}
