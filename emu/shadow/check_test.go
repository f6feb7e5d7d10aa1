package shadow

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/causal"
	"warpscope/emu/mem"
	"warpscope/gpu"
)

// fakeMachine has one range of memory, and notes what it is told.
type fakeMachine struct {
	s     *Shadow
	now   causal.Thread
	order [2][4]causal.WarpOrder
	of    [2]causal.CTAOrder
	told  []any
}

const fakeFrom, fakeSize = mem.PageSize / 2, 2 * mem.PageSize // parts of three pages

func (m *fakeMachine) Around(off, size uint32) Range {
	if off-fakeFrom < fakeSize {
		return Range{From: fakeFrom, Size: fakeSize, Looks: true}
	}
	return Range{Off: true}
}

func (m *fakeMachine) Order() causal.Warp {
	cta, warp := m.now.CTA(), m.now.Warp()
	return causal.Warp{Place: m.Place(cta), Clock: &m.s.Clock, Own: &m.order[cta][warp], Of: &m.of[cta]}
}

func (m *fakeMachine) Place(cta int) causal.Place {
	return causal.Place{Thread: causal.ThreadOf(cta, m.now.Warp(), 0), Cluster: cta}
}

func (m *fakeMachine) Apart(a, b How) bool               { return a.PC() != b.PC() }
func (m *fakeMachine) Unwritten(off uint32, o Operation) { m.told = append(m.told, off, o.Now) }
func (m *fakeMachine) Race(p Pair)                       { m.told = append(m.told, p) }
func (m *fakeMachine) check(o Operation, do func(*Checker)) {
	c := Checker{Operation: o}
	m.now, c.Met = o.Now.Thread, m.of[o.Now.Thread.CTA()].Met
	c.Now.Time = m.s.Clock.Time
	c.Begin(m, m.s)
	do(&c)
}

// Words does what Lane does for one lane after the other: the shadows and what the machine hears stay the same.
func TestWordsAreLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	quick, told := 0, 0
	for range 40 {
		var ms [2]*fakeMachine
		for i := range ms {
			ms[i] = &fakeMachine{s: New(gpu.Racecheck | gpu.Initcheck)}
		}
		written := r.IntN(4) > 0
		for i := range ms {
			if written {
				ms[i].s.Fill(fakeFrom, fakeSize)
			}
		}
		for n := range 200 {
			if cta := r.IntN(2); r.IntN(6) == 0 { // a barrier
				for _, m := range ms {
					m.of[cta].Met = m.s.Clock.Tick()
				}
				continue
			}
			o := Operation{Size: 4, Reads: true, Now: Access{Thread: causal.ThreadOf(r.IntN(2), r.IntN(4), 0),
				How: HowOf(int32(r.IntN(9)), causal.Weak, r.IntN(30) == 0)}}
			if r.IntN(8) == 0 {
				o.Reads, o.Writes = false, true
			}
			offs, lanes := randomOffsets(r)
			for i, m := range ms {
				m.check(o, func(c *Checker) {
					if i == 0 && c.Words(0, &offs, lanes) {
						quick++
						return
					}
					c.Lanes(0, &offs, lanes, 0)
				})
			}
			if n%8 == 0 {
				require.Equal(t, ms[1].s, ms[0].s)
			}
		}
		require.Equal(t, ms[1].told, ms[0].told)
		told += len(ms[0].told)
	}
	require.Greater(t, quick, 3000, "of 8,000 accesses")
	require.Greater(t, told, 100)
}

// randomOffsets are those of a tile's row or column, of one word for all, or of any words.
func randomOffsets(r *rand.Rand) (offs [32]uint32, lanes uint32) {
	at := fakeFrom + 4*uint32(r.IntN(40))
	if r.IntN(6) == 0 {
		at = mem.PageSize - 4*uint32(r.IntN(40)) // across pages
	}
	shape := r.IntN(5)
	for lane := range uint32(32) {
		offs[lane] = at + 4*[]uint32{lane, lane & 15, lane >> 4, 0, uint32(r.IntN(12))}[shape]
	}
	if r.IntN(300) == 0 {
		offs[r.IntN(32)]++
	}
	if lanes = ^uint32(0); r.IntN(3) == 0 {
		lanes = r.Uint32() | 1
	}
	return offs, lanes
}

// In a page that has a unit for each word, Row does for writes what Lane does for one lane after the other.
func TestRowsOfWordsAreLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	var ms [2]*fakeMachine
	for i := range ms {
		ms[i] = &fakeMachine{s: New(gpu.Racecheck | gpu.Initcheck)}
		for page := range uint32(3) {
			ms[i].s.Page(page * mem.PageSize).Divide(WordUnit)
		}
	}
	quick := 0
	for range 4000 {
		cta := r.IntN(2)
		if r.IntN(3) == 0 { // a barrier
			for _, m := range ms {
				m.of[cta].Met = m.s.Clock.Tick()
			}
			continue
		}
		o := Operation{Size: 4, Reads: true, Writes: r.IntN(2) == 0,
			Now: Access{Thread: causal.ThreadOf(cta, r.IntN(4), 0), How: HowOf(int32(r.IntN(9)), causal.Weak, false)}}
		whose := cta
		if r.IntN(40) == 0 { // the other CTA's row
			whose = 1 - cta
		}
		first := fakeFrom + 1<<WarpUnit*uint32(whose+2*r.IntN(16))
		var offs [32]uint32
		for lane := range offs {
			if offs[lane] = first + 4*uint32(lane); !o.Writes {
				offs[lane] = first + 4*r.Uint32N(32)
			}
		}
		if o.Writes {
			o.Reads = r.IntN(2) == 0
		}
		for i, m := range ms {
			m.check(o, func(c *Checker) {
				if i == 0 && o.Writes && c.Row(offs[0]) {
					quick++
					return
				}
				c.Lanes(0, &offs, ^uint32(0), 0)
			})
		}
		require.Equal(t, ms[1].s, ms[0].s)
	}
	require.Equal(t, ms[1].told, ms[0].told)
	require.Greater(t, quick, 200)
	require.Greater(t, len(ms[0].told), 100)
}
