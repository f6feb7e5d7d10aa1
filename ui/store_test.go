package ui

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/share"

	"warpscope/debug"
	"warpscope/ptx"
)

func TestFirstVisitOpensTheFirstExample(t *testing.T) {
	store, session, platform := newFakeStore()
	require.Equal(t, "first\n", store.Model().Text)
	require.Equal(t, "1.ptx", store.Model().Example)
	require.False(t, store.Model().Edited)
	require.Contains(t, session.calls, "source 1.ptx")
	require.Equal(t, "first\n", platform.kept[keyText])
}

// A text that is pasted before the first example has arrived stays.
func TestFirstExampleComesTooLate(t *testing.T) {
	platform := newFakePlatform()
	platform.slow = map[string]bool{"examples/1.ptx": true}
	store, _, _ := visit(platform)
	require.Len(t, platform.answers, 1)
	store.Do(Edit{"own\n"})
	platform.answers[0]()
	store.parseNow()
	require.Equal(t, "own\n", store.Model().Text)
}

// The title is the text's, with errors or without, and no longer than a heading.
func TestTitle(t *testing.T) {
	store, _, platform := newFakeStore()
	store.Do(Edit{"//@ title Sums\nbad\n"})
	platform.wait(parseDelay)
	require.Equal(t, "Sums", platform.title)
	store.Do(Edit{"//@ title " + strings.Repeat("ä", 1<<20) + "\n"})
	store.parseNow()
	require.Equal(t, strings.Repeat("ä", 120)+"…", platform.title)
	require.Equal(t, platform.title, store.label())
	store.Do(Edit{"ret;\n"})
	store.parseNow()
	require.Empty(t, platform.title)
}

func TestTypingIsParsedWhenItPauses(t *testing.T) {
	store, session, platform := newFakeStore()
	session.calls = nil
	store.Do(Edit{"first line\n"})
	platform.wait(100)
	store.Do(Edit{"first lines\n"})
	platform.wait(100)
	require.Empty(t, session.calls, "still typing")
	require.Equal(t, "first lines\n", platform.kept[keyText], "but kept at once")
	platform.wait(60)
	require.Equal(t, []string{"source 1.ptx"}, session.calls)
	require.Equal(t, "first lines\n", store.Model().Text)
	require.True(t, store.Model().Edited)
}

// A pause shows what is wrong with the text. Lanes, memory and the launch are those of the text before until the pause
// is longer, or until something asks for them.
func TestTypingPreparesLaunchesLate(t *testing.T) {
	store, session, platform := newFakeStore()
	store.Do(StepOnce{})
	before := store.Model()
	require.Equal(t, int64(1), before.View.Tick)
	store.Do(Edit{"bad\n"})
	platform.wait(parseDelay)
	m := store.Model()
	require.Equal(t, "bad\n", m.Text)
	require.Len(t, m.View.Diagnostics, 1)
	require.Equal(t, int64(1), m.View.Tick)
	require.Same(t, before.Spec, m.Spec)
	require.Same(t, before.Module, m.Module)
	require.NotSame(t, before.Typed, m.Typed)
	platform.wait(prepareDelay - 1)
	require.Equal(t, int64(1), store.Model().View.Tick)
	platform.wait(1)
	require.True(t, store.Model().Stale)
	require.Equal(t, int64(1), store.Model().View.Tick)
	require.Same(t, before.Spec, store.Model().Spec)

	store.Do(Edit{"good\n"})
	platform.wait(parseDelay)
	require.Empty(t, store.Model().View.Diagnostics)
	session.calls = nil
	store.Do(StepOnce{})
	require.Equal(t, []string{"step"}, session.calls)
	require.Equal(t, int64(1), store.Model().View.Tick)
	platform.wait(prepareDelay)
	require.Equal(t, int64(1), store.Model().View.Tick, "nothing is prepared again")
}

func TestCommandsSeeTheTextAsItIs(t *testing.T) {
	store, session, _ := newFakeStore()
	store.Do(Edit{"other"})
	session.calls = nil
	store.Do(StepOnce{})
	require.Equal(t, []string{"source 1.ptx", "step"}, session.calls)
}

