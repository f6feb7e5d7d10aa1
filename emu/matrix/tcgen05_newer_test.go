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
		{nv4(".block16", 107, "f", false), mx | 1<<3, "K 128, of a dense A, is not emulated yet"},
		{nv4(".block16", 103, "a", false), mx | 1<<3, "the bits 0x8 are reserved"},
		{nv4(".block16", 107, "f", false), mx | 1<<26, "scale factors in 128 lanes are not emulated yet"},
		{nv4(".block16", 110, "f", false), mx | 1<<26, "the bits 0x4000000 are reserved"},
		{MMA{Kind: ".kind::f8f6f4", SM: 107, Arch: "f"}, 128/16<<24 | 64/8<<17 | 1<<4 | 1<<29,
			"K 64, of a dense A, is not emulated yet"},
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
