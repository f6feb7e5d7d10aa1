package simt

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/gpu"
)

const all = ^gpu.Mask(0)

// at is where the running lanes are, and how far they can go before they meet others.
func at(t *testing.T, l *Lanes[int], pc, stop int32, lanes gpu.Mask) {
	t.Helper()
	require.Equal(t, []any{pc, stop, lanes}, []any{l.Cur.PC, l.Cur.RPC, l.Cur.Mask})
}

// The lanes that are first in the text run, and meet others where these are: at 5, long before the post-dominator 9.
func TestLanesMeetAtTheFrontier(t *testing.T) {
	l, p := started(&machine{}), NewFrontier[int]()
	p.Split(l, Fork{Reconv: 9}, []Side{{1, 0xffff0000}, {5, 0xffff}})
	at(t, l, 1, 5, 0xffff0000)
	l.Cur.PC = 3
	p.Split(l, Fork{Reconv: 9}, []Side{{4, 0xff000000}, {5, 0x00ff0000}})
	at(t, l, 4, 5, 0xff000000)
	require.Equal(t, []gpu.Mask{0xff000000, 0x00ffffff}, masks(p.Entries(l)))
	p.Split(l, Fork{}, []Side{{9, 0xff000000}}) // all of them jump over those at 5
	at(t, l, 5, 9, 0x00ffffff)
	l.Cur.PC = 9
	p.Reconverge(l)
	at(t, l, 9, NoPC, all)
	require.Equal(t, gpu.KindBase, l.Cur.Kind)
	require.Len(t, p.Entries(l), 1)
	p.Exit(l, all)
	require.True(t, l.Ended)
}

func masks(list []Group[int]) (masks []gpu.Mask) {
	for _, g := range list {
		masks = append(masks, g.Mask)
	}
	return masks
}

// A callee runs before its caller. Lanes that leave it early wait after the call, and meet those that did not call.
func TestCalleesComeFirst(t *testing.T) {
	m := &machine{}
	l, p := started(m), NewFrontier[int]()
	l.Cur.PC = 3
	p.Call(l, 0xff, 1, 100, NoSpin)
	at(t, l, 100, NoPC, 0xff)
	require.Equal(t, gpu.KindCall, l.Cur.Kind)
	p.Leave(l, 0x0f)
	at(t, l, 101, NoPC, 0xf0)
	require.Empty(t, m.given)
	p.Leave(l, 0xf0)
	require.Equal(t, []int{1}, m.given)
	at(t, l, 4, NoPC, all)
	require.Equal(t, gpu.KindBase, l.Cur.Kind)
}

// Lanes at a barrier wait for themselves: the others run, and come to it, too.
func TestLanesAtABarrierLetOthersRun(t *testing.T) {
	l, p := started(&machine{}), NewFrontier[int]()
	p.Split(l, Fork{Reconv: 2}, []Side{{2, 0xff}, {7, ^gpu.Mask(0xff)}})
	p.Block(l, 0xff, true)
	at(t, l, 7, NoPC, ^gpu.Mask(0xff))
	p.Split(l, Fork{}, []Side{{2, l.Cur.Mask}})
	p.Block(l, l.Cur.Mask, true)
	require.True(t, l.Blocked)
	p.Wake(l, all)
	require.False(t, l.Blocked)
	at(t, l, 3, NoPC, all)
}

// Lanes at a warp operation wait while lanes of its mask can come, and no longer.
func TestLanesWaitForTheMembersOfAnOperation(t *testing.T) {
	l, p := started(&machine{}), NewFrontier[int]()
	p.Split(l, Fork{Reconv: 2}, []Side{{2, 0xff}, {7, 0xf00}, {8, ^gpu.Mask(0xfff)}})
	_, _, ok := p.Meet(l, 0xfff, 0xff)
	require.False(t, ok)
	at(t, l, 7, 8, 0xf00)
	require.Equal(t, gpu.Mask(0xf00), p.Entries(l)[0].Mask)
	p.Split(l, Fork{}, []Side{{2, 0xf00}})
	at(t, l, 2, 8, 0xfff)
	now, away, ok := p.Meet(l, 0xfff, 0xfff)
	require.Equal(t, []any{gpu.Mask(0xfff), 0, true}, []any{now, len(away), ok})
	now, _, ok = p.Meet(l, 0xf000, 0xfff)
	require.Equal(t, []any{gpu.Mask(0), false}, []any{now, ok}, "lanes at 8 can come")
	at(t, l, 8, NoPC, ^gpu.Mask(0xfff))
	p.Block(l, l.Cur.Mask, true)
	at(t, l, 2, NoPC, 0xfff)
}

// Sides that begin at the fork itself execute it one after the other, and are together after it.
func TestSidesExecuteTheForkOneAfterTheOther(t *testing.T) {
	l, p := started(&machine{}), NewFrontier[int]()
	l.Cur.PC = 4
	p.Split(l, Fork{Reconv: NoPC}, []Side{{4, 0xff}, {4, ^gpu.Mask(0xff)}})
	at(t, l, 4, 5, 0xff)
	l.Cur.PC = 5
	p.Reconverge(l)
	at(t, l, 4, 5, ^gpu.Mask(0xff))
	l.Cur.PC = 5
	p.Reconverge(l)
	at(t, l, 5, NoPC, all)
}

// A clone goes its own way.
func TestFrontierClones(t *testing.T) {
	l, p := started(&machine{}), NewFrontier[int]()
	p.Split(l, Fork{Reconv: 9}, []Side{{1, 0xffff0000}, {5, 0xffff}})
	c, other := p.Clone(), *l
	l.Cur.PC = 5
	p.Reconverge(l)
	at(t, l, 5, NoPC, all)
	c.Split(&other, Fork{}, []Side{{9, 0xffff0000}})
	at(t, &other, 5, 9, 0xffff)
}
