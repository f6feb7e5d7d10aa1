package ui

import (
	"warpscope/debug"
	"warpscope/launch"
)

// A run is cut into slices: within one animation frame, chunks of warp instructions until frameMS are used up. The size
// of chunks adapts so that one takes about chunkMS. It at most doubles from one chunk to the next, so a wrong guess
// stays short, and Pause takes effect within a few frames.
const (
	frameMS   = 12.0
	chunkMS   = 3.0
	minChunk  = 64
	maxChunk  = 1 << 26
	refreshMS = 120.0 // how often a run shows how far it is

	minMeasure = 50.0 // runs shorter than this say nothing about speed
)

type runner struct {
	chunk       int64
	started     float64
	startTick   int64
	lastRefresh float64
	waiting     bool               // for the next frame
	goal        *goal              // where the run must stop; nil for the end
	trials      []*trial           // the runs of two versions that are compared
	abreast     *launch.Abreast    // the program under several models; nil while its dialog is closed
	models      func() (more bool) // what these runs do, in slices; nil if they are still
	journey     *debug.Journey     // what the run looks for; nil for nothing
}

func newRunner() runner { return runner{chunk: 1024} }

// adapt chooses the next chunk from how long the last one took.
func (r *runner) adapt(milliseconds float64) {
	switch {
	case milliseconds < chunkMS/2:
		r.chunk *= 2
	case milliseconds > chunkMS*2:
		r.chunk = int64(float64(r.chunk) * chunkMS / milliseconds)
	}
	r.chunk = min(max(r.chunk, minChunk), maxChunk)
}

// run starts or continues; a run that has ended starts again.
func (s *Store) run() {
	if s.model.Running {
		return
	}
	s.parseNow()
	if s.model.Stale {
		s.explainInvalid()
		return
	}
	view := s.model.View
	switch view.Phase {
	case debug.Invalid:
		s.explainInvalid()
		return
	case debug.Finished, debug.Faulted:
		s.session.Reset()
		view = s.session.View()
	}
	s.start(view)
}

// start begins the first slice.
func (s *Store) start(view debug.View) {
	s.stopSurvey()
	now := s.platform.Now()
	s.runner.started, s.runner.lastRefresh, s.runner.startTick = now, now, view.Tick
	s.update(func(m *Model) { m.Running, m.TabChosen, m.Notice, m.View, m.Again = true, false, "", view, again{} })
	if s.editor != nil {
		s.editor.Show(s.model, 0)
	}
	if !s.runner.waiting {
		s.slice()
	}
}

// slice runs for one frame and asks for the next.
func (s *Store) slice() {
	s.runner.waiting = false
	if !s.model.Running {
		return
	}
	start := s.platform.Now()
	for {
		before := s.platform.Now()
		budget := s.runner.chunk
		if g := s.runner.goal; g != nil {
			budget = min(budget, g.left)
			g.left -= budget
		}
		more := s.advance(budget)
		now := s.platform.Now()
		s.runner.adapt(now - before)
		if !more {
			s.ended(now)
			return
		}
		if g := s.runner.goal; g != nil && g.left == 0 {
			s.arrive()
			return
		}
		if now-start >= frameMS {
			if now-s.runner.lastRefresh >= refreshMS {
				s.runner.lastRefresh = now
				s.refreshRun(now)
			}
			break
		}
	}
	s.runner.waiting = true
	s.platform.Frame(s.slice)
}

// advance runs on: at most so many instructions, or as far as a journey goes at once.
func (s *Store) advance(budget int64) (more bool) {
	if j := s.runner.journey; j != nil {
		return s.session.Go(*j)
	}
	return s.session.RunFor(budget)
}

// refreshRun publishes how far a run is.
func (s *Store) refreshRun(now float64) {
	before := s.model.View
	view := s.session.View()
	s.moved(calmDelay)
	s.update(func(m *Model) {
		m.View = view
		m.Rate = s.runner.rate(now, view.Tick)
	})
	s.markEditor(before)
}

func (r *runner) rate(now float64, tick int64) float64 {
	if now <= r.started {
		return 0
	}
	return float64(tick-r.startTick) * 1000 / (now - r.started)
}

func (s *Store) ended(now float64) {
	if g := s.runner.goal; g != nil {
		s.runner.goal = nil
		s.session.SetStops(g.stops)
	}
	s.runner.journey = nil
	s.model = s.model.stopped()
	s.refresh()
	s.update(func(m *Model) {
		m.Rate = 0
		if now-s.runner.started >= minMeasure {
			m.Rate = s.runner.rate(now, m.View.Tick)
		}
	})
}

// tab is the one panel that a phone has room for: the reader's choice. But if a run has ended, the lanes show nothing
// any more, so it is the picture that the kernel has drawn.
func (m *Model) tab() string {
	hidden := len(m.Panels) > 0 && !m.shows("memory") // in an embed
	if m.Tab != "lanes" || m.TabChosen || m.View.Phase != debug.Finished || hidden {
		return m.Tab
	}
	if r := m.region(); r != nil && r.Image && m.MemoryTab == MemoryImage {
		return "memory"
	}
	return m.Tab
}

// stopped is the model of a run that is over.
func (m *Model) stopped() *Model {
	next := *m
	next.Running = false
	return &next
}

func (s *Store) pause() {
	if !s.model.Running {
		return
	}
	s.session.Pause()
	s.ended(s.platform.Now())
}
