package emu

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/internal/txtar"
)

// bars runs a kernel of n threads with an mbarrier at [b] (generic address %b), and returns what it stored to out.
func bars(t *testing.T, threads int, body string) ([]uint32, *Grid, error) {
	t.Helper()
	d, err := matrixModule(t, "out", `.shared .align 8 .b64 b, b2; .reg .b64 %o, %b, %s<4>; .reg .b32 %v<8>, %t; `+
		`.reg .pred %p<8>;
		ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; cvta.shared.u64 %b, b;
		setp.eq.u32 %p7, %t, 0;
`+body)
	require.NoError(t, err)
	out, err := d.Alloc(64)
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: threads}, Args: [][]byte{Ptr(out)}})
	require.NoError(t, err)
	err = g.Run(context.Background())
	raw := make([]byte, 64)
	require.NoError(t, d.Read(out, raw))
	words := make([]uint32, 16)
	for i := range words {
		words[i] = machine.ByteOrder.Uint32(raw[4*i:])
	}
	return words, g, err
}

// show stores predicate p as word n of out.
func show(p string, n int) string {
	return fmt.Sprintf("selp.u32 %%v0, 1, 0, %s; st.global.u32 [%%o+%d], %%v0;\n", p, 4*n)
}

// 9.7.15.16.19: true for the phase before the current one. tricky point 105.
func TestMbarrierParity(t *testing.T) {
	got, _, err := bars(t, 1, `mbarrier.init.shared.b64 [b], 1;
		mbarrier.test_wait.parity.shared.b64 %p0, [b], 0;`+show("%p0", 0)+`
		mbarrier.test_wait.parity.shared.b64 %p0, [b], 1;`+show("%p0", 1)+`
		mbarrier.arrive.shared.b64 %s0, [b];
		mbarrier.test_wait.parity.shared.b64 %p0, [b], 0;`+show("%p0", 2)+`
		mbarrier.test_wait.parity.b64 %p0, [%b], 1;`+show("%p0", 3)+`
		mbarrier.test_wait.shared.b64 %p0, [b], %s0;`+show("%p0", 4)+`
		mbarrier.arrive.shared.b64 %s1, [b]; mbarrier.try_wait.shared.b64 %p0, [b], %s1;`+show("%p0", 5)+`
		mbarrier.test_wait.shared.b64 %p0, [b], %s1;`+show("%p0", 6))
	require.NoError(t, err)
	require.Equal(t, []uint32{0, 1, 1, 0, 1, 1, 1}, got[:7])
}

// 9.7.15.16.8: a phase needs no pending arrivals and a tx-count of zero. tricky point 106.
func TestMbarrierTransactions(t *testing.T) {
	got, g, err := bars(t, 1, `mbarrier.init.shared.b64 [b], 1;
		mbarrier.arrive.expect_tx.shared.b64 _, [b], 16;
		mbarrier.test_wait.parity.shared.b64 %p0, [b], 0;`+show("%p0", 0)+`
		mbarrier.complete_tx.shared.b64 [b], 16;
		mbarrier.test_wait.parity.shared.b64 %p0, [b], 0;`+show("%p0", 1)+`
		mbarrier.expect_tx.relaxed.cta.shared.b64 [b], 24;
		mbarrier.complete_tx.shared.b64 [b], 8; mbarrier.complete_tx.shared.b64 [b], 24;
		mbarrier.arrive.shared.b64 _, [b];
		mbarrier.test_wait.parity.shared.b64 %p0, [b], 1;`+show("%p0", 2)+`
		mbarrier.expect_tx.shared.b64 [b], 8;
		mbarrier.test_wait.parity.shared.b64 %p0, [b], 1;`+show("%p0", 3)+`
		mbarrier.init.shared.b64 [b2], 5; mbarrier.arrive.noComplete.shared.b64 %s0, [b2], 4;`)
	require.NoError(t, err)
	// In phase 1 more bytes came than were expected, -8: the arrival does not complete it. Then 8 more are expected,
	// but only an arrival or a completion looks whether the phase is complete.
	require.Equal(t, []uint32{0, 1, 0, 0}, got[:4])
	require.Equal(t, []MbarrierView{{Addr: mem.Windows64.Shared, Phase: 1, Expected: 1},
		{Addr: mem.Windows64.Shared + 8, Pending: 1, Expected: 5}}, g.Mbarriers(0))
}

