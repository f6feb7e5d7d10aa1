package emu

import "warpscope/emu/matrix"

// A sparse A of tcgen05.mma.sp (9.7.16.10.8). Half of its columns are stored; metadata in tensor memory says which, four
// bits for each chunk of a row, as those of mma.sp.
//
// The manual shows in pictures where they lie. Here it is the layout of mma.sp, with lanes of tensor memory for lanes of
// a warp: elements of 16 and 32 bits have eight chunks in a row, and in each 16 rows, lane r has the first four of row r
// and, in its upper half, of row r+8, and lane r+8 the last four of both. The sparsity selector is the column. Smaller
// elements have sixteen chunks in a row, in two columns of its lane. Lanes are those of the rows of D.

// selector is which column has the metadata.
func (j *tensorJob) selector() int {
	if j.bits < 16 {
		return 0
	}
	return j.field(0, 2)
}

// metaAt is where the metadata of a chunk lies.
func (j *tensorJob) metaAt(row, part, chunk int) (lane, col, shift int) {
	col = int(j.meta&0xffff) + j.selector()
	if j.bits < 16 {
		return j.lane(row, part), col + chunk/8, chunk % 8 * 4
	}
	return j.lane(row&^8|chunk/4*8, part), col, row&8*2 + chunk%4*4
}

// meaningful are the values of metadata that are not undefined, one bit each; those of .tf32 are fewer.
const (
	meaningful     = 1<<0b0100 | 1<<0b1000 | 1<<0b1100 | 1<<0b1001 | 1<<0b1101 | 1<<0b0110 | 1<<0b1110
	meaningfulTF32 = 1<<0b0100 | 1<<0b1110
)

// readColumns finds the columns of the stored elements of a CTA's rows, in the order of readA. Metadata that mean nothing
// are a fault.
func (j *tensorJob) readColumns(issuer, c *cta) ([]uint8, bool) {
	columns := make([]uint8, j.parts()*j.rows()*j.stored)
	e := matrix.ElementOf(j.ta, j.bits == 8)
	good := meaningful
	if e.Stored() == 1 {
		good = meaningfulTF32
	}
	for i := range columns {
		line, at := i/j.stored, i%j.stored
		row, part := j.source(line)
		lane, col, shift := j.metaAt(row, part, at/e.Stored())
		bits := int(*c.word(lane, col) >> shift & 15)
		if good>>bits&1 == 0 {
			return nil, issuer.warps[j.warp].illegal(j.in, 1<<j.issuer, ": the metadata of `%s` has %04b for chunk %d of row %d, "+
				"in lane %d, column %d of tensor memory: these are no places", j.in.src.Opcode, bits, at/e.Stored(), row, lane, col)
		}
		columns[i] = uint8(e.Column(at, bits))
	}
	return columns, true
}
