package emu

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// findings runs a kernel and returns what was found, as "line: message".
func findings(t *testing.T, body string, threads int) (messages []string) {
	t.Helper()
	g := launch(t, body, threads)
	require.NoError(t, g.Run(context.Background()))
	for _, f := range g.Findings() {
		require.Equal(t, Synccheck, f.Check)
		messages = append(messages, f.Message)
	}
	return messages
}

func TestMembermasks(t *testing.T) {
	const regs = ".reg .pred %p, %q; .reg .b32 %l, %v; mov.u32 %l, %laneid; "
	require.Empty(t, findings(t, regs+"shfl.sync.idx.b32 %v, %l, 0, 31, -1; bar.warp.sync -1; ret;", 32))
	require.Empty(t, findings(t, regs+"setp.eq.u32 %p, %l, 0; vote.sync.ballot.b32 %v, %p, -1; ret;", 16)) // 9.7.15.10
	require.Equal(t, []string{"the mask ffffffff of `bar.warp.sync` names lanes 16-31 of warp 0, gone or never there; " +
		"name only lanes that are there"},
		findings(t, regs+"bar.warp.sync -1; ret;", 16)) // 9.7.15.2
	require.Equal(t, []string{"the mask ffffffff of `bar.warp.sync` names lanes 8-31 of warp 0, elsewhere in the " +
		"program: only lanes 0-7 came; let the lanes meet first, or name only those that come"},
		findings(t, regs+"setp.lt.u32 %p, %l, 8; @%p bar.warp.sync -1; ret;", 32))
	// tricky case: lane 4 executes shfl.sync with the mask 0x0000000f
	require.Equal(t, []string{"`shfl.sync.idx.b32` is executed by lane 4 of warp 0 outside its own mask: " +
		"the result is undefined; put each lane that executes it into the mask",
		"the mask 0000000f of `shfl.sync.idx.b32` names lanes 0-3 of warp 0, elsewhere in the program: only lane 4 came; " +
			"let the lanes meet first, or name only those that come"},
		findings(t, regs+"setp.eq.u32 %p, %l, 4; @%p shfl.sync.idx.b32 %v, %l, 0, 31, 15; ret;", 32))
}
