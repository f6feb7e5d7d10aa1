package isa

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// restrictions are opcodes that the manual's syntax lines allow: for each section those that its prose allows too, and
// those that it forbids. `a|b` stands for two opcodes.
var restrictions = []struct{ section, legal, illegal string }{
	// im2col is for 3 to 5 dimensions (5.5.4), four rows are of 2-dimensional tensors (5.5.3.4).
	{"9.7.10.28.5.3",
		`cp.async.bulk.tensor.1d|2d|3d|4d|5d.shared::cta|shared::cluster.global.mbarrier::complete_tx::bytes
		cp.async.bulk.tensor.1d|5d.shared::cta.global.tile.mbarrier::complete_tx::bytes
		cp.async.bulk.tensor.3d|4d|5d.shared::cta|shared::cluster.global.im2col.mbarrier::complete_tx::bytes
		cp.async.bulk.tensor.3d|4d|5d.shared::cta|shared::cluster.global.im2col::w|im2col::w::128.mbarrier::complete_tx::bytes
		cp.async.bulk.tensor.2d.shared::cta|shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes
		cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group
		cp.async.bulk.tensor.3d|4d|5d.global.shared::cta.im2col_no_offs.bulk_group
		cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group.L2::cache_hint`,
		`
		cp.async.bulk.tensor.1d|2d.shared::cta|shared::cluster.global.im2col.mbarrier::complete_tx::bytes
		cp.async.bulk.tensor.1d|2d.shared::cta|shared::cluster.global.im2col::w|im2col::w::128.mbarrier::complete_tx::bytes
		cp.async.bulk.tensor.1d|3d|4d|5d.shared::cta|shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes
		cp.async.bulk.tensor.1d|3d|4d|5d.global.shared::cta.tile::scatter4.bulk_group
		cp.async.bulk.tensor.1d|2d.global.shared::cta.im2col_no_offs.bulk_group
		cp.async.bulk.tensor.3d.global.shared::cta.im2col|tile::gather4.bulk_group
		cp.async.bulk.tensor.2d.shared::cta.global.tile::scatter4.mbarrier::complete_tx::bytes
		cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes.multicast::cluster
		cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.cta_group::1`},
	{"9.7.10.28.5.4",
		`cp.reduce.async.bulk.tensor.1d|2d|3d|4d|5d.global.shared::cta.add.bulk_group
		cp.reduce.async.bulk.tensor.3d|4d|5d.global.shared::cta.xor.im2col_no_offs.bulk_group`,
		`cp.reduce.async.bulk.tensor.1d|2d.global.shared::cta.add.im2col_no_offs.bulk_group
		cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile::scatter4|im2col.bulk_group`},
	{"9.7.10.28.5.5",
		`cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4
		cp.async.bulk.prefetch.tensor.3d|4d|5d.L2.global.im2col|im2col::w|im2col::w::128.L2::cache_hint`,
		`cp.async.bulk.prefetch.tensor.1d|2d.L2.global.im2col|im2col::w|im2col::w::128
		cp.async.bulk.prefetch.tensor.1d|3d|4d|5d.L2.global.tile::gather4`},
	// .relu is for .s8x4, .s16x2 and .s32, .sat for 32 bits and packed integers, .cc for 32 and 64 bits.
	{"9.7.1, 9.7.2",
		`min|max.relu.s16x2|s32 min|max.u16x2|s16x2|u64 add|sub.sat.s32 mad.hi.sat.s32 mad24.hi.sat.s32
		add|sub.cc.u32|s32|u64|s64 addc|subc.cc.s64 mad.lo|hi.cc.u64 madc.hi.u32 add.s16x2`,
		`min|max.relu.u16x2|u32|s64|s16 add|sub.sat.u64|s64|s16 sub.sat.u32 mad.lo.sat.s32 mad.hi.sat.u32 mad24.lo.sat.s32
		add|sub.cc.u16|s16 add.cc.sat.s32 mad.wide.cc.u32 mad.lo.cc.u16 sub.s16x2 mul.wide.u64 mad.wide.s64 abs|neg.u32`},
	// What saturates, flushes and rounds (9.7.3 to 9.7.5).
	{"9.7.3, 9.7.4, 9.7.5",
		`add|sub|mul.rp.ftz.sat.f32 add|sub|mul.rm.ftz.f32x2 add|sub|mul.rz.f64 fma.rn.ftz.sat.f32
		min|max.ftz.NaN.xorsign.abs.f32 min|max.ftz.NaN.abs.f32 add|sub|mul.rn.ftz.sat.f16x2 add|sub|mul.rn.bf16
		fma.rn.ftz.relu.f16 fma.rn.relu.bf16x2 fma.rn.oob.relu.f16 min|max.ftz.NaN.xorsign.abs.f16 min|max.NaN.bf16
		neg|abs.ftz.f16x2 ex2.approx.f16 ex2.approx.ftz.bf16 add|sub.rp.sat.f32.f16 fma.rz.sat.f32.bf16 rcp.approx.ftz.f64
		rsqrt.approx.f64`,
		`add|sub|mul.sat.f32x2|f64|bf16 add|sub|mul.ftz.f64|bf16 fma.rn.sat.f32x2|bf16 fma.rn.ftz.bf16 fma.rn.relu.f32|f64
		fma.rn.sat.relu.f16 fma.rn.oob.sat|ftz.f16 min|max.xorsign.f32 min|max.NaN|ftz.f64 min|max.abs.f16 min|max.ftz.bf16
		min|max.relu.f32|f16 neg|abs.ftz.bf16|f64 ex2.approx.ftz.f16 ex2.approx.bf16 tanh.approx.ftz.f32|f16 add.ftz.f32.f16
		mul.rn.f32.f16 add.f32.f64 fma.sat.f32.f16 add|sub|mul.rz.f16 sqrt.approx.f64 rcp.rn.ftz.f64 lg2.approx.f64|f16`},
	// Prefetches and cache policies are for global memory, L2 priorities for 256 bits, and a cache operator excludes
	// memory orderings and eviction priorities.
	{"9.7.10.8",
		`ld.global.L1::evict_first.L2::cache_hint.L2::128B.u32 ld.L2::cache_hint.u32 ld.weak.global.ca.L2::cache_hint.v2.u64
		ld.weak.L1::evict_last.u32 ld.volatile.L2::64B.u32 ld.volatile.global.L2::64B.v4.f32
		ld.relaxed|acquire.gpu.global.L1::no_allocate.L2::cache_hint.L2::256B.u32
		ld.relaxed.sys.L2::64B.b128 ld.global.L1::evict_last.L2::evict_first.v8.b32 ld.global.ca.v8.f32
		ld.weak.L2::cache_hint.v4.f64 ld.acquire.gpu.global.L2::evict_last.v4.u64 ld.volatile.global.v8.s32
		ld.mmio.relaxed|acquire.sys.global.u32 ld.global.u32.proxy::readonly ld.f64.proxy::readonly
		ld.global.cs.nc.v8.f32 ld.global.nc.L2::evict_first.v4.b64 ld.volatile.local.u32`,
		`ld.shared|local|const|param.L1::evict_last|L2::cache_hint|L2::64B.u32
		ld.relaxed.cta.shared.L1::evict_last.u32 ld.shared.L1::evict_last.L2::cache_hint.u32
		ld.volatile.shared|local.L2::64B.u32 ld.volatile.global.L2::cache_hint|L1::evict_last.u32 ld.volatile.ca.u32
		ld.relaxed|acquire.cta.shared.L2::cache_hint|L2::64B.u32 ld.relaxed.gpu.local|const|param.u32 ld.relaxed.gpu.ca.u32
		ld.weak.gpu.u32 ld.weak.relaxed.gpu.u32 ld.acquire.u32 ld.release.gpu.u32 ld.ca.L1::evict_last.u32
		ld.global.L2::evict_last.v4.f32 ld.global.L2::evict_last.u32 ld.shared.v8.f32 ld.local.v4.u64 ld.v8.u16 ld.v8.b64
		ld.v2.b128 ld.mmio.relaxed.gpu.u32 ld.mmio.u32 ld.mmio.relaxed.sys.shared.u32 ld.mmio.relaxed.sys.v2.u32
		ld.mmio.acquire.gpu.u32 ld.mmio.acquire.u32 ld.mmio.volatile.sys.u32 ld.acquire.sys.u32.proxy::readonly
		ld.weak|volatile.u32.proxy::readonly ld.shared|const|param.u32.proxy::readonly ld.v2.u32.proxy::readonly
		ld.global.ca|nc|L1::evict_last|L2::64B.u32.proxy::readonly ld.shared.nc.u32 ld.global.cv|lu.nc.u32
		ld.global.ca.nc.L1::evict_last.u32 ld.nc.u32
		ld.volatile.const|param.u32 ldu.shared.u32 ldu.global.v4.f64`},
	{"9.7.10.11",
		`st.global.L1::evict_last.L2::cache_hint.u32 st.wb.L2::cache_hint.u32
		st.release.gpu.global.L1::no_allocate.L2::cache_hint.f32 st.global.cs.v8.f32
		st.global.L2::evict_last.v4.f64 st.volatile.v8.u32 st.relaxed.sys.L2::evict_first.v8.b32
		st.mmio.relaxed.sys.u8`,
		`st.shared|local|param.L1::evict_last|L2::cache_hint.u32 st.relaxed.cta.shared.L1::evict_last.b16
		st.relaxed.cta.shared.L2::cache_hint.u32 st.global.L2::64B.u32 st.global.ca.u32
		st.volatile.global.L1::evict_last.u32 st.volatile.cs.u32 st.acquire.gpu.u32 st.release.gpu.local|param.u32
		st.shared.v8.f32 st.local|shared|param.v4.f64 st.global.L2::evict_last.v2.f64 st.wb.L1::evict_last.u32
		st.mmio.release.gpu.u32 st.mmio.release.u32 st.mmio.release.sys.shared.u32 st.mmio.release.sys.v2.u32
		st.mmio.relaxed.cta.u32 st.param::entry.u32 st.weak.volatile.u32`},
	// .mmio needs .release.sys; operations that complete on an mbarrier are weak, or at cluster scope.
	{"9.7.10.12, 9.7.15.7",
		`st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 st.async.weak.mbarrier::complete_tx::bytes.b128
		st.async.weak.mbarrier::complete_tx::bytes.u64
		st.async.mmio.release.sys.global.u32 st.async.release.gpu|sys.u8
		red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32
		red.async.relaxed.cluster.mbarrier::complete_tx::bytes.min.s32
		red.async.mmio.release.sys.global.add.u64 red.async.release.gpu|sys.global.add.s64`,
		`st.async.mmio.release.gpu.global.u32 st.async.release.cluster|cta.u32 st.async.release.gpu.shared::cluster.u32
		st.async.mmio.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 st.async.global.mbarrier::complete_tx::bytes.u32
		st.async.mbarrier::complete_tx::bytes.v8.u32 st.async.mbarrier::complete_tx::bytes.u16
		red.async.mmio.release.gpu|cluster.global.add.u32 red.async.relaxed.gpu.mbarrier::complete_tx::bytes.inc.u32
		red.async.release.gpu.global.min.u32 red.async.release.cluster.global.add.u32
		st.async.cluster.mbarrier::complete_tx::bytes.u32 st.async.mbarrier::complete_tx::bytes.v2.b128
		st.async.release.gpu.global.b128 red.async.relaxed.cluster.mbarrier::complete_tx::bytes.add.s64
		red.async.relaxed.cluster.mbarrier::complete_tx::bytes.and.u32
		red.async.release.gpu.mbarrier::complete_tx::bytes.add.u32`},
	// A multimem access of floats has 32, 64 or 128 bits; the type of its sum depends on its own type.
	{"9.7.10.15",
		`multimem.ld_reduce.add.u32|u64|s32 multimem.ld_reduce|red.min.s64 multimem.ld_reduce|red.xor.b64
		multimem.ld_reduce.relaxed.sys.global.add.acc::f32.v8.f16 multimem.ld_reduce.weak.max.v4.bf16x2
		multimem.ld_reduce.min.f16x2 multimem.ld_reduce.add.acc::f16.v4.e5m2 multimem.ld_reduce.add.v8.e4m3x2
		multimem.ld_reduce.max.e4m3x4 multimem.ld_reduce.add.v4.f32 multimem.ld_reduce.add.f64 multimem.st.weak.v2.e4m3x2
		multimem.st.v8.bf16 multimem.st.b32 multimem.red.release.gpu.add.v8.f16 multimem.red.add.f64`,
		`multimem.ld_reduce|red.add.s64 multimem.ld_reduce.add.f16|bf16|e5m2|e4m3x2
		multimem.ld_reduce.add.v8.f16x2|f32|e5m2x4 multimem.ld_reduce.add.v2.f64|e5m2 multimem.ld_reduce.min.f32|f64
		multimem.ld_reduce.add.acc::f32.e4m3x4|f32 multimem.ld_reduce.add.acc::f16.f16x2 multimem.ld_reduce.and.u32
		multimem.ld_reduce.weak.relaxed.add.u32 multimem.ld_reduce.acquire|sys.add.u32 multimem.st.release|gpu.b32
		multimem.red.relaxed|cta.add.u32 multimem.ld_reduce.release.add.u32 multimem.st.f16|e4m3 multimem.st.v2.f64|e5m2
		multimem.st.v8.f16x2 multimem.st.acquire.b32 multimem.red.min.f16x2 multimem.red.add.v2.f64 multimem.red.add.e4m3x4
		multimem.red.weak.add.u32 multimem.red.add.v2.u32 multimem.ld_reduce.shared.add.u32`},
	{"9.7.10.21",
		`createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 ` +
			`createpolicy.range.global.L2::evict_first.L2::evict_first.b64`,
		`createpolicy.fractional.L2::evict_first.L2::evict_last.b64
		createpolicy.fractional.L2::evict_last.L2::evict_normal.b64 createpolicy.fractional.global.L2::evict_last.b64
		createpolicy.cvt.L2::evict_last.b64`},
	// .ftz needs an .f32 on one side, .sat a result that may not fit, .satfinite and .relu a narrow result.
	{"9.7.10.24",
		`cvt.ftz.f32.f16|bf16 cvt.rn.ftz.f16.f32 cvt.ftz.f64.f32 cvt.rzi.ftz.sat.s32.f32 cvt.rn.ftz.sat.f32.u64
		cvt.sat.f32.f32 cvt.rn.relu.satfinite.f16.f32 cvt.rz.satfinite.bf16x2.f32 cvt.rna.satfinite.tf32.f32
		cvt.rn.relu.tf32.f32 cvt.rn.satfinite.relu.e4m3x2.f32 cvt.rn.relu.f16x2.e5m2x2 cvt.rz|rp.satfinite.ue8m0x2.bf16x2
		cvt.rn.bf16x2.ue8m0x2 cvt.rs.relu.satfinite.e2m1x4.f32 cvt.rs.bf16x2.f32
		cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 cvt.rn.bf16.f32`,
		`cvt.rn.ftz.f16.f64 cvt.ftz.f64.f16 cvt.rzi.ftz.s32.f64 cvt.rn.sat.bf16.f32 cvt.sat.u32.u16 cvt.sat.s64.s32
		cvt.rn.satfinite.f32.f64 cvt.relu.f32.f32 cvt.rm.relu.f16.f32 cvt.rp.f16x2.f32 cvt.rna.relu.tf32.f32
		cvt.rz.rna.tf32.f32
		cvt.rn.e4m3x2.f32 cvt.rp.satfinite.e4m3x2.f32 cvt.rn.satfinite.f16x2.e4m3x2 cvt.rz.bf16x2.e4m3x2
		cvt.rn.satfinite.ue8m0x2.f32
		cvt.rz.relu.ue8m0x2.f32 cvt.rs.e4m3x4.f32 cvt.rs.satfinite.e4m3x2.f32 cvt.rs.f16.f32 cvt.rni.s32.s32
		cvt.rn.rzi.s32.f32
		cvt.f16x2.f32 cvt.pack.u8.s32.b32 cvt.pack.sat.u32.s32 cvt.pack.sat.u16.s32.b32 cvt.pack.sat.u8.s32
		cvt.rn.u16x2.f32`},
	// ptxas 12.5 refuses these; vectors have at most 128 bits (5.4.2).
	{"9.7.8.1, 9.7.10, 9.7.13.1, 9.7.15.5",
		`mov.v4.b32 mov.v2.u64 mov.pred st.async.mbarrier::complete_tx::bytes.v2.f64 suld|sust.b.1d.v2.b64.trap
		sust.p.2d|a1d|a2d.v4.b32.zero prefetch.L2::evict_last cvt.rn|rz|rm|rp.ftz.bf16.f32 cvt.ftz.f32.bf16 cvt.rni.s32.bf16
		cvt.rn.f16.bf16 set.eq.ftz.f16.f32|f16 set.eq.ftz.u32.f16 set.lt.f16.s32|f64 atom|red.add.u64|s32|f64
		atom|red.min.s64`,
		`mov.v4.u64|f64 mov.v2.pred st.async.mbarrier::complete_tx::bytes.v4.f64 suld|sust.b.1d.v4.b64.trap
		cvt.sat.f32.bf16 cvt.rni.sat.s32.bf16 cvt.rn.sat.f16.bf16 set.eq.ftz.f16.s32|b16|f64 atom|red.add.s64
		atom.relaxed.gpu.add.s64 red.async.relaxed.cluster.add.u32`},
	// A set of coordinates for each geometry (9.7.12, 9.7.13).
	{"9.7.12, 9.7.13",
		`tex.2d|a1d|3d.v4.f32.s32 tex.level.cube.v4.u32.f32 tex.base.2dms.v2.f16x2.s32 tld4.g.acube.v4.s32.f32
		txq.level.depth.b32 suld.b.3d.cs.v2.b64.clamp sust.p.2d.v4.b32.zero sust.b.a2d.wt.b8.trap sured.b.min.1d.s64.clamp
		sured.p.max.2d.b64.trap`,
		`tex.cube|acube.v4.f32.s32 tex.2dms|a2dms.v4.f32.f32 tex.level|grad.2dms.v4.f32.s32 tex.2d.v2.f32.f32
		tex.2d.v4.f16x2.f32 tex.2d.v4.f64.f32 tld4.r.3d|1d.v4.f32.f32 tld4.r.2d.v4.f32.s32 tld4.r.2d.v4.f16.f32
		txq.level.array_size.b32 suld.p.2d.b32.trap suld.b.2d.wb.b32.trap suld.b.cube.b32.trap sust.p.1d.b64.trap
		sust.p.1d.wb.b32.trap sured.b.add.1d.s64|b32.trap sured.b.and.1d.u32.trap sured.p.add.1d.b64.trap
		sured.p.min.1d.u32.trap sured.b.xor.1d.b32.trap sured.b.add.a1d.u32.trap`},
	{"9.7.15.1 to 9.7.15.4",
		`bar|barrier.cta.sync barrier.red.popc.aligned.u32 bar.red.or.pred barrier.cluster.arrive.relaxed.aligned
		barrier.cluster.wait.acquire fence.acquire|release|sc|acq_rel.cluster fence.gpu
		fence.acquire.sync_restrict::shared::cluster.cluster fence.release.sync_restrict::shared::cta.cluster
		fence.mbarrier_init.release.cluster fence.proxy.alias fence.proxy.async.global fence.proxy.async.shared::cta
		fence.proxy.tensormap::generic.acquire.sys membar.proxy.async
		fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster`,
		`bar.sync.aligned bar.cluster.sync barrier.cluster.arrive.acquire barrier.cluster.wait.release|relaxed
		barrier.cluster.sync bar.red.xor.pred bar.red.popc.pred bar.red.and.u32 fence.relaxed.gpu fence.sc fence.acq_rel.gl
		fence.release.sync_restrict::shared::cluster.cluster fence.acquire.sync_restrict::shared::cta.cluster
		fence.acquire.sync_restrict::shared::cluster.gpu fence.mbarrier_init.acquire.cluster fence.mbarrier_init.release.gpu
		fence.proxy.alias.gpu fence.proxy.async.local fence.proxy.tensormap::generic.acq_rel.sys membar.gpu|cluster
		fence.proxy.async::generic.release.sync_restrict::shared::cluster.cluster membar.proxy.tensormap::generic`},
	// A cache policy is for global memory; vectors are of f32 or half precision, in global memory.
	{"9.7.15.5, 9.7.15.6",
		`atom|red.global.add.L2::cache_hint.u32 atom|red.relaxed.gpu.add.L2::cache_hint.f32
		atom|red.release.sys.global.and.b64
		atom|red.add.noftz.L2::cache_hint.bf16x2 atom.acq_rel.cta.shared.exch.b64 atom.cas.b16|b32|b64|b128
		atom.global.exch.L2::cache_hint.b128 atom.shared::cluster.inc.u32 atom|red.global.add.v4.f32
		atom|red.relaxed.gpu.global.max.noftz.v8.f16 atom|red.min.noftz.L2::cache_hint.v4.bf16x2 atom.cta.add.f64
		atom|red.shared.add.noftz.f32 atom|red.add.noftz.L2::cache_hint.f32 atom|red.add.noftz.v2|v4.f32`,
		`atom|red.shared.add.L2::cache_hint.u32|f32 atom|red.shared.add.noftz.L2::cache_hint.f16
		atom.shared.exch.L2::cache_hint.b128|b32
		atom|red.relaxed.cta.shared::cta.add.L2::cache_hint.f32 atom|red.local|const|param.add.u32
		atom.cas.L2::cache_hint.b32
		atom|red.shared.add.v2.f32 atom|red.global.add.v8.f32 atom|red.global.min.v2.f32
		atom|red.global.add.noftz.v8.f16x2
		atom|red.global.add.v2.f16 atom|red.add.noftz.f64 atom|red.min.noftz.f32 atom|red.add.noftz.v8.f32
		atom|red.min.noftz.f16 atom.global.and.noftz.v2.f16 atom|red.global.add.v2.u32
		red.acquire|acq_rel.gpu.add.u32 atom.sc.gpu.add.u32 atom.exch.u32 atom.cas.b8 red.exch.b32
		atom.max.f32 atom.exch.b16
		atom|red.weak.add.u32 atom.volatile.add.u32 atom.add.b32 red.inc.u64 atom.add.s16`},
	{"9.7.15.9 to 9.7.15.19",
		`vote.sync.ballot.b32 match.any.sync.b64 redux.sync.min.abs.NaN.f32 redux.sync.and.b32
		mbarrier.arrive.release.cluster.shared::cta.b64 mbarrier.arrive.expect_tx.relaxed.cta.shared::cluster.b64
		mbarrier.arrive.noComplete.release.cta.shared.b64 mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64
		mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 cp.async.mbarrier.arrive.noinc.shared.b64`,
		`vote.sync.ballot.pred vote.sync.all.b32 match.sync.b32 redux.sync.add.f32 redux.sync.min.NaN.u32 redux.sync.add.b32
		redux.sync.xor.u32 mbarrier.arrive.release.b64 mbarrier.arrive.cluster.b64 mbarrier.arrive.acquire.cta.b64
		mbarrier.arrive.release.gpu|sys.b64 mbarrier.arrive.noComplete.release.cluster.b64
		mbarrier.arrive.noComplete.relaxed.cta.b64 mbarrier.arrive.noComplete.shared::cluster.b64
		mbarrier.test_wait.release.cta.b64 mbarrier.test_wait|try_wait.shared::cluster.b64
		mbarrier.expect_tx.release.cta.b64 mbarrier.init|inval.shared::cluster.b64 mbarrier.init.global.b64
		mbarrier.pending_count.shared.b64 cp.async.mbarrier.arrive.shared::cluster.b64`},
	// C and D have one type in most shapes, A and B in wmma.
	{"9.7.16",
		`mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16 mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16
		mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16 mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32
		mma.sp|sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32
		mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32
		mma.sp|sp::ordered_metadata.sync.aligned.m16n8k32|m16n8k64.row.col.f16.e4m3.e5m2.f16
		mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64 wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32.satfinite
		wmma.mma.sync.aligned.col.col.m8n32k16.f32.f16 wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32
		mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X|scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0
		mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X|scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0
		mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3
		ldmatrix.sync.aligned.m8n16.x1|x2|x4.s8.s4 ldmatrix.sync.aligned.m16n16.x2.trans.b8
		stmatrix.sync.aligned.m16n8.x4.trans.b8`,
		`mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32 mma.sync.aligned.m16n8k8|m16n8k16.row.col.f32.f16.f16.f16
		mma.sync.aligned.m16n8k8|m16n8k16.row.col.f16.f16.f16.f32 mma.sync.aligned.m16n8k8.row.col.f32.bf16.tf32.f32
		mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f16 mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.e2m1.e3m2.f32
		mma.sync.aligned.m16n8k32.row.col.f32.e2m1.e3m2.f32 mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32
		mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 mma.sync.aligned.m16n8k16.row.col.s32.s8.s4.s32
		mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.or.popc
		mma.sync.aligned.m8n8k128.row.col.satfinite.s32.b1.b1.s32.xor.popc
		mma.sp|sp::ordered_metadata.sync.aligned.m16n8k16|m16n8k32.row.col.f32.f16.f16.f16
		mma.sp|sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f32
		mma.sp.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32
		mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0
		mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.f32.e2m1.e2m1.f32.ue4m3
		mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue4m3
		mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue4m3
		mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::2X.f32.e4m3.e4m3.f32.ue8m0
		mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue4m3
		wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32 wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.u4.s32
		wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16.f32 wmma.mma.sync.aligned.row.row.m8n8k32.s32.s4.s4.s32
		wmma.load.a.sync.aligned.col.m8n8k32.s4 wmma.load.a.sync.aligned.row.m16n16k16.f32
		wmma.store.d.sync.aligned.row.m16n16k8.f16
		ldmatrix.sync.aligned.m8n8.x1.s8.s4 ldmatrix.sync.aligned.m8n16.x1.trans.s8.s4
		ldmatrix.sync.aligned.m8n16.x1.s8.b4x16_p64
		ldmatrix.sync.aligned.m8n8.x1.b8 ldmatrix.sync.aligned.m16n16.x4.trans.b8 ldmatrix.sync.aligned.m16n16.x1.b8
		ldmatrix.sync.aligned.m8n16.x1.trans.b8x16.b6x16_p32 ldmatrix.sync.aligned.m8n8.x4.global.b16
		stmatrix.sync.aligned.m16n8.x1.b8
		stmatrix.sync.aligned.m16n8.x1.trans.b16 stmatrix.sync.aligned.m8n8.x1.b8 movmatrix.sync.aligned.m8n8.b16`},
	{"9.7.17",
		`wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 wgmma.mma_async.sync.aligned.m64n24k32.f32.e4m3.e5m2
		wgmma.mma_async.sync.aligned.m64n224k32.satfinite.s32.s8.u8`,
		`wgmma.mma_async.sync.aligned.m64n8k16.f16.bf16.bf16 wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.bf16
		wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 wgmma.mma_async.sync.aligned.m64n8k16.f32.tf32.tf32
		wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 wgmma.mma_async.sync.aligned.m64n264k16.f32.f16.f16
		wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.xor.popc wgmma.mma_async.sync.aligned.m64n8k16.satfinite.f32.f16.f16
		wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.f16.f16 wgmma.mma_async.sp.sync.aligned.m64n8k256.s32.b1.b1.and.popc`},
	// Scale factors by kind (Table 68), shapes and repetitions (Table 59); a shifted matrix is not kept.
	{"9.7.18",
		`tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X
		tcgen05.mma.cta_group::1.kind::mxf4.block_scale.block32
		tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X|block16|block32|scale_vec::2X
		tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::lastuse
		tcgen05.mma.ws.cta_group::1.kind::i8.collector::b3::fill tcgen05.ld.sync.aligned.16x128b.x64.b32
		tcgen05.ld.sync.aligned.32x32b.x128.pack::16b.b32 tcgen05.cp.cta_group::1.32x128b.warpx4
		tcgen05.cp.cta_group::1.64x128b.warpx2::01_23.b8x16.b4x16_p64 tcgen05.ld.red.sync.aligned.32x32b.x2.max.abs.NaN.f32`,
		`tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::2X|block16
		tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale
		tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::4X|scale_vec::1X tcgen05.mma.cta_group::1.kind::mxf4
		tcgen05.mma.cta_group::1.kind::f16.block_scale
		tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::fill|collector::a::use
		tcgen05.mma.cta_group::1.kind::mxf4.block_scale.ashift tcgen05.mma.cta_group::1.kind::f16.collector::b0::fill
		tcgen05.mma.ws.cta_group::2.kind::f16 tcgen05.mma.ws.cta_group::1.kind::mxf4
		tcgen05.mma.ws.cta_group::1.kind::f16.collector::a::fill tcgen05.mma.kind::f16
		tcgen05.ld.sync.aligned.16x128b.x128.b32 tcgen05.ld.sync.aligned.16x256b.x64.b32
		tcgen05.ld.sync.aligned.32x32b.x1.unpack::16b.b32 tcgen05.st.sync.aligned.32x32b.x1.pack::16b.b32
		tcgen05.ld.red.sync.aligned.32x32b.x1.max.f32 tcgen05.ld.red.sync.aligned.16x64b.x2.max.f32
		tcgen05.ld.red.sync.aligned.32x32b.x2.max.NaN.u32 tcgen05.cp.cta_group::1.64x128b
		tcgen05.cp.cta_group::1.64x128b.warpx4 tcgen05.cp.cta_group::1.32x128b.warpx2::02_13
		tcgen05.cp.cta_group::1.128x256b.warpx4 tcgen05.cp.cta_group::1.128x256b.b8x16
		tcgen05.alloc.cta_group::1.sync.aligned.shared::cluster.b32
		tcgen05.dealloc.cta_group::1.sync.aligned.shared::cta.b32
		tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cta.b64`},
	// What the collector keeps of B is beside that of A, but after .ashift, .kind::ti16 and .decompress::lut::b; a
	// table is for the narrow kinds and blocks of 32. What is kept of loaded data is two of four floats, and .alloc and
	// .dealloc have .exclusive.
	{"9.7.18.7.1, 9.7.18.8.3, 9.7.18.10.10, 9.7.18.12.1",
		`tcgen05.mma.cta_group::1.kind::f16|kind::tf32|kind::f8f6f4|kind::ti16.collector::a::fill.collector::b::use
		tcgen05.mma.cta_group::2.kind::tf32.ashift.collector::b::discard
		tcgen05.mma.cta_group::1.kind::ti16.ashift.collector::a::lastuse.collector::b::fill
		tcgen05.mma|mma.sp.cta_group::1.kind::ti16.collector::b::lastuse
		tcgen05.mma|mma.sp.cta_group::1.kind::ti16.collector::a::use
		tcgen05.mma|mma.sp.cta_group::1.kind::mxf4.block_scale.collector::a::use.collector::b::use
		tcgen05.mma.ws.cta_group::1.kind::ti16.collector::b2::fill tcgen05.mma.ws.sp.cta_group::1.kind::ti16
		tcgen05.mma.cta_group::1.kind::f8f6f4.decompress::lut::b.collector::b::fill
		tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.decompress::lut::b.block32.collector::a::fill.collector::b::fill
		tcgen05.ld.spcompress.sync.aligned.32x32b.x128.min.sp::2:4.f32.b2
		tcgen05.ld.red.spcompress.sync.aligned.32x32b.x4.max.sp::2:4.abs.NaN.f32.b2
		tcgen05.alloc.exclusive.cta_group::1.sync.aligned.b32 tcgen05.dealloc.exclusive.cta_group::2.sync.aligned.b32
		tcgen05.commit.cta_group::1.mbarrier::arrive::one.multicast::cluster|multicast::cluster::16b|multicast::cluster::32b.b64
		tcgen05.commit.cta_group::1.mbarrier::arrive::one.sync_restrict::shared::read::mma::a.shared::cluster.multicast::cluster::32b.b64`,
		`tcgen05.mma.cta_group::1.kind::f16|kind::tf32|kind::f8f6f4|kind::i8.collector::b::use
		tcgen05.mma.cta_group::1.kind::i8.collector::a::use.collector::b::use
		tcgen05.mma.cta_group::1.kind::mxf4.block_scale.collector::b::use
		tcgen05.mma.cta_group::1.kind::i8.ashift.collector::b::use
		tcgen05.mma.cta_group::1.kind::ti16.ashift.collector::a::fill tcgen05.mma.cta_group::1.kind::ti16.block_scale
		tcgen05.mma.ws.cta_group::1.kind::ti16.collector::b::fill tcgen05.mma.cta_group::1.kind::f16.decompress::lut::b
		tcgen05.mma.cta_group::1.kind::mxf8f6f4.decompress::lut::b tcgen05.mma.sp.cta_group::1.kind::f8f6f4.decompress::lut::b
		tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.decompress::lut::b.scale_vec::1X
		tcgen05.ld.spcompress.sync.aligned.32x32b.x2.min.sp::2:4.f32.b2
		tcgen05.ld.spcompress.sync.aligned.16x64b.x4.min.sp::2:4.f32.b2
		tcgen05.ld.spcompress.sync.aligned.32x32b.x4.min.sp::2:4.NaN.f32.b2
		tcgen05.ld.spcompress.sync.aligned.32x32b.x4.min.sp::2:4.u32.b2
		tcgen05.relinquish_alloc_permit.exclusive.cta_group::1.sync.aligned
		tcgen05.commit.cta_group::1.mbarrier::arrive::one.multicast::cluster::all.b64`},
	// A group of what is kept fits 32 bits, places of two bits are of four elements, and the data take 1 to 128 registers.
	{"9.7.10.30, 9.7.10.31",
		`spcompress.b8|b16.b2|b4.sp::2:4.x1|x2|x4|x8|x16|x32|x64
		spdecompress.b8.b2|b4.sp::1:2.x2|x64 spdecompress.b8.b2|b4.sp::1:4|sp::2:4.x1|x64
		spdecompress.b8.b4.sp::1:8|sp::2:8|sp::4:8.x1|x64
		spdecompress.b8.b4.sp::1:16|sp::2:16|sp::4:16.x1|x32 spdecompress.b16.b2|b4.sp::1:2|sp::1:4|sp::2:4.x1|x64
		spdecompress.b16.b4.sp::1:8|sp::2:8.x1|x32 spdecompress.b16.b4.sp::1:16|sp::2:16.x1|x16`,
		`spcompress.b8.b2.sp::1:2|sp::4:8.x1 spcompress.b32.b2.sp::2:4.x1 spcompress.b8.b2.sp::2:4.x128
		spcompress.b8.sp::2:4.x1
		spdecompress.b8.b2.sp::1:2.x1 spdecompress.b8|b16.b2.sp::1:8|sp::2:8|sp::1:16|sp::2:16.x2
		spdecompress.b8.b4.sp::4:16.x64
		spdecompress.b16.b4.sp::4:8|sp::4:16.x2 spdecompress.b16.b4.sp::1:8.x64 spdecompress.b16.b4.sp::2:16.x32`},
	{"9.7.20",
		`vadd.s32.u32.s32.sat.min vshl.u32.s32.u32.wrap.max vmad.s32.s32.u32.sat.shr7 vmad.u32.u32.u32.po vset.u32.s32.lt.add
		vadd2|vavrg4.s32.u32.s32.sat vadd2|vavrg4.s32.u32.s32.add vset4.s32.s32.ge.add`,
		`vadd.s32.u32.s64 vadd.s32.u32.s32.xor vshl.u32.s32.s32.wrap vshr.u32.s32.u32 vmad.s32.s32.s32.shr8
		vmad.s32.s32.s32.add vset.u32.s32.lo vset.u32.s32.lt.sat vadd2|vadd4.s32.s32.s32.sat.add vadd4.s32.s32.s32.min
		vset2.u32.u32.eq.min`},
}

