package emu

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// launch starts kernel k of a device with no parameters, on the SIMT stack.
func launch(t *testing.T, body string, threads int) *Grid {
	t.Helper()
	return launchOn(t, Stack, body, threads)
}

func launchOn(t *testing.T, model Divergence, body string, threads int) *Grid {
	t.Helper()
	g, err := deviceWith(t, Options{Divergence: model}, "", body).Launch(Config{Entry: "k", Block: Dim3{X: threads}})
	require.NoError(t, err)
	return g
}

// stack shows the SIMT stack top first: kind, opcodes at pc and reconvergence point, mask.
func stack(v WarpView) string {
	name := func(in *ptx.Inst) string {
		if in == nil {
			return "end"
		}
		return in.Opcode
	}
	var lines []string
	for _, e := range v.Stack {
		lines = append(lines, fmt.Sprintf("%s %s %s %08x", e.Kind, name(e.PC), name(e.RPC), uint32(e.Mask)))
	}
	return strings.Join(lines, "; ")
}

// The side that falls through runs first; both pop where they meet.
func TestIfElse(t *testing.T) {
	g := launch(t, txtar.Text(t, "simt_stack/ifElse"), 32)
	want := []string{
		"base mov.u32 end ffffffff",
		"base setp.lt.u32 end ffffffff",
		"base bra end ffffffff",
		"branch add.u32 xor.b32 ffffff00; branch sub.u32 xor.b32 000000ff; base xor.b32 end ffffffff",
		"branch bra xor.b32 ffffff00; branch sub.u32 xor.b32 000000ff; base xor.b32 end ffffffff",
		"branch sub.u32 xor.b32 000000ff; base xor.b32 end ffffffff",
		"base xor.b32 end ffffffff",
		"base ret end ffffffff",
	}
	for i, w := range want {
		require.Equal(t, w, stack(g.Warp(0, 0)), "before step %d", i)
		_, err := g.Step()
		require.NoError(t, err)
	}
	require.True(t, g.Done())
}

// The record of the divergent branch names what was pushed; the record of the last step of a side, what was popped.
func TestPushAndPopAreRecorded(t *testing.T) {
	g := launch(t, txtar.Text(t, "simt_stack/ifElse"), 32)
	var pushed, popped []string
	for !g.Done() {
		s, err := g.Step()
		require.NoError(t, err)
		for _, c := range s.Stack {
			e := fmt.Sprintf("%s: %08x", s.Inst.Opcode, uint32(c.Entry.Mask))
			if c.Push {
				pushed = append(pushed, e)
			} else {
				popped = append(popped, e)
			}
		}
	}
	require.Equal(t, []string{"bra: 000000ff", "bra: ffffff00"}, pushed)
	require.Equal(t, []string{"bra: ffffff00", "sub.u32: 000000ff", "ret: 00000000"}, popped)
}

// A loop whose lanes leave one after the other keeps one waiting entry, however often it diverges.
func TestLoopKeepsTheStackFlat(t *testing.T) {
	g := launch(t, `.reg .pred %p; .reg .b32 %l, %i;
		mov.u32 %l, %laneid;
		mov.u32 %i, 0;
	LOOP: add.u32 %i, %i, 1;
		setp.le.u32 %p, %i, %l;
		@%p bra LOOP;
		ret;`, 32)
	deepest := 0
	for !g.Done() {
		deepest = max(deepest, len(g.Warp(0, 0).Stack))
		_, err := g.Step()
		require.NoError(t, err)
	}
	require.Equal(t, 2, deepest)
	// 2 moves, 32 rounds of 3, 1 ret; lane l takes part in rounds 1 to l+1.
	require.EqualValues(t, 2+32*3+1, g.Stats().WarpInstructions)
	require.EqualValues(t, 32*2+3*(32*33/2)+32, g.Stats().LaneInstructions)
	require.EqualValues(t, 31, g.Stats().DivergentBranches)
}

// Lanes that return early from a function wait for the others at the caller.
func TestDivergentReturn(t *testing.T) {
	src := ".version 6.4\n.target sm_70\n.address_size 64\n" +
		".func f(.reg .b32 %x) { .reg .pred %q; setp.lt.u32 %q, %x, 4; @%q ret; nanosleep.u32 1; ret; }\n" +
		".entry k() { .reg .b32 %l; mov.u32 %l, %laneid; call f, (%l); exit; }\n"
	m, err := ptx.Parse("test.ptx", []byte(src))
	require.NoError(t, err)
	d, err := Load(m, Options{Divergence: Stack})
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}})
	require.NoError(t, err)
	var before []string
	for !g.Done() {
		before = append(before, stack(g.Warp(0, 0)))
		_, err := g.Step()
		require.NoError(t, err)
	}
	require.Equal(t, []string{
		"base mov.u32 end ffffffff",
		"base call end ffffffff",
		"call setp.lt.u32 end ffffffff; base exit end ffffffff",
		"call ret end ffffffff; base exit end ffffffff",
		"call nanosleep.u32 end fffffff0; base exit end ffffffff",
		"call ret end fffffff0; base exit end ffffffff",
		"base exit end ffffffff",
	}, before)
}

