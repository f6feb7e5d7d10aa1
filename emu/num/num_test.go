package num

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func kernel(t testing.TB, key string) *Kernel {
	t.Helper()
	k, ok := Lookup(key)
	require.True(t, ok, key)
	require.Equal(t, key, k.Key)
	return k
}

// run applies a kernel to as many operands as it takes.
func run(t testing.TB, key string, in ...uint64) uint64 {
	t.Helper()
	k := kernel(t, key)
	in = append(in, 0, 0, 0, 0, 0)
	switch {
	case k.F1 != nil:
		return k.F1(in[0])
	case k.F2 != nil:
		return k.F2(in[0], in[1])
	case k.F3 != nil:
		return k.F3(in[0], in[1], in[2])
	case k.F4 != nil:
		return k.F4(in[0], in[1], in[2], in[3])
	case k.V4 != nil:
		return k.V4([4]uint64(in), in[4])
	case k.P1 != nil:
		return boolBit(k.P1(in[0]))
	case k.P2 != nil:
		return boolBit(k.P2(in[0], in[1]))
	}
	p, q := k.P2x2(in[0], in[1])
	return boolBit(p) | boolBit(q)<<1
}

type vector struct {
	key  string
	in   []uint64
	want uint64
}

func check(t *testing.T, vectors []vector) {
	t.Helper()
	for _, v := range vectors {
		got := run(t, v.key, v.in...)
		require.Equalf(t, v.want, got, "%s %#x: want %#x, got %#x", v.key, v.in, v.want, got)
	}
}

func ops(in ...uint64) []uint64 { return in }

func f32s(in ...float32) (out []uint64) {
	for _, x := range in {
		out = append(out, uint64(math.Float32bits(x)))
	}
	return out
}

func f64s(in ...float64) (out []uint64) {
	for _, x := range in {
		out = append(out, math.Float64bits(x))
	}
	return out
}

const (
	qnan32 = 0x7fc00000 // a NaN that is not the canonical one
	qnan64 = 0x7ff8000000000001
)

func TestKeyIsCanonical(t *testing.T) {
	require.Equal(t, "add.ftz.rn.f32", Key("add", []string{"rn", "ftz"}, []string{"f32"}))
	mods := []string{"ftz", "NaN", "xorsign", "abs"}
	require.Equal(t, "min.NaN.abs.ftz.xorsign.f32", Key("min", mods, []string{"f32"}))
	for _, bad := range []string{
		"add.rn.ftz.f32", "add.f32.rn", "add.rn.rn.f32", "add", "add.b32", "frob.u32", "add.wide.u32", "min.relu.u32",
		"setp.lt.b32", "setp.ltu.s32", "add.cc.u16", "fma.f32", "mul.s32", "cvt.f32.s32", "", "add.f32.f32",
	} {
		_, ok := Lookup(bad)
		require.False(t, ok, bad)
	}
}

