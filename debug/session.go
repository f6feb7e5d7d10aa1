package debug

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// Session is one program under the debugger. It is not safe for concurrent use.
type Session struct {
	options  emu.Options
	settings launch.Settings

	module      *ptx.Module
	spec        *launch.Spec
	diagnostics ptx.Diagnostics
	waiting     bool             // the text is checked, its launch not yet prepared
	prepared    *launch.Prepared // nil when Invalid or waiting
	history     *history

	phase     Phase
	status    string
	last      *emu.Step
	cta, warp int // followed
	lane      int
	chosen    bool // the user has chosen the followed warp
	kept      kept // the registers of a warp that has ended
	stops     stops
	marks     marks
	chart     chart
	counting  *countingRun // nil while nothing asks for counters
	shape     *Shape       // of the function that Flow has shown last
	live      liveness
	travel    *travel // a journey on its way

	version uint64
	view    View
	scratch []byte               // for newView
	checked []launch.Expectation // by outcome

	past *Session // the last good program, while the text has errors
}

// New makes a session without a program.
func New(o emu.Options) *Session {
	return &Session{options: o, status: "There is no program yet.", version: 1}
}

// Settings takes the place of the header's lines in texts that SetSource is given from now on.
func (s *Session) Settings(set launch.Settings) { s.settings = set }

// Module is the module of the current text, even if it has errors; nil before SetSource. The next SetSource takes what
// has not changed for its own module, so from then on this one must not be used.
func (s *Session) Module() *ptx.Module { return s.module }

// Spec is how the module is launched; nil when Invalid.
func (s *Session) Spec() *launch.Spec { return s.spec }

// SetSource parses and checks a text. What its launch needs is prepared when a view or a step first asks for it, so
// that typing does not pay for it. History starts again.
func (s *Session) SetSource(name, text string) {
	s.changed()
	s.comeHome()
	past := s.past
	if s.past = nil; past == nil && s.history != nil && s.history.end > 0 && len(text) < longestPast {
		program := *s
		past, s.history, s.module = &program, nil, nil // the new module must not take parts of this one
	}
	s.letGo()
	m, err := s.parse(name, []byte(text))
	s.module, s.diagnostics = m, slices.Clone(m.Diagnostics)
	if err != nil {
		s.past = past
		s.invalid(err)
		return
	}
	if s.spec, err = launch.FromSettings(m, s.settings); err != nil {
		s.past = past
		s.refuse(err)
		return
	}
	if past != nil {
		past.letGo()
	}
	s.diagnostics = m.Located(append(s.diagnostics, s.spec.Warnings...))
	s.waiting = true
	s.phase, s.status = Ready, "The text has no errors. Its launch is prepared when it is needed."
}

// longestPast bounds the texts that are parsed as a whole, so that the program before them stays, in bytes.
const longestPast = 1 << 18

// Past is the session of the last good program while the text has errors; nil where that is not kept. What is known of
// that program can be asked of it; SeekPast moves it.
func (s *Session) Past() *Session { return s.past }

// SeekPast goes to a tick in the run of the last good program while the text has errors; ok is false where that is not
// kept.
func (s *Session) SeekPast(tick int64) (v View, ok bool) {
	if s.past == nil {
		return v, false
	}
	s.changed()
	s.past.version = s.version
	s.past.SeekTo(tick)
	v = s.past.View()
	s.version = v.Version
	return v, true
}

// parse parses what has changed in the text.
func (s *Session) parse(name string, src []byte) (*ptx.Module, error) {
	if s.module != nil && s.module.Name == name {
		return s.module.Edited(src)
	}
	return ptx.Parse(name, src)
}

// Prepare lowers the program, fills its memory and takes the first snapshot, unless that has happened since SetSource.
// All that need the machine call it themselves.
func (s *Session) Prepare() {
	s.comeHome()
	if !s.waiting {
		return
	}
	s.waiting = false
	s.changed()
	p, err := launch.Prepare(s.module, s.spec, s.options)
	if err != nil {
		s.refuse(err)
		return
	}
	s.prepared = p
	s.history = newHistory(p.Grid)
	s.SetStops(s.stops.list)
	s.atStart()
}

