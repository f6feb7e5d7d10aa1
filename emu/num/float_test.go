package num

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

var inf = float32(math.Inf(1))

func TestFloat32(t *testing.T) {
	check(t, []vector{
		{"testp.normal.f32", ops(0x80000000), 1}, {"testp.number.f32", f32s(inf), 1},
		{"testp.finite.f32", f32s(inf), 0},
		{"testp.subnormal.f32", ops(1), 1}, {"testp.notanumber.f64", ops(qnan64), 1},
		{"testp.infinite.f64", f64s(math.Inf(-1)), 1},
		{"copysign.f32", ops(0x80000000, 0x3fc00000), 0xbfc00000}, {"copysign.f64", f64s(1, -2), math.Float64bits(2)},
		{"add.sat.f32", f32s(0.75, 0.75), one32}, {"add.sat.f32", ops(qnan32, one32), 0},
		{"add.sat.f32", f32s(-1, 0.5), 0},
		{"mul.ftz.sat.f32", ops(0x00800000, 0x3f000000), 0}, // subnormal: 9.7.3.5
		{"mul.ftz.f32", ops(0x80800000, 0x3f000000), 0x80000000}, {"mul.f32", ops(0x80800000, 0x3f000000), 0x80400000},
		{"add.ftz.f32", ops(0x80000001, 0x80000000), 0x80000000},
		{"add.rn.f32", ops(0x3dcccccd, 0x3e4ccccd), 0x3e99999a},
		{"add.rz.f32", ops(0x3dcccccd, 0x3e4ccccd), 0x3e999999},
		{"add.rm.f32", ops(0x3dcccccd, 0x3e4ccccd), 0x3e999999},
		{"add.rp.f32", ops(0x3dcccccd, 0x3e4ccccd), 0x3e99999a},
		{"fma.rn.f32", ops(0x3f800001, 0x3f800001, 0xbf800002), 0x28800000},
		{"fma.rn.f32", ops(0x42c20000, 0x3c28e840, 0x17800000), 0x3f800001},
		{"fma.rz.f32", ops(0x42c20000, 0x3c28e840, 0x17800000), 0x3f800000},
		// 2^-150·(1 - 2^-46) added to an odd subnormal is just below the midpoint, on it in float64
		{"fma.rn.f32", ops(0x1a000001, 0x19fffffe, 0x00400001), 0x00400001},
		{"mad.rn.f32", ops(0x42c20000, 0x3c28e840, 0x17800000), 0x3f800001},
		{"div.approx.f32", ops(one32, 0x7f000000), 0}, {"div.approx.f32", ops(0xbf800000, 0x7f000000), 0x80000000},
		{"div.approx.f32", ops(inf32, 0x7f000000), nan32}, {"div.approx.f32", ops(one32, 0x7e800000), 0x00800000},
		{"div.rn.f32", f32s(1, 3), 0x3eaaaaab}, {"div.rz.f32", f32s(1, 3), 0x3eaaaaaa},
		{"div.rm.f32", f32s(1, 3), 0x3eaaaaaa},
		{"div.rp.f32", f32s(1, 3), 0x3eaaaaab}, {"div.rn.f32", ops(one32, 0x80000000), 0xff800000},
		{"div.rn.f32", ops(0, 0), nan32},
		{"div.full.f32", f32s(6, 3), 0x40000000}, {"div.f32", ops(1, one32), 0}, // approx.ftz in old modules
		{"min.f32", ops(0x80000000, 0), 0x80000000}, {"min.f32", ops(0, 0x80000000), 0x80000000},
		{"max.f32", ops(0x80000000, 0), 0}, {"max.f32", ops(0, 0x80000000), 0},
		{"min.f32", ops(qnan32, one32), one32}, {"min.NaN.f32", ops(qnan32, one32), nan32},
		{"min.f32", ops(qnan32, qnan32), nan32},
		{"max.abs.xorsign.f32", f32s(-3, 2), 0xc0400000}, {"min.abs.xorsign.f32", f32s(-3, -2), 0x40000000},
		{"sqrt.rn.f32", ops(0x80000000), 0x80000000}, {"sqrt.rn.f32", f32s(-1), nan32},
		{"sqrt.rn.f32", f32s(2), 0x3fb504f3},
		{"sqrt.rp.f32", f32s(2), 0x3fb504f4},
		{"sqrt.rm.f32", ops(0x80000000), 0x80000000}, // √2 = 1.0110101000001001111001100110…b
		{"abs.f32", ops(0xff800001), nan32}, {"neg.ftz.f32", ops(1), 0x80000000}, {"neg.f32", ops(1), 0x80000001},
		{"add.rm.f32", f32s(1, -1), 0x80000000}, {"sub.rn.f32", f32s(1, 1), 0}, {"sub.rm.f32", ops(0, 0), 0x80000000},
		{"fma.rm.f32", f32s(1, 1, -1), 0x80000000}, {"add.rz.f32", ops(0x7f7fffff, 0x7f7fffff), 0x7f7fffff},
		{"add.rp.f32", ops(0xff7fffff, 0xff7fffff), 0xff7fffff}, {"mul.rp.f32", ops(1, 1), 1},
		{"mul.rm.f32", ops(1, 0x80000001), 0x80000001},
		{"add.f32x2", ops(0x3f8000003f800000, 0x400000003f800000), 0x4040000040000000},
		{"add.f32.f16", ops(0x3c00, 0x3f800000), 0x40000000},
		{"fma.rn.f32.bf16", ops(0x4000, 0x4040, 0x3f800000), 0x40e00000},
	})
	three := func(key string, a, b, c float32) uint64 {
		v := f32s(a, b, c)
		return kernel(t, key).F3(v[0], v[1], v[2])
	}
	nan := float32(math.NaN())
	require.EqualValues(t, math.Float32bits(3), three("max.ftz.f32", -1, nan, 3))
	require.EqualValues(t, nan32, three("max.NaN.f32", -1, nan, 3))
	require.EqualValues(t, math.Float32bits(2), three("min.abs.f32", -3, -2, 4))
	require.EqualValues(t, 0, AddF32Ftz(1, 0))
	require.EqualValues(t, 0x00800000, AddF32Ftz(0x00800000, 0x007fffff))
}

