package debug

import (
	"slices"
	"sort"

	"warpscope/emu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// MarkKind is what a mark of the timeline tells.
type MarkKind uint8

// The kinds.
const (
	MarkSplit   MarkKind = iota // lanes branch apart
	MarkJoin                    // lanes meet
	MarkBarrier                 // a barrier is complete
	MarkStop                    // a warp comes to a breakpoint
	MarkWatch                   // a watchpoint or another stop is hit
	MarkOutput                  // a warp prints
	MarkFinding                 // something is noted
	MarkFault
	MarkEnd // the run ends

	MarkKinds = iota
)

// Mark is something remarkable in a run. Tick is where to go to see it: before the instruction for a breakpoint, after
// it for the others.
type Mark struct {
	Tick      int64
	Kind      MarkKind
	CTA, Warp int
}

// Marks are found by executing parts of the run again: the whole of a short run, windows of a long one. A window begins
// at a snapshot, so that it is near.
const (
	wholeTicks  = 1 << 17
	windowTicks = 1 << 11
	mostWindows = 128
)

// part is an interval of ticks.
type part struct{ from, to int64 }

// marks are the marks found so far.
type marks struct {
	list    []Mark // by tick
	turns   []Turn // by tick
	seen    []part // looked at: in order, apart
	plan    []part // to look at
	end     int64  // of the run for which the plan was made
	edition int
	over    bool // the run is known to its end

	stop     Mark // the breakpoint at which the session stopped last; of another kind: none
	stopLine int

	away bool  // the machine is where the last search ended; the session is at home
	home int64 // tick
}

// comeHome brings the machine back to where the session is. All that need the machine call it, by Prepare.
func (s *Session) comeHome() {
	if s.marks.away {
		s.marks.away = false
		s.history.seek(s.marks.home)
	}
}

// Marks are the marks found so far, by tick, and whether they are all of the run as far as it is known.
func (s *Session) Marks() (list []Mark, all bool) {
	h := s.history
	if h == nil || s.waiting {
		return nil, true
	}
	list = slices.Clone(s.marks.list)
	switch {
	case h.fault != nil:
		rec := h.faultStep
		list = append(list, Mark{h.faultTick, MarkFault, rec.CTAIndex, rec.Warp})
	case s.marks.over:
		list = append(list, Mark{Tick: h.end, Kind: MarkEnd, CTA: -1})
	case s.marks.stop.Kind == MarkStop && s.marks.stop.Tick == h.end &&
		slices.Contains(s.stops.breakpoints(), s.marks.stopLine):
		list = append(list, s.marks.stop) // no search has come so far
	}
	return list, h.end <= wholeTicks
}

// Turn says which CTA runs from a tick on.
type Turn struct {
	Tick int64
	CTA  int
}

// Turns are the turns of CTAs, by tick, as far as marks were looked for. They say nothing where not all of the run was.
func (s *Session) Turns() []Turn {
	if s.history == nil || s.waiting {
		return nil
	}
	return s.marks.turns
}

// Survey looks for what a chart lacks, then for marks, in a part of the run that is known, of about so many ticks. It
// says whether there is more to look at. The session stays where it is. It is for times in which nothing else is to be
// done.
func (s *Session) Survey(ticks int64) (more bool) {
	h := s.history
	if h == nil || s.waiting || s.phase == Invalid || s.phase == Running {
		return false
	}
	m := &s.marks
	if !m.away {
		m.home = h.tick()
	}
	m.away = false
	if m.end != h.end || m.edition != h.edition {
		m.renew(h)
	}
	if at := s.lacks(); len(at) > 0 {
		s.lookAround(at, ticks)
		more = true
	} else if next, ok := m.next(); ok {
		s.search(next, ticks)
		_, more = m.next()
	}
	if m.away = h.tick() != m.home || h.faulted; !more {
		s.comeHome()
	}
	return more
}

// renew makes a plan for a run whose end has changed. An edit drops what was known.
func (m *marks) renew(h *history) {
	if m.edition != h.edition || h.end < m.end {
		m.list, m.turns, m.seen, m.over = nil, nil, nil, false
	}
	m.end, m.edition, m.plan = h.end, h.edition, nil
	if h.end <= wholeTicks {
		m.plan = []part{{0, h.end}}
		return
	}
	n := len(h.snaps)
	for i := range min(n, mostWindows) {
		from := h.snaps[i*n/min(n, mostWindows)].Tick
		m.plan = append(m.plan, part{from, min(from+windowTicks, h.end)})
	}
	m.plan = append(m.plan, part{max(m.home-windowTicks/2, 0), min(m.home+windowTicks/2, h.end)})
}

// next is the first part of the plan that was not looked at.
func (m *marks) next() (left part, ok bool) {
	for _, p := range m.plan {
		for _, done := range m.seen {
			if done.from <= p.from && p.from < done.to {
				p.from = done.to
			} else if done.from > p.from {
				p.to = min(p.to, done.from)
				break
			}
		}
		if p.from < p.to {
			return p, true
		}
	}
	return left, false
}

// look notes that a part was looked at.
func (m *marks) look(done part) {
	m.seen = append(m.seen, done)
	sort.Slice(m.seen, func(i, j int) bool { return m.seen[i].from < m.seen[j].from })
	merged := m.seen[:1]
	for _, o := range m.seen[1:] {
		if last := &merged[len(merged)-1]; o.from <= last.to {
			last.to = max(last.to, o.to)
			continue
		}
		merged = append(merged, o)
	}
	m.seen = merged
}

// search looks for marks in a part of the run, for about so many ticks.
func (s *Session) search(of part, ticks int64) {
	h, q := s.history, s.stops.question(s)
	found := finder{Session: s, stops: q}
	h.seek(of.from)
	found.findings = len(h.grid.Findings())
	s.turn()
	until := min(of.to, of.from+ticks)
	was := h.exchangeBreaks(breaks{insts: s.remarkable(q.at), cta: -1, warp: -1})
	for !h.faulted && !h.grid.Done() && h.tick() < until {
		h.useBreaks(true)
		before := h.tick()
		err := h.advance(until-before, h.grid.AtBreak)
		found.noted(before)
		if err == emu.ErrBreak {
			found.candidate()
		}
	}
	h.exchangeBreaks(was)
	until = max(h.tick(), of.from+1)
	if h.faulted || h.grid.Done() {
		until = max(until, of.to)
	}
	m := &s.marks
	m.look(part{of.from, until})
	i := sort.Search(len(m.list), func(i int) bool { return m.list[i].Tick > of.from })
	for _, mark := range found.list {
		if j := max(i-2, 0); slices.Contains(m.list[j:min(len(m.list), j+4)], mark) {
			continue // at the seam of two parts
		}
		m.list = append(m.list, mark)
	}
	sort.SliceStable(m.list, func(i, j int) bool { return m.list[i].Tick < m.list[j].Tick })
}

// finder collects the marks of a part.
type finder struct {
	*Session
	stops    question
	findings int // noted so far
	list     []Mark
}

// turn notes which CTA runs next, if it is another one. CTAs take turns after instructions that end one or may wait. A
// part that is looked at again tells nothing new.
func (s *Session) turn() {
	cta, _, ok := s.history.grid.Next()
	tick, m := s.history.tick(), &s.marks
	if n := len(m.turns); ok && (n == 0 || m.turns[n-1].CTA != cta && m.turns[n-1].Tick < tick) {
		m.turns = append(m.turns, Turn{tick, cta})
	}
}

func (f *finder) add(tick int64, kind MarkKind, cta, warp int) {
	f.list = append(f.list, Mark{tick, kind, cta, warp})
}

// candidate executes the instruction that the machine has come to, and looks at what it did.
func (f *finder) candidate() {
	h := f.history
	cta, warp, _ := h.grid.Next()
	if f.stops.stop != nil && f.stops.stop(cta, warp) {
		f.add(h.tick(), MarkStop, cta, warp)
	}
	rec, err := h.step()
	if err != nil {
		return
	}
	f.turn()
	at := rec.Tick + 1
	for kind, is := range [...]bool{
		MarkSplit: splits(&rec), MarkJoin: joins(&rec), MarkBarrier: rec.Barrier != nil && rec.Barrier.Done,
		MarkWatch: f.stops.match != nil && f.stops.match(&rec), MarkOutput: rec.Output != "",
	} {
		if is {
			f.add(at, MarkKind(kind), rec.CTAIndex, rec.Warp)
		}
	}
	if n := len(h.grid.Findings()); n > f.findings {
		f.findings = n
		f.add(at, MarkFinding, rec.CTAIndex, rec.Warp)
	}
}

// noted finds the ticks at which findings were noted since a tick.
func (f *finder) noted(since int64) {
	h := f.history
	now, n := h.tick(), len(h.grid.Findings())
	for ; f.findings < n; f.findings++ {
		at := since + 1 + int64(sort.Search(int(now-since-1), func(i int) bool {
			h.seek(since + 1 + int64(i))
			return len(h.grid.Findings()) > f.findings
		}))
		h.seek(at - 1)
		cta, warp, _ := h.grid.Next()
		f.add(at, MarkFinding, cta, warp)
	}
	if h.tick() != now {
		h.seek(now)
	}
}

// remarkable are the instructions after which there can be a mark: all that change the pc or may wait, those that come
// to a place where lanes meet, and those of stops.
func (s *Session) remarkable(stops map[*ptx.Inst]bool) map[*ptx.Inst]bool {
	at := map[*ptx.Inst]bool{}
	for in := range stops {
		at[in] = true
	}
	for _, f := range s.module.Funcs {
		for i, in := range f.Insts {
			if in.Match != nil && in.Match.Form.Effect&(isa.Branches|isa.Barrier) != 0 {
				at[in] = true
			}
			if to := in.Reconv(); to > 0 && to <= len(f.Insts) {
				at[f.Insts[to-1]] = true
			}
			if i == len(f.Insts)-1 {
				at[in] = true
			}
		}
	}
	return at
}

// Visit goes to a mark, and follows the warp that made it.
func (s *Session) Visit(m Mark) {
	s.Prepare()
	if s.phase == Invalid || m.Tick > s.history.end {
		return
	}
	if m.Kind == MarkStop || m.Kind >= MarkFault || m.Tick == 0 {
		s.SeekTo(m.Tick)
		if m.Kind == MarkStop {
			s.atBreakpoint()
		}
		return
	}
	s.changed()
	s.history.seek(m.Tick - 1)
	rec, err := s.history.step()
	s.cta, s.warp = rec.CTAIndex, rec.Warp
	s.record(rec, err)
}
