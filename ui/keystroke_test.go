package ui

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
)

// countedEditor counts what it is told.
type countedEditor struct {
	Editor // nil: other methods are not called
	calls  []string
}

func (e *countedEditor) did(format string, args ...any) {
	e.calls = append(e.calls, fmt.Sprintf(format, args...))
}

func (e *countedEditor) SetText(text string) string     { e.did("text"); return text }
func (e *countedEditor) SetBreakpoints(lines []int)     {}
func (e *countedEditor) SetDiagnostics(m *Model)        { e.did("%d wrong", len(m.View.Diagnostics)) }
func (e *countedEditor) Show(m *Model, reveal int)      { e.did("%d groups", len(m.View.Groups)) }
func (e *countedEditor) SetStripes(colours map[int]int) { e.did("%d stripes", len(colours)) }
func (e *countedEditor) SetLit(lines []int)             { e.did("%d lit", len(lines)) }
func (e *countedEditor) Turn(_, _ int, t string) string { e.did("turn"); return t }

// since gives the calls since the last time.
func (e *countedEditor) since() []string {
	calls := e.calls
	e.calls = nil
	return calls
}

// A keystroke parses the text once, and publishes two models: one with what is wrong, and one with the machine. Asking
// for a completion parses earlier, not once more. The editor is told what has changed.
func TestKeystrokeCounts(t *testing.T) {
	store, session, platform := newFakeStore()
	editor := &countedEditor{}
	store.Do(EditorIsHere{editor})
	published := 0
	store.OnChange(func() { published++ })
	type counts struct{ calls, published int }
	key := func(text string, during func()) (at [3]counts) {
		session.calls, published = nil, 0
		store.Do(Edit{text})
		at[0] = counts{len(session.calls), published}
		during()
		platform.wait(parseDelay)
		at[1] = counts{len(session.calls), published}
		platform.wait(prepareDelay)
		at[2] = counts{len(session.calls), published}
		return at
	}
	key("ret;\n", func() {}) // the text differs from its example's from now on
	editor.since()

	want := [3]counts{{0, 0}, {1, 1}, {1, 2}}
	require.Equal(t, want, key("ret;;\n", func() {}))
	require.Equal(t, []string{"0 wrong", "0 wrong"}, editor.since())
	require.Equal(t, want, key("ret;;;\n", func() { store.Fresh(); store.Fresh() }), "with a completion")
	require.Equal(t, []string{"0 wrong", "0 wrong"}, editor.since())
	version := store.Model().View.Version
	require.Equal(t, want, key("bad\n", func() {}))
	require.Equal(t, []string{"1 wrong", "1 wrong"}, editor.since())
	require.True(t, store.Model().Stale)
	require.Equal(t, version, store.Model().View.Version, "the panels show the same state as before")
}

// A new editor shows no marks, and need not be told that.
func TestNewEditorIsToldOfMarksOnly(t *testing.T) {
	editor := &countedEditor{}
	e := newSparing(editor)
	e.SetStripes(map[int]int{})
	e.SetLit(nil)
	require.Empty(t, editor.since())
	e.SetStripes(map[int]int{1: 2})
	e.SetLit([]int{1})
	require.Equal(t, []string{"1 stripes", "1 lit"}, editor.since())
	e.SetText("another")
	editor.since()
	e.SetStripes(map[int]int{})
	require.Equal(t, []string{"0 stripes"}, editor.since(), "another text may have marks")
}