func TestSpecialsOfApproximations(t *testing.T) {
	check(t, []vector{
		{"rcp.approx.f32", f32s(-inf), 0x80000000}, {"rcp.approx.f32", ops(0x80000000), 0xff800000},
		{"rcp.approx.f32", ops(0), 0x7f800000}, {"rcp.approx.f32", f32s(inf), 0},
		{"rcp.approx.ftz.f32", ops(1), inf32}, {"rcp.approx.ftz.f32", ops(0x7f7fffff), 0},
		{"rsqrt.approx.f32", ops(0x80000000), 0xff800000}, {"rsqrt.approx.f32", ops(0), inf32},
		{"rsqrt.approx.f32", f32s(-1), nan32},
		{"rsqrt.approx.f32", f32s(inf), 0},
		{"sin.approx.f32", ops(0x80000000), 0x80000000}, {"sin.approx.f32", f32s(inf), nan32},
		{"cos.approx.f32", ops(0x80000000), one32},
		{"lg2.approx.f32", ops(0x80000000), 0xff800000}, {"lg2.approx.f32", f32s(-1), nan32},
		{"lg2.approx.f32", f32s(inf), inf32},
		{"lg2.approx.f32", ops(1), uint64(math.Float32bits(-149))}, {"lg2.approx.ftz.f32", ops(1), 0xff800000},
		{"ex2.approx.f32", ops(0x80000000), one32}, {"ex2.approx.f32", f32s(-inf), 0},
		{"ex2.approx.f32", f32s(inf), inf32},
		{"ex2.approx.f32", ops(qnan32), nan32}, {"ex2.approx.f32", f32s(-149), 1},
		{"ex2.approx.ftz.f32", f32s(-149), 0},
		{"ex2.approx.f32", f32s(10), uint64(math.Float32bits(1024))},
		{"tanh.approx.f32", f32s(inf), one32}, {"tanh.approx.f32", f32s(-inf), 0xbf800000},
		{"tanh.approx.f32", ops(0x80000003), 0x80000003},
	})
}