// expand spells out the alternatives of an opcode: "ld.u8|s8" is ld.u8 and ld.s8.
func expand(opcode string) []string {
	out := []string{""}
	for i, word := range strings.Split(opcode, ".") {
		var longer []string
		for _, head := range out {
			for _, alternative := range strings.Split(word, "|") {
				if i > 0 {
					alternative = head + "." + alternative
				}
				longer = append(longer, alternative)
			}
		}
		out = longer
	}
	return out
}

// vocabulary are all modifiers of a mnemonic's syntax lines.
func vocabulary(mnemonic string) map[string]bool {
	words := map[string]bool{}
	for _, l := range theCatalog.linesOf(mnemonic) {
		for _, e := range l.elements {
			for _, v := range e.values {
				words[v[1:]] = true
			}
		}
	}
	return words
}

// neighbour finds a legal opcode that differs in one modifier, which is one too many, too few or another. An opcode
// without a neighbour is wrong in more than one way.
func neighbour(opcode string) string {
	legal := func(words []string) bool {
		_, mods := splitOpcode(strings.Join(words, "."))
		return slices.ContainsFunc(theCatalog.linesOf(words[0]), func(l *line) bool { return l.assign(mods) != nil })
	}
	words := strings.Split(opcode, ".")
	for i := range words {
		if less := slices.Delete(slices.Clone(words), i, i+1); i > 0 && legal(less) {
			return strings.Join(less, ".")
		}
		for known := range vocabulary(words[0]) {
			other, more := slices.Clone(words), slices.Insert(slices.Clone(words), i+1, known)
			if i > 0 {
				other[i] = known
			}
			if legal(other) {
				return strings.Join(other, ".")
			} else if legal(more) {
				return strings.Join(more, ".")
			}
		}
	}
	return ""
}

func TestRestrictions(t *testing.T) {
	_, err := Match("vavrg.s32.s32.s32") // averages are of two or four elements
	assert.Error(t, err)
	// The words of PTX, and sizes and shifts between and beyond those that there are.
	words := map[string]bool{"m64n12k16": true, "m64n264k16": true, "shr8": true}
	for _, f := range Forms() {
		maps.Copy(words, vocabulary(f.Mnemonic))
	}
	for _, c := range restrictions {
		for _, word := range strings.Fields(c.legal) {
			for _, opcode := range expand(word) {
				_, err := Match(opcode)
				assert.NoError(t, err, "%s: %s", c.section, opcode)
			}
		}
		for _, word := range strings.Fields(c.illegal) {
			for _, opcode := range expand(word) {
				_, err := Match(opcode)
				assert.Error(t, err, "%s: %s", c.section, opcode)
				assert.NotEmpty(t, neighbour(opcode), "%s: %s", c.section, opcode)
				for _, mod := range strings.Split(opcode, ".")[1:] {
					assert.True(t, words[mod], "%s: %s: .%s is no modifier", c.section, opcode, mod)
				}
			}
		}
	}
}
