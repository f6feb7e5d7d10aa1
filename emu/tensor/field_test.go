package tensor

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// set replaces a field, by its name.
func set(b []byte, name string, ordinal int, value uint64, divided bool) {
	i := slices.IndexFunc(Fields[:], func(f Field) bool { return f.Name == name })
	r := Replace(i, ordinal, divided)
	r.Set(b, value)
}

// A map that is made of zeros, field by field (9.7.10.29), is the map that the driver makes. Strides of 8 are units of
// 16 bytes, because rows of 64 .f16 elements do not lie 8 bytes apart.
func TestMapsMadeByFields(t *testing.T) {
	f16, _ := TypeNamed("f16")
	want := Map{Type: f16, Address: 0x1000, Dims: []uint64{64, 8}, Strides: []uint64{128}, Box: []uint32{16, 4},
		Swizzle: Swizzle32B, FillNaN: true}
	encoded, err := want.Encode()
	require.NoError(t, err)
	b := make([]byte, MapSize)
	_, err = Decode(b)
	require.EqualError(t, err, "there is no tensor map")
	set(b, ".global_address", 0, 0x1000, false)
	set(b, ".rank", 0, 1, false) // counted from zero
	_, err = Decode(b)
	require.ErrorContains(t, err, "tensormap.replace has never set .box_dim 0, .box_dim 1, .global_dim 0")
	for i := range 2 {
		set(b, ".box_dim", i, uint64(want.Box[i]), false)
		set(b, ".global_dim", i, want.Dims[i], false)
		set(b, ".element_stride", i, 1, false)
	}
	set(b, ".elemtype", 0, uint64(f16), false)
	set(b, ".interleave_layout", 0, 0, false)
	set(b, ".swizzle_mode", 0, uint64(Swizzle32B), false)
	set(b, ".fill_mode", 0, 1, false)
	_, err = Decode(b)
	require.EqualError(t, err, "tensormap.replace has never set .global_stride 0")

	bytes, sixteenths := slices.Clone(b), slices.Clone(b)
	set(bytes, ".global_stride", 0, 128, true)
	set(sixteenths, ".global_stride", 0, 128/16, true)
	expected, err := Decode(encoded)
	require.NoError(t, err)
	got, err := Decode(bytes)
	require.NoError(t, err)
	require.Equal(t, expected, got)
	got, err = Decode(sixteenths) // 8 bytes cannot be the stride of rows of 128
	require.NoError(t, err)
	require.True(t, got.Sixteenths)
	got.Sixteenths = false
	require.Equal(t, expected, got)
	require.EqualValues(t, 63, binary.LittleEndian.Uint32(b[mapDims:])) // as the driver has it
}
