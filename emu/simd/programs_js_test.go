package simd_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/emu/row"
	"warpscope/emu/simd"
	"warpscope/launch"
	"warpscope/ptx"
)

// seen is what can be seen of a run.
type seen struct {
	Hashes   []uint64 // of the state, at many ticks
	Counted  []int64  // executions, by pc
	Stats    emu.Stats
	Account  *emu.Account
	Findings []emu.Finding
	Output   string
	Err      string
}

// look runs a program up to random ticks.
func look(t *testing.T, m *ptx.Module, o emu.Options, seed uint64) (s seen) {
	t.Helper()
	spec, err := launch.FromSource(m)
	require.NoError(t, err)
	p, err := launch.Prepare(m, spec, o)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(seed, 1))
	for done, ticks := false, int64(0); !done && ticks < 200_000; {
		n := 1 + rng.Int64N(1<<rng.IntN(15))
		if done, err = p.Grid.RunFor(n); err != nil {
			s.Err, done = err.Error(), true
		}
		ticks += n
		s.Hashes = append(s.Hashes, p.Grid.Hash())
	}
	s.Counted, s.Stats, s.Account = p.Grid.Counted(), p.Grid.Stats(), emu.CountsOf(p.Grid)
	s.Findings, s.Output = p.Grid.Findings(), string(p.Grid.Output())
	return s
}

// longLoop is a loop in which no warp sees what another one does, for longer than a turn goes on.
const longLoop = `//@ block 96
//@ arg out u32[96]
.version 6.4
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<2>;
	.reg .pred %p;
	mov.u32 %r1, 0;
	mov.u32 %r2, %tid.x;
again:
	mad.lo.u32 %r2, %r2, 5, %r1;
	xor.b32 %r2, %r2, 77;
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p, %r1, 3000;
	@%p bra again;
	ld.param.u64 %rd1, [out];
	mov.u32 %r3, %tid.x;
	mad.wide.u32 %rd1, %r3, 4, %rd1;
	st.global.u32 [%rd1], %r2;
	ret;
}
`

// patterns is a loop whose accesses have another alignment or another distance between lanes again and again, and lanes
// in another order, but not each time; in two warps that differ. Some are one after the other in a line.
const patterns = `//@ block 64
//@ arg buf u32[8192] = iota
.version 6.4
.target sm_70
.address_size 64
.visible .entry k(.param .u64 buf)
{
	.reg .b32 %t, %i, %s, %o, %v, %w, %sum;
	.reg .b64 %p, %a, %d;
	.reg .pred %q;
	.shared .align 8 .b8 mine[16384];
	.local .align 8 .b8 own[512];
	ld.param.u64 %p, [buf];
	mov.u32 %i, 0;
	mov.u32 %sum, 0;
again:
	mov.u32 %t, %tid.x;
	shr.u32 %s, %t, 5;
	mul.lo.u32 %s, %s, 5;
	add.u32 %s, %s, %i;
	shr.u32 %o, %s, 6;
	and.b32 %o, %o, 3;
	xor.b32 %t, %t, %o;
	shr.u32 %v, %s, 2;
	and.b32 %v, %v, 7;
	mul.lo.u32 %t, %t, %v;
	add.u32 %o, %s, 2;
	shr.u32 %o, %o, 1;
	and.b32 %o, %o, 12;
	add.u32 %t, %t, %o;
	shl.b32 %t, %t, 2;
	cvt.u64.u32 %d, %t;
	add.u64 %a, %p, %d;
	mov.u32 %s, mine;
	add.u32 %s, %s, %t;
	ld.global.u32 %v, [%a];
	st.shared.u32 [%s], %v;
	ld.global.u32 %w, [%a+4];
	add.u32 %sum, %sum, %w;
	ld.shared.u32 %w, [%s+64];
	add.u32 %sum, %sum, %w;
	and.b32 %o, %t, 508;
	st.local.u32 [%o], %sum;
	st.global.u32 [%a+64], %sum;
	ld.global.u32 %w, [%a+32];
	add.u32 %sum, %sum, %w;
	and.b32 %t, %t, 16376;
	ld.shared.u64 %d, [%t];
	ld.local.u32 %v, [%o];
	st.shared.u64 [%t+8], %d;
	add.u32 %i, %i, 1;
	setp.lt.u32 %q, %i, 900;
	@%q bra again;
	ret;
}
`

// Nothing that can be seen of a run tells whether it went through vectors: under each model of divergence, with
// counters and sanitizers, and where turns end anywhere.
func TestProgramsAgree(t *testing.T) {
	files, err := filepath.Glob("../../public/examples/*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	simd.UseAgain(false)
	straight := row.Straight
	defer func() { row.Straight = straight }()
	options := []emu.Options{{}, {Counters: true}, {Divergence: emu.Independent, Counters: true}, {Schedule: 3},
		{Schedule: 1, Counters: true}, {Sanitize: emu.Racecheck | emu.Initcheck}}
	given := map[string]string{"longLoop": longLoop, "patterns": patterns}
	for i, file := range append(files, "longLoop", "patterns") {
		src := []byte(given[file])
		if len(src) == 0 {
			src, err = os.ReadFile(file)
			require.NoError(t, err)
		}
		m, err := ptx.Parse(filepath.Base(file), src)
		require.NoError(t, err, file)
		for n, o := range options {
			o.Engine = emu.Interpreter
			row.Straight = straight
			got := look(t, m, o, uint64(i))
			row.Straight = nil
			without(func() { require.Equal(t, look(t, m, o, uint64(i)), got, "%s, %d", file, n) })
		}
	}
}
