package launch_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// counted has a store with a stride of 64 bytes, a column of a tile of words, and a branch that lanes take apart.
const counted = `//@ arg out u32[512]
//@ expect %
.version 6.4
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .pred %q; .reg .u32 %t, %a; .reg .u64 %p, %o;
	.shared .u32 s[1024];
	ld.param.u64 %p, [out];
	mov.u32 %t, %tid.x;
	mov.u32 %a, s;
	mad.lo.u32 %a, %t, 128, %a;
	st.shared.u32 [%a], %t;
	ld.shared.u32 %a, [s];
	mul.wide.u32 %o, %t, 64;
	add.u64 %o, %p, %o;
	st.global.u32 [%o], %t;
	setp.lt.u32 %q, %t, 8;
	@%q bra L;
	add.u32 %t, %t, 1;
L:	ld.global.u32 %t, [%p];
	ret;
}
`

// The kernel has 14 instructions, all of which the warp executes; 31 extra wavefronts are those of a 32-way conflict; a
// store to 32 sectors and a load of one are 16.5 sectors per request.
func TestCounterExpectations(t *testing.T) {
	for text, want := range map[string]string{
		"instructions <= 14":                  "",
		"instructions <= 13":                  "14",
		"divergent == 1":                      "",
		"divergent == 0":                      "1",
		"barriers == 0":                       "",
		"branches > 1":                        "1",
		"bank_conflicts == 31":                "",
		"bank_conflicts == 0":                 "31",
		"bank_conflicts == 0 at line 15":      "",
		"bank_conflicts < 31 at line 14":      "31",
		"sectors_per_request <= 16.5":         "",
		"sectors_per_request <= 4":            "16.50",
		"sectors_per_request != 1 at line 22": "1",
		"ideal_sectors == 8":                  "",
		"local_requests >= 1":                 "0",
		"findings == 0":                       "",
		"findings > 0":                        "0",
		"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == 32": "",
		"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 32": "1",
	} {
		m, err := ptx.Parse("test.ptx", []byte(strings.Replace(counted, "%", text, 1)))
		require.NoError(t, err, text)
		s, err := launch.FromSource(m)
		require.NoError(t, err, text)
		report, err := launch.Run(context.Background(), m, s, emu.Options{})
		require.NoError(t, err, text)
		e := report.Expectations[0]
		require.Equal(t, want == "", e.Pass, "%s: %s", text, e.Got)
		if want != "" {
			require.Equal(t, want, e.Got, text)
		}
	}
}

// What every run knows leaves the run without counters: it can be one of compiled code.
func TestExpectationsThatNeedNoCounters(t *testing.T) {
	for text, counts := range map[string]bool{
		"instructions == 14":            false, // the kernel's
		"instructions == 1 at line 21":  false, // add, in the warp's one group that comes there
		"divergent == 1":                false,
		"active_lanes == 24 at line 21": true, // lanes 8 to 31
	} {
		m, err := ptx.Parse("test.ptx", []byte(strings.Replace(counted, "%", text, 1)))
		require.NoError(t, err, text)
		s, err := launch.FromSource(m)
		require.NoError(t, err, text)
		report, err := launch.Run(context.Background(), m, s, emu.Options{})
		require.NoError(t, err, text)
		require.True(t, report.Expectations[0].Pass, "%s: %s", text, report.Expectations[0].Got)
		require.Equal(t, counts, report.Account != nil, text)
	}
}

// What is wrong is named at its place.
func TestCounterExpectationErrors(t *testing.T) {
	for text, want := range map[string]string{
		"bank_conflict == 0":           `no buffer is named "bank_conflict": did you mean "bank_conflicts"?`,
		"divergent 0":                  "one of == != <= >= < > after the counter",
		"divergent == none":            "a number from 0 up",
		"divergent == -1":              "a number from 0 up",
		"divergent == 1 at 7":          `"line" after "at"`,
		"sectors_per_request <= 4 on":  "the number",
		"warp_conflicts_per_tile == 0": "and the counters of docs/counters.md",
	} {
		m, err := ptx.Parse("test.ptx", []byte(strings.Replace(counted, "%", text, 1)))
		require.NoError(t, err, text)
		s, err := launch.FromSource(m)
		if err == nil {
			_, err = launch.Prepare(m, s, emu.Options{})
		}
		require.ErrorContains(t, err, want, text)
		var found ptx.Diagnostics
		require.ErrorAs(t, err, &found)
		require.Equal(t, 2, m.Position(int(found[0].Span.Start)).Line, text)
	}
}