func TestEditorIsToldWhatIsNew(t *testing.T) {
	editor := &countedEditor{}
	e := &sparing{Editor: editor}
	m := &Model{View: debug.View{Groups: []debug.Group{{Line: 2, Mask: emu.FullMask}}, Heat: []int64{2: 1}}}
	tell := func(m *Model, reveal int) []string {
		e.Show(m, reveal)
		e.SetStripes(map[int]int{1: 2})
		e.SetLit([]int{1})
		return editor.since()
	}
	all := []string{"1 groups", "1 stripes", "1 lit"}
	require.Equal(t, all, tell(m, 0))
	require.Empty(t, tell(m, 0))
	require.Equal(t, []string{"1 groups"}, tell(m, 2), "a line to reveal is told each time")
	moved := *m
	moved.View.Groups = []debug.Group{{Line: 3, Mask: emu.FullMask}}
	require.Equal(t, []string{"1 groups"}, tell(&moved, 0))
	hotter := moved
	hotter.View.Heat = []int64{2: 1, 3: 1}
	require.Equal(t, []string{"1 groups"}, tell(&hotter, 0))
	hotter.Stale = true
	require.Equal(t, []string{"1 groups"}, tell(&hotter, 0), "those of an earlier text go")
	require.Empty(t, tell(&hotter, 0))
	e.SetText("another")
	require.Equal(t, append([]string{"text"}, all...), tell(&hotter, 0))
	e.Turn(1, 2, "its own marks")
	require.Equal(t, append([]string{"turn"}, all...), tell(&hotter, 0))
}

// The problems of a text that has changed are in other places.
func TestProblemsAreDrawnAgain(t *testing.T) {
	store, _, platform := newFakeStore()
	at := func(text string) *Model {
		store.Do(Edit{text})
		platform.wait(parseDelay)
		return store.Model()
	}
	good, other := at("ret;\n"), at("ret;;\n")
	require.False(t, sameProblems(other, at("bad\n")))
	bad := at("bad\n\n")
	require.True(t, sameProblems(bad, store.Model()))
	require.False(t, sameProblems(bad, at("\nbad\n")), "one line further down")
	other.View.Version = good.View.Version
	require.True(t, sameProblems(good, other), "none, and none")
}

// Panels that others cover follow when the typing has paused: to draw them takes longer than all else.
func TestCoveredPanelsWaitForTyping(t *testing.T) {
	store, _, platform := newFakeStore()
	for _, text := range []string{"a\n", "ab\n"} {
		store.Do(Edit{text})
		platform.wait(parseDelay)
		platform.wait(prepareDelay)
		require.Equal(t, text, store.Model().Text)
		require.NotSame(t, store.Model(), store.Calm())
		require.NotEqual(t, text, store.Calm().Text)
	}
	platform.wait(typedDelay - prepareDelay - 1)
	require.NotSame(t, store.Model(), store.Calm())
	platform.wait(1)
	require.Same(t, store.Model(), store.Calm())
	store.Do(StepOnce{})
	platform.wait(calmDelay)
	require.Same(t, store.Model(), store.Calm(), "a step does not wait so long")
}

// slowSession takes its time for each view of a new text.
type slowSession struct {
	*fakeSession
	took float64
	seen uint64
}

func (s *slowSession) View() debug.View {
	if s.seen != s.view.Version {
		s.seen = s.view.Version
		s.clock.now += s.took
	}
	return s.fakeSession.View()
}

// A launch that takes long to prepare waits for a longer pause, so that it is not prepared between two words.
func TestSlowLaunchesWaitForLongerPauses(t *testing.T) {
	platform := newFakePlatform()
	session := &slowSession{fakeSession: &fakeSession{clock: platform, length: 1000}, took: 60}
	store := NewStore(session, platform)
	store.Open()
	store.Do(Edit{"a\n"})
	platform.wait(parseDelay)
	platform.wait(60*prepareWaits - 1)
	require.NotNil(t, store.cancelPrepare)
	platform.wait(1)
	require.Nil(t, store.cancelPrepare)
	session.took = 1
	store.Do(Edit{"b\n"})
	store.Do(StepOnce{})
	require.Nil(t, store.cancelPrepare, "what asks for the machine does not wait")
	store.Do(Edit{"c\n"})
	platform.wait(parseDelay)
	platform.wait(prepareDelay)
	require.Nil(t, store.cancelPrepare)
	require.Equal(t, longestDelay, pauseFor(prepareDelay, prepareWaits, 1000))
}
