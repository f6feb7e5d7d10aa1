package matrix

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx/isa"
)

// plan decodes an instruction descriptor (Tables 51 to 53): N/8 from bit 17 on, M/16 from bit 24, M/128 from bit 27
// where there are scale factors.
func plan(t *testing.T, m MMA, desc uint32) Plan {
	t.Helper()
	require.True(t, m.Known())
	p, err := m.Decode(desc, 0)
	require.NoError(t, err)
	return p
}

// The layouts of D (9.7.18.10.5): lane and column of an element of a CTA.
func TestLayoutsOfD(t *testing.T) {
	const n64 = 64 / 8 << 17
	for _, c := range []struct {
		name     string
		m        MMA
		desc     uint32
		row, col int
		lane, at int
	}{
		{"layout D, M 128", MMA{}, 128 / 16 << 24, 100, 5, 100, 5},
		{"layout F, M 64", MMA{}, 64 / 16 << 24, 20, 5, 36, 5},                                    // 16 rows in each 32 lanes
		{"layout A, M 256 in a pair", MMA{Pair: true}, 256 / 16 << 24, 100, 5, 100, 5},            // 128 rows in a CTA
		{"layout B, M 128 in a pair", MMA{Pair: true}, 128 / 16 << 24, 20, 40, 64 + 20, 8},        // 32 columns and 32 more
		{"layout E, .ws, M 64", MMA{Stationary: true}, 64 / 16 << 24, 20, 40, 64 + 20, 8},         // 2 ranges of columns
		{"layout G, .ws, M 32", MMA{Stationary: true}, 32 / 16 << 24, 20, 40, 2*32 + 20, 40 - 32}, // 4 of 16
	} {
		c.m.Kind = ".kind::f16"
		p := plan(t, c.m, c.desc|n64|1<<4)
		lane, at := p.Place(c.row, c.col)
		require.Equal(t, [2]int{c.lane, c.at}, [2]int{lane, at}, c.name)
		require.Equal(t, isa.F32, p.D)
	}
}

// .ashift: rows move within the lanes of a warp. In layout C, a warp has 16 rows.
func TestShiftedRowsOfA(t *testing.T) {
	const n64 = 64 / 8 << 17
	type lanes map[int]int // of a line of A
	for _, c := range []struct {
		name  string
		m     MMA
		desc  uint32
		lanes lanes
	}{
		{"layout D, M 128", MMA{}, 128 / 16 << 24, lanes{0: 1, 30: 31, 31: 31, 32: 33, 63: 63, 126: 127, 127: 127}},
		{"layout A, M 256", MMA{Pair: true}, 256 / 16 << 24, lanes{0: 1, 31: 31, 127: 127}},
		{"layout B, M 128", MMA{Pair: true}, 128 / 16 << 24, lanes{31: 31, 63: 63, 64: 65, 127: 127}}, // A is there twice
		{"layout C, M 128", MMA{Pair: true, Sparse: true}, 128/16<<24 | 1<<2, lanes{14: 15, 15: 15, 16: 33, 63: 111}},
	} {
		c.m.Kind, c.m.ShiftA = ".kind::f16", true
		p := plan(t, c.m, c.desc|n64|1<<4)
		for line, lane := range c.lanes {
			require.Equal(t, lane, p.LaneOf(line), "%s, line %d", c.name, line)
		}
	}
}

// What the instruction descriptor must not say (9.7.18.4.2).
func TestInstructionDescriptors(t *testing.T) {
	const good = 128/16<<24 | 64/8<<17 | 1<<4
	for _, c := range []struct {
		m    MMA
		desc uint32
		want string
	}{
		{MMA{Kind: ".kind::f16"}, good, ""},
		{MMA{Kind: ".kind::f16"}, good | 1<<3, "the bits 0x8 are reserved"},
		{MMA{Kind: ".kind::f16"}, good | 1<<2, "bit 2 says whether A is sparse, and is 1"},
		{MMA{Kind: ".kind::f16"}, good | 2<<7, "the types 2 of A and 0 of B are not of this kind"},
		{MMA{Kind: ".kind::f16"}, good | 3<<4, "the type 3 of D is not of this kind"},
		{MMA{Kind: ".kind::f16"}, good&^(1<<4) | 1<<7, "the type 0 of D is not of this kind"}, // .bf16 with .f16
		{MMA{Kind: ".kind::f16"}, 1<<4 | 64/8<<17, "there is no shape with M 0 and N 64"},
		{MMA{Kind: ".kind::i8"}, good&^(1<<4) | 2<<4 | 1<<13, "integers of 8 bits cannot be negated"},
		{MMA{Kind: ".kind::f8f6f4"}, good | 5<<7 | 1<<15, ""}, // transposed (Table 62)
		{MMA{Kind: ".kind::mxf4"}, 1<<27 | 64/8<<17 | 1<<7 | 1<<10 | 1<<23 | 1<<15,
			"two elements in a byte cannot be transposed"},
		{MMA{Kind: ".kind::mxf4"}, 1<<27 | 64/8<<17 | 1<<7 | 1<<10 | 1<<23 | 1<<29, "begin at bytes that are multiples of 2"},
		{MMA{Kind: ".kind::mxf4"}, 1<<27 | 64/8<<17 | 1<<7 | 1<<10, "the type 0 of scale factors is not of this kind"},
		{MMA{Kind: ".kind::mxf4"}, 1<<27 | 1<<31, "K 96 is for .target sm_103a and sm_107a only"},
		{MMA{Kind: ".kind::f16", ShiftA: true}, good&^(15<<24) | 64/16<<24, "rows of A are shifted with M 128 and 256 only"},
	} {
		_, err := c.m.Decode(c.desc, 0)
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.want)
	}
	require.False(t, (&MMA{Kind: ".kind::f64"}).Known())
}

