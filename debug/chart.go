package debug

import (
	"slices"

	"warpscope/emu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// A chart shows what the lanes of a warp, or all warps, do over a span of a run. It is made of moments: looks at the
// machine between two instructions. While the span is short there is one for each tick, and the chart is exact. In a
// longer one there is a moment for every 2, 4, 8 … ticks. Those of a longer distance are among those of a shorter one:
// a span that grows, or through which the user zooms, needs few new ones. The moments are found by executing the run
// again when nothing else is to be done, at full speed. What is not looked at costs nothing.
const (
	mostMoments = 1 << 11 // of a chart
	keptMoments = 1 << 12
	mostRows    = 1 << 7 // of a chart of all warps
	lookTicks   = 4      // instructions that take as long as a look
)

// ChartAsk is what a chart is to show.
type ChartAsk struct {
	From, To int64 // ticks; the end of the run as far as it is known if To is less
	All      bool  // all warps, not the lanes of the followed one
}

// Chart is what is known of it.
type Chart struct {
	From, To  int64 // ticks: the state before From, to that before the last instruction
	Stride    int64 // ticks of a moment; 1: the chart is exact
	CTA, Warp int
	All       bool
	Each      int      // warps that a row of a chart of all warps stands for
	Moments   []Moment // those known, by tick
	Complete  bool
	Code      *Code
}

// Moment is what warps are about to do at a tick. It stands for the ticks from First to First + Stride - 1.
type Moment struct {
	Tick, First int64
	Turn        bool      // the followed warp executes the next instruction
	Present     emu.Mask  // its lanes that have not ended
	Places      []Place   // where they are
	Rows        []WarpRow // of a chart of all warps
	Warps       []Count   // how many do what; of a chart of all warps
}

// Place is where lanes of a warp are.
type Place struct {
	At   int32 // instruction, numbered by Code; -1 for none
	Mask emu.Mask
	Runs bool     // they come to the warp's next instruction; others wait
	Off  emu.Mask // of these, lanes whose guard switches the instruction off; looked at in exact charts
}

// WarpRow is what a warp does, of several the first one that runs or can run.
type WarpRow struct {
	Doing Doing
	At    int32
	Lanes uint8 // that execute the next instruction
}

// Active is the number of lanes that execute the warp's next instruction.
func (m *Moment) Active() (n int) {
	for _, p := range m.Places {
		if p.Runs {
			n += p.Mask.Count()
		}
	}
	return n
}

// Of is where a lane is; ok is false before its warp has started and after the lane has ended.
func (m *Moment) Of(lane int) (p Place, ok bool) {
	for _, p := range m.Places {
		if p.Mask.Has(lane) {
			return p, true
		}
	}
	return p, false
}

// chart is what the session knows of the chart that was asked for.
type chart struct {
	wanted bool
	ask    ChartAsk
	code   *Code
	of     chartKey
	kept   map[int64]*Moment // by tick
	news   int               // grows when kept changes
	end    int64
	last   *Chart // as it was with the news at that time
	lastly int
}

// chartKey is what all moments of a chart have in common.
type chartKey struct {
	all       bool
	cta, warp int
	edition   int
}

// AskChart chooses what Chart shows and Survey looks for.
func (s *Session) AskChart(ask ChartAsk) { s.chart.wanted, s.chart.ask = true, ask }

// NoChart ends that. Nothing is looked for.
func (s *Session) NoChart() { s.chart = chart{} }

// Chart is the chart that was asked for, as far as it is known; nil when there is none. It is
// the same one until there is something new about it.
func (s *Session) Chart() *Chart {
	h := s.history
	if !s.chart.wanted || h == nil || s.waiting || s.phase == Invalid {
		return nil
	}
	s.renewChart()
	c := s.frame()
	if !s.marks.away && !h.faulted && s.phase != Running && c.Stride == 1 {
		s.note(h.grid.Tick())
	}
	if was := s.chart.last; was != nil && s.chart.lastly == s.chart.news && was.same(c) {
		return was
	}
	s.chart.last, s.chart.lastly = c, s.chart.news
	c.Complete = true
	eachMoment(c, func(first, tick int64) {
		if m := s.chart.kept[tick]; m != nil {
			moment := *m
			moment.First = first
			c.Moments = append(c.Moments, moment)
		} else {
			c.Complete = false
		}
	})
	return c
}

// same says whether two charts need the same moments.
func (c *Chart) same(o *Chart) bool {
	return c.From == o.From && c.To == o.To && c.CTA == o.CTA && c.Warp == o.Warp && c.All == o.All && c.Code == o.Code
}

// frame is the chart without its moments.
func (s *Session) frame() *Chart {
	ask, end := s.chart.ask, s.history.end
	c := &Chart{From: max(ask.From, 0), To: min(ask.To, end), Stride: 1, CTA: s.cta, Warp: s.warp, All: ask.All,
		Each: 1, Code: s.chart.code}
	if c.To <= c.From {
		c.From, c.To = min(c.From, end), end
	}
	for (c.To-c.From)/c.Stride > mostMoments {
		c.Stride *= 2
	}
	ctas, warps := s.counts()
	for ctas*warps > c.Each*mostRows {
		c.Each *= 2
	}
	return c
}

// renewChart forgets the moments of another warp or another run.
func (s *Session) renewChart() {
	c, h := &s.chart, s.history
	key := chartKey{all: c.ask.All, edition: h.edition}
	if !key.all {
		key.cta, key.warp = s.cta, s.warp
	}
	if c.code == nil {
		c.code = NewCode(s.module)
	}
	if c.kept == nil || c.of != key || h.end < c.end {
		c.of, c.kept = key, map[int64]*Moment{}
		c.news++
	}
	c.end = h.end
}

// eachMoment visits the moments that a chart needs: the tick at which each begins, and the one at which it looks.
func eachMoment(c *Chart, do func(first, tick int64)) {
	for first := c.From - c.From%c.Stride; first < c.To; first += c.Stride {
		do(first, min(first+within(first, c.Stride), c.To-1))
	}
}

// within is where in an interval its moment is: in the half that a mixture of the bits of its place chooses, and there
// where the moment of that half is. So moments are not in step with loops.
func within(first, length int64) (offset int64) {
	for half := length / 2; half > 0; half /= 2 {
		mixed := uint64(first+offset) / uint64(half) * 0x9e3779b97f4a7c15
		if mixed>>63 != 0 {
			offset += half
		}
	}
	return offset
}

// lacks lists the ticks at which the session must look for the chart.
func (s *Session) lacks() (ticks []int64) {
	if !s.chart.wanted {
		return nil
	}
	s.renewChart()
	c := s.frame()
	eachMoment(c, func(_, tick int64) {
		if s.chart.kept[tick] == nil {
			ticks = append(ticks, tick)
		}
	})
	if len(s.chart.kept)+len(ticks) > keptMoments {
		s.forget(c)
	}
	return ticks
}

// forget keeps only the moments of a chart.
func (s *Session) forget(c *Chart) {
	kept := map[int64]*Moment{}
	eachMoment(c, func(_, tick int64) {
		if m := s.chart.kept[tick]; m != nil {
			kept[tick] = m
		}
	})
	s.chart.kept = kept
}

// lookAround looks at the machine at these ticks, as far as about so many instructions lead.
func (s *Session) lookAround(at []int64, ticks int64) {
	h := s.history
	for _, tick := range at {
		if ticks <= 0 {
			return
		}
		h.back(tick)
		before := h.tick()
		if !h.glide(tick, ticks) {
			return
		}
		ticks -= h.tick() - before + lookTicks
		s.note(tick)
	}
}

// note looks at the machine, which is at a tick.
func (s *Session) note(tick int64) {
	if s.chart.kept[tick] != nil {
		return
	}
	m := &Moment{Tick: tick}
	if s.chart.of.all {
		w := warpsOf(s.history.grid)
		m.Rows, m.Warps = s.warpRows(&w), w.Counts()
	} else {
		s.notePlaces(m)
	}
	s.chart.kept[tick] = m
	s.chart.news++
}

// notePlaces says where the lanes of the followed warp are.
func (s *Session) notePlaces(m *Moment) {
	w := emu.WarpHead(s.history.grid, s.cta, s.warp)
	cta, warp, ok := s.history.grid.Next()
	m.Turn = ok && cta == s.cta && warp == s.warp
	m.Present, m.Places = s.chart.code.Places(&w)
	for i := range m.Places {
		if p := &m.Places[i]; p.Runs && w.Stack[0].PC != nil {
			p.Off = p.Mask & s.guardedOff(w.Stack[0].PC)
		}
	}
}

// Places says where the lanes of a warp are that have not ended: a lane is where the topmost entry that holds it is.
func (c *Code) Places(w *emu.WarpView) (present emu.Mask, places []Place) {
	if present = w.Present &^ w.Exited; w.Ended {
		present = 0
	}
	left := present
	for i, e := range w.Stack {
		mask := e.Mask & left
		left &^= mask
		if mask != 0 {
			runs := i == 0 && e.Wait == emu.WaitNone && w.AtBarrier&mask == 0
			places = append(places, Place{At: c.at(e.Func, e.PC), Mask: mask, Runs: runs})
		}
	}
	return present, places
}

// guardedOff are the lanes of the followed warp in which the guard of the next instruction is false (9.3). Those go on
// from a branch as well.
func (s *Session) guardedOff(in *ptx.Inst) (off emu.Mask) {
	if in.Guard == nil || in.Guard.Reg == nil || in.Match == nil || in.Match.Form.Effect&isa.Branches != 0 {
		return 0
	}
	values := emu.Register(s.history.grid, s.cta, s.warp, in.Guard.Reg, int(in.Guard.Elem))
	for lane := 0; values != nil && lane < len(values); lane++ {
		if (values[lane]&1 != 0) == in.Guard.Neg {
			off |= 1 << lane
		}
	}
	return off
}

// warpRows say what all warps do, several to a row where there are very many.
func (s *Session) warpRows(w *Warps) []WarpRow {
	each := s.frame().Each
	rows := make([]WarpRow, (w.Total()+each-1)/each)
	for i := range rows {
		if rows[i] = (WarpRow{Doing: DoesCome, At: -1}); w.HasStarted(i * each / w.PerCTA) {
			rows[i].Doing = DoesEnded
		}
	}
	better := []Doing{DoesFault, DoesRun, DoesDiverged, DoesReady, DoesWait, DoesEnded, DoesCome}
	w.EachResident(func(t Tile) {
		row := &rows[(t.CTA*w.PerCTA+t.Warp)/each]
		if slices.Index(better, t.Doing) < slices.Index(better, row.Doing) {
			*row = WarpRow{t.Doing, s.chart.code.at(nil, t.PC), uint8(t.Mask.Count())}
		}
	})
	return rows
}
