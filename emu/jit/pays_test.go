package jit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
)

// Code is left to the interpreter where compiled code stops after one instruction or two: match is not compiled.
func TestCallsPay(t *testing.T) {
	const kernel = `.entry k(.param .u64 out) {
	.reg .b64 %o; .reg .b32 %t, %v, %w, %n; .reg .pred %p;
	ld.param.u64 %o, [out];
	mov.u32 %t, %tid.x; mov.u32 %v, 0; mov.u32 %n, 0;
LOOP:
	add.u32 %n, %n, 1;
	match.any.sync.b32 %w, %t, -1;
	xor.b32 %v, %v, %w;
	match.any.sync.b32 %w, %v, -1;
	add.u32 %v, %v, %w;
	match.any.sync.b32 %w, %v, -1;
	setp.lt.u32 %p, %n, 3000;
	@%p bra LOOP;
	mad.wide.u32 %o, %t, 4, %o;
	st.global.u32 [%o], %v;
	ret;
}`
	const threads = 32
	want := make([]uint32, threads)
	for range 3000 {
		for l := range want {
			want[l] ^= 1 << l
		}
		same := make([]uint32, threads)
		for l := range want {
			for other, v := range want {
				if v == want[l] {
					same[l] |= 1 << other
				}
			}
		}
		for l := range want {
			want[l] += same[l]
		}
	}
	out, calls := inWarmCalls(t, kernel, emu.Divergences()[0], threads, 1, make([]uint32, threads), 100)
	require.Equal(t, want, out)
	// 4 * 3,000 runs of instructions that are compiled, none of which executes 8 of them.
	require.Less(t, calls, 1000)
	require.Greater(t, calls, 50)
}
