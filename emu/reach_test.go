package emu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
)

// The barriers ahead are known through calls in any order of declaration, recursion, and tables of labels.
func TestReachBarriers(t *testing.T) {
	for _, c := range []struct {
		body string
		want bool // a barrier lies ahead of the kernel's first instruction
	}{
		{".func c() { bar.sync 0; ret; } .func b() { call c; ret; } .entry k() { call b; ret; }", true},
		{".func c(); .func b() { call c; ret; } .func c() { bar.sync 0; ret; } .entry k() { call b; ret; }", true},
		{".func c(); .func b() { call c; ret; } .func c() { call b; ret; } .entry k() { call b; ret; }", false},
		{".func c(); .func b() { call c; ret; } .func c() { call b; bar.sync 0; ret; } .entry k() { call b; ret; }", true},
		{".extern .func e(); .entry k() { .reg .b64 d; mov.u64 d, e; ret; }", false},
		{".entry k() { .reg .b32 r; T: .branchtargets A, B; brx.idx r, T; A: ret; B: bar.sync 0; ret; }", true},
		{".entry k() { .reg .b32 r; T: .branchtargets A, B; brx.idx r, T; bar.sync 0; A: ret; B: ret; }", false},
	} {
		m, err := ptx.Parse("t.ptx", []byte(".version 8.0\n.target sm_80\n.address_size 64\n"+c.body))
		require.NoError(t, err, c.body)
		d, err := Load(m, Options{})
		require.NoError(t, err, c.body)
		for _, fn := range d.Prog.Funcs {
			if fn.Src.Name == "k" {
				require.Equal(t, c.want, d.Prog.Barrier[fn.Start], c.body)
			}
		}
	}
}
