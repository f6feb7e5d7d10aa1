package debug

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx"
)

// TestEdit sets %r2 of lane 3 to 50 after line 10 of chain, so that out[3] becomes 50.
func TestEdit(t *testing.T) {
	s := open(t, chain(t))
	s.Step()
	s.Step()
	require.False(t, s.Future())
	require.NoError(t, s.Edit(Cell{Lane: 3, Reg: regOf(s, "%r2"), Elem: -1}, 50, 0))
	require.Equal(t, "You have set %r2.", s.View().Status)
	require.EqualValues(t, 2, s.Tick())
	require.Equal(t, "50", s.Watches([]string{"%r2"})[0].Values[3])
	require.Equal(t, "23", s.Watches([]string{"%r2"})[0].Values[4])
	finish(s)
	out := s.View().Memory[0]
	require.EqualValues(t, 50, out.Bytes[12])
	require.EqualValues(t, 23, out.Bytes[16])
	end := s.Tick()

	s.SeekTo(1) // before the edit
	s.Step()
	require.Equal(t, "50", s.Watches([]string{"%r2"})[0].Values[3], "passing its tick makes the edit again")
	s.SeekTo(end)
	require.EqualValues(t, 50, s.View().Memory[0].Bytes[12])
	w, ok := s.Writer(Cell{Lane: 3, Reg: regOf(s, "%r2"), Elem: -1})
	require.True(t, ok)
	require.Equal(t, 10, w.Line)

	s.SeekTo(1)
	require.True(t, s.Future())
	require.NoError(t, s.Edit(Cell{Lane: 3, Reg: regOf(s, "%r9"), Elem: -1}, 9, 0))
	require.EqualValues(t, 1, s.View().End, "the future is forgotten")
	require.Len(t, s.Edits(), 1)
	require.Equal(t, "9", s.Watches([]string{"%r9"})[0].Values[3])
	require.Equal(t, "·", s.Watches([]string{"%r9"})[0].Values[2])
	finish(s)
	require.EqualValues(t, 19, s.View().Memory[0].Bytes[12])

	require.NoError(t, s.Edit(Cell{Addr: out.Addr + 4, Size: 4}, 0x01020304, 0))
	require.Equal(t, []byte{4, 3, 2, 1}, s.View().Memory[0].Bytes[4:8])
	require.Equal(t, Finished, s.View().Phase)
	require.Error(t, s.Edit(Cell{Addr: 1, Size: 4}, 1, 0))
	require.Error(t, s.Edit(Cell{Lane: 3, Reg: regOf(s, "%r2"), Elem: -1}, 1, 0), "the warp has ended")
}

// TestRandomWalks makes random sequences of what users do, in turns with the interpreter and with compiled code. After
// each, the state is that of a new session of the interpreter, which has made the same edits and has gone to the same
// tick directly.
func TestRandomWalks(t *testing.T) {
	texts := []string{split(t), pair(t), faulty(t), chain(t), loop(t)}
	walks, most := 1000, 12
	if testing.Short() {
		walks = 50
	}
	for walk := range walks {
		r := rand.New(rand.NewSource(int64(walk)))
		text := texts[walk%len(texts)]
		s := openWith(t, text, []emu.Engine{emu.Interpreter, emu.Compiled}[walk/len(texts)%2])
		var did []string
		for range 1 + r.Intn(most) {
			did = append(did, wander(s, r))
		}
		other := openWith(t, text, emu.Interpreter)
		edits := s.Edits()
		for i := range edits { // registers are those of the other module
			if reg := edits[i].Reg; reg != nil {
				edits[i].Reg = regOf(other, reg.Name)
			}
		}
		require.NoError(t, other.Replay(edits), "walk %d: %v", walk, did)
		for other.history.end < s.Tick() && other.RunFor(s.Tick()-other.Tick()) {
		}
		other.SeekTo(s.Tick())
		require.Equal(t, s.Tick(), other.Tick(), "walk %d: %v", walk, did)
		require.Equal(t, other.history.grid.Hash(), s.history.grid.Hash(), "walk %d: %v", walk, did)
	}
}

// wander does one random thing, and says what.
func wander(s *Session, r *rand.Rand) string {
	switch r.Intn(9) {
	case 0:
		s.StepBack()
		return "back"
	case 1:
		s.SeekTo(r.Int63n(s.View().End + 1))
		return "seek"
	case 2:
		s.SetStops([]Stop{{Line: 11 + r.Intn(8)}, {Kind: StopKind(r.Intn(3)), Line: 12, Condition: "lane > 3"}})
		return "stops"
	case 3:
		for n := 1 + r.Int63n(200); s.RunFor(n); {
			if r.Intn(3) == 0 {
				s.Pause()
				break
			}
		}
		return "run"
	case 4:
		j := Journey{Goal: Goal(r.Intn(int(ToWarp))), Back: r.Intn(2) == 0, Line: 12}
		for s.Go(j) {
		}
		return "go " + Goals[j.Goal]
	case 5:
		v := s.View()
		c := Cell{CTA: v.CTA, Warp: v.Warp, Lane: r.Intn(32), Elem: -1}
		if len(v.State.Regs) > 0 && r.Intn(2) == 0 {
			c.Reg = v.State.Regs[r.Intn(len(v.State.Regs))].Reg
		} else {
			c.Addr, c.Size, c.Space = v.Memory[0].Addr+emu.Addr(4*r.Intn(v.Memory[0].Size/4)), 4, ptx.GlobalSpace
		}
		_ = s.Edit(c, uint64(r.Intn(40)), 0)
		return "edit"
	}
	s.Step()
	return "step"
}
