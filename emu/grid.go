package emu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// Grid is one launch of a kernel.
//
// Its schedule is deterministic. Warps of the current CTA take turns. A turn ends when the warp waits, yields or ends,
// or at the first block boundary (see inst) at or after turnLength instructions. When a turn ends and the CTA has run
// ctaSlice instructions or more, the next CTA runs, so that CTAs may wait for each other. CTAs become resident when it
// is first their turn, as far as there is memory for them.
type Grid struct {
	dev     *Device
	mem     *mem.Memory // of the device
	prog    *program
	counts  []count // by pc
	toBreak []int32 // by pc, instructions up to the next breakpoint; nil: there is none
	entry   *function
	max     int64 // Config.MaxSteps
	shape
	launchMemory
	sharedLayout
	passBreak bool
	record    recorder
	running
}

// running is what changes of a grid while it runs, but for its memory, its counters and what the sanitizers know.
type running struct {
	state gridState
	flights
	frames   framePool
	stats    Stats
	output   []byte // only ever appended to
	findings []noted
	fault    *Fault
}

func (r running) clone() running {
	r.state, r.flights, r.frames = r.state.clone(), r.flights.clone(), r.frames.clone()
	r.output, r.findings = slices.Clip(r.output), slices.Clone(r.findings)
	return r
}

// cost is what a clone takes, without the output, which clones share.
func (r *running) cost() int64 {
	return r.state.cost() + r.flights.cost() + r.frames.cost() + sliceBytes(r.findings)
}

// shape is how many threads a grid has.
type shape struct {
	grid, block Dim3
	cluster     Dim3 // CTAs of a cluster
	clustered   bool // the launch or the kernel names a cluster shape
}

// launchMemory is what a launch puts into memory.
type launchMemory struct {
	params    Addr
	pOff      map[*ptx.Var]int64
	workspace Addr // of a kernel that asks for it, see system.go
	slices    Addr // of global memory, one for each CTA, see system.go
	sliceSize int64
}

// sharedLayout is where things are in the shared memory of every CTA.
type sharedLayout struct {
	sharedOff  map[*ptx.Var]int64
	sharedVars []SharedVar // the same in the order of places
	dyn        int         // bytes of the dynamic part
	userShared int64       // bytes of the variables and the dynamic part
	sharedSize int64       // and of what the system reserves
}

// gridState is the schedule.
type gridState struct {
	ctas     []*cta // resident, in order of their start
	last     *cta   // of a grid that has ended
	most     int    // CTAs that may be under way at a time
	next     int    // linear index of the CTA that starts next
	cur      int    // index into ctas
	left     int64  // instructions of turnLength that the current warp's turn has left; below 0 on the way to a boundary
	ctaLeft  int64  // instructions left of the current CTA's turn
	tick     int64  // warp instructions executed
	finished bool
	spin     spinWatch
	progress bool  // something has changed or ended since spin.since
	refused  bool  // malloc has found no memory
	polled   int64 // tick of the last mbarrier.test_wait that found an incomplete phase
	maps     []changedMap
	timeUps  spinWatch // suspended warps woken because nothing else could run; looked counts them
}

func (s gridState) clone() gridState {
	s.ctas, s.maps = slices.Clone(s.ctas), slices.Clone(s.maps)
	for i, c := range s.ctas {
		s.ctas[i] = c.clone()
	}
	if s.last != nil {
		s.last = s.last.clone()
	}
	return s
}

func (s *gridState) cost() int64 {
	n := sliceBytes(s.ctas) + sliceBytes(s.maps)
	for _, c := range s.ctas {
		n += c.cost()
	}
	if s.last != nil {
		n += s.last.cost()
	}
	return n
}

const (
	turnLength  = 256 // docs/rationale.md says why
	ctaSlice    = 1 << 16
	maxResident = 4096 // CTAs that may be under way at a time, while there is memory
	maxThreads  = 1024 // per CTA
)

// ErrBreak is returned by RunFor before an instruction with a breakpoint.
var ErrBreak = errors.New("stopped at a breakpoint")

