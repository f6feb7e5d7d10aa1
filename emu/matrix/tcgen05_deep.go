package matrix

import (
	"errors"
	"fmt"
)

// The K of a tcgen05.mma is 32 bytes of a line, and 48 or 64 where the instruction descriptor says so (Tables 48 and 51
// to 53). A sparse A has as much, of twice as many columns.

// depth is what the instruction descriptor says of K: 0 stands for 32 bytes of a line. A bit without a meaning for the
// kind or the target is for checkBits to look at.
func (p *Plan) depth() int {
	switch m := p.mma; {
	case p.Bits == 4:
		return p.field(3, 1)<<1 | p.field(31, 1)
	case p.Bits != 8 || m.bytes():
		return 0
	case m.Scaled():
		return p.field(31, 1)
	default:
		return p.field(29, 1)
	}
}

// deepen makes K as great as the instruction descriptor says.
func (p *Plan) deepen() error {
	switch depth := p.depth(); {
	case depth == 0:
		return nil
	case depth == 1 && p.Bits == 4:
		return p.deepen96()
	case !p.mma.sm107():
		return nil
	case depth == 3:
		return errors.New("3 stands for no K")
	}
	p.K, p.Stored = p.K*2, p.Stored*2
	if p.mma.Scaled() {
		p.factors *= 2
		p.A.tight, p.B.tight = p.A.width == 6, p.B.width == 6
	}
	return p.checkDeep()
}

// checkDeep looks at what rows of 64 bytes go with.
func (p *Plan) checkDeep() error {
	narrow := min(p.A.width, p.B.width)
	switch m := p.mma; {
	case p.Bits == 4 && m.Sparse:
		return errors.New("K 128 is for a dense A")
	case narrow == 4 && m.Scaled(), narrow == 6 && m.Scaled() && m.Sparse:
		return fmt.Errorf("elements of %d bits with K %d are not emulated yet", narrow, p.K)
	case p.A.tight && p.A.mnMajor, p.B.tight && p.B.mnMajor: // Table 62
		return fmt.Errorf("elements of 6 bits with K %d cannot be transposed", p.K)
	case narrow < 8 && !m.Scaled():
		return fmt.Errorf("K %d is for elements of type .e4m3 and .e5m2", p.K)
	case !p.sized():
		return fmt.Errorf("K %d with %s is not emulated yet", p.K, m.Blocks)
	case !m.Sparse && !m.Stationary && p.Rows() != 128:
		return fmt.Errorf("K %d is for M %d, not %d", p.K, 128*m.CTAs(), p.M)
	}
	return nil
}

// sized says whether scale factors are for blocks of 16 or 32 elements, and not so many for a row. `.scale_vec::1X` is
// `.block32` "for all supported values of K" (9.7.18.10.10.1).
func (p *Plan) sized() bool {
	switch p.mma.Blocks {
	case "", ".block16", ".block32", ".scale_vec::1X":
		return true
	}
	return false
}

// deepen96 makes K 96 of K 64.
func (p *Plan) deepen96() error {
	switch m := p.mma; {
	case !m.on(103, 107):
		return errors.New("K 96 is for .target sm_103a and sm_107a only")
	case m.Sparse && m.on(107):
		return errors.New("K 192, of a sparse A, is not emulated yet")
	case m.Sparse:
		return errors.New("K 96 is for a dense A")
	case !p.sized():
		return fmt.Errorf("K 96 has .block16 or .block32 scale factors, not %s", m.Blocks)
	case m.Pair && p.M != 256:
		return fmt.Errorf("K 96 is for M 256, not %d, in a pair of CTAs", p.M)
	}
	p.K, p.Stored, p.factors = 96, 96, p.factors*3/2
	return nil
}
