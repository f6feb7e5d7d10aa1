package machine

import (
	"warpscope/emu/causal"
	"warpscope/gpu"
	"warpscope/ptx"
)

// A cluster is a box of CTAs that are resident together and reach each other's shared memory (2.2.2). An address of
// shared memory below ClusterStride belongs to the CTA itself, even where the space is .shared::cluster. The shared
// memory of rank r begins at (r+1) * ClusterStride, for all CTAs of the cluster.
const (
	ClusterStride = 512 << 10
	maxCluster    = 16 // CTAs: hardware allows 16 with a special launch attribute, and 8 without

	// ClusterSpace is .shared::cluster: shared memory of any CTA of the cluster.
	ClusterSpace = ptx.SharedSpace | 0x80
)

// ClusterSize returns how many CTAs a cluster has.
func (s *shape) ClusterSize() int { return s.cluster.X * s.cluster.Y * s.cluster.Z }

// clusters returns the shape of the grid in clusters.
func (s *shape) clusters() Dim3 {
	return Dim3{X: s.Grid.X / s.cluster.X, Y: s.Grid.Y / s.cluster.Y, Z: s.Grid.Z / s.cluster.Z}
}

// clusterCount returns how many clusters the grid has.
func (s *shape) clusterCount() int { return s.Grid.X * s.Grid.Y * s.Grid.Z / s.ClusterSize() }

// inCluster splits the index of a CTA into the index of its cluster and the index in that cluster.
func (s *shape) inCluster(id Dim3) (cluster, at Dim3) {
	c := s.cluster
	return Dim3{X: id.X / c.X, Y: id.Y / c.Y, Z: id.Z / c.Z}, Dim3{X: id.X % c.X, Y: id.Y % c.Y, Z: id.Z % c.Z}
}

// startOrder returns the place of a CTA in the order in which CTAs start: cluster by cluster. index is linear, x
// fastest.
func (g *Grid) startOrder(index int) int {
	at, size := gpu.StartOrder(g.Grid, g.cluster, index), g.ClusterSize()
	return g.Dev.opts.Schedule.Permute(g.clusterCount(), at/size, true)*size + at%size
}

// CTAAt returns the linear index of the CTA at a place of that order: the inverse of startOrder.
func (g *Grid) CTAAt(turn int) int {
	place := g.Dev.opts.Schedule.Permute(g.clusterCount(), turn/g.ClusterSize(), false)
	cluster, at, c := g.clusters().Index(place), g.cluster.Index(turn%g.ClusterSize()), g.cluster
	return g.Grid.Linear(Dim3{X: cluster.X*c.X + at.X, Y: cluster.Y*c.Y + at.Y, Z: cluster.Z*c.Z + at.Z})
}

// Rank returns the CTA's rank in its cluster.
func (c *CTA) Rank() int {
	_, at := c.Grid.inCluster(c.id)
	return c.Grid.cluster.Linear(at)
}

// peers lists the CTAs of the cluster that have not ended, by rank. The CTA itself is among them.
func (c *CTA) peers() []*CTA {
	own, _ := c.Grid.inCluster(c.id)
	var list []*CTA
	for _, p := range c.Grid.State.CTAs {
		if of, _ := c.Grid.inCluster(p.id); of == own {
			list = append(list, p)
		}
	}
	return list
}

// Peer returns the CTA of a rank in the cluster, or nil when it has ended or there is none.
func (c *CTA) Peer(rank int) *CTA {
	if rank == c.Rank() {
		return c
	}
	for _, p := range c.peers() {
		if p.Rank() == rank {
			return p
		}
	}
	return nil
}

// rankOffset returns what another CTA adds to an address of CTA c's shared memory to reach it.
func (g *Grid) rankOffset(cta int, c *CTA) Addr {
	if cta == c.Index {
		return 0
	}
	return Addr(c.Rank()+1) * ClusterStride
}

// SharedOwner returns the CTA whose shared memory a generic address of CTA cta is in, and the address as its owner sees
// it. An address elsewhere comes back unchanged. CTAs are given by their linear index.
func (g *Grid) SharedOwner(cta int, a Addr) (int, Addr) {
	at := a - g.Mem.Win.Shared
	if at < ClusterStride || !g.Mem.Win.InShared(a) {
		return cta, a
	}
	cluster, _ := g.inCluster(g.Grid.Index(cta))
	c, in := g.cluster, g.cluster.Index(int(at/ClusterStride)-1)
	return g.Grid.Linear(Dim3{X: cluster.X*c.X + in.X, Y: cluster.Y*c.Y + in.Y, Z: cluster.Z*c.Z + in.Z}),
		g.Mem.Win.Shared + at%ClusterStride
}

// ClusterArrivals returns how many threads of the cluster have arrived at its barrier.
func (c *CTA) ClusterArrivals() (n int) {
	for _, p := range c.peers() {
		for _, w := range p.Warps {
			n += w.Cluster.Arrived.Count()
		}
	}
	return n
}

// ClusterLive returns how many threads of the cluster have not exited.
func (c *CTA) ClusterLive() (n int) {
	for _, p := range c.peers() {
		n += p.live
	}
	return n
}

// SettleCluster completes the cluster's barrier when all its threads have arrived, except those that have exited or
// will exit without coming to a barrier. It returns whether it has completed the barrier.
func (c *CTA) SettleCluster() bool {
	if c.Grid.ClusterSize() == 0 {
		return false
	}
	peers, any := c.peers(), false
	for _, p := range peers {
		for _, w := range p.Warps {
			any = any || w.Cluster.Arrived != 0
			missing := w.Live &^ w.Cluster.Arrived
			if !w.Ended && missing != 0 && missing&^excused(w) != 0 {
				return false
			}
		}
	}
	if !any {
		return false
	}
	c.Grid.State.Progress = true
	meetCluster(peers)
	for _, p := range peers {
		for _, w := range p.Warps {
			w.Cluster.Arrived = 0
			w.EndWaits(func(o *Waiting) bool {
				if o.At == AtCluster {
					w.Cluster.Awaiting &^= o.lanes
				}
				return o.At == AtCluster
			})
		}
	}
	return true
}

// meetCluster orders accesses at the cluster's barrier.
func meetCluster(peers []*CTA) {
	var told causal.Facts
	for _, p := range peers {
		for _, w := range p.Warps {
			told, w.Cluster.Told = told.And(w.Cluster.Told), nil
		}
	}
	for _, p := range peers {
		p.order.Learn(told)
	}
}
