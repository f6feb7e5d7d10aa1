package emu

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
)

// judged runs the body of a kernel with these performance directives, in clusters as large as the grid, and returns
// what is wrong with it: a fault or the first finding.
func judged(t *testing.T, checks Checks, directives string, ctas, threads int, body string) string {
	t.Helper()
	m, err := ptx.Parse("test.ptx", []byte(".version 8.7\n.target sm_100a\n.address_size 64\n"+
		".entry k(.param .u64 buf) "+directives+" { .reg .pred %p; .reg .b64 %b; .reg .b32 %t, %r, %v; .shared .b32 s;\n"+
		"ld.param.u64 %b, [buf]; mov.u32 %t, %tid.x; mov.u32 %r, %cluster_ctarank; setp.lt.u32 %p, %t, 16;\n"+body+
		"\nret; }"))
	require.NoError(t, err)
	d, err := Load(m, Options{Sanitize: checks})
	require.NoError(t, err)
	buf, err := d.Alloc(256)
	require.NoError(t, err)
	require.NoError(t, d.Write(buf, make([]byte, 256)))
	g, err := d.Launch(Config{Entry: "k", Grid: Dim3{X: ctas}, Cluster: Dim3{X: ctas}, Block: Dim3{X: threads},
		Args: [][]byte{Ptr(buf)}})
	require.NoError(t, err)
	if err := g.Run(context.Background()); err != nil {
		return err.Error()
	}
	if len(g.Findings()) == 0 {
		return ""
	}
	return g.Findings()[0].Message
}

// The rules of instructions that only give advice.
func TestRulesOfHints(t *testing.T) {
	for _, c := range []struct{ directives, body, words string }{
		// 9.7.10.17, 9.7.10.20: 128 bytes, aligned; discard is a write, and only of global memory
		{"", "discard.global.L2 [%b+128], 128;", ""},
		{"", "discard.L2 [%b], 128; applypriority.L2::evict_normal [%b], 128;", ""},
		{"", "discard.global.L2 [%b+64], 128;", "misaligned address"},
		{"", "discard.global.L2 [%b+256], 128;", "out of bounds"},
		{"", "mov.u64 %b, s; cvta.shared.u64 %b, %b; discard.L2 [%b], 128;", "illegal address"},
		{"", "applypriority.global.L2::evict_normal [%b+64], 128;", "it must be a multiple of 128"},
		// 9.7.10.12, 9.7.15.7, 9.7.10.15: generic addresses, "within the address window of .global"
		{"", "st.async.release.gpu.u32 [%b], %t; red.async.release.sys.add.u32 [%b], %t; multimem.st.b32 [%b], %t;", ""},
		{"", "mov.u64 %b, s; cvta.shared.u64 %b, %b; st.async.release.gpu.u32 [%b], %t;", "illegal address"},
		{"", "mov.u64 %b, s; cvta.shared.u64 %b, %b; red.async.release.sys.add.u32 [%b], %t;", "illegal address"},
		{"", "mov.u64 %b, s; cvta.shared.u64 %b, %b; multimem.red.add.u32 [%b], %t;", "illegal address"},
		// 9.7.10.28.4.3
		{"", "cp.async.bulk.prefetch.L2.global [%b+16], 16;", ""},
		{"", "cp.async.bulk.prefetch.L2.global [%b+8], 16;", "it must be a multiple of 16"},
		// 9.7.21.5: all warps of a warpgroup, together; up and down
		{".maxnreg 128", "setmaxnreg.dec.sync.aligned.u32 96; bar.sync 0; setmaxnreg.inc.sync.aligned.u32 96;", ""},
		{".maxnreg 128", "setmaxnreg.dec.sync.aligned.u32 128;", ""},
		{"", "setmaxnreg.dec.sync.aligned.u32 232;", ""}, // nothing says how many there are
		{".maxnreg 128", "setmaxnreg.dec.sync.aligned.u32 136;", "asks for 136 registers, and it has 128"},
		{".maxnreg 128", "setmaxnreg.inc.sync.aligned.u32 120;", "asks for 120 registers, and it has 128"},
		{"", "setmaxnreg.inc.sync.aligned.u32 232; bar.sync 0; setmaxnreg.inc.sync.aligned.u32 64;", "and it has 232"},
		{"", "setp.lt.u32 %p, %t, 128; @%p bra L; setmaxnreg.inc.sync.aligned.u32 232; bra E; L: " +
			"setmaxnreg.dec.sync.aligned.u32 40; E:", ""},
		{"", "setp.lt.u32 %p, %t, 32; @%p setmaxnreg.dec.sync.aligned.u32 40;",
			"warp 0 has executed `setmaxnreg.dec.sync.aligned.u32`, and warp 1 has not"},
		{"", "@%p setmaxnreg.dec.sync.aligned.u32 40;", "only lanes 0-15 came"},
	} {
		words := judged(t, 0, c.directives, 1, 256, c.body)
		if c.words == "" {
			require.Empty(t, words, c.body)
			continue
		}
		require.Contains(t, words, c.words, c.body)
	}
	// 9.7.10.20: "reads of memory locations with unstable indeterminate values may return different bit patterns"
	for body, words := range map[string]string{
		"ld.global.u32 %v, [%b];": "",
		"discard.global.L2 [%b], 128; ld.global.u32 %v, [%b+124]; st.global.u32 [%b], %v;": "which nothing has written",
		"discard.global.L2 [%b], 128; ld.global.u32 %v, [%b+128]; st.global.u32 [%b], %v;": "",
		"discard.global.L2 [%b], 128; st.global.u32 [%b+124], %t; ld.global.u32 %v, [%b+124]; " +
			"st.global.u32 [%b], %v;": "",
	} {
		if got := judged(t, Initcheck, "", 1, 1, body); words == "" {
			require.Empty(t, got, body)
		} else {
			require.Contains(t, got, words, body)
		}
	}
	require.Contains(t, judged(t, Racecheck, "", 1, 64, "setp.eq.u32 %p, %t, 0; @%p discard.global.L2 [%b], 128; "+
		"setp.eq.u32 %p, %t, 32; @%p ld.global.u32 %v, [%b];"), "`ld.global.u32` in lane 0 of warp 1 reads")
}

