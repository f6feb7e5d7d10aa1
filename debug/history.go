package debug

import (
	"errors"
	"math"
	"slices"
	"sort"
	"time"

	"warpscope/emu"
	"warpscope/ptx"
)

// Snapshots are replayTime of running apart, so that every tick is that near, or further apart if taking one costs more
// than a part in snapshotShare of the time.
const (
	replayTime    = 8 * time.Millisecond
	snapshotShare = 10
	nearTime      = 3 * time.Millisecond  // of running, at most about twice that, from a snapshot to where the user is
	farTime       = 50 * time.Millisecond // of running from the user to where snapshots stay as far apart as elsewhere
	memoryBudget  = 44 << 20              // bytes that snapshots can take in addition to the first

	firstInterval = 1 << 18 // ticks between snapshots while it is not known how long ticks take
	leastInterval = 1 << 10
	mostInterval  = 1 << 24
	pieceTicks    = 1 << 16              // at most, from one look at the clock to the next
	shortTicks    = 1 << 6               // fewer are not timed
	measureTime   = 4 * time.Millisecond // of running before the speed is believed: some clocks are coarse
)

// history is a grid that can go to any tick that it has reached.
type history struct {
	grid     *emu.Grid
	snaps    []*emu.Snapshot // by tick; the first is at tick 0 and stays
	costs    []int64         // bytes of each that the one before does not have
	cost     int64           // sum of costs, without the first
	budget   int64
	interval int64 // ticks from one snapshot to the next
	fine     int64 // the same around where the user is
	near     int64 // ticks from the last snapshot before the user to the user, where fine is more
	far      int64 // ticks from the user from which on snapshots are kept at equal distances
	refused  int64 // tick of the last snapshot that was too large to be taken

	now   func() time.Duration
	took  time.Duration // the last snapshot
	ran   time.Duration // timed
	ticks int64         // in that time
	work  int64         // instructions executed so far, each as often as it was; tests bound it

	end       int64      // the furthest tick known
	fault     *emu.Fault // how the run ends, when that is known to be a fault
	faultTick int64      // of the state after the fault
	faultStep *emu.Step  // that led there
	faulted   bool       // the grid is there

	edits   []Edit        // by tick
	edition int           // how often the run has become another one: by an edit, or without it
	clean   *emu.Snapshot // the first, without edits
	noted   []emu.Finding // all that the run is known to make, by tick

	breaks   breaks
	breaksOn bool
}

// breaks are instructions at which run stops.
type breaks struct {
	insts     map[*ptx.Inst]bool
	cta, warp int      // whose they are; -1 means any
	addr      emu.Addr // instructions that write none of size bytes there may pass, if size is not 0
	size      int
}

func newHistory(g *emu.Grid) *history {
	start := time.Now()
	h := &history{grid: g, interval: firstInterval, fine: leastInterval, near: leastInterval, far: firstInterval,
		budget: memoryBudget, now: func() time.Duration { return time.Since(start) }}
	h.snapshot()
	h.clean = h.snaps[0]
	emu.LastAlive(g, 0) // from now on it is noted when CTAs end
	return h
}

// held is the bytes that the snapshots hold.
func (h *history) held() int64 { return h.snaps[0].Bytes + h.cost }

// tick is where the session is.
func (h *history) tick() int64 {
	if h.faulted {
		return h.faultTick
	}
	return h.grid.Tick()
}

// setBreaks chooses the instructions at which run stops, in all warps.
func (h *history) setBreaks(insts map[*ptx.Inst]bool) {
	h.exchangeBreaks(breaks{insts: insts, cta: -1, warp: -1})
}

// exchangeBreaks chooses where run stops, and returns where it has stopped so far.
func (h *history) exchangeBreaks(b breaks) (was breaks) {
	was, h.breaks = h.breaks, b
	h.grid.SetBreaks(nil)
	h.breaksOn = false
	return was
}

