package emu

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/row"
	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// results runs a kernel under independent scheduling; it leaves one word per thread in out.
func results(t *testing.T, body string, threads int) ([]uint32, *Grid) {
	t.Helper()
	return runSource(t, `.version 7.0
.target sm_80
.address_size 64
.entry k(.param .u64 out) { .reg .b64 %out, %at; .reg .b32 %t, %l, %v;
	mov.u32 %t, %tid.x; mov.u32 %l, %laneid; mov.u32 %v, 0; ld.param.u64 %out, [out]; mad.wide.u32 %at, %t, 4, %out;
`+body+"}", threads)
}

func runSource(t *testing.T, src string, threads int) ([]uint32, *Grid) {
	t.Helper()
	m, err := ptx.Parse("test.ptx", []byte(src))
	require.NoError(t, err)
	d, err := Load(m, Options{})
	require.NoError(t, err)
	out, err := d.Alloc(4 * threads)
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: threads}, Args: [][]byte{Ptr(out)}, MaxSteps: 1 << 22})
	require.NoError(t, err)
	require.NoError(t, g.Run(context.Background()))
	b := make([]byte, 4*threads)
	require.NoError(t, d.Read(out, b))
	words := make([]uint32, threads)
	for i := range words {
		words[i] = uint32(b[4*i]) | uint32(b[4*i+1])<<8 | uint32(b[4*i+2])<<16 | uint32(b[4*i+3])<<24
	}
	return words, g
}

// each is the words f(0), f(1), …
func each(n int, f func(i int) int) []uint32 {
	words := make([]uint32, n)
	for i := range words {
		words[i] = uint32(f(i))
	}
	return words
}

// The textbook lock between the lanes of a warp: every lane gets it, and soon.
func TestSpinLockEndsUnderIndependentScheduling(t *testing.T) {
	g := launchOn(t, Independent, spinLock, 32)
	require.NoError(t, g.Run(context.Background()))
	require.Less(t, g.Tick(), int64(20_000))
}

// A lane waits for a flag that a lane of the same warp sets after the branch. The loads are plain, so only patience
// ends the wait at the reconvergence point. Then the same in a function.
func TestLanesWaitForEachOther(t *testing.T) {
	got, _ := results(t, `.shared .b32 flag; .reg .pred %p, %q; .reg .b32 %a, %f;
		mov.u32 %a, flag; setp.ne.u32 %p, %l, 0;
		@%p bra SET;
	WAIT: ld.shared.b32 %f, [%a]; setp.eq.u32 %q, %f, 0; @%q bra WAIT;
	SET: st.shared.b32 [%a], 7; ld.shared.b32 %v, [%a]; st.global.b32 [%at], %v; ret;`, 32)
	require.Equal(t, each(32, func(int) int { return 7 }), got)
}