// Stepping, running in slices of any size and running at once give the same states.
func TestSlicesDoNotMatter(t *testing.T) {
	const body = `.shared .b32 s[64]; .reg .pred %p; .reg .b32 %t, %a, %i;
		mov.u32 %t, %tid.x; mov.u32 %a, s; mad.lo.u32 %a, %t, 4, %a; mov.u32 %i, 0;
	LOOP: st.shared.b32 [%a], %i; bar.sync 0; add.u32 %i, %i, 1;
		setp.lt.u32 %p, %i, 5; @%p bra LOOP; ret;`
	whole := launch(t, body, 64)
	require.NoError(t, whole.Run(context.Background()))
	for _, n := range []int64{1, 2, 7, 100} {
		g := launch(t, body, 64)
		for !g.Done() {
			_, err := g.RunFor(n)
			require.NoError(t, err)
		}
		require.Equal(t, whole.Hash(), g.Hash(), "slices of %d", n)
	}
	g := launch(t, body, 64)
	for !g.Done() {
		_, err := g.Step()
		require.NoError(t, err)
	}
	require.Equal(t, whole.Hash(), g.Hash(), "steps")
}

// A snapshot brings back the state it was taken of, whatever has happened since.
func TestSnapshotRestores(t *testing.T) {
	g := launch(t, txtar.Text(t, "simt_stack/ifElse"), 32)
	_, err := g.RunFor(4)
	require.NoError(t, err)
	snap, hash := g.Snapshot(), g.Hash()
	require.NoError(t, g.Run(context.Background()))
	end := g.Hash()
	require.NotEqual(t, hash, end)
	g.Restore(snap)
	require.Equal(t, hash, g.Hash())
	require.Equal(t, int64(4), g.Tick())
	require.NoError(t, g.Run(context.Background()))
	require.Equal(t, end, g.Hash())
}

// Why entries leave the stack: replaced by the sides of a branch that has the same meeting point, reached, returned,
// exited.
func TestPopsSayWhy(t *testing.T) {
	why := func(g *Grid) (list []string) {
		for !g.Done() {
			s, err := g.Step()
			require.NoError(t, err)
			for _, c := range s.Stack {
				if !c.Push {
					list = append(list, fmt.Sprintf("%s %s %08x", s.Inst.Opcode, c.Why, uint32(c.Entry.Mask)))
				}
			}
		}
		return list
	}
	// Lane l goes round l%3 more times: lanes 0, 3, … leave at the first branch, lanes 1, 4, … at the second. What is left
	// after the first is b6db6db6, after the second 24924924.
	require.Equal(t, []string{"bra replaced b6db6db6", "bra reached 24924924", "ret exited 00000000"}, why(launch(t,
		`.reg .pred %p; .reg .b32 %l; mov.u32 %l, %laneid; rem.u32 %l, %l, 3;
	LOOP: sub.u32 %l, %l, 1; setp.ge.s32 %p, %l, 0; @%p bra LOOP; ret;`, 32)))
	// The function's entry, then the kernel's.
	for in, want := range map[string][]string{
		"ret;":            {"ret returned 00000000", "exit exited 00000000"},
		"exit;":           {"exit exited 00000000", "exit exited 00000000"},
		"@%q ret; exit;":  {"exit exited 00000000", "exit exited 00000000"},
		"@%q exit; ret;":  {"ret returned 00000000", "exit exited 00000000"},
		"@%q ret; ret;":   {"ret returned 00000000", "exit exited 00000000"},
		"@!%q exit; ret;": {"ret returned 00000000", "exit exited 00000000"},
	} {
		m, err := ptx.Parse("test.ptx", []byte(".version 6.4\n.target sm_60\n.address_size 64\n"+
			".func f(.reg .b32 %x) { .reg .pred %q; setp.lt.u32 %q, %x, 4; "+in+" }\n"+
			".entry k() { .reg .b32 %l; mov.u32 %l, %laneid; call f, (%l); exit; }\n"))
		require.NoError(t, err)
		d, err := Load(m, Options{Divergence: Stack})
		require.NoError(t, err)
		g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}})
		require.NoError(t, err)
		require.Equal(t, want, why(g), in)
	}
}