func (h *history) useBreaks(on bool) {
	b := &h.breaks
	if on == h.breaksOn || len(b.insts) == 0 {
		return
	}
	h.breaksOn = on
	if on && b.cta >= 0 {
		h.grid.SetBreaksOf(b.cta, b.warp, b.insts)
	} else if on {
		h.grid.SetBreaks(b.insts)
	} else {
		h.grid.SetBreaks(nil)
	}
	if on && b.size > 0 {
		emu.BreakWhereWritten(h.grid, b.addr, b.size)
	}
}

// run executes up to n instructions and stops at breakpoints, even at one on the very next instruction, unless
// pass. The error is nil, emu.ErrBreak, or the fault.
func (h *history) run(n int64, pass bool) error {
	h.useBreaks(true)
	return h.advance(n, func() bool {
		skip := pass
		pass = false
		return !skip && h.atBreak()
	})
}

// silently executes up to n instructions without stopping.
func (h *history) silently(n int64) error {
	h.useBreaks(false)
	return h.advance(n, func() bool { return false })
}

// advance runs from snapshot to snapshot. RunFor passes a breakpoint on its first instruction, so stop is asked before
// each piece.
func (h *history) advance(n int64, stop func() bool) error {
	for n > 0 && !h.faulted && !h.grid.Done() {
		if stop() {
			return emu.ErrBreak
		}
		before := h.grid.Tick()
		err := h.timed(min(n, max(h.nextSnapshot()-before, 1), pieceTicks, h.nextEdit(before)-before))
		n -= h.grid.Tick() - before
		h.passEdit()
		h.end = max(h.end, h.grid.Tick())
		var fault *emu.Fault
		if errors.As(err, &fault) {
			h.meet(fault)
			return fault
		}
		if err != nil {
			return err
		}
		if h.grid.Tick() >= h.nextSnapshot() {
			h.snapshot()
		}
	}
	return nil
}

// timed runs up to n instructions and measures how long they take.
func (h *history) timed(n int64) error {
	tick := h.grid.Tick()
	defer func() { h.work += h.grid.Tick() - tick }()
	if n < shortTicks {
		_, err := h.grid.RunFor(n)
		return err
	}
	start := h.now()
	_, err := h.grid.RunFor(n)
	h.ran += h.now() - start
	h.ticks += h.grid.Tick() - tick
	if h.ran >= measureTime {
		perTick := float64(h.ran) / float64(h.ticks)
		inTicks := func(d time.Duration) int64 { return max(int64(float64(d)/perTick), leastInterval) }
		wanted := min(inTicks(max(replayTime, snapshotShare*h.took)), mostInterval)
		h.interval = max(wanted, h.interval/4) // a machine that was busy is not slow forever
		h.fine = min(inTicks(4*h.took), h.interval)
		h.near, h.far = inTicks(nearTime), inTicks(farTime)
		h.ran, h.ticks = 0, 0
	}
	return err
}

// meet notes the state after a fault. Whether the machine has counted the last instruction depends on the fault: a
// deadlock is noticed after an instruction, other faults in the middle of one.
func (h *history) meet(fault *emu.Fault) {
	h.faulted = true
	if h.fault != nil {
		return
	}
	t := h.grid.Tick()
	h.fault, h.faultTick = fault, max(t, 1)
	h.seek(max(t-1, 0))
	rec, err := h.grid.Step()
	if err == nil {
		h.passEdit()
		rec, _ = h.grid.Step()
	}
	h.faulted, h.faultTick, h.faultStep = true, rec.Tick+1, &rec
	h.end = max(h.end, h.faultTick)
}

// enterFault executes the faulting instruction again, unless it was executed last, and returns its record.
func (h *history) enterFault() *emu.Step {
	if !h.faulted {
		h.seek(h.faultTick - 1)
		_, _ = h.grid.Step()
		h.faulted = true
	}
	return h.faultStep
}