// 9.7.15.16.17: arrive_drop counts for the later phases; 9.7.15.16.20: pending_count of the state before.
func TestMbarrierDropAndPending(t *testing.T) {
	got, g, err := bars(t, 1, `mbarrier.init.shared.b64 [b], 7;
		mbarrier.arrive.shared.b64 %s0, [b], 2; mbarrier.arrive_drop.shared.b64 %s1, [b], 3;
		mbarrier.arrive_drop.noComplete.shared.b64 %s2, [b], 1; mbarrier.arrive.shared.b64 %s3, [b];
		mbarrier.pending_count.b64 %v1, %s0; mbarrier.pending_count.b64 %v2, %s1;
		mbarrier.pending_count.b64 %v3, %s2; mbarrier.pending_count.b64 %v4, %s3;
		st.global.v4.u32 [%o], {%v1,%v2,%v3,%v4};
		mbarrier.test_wait.shared.b64 %p0, [b], %s1;`+show("%p0", 4))
	require.NoError(t, err)
	require.Equal(t, []uint32{7, 5, 2, 1, 1}, got[:5])
	require.Equal(t, []MbarrierView{{Addr: mem.Windows64.Shared, Phase: 1, Pending: 3, Expected: 3}}, g.Mbarriers(0))
	// The drop that completes a phase counts for the next one already.
	_, g, err = bars(t, 1, "mbarrier.init.shared.b64 [b], 3; mbarrier.arrive.shared.b64 _, [b]; "+
		"mbarrier.arrive_drop.shared.b64 _, [b], 2;")
	require.NoError(t, err)
	require.Equal(t, []MbarrierView{{Addr: mem.Windows64.Shared, Phase: 1, Pending: 1, Expected: 1}}, g.Mbarriers(0))
}

// "phaseParity, whose integer parity denotes either the current phase or the immediately preceding phase": a program
// may count phases (9.7.15.16.19).
func TestMbarrierCountsPhases(t *testing.T) {
	got, _, err := bars(t, 1, `mbarrier.init.shared.b64 [b], 1; mbarrier.arrive.shared.b64 _, [b]; mov.b32 %v1, 2;
		mbarrier.test_wait.parity.shared.b64 %p0, [b], %v1;`+show("%p0", 0)+`
		mbarrier.arrive.shared.b64 _, [b]; mbarrier.test_wait.parity.shared.b64 %p0, [b], %v1;`+show("%p0", 1)+`
		mbarrier.try_wait.parity.shared.b64 %p0, [b], 7;`+show("%p0", 2))
	require.NoError(t, err)
	// One arrival completes phase 0, which is even; two complete phase 1, which is odd, and phase 2 is the current one.
	require.Equal(t, []uint32{1, 0, 1}, got[:3])
}

// The threads of four warps wait for each other in eight phases; thread 0 writes for everybody.
func TestMbarrierPhases(t *testing.T) {
	got, _, err := bars(t, 128, txtar.Text(t, "mbarrier/phases"))
	require.NoError(t, err)
	require.Equal(t, uint32(128*8), got[0])
}

func TestMbarrierDeadlocks(t *testing.T) {
	const loop = "WAIT: mbarrier.%s.parity.shared.b64 %%p0, [b], 0; @!%%p0 bra WAIT;"
	for _, c := range [][2]string{{"try_wait", "no warp can go on"}, {"test_wait", "these lanes look forever at"}} {
		wait, says := c[0], c[1]
		_, _, err := bars(t, 64, "@%p7 mbarrier.init.shared.b64 [b], 65; bar.sync 0; mbarrier.arrive.shared.b64 %s0, [b];"+
			fmt.Sprintf(loop, wait))
		var fault *Fault
		require.ErrorAs(t, err, &fault, wait)
		require.Equal(t, BarrierDeadlock, fault.Kind)
		require.ErrorContains(t, err, "the mbarrier at shared+0, in phase 0, 1 of 65 arrivals pending")
		require.ErrorContains(t, err, says)
	}
	// A thread that is told that its time is up may do something about it.
	got, _, err := bars(t, 1, `mbarrier.init.shared.b64 [b], 2; mbarrier.arrive.shared.b64 %s0, [b];
		mbarrier.try_wait.shared.b64 %p0, [b], %s0, 100;`+show("%p0", 0)+`
		mbarrier.arrive.shared.b64 _, [b];
		mbarrier.try_wait.shared.b64 %p0, [b], %s0, 100;`+show("%p0", 1)+`
		mbarrier.try_wait.parity.shared.b64 %p0, [b], 1, 100;`+show("%p0", 2))
	require.NoError(t, err)
	require.Equal(t, []uint32{0, 1, 0}, got[:3])
	// "Suspended thread resumes execution […] before the phase completes following a system-dependent time limit"
	// (9.7.15.16.19): a program may count its tries, and give up.
	tries := `mbarrier.init.shared.b64 [b], 1; mov.b32 %v1, 0;
	WAIT: mbarrier.try_wait.parity.shared.b64 %p0, [b], 0; add.u32 %v1, %v1, 1; `
	got, _, err = bars(t, 1, tries+`setp.lt.u32 %p1, %v1, 5; @%p1 bra WAIT;`+show("%p0", 0)+"st.global.u32 [%o+4], %v1;")
	require.NoError(t, err)
	require.Equal(t, []uint32{0, 5}, got[:2])
	var fault *Fault
	_, _, err = bars(t, 1, tries+"bra WAIT;") // counts forever
	require.ErrorAs(t, err, &fault)
	require.Equal(t, BarrierDeadlock, fault.Kind)
}

