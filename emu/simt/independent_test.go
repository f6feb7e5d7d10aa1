package simt

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/gpu"
)

// machine is a host without instructions: its frames are numbers.
type machine struct{ given []int }

func (m *machine) GiveFrame(fr int)                    { m.given = append(m.given, fr) }
func (m *machine) RecordStack(bool, Group[int])        {}
func (m *machine) SameOperation(a, b *Group[int]) bool { return a.PC == b.PC }

// started is a warp of 32 lanes at pc 0 of frame 0.
func started(m *machine) *Lanes[int] {
	return &Lanes[int]{Cur: Group[int]{RPC: NoPC, Mask: ^gpu.Mask(0), Cause: NoPC}, Live: ^gpu.Mask(0), Host: m}
}

// Lanes that leave a recursion early wait at each depth for those that go on: the entries that people see list lanes
// that wait further inside before lanes that wait further outside.
func TestDepthsOfConvergenceBarriers(t *testing.T) {
	m := &machine{}
	l, p := started(m), NewIndependent[int]().(*independent[int])
	inside := func() {
		depths := p.depths()
		for at := range p.meets {
			n := int32(0)
			for out := int32(at); out != none && p.meets[out].Mask != 0; out = p.meets[out].in {
				n++
			}
			require.Equal(t, n, depths[at+1])
		}
	}
	const deep = 10
	for fr := 1; fr <= deep; fr++ { // each call of 10 instructions is at its start; the first 3 lanes do not call deeper
		p.Call(l, l.Cur.Mask&^(7<<(3*(fr-1))), fr, int32(10*fr), NoSpin)
		inside()
		require.Len(t, p.Entries(l), fr+1, "the running lanes, and the places after the calls")
	}
	require.Equal(t, gpu.Mask(3<<30), l.Cur.Mask)
	for fr := deep; fr > 0; fr-- {
		p.Leave(l, l.Cur.Mask)
		inside()
		require.Equal(t, int32(10*(fr-1)+1), l.Cur.PC, "after the call")
		require.Equal(t, 3*(deep-fr+1)+2, l.Cur.Mask.Count(), "with the lanes that have waited there")
	}
	require.Equal(t, []int{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, m.given)
}

// Both policies run the sides of a branch one after the other, the first one first, and all lanes together from the
// reconvergence point on.
func TestSidesMeetAgain(t *testing.T) {
	for name, p := range map[string]Policy[int]{"stack": NewStack[int](), "independent": NewIndependent[int]()} {
		l := started(&machine{})
		p.Split(l, Fork{Reconv: 9}, []Side{{1, 0xffff0000}, {5, 0xffff}})
		require.Equal(t, Group[int]{PC: 1, RPC: 9, Mask: 0xffff0000, Kind: gpu.KindBranch}, l.Cur, name)
		l.Cur.PC = 9
		p.Reconverge(l)
		require.Equal(t, Group[int]{PC: 5, RPC: 9, Mask: 0xffff, Kind: gpu.KindBranch}, l.Cur, name)
		l.Cur.PC = 9
		p.Reconverge(l)
		require.Equal(t, ^gpu.Mask(0), l.Cur.Mask, name)
		p.Exit(l, l.Cur.Mask)
		require.True(t, l.Ended, name)
	}
}

// The lowest free slot is taken, whichever way slots have become free: an empty place after lanes went on, or a call
// that they left.
func TestLowestFreeSlot(t *testing.T) {
	p := NewIndependent[int]().(*independent[int])
	lowest := func() int32 {
		for at := range p.meets {
			if p.meets[at].Mask == 0 {
				return int32(at)
			}
		}
		return int32(len(p.meets))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		if at := r.IntN(len(p.meets) + 1); at == len(p.meets) || p.meets[at].Mask == 0 || r.IntN(3) > 0 {
			want := lowest()
			require.Equal(t, want, p.open(convergence[int]{Group: Group[int]{Mask: 3}}))
		} else if r.IntN(2) == 0 {
			p.meets[at].arrived = 3
			p.letGo(int32(at))
		} else {
			p.shrink(int32(at), 3)
		}
	}
	require.Greater(t, len(p.meets), 10)
}