// Lanes on both sides of a branch meet in the operation, at different instructions and with different registers.
func TestWarpOperationsAcrossBranches(t *testing.T) {
	const split = `.reg .pred %p, %q, %c; .reg .b32 %w, %r, %s; add.u32 %w, %l, 100; setp.lt.u32 %p, %l, 16;
		setp.gt.u32 %c, %l, 29; @%p bra LOW;
		`
	const join = " bra JOIN;\n LOW: "
	const end = " JOIN: st.global.b32 [%at], %v; ret;"
	for _, c := range []struct {
		name, high, low string
		want            func(lane int) int
	}{
		// Lane i reads lane 31-i: the high side gives its number, the low side its number + 100.
		{"shfl", "shfl.sync.bfly.b32 %v, %l, 31, 31, -1;", "shfl.sync.bfly.b32 %v, %w, 31, 31, -1;",
			func(l int) int {
				if l < 16 {
					return 31 - l
				}
				return 131 - l
			}},
		{"shfl over its own source", "mov.b32 %v, %l; shfl.sync.bfly.b32 %v, %v, 31, 31, -1;",
			"mov.b32 %r, %w; shfl.sync.bfly.b32 %r, %r, 31, 31, -1; mov.b32 %v, %r;",
			func(l int) int {
				if l < 16 {
					return 31 - l
				}
				return 131 - l
			}},
		// The high side votes with p = lane > 29, the low side with its negation.
		{"vote", "vote.sync.ballot.b32 %v, %c, -1;", "setp.eq.u32 %q, %l, 3; vote.sync.ballot.b32 %v, !%q, -1;",
			func(int) int { return 0xc0000000 | 0xffff&^8 }},
		// Sum of 16..31 and of 16 times 1.
		{"redux", "redux.sync.add.u32 %v, %l, -1;", "mov.u32 %s, 1; redux.sync.add.u32 %v, %s, -1;",
			func(int) int { return (16+31)*8 + 16 }},
		{"match", "and.b32 %r, %l, 1; match.any.sync.b32 %v, %r, -1;", "mov.u32 %s, 1; match.any.sync.b32 %v, %s, -1;",
			func(l int) int {
				if l < 16 || l%2 == 1 {
					return 0xaaaaffff
				}
				return 0x55550000
			}},
		{"bar.warp", "bar.warp.sync -1; mov.u32 %v, 1;", "bar.warp.sync -1; mov.u32 %v, 2;",
			func(l int) int { return 1 + int(row.Bit(l < 16)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, g := results(t, split+c.high+join+c.low+end, 32)
			require.Equal(t, each(32, c.want), got)
			require.Empty(t, g.Findings())
		})
	}
}

// Halves of a warp call the same function apart and exchange values inside: two activations, one instruction.
func TestWarpOperationsAcrossActivations(t *testing.T) {
	src := txtar.Text(t, "independent/activations")
	got, _ := runSource(t, src, 32)
	require.Equal(t, each(32, func(l int) int {
		if l < 16 {
			return l + 16
		}
		return l - 16 + 50 + 1000
	}), got)
}

// Masks that differ within a group are operations of their own.
func TestEachMaskIsAnOperation(t *testing.T) {
	got, g := results(t, `.reg .pred %p; .reg .b32 %m, %h;
		setp.lt.u32 %p, %l, 16; selp.b32 %m, 0x0000ffff, 0xffff0000, %p;
		and.b32 %h, %l, 8; setp.eq.u32 %p, %h, 0;
		@%p bra JOIN;
		vote.sync.ballot.b32 %v, 1, %m; bra END;
	JOIN: vote.sync.ballot.b32 %v, 0, %m;
	END: st.global.b32 [%at], %v; ret;`, 32)
	require.Equal(t, each(32, func(l int) int { return 0xff00 << (l / 16 * 16) }), got)
	require.Empty(t, g.Findings())
}

// Threads arrive at a barrier one by one (9.7.15.1): the sides of a branch complete it together, and a barrier inside a
// branch completes together with one after it.
func TestBarrierArrivalsOfThreads(t *testing.T) {
	got, _ := results(t, `.shared .b32 s[64]; .reg .pred %p, %q; .reg .b32 %a, %b;
		mov.u32 %a, s; mad.lo.u32 %b, %t, 4, %a; xor.b32 %v, %t, 33; mad.lo.u32 %a, %v, 4, %a;
		setp.lt.u32 %p, %l, 7; @%p bra LOW;
		st.shared.b32 [%b], %t; barrier.sync 0; ld.shared.b32 %v, [%a]; bra JOIN;
	LOW: st.shared.b32 [%b], %l; barrier.sync 0; ld.shared.b32 %v, [%a];
	JOIN: st.global.b32 [%at], %v; ret;`, 64)
	require.Equal(t, each(64, func(i int) int {
		o := i ^ 33
		if o%32 < 7 {
			return o % 32
		}
		return o
	}), got)
	got, _ = results(t, `.reg .pred %p; mov.u32 %v, 3; setp.lt.u32 %p, %l, 7; @%p bra LOW;
		barrier.sync 1; add.u32 %v, %v, 1;
	LOW: barrier.sync 1; st.global.b32 [%at], %v; ret;`, 32)
	// The high lanes' first barrier is the low lanes' only one; those then exit, and the second needs the high ones only.
	require.Equal(t, each(32, func(l int) int { return 3 + int(row.Bit(l >= 7)) }), got)
}

// Before sm_70 a warp arrives at a barrier as a whole, since its lanes are not apart. Under independent scheduling they
// are: here each leaves its loop after the one before it.
func TestBarrierArrivalsOfThreadsBeforeVolta(t *testing.T) {
	m, err := ptx.Parse("test.ptx", []byte(`.version 5.0
.target sm_50
.address_size 64
.entry k() { .shared .b32 turn; .reg .pred %p; .reg .b32 %a, %t, %n, %v;
	mov.u32 %a, turn; mov.u32 %t, %tid.x; shl.b32 %t, %t, 1; setp.gt.u32 %p, %t, 63; @%p sub.u32 %t, %t, 63;
	add.u32 %n, %t, 1; // 0, 2, … 62 in the first warp, 1, 3, … 63 in the second
WAIT: atom.shared.cas.b32 %v, [%a], %t, %n; setp.ne.u32 %p, %v, %t; @%p bra WAIT;
	bar.sync 0; ld.shared.b32 %v, [%a]; setp.eq.u32 %p, %v, 64; @%p exit; trap; }`))
	require.NoError(t, err)
	for _, model := range []Divergence{Stack, Independent} {
		d, err := Load(m, Options{Divergence: model})
		require.NoError(t, err)
		g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 64}})
		require.NoError(t, err)
		require.NoError(t, g.Run(context.Background()), model)
	}
}

