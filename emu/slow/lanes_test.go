package slow

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
)

// exchange is an instruction in which lanes work together, with what it gives one of them: values are those of the
// operand in all lanes, members the lanes that take part. defined is false for what the manual leaves open.
type exchange struct {
	text    string
	members uint32
	result  func(lane int) (d uint64, p bool, defined bool)
}

// lanesOf are the lanes of a mask, in ascending order.
func lanesOf(mask uint32) (out []int) {
	for lane := range 32 {
		if mask>>lane&1 == 1 {
			out = append(out, lane)
		}
	}
	return out
}

// shuffle is the pseudo-code of 9.7.10.6.
func shuffle(mode string, lane int, b, c uint32) (j int, p bool) {
	bval, cval, mask := int(b&31), int(c&31), int(c>>8&31)
	maxLane, minLane := lane&mask|cval&^mask, lane&mask
	switch mode {
	case "up":
		j = lane - bval
		p = j >= maxLane
	case "down":
		j = lane + bval
		p = j <= maxLane
	case "bfly":
		j = lane ^ bval
		p = j <= maxLane
	case "idx":
		j = minLane | bval&^mask
		p = j <= maxLane
	}
	if !p {
		j = lane
	}
	return j, p
}

func makeShuffle(rnd *rand.Rand, l *launched, members uint32) exchange {
	mode := []string{"up", "down", "bfly", "idx"}[rnd.Intn(4)]
	// Segments of 2 to 32 lanes, with and without a clamp, and anything.
	seg := uint32(32-2<<rnd.Intn(5)) & 31
	c := []uint32{seg<<8 | 31, seg << 8, 31, 0, rnd.Uint32()}[rnd.Intn(5)]
	b, fixed := rnd.Uint32()&63, rnd.Intn(2) == 0
	operand := fmt.Sprint(b)
	if !fixed {
		operand = "%r1"
	}
	return exchange{fmt.Sprintf("shfl.sync.%s.b32 %%rx0|%%px0, %%r0, %s, %#x, %#x;", mode, operand, c, members), members,
		func(lane int) (uint64, bool, bool) {
			b := b
			if !fixed {
				b = uint32(l.in[lane][bits32][1])
			}
			j, p := shuffle(mode, lane, b, c)
			return l.in[j][bits32][0], p, members>>j&1 == 1
		}}
}

// makeVote is 9.7.15.10: of members only.
func makeVote(rnd *rand.Rand, l *launched, members uint32) exchange {
	mode, negated := []string{"all", "any", "uni", "ballot"}[rnd.Intn(4)], rnd.Intn(2)
	ballot := uint32(0)
	for _, lane := range lanesOf(members) {
		ballot |= (uint32(l.in[lane][predicate][0]) ^ uint32(negated)) << lane
	}
	source := []string{"%p0", "!%p0"}[negated]
	if mode == "ballot" {
		return exchange{fmt.Sprintf("vote.sync.ballot.b32 %%rx0, %s, %#x;", source, members), members,
			func(int) (uint64, bool, bool) { return uint64(ballot), false, true }}
	}
	n, of := bits.OnesCount32(ballot), bits.OnesCount32(members)
	p := map[string]bool{"all": n == of, "any": n > 0, "uni": n == 0 || n == of}[mode]
	return exchange{fmt.Sprintf("vote.sync.%s.pred %%px0, %s, %#x;", mode, source, members), members,
		func(int) (uint64, bool, bool) { return 0, p, true }}
}

