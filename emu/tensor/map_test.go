package tensor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What 5.5.3.1, 9.7.10.28.5.1 and the driver refuse.
func TestMapsThatAreRefused(t *testing.T) {
	f32, _ := TypeNamed("f32")
	for _, c := range []struct {
		change func(m *Map)
		want   string
	}{
		{func(m *Map) {}, ""},
		{func(m *Map) { m.Address = 8 }, "no multiple of 16"},
		{func(m *Map) { m.Strides[0] = 24 }, "the stride of dimension 1 is 24 bytes"},
		{func(m *Map) { m.Box[0] = 3 }, "a row of the box has 12 bytes"},
		{func(m *Map) { m.Box[1] = 257 }, "257 elements in dimension 1"},
		{func(m *Map) { m.Swizzle = Swizzle32B }, "32-byte swizzling allows at most 32"},
		{func(m *Map) { m.Atomicity = Atom32B }, "Table 14"},
		{func(m *Map) { m.Type, m.FillNaN, m.Box[0] = 2, true, 16 }, "only floating-point"},
		{func(m *Map) { m.Steps = []uint32{2, 1} }, "traversal stride of dimension 0 is 1"},
		{func(m *Map) { m.Steps = []uint32{1, 9} }, "there are 1 to 8"},
		{func(m *Map) { m.Mode = Im2col }, "im2col needs a tensor of 3 to 5"},
		{func(m *Map) { m.Strides = nil }, "2 dimensions with 0 strides"},
	} {
		m := Map{Type: f32, Dims: []uint64{64, 8}, Strides: []uint64{256}, Box: []uint32{16, 8}}
		c.change(&m)
		_, err := m.Encode()
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.want)
	}
}

func TestModesThatAreRefused(t *testing.T) {
	u16, _ := TypeNamed("u16")
	p64, _ := TypeNamed("b4x16_p64")
	for _, c := range []struct {
		change func(m *Map)
		want   string
	}{
		{func(m *Map) {}, ""},
		{func(m *Map) { m.Dims, m.Strides, m.Box, m.Steps = m.Dims[:2], m.Strides[:1], m.Box[:2], nil },
			"interleave layouts need"},
		{func(m *Map) { m.Box[0] = 12 }, "the box has 12 channels: slices have 8"},
		{func(m *Map) { m.Interleave, m.Strides[0] = Interleave32B, 32 }, "goes with 32-byte swizzling only"},
		{func(m *Map) { m.Interleave, m.Strides[0], m.Address = Interleave32B, 32, 16 }, "no multiple of 32"},
		{func(m *Map) { m.Interleave = Interleave32B }, "the stride of dimension 1 is 16 bytes: it is a multiple of 32"},
		{func(m *Map) { m.Strides[0] = 0 }, "stride of dimension 1 is 0 bytes, and a slice has 16"},
		{func(m *Map) { m.Swizzle = Swizzle96B }, "96-byte swizzling does not go with interleaving"},
		{func(m *Map) { m.Mode, m.Lower, m.Upper = Im2colW, []int16{0}, []int16{0} }, "im2col::w does not take interleave"},
		{func(m *Map) { m.Mode, m.Lower, m.Upper = Im2col, []int16{0}, []int16{0}; m.Steps[0] = 2 }, "dimension 0 is 1"},
		{func(m *Map) { m.Type, m.Dims[0], m.Strides = p64, 128, []uint64{32, 96} }, "b4x16_p64 cannot be interleaved"},
		{func(m *Map) { m.Interleave = 3 }, "beyond Table 36"},
		{func(m *Map) { m.Steps[0], m.Interleave = 2, NoInterleave }, "dimension 0 is 1"},
	} {
		m := Map{Type: u16, Dims: []uint64{20, 4, 3}, Strides: []uint64{16, 192}, Box: []uint32{16, 4, 1},
			Steps: []uint32{1, 1, 1}, Interleave: Interleave16B}
		c.change(&m)
		_, err := m.Encode()
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.want)
	}
	for _, c := range []struct {
		m    Map
		want string
	}{
		{Map{Mode: Im2col, Lower: []int16{-200, 0}, Upper: []int16{0, 0}}, "corners -200 and 0 are not from -128 to 127"},
		{Map{Mode: Im2col, Lower: []int16{0, 5}, Upper: []int16{0, 0}}, "the bounding box is empty: from 5 to 3"},
		{Map{Mode: Im2colW, Lower: []int16{-200}, Upper: []int16{0}, Swizzle: Swizzle32B}, ""},
		{Map{Mode: Im2colW128, Lower: []int16{0}, Upper: []int16{0}, Swizzle: Swizzle128B, Atomicity: Atom32B}, ""},
		{Map{Mode: Im2colW128, Lower: []int16{0}, Upper: []int16{0}, Swizzle: Swizzle96B}, "does not go with im2col::w::128"},
		{Map{Mode: Im2colW, Lower: []int16{0}, Upper: []int16{0}}, "im2col::w needs swizzling"},
		{Map{Mode: Im2colW128, Lower: []int16{0}, Upper: []int16{0}, Swizzle: Swizzle128B, Atomicity: Atom32BFlip8B},
			"im2col::w::128 needs swizzling"},
	} {
		c.m.Dims, c.m.Strides, c.m.Box = []uint64{16, 4, 4, 4}, []uint64{16, 64, 256}, []uint32{16, 4}
		_, err := c.m.Encode()
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.want)
	}
}

// A tensor of 20 channels of 2 bytes, 4 by 3 images, in slices of 8 channels: three slices of 16 bytes a pixel.
// Slices are as far apart as images would be (5.5.6): 3 slices of 3 images of 4 pixels.
func TestSizes(t *testing.T) {
	u16, _ := TypeNamed("u16")
	m := Map{Type: u16, Dims: []uint64{20, 4, 3}, Interleave: Interleave16B}
	require.Equal(t, []uint64{16, 64 * 3}, m.Packed())
	m.Interleave = NoInterleave
	require.Equal(t, []uint64{40, 160}, m.Packed())
	m.Strides = []uint64{48, 256}
	require.EqualValues(t, 2*256+3*48+40, m.Extent())
	p64, _ := TypeNamed("b4x16_p64")
	require.EqualValues(t, 16, (&Map{Type: p64, Dims: []uint64{32}}).Extent()) // 32 elements of 4 bits
}
