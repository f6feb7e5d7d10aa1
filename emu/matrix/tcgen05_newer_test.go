package matrix

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the instruction descriptor says on sm_107 alone, and does not say there (9.7.18.2.1, 9.7.18.4.2).
func TestDescriptorsOf107(t *testing.T) {
	const ti16 = 128/16<<24 | 64/8<<17 | 2<<4 | 3<<7 | 3<<10
	const mx = 1<<27 | 64/8<<17 | 1<<7 | 1<<10
	const version = 1 << 12
	const f8, mx8 = 128/16<<24 | 64/8<<17 | 1<<4 | 1<<29, 1<<27 | 64/8<<17 | 1<<23 | 1<<31
	eight := func(kind string, sm int) MMA { return MMA{Kind: ".kind::" + kind, SM: sm, Arch: "f"} }
	pair := func(m MMA) MMA {
		m.Pair = true
		return m
	}
	sparse := func(m MMA) MMA {
		m.Sparse = true
		return m
	}
	nv4 := func(blocks string, sm int, arch string, sparse bool) MMA {
		return MMA{Kind: ".kind::mxf4nvf4", Blocks: blocks, SM: sm, Arch: arch, Sparse: sparse}
	}
	for i, c := range []struct {
		m    MMA
		desc uint32
		want string
	}{
		{MMA{Kind: ".kind::ti16"}, ti16, ""},
		{MMA{Kind: ".kind::ti16"}, ti16 | 15<<13, ""}, // negated and transposed
		{MMA{Kind: ".kind::ti16"}, ti16 | 1<<3, "the bits 0x8 are reserved"},
		{MMA{Kind: ".kind::ti16"}, ti16 | 1<<29, "the bits 0x20000000 are reserved"},
		{MMA{Kind: ".kind::ti16"}, ti16 &^ (2 << 7), "the types 1 of A and 3 of B are not of this kind"},
		{MMA{Kind: ".kind::ti16"}, ti16 ^ 3<<4, "the type 1 of D is not of this kind"},
		{MMA{Kind: ".kind::ti16"}, ti16 ^ (64/8^24/8)<<17, "there is no shape with M 128 and N 24"}, // steps of 16
		{MMA{Kind: ".kind::ti16"}, ti16 ^ (64/8^24/8)<<17 ^ (128/16^64/16)<<24, ""},
		{MMA{Kind: ".kind::ti16", Pair: true}, ti16 ^ (64/8^48/8)<<17, "there is no shape with M 128 and N 48"},
		{MMA{Kind: ".kind::ti16", Stationary: true}, ti16 ^ (64/8^32/8)<<17, "there is no shape with M 128 and N 32"},
		{nv4(".block16", 107, "f", false), mx | 2<<23, ""},
		{nv4(".block16", 103, "a", false), mx | 2<<23, "scale factors of type .ue5m3 are for .target sm_107f and sm_107a " +
			"only"},
		{nv4(".block16", 107, "a", false), mx | 3<<23, "the type 3 of scale factors is not of this kind"},
		{nv4(".block32", 107, "f", false), mx, ""},
		{nv4(".block32", 110, "f", false), mx, "scale factors of blocks of 32 have the type .ue8m0"},
		{nv4(".block16", 107, "a", true), mx | 1<<2, "the sparsity version of .target sm_107a is v1"},
		{nv4(".block16", 107, "a", true), mx | 1<<2 | version, ""},
		{nv4(".block16", 103, "a", true), mx | 1<<2 | version, "the sparsity version v1 is for .target sm_107a only"},
		{nv4(".block16", 107, "a", false), mx | 1<<31, ""},
		{nv4(".block16", 107, "f", false), mx | 1<<31, "K 96 is for .target sm_103a and sm_107a only"},
		{nv4(".block16", 103, "a", false), mx | 1<<3, "the bits 0x8 are reserved"},
		{nv4(".block16", 110, "f", false), mx | 1<<3, "the bits 0x8 are reserved"},
		{nv4(".block16", 107, "f", false), mx | 1<<3 | 1<<31, "3 stands for no K"},
		{nv4(".block16", 107, "f", true), mx | 1<<3 | 1<<2, "K 128 is for a dense A"},
		{nv4(".scale_vec::4X", 107, "a", false), mx | 1<<3, "K 128 with .scale_vec::4X is not emulated yet"},
		{nv4(".block16", 107, "f", false), mx | 1<<3 | 1<<29, "8 scale factors begin at bytes that are multiples of 4"},
		{nv4(".block16", 107, "a", true), mx | 1<<31 | 1<<2 | version, "K 192, of a sparse A, is not emulated yet"},
		{pair(nv4(".block16", 107, "f", false)), mx | 1<<3, "K 128 is for M 256, not 128"},
		{nv4(".block16", 107, "f", false), mx | 1<<26, "scale factors in 128 lanes are not emulated yet"},
		{nv4(".block16", 110, "f", false), mx | 1<<26, "the bits 0x4000000 are reserved"},
		{eight("f8f6f4", 103), f8, "the bits 0x20000000 are reserved"},
		{eight("f8f6f4", 107), f8 | 3<<7, "K 64 is for elements of type .e4m3 and .e5m2"},
		{eight("f8f6f4", 107), f8 ^ (128/16^64/16)<<24, "K 64 is for M 128, not 64"},
		{pair(eight("f8f6f4", 107)), f8, "K 64 is for M 256, not 128"},
		{eight("mxf8f6f4", 103), mx8, "the bits 0x80000000 are reserved"},
		{eight("mxf8f6f4", 107), mx8 | 4<<7, ""},
		{eight("mxf8f6f4", 107), mx8 | 4<<7 | 1<<15, "elements of 6 bits with K 64 cannot be transposed"},
		{eight("mxf8f6f4", 107), mx8 | 4<<7 | 1<<16, ""},
		{eight("mxf8f6f4", 107), mx8 | 5<<7, "elements of 4 bits with K 64 are not emulated yet"},
		{sparse(eight("mxf8f6f4", 107)), mx8 | 4<<7 | 1<<2, "elements of 6 bits with K 128 are not emulated yet"},
		{MMA{Kind: ".kind::mxf8f6f4", Blocks: ".scale_vec::1X", SM: 107, Arch: "a"}, mx8, ""}, // an alias of .block32
		{eight("mxf8f6f4", 107), mx8 | 1<<4, "2 scale factors begin at bytes that are multiples of 2"},
		{eight("f16", 107), 128/16<<24 | 64/8<<17 | 1<<4 | 1<<29, "the bits 0x20000000 are reserved"},
	} {
		_, err := c.m.Decode(c.desc, 0)
		if c.want == "" {
			require.NoError(t, err, i)
			continue
		}
		require.ErrorContains(t, err, c.want, i)
	}
}