// makeMatch is 9.7.15.11. Values are cut to a few that occur often.
func makeMatch(rnd *rand.Rand, l *launched, members uint32) exchange {
	keep := uint64([]uint32{0, 1, 3}[rnd.Intn(3)])
	class, typ, reg := bits32, "b32", "r"
	if rnd.Intn(2) == 0 {
		class, typ, reg, keep = bits64, "b64", "d", keep<<40
	}
	value := func(lane int) uint64 { return l.in[lane][class][0] & keep }
	equal := func(lane int) (same uint32) {
		for _, other := range lanesOf(members) {
			if value(other) == value(lane) {
				same |= 1 << other
			}
		}
		return same
	}
	prepare := fmt.Sprintf("and.%s %%%sx1, %%%s0, %d; ", typ, reg, reg, keep)
	if rnd.Intn(2) == 0 {
		return exchange{prepare + fmt.Sprintf("match.any.sync.%s %%rx0, %%%sx1, %#x;", typ, reg, members), members,
			func(lane int) (uint64, bool, bool) { return uint64(equal(lane)), false, true }}
	}
	return exchange{prepare + fmt.Sprintf("match.all.sync.%s %%rx0|%%px0, %%%sx1, %#x;", typ, reg, members), members,
		func(lane int) (uint64, bool, bool) {
			if equal(lane) == members {
				return uint64(members), true, true
			}
			return 0, false, true
		}}
}

// makeReduction is 9.7.15.13.
func makeReduction(rnd *rand.Rand, l *launched, members uint32) exchange {
	op := strings.Fields("add.u32 add.s32 min.u32 max.u32 min.s32 max.s32 and.b32 or.b32 xor.b32")[rnd.Intn(9)]
	signed := strings.HasSuffix(op, "s32")
	var d uint64
	for n, lane := range lanesOf(members) {
		v := l.in[lane][bits32][0]
		order := intOf(v, 32, signed).Cmp(intOf(d, 32, signed))
		switch {
		case n == 0:
			d = v
		case op[:3] == "add":
			d = (d + v) & ones(32)
		case op[:3] == "min" && order < 0, op[:3] == "max" && order > 0:
			d = v
		case op[:3] == "and":
			d &= v
		case op[:2] == "or":
			d |= v
		case op[:3] == "xor":
			d ^= v
		}
	}
	return exchange{fmt.Sprintf("redux.sync.%s %%rx0, %%r0, %#x;", op, members), members,
		func(int) (uint64, bool, bool) { return d, false, true }}
}

// Shuffles, votes, matches and reductions of a warp, of all lanes and of some, against the manual's pseudo-code.
func TestLanesTogether(t *testing.T) {
	m := newMaker(t, *seed, modelled(), targets[0])
	makers := []func(*rand.Rand, *launched, uint32) exchange{makeShuffle, makeVote, makeMatch, makeReduction}
	for range 12 {
		l := m.launch(0)
		var list []exchange
		var b strings.Builder
		b.WriteString(prologue(m.target))
		const members = "mov.u32 %%t, %%laneid; shr.u32 %%t, %#x, %%t; and.b32 %%t, %%t, 1; setp.ne.u32 %%stop, %%t, 0;\n"
		for n := range 120 {
			mask := ^uint32(0)
			switch n % 5 {
			case 0:
				mask = m.Rand.Uint32() | 1<<m.Intn(32)
			case 1, 2: // a few, which often agree
				mask = 1<<m.Intn(32) | 1<<m.Intn(32)
			}
			e := makers[n%4](m.Rand, l, mask)
			list = append(list, e)
			fmt.Fprintf(&b, "mov.b32 %%rx0, 0; mov.pred %%px0, 0;\n"+members, mask)
			at := strings.LastIndexByte(strings.TrimSuffix(e.text, ";"), ';') + 1
			fmt.Fprintf(&b, "%s @%%stop %s\n", e.text[:at], strings.TrimSpace(e.text[at:]))
			store(&b, register{bits32, inputs}, 2*n)
			store(&b, register{predicate, inputs}, 2*n+1)
		}
		out := execute(t, parse(t, b.String()+epilogue), l, 2*len(list), emu.Options{})
		for n, e := range list {
			for _, lane := range lanesOf(e.members) {
				d, p, defined := e.result(lane)
				if !defined {
					continue
				}
				word := func(slots int) uint64 { return binary.LittleEndian.Uint64(out[slots*slot+8*lane:]) }
				require.Equal(t, d, word(2*n), "%s in lane %d", e.text, lane)
				require.Equal(t, p, word(2*n+1) == 1, "%s in lane %d", e.text, lane)
			}
		}
	}
}
