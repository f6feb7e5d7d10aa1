package emu

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
)

// traps are instructions that are easily got wrong, with what the manual's definitions give: the section, the
// instructions (the last one writes %v, %w, %x or %p: 32, 64, 16 bits, or a predicate), the result.
var traps = []string{
	// shifts clamp, they do not wrap (9.7.8.8, 9.7.8.9)
	"shl.b32 %v, 1, %n32 = 0", "shl.b32 %v, 1, %ones = 0", "shl.b16 %x, %x1, 16 = 0",
	"shr.s32 %v, 0x80000000, 40 = ffffffff", "shr.u32 %v, 0x80000000, 32 = 0", "shr.b32 %v, 0x80000000, 31 = 1",
	// shf (9.7.8.7)
	"shf.l.clamp.b32 %v, 0x11111111, 0x22222222, 32 = 11111111", "shf.l.wrap.b32 %v, 0x11111111, 0x22222222, 32 = 22222222",
	"shf.r.clamp.b32 %v, 0x11111111, 0x22222222, 32 = 22222222", "shf.r.wrap.b32 %v, 0x89abcdef, 0x01234567, 36 = 789abcde",
	// lop3: the index is a<<2|b<<1|c (9.7.8.6)
	"lop3.b32 %v, 0xff00ff00, 0xf0f0f0f0, 0xcccccccc, 0x80 = c000c000", "lop3.b32 %v, 0xff00ff00, 0xf0f0f0f0, 0xcccccccc, 0x40 = 30003000",
	"lop3.b32 %v, 0xff00ff00, 0xf0f0f0f0, 0xcccccccc, 0x1a = 3cc03cc", "lop3.b32 %v, 0xff00ff00, 0xf0f0f0f0, 0xcccccccc, 0x96 = c33cc33c",
	"lop3.or.b32 _|%p, 0, 0, 0, 0x80, %yes = 1", "lop3.or.b32 _|%p, 0, 0, 0, 0x80, %no = 0",
	// bfe, bfi (9.7.1.19, 9.7.1.20)
	"bfe.s32 %v, 0x80000000, 31, 5 = ffffffff", "bfe.s32 %v, 0x80000000, 40, 4 = ffffffff", "bfe.s32 %v, 0xf00, 8, 4 = ffffffff",
	"bfe.u32 %v, 0xdeadbeef, %n260, 8 = ee", "bfe.s32 %v, 0xffffffff, 0, 0 = 0", "bfe.u32 %v, 0xdeadbeef, 0, 32 = deadbeef",
	"bfi.b32 %v, 0xff, 0, 28, 8 = f0000000", "bfi.b32 %v, 0xff, 0x12345678, 32, 8 = 12345678",
	"bfi.b32 %v, 0xff, 0x12345678, 4, 0 = 12345678", "bfi.b32 %v, 5, 0, %n260, 4 = 50",
	// prmt (9.7.9.7)
	"prmt.b32 %v, 0x80402010, 0, 0xb = 101010ff", "prmt.b32 %v, 0x33221100, 0x77665544, 0x7531 = 77553311",
	"prmt.b32.f4e %v, 0x33221100, 0x77665544, 1 = 44332211", "prmt.b32.b4e %v, 0x33221100, 0x77665544, 1 = 66770011",
	"prmt.b32.rc8 %v, 0x33221100, 0x77665544, 1 = 11111111", "prmt.b32.ecl %v, 0x33221100, 0x77665544, 1 = 33221111",
	"prmt.b32.ecr %v, 0x33221100, 0x77665544, 1 = 11111100", "prmt.b32.rc16 %v, 0x33221100, 0x77665544, 1 = 33223322",
	// bfind, fns, popc, clz, brev, szext, bmsk (9.7.1.14 to 9.7.1.22)
	"bfind.u32 %v, 0 = ffffffff", "bfind.s32 %v, 0xffffffff = ffffffff", "bfind.shiftamt.u32 %v, 0 = ffffffff",
	"bfind.shiftamt.u32 %v, 0x800000 = 8", "bfind.s32 %v, 0xffff0000 = f",
	"fns.b32 %v, 0xaaaaaaaa, 3, 1 = 3", "fns.b32 %v, 0xaaaaaaaa, 2, -1 = 1", "fns.b32 %v, 0xaaaaaaaa, 2, 0 = ffffffff",
	"fns.b32 %v, 0xaaaaaaaa, 31, 2 = ffffffff", "fns.b32 %v, 0xaaaaaaaa, 31, -16 = 1",
	"popc.b64 %v, -1 = 40", "clz.b64 %v, 0 = 40", "clz.b32 %v, 0 = 20", "brev.b32 %v, 1 = 80000000", "brev.b64 %w, 1 = 8000000000000000",
	"szext.clamp.s32 %v, 0xdeadbeef, 32 = deadbeef", "szext.wrap.s32 %v, 0xdeadbeef, 32 = 0", "szext.clamp.s32 %v, 0x80, 8 = ffffff80",
	"szext.wrap.s32 %v, 0xf8, 36 = fffffff8",
	"bmsk.clamp.b32 %v, 4, 32 = fffffff0", "bmsk.clamp.b32 %v, 32, 4 = 0", "bmsk.wrap.b32 %v, 33, 2 = 6", "bmsk.wrap.b32 %v, 4, 32 = 0",
	"bmsk.clamp.b32 %v, 28, 8 = f0000000",
	// dp4a, dp2a, mul24, sad (9.7.1.5, 9.7.1.7, 9.7.1.23, 9.7.1.24)
	"dp4a.u32.u32 %v, 0xff01ff01, 0x01ff01ff, 0 = 3fc", "dp4a.u32.s32 %v, 0xff01ff01, 0x01ff01ff, 0 = 1fc",
	"dp4a.s32.u32 %v, 0xff01ff01, 0x01ff01ff, 0 = 1fc", "dp4a.s32.s32 %v, 0xff01ff01, 0x01ff01ff, 0 = fffffffc",
	"dp4a.u32.u32 %v, 0xffffffff, 0xffffffff, 0xffffffff = 3f803",
	"dp2a.lo.s32.u32 %v, 0xffff0001, 0x04030201, 10 = 9", "dp2a.hi.s32.u32 %v, 0xffff0001, 0x04030201, 10 = 9",
	"mul24.lo.u32 %v, 0xffffff, 0xffffff = fe000001", "mul24.hi.u32 %v, 0xffffff, 0xffffff = fffffe00",
	"sad.u32 %v, 1, 2, 10 = b", "sad.s32 %v, 0x80000000, 0x7fffffff, 0 = ffffffff",
	// mul, mad, add (9.7.1.1, 9.7.1.3, 9.7.1.4)
	"mul.hi.s32 %v, 0x80000000, 0x80000000 = 40000000", "mul.wide.s32 %w, 0x80000000, 0x80000000 = 4000000000000000",
	"mul.hi.u32 %v, 0xffffffff, 0xffffffff = fffffffe", "mul.hi.s32 %v, -1, -1 = 0",
	"mad.hi.sat.s32 %v, 0x7fffffff, 0x7fffffff, 0x7fffffff = 7fffffff", "add.sat.s32 %v, 0x7fffffff, 1 = 7fffffff",
	"add.u16x2 %v, %r1ffff, %one = 10000",
	// div, rem, abs, neg, min (9.7.1.8 to 9.7.1.12)
	"div.s32 %v, -7, 2 = fffffffd", "rem.s32 %v, -7, 2 = ffffffff", "abs.s32 %v, 0x80000000 = 80000000", "neg.s32 %v, 0x80000000 = 80000000",
	"min.relu.s32 %v, -5, 3 = 0", "min.u32 %v, 0xffffffff, 1 = 1", "min.s32 %v, 0xffffffff, 1 = ffffffff",
	// carries (9.7.2)
	"add.cc.u32 %v, 0xffffffff, 1; addc.u32 %v, 0, 0 = 1",
	"sub.cc.u32 %v, 0, 1; subc.cc.u32 %v, 0, 0xffffffff; subc.u32 %v, 5, 0 = 4",
	"mad.lo.cc.u32 %v, 0xffffffff, 0xffffffff, 0xffffffff; madc.hi.u32 %v, 0xffffffff, 0xffffffff, 0 = ffffffff",
	// single precision (9.7.3)
	"testp.normal.f32 %p, 0f80000000 = 1", "testp.number.f32 %p, 0f7f800000 = 1", "testp.finite.f32 %p, 0f7f800000 = 0",
	"testp.subnormal.f32 %p, 0f00000001 = 1", "copysign.f32 %v, 0f80000000, 0f3fc00000 = bfc00000",
	"add.sat.f32 %v, 0f3f400000, 0f3f400000 = 3f800000", "add.sat.f32 %v, 0f7fc00000, 0f3f800000 = 0", "add.sat.f32 %v, 0fbf800000, 0f3f000000 = 0",
	"mul.ftz.f32 %v, 0f80800000, 0f3f000000 = 80000000", "mul.f32 %v, 0f80800000, 0f3f000000 = 80400000",
	"add.ftz.f32 %v, 0f80000001, 0f80000000 = 80000000",
	"add.rn.f32 %v, 0f3dcccccd, 0f3e4ccccd = 3e99999a", "add.rz.f32 %v, 0f3dcccccd, 0f3e4ccccd = 3e999999",
	"add.rm.f32 %v, 0f3dcccccd, 0f3e4ccccd = 3e999999", "add.rp.f32 %v, 0f3dcccccd, 0f3e4ccccd = 3e99999a",
	"fma.rn.f32 %v, 0f3f800001, 0f3f800001, 0fbf800002 = 28800000",
	"fma.rn.f32 %v, 0f42c20000, 0f3c28e840, 0f17800000 = 3f800001", "fma.rz.f32 %v, 0f42c20000, 0f3c28e840, 0f17800000 = 3f800000",
	"div.approx.f32 %v, 0f3f800000, 0f7f000000 = 0", "div.approx.f32 %v, 0fbf800000, 0f7f000000 = 80000000",
	"div.approx.f32 %v, 0f7f800000, 0f7f000000 = 7fffffff",
	"div.rn.f32 %v, 0f3f800000, 0f40400000 = 3eaaaaab", "div.rz.f32 %v, 0f3f800000, 0f40400000 = 3eaaaaaa",
	"div.rp.f32 %v, 0f3f800000, 0f40400000 = 3eaaaaab", "div.rn.f32 %v, 0f3f800000, 0f80000000 = ff800000", "div.rn.f32 %v, 0f00000000, 0f00000000 = 7fffffff",
	"min.f32 %v, 0f80000000, 0f00000000 = 80000000", "min.f32 %v, 0f00000000, 0f80000000 = 80000000", "max.f32 %v, 0f80000000, 0f00000000 = 0",
	"min.f32 %v, 0f7fc00000, 0f3f800000 = 3f800000", "min.NaN.f32 %v, 0f7fc00000, 0f3f800000 = 7fffffff", "min.f32 %v, 0f7fc00000, 0f7fc00000 = 7fffffff",
	"max.xorsign.abs.f32 %v, 0fc0400000, 0f40000000 = c0400000", "min.xorsign.abs.f32 %v, 0fc0400000, 0fc0000000 = 40000000",
	"rcp.approx.f32 %v, 0fff800000 = 80000000", "rcp.approx.f32 %v, 0f80000000 = ff800000", "rcp.approx.f32 %v, 0f00000000 = 7f800000", "rcp.approx.f32 %v, 0f7f800000 = 0",
	"rcp.approx.ftz.f64 %w, 0d7ff8000000000001 = 7fffffff00000000", "rcp.approx.ftz.f64 %w, 0d0000000000000001 = 7ff0000000000000",
	"sqrt.rn.f32 %v, 0f80000000 = 80000000", "sqrt.rn.f32 %v, 0fbf800000 = 7fffffff", "sqrt.rn.f32 %v, 0f40000000 = 3fb504f3",
	"rsqrt.approx.f32 %v, 0f80000000 = ff800000", "rsqrt.approx.f32 %v, 0f00000000 = 7f800000", "rsqrt.approx.f32 %v, 0f7f800000 = 0",
	"sin.approx.f32 %v, 0f80000000 = 80000000", "sin.approx.f32 %v, 0f7f800000 = 7fffffff", "cos.approx.f32 %v, 0f80000000 = 3f800000",
	"lg2.approx.f32 %v, 0f80000000 = ff800000", "lg2.approx.f32 %v, 0fbf800000 = 7fffffff", "lg2.approx.f32 %v, 0f7f800000 = 7f800000",
	"ex2.approx.f32 %v, 0f80000000 = 3f800000", "ex2.approx.f32 %v, 0fff800000 = 0", "ex2.approx.f32 %v, 0f7f800000 = 7f800000",
	// half precision (9.7.4)
	"mov.b16 %x, 1; ex2.approx.ftz.bf16 %x, %x = 3f80", "mov.b16 %x, 0x8001; ex2.approx.ftz.bf16 %x, %x = 3f80",
	"mov.b16 %x, 0x6800; mov.b16 %y, 0x3c00; add.f16 %x, %x, %y = 6800", "mov.b16 %x, 0x6800; mov.b16 %y, 0x4200; add.f16 %x, %x, %y = 6802",
	"mov.b32 %a, 0x3c003c00; mov.b32 %b, 0x3c00bc00; fma.rn.relu.f16x2 %v, %a, %b, %zero = 3c000000",
	// comparisons (9.3.1, 9.7.6, 9.7.7)
	"setp.lt.and.s32 %q|%p, 5, 3, %no = 0", "setp.lt.and.s32 %q|%p, 5, 3, %yes = 1", "setp.ne.f32 %p, 0f7fc00000, 0f3f800000 = 0",
	"setp.neu.f32 %p, 0f7fc00000, 0f3f800000 = 1", "setp.num.f32 %p, 0f7fc00000, 0f3f800000 = 0", "setp.nan.f32 %p, 0f7fc00000, 0f3f800000 = 1",
	"setp.lo.u32 %p, 1, 0xffffffff = 1", "setp.lt.u32 %p, 1, 0xffffffff = 1", "setp.lt.s32 %p, 1, 0xffffffff = 0",
	"set.lt.f32.s32 %v, 1, 2 = 3f800000", "set.lt.u32.s32 %v, 1, 2 = ffffffff", "set.gt.s32.f32 %v, 0f7fc00000, 0f00000000 = 0",
	"mov.b32 %a, 0x40003c00; mov.b32 %b, 0x42003c00; set.eq.u32.f16x2 %v, %a, %b = ffff",
	"setp.eq.f16x2 %p|%q, %a, %b = 1", "setp.eq.f16x2 %q|%p, %a, %b = 0",
	"slct.u32.f32 %v, 1, 2, 0f80000000 = 1", "slct.u32.f32 %v, 1, 2, 0f7fc00000 = 2", "slct.u32.f32 %v, 1, 2, 0f80000001 = 2", "slct.ftz.u32.f32 %v, 1, 2, 0f80000001 = 1",
	"selp.f32 %v, 0f7f800001, 0f00000000, %yes = 7f800001",
	// packing (9.7.9.4)
	"mov.b64 %w, 0x1122334455667788; mov.b64 {%v, _}, %w = 55667788", "mov.b64 {_, %v}, %w = 11223344",
	// atomics: what is in memory afterwards (9.7.13.5)
	"st.global.u32 [%at], 3; atom.global.inc.u32 %v, [%at], 3; ld.global.u32 %v, [%at] = 0", "st.global.u32 [%at], 5; atom.global.inc.u32 %v, [%at], 3 = 5",
	"st.global.u32 [%at], 0; atom.global.dec.u32 %v, [%at], 7; ld.global.u32 %v, [%at] = 7", "st.global.u32 [%at], 9; atom.global.dec.u32 %v, [%at], 7; ld.global.u32 %v, [%at] = 7",
	"st.global.u32 [%at], 4; atom.global.dec.u32 %v, [%at], 7; ld.global.u32 %v, [%at] = 3",
	"st.global.u32 [%at], 1; atom.global.add.f32 %v, [%at], 0f00000000; ld.global.u32 %v, [%at] = 0",
	"st.shared.u32 [s], 1; atom.shared.add.f32 %v, [s], 0f00000000; ld.shared.u32 %v, [s] = 1",
	"st.global.u32 [%at], 5; atom.global.cas.b32 %v, [%at], 5, 9 = 5", "atom.global.cas.b32 %v, [%at], 5, 1 = 9",
	// conversions (9.7.9.21, 9.7.9.22)
	"cvt.rzi.s32.f32 %v, 0f4f32d05e = 7fffffff", "cvt.rzi.u32.f32 %v, 0fbf800000 = 0",
	"cvt.rzi.s32.f32 %v, 0f7fc00000 = 0", "cvt.rzi.s32.f64 %v, 0d7ff8000000000000 = 80000000", "cvt.rzi.u32.f64 %v, 0d7ff8000000000000 = 80000000",
	"cvt.rzi.s64.f32 %w, 0f7fc00000 = 8000000000000000", "cvt.rzi.u64.f32 %w, 0f7fc00000 = 8000000000000000",
	"cvt.rni.s32.f32 %v, 0f40200000 = 2", "cvt.rni.s32.f32 %v, 0f40600000 = 4", "cvt.rni.s32.f32 %v, 0fc0200000 = fffffffe",
	"cvt.rmi.s32.f32 %v, 0fbf000000 = ffffffff", "cvt.rpi.s32.f32 %v, 0fbf000000 = 0", "cvt.rzi.s32.f32 %v, 0fbff33333 = ffffffff",
	"mov.u32 %a, 0xffff; cvt.s16.u32 %v, %a = ffffffff", "mov.s32 %a, -1; cvt.u8.s32 %v, %a = ff", "mov.s32 %a, 0x1ff; cvt.s8.s32 %v, %a = ffffffff",
	"mov.s32 %a, -5; cvt.sat.u8.s32 %v, %a = 0", "mov.s32 %a, 300; cvt.sat.u8.s32 %v, %a = ff", "mov.u32 %a, 200; cvt.sat.s8.u32 %v, %a = 7f",
	"mov.s32 %a, -1; cvt.sat.u32.s32 %v, %a = 0",
	"cvt.rn.f16.f32 %x, 0f477ff000 = 7c00", "cvt.rz.f16.f32 %x, 0f477ff000 = 7bff", "cvt.rn.f16.f32 %x, 0f477fef00 = 7bff", "cvt.rp.f16.f32 %x, 0f477fef00 = 7c00",
	"cvt.rn.satfinite.f16.f32 %x, 0f49742400 = 7bff", "cvt.rn.relu.f16.f32 %x, 0fbf800000 = 0",
	"cvt.rn.f16x2.f32 %v, 0f3f800000, 0f40000000 = 3c004000", "cvt.rn.bf16x2.f32 %v, 0f3f800000, 0f40000000 = 3f804000",
	"cvt.rn.bf16.f32 %x, 0f3f808000 = 3f80", "cvt.rn.bf16.f32 %x, 0f3f818000 = 3f82", "cvt.rn.bf16.f32 %x, 0f7f7fffff = 7f80", "cvt.rz.bf16.f32 %x, 0f7f7fffff = 7f7f",
	"cvt.rna.tf32.f32 %v, 0f3f801000 = 3f802000", "cvt.rna.tf32.f32 %v, 0f3f800fff = 3f800000", "cvt.rna.tf32.f32 %v, 0fbf801000 = bf802000",
	"cvt.rn.satfinite.e4m3x2.f32 %x, 0f43e00000, 0f43fa0000 = 7e7e", "cvt.rn.satfinite.e4m3x2.f32 %x, 0f41880000, 0f41980000 = 585a",
	"cvt.rn.satfinite.e4m3x2.f32 %x, 0f3b000000, 0f3a800000 = 100", "cvt.rn.satfinite.e5m2x2.f32 %x, 0f47600000, 0f49742400 = 7b7b",
	"cvt.rn.satfinite.e5m2x2.f32 %x, 0f3f800000, 0f3e99999a = 3c35",
	"mov.u64 %w, 0x8000008000000001; cvt.rn.f32.u64 %v, %w = 5f000001", "mov.s32 %a, -16777217; cvt.rn.f32.s32 %v, %a = cb800000",
	"cvt.rm.f32.s32 %v, %a = cb800001", "cvt.rp.f32.s32 %v, %a = cb800000", "cvt.rn.f16.f64 %x, 0d3ff0020000400000 = 3c01",
	"cvt.pack.sat.u8.s32.b32 %v, 300, -5, 0x1234 = 1234ff00", "cvt.pack.sat.s16.s32 %v, 40000, -40000 = 7fff8000",
	// narrow accesses (9.4.1)
	"st.global.u8 [%at], 0x1ff; ld.global.s8 %v, [%at] = ffffffff", "ld.global.u8 %v, [%at] = ff", "ld.global.b8 %v, [%at] = ff",
	// generic addresses (6.4.1.1)
	"cvta.shared.u64 %w, s; isspacep.shared %p, %w = 1", "isspacep.global %p, %w = 0", "isspacep.shared %p, %at = 0", "isspacep.global %p, %at = 1",
	// constant expressions (4.5.5): the remainder and the complement are unsigned
	"mov.s32 %v, -1 % 10 = 5", "mov.s32 %v, ~0 > 0 = 1", "mov.s32 %v, -8 >> 1 = fffffffc", "mov.s32 %v, -1 < 0U = 0",
	// vavrg rounds up for sums that are not negative (9.7.18.2.1)
	"vavrg2.s32.s32.s32 %v, %neg34, %negswap, %zero = fffcfffc", "vavrg2.s32.s32.s32 %v, %up34, %swap34, %zero = 40004",
	// %tid.w (10.1)
	"mov.u32 %v, %tid.w = 0",
}

