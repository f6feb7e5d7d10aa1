package launch

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
)

// Who asks for racecheck is told once of all that it does not look at; a fence of copies accesses nothing, and a store
// without an mbarrier is looked at.
func TestUnseenByRacecheck(t *testing.T) {
	const text = `.version 9.1
.target sm_100
.address_size 64
.global .texref image;
.global .align 16 .b8 g[16];
.entry k() {
	.reg .b64 %n; .reg .b32 %r<4>; .reg .b32 %x; .shared .align 16 .b8 b[16];
	cp.async.bulk.commit_group;
	mov.b64 %n, 16;
	st.bulk.shared::cta [b], %n, 0;
	tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [image, {%x}];
	st.bulk.shared::cta [b], %n, 0;
	st.shared.b32 [b], %r0;
	st.async.release.gpu.global.b32 [g], %r0;
	multimem.cp.async.bulk.global.shared::cta.bulk_group [g], [b], 16;
	ret;
}
`
	for header, want := range map[string]int{"": 0, "//@ sanitize initcheck\n": 0, "//@ sanitize all\n": 11} {
		m, err := ptx.Parse("k.ptx", []byte(header+text))
		require.NoError(t, err)
		s, err := FromSource(m)
		require.NoError(t, err)
		if want == 0 {
			require.Empty(t, s.Warnings, header)
			continue
		}
		require.Len(t, s.Warnings, 1)
		require.Equal(t, "racecheck does not look at what st.bulk, tex, multimem.cp.async.bulk accesses: it finds no race "+
			"with that", s.Warnings[0].Message)
		require.Equal(t, want, m.Position(int(s.Warnings[0].Span.Start)).Line)
	}
}
