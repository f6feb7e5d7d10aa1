package emu

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
)

// The textbook lock: a lane spins until it gets it. On the SIMT stack the lane that has it waits after the loop for
// those that spin, so that they spin forever.
const spinLock = `.shared .b32 lock; .reg .pred %p; .reg .b32 %old, %a;
	mov.u32 %a, lock;
AGAIN: atom.shared.cas.b32 %old, [%a], 0, 1;
	setp.ne.u32 %p, %old, 0;
	@%p bra AGAIN;
	atom.shared.exch.b32 %old, [%a], 0;
	ret;`

func TestSpinLockIsFound(t *testing.T) {
	g := launch(t, spinLock, 32)
	err := g.Run(context.Background())
	var fault *Fault
	require.ErrorAs(t, err, &fault)
	require.Equal(t, DivergenceDeadlock, fault.Kind)
	require.Equal(t, Mask(0xfffffffe), fault.Lanes)
	require.Contains(t, err.Error(), "lane 0 waits for the others at line 11")
	// However the run is cut into slices, it is found at the same tick.
	again := launch(t, spinLock, 32)
	for {
		if _, err := again.RunFor(1000); err != nil {
			break
		}
	}
	require.Equal(t, g.Tick(), again.Tick())
}

// Turns end early where lanes sleep, so those of several CTAs fall into step after very many instructions only; and
// each warp has a rhythm of its own.
func TestSpinningOfSeveralCTAsIsFound(t *testing.T) {
	d := deviceWith(t, Options{Divergence: Stack}, ".param .u64 lock", `.reg .pred %p; .reg .b32 %old, %n; .reg .b64 %a;
		ld.param.u64 %a, [lock]; mov.u32 %n, %tid.x;
	AGAIN: nanosleep.u32 20; setp.gt.u32 %p, %n, 31; @%p mov.u32 %old, 1; @%p bra SECOND;
		add.u32 %n, %n, 0;
	SECOND: atom.global.cas.b32 %old, [%a], 0, 1; setp.ne.u32 %p, %old, 0; @%p bra AGAIN;
		atom.global.exch.b32 %old, [%a], 0; ret;`)
	lock, err := d.Alloc(4)
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Grid: Dim3{X: 2}, Block: Dim3{X: 48}, Args: [][]byte{Ptr(lock)},
		MaxSteps: 32 * machine.SpinPatience})
	require.NoError(t, err)
	var fault *Fault
	require.ErrorAs(t, g.Run(context.Background()), &fault)
	require.Equal(t, DivergenceDeadlock, fault.Kind)
}

// Code that is not optimized keeps its variables in memory: a loop that stores what is there already gets nowhere.
func TestSpinningWithVariablesInMemoryIsFound(t *testing.T) {
	const loop = `.local .b32 i[2]; .shared .b32 flag; .reg .pred %p; .reg .b32 %v; .reg .b64 %a;
		mov.u64 %a, i; cvta.local.u64 %a, %a; st.local.b32 [i], 5;
	AGAIN: ld.volatile.shared.b32 %v, [flag]; st.b32 [%a+4], %v; ld.b32 %v, [%a+4]; setp.eq.u32 %p, %v, 0; ` +
		`@%p bra AGAIN; ret;`
	g := launch(t, loop, 32)
	done, err := g.RunFor(8 * machine.SpinPatience)
	var fault *Fault
	require.ErrorAs(t, err, &fault)
	require.False(t, done)
	require.Equal(t, SpinDeadlock, fault.Kind)
	// It is found at the same tick after going back: progress is part of the state.
	again, rounds := launch(t, loop, 32), 2
	if testing.Short() {
		rounds = 1
	}
	_, err = again.RunFor(3*machine.SpinInterval + 57)
	require.NoError(t, err)
	snap := again.Snapshot()
	for range rounds {
		_, err = again.RunFor(8 * machine.SpinPatience)
		require.ErrorAs(t, err, &fault)
		require.Equal(t, g.Tick(), again.Tick())
		again.Restore(snap)
	}
	// One that counts in memory does get somewhere.
	done, err = launch(t, strings.Replace(loop, "AGAIN:", "AGAIN: ld.b32 %v, [%a]; add.u32 %v, %v, 1; st.b32 [%a], %v;",
		1), 32).
		RunFor(8 * machine.SpinPatience)
	require.NoError(t, err)
	require.False(t, done)
}

// One lane alone gets through, and a loop that only counts for a long time is no deadlock.
func TestLongLoopsAreNoDeadlock(t *testing.T) {
	require.NoError(t, launch(t, spinLock, 1).Run(context.Background()))
	// Nor is one that looks at memory and at a clock, or at memory and counts; nor one that keeps nothing of the clock.
	for _, body := range []string{"mov.u32 %i, %clock;", "add.u32 %i, %i, 1;",
		"mov.u32 %i, %clock; shr.u32 %i, %i, 31; mov.u32 %i, 0;"} {
		done, err := launch(t, ".shared .b32 s; .reg .b32 %i, %v; L: "+body+" ld.volatile.shared.u32 %v, [s]; bra L;", 1).
			RunFor(4 * machine.SpinPatience)
		require.NoError(t, err)
		require.False(t, done)
	}
	waits := launch(t, `.reg .pred %p; .reg .b64 %c;
L: mov.u64 %c, %clock64; setp.lt.u64 %p, %c, 2500000; mov.u64 %c, 0; @%p bra L; ret;`, 32)
	require.NoError(t, waits.Run(context.Background()))
	require.Greater(t, waits.Tick(), int64(2*machine.SpinPatience))
	g := launch(t, `.reg .pred %p; .reg .b32 %i; mov.u32 %i, 0;
LOOP: add.u32 %i, %i, 1; and.b32 %i, %i, 0x3fffff; setp.ne.u32 %p, %i, 0; @%p bra LOOP; ret;`, 1)
	require.NoError(t, g.Run(context.Background()))
	require.Greater(t, g.Tick(), int64(2*machine.SpinPatience))
}

