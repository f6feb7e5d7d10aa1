package machine

// runBatch lets the engine run whole CTAs, from the one that is about to execute its first instruction, as long as that
// takes at most n instructions. It returns how many they have executed. The state is then what turns would have left:
// those CTAs have ended, and the one after them is about to begin, in their memory. The last CTA takes its turns.
func runBatch(g *Grid, n int64) (ran int64) {
	if len(g.State.CTAs) != 1 {
		return 0
	}
	b, c := &g.batch, g.State.CTAs[0]
	if c.Warps[0].last != 0 || c.edited || !batches(g) {
		return 0
	}
	b.Entry, b.Frames = g.Entry, b.Frames[:0]
	for _, w := range c.Warps {
		b.Frames = append(b.Frames, w.Base.Off)
	}
	s := &g.State
	for int64(s.Next) < g.Counters.CTAs {
		b.X, b.Left, b.Most = c.id.X, g.Counters.CTAs-int64(s.Next), n-ran
		b.CTAs = int(min(int64(g.Grid.X-c.id.X), b.Left))
		if !g.Dev.engine.RunCTAs(b) {
			break
		}
		s.Next += b.Done
		s.Tick += b.Ran
		ran += b.Ran
		g.Counters.CTAsDone += int64(b.Done)
		g.Counters.LaneInstructions -= b.Lost
		g.Counters.DivergentBranches += b.Parted
		if b.Done > 0 {
			s.ctaEnded()
		}
		c.Index = g.CTAAt(s.Next - 1)
		c.id = g.Grid.Index(c.Index)
		for _, w := range c.Warps {
			w.Base.fill(w)
		}
		if b.Done < b.CTAs {
			break
		}
	}
	g.Counters.WarpInstructions += ran
	g.Counters.LaneInstructions += 32 * ran
	return ran
}

// batches says whether an engine can run whole CTAs of the grid: they have no state but registers, and each of their
// warps ends in its first turn.
func batches(g *Grid) bool {
	fn := g.Entry
	return engineFor(g.State.CTAs[0].Warps[0]) != nil && g.breaks.to == nil && g.Flying == 0 && !g.Prog.Proxies &&
		g.ClusterSize() == 1 && g.block.X*g.block.Y*g.block.Z%32 == 0 && fn.Local == 0 && fn.End-fn.Start < TurnLength
}
