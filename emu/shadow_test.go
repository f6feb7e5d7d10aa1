package emu

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
)

// sanitized runs kernel k of two CTAs of 64 threads with some checks; buf is a buffer of 1 KiB whose first half was
// written by the host.
func sanitized(t *testing.T, checks Checks, body string) []Finding {
	t.Helper()
	m, err := ptx.Parse("test.ptx", []byte(".version 9.4\n.target sm_100a\n.address_size 64\n"+
		".global .b32 g[4]; .shared .align 16 .b32 s[64]; .shared .b64 bar;\n"+
		".entry k(.param .u64 buf) { .reg .pred %p, %q; .reg .b64 %b, %o; .reg .b32 %t, %c, %v, %a; "+
		"ld.param.u64 %b, [buf];\n"+
		"mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %a, s; mad.lo.u32 %a, %t, 4, %a; mad.wide.u32 %o, %t, 4, %b; "+
		"setp.eq.u32 %p, %t, 0; setp.eq.u32 %q, %c, 0;\n"+
		body+"\nret; }"))
	require.NoError(t, err)
	d, err := Load(m, Options{Sanitize: checks})
	require.NoError(t, err)
	buf, err := d.Alloc(1024)
	require.NoError(t, err)
	require.NoError(t, d.Write(buf, make([]byte, 512)))
	g, err := d.Launch(Config{Entry: "k", Grid: Dim3{X: 2}, Block: Dim3{X: 64}, Args: [][]byte{Ptr(buf)},
		MaxSteps: 1 << 20})
	require.NoError(t, err)
	early := g.Snapshot()
	require.NoError(t, g.Run(context.Background()), body)
	list := g.Findings()
	g.Restore(early) // and again: what was noted in between is forgotten
	require.Empty(t, g.Findings())
	require.NoError(t, g.Run(context.Background()))
	require.Equal(t, list, g.Findings(), "after stepping back")
	return list
}

func TestRacecheck(t *testing.T) {
	const own, neighbour = "st.shared.u32 [%a], %t; ", "xor.b32 %a, %a, 128; ld.shared.u32 %v, [%a]; "
	for _, c := range []struct{ body, words string }{
		{own + neighbour, "`st.shared.u32` in lane 0 of warp 1 writes shared+128, which `ld.shared.u32` of line 7 has read " +
			"in lane 0 of warp 0; the two accesses are unordered"},
		{own + "bar.sync 0; " + neighbour, ""},
		{own + "bar.sync 0; " + neighbour + "st.shared.u32 [%a], 1;", ""}, // the thread that reads is the one that writes
		{own + "bar.sync 0; " + neighbour + "xor.b32 %a, %a, 128; st.shared.u32 [%a], 1;",
			"reads shared+128, which `st.shared.u32` of line 7 has written in lane 0 of warp 1"},
		{own + "xor.b32 %a, %a, 4; ld.shared.u32 %v, [%a];", "in lane 1 of warp 0"}, // lanes of one warp
		{own + "bar.warp.sync -1; xor.b32 %a, %a, 4; ld.shared.u32 %v, [%a];", ""},
		{"st.shared.u8 [%a], %t; add.u32 %a, %a, 1; xor.b32 %a, %a, 128; st.shared.u8 [%a], %t;", ""}, // other bytes
		// 8.7.1: atomics of scopes that leave the other out
		{"atom.global.gpu.inc.u32 %v, [%b], 3;", ""},
		{"atom.global.cta.inc.u32 %v, [%b], 3;", "has written in"},
		{"@%q bra L; atom.global.gpu.inc.u32 %v, [%b], 3; ret; L: atom.global.cta.inc.u32 %v, [%b], 3;", "of CTA 0,0,0"},
		{"@%p st.global.u32 [%b], %c;", "of CTA 0,0,0"},
		{"@%p st.relaxed.gpu.global.u32 [%b], %c;", ""},
		// a flag, with fences and without
		{"@!%p bra E; @!%q bra L; st.global.u32 [%b], 7; membar.gl; st.volatile.global.u32 [%b+4], 1; bra E;\n" +
			"L: ld.volatile.global.u32 %v, [%b+4]; setp.eq.u32 %q, %v, 0; @%q bra L; membar.gl; ld.global.u32 %v, [%b]; E:", ""},
		{"@!%p bra E; @!%q bra L; st.global.u32 [%b], 7; st.volatile.global.u32 [%b+4], 1; bra E;\n" +
			"L: ld.volatile.global.u32 %v, [%b+4]; setp.eq.u32 %q, %v, 0; @%q bra L; ld.global.u32 %v, [%b]; E:",
			"`ld.global.u32` in lane 0"},
		{"@!%p bra E; @!%q bra L; st.global.u32 [%b], 7; st.release.gpu.global.u32 [%b+4], 1; bra E;\n" +
			"L: ld.acquire.gpu.global.u32 %v, [%b+4]; setp.eq.u32 %q, %v, 0; @%q bra L; ld.global.u32 %v, [%b]; E:", ""},
		// the non-coherent cache
		{"@%q st.global.u32 [%o], %t; @%q ld.global.nc.u32 %v, [%o];", "use ld.global"},
		{"@%q st.global.u32 [%o], %t; bar.sync 0; xor.b32 %t, %t, 32; mad.wide.u32 %o, %t, 4, %b; " +
			"@%q ld.global.nc.u32 %v, [%o];", "use ld.global"},
	} {
		list := sanitized(t, Racecheck, c.body)
		if c.words == "" {
			require.Empty(t, list, c.body)
			continue
		}
		require.NotEmpty(t, list, c.body)
		require.Contains(t, list[0].Message, c.words, c.body)
		require.Equal(t, Racecheck, list[0].Check)
		require.NotZero(t, list[0].Other.Line)
	}
}