// A .s1z4m11 has its sign in bit 15 and its magnitude in bits 0 to 10; the bits between them have no meaning. Negated,
// it changes its sign.
func TestSignAndMagnitude(t *testing.T) {
	p := plan(t, MMA{Kind: ".kind::ti16"}, 128/16<<24|64/8<<17|2<<4|3<<7|3<<10|1<<14)
	a, b := []uint64{0, 0x8000, 0x7ff, 0x87ff, 0x7805, 0xf805}, []uint64{0, 0x8000, 0x7ff, 0x87ff, 0x7805, 0xf805}
	p.A.Values(a)
	p.B.Values(b)
	signed := func(list []uint64) (out []int64) {
		for _, v := range list {
			out = append(out, int64(v))
		}
		return out
	}
	require.Equal(t, []int64{0, 0, 2047, -2047, 5, -5}, signed(a))
	require.Equal(t, []int64{0, 0, -2047, 2047, -5, 5}, signed(b))
	// 2047 * 2047 twice, and 25 twice, with their signs against those of b, and what was there: -8380468 + 7.
	require.EqualValues(t, -2*2047*2047-2*25+7, int32(p.Dot()(a, b, 7)))
	require.EqualValues(t, math.MinInt32, int32(uint32(p.Dot()([]uint64{1}, []uint64{1}, math.MaxInt32)))) // it wraps
}