func TestShiftsAndLogic(t *testing.T) {
	check(t, []vector{
		{"shl.b32", ops(1, 32), 0}, {"shl.b32", ops(1, 0xffffffff), 0}, {"shl.b16", ops(1, 16), 0},
		{"shl.b16", ops(0xffff, 4), 0xfff0},
		{"shl.b64", ops(1, 63), 1 << 63}, {"shl.b64", ops(1, 64), 0},
		{"shr.s32", ops(0x80000000, 40), 0xffffffff}, {"shr.u32", ops(0x80000000, 32), 0},
		{"shr.b32", ops(0x80000000, 31), 1},
		{"shr.s16", ops(0x8000, 3), 0xf000}, {"shr.s64", ops(1<<63, 100), ^uint64(0)},
		{"shf.clamp.l.b32", ops(0x11111111, 0x22222222, 32), 0x11111111},
		{"shf.l.wrap.b32", ops(0x11111111, 0x22222222, 32), 0x22222222},
		{"shf.clamp.r.b32", ops(0x11111111, 0x22222222, 32), 0x22222222},
		{"shf.r.wrap.b32", ops(0x89abcdef, 0x01234567, 36), 0x789abcde},
		{"shf.clamp.l.b32", ops(0x89abcdef, 0x01234567, 0xffffffff), 0x89abcdef},
		{"lop3.b32", ops(0xff00ff00, 0xf0f0f0f0, 0xcccccccc, 0x80), 0xc000c000},
		{"lop3.b32", ops(0xff00ff00, 0xf0f0f0f0, 0xcccccccc, 0x40), 0x30003000},
		{"lop3.b32", ops(0xff00ff00, 0xf0f0f0f0, 0xcccccccc, 0x1a), 0x03cc03cc},
		{"lop3.or.b32", ops(0xff00ff00, 0xf0f0f0f0, 0xcccccccc, 0x96), 0xc33cc33c},
		{"and.b16", ops(0xff, 0x3c3c), 0x3c}, {"or.b64", ops(1, 1<<63), 1<<63 | 1}, {"xor.pred", ops(1, 1), 0},
		{"not.pred", ops(0), 1}, {"not.b16", ops(0x00ff), 0xff00}, {"cnot.b32", ops(0), 1}, {"cnot.b32", ops(7), 0},
	})
}

func TestPrmt(t *testing.T) {
	const a, b = 0x33221100, 0x77665544
	check(t, []vector{
		{"prmt.b32", ops(0x80402010, 0, 0x000b), 0x101010ff}, {"prmt.b32", ops(a, b, 0x7531), 0x77553311},
		{"prmt.f4e.b32", ops(a, b, 1), 0x44332211}, {"prmt.b4e.b32", ops(a, b, 1), 0x66770011},
		{"prmt.rc8.b32", ops(a, b, 1), 0x11111111}, {"prmt.ecl.b32", ops(a, b, 1), 0x33221111},
		{"prmt.ecr.b32", ops(a, b, 1), 0x11111100}, {"prmt.rc16.b32", ops(a, b, 1), 0x33223322},
		{"prmt.f4e.b32", ops(a, b, 0xfffffffc), a}, {"prmt.b4e.b32", ops(a, b, 0), 0x55667700},
	})
}

func TestBitFields(t *testing.T) {
	check(t, []vector{
		{"bfe.s32", ops(0x80000000, 31, 5), 0xffffffff}, {"bfe.s32", ops(0x80000000, 40, 4), 0xffffffff},
		{"bfe.s32", ops(0x00000f00, 8, 4), 0xffffffff}, {"bfe.u32", ops(0xdeadbeef, 260, 8), 0xee},
		{"bfe.s32", ops(0xffffffff, 0, 0), 0}, {"bfe.u32", ops(0xdeadbeef, 0, 32), 0xdeadbeef},
		{"bfe.u32", ops(0xdeadbeef, 40, 4), 0}, {"bfe.s64", ops(0xf00, 8, 4), ^uint64(0)},
		{"bfe.u64", ops(0xf00, 8, 255), 0xf},
		{"bfi.b32", ops(0xff, 0, 28, 8), 0xf0000000}, {"bfi.b32", ops(0xff, 0x12345678, 32, 8), 0x12345678},
		{"bfi.b32", ops(0xff, 0x12345678, 4, 0), 0x12345678}, {"bfi.b32", ops(5, 0, 260, 4), 0x50},
		{"bfi.b64", ops(0xff, 0, 60, 8), 0xf << 60}, {"bfi.b64", ops(0xff, 5, 64, 8), 5},
		{"bfind.u32", ops(0), 0xffffffff}, {"bfind.s32", ops(0xffffffff), 0xffffffff},
		{"bfind.shiftamt.u32", ops(0), 0xffffffff},
		{"bfind.shiftamt.u32", ops(0x00800000), 8}, {"bfind.s32", ops(0xffff0000), 15}, {"bfind.u64", ops(1 << 40), 40},
		{"bfind.s64", ops(^uint64(0)), 0xffffffff}, {"bfind.shiftamt.s64", ops(1), 63},
		{"fns.b32", ops(0xaaaaaaaa, 3, 1), 3}, {"fns.b32", ops(0xaaaaaaaa, 2, 0xffffffff), 1},
		{"fns.b32", ops(0xaaaaaaaa, 2, 0), 0xffffffff}, {"fns.b32", ops(0xaaaaaaaa, 31, 2), 0xffffffff},
		{"fns.b32", ops(0xaaaaaaaa, 31, 0xfffffff0), 1}, {"fns.b32", ops(1, 40, 1), 0xffffffff},
		{"popc.b64", ops(^uint64(0)), 64}, {"popc.b32", ops(0xf0f), 8}, {"clz.b64", ops(0), 64},
		{"clz.b32", ops(0), 32},
		{"brev.b32", ops(1), 0x80000000}, {"brev.b64", ops(1), 1 << 63},
		{"szext.clamp.s32", ops(0xdeadbeef, 32), 0xdeadbeef}, {"szext.wrap.s32", ops(0xdeadbeef, 32), 0},
		{"szext.clamp.s32", ops(0x80, 8), 0xffffff80}, {"szext.wrap.s32", ops(0xf8, 36), 0xfffffff8},
		{"szext.clamp.u32", ops(0xfff, 8), 0xff}, {"szext.clamp.s32", ops(0xfff, 0), 0},
		{"bmsk.clamp.b32", ops(4, 32), 0xfffffff0}, {"bmsk.clamp.b32", ops(32, 4), 0}, {"bmsk.wrap.b32", ops(33, 2), 6},
		{"bmsk.wrap.b32", ops(4, 32), 0}, {"bmsk.clamp.b32", ops(28, 8), 0xf0000000},
		{"bmsk.wrap.b32", ops(28, 8), 0xf0000000},
	})
}

