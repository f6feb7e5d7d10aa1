package texture

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What Encode writes, Decode reads; nothing else that has the mark gets through.
func TestEncodings(t *testing.T) {
	d := Description{Kind: Sampler, Data: 1<<40 + 16, Width: 5, Height: 4, Depth: 3, Layers: 6, Levels: 2, Samples: 4,
		Channels: 2, Format: SNorm16, Normalized: true, MipLinear: true, Address: [3]AddressMode{Mirror, ClampToBorder, Wrap},
		Border: [4]float32{0.5, -1, 2, 1}, Compare: Greater}
	b := d.Encode()
	require.Len(t, b, EncodedSize)
	got, why := Decode(b)
	require.Empty(t, why)
	require.Equal(t, d, got)
	b[3] = byte(F32) + 1
	_, why = Decode(b)
	require.Equal(t, "there is no format 12", why)
	b[0] = 0
	_, why = Decode(b)
	require.Equal(t, "its mark is missing", why)
}

// A surface of 4 x 3 elements of 2 bytes, with 2 slices or 2 layers: rows have 8 bytes, slices and layers 24.
func TestPlaces(t *testing.T) {
	flat := Description{Kind: Surface, Width: 4, Height: 3, Layers: 2, Channels: 1, Format: U16}
	deep := flat
	deep.Layers, deep.Depth = 0, 2
	require.Equal(t, int64(48), deep.Size())
	for _, c := range []struct {
		d      *Description
		at     Place
		holds  bool
		near   Place
		offset uint64
	}{
		{&deep, Place{X: [3]int64{4, 2, 1}}, true, Place{X: [3]int64{4, 2, 1}}, 24 + 16 + 4},
		{&deep, Place{X: [3]int64{8, 0, 0}}, false, Place{X: [3]int64{4, 0, 0}}, 4}, // the last 4 bytes of the row
		{&deep, Place{X: [3]int64{5, 0, 0}}, false, Place{X: [3]int64{4, 0, 0}}, 4}, // bytes 5 to 8 leave it
		{&deep, Place{X: [3]int64{-4, 3, 0}}, false, Place{X: [3]int64{0, 2, 0}}, 16},
		{&deep, Place{X: [3]int64{0, 0, 2}}, false, Place{X: [3]int64{0, 0, 1}}, 24},
		{&flat, Place{X: [3]int64{0, 1, 0}, Layer: 1}, true, Place{X: [3]int64{0, 1, 0}, Layer: 1}, 24 + 8},
		{&flat, Place{X: [3]int64{0, 0, 0}, Layer: 2}, false, Place{Layer: 1}, 24},
		{&flat, Place{X: [3]int64{0, -1, 1}, Layer: 0}, false, Place{}, 0},
	} {
		require.Equal(t, c.holds, c.d.Holds(c.at, 4), "%+v", c.at)
		near, ok := c.d.Nearest(c.at, 4)
		require.True(t, ok)
		require.Equal(t, c.near, near, "%+v", c.at)
		require.Equal(t, c.offset, c.d.Offset(near), "%+v", near)
	}
	flat.Width = 5
	near, _ := flat.Nearest(Place{X: [3]int64{10, 0, 0}}, 4)
	require.Equal(t, int64(4), near.X[0], "of 10 bytes 6 to 9 are the last four, and 4 is the last multiple of 4 before 7")
	_, ok := flat.Nearest(Place{}, 16)
	require.False(t, ok, "rows of 10 bytes have no place for 16")
}
