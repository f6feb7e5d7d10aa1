package debug

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// chain is one warp; lane 3 stores 3*4+7 = 19 to out[3] and loads it again, and lanes from 16 on overwrite %r2.
func chain(t testing.TB) string { return txtar.Text(t, "origin/chain") }

func regOf(s *Session, name string) *ptx.Reg {
	for _, f := range s.module.Funcs {
		for _, r := range f.Regs {
			if r.Name == name {
				return r
			}
		}
	}
	return nil
}

func TestWhoWroteARegister(t *testing.T) {
	s := open(t, chain(t))
	finish(s)
	now := s.Tick()
	r2 := Cell{Lane: 3, Reg: regOf(s, "%r2"), Elem: -1}
	w, ok := s.Writer(r2)
	require.True(t, ok)
	require.Equal(t, 10, w.Line)
	require.Equal(t, "`mad.lo.u32 %r2, %r1, 4, 7`", w.Text)
	require.EqualValues(t, 0, w.Old)
	require.EqualValues(t, 19, w.New)
	require.EqualValues(t, 1, w.Tick)
	require.Equal(t, now, s.Tick(), "a question does not move the session")
	require.Equal(t, Finished, s.View().Phase)

	r2.Lane = 20
	w, ok = s.Writer(r2)
	require.True(t, ok)
	require.Equal(t, 12, w.Line, "the lanes from 16 on have written it again")
	require.EqualValues(t, 87, w.Old) // 20*4 + 7
	require.EqualValues(t, 5, w.New)

	_, ok = s.Writer(Cell{Lane: 20, Reg: regOf(s, "%r9"), Elem: -1})
	require.False(t, ok, "no step has written it")

	s.SeekTo(w.Tick)
	w, ok = s.Writer(r2)
	require.True(t, ok)
	require.Equal(t, 10, w.Line, "the step that comes next has not written yet")
	next, ok := s.NextChange(r2)
	require.True(t, ok)
	require.Equal(t, 12, next.Line)
}

func TestWhoWroteMemory(t *testing.T) {
	s := open(t, chain(t))
	finish(s)
	out := s.View().Memory[0]
	at := Cell{Addr: out.Addr + 3*4, Size: 4, Space: ptx.GlobalSpace}
	w, ok := s.Writer(at)
	require.True(t, ok)
	require.Equal(t, 16, w.Line)
	require.Equal(t, 3, w.Lane)
	require.EqualValues(t, 103, w.Old) // as the launch header filled it
	require.EqualValues(t, 19, w.New)
	at.Addr = out.Addr + 40*4 // beyond the 32 lanes
	_, ok = s.Writer(at)
	require.False(t, ok)
}

// TestOrigin: lane 3 of %r4 comes from the load of out[3], which comes from the store of %r2, from mad, from %tid.x.
func TestOrigin(t *testing.T) {
	s := open(t, chain(t))
	finish(s)
	o := s.Origin(Cell{Lane: 3, Reg: regOf(s, "%r4"), Elem: -1})
	require.Equal(t, "%r4", o.Name)
	require.EqualValues(t, 19, o.Value)
	require.Equal(t, 17, o.Write.Line)
	require.Len(t, o.Sources, 2) // the address and the memory there
	require.Equal(t, "%rd3", o.Sources[0].Name)
	memory := o.Sources[1]
	require.Equal(t, "out+12", memory.Name)
	require.EqualValues(t, 19, memory.Value)
	require.Equal(t, 16, memory.Write.Line)
	var stored *Origin
	for i := range memory.Sources {
		if memory.Sources[i].Name == "%r2" {
			stored = &memory.Sources[i]
		}
	}
	require.NotNil(t, stored)
	require.Equal(t, 10, stored.Write.Line)
	require.Equal(t, "%r1", stored.Sources[0].Name)
	require.Equal(t, 9, stored.Sources[0].Write.Line)
	require.Equal(t, "%tid.x", stored.Sources[0].Sources[0].Name)
	require.EqualValues(t, 3, stored.Sources[0].Sources[0].Value)
	require.Nil(t, stored.Sources[0].Sources[0].Write)
	require.EqualValues(t, 7, stored.Sources[2].Value)
}

// Six writers back from %r6 is the one of %r0, which comes from %tid.x alone. That has no writer: nothing is left out.
// Six writers back from %r7 is the one of %r1, and what is left out is that of %r0.
func TestOriginEnds(t *testing.T) {
	text := ".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n" +
		"\t.reg .u32 %r<8>;\n\tmov.u32 %r0, %tid.x;\n"
	for i := range 7 {
		text += fmt.Sprintf("\tadd.u32 %%r%d, %%r%d, 1;\n", i+1, i)
	}
	s := open(t, text+"\tret;\n}\n")
	finish(s)
	for name, more := range map[string]bool{"%r6": false, "%r7": true} {
		o := s.Origin(Cell{Lane: 3, Reg: regOf(s, name), Elem: -1})
		last := &o
		for len(last.Sources) > 0 {
			last = &last.Sources[0]
		}
		require.Equal(t, more, last.More, name)
	}
}

