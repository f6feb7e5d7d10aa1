package emu

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// onSystem launches a kernel k(out) twice and returns the n words that the second launch leaves.
func onSystem(t *testing.T, target, body string, c Config, n int) []uint32 {
	t.Helper()
	m, err := ptx.Parse("test.ptx", []byte(".version 8.1\n.target "+target+`
.address_size 64
.entry k(.param .u64 out) { .reg .b64 %out, %at, %ws, %lo, %hi; .reg .b32 %t, %c, %v, %w, %old; .reg .pred %p;
	mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; ld.param.u64 %out, [out]; mad.wide.u32 %at, %c, 4, %out;
`+body+"}"))
	require.NoError(t, err)
	d, err := Load(m, Options{Sanitize: Racecheck | Initcheck})
	require.NoError(t, err)
	out, err := d.Alloc(4 * n)
	require.NoError(t, err)
	c.Entry, c.Args = "k", [][]byte{Ptr(out)}
	b := make([]byte, 4*n)
	for range 2 {
		require.NoError(t, d.Write(out, make([]byte, 4*n)))
		g, err := d.Launch(c)
		require.NoError(t, err)
		require.NoError(t, g.Run(context.Background()))
		require.Empty(t, g.Findings())
		require.NoError(t, d.Read(out, b))
	}
	got := make([]uint32, n)
	for i := range got {
		got[i] = machine.ByteOrder.Uint32(b[4*i:])
	}
	return got
}

// CTAs meet at the second word of the workspace, as CUDA's grid groups do: the first adds 2^31 - (CTAs - 1) to it and
// the others 1 each, and all wait for the highest bit to change.
func TestCTAsMeetInTheWorkspace(t *testing.T) {
	const ctas = 5
	meet := `bar.sync 0; setp.ne.u32 %p, %t, 0; @%p bra JOIN;
		setp.eq.u32 %p, %c, 0; selp.b32 %v, 0x7ffffffc, 1, %p; // 2^31 - 4
		fence.acq_rel.gpu; atom.global.add.u32 %old, [%ws+4], %v;
	WAIT: ld.acquire.gpu.global.u32 %v, [%ws+4]; xor.b32 %v, %v, %old; setp.ge.s32 %p, %v, 0; @%p bra WAIT;
	JOIN: bar.sync 0;
	`
	got := onSystem(t, "sm_70",
		`cvt.u64.u32 %hi, %envreg1; cvt.u64.u32 %lo, %envreg2; shl.b64 %hi, %hi, 32; or.b64 %ws, %hi, %lo;
		add.u32 %v, %c, 100; st.global.u32 [%at], %v;
	`+meet+`add.u32 %w, %c, 1; setp.eq.u32 %p, %w, 5; @%p mov.u32 %w, 0;
		mad.wide.u32 %lo, %w, 4, %out; ld.global.u32 %w, [%lo];
	`+strings.NewReplacer("JOIN", "JOIN2", "WAIT", "WAIT2").Replace(meet)+`st.global.u32 [%at], %w;`,
		Config{Grid: Dim3{X: ctas}, Block: Dim3{X: 64}}, ctas)
	require.Equal(t, []uint32{101, 102, 103, 104, 100}, got)
}

// The reserved region is after the CTA's own memory and is as large as its registers say (10.29); the size of 10.30
// leaves it out, that of 10.31 includes it.
func TestReservedSharedMemory(t *testing.T) {
	got := onSystem(t, "sm_90", txtar.Text(t, "system/reserved"),
		Config{Block: Dim3{X: 1}, SharedBytes: 8}, 5)
	// 33 words and, from a multiple of 16 on, 8 bytes: 152, or two units of 128.
	require.Equal(t, []uint32{256, machine.SystemShared, 0, 0, 789}, got)
}

// Shared memory is given out in units that the target sets (10.30).
func TestUnitOfSharedMemory(t *testing.T) {
	const body = `mov.u32 %v, %total_smem_size; st.global.u32 [%at], %v;`
	for target, unit := range map[string]uint32{"sm_20": 128, "sm_30": 256, "sm_53": 256, "sm_70": 256, "sm_75": 256,
		"sm_80": 128} {
		got := onSystem(t, target, body, Config{Block: Dim3{X: 1}, SharedBytes: 1}, 1)
		require.Equal(t, []uint32{unit}, got, target)
	}
}

// Each CTA has a slice of global memory, at a pitch that is the size asked for, rounded up to a multiple of 1024 bytes
// (11.4.10, 10.34, 10.35): for 1500 bytes it is 2048. The first and last word of a slice keep what its CTA wrote.
func TestMemoryOfEachCTA(t *testing.T) {
	m, err := ptx.Parse("test.ptx", []byte(`.version 9.4
.target sm_80
.address_size 64
.entry k(.param .u64 out) .minperctamemory 1500 { .reg .b64 %out, %a, %lo; .reg .b32 %n, %c, %v, %w, %y, %ny; `+
		`.reg .pred %p;
	ld.param.u64 %out, [out]; mov.u32 %c, %ctaid.x; mov.u32 %y, %ctaid.y; mov.u32 %ny, %nctaid.x; `+
		`mad.lo.u32 %c, %y, %ny, %c;
	mov.u64 %a, %perctamemoryoffset; mov.u32 %n, %perctamemorysize;
	mad.lo.u32 %v, %c, 10, 7; st.global.u32 [%a], %v; st.global.u32 [%a+1496], %v;
	cvt.u64.u32 %lo, %c; mul.lo.u64 %lo, %lo, 2048; sub.u64 %a, %a, %lo; // where the first CTA's slice is
	mad.wide.u32 %lo, %c, 8, %out; st.global.u32 [%lo], %n;
	setp.ne.u32 %p, %c, 5; @%p ret;
	ld.global.u32 %v, [%a+10240]; ld.global.u32 %w, [%a+11736]; add.u32 %v, %v, %w; st.global.u32 [%lo+4], %v; // 5 * 2048
	ret; }`))
	require.NoError(t, err)
	d, err := Load(m, Options{Sanitize: Racecheck | Initcheck})
	require.NoError(t, err)
	out, err := d.Alloc(48)
	require.NoError(t, err)
	c := Config{Entry: "k", Grid: Dim3{X: 3, Y: 2}, Block: Dim3{X: 1}, Args: [][]byte{Ptr(out)}}
	before := len(d.Allocations())
	for range 2 {
		g, err := d.Launch(c)
		require.NoError(t, err)
		require.NoError(t, g.Run(context.Background()))
		require.Empty(t, g.Findings())
		require.Len(t, d.Allocations(), before)
		b := make([]byte, 48)
		require.NoError(t, d.Read(out, b))
		for c := range 6 {
			require.Equal(t, uint32(2048), machine.ByteOrder.Uint32(b[8*c:]))
		}
		require.Equal(t, uint32(57+57), machine.ByteOrder.Uint32(b[44:])) // 5 * 10 + 7
	}
	for _, n := range []int{1 << 21, 1<<31 - 1} { // 2^21 * 2048 bytes are 4 GiB
		c.Grid = Dim3{X: n}
		_, err = d.Launch(c)
		require.ErrorContains(t, err, "no device memory is left for the memory that CTAs have of their own")
	}
}
