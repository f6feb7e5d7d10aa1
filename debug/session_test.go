package debug

import (
	"math/rand"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// split is one warp whose lanes 0 to 4 take the branch of line 13.
func split(t testing.TB) string { return txtar.Text(t, "session/split") }

// pair is two CTAs of two warps that pass a barrier and loop as often as their lane says.
func pair(t testing.TB) string { return txtar.Text(t, "session/pair") }

// faulty stores at odd addresses from its third instruction on, but only in the second warp.
func faulty(t testing.TB) string { return txtar.Text(t, "session/faulty") }

func open(t *testing.T, src string) *Session {
	t.Helper()
	return openWith(t, src, emu.EngineAuto)
}

func openWith(t *testing.T, src string, engine emu.Engine) *Session {
	t.Helper()
	s := New(emu.Options{Engine: engine})
	s.SetSource("test.ptx", src)
	require.NotEqual(t, Invalid, s.phase, "%v", s.View().Diagnostics)
	return s
}

func finish(s *Session) {
	for s.RunFor(1000) {
	}
}

func TestPhases(t *testing.T) {
	s := New(emu.Options{})
	require.Equal(t, Invalid, s.View().Phase)
	s.Step()
	s.StepBack()
	s.Reset()
	require.False(t, s.RunFor(10))

	s = open(t, split(t))
	v := s.View()
	require.Equal(t, Ready, v.Phase)
	require.Equal(t, "Ready: kernel k, 32 threads in 1 CTA.", v.Status)
	require.Equal(t, 11, v.Line)
	require.Nil(t, v.Last)
	require.Nil(t, v.Expect)
	s.Step()
	require.Equal(t, Paused, s.View().Phase)
	require.True(t, s.RunFor(2))
	require.Equal(t, Running, s.View().Phase)
	require.Equal(t, int64(3), s.View().Tick)
	s.Pause()
	require.Equal(t, Paused, s.View().Phase)
	require.Equal(t, "Paused after 3 warp instructions.", s.View().Status)
	finish(s)
	v = s.View()
	require.Equal(t, Finished, v.Phase)
	// setp and mov, the branch, two for lanes 5 to 31, one for lanes 0 to 4, five for all
	require.Equal(t, "Finished: 32 threads, 11 warp instructions. All 2 expectations are met.", v.Status)
	require.Equal(t, int64(11), v.Tick)
	require.Len(t, v.Expect, 2)
	require.Equal(t, int64(1), v.Heat[14])
	s.Step() // nothing more to do
	require.Equal(t, Finished, s.View().Phase)
	s.Reset()
	require.Equal(t, Ready, s.View().Phase)
	require.Equal(t, int64(11), s.View().End)
	require.Equal(t, int64(0), s.View().Tick)
}

func TestStepsExplainThemselves(t *testing.T) {
	s := open(t, split(t))
	for _, want := range []string{
		"line 11, `mov.u32 %r1, %tid.x`: %r1 = 0 … 31 in all 32 lanes.",
		"line 12, `setp.lt.u32 %p1, %r1, 5`: %p1 is true in 5 of 32 lanes.",
		"line 13, `@%p1 bra LOW`: 5 of 32 lanes branch; new groups 0000001f and ffffffe0, to meet at line 19.",
		"line 14, `mov.u32 %r2, 9`: %r2 = 9 in all 27 lanes.",
		"line 15, `bra DONE`: all 27 lanes branch; group ffffffe0 reaches line 19, group 0000001f runs next at line 17.",
		"line 17, `mov.u32 %r2, 7`: %r2 = 7 in all 5 lanes; " +
			"group 0000001f reaches line 19, group ffffffff runs next at line 19.",
		"line 19, `ld.param.u64 %rd1, [out]`: all 32 lanes load from out, %rd1 = out in all 32 lanes.",
		"line 20, `mul.wide.u32 %rd2, %r1, 4`: %rd2 = 0 … 124 in all 32 lanes.",
		"line 21, `add.s64 %rd3, %rd1, %rd2`: %rd3 = out … out+124 in all 32 lanes.",
		"line 22, `st.global.u32 [%rd3], %r2`: all 32 lanes store 7 (5 lanes), 9 (27 lanes) to out … out+124.",
		"line 23, `ret`: all 32 lanes exit; warp 0 has ended. Finished: 32 threads, 11 warp instructions." +
			" All 2 expectations are met.",
	} {
		s.Step()
		require.Equal(t, want, s.View().Status)
	}
}

// On the SIMT stack the same branch pushes masks, and its sides are popped.
func TestStepsExplainTheStack(t *testing.T) {
	s := open(t, strings.Replace(split(t), ".version", "//@ model stack\n.version", 1))
	s.Step()
	s.Step()
	for _, want := range []string{
		"line 14, `@%p1 bra LOW`: 5 of 32 lanes branch; pushed masks 0000001f and ffffffe0, to meet at line 20.",
		"line 15, `mov.u32 %r2, 9`: %r2 = 9 in all 27 lanes.",
		"line 16, `bra DONE`: all 27 lanes branch; popped mask ffffffe0, mask 0000001f runs next at line 18.",
		"line 18, `mov.u32 %r2, 7`: %r2 = 7 in all 5 lanes; popped mask 0000001f, mask ffffffff runs next at line 20.",
	} {
		s.Step()
		require.Equal(t, want, s.View().Status)
	}
}

// A warp's view names the model even when the warp has ended, because the words for its lanes are the model's.
func TestModelAfterTheEnd(t *testing.T) {
	for model, words := range map[emu.Divergence]string{emu.Stack: "stack", emu.Independent: "independent"} {
		s := open(t, "//@ grid 3\n"+strings.Replace(split(t), ".version", "//@ model "+words+"\n.version", 1))
		require.Equal(t, model, s.View().State.Model)
		finish(s)
		s.Follow(0, 0) // its CTA is gone, the last one is not
		require.False(t, s.View().State.Resident)
		require.Equal(t, model, s.View().State.Model)
	}
}

// If the lanes of an entry branch apart at the place where they meet, the entry is replaced: lanes 0, 3, … leave the
// loop first, then lanes 1, 4, …, and lanes 2, 5, … repeat it once more.
func TestSentenceOfReplacing(t *testing.T) {
	s := open(t, txtar.Text(t, "session/replacing"))
	for range 8 {
		s.Step()
	}
	require.Equal(t, "line 13, `@%p bra L`: 10 of 21 lanes branch; replaced mask b6db6db6 by mask 24924924, "+
		"to meet at line 14.", s.View().Status)
	for range 3 {
		s.Step()
	}
	require.Contains(t, s.View().Status, "popped mask 24924924, mask ffffffff runs next at line 14.")
}

// Of two warps the first is at the barrier, and the second one runs: what waits there does not look as if it ran, and
// is at the barrier's line, not at the next.
func TestGroupsAtABarrier(t *testing.T) {
	s := open(t, `//@ block 64
.version 7.0
.target sm_70
.address_size 64
.visible .entry two()
{
    bar.sync 0;
    ret;
}
`)
	s.Follow(0, 0)
	require.Equal(t, []Group{{Line: 7, Mask: emu.FullMask, Top: true}}, s.View().Groups)
	s.Step()
	s.Follow(0, 0)
	require.Equal(t, []Group{{Line: 7, Mask: emu.FullMask, Top: true, Bar: true}}, s.View().Groups)
	s.Follow(0, 1)
	require.Equal(t, []Group{{Line: 7, Mask: emu.FullMask, Top: true}}, s.View().Groups)
}

func TestViewOfADivergentWarp(t *testing.T) {
	s := open(t, split(t))
	for range 3 {
		s.Step()
	}
	v := s.View()
	require.Equal(t, 14, v.Line)
	require.Equal(t, []Group{{Line: 14, Mask: 0xffffffe0, Top: true}, {Line: 17, Mask: 0x1f}}, v.Groups)
	require.Equal(t, emu.Mask(0x1f), v.Last.Taken)
	require.Equal(t, "out", v.Memory[0].Name)
	require.Equal(t, []int{32}, v.Memory[0].Dims)
	for range 7 {
		s.Step()
	}
	v = s.View()
	require.Equal(t, []Range{{0, 128}}, v.Memory[0].Changed)
	require.Equal(t, byte(7), v.Memory[0].Bytes[4*4])
	require.Equal(t, byte(9), v.Memory[0].Bytes[4*5])
	out := v.Memory[0].Addr
	require.Equal(t, "out", v.Name(out))
	require.Equal(t, "out+16", v.Name(out+16))
	require.Equal(t, "out+128", v.Name(out+128))
	require.Equal(t, "", v.Name(out+129))
	require.Equal(t, "", v.Name(7))
}

func TestViewsAreImmutableAndVersioned(t *testing.T) {
	s := open(t, split(t))
	before := s.View()
	require.Equal(t, before.Version, s.View().Version)
	finish(s)
	after := s.View()
	require.Greater(t, after.Version, before.Version)
	require.Equal(t, byte(0), before.Memory[0].Bytes[0])
	require.Equal(t, byte(7), after.Memory[0].Bytes[0])
	require.Equal(t, Ready, before.Phase)
	require.Equal(t, 11, before.Line)
	require.NotNil(t, before.State.PC)
	require.Nil(t, after.State.PC)
}

func TestStepFollowsOneWarp(t *testing.T) {
	s := open(t, pair(t))
	s.Follow(1, 1)
	require.Equal(t, "Following warp 1 of CTA 1.", s.View().Status)
	require.False(t, s.View().State.Resident)
	s.Step() // CTA 0 must start first
	v := s.View()
	require.Equal(t, 1, v.Last.CTAIndex)
	require.Equal(t, 1, v.Last.Warp)
	require.Equal(t, 12, v.Line)
	require.Greater(t, v.Tick, int64(1))
	s.Follow(99, 99)
	require.Equal(t, 1, s.View().CTA)
	require.Equal(t, 1, s.View().Warp)
	require.Equal(t, 2, v.CTAs)
	require.Equal(t, 2, v.WarpsPerCTA)
}

// The picture of the Mandelbrot example is drawn by 13 times 80 CTAs; CTA 5,24 is number 5 + 13·24 = 317.
func TestStepOfAWarpFarAhead(t *testing.T) {
	src, err := os.ReadFile("../public/examples/15-mandelbrot.ptx")
	require.NoError(t, err)
	s := open(t, string(src))
	s.Follow(317, 2)
	first := s.View()
	s.Step()
	v := s.View()
	require.Equal(t, emu.Dim3{X: 5, Y: 24}, v.Last.CTA)
	require.Equal(t, 2, v.Last.Warp)
	require.Equal(t, 0, first.Line)
	require.Equal(t, s.module.Entries()[0].Insts[0], v.Last.Inst)
	s.StepBack()
	require.Equal(t, s.line(v.Last.Inst), s.View().Line)
	require.Nil(t, s.View().Last)
}

func TestStepFollowsTheNextWarpWhenTheFollowedHasEnded(t *testing.T) {
	s := open(t, pair(t))
	for range 200 {
		s.Step()
		if s.View().State.Ended {
			break
		}
	}
	v := s.View()
	require.Equal(t, 0, v.CTA)
	s.Step()
	require.False(t, s.View().CTA == v.CTA && s.View().Warp == v.Warp)
	require.NotEqual(t, Finished, s.View().Phase)
}

func TestBreakpointsStopRuns(t *testing.T) {
	for slice := range int64(8) { // a slice may end right before a breakpoint
		s := open(t, pair(t))
		s.SetBreakpoints([]int{22, 22, 3}) // 3 is a header line: the kernel's first instruction is meant
		require.Equal(t, []int{3, 22}, s.View().Breakpoints)
		stops := map[int]int{}
		for range 100 {
			for s.RunFor(1 + slice) {
			}
			v := s.View()
			if v.Phase == Finished {
				break
			}
			require.Equal(t, Paused, v.Phase)
			where := map[int]string{11: "line 3, before line 11", 22: "line 22"}[v.Line]
			require.Contains(t, v.Status, "Stopped at the breakpoint of "+where+": warp ")
			stops[v.Line]++
		}
		// Every warp comes to the barrier once; line 11 is passed by the run's first instruction and stops the others.
		require.Equal(t, map[int]int{11: 3, 22: 4}, stops)
	}
}

func TestFaultsStopRunsAndSteps(t *testing.T) {
	for name, run := range map[string]func(s *Session){
		"run": finish,
		"step": func(s *Session) {
			s.Follow(0, 1)
			for s.View().Phase != Faulted {
				s.Step()
			}
		},
	} {
		s := open(t, faulty(t))
		run(s)
		v := s.View()
		require.Equal(t, Faulted, v.Phase, name)
		require.Equal(t, emu.Misaligned, v.Fault.Kind)
		require.Contains(t, v.Status, "Stopped at line 13: misaligned address")
		require.Contains(t, v.Status, "out+1")
		require.Equal(t, 1, v.Warp)
		require.Equal(t, 13, v.Line)
		require.NotNil(t, v.Last)
		require.NotNil(t, v.Last.Fault)
		require.Equal(t, v.End, v.Tick)

		s.StepBack() // before the store
		v = s.View()
		require.Equal(t, Paused, v.Phase)
		require.Equal(t, 13, v.Line)
		require.Equal(t, 12, s.line(v.Last.Inst))
		require.Equal(t, v.End-1, v.Tick)
		require.Nil(t, v.Fault)
		s.StepBack()
		require.Equal(t, 12, s.View().Line)
		s.SeekTo(s.View().End)
		require.Equal(t, Faulted, s.View().Phase)
		s.SeekTo(s.View().End - 1)
		s.Step()
		require.Equal(t, Faulted, s.View().Phase)
	}
}

func TestStepBackUndoesAStep(t *testing.T) {
	s := open(t, pair(t))
	s.Follow(0, 1)
	type moment struct {
		tick int64
		line int
		hash uint64
		last *ptx.Inst
	}
	var past []moment
	s.Step()
	for s.View().Phase == Paused && !s.View().State.Ended {
		m := moment{s.View().Tick, s.View().Line, 0, s.View().Last.Inst}
		past = append(past, m)
		s.Step()
	}
	end := s.View().End
	for i := len(past) - 1; i > 0; i-- {
		s.StepBack()
		v := s.View()
		require.Equal(t, past[i].line, v.Line, i)
		require.Equal(t, past[i].last, v.Last.Inst, i)
		require.LessOrEqual(t, past[i].tick, v.Tick) // others may have run since the step
		require.Equal(t, end, v.End)
		cta, warp, _ := s.history.grid.Next()
		require.Equal(t, []int{0, 1}, []int{cta, warp})
	}
}

func TestStepBackFromTheEnd(t *testing.T) {
	s := open(t, split(t))
	finish(s)
	s.StepBack()
	v := s.View()
	require.Equal(t, int64(10), v.Tick)
	require.Equal(t, 23, v.Line)
	require.Equal(t, "Stepped back: line 23, `ret`, is next again.", v.Status)
	require.Equal(t, 22, s.line(v.Last.Inst))
	for range 9 {
		s.StepBack()
	}
	require.Equal(t, int64(1), s.View().Tick)
	s.StepBack()
	require.Equal(t, Ready, s.View().Phase)
	require.Nil(t, s.View().Last)
	s.StepBack()
	require.Equal(t, "This is the beginning: nothing has been executed.", s.View().Status)
	finish(s)
	require.Equal(t, Finished, s.View().Phase)
}

func TestStepBackFollowsAnotherWarpWhenThisOneHasNotRun(t *testing.T) {
	s := open(t, pair(t))
	s.Step()
	s.Follow(1, 0)
	s.StepBack()
	require.Equal(t, 0, s.View().CTA)
	require.Equal(t, int64(0), s.View().Tick)
}

// reference replays a program to each tick and notes the hash of the state.
func reference(t *testing.T, src string) (hashes []uint64) {
	t.Helper()
	s := open(t, src)
	g := s.history.grid
	for {
		hashes = append(hashes, g.Hash())
		if _, err := g.RunFor(1); err != nil || g.Done() {
			return append(hashes, g.Hash())
		}
	}
}

// checkHistory checks what is always true of a history.
func checkHistory(t *testing.T, h *history) {
	t.Helper()
	cost := int64(0)
	require.Zero(t, h.snaps[0].Tick)
	for i := 1; i < len(h.snaps); i++ {
		require.Less(t, h.snaps[i-1].Tick, h.snaps[i].Tick)
		cost += h.snaps[i].BytesBeside(h.snaps[i-1])
	}
	require.Equal(t, cost, h.cost)
	require.True(t, h.cost <= h.budget || len(h.snaps) <= 2)
}

// A thousand random actions, with snapshots so close and a budget so small that they are taken and dropped all the
// time: the state is always that of a fresh replay to the same tick.
func TestTimeTravelAgreesWithFreshReplays(t *testing.T) {
	for name, src := range map[string]string{"pair": pair(t), "faulty": faulty(t), "split": split(t)} {
		hashes := reference(t, src)
		s := open(t, src)
		h := s.history
		h.interval, h.fine, h.budget = 4, 1, 4*h.snaps[0].Bytes
		h.now = func() time.Duration { return 0 }
		r := rand.New(rand.NewSource(1))
		for i := range 1000 {
			switch r.Intn(8) {
			case 0, 1:
				s.Step()
			case 2, 3:
				s.StepBack()
			case 4:
				s.SeekTo(r.Int63n(s.View().End + 1))
			case 5:
				s.RunFor(r.Int63n(40))
			case 6:
				s.Pause()
				s.Follow(r.Intn(2), r.Intn(2))
			case 7:
				s.SetBreakpoints([]int{11 + r.Intn(10)})
			}
			tick := s.history.tick()
			require.Equal(t, hashes[tick], s.history.grid.Hash(), "%s: action %d, tick %d", name, i, tick)
			require.LessOrEqual(t, tick, s.View().End)
			checkHistory(t, s.history)
		}
		require.Equal(t, int64(len(hashes)-1), s.View().End, name)
		if name == "pair" {
			require.Less(t, int64(len(h.snaps)), s.View().End/h.interval, "nothing was dropped")
		}
	}
}

// A variable that the header gives a type is one region, of that type. Two e2m1 share a byte, and a cell.
func TestTypedRegions(t *testing.T) {
	s := open(t, `//@ symbol table e4m3[4] = 1
//@ buffer four e2m1[6]
.version 6.4
.target sm_70
.address_size 64
.const .b8 table[4];
.global .u32 other = 5;
.entry k() { .reg .b32 %r; ld.const.b8 %r, [table]; ld.global.b32 %r, [other]; ret; }
`)
	names, types := []string{}, []string{}
	for _, r := range s.View().Memory {
		names, types = append(names, r.Name), append(types, r.Type)
	}
	require.Equal(t, []string{"table", "four", "other"}, names)
	require.Equal(t, []string{"e4m3", "e2m1x2", "u32"}, types)
	require.Equal(t, []int{3}, s.View().Memory[1].Dims)
	require.Equal(t, []byte{0x38, 0x38, 0x38, 0x38}, s.View().Memory[0].Bytes) // 0 0111 000
}

// A CTA of a grid of one dimension has a number; others have an index.
func TestCTANames(t *testing.T) {
	for shape, want := range map[string]string{"25000": "6,336", "25000,2": "6336,0,0", "64,64,9": "0,35,1"} {
		s := open(t, "//@ grid "+shape+"\n.version 6.4\n.target sm_70\n.address_size 64\n.entry k()\n{\n\tret;\n}\n")
		s.Follow(6336, 0)
		require.Equal(t, "Following warp 0 of CTA "+want+".", s.View().Status, "6336 = 0 + 64 (35 + 64)")
	}
}

// A breakpoint on one side of a branch says which lanes are there: 4 to 31, and lane 3 alone.
func TestStopNamesItsLanes(t *testing.T) {
	s := New(emu.Options{})
	s.SetSource("k.ptx", `//@ block 32
.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
	.reg .pred %p, %q;
	.reg .b32 %t, %v;
	mov.u32 %t, %tid.x;
	setp.lt.u32 %p, %t, 4;
	@%p bra few;
	mov.u32 %v, 1;
	bra.uni end;
few:
	setp.ne.u32 %q, %t, 3;
	@%q bra end;
	mov.u32 %v, 2;
end:
	ret;
}
`)
	s.SetBreakpoints([]int{12, 17, 19})
	var said []string
	for range 3 {
		for s.RunFor(1000) {
		}
		_, who, _ := strings.Cut(s.View().Status, ": ")
		said = append(said, who)
	}
	require.ElementsMatch(t, []string{"lanes 4-31 of warp 0 of CTA 0 execute `mov.u32 %v, 1` next.",
		"lane 3 of warp 0 of CTA 0 executes `mov.u32 %v, 2` next.", "warp 0 of CTA 0 executes `ret` next."}, said)
}
