package machine

import "warpscope/gpu"

// Warps tells of all warps of a grid, at little cost.
func Warps(g *Grid) gpu.Warps {
	list := gpu.Warps{Grid: g.Grid, Cluster: g.cluster, PerCTA: (g.block.X*g.block.Y*g.block.Z + 31) / 32,
		Started: g.State.Next}
	if c := g.State.last; c != nil {
		list.LastCTA, list.LastWarp = c.Index, c.Cur
	}
	if n := len(g.State.CTAs) * list.PerCTA; n > 0 {
		list.Resident = make([]gpu.WarpState, 0, n)
	}
	for _, c := range g.State.CTAs {
		for _, w := range c.Warps {
			s := gpu.WarpState{CTA: c.Index, Index: w.Index, Ended: w.Ended}
			if !w.Ended {
				s.PC, s.Live, s.Active, s.Blocked = g.source(w.Cur.PC), w.Live, w.Cur.Mask, w.Blocked
				s.Waiting, s.At = w.atBarrier()
				if n := len(w.waits.list); n > 0 && w.Blocked {
					s.PC = w.waits.list[n-1].In.Src
				}
			}
			list.Resident = append(list.Resident, s)
		}
	}
	return list
}
