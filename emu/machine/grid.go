package machine

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
	Dev     *Device
	Mem     *mem.Memory // of the device
	Prog    *Program
	Counts  []Count // by pc
	toBreak []int32 // by pc, instructions up to the next breakpoint; nil: there is none
	Entry   *Function
	max     int64 // Config.MaxSteps
	shape
	launchMemory
	sharedLayout
	passBreak bool
	Record    recorder
	running
}

// running is what changes of a grid while it runs, but for its memory, its counters and what the sanitizers know.
type running struct {
	State GridState
	Flights
	frames   framePool
	Counters Stats
	Printed  []byte // only ever appended to
	findings []noted
	Fault    *Fault
}

func (r running) clone() running {
	r.State, r.Flights, r.frames = r.State.clone(), r.Flights.clone(), r.frames.clone()
	r.Printed, r.findings = slices.Clip(r.Printed), slices.Clone(r.findings)
	return r
}

// cost is what a clone takes, without the output, which clones share.
func (r *running) cost() int64 {
	return r.State.cost() + r.Flights.cost() + r.frames.cost() + sliceBytes(r.findings)
}

// shape is how many threads a grid has.
type shape struct {
	Grid, block Dim3
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

// GridState is the schedule.
type GridState struct {
	CTAs     []*CTA // resident, in order of their start
	last     *CTA   // of a grid that has ended
	most     int    // CTAs that may be under way at a time
	Next     int    // linear index of the CTA that starts next
	Cur      int    // index into ctas
	left     int64  // instructions of turnLength that the current warp's turn has left; below 0 on the way to a boundary
	ctaLeft  int64  // instructions left of the current CTA's turn
	Tick     int64  // warp instructions executed
	finished bool
	spin     spinWatch
	Progress bool  // something has changed or ended since spin.since
	Refused  bool  // malloc has found no memory
	Polled   int64 // tick of the last mbarrier.test_wait that found an incomplete phase
	Maps     []ChangedMap
	timeUps  spinWatch // suspended warps woken because nothing else could run; looked counts them
}

func (s GridState) clone() GridState {
	s.CTAs, s.Maps = slices.Clone(s.CTAs), slices.Clone(s.Maps)
	for i, c := range s.CTAs {
		s.CTAs[i] = c.clone()
	}
	if s.last != nil {
		s.last = s.last.clone()
	}
	return s
}

func (s *GridState) cost() int64 {
	n := sliceBytes(s.CTAs) + sliceBytes(s.Maps)
	for _, c := range s.CTAs {
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
		shape: shape{Grid: ones(c.Grid), block: ones(c.Block)}, running: running{frames: newFramePool()}}
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
	d.Shadow.launched()
	if err := layoutShared(g); err != nil {
		return nil, err
	}
	if err := placeParams(g, c.Args); err != nil {
		return nil, err
	}
	if err := placeWorkspace(g); err != nil {
		return nil, err
	}
	g.State.most = maxResident
	g.Counters.CTAs = int64(g.Grid.X) * int64(g.Grid.Y) * int64(g.Grid.Z)
	g.Counters.Threads = g.Counters.CTAs * int64(g.block.X*g.block.Y*g.block.Z)
	if err := g.placeSlices(); err != nil {
		return nil, err
	}
	if err := g.schedule(); err != nil {
		return nil, errors.New(strings.TrimPrefix(g.Fault.Detail, ": "))
	}
	return g, nil
}

// forgetEnded gives back what the last grid that ended still holds to be looked at.
func (d *Device) forgetEnded() {
	if g := d.ended; g != nil && g.State.last != nil {
		g.State.last.release()
		g.State.last = nil
		g.releaseFrames()
	}
	d.ended = nil
}

func ones(d Dim3) Dim3 {
	return Dim3{X: max(d.X, 1), Y: max(d.Y, 1), Z: max(d.Z, 1)}
}

// checkShape applies the limits of 10.1, 10.6 and the performance directives of 11.4.
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

// checkLocal refuses a kernel with more local memory than a thread can have, at the variable that is too much.
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

// layoutShared gives offsets to the shared variables that the entry and what it calls name; unsized ones share the
// dynamic part behind all others.
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

func placeShared(g *Grid, v *ptx.Var, off int64) {
	g.sharedOff[v] = off
	g.sharedVars = append(g.sharedVars, SharedVar{Var: v, Off: off})
}

func AlignUp(n, align int64) int64 { return (n + align - 1) / align * align }

// reachable lists the entry and all functions that it may call, in a fixed order.
func reachable(g *Grid) []*Function {
	seen := map[*Function]bool{}
	var list []*Function
	all := false // functions whose address is taken may be called from anywhere
	var visit func(f *Function)
	visit = func(f *Function) {
		if f == nil || seen[f] {
			return
		}
		seen[f] = true
		list = append(list, f)
		for _, c := range f.Callees {
			visit(c)
		}
		if f.Indirect && !all {
			all = true
			for _, c := range g.Prog.Funcs {
				if !c.Src.Entry {
					visit(c)
				}
			}
		}
	}
	visit(g.Entry)
	return list
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
		return g.Grid.Component(name)
	case "%nwarpid":
		return 64
	case "%nsmid", "%gridid":
		return 1
	case "%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z":
		return g.cluster.Component(name)
	case "%cluster_nctarank":
		return uint64(g.ClusterSize())
	case "%nclusterid.x", "%nclusterid.y", "%nclusterid.z":
		return g.clusters().Component(name)
	case "%is_explicit_cluster":
		return uint64(row.Bit(g.clustered))
	case "%dynamic_smem_size":
		return uint64(g.dyn)
	case "%total_smem_size":
		return uint64(AlignUp(g.userShared, sharedUnit(g)))
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
	for steps > 0 && !g.State.finished {
		if g.Fault != nil {
			return false, g.Fault
		}
		if g.max > 0 && g.State.Tick >= g.max {
			return false, ErrMaxSteps
		}
		n := steps
		if g.max > 0 {
			n = min(n, g.max-g.State.Tick)
		}
		ran, why := g.turn(n)
		steps -= ran
		switch why {
		case stopFault:
			return false, g.Fault
		case stopBreak:
			return false, ErrBreak
		}
	}
	g.passBreak = false
	if g.Fault != nil {
		return false, g.Fault
	}
	return g.State.finished, nil
}

// turn lets the current warp execute up to n instructions of its turn, then settles who is next.
func (g *Grid) turn(n int64) (int64, stop) {
	s := &g.State
	c := s.CTAs[s.Cur]
	w := c.Warps[c.Cur]
	ran, why := w.Run(min(n, g.stretch(w)))
	if ran > 1 {
		w.last = s.Tick + ran - 1
	}
	if ran > 0 {
		w.prev, w.last = w.last, s.Tick+ran
	}
	s.Tick += ran
	s.left -= ran
	s.ctaLeft -= ran
	g.Counters.WarpInstructions += ran
	if why == stopFault || why == stopBreak {
		return ran, why
	}
	if why == stopEnded {
		c.warpEnded(w)
	}
	if why != stopBudget || s.left <= 0 && g.Prog.Code[w.Cur.PC].Leader {
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
func (g *Grid) stretch(w *Warp) int64 {
	if g.State.left > 0 {
		return g.State.left
	}
	return max(1, int64(g.Prog.Code[w.Cur.PC].Line))
}

// schedule settles whose turn it is: the next ready warp of the CTA, or another CTA.
func (g *Grid) schedule() error {
	s := &g.State
	for {
		if s.Cur < len(s.CTAs) {
			c := s.CTAs[s.Cur]
			if c.done() {
				g.retire(s.Cur)
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
				s.Cur++
			case g.runPeer(c) || c.releaseLanes() || c.timeUp():
				continue
			default:
				g.Fault = c.deadlock()
				return g.Fault
			}
		}
		switch {
		case g.room() && s.Cur >= len(s.CTAs):
			if err := g.start(); err != nil {
				return err
			}
			s.Cur = len(s.CTAs) - g.ClusterSize()
		case len(s.CTAs) == 0:
			s.finished = true
			g.finish()
			return nil
		case s.Cur >= len(s.CTAs):
			s.Cur = 0
		}
		s.ctaLeft = ctaSlice
	}
}

// another says whether some other CTA could run now.
func (g *Grid) another() bool {
	return len(g.State.CTAs) > 1 || g.room()
}

// room says whether there is a CTA to start and a place for it.
func (g *Grid) room() bool {
	return int64(g.State.Next) < g.Counters.CTAs && len(g.State.CTAs) < g.State.most
}

// start makes the next CTA resident, with all others of its cluster. When another one like it would leave less than an
// eighth of the memory, no more than now will be under way at a time: what is left is for their calls.
func (g *Grid) start() error {
	s := &g.State
	before := g.Mem.Used()
	for range g.ClusterSize() {
		c, err := g.newCTA(g.CTAAt(s.Next))
		if err != nil {
			return err
		}
		s.Next++
		s.CTAs = append(s.CTAs, c)
	}
	if s.most == maxResident && 2*g.Mem.Used()-before > g.Mem.Limit()-g.Mem.Limit()/8 {
		s.most = len(s.CTAs)
	}
	return nil
}

// retire removes an ended CTA. The last one of the grid stays, so that its registers can be looked at.
func (g *Grid) retire(i int) {
	s := &g.State
	landTransfers(g, s.CTAs[i])
	s.CTAs[i].checkResizes()
	if len(s.CTAs) == 1 && int64(s.Next) == g.Counters.CTAs {
		s.last = s.CTAs[i]
	} else {
		s.CTAs[i].release()
	}
	s.CTAs = append(s.CTAs[:i:i], s.CTAs[i+1:]...)
	g.Counters.CTAsDone++
}

// finish gives back what the launch held; counters and output stay.
func (g *Grid) finish() {
	g.releaseFrames()
	g.Mem.Unreserve(g.params)
	g.Mem.Unreserve(g.workspace)
	g.Mem.Unreserve(g.slices)
	g.Dev.ended = g
}

// Done says whether the grid has ended.
func (g *Grid) Done() bool { return g.State.finished }

// Tick is the number of warp instructions executed so far.
func (g *Grid) Tick() int64 { return g.State.Tick }

// Stats are the counters so far.
func (g *Grid) Stats() Stats {
	s := g.Counters
	for pc, n := range g.Counted() {
		if o := g.Prog.Code[pc].Op; o == OpBra || o == OpBrx {
			s.Branches += n
		}
	}
	return s
}

// cta is a CTA that is resident, or the last of an ended grid.
func (g *Grid) cta(index int) *CTA {
	for _, c := range g.State.CTAs {
		if c.Index == index {
			return c
		}
	}
	if c := g.State.last; c != nil && c.Index == index {
		return c
	}
	return nil
}

// Output is what the kernel printed.
func (g *Grid) Output() []byte { return g.Printed }

// Findings are what the program should not have done so far, one for each instruction and cause.
func (g *Grid) Findings() (list []Finding) {
	for _, f := range g.findings {
		list = append(list, f.Finding)
	}
	return list
}

// Next is the warp that executes the next warp instruction.
func (g *Grid) Next() (cta, warp int, ok bool) {
	if g.State.finished || g.Fault != nil && len(g.State.CTAs) == 0 {
		return 0, 0, false
	}
	c := g.State.CTAs[g.State.Cur]
	return c.Index, c.Cur, true
}

// Turns are the ticks at which a warp was about to execute the last two instructions that it has executed; -1 stands
// for none. ok is false when its CTA is not under way.
func (g *Grid) Turns(cta, warp int) (prev, last int64, ok bool) {
	c := g.cta(cta)
	if c == nil || warp >= len(c.Warps) {
		return -1, -1, false
	}
	return c.Warps[warp].prev - 1, c.Warps[warp].last - 1, true
}

// SetBreaks sets the instructions that RunFor stops at.
func (g *Grid) SetBreaks(insts map[*ptx.Inst]bool) {
	g.toBreak = nil
	if len(insts) == 0 {
		return
	}
	code := g.Prog.Code
	g.toBreak = make([]int32, len(code))
	next := int32(len(code))
	for pc := next - 1; pc >= 0; pc-- {
		if insts[code[pc].Src] {
			next = pc
		}
		g.toBreak[pc] = next - pc
	}
}

// LineCounts are the executions of warp instructions per source line, from 1.
func (g *Grid) LineCounts() map[int]int64 {
	counts := map[int]int64{}
	for pc, n := range g.Counted() {
		if n > 0 && g.Prog.Code[pc].Src != nil {
			counts[g.line(int32(pc))] += n
		}
	}
	return counts
}

func (g *Grid) line(pc int32) int {
	return g.Prog.Mod.Position(int(g.Prog.Code[pc].Src.OpSpan.Start)).Line
}

// Fail records a fault of this warp at an instruction.
func (w *Warp) Fail(in *Inst, f *Fault) {
	g := w.CTA.Grid
	f.CTA, f.Warp, f.Inst = w.CTA.id, w.Index, in.Src
	if in.Src != nil {
		f.Pos = g.Prog.Mod.Position(int(in.Src.OpSpan.Start))
	}
	if g.State.Refused && f.NearNull() {
		f.Detail += "; malloc has found no memory before this and has returned 0"
	}
	g.Fault = f
	if w.Rec != nil {
		w.Rec.Fault = f
	}
}
