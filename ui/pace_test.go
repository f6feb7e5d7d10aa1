package ui

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
)

// viewed counts how often the store asks the session for a view, which is what a step costs beside its execution.
type viewed struct {
	*fakeSession
	views int
}

func (s *viewed) View() debug.View {
	s.views++
	return s.fakeSession.View()
}

// A held key executes every step, and makes one view a frame.
func TestStepsOfAHeldKeyAreDrawnOnceAFrame(t *testing.T) {
	store, session, platform := newFakeStore()
	counted := &viewed{fakeSession: session}
	store.session = counted
	session.calls = nil
	for frame := range 10 {
		for range 100 {
			store.Do(StepOnce{})
		}
		require.Len(t, session.calls, 100*(frame+1))
		platform.frame()
		require.EqualValues(t, 100*(frame+1), store.model.View.Tick, "the frame draws the last of them")
	}
	require.Equal(t, 11, counted.views, "one a frame, and one at once for the first step")

	platform.frame()
	require.Empty(t, platform.frames, "the key is released")
	store.Do(StepOnce{})
	require.EqualValues(t, 1001, store.model.View.Tick, "a single step is drawn at once")
	store.Do(StepOnce{})
	require.EqualValues(t, 1001, store.model.View.Tick)
	require.EqualValues(t, 1002, store.Model().View.Tick, "who asks for the model gets the present one")
}

// Of the places that a dragged slider passes between two frames, the machine goes to the last. What comes after finds
// it there.
func TestSeeksDoNotQueue(t *testing.T) {
	store, session, platform := newFakeStore()
	session.calls = nil
	for frame := range int64(3) {
		for tick := range int64(50) {
			store.Do(Seek{100*frame + tick})
		}
		platform.frame()
		require.EqualValues(t, 100*frame+49, store.model.View.Tick)
	}
	require.Equal(t, []string{"seek 0", "seek 49", "seek 149", "seek 249"}, session.calls)

	for _, action := range []Action{StepOnce{}, StepBack{}, SelectLane{3}} {
		session.calls = nil
		store.Do(Seek{7})
		store.Do(action)
		require.Equal(t, "seek 7", session.calls[0], fmt.Sprint(action))
	}
}

// Panels that others cover show where the machine was until it has been still for a while.
func TestCoveredPanelsFollowWhenTheMachineIsStill(t *testing.T) {
	store, _, platform := newFakeStore()
	store.Do(SetFilter{"r"})
	require.Same(t, store.Model(), store.Calm(), "nothing has moved")
	for range 3 {
		platform.wait(calmDelay - 1)
		store.Do(StepOnce{})
		platform.frame()
	}
	require.EqualValues(t, 3, store.Model().View.Tick)
	require.Zero(t, store.Calm().View.Tick)
	drawn := 0
	store.OnChange(func() { drawn++ })
	platform.wait(calmDelay)
	require.Equal(t, 1, drawn)
	require.Same(t, store.Model(), store.Calm())
}