func TestFloat64(t *testing.T) {
	const payload = 0x7ff0000000001234 // signalling
	check(t, []vector{
		{"add.f64", f64s(0.1, 0.2), 0x3fd3333333333334},
		{"add.f64", ops(payload, 0), payload | quiet64}, {"sub.f64", ops(0, payload), payload | quiet64},
		{"add.f64", f64s(math.Inf(1), math.Inf(-1)), invalid64}, {"sqrt.rn.f64", f64s(-1), invalid64},
		{"abs.f64", ops(payload | sign64), payload | sign64}, {"abs.f64", ops(payload), payload},
		{"min.f64", f64s(math.Copysign(0, -1), 0), sign64}, {"max.f64", ops(qnan64, 0), 0},
		{"rcp.approx.ftz.f64", ops(0x4000000012345678), 0x3fe0000000000000},
		{"rcp.approx.ftz.f64", ops(qnan64), 0x7fffffff00000000},
		{"rcp.approx.ftz.f64", ops(1), inf64}, {"rcp.approx.ftz.f64", ops(0x800ffffff0000000), inf64 | sign64},
		{"rsqrt.approx.ftz.f64", ops(sign64 | 1), inf64 | sign64},
		{"rsqrt.approx.ftz.f64", f64s(4), math.Float64bits(0.5)},
		{"rsqrt.approx.ftz.f64", f64s(math.Inf(-1)), 0x7fffffff00000000},
		{"rsqrt.approx.f64", f64s(16), math.Float64bits(0.25)},
		{"div.rz.f64", f64s(1, 3), 0x3fd5555555555555}, {"div.rp.f64", f64s(1, 3), 0x3fd5555555555556},
		{"rcp.rm.f64", f64s(-3), 0xbfd5555555555556},
		{"fma.rn.f64", f64s(1+0x1p-52, 1+0x1p-52, -1-0x1p-51), math.Float64bits(0x1p-104)},
		{"mul.rp.f64", ops(1, 1), 1}, {"mul.rz.f64", f64s(math.MaxFloat64, 2), 0x7fefffffffffffff},
		// r = 0x14bb639c98c0b5 has r² + 7 = 0x1add0bb2567c3c·2^52: a root less than 2^-104 above a number
		{"sqrt.rz.f64", ops(0x3ffadd0bb2567c3c), 0x3ff4bb639c98c0b5},
		{"sqrt.rp.f64", ops(0x3ffadd0bb2567c3c), 0x3ff4bb639c98c0b6},
		// (1 + 2^-52)² + 2^-52 - 2^-104 is 1 + 3·2^-52 exactly
		// The product is 1 + 2^-51 + 2^-104; a little more than its last bit is taken away.
		{"fma.rz.f64", f64s(1+0x1p-52, 1+0x1p-52, -0x1p-104-0x1p-150), 0x3ff0000000000001},
		{"fma.rp.f64", f64s(1+0x1p-52, 1+0x1p-52, -0x1p-104-0x1p-150), 0x3ff0000000000002},
		{"fma.rz.f64", f64s(1+0x1p-52, 1+0x1p-52, 0x1p-52-0x1p-104), 0x3ff0000000000003},
		{"add.rm.f64", f64s(1, -1), sign64}, {"sub.f64", f64s(1, 1), 0},
	})
}

