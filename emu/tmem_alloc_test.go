package emu

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/internal/txtar"
)

// An exclusive allocation waits until there is no other, and others wait until it is freed, although columns are free
// (9.7.18.7.1).
//
// families = `tcgen05.alloc.exclusive`
func TestTensorExclusiveWaits(t *testing.T) {
	const alloc, free = ".cta_group::1.sync.aligned.shared::cta.b32 ", ".cta_group::1.sync.aligned.b32 %a, "
	for _, c := range []struct{ first, columns, second string }{
		{"", "64", ".exclusive"}, {".exclusive", "96", ""}, {".exclusive", "96", ".exclusive"},
	} {
		body := strings.NewReplacer(
			".alloc"+alloc+"[slot], 512", ".alloc"+c.first+alloc+"[slot], "+c.columns,
			".dealloc"+free+"512", ".dealloc"+c.first+free+c.columns,
			".alloc"+alloc+"[%s], 32", ".alloc"+c.second+alloc+"[%s], 32",
			".dealloc"+free+"32", ".dealloc"+c.second+free+"32",
		).Replace(txtar.Text(t, "tmem_pair/waiting"))
		require.Equal(t, 2*strings.Count(c.first+c.second, ".exclusive"), strings.Count(body, ".exclusive"))
		out := make([]byte, 8)
		require.NoError(t, runBlock(t, 64, "out", body, out))
		require.Equal(t, []byte{5, 0, 0, 0, 0, 0, 0, 0}, out)
	}
}

// Table 58: multiples of 32, up to 576 on sm_107; and .exclusive of tcgen05.dealloc goes with that of tcgen05.alloc.
func TestTensorExclusiveFaults(t *testing.T) {
	const head = ".shared .b32 slot; .reg .b32 %r<4>; mov.b32 %r0, 0; "
	const rubin = "// sm_107a\n"
	const alloc = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], "
	const free = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r0, "
	const own = "tcgen05.alloc.exclusive.cta_group::1.sync.aligned.shared::cta.b32 [slot], "
	const disown = "tcgen05.dealloc.exclusive.cta_group::1.sync.aligned.b32 %r0, "
	for _, c := range [][2]string{
		{own + "40;", "40 columns: tensor memory comes in multiples of 32 from 32 to 512 columns"},
		{own + "0;", "0 columns: tensor memory comes in multiples of 32 from 32 to 512 columns"},
		{own + "576;", "576 columns: tensor memory comes in multiples of 32 from 32 to 512 columns"},
		{rubin + own + "608;", "608 columns: tensor memory comes in multiples of 32 from 32 to 576 columns"},
		{rubin + alloc + "576;", "576 columns: tensor memory comes in powers of two from 32 to 512 columns"},
		{own + "96; " + free + "96;", "tcgen05.dealloc has .exclusive if and only if tcgen05.alloc had it"},
		{alloc + "64; " + disown + "64;", "tcgen05.dealloc has .exclusive if and only if tcgen05.alloc had it"},
		{own + "96; " + disown + "64;", "no allocation of 64 columns"},
		{own + "96; mov.b32 %r0, 32; " + disown + "32;", "no allocation of 32 columns"},
		{own + "96; " + own + "96;", "until there is no other allocation of tensor memory"},
		{own + "96; " + alloc + "32;", "until the exclusive allocation of tensor memory is freed"},
		{"tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; " + own + "32;", "given up the right"},
	} {
		body, want := c[0], c[1]
		require.ErrorContains(t, runMatrix(t, "", head+body), want, body)
	}
	require.NoError(t, runMatrix(t, "", head+own+"96; "+disown+"96; "+alloc+"64; "+free+"64; "+own+"32; "+disown+"32;"))
}

// Column 575 exists on sm_107, for one CTA and for a pair (example 3 of 9.7.18.7.1).
func TestTensorExclusiveOf107(t *testing.T) {
	const body = `// sm_107a
		.shared .b32 slot; .reg .b32 %a, %b, %r; .reg .b64 %p, %q;
		mov.u32 %r, %cluster_ctarank; add.u32 %b, %l, 7; mad.lo.u32 %b, %r, 100, %b;
		tcgen05.alloc.exclusive.cta_group::1.sync.aligned.shared::cta.b32 [slot], 576;
		tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
		ld.shared.b32 %a, [slot]; tcgen05.st.sync.aligned.32x32b.x1.b32 [%a+575], {%b};
		tcgen05.wait::st.sync.aligned; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%b}, [%a+575];
		tcgen05.wait::ld.sync.aligned; ld.param.u64 %p, [out]; mul.wide.u32 %q, %r, 4; add.s64 %p, %p, %q;
		mad.wide.u32 %p, %l, 8, %p; st.global.b32 [%p], %b;
		tcgen05.dealloc.exclusive.cta_group::1.sync.aligned.b32 %a, 576;`
	out := make([]byte, 8*32)
	require.NoError(t, runMatrix(t, "out", body, out))
	require.EqualValues(t, 31+7, machine.ByteOrder.Uint32(out[8*31:]))
	_, err := launchPair(t, 32, "out", strings.ReplaceAll(body, "cta_group::1", "cta_group::2"), out)
	require.NoError(t, err)
	require.EqualValues(t, 31+7, machine.ByteOrder.Uint32(out[8*31:]))
	require.EqualValues(t, 31+107, machine.ByteOrder.Uint32(out[8*31+4:]))
}