// .kind::mxf4 with M 128 and N 64: two factors of type .ue8m0 in a row, 2^(e-127), for 32 elements each. Line 33 of A
// has them in column 1 of lane 33; with row 64 of D, column 33 of B has them in column 1 of lane 64 + 1.
func TestTensorScales(t *testing.T) {
	p := plan(t, MMA{Kind: ".kind::mxf4"}, 1<<27|64/8<<17|1<<7|1<<10|1<<23|2<<29) // those of A from byte 2 on
	require.Equal(t, [2]int{4, 2}, [2]int{p.FactorColumnsA(), p.FactorColumnsB()})
	factors := func(lane, column int) uint32 {
		switch {
		case lane == 33 && column == 1:
			return 129<<24 | 128<<16 // 4 and 2
		case lane == 65 && column == 1:
			return 126<<8 | 130 // 0.5 and 8
		}
		return 127<<24 | 127<<16 | 127<<8 | 127
	}
	one := make([]uint64, 128*64)
	ones := func() []uint64 {
		for i := range one {
			one[i] = 0x3ff0000000000000
		}
		return one
	}
	const two, four, eight, half, unit = 1 << 62, 0x4010 << 48, 0x4020 << 48, 0x3fe0 << 48, 0x3ff0 << 48
	a := ones()
	p.ScaleA(a, factors)
	require.Equal(t, []uint64{unit, two, two, four, four, unit},
		[]uint64{a[33*64-1], a[33*64], a[33*64+31], a[33*64+32], a[33*64+63], a[34*64]})
	b := ones()
	p.ScaleB(b, 64, factors)
	require.Equal(t, []uint64{unit, eight, eight, half, half, unit},
		[]uint64{b[33*64-1], b[33*64], b[33*64+31], b[33*64+32], b[33*64+63], b[34*64]})
}

// Two elements of 6 bits, 0b000001 and 0b111110, are 0xf81 and go to the lower bits of two bytes; of 4 bits to the
// middle. They are neighbours in a line, or in the same place of neighbouring lines. The second piece of 16 bytes is
// the next one in that direction.
func TestPackedElements(t *testing.T) {
	shared := make([]byte, 64)
	copy(shared, []byte{0x81, 0xf})
	copy(shared[16:], []byte{0x3f})
	for _, lines := range []bool{false, true} {
		for width, want := range map[int][3]uint64{6: {1, 0b111110, 63}, 4: {1 << 2, 8 << 2, 15 << 2}} {
			m, err := Tcgen05(1<<46|1<<16|1<<32, 8, lines) // 16 bytes from a piece to the next one
			require.NoError(t, err)
			m.Pack(width)
			var got [3]uint64
			for i, n := range []int{0, 1, 16} {
				line, k := 0, n
				if lines {
					line, k = n, 0
				}
				all := make([]uint64, 17)
				m.Read(shared, line, 1, k+1, all)
				got[i] = all[k]
			}
			require.Equal(t, want, got, "%d bits, in lines %v", width, lines)
		}
	}
}

// The mask examples of 9.7.18.4.3: a 1 is a column that counts as zero. Bits from the lowest on.
func TestZeroColumns(t *testing.T) {
	for _, c := range []struct {
		m     int
		mask  uint64
		from  int
		bits  string
		shift int
	}{
		{128, 4<<40 | 3<<48, 0, "00000000", 0},
		{128, 1<<39 | 2<<40 | 3<<48, 0, "00001110000111", 0},
		{64, 1<<32 | 1<<39 | 2<<40 | 3<<48, 0, "11100001110000111", 0},
		{64, 1<<32 | 1<<39 | 2<<40 | 3<<48, 64, "00001110000111", 0},
		{32, 0x01020100 | 3<<32 | 1<<39 | 2<<40 | 3<<48 | 2<<56, 0, "11100001110000", 2},
		{32, 0x01020100 | 3<<32 | 1<<39 | 2<<40 | 3<<48 | 2<<56, 32, "1100001110000", 2},
		{32, 0x01020100 | 3<<32 | 1<<39 | 2<<40 | 3<<48 | 2<<56, 64, "001110000111", 2},
		{32, 0x01020100 | 3<<32 | 1<<39 | 2<<40 | 3<<48 | 2<<56, 96, "0001110000111", 2},
	} {
		p := Plan{M: c.m, N: 128}
		require.NoError(t, p.Mask(c.mask))
		got := ""
		for i := range c.bits {
			got += map[bool]string{false: "0", true: "1"}[p.Masked(c.from+i)]
		}
		require.Equal(t, c.bits, got)
		require.Equal(t, c.shift, p.Shift())
	}
	p := Plan{M: 32, N: 128}
	require.ErrorContains(t, p.Mask(17<<56), "columns are shifted by 17, and with M 32 by at most 16")
}