// TestRacecheckPatterns has a thread of CTA 0 that writes a number and releases it, and one of CTA 1 that acquires it
// and reads, in each of the patterns of 8.8. Without a pattern it is a race.
func TestRacecheckPatterns(t *testing.T) {
	const acquire = "ld.acquire.gpu.global.u32 %v, [%b+64]; "
	releases := []string{
		"st.release.gpu.global.u32 [%b+64], 1;",
		"st.release.gpu.global.u32 [%b+64], 0; st.relaxed.gpu.global.u32 [%b+64], 1;",
		"fence.release.gpu; atom.relaxed.gpu.global.exch.b32 %v, [%b+64], 1;",
		"mov.b32 %a, 1; st.shared.v4.b32 [s], {%a, %a, %a, %a}; fence.proxy.async; fence.release.gpu; " +
			"cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.b128 [%b+64], [s], 16; " +
			"cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
		"st.async.release.gpu.global.u32 [%b+64], 1;",
		"red.async.release.gpu.global.add.u32 [%b+64], 1;",
	}
	acquires := [][3]string{ // what comes once, the look at the flag, and what follows it
		{"", acquire, ""},
		{"", "ld.relaxed.gpu.global.u32 %v, [%b+64];", acquire},
		{"", "atom.relaxed.gpu.global.or.b32 %v, [%b+64], 0;", "fence.acquire.gpu;"},
		{"mbarrier.init.shared.b64 [bar], 1; fence.proxy.async;", "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;" +
			"cp.async.bulk.relaxed.gpu.shared::cta.global.mbarrier::complete_tx::bytes.b128 [s], [%b+64], 16, [bar];\n" +
			"W: mbarrier.try_wait.parity.relaxed.cta.shared.b64 %p, [bar], %t; @!%p bra W; add.u32 %t, %t, 1; " +
			"fence.acquire.gpu; ld.shared.u32 %v, [s];", ""},
	}
	run := func(release string, look [3]string) []Finding {
		return sanitized(t, Racecheck, "@!%p bra E; @!%q bra R; st.global.u32 [%b], 7; "+release+" bra E;\n"+
			"R: "+look[0]+"\nL: "+look[1]+" setp.eq.u32 %q, %v, 0; @%q bra L; "+look[2]+" ld.global.u32 %v, [%b]; E:")
	}
	for _, release := range releases {
		for _, look := range acquires {
			require.Empty(t, run(release, look), "%s %s", release, look)
		}
	}
	relaxed := [3]string{"", "ld.relaxed.gpu.global.u32 %v, [%b+64];"}
	require.NotEmpty(t, run("st.relaxed.gpu.global.u32 [%b+64], 1;", relaxed))
}

