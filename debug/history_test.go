package debug

import (
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/internal/txtar"
)

// counting is one warp that counts up for ten million instructions and more: 4 of them a round.
func counting(t testing.TB) string { return txtar.Text(t, "history/counting") }

// timedSession is a session with a clock that advances by fixed times for each tick and each snapshot.
func timedSession(t *testing.T, src string, tick, snapshot time.Duration) *Session {
	s := open(t, src)
	h := s.history
	h.now = func() time.Duration {
		return time.Duration(h.grid.Tick())*tick + time.Duration(len(h.snaps))*snapshot
	}
	return s
}

// Ten million ticks of 100 ns are a second, which has room for ten snapshots of 10 ms. At first it is not known how
// long ticks take, so there can be a few more.
func TestSnapshotsTakeATenthOfTheTime(t *testing.T) {
	s := timedSession(t, counting(t), 100*time.Nanosecond, 10*time.Millisecond)
	require.True(t, s.RunFor(10_000_000))
	h := s.history
	require.LessOrEqual(t, len(h.snaps), 13)
	require.GreaterOrEqual(t, len(h.snaps), 8)
	for i := 3; i < len(h.snaps); i++ { // 10 times 10 ms are a million ticks
		require.GreaterOrEqual(t, h.snaps[i].Tick-h.snaps[i-1].Tick, int64(1_000_000))
	}
}

// If snapshots cost little, each tick can be reached within ten milliseconds, however slow ticks are, except for the
// first ones, which run before their speed is known. Compiled loops take 4 ns a tick.
func TestEveryTickIsNear(t *testing.T) {
	const near = 10 * time.Millisecond
	for _, tick := range []time.Duration{4, 10, 100, 2000} { // nanoseconds
		s := timedSession(t, counting(t), tick, time.Microsecond)
		require.True(t, s.RunFor(10_000_000))
		h := s.history
		require.LessOrEqual(t, h.cost, int64(memoryBudget))
		require.Greater(t, len(h.snaps), 5)
		for i := 5; i < len(h.snaps); i++ {
			gap := time.Duration(h.snaps[i].Tick-h.snaps[i-1].Tick) * tick
			require.LessOrEqual(t, gap, near, "a tick takes %v", tick)
		}
		require.LessOrEqual(t, time.Duration(h.grid.Tick()-h.snaps[len(h.snaps)-1].Tick)*tick, near)
	}
}

// After a seek, steps back and seeks nearby replay little.
func TestSnapshotsAreFinerAroundTheUser(t *testing.T) {
	s := timedSession(t, counting(t), 100*time.Nanosecond, time.Microsecond)
	s.RunFor(3_000_000)
	s.SeekTo(1_234_567)
	h := s.history
	near := func() int64 { return h.tick() - h.snaps[h.before(h.tick())].Tick }
	require.LessOrEqual(t, near(), 2*h.fine)
	require.LessOrEqual(t, h.fine, int64(leastInterval))
	for range 20 {
		s.StepBack()
		require.LessOrEqual(t, near(), 2*h.fine)
	}
}

// A step back to a tick nearby executes few instructions again, also where the warp has waited for 450,000 instructions
// of another one before. At 100 ns a tick a frame of 16 ms has room for 160,000 instructions.
func TestAStepBackNearbyExecutesLittle(t *testing.T) {
	s := timedSession(t, txtar.Text(t, "history/waiting"), 100*time.Nanosecond, 10*time.Millisecond)
	for s.RunFor(1 << 16) {
	}
	h, near, far := s.history, 0, 0
	s.SeekTo(h.end)
	for s.Follow(0, 1); s.warp == 1; {
		from, work := h.tick(), h.work
		if s.StepBack(); from-h.tick() > 100_000 {
			far++
			continue
		}
		near++
		require.Less(t, h.work-work, int64(160_000), "from %d to %d", from, h.tick())
	}
	require.Equal(t, 3, far, "over the barriers")
	require.Equal(t, 20, near) // 22 instructions without the first after each barrier, and the step to warp 0
}