// The deeper K of sm_107f (Tables 48 and 51 to 53), and how many scale factors a row then has (Table 68,
// 9.7.18.10.7.2): 64 elements of 8 bits are two blocks of 32, 128 of 4 bits are four of 32 or eight of 16. A sparse A
// has as many stored. Its metadata are four bits for each two stored elements: 32 * 4 bits are 4 columns.
func TestDeeperK(t *testing.T) {
	const f8, mx8 = 128/16<<24 | 64/8<<17 | 1<<4 | 1<<29, 1<<27 | 64/8<<17 | 1<<23 | 1<<31
	const mx4 = 1<<27 | 64/8<<17 | 1<<23 | 1<<7 | 1<<10 | 1<<3
	for _, c := range []struct {
		kind, blocks       string
		desc               uint32
		k, stored, factors int
	}{
		{"f8f6f4", "", f8, 64, 64, 0},
		{"f8f6f4", "", f8 | 1<<2, 128, 64, 0},
		{"mxf8f6f4", "", mx8, 64, 64, 2},
		{"mxf8f6f4", ".block32", mx8 | 1<<2, 128, 64, 2},
		{"mxf4", "", mx4, 128, 128, 4},
		{"mxf4nvf4", ".block32", mx4, 128, 128, 4},
		{"mxf4nvf4", ".block16", mx4, 128, 128, 8},
	} {
		m := MMA{Kind: ".kind::" + c.kind, Blocks: c.blocks, SM: 107, Arch: "f", Sparse: c.desc>>2&1 != 0}
		p := plan(t, m, c.desc)
		require.Equal(t, [2]int{c.k, c.stored}, [2]int{p.K, p.Stored}, c)
		if m.Scaled() {
			require.Equal(t, c.factors, p.factors, c)
		}
		if first, columns := p.MetadataColumns(); m.Sparse {
			require.Equal(t, [2]int{0, 4}, [2]int{first, columns}, c)
		}
	}
}

// Eight factors of line 33, in lane 1 of every warp: the first four in column 1, the others in column 1 after the four
// columns of 128 lines, or the eight of 256, as in Triton (tensorMemoryScalesToLinearLayout). CUTLASS rounds N up to
// 128 before it lays the factors of B out (MMA_ScaleFactor in mma_traits_sm107.hpp), and so takes 64 lines for 128.
func TestEightScaleFactors(t *testing.T) {
	for _, c := range []struct{ n, columns, second int }{{64, 6, 5}, {128, 8, 5}, {256, 16, 9}} {
		p := plan(t, MMA{Kind: ".kind::mxf4nvf4", Blocks: ".block16", SM: 107, Arch: "f"},
			1<<27|uint32(c.n/8)<<17|1<<23|1<<7|1<<10|1<<3)
		require.Equal(t, [2]int{8, c.columns}, [2]int{p.FactorColumnsA(), p.FactorColumnsB()})
		factors := func(lane, column int) uint32 { // 2^0 to 2^7
			switch {
			case lane%32 == 1 && column == 1:
				return 130<<24 | 129<<16 | 128<<8 | 127
			case lane%32 == 1 && column == c.second:
				return 134<<24 | 133<<16 | 132<<8 | 131
			}
			return 127<<24 | 127<<16 | 127<<8 | 127
		}
		b := make([]uint64, c.n*128)
		for i := range b {
			b[i] = math.Float64bits(1)
		}
		p.ScaleB(b, 0, factors)
		for i := range 128 {
			require.Equal(t, float64(int(1)<<(i/16)), math.Float64frombits(b[33*128+i]), "N %d, k %d", c.n, i)
		}
	}
}
