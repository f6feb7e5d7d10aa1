package machine

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"warpscope/emu/mem"
	"warpscope/gpu"
	"warpscope/ptx"
)

// Launch makes a grid. It validates everything and returns an error for a launch that cannot work; nothing runs yet.
func (d *Device) Launch(c gpu.Config) (*Grid, error) {
	var entry *Function
	for _, f := range d.Mod.Entries() {
		if f.Name == c.Entry {
			entry = d.Prog.ByFunc[f]
		}
	}
	if entry == nil {
		return nil, fmt.Errorf("the module has no entry %q", c.Entry)
	}
	g := &Grid{Dev: d, Mem: d.Mem, Prog: d.Prog, Counts: make([]Count, len(d.Prog.Code)), Entry: entry, max: c.MaxSteps,
		shape:   shape{Grid: ones(c.Grid), block: ones(c.Block)},
		running: running{frames: newFramePool(len(d.Prog.Funcs)), counting: newCounting(d.opts, d.Prog)}}
	g.dyn = c.SharedBytes
	if err := layCluster(g, c.Cluster); err != nil {
		return nil, err
	}
	if err := checkShape(g); err != nil {
		return nil, err
	}
	if err := entry.checkLocal(); err != nil {
		return nil, err
	}
	d.forgetEnded()
	d.Shadow.Launched(d.Prog.Strong)
	if err := prepare(g, c.Args); err != nil {
		giveBack(g)
		return nil, err
	}
	return g, nil
}

// prepare puts into memory what the grid needs, up to its first CTA.
func prepare(g *Grid, args [][]byte) error {
	if err := layoutShared(g); err != nil {
		return err
	}
	if err := placeParams(g, args); err != nil {
		return err
	}
	if err := placeWorkspace(g); err != nil {
		return err
	}
	g.State.most = maxResident
	g.Counters.CTAs = int64(g.Grid.X) * int64(g.Grid.Y) * int64(g.Grid.Z)
	g.Counters.Threads = g.Counters.CTAs * int64(g.block.X*g.block.Y*g.block.Z)
	if err := g.placeSlices(); err != nil {
		return err
	}
	if err := g.schedule(); err != nil {
		return errors.New(strings.TrimPrefix(g.Fault.Detail, ": "))
	}
	return nil
}

// forgetEnded gives back the memory that the last grid to end keeps for people who look at it.
func (d *Device) forgetEnded() {
	if g := d.ended; g != nil && g.State.last != nil {
		g.State.last.release()
		g.counting.end(g.State.last)
		g.State.last = nil
		g.releaseFrames()
	}
	d.ended = nil
}

// layCluster checks the cluster shape that the launch or the kernel names (11.7), and counts the grid's CTAs.
func layCluster(g *Grid, launch Dim3) error {
	f := g.Entry.Src
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
	case size > 1 && g.Prog.Mod.SM < 90:
		return fmt.Errorf("clusters need a .target of sm_90 or later")
	case f.MaxClusterRank != 0 && size > f.MaxClusterRank:
		return fmt.Errorf("%s allows at most %s in a cluster (.maxclusterrank), not %d", f.Name,
			ptx.Plural(f.MaxClusterRank, "CTA"), size)
	case size > maxCluster:
		return fmt.Errorf("a cluster of %d CTAs: the limit is %d", size, maxCluster)
	}
	if f.BlocksAreClusters { // 11.8.1: the launch counts clusters
		g.Grid = Dim3{X: g.Grid.X * c.X, Y: g.Grid.Y * c.Y, Z: g.Grid.Z * c.Z}
	}
	if n := g.Grid; n.X%c.X != 0 || n.Y%c.Y != 0 || n.Z%c.Z != 0 {
		return fmt.Errorf("a grid of %d x %d x %d CTAs cannot be cut into clusters of %d x %d x %d",
			n.X, n.Y, n.Z, c.X, c.Y, c.Z)
	}
	return nil
}

// ones returns a shape whose zero components are 1.
func ones(d Dim3) Dim3 {
	return Dim3{X: max(d.X, 1), Y: max(d.Y, 1), Z: max(d.Z, 1)}
}

