package emu

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/ptx"
)

// Under independent scheduling lanes that have come to a meeting point wait for the others. Here the others depend on
// what those do after the meeting point, each in another way: the waiting lanes must go on without them.
func TestLanesThatOthersDependOnGoOn(t *testing.T) {
	const head = `.shared .b32 flag; .shared .b32 other; .reg .pred %p, %q; .reg .b32 %t, %v, %a, %n;
		mov.u32 %t, %tid.x; mov.u32 %a, flag; mov.u32 %n, 0; setp.eq.u32 %p, %t, 0; @%p st.volatile.shared.b32 [flag], 0;
		@%p st.volatile.shared.b32 [other], 0; bar.sync 0;
		`
	tests := []struct {
		name, body string
		threads    int
		most       int64 // warp instructions: some hundred turns, or what a spin takes to be recognised
	}{
		{"a loop before the meeting point looks at memory", `@!%p bra MEET;
			SPIN: ld.volatile.shared.b32 %v, [flag]; setp.eq.u32 %q, %v, 0; @%q bra SPIN;
			MEET: @!%p st.volatile.shared.b32 [flag], 1; ret;`, 32, 100_000},
		{"a loop within a loop", `OUTER: @!%p bra MEET;
			SPIN: ld.volatile.shared.b32 %v, [flag]; setp.eq.u32 %q, %v, %n; @%q bra SPIN;
			MEET: add.u32 %n, %n, 1; @!%p st.volatile.shared.b32 [flag], %n; setp.lt.u32 %q, %n, 3; @%q bra OUTER; ret;`,
			32, 100_000},
		{"a function that is called looks at memory", `@!%p bra MEET;
			call spin, (%a);
			MEET: @!%p st.volatile.shared.b32 [flag], 1; ret;`, 32, 100_000},
		{"a function that is called through a pointer", `.reg .b64 %f; mov.u64 %f, spin;
			P: .callprototype _ (.reg .b32 _);
			@!%p bra MEET;
			call %f, (%a), P;
			MEET: @!%p st.volatile.shared.b32 [flag], 1; ret;`, 32, 100_000},
		{"an mbarrier", `.shared .b64 bar; @%p mbarrier.init.shared.b64 [bar], 31; bar.sync 0; @!%p bra MEET;
			SPIN: mbarrier.test_wait.parity.shared.b64 %q, [bar], 0; @!%q bra SPIN;
			MEET: .reg .b64 %s; @!%p mbarrier.arrive.shared.b64 %s, [bar]; ret;`, 32, 100_000},
		{"an atomic in the loop of another branch", `@!%p bra MEET;
			SPIN: atom.shared.cas.b32 %v, [flag], 1, 2; setp.ne.u32 %q, %v, 1; @%q bra SPIN;
			MEET: @!%p st.volatile.shared.b32 [flag], 1; ret;`, 32, 100_000},
		{"the others are blocked, and another warp spins on those that wait", `setp.ge.u32 %q, %t, 32; @%q bra SECOND;
			@!%p bra MEET;
			bar.sync 1, 64;
			MEET: @!%p st.volatile.shared.b32 [flag], 1; @%p bra DONE; bar.sync 1, 64; DONE: ret;
			SECOND: ld.volatile.shared.b32 %v, [flag]; setp.eq.u32 %q, %v, 0; @%q bra SECOND; bar.sync 1, 64; ret;`,
			64, 100_000},
		{"a weak load, which promises nothing", `@!%p bra MEET;
			SPIN: ld.shared.b32 %v, [flag]; setp.eq.u32 %q, %v, 0; @%q bra SPIN;
			MEET: @!%p st.shared.b32 [flag], 1; ret;`, 32, 4 * machine.SpinPatience},
	}
	const functions = `.func spin(.reg .b32 %a) { .reg .pred %p; .reg .b32 %v;
		AGAIN: ld.volatile.shared.b32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra AGAIN; ret; }
		`
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			src := ".version 8.0\n.target sm_90\n.address_size 64\n" + functions + ".entry k() {\n" + head + test.body + "}"
			m, err := ptx.Parse("test.ptx", []byte(src))
			require.NoError(t, err)
			d, err := Load(m, Options{Divergence: Independent})
			require.NoError(t, err)
			g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: test.threads}, MaxSteps: test.most})
			require.NoError(t, err)
			require.NoError(t, g.Run(context.Background()))
		})
	}
}