func TestIntegers(t *testing.T) {
	const minInt, maxInt = 0x80000000, 0x7fffffff
	check(t, []vector{
		{"dp4a.u32.u32", ops(0xff01ff01, 0x01ff01ff, 0), 0x3fc},
		{"dp4a.u32.s32", ops(0xff01ff01, 0x01ff01ff, 0), 0x1fc},
		{"dp4a.s32.u32", ops(0xff01ff01, 0x01ff01ff, 0), 0x1fc},
		{"dp4a.s32.s32", ops(0xff01ff01, 0x01ff01ff, 0), 0xfffffffc},
		{"dp4a.u32.u32", ops(0xffffffff, 0xffffffff, 0xffffffff), 0x3f803},
		{"dp2a.lo.s32.u32", ops(0xffff0001, 0x04030205, 10), 0xd},
		{"dp2a.hi.s32.u32", ops(0xffff0001, 0x04030205, 10), 0x9},
		{"mul24.lo.u32", ops(0xffffff, 0xffffff), 0xfe000001}, {"mul24.hi.u32", ops(0xffffff, 0xffffff), 0xfffffe00},
		{"mul24.lo.s32", ops(0xffffff, 5), 0xfffffffb}, {"mad24.lo.u32", ops(3, 4, 5), 17},
		{"mad24.hi.sat.s32", ops(0x7fffff, 0x7fffff, maxInt), maxInt},
		{"sad.u32", ops(1, 2, 10), 11}, {"sad.s32", ops(minInt, maxInt, 0), 0xffffffff},
		{"sad.u16", ops(5, 1, 0xffff), 3},
		{"mul.hi.s32", ops(minInt, minInt), 0x40000000}, {"mul.wide.s32", ops(minInt, minInt), 0x4000000000000000},
		{"mul.hi.u32", ops(0xffffffff, 0xffffffff), 0xfffffffe}, {"mul.hi.s32", ops(0xffffffff, 0xffffffff), 0},
		{"mul.wide.s16", ops(0xffff, 2), 0xfffffffe}, {"mul.wide.u16", ops(0xffff, 2), 0x1fffe},
		{"mul.lo.s16", ops(0x100, 0x100), 0},
		{"mul.hi.s64", ops(^uint64(0), 5), ^uint64(0)}, {"mul.hi.u64", ops(^uint64(0), 5), 4},
		{"mul.hi.s64", ops(1<<63, 1<<63), 1 << 62},
		{"mad.hi.sat.s32", ops(maxInt, maxInt, maxInt), maxInt},
		{"mad.wide.u32", ops(0xffffffff, 0xffffffff, 1), 0xfffffffe00000002},
		{"mad.lo.s32", ops(0xffffffff, 3, 1), 0xfffffffe},
		{"add.sat.s32", ops(maxInt, 1), maxInt}, {"sub.sat.s32", ops(0, minInt), maxInt},
		{"add.u16x2", ops(0x0001ffff, 1), 0x00010000},
		{"add.s32", ops(0xffffffff, 2), 1}, {"sub.u16", ops(0, 1), 0xffff}, {"add.u64", ops(^uint64(0), 2), 1},
		{"div.u32", ops(7, 0), 0xffffffff}, {"rem.s32", ops(7, 0), 7}, {"div.s32", ops(0xfffffff9, 2), 0xfffffffd},
		{"rem.s32", ops(0xfffffff9, 2), 0xffffffff}, {"div.s32", ops(minInt, 0xffffffff), minInt},
		{"rem.s32", ops(minInt, 0xffffffff), 0},
		{"div.s64", ops(1<<63, ^uint64(0)), 1 << 63}, {"div.s16", ops(0x8000, 0xffff), 0x8000},
		{"div.u16", ops(7, 0), 0xffff},
		{"abs.s32", ops(minInt), minInt}, {"neg.s32", ops(minInt), minInt}, {"abs.s16", ops(0xffff), 1},
		{"abs.s64", ops(^uint64(4)), 5},
		{"min.relu.s32", ops(0xfffffffb, 3), 0}, {"min.u32", ops(0xffffffff, 1), 1},
		{"min.s32", ops(0xffffffff, 1), 0xffffffff},
		{"max.s16x2", ops(0xffff0001, 0x00018000), 0x00010001},
		{"max.relu.s16x2", ops(0xffff0001, 0xfffe8000), 0x00000001},
		{"max.u64", ops(1<<63, 1), 1 << 63},
	})
	require.Equal(t, []uint32{0, 0}, []uint32{AtomInc(3, 3), AtomInc(5, 3)})
	require.Equal(t, []uint32{7, 7, 3}, []uint32{AtomDec(0, 7), AtomDec(9, 7), AtomDec(4, 7)})
}

