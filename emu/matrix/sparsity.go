package matrix

import "fmt"

// Sparsity is where the stored elements of a sparse A lie (9.7.16.6.1). Of each chunk of four units two are stored. Its
// four bits of metadata are their indices, the first stored one's in the lower bits. A unit is an element, two elements
// of 4 bits, or half a .tf32, whose index is therefore 0b0100 or 0b1110.
//
// The four lanes that have rows r and r+8 of A give the metadata of these rows, or those of the four that the
// selector chooses. A lane has eight chunks, lower columns in lower bits. Elements of 16 and 32 bits: four of row r,
// then four of row r+8, and the next lane goes on with more columns. Smaller elements: eight of row r, and the next
// lane has those of row r+8; a second pair of lanes goes on with more columns.
type Sparsity struct {
	Element  Element
	Cols     int  // stored elements of a row
	Selector int  // the sparsity selector
	Ordered  bool // .sp::ordered_metadata
}

// Stored is how many elements of a chunk are stored: 1 of .tf32, 4 of 4 bits, or 2.
func (e *Element) Stored() int {
	switch e.Bits {
	case 32:
		return 1
	case 4:
		return 4
	}
	return 2
}

// lanes is how many of four lanes give metadata of 16 rows: 1, 2 or 4.
func (s *Sparsity) lanes() int { return s.Cols / s.Element.Stored() / 4 }

// index is the metadata of a chunk.
func (s *Sparsity) index(meta Row, row, chunk int) (bits, lane int) {
	lane = row%8*4 + s.Selector*s.lanes()
	shift := chunk % 8 * 4
	if s.Element.Bits < 16 {
		lane += row/8 + chunk/8*2
	} else {
		lane, shift = lane+chunk/4, row/8*16+chunk%4*4
	}
	return int(meta.get(lane) >> shift & 15), lane
}

// MetadataError is metadata that the manual leaves undefined.
type MetadataError struct {
	Lane       int // that gives them, of the warp or of tensor memory
	Column     int // of tensor memory, counted from the first of the operand
	Bits       int
	Row, Chunk int
}

func (e *MetadataError) Error() string {
	return fmt.Sprintf("%04b for chunk %d of row %d, which is no pair of places", e.Bits, e.Chunk, e.Row)
}

// Columns finds the columns of the stored elements in 16 rows, from a register of metadata. The error is nil or a
// *MetadataError.
func (s *Sparsity) Columns(meta Row) ([]uint8, *MetadataError) {
	columns := make([]uint8, 16*s.Cols)
	stored := s.Element.Stored()
	for row := range 16 {
		for i := range s.Cols {
			chunk := i / stored
			bits, lane := s.index(meta, row, chunk)
			lo, hi := bits&3, bits>>2
			if lo == hi || s.Ordered && lo > hi || stored == 1 && bits != 0b0100 && bits != 0b1110 {
				return nil, &MetadataError{Lane: lane, Bits: bits, Row: row, Chunk: chunk}
			}
			columns[row*s.Cols+i] = uint8(s.Element.Column(i, bits))
		}
	}
	return columns, nil
}

// Column is the column of stored element i of a row, by the metadata of its chunk.
func (e *Element) Column(i, bits int) int {
	stored := e.Stored()
	unit := i % stored * 2 / stored // 0 or 1, the first or the second stored one
	col := (4*(i/stored) + bits>>(2*unit)&3) * stored / 2
	if stored == 4 {
		col += i % 2
	}
	return col
}
