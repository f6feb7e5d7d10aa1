package debug

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/emu/count"
	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// line is the first line of a text with these words.
func lineWith(t *testing.T, s *Session, words string) int {
	t.Helper()
	for _, f := range s.Module().Funcs {
		for _, in := range f.Insts {
			if s.code(in) == words {
				return s.line(in)
			}
		}
	}
	require.Fail(t, "no such instruction", words)
	return 0
}

func TestAccessOfSharedMemory(t *testing.T) {
	s := open(t, txtar.Text(t, "access/banks"))
	require.Nil(t, s.Access(0, true), "the first instruction accesses nothing")
	column := lineWith(t, s, "st.shared.u32 [%column], %lane")
	require.Equal(t, AccessNever, s.Access(column, false).When)
	finish(s)
	// Lane i stores word 16*i: 32 words in the banks 0 and 16, 16 in each, which take 16 turns.
	a := s.Access(column, false)
	require.Equal(t, AccessEarlier, a.When)
	require.EqualValues(t, 9, a.Tick)
	require.Equal(t, []int{16, 1}, []int{a.Parts, a.Ideal})
	require.Equal(t, ptx.SharedSpace, a.Space)
	require.Equal(t, count.Bank{Lanes: 0x55555555, Words: 16, Apart: 0x55555555}, a.Banks[0])
	require.Equal(t, "32 words in 2 banks, 16 in each", a.Why())
	require.Contains(t, a.Cure(), "16 words apart")
	require.Contains(t, a.Cure(), "to 17")

	a = s.Access(lineWith(t, s, "st.shared.u32 [%row], %lane"), false)
	require.Equal(t, []int{1, 1}, []int{a.Parts, a.Ideal})
	require.Equal(t, "32 words in 32 banks: no bank conflict", a.Why())
	require.Empty(t, a.Cure())
	a = s.Access(lineWith(t, s, "ld.shared.u32 %a, [tile]"), false)
	require.Equal(t, "1 word for 32 lanes: broadcast, no bank conflict", a.Why())
	a = s.Access(lineWith(t, s, "ld.shared.b64 %wide64, [%wide]"), false)
	require.Equal(t, []int{2, 2}, []int{a.Parts, a.Ideal}, "half a warp at a time")
	require.False(t, a.Costly())
	a = s.Access(lineWith(t, s, "atom.shared.add.u32 %b, [tile], 1"), false)
	require.Equal(t, 31, a.Repeats, "all but lane 0")
	require.Contains(t, a.Cure(), "31 lanes have the address of a lower lane")
	require.Nil(t, s.Access(lineWith(t, s, "ret"), false))
	require.Equal(t, Finished, s.View().Phase, "the session stays where it is")
}

func TestAccessOfGlobalMemory(t *testing.T) {
	s := open(t, txtar.Text(t, "access/sectors"))
	finish(s)
	s.SeekTo(5)
	a := s.Access(0, true)
	require.Equal(t, AccessNext, a.When)
	require.Equal(t, []int{4, 4}, []int{a.Parts, a.Ideal})
	require.Equal(t, "128 of 128 bytes are used", a.Why())
	s.Step()
	require.Equal(t, "st.global.u32 [%row], %lane", s.Access(0, false).Text, "it just ran")
	require.Equal(t, AccessRan, s.Access(lineWith(t, s, "st.global.u32 [%row], %lane"), false).When)
	// Bytes 4 to 132: the end of the first sector, three whole ones, 4 bytes of the fifth.
	a = s.Access(0, true)
	require.Equal(t, []int{5, 4}, []int{a.Parts, a.Ideal})
	require.Equal(t, "128 of 160 bytes are used", a.Why())
	require.Contains(t, a.Cure(), "4 bytes earlier")
	// Of lanes 0 to 15 each has a sector of its own, where two sectors are enough for 64 bytes.
	s.Step()
	a = s.Access(0, true)
	require.Equal(t, emu.Mask(0xffff), a.Lanes)
	require.Equal(t, []int{16, 2}, []int{a.Parts, a.Ideal})
	require.Contains(t, a.Cure(), "64 bytes apart")
	s.Step()
	a = s.Access(0, true)
	require.Equal(t, ptx.GlobalSpace, a.Space, "by the address, not by the opcode")
	require.Equal(t, 4, a.Parts)
}

func account(t *testing.T, s *Session) *emu.Account {
	t.Helper()
	a, err := s.Account()
	require.NoError(t, err)
	return a
}

// The second run counts what a run with counters counts, wherever the session is.
func TestCounting(t *testing.T) {
	s := open(t, txtar.Text(t, "access/banks"))
	require.Nil(t, account(t, s), "nothing has asked")
	finish(s)
	require.True(t, s.Count(5))
	require.Nil(t, account(t, s), "it is not there yet")
	require.False(t, s.Count(1000))
	conflicts := func() (list []int64) {
		for _, in := range account(t, s).Insts {
			list = append(list, in.Shared.Parts-in.Shared.Ideal)
		}
		return list
	}
	// 19 instructions; the column takes 15 wavefronts too many, all others none.
	require.Equal(t, []int64{0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0, 0, 0}, conflicts())
	s.SeekTo(9)
	require.False(t, s.Count(1000))
	require.Len(t, conflicts(), 9, "before the column")
	s.Step()
	require.False(t, s.Count(1000))
	require.EqualValues(t, 15, conflicts()[9])
	s.StopCounting()
	require.Nil(t, account(t, s))
	require.Positive(t, s.Live().Registers)
}

// After an edit the second run makes it, too.
func TestCountingAfterAnEdit(t *testing.T) {
	s := open(t, txtar.Text(t, "access/banks"))
	s.SeekTo(0)
	for range 9 {
		s.Step()
	}
	require.False(t, s.Count(1000))
	for lane := range 32 { // all lanes store to the same word
		require.NoError(t, s.Edit(Cell{Lane: lane, Reg: regOf(s, "%column"), Elem: -1}, 0, 0))
	}
	require.False(t, s.Count(1000))
	s.Step()
	require.False(t, s.Count(1000))
	a := account(t, s)
	require.NotNil(t, a)
	require.EqualValues(t, 1, a.Insts[9].Shared.Parts)
	require.Len(t, a.Insts, 10)
}