func TestHalf(t *testing.T) {
	check(t, []vector{
		{"add.f16", ops(0x6800, 0x3c00), 0x6800}, {"add.f16", ops(0x6800, 0x4200), 0x6802},
		{"fma.relu.rn.f16x2", ops(0x3c003c00, 0x3c00bc00, 0), 0x3c000000},
		{"fma.relu.rn.bf16", ops(0x7fc0, 0, 0), 0x7fff},
		{"ex2.approx.ftz.bf16", ops(1), 0x3f80}, {"ex2.approx.ftz.bf16", ops(0x8001), 0x3f80},
		{"fma.relu.rn.f16", ops(0x8000, 0x3c00, 0x8000), 0}, // the larger of -0 and +0 (9.7.4.8)
		{"fma.relu.rn.bf16", ops(0x8000, 0x3f80, 0x8000), 0}, {"cvt.relu.rn.f16.f32", ops(0x80000000), 0},
		{"ex2.approx.f16", ops(0x7e00), 0x7fff},
		{"ex2.approx.f16x2", ops(0x3c00fc00), 0x40000000}, {"tanh.approx.f16", ops(0xfc00), 0xbc00},
		{"tanh.approx.bf16x2", ops(0x80007f80), 0x80003f80},
		{"add.f16", ops(0x7bff, 0x7bff), 0x7c00}, {"mul.ftz.f16", ops(0x0400, 0x3800), 0},
		{"mul.f16", ops(0x0400, 0x3800), 0x0200},
		{"add.sat.f16", ops(0x3c00, 0x3c00), 0x3c00}, {"mul.sat.f16", ops(0x7e00, 0), 0},
		{"min.NaN.f16x2", ops(0x7e003c00, 0x3c004000), 0x7fff3c00},
		{"max.abs.xorsign.bf16", ops(0xc040, 0x4000), 0xc040},
		{"neg.f16x2", ops(0x3c00bc00), 0xbc003c00}, {"abs.bf16", ops(0xff81), 0x7fff}, {"neg.ftz.f16", ops(1), 0x8000},
		// 2^100 + 2^-100 in bf16 lies above 2^100: one rounding to the nearest gives 2^100.
		{"fma.rn.bf16", ops(0x7180, 0x3f80, 0x0d80), 0x7180},
		// (1 + 2^-7)·(1 + 2^-1) = 1.51171875 is halfway; the addend 2^-133 decides.
		{"fma.rn.bf16", ops(0x3f81, 0x3fc0, 0x0001), 0x3fc2}, {"fma.rn.bf16", ops(0x3f81, 0x3fc0, 0x8001), 0x3fc1},
	})
	require.EqualValues(t, 0x40004000, AddHalf2(0x3c003c00, 0x3c003c00))
	require.EqualValues(t, 0x40004000, AddBFloat2(0x3f803f80, 0x3f803f80)) // 1 + 1 = 2 is 0x4000 in both
}

func TestComparisons(t *testing.T) {
	check(t, []vector{
		{"setp.and.lt.s32", ops(5, 3), 0}, {"setp.ne.f32", ops(qnan32, one32), 0},
		{"setp.neu.f32", ops(qnan32, one32), 1},
		{"setp.num.f32", ops(qnan32, one32), 0}, {"setp.nan.f32", ops(qnan32, one32), 1},
		{"setp.geu.f64", ops(qnan64, 0), 1},
		{"setp.lo.u32", ops(1, 0xffffffff), 1}, {"setp.lt.u32", ops(1, 0xffffffff), 1},
		{"setp.lt.s32", ops(1, 0xffffffff), 0},
		{"setp.eq.ftz.f32", ops(1, 0x80000002), 1}, {"setp.eq.f32", ops(0, 0x80000000), 1},
		{"setp.ne.b16", ops(1, 2), 1},
		{"set.lt.f32.s32", ops(1, 2), one32}, {"set.lt.u32.s32", ops(1, 2), 0xffffffff},
		{"set.gt.s32.f32", ops(qnan32, 0), 0},
		{"set.and.lt.u32.s32", ops(1, 2, 0), 0}, {"set.lt.xor.u32.s32", ops(1, 2, 0), 0xffffffff},
		{"set.lt.or.f32.f64", ops(0, 0, 1), one32},
		{"set.eq.u32.f16x2", ops(0x40003c00, 0x42003c00), 0xffff},
		{"set.eq.f16x2.f16x2", ops(0x40003c00, 0x42003c00), 0x3c00},
		{"set.eq.or.bf16x2.bf16x2", ops(0x40003c00, 0x42003c00, 1), 0x3f803f80},
		{"set.ge.u16.bf16", ops(0x4000, 0x3f80), 0xffff},
		{"set.eq.f16.s32", ops(1, 1), 0x3c00},
		{"setp.eq.f16x2", ops(0x40003c00, 0x42003c00), 1}, {"setp.gt.bf16x2", ops(0x40003c00, 0x3f803c00), 2},
		{"setp.eq.ftz.f16", ops(1, 0), 1},
		{"slct.u32.f32", ops(1, 2, 0x80000000), 1}, {"slct.u32.f32", ops(1, 2, qnan32), 2},
		{"slct.u32.f32", ops(1, 2, 0x80000001), 2},
		{"slct.ftz.u32.f32", ops(1, 2, 0x80000001), 1}, {"slct.f64.s32", ops(1, 2, 0xffffffff), 2},
		{"slct.b16.s32", ops(1, 2, 0), 1},
	})
}

