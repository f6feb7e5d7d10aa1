package num

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Instructions of PTX ISA 9.2 to 9.4. The comments give the sections of 9.4 and work the numbers out.

// refuse checks that opcodes, written as keys, have no kernel.
func refuse(t *testing.T, keys string) {
	t.Helper()
	for _, key := range strings.Fields(keys) {
		_, ok := Lookup(key)
		require.False(t, ok, key)
	}
}

func TestPackedIntegers(t *testing.T) {
	// bytes, high to low: f0 7f 80 80 and 20 01 01 80
	const a, b = 0xf07f8080, 0x20010180
	check(t, []vector{
		{"add.u8x4", ops(a, b), 0x10808100},     // 9.7.1.1: 110 80 81 100
		{"add.s8x4", ops(a, b), 0x10808100},     // the same bits
		{"add.sat.u8x4", ops(a, b), 0xff8081ff}, // at most ff
		{"add.sat.s8x4", ops(a, b), 0x107f8180}, // -16+32, 127+1, -128+1, -128-128
		{"sub.u8x4", ops(b, a), 0x30828100},     // 9.7.1.2: no borrow from byte to byte
		{"sub.sat.u8x4", ops(a, b), 0xd07e7f00},
		{"sub.sat.u8x4", ops(b, a), 0},          // at least 0
		{"sub.sat.s8x4", ops(a, b), 0xd07e8000}, // -16-32, 127-1, -128-1, 0
		{"neg.s8x4", ops(0x8001ff00), 0x80ff0100},
		{"add.sat.u32", ops(0xfffffff0, 0x10), 0xffffffff},
		{"add.sat.u32", ops(0xffffffef, 0x10), 0xffffffff},
		{"add.sat.u32", ops(0x7fffffff, 1), 0x80000000},
		{"add.sat.u16x2", ops(0xfff00001, 0x0020fffe), 0xffffffff},
		{"add.sat.s16x2", ops(0x7fff8000, 0x0001ffff), 0x7fff8000},
		{"add.sat.s16x2", ops(0x80007ffe, 0x00010001), 0x80017fff},
		// bytes, low to high: 127 -128 -5 5 and -2 -3 4 -2
		{"max.s8x4", ops(0x05fb807f, 0xfe04fdfe), 0x0504fd7f},
		{"max.relu.s8x4", ops(0x05fb807f, 0xfe04fdfe), 0x0504007f},
		{"min.s8x4", ops(0x05fb807f, 0xfe04fdfe), 0xfefb80fe},
		{"min.relu.s8x4", ops(0x057f807f, 0x0604fdfe), 0x05040000},
		{"min.u8x4", ops(0x05fb807f, 0xfe04fdfe), 0x0504807f},
		{"max.u8x4", ops(0x05fb807f, 0xfe04fdfe), 0xfefbfdfe},
		{"set.lt.s8x4", ops(0x05fb807f, 0xfe04fdfe), 0x00ffff00}, // 9.7.7.1
		{"set.lt.u8x4", ops(0x05fb807f, 0xfe04fdfe), 0xff00ffff},
		{"set.lo.u8x4", ops(0x05fb807f, 0xfe04fdfe), 0xff00ffff},
		{"set.ge.s16x2", ops(0x05fb807f, 0xfe04fdfe), 0xffff0000}, // 1531 >= -508, -32641 < -514
		{"set.hs.u16x2", ops(0x05fb807f, 0xfe04fdfe), 0},
		{"set.eq.u16x2", ops(0x05fb807f, 0x05fbfdfe), 0xffff0000},
	})
	refuse(t, `
		sub.u16x2 sub.sat.s16x2 sub.sat.u32 add.sat.u64 abs.s8x4 neg.u8x4 min.relu.u8x4 set.lo.s8x4 set.equ.u8x4
		set.and.eq.u8x4 setp.eq.u8x4 mul.lo.u8x4 clmad.wide.u64 clmad.lo.u32 add.cc.u8x4 cvt.u8x4.s8x4`)
}

