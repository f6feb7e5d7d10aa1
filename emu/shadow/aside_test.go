package shadow

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/causal"
	"warpscope/emu/mem"
	"warpscope/gpu"
)

// ownMachine has the shared memory of two CTAs, parts of which are in one page.
type ownMachine struct {
	fakeMachine
	own bool
}

const ownSize = 3 << 9

func ownFrom(cta int) uint32 { return mem.PageSize/2 + uint32(cta)*ownSize }

func (m *ownMachine) Around(uint32, uint32) Range {
	return Range{From: ownFrom(m.now.CTA()), Size: ownSize, Looks: true, Own: m.own}
}

func (m *ownMachine) access(o Operation, seg *mem.Segment, offs *[32]uint32, lanes uint32) {
	c := Checker{Operation: o}
	m.now, c.Met = o.Now.Thread, m.of[o.Now.Thread.CTA()].Met
	c.Now.Time = m.s.Clock.Time
	c.Begin(m, m.s)
	switch {
	case !o.Writes:
		c.Read(seg, offs, lanes)
	case lanes != ^uint32(0) || !InOrder(offs) || !c.Row(seg.Base+offs[0]):
		c.Lanes(seg.Base, offs, lanes, 0)
	}
}

// What is found is the same whether reads are put aside or not. Where no barrier forgets any, the shadows are, too.
func TestReadsPutAsideAreReads(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	aside, told := 0, 0
	for round := range 90 {
		var ms [2]*ownMachine
		full := r.IntN(4) > 0
		for i := range ms {
			ms[i] = &ownMachine{fakeMachine{s: New(gpu.Racecheck | gpu.Initcheck)}, i == 0}
			if full {
				ms[i].s.Fill(ownFrom(0), 2*ownSize)
			}
		}
		barriers := round%3 > 0
		for n := range 300 {
			if n == 20 && !barriers {
				for _, m := range ms {
					m.s.Clock.OrderAll()
				}
			}
			ownStep(r, ms, barriers, barriers || n < 20)
			for _, a := range ms[0].s.asides.list {
				aside += len(a.reads)
			}
		}
		require.Equal(t, ms[1].told, ms[0].told)
		if !barriers {
			for _, a := range ms[0].s.asides.list {
				ms[0].s.apply(a)
			}
			for i, p := range ms[1].s.pages {
				require.Equal(t, p.last, ms[0].s.pages[i].last)
				require.Equal(t, p.Written, ms[0].s.pages[i].Written)
			}
		}
		told += len(ms[0].told)
	}
	require.Greater(t, aside, 10000)
	require.Greater(t, told, 1000)
}

// ownStep is an access, or now and then something else.
func ownStep(r *rand.Rand, ms [2]*ownMachine, barriers, writes bool) {
	cta := r.IntN(2)
	switch n := r.IntN(400); {
	case barriers && n < 40:
		for _, m := range ms {
			m.of[cta].Met = m.s.Clock.Tick()
		}
		return
	case n < 42:
		for _, m := range ms {
			m.s = m.s.Clone()
		}
		return
	case n < 44 && writes:
		for _, m := range ms {
			m.s.Wrote(ownFrom(cta)+64*uint32(n), 128)
		}
		return
	}
	o := Operation{Size: 4 << r.IntN(2), Reads: true, Now: Access{Thread: causal.ThreadOf(cta, r.IntN(4), 0),
		How: HowOf(int32(r.IntN(9)), causal.Weak, false)}}
	if writes && r.IntN(12) == 0 {
		o.Writes, o.Reads = true, r.IntN(2) == 0
	}
	if r.IntN(50) == 0 {
		o.Size = 1
	}
	offs, lanes := randomOffsets(r)
	for lane := range offs {
		offs[lane] = (offs[lane] - fakeFrom) % (ownSize - 8) &^ (o.Size - 1)
	}
	if r.IntN(3) == 0 {
		first := 64 * r.Uint32N(22)
		for lane := range offs {
			offs[lane], o.Size, lanes = first+4*uint32(lane), 4, ^uint32(0)
		}
	}
	seg := mem.Segment{Base: ownFrom(cta), Size: ownSize}
	for _, m := range ms {
		m.access(o, &seg, &offs, lanes)
	}
}

// A row that is put aside is no unit of a page of rows where it begins between two, and new memory has nothing aside.
func TestRowsPutAside(t *testing.T) {
	var ms [2]*ownMachine
	seg := mem.Segment{Base: ownFrom(1), Size: ownSize}
	var row, word, across [32]uint32
	for lane := range row {
		row[lane], across[lane] = mem.PageSize-seg.Base+4*uint32(lane), mem.PageSize-seg.Base+64+4*uint32(lane)
	}
	for i := range ms {
		m := &ownMachine{fakeMachine{s: New(gpu.Racecheck | gpu.Initcheck)}, i == 0}
		m.s.Fill(seg.Base, ownSize)
		now := Access{Thread: causal.ThreadOf(1, 0, 0), How: HowOf(1, causal.Weak, false)}
		m.access(Operation{Size: 4, Writes: true, Now: now}, &seg, &row, ^uint32(0))
		m.s.Clock.OrderAll()
		for _, offs := range []*[32]uint32{&word, &across} {
			m.access(Operation{Size: 4, Reads: true, Now: now}, &seg, offs, ^uint32(0))
		}
		ms[i] = m
	}
	require.Len(t, ms[0].s.asides.list[0].reads, 2)
	for _, m := range ms {
		m.s.Wrote(seg.Base, 4)
		require.Empty(t, m.s.asides.list)
	}
	require.Equal(t, ms[1].s.pages, ms[0].s.pages)
}
