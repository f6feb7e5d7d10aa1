package matrix

import (
	"errors"
	"fmt"
	"math"

	"warpscope/emu/num"
	"warpscope/ptx/isa"
)

// Scale factors of tcgen05.mma (9.7.18.10.7). Line n of A or B has them in lane n%32 of every warp, column n/32, from a
// byte on that the instruction descriptor names. With K 96 and 128 there may be three,
// six or eight, which go on in a second word: where
// the word of the same lines and the next columns of A or B lies, after those of all lines. In layout B, where a warp
// has half of the columns of D, it has the factors of that half of B alone, and counts its lines from 0 on.

// factors is how many of them a row has (9.7.18.10.7.1).
func (m *MMA) factors() int {
	switch {
	case m.Blocks == ".scale_vec::4X" || m.Blocks == ".block16":
		return 4
	case m.Kind == ".kind::mxf8f6f4":
		return 1
	}
	return 2
}

// checkFactors looks at where scale factors begin, and at their type.
func (p *Plan) checkFactors() error {
	align := p.factors // what the first byte is a multiple of
	switch p.factors {
	case 3:
		align = 1
	case 6:
		align = 2
	case 8:
		align = 4
	}
	t := p.factorType()
	switch {
	case !p.mma.Scaled():
	case t == isa.NoType:
		return fmt.Errorf("the type %d of scale factors is not of this kind", p.field(23, 2))
	case t == isa.UE5M3 && !p.mma.sm107():
		return errors.New("scale factors of type .ue5m3 are for .target sm_107f and sm_107a only")
	case (p.A.factor|p.B.factor)%align != 0:
		return fmt.Errorf("%d scale factors begin at bytes that are multiples of %d", p.factors, align)
	case t == isa.UE4M3 && p.factors < 4 && !p.mma.sm107():
		return errors.New("scale factors of blocks of 32 have the type .ue8m0 but on .target sm_107f and sm_107a")
	}
	return nil
}

// factorType is the type that the instruction descriptor names (Tables 52 and 53): .kind::mxf4nvf4 alone has a choice.
func (p *Plan) factorType() isa.Type {
	switch n := p.field(23, 2); {
	case n == 1:
		return isa.UE8M0
	case p.mma.Kind != ".kind::mxf4nvf4" || n == 3:
		return isa.NoType
	case n == 2:
		return isa.UE5M3
	}
	return isa.UE4M3
}

// secondWord is how many columns after the first word of a line's scale factors the second one lies: the lines are
// taken for 128 or 256.
func secondWord(lines int) int { return (lines + 127) / 128 * 4 }

// FactorColumnsA is how many columns of tensor memory the scale factors of a CTA's rows of A take.
func (p *Plan) FactorColumnsA() int { return p.factorColumns(&p.A, p.Rows()) }

// FactorColumnsB is how many columns of tensor memory the scale factors of B take.
func (p *Plan) FactorColumnsB() int { return p.factorColumns(&p.B, p.N/p.Parts()) }

func (p *Plan) factorColumns(o *TensorOperand, lines int) int {
	n := (lines + 31) / 32
	if o.factor+p.factors > 4 {
		n += secondWord(lines)
	}
	return n
}

// Words reads tensor memory: a lane, and a column counted from where the operand begins.
type Words func(lane, column int) uint32

// ScaleA multiplies A, the rows of a CTA once for each part, by its scale factors.
func (p *Plan) ScaleA(a []uint64, factors Words) {
	for line := range len(a) / p.Stored {
		p.scale(a[line*p.Stored:][:p.Stored], p.A.factor, p.Rows(), line, line%p.Rows()/32, factors)
	}
}

// ScaleB multiplies B by its scale factors, those that the warp of a row of D has.
func (p *Plan) ScaleB(b []uint64, row int, factors Words) {
	width := p.N / p.Parts()
	for n := range p.N {
		part, line := n/width, n%width
		p.scale(b[n*p.K:][:p.K], p.B.factor, width, p.lane(row, part)+line%32, line/32, factors)
	}
}

// scale multiplies a line, one of so many, by its scale factors, which begin at a byte of a word.
func (p *Plan) scale(line []uint64, first, lines, lane, col int, factors Words) {
	value := num.Decoder(p.factorType())
	for i := range line {
		at := first + i*p.factors/len(line)
		word := factors(lane, col+at/4*secondWord(lines))
		line[i] = math.Float64bits(math.Float64frombits(line[i]) * value(uint64(word>>(at%4*8))))
	}
}