// Try lists the errors that a text has, as SetSource would find them. The current program stays as it is.
func (s *Session) Try(name, text string) ptx.Diagnostics {
	trial := New(s.options)
	trial.SetSource(name, text)
	trial.Prepare()
	return trial.diagnostics.Errors()
}

// letGo releases the current program. Its memory is freed before the next program's is allocated, because WebAssembly's
// memory never shrinks.
func (s *Session) letGo() {
	large := s.history != nil && s.history.held() > collectBytes
	s.spec, s.prepared, s.history, s.last, s.view, s.scratch = nil, nil, nil, nil, View{}, nil
	s.chosen, s.kept, s.marks, s.counting = false, kept{}, marks{}, nil
	s.chart, s.shape = chart{wanted: s.chart.wanted, ask: s.chart.ask}, nil
	s.waiting = false
	if large {
		runtime.GC()
	}
}

// collectBytes is how many bytes a program must hold before the garbage collector, which takes time, is called after
// it.
const collectBytes = 32 << 20

// invalid is the state of a text that cannot run.
func (s *Session) invalid(err error) {
	s.spec, s.phase, s.status = nil, Invalid, s.invalidStatus(err)
}

// refuse keeps what an error of the launch says about the text.
func (s *Session) refuse(err error) {
	var list ptx.Diagnostics
	if !errors.As(err, &list) {
		list = ptx.Diagnostics{{Code: "launch-refused", Message: err.Error()}}
	}
	s.diagnostics = s.module.Located(append(s.diagnostics, list...))
	s.invalid(err)
}

