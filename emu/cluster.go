package emu

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"warpscope/emu/mem"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// A cluster is a box of CTAs that are resident together and reach each other's shared memory (2.2.2). An address of
// shared memory below clusterStride is the own CTA's, also where the space is .shared::cluster; the shared memory of
// rank r begins at (r+1) * clusterStride, for all CTAs of the cluster.
const (
	clusterStride = 512 << 10
	maxCluster    = 16 // CTAs, as hardware allows with a special launch attribute; 8 without

	// clusterSpace is .shared::cluster: shared memory of any CTA of the cluster.
	clusterSpace = ptx.SharedSpace | 0x80
)

// layCluster checks the shape of clusters, of the launch or of the kernel (11.7), and counts the CTAs.
func layCluster(g *Grid, launch Dim3) error {
	f := g.entry.src
	required := Dim3{X: f.ReqNCTAPerCluster[0], Y: f.ReqNCTAPerCluster[1], Z: f.ReqNCTAPerCluster[2]}
	g.cluster, g.clustered = ones(launch), launch != Dim3{} || required != Dim3{}
	if launch == (Dim3{}) {
		g.cluster = ones(required)
	}
	c := g.cluster
	size := c.X * c.Y * c.Z
	switch {
	case required != Dim3{} && c != ones(required):
		return fmt.Errorf("%s requires clusters of %v CTAs (.reqnctapercluster), not %d x %d x %d",
			f.Name, f.ReqNCTAPerCluster, c.X, c.Y, c.Z)
	case f.ExplicitCluster && !g.clustered:
		return fmt.Errorf("%s must be launched with a cluster shape (.explicitcluster)", f.Name)
	case size > 1 && g.prog.mod.SM < 90:
		return fmt.Errorf("clusters need a .target of sm_90 or later")
	case f.MaxClusterRank != 0 && size > f.MaxClusterRank:
		return fmt.Errorf("%s allows at most %s in a cluster (.maxclusterrank), not %d", f.Name,
			ptx.Plural(f.MaxClusterRank, "CTA"), size)
	case size > maxCluster:
		return fmt.Errorf("a cluster of %d CTAs: the limit is %d", size, maxCluster)
	}
	if f.BlocksAreClusters { // 11.8.1: the launch counts clusters
		g.grid = Dim3{X: g.grid.X * c.X, Y: g.grid.Y * c.Y, Z: g.grid.Z * c.Z}
	}
	if n := g.grid; n.X%c.X != 0 || n.Y%c.Y != 0 || n.Z%c.Z != 0 {
		return fmt.Errorf("a grid of %d x %d x %d CTAs cannot be cut into clusters of %d x %d x %d",
			n.X, n.Y, n.Z, c.X, c.Y, c.Z)
	}
	return nil
}

// clusterSize is the number of CTAs in a cluster.
func (s *shape) clusterSize() int { return s.cluster.X * s.cluster.Y * s.cluster.Z }

// clusters is the shape of the grid in clusters.
func (s *shape) clusters() Dim3 {
	return Dim3{X: s.grid.X / s.cluster.X, Y: s.grid.Y / s.cluster.Y, Z: s.grid.Z / s.cluster.Z}
}

// inCluster splits the index of a CTA into that of its cluster and that in the cluster.
func (s *shape) inCluster(id Dim3) (cluster, at Dim3) {
	c := s.cluster
	return Dim3{X: id.X / c.X, Y: id.Y / c.Y, Z: id.Z / c.Z}, Dim3{X: id.X % c.X, Y: id.Y % c.Y, Z: id.Z % c.Z}
}

// turnOf is the place of a CTA in the order in which CTAs start: cluster by cluster.
func (g *Grid) turnOf(index int) int {
	cluster, at := g.inCluster(g.grid.Index(index))
	return g.clusters().Linear(cluster)*g.clusterSize() + g.cluster.Linear(at)
}

// ctaAt undoes turnOf.
func (g *Grid) ctaAt(turn int) int {
	cluster, at, c := g.clusters().Index(turn/g.clusterSize()), g.cluster.Index(turn%g.clusterSize()), g.cluster
	return g.grid.Linear(Dim3{X: cluster.X*c.X + at.X, Y: cluster.Y*c.Y + at.Y, Z: cluster.Z*c.Z + at.Z})
}

