package matrix

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx/isa"
)

// The figures of 9.7.16.6.1: what the two indices of a chunk say, by the type of elements.
func TestStoredColumns(t *testing.T) {
	for _, c := range []struct {
		t    isa.Type
		bits int
		want []int // columns of the stored elements of the second chunk of a row
	}{
		{isa.F16, 0b1001, []int{5, 6}},        // elements 1 and 2 of four
		{isa.S8, 0b1110, []int{6, 7}},         // 2 and 3
		{isa.S4, 0b1100, []int{8, 9, 14, 15}}, // pairs 0 and 3 of eight elements
		{isa.TF32, 0b1110, []int{3}},          // the second of two
		{isa.TF32, 0b0100, []int{2}},          // the first
	} {
		e := ElementOf(c.t, false)
		var got []int
		for i := range e.Stored() {
			got = append(got, e.Column(e.Stored()+i, c.bits))
		}
		require.Equal(t, c.want, got, "%v %04b", c.t, c.bits)
	}
}

// 9.7.16.6.1: m16n8k16 of .f16 has four chunks in a row. One lane of four gives the metadata of rows r and r+8, those
// of row r in its lower half: with selector 1 that is lane 4r+1.
func TestMetadata(t *testing.T) {
	var meta [32]uint32
	for i := range meta {
		meta[i] = 0x44444444 // elements 0 and 1 of every chunk
	}
	s := Sparsity{Element: ElementOf(isa.F16, false), Cols: 8, Selector: 1}
	meta[4*3+1] = 0xe444_4449 // row 3, chunk 0: elements 1 and 2; row 11, chunk 3: 2 and 3
	columns, bad := s.Columns(Row{Narrow: &meta})
	require.Nil(t, bad)
	want := make([]uint8, 0, 128)
	for range 16 {
		want = append(want, 0, 1, 4, 5, 8, 9, 12, 13)
	}
	copy(want[3*8:], []uint8{1, 2})
	copy(want[11*8+6:], []uint8{14, 15})
	require.Equal(t, want, columns)

	meta[4*3+1] = 0x4444_4144 // row 3, chunk 2: 1 and 0
	_, bad = s.Columns(Row{Narrow: &meta})
	require.Nil(t, bad)
	s.Ordered = true
	_, bad = s.Columns(Row{Narrow: &meta})
	require.Equal(t, &MetadataError{Lane: 13, Bits: 1, Row: 3, Chunk: 2}, bad)
	meta[4*3+1] = 0x4444_4444 | 0xf<<28 // row 11, chunk 3: 3 twice
	_, same := s.Columns(Row{Narrow: &meta})
	require.Equal(t, &MetadataError{Lane: 13, Bits: 15, Row: 11, Chunk: 3}, same)
	require.EqualError(t, bad, "0001 for chunk 2 of row 3, which is no pair of places")
}

// 9.7.16.3: with two factors in a row, those of row 9 of A are in lane 5 for thread-id 0, and in lane 7 for 1; from
// byte 2 on.
func TestScales(t *testing.T) {
	s := Scales{Factors: 2, OfA: true, Value: func(v uint64) float64 { return float64(v & 255) }}
	require.True(t, s.Valid(2, 1))
	require.False(t, s.Valid(1, 1), "two factors begin at even bytes")
	require.False(t, s.Valid(2, 2), "A has two values of thread-id")
	var data [32]uint32
	data[5], data[7] = 7<<24|3<<16, 9<<24|8<<16
	rowNine := func(threadID int) (got []float64) {
		values := make([]uint64, 16*4)
		for i := range values {
			values[i] = math.Float64bits(2)
		}
		s.Apply(Row{Narrow: &data}, 2, threadID, values, 4)
		for _, v := range values[9*4:][:4] {
			got = append(got, math.Float64frombits(v))
		}
		return got
	}
	require.Equal(t, []float64{2 * 3, 2 * 3, 2 * 7, 2 * 7}, rowNine(0))
	require.Equal(t, []float64{2 * 8, 2 * 8, 2 * 9, 2 * 9}, rowNine(1))
}