// step executes one instruction with a record of it.
func (h *history) step() (emu.Step, error) {
	if h.grid.Tick() >= h.nextSnapshot() {
		h.snapshot()
	}
	rec, err := h.grid.Step()
	h.passEdit()
	var fault *emu.Fault
	if errors.As(err, &fault) {
		if h.fault == nil {
			h.fault, h.faultTick, h.faultStep = fault, rec.Tick+1, &rec
		}
		h.faulted = true
	}
	h.end = max(h.end, h.tick())
	return rec, err
}

// seek takes the machine to a tick from 0 to end.
func (h *history) seek(t int64) {
	if h.fault != nil && t >= h.faultTick {
		if !h.faulted {
			h.enterFault()
		}
		return
	}
	h.back(t)
	h.approach(t)
}

// back restores the last snapshot up to a tick, unless the machine is between the two.
func (h *history) back(t int64) {
	i := h.before(t + 1)
	if now := h.grid.Tick(); h.faulted || now > t || now < h.snaps[i].Tick {
		h.grid.Restore(h.snaps[i])
		h.faulted = false
	}
}

// glide is seek without snapshots near the tick. It executes at most n instructions, and says whether it has arrived.
func (h *history) glide(t, n int64) bool {
	h.back(t)
	_ = h.silently(min(t-h.grid.Tick(), n)) // no fault comes before faultTick
	return h.grid.Tick() == t
}

// approach runs to a tick. The nearer it comes, the closer together it takes snapshots, so that a step back from there
// is short. Where snapshots take long, they are far apart, but for the last one.
func (h *history) approach(t int64) {
	for left := t - h.grid.Tick(); left > 2*h.fine && !h.grid.Done(); left = t - h.grid.Tick() {
		_ = h.silently(left / 2) // no fault comes before faultTick
		h.snapshot()
	}
	if left := t - h.grid.Tick(); left > 2*h.near && !h.grid.Done() {
		_ = h.silently(left - h.near)
		h.snapshot()
	}
	_ = h.silently(t - h.grid.Tick())
}

// before is the index of the last snapshot before a tick; t is at least 1.
func (h *history) before(t int64) int {
	return sort.Search(len(h.snaps), func(i int) bool { return h.snaps[i].Tick >= t }) - 1
}

// nextSnapshot is the tick at which the next snapshot is due: an interval after the last one before here, unless that
// one exists already, or an interval after a refused one.
func (h *history) nextSnapshot() int64 {
	i := h.before(h.grid.Tick() + 1)
	for i+1 < len(h.snaps) && h.snaps[i+1].Tick <= h.snaps[i].Tick+h.interval {
		i++
	}
	from := h.snaps[i].Tick
	if h.refused <= h.grid.Tick() {
		from = max(from, h.refused)
	}
	return from + h.interval
}

// snapshot keeps the current state, unless that alone takes more than the budget.
func (h *history) snapshot() {
	t := h.grid.Tick()
	i := sort.Search(len(h.snaps), func(i int) bool { return h.snaps[i].Tick >= t })
	if i < len(h.snaps) && h.snaps[i].Tick == t || h.faulted {
		return
	}
	start := h.now()
	defer func() { h.took = h.now() - start }()
	if i > 0 && h.grid.SnapshotBytes() > h.budget {
		h.refused = t
		return
	}
	h.snaps = slices.Insert(h.snaps, i, h.grid.Snapshot())
	h.costs = slices.Insert(h.costs, i, 0)
	h.count(i)
	h.count(i + 1)
	for h.cost > h.budget && len(h.snaps) > 2 {
		least := h.leastUseful(t)
		if h.edited(h.snaps[least].Tick) {
			break
		}
		h.drop(least)
	}
}

// count computes again what a snapshot costs.
func (h *history) count(i int) {
	if i == 0 || i >= len(h.snaps) {
		return
	}
	cost := h.snaps[i].BytesBeside(h.snaps[i-1])
	h.cost += cost - h.costs[i]
	h.costs[i] = cost
}