// Launch validates everything; nothing runs yet.
func (d *Device) Launch(c Config) (*Grid, error) {
	var entry *function
	for _, f := range d.mod.Entries() {
		if f.Name == c.Entry {
			entry = d.prog.byFunc[f]
		}
	}
	if entry == nil {
		return nil, fmt.Errorf("the module has no entry %q", c.Entry)
	}
	g := &Grid{dev: d, mem: d.mem, prog: d.prog, counts: make([]count, len(d.prog.code)), entry: entry, max: c.MaxSteps,
		shape: shape{grid: ones(c.Grid), block: ones(c.Block)}, running: running{frames: newFramePool()}}
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
	d.shadow.launched()
	if err := layoutShared(g); err != nil {
		return nil, err
	}
	if err := placeParams(g, c.Args); err != nil {
		return nil, err
	}
	if err := placeWorkspace(g); err != nil {
		return nil, err
	}
	g.state.most = maxResident
	g.stats.CTAs = int64(g.grid.X) * int64(g.grid.Y) * int64(g.grid.Z)
	g.stats.Threads = g.stats.CTAs * int64(g.block.X*g.block.Y*g.block.Z)
	if err := g.placeSlices(); err != nil {
		return nil, err
	}
	if err := g.schedule(); err != nil {
		return nil, errors.New(strings.TrimPrefix(g.fault.Detail, ": "))
	}
	return g, nil
}

// forgetEnded gives back what the last grid that ended still holds to be looked at.
func (d *Device) forgetEnded() {
	if g := d.ended; g != nil && g.state.last != nil {
		g.state.last.release()
		g.state.last = nil
		g.releaseFrames()
	}
	d.ended = nil
}

func ones(d Dim3) Dim3 {
	return Dim3{X: max(d.X, 1), Y: max(d.Y, 1), Z: max(d.Z, 1)}
}

