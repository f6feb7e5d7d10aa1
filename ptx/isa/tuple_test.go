package isa

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The registers of a thread, by the figures and tables of the sections in the comments.
func TestTuples(t *testing.T) {
	for _, c := range []struct {
		opcode string
		want   map[string]int
	}{
		// 9.7.16.4.1: .f16 has eight registers for A and B in every shape.
		{"wmma.load.a.sync.aligned.row.m8n32k16.f16", map[string]int{"r": 8}},
		{"wmma.load.a.sync.aligned.row.m8n32k16.s8", map[string]int{"r": 1}},
		{"wmma.load.b.sync.aligned.row.m8n32k16.s8", map[string]int{"r": 4}},
		{"wmma.load.b.sync.aligned.col.m8n8k4.f64", map[string]int{"r": 1}},
		{"wmma.store.d.sync.aligned.row.m16n16k16.f16", map[string]int{"r": 4, "p": 0}},
		{"wmma.store.d.sync.aligned.row.m8n8k4.f64", map[string]int{"r": 2}},
		{"wmma.mma.sync.aligned.row.col.m32n8k16.f32.f16", map[string]int{"d": 8, "a": 8, "b": 8, "c": 4}},
		{"wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", map[string]int{"d": 2, "a": 1, "b": 1, "c": 2}},
		{"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16", map[string]int{"d": 8, "a": 2, "b": 2, "c": 4}}, // 9.7.16.5.1
		{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", map[string]int{"d": 4, "a": 2, "b": 1, "c": 4}},
		{"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", map[string]int{"d": 4, "a": 8, "b": 4, "c": 4}},
		{"mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32", map[string]int{"d": 4, "a": 2, "b": 1, "c": 4}},
		{"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", map[string]int{"d": 4, "a": 4, "b": 2, "c": 4}},
		// Elements of 4 bits take a byte each, or half a byte in kinds of their own.
		{"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32", map[string]int{"d": 4, "a": 4, "b": 2, "c": 4}},
		{"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0",
			map[string]int{"d": 4, "a": 4, "b": 2, "c": 4, "scale-a-data": 0}},
		{"mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", map[string]int{"d": 2, "a": 2, "b": 2, "c": 2, "e": 0}},
		{"ldmatrix.sync.aligned.m8n8.x4.trans.b16", map[string]int{"r": 4}},
		{"ldmatrix.sync.aligned.m16n16.x2.trans.b8", map[string]int{"r": 4}},
		{"stmatrix.sync.aligned.m16n8.x1.trans.b8", map[string]int{"r": 1}},
		// 9.7.17.5.1: 64 x 256 elements of .f32 among 128 threads.
		{"wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16", map[string]int{"d": 128, "a": 4, "b-desc": 0}},
		{"wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16", map[string]int{"d": 2, "a": 4}},
		{"tcgen05.ld.sync.aligned.16x256b.x32.b32", map[string]int{"r": 128}}, // Tables 59 and 61
		{"tcgen05.st.sync.aligned.16x128b.x1.b32", map[string]int{"r": 2}},
		{"tcgen05.ld.sync.aligned.16x64b.x8.b32", map[string]int{"r": 8}},
		{"tcgen05.mma.cta_group::2.kind::f16", map[string]int{"disable-output-lane": 8}},
		{"tcgen05.mma.cta_group::1.kind::f16", map[string]int{"disable-output-lane": 4, "idesc": 0}},
		// Tables 37 and 39 of 9.7.10.30 and 9.7.10.31, Table 60 of 9.7.18.8.3.
		{"spcompress.b8.b2.sp::2:4.x4", map[string]int{"data": 8, "cdata": 4, "mdata": 1, "spdesc": 0}},
		{"spcompress.b16.b2.sp::2:4.x1", map[string]int{"data": 2, "cdata": 1, "mdata": 1}}, // 2/16 of a register
		{"spcompress.b8.b4.sp::2:4.x64", map[string]int{"data": 128, "cdata": 64, "mdata": 32}},
		{"spdecompress.b8.b2.sp::2:4.x32", map[string]int{"mdata": 4, "cdata": 16, "data": 32}},
		{"spdecompress.b16.b4.sp::1:16.x16", map[string]int{"mdata": 2, "cdata": 8, "data": 128}},
		{"spdecompress.b8.b4.sp::4:8.x64", map[string]int{"mdata": 32, "cdata": 64, "data": 128}},
		{"tcgen05.ld.spcompress.sync.aligned.32x32b.x32.max.sp::2:4.abs.f32.b2", map[string]int{"mdata": 1, "cdata": 16}},
		{"tcgen05.ld.red.spcompress.sync.aligned.32x32b.x128.max.sp::2:4.f32.b2",
			map[string]int{"mdata": 4, "cdata": 64, "redval": 0}},
		// 9.7.10.28.5.3
		{"cp.async.bulk.tensor.5d.shared::cta.global.im2col.mbarrier::complete_tx::bytes",
			map[string]int{"tensorCoords": 5, "im2colInfo": 3}},
		{"cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes",
			map[string]int{"tensorCoords": 3, "im2colInfo": 2}},
		{"cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes",
			map[string]int{"tensorCoords": 5}},
		{"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes", map[string]int{"size": 0}},
		{"tex.2d.v4.f32.f32", map[string]int{"d": 4, "e": 0}},
		{"tex.2d.v2.f16x2.f32", map[string]int{"d": 2}},
	} {
		bound, err := Resolve(c.opcode)
		require.NoError(t, err)
		for name, want := range c.want {
			require.Equal(t, want, bound[0].Tuple(name), "%s: %s", c.opcode, name)
		}
	}
}
