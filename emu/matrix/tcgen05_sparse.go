package matrix

// A sparse A of tcgen05.mma.sp (9.7.18.10.9). Half of its columns are stored; metadata in tensor memory says which,
// four bits for each chunk of a row, as those of mma.sp.
//
// The manual shows in pictures where they lie. Here it is the layout of mma.sp, with lanes of tensor memory for lanes
// of a warp: elements of 16 and 32 bits have eight chunks in a row, and in each 16 rows, lane r has the first four of
// row r and, in its upper half, of row r+8, and lane r+8 the last four of both. The sparsity selector is the column.
// Smaller elements have eight chunks of a row in each column of its lane. Lanes are those of the rows of D.

// MetadataColumns are the columns that have metadata, counted from where the operand begins.
func (p *Plan) MetadataColumns() (first, n int) {
	if p.Bits < 16 {
		return 0, p.Stored / p.A.element.Stored() / 8
	}
	return p.field(0, 2), 1
}

// metaAt is where the metadata of a chunk lies.
func (p *Plan) metaAt(row, part, chunk int) (lane, col, shift int) {
	first, _ := p.MetadataColumns()
	if p.Bits < 16 {
		return p.lane(row, part), first + chunk/8, chunk % 8 * 4
	}
	return p.lane(row&^8|chunk/4*8, part), first, row&8*2 + chunk%4*4
}

// meaningful are the values of metadata that are not undefined, one bit each; those of .tf32 are fewer.
const (
	meaningful     = 1<<0b0100 | 1<<0b1000 | 1<<0b1100 | 1<<0b1001 | 1<<0b1101 | 1<<0b0110 | 1<<0b1110
	meaningfulTF32 = 1<<0b0100 | 1<<0b1110
)

// Columns finds the columns of the stored elements of A, the rows of a CTA once for each part. The error is nil or a
// *MetadataError.
func (p *Plan) Columns(metadata Words) ([]uint8, *MetadataError) {
	columns := make([]uint8, p.Parts()*p.Rows()*p.Stored)
	e := &p.A.element
	good := meaningful
	if e.Stored() == 1 {
		good = meaningfulTF32
	}
	for i := range columns {
		line, at := i/p.Stored, i%p.Stored
		row, part := p.source(line)
		chunk := at / e.Stored()
		lane, col, shift := p.metaAt(row, part, chunk)
		bits := int(metadata(lane, col) >> shift & 15)
		if good>>bits&1 == 0 {
			return nil, &MetadataError{Lane: lane, Column: col, Bits: bits, Row: row, Chunk: chunk}
		}
		columns[i] = uint8(e.Column(at, bits))
	}
	return columns, nil
}
