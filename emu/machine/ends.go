package machine

// mostEnds bounds the CTAs of grids that note when each of them ends.
const mostEnds = 1 << 16

// LastAlive returns the tick of the last instruction of a CTA that has ended since the first call of LastAlive, and not
// in a batch. To go back in time forgets nothing of it.
func LastAlive(g *Grid, cta int) (tick int64, ok bool) {
	if g.ends == nil && g.Counters.CTAs <= mostEnds {
		g.ends = make([]int64, g.Counters.CTAs)
	}
	if cta < 0 || cta >= len(g.ends) || g.ends[cta] == 0 {
		return 0, false
	}
	return g.ends[cta] - 1, true
}