func TestMbarrierMisuse(t *testing.T) {
	for _, c := range [][2]string{
		{"mbarrier.arrive.shared.b64 _, [b];", "there is no mbarrier object: it needs mbarrier.init"},
		{"mbarrier.test_wait.parity.shared.b64 %p0, [b], 0;", "there is no mbarrier object"},
		{"mbarrier.inval.shared.b64 [b];", "there is no mbarrier object to invalidate"},
		{"mov.b32 %v1, 0; mbarrier.init.shared.b64 [b], %v1;", "it cannot expect 0 arrivals"},
		{"mov.b32 %v1, 1048576; mbarrier.init.shared.b64 [b], %v1;", "it cannot expect 1,048,576 arrivals"},
		{"mbarrier.init.shared.b64 [b+4], 1;", "it must be a multiple of 8"},
		{"mbarrier.init.b64 [%o], 1;", "mbarrier objects are in shared memory"},
		{"mbarrier.init.shared.b64 [b], 2; mbarrier.arrive.shared.b64 _, [b], 3;", "3 arrivals, but its phase 0, 2 of 2"},
		{"mbarrier.init.shared.b64 [b], 2; mbarrier.arrive.noComplete.shared.b64 %s0, [b], 2;", "in spite of .noComplete"},
		{"mbarrier.init.shared.b64 [b], 2; mbarrier.expect_tx.shared.b64 [b], 1048576;", "its tx-count would be 1048576"},
		{"mbarrier.init.shared.b64 [b], 2; mbarrier.arrive_drop.shared.b64 _, [b], 2;",
			"the drop leaves 0 of 2 expected arrivals: at least 1 must be left"},
		{"mbarrier.init.shared.b64 [b], 2; mov.b64 %s0, 0; mbarrier.try_wait.shared.b64 %p0, [b], %s0;", "0x0 is no state"},
		{"mov.b64 %s0, 5; mbarrier.pending_count.b64 %v1, %s0;",
			"0x5 is no state that mbarrier.arrive.noComplete has returned"},
		{"mbarrier.init.shared.b64 [b], 1; mbarrier.arrive.shared.b64 %s0, [b]; mbarrier.arrive.shared.b64 %s1, [b];" +
			"mbarrier.test_wait.shared.b64 %p0, [b], %s1; mbarrier.test_wait.shared.b64 %p0, [b], %s0;",
			"a state of a phase before the last"},
		{"mbarrier.init.shared.b64 [b], 2; st.shared.u32 [b+4], 3; mbarrier.arrive.shared.b64 _, [b];",
			"by no mbarrier operation"},
		{"mbarrier.init.shared.b64 [b], 2; st.shared.u32 [b], 3; mbarrier.test_wait.parity.shared.b64 %p0, [b], 0;",
			"by no mbarrier"},
		{"mbarrier.init.shared.b64 [b], 2; mbarrier.inval.shared.b64 [b]; mbarrier.arrive.shared.b64 _, [b];", "there is no"},
	} {
		_, _, err := bars(t, 1, c[0])
		require.ErrorContains(t, err, c[1], c[0])
	}
}

