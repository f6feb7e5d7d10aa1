package ptx

import (
	"strings"
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

// Swizzle mode 4 is for sm_103a and sm_107a alone (9.7.10.29), scale-input-d for sm_100f and its family
// (9.7.18.10.10.1).
func TestOperandTargets(t *testing.T) {
	for _, c := range []struct{ text, on, notOn string }{
		{"tensormap.replace.tile.swizzle_mode.global.b1024.b32 [q], 4;", "103a 107a", "100a 103f 110a 120a"},
		{"tensormap.replace.tile.swizzle_mode.global.b1024.b32 [q], 3;", "100a 103f 110a 120a", ""},
		{"tcgen05.mma.cta_group::1.kind::f16 [a], q, q, a, p, 3;", "100a 100f 103a 107f", "110a 110f"},
		{"tcgen05.mma.cta_group::1.kind::f16 [a], q, q, a, p;", "100a 110a 110f", ""},
	} {
		for i, targets := range []string{c.on, c.notOn} {
			for target := range strings.FieldsSeq(targets) {
				m, _ := Parse("t", []byte(".version 9.4\n.target sm_"+target+"\n.address_size 64\n.entry k() {\n"+
					"\t.reg .b64 q; .reg .b32 a; .reg .pred p;\n\t"+c.text+"\n\tret; }\n"))
				got := ""
				if len(m.Diagnostics) > 0 {
					got = m.Diagnostics[0].Code
				}
				require.Equal(t, []string{"", "needs-newer-target"}[i], got, "%s on %s: %v", c.text, target, m.Diagnostics)
			}
		}
	}
}