// checkShape applies the limits of 10.1 and 10.6, and the performance directives of 11.4.
func checkShape(g *Grid) error {
	b, n := g.block, g.Grid
	threads := int64(b.X) * int64(b.Y) * int64(b.Z)
	f := g.Entry.Src
	switch {
	case b.X > 1024 || b.Y > 1024 || b.Z > 64 || threads > maxThreads:
		return fmt.Errorf("a CTA of %d x %d x %d = %d threads: the limits are 1024 x 1024 x 64 and 1024 threads in all",
			b.X, b.Y, b.Z, threads)
	case n.X > math.MaxInt32 || n.Y > 65535 || n.Z > 65535:
		return fmt.Errorf("a grid of %d x %d x %d CTAs: the limits are 2147483647 x 65535 x 65535", n.X, n.Y, n.Z)
	case f.ReqNTID != [3]int{} && ones(Dim3{X: f.ReqNTID[0], Y: f.ReqNTID[1], Z: f.ReqNTID[2]}) != b:
		return fmt.Errorf("%s requires CTAs of %v threads (.reqntid), not %d x %d x %d", f.Name, f.ReqNTID, b.X, b.Y, b.Z)
	case f.MaxThreads() > 0 && threads > int64(f.MaxThreads()):
		return fmt.Errorf("%s allows at most %v threads in a CTA (.maxntid), not %d", f.Name, f.MaxNTID, threads)
	}
	return nil
}

// checkLocal refuses a kernel that needs more local memory than a thread can have, with a diagnostic at the variable
// that goes over the limit.
func (fn *Function) checkLocal() error {
	for _, v := range fn.Src.Vars {
		if off, ok := fn.LocalOff[v]; ok && off+v.Size > MaxLocal {
			return ptx.Diagnostics{{Code: "launch-refused", Span: v.Span, Section: "5.1.5", Message: fmt.Sprintf(
				"%s needs %s of local memory with %s, and a thread has at most %s (512 KiB)", fn.Src.Name,
				ptx.Plural(fn.LocalUsed, "byte"), v.Name, ptx.Plural(MaxLocal, "byte"))}}
		}
	}
	return nil
}

// MaxShared is the shared memory of one CTA in bytes: the most that any target offers (sm_90, sm_100: 227 KiB).
const MaxShared = 227 << 10

// layoutShared gives offsets to the shared variables that the entry and the functions it calls name. Unsized variables
// share the dynamic part after all others.
func layoutShared(g *Grid) error {
	g.sharedOff = map[*ptx.Var]int64{}
	var dynamic []*ptx.Var
	size, dynAlign := int64(0), int64(16)
	for _, fn := range reachable(g) {
		for _, v := range fn.UsesSlots {
			if _, done := g.sharedOff[v]; done {
				continue
			}
			g.sharedOff[v] = 0
			if v.Size == 0 {
				dynamic = append(dynamic, v)
				dynAlign = max(dynAlign, v.Align)
				continue
			}
			size = AlignUp(size, max(v.Align, 1))
			placeShared(g, v, size)
			size += v.Size
		}
	}
	if g.dyn > 0 || len(dynamic) > 0 {
		size = AlignUp(size, dynAlign)
	}
	for _, v := range dynamic {
		placeShared(g, v, size)
	}
	g.userShared = size + int64(g.dyn)
	if g.userShared > MaxShared || g.dyn < 0 {
		return fmt.Errorf("%d bytes of shared memory (%d static, %d dynamic): a CTA has at most %d",
			g.userShared, size, g.dyn, MaxShared)
	}
	g.sharedSize = g.userShared
	if asksFor(g, "%reserved_smem_") {
		g.sharedSize = reservedShared(g) + SystemShared
	}
	return nil
}

// placeShared notes the offset of a shared variable.
func placeShared(g *Grid, v *ptx.Var, off int64) {
	g.sharedOff[v] = off
	g.sharedVars = append(g.sharedVars, gpu.SharedVar{Var: v, Off: off})
}

// placeParams puts the kernel's arguments into parameter memory (5.1.6.1).
func placeParams(g *Grid, args [][]byte) error {
	ps := g.Entry.Src.Params
	if len(args) != len(ps) {
		return fmt.Errorf("%s has %s, but %s given", g.Entry.Src.Name, ptx.Plural(len(ps), "parameter"),
			ptx.Plural(len(args), "argument"))
	}
	g.pOff = map[*ptx.Var]int64{}
	var block []byte
	for i, p := range ps {
		if int64(len(args[i])) != p.Size {
			return fmt.Errorf("parameter %s takes %s, but its argument has %d", p.Name, ptx.Plural(p.Size, "byte"), len(args[i]))
		}
		for int64(len(block))%max(p.Align, 1) != 0 {
			block = append(block, 0)
		}
		g.pOff[p] = int64(len(block))
		block = append(block, args[i]...)
	}
	addr, err := g.Dev.Reserve(max(int64(len(block)), 1), "the kernel's parameters", mem.Param)
	if err != nil {
		return err
	}
	g.params = addr
	copy(g.Mem.Bytes(g.Mem.Off(addr), uint32(len(block))), block)
	return nil
}
