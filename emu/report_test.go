package emu

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/mem"
)

// anew makes bar an mbarrier of layout v1.
const anew = `// sm_107a
	.reg .b8 %c; mbarrier.inval.shared.b64 [bar]; mbarrier.init.layout::v1.shared::cta.b64 [bar], 1;
`

// Layouts of mbarriers (9.7.15.16.2, 9.7.15.16.3, 9.7.15.16.21).
func TestMbarrierLayouts(t *testing.T) {
	got, g, err := bars(t, 1, `mov.b32 %v1, 511; mbarrier.init.layout::v1.shared.b64 [b], %v1;
		mbarrier.check_layout.layout::v1.shared::cta.b64 %p0, [b];`+show("%p0", 0)+`
		mbarrier.check_layout.layout::v0.b64 %p0, [%b];`+show("%p0", 1)+`
		mbarrier.arrive.shared.b64 %s0, [b], 511; mbarrier.test_wait.shared.b64 %p0, [b], %s0;`+show("%p0", 2)+`
		mbarrier.inval.shared.b64 [b]; mbarrier.init.layout::v0.shared.b64 [b], 1048575;
		mbarrier.check_layout.layout::v1.shared::cta.b64 %p0, [b];`+show("%p0", 3)+`
		mbarrier.check_layout.layout::v0.shared::cta.b64 %p0, [b];`+show("%p0", 4))
	require.NoError(t, err)
	require.Empty(t, g.Findings())
	require.Equal(t, []uint32{1, 0, 1, 0, 1}, got[:5])
	for body, want := range map[string]string{
		"mov.b32 %v1, 512; mbarrier.init.layout::v1.shared.b64 [b], %v1;": "512 arrivals: the count is from 1 to 511",
		"mbarrier.check_layout.layout::v1.shared::cta.b64 %p0, [b];":      "there is no mbarrier object",
		"mbarrier.init.layout::v1.shared.b64 [b], 511; cp.async.mbarrier.arrive.shared.b64 [b];": "a change by 1 arrival, " +
			"but its phase 0, 511 of 511 arrivals",
	} {
		_, _, err := bars(t, 1, body)
		require.ErrorContains(t, err, want, body)
	}
}

// Layout v0 takes no reports: predicate and value are zero, and both phases are complete in unison (9.7.15.16.19).
func TestMbarrierWithoutReports(t *testing.T) {
	for _, layout := range []string{"v0", "v1"} {
		got, g, err := bars(t, 1, `.reg .b8 %c; mbarrier.init.layout::`+layout+`.shared.b64 [b], 1; setp.eq.u32 %p1, 0, 0;
			mbarrier.test_wait.parity.phase_type::conditional.shared.b64 %p0, [b], 0;`+show("%p0", 0)+`
			mbarrier.arrive.shared.b64 %s0, [b];
			mbarrier.try_wait.phase_type::primary.shared.b64 %p0|%p1, %c, [b], %s0;`+show("%p0", 1)+show("%p1", 2)+`
			cvt.u32.u8 %v0, %c; st.global.u32 [%o+12], %v0;
			mbarrier.try_wait.parity.phase_type::conditional.shared.b64 %p0, [b], 0;`+show("%p0", 4)+`
			mbarrier.test_wait.parity.phase_type::conditional.shared.b64 %p0, [b], 1;`+show("%p0", 5))
		require.NoError(t, err)
		require.Empty(t, g.Findings())
		require.Equal(t, []uint32{0, 1, 0, 0, 1, 0}, got[:6], layout)
	}
}

// A copy reports a negative zero that it samples in an aligned 16 bytes, or a byte of ones (9.7.10.28.1.3, Table 33).
// The second copy, of the next phase, finds nothing, and the conditional phase goes on then.
func TestBulkCopyReports(t *testing.T) {
	const per16 = "per_16bytes::"
	for _, c := range []struct {
		pattern string
		at      int // of these bytes, little-endian, among zeros
		bytes   []byte
		found   uint32
	}{
		{per16 + "80000000", 0, []byte{0, 0, 0, 0x80}, 1},
		{per16 + "80000000", 48, []byte{0, 0, 0, 0x80}, 1},
		{per16 + "80000000", 64, []byte{0, 0, 0, 0x80}, 0}, // after the copy's 64 bytes
		{per16 + "80000000", 32, []byte{1, 0, 0, 0x80}, 0}, // -1.4e-45
		{per16 + "80000000", 4, []byte{0, 0, 0, 0x80}, 0},  // the second element: the first one is the sample
		{per16 + "8000", 16, []byte{0, 0x80}, 1},
		{per16 + "8000", 16, []byte{0x80, 0}, 0},
		{per16 + "80", 16, []byte{0x80}, 1},
		{per16 + "80", 16, []byte{0x81}, 0},
		{per16 + "8", 16, []byte{0x38}, 1}, // the first element of 4 bits is in the low ones
		{per16 + "8", 16, []byte{0x83}, 0},
		{"per_element::ff", 63, []byte{0xff}, 1},
		{"per_element::ff", 62, []byte{0xf0, 0x0f}, 0},
		{"per_element::ff", 64, []byte{0xff}, 0},
	} {
		in := make([]byte, 256)
		copy(in[c.at:], c.bytes)
		start := func(from, parity int) string {
			return fmt.Sprintf(`mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;
				cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.mbarrier::report::validity::%s
				[%%a], [%%p+%d], 64, [%%b];
			W%d: mbarrier.try_wait.parity.phase_type::primary.shared.b64 %%z0|%%z1, %%c, [bar], %d; @!%%z0 bra W%d;
				mbarrier.test_wait.parity.phase_type::conditional.shared.b64 %%z2, [bar], 0;
				selp.u32 %%v0, 1, 0, %%z1; selp.u32 %%v1, 1, 0, %%z2; cvt.u32.u8 %%v2, %%c;
				st.global.v4.u32 [%%q+%d], {%%v0, %%v1, %%v2, 7};
				`, c.pattern, from, parity, parity, parity, 16*parity)
		}
		out, g, err := runBulk(t, 1, 1, anew+start(0, 0)+start(128, 1), in)
		require.NoError(t, err, c)
		require.Empty(t, g.Findings())
		// The conditional phase is 0 and then 1 with a report in phase 0, and parity 0 is then that of a complete one; it is
		// 1 and then 2 without.
		want := []uint32{c.found, 1 - c.found, 0, 7, 0, c.found, 0, 7}
		var got []uint32
		for i := range want {
			got = append(got, uint32(out[4*i]))
		}
		require.Equal(t, want, got, "%v", c)
	}
}

