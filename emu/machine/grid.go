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
// or at the first block boundary (see Inst) at or after turnLength instructions. There it goes on, up to privateTurn
// instructions, while the next block is private: no other warp can change what it reads, so it would do the same in the
// warp's next turn. When a turn ends and the CTA has run ctaSlice instructions or more, the next CTA runs, so that CTAs
// can wait for each other. A CTA becomes resident when its first turn comes, as far as there is memory for it.
type Grid struct {
	Dev     *Device
	Mem     *mem.Memory // of the device
	Prog    *Program
	Counts  []Count // by pc
	toBreak []int32 // by pc: instructions up to the next breakpoint; nil without breakpoints
	Entry   *Function
	max     int64 // Config.MaxSteps
	shape
	launchMemory
	sharedLayout
	passBreak bool
	Record    recorder
	running
}

// running is what changes while a grid runs, except for its memory, its counts of executions and the sanitizers'
// shadow.
type running struct {
	State GridState
	Flights
	frames   framePool
	Counters Stats
	Printed  []byte // it only grows
	findings []noted
	Fault    *Fault
}

func (r running) clone() running {
	r.State, r.Flights, r.frames = r.State.clone(), r.Flights.clone(), r.frames.clone()
	r.Printed, r.findings = slices.Clip(r.Printed), slices.Clone(r.findings)
	return r
}

// cost returns the bytes that a clone takes. The output does not count: clones share it.
func (r *running) cost() int64 {
	return r.State.cost() + r.Flights.cost() + r.frames.cost() + sliceBytes(r.findings)
}

// shape is the shape of a grid, of its CTAs and of its clusters.
type shape struct {
	Grid, block Dim3
	cluster     Dim3 // in CTAs
	clustered   bool // the launch or the kernel names a cluster shape
}

// launchMemory is the memory that a launch reserves.
type launchMemory struct {
	params    Addr               // of the arguments
	pOff      map[*ptx.Var]int64 // offset of each parameter
	workspace Addr               // where the kernel asks for one; see system.go
	slices    Addr               // global memory, one slice for each CTA; see system.go
	sliceSize int64
}

// sharedLayout says where everything is in the shared memory of a CTA. Offsets and sizes are in bytes.
type sharedLayout struct {
	sharedOff  map[*ptx.Var]int64
	sharedVars []SharedVar // the same in the order of offsets
	dyn        int         // size of the dynamic part
	userShared int64       // size of the variables and the dynamic part
	sharedSize int64       // size of all, with what the system reserves
}

// GridState is the schedule of a grid.
type GridState struct {
	CTAs     []*CTA // resident, in order of their start
	last     *CTA   // of a grid that has ended
	most     int    // CTAs that can be resident at a time
	Next     int    // place in startOrder of the CTA that starts next
	Cur      int    // index into CTAs
	left     int64  // instructions of turnLength that the current turn has left; below 0 on the way to a boundary
	ctaLeft  int64  // instructions left of the current CTA's turn
	Tick     int64  // warp instructions executed
	finished bool
	spin     spinWatch
	Progress bool  // something has changed or ended since spin.since
	Refused  bool  // malloc has found no memory for a call
	Polled   int64 // tick of the last mbarrier.test_wait that found an incomplete phase
	Maps     []ChangedMap
	timeUps  spinWatch // for suspended warps that wake because nothing else can run; looked counts them
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

// cost returns the bytes that a clone takes.
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
	each  int64 // executions that lines does not count
	lines int64 // executions of the whole straight line that begins here
}

const (
	turnLength  = 256  // docs/rationale.md says why
	privateTurn = 4096 // the same for turns that go on with what no other warp can see
	ctaSlice    = 1 << 16
	maxResident = 4096 // CTAs that can be resident at a time, while there is memory
	maxThreads  = 1024 // per CTA
)

// ErrBreak is what RunFor returns before an instruction with a breakpoint.
var ErrBreak = errors.New("stopped at a breakpoint")

// Run executes the grid to its end. It returns nil, a *Fault, ErrMaxSteps or ctx.Err().
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

