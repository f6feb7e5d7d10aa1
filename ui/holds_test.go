package ui

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
)

// exampleAt is a store with an example that has made so many steps, and the panel of who holds what in sight.
func exampleAt(t *testing.T, example string, steps int) *Store {
	t.Helper()
	text, err := os.ReadFile("../public/examples/" + example)
	require.NoError(t, err)
	p := newFakePlatform()
	s := NewStore(debug.New(emu.Options{}), p)
	s.Open()
	s.Do(SetRoom{Room{1440, 700}})
	s.setText(string(text))
	s.Do(ShowPanel{holdsPanel})
	for range steps {
		s.Do(StepOnce{})
		p.frame()
	}
	return s
}

// Step 23 of the example is the product: D[r][c] = 4096 r c + 1920 (r + c) + 1240, as the example works out.
func TestHeldMatrix(t *testing.T) {
	s := exampleAt(t, "23-mma-f16.ptx", 23)
	m := s.Model()
	require.NotNil(t, m.Holding)
	code, when := holdsHead(m.Holding)
	require.Contains(t, code, "mma.sync")
	require.Contains(t, when, "just ran")
	at, ok := m.matrix()
	require.True(t, ok)
	require.Zero(t, at)
	d := newHeldTable(m.Holding, m.Held)
	require.Len(t, d.Lines, 16)
	// 4096*9*3 + 1920*12 + 1240 = 134872; row 9, column 3 is lane 5's fourth.
	require.Equal(t, heldCell{Lane: 5, Element: 9*8 + 3, Text: "134872", Sub: "5·3", Odd: true,
		Words: "D[9][3] = 134872: lane 5, %d3"}, d.Lines[9].Cells[3])
	s.Do(ShowMatrix{1})
	a := newHeldTable(s.Model().Holding, s.Model().Held)
	require.Equal(t, "A[1][2] = 18: lane 5, %a0, lower half", a.Lines[1].Cells[2].Words)
	s.Do(ShowMatrix{0})
	s.Do(ShowUpcoming{true})
	s.Do(StepBack{})
	require.Equal(t, "·", newHeldTable(s.Model().Holding, s.Model().Held).Lines[0].Cells[0].Text, "D is yet to come")
	s.Do(ShowPanel{"memory"})
	require.Nil(t, s.Model().Holding, "out of sight nothing is worked out")
}

// The first shfl of the example exchanges the halves of the warp.
func TestHeldExchange(t *testing.T) {
	s := exampleAt(t, "11-warp-reduction.ptx", 0)
	for s.Model().Holding == nil || s.Model().Holding.Upcoming {
		s.Do(StepOnce{})
		s.platform.(*fakePlatform).frame()
	}
	h := s.Model().Holding
	require.Equal(t, "32 lanes get the value of another lane.", exchangeWords(h))
	out := *h.Exchange // 31 lanes, then one, whose sources are out of range
	h.Exchange = &out
	out.InRange &^= 1 << 9
	require.Equal(t, "32 lanes: 31 get the value of another lane, 1 is out of range and keeps its own.",
		exchangeWords(h))
	out.InRange = 1 << 9
	require.Equal(t, "32 lanes: 1 gets the value of another lane, 31 are out of range and keep their own.",
		exchangeWords(h))
	out.InRange = out.Lanes
	items := exchangeItems(h)
	require.Len(t, items, 32)
	require.Equal(t, "← 21", items[5].Text[:len("← 21")])
	require.Contains(t, items[5].Words, "lane 5 gets the value of lane 21: ")
	lines, own := ringLines(h, 5)
	require.NotEmpty(t, lines)
	require.Contains(t, own, ringLine(21, 5), "the followed lane's own line")
	require.Equal(t, "1234…", clipped("123456", 5))
}