func TestTraps(t *testing.T) {
	var body strings.Builder
	var want []uint64
	for i, trap := range traps {
		at := strings.LastIndex(trap, " = ")
		value, err := strconv.ParseUint(trap[at+3:], 16, 64)
		require.NoError(t, err, trap)
		want = append(want, value)
		code := trap[:at]
		last := code[strings.LastIndex(code, ";")+1:]
		move := ""
		switch {
		case strings.Contains(last, "%p"):
			move = "selp.u64 %t, 1, 0, %p;"
		case strings.Contains(last, "%w,"):
			move = "mov.b64 %t, %w;"
		case strings.Contains(last, "%x,"):
			move = "cvt.u64.u16 %t, %x;"
		default:
			move = "cvt.u64.u32 %t, %v;"
		}
		fmt.Fprintf(&body, "mov.b32 %%v, 0x5a5a5a5a; mov.b16 %%x, 0x5a5a; %s; %s st.global.u64 [%%out+%d], %%t;\n", code, move, 8*i)
	}
	m, err := ptx.Parse("traps.ptx", []byte(`.version 8.6
.target sm_90
.address_size 64
.shared .align 8 .b32 s[2];
.entry k(.param .u64 out, .param .u64 place)
{
.reg .b64 %out, %at, %w, %t; .reg .b32 %v, %a, %b, %n32, %n260, %ones, %one, %zero, %r1ffff, %neg34, %up34, %swap34, %negswap;
.reg .b16 %x, %y, %x1; .reg .pred %p, %q, %yes, %no;
ld.param.u64 %out, [out]; ld.param.u64 %at, [place];
mov.b32 %n32, 32; mov.b32 %n260, 260; mov.b32 %ones, -1; mov.b32 %one, 1; mov.b32 %zero, 0; mov.b32 %r1ffff, 0x1ffff; mov.b16 %x1, 1;
mov.b32 %neg34, 0xfffdfffc; mov.b32 %up34, 0x30004; mov.b32 %swap34, 0x40003; mov.b32 %negswap, 0xfffcfffd; // -3 and -4, 3 and 4, 4 and 3
setp.eq.u32 %yes, %one, 1; setp.ne.u32 %no, %one, 1;
`+body.String()+"ret;\n}\n"))
	require.NoError(t, err)
	d, err := Load(m, Options{})
	require.NoError(t, err)
	out, err := d.Alloc(8 * len(traps))
	require.NoError(t, err)
	place, err := d.Alloc(8)
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Args: [][]byte{Ptr(out), Ptr(place)}})
	require.NoError(t, err)
	require.NoError(t, g.Run(context.Background()))
	got := make([]byte, 8*len(traps))
	require.NoError(t, d.Read(out, got))
	for i, trap := range traps {
		require.Equal(t, fmt.Sprintf("%x", want[i]), fmt.Sprintf("%x", binary.LittleEndian.Uint64(got[8*i:])), trap)
	}
}