// rank is the CTA's rank in its cluster.
func (c *cta) rank() int {
	_, at := c.grid.inCluster(c.id)
	return c.grid.cluster.Linear(at)
}

// peers are the CTAs of the cluster that have not ended, by rank.
func (c *cta) peers() []*cta {
	own, _ := c.grid.inCluster(c.id)
	var list []*cta
	for _, p := range c.grid.state.ctas {
		if of, _ := c.grid.inCluster(p.id); of == own {
			list = append(list, p)
		}
	}
	return list
}

// peer is the CTA of a rank, or nil.
func (c *cta) peer(rank int) *cta {
	if rank == c.rank() {
		return c
	}
	for _, p := range c.peers() {
		if p.rank() == rank {
			return p
		}
	}
	return nil
}

// rankOffset is what an address of shared memory of CTA c needs in the eyes of another CTA.
func (g *Grid) rankOffset(cta int, c *cta) Addr {
	if cta == c.index {
		return 0
	}
	return Addr(c.rank()+1) * clusterStride
}

// SharedOwner says whose shared memory a generic address is in the eyes of a CTA, and the address as its owner sees it.
func (g *Grid) SharedOwner(cta int, a Addr) (int, Addr) {
	at := a - g.mem.Win.Shared
	if at < clusterStride || !g.mem.Win.InShared(a) {
		return cta, a
	}
	cluster, _ := g.inCluster(g.grid.Index(cta))
	c, in := g.cluster, g.cluster.Index(int(at/clusterStride)-1)
	return g.grid.Linear(Dim3{X: cluster.X*c.X + in.X, Y: cluster.Y*c.Y + in.Y, Z: cluster.Z*c.Z + in.Z}),
		g.mem.Win.Shared + at%clusterStride
}

// clusterSegment is the shared memory that an address of .shared::cluster is in; add turns addresses into offsets.
func (w *lsu) clusterSegment(a, add Addr) FaultKind {
	at := a + add
	if at < clusterStride {
		return w.sharedSegment(add)
	}
	c := w.cta.peer(int(at/clusterStride) - 1)
	if c == nil {
		return IllegalAddress
	}
	w.seg = mem.Segment{Base: c.sharedOff, Add: add - at/clusterStride*clusterStride, Size: uint64(c.sharedSize)}
	return ""
}

// noPeer explains an address of shared memory that is in none.
func (w *lsu) noPeer(a Addr) string {
	g := w.cta.grid
	if a >= g.mem.Win.Shared {
		a -= g.mem.Win.Shared
	}
	rank := int(a/clusterStride) - 1
	if rank < g.clusterSize() {
		return fmt.Sprintf("; the CTA of rank %d has ended, and its shared memory with it", rank)
	}
	return fmt.Sprintf("; the cluster has no CTA of rank %d", rank)
}

// lowerMapa is mapa and getctarank (9.7.9.23, 9.7.9.24).
func lowerMapa(l *lowerer) bool {
	ops := l.in.Operands
	t := l.in.Match.Types[0]
	d, a := l.dst(ops[0]), l.src(ops[1], t)
	base := l.dev.mem.Win.Shared
	if l.has(".shared::cluster") {
		base = 0
	}
	x := &extra{}
	if l.in.Match.Form.Mnemonic == "getctarank" {
		x.run = func(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
			eachLane(exec, func(lane int) {
				w.lsu.wantsShared(in, lane, base, a.Get(f, lane))
				rank := int((a.Get(f, lane)-base)/clusterStride) - 1
				if rank < 0 {
					rank = w.cta.rank()
				}
				d.Set(f, lane, uint64(rank))
			})
			return true
		}
	} else {
		b := l.src(ops[2], isa.U32)
		x.run = func(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
			eachLane(exec, func(lane int) {
				w.lsu.wantsShared(in, lane, base, a.Get(f, lane))
				at := (a.Get(f, lane) - base) % clusterStride
				d.Set(f, lane, base+at+(b.Get(f, lane)+1)*clusterStride)
			})
			return true
		}
	}
	l.i.op, l.i.x = opRun, x
	return true
}

