package ui

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
)

// A text with an error keeps the state of the last good one. When it is right again, the program runs to the same step.
func TestStaleText(t *testing.T) {
	p := newFakePlatform()
	s := NewStore(debugSession(), p)
	s.Open()
	good := small("//@ block 64\n")
	s.setText(good)
	for range 3 {
		s.Do(StepOnce{})
	}
	before, rows := s.Model().View, stackRows(s.Model())
	require.Positive(t, before.Tick)

	typing := func(text string) {
		s.Do(Edit{text})
		p.wait(parseDelay)
		p.wait(prepareDelay)
	}
	typing(strings.Replace(good, "mov.u32 %r, 2;", "mov.u32 %r 2;"+strings.Repeat(" ", 60), 1))
	m := s.Model()
	require.True(t, m.Stale)
	require.Equal(t, rows, stackRows(m), "the stack has the lines of the last good text")
	require.Equal(t, before.Tick, m.View.Tick)
	require.Equal(t, before.State, m.View.State)
	require.NotNil(t, m.Spec, "the launch form stays")
	require.NotEmpty(t, laneGrid(m).Rows)
	require.Equal(t, 1, m.errors())
	require.Equal(t, "stale: step "+count(before.Tick)+" of the last good text", staleWords(m))
	require.Equal(t, before.Tick, againTick(m))
	require.Equal(t, "invalid", phaseWord(m))
	require.Contains(t, m.status(), "Cannot run: line 10")
	for _, action := range []Action{Run{}, StepOnce{}, RunAgain{}, SelectLane{3}, Follow{0, 1}} {
		s.Do(action)
		require.True(t, s.Model().Stale)
		require.Equal(t, before.Tick, s.Model().View.Tick)
	}
	require.Equal(t, 3, s.Model().Lane)

	// the run of the last good text can still be travelled, there and back
	require.False(t, still(m))
	for _, tick := range []int64{1, before.Tick} {
		s.Do(Seek{tick})
		p.frame()
		require.True(t, s.Model().Stale)
		require.Equal(t, tick, s.Model().View.Tick)
		require.Equal(t, before.End, s.Model().View.End)
		require.Equal(t, 1, s.Model().errors())
	}
	require.Equal(t, before.State.Regs, s.Model().View.State.Regs)

	typing(strings.Replace(good, "%r, 2;", "%r, 3;", 1))
	m = s.Model()
	require.False(t, m.Stale)
	require.Zero(t, m.View.Tick)
	require.Equal(t, before.Tick, againTick(m))
	s.Do(RunAgain{})
	for s.Model().Running {
		p.frame()
	}
	require.Equal(t, before.Tick, s.Model().View.Tick)
	require.Zero(t, againTick(s.Model()))
}

// With an empty text there is no machine, at once: nothing runs in a line, nothing is stale or wrong, and the page says
// what to do.
func TestEmptyText(t *testing.T) {
	p := newFakePlatform()
	s := NewStore(debugSession(), p)
	s.Open()
	s.setText(small("//@ block 64\n"))
	s.Do(StepOnce{})
	require.NotEmpty(t, s.Model().View.Groups)
	for _, text := range []string{"", " \n\t\n"} {
		s.Do(Edit{text})
		m := s.Model()
		require.Equal(t, debug.Invalid, m.View.Phase)
		require.False(t, m.Stale)
		require.Empty(t, m.View.Groups)
		require.Nil(t, m.View.State)
		require.Zero(t, againTick(m))
		require.Zero(t, problemCount(m))
		require.Equal(t, "There is no program: type or paste PTX, open a file, or choose an example.", m.status())
		require.Equal(t, "There is no program.", absence(m))
		require.Equal(t, "There is no program.", stackNote(m))
		require.Equal(t, "no program", launchLine(m).Threads)
		require.Equal(t, "The launch can be set when there is a program.", noForm(m))
		require.Equal(t, "blank", pagePhase(m))
		s.Do(Run{})
		require.Equal(t, m.status(), s.Model().status())
		require.Equal(t, m.status(), s.Fresh().status())
		s.Do(Edit{small("//@ block 64\n")})
		p.wait(parseDelay)
		p.wait(prepareDelay)
		s.Do(StepOnce{})
		require.NotEmpty(t, s.Model().View.Groups)
	}
	s.Do(Edit{"// a comment\n"})
	p.wait(parseDelay)
	p.wait(prepareDelay)
	require.Contains(t, s.Model().status(), "has no PTX in it")
}

