package debug

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// counted writes the counts of a view: "1 runs, 1 ready, 2 to come".
func counted(v View) string {
	var parts []string
	for _, c := range v.Warps.Counts() {
		parts = append(parts, fmt.Sprintf("%d %s", c.N, c.Words()))
	}
	return strings.Join(parts, ", ")
}

// The grid has 2 CTAs of 2 warps. CTAs run one after the other, and a warp runs until it comes to the barrier.
func TestWarpsOfAGrid(t *testing.T) {
	s := open(t, pair(t))
	require.Equal(t, "1 runs, 1 ready, 2 to come", counted(s.View()))
	s.Go(Journey{Goal: ToBarrier})
	v := s.View()
	require.Equal(t, "1 runs, 1 at barrier 0, 2 to come", counted(v))
	first, second := v.Warps.At(0), v.Warps.At(1)
	require.Equal(t, Tile{Warp: 0, Doing: DoesWait, PC: first.PC, Live: emu.FullMask, Waiting: emu.FullMask}, first)
	require.Equal(t, Tile{Warp: 1, Doing: DoesRun, PC: second.PC, Live: emu.FullMask, Mask: emu.FullMask}, second)
	require.Equal(t, "bar.sync", first.PC.Opcode)
	require.Equal(t, "mov.u32", second.PC.Opcode)
	require.Equal(t, Tile{CTA: 1, Warp: 1, Doing: DoesCome}, v.Warps.At(3))
	finish(s)
	require.Equal(t, "4 ended", counted(s.View()))
}

// Half of the lanes run one loop, half another, for 30,000 instructions each: longer than a turn. So the second warp
// runs while the lanes of the first are apart.
func TestDivergedWarpWaitsForItsTurn(t *testing.T) {
	s := open(t, txtar.Text(t, "warps/apart"))
	for range 8000 {
		s.RunFor(1)
		if v := s.View(); v.Warps.At(0).Doing == DoesDiverged {
			require.Contains(t, []emu.Mask{0xffff, 0xffff0000}, v.Warps.At(0).Mask)
			require.Equal(t, emu.FullMask, v.Warps.At(0).Live)
			require.Equal(t, DoesRun, v.Warps.At(1).Doing)
			return
		}
	}
	t.Fatal("the first warp's turn has not ended in its long loop")
}

func TestFaultedWarp(t *testing.T) {
	s := open(t, faulty(t))
	finish(s)
	v := s.View()
	require.Equal(t, Faulted, v.Phase)
	require.Equal(t, DoesFault, v.Warps.At(1).Doing)
	require.Equal(t, "1 faulted, 1 ended", counted(v))
	why := v.Status
	require.Contains(t, why, "Stopped at ")
	for warp := range 2 { // why the run has stopped stays told, and the faulted warp keeps its last step
		s.Follow(0, warp)
		require.Equal(t, why, s.View().Status)
		require.Equal(t, warp == 1, s.View().Last != nil)
	}
}

// The barrier is completed by the second warp of CTA 1, which goes on to its end. So the first warp is the last to run.
func TestRunEndsAtTheLastWarp(t *testing.T) {
	s := open(t, pair(t))
	finish(s)
	v := s.View()
	require.Equal(t, [2]int{1, 0}, [2]int{v.CTA, v.Warp})
	require.True(t, v.State.Ended)
	require.NotEmpty(t, v.State.Regs)
	s.Reset()
	s.Step()
	s.Follow(0, 1)
	finish(s)
	v = s.View()
	require.Equal(t, [2]int{0, 1}, [2]int{v.CTA, v.Warp}, "what the user follows stays")
}

// A warp whose CTA has ended keeps its last registers: %i is the thread's number in its CTA.
func TestEndedWarpKeepsItsRegisters(t *testing.T) {
	s := open(t, pair(t))
	finish(s)
	s.Follow(0, 1)
	v := s.View()
	require.Equal(t, Finished, v.Phase)
	require.True(t, v.State.Ended)
	require.Equal(t, emu.FullMask, v.State.Exited)
	require.Zero(t, v.State.Active)
	regs := s.module.Funcs[0].Regs
	i := findReg(v.State, regs[slices.IndexFunc(regs, func(r *ptx.Reg) bool { return r.Name == "%i" })], -1)
	for lane, value := range i.Lo {
		require.Equal(t, uint64(32+lane), value)
	}
	require.Equal(t, v.End, v.Tick, "the session stays where it is")
	s.StepBack()
	require.Less(t, s.View().Tick, v.Tick)
}

// 12,500 CTAs of 8 warps: the state of those that are not resident is worked out, not stored.
func TestManyWarps(t *testing.T) {
	s := open(t, "//@ grid 12500\n//@ block 256\n.version 6.4\n.target sm_70\n.address_size 64\n"+
		".visible .entry k()\n{\n\t.reg .u32 %r;\n\tmov.u32 %r, 1;\n\tret;\n}\n")
	v := s.View()
	require.Equal(t, 100_000, v.Warps.Total())
	require.Equal(t, "1 runs, 7 ready, 99,992 to come", strings.ReplaceAll(counted(v), "99992", "99,992"))
	require.Len(t, v.Warps.Resident, 8)
	s.RunFor(2 * 8 * 5000) // two instructions for each warp
	v = s.View()
	require.Equal(t, DoesEnded, v.Warps.At(39_000).Doing)
	require.Equal(t, DoesCome, v.Warps.At(99_999).Doing)
	finish(s)
	require.Equal(t, "100000 ended", counted(s.View()))
}

// A warp that has not started where the user travels to has nothing to show: the session follows the one that runs.
func TestSeekFollowsAWarpThatHasStarted(t *testing.T) {
	s := open(t, pair(t))
	finish(s)
	require.Equal(t, 1, s.View().CTA)
	s.SeekTo(3)
	v := s.View()
	require.Equal(t, [2]int{0, 0}, [2]int{v.CTA, v.Warp})
	require.NotEmpty(t, v.State.Regs)
}