// wantsShared notes a generic address, one with a base, that is not of shared memory.
func (w *lsu) wantsShared(in *inst, lane int, base, a Addr) {
	if base != 0 && !w.inClusterShared(a) {
		w.note(in, causeSpace,
			fmt.Sprintf("`%s` in lane %d of warp %d: %#x is no generic address of shared memory, and the result "+
				"is undefined", in.src.Opcode, lane, w.index, a))
	}
}

// lowerClusterBarrier is barrier.cluster (9.7.13.3).
func lowerClusterBarrier(l *lowerer) bool {
	l.i.op, l.i.x = opRun, &extra{cluster: true, run: (*warp).clusterArrive, strict: l.has(".aligned")}
	if l.has(".wait") {
		l.i.x.run = (*warp).clusterWait
	}
	return true
}

// clusterArrivals are the lanes of a warp that have arrived at the cluster's barrier: in this phase, and without waiting
// since.
type clusterArrivals struct{ arrived, awaiting Mask }

var errClusterTwice = errors.New("a thread arrives at the cluster's barrier only once before it waits")

func (w *warp) clusterArrive(in *inst, _ unsafe.Pointer, exec Mask) bool {
	if twice := exec & (w.cluster.arrived | w.cluster.awaiting); twice != 0 {
		w.fail(in, &Fault{Kind: IllegalInstruction, Lanes: twice, Detail: ": " + errClusterTwice.Error()})
		return false
	}
	w.checkAligned(in, exec)
	w.cluster.arrived |= exec
	w.cluster.awaiting |= exec
	if !in.src.Match.Has(".relaxed") {
		w.ordered(w.cta.grid.clusterSize() > 1)
	}
	w.cta.grid.state.progress = true
	w.cta.grid.stats.Barriers++
	here := w.cta.clusterArrivals()
	done := w.cta.settleCluster()
	if w.rec != nil {
		w.rec.Barrier = &BarrierEvent{ID: AtCluster, Arrived: here, Expected: w.cta.clusterLive(), Done: done}
	}
	return true
}

func (w *warp) clusterWait(in *inst, _ unsafe.Pointer, exec Mask) bool {
	if never := exec &^ w.cluster.awaiting; never != 0 {
		w.fail(in, &Fault{Kind: IllegalInstruction, Lanes: never,
			Detail: ": wait without an arrival at the cluster's barrier before it"})
		return false
	}
	w.checkAligned(in, exec)
	if exec&w.cluster.arrived == 0 {
		w.cluster.awaiting &^= exec
		return true
	}
	w.waitAt(AtCluster, in, exec)
	w.cta.settleCluster()
	return true
}

func (c *cta) clusterArrivals() (n int) {
	for _, p := range c.peers() {
		for _, w := range p.warps {
			n += w.cluster.arrived.Count()
		}
	}
	return n
}

func (c *cta) clusterLive() (n int) {
	for _, p := range c.peers() {
		n += p.live
	}
	return n
}

// settleCluster completes the cluster's barrier when all its threads have arrived that have not exited, and are not
// about to without meeting a barrier.
func (c *cta) settleCluster() bool {
	if c.grid.clusterSize() == 0 {
		return false
	}
	peers, any := c.peers(), false
	for _, p := range peers {
		for _, w := range p.warps {
			any = any || w.cluster.arrived != 0
			missing := w.Live &^ w.cluster.arrived
			if !w.Ended && missing != 0 && missing&^excused(w) != 0 {
				return false
			}
		}
	}
	if !any {
		return false
	}
	c.grid.state.progress = true
	for _, p := range peers {
		for _, w := range p.warps {
			w.cluster.arrived = 0
			w.endWaits(func(o *waiting) bool {
				if o.at == AtCluster {
					w.cluster.awaiting &^= o.lanes
				}
				return o.at == AtCluster
			})
		}
	}
	return true
}

// runPeer turns to the next CTA of the cluster that can run.
func (g *Grid) runPeer(c *cta) bool {
	if g.clusterSize() == 1 {
		return false
	}
	peers := c.peers()
	at := slices.Index(peers, c)
	for i := 1; i < len(peers); i++ {
		if p := peers[(at+i)%len(peers)]; p.ready() {
			g.state.cur, g.state.ctaLeft = slices.Index(g.state.ctas, p), ctaSlice
			return true
		}
	}
	return false
}
