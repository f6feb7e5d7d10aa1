package jit_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/emu/mem"
	"warpscope/ptx"
)

// marchKernel has the number of its thread in %id, that in the CTA in %in, and addresses of its word in a buffer and in
// shared memory.
const marchKernel = `.version 7.8
.target sm_80
.address_size 64
.entry k(.param .u64 x, .param .u64 y) {
	.reg .b64 %%x, %%y, %%a, %%b; .reg .b32 %%t<4>, %%id, %%in, %%s, %%w<4>, %%i; .reg .pred %%p, %%q;
	.shared .align 4 .b32 words[1024];
	.local .align 4 .b32 own[4];
	ld.param.u64 %%x, [x]; ld.param.u64 %%y, [y];
	mov.u32 %%in, %%tid.x; mov.u32 %%t0, %%ctaid.x; mov.u32 %%t1, %%ntid.x; mad.lo.u32 %%id, %%t0, %%t1, %%in;
	mov.u32 %%s, words; mad.lo.u32 %%s, %%in, 4, %%s; mad.wide.u32 %%a, %%id, 4, %%x; mad.wide.u32 %%b, %%id, 4, %%y;
	mov.u32 %%i, 0;
	%s
	st.global.u32 [%%b], %%w0;
	ret;
}`

// The bodies have barriers. The words of shared memory go round: those of each thread come from the thread before.
const goRound = `st.shared.u32 [%s], %id; bar.sync 0; and.b32 %t2, %in, 31; setp.ne.u32 %p, %in, 0;
	mov.b32 %w0, 7; @%p ld.shared.u32 %w0, [%s+-4]; add.u32 %id, %id, %w0; bar.sync 1;`

func rounds(n int, body string) string {
	return fmt.Sprintf("L: %s add.u32 %%i, %%i, 1; setp.lt.u32 %%q, %%i, %d; @%%q bra L;", body, n)
}

var phaseCases = []struct{ name, body string }{
	{"once", goRound},
	{"a loop", rounds(9, goRound)},
	{"longer than the watch of spinning warps", rounds(700, goRound)},
	{"nothing stored", rounds(700, "bar.sync 0; add.u32 %w0, %w0, %id; bar.sync 0;")},
	{"warps take ways of other lengths", rounds(9, `shr.u32 %t2, %in, 5; and.b32 %t2, %t2, 1; setp.eq.u32 %p, %t2, 0;
		@%p bra.uni SHORT; mul.lo.u32 %id, %id, 3; add.u32 %id, %id, 1; SHORT:`+goRound)},
	{"other barriers in other warps", `shr.u32 %t2, %in, 5; setp.eq.u32 %p, %t2, 1; @%p bra.uni ONE; bar.sync 0;
		bra.uni BOTH; ONE: bar.sync 0; BOTH:` + goRound},
	{"a turn ends before the barrier", rounds(3, `mov.b32 %w1, 0; M: add.u32 %w1, %w1, 1; setp.lt.u32 %p, %w1, 90;
		@%p bra M;`+goRound)},
	{"a phase as long as a turn", rounds(9, `mov.b32 %w1, 0; M: add.u32 %w1, %w1, 1; setp.lt.u32 %p, %w1, 79; @%p bra M;`+
		goRound)},
	{"lanes leave a loop", rounds(5, `and.b32 %w2, %in, 7; mov.b32 %w1, 0; M: add.u32 %w1, %w1, 1;
		setp.lt.u32 %p, %w1, %w2; @%p bra M;`+goRound)},
	{"lanes part", rounds(5, "and.b32 %w1, %in, 3; setp.eq.u32 %p, %w1, 2; @%p add.u32 %id, %id, 5; @!%p bra N; "+
		"xor.b32 %id, %id, 21; N:"+goRound)},
	{"the end of a buffer in a phase", rounds(5, goRound+"ld.global.u32 %w1, [%a]; add.u64 %a, %a, 256;")},
	{"a reduction", rounds(5, `bar.sync 0; setp.gt.u32 %p, %id, 20; bar.red.popc.u32 %w0, 0, %p;
		add.u32 %id, %id, %w0;`)},
	{"local memory", rounds(5, "st.local.u32 [own+4], %id;"+goRound+"ld.local.u32 %w3, [own+4]; add.u32 %id, %w3, %w0;")},
	{"the last warps end sooner", rounds(5, goRound) + "setp.gt.u32 %p, %in, 31; @%p ret; bar.sync 0;"},
}

// calls is a host that counts calls.
type calls struct {
	mem.Host
	n *int
}

func (h calls) Call(f mem.Func, frame, ctx, mask, budget uint32) uint32 {
	*h.n++
	return h.Host.Call(f, frame, ctx, mask, budget)
}

// TestPhasesInPieces runs kernels with barriers in pieces. Both engines are in the same state after each.
func TestPhasesInPieces(t *testing.T) {
	for _, c := range phaseCases {
		m, err := ptx.Parse("phase.ptx", fmt.Appendf(nil, marchKernel, c.body))
		require.NoError(t, err)
		require.Empty(t, m.Diagnostics.Errors(), "%s: %v", c.name, m.Diagnostics)
		for _, threads := range []int{32, 64, 96, 256} {
			runBoth(t, c.name, m, emu.Dim3{X: 2}, emu.Dim3{X: threads}, 700)
		}
	}
}

// A call takes the warps of a CTA from barrier to barrier, many times.
func TestPhasesAreTogether(t *testing.T) {
	n := 0
	open := mem.RegisterHost(nil)
	mem.RegisterHost(func(a *mem.Arena) (mem.Host, error) {
		h, err := open(a)
		return calls{h, &n}, err
	})
	defer mem.RegisterHost(open)
	m, err := ptx.Parse("phase.ptx", fmt.Appendf(nil, marchKernel, rounds(100, goRound)))
	require.NoError(t, err)
	d, err := emu.Load(m, emu.Options{Engine: emu.Compiled})
	require.NoError(t, err)
	a, err := d.Alloc(4 * 256)
	require.NoError(t, err)
	g, err := d.Launch(emu.Config{Entry: "k", Grid: emu.Dim3{X: 1}, Block: emu.Dim3{X: 256},
		Args: [][]byte{emu.Ptr(a), emu.Ptr(a)}})
	require.NoError(t, err)
	require.NoError(t, g.Run(t.Context()))
	require.Less(t, n, 100, "for 200 barriers in 8 warps")
}
