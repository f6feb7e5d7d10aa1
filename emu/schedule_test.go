package emu_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// racyOrder stores the number of each warp, then that of each CTA, into one word: what is left there is the schedule's.
const racyOrder = `//@ grid 8
//@ block 128
//@ arg out u32[2] = 0
.version 8.0
.target sm_90
.address_size 64
.entry last(.param .u64 out) { .reg .b32 %t, %c; .reg .b64 %o;
ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; shr.u32 %t, %t, 5; mov.u32 %c, %ctaid.x;
st.global.u32 [%o], %t; st.global.u32 [%o+4], %c; ret; }`

func inSchedule(t *testing.T, src []byte, seed uint64) *launch.Report {
	t.Helper()
	m, err := ptx.Parse("test.ptx", src)
	require.NoError(t, err)
	spec, err := launch.FromSource(m)
	require.NoError(t, err)
	r, err := launch.Run(context.Background(), m, spec, emu.Options{Schedule: emu.Seed(seed)})
	require.NoError(t, err)
	return r
}

// A seed gives the same run each time, and different seeds let other warps and CTAs be the last.
func TestSchedulesAreDeterministicAndDiffer(t *testing.T) {
	warps, ctas := map[byte]bool{}, map[byte]bool{}
	for seed := range uint64(40) {
		r := inSchedule(t, []byte(racyOrder), seed)
		require.Equal(t, r.Buffers, inSchedule(t, []byte(racyOrder), seed).Buffers, "seed %d", seed)
		warps[r.Buffers["out"][0]], ctas[r.Buffers["out"][4]] = true, true
	}
	require.Len(t, warps, 4)
	require.Len(t, ctas, 8)
}

// Programs whose result does not depend on the schedule pass in others, too, and programs that hang still do: the
// acceptance tests about barriers, warps and atomics, and the faults of spinning.
func TestOtherSchedulesAreLegal(t *testing.T) {
	var files []string
	for _, pattern := range []string{"control/barrier-*.ptx", "control/atom-*.ptx", "control/call-*.ptx",
		"faults/spin-*.ptx", "faults/barrier-deadlock*.ptx", "control/last-block.ptx"} {
		list, err := filepath.Glob("../testdata/" + pattern)
		require.NoError(t, err)
		require.NotEmpty(t, list, pattern)
		files = append(files, list...)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		for seed := uint64(1); seed <= 3; seed++ {
			for _, e := range inSchedule(t, src, seed).Expectations {
				require.True(t, e.Pass, "%s, schedule %d: %s: %s", file, seed, e.Text, e.Got)
			}
		}
	}
}