func TestCvtIntegers(t *testing.T) {
	low32 := func(key string, a uint64) uint64 { return run(t, key, a) & 0xffffffff }
	require.EqualValues(t, 0xffffffff, low32("cvt.s16.u32", 0xffff))
	require.EqualValues(t, 0x80000000, low32("cvt.rzi.s32.f64", qnan64))
	require.EqualValues(t, 0xfffffffe, low32("cvt.rni.s32.f32", f32s(-2.5)[0]))
	require.EqualValues(t, 0xffffffff, low32("cvt.rmi.s32.f32", f32s(-0.5)[0]))
	require.EqualValues(t, 0xffffffff, low32("cvt.rzi.s32.f32", f32s(-1.9)[0]))
	check(t, []vector{
		{"cvt.rzi.s32.f32", f32s(3e9), 0x7fffffff}, {"cvt.rzi.u32.f32", f32s(-1), 0},
		{"cvt.rzi.u8.f32", f32s(300), 255},
		{"cvt.rzi.s32.f32", ops(qnan32), 0}, {"cvt.rzi.s32.f32", f32s(0x1.fffffep30), 0x7fffff80},
		{"cvt.rzi.s32.f32", f32s(-3e9), 0xffffffff80000000}, {"cvt.rzi.s32.f32", f32s(-1.9), ^uint64(0)},
		{"cvt.rzi.u32.f64", ops(qnan64), 0x80000000},
		{"cvt.rzi.s64.f32", ops(qnan32), 1 << 63}, {"cvt.rzi.u64.f32", ops(qnan32), 1 << 63},
		{"cvt.rzi.s64.f16", ops(0x7e00), 1 << 63},
		{"cvt.rni.s32.f32", f32s(2.5), 2}, {"cvt.rni.s32.f32", f32s(3.5), 4}, {"cvt.rpi.s32.f32", f32s(-0.5), 0},
		{"cvt.ftz.rpi.s32.f32", ops(1), 0}, {"cvt.rpi.s32.f32", ops(1), 1}, {"cvt.rzi.u64.f64", f64s(1 << 63), 1 << 63},
		{"cvt.rzi.u64.f32", f32s(2e19), ^uint64(0)}, {"cvt.rzi.s64.f64", f64s(-1e30), 1 << 63},
		{"cvt.rzi.s64.f64", f64s(1e30), 1<<63 - 1},
		{"cvt.u8.s32", ops(0xffffffff), 0xff}, {"cvt.s8.s32", ops(0x1ff), ^uint64(0)},
		{"cvt.u64.s32", ops(0xffffffff), ^uint64(0)},
		{"cvt.s64.u32", ops(0xffffffff), 0xffffffff},
		{"cvt.sat.u8.s32", ops(0xfffffffb), 0}, {"cvt.sat.u8.s32", ops(300), 255}, {"cvt.sat.s8.u32", ops(200), 127},
		{"cvt.sat.u32.s32", ops(0xffffffff), 0}, {"cvt.sat.s8.s64", ops(1 << 63), ^uint64(127)},
		{"cvt.sat.u32.u64", ops(1 << 40), 0xffffffff},
		{"cvt.sat.s64.u64", ops(1 << 63), 1<<63 - 1}, {"cvt.sat.u64.s64", ops(1 << 63), 0},
		{"cvt.rn.f32.u64", ops(0x8000008000000001), 0x5f000001},
		{"cvt.rn.f32.s32", ops(0xfeffffff), 0xcb800000}, {"cvt.rm.f32.s32", ops(0xfeffffff), 0xcb800001},
		{"cvt.rp.f32.s32", ops(0xfeffffff), 0xcb800000},
		{"cvt.rn.f64.s64", ops(^uint64(0)), math.Float64bits(-1)}, {"cvt.rz.f16.u32", ops(70000), 0x7bff},
		{"cvt.rn.f16.u32", ops(70000), 0x7c00},
		{"cvt.rn.sat.f32.u32", ops(5), one32}, {"cvt.rz.bf16.u64", ops(^uint64(0)), 0x5f7f},
		{"cvt.rn.f32.s16", ops(0x8000), 0xc7000000},
		{"cvt.pack.sat.u8.s32.b32", ops(300, 0xfffffffb, 0x1234), 0x1234ff00},
		{"cvt.pack.sat.s16.s32", ops(40000, 0xffff63c0), 0x7fff8000},
		{"cvt.pack.sat.s2.s32.b32", ops(5, 0xfffffff0, 0x1), 0x16},
		{"cvt.pack.sat.u4.s32.b32", ops(5, 20, 0xabcdef12), 0xcdef125f},
	})
}