func TestErrorsCannotRun(t *testing.T) {
	store, session, platform := newFakeStore()
	store.Do(Edit{"x\n bad"})
	session.calls = nil
	for _, action := range []Action{Run{}, StepOnce{}, StepBack{}, Reset{}} {
		store.Do(action)
		require.Equal(t, "Cannot run: error at line 2: this is bad", store.Model().status())
	}
	require.Equal(t, []string{"source 1.ptx"}, session.calls)
	list, total := problemList(store.Model())
	require.Equal(t, 1, total)
	require.Equal(t, ptx.Position{Line: 2, Column: 2}, list[0].At)

	store.Do(ApplyFix{0})
	require.Equal(t, "x\n good", store.text)
	require.Equal(t, "x\n good", platform.kept[keyText])
	require.Equal(t, debug.Ready, store.Model().View.Phase)
}

// 1,000,000 ticks of 1 µs are a second: about eighty frames of 12 ms.
func TestRunsAreSliced(t *testing.T) {
	store, session, platform := newFakeStore()
	session.length, session.cost = 1_000_000, 0.001
	store.Do(Run{})
	frames := 0
	for store.Model().Running {
		before := platform.now
		platform.frame()
		require.LessOrEqual(t, platform.now-before, 2*frameMS, "frame %d", frames)
		platform.now += 4 // painting
		frames++
	}
	require.InDelta(t, 80, frames, 25)
	require.Equal(t, debug.Finished, store.Model().View.Phase)
	require.InEpsilon(t, 1e6*12/16, store.Model().Rate, 0.2)
	require.Empty(t, platform.frames)
}

func TestPauseStopsARun(t *testing.T) {
	store, session, platform := newFakeStore()
	session.length, session.cost = 1<<40, 0.0001
	store.Do(Run{})
	platform.frame()
	store.Do(Pause{})
	require.False(t, store.Model().Running)
	require.Equal(t, debug.Paused, store.Model().View.Phase)
	at := store.Model().View.Tick
	platform.frame()
	require.Equal(t, at, store.Model().View.Tick, "no slice comes after")
}

// A run that was stopped and started within a frame still takes one slice a frame.
func TestRestartWithinAFrame(t *testing.T) {
	store, session, platform := newFakeStore()
	session.length, session.cost = 1<<40, 0.0001
	for range 5 {
		store.Do(Run{})
		store.Do(Pause{})
	}
	store.Do(Run{})
	platform.frame()
	require.Len(t, platform.frames, 1)
}

func TestARunThatHasEndedStartsOver(t *testing.T) {
	store, session, _ := newFakeStore()
	store.Do(Run{})
	require.Equal(t, debug.Finished, store.Model().View.Phase)
	session.calls = nil
	store.Do(Run{})
	require.Equal(t, []string{"reset"}, session.calls)
	require.Equal(t, debug.Finished, store.Model().View.Phase)
}

func TestReloadLosesNothing(t *testing.T) {
	store, _, platform := newFakeStore()
	store.Do(Edit{"first, edited\n"})
	store.Do(Breakpoints{[]int{1}})
	store.Do(SelectLane{7})
	store.Do(TogglePin{"%r4"})
	store.Do(SetBits{AsSigned})
	store.Do(SelectTab{"memory"})
	store.Do(ToggleTheme{})
	store.Leave()

	again, session, _ := visit(platform)
	m := again.Model()
	require.Equal(t, "first, edited\n", m.Text)
	require.True(t, m.Edited)
	require.Equal(t, "1.ptx", m.Example)
	require.Equal(t, []int{1}, m.View.Breakpoints)
	require.Equal(t, []int{1}, session.view.Breakpoints)
	require.Equal(t, 7, m.Lane)
	require.Equal(t, []string{"%r4"}, m.Pinned)
	require.Equal(t, AsSigned, m.Bits)
	require.Equal(t, "memory", m.Tab)
	require.True(t, m.Dark)
	require.True(t, platform.dark)
}