// checkShape applies the limits of 10.1, 10.6 and the performance directives of 11.4.
func checkShape(g *Grid) error {
	b, n := g.block, g.grid
	threads := int64(b.X) * int64(b.Y) * int64(b.Z)
	f := g.entry.src
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

// checkLocal refuses a kernel with more local memory than a thread can have, at the variable that is too much.
func (fn *function) checkLocal() error {
	for _, v := range fn.src.Vars {
		if off, ok := fn.localOff[v]; ok && off+v.Size > maxLocal {
			return ptx.Diagnostics{{Code: "launch-refused", Span: v.Span, Section: "5.1.5", Message: fmt.Sprintf(
				"%s needs %s of local memory with %s, and a thread has at most %s (512 KiB)", fn.src.Name,
				ptx.Plural(fn.localUsed, "byte"), v.Name, ptx.Plural(maxLocal, "byte"))}}
		}
	}
	return nil
}

// maxShared is the shared memory of one CTA in bytes: the most that any target offers (sm_90, sm_100: 227 KiB).
const maxShared = 227 << 10

// layoutShared gives offsets to the shared variables that the entry and what it calls name; unsized ones share the
// dynamic part behind all others.
func layoutShared(g *Grid) error {
	g.sharedOff = map[*ptx.Var]int64{}
	var dynamic []*ptx.Var
	size, dynAlign := int64(0), int64(16)
	for _, fn := range reachable(g) {
		for _, v := range fn.usesSlots {
			if _, done := g.sharedOff[v]; done {
				continue
			}
			g.sharedOff[v] = 0
			if v.Size == 0 {
				dynamic = append(dynamic, v)
				dynAlign = max(dynAlign, v.Align)
				continue
			}
			size = alignUp(size, max(v.Align, 1))
			placeShared(g, v, size)
			size += v.Size
		}
	}
	if g.dyn > 0 || len(dynamic) > 0 {
		size = alignUp(size, dynAlign)
	}
	for _, v := range dynamic {
		placeShared(g, v, size)
	}
	g.userShared = size + int64(g.dyn)
	if g.userShared > maxShared || g.dyn < 0 {
		return fmt.Errorf("%d bytes of shared memory (%d static, %d dynamic): a CTA has at most %d",
			g.userShared, size, g.dyn, maxShared)
	}
	g.sharedSize = g.userShared
	if asksFor(g, "%reserved_smem_") {
		g.sharedSize = reservedShared(g) + systemShared
	}
	return nil
}

func placeShared(g *Grid, v *ptx.Var, off int64) {
	g.sharedOff[v] = off
	g.sharedVars = append(g.sharedVars, SharedVar{Var: v, Off: off})
}

func alignUp(n, align int64) int64 { return (n + align - 1) / align * align }

// reachable lists the entry and all functions that it may call, in a fixed order.
func reachable(g *Grid) []*function {
	seen := map[*function]bool{}
	var list []*function
	all := false // functions whose address is taken may be called from anywhere
	var visit func(f *function)
	visit = func(f *function) {
		if f == nil || seen[f] {
			return
		}
		seen[f] = true
		list = append(list, f)
		for _, c := range f.callees {
			visit(c)
		}
		if f.indirect && !all {
			all = true
			for _, c := range g.prog.funcs {
				if !c.src.Entry {
					visit(c)
				}
			}
		}
	}
	visit(g.entry)
	return list
}

// placeParams puts the kernel's arguments into parameter memory (5.1.6.1).
func placeParams(g *Grid, args [][]byte) error {
	ps := g.entry.src.Params
	if len(args) != len(ps) {
		return fmt.Errorf("%s has %s, but %s given", g.entry.src.Name, ptx.Plural(len(ps), "parameter"),
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
	addr, err := g.dev.reserve(max(int64(len(block)), 1), "the kernel's parameters", mem.Param)
	if err != nil {
		return err
	}
	g.params = addr
	copy(g.mem.Bytes(g.mem.Off(addr), uint32(len(block))), block)
	return nil
}

// sreg is the value in a lane of a special register that all warps of a grid have in common (chapter 10).
func (g *Grid) sreg(name string, lane int) uint64 {
	switch name {
	case "%laneid":
		return uint64(lane)
	case "%lanemask_eq":
		return 1 << lane
	case "%lanemask_lt":
		return 1<<lane - 1
	case "%lanemask_le":
		return 2<<lane - 1
	case "%lanemask_ge":
		return uint64(^uint32(0) << lane)
	case "%lanemask_gt":
		return uint64(^uint32(1) << lane)
	case "%ntid.x", "%ntid.y", "%ntid.z":
		return g.block.Component(name)
	case "%nctaid.x", "%nctaid.y", "%nctaid.z":
		return g.grid.Component(name)
	case "%nwarpid":
		return 64
	case "%nsmid", "%gridid":
		return 1
	case "%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z":
		return g.cluster.Component(name)
	case "%cluster_nctarank":
		return uint64(g.clusterSize())
	case "%nclusterid.x", "%nclusterid.y", "%nclusterid.z":
		return g.clusters().Component(name)
	case "%is_explicit_cluster":
		return uint64(row.Bit(g.clustered))
	case "%dynamic_smem_size":
		return uint64(g.dyn)
	case "%total_smem_size":
		return uint64(alignUp(g.userShared, sharedUnit(g)))
	case "%aggr_smem_size":
		return uint64(max(reservedShared(g), g.sharedSize))
	}
	return g.systemSReg(name)
}

// Run executes to the end: nil, *Fault, ErrMaxSteps or ctx.Err().
func (g *Grid) Run(ctx context.Context) error {
	const slice = 1 << 18
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if done, err := g.RunFor(slice); done || err != nil {
			return err
		}
	}
}

// RunFor executes at most that many warp instructions and says whether the grid has ended. With breakpoints set it
// stops before such an instruction with ErrBreak; the first one of a call is executed even if it has one.
func (g *Grid) RunFor(steps int64) (done bool, err error) {
	g.passBreak = true
	for steps > 0 && !g.state.finished {
		if g.fault != nil {
			return false, g.fault
		}
		if g.max > 0 && g.state.tick >= g.max {
			return false, ErrMaxSteps
		}
		n := steps
		if g.max > 0 {
			n = min(n, g.max-g.state.tick)
		}
		ran, why := g.turn(n)
		steps -= ran
		switch why {
		case stopFault:
			return false, g.fault
		case stopBreak:
			return false, ErrBreak
		}
	}
	g.passBreak = false
	if g.fault != nil {
		return false, g.fault
	}
	return g.state.finished, nil
}

// turn lets the current warp execute up to n instructions of its turn, then settles who is next.
func (g *Grid) turn(n int64) (int64, stop) {
	s := &g.state
	c := s.ctas[s.cur]
	w := c.warps[c.cur]
	ran, why := w.run(min(n, g.stretch(w)))
	if ran > 1 {
		w.last = s.tick + ran - 1
	}
	if ran > 0 {
		w.prev, w.last = w.last, s.tick+ran
	}
	s.tick += ran
	s.left -= ran
	s.ctaLeft -= ran
	g.stats.WarpInstructions += ran
	if why == stopFault || why == stopBreak {
		return ran, why
	}
	if why == stopEnded {
		c.warpEnded(w)
	}
	if why != stopBudget || s.left <= 0 && g.prog.code[w.Cur.PC].leader {
		s.left = 0
		if watchSpin(g) {
			spinFault(g)
			return ran, stopFault
		}
		if err := g.schedule(); err != nil {
			return ran, stopFault
		}
	}
	return ran, why
}

// stretch is how many instructions the current warp can execute before its turn can end.
func (g *Grid) stretch(w *warp) int64 {
	if g.state.left > 0 {
		return g.state.left
	}
	return max(1, int64(g.prog.code[w.Cur.PC].line))
}

// schedule settles whose turn it is: the next ready warp of the CTA, or another CTA.
func (g *Grid) schedule() error {
	s := &g.state
	for {
		if s.cur < len(s.ctas) {
			c := s.ctas[s.cur]
			if c.done() {
				g.retire(s.cur)
				s.ctaLeft = ctaSlice
				continue
			}
			stay := s.ctaLeft > 0 || !g.another()
			switch {
			case stay && c.nextWarp():
				s.left = turnLength
				if s.ctaLeft <= 0 {
					s.ctaLeft = ctaSlice
				}
				return nil
			case !stay && c.ready():
				s.cur++
			case g.runPeer(c) || c.releaseLanes() || c.timeUp():
				continue
			default:
				g.fault = c.deadlock()
				return g.fault
			}
		}
		switch {
		case g.room() && s.cur >= len(s.ctas):
			if err := g.start(); err != nil {
				return err
			}
			s.cur = len(s.ctas) - g.clusterSize()
		case len(s.ctas) == 0:
			s.finished = true
			g.finish()
			return nil
		case s.cur >= len(s.ctas):
			s.cur = 0
		}
		s.ctaLeft = ctaSlice
	}
}

// another says whether some other CTA could run now.
func (g *Grid) another() bool {
	return len(g.state.ctas) > 1 || g.room()
}

// room says whether there is a CTA to start and a place for it.
func (g *Grid) room() bool {
	return int64(g.state.next) < g.stats.CTAs && len(g.state.ctas) < g.state.most
}

// start makes the next CTA resident, with all others of its cluster. When another one like it would leave less than an
// eighth of the memory, no more than now will be under way at a time: what is left is for their calls.
func (g *Grid) start() error {
	s := &g.state
	before := g.mem.Used()
	for range g.clusterSize() {
		c, err := g.newCTA(g.ctaAt(s.next))
		if err != nil {
			return err
		}
		s.next++
		s.ctas = append(s.ctas, c)
	}
	if s.most == maxResident && 2*g.mem.Used()-before > g.mem.Limit()-g.mem.Limit()/8 {
		s.most = len(s.ctas)
	}
	return nil
}

// retire removes an ended CTA. The last one of the grid stays, so that its registers can be looked at.
func (g *Grid) retire(i int) {
	s := &g.state
	landTransfers(g, s.ctas[i])
	s.ctas[i].checkResizes()
	if len(s.ctas) == 1 && int64(s.next) == g.stats.CTAs {
		s.last = s.ctas[i]
	} else {
		s.ctas[i].release()
	}
	s.ctas = append(s.ctas[:i:i], s.ctas[i+1:]...)
	g.stats.CTAsDone++
}

// finish gives back what the launch held; counters and output stay.
func (g *Grid) finish() {
	g.releaseFrames()
	g.mem.Unreserve(g.params)
	g.mem.Unreserve(g.workspace)
	g.mem.Unreserve(g.slices)
	g.dev.ended = g
}

// Done says whether the grid has ended.
func (g *Grid) Done() bool { return g.state.finished }

// Tick is the number of warp instructions executed so far.
func (g *Grid) Tick() int64 { return g.state.tick }

// Stats are the counters so far.
func (g *Grid) Stats() Stats {
	s := g.stats
	for pc, n := range g.counted() {
		if o := g.prog.code[pc].op; o == opBra || o == opBrx {
			s.Branches += n
		}
	}
	return s
}

// cta is a CTA that is resident, or the last of an ended grid.
func (g *Grid) cta(index int) *cta {
	for _, c := range g.state.ctas {
		if c.index == index {
			return c
		}
	}
	if c := g.state.last; c != nil && c.index == index {
		return c
	}
	return nil
}

// Output is what the kernel printed.
func (g *Grid) Output() []byte { return g.output }

// Findings are what the program should not have done so far, one for each instruction and cause.
func (g *Grid) Findings() (list []Finding) {
	for _, f := range g.findings {
		list = append(list, f.Finding)
	}
	return list
}

// Next is the warp that executes the next warp instruction.
func (g *Grid) Next() (cta, warp int, ok bool) {
	if g.state.finished || g.fault != nil && len(g.state.ctas) == 0 {
		return 0, 0, false
	}
	c := g.state.ctas[g.state.cur]
	return c.index, c.cur, true
}

// Turns are the ticks at which a warp was about to execute the last two instructions that it has executed; -1 stands
// for none. ok is false when its CTA is not under way.
func (g *Grid) Turns(cta, warp int) (prev, last int64, ok bool) {
	c := g.cta(cta)
	if c == nil || warp >= len(c.warps) {
		return -1, -1, false
	}
	return c.warps[warp].prev - 1, c.warps[warp].last - 1, true
}

// SetBreaks sets the instructions that RunFor stops at.
func (g *Grid) SetBreaks(insts map[*ptx.Inst]bool) {
	g.toBreak = nil
	if len(insts) == 0 {
		return
	}
	code := g.prog.code
	g.toBreak = make([]int32, len(code))
	next := int32(len(code))
	for pc := next - 1; pc >= 0; pc-- {
		if insts[code[pc].src] {
			next = pc
		}
		g.toBreak[pc] = next - pc
	}
}

// LineCounts are the executions of warp instructions per source line, from 1.
func (g *Grid) LineCounts() map[int]int64 {
	counts := map[int]int64{}
	for pc, n := range g.counted() {
		if n > 0 && g.prog.code[pc].src != nil {
			counts[g.line(int32(pc))] += n
		}
	}
	return counts
}

func (g *Grid) line(pc int32) int {
	return g.prog.mod.Position(int(g.prog.code[pc].src.OpSpan.Start)).Line
}

// fail records a fault of this warp at an instruction.
func (w *warp) fail(in *inst, f *Fault) {
	g := w.cta.grid
	f.CTA, f.Warp, f.Inst = w.cta.id, w.index, in.src
	if in.src != nil {
		f.Pos = g.prog.mod.Position(int(in.src.OpSpan.Start))
	}
	if g.state.refused && f.NearNull() {
		f.Detail += "; malloc has found no memory before this and has returned 0"
	}
	g.fault = f
	if w.rec != nil {
		w.rec.Fault = f
	}
}