func TestCvtFloats(t *testing.T) {
	check(t, []vector{
		{"cvt.rn.f16.f32", f32s(65520), 0x7c00}, {"cvt.rz.f16.f32", f32s(65520), 0x7bff},
		{"cvt.rm.f16.f32", f32s(65520), 0x7bff},
		{"cvt.rp.f16.f32", f32s(65520), 0x7c00}, {"cvt.rn.f16.f32", f32s(65519), 0x7bff},
		{"cvt.rp.f16.f32", f32s(65519), 0x7c00},
		{"cvt.rz.f16.f32", f32s(65519), 0x7bff}, {"cvt.rm.f16.f32", f32s(65519), 0x7bff},
		{"cvt.rn.satfinite.f16.f32", f32s(1e6), 0x7bff}, {"cvt.relu.rn.f16.f32", f32s(-1), 0},
		{"cvt.rn.satfinite.f16.f32", ops(qnan32), 0x7fff},
		{"cvt.rn.satfinite.f16.f32", f32s(-inf), 0xfbff},
		{"cvt.rn.f16x2.f32", f32s(1, 2), 0x3c004000}, {"cvt.rn.bf16x2.f32", f32s(1, 2), 0x3f804000},
		{"cvt.relu.rz.satfinite.bf16x2.f32", f32s(-1, inf), 0x7f7f},
		{"cvt.rn.bf16.f32", ops(0x3f808000), 0x3f80}, {"cvt.rn.bf16.f32", ops(0x3f818000), 0x3f82},
		{"cvt.rn.bf16.f32", ops(0x7f7fffff), 0x7f80},
		{"cvt.rz.bf16.f32", ops(0x7f7fffff), 0x7f7f},
		// half of the least normal
		{"cvt.rn.bf16.f32", ops(0x80400000), 0x8040}, {"cvt.ftz.rn.bf16.f32", ops(0x80400000), 0x8000},
		{"cvt.rz.bf16.f32", ops(0xff800000), 0xff80}, {"cvt.rm.f16.f64", f64s(math.Inf(1)), 0x7c00},
		{"cvt.rm.f16.f64", f64s(-1e300), 0xfc00},
		{"cvt.rna.tf32.f32", ops(0x3f801000), 0x3f802000}, {"cvt.rna.tf32.f32", ops(0x3f800fff), 0x3f800000},
		{"cvt.rna.tf32.f32", ops(0xbf801000), 0xbf802000}, {"cvt.rn.tf32.f32", ops(0x3f801000), 0x3f800000},
		{"cvt.rna.satfinite.tf32.f32", ops(0x7f7fffff), 0x7f7fe000}, {"cvt.rna.tf32.f32", ops(0x7f7fffff), inf32},
		{"cvt.rn.f16.f64", f64s(1 + 0x1p-11 + 0x1p-30), 0x3c01}, {"cvt.rn.f16.f32", f32s(1 + 0x1p-11), 0x3c00},
		{"cvt.f32.f16", ops(0x0001), uint64(math.Float32bits(0x1p-24))}, {"cvt.f32.f16", ops(0xfc00), 0xff800000},
		{"cvt.f32.f16", ops(0x7c01), nan32},
		{"cvt.f32.bf16", ops(0x3f80), one32}, {"cvt.ftz.f32.bf16", ops(0x0001), 0},
		{"cvt.f32.bf16", ops(0x0001), 0x00010000},
		{"cvt.f64.f32", ops(0xff800001), 0xfff8000020000000}, {"cvt.f64.f32", ops(1), math.Float64bits(0x1p-149)},
		{"cvt.ftz.f64.f32", ops(1), 0},
		{"cvt.rn.f32.f64", f64s(0.1), 0x3dcccccd}, {"cvt.rz.f32.f64", f64s(0.1), 0x3dcccccc},
		{"cvt.rp.f32.f64", f64s(1e300), inf32},
		{"cvt.rm.f32.f64", f64s(1e300), 0x7f7fffff}, {"cvt.rn.sat.f32.f64", ops(qnan64), 0},
		{"cvt.rn.f32.f64", ops(qnan64), nan32},
		{"cvt.rni.f32.f32", f32s(2.5), uint64(math.Float32bits(2))}, {"cvt.rpi.f32.f32", f32s(-0.5), 0x80000000},
		{"cvt.rmi.f64.f64", f64s(-0.5), math.Float64bits(-1)},
		{"cvt.rzi.f16.f16", ops(0x3e00), 0x3c00}, {"cvt.sat.f32.f32", f32s(-3), 0},
		{"cvt.sat.f64.f64", f64s(3), math.Float64bits(1)},
		{"cvt.rz.bf16.f16", ops(0x3fff), 0x3fff}, {"cvt.rn.f16.bf16", ops(0x7f00), 0x7c00},
	})
}