// Lanes that can never meet are a divergence deadlock that says who waits for whom, at the same tick in every run.
func TestMembersThatNeverComeAreFound(t *testing.T) {
	const body = `.reg .pred %p; .reg .b32 %l, %v; mov.u32 %l, %laneid; setp.lt.u32 %p, %l, 16; @%p bra LOW;
		vote.sync.ballot.b32 %v, 1, 0xffffffff; ret;
	LOW: bar.warp.sync 0xffffffff; ret;`
	g := launchOn(t, Independent, body, 32)
	var fault *Fault
	require.ErrorAs(t, g.Run(context.Background()), &fault)
	require.Equal(t, DivergenceDeadlock, fault.Kind)
	require.Contains(t, fault.Error(), "lanes 16-31 wait for lanes 0-15 at line 7")
	require.Contains(t, fault.Error(), "lanes 0-15 wait for lanes 16-31 at line 8")
}

// While lanes wait and others run, the view names the groups and whom they wait for.
func TestGroupsAreShown(t *testing.T) {
	g := launchOn(t, Independent,
		`.reg .pred %p; .reg .b32 %l, %v; mov.u32 %l, %laneid; setp.lt.u32 %p, %l, 8; @%p bra LOW;
		vote.sync.ballot.b32 %v, 1, 0xffffffff; bra JOIN;
	LOW: add.u32 %v, %l, 1; vote.sync.ballot.b32 %v, 1, 0xffffffff;
	JOIN: ret;`, 32)
	var rec Step
	for range 4 {
		var err error
		rec, err = g.Step()
		require.NoError(t, err)
	}
	require.Equal(t, Mask(0xffffff00), rec.Waits)
	v := g.Warp(0, 0)
	require.Equal(t, Independent, v.Model)
	var rows []string
	for _, e := range v.Stack {
		rows = append(rows, fmt.Sprintf("%s %s %08x for %08x %d", e.Kind, e.PC.Opcode, uint32(e.Mask), uint32(e.For), e.Wait))
	}
	require.Equal(t, []string{
		"branch add.u32 000000ff for 00000000 0",
		"branch vote.sync.ballot.b32 ffffff00 for 000000ff 3",
		"base ret ffffffff for ffffffff 2",
	}, rows)
}

// Slices, steps and snapshots do not change what happens, even while lanes wait for each other.
func TestIndependentSchedulingIsDeterministic(t *testing.T) {
	whole := launchOn(t, Independent, spinLock, 32)
	require.NoError(t, whole.Run(context.Background()))
	for _, n := range []int64{1, 7, 100} {
		g := launchOn(t, Independent, spinLock, 32)
		for !g.Done() {
			if g.Tick() > 500 && g.Tick() < 700 {
				snap := g.Snapshot()
				_, err := g.RunFor(300)
				require.NoError(t, err)
				g.Restore(snap)
			}
			_, err := g.RunFor(n)
			require.NoError(t, err)
		}
		require.Equal(t, whole.Hash(), g.Hash(), "slices of %d", n)
	}
}