// The branch of line 13 splits the warp; lanes of one side reach the end of it in line 17.
func TestWhoChangedTheStack(t *testing.T) {
	s := open(t, split(t))
	finish(s)
	s.SeekTo(4)
	w, ok := s.Writer(Cell{Stack: true})
	require.True(t, ok)
	require.Equal(t, 13, w.Line)
	require.NotEmpty(t, w.Stack)
	s.SeekTo(2)
	_, ok = s.Writer(Cell{Stack: true})
	require.False(t, ok)
}

// TestWhoChangedTheMask compares the last change of each lane's bit of the active mask with the steps themselves.
func TestWhoChangedTheMask(t *testing.T) {
	s := open(t, split(t))
	finish(s)
	end := s.Tick()
	line := make([]int, 32) // of the last change, by lane; 0: none
	for tick := int64(0); tick < end; tick++ {
		s.SeekTo(tick)
		before := s.View().State.Active
		for lane := range 32 {
			w, ok := s.Writer(Cell{Active: true, Lane: lane})
			require.Equal(t, line[lane] != 0, ok, "lane %d before step %d", lane, tick)
			require.Equal(t, line[lane], w.Line, "lane %d before step %d", lane, tick)
		}
		s.SeekTo(tick + 1)
		v := s.View()
		for lane := range 32 {
			if v.State.Active.Has(lane) != before.Has(lane) {
				line[lane] = s.line(v.Last.Inst)
			}
		}
	}
	require.NotContains(t, line, 0, "each lane has waited and has ended")
}

// The branch of line 13 pushes an entry with lanes 0 to 4.
func TestWhoPushedAnEntry(t *testing.T) {
	s := open(t, split(t))
	finish(s)
	s.SeekTo(4)
	for _, e := range s.View().State.Stack {
		w, ok := s.Writer(Cell{Stack: true, Entry: &e})
		require.Equal(t, e.Cause != nil, ok)
		if ok {
			require.Equal(t, s.line(e.Cause), w.Line)
			require.EqualValues(t, 2, w.Tick)
		}
	}
}

// Both warps arrive at barrier 1 in line 9; the second arrival is the last.
func TestWhoArrivedAtABarrier(t *testing.T) {
	s := open(t, `//@ block 64
.version 7.0
.target sm_70
.address_size 64
.entry k() {
	.reg .b32 %r;
	bar.sync 0;
	mov.u32 %r, 1;
	bar.sync 1;
	ret;
}`)
	finish(s)
	w, ok := s.Writer(Cell{Barrier: 2})
	require.True(t, ok)
	require.Equal(t, 9, w.Line)
	first := w
	s.SeekTo(w.Tick)
	w, ok = s.Writer(Cell{Barrier: 2})
	require.True(t, ok)
	require.Equal(t, 9, w.Line)
	require.NotEqual(t, first.Warp, w.Warp)
	_, ok = s.Writer(Cell{Barrier: 3})
	require.False(t, ok)
}

// The 16 warps of a cluster of four CTAs add to a word of the first one's shared memory, which was set to zero before.
func TestWhoWroteSharedMemoryOfAnotherCTA(t *testing.T) {
	src, err := os.ReadFile("../public/examples/33-cluster-sum.ptx")
	require.NoError(t, err)
	s := open(t, string(src))
	finish(s)
	shared := s.history.grid.Mem.Win.Shared
	total := Cell{Addr: shared, Size: 4, Space: ptx.SharedSpace}
	after, by := uint64(8386560), map[int]int{} // 4095 * 4096 / 2
	for range 16 {
		w, ok := s.Writer(total)
		require.True(t, ok)
		require.Contains(t, w.Text, "red.shared::cluster.add.u32")
		require.Equal(t, after, w.New)
		after = w.Old
		by[w.CTA]++
		s.SeekTo(w.Tick)
		next, ok := s.NextChange(total)
		require.True(t, ok)
		require.Equal(t, w.Tick, next.Tick)
	}
	require.Equal(t, map[int]int{0: 4, 1: 4, 2: 4, 3: 4}, by)
	require.Zero(t, after)
	w, ok := s.Writer(total)
	require.True(t, ok)
	require.Contains(t, w.Text, "st.shared.u32 [total], 0")
	require.Zero(t, w.CTA)

	total.CTA = 1 // whose own word only it has written
	finish(s)
	w, ok = s.Writer(total)
	require.True(t, ok)
	require.Contains(t, w.Text, "st.shared.u32 [total], 0")
	require.Equal(t, 1, w.CTA)
}
