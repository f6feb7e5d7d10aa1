package machine

// Options.Schedule names another legal schedule than the usual one: CTAs start in another order and have other shares
// of time, the warps of a CTA take turns in another order, and turns have other lengths, down to one instruction. All
// this depends on the seed and on state that the machine has anyway. So a run in a schedule is repeated exactly, every
// warp comes to its turn, and the watch for endless spins finds states that come back.

// pick returns a number below n for parts of the state.
func pick(g *Grid, n int, parts ...int) int {
	h := g.Dev.opts.Schedule
	for _, p := range parts { // the finalizer of splitmix64
		h += uint64(p)*0xbf58476d1ce4e5b9 + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return int(h % uint64(n))
}

// usual says whether the schedule is the usual one.
func usual(g *Grid) bool { return g.Dev.opts.Schedule == 0 }

// What pick picks.
const (
	pickTurn = iota
	pickSlice
	pickStride
	pickFirst
	pickBackward
)

// turnOf returns the length of the turn that a warp begins: at most turnLength instructions.
func turnOf(g *Grid, w *Warp) int64 {
	if usual(g) {
		return turnLength
	}
	return 1 << pick(g, 9, pickTurn, w.CTA.Index, w.Index, int(w.Cur.PC))
}

// sliceOf returns for how many instructions the current CTA runs before another one does.
func sliceOf(g *Grid) int64 {
	if usual(g) {
		return ctaSlice
	}
	return 1 << pick(g, 17, pickSlice, g.State.Cur)
}

// stride returns how far the next warp's index is from that of the last one, modulo the number of warps. All warps come
// to their turn.
func (c *CTA) stride() int {
	n := len(c.Warps)
	if usual(c.Grid) || n < 3 {
		return 1
	}
	s := 1 + pick(c.Grid, n-1, pickStride, c.Index)
	for gcd(s, n) != 1 {
		s = s%(n-1) + 1
	}
	return s
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// permute turns a place in the usual order of n clusters into one in this schedule's, and back.
func permute(g *Grid, n, place int, back bool) int {
	if usual(g) || n < 2 {
		return place
	}
	first := pick(g, n, pickFirst)
	switch {
	case pick(g, 2, pickBackward) == 1: // its own inverse
		return (n + first - place) % n
	case back:
		return (n + place - first) % n
	}
	return (place + first) % n
}