// "For each phase of the mbarrier object, at least one test_wait or try_wait operation must be performed which returns
// True for waitComplete before an arrive-on operation in the subsequent phase" (9.7.15.16.5).
func TestMbarrierPhasesAreAwaited(t *testing.T) {
	const arrive = "mbarrier.arrive.shared.b64 %s0, [b];"
	for _, c := range [][2]string{
		{arrive + arrive, "no thread has waited for the one before"},
		{arrive + "mbarrier.test_wait.parity.shared.b64 %p0, [b], 1;" + arrive, "the mbarrier at shared+0 is in phase 1"},
		{arrive + "mbarrier.test_wait.parity.shared.b64 %p0, [b], 0;" + arrive, ""},
		{arrive + "mbarrier.try_wait.shared.b64 %p0, [b], %s0;" + arrive, ""},
		{arrive + "mbarrier.inval.shared.b64 [b]; mbarrier.init.shared.b64 [b], 2;" + arrive + arrive, ""},
		{arrive + "mbarrier.test_wait.shared.b64 %p0, [b], %s0; mbarrier.expect_tx.shared.b64 [b], 4;" + arrive +
			"mbarrier.complete_tx.shared.b64 [b], 4;" + arrive, "is in phase 2"},
	} {
		body, words := c[0], c[1]
		_, g, err := bars(t, 1, "mbarrier.init.shared.b64 [b], 1;"+body)
		require.NoError(t, err)
		if words == "" {
			require.Empty(t, g.Findings(), body)
			continue
		}
		require.Len(t, g.Findings(), 1, body)
		require.Contains(t, g.Findings()[0].Message, words)
		require.Equal(t, "9.7.15.16.5", g.Findings()[0].Section)
	}
}

// 9.7.15.1: barriers are 0 to 15 and count whole warps. A constant is refused before it runs, a register then.
func TestNoSuchBarrier(t *testing.T) {
	for _, c := range [][2]string{
		{"mov.b32 %v1, 16; bar.sync %v1;", "there is no barrier 16"},
		{"mov.b32 %v1, 17; bar.red.popc.u32 %v1, %v1, %p0;", "there is no barrier 17"},
		{"mov.b32 %v1, 33; bar.sync 1, %v1;", "a count of 33"},
		{"mov.b32 %v1, 0; bar.arrive 1, %v1;", "a count of 0"},
	} {
		_, _, err := bars(t, 32, c[0])
		require.ErrorContains(t, err, c[1], c[0])
	}
}

// cp.async.mbarrier.arrive: the phase completes when the copies are made (9.7.15.16.18).
func TestMbarrierTracksCopies(t *testing.T) {
	for _, c := range []struct {
		arrive string
		count  int
	}{{"cp.async.mbarrier.arrive.shared.b64 [b]; mbarrier.arrive.shared.b64 %s0, [b];", 32},
		{"cp.async.mbarrier.arrive.noinc.shared.b64 [b]; mbarrier.arrive.shared.b64 %s0, [b];", 64}} {
		got, g, err := bars(t, 32, txtar.Text(t, "mbarrier/copies",
			"COUNT", fmt.Sprint(c.count),
			"ARRIVE", c.arrive))
		require.NoError(t, err)
		require.Equal(t, uint32(31^16), got[0])
		require.Empty(t, g.Findings())
		require.Equal(t, int64(1), g.Mbarriers(0)[0].Phase)
	}
}

// Time travel: the objects are part of snapshots.
func TestMbarrierSnapshot(t *testing.T) {
	d, err := matrixModule(t, "", `.shared .align 8 .b64 b; mbarrier.init.shared.b64 [b], 2; `+
		`mbarrier.arrive.shared.b64 _, [b];
		mbarrier.arrive.shared.b64 _, [b]; mbarrier.inval.shared.b64 [b];`)
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k"})
	require.NoError(t, err)
	var views [][]MbarrierView
	var snaps []*Snapshot
	for !g.Done() {
		snaps = append(snaps, g.Snapshot())
		views = append(views, g.Mbarriers(0))
		_, err := g.Step()
		require.NoError(t, err)
	}
	for i, s := range snaps {
		g.Restore(s)
		require.Equal(t, views[i], g.Mbarriers(0))
	}
	require.Equal(t, []MbarrierView{{Addr: mem.Windows64.Shared, Pending: 1, Expected: 2}}, views[3])
	require.Equal(t, "phase 0, 1 of 2 arrivals pending", views[3][0].String())
	require.Equal(t, "phase 1, 2 of 2 arrivals pending", views[4][0].String())
}