// 9.7.1.5
func TestCarrylessMultiplication(t *testing.T) {
	const ones, fives = ^uint64(0), 0x5555555555555555
	check(t, []vector{
		{"clmad.lo.u64", ops(0b1011, 0b1101, 0), 0b1111111}, // 1011 ^ 101100 ^ 1011000
		{"clmad.lo.u64", ops(0b1011, 0b1101, 0xf0), 0x8f},
		{"clmad.hi.u64", ops(0b1011, 0b1101, 5), 5},
		{"clmad.hi.u64", ops(1<<63, 1<<63, 0), 1 << 62}, // x^63 * x^63 = x^126
		{"clmad.lo.u64", ops(1<<63, 1<<63, 0), 0},
		{"clmad.hi.u64", ops(3<<62, 3<<62, 1), 0x5<<60 | 1}, // (x^63+x^62)^2 = x^126+x^124
		{"clmad.lo.u64", ops(ones, ones, 0), fives},         // a square has the terms of a, twice as far apart
		{"clmad.hi.u64", ops(ones, ones, ones), fives << 1},
		{"clmad.hi.u64", ops(1<<63, 2, 0), 1},
	})
}

// 9.7.5, packed.
func TestMixedPairs(t *testing.T) {
	pair := func(hi, lo float32) uint64 { return f32s(hi)[0]<<32 | f32s(lo)[0] }
	const tiny = 0x1p-15 // subnormal as .f16
	check(t, []vector{
		{"add.f32x2.f16x2.f32x2", ops(0xc0003c00, pair(3, 0.5)), pair(1, 1.5)},
		{"sub.rn.f32x2.bf16x2.f32x2", ops(0xbf804000, pair(3, 0.5)), pair(-4, 1.5)},
		{"add.rp.f32x2.f16x2.f32x2", ops(0x3c003c00, pair(0x1p-30, -1)), pair(0x1.000002p0, 0)},
		{"sub.rm.f32x2.f16x2.f32x2", ops(0x3c003c00, pair(0x1p-30, 1)), pair(0x1.fffffep-1, 0) | 1<<31}, // 1-1 is -0
		{"fma.rn.f32x2.bf16x2.f32x2.f32x2", ops(0xbf804000, pair(4, 3), pair(1, 0.5)), pair(-3, 6.5)},
		{"fma.rz.f32x2.f16x2.f32x2.f32x2", ops(0x3c013c01, pair(1, 0x1.fffffep0), pair(0x1p-40, 0)),
			pair(0x1.004p0, 0x1.003ffep1)}, // (1+2^-10)(2-2^-23) is 2+2^-9-2^-23-2^-33; the last place is 2^-22
		// 1 and three quarters of the last place go down; twice the largest number stays the largest
		{"add.ftz.rz.f16x2.f32x2.f32x2", ops(pair(65504, 1), pair(65504, 0x1.8p-11)), 0x7bff3c00},
		// 1+2^-10-2^-34 and its negative; rounded to .f32 first, they would become 1+2^-10
		{"add.ftz.rz.f16x2.f32x2.f32x2", ops(pair(-1, 1), pair(-0x1.fffffep-11, 0x1.fffffep-11)), 0xbc003c00},
		{"add.ftz.rz.f16x2.f32x2.f32x2", ops(pair(-tiny, tiny), pair(0, 0)), 0x80000000}, // results are flushed
		{"add.ftz.rz.f16x2.f32x2.f32x2", ops(pair(0x1p-126, 0x1p-130), pair(1, 0)), 0x3c000000},
		{"sub.rz.bf16x2.f32x2.f32x2", ops(pair(3, 1), pair(1, -0x1.8p-8)), 0x40003f80},
		{"add.rz.bf16x2.f32x2.f32x2", ops(pair(1, 0x1p-133), pair(-1, 0)), 0x00000001}, // and not where .ftz is not
		{"mul.rz.bf16x2.f32x2.f32x2", ops(pair(0x1.02p0, 1.5), pair(0x1.02p0, 1.5)), 0x3f824010},
		{"mul.ftz.rz.f16x2.f32x2.f32x2", ops(pair(256, 0.5), pair(256, -0.5)), 0x7bffb400},
		{"mul.bf16x2.bf16x2.f16x2", ops(0x3f804000, 0x3c013e00), 0x3f804040}, // 1 * (1+2^-10), which is 1 as .bf16; 2 * 1.5
		{"mul.f16x2.f16x2.bf16x2", ops(0x04003c00, 0x48003f81), 0x7c003c08},  // 2^17 is infinity as .f16; 1 * (1+2^-7)
	})
	refuse(t, `
		fma.f32x2.f16x2.f32x2.f32x2 add.rz.f16x2.f32x2.f32x2 add.ftz.rz.bf16x2.f32x2.f32x2 add.rn.bf16x2.f32x2.f32x2
		add.sat.f32x2.f16x2.f32x2 mul.f32x2.f16x2.f32x2 mul.rn.f16x2.f16x2.bf16x2 mul.f16x2.f16x2.f16x2
		fma.rn.f32x2.f16x2.f16x2.f32x2 add.f32x2.f32x2.f32x2 mad.rn.f32x2.f16x2.f32x2.f32x2`)
}

