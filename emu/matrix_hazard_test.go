package emu

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Registers of wgmma products: "accessing the accumulator register or the input register containing the fragments of
// matrix A […] without first performing a wgmma.wait_group" is undefined (9.7.17.7.3), and a wgmma.fence is needed
// "between a register access by a thread in the warpgroup and any wgmma.mma_async that accesses the same registers, […]
// except when these are accumulator register accesses across multiple wgmma.mma_async instructions of the same shape"
// (9.7.17.7.1).
func TestWgmmaRegisters(t *testing.T) {
	for _, c := range []struct{ body, section, words string }{
		// right: the manual's examples, chains, halves of a D, what other registers do, and what is not executed
		{"FENCE; MMA; COMMIT; WAIT 0; mov.b32 %v, %d0;", "", ""},
		{"mov.b32 %d0, 1; FENCE; MMA; MMA; MMA; COMMIT; WAIT 0; st.global.b32 [%o], %d3;", "", ""},
		{"FENCE; MMA; COMMIT; WAIT 0; MMA; COMMIT; WAIT 0;", "", ""},
		{"FENCE; MMA; COMMIT; WAIT 0; mov.b32 %d0, 1; FENCE; MMA; COMMIT; WAIT 0;", "", ""},
		{"FENCE; MMA; COMMIT; REGA; REGA; COMMIT; WAIT 0;", "", ""}, // two products read one A
		{"FENCE; MMA; COMMIT; mov.b32 %a0, 1; FENCE; REGA; COMMIT; WAIT 0;", "", ""},
		{"FENCE; MMA; COMMIT; WIDE; COMMIT; WAIT 1; mov.b32 %v, %d0; WAIT 0; mov.b32 %v, %e7;", "", ""},
		{"FENCE; MMA; COMMIT; add.u32 %v, %v, 1; setp.eq.u32 %z, %l, 99; @%z mov.b32 %d0, 1; MMA; COMMIT; WAIT 0;", "", ""},
		{"mov.b32 %n, 0; FENCE; LOOP: MMA; COMMIT; WAIT 0; add.u32 %n, %n, 1; setp.lt.u32 %z, %n, 3; @%z bra LOOP;", "", ""},
		// too early: D read, D written, A written, as an operand of any kind, by a group that is still pending
		{"FENCE; MMA; COMMIT; mov.b32 %v, %d0; WAIT 0;", "9.7.17.7.3",
			"`mov.b32` in warp 3 uses %d0, a register of `wgmma.mma_async"},
		{"FENCE; MMA; COMMIT; st.global.v2.b32 [%o], {%d2, %d3}; WAIT 0;", "9.7.17.7.3",
			"`st.global.v2.b32` in warp 3 uses %d2"},
		{"FENCE; MMA; COMMIT; mov.b32 %d1, 0; WAIT 0;", "9.7.17.7.3", "uses %d1"},
		{"FENCE; REGA; COMMIT; add.u32 %a3, %a3, 1; WAIT 0;", "9.7.17.7.3", "uses %a3"},
		{"FENCE; MMA; COMMIT; WIDE; COMMIT; WAIT 1; mov.b32 %v, %d0; mov.b32 %v, %e7; WAIT 0;", "9.7.17.7.3", "uses %e7"},
		{"FENCE; MMA; WAIT 0; mov.b32 %v, %d0; COMMIT; WAIT 0;", "9.7.17.7.3", "uses %d0"}, // in no group yet
		// no fence: after a write of D or A, after a read, in a loop, and between shapes
		{"FENCE; MMA; COMMIT; WAIT 0; mov.b32 %d0, 1; MMA; COMMIT; WAIT 0;", "9.7.17.7.1",
			"uses %d0, and so did `mov.b32` of line 8"},
		{"FENCE; MMA; COMMIT; WAIT 0; mov.b32 %v, %d2; MMA; COMMIT; WAIT 0;", "9.7.17.7.1", "uses %d2"},
		{"FENCE; mov.b32 %a0, 1; REGA; COMMIT; WAIT 0;", "9.7.17.7.1", "uses %a0"},
		{"mov.b32 %n, 0; FENCE; LOOP: MMA; COMMIT; WAIT 0; add.u32 %v, %v, %d0; add.u32 %n, %n, 1; setp.lt.u32 %z, %n, 3; " +
			"@%z bra LOOP;",
			"9.7.17.7.1", "uses %d0, and so did `add.u32` of line 8"},
		{"FENCE; WIDE; COMMIT; WAIT 0; SHORT; COMMIT; WAIT 0;", "9.7.17.7.1", "uses %e0"},
		{"FENCE; MMA; COMMIT; WAIT 0; DASA; COMMIT; WAIT 0;", "9.7.17.7.1", "uses %d0"},
	} {
		const d, e = "{%d0,%d1,%d2,%d3}", "{%e0,%e1,%e2,%e3,%e4,%e5,%e6,%e7}"
		body := strings.NewReplacer("FENCE", "wgmma.fence.sync.aligned", "COMMIT", "wgmma.commit_group.sync.aligned",
			"WAIT", "wgmma.wait_group.sync.aligned",
			"MMA", "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 "+d+", %b, %b, 1",
			"REGA", "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {%f0,%f1,%f2,%f3}, {%a0,%a1,%a2,%a3}, %b, 1",
			"DASA", "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {%f0,%f1,%f2,%f3}, "+d+", %b, 1",
			"WIDE", "wgmma.mma_async.sync.aligned.m64n16k32.s32.u8.u8 "+e+", %b, %b, 1",
			"SHORT", "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {%e0,%e1,%e2,%e3}, %b, %b, 1").Replace(c.body)
		dev, err := matrixModule(t, "out",
			`.shared .align 128 .b8 s[4096]; .reg .b32 %d<4>, %e<8>, %f<4>, %a<4>, %v, %n; .reg .b64 %b, %o; .reg .pred %z; `+
				`ld.param.u64 %o, [out]; mov.b64 %b, 0x1000080000; setp.eq.u32 %z, %l, 99; @%z st.shared.b32 [s], 0;
`+body)
		require.NoError(t, err, body)
		out, err := dev.Alloc(16)
		require.NoError(t, err)
		g, err := dev.Launch(Config{Entry: "k", Block: Dim3{X: 128}, Args: [][]byte{Ptr(out)}})
		require.NoError(t, err)
		early := g.Snapshot()
		for range 2 {
			require.NoError(t, g.Run(context.Background()), body)
			if c.words == "" {
				require.Empty(t, g.Findings(), c.body)
			} else {
				require.Len(t, g.Findings(), 1, c.body)
				f := g.Findings()[0]
				require.Contains(t, f.Message, c.words, c.body)
				require.Equal(t, c.section, f.Section)
				require.Equal(t, Synccheck, f.Check)
			}
			g.Restore(early)
		}
	}
}