func TestStrangeSettingsDoNoHarm(t *testing.T) {
	platform := newFakePlatform()
	platform.kept[keySettings] = `{"lane": 4711, "bits": "roman", "tab": "nowhere", "memory": 3}`
	store, _, _ := visit(platform)
	require.Equal(t, AsHex, store.Model().Bits)
	platform.kept[keySettings] = `{"lane": 4711, "bits": "roman", "tab": "nowhere", "memory": "x"}`
	store, _, _ = visit(platform)
	require.Equal(t, 4711&31, store.Model().Lane)
	require.Equal(t, "lanes", store.Model().Tab)
	require.Equal(t, MemoryTable, store.Model().MemoryTab)
}

func TestALinkOverEditedTextOffersItBack(t *testing.T) {
	store, _, platform := newFakeStore()
	store.Do(LoadExample{"2.ptx"})
	require.False(t, store.Model().Offer, "nothing was edited")
	store.Do(Edit{"mine\n"})
	store.Do(Breakpoints{[]int{1}})
	store.Do(link(share.State{Text: "first\n"}))
	require.True(t, store.Model().Offer)
	require.Equal(t, "first\n", store.Model().Text)
	require.Empty(t, store.Model().View.Breakpoints)

	again, _, _ := visit(platform) // the offer survives a reload
	require.True(t, again.Model().Offer)
	again.Do(RestoreText{})
	require.Equal(t, "mine\n", again.Model().Text)
	require.Equal(t, "2.ptx", again.Model().Example)
	require.Equal(t, []int{1}, again.Model().View.Breakpoints)
	require.True(t, again.Model().Edited)
	require.False(t, again.Model().Offer)
}

func TestMissingExampleIsSaid(t *testing.T) {
	store, _, _ := newFakeStore()
	store.Do(LoadExample{"3.ptx"})
	require.Equal(t, "There is no example “3”.", store.Model().Missing)
	store.model.Examples = nil // the list has not come
	store.Do(LoadExample{"3.ptx"})
	require.Equal(t, "The example “3” could not be loaded: the server answers 404.", store.Model().Missing)
	require.Equal(t, "first\n", store.Model().Text)
}

func TestFullStorageIsSaid(t *testing.T) {
	store, _, platform := newFakeStore()
	platform.full = true
	store.Do(Edit{"more\n"})
	require.Contains(t, store.Model().Unsaved, "QuotaExceededError")
	platform.full = false
	store.Do(Edit{"less\n"})
	require.Empty(t, store.Model().Unsaved)
}

func TestLaunchFormWritesTheHeader(t *testing.T) {
	store, _, platform := newFakeStore()
	store.Do(Edit{"//@ title T\n//@ entry k\n//@ grid 1\n//@ block 32\nret;\n"})
	store.Do(Breakpoints{[]int{5}})
	store.Do(EditHeader{Key: "block", Value: "8, 8"})
	require.Contains(t, store.text, "block 8,8")
	require.Equal(t, store.text, platform.kept[keyText])
	require.True(t, strings.HasSuffix(store.text, "\nret;\n"))
	before := store.text
	store.Do(EditHeader{Key: "grid", Value: "many"})
	require.Equal(t, before, store.text)
	require.Contains(t, store.Model().status(), "A grid is x")
}

// The theme is the system's until the user chooses one; nothing else changes it.
func TestThemeFollowsTheSystem(t *testing.T) {
	store, _, platform := newFakeStore()
	platform.system = true
	store.Do(SystemTheme{true})
	require.True(t, platform.dark)
	platform.system = false // and the page does not know it yet
	store.Do(SetBits{AsSigned})
	store.Leave()
	require.NotContains(t, platform.kept, keyTheme)
	store, _, _ = visit(platform)
	require.False(t, store.Model().Dark)

	store.Do(ToggleTheme{})
	require.True(t, platform.dark)
	store.Do(SystemTheme{false})
	require.True(t, platform.dark, "the user has chosen")
	store, _, _ = visit(platform)
	require.True(t, store.Model().Dark)
	store.Do(ToggleTheme{})
	store.Do(SystemTheme{true})
	require.False(t, platform.dark)
}