// 9.7.6. Elements in the comments are in the order of their bits, the lowest first.
func TestFours(t *testing.T) {
	check(t, []vector{
		// 1+2=3, 448+448, -1+1, 2^-9+2^-9
		{"add.e4m3x4.e4m3x4", ops(0x01b87e38, 0x01387e40), 0x02007f44},
		{"add.rn.satfinite.e4m3x4.e4m3x4", ops(0x01b87e38, 0x01387e40), 0x02007e44},
		// 448+16 is half way to what would be 480, and 448 is even; 448+18 is beyond; -448-18
		{"add.e4m3x4.e4m3x4", ops(0x00d95958, 0x00fe7e7e), 0x007f7f7e},
		{"add.satfinite.e4m3x4.e4m3x4", ops(0x00d95958, 0x00fe7e7e), 0x00fe7e7e},
		// 1*1, 2*6, NaN*0.5, 0.5*-6; unpadded and padded, where the upper half of a byte does not count
		{"mul.e5m2x4.ue8m0x4.e2m1x4", ops(0x7eff807f, 0xf172), 0xc27f4a3c},
		{"mul.rn.e5m2x4.ue8m0x4.e2m1p4x4", ops(0x7eff807f, 0xaf51b7d2), 0xc27f4a3c},
		{"mul.e5m2x4.e2m1x4.ue8m0x4", ops(0xf172, 0x7eff807f), 0xc27f4a3c},
		// 1*1+1, 28*7.5+0=210, -28*7.5+448=238, 0*0-0; the last place of 128 to 256 is 16
		{"fma.e4m3x4.e3m2x4.e2m3x4", ops(0x003f1f0c, 0x001f1f08, 0x807e0038), 0x00777540},
		{"fma.satfinite.e4m3x4.e3m2x4.e2m3x4", ops(0xc0ffdfcc, 0xc0dfdfc8, 0x807e0038), 0x00777540},
		// inf-inf, inf-1, -inf-1, 1-1
		{"sub.e5m2x4.e5m2x4", ops(0x3cfc7c7c, 0x3c3c3c7c), 0x00fc7c7f},
		{"sub.satfinite.e5m2x4.e5m2x4", ops(0x3cfc7c7c, 0x3c3c3c7c), 0x00fb7b7f},
		// infinities have no place in e4m3
		{"mul.e4m3x4.e5m2x4.e5m2x4", ops(0x007bfc7c, 0x3c3c3c3c), 0x007f7f7f},
		{"mul.satfinite.e4m3x4.e5m2x4.e5m2x4", ops(0x007bfc7c, 0x3c3c3c3c), 0x007efe7e},
		// 2^127*2^127+1 overflows, 2^-127*2^-127+1 does not change 1, and 1+2^-3 is half way to 1.25, 1+2^-3+2^-254 is not
		{"fma.e5m2x4.ue8m0x4.ue8m0x4", ops(0x7f7c00fe, 0x007f00fe, 0x3c3c3c3c), 0x3c3c3c7c},
		{"fma.satfinite.e5m2x4.ue8m0x4.ue8m0x4", ops(0x7f7c00fe, 0x007f00fe, 0x3c3c3c3c), 0x3c3c3c7b},
		{"fma.e5m2x4.e5m2x4.e5m2x4", ops(0x00000101, 0x00000101, 0x00003c04), 0x00003c04}, // 2^-32 changes nothing
	})
	refuse(t, `
		add.e3m2x4.e4m3x4 add.e4m3x4.e4m3x4.e4m3x4 mul.e4m3x4.e4m3x4 fma.e4m3x4.e4m3x4 add.rz.e4m3x4.e4m3x4
		add.ftz.e4m3x4.e4m3x4 add.e4m3x4.e4m3x2 mad.e4m3x4.e4m3x4.e4m3x4 add.e4m3x4`)
}