func TestCvtSmallFormats(t *testing.T) {
	first := func(key string, x float32) uint64 { return run(t, key, f32s(0, x)...) }
	for x, want := range map[float32]uint64{
		448: 0x7e, 500: 0x7e, 17: 0x58, 19: 0x5a, 0x1p-9: 1, 0x1p-10: 0, 3 * 0x1p-10: 2, -1e9: 0xfe,
	} {
		require.Equal(t, want, first("cvt.rn.satfinite.e4m3x2.f32", x), x)
	}
	for x, want := range map[float32]uint64{57344: 0x7b, 1e6: 0x7b, 1: 0x3c, 0.3: 0x35, inf: 0x7b} {
		require.Equal(t, want, first("cvt.rn.satfinite.e5m2x2.f32", x), x)
	}
	check(t, []vector{
		{"cvt.rn.satfinite.e4m3x2.f32", ops(qnan32, 0), 0x7f00}, {"cvt.rn.f16x2.e5m2x2", ops(0x7c), 0x7c00},
		{"cvt.rn.f16x2.e4m3x2", ops(0x7e38), 0x5f003c00}, // 448 = 1.75·2^8, 1
		{"cvt.relu.rn.f16x2.e4m3x2", ops(0xb801), 0x00001800},
		{"cvt.rn.satfinite.e4m3x2.f16x2", ops(0x3c00c000), 0x38c0},
		{"cvt.rn.satfinite.e2m1x2.f32", f32s(6, -0.5), 0x79},
		{"cvt.rn.satfinite.e2m1x2.f32", ops(qnan32, 0xff800000), 0x7f},
		{"cvt.rn.f16x2.e2m1x2", ops(0x79), 0x4600b800}, // 6, -0.5
		{"cvt.rn.satfinite.e2m3x2.f32", f32s(7.5, 0.125), 0x1f01},
		{"cvt.rn.satfinite.e3m2x2.f32", f32s(28, -100), 0x1f3f},
		{"cvt.rn.f16x2.e3m2x2", ops(0x1f01), 0x4f002c00}, // 28 = 1.75·2^4, 2^-4
		{"cvt.rz.ue8m0x2.f32", f32s(1.5, 0x1p-127), 0x7f00}, {"cvt.rp.ue8m0x2.f32", f32s(1.5, -2), 0x8080},
		{"cvt.rp.satfinite.ue8m0x2.f32", ops(0x7f7fffff, qnan32), 0xfeff},
		{"cvt.rp.ue8m0x2.bf16x2", ops(0x3f803f81), 0x7f80},
		{"cvt.rn.bf16x2.ue8m0x2", ops(0x7f00), 0x3f800040}, {"cvt.rn.bf16x2.ue8m0x2", ops(0xff80), 0x7fff4000},
		{"cvt.rn.satfinite.s2f6x2.f32", f32s(1, -5), 0x4080},
		{"cvt.rn.satfinite.s2f6x2.f32", ops(qnan32, 0xbf800000), 0x7fc0},
		// 2/2, and 1/0.5 = 2, which saturates
		{"cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32", append(f32s(2, 1), 0x807e), 0x407f},
		{"cvt.rn.bf16x2.s2f6x2", ops(0x40c0), 0x3f80bf80},
		{"cvt.rn.scaled::n2::ue8m0.bf16x2.s2f6x2", ops(0x40c0, 0x807f), 0x4000bf80},
		{"cvt.rn.satfinite.s2f6x2.bf16x2", ops(0x3f80bf80), 0x40c0},
		// 1 + 2^-11 discards 0x1000 of 13 bits: 0x1000 more carry out, 0xfff do not.
		{"cvt.rs.f16x2.f32", append(f32s(1+0x1p-11, 1+0x1p-11), 0x10000fff), 0x3c013c00},
		{"cvt.rs.bf16x2.f32", ops(0x3f808000, 0xbf808000, 0x80007fff), 0x3f81bf80},
	})
}

