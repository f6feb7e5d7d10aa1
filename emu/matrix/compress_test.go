package matrix

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx/isa"
)

// The types and operations of Table 38. A descriptor of the manual's example, 0x5, is the greatest magnitudes of .s8.
func TestChoice(t *testing.T) {
	for _, c := range []struct {
		descriptor uint32
		size       int
		want       Choice
		err        string
	}{
		{0x5, 8, Choice{isa.S8, false, true}, ""},
		{0, 8, Choice{isa.U8, false, false}, ""},
		{3, 16, Choice{isa.F16, true, true}, ""},
		{1<<2 | 2, 16, Choice{isa.BF16, true, false}, ""},
		{5 << 2, 8, Choice{isa.E2M3, false, false}, ""},
		{2 << 2, 16, Choice{}, "the type 2 is none of 16 bits"},
		{6 << 2, 8, Choice{}, "the type 6 is none of 8 bits"},
		{1 << 5, 8, Choice{}, "the bits 0x20 are reserved"},
	} {
		got, err := ChoiceOf(c.descriptor, c.size)
		require.Equal(t, c.want, got, "%#x", c.descriptor)
		if c.err != "" {
			require.EqualError(t, err, c.err)
		} else {
			require.NoError(t, err)
		}
	}
}

// Of four elements two are kept, in their order, with their places in the lowest bits (9.7.10.30).
func TestCompress(t *testing.T) {
	const most, magnitude, least, small = 0, 1, 2, 3
	for _, c := range []struct {
		name       string
		descriptor uint32
		data       uint32 // four elements of 8 bits
		want       uint32
		places     uint32 // of .b4
	}{
		{"greatest .u8", most, 0x05_80_01_7f, 0x80_7f, 0x20},
		{"greatest .s8", 1<<2 | most, 0x05_80_01_7f, 0x05_7f, 0x30},
		{"magnitude of .s8: -128 is 128", 1<<2 | magnitude, 0x05_80_01_7f, 0x80_7f, 0x20},
		{"smallest .s8", 1<<2 | least, 0x05_80_01_7f, 0x80_01, 0x21},
		{"smallest magnitudes of .s8", 1<<2 | small, 0xff_80_00_7f, 0xff_00, 0x31},
		{"the first of equal ones", most, 0x07_07_07_07, 0x07_07, 0x10},
		{"greatest .e4m3", 3<<2 | most, 0xb8_30_38_b0, 0x30_38, 0x21},
		{"smallest .e4m3", 3<<2 | least, 0xb8_30_38_b0, 0xb8_b0, 0x30},
		{"-0.0 is less than +0.0", 3<<2 | most, 0x00_80_00_80, 0x00_00, 0x31},
		{"-0.0 is as large as +0.0", 3<<2 | magnitude, 0x00_80_00_80, 0x00_80, 0x10},
		{"NaN of .e4m3 is kept", 3<<2 | least, 0x7f_30_ff_01, 0x7f_ff, 0x31},
		{"NaN of .e5m2, not infinity", 2<<2 | small, 0x7c_7e_02_01, 0x7e_01, 0x20},
		{".e3m2 has no NaN", 4<<2 | most, 0x3f_1f_20_1c, 0x1f_1c, 0x20},
		{".e2m3", 5<<2 | magnitude, 0x3f_1f_20_1c, 0x3f_1f, 0x32},
	} {
		choice, err := ChoiceOf(c.descriptor, 8)
		require.NoError(t, err)
		meta, kept := choice.Compress([]uint32{c.data, 0}, 8, 4)
		require.Equal(t, []uint32{c.want}, []uint32{kept[0] & 0xffff}, c.name)
		require.Equal(t, []uint32{c.places}, []uint32{meta[0] & 0xff}, c.name)
	}
	half := Choice{Type: isa.F16}
	// -1 1 2 NaN, 0 -max -0 tiny
	meta, kept := half.Compress([]uint32{0x3c00_bc00, 0x7e00_4000, 0xfbff_0000, 0x0001_8000}, 16, 2)
	require.Equal(t, []uint32{0x7e00_4000, 0x0001_0000}, kept)
	require.Equal(t, []uint32{0b11_00_11_10}, meta, "zero extended")
	meta, kept = Choice{Type: isa.U8}.Compress(make([]uint32, 128), 8, 4)
	require.Len(t, kept, 64)
	require.Len(t, meta, 32, "Table 37: 64*4/8")
}

// What is stored goes to its places, and the rest is zero; what goes to one place stays last (9.7.10.31).
func TestExpand(t *testing.T) {
	e := Expansion{Size: 8, Places: 2, Stored: 2, Group: 4, Times: 2}
	data, err := e.Expand([]uint32{0b11_00_11_10}, []uint32{0x44332211})
	require.NoError(t, err)
	require.Equal(t, []uint32{0x22110000, 0x44000033}, data)
	data, err = e.Expand([]uint32{0b01_01_11_10}, []uint32{0x44332211})
	require.NoError(t, err)
	require.Equal(t, uint32(0x4400), data[1])
	data, err = Expansion{Size: 16, Places: 4, Stored: 1, Group: 16, Times: 1}.Expand([]uint32{15}, []uint32{0xdead_beef})
	require.NoError(t, err)
	require.Equal(t, []uint32{0, 0, 0, 0, 0, 0, 0, 0xbeef0000}, data)
	data, err = Expansion{Size: 8, Places: 4, Stored: 4, Group: 8, Times: 1}.Expand([]uint32{0x7520}, []uint32{0x44332211})
	require.NoError(t, err)
	require.Equal(t, []uint32{0x00220011, 0x44003300}, data)
	_, err = Expansion{Size: 8, Places: 4, Stored: 1, Group: 8, Times: 8}.Expand([]uint32{0x80}, []uint32{0, 0})
	require.EqualError(t, err, "place 8 of group 1, which has 8 elements")
}

// Two of four that are kept and put back are where they were.
func TestCompressExpand(t *testing.T) {
	for _, size := range []int{8, 16} {
		for _, places := range []int{2, 4} {
			data := make([]uint32, 16)
			for i := range data {
				data[i] = uint32(i+1) * 0x9e3779b1
			}
			meta, kept := Choice{Type: choices[size][0]}.Compress(data, size, places)
			dense, err := Expansion{size, places, 2, 4, 16 * 32 / size / 4}.Expand(meta, kept)
			require.NoError(t, err)
			for i := range 16 * 32 / size {
				got, was := field(dense, i, size), field(data, i, size)
				require.Contains(t, []uint64{0, was}, got)
			}
		}
	}
}