// RunFor executes at most steps warp instructions, and says whether the grid has ended. It stops with ErrBreak before
// an instruction with a breakpoint, but executes the first instruction of a call even if that has one. Other errors are
// a *Fault and ErrMaxSteps.
func (g *Grid) RunFor(steps int64) (done bool, err error) {
	g.passBreak = true
	defer flush(g)
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

// turn lets the current warp execute up to n instructions of its turn, then settles which warp is next. It returns how
// many instructions the warp has executed, and why it stopped.
func (g *Grid) turn(n int64) (int64, stop) {
	s := &g.State
	c := s.CTAs[s.Cur]
	w := c.Warps[c.Cur]
	ran, why := w.Run(n)
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
	if why != stopBudget || g.stretch(w.Cur.PC, 0) == 0 {
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

// stretch returns how many instructions the current warp can execute before its turn can end: 0 when it ends here. The
// warp has come to a pc, and has executed ran instructions that State.left does not know of.
func (g *Grid) stretch(pc int32, ran int64) int64 {
	left, in := g.State.left-ran, &g.Prog.Code[pc]
	switch {
	case left > 0:
		return left
	case !in.Leader:
		return max(1, int64(in.Line))
	case left <= turnLength-privateTurn:
		return 0
	}
	return int64(in.Private)
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

// room says whether another CTA is to start, and there is a place for it.
func (g *Grid) room() bool {
	return int64(g.State.Next) < g.Counters.CTAs && len(g.State.CTAs) < g.State.most
}

// start makes the next CTA resident, with all others of its cluster. When one more like it would leave less than an
// eighth of the memory, it limits resident CTAs to their present number: the rest of the memory is for their calls.
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

// retire removes an ended CTA. The last CTA of the grid stays, so that people can look at its registers.
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

// finish gives back the memory that the launch has reserved. Counters and output stay.
func (g *Grid) finish() {
	giveBack(g)
	g.Dev.ended = g
}

// giveBack frees the memory of a grid that has ended, or that could not start.
func giveBack(g *Grid) {
	for _, c := range g.State.CTAs {
		c.release()
	}
	g.State.CTAs = nil
	g.releaseFrames()
	g.Mem.Unreserve(g.params)
	g.Mem.Unreserve(g.workspace)
	g.Mem.Unreserve(g.slices)
}

// Done says whether the grid has ended.
func (g *Grid) Done() bool { return g.State.finished }

// Tick returns the number of warp instructions executed so far.
func (g *Grid) Tick() int64 { return g.State.Tick }

// Stats returns the counters so far.
func (g *Grid) Stats() Stats {
	s := g.Counters
	for pc, n := range g.Counted() {
		if o := g.Prog.Code[pc].Op; o == OpBra || o == OpBrx {
			s.Branches += n
		}
	}
	return s
}

// Counted returns how often each instruction has been executed, by pc.
func (g *Grid) Counted() []int64 {
	flush(g)
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

// cta returns a CTA that is resident, or the last CTA of an ended grid; nil for all others.
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

// Output returns what the kernel has printed so far.
func (g *Grid) Output() []byte { return g.Printed }

// Findings lists the findings so far, one for each instruction and cause.
func (g *Grid) Findings() (list []Finding) {
	for _, f := range g.findings {
		list = append(list, f.Finding)
	}
	return list
}

// Next returns the warp that executes the next warp instruction: its CTA's linear index and its index in the CTA. ok is
// false when there is none.
func (g *Grid) Next() (cta, warp int, ok bool) {
	if g.State.finished || g.Fault != nil && len(g.State.CTAs) == 0 {
		return 0, 0, false
	}
	c := g.State.CTAs[g.State.Cur]
	return c.Index, c.Cur, true
}

// Turns returns the ticks at which a warp was about to execute the last two of its instructions; -1 stands for none. ok
// is false when its CTA is not resident.
func (g *Grid) Turns(cta, warp int) (prev, last int64, ok bool) {
	c := g.cta(cta)
	if c == nil || warp >= len(c.Warps) {
		return -1, -1, false
	}
	return c.Warps[warp].prev - 1, c.Warps[warp].last - 1, true
}

// SetBreaks sets the instructions that RunFor stops at. It replaces all earlier ones.
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

// LineCounts returns the warp instructions executed so far per line of the text. Lines count from 1.
func (g *Grid) LineCounts() map[int]int64 {
	counts := map[int]int64{}
	for pc, n := range g.Counted() {
		if n > 0 && g.Prog.Code[pc].Src != nil {
			counts[g.line(int32(pc))] += n
		}
	}
	return counts
}

// line returns the line of the text that the instruction at a pc is in.
func (g *Grid) line(pc int32) int {
	return g.Prog.Mod.Position(int(g.Prog.Code[pc].Src.OpSpan.Start)).Line
}

// countEach counts one execution of each instruction of a part of a straight line.
func countEach(counts []Count) {
	for i := range counts {
		counts[i].each++
	}
}