func (h *history) drop(i int) {
	h.cost -= h.costs[i]
	h.snaps = slices.Delete(h.snaps, i, i+1)
	h.costs = slices.Delete(h.costs, i, i+1)
	h.count(i)
}

// leastUseful is the snapshot, not the first, whose loss leaves the smallest gap in relation to its distance from t.
// All that are far away count as equally far: a seek to there runs through the gap, wherever it comes from.
func (h *history) leastUseful(t int64) int {
	best, least := len(h.snaps)-1, 0.0
	for i := 1; i < len(h.snaps); i++ {
		next := h.end + h.interval
		if i+1 < len(h.snaps) {
			next = h.snaps[i+1].Tick
		}
		distance := min(max(h.snaps[i].Tick-t, t-h.snaps[i].Tick), h.far) + h.fine
		ratio := float64(next-h.snaps[i-1].Tick) / float64(distance)
		if h.snaps[i].Tick != t && !h.edited(h.snaps[i].Tick) && (least == 0 || ratio < least) {
			best, least = i, ratio
		}
	}
	return best
}

// untilStarted runs to the tick at which a warp's CTA starts, or executes about n instructions if the CTA has not
// started by then.
func (h *history) untilStarted(cta, warp int, n int64) error {
	const piece = 1 << 12
	for until := h.tick() + n; h.tick() < until && !h.started(cta, warp) && !h.grid.Done(); {
		from := h.tick()
		if err := h.silently(piece); err != nil {
			return err
		}
		if !h.started(cta, warp) {
			continue
		}
		for h.seek(from); !h.started(cta, warp); {
			if err := h.silently(1); err != nil {
				return err
			}
		}
	}
	return nil
}

// atBreak says whether the next instruction has a breakpoint. Breakpoints are on.
func (h *history) atBreak() bool { return len(h.breaks.insts) > 0 && h.grid.AtBreak() }

// turns finds the last two ticks before a tick at which a warp was about to execute; -1 means none. The machine can be
// at any tick afterwards.
func (h *history) turns(cta, warp int, before int64) (prev, last int64) {
	at := h.lastAlive(cta, warp, before)
	h.seek(at)
	prev, last, _ = h.grid.Turns(cta, warp)
	if c, w, ok := h.grid.Next(); ok && at < before && c == cta && w == warp {
		prev, last = last, at
	}
	return prev, last
}

// started says whether a warp's CTA has begun.
func (h *history) started(cta, warp int) bool {
	v := emu.WarpHead(h.grid, cta, warp)
	return v.Resident || v.Ended
}

// gone says whether a warp's CTA has ended, so that there is nothing to look at.
func (h *history) gone(cta, warp int) bool {
	_, _, ok := h.grid.Turns(cta, warp)
	return !ok && h.started(cta, warp)
}

// lastAlive is the last tick up to t at which a warp's CTA has not ended, and before the fault.
func (h *history) lastAlive(cta, warp int, t int64) int64 {
	if h.fault != nil {
		t = min(t, h.faultTick-1)
	}
	if h.seek(t); !h.gone(cta, warp) {
		return t
	}
	if alive, ok := emu.LastAlive(h.grid, cta); ok && alive < t {
		if h.seek(alive); !h.gone(cta, warp) {
			return alive
		}
	}
	first := sort.Search(h.before(t), func(i int) bool {
		h.grid.Restore(h.snaps[i+1])
		h.faulted = false
		return h.gone(cta, warp)
	})
	alive, gone := h.snaps[first].Tick, t
	if first+1 < len(h.snaps) {
		gone = min(t, h.snaps[first+1].Tick)
	}
	const looks = 64 // on one way, which is cheaper than many ways from the snapshot on
	for gone-alive > 1 {
		apart := (gone - alive + looks - 1) / looks
		for at := alive + apart; at < gone; at += apart {
			if h.glide(at, math.MaxInt64); h.gone(cta, warp) {
				gone = at
				break
			}
			alive = at
		}
	}
	return alive
}