// Questions about an address outside shared memory, or about a request that has failed, have no answer.
func TestQuestionsWithoutAnswer(t *testing.T) {
	const try = "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [a], [m];"
	const ask = "mbarrier.arrive.expect_tx.shared.b64 _, [m], 16;" + try +
		"W%[1]d: mbarrier.try_wait.parity.shared.b64 %%p, [m], %[1]d; " +
		"@!%%p bra W%[1]d; ld.shared.b128 %%q, [a]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %%p, %%q;"
	const asking = ".shared .align 16 .b8 a[16]; .shared .align 8 .b64 m; .reg .b128 %q; mbarrier.init.shared.b64 [m], 1;"
	for _, c := range [][2]string{
		// 9.7.15.18: "if the executing CTA has already observed the completion of a […] try_cancel instruction as failed"
		{asking + fmt.Sprintf(ask, 0), ""},
		{asking + fmt.Sprintf(ask, 0) + fmt.Sprintf(ask, 1), "has been told already that no cluster is left"},
		// 9.7.10.26, 9.7.10.27: generic addresses "pointing to shared memory"
		{"mapa.u64 %b, %b, 0;", "`mapa.u64` in lane 0 of warp 0: 0x200001000 is no generic address of shared memory"},
		{"getctarank.u64 %v, %b;", "`getctarank.u64` in lane 0 of warp 0: " +
			"0x200001000 is no generic address of shared memory"},
		{"mov.u64 %b, s; cvta.shared.u64 %b, %b; mapa.u64 %b, %b, 1; mapa.u64 %b, %b, 0; getctarank.u64 %v, %b;", ""},
		// 9.7.15.19: "if the request fails the behavior […] is undefined"
		{".reg .b128 %q; mov.b64 %b, 0; mov.b128 %q, {%b, %b}; " +
			"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p, %q;", ""},
		{".reg .b128 %q; mov.b64 %b, 0; mov.b128 %q, {%b, %b}; " +
			"clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %v, %q;", "ask is_canceled first"},
	} {
		body, words := c[0], c[1]
		if got := judged(t, 0, "", 2, 1, body); words == "" {
			require.Empty(t, got, body)
		} else {
			require.Contains(t, got, words, body)
		}
	}
}

// barrier.cluster (9.7.15.3): lanes execute one with .aligned together, and .relaxed arrivals order nothing by
// themselves.
func TestRulesOfTheClusterBarrier(t *testing.T) {
	require.Contains(t, judged(t, 0, "", 2, 32, "@%p barrier.cluster.arrive.aligned; "+
		"@!%p barrier.cluster.arrive.aligned; "+
		"barrier.cluster.wait;"), "where its guard is false")
	require.Contains(t, judged(t, 0, "", 2, 32, "barrier.cluster.arrive; @%p barrier.cluster.wait.aligned; "+
		"@!%p barrier.cluster.wait.aligned;"), "or leave .aligned out")
	require.Empty(t, judged(t, 0, "", 2, 32, "@%p barrier.cluster.arrive; @!%p barrier.cluster.arrive; "+
		"barrier.cluster.wait;"))
	for arrive, races := range map[string]bool{
		"barrier.cluster.arrive;":                                                           false,
		"barrier.cluster.arrive.release;":                                                   false,
		"barrier.cluster.arrive.relaxed;":                                                   true,
		"fence.acq_rel.cluster; barrier.cluster.arrive.relaxed;":                            false,
		"fence.acq_rel.cta; barrier.cluster.arrive.relaxed;":                                true,
		"fence.release.sync_restrict::shared::cta.cluster; barrier.cluster.arrive.relaxed;": false,
	} {
		got := judged(t, Racecheck, "", 2, 1, "st.shared.u32 [s], %r; "+arrive+" barrier.cluster.wait; xor.b32 %v, %r, 1; "+
			"mapa.shared::cluster.u32 %v, s, %v; ld.shared::cluster.u32 %v, [%v]; barrier.cluster.arrive; barrier.cluster.wait;")
		if races {
			require.Contains(t, got, "the two accesses are unordered", arrive)
		} else {
			require.Empty(t, got, arrive)
		}
	}
}
