package ui

// pace holds back what a screen could not show: of a key that is held, or a slider that is dragged, only the last state
// before a frame is drawn.
type pace struct {
	framed bool  // a frame is on its way, and catches up
	behind bool  // the machine has moved since the model was made
	seek   *Seek // that waits for the frame
}

// waits says whether the next frame does the action. Steps are executed at once; all others find the model up to date.
func (s *Store) waits(action Action) bool {
	switch a := action.(type) {
	case Seek:
		if s.pace.framed {
			s.pace.seek = &a
			return true
		}
	case StepOnce, StepBack:
		if s.pace.seek == nil {
			return false
		}
	}
	s.catchUp()
	return false
}

// catchUp does what waits for the next frame.
func (s *Store) catchUp() {
	if seek := s.pace.seek; seek != nil {
		s.pace.seek = nil
		s.seek(seek.Tick)
	}
	if s.pace.behind {
		s.pace.behind = false
		s.refresh()
	}
}

// refreshInFrame is refresh, but once a frame.
func (s *Store) refreshInFrame() {
	if s.pace.framed {
		s.pace.behind = true
		s.changed()
		return
	}
	s.nextFrame()
	s.refresh()
}

func (s *Store) nextFrame() {
	s.pace.framed = true
	s.platform.Frame(func() {
		s.pace.framed = false
		if s.pace.behind || s.pace.seek != nil {
			s.nextFrame() // the key is held: what it does next can wait as well
			s.catchUp()
		}
	})
}