func TestInitcheck(t *testing.T) {
	for _, c := range [][2]string{
		{"setp.lt.u32 %p, %t, 16; @%p shfl.sync.down.b32 %v, %t, 8, 31, 0xffff;",
			"lanes 8-15 of warp 0 read from lanes 16-23"},
		{"ld.shared.u32 %v, [%a];\nst.global.u32 [%o], %v;", "`ld.shared.u32` in lane 0 of warp 0 reads shared+0, which " +
			"nothing has written, and what `st.global.u32` of line 8 stores comes of it"},
		{"st.shared.u32 [%a], 1; ld.shared.u32 %v, [%a]; st.global.u32 [%o], %v;", ""},
		{"st.shared.u16 [%a], 1; ld.shared.u32 %v, [%a]; st.global.u32 [%o], %v;", "shared+0"},
		{"st.shared.u16 [%a], 1; ld.shared.u32 %v, [%a]; and.b32 %v, %v, 65535; st.global.u32 [%o], %v;", ""},
		{"ld.global.u32 %v, [%o]; st.global.u32 [%o], %v;", ""},
		{"ld.global.u32 %v, [%o+512]; st.global.u32 [%o], %v;", "which nothing has written"},
		{"@%q st.global.u32 [%o+512], 1; @%q ld.global.u32 %v, [%o+512]; @%q st.global.u32 [%o], %v;", ""},
		// where it decides nothing it does no harm
		{"ld.shared.u32 %v, [%a]; add.u32 %v, %v, 1;", ""},
		{"ld.shared.u32 %v, [%a]; mov.u32 %v, 1; st.global.u32 [%o], %v;", ""},
		{"ld.shared.v2.u32 {%v, %c}, [s]; @%p st.shared.u32 [s], 1; ld.shared.v2.u32 {%v, %c}, [s]; st.global.u32 [%o], %v;",
			""},
		{"ld.shared.u32 %v, [%a]; add.u32 %v, %v, 1;\nsetp.eq.u32 %q, %v, 1;\n@%q exit;", "`exit` of line 9 has for a guard"},
		{"ld.shared.u32 %v, [%a];\nld.shared.u32 %c, [%v+4];", "`ld.shared.u32` of line 8 takes for an address"},
		// local memory, byte by byte
		{".local .b32 loc[2]; st.local.u32 [loc], 1; ld.local.u32 %v, [loc]; st.global.u32 [%o], %v;", ""},
		{".local .b32 loc[2]; st.local.u32 [loc], 1; ld.local.u32 %v, [loc+4]; st.global.u32 [%o], %v;", "reads local+4"},
		{".local .b32 loc; @%p st.local.u32 [loc], 1; ld.local.u32 %v, [loc]; st.global.u32 [%o], %v;",
			"in lane 1 of warp 0 reads local+0"},
		{".local .b32 loc; st.local.u8 [loc+1], 1; ld.local.u8 %v, [loc+1]; st.global.u32 [%o], %v;", ""},
		{".local .b32 loc; st.local.u8 [loc+1], 1; mov.u64 %b, loc; cvta.local.u64 %b, %b; ld.u8 %v, [%b+2]; " +
			"st.global.u32 [%o], %v;", "`ld.u8` in lane 0 of warp 0 reads local+2"},
		{"atom.global.add.u32 %v, [%b+512], 1;", "`atom.global.add.u32`"},
		{"mov.u64 %b, g; ld.global.u32 %v, [%b]; st.global.u32 [%o], %v;", ""}, // variables begin as zero (5.4.4)
		{"@%p bra L; ret; L: mov.u64 %o, %b; cp.async.ca.shared.global [s], [%o], 16; cp.async.wait_all; " +
			"ld.shared.v4.u32 {%v, %v, %v, %v}, [s];", ""},
	} {
		body, words := c[0], c[1]
		list := sanitized(t, Initcheck, body)
		if words == "" {
			require.Empty(t, list, body)
			continue
		}
		require.Len(t, list, 1, body)
		require.Contains(t, list[0].Message, words)
		require.Equal(t, Initcheck, list[0].Check)
	}
}
