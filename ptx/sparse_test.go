package ptx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The examples of 9.7.10.30 and 9.7.18 parse, with the ratio of .sp::2:4 and tuples as long as their opcodes say.
func TestSparseAndTensorForms(t *testing.T) {
	const head = ".version 9.4\n.target sm_107a\n.address_size 64\n.entry k() {\n" +
		"\t.reg .b32 m<4>, c<64>, d<128>, desc, a; .reg .b64 q;" +
		"\n\t.reg .b16 s; .reg .f32 f; .reg .pred p;\n"
	for _, c := range []struct{ text, want string }{
		{"spcompress.b8.b2.sp::2:4.x4 {m0}, {c0, c1, c2, c3}, {d0, d1, d2, d3, d4, d5, d6, d7}, desc;", ""},
		{"spcompress.b8.b2.sp::2:4.x4 {m0}, {c0, c1, c2}, {d0, d1, d2, d3, d4, d5, d6, d7}, desc;", "bad-operand"},
		{"spcompress.b8.b2.sp::2:4.x4 {m0, m1}, {c0, c1, c2, c3}, {d0, d1, d2, d3, d4, d5, d6, d7}, desc;", "bad-operand"},
		{"spcompress.b8.b2.sp::2:5.x4 {m0}, {c0, c1, c2, c3}, {d0, d1, d2, d3, d4, d5, d6, d7}, desc;",
			"modifier-not-allowed"},
		{"spdecompress.b8.b2.sp::2:4.x2 {d0, d1}, {m0}, {c0};", ""},
		{"spdecompress.b8.b2.sp::2:4.x2 {d0, d1}, {m0}, {c0, c1};", "bad-operand"},
		{"tcgen05.ld.spcompress.sync.aligned.32x32b.x4.max.sp::2:4.abs.f32.b2 {m0}, {c0, c1}, [a];", ""},
		{"tcgen05.ld.red.spcompress.sync.aligned.32x32b.x4.max.sp::2:4.NaN.f32.b2 {m0}, {c0, c1}, f, [a];", ""},
		{"tcgen05.commit.cta_group::1.mbarrier::arrive::one.multicast::cluster::16b.b64 [q], s;", ""},
		{"tcgen05.commit.cta_group::1.mbarrier::arrive::one.multicast::cluster::32b.b64 [q], a;", ""},
		{"tcgen05.commit.cta_group::1.mbarrier::arrive::one.multicast::cluster::32b.b64 [q], s;", "type-mismatch"},
		{"tcgen05.mma.cta_group::1.kind::f8f6f4.decompress::lut::b [a], q, q, [a], desc, {m0, m1, m2, m3}, p;", ""},
		{"tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.decompress::lut::b [a], [a], q, [a], desc, [a], [a], p;", ""},
		{"tcgen05.mma.cta_group::1.kind::ti16.collector::b::use [a], q, q, desc, p;", ""},
		{"tcgen05.mma.sp.cta_group::1.kind::ti16.collector::b::use [a], q, q, [a], desc, p;", ""},
		{"tcgen05.alloc.exclusive.cta_group::2.sync.aligned.shared::cta.b32 [a], 576;", ""},
	} {
		m, _ := Parse("t", []byte(head+"\t"+c.text+"\n\tret; }\n"))
		got := ""
		if len(m.Diagnostics) > 0 {
			got = m.Diagnostics[0].Code
		}
		require.Equal(t, c.want, got, "%s: %v", c.text, m.Diagnostics)
	}
}