// From one place to another far away, and back to where the followed warp executed last, few instructions are executed
// again, although 512 warps and their 2.4 MB of registers change all the time and there is room for 10 MB: snapshots
// share what registers keep, and far from the user they stay at equal distances. Of 2.7 million instructions at 100 ns,
// none is 80 ms away.
func TestSeeksExecuteLittle(t *testing.T) {
	text := txtar.File(t, "../bench/testdata/history.txtar")[0].Text
	s := timedSession(t, strings.Replace(text, "grid 64", "grid 16", 1), 100*time.Nanosecond, time.Millisecond)
	h := s.history
	h.budget = 10 << 20
	for s.RunFor(1 << 16) {
	}
	require.Greater(t, h.end, int64(2_700_000))
	r := rand.New(rand.NewSource(4))
	for range 20 {
		for _, move := range []func(){func() { s.SeekTo(r.Int63n(h.end + 1)) }, s.StepBack, s.StepBack} {
			from, work := h.tick(), h.work
			move()
			require.Less(t, h.work-work, int64(800_000), "from %d to %d", from, h.tick())
		}
	}
}

// To step back to a warp whose CTA has ended long ago is to go there: the place is known.
func TestAStepBackToAnEndedWarp(t *testing.T) {
	s := timedSession(t, rounds(t), 100*time.Nanosecond, time.Second)
	h := s.history
	h.budget = 100 // no snapshots but the first
	finish(s)
	s.SeekTo(h.end)
	s.Follow(1, 0)
	work := h.work
	s.StepBack()
	require.Equal(t, 1, s.cta)
	require.Less(t, h.tick(), h.end/2)
	require.Less(t, h.work-work, 3*h.tick())
}

// A snapshot that alone takes more than the budget is not taken, and is not tried again at every tick.
func TestNoSnapshotBeyondTheBudget(t *testing.T) {
	s := timedSession(t, counting(t), 100*time.Nanosecond, time.Microsecond)
	s.history.budget = 100
	s.RunFor(3_000_000)
	require.Len(t, s.history.snaps, 1)
	s.SeekTo(2_000_000)
	s.StepBack()
	require.Equal(t, int64(1_999_999), s.View().Tick)
}

// rounds is eight CTAs of two warps, of which CTA 0 ends long before the others.
func rounds(t testing.TB) string { return txtar.Text(t, "history/rounds") }

// The last two turns of a warp before a tick, even if its CTA has ended, are those found by going through all ticks one
// by one.
func TestTurnsAgreeWithGoingThroughAllTicks(t *testing.T) {
	s := open(t, rounds(t))
	h := s.history
	h.interval, h.fine = 1000, 10
	h.now = func() time.Duration { return 0 }
	of := map[[2]int][]int64{}
	for !h.grid.Done() {
		cta, warp, ok := h.grid.Next()
		require.True(t, ok)
		of[[2]int{cta, warp}] = append(of[[2]int{cta, warp}], h.grid.Tick())
		require.NoError(t, h.silently(1))
	}
	r := rand.New(rand.NewSource(2))
	for range 300 {
		cta, warp, before := r.Intn(8), r.Intn(2), r.Int63n(h.end+1)
		want := [2]int64{-1, -1}
		for _, tick := range of[[2]int{cta, warp}] {
			if tick < before {
				want = [2]int64{want[1], tick}
			}
		}
		prev, last := h.turns(cta, warp, before)
		require.Equal(t, want, [2]int64{prev, last}, "CTA %d, warp %d, before %d", cta, warp, before)
	}
}

// When a session of compiled code goes back and forth through the examples, each tick has the state of a straight run
// of the interpreter.
func TestTimeTravelThroughTheExamples(t *testing.T) {
	files, err := filepath.Glob("../public/examples/*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	r := rand.New(rand.NewSource(3))
	for _, file := range files {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		s := openWith(t, string(src), emu.Compiled)
		for s.RunFor(1 << 20) {
		}
		h := s.history
		ticks := []int64{h.end}
		for range 12 {
			ticks = append(ticks, r.Int63n(h.end+1))
		}
		slices.Sort(ticks)
		straight, hashes := openWith(t, string(src), emu.Interpreter), map[int64]uint64{}
		for _, tick := range ticks {
			straight.RunFor(tick - straight.history.tick())
			hashes[straight.history.tick()] = straight.history.grid.Hash()
		}
		for range 20 {
			tick := ticks[r.Intn(len(ticks))]
			s.SeekTo(tick)
			require.Equal(t, hashes[h.tick()], h.grid.Hash(), "%s at %d", file, tick)
			s.Follow(r.Intn(4), r.Intn(4))
			for range r.Intn(3) {
				s.StepBack()
				s.Step()
				s.StepBack()
			}
		}
	}
}
