package emu

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/internal/txtar"
)

// inSpaces runs an instruction whose generic address %a is in local memory in the lanes of a mask, else in global or in
// shared memory.
func inSpaces(t *testing.T, others string, local Mask, instruction string) (*Grid, []byte, error) {
	t.Helper()
	d := load(t, txtar.Text(t, "spaces/accesses",
		"VARIABLE", map[string]string{"global": "g", "shared": "s"}[others],
		"SPACE", others,
		"LOCAL", fmt.Sprint(uint32(local)),
		"INSTRUCTION", instruction))
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}})
	require.NoError(t, err)
	err = g.Run(context.Background())
	a, size, symbolErr := d.Symbol("g")
	require.NoError(t, symbolErr)
	b := make([]byte, size)
	require.NoError(t, d.Read(a, b))
	return g, b, err
}

// Through generic addresses, lanes of one instruction can be in different spaces. Where a space is not allowed, each
// lane is looked at, whichever comes first, and no lane has changed anything.
func TestEachLaneHasItsSpace(t *testing.T) {
	for _, c := range []struct{ instruction, others string }{
		{"atom.add.u32 %r2, [%a], 1", "global"},
		{"atom.add.u32 %r2, [%a], 1", "shared"},
		{"red.add.u32 [%a], 1", "global"},
		{"red.add.f32 [%a], 0f3f800000", "shared"},
		{"atom.cas.b64 %w1, [%a], 0, 1", "global"},
		{"atom.exch.b128 %q, [%a], %q", "global"},
		{"atom.add.noftz.v2.f16x2 {%r2, %r3}, [%a], {%r1, %r1}", "global"},
		{"red.add.v2.f32 [%a], {0f3f800000, 0f3f800000}", "global"},
		{"tensormap.replace.tile.rank.b1024.b32 [%a], %r1", "global"},
		{"tensormap.replace.tile.rank.b1024.b32 [%a], %r1", "shared"},
		{"mbarrier.init.b64 [%a], 1", "shared"},
		{"ldmatrix.sync.aligned.m8n8.x4.b16 {%r0, %r1, %r2, %r3}, [%a]", "shared"},
		{"stmatrix.sync.aligned.m8n8.x4.b16 [%a], {%r0, %r1, %r2, %r3}", "shared"},
	} {
		for _, local := range []Mask{0xffff0000, 0x0000ffff, 0x00000001, 0x80000000, 0x00100000} {
			_, memory, err := inSpaces(t, c.others, local, c.instruction)
			require.Error(t, err, "%s, local in %s", c.instruction, local.Lanes())
			fault := err.(*Fault)
			require.Equal(t, IllegalAddress, fault.Kind, "%s: %v", c.instruction, err)
			require.Equal(t, local, fault.Lanes, "%s: %v", c.instruction, err)
			require.Regexp(t, "this is local memory, which `.*` cannot reach|in shared memory|of shared memory only",
				err.Error())
			require.Equal(t, make([]byte, 4096), memory, c.instruction)
		}
		_, _, err := inSpaces(t, c.others, 0, c.instruction)
		require.NoError(t, err, c.instruction)
	}
}

// st.bulk writes shared memory only, and says so for the lane that asks for more.
func TestStoreBulkLooksAtEachLane(t *testing.T) {
	for _, local := range []Mask{0xffff0000, 0x00000001, 0x80000000} {
		_, _, err := inSpaces(t, "shared", local, "st.bulk [%a], 64, 0")
		require.ErrorContains(t, err, "st.bulk writes multiples of 8 bytes of shared memory")
		require.Equal(t, 1<<machine.FirstLane(local)&Mask(FullMask), err.(*Fault).Lanes)
	}
}

// atom.add.f32 flushes subnormal numbers on global memory and keeps them on shared memory (9.7.15.5), lane by lane.
func TestAtomicsOfLanesInDifferentSpaces(t *testing.T) {
	_, memory, err := inSpaces(t, "global", 0, `setp.ge.u32 %p, %i, 16;
	mov.u64 %b, s;
	cvta.shared.u64 %b, %b;
	add.u64 %b, %b, %w0;
	selp.b64 %b, %b, %a, %p;
	atom.add.f32 %f0, [%b], 0f00000001;
	ld.u32 %r1, [%b];
	st.global.u32 [%a+4], %r1`)
	require.NoError(t, err)
	for lane := range 32 {
		require.EqualValues(t, lane/16, machine.ByteOrder.Uint32(memory[128*lane+4:]), "lane %d", lane)
	}
}

// tensormap.cp_fenceproxy is one copy of a warp, and which one is not left to the first lane.
func TestCopyOfATensorMapWithOneAddress(t *testing.T) {
	const copies = "add.u64 %%b, %%w0, 0; mov.u64 %%b, g; %s" +
		"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%%b], [s], 128"
	_, _, err := inSpaces(t, "global", 0, fmt.Sprintf(copies, ""))
	require.NoError(t, err)
	_, _, err = inSpaces(t, "global", 0, fmt.Sprintf(copies, "add.u64 %b, %b, %w0; "))
	require.ErrorContains(t, err, "the same addresses, and those of lanes 0 and 1 differ")
}