func TestCarryChains(t *testing.T) {
	for _, v := range []struct {
		key     string
		a, b, c uint64
		in      bool
		want    uint64
		out     bool
	}{
		{"add.cc.u32", 0xffffffff, 1, 0, true, 0, true},
		{"addc.u32", 0, 0, 0, true, 1, false},
		{"addc.cc.s32", 0xffffffff, 0, 0, true, 0, true},
		{"sub.cc.u32", 3, 5, 0, true, 0xfffffffe, false}, // a borrow: the carry of 3 + ^5 + 1 is 0
		{"sub.cc.u32", 5, 3, 0, false, 2, true},
		{"subc.cc.u32", 0, 0xffffffff, 0, false, 0, false}, // 0 - (ffffffff + 1) borrows
		{"subc.u32", 5, 0, 0, false, 4, true},
		{"mad.cc.lo.u32", 0xffffffff, 0xffffffff, 0xffffffff, true, 0, true},
		{"madc.hi.u32", 0xffffffff, 0xffffffff, 0, true, 0xffffffff, false},
		{"add.cc.u64", ^uint64(0), 1, 0, false, 0, true},
		{"sub.cc.s64", 0, 1, 0, false, ^uint64(0), false},
		{"madc.cc.hi.u64", ^uint64(0), ^uint64(0), 1, true, 0, true}, // fffffffffffffffe + 1 + 1
	} {
		d, out := kernel(t, v.key).C(v.a, v.b, v.c, v.in)
		require.Equal(t, v.want, d, v.key)
		require.Equal(t, v.out, out, v.key)
	}
}