// Four values with shared random bits (9.7.10.24): a and b with the upper half of rbits, e and f with the lower; for
// .e2m1x4 with the upper and the lower bytes of both halves. Halfway between two numbers, 0x8000 carries and 0x7fff
// does not. 1 is 0x38 in e4m3, 1.125 is 0x39; 1 is 2 in e2m1, 1.5 is 3.
func TestCvtStochasticOfFour(t *testing.T) {
	four := func(x ...float32) (v [4]uint64) {
		for i := range v {
			v[i] = uint64(math.Float32bits(x[i]))
		}
		return v
	}
	for _, c := range []struct {
		key  string
		v    [4]uint64
		r, d uint64
	}{
		{"cvt.rs.satfinite.e4m3x4.f32", four(1.0625, -1.0625, 1.0625, -1.0625), 0x80007fff, 0x39b938b8},
		{"cvt.rs.satfinite.e4m3x4.f32", four(1e38, -448, 1.125, 0), 0xffffffff, 0x7efe3900},
		{"cvt.relu.rs.satfinite.e4m3x4.f32", four(-1, 1, float32(math.NaN()), float32(math.Inf(1))), 0, 0x00387f7e},
		{"cvt.rs.satfinite.e5m2x4.f32", four(1.125, 1.25, 1.125, 2), 0x7fff8000, 0x3c3d3d40},
		{"cvt.rs.satfinite.e2m3x4.f32", four(0.0625, 7.5, 8, 0.0625), 0x80007fff, 0x011f1f00},
		{"cvt.rs.satfinite.e3m2x4.f32", four(-28, -29, 1, float32(math.NaN())), 0, 0x3f3f0c1f},
		{"cvt.rs.satfinite.e2m1x4.f32", four(1.25, 1.25, 1.25, 1.25), 0x807f00ff, 0x3322},
		{"cvt.rs.satfinite.e2m1x4.f32", four(6, 7, -1, 0.25), 0x00800000, 0x77a1},
	} {
		k, ok := Lookup(c.key)
		require.True(t, ok, c.key)
		require.Equal(t, c.d, k.V4(c.v, c.r), "%s %x", c.key, c.d)
	}
}

// The special NaN of a tensor's outside makes a product-sum zero, each half for itself (9.7.4.4).
func TestFmaOutOfBounds(t *testing.T) {
	check(t, []vector{
		{"fma.oob.rn.f16", ops(OOBNaN, 0x3c00, 0x3c00), 0}, {"fma.oob.rn.f16", ops(0x3c00, 0x3c00, 0x3c00), 0x4000},
		{"fma.oob.rn.f16", ops(0x3c00, OOBNaN, 0x7c00), 0}, {"fma.oob.rn.f16", ops(0x7fff, 0x3c00, 0x3c00), 0x7fff},
		{"fma.oob.rn.bf16x2", ops(OOBNaN<<16|0x3f80, 0x3f803f80, 0x3f803f80), 0x00004000},
		{"fma.oob.relu.rn.f16", ops(0xbc00, 0x3c00, 0), 0},
	})
}
