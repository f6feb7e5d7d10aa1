package ui

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
)

// nested is a store with example 05 at a step.
func nested(t *testing.T, step int64) *Store {
	s := ranStore(t, "../public/examples/05-nested-divergence.ptx")
	s.platform.(*fakePlatform).wait(surveyDelay)
	s.Do(Seek{step})
	return s
}

// ranStore is a store with a file's program at its end.
func ranStore(t *testing.T, file string) *Store {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	p := newFakePlatform()
	s := NewStore(debug.New(emu.Options{}), p)
	s.Open()
	s.setText(string(text))
	s.Do(Run{})
	for s.Model().Running {
		p.frame()
	}
	return s
}

// At step 21 lanes 0-7 hold 11 in %v, lanes 8-15 hold 12, lanes 16-23 hold 3 and will have 33, lanes 24-27 hold 54 and
// lanes 28-31 hold 55: 4 and 5, plus 20, plus 30 with step 21.
func TestCardOfARegister(t *testing.T) {
	s := nested(t, 21)
	text := s.Model().Text
	at := strings.Index(text, "add.u32         %v, %v, 30")
	require.Positive(t, at)
	s.Do(SelectLane{26})
	card, ok := s.Card(at + len("add.u32         %"))
	require.True(t, ok)
	require.Contains(t, card.Text, "declared in line")
	v := s.Model().View
	require.Equal(t, int64(21), v.Tick)
	require.Equal(t, "54 in lane 26", strings.Replace(card.Value, "0x36", "54", 1))
	require.Equal(t, hoverRun{0, 7, card.Lanes[0].Text}, card.Lanes[0])
	require.Len(t, card.Lanes, 5)
	names := map[string]Action{}
	for _, a := range card.Action {
		names[a.Name] = a.do
	}
	require.Equal(t, Seek{21}, names["written by"])
	require.NotContains(t, names, "next change", "nothing writes it again")
}

func TestCardOfAnInstruction(t *testing.T) {
	s := nested(t, 16)
	m := s.Model()
	at := strings.Index(m.Text, "bra             five")
	card, ok := cardAt(m, at+1)
	require.True(t, ok)
	require.Equal(t, "bra", card.Title)
	require.Equal(t, "coverage", card.Links[1].Text)
	require.Contains(t, card.Links[0].Href, "docs.nvidia.com")
	require.Contains(t, card.Facts, hoverFact{"executed", "1 time"})
	require.Equal(t, "they meet at", card.Action[0].Name)
	line := card.Action[0].do.(RevealLine).Line
	require.Contains(t, strings.Split(m.Text, "\n")[line-2], "j3:", "the label before it")

	card, ok = cardAt(m, strings.Index(m.Text, "five;")+1)
	require.True(t, ok)
	require.Contains(t, card.Facts, hoverFact{"here", "lanes 28-31 wait"})
	require.Equal(t, "declared", card.Action[0].Name)
}

func TestSummaryOfLanes(t *testing.T) {
	var texts [32]string
	for lane := range texts {
		texts[lane] = "7"
	}
	require.Equal(t, "7 in all lanes", summary(texts, emu.FullMask))
	texts[3] = "·"
	require.Equal(t, "7 in lanes 0-2,4-31, not written in lane 3", summary(texts, emu.FullMask))
	require.Equal(t, "7 in lanes 0-2, not written in lane 3", summary(texts, 0xf))
	for lane := range texts {
		texts[lane] = string(rune('a' + lane))
	}
	require.Equal(t, "a in lane 0, b in lane 1, c in lane 2, d in lane 3", summary(texts, 0xf))
	require.Contains(t, summary(texts, emu.FullMask), "32 different values")
	require.Len(t, runsOf(texts, 0xf), 5)
}
