package matrix

import "math"

// Scales are the scale factors of A or B (9.7.16.3). Each row of A, or column of B, is cut into Factors chunks with a
// factor each. Of four lanes, two give those of rows r and r+8 of A, or one gives those of a column of B: which ones
// says thread-id, and byte-id says where in their register the factors begin.
type Scales struct {
	Factors int // of a row: 1, 2 or 4
	OfA     bool
	Value   func(uint64) float64 // of a factor's bits
}

// Threads is how many values thread-id can have.
func (s *Scales) Threads() int {
	if s.OfA {
		return 2
	}
	return 4
}

// Valid says whether byte-id and thread-id have values that mean something.
func (s *Scales) Valid(byteID, threadID uint64) bool {
	return byteID <= 3 && byteID%uint64(s.Factors) == 0 && threadID < uint64(s.Threads())
}

// Apply multiplies the values of A, or of the transposed B, by the factors in a register. byte-id and thread-id are
// valid. Products with a factor are exact in double precision.
func (s *Scales) Apply(data Row, byteID, threadID int, values []uint64, cols int) {
	for row := range len(values) / cols {
		lane := row%8*4 + threadID
		if s.OfA {
			lane += threadID + row/8
		}
		bits := data.get(lane)
		for i := range cols {
			v := &values[row*cols+i]
			factor := s.Value(bits >> (8 * (byteID + i*s.Factors/cols)))
			*v = math.Float64bits(math.Float64frombits(*v) * factor)
		}
	}
}
