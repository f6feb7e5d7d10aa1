package ui

import (
	"strings"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/share"
)

// exampleAddress is the fragment of the address of the page that shows an example; "" for another program.
func exampleAddress(file string) string {
	if file == "" {
		return ""
	}
	return examplePrefix + strings.TrimSuffix(file, ".ptx")
}

// addressedExample is the file of the example that a fragment names, whether there is one or not.
func addressedExample(fragment string) (file string, ok bool) {
	name, ok := strings.CutPrefix(fragment, examplePrefix)
	return name + ".ptx", ok
}

const examplePrefix = "#example="

// State is the contents of a link to the page as it is now.
func (s *Store) State() share.State {
	m := s.model
	return share.State{Text: s.text, Breakpoints: m.View.Breakpoints, Panels: m.Panels, CTA: m.View.CTA,
		Warp: m.View.Warp, Lane: m.Lane, Memory: m.chosenRegion(), Step: m.View.Tick,
		Stops: sharedStops(m.Stops), Watches: m.Watches, Edits: sharedEdits(s.session, m.View.Tick)}
}

// chosenRegion is the region that the user has chosen; "" if the panel follows the program.
func (m *Model) chosenRegion() string {
	if !m.Chosen {
		return ""
	}
	return m.Region
}

// openLink opens the contents of a fragment, or says what is wrong with it.
func (s *Store) openLink(fragment string) {
	state, err := share.Decode(fragment)
	if err != nil {
		s.update(func(m *Model) { m.Problem = err.Error() })
		return
	}
	if s.model.Running {
		s.pause()
	}
	offer := s.setAside() || s.model.Offer
	s.open(document{Text: state.Text, Breakpoints: state.Breakpoints, Stops: linkedStops(state.Stops),
		Watches: state.Watches})
	s.original = identify(s.text)
	s.chooseModel(state.Model)
	s.session.FollowLane(state.Lane)
	s.update(func(m *Model) {
		m.Offer, m.Edited, m.Lane, m.Problem = offer, false, state.Lane, otherMoment(m, state)
		if len(state.Panels) > 0 {
			m.Panels = knownPanels(state.Panels)
			m.Tab = m.Panels[0]
		}
		if state.Memory != "" {
			m.Region, m.Chosen, m.Page = state.Memory, true, 0
		}
	})
	s.saveSettings()
	s.travel(goal{tick: state.Step, cta: state.CTA, warp: state.Warp, edits: state.Edits})
}

// otherMoment says that a link's step may be another moment now, because turns have become longer since it was made.
// The turns of a single warp change nothing, unless its groups of lanes change with them.
func otherMoment(m *Model, state share.State) string {
	single := m.View.CTAs == 1 && m.View.WarpsPerCTA == 1
	if !state.ShortTurns || m.Spec == nil || single && !m.grouped() {
		return ""
	}
	return "This link was made when warps took shorter turns: its step " + ptx.Thousands(state.Step) +
		" may be another moment of the run now."
}

// setAside keeps the text, when it is the user's own, before another takes its place.
func (s *Store) setAside() bool {
	if !s.ownText() {
		return false
	}
	var before document
	if stored, ok := s.load(keyPrevious); ok && s.model.Offer && decode(stored, &before) {
		s.retire(File{Label: "An earlier text"}, before)
	}
	_ = s.keep(keyPrevious, encode(s.document())) // stored or held: both can be restored
	s.update(func(m *Model) { m.OfferHeld = s.isHeld(keyPrevious) })
	return true
}

// chooseModel writes a model of divergence into the header.
func (s *Store) chooseModel(name string) {
	spec := s.model.Spec
	model, ok := emu.ModelNamed(name)
	if spec == nil || !ok {
		return
	}
	chosen := *spec
	if chosen.Model = model; model != spec.Model {
		s.replaceText(launch.ApplyHeader(s.text, &chosen))
		s.original = identify(s.text)
	}
}

// goal is the state that a link asks for.
type goal struct {
	tick      int64
	cta, warp int
	stops     []debug.Stop // off on the way
	left      int64        // instructions that are run at full speed; the last one before the tick is stepped
	edits     []share.Edit // that are still to be made
	at        int64        // the step of the last edit that was made
}

// travel runs to a tick that is not known yet, in slices like every run, so Pause can end it.
func (s *Store) travel(g goal) {
	if s.model.Spec == nil || g.tick == 0 && g.cta == 0 && g.warp == 0 && len(g.edits) == 0 {
		return
	}
	g.stops = s.session.Stops()
	g.leave(0)
	s.runner.goal = &g
	if g.left == 0 {
		s.arrive()
		return
	}
	s.session.SetStops(nil)
	s.run()
}

// leave sets off from a tick to the next edit, or else to the last step.
func (g *goal) leave(tick int64) {
	to := g.tick - 1
	if len(g.edits) > 0 {
		to = g.edits[0].Step
	}
	g.left = max(to-tick, 0)
}

// arrive makes the last step as a step of its warp, so that the page can explain it.
func (s *Store) arrive() {
	g := s.runner.goal
	s.session.Pause()
	if len(g.edits) > 0 && s.edited(g) {
		return
	}
	s.session.Follow(g.cta, g.warp)
	if g.tick > g.at {
		s.session.Step()
		if s.session.View().Tick != g.tick {
			s.session.SeekTo(g.tick)
		}
	}
	s.ended(s.platform.Now())
	s.update(func(m *Model) { m.Rate = 0 })
}
