package emu

import (
	"math"
	"unsafe"
)

// sparsity is where the stored elements of a sparse A lie (9.7.14.6.1). Of each chunk of four units two are stored. Its
// four bits of metadata are their indices, the first stored one's in the lower bits. A unit is an element, two elements
// of 4 bits, or half a .tf32, whose index is therefore 0b0100 or 0b1110.
//
// The four lanes that have rows r and r+8 of A give the metadata of these rows, or those of the four that the selector
// chooses. A lane has eight chunks, lower columns in lower bits. Elements of 16 and 32 bits: four of row r, then four of
// row r+8, and the next lane goes on with more columns. Smaller elements: eight of row r, and the next lane has those of
// row r+8; a second pair of lanes goes on with more columns.
type sparsity struct {
	meta     operand
	cols     int // stored elements of a row
	stored   int // stored elements of a chunk: 1 (.tf32), 2 or 4
	byRow    bool
	selector int
	ordered  bool
}

// lanes is how many of four lanes give metadata of 16 rows: 1, 2 or 4.
func (s *sparsity) lanes() int { return s.cols / s.stored / 4 }

// index is the metadata of a chunk.
func (s *sparsity) index(f unsafe.Pointer, row, chunk int) (bits, lane int) {
	lane = row%8*4 + s.selector*s.lanes()
	shift := chunk % 8 * 4
	if s.byRow {
		lane += row/8 + chunk/8*2
	} else {
		lane, shift = lane+chunk/4, row/8*16+chunk%4*4
	}
	return int(s.meta.get(f, lane) >> shift & 15), lane
}

// read finds the columns of the stored elements in 16 rows. Indices that the manual leaves undefined are a fault.
func (s *sparsity) read(w *warp, in *inst, f unsafe.Pointer, columns []uint8) bool {
	for row := range 16 {
		for i := range s.cols {
			chunk := i / s.stored
			bits, lane := s.index(f, row, chunk)
			lo, hi := bits&3, bits>>2
			if lo == hi || s.ordered && lo > hi || s.stored == 1 && bits != 0b0100 && bits != 0b1110 {
				return w.illegal(in, 1<<lane, ": the metadata of `%s` has %04b for chunk %d of row %d, which is no pair of places",
					in.src.Opcode, bits, chunk, row)
			}
			columns[row*s.cols+i] = uint8(sparseColumn(i, s.stored, bits))
		}
	}
	return true
}

// sparseColumn is the column of stored element i of a row, when so many of a chunk are stored, by the chunk's metadata.
func sparseColumn(i, stored, bits int) int {
	unit := i % stored * 2 / stored // 0 or 1, the first or the second stored one
	col := (4*(i/stored) + bits>>(2*unit)&3) * stored / 2
	if stored == 4 {
		col += i % 2
	}
	return col
}

// scales are the scale factors of A or B (9.7.14.3). Each row of A, or column of B, is cut into n chunks with a factor
// each. Of four lanes, two give those of rows r and r+8 of A, or one gives those of a column of B: which ones says
// thread, and byte says where in their register the factors begin.
type scales struct {
	data, byte, thread operand
	n                  int
	ofA                bool
	value              func(uint64) float64
}

// valid says whether the selectors have values that mean something, the same in all lanes.
func (s *scales) valid(w *warp, in *inst, f unsafe.Pointer) bool {
	if s == nil {
		return true
	}
	threads := uint64(4)
	if s.ofA {
		threads = 2
	}
	at, thread := s.byte.get(f, 0), s.thread.get(f, 0)
	for lane := range 32 {
		same := s.byte.get(f, lane) == at && s.thread.get(f, lane) == thread
		if !same || at > 3 || at%uint64(s.n) != 0 || thread >= threads {
			return w.illegal(in, 1<<lane, ": the scale factors of `%s` lie at bytes that are multiples of %d below 4, and "+
				"thread-id is below %d, the same in all lanes: not {%d, %d}",
				in.src.Opcode, s.n, threads, s.byte.get(f, lane), s.thread.get(f, lane))
		}
	}
	return true
}

// apply multiplies the values of A, or of the transposed B. Products with a factor are exact in double precision.
func (s *scales) apply(f unsafe.Pointer, values []uint64, rows, cols int) {
	if s == nil {
		return
	}
	first, thread := int(s.byte.get(f, 0)), int(s.thread.get(f, 0))
	for row := range rows {
		lane := row%8*4 + thread
		if s.ofA {
			lane += thread + row/8
		}
		data := s.data.get(f, lane)
		for i := range cols {
			v := &values[row*cols+i]
			factor := s.value(data >> (8 * (first + i*s.n/cols)))
			*v = math.Float64bits(math.Float64frombits(*v) * factor)
		}
	}
}
