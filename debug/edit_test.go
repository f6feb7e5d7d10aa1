package debug

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// TestEdit sets %r2 of lane 3 to 50 after line 10 of chain, so that out[3] becomes 50.
func TestEdit(t *testing.T) {
	s := open(t, chain(t))
	s.Step()
	s.Step()
	require.False(t, s.Future())
	require.NoError(t, s.Edit(Cell{Lane: 3, Reg: regOf(s, "%r2"), Elem: -1}, 50, 0))
	require.Equal(t, "You have set %r2. Step back takes that back.", s.View().Status)
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

// A step back takes back the last edit after which nothing has run, and Reset takes back all. The run is then as it was
// without them: out[3] is 4·3 + 7 = 19. Of two edits before the first instruction, the first stays.
func TestEditIsTakenBack(t *testing.T) {
	s := open(t, chain(t))
	r2 := func(value uint64) {
		require.NoError(t, s.Edit(Cell{Lane: 3, Reg: regOf(s, "%r2"), Elem: -1}, value, 0))
	}
	shows := func(value string) {
		t.Helper()
		require.Equal(t, value, s.Watches([]string{"%r2"})[0].Values[3])
	}
	s.Step()
	s.Step()
	r2(50)
	r2(60)
	s.StepBack()
	require.Equal(t, "%r2 has its old value again.", s.View().Status)
	require.EqualValues(t, 2, s.Tick())
	shows("50")
	s.StepBack()
	shows("19")
	require.Empty(t, s.Edits())
	require.Zero(t, s.View().Edits)
	finish(s)
	require.EqualValues(t, 19, s.View().Memory[0].Bytes[12])

	s.SeekTo(2)
	r2(50)
	s.Step()
	s.StepBack() // something has run since: it only goes back
	require.Len(t, s.Edits(), 1)
	finish(s)
	require.EqualValues(t, 50, s.View().Memory[0].Bytes[12])
	s.Reset()
	require.Contains(t, s.View().Status, "Ready: ")
	require.Contains(t, s.View().Status, " 1 edit taken back.")
	finish(s)
	require.EqualValues(t, 19, s.View().Memory[0].Bytes[12])

	s.SeekTo(0)
	out := s.View().Memory[0]
	set := func(value uint64) { require.NoError(t, s.Edit(Cell{Addr: out.Addr + 124, Size: 4}, value, 0)) }
	set(7)
	set(8)
	s.StepBack()
	require.EqualValues(t, 7, s.View().Memory[0].Bytes[124])
	s.StepBack()
	require.Equal(t, out.Bytes, s.View().Memory[0].Bytes)
	require.Equal(t, Ready, s.View().Phase)
}

// An expectation about a register at a line is of the run as it is: by steps, at full speed, after going back and with
// what the user has changed. %r2 is 4 lane + 7 before the lanes from 16 on get another value in line 13.
func TestExpectationsAtALineTravel(t *testing.T) {
	s := open(t, "//@ expect %r2 == 4 * lane + 7 at line 13\n"+chain(t))
	outcome := func() launch.Expectation { return s.View().Expect[0] }
	s.Step()
	s.Step()
	finish(s)
	require.True(t, outcome().Pass, outcome().Got)

	s.SeekTo(2)
	require.NoError(t, s.Edit(Cell{Lane: 3, Reg: regOf(s, "%r2"), Elem: -1}, 50, 0))
	for s.View().Phase != Finished {
		s.Step()
	}
	require.False(t, outcome().Pass)
	require.Contains(t, outcome().Got, "in lane 3 of CTA 0, warp 0: %r2 is 50")

	s.SeekTo(2)
	require.NoError(t, s.Edit(Cell{Lane: 3, Reg: regOf(s, "%r2"), Elem: -1}, 19, 0))
	finish(s)
	require.True(t, outcome().Pass, outcome().Got)
}

// TestRandomWalks makes random sequences of what users do, with random programs and some that fault or have several
// CTAs, with the interpreter and with compiled code. The states in between and at the end are those of a new
// session of the interpreter, which has made the same edits and goes to the same ticks directly.
func TestRandomWalks(t *testing.T) {
	texts := []string{split(t), pair(t), faulty(t), chain(t), loop(t)}
	walks, most := 1000, 8
	if testing.Short() {
		walks = 50
	}
	for walk := range walks {
		r := rand.New(rand.NewSource(int64(walk)))
		text, compiled := texts[walk%len(texts)], walk/len(texts)%2 == 1
		if walk >= 4*len(texts) {
			text, compiled = randomProgram(r), walk%24 == 0 // to compile takes most of the time
		}
		s := openWith(t, text, map[bool]emu.Engine{false: emu.Interpreter, true: emu.Compiled}[compiled])
		var did []string
		hashes := map[int64]uint64{} // by tick
		for range 1 + r.Intn(most) {
			does := wander(s, r)
			if did = append(did, does); does == "edit" { // there is a new future
				maps.DeleteFunc(hashes, func(tick int64, _ uint64) bool { return tick > s.Tick() })
			}
			hashes[s.Tick()] = s.history.grid.Hash()
		}
		other := openWith(t, text, emu.Interpreter)
		edits := s.Edits()
		for i := range edits { // registers are those of the other module
			if reg := edits[i].Reg; reg != nil {
				edits[i].Reg = regOf(other, reg.Name)
			}
		}
		require.NoError(t, other.Replay(edits), "walk %d: %v", walk, did)
		for _, tick := range slices.Sorted(maps.Keys(hashes)) {
			for other.history.end < tick && other.RunFor(tick-other.Tick()) {
			}
			other.SeekTo(tick)
			require.Equal(t, tick, other.Tick(), "walk %d: %v\n%s", walk, did, text)
			require.Equal(t, other.history.grid.Hash(), hashes[tick], "walk %d, tick %d: %v\n%s", walk, tick, did, text)
		}
	}
}

// randomProgram is a kernel of up to two CTAs of two warps, with loops and branches that lanes take apart.
func randomProgram(r *rand.Rand) string {
	p := program{r: r}
	fmt.Fprintf(&p, `//@ grid %d
//@ block 40
//@ arg out u32[80] = iota
.version 6.4
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out) {
.reg .pred %%p<9>; .reg .b32 %%r<6>, %%c<3>; .reg .b64 %%rd<4>; .shared .b32 s[64];
mov.u32 %%r0, %%tid.x; ld.param.u64 %%rd1, [out]; mov.u32 %%r1, %%ctaid.x; mad.lo.u32 %%r1, %%r1, 40, %%r0;
mul.wide.u32 %%rd2, %%r1, 4; add.s64 %%rd1, %%rd1, %%rd2; and.b32 %%r2, %%r0, 63; mul.wide.u32 %%rd2, %%r2, 4;
mov.u64 %%rd3, s; add.s64 %%rd2, %%rd2, %%rd3; mov.u32 %%r3, 3; mov.u32 %%r4, %%laneid; mov.u32 %%r5, 5;
`, 1+r.Intn(2))
	for range 2 + r.Intn(3) {
		p.statements(0)
		if r.Intn(3) == 0 {
			p.WriteString("bar.sync 0;\n")
		}
	}
	return p.String() + "st.global.u32 [%rd1], %r2;\nret;\n}\n"
}

type program struct {
	strings.Builder
	r      *rand.Rand
	labels int
}

// statements writes a few random statements within loops and branches of a depth.
func (p *program) statements(depth int) {
	for range 1 + p.r.Intn(4) {
		a, b, d := p.r.Intn(6), p.r.Intn(6), 2+p.r.Intn(4)
		guard := []string{"", "", "", "@%p1 ", "@!%p2 "}[p.r.Intn(5)]
		switch choice := p.r.Intn(10); {
		case choice < 2 && depth < 2:
			p.labels++
			end := p.labels
			fmt.Fprintf(p, "setp.lt.u32 %%p%d, %%r%d, %d;\n@%%p%d bra L%d;\n", 1+depth, a, p.r.Intn(40), 1+depth, end)
			p.statements(depth + 1)
			fmt.Fprintf(p, "L%d:\n", end)
		case choice < 4 && depth < 2: // some lanes go round more often
			p.labels++
			start := p.labels
			fmt.Fprintf(p, "and.b32 %%c%d, %%r%d, %d;\nL%d:\n", depth, a, p.r.Intn(4), start)
			p.statements(depth + 1)
			fmt.Fprintf(p, "add.u32 %%c%d, %%c%d, 1;\nsetp.lt.u32 %%p%d, %%c%d, %d;\n@%%p%d bra L%d;\n", depth, depth,
				4+depth, depth, 2+p.r.Intn(4), 4+depth, start)
		case choice < 6:
			place := []string{"global.u32 [%rd1]", "shared.u32 [%rd2]"}[p.r.Intn(2)]
			fmt.Fprintf(p, "%sst.%s, %%r%d;\n", guard, place, a)
		case choice < 7:
			fmt.Fprintf(p, "%sld.%s;\n", guard, fmt.Sprintf([]string{"global.u32 %%r%d, [%%rd1]",
				"shared.u32 %%r%d, [%%rd2]"}[p.r.Intn(2)], d))
		default:
			op := []string{"add.u32", "mul.lo.u32", "xor.b32", "min.u32", "sub.u32"}[p.r.Intn(5)]
			fmt.Fprintf(p, "%s%s %%r%d, %%r%d, %%r%d;\n", guard, op, d, a, b)
		}
	}
}

// wander does one random thing, and says what.
func wander(s *Session, r *rand.Rand) string {
	switch r.Intn(9) {
	case 0:
		if before := len(s.Edits()); before > 0 && r.Intn(4) == 0 {
			s.Reset()
		} else if s.StepBack(); len(s.Edits()) == before {
			return "back"
		}
		return "edit" // taken back
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
