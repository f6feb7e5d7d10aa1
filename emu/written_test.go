package emu

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// writtenBy steps until the next instruction is on a line, and gives the lanes that have written each register of the
// running function, among the lanes that are there.
func writtenBy(t *testing.T, g *Grid, line int) map[string]Mask {
	t.Helper()
	for !g.Done() {
		v := g.Warp(0, 0)
		if v.PC != nil && g.Prog.Mod.Position(int(v.PC.OpSpan.Start)).Line == line {
			list := map[string]Mask{}
			for _, r := range v.Regs {
				list[r.Reg.Name] = r.Written
			}
			return list
		}
		_, err := g.Step()
		require.NoError(t, err)
	}
	require.Fail(t, "never there", "line %d", line)
	return nil
}

func grid(t *testing.T, src string, model Divergence, threads int) *Grid {
	t.Helper()
	m, err := ptx.Parse("test.ptx", []byte(".version 8.0\n.target sm_90\n.address_size 64\n"+src))
	require.NoError(t, err)
	d, err := Load(m, Options{Divergence: model})
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: threads}})
	require.NoError(t, err)
	return g
}

// A call has fresh registers, its parameters apart, which the lanes that call have written; what it returns is written
// by those that come back. Both activations of f are asked at line 8.
func TestWrittenByCalls(t *testing.T) {
	src := txtar.Text(t, "written/calls")
	for _, model := range []Divergence{Stack, Independent} {
		g := grid(t, src, model, 32)
		require.Equal(t, map[string]Mask{"%p": 0, "%v": 0, "%w": 0, "%r": 0, "%n": 0xffff}, writtenBy(t, g, 7))
		require.Equal(t, map[string]Mask{"%p": 0xffff, "%v": 0xffff, "%w": 0xff00, "%r": 0xffff, "%n": 0xffff},
			writtenBy(t, g, 11))
		require.Equal(t, map[string]Mask{"%q": FullMask, "%l": FullMask, "%a": 0xffff, "%b": 0}, writtenBy(t, g, 19))
		require.Equal(t, map[string]Mask{"%p": 0, "%v": 0, "%w": 0, "%r": 0, "%n": 0xffff0000}, writtenBy(t, g, 7),
			"a new activation")
		require.Equal(t, map[string]Mask{"%q": FullMask, "%l": FullMask, "%a": 0xffff, "%b": 0xffff0000}, writtenBy(t, g, 21))
	}
}

// A register that is written at the end of a wait is not written before: the result of a reduction at a barrier.
func TestWrittenAfterAWait(t *testing.T) {
	g := grid(t, txtar.Text(t, "written/wait"), Independent, 64)
	for range 3 {
		_, err := g.Step()
		require.NoError(t, err)
	}
	n := func(warp int) Mask {
		regs := g.Warp(0, warp).Regs
		for i := range regs {
			if regs[i].Reg.Name == "%n" {
				return regs[i].Written
			}
		}
		return 0
	}
	require.Equal(t, "barrier at ffffffff", fmt.Sprintf("barrier at %08x", uint32(g.Warp(0, 0).AtBarrier)))
	require.Zero(t, n(0), "warp 1 has not come")
	for range 3 {
		_, err := g.Step()
		require.NoError(t, err)
	}
	require.Equal(t, FullMask, n(0))
	require.Equal(t, FullMask, n(1))
}

// Lanes that exchange values from different places, or together with others that came first, have each written their
// own.
func TestWrittenByShuffles(t *testing.T) {
	g := grid(t, txtar.Text(t, "written/shuffles"), Independent, 32)
	require.Equal(t, map[string]Mask{"%p": FullMask, "%l": FullMask, "%a": 0xffff0000, "%b": 0xffff}, writtenBy(t, g, 15))
}
