package emu

import (
	"fmt"
	"math"

	"warpscope/emu/num"
	"warpscope/ptx/isa"
)

// Scale factors of tcgen05.mma (9.7.16.10.7). Line n of A or B has them in lane n%32 of every warp, column n/32, from a
// byte on that the instruction descriptor names. With K 96 there are three or six, which go on in a second word: where
// the word of the same lines and the next columns of A or B lies, behind those of all lines.

// scaleFactors is how many of them a row has (9.7.16.10.7.1).
func (l *lowerer) scaleFactors() int {
	switch {
	case l.has(".scale_vec::4X", ".block16"):
		return 4
	case l.has(".kind::mxf8f6f4"):
		return 1
	}
	return 2
}

// deepen makes K 96 of K 64 where the instruction descriptor says so (Table 44). What it says of other kinds is for
// decode to look at.
func (j *tensorJob) deepen() string {
	if j.bits != 4 || j.field(31, 1) == 0 {
		return ""
	}
	switch {
	case !j.sm103a:
		return "K 96 is for .target sm_103a only"
	case j.sparse:
		return "K 96 is for a dense A"
	case j.blocks != "" && j.blocks != ".block16" && j.blocks != ".block32":
		return "K 96 has .block16 or .block32 scale factors, not " + j.blocks
	case j.pair && j.m != 256:
		return fmt.Sprintf("K 96 is for M 256, not %d, in a pair of CTAs", j.m)
	}
	j.k, j.stored, j.factors = 96, 96, j.factors*3/2
	return ""
}

// factorAlign is what the first byte of scale factors is a multiple of.
func (j *tensorJob) factorAlign() int {
	switch j.factors {
	case 3:
		return 1
	case 6:
		return 2
	}
	return j.factors
}

// secondWord is how many columns behind the first word of a line's scale factors the second one lies: the lines are
// taken for 128 or 256.
func secondWord(lines int) int { return (lines + 127) / 128 * 4 }

// scaleColumns is how many columns of tensor memory scale factors take.
func (j *tensorJob) scaleColumns(lines, first int) int {
	n := (lines + 31) / 32
	if first+j.factors > 4 {
		n += secondWord(lines)
	}
	return n
}

// scale multiplies a line of A or B, which has so many lines, by its scale factors. A row of D takes those of its own
// warp.
func (j *tensorJob) scale(c *cta, line []uint64, lane, col, first, lines int) {
	t := isa.UE8M0
	if j.field(23, 1) == 0 {
		t = isa.UE4M3
	}
	value := num.Decoder(t)
	for i := range line {
		at := first + i*j.factors/len(line)
		word := *c.word(lane, col+at/4*secondWord(lines))
		line[i] = math.Float64bits(math.Float64frombits(line[i]) * value(uint64(word>>(at%4*8))))
	}
}
