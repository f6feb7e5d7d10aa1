package machine

import (
	"context"
	"errors"
	"slices"

	"warpscope/emu/mem"
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

// Count is how often a grid has executed an instruction of its program.
type Count struct {
	each  int64 // executions, but for those that lines counts
	lines int64 // executions of the whole straight line that begins here
}

const (
	turnLength  = 256 // docs/rationale.md says why
	ctaSlice    = 1 << 16
	maxResident = 4096 // CTAs that may be under way at a time, while there is memory
	maxThreads  = 1024 // per CTA
)

// ErrBreak is returned by RunFor before an instruction with a breakpoint.
var ErrBreak = errors.New("stopped at a breakpoint")

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

// Counted is the executions of each instruction.
func (g *Grid) Counted() []int64 {
	list := make([]int64, len(g.Counts))
	whole := int64(0)
	for pc, n := range g.Counts {
		whole += n.lines
		list[pc] = n.each + whole
		if g.Prog.Code[pc].Line <= 1 {
			whole = 0
		}
	}
	return list
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

func countEach(counts []Count) {
	for i := range counts {
		counts[i].each++
	}
}