// A text that cannot run is not finished: not even while its launch is not prepared.
func TestNoTickBesideAnError(t *testing.T) {
	p := newFakePlatform()
	s := NewStore(debugSession(), p)
	s.Open()
	s.setText(small(""))
	s.Do(Run{})
	for s.Model().Running {
		p.frame()
	}
	require.Equal(t, "finished", phaseWord(s.Model()))
	s.Do(Edit{strings.Replace(small(""), "%r, 2;", "%r 2;", 1)})
	p.wait(parseDelay)
	require.Contains(t, s.Model().status(), "Cannot run")
	require.Equal(t, "invalid", phaseWord(s.Model()))
}

// The marks of the run stay, and the chart's words count them.
func TestStaleTextKeepsMarks(t *testing.T) {
	p := newFakePlatform()
	s := NewStore(debugSession(), p)
	s.Open()
	good := small("//@ block 64\n")
	s.setText(good)
	s.Do(Run{})
	for s.Model().Running {
		p.frame()
	}
	p.wait(surveyDelay)
	marks := s.Model().Marks
	require.NotEmpty(t, marks)
	s.Do(Edit{strings.Replace(good, "mov.u32 %r, 2;", "mov.u32 %r 2;", 1)})
	p.wait(parseDelay)
	p.wait(prepareDelay)
	p.wait(surveyDelay)
	require.True(t, s.Model().Stale)
	require.Equal(t, marks, s.Model().Marks)
}

// A program with errors that is pasted over another one does not show the other's state, and nothing says welcome.
func TestPastedTextIsNotStale(t *testing.T) {
	p := newFakePlatform()
	s := NewStore(debugSession(), p)
	s.Open()
	s.setText(small("//@ block 32\n"))
	typing := func(text string) {
		s.Do(Edit{text})
		p.wait(parseDelay)
		p.wait(prepareDelay)
	}
	typing(small("//@ blok 32\n"))
	require.True(t, s.Model().Stale)
	require.Equal(t, "", welcome(s.Model()))
	s.setText(small("//@ block 32\n"))
	typing("// another text, with more of its own than of the other\n.version 8.0\n.target sm_80\n.entry other() " +
		"{ wrong; and worse; and much the same; }")
	require.False(t, s.Model().Stale)
	require.Equal(t, debug.Invalid, s.Model().View.Phase)
}

// Another program with errors does not inherit anything.
func TestAnotherTextIsNotStale(t *testing.T) {
	s := NewStore(debugSession(), newFakePlatform())
	s.Open()
	s.setText(small(""))
	s.Do(StepOnce{})
	s.setText("bad")
	require.False(t, s.Model().Stale)
	require.Equal(t, debug.Invalid, s.Model().View.Phase)
	s.setText(small(""))
	require.Zero(t, againTick(s.Model()))
}

// An edit that makes the text wrong moves lines. The stack names those of the last good text at each moment: before the
// text is parsed, before its machine would be made, and after.
func TestStackKeepsItsLines(t *testing.T) {
	text, err := os.ReadFile("../public/examples/05-nested-divergence.ptx")
	require.NoError(t, err)
	p := newFakePlatform()
	s := NewStore(debugSession(), p)
	s.Open()
	s.setText(string(text))
	for range 16 {
		s.Do(StepOnce{})
		p.frame()
	}
	shown := func() string {
		var words []string
		for _, r := range stackRows(s.Model()) {
			words = append(words, strings.TrimSpace(r.PC+" "+r.Because))
		}
		return strings.Join(words, ", ")
	}
	const want = "55 bra five 54, 58 bra five 54, 60 bra last 49, 62 bra upper 35, 64"
	require.Equal(t, want, shown())
	s.Do(Edit{strings.Replace(string(text), "upper:\n", "wrong\nwords\nhere\nupper:\n", 1)})
	require.Equal(t, want, shown())
	p.wait(parseDelay)
	require.Equal(t, want, shown())
	p.wait(prepareDelay)
	require.True(t, s.Model().Stale)
	require.Equal(t, want, shown())
}