// A wait for a conditional phase that stays behind never ends.
func TestConditionalPhaseThatStaysBehind(t *testing.T) {
	const report = `.mbarrier::report::validity::per_element::ff`
	body := `mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
		cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes` + report + ` [%a], [%p], 16, [%b];
	W:	mbarrier.try_wait.parity.phase_type::conditional.shared.b64 %z0, [bar], 0; @!%z0 bra W;`
	_, g, err := runBulk(t, 1, 1, anew+body, []byte{255, 15: 0})
	require.Equal(t, []MbarrierView{{Addr: mem.Windows64.Shared + 256, Phase: 1, Pending: 1, Expected: 1, V1: true}},
		g.Mbarriers(0))
	var fault *Fault
	require.ErrorAs(t, err, &fault)
	require.Equal(t, BarrierDeadlock, fault.Kind)
	require.ErrorContains(t, err, "conditional phase 0 of the mbarrier at shared+256, which stayed behind because an "+
		"operation has reported; it is in phase 1, 1 of 1 arrival pending")
	_, g, err = runBulk(t, 1, 1, anew+body, []byte{254, 15: 0})
	require.NoError(t, err)
	require.Equal(t, "phase 1, 1 of 1 arrival pending; layout v1, conditional phase 1", g.Mbarriers(0)[0].String())
	// Half of the bytes are there, and a report with them.
	half := strings.Replace(body, "[bar], 16", "[bar], 32", 1)
	_, g, err = runBulk(t, 1, 1, anew+half, []byte{255, 15: 0})
	require.Error(t, err)
	require.Equal(t, "phase 0, 0 of 1 arrival pending, 16 bytes expected; layout v1, conditional phase 0, "+
		"an operation has reported", g.Mbarriers(0)[0].String())

	_, _, err = runBulk(t, 1, 1, "// sm_107a\n"+body, make([]byte, 16)) // layout v0
	require.ErrorContains(t, err, "which only an mbarrier of layout v1 takes (9.7.10.28.1.3)")
	multicast := `// sm_107a
		setp.ne.u32 %z0, %r, 0; @%z0 bra ON; ` + anew + `ON: barrier.cluster.arrive; barrier.cluster.wait; @%z0 bra END;
		cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster` + report +
		` [%a], [%p], 16, [%b], 3;
	END:	barrier.cluster.arrive; barrier.cluster.wait;`
	_, _, err = runBulk(t, 2, 1, multicast, make([]byte, 16))
	require.ErrorContains(t, err, "of the CTA of rank 1: the copy reports what it finds, which only")
}

// What a tensor copy fills in is not looked at: it is nowhere in global memory.
func TestTensorCopyReports(t *testing.T) {
	f16, _ := TensorTypeNamed("f16")
	for i, found := range []byte{0, 1} {
		r := tensorRun{target: "sm_107a", mode: ".mbarrier::report::validity::per_element::ff", in: make([]byte, 64),
			m:   TensorMap{Type: f16, Dims: []uint64{16, 2}, Strides: []uint64{32}, Box: []uint32{16, 2}, FillNaN: true},
			out: make([]byte, 64), coords: []int{8, 0}, bytes: 64,
			setup: "mbarrier.inval.shared.b64 [bar]; mbarrier.init.layout::v1.shared.b64 [bar], 1;",
			after: "mbarrier.test_wait.parity.phase_type::primary.shared.b64 %z0|%z1, [bar], 0; selp.u32 %v, 1, 0, %z1;" +
				"st.shared.u32 [s], %v;"}
		r.in[15], r.in[63] = 0xff, byte(255*i) // the first is left of the box
		got, _, _, err := r.run(t)
		require.NoError(t, err)
		require.Equal(t, byte(0xff), got[16]|got[17], "NaNs fill the right half")
		require.Equal(t, found, got[0])
	}
}