// Lanes apart whose sources share registers: the source of the value must not be taken for that of the lane's number.
func TestWarpOperationsWithSharedSources(t *testing.T) {
	got, g := results(t, `.reg .pred %p; .reg .b32 %w, %s, %m; setp.lt.u32 %p, %l, 16; mov.u32 %m, -1;
		@%p bra LOW;
		mov.u32 %w, 2000; mov.u32 %s, 15; shfl.sync.idx.b32 %v, %w, %s, 31, %m; bra JOIN;
	LOW: add.u32 %s, %l, 16; shfl.sync.idx.b32 %v, %s, %s, 31, -1;
	JOIN: st.global.b32 [%at], %v; ret;`, 32)
	require.Equal(t, each(32, func(l int) int {
		if l < 16 {
			return 2000 // of lane l + 16
		}
		return 15 + 16 // of lane 15
	}), got)
	require.Empty(t, g.Findings())
}

// Each lane may name a barrier and a count of its own (9.7.15.1).
func TestBarriersByLane(t *testing.T) {
	// Barrier 0 wants 64 threads, barrier 1 wants 96: of four warps the even lanes are 64, the odd lanes never 96.
	g := launchOn(t, Independent, `.reg .b32 %l, %n, %c; mov.u32 %l, %laneid; and.b32 %n, %l, 1;
		mad.lo.u32 %c, %n, 32, 64; barrier.sync %n, %c; ret;`, 128)
	var fault *Fault
	require.ErrorAs(t, g.Run(context.Background()), &fault)
	require.Equal(t, BarrierDeadlock, fault.Kind)
	require.Contains(t, fault.Error(), "no warp can go on; barrier 1 has 64 of 96 threads")
	require.NotContains(t, fault.Error(), "barrier 0")
}

// Threads that wait at another barrier have not exited: neither model lets a barrier pass without them.
func TestWarpsAtDifferentBarriers(t *testing.T) {
	for _, model := range []Divergence{Stack, Independent} {
		g := launchOn(t, model, `.reg .pred %p; .reg .b32 %t; mov.u32 %t, %tid.x; setp.lt.u32 %p, %t, 32;
			@%p bra LOW; bar.sync 1; ret;
		LOW: bar.sync 2; ret;`, 64)
		var fault *Fault
		require.ErrorAs(t, g.Run(context.Background()), &fault)
		require.Contains(t, fault.Error(), "barrier 1 has 32 of 64 threads; barrier 2 has 32 of 64 threads")
	}
}

// TestViewOfLanesThatHaveWaited: three groups complete a vote in three places, and one of them waits at the next vote
// while another has not gone on yet. That one no longer waits for members, and has another instruction before it.
func TestViewOfLanesThatHaveWaited(t *testing.T) {
	m, err := ptx.Parse("test.ptx", []byte(`.version 7.0
.target sm_70
.address_size 64
.entry k() {
	.reg .b32 %t, %r; .reg .pred %p, %q;
	mov.u32 %t, %laneid;
	setp.ge.u32 %p, %t, 16;
	setp.ge.u32 %q, %t, 8;
	@%p bra HIGH;
	@%q bra MIDDLE;
	vote.sync.ballot.b32 %r, %p, 0xffffffff;
	add.u32 %r, %r, 1;
	vote.sync.ballot.b32 %r, %p, 0xffffffff;
	ret;
MIDDLE:
	vote.sync.ballot.b32 %r, %p, 0xffffffff;
	add.u32 %r, %r, 1;
	vote.sync.ballot.b32 %r, %p, 0xffffffff;
	ret;
HIGH:
	vote.sync.ballot.b32 %r, %p, 0xffffffff;
	vote.sync.ballot.b32 %r, %p, 0xffffffff;
	ret;
}`))
	require.NoError(t, err)
	d, err := Load(m, Options{Divergence: Independent})
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Grid: Dim3{X: 1}, Block: Dim3{X: 32}})
	require.NoError(t, err)
	var missing []Mask
	for !g.Done() {
		_, err := g.Step()
		require.NoError(t, err)
		for _, e := range g.Warp(0, 0).Stack {
			if e.Wait == WaitMembers {
				missing = append(missing, e.For)
			}
		}
	}
	require.Equal(t, Mask(0xffff), missing[0], "lanes 16 to 31 come first, and wait for all others")
	require.Equal(t, Mask(0xff), missing[len(missing)-1])
}