// 9.7.10.24
func TestNewerConversions(t *testing.T) {
	const f1, fm1 = 0x3f800000, 0xbf800000
	check(t, []vector{
		{"cvt.rz.satfinite.e4m3x2.f32", f32s(1.2, -1.2), 0x39b9}, // 1.125; the last place is 1/8
		{"cvt.rn.satfinite.e4m3x2.f32", f32s(1.2, -1.2), 0x3aba},
		{"cvt.rz.satfinite.e2m1x2.f32", f32s(2.9, 5.5), 0x46}, // 2 and 4
		{"cvt.rz.satfinite.e2m1x2.f32", f32s(100, -100), 0x7f},
		{"cvt.rz.satfinite.e3m2x2.bf16x2", ops(0x3f88bf98), 0x0c2c}, // 1.0625 and -1.1875 are 1 and -1
		{"cvt.pzo.rn.f16x2.f32", ops(0x80000000, 0xa0000000), 0},    // -0, and what rounds to it
		{"cvt.rn.f16x2.f32", ops(0x80000000, 0xa0000000), 0x80008000},
		{"cvt.pzo.rn.bf16x2.f32", ops(fm1, 0x80000000), 0xbf800000},
		{"cvt.pzo.rn.bf16.f32", ops(0x80000000), 0},
		{"cvt.pzo.rz.f16.f32", ops(0x80000001), 0},
		{"cvt.pzo.rn.tf32.f32", ops(0x80000000), 0},
		{"cvt.pzo.rn.satfinite.e4m3x2.f32", ops(0x80000000, 0xa0000000), 0},
		{"cvt.pzo.rn.satfinite.e2m1x2.f16x2", ops(0x8000bc00), 0x0a},
		// 8 and 4 by 2^3; 2^-127 is subnormal and flushed, 2^-126 is not: by 2^-127 they are 0 and 2
		{"cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32", append(f32s(8, 4), 130), 0x3830},
		{"cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32", ops(0x00400000, 0x00800000, 0), 0x0040},
		{"cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32", ops(f1, f1, 0xff), 0x7f7f}, // NaN
		{"cvt.rn.satfinite.scaled::n1::ue8m0.e2m1x2.bf16x2", ops(0x3f80bf80, 0xff), 0x77},
		// 1.0625 is 1 and -1.1875 is -1.125; bits above the scale do not count
		{"cvt.rz.satfinite.scaled::n1::ue8m0.e2m3x2.f32", append(f32s(2.125, -2.375), 128), 0x0829},
		{"cvt.rn.satfinite.scaled::n1::ue8m0.e5m2x2.f16x2", ops(0x03ff4000, 0x117f), 0x0040},
		// 448 and 1, then times 2 and 1/2, then times 2^127 and NaN
		{"cvt.rn.bf16x2.e4m3x2", ops(0x7e38), 0x43e03f80},
		{"cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2", ops(0x7e38, 0x807e), 0x44603f00},
		{"cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2", ops(0x7e38, 0xfeff), 0x7f807fff},
		{"cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.e4m3x2", ops(0x7efe, 0xfefe), 0x7f7fff7f},
		{"cvt.rn.satfinite.bf16x2.e5m2x2", ops(0x7cfc), 0x7f7fff7f},
		{"cvt.rn.bf16x2.e5m2x2", ops(0x7c7f), 0x7f807fff},
		{"cvt.relu.rn.bf16x2.e2m1x2", ops(0xf2), 0x00003f80},
		{"cvt.rn.bf16x2.e3m2x2", ops(0x1f2c), 0x41e0bf80}, // 28 and -1
		{"cvt.rn.bf16x2.e2m3x2", ops(0x1f28), 0x40f0bf80}, // 7.5 and -1
		// ue5m3: 1 is 0x78, the last place after it 1/8; the largest is 114688, next to it would be 122880
		{"cvt.rp.satfinite.ue5m3x2.f32", f32s(1.0625, 1.1875), 0x797a},
		{"cvt.rz.satfinite.ue5m3x2.f16x2", ops(0x3c403cc0), 0x7879},
		{"cvt.rn.satfinite.scaled::n1::ue8m0.ue5m3x2.f32", append(f32s(2.125, 2.375), 128), 0x787a}, // ties to even
		{"cvt.rn.ue5m3x2.f32", f32s(118784, 120000), 0xfeff},                                        // half way, and beyond
		{"cvt.rn.satfinite.ue5m3x2.f32", f32s(118784, 120000), 0xfefe},
		{"cvt.rz.ue5m3x2.f32", f32s(120000, 1e30), 0xfefe},
		{"cvt.rp.ue5m3x2.f32", f32s(114689, 0x1p-40), 0xff01},
		{"cvt.rz.ue5m3x2.bf16x2", ops(0x7f807fc0), 0xffff}, // infinity and NaN
		{"cvt.rz.satfinite.ue5m3x2.bf16x2", ops(0x7f807fc0), 0xfeff},
		{"cvt.rn.f16x2.ue5m3x2", ops(0x0178), 0x00803c00}, // 2^-17 and 1
		{"cvt.rn.f16x2.ue5m3x2", ops(0xfeff), 0x7c007fff},
		{"cvt.rn.bf16x2.ue5m3x2", ops(0xfe01), 0x47e03700}, // 1.75*2^16 and 2^-17
		{"cvt.rn.scaled::n2::ue8m0.bf16x2.ue5m3x2", ops(0x7878, 0x8080), 0x40004000},
		{"cvt.rz.satfinite.s2f6x2.f32", f32s(0.99, -0.99), 0x3fc1}, // 63.36 and -63.36
	})
	refuse(t, `
		cvt.rm.satfinite.e4m3x2.f32 cvt.pzo.rm.f16.f32 cvt.pzo.rna.tf32.f32 cvt.pzo.rs.f16x2.f32
		cvt.pzo.rn.f16x2.e4m3x2 cvt.rm.ue5m3x2.f32 cvt.rp.scaled::n1::ue8m0.ue5m3x2.f32 cvt.relu.rn.ue5m3x2.f32
		cvt.relu.rn.bf16x2.ue5m3x2 cvt.rn.satfinite.f16x2.ue5m3x2 cvt.rn.scaled::n1::ue8m0.bf16x2.e4m3x2
		cvt.rn.scaled::n2::ue8m0.f16x2.e4m3x2 cvt.rz.bf16x2.e4m3x2 cvt.pzo.rn.f32.f64
		cvt.rn.satfinite.ue5m3x2.ue8m0x2`)
}