// All lanes look for a value that no remaining thread can write: no lane waits for another, and nothing can ever
// change.
func TestSpinningOnMemoryIsFound(t *testing.T) {
	const flag = `.shared .b32 f; .reg .pred %p; .reg .b32 %v;
L: ld.volatile.shared.u32 %v, [f]; setp.eq.u32 %p, %v, 0; @%p bra L; ret;`
	for _, model := range []Divergence{Stack, Independent} {
		for _, ctas := range []int{1, 4} {
			d := deviceWith(t, Options{Divergence: model}, "", flag)
			g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 64}, Grid: Dim3{X: ctas}, MaxSteps: 1 << 24})
			require.NoError(t, err)
			var fault *Fault
			require.ErrorAs(t, g.Run(context.Background()), &fault)
			require.Equal(t, SpinDeadlock, fault.Kind)
			require.Equal(t, FullMask, fault.Lanes)
			require.Contains(t, fault.Error(), "nothing that still runs can change what they wait for")
		}
	}
}

// The plainest endless loops end with the same fault under both models, with all lanes in them and with some.
func TestEndlessLoopsAreFound(t *testing.T) {
	const some = ".reg .pred %p; .reg .b32 %t; mov.u32 %t, %tid.x; setp.lt.u32 %p, %t, 16; @%p bra OUT;\n"
	for _, model := range []Divergence{Stack, Independent} {
		for _, c := range []struct {
			body  string
			lanes Mask
		}{
			{"L: bra L;", FullMask},
			{"L: bra.uni L;", FullMask},
			{"L: bra L;\nOUT: ret;", FullMask},
			{some + "L: bra L;\nOUT: ret;", 0xffff0000},
			{some + "L: bra.uni L;\nOUT: ret;", 0xffff0000},
			{some + "L: nanosleep.u32 20; bra L;\nOUT: add.u32 %t, %t, 1; ret;", 0xffff0000},
		} {
			d := deviceWith(t, Options{Divergence: model}, "", c.body)
			g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}, Grid: Dim3{X: 1}, MaxSteps: 1 << 22})
			require.NoError(t, err)
			var fault *Fault
			require.ErrorAs(t, g.Run(context.Background()), &fault, "%v: %s", model, c.body)
			require.Equal(t, EndlessLoop, fault.Kind, "%v: %s", model, c.body)
			require.Equal(t, c.lanes, fault.Lanes, "%v: %s", model, c.body)
			require.Contains(t, fault.Error(), "a loop that has no end")
			require.NotContains(t, fault.Error(), "lock")
		}
	}
}

// Advice about a lock is for programs that have one; a lane that has not run yet does not wait at a meeting place.
func TestDeadlockAdviceFitsTheProgram(t *testing.T) {
	const publish = `.shared .b32 f; .reg .pred %p; .reg .b32 %v; mov.u32 %v, %tid.x; setp.eq.u32 %p, %v, 0;
	@%p bra FIRST;
L:	ld.volatile.shared.u32 %v, [f]; setp.eq.u32 %p, %v, 0; @%p bra L;
	bra E;
FIRST: st.volatile.shared.u32 [f], 1;
E:	ret;`
	var fault *Fault
	require.ErrorAs(t, launch(t, publish, 32).Run(context.Background()), &fault)
	require.Equal(t, DivergenceDeadlock, fault.Kind)
	require.Contains(t, fault.Detail, "lane 0 has still to run line ")
	require.Contains(t, fault.Detail, "lies under them on the stack")
	require.NotContains(t, fault.Detail, "lock must not")
	require.ErrorAs(t, launch(t, spinLock, 32).Run(context.Background()), &fault)
	require.Contains(t, fault.Detail, "lock must not")
	// The same lock, with the checks before accesses.
	d := deviceWith(t, Options{Divergence: Stack, Sanitize: Racecheck}, "", spinLock)
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}})
	require.NoError(t, err)
	require.ErrorAs(t, g.Run(context.Background()), &fault)
	require.Contains(t, fault.Detail, "lock must not")
	// The same lock, taken in a function.
	g = grid(t, `.shared .b32 lock;
.func (.reg .b32 %r) take() { .reg .b32 %a; mov.u32 %a, lock; atom.shared.cas.b32 %r, [%a], 0, 1; ret; }
.entry k() { .reg .pred %p; .reg .b32 %old;
AGAIN: call (%old), take; setp.ne.u32 %p, %old, 0; @%p bra AGAIN;
	st.volatile.shared.b32 [lock], 0;
	ret; }
`, Stack, 32)
	require.ErrorAs(t, g.Run(context.Background()), &fault)
	require.Contains(t, fault.Detail, "lock must not")
}