func (s *Session) invalidStatus(err error) string {
	found := s.diagnostics.Errors()
	if len(found) == 0 {
		return err.Error()
	}
	at := s.module.Position(int(found[0].Span.Start))
	what := "run"
	if launch.OnlyTheLaunch(found) {
		what = "launch"
	}
	text := fmt.Sprintf("Cannot %s: line %d: %s", what, at.Line, found[0].Message)
	if n := len(found) - 1; n > 0 {
		text += fmt.Sprintf(" (and %s)", ptx.Plural(n, "more error"))
	}
	if strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// changed makes the current view and outcome stale.
func (s *Session) changed() {
	s.version++
	s.checked = nil
}

// outcome is the results of the expectations once the run has ended.
func (s *Session) outcome() []launch.Expectation {
	if s.checked == nil {
		s.checked = s.prepared.Report().Expectations
	}
	return s.checked
}

// atStart is the state before the first instruction.
func (s *Session) atStart() {
	s.phase, s.last = Ready, nil
	s.followNext()
	threads := s.history.grid.Stats().Threads
	s.status = fmt.Sprintf("Ready: kernel %s, %s in %s.", ptx.DisplayName(s.spec.Entry), ptx.Plural(threads, "thread"),
		ptx.Plural(s.history.grid.Stats().CTAs, "CTA"))
	if s.spec.Defaulted && len(s.spec.Args) > 0 {
		s.status += " No launch header: grid, block and arguments were guessed."
	}
}

// followNext follows the warp that runs next.
func (s *Session) followNext() {
	if cta, warp, ok := s.history.grid.Next(); ok {
		s.cta, s.warp, s.chosen = cta, warp, false
	}
}

// Reset goes back to the start of the launch, without edits. If there are none, the known future is kept.
func (s *Session) Reset() {
	s.Prepare()
	n := 0
	if s.phase != Invalid {
		if n = len(s.history.edits); n > 0 {
			s.takeBack(0)
		}
	}
	s.SeekTo(0)
	if n > 0 {
		s.status += fmt.Sprintf(" %s taken back.", ptx.Plural(n, "edit"))
	}
}

// These bound the instructions of other warps that one Step waits for: until the followed warp's CTA starts, at full
// speed, and from then on.
const (
	startBudget = 1 << 22
	stepBudget  = 1 << 17
)

// Step executes the next instruction of the followed warp; others run until it is its turn. If the followed warp has
// ended, the session follows the next one.
func (s *Session) Step() {
	if !s.canRun() {
		return
	}
	s.changed()
	h := s.history
	if emu.WarpHead(h.grid, s.cta, s.warp).Ended {
		s.followNext()
	}
	before := h.tick()
	if err := h.untilStarted(s.cta, s.warp, startBudget); err != nil {
		s.settle(err)
		return
	}
	for range stepBudget {
		cta, warp, ok := h.grid.Next()
		if ok && cta == s.cta && warp == s.warp {
			s.record(h.step())
			return
		}
		if err := h.silently(1); err != nil || h.grid.Done() {
			s.settle(err)
			return
		}
	}
	s.phase, s.last = Paused, nil
	s.status = fmt.Sprintf("Warp %d of CTA %s still waits%s: other warps ran %s.", s.warp,
		s.ctaName(s.cta), s.waitText(), ptx.Plural(h.tick()-before, "instruction"))
}

func (s *Session) waitText() string {
	w := emu.WarpHead(s.history.grid, s.cta, s.warp)
	if w.AtBarrier == 0 {
		return ""
	}
	return " at " + barrierName(w.BarrierID)
}

// canRun prepares the launch and says whether there are instructions to execute.
func (s *Session) canRun() bool {
	s.Prepare()
	return s.phase != Invalid && s.phase != Finished && s.phase != Faulted
}

// record takes the record of a step of the followed warp.
func (s *Session) record(rec emu.Step, err error) {
	s.phase, s.last = Paused, &rec
	if err != nil || s.history.grid.Done() {
		s.settle(err)
		s.last = &rec
		if err == nil {
			s.status = s.sentence(&rec) + " " + s.status
		}
		return
	}
	s.status = s.sentence(&rec)
}

// settle sets phase and status after instructions ran: the end, a fault, or a pause.
func (s *Session) settle(err error) {
	h := s.history
	s.last = nil
	s.prepared.Err = err
	var fault *emu.Fault
	switch {
	case errors.As(err, &fault):
		s.phase, s.last = Faulted, h.enterFault()
		s.cta, s.warp = s.index(fault.CTA), fault.Warp
		s.status = s.faultStatus()
	case h.grid.Done():
		s.phase, s.marks.over = Finished, true
		s.status = s.finishedStatus()
	case h.tick() == 0:
		s.atStart()
	default:
		s.phase = Paused
	}
}

// index is the linear index of a CTA.
func (s *Session) index(cta emu.Dim3) int {
	x, y, _ := dims(s.spec.Grid)
	return cta.X + x*(cta.Y+y*cta.Z)
}

// RunFor runs at most budget warp instructions and says whether there is more to run. It stops at breakpoints, except
// at one on the first instruction of a run. Call it again while it gives true, or call Pause.
func (s *Session) RunFor(budget int64) (more bool) {
	if !s.canRun() {
		return false
	}
	s.changed()
	pass := s.phase != Running
	s.phase, s.last = Running, nil
	rec, err := s.runToStop(budget, pass)
	switch {
	case errors.Is(err, emu.ErrBreak) && rec != nil:
		s.afterStop(rec)
	case errors.Is(err, emu.ErrBreak):
		s.atBreakpoint()
	case err != nil || s.history.grid.Done():
		s.settle(err)
		s.followLast()
	default:
		stats := s.history.grid.Stats()
		s.status = fmt.Sprintf("Running: %s, %s of %s done.",
			ptx.Plural(stats.WarpInstructions, "warp instruction"), ptx.Thousands(stats.CTAsDone),
			ptx.Plural(stats.CTAs, "CTA"))
		return true
	}
	return false
}

// runToStop runs up to budget instructions. The error is emu.ErrBreak at a stop, or the fault; rec is the step after
// which the run stopped, nil where it stopped before an instruction.
func (s *Session) runToStop(budget int64, pass bool) (rec *emu.Step, err error) {
	h := s.history
	if s.stops.plain() {
		return nil, h.run(budget, pass)
	}
	q := s.stops.question(s)
	if pass {
		q.pass = h.tick()
	}
	found := h.next(q, h.tick()+budget)
	switch {
	case h.faulted:
		return nil, h.fault
	case found != nil:
		return found.rec, emu.ErrBreak
	}
	return nil, nil
}

// afterStop says at which watchpoint or event the run has stopped.
func (s *Session) afterStop(rec *emu.Step) {
	s.phase, s.last = Paused, rec
	s.cta, s.warp = rec.CTAIndex, rec.Warp
	s.status = "Stopped after " + s.sentence(rec)
}

func (s *Session) atBreakpoint() {
	s.phase = Paused
	where, line := s.stopNext()
	s.followNext()
	w := emu.WarpHead(s.history.grid, s.cta, s.warp)
	who, verb := fmt.Sprintf("warp %d of CTA %s", s.warp, s.ctaName(s.cta)), "executes"
	if w.Active != w.Present {
		if who = w.Active.FewLanes() + " of " + who; w.Active.Count() > 1 {
			verb = "execute"
		}
	}
	s.status = fmt.Sprintf("Stopped %s: %s %s %s next.", where, who, verb, s.quote(w.PC))
	s.marks.stop, s.marks.stopLine = Mark{s.history.tick(), MarkStop, s.cta, s.warp}, line
}

// Pause ends a run between two slices.
func (s *Session) Pause() {
	if s.phase != Running {
		return
	}
	s.changed()
	s.settle(nil)
	if w := emu.WarpHead(s.history.grid, s.cta, s.warp); w.Ended && s.phase == Paused {
		s.followNext()
	}
	if s.phase == Paused {
		s.status = fmt.Sprintf("Paused after %s.", ptx.Plural(s.history.tick(), "warp instruction"))
	}
}

// SeekTo goes to a tick, from 0 to the furthest known.
func (s *Session) SeekTo(tick int64) {
	s.Prepare()
	if s.phase == Invalid {
		return
	}
	s.changed()
	h := s.history
	tick = min(max(tick, 0), h.end)
	var led *emu.Step // the step that leads there
	if tick > 0 && (h.fault == nil || tick < h.faultTick) && !h.edited(tick) {
		h.seek(tick - 1)
		if rec, err := h.step(); err == nil {
			led = &rec
		}
	}
	h.seek(tick)
	if h.faulted {
		s.settle(h.fault)
		return
	}
	s.settle(nil)
	s.last = led
	if !h.started(s.cta, s.warp) {
		s.followNext()
	}
	if s.phase == Paused {
		s.status = s.landed(led)
	}
}

// landed says what the step did that leads to where a jump has ended.
func (s *Session) landed(led *emu.Step) string {
	switch {
	case led == nil:
		return fmt.Sprintf("At step %s of %s.", ptx.Thousands(s.history.tick()), ptx.Thousands(s.history.end))
	case led.CTAIndex == s.cta && led.Warp == s.warp:
		return s.sentence(led)
	}
	return fmt.Sprintf("Warp %d of CTA %s: %s", led.Warp, s.ctaName(led.CTAIndex), s.sentence(led))
}

// StepBack takes back an edit after which nothing has run. Else it goes to the last tick before this one at which the
// followed warp was about to execute. If that warp has not run before, the session follows the warp that executed the
// instruction before this one.
func (s *Session) StepBack() {
	s.Prepare()
	if s.phase == Invalid {
		return
	}
	s.changed()
	h := s.history
	t := h.tick()
	if s.undo() {
		return
	}
	if t == 0 {
		s.atStart()
		s.status = "This is the beginning: nothing has been executed."
		return
	}
	prev, last := h.turns(s.cta, s.warp, t)
	if last < 0 {
		h.seek(t - 1)
		s.followNext()
		prev, last = h.turns(s.cta, s.warp, t)
	}
	s.landOn(prev, last)
}

// ledTicks bounds how far back the step is that a step back shows as the last one.
const ledTicks = 1 << 12

// landOn goes to a tick at which the followed warp is about to execute; prev is its turn before that, or -1. Where the
// warp has waited long before that tick, what it did before is not shown: to find it is as long as a seek.
func (s *Session) landOn(prev, last int64) {
	h := s.history
	var rec *emu.Step
	if prev >= 0 && last-prev <= ledTicks {
		h.seek(prev)
		if r, err := h.step(); err == nil {
			rec = &r
		}
	}
	h.seek(last)
	s.settle(nil)
	s.last = rec
	if s.phase == Paused {
		w := emu.WarpHead(h.grid, s.cta, s.warp)
		s.status = fmt.Sprintf("Stepped back: line %d, %s, is next again.", s.line(w.PC), s.quote(w.PC))
	}
}

// breakInsts are the first instructions of lines, in each function.
func breakInsts(m *ptx.Module, lines []int) map[*ptx.Inst]bool {
	insts := map[*ptx.Inst]bool{}
	for _, line := range lines {
		nearest := nextLine(m, line)
		for _, f := range m.Funcs {
			i := slices.IndexFunc(f.Insts, func(in *ptx.Inst) bool {
				return !in.Implicit() && m.Position(int(in.Span.Start)).Line == nearest
			})
			if i >= 0 {
				insts[f.Insts[i]] = true
			}
		}
	}
	return insts
}

// nextLine is the first line with an instruction from a line on; 0 for none.
func nextLine(m *ptx.Module, line int) (nearest int) {
	for _, f := range m.Funcs {
		for _, in := range f.Insts {
			if l := m.Position(int(in.Span.Start)).Line; !in.Implicit() && l >= line && (nearest == 0 || l < nearest) {
				nearest = l
			}
		}
	}
	return nearest
}

// BreakLine is the line at which a breakpoint of a line stops; 0 for none. While the text has errors it is the line.
func (s *Session) BreakLine(line int) int {
	if s.phase == Invalid || s.module == nil {
		return line
	}
	return nextLine(s.module, line)
}

// Follow chooses the warp that Step steps and the view shows.
func (s *Session) Follow(cta, warp int) {
	s.Prepare()
	if s.phase == Invalid {
		return
	}
	s.changed()
	ctas, warps := s.counts()
	s.chosen = true
	s.cta, s.warp = min(max(cta, 0), ctas-1), min(max(warp, 0), warps-1)
	s.status = fmt.Sprintf("Following warp %d of CTA %s.", s.warp, s.ctaName(s.cta))
	if s.phase == Faulted { // why the run has stopped is told for as long as it stands there
		s.status, s.last = s.faultStatus(), s.history.faultStep
	}
	if s.last != nil && (s.last.CTAIndex != s.cta || s.last.Warp != s.warp) {
		s.last = nil
	}
}

// FollowLane chooses the lane whose local memory the view shows.
func (s *Session) FollowLane(lane int) {
	s.changed()
	s.lane = min(max(lane, 0), 31)
}

// counts are the CTAs of the grid and the warps of a CTA.
func (s *Session) counts() (ctas, warps int) {
	x, y, z := dims(s.spec.Grid)
	bx, by, bz := dims(s.spec.Block)
	return x * y * z, (bx*by*bz + 31) / 32
}

// dims are the components of a shape, of which zeros count as 1.
func dims(d emu.Dim3) (x, y, z int) { return max(d.X, 1), max(d.Y, 1), max(d.Z, 1) }

// ctaName is a CTA's number in a grid of one dimension, "6,336", and its index in others: "1,0,0".
func (s *Session) ctaName(cta int) string {
	x, y, z := dims(s.spec.Grid)
	if y*z == 1 {
		return ptx.Thousands(int64(cta))
	}
	return fmt.Sprintf("%d,%d,%d", cta%x, cta/x%y, cta/x/y)
}

// line is the source line of an instruction, 0 for none.
func (s *Session) line(in *ptx.Inst) int {
	if in == nil {
		return 0
	}
	return s.module.Position(int(in.Span.Start)).Line
}

// lineOf is the line of a step: where lanes run past the end of a body, that of its closing brace.
func (s *Session) lineOf(rec *emu.Step) int {
	if rec.Inst == nil && rec.Func != nil {
		return s.module.Position(int(rec.Func.Body.End) - 1).Line
	}
	return s.line(rec.Inst)
}

// quote is an instruction as written, on one line, between back quotes.
func (s *Session) quote(in *ptx.Inst) string {
	if in == nil {
		return "the end of the function"
	}
	return "`" + s.code(in) + "`"
}

// code is the text of an instruction without what separates it from the next.
func (s *Session) code(in *ptx.Inst) string {
	text := s.module.Text(in.Span)
	return cut(strings.Join(strings.Fields(strings.TrimSuffix(text[:min(len(text), 400)], ";")), " "))
}

// cut shortens a text to what a sentence can hold.
func cut(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
