package emu

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
)

// Kernels of one lane: shared memory s holds ff everywhere, %p points to the bytes 1, 2, 3, … in global memory; at the
// end out gets s.
const asyncStart = `.shared .align 16 .b8 s[64]; .reg .b64 %p, %q; .reg .b32 %a, %n, %v<4>; .reg .pred %z, %y;
	ld.param.u64 %p, [in]; ld.param.u64 %q, [out]; mov.u32 %a, s; setp.eq.u32 %y, 0, 0; setp.eq.u32 %z, 0, 1;
	mov.b32 %n, 0xffffffff;
	st.shared.v4.b32 [%a], {%n,%n,%n,%n}; st.shared.v4.b32 [%a+16], {%n,%n,%n,%n};
	st.shared.v4.b32 [%a+32], {%n,%n,%n,%n}; st.shared.v4.b32 [%a+48], {%n,%n,%n,%n};
`

func asyncDump() string {
	s := "\n"
	for _, at := range []string{"0", "16", "32", "48"} {
		s += "ld.shared.v4.b32 {%v0,%v1,%v2,%v3}, [%a+" + at + "]; st.global.v4.b32 [%q+" + at + "], {%v0,%v1,%v2,%v3};\n"
	}
	return s
}

func asyncGrid(t *testing.T, body string, threads int) (*Device, *Grid, Addr) {
	t.Helper()
	d, err := matrixModule(t, "in out", asyncStart+body+asyncDump())
	require.NoError(t, err)
	in, err := d.Alloc(64)
	require.NoError(t, err)
	out, err := d.Alloc(64)
	require.NoError(t, err)
	require.NoError(t, d.Write(in, counting(0, 64)))
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: threads}, Args: [][]byte{Ptr(in), Ptr(out)}})
	require.NoError(t, err)
	return d, g, out
}

// counting is from+1, from+2, … n bytes.
func counting(from, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(from + i + 1)
	}
	return b
}

// memory is 64 bytes of ff with parts at offsets.
func memory(parts map[int][]byte) []byte {
	b := make([]byte, 64)
	for i := range b {
		b[i] = 0xff
	}
	for at, part := range parts {
		copy(b[at:], part)
	}
	return b
}

const threeGroups = `cp.async.ca.shared.global [%a], [%p], 4; cp.async.commit_group;
	cp.async.ca.shared.global [s+16], [%p+16], 8; cp.async.commit_group;
	cp.async.cg.shared.global [%a+32], [%p+32], 16; cp.async.commit_group;
	`

func TestCopyAsync(t *testing.T) {
	first := map[int][]byte{0: counting(0, 4)}
	two := map[int][]byte{0: counting(0, 4), 16: counting(16, 8)}
	three := map[int][]byte{0: counting(0, 4), 16: counting(16, 8), 32: counting(32, 16)}
	for body, want := range map[string]map[int][]byte{
		// src-size: 4 bytes are copied, 12 become zero (9.7.10.28.3.1).
		"cp.async.ca.shared.global [%a], [%p], 16, 4; cp.async.wait_all;": {
			0: append(counting(0, 4), make([]byte, 12)...),
		},
		"mov.b32 %n, 5; cp.async.ca.shared.global [%a], [%p], 8, %n; " +
			"cp.async.wait_all;": {0: append(counting(0, 5), 0, 0, 0)},
		"cp.async.ca.shared.global [%a], [%p], 4, 0; cp.async.wait_all;":  {0: make([]byte, 4)},
		"cp.async.ca.shared.global [%a], [%p], 4, 4; cp.async.wait_all;":  first,
		"cp.async.ca.shared.global [%a], [%p], 4, %z; cp.async.wait_all;": first,
		"cp.async.ca.shared.global [%a], [%p], 4, %y; cp.async.wait_all;": {0: make([]byte, 4)},
		// nothing is read
		"cp.async.ca.shared.global [%a], [0], 8, %y; cp.async.wait_all;":                    {0: make([]byte, 8)},
		"cp.async.ca.shared::cta.global.L2::128B [%a], [%p], 4; cp.async.wait_all;":         first,
		"cp.async.ca.shared.global.L2::cache_hint [%a], [%p], 4, %p; cp.async.wait_all;":    first,
		"cp.async.ca.shared.global.L2::cache_hint [%a], [%p], 4, 4, %p; cp.async.wait_all;": first,
		// wait_group N leaves the N most recent groups pending (9.7.10.28.3.3).
		threeGroups:                                                   {},
		threeGroups + "cp.async.wait_group 3;":                        {},
		threeGroups + "cp.async.wait_group 2;":                        first,
		threeGroups + "cp.async.wait_group 1;":                        two,
		threeGroups + "cp.async.wait_group 0;":                        three,
		threeGroups + "cp.async.wait_all;":                            three,
		threeGroups + "cp.async.commit_group; cp.async.wait_group 1;": three, // an empty group is one, too
		// Copies in no group are not waited for by wait_group, but by wait_all.
		"cp.async.ca.shared.global [%a], [%p], 4; cp.async.wait_group 0;": {},
		"cp.async.ca.shared.global [%a], [%p], 4; bar.sync 0;":            {},
		"cp.async.ca.shared.global [%a], [%p], 4; cp.async.wait_all;":     first,
		// A guard that is false starts nothing.
		"@%z cp.async.ca.shared.global [%a], [%p], 4; cp.async.wait_all;": {},
	} {
		d, g, out := asyncGrid(t, body, 1)
		require.NoError(t, g.Run(context.Background()), body)
		got := make([]byte, 64)
		require.NoError(t, d.Read(out, got))
		require.Equal(t, memory(want), got, body)
	}
}

// Groups belong to threads: each lane waits for its own.
func TestCopyGroupsAreThreads(t *testing.T) {
	d, g, out := asyncGrid(t, `.reg .pred %o; .reg .b64 %w; mul.wide.u32 %w, %l, 4; add.s64 %p, %p, %w;
		mad.lo.u32 %n, %l, 4, %a; setp.eq.u32 %o, %l, 1;
		cp.async.ca.shared.global [%n], [%p], 4;
		@%o cp.async.commit_group;
		cp.async.wait_group 0;`, 2)
	require.NoError(t, g.Run(context.Background()))
	got := make([]byte, 64)
	require.NoError(t, d.Read(out, got))
	require.Equal(t, memory(map[int][]byte{4: counting(4, 4)}), got)
}

// A wait that only some lanes execute is for their copies.
func TestWaitOfSomeLanes(t *testing.T) {
	d, g, out := asyncGrid(t, `.reg .pred %o; mad.lo.u32 %n, %l, 16, %a; setp.eq.u32 %o, %l, 1;
		cp.async.ca.shared.global [%n], [%p], 4;
		@%o cp.async.wait_all;`, 2)
	require.NoError(t, g.Run(context.Background()))
	got := make([]byte, 64)
	require.NoError(t, d.Read(out, got))
	require.Equal(t, memory(map[int][]byte{16: counting(0, 4)}), got)
}

func TestCopyAsyncFaults(t *testing.T) {
	for _, c := range [][2]string{
		{"cp.async.ca.shared.global [%a+4], [%p], 8;",
			"Misaligned must be a multiple of 8"},
		{"cp.async.ca.shared.global [%a], [%p+4], 8, 2;",
			"Misaligned must be a multiple of 8"},
		{"cp.async.ca.shared.global [%a+64], [%p], 8;",
			"OutOfBounds the CTA has 64 bytes of shared memory"},
		{"cp.async.ca.shared.global [%a], [%p+64], 8;",
			"OutOfBounds"},
		{"mov.b32 %n, 9; cp.async.ca.shared.global [%a], [%p+4], 8, %n;",
			"IllegalInstruction src-size 9 of `cp.async.ca.shared.global` is larger than cp-size 8"},
	} {
		body, want := c[0], c[1]
		_, g, _ := asyncGrid(t, body, 1)
		var fault *Fault
		err := g.Run(context.Background())
		require.ErrorAs(t, err, &fault, body)
		kind, text, _ := strings.Cut(want, " ")
		require.Equal(t, FaultKind(kind), fault.Kind, err)
		require.ErrorContains(t, err, text)
	}
}

// A snapshot holds the copies that have been started; the record of the step that waits holds what they write.
func TestCopiesInSnapshotsAndSteps(t *testing.T) {
	d, g, out := asyncGrid(t, threeGroups+"cp.async.wait_group 1;", 1)
	var snap *Snapshot
	hash := uint64(0)
	for round := range 2 {
		for {
			s, err := g.Step()
			require.NoError(t, err)
			if s.Done {
				break
			}
			if s.Inst.Opcode == "cp.async.cg.shared.global" && round == 0 {
				snap, hash = g.Snapshot(), g.Hash()
			}
			if s.Inst.Opcode == "cp.async.wait_group" {
				require.Len(t, s.Mem, 2)
				require.Equal(t, ptx.SharedSpace, s.Mem[1].Space)
				require.Equal(t, []byte{0xff, 0xff, 0xff, 0xff}, s.Mem[0].Old)
				require.Equal(t, counting(0, 4), s.Mem[0].New)
				require.Equal(t, counting(16, 8), s.Mem[1].New)
				require.Equal(t, s.Mem[0].Addr+16, s.Mem[1].Addr)
			}
		}
		got := make([]byte, 64)
		require.NoError(t, d.Read(out, got))
		require.Equal(t, memory(map[int][]byte{0: counting(0, 4), 16: counting(16, 8)}), got)
		g.Restore(snap)
		require.Equal(t, hash, g.Hash())
	}
}

// A program cannot fill memory with copies that it never waits for: the older ones are made.
func TestCopiesAreBounded(t *testing.T) {
	_, g, _ := asyncGrid(t, `.reg .b32 %i; mov.b32 %i, 0;
LOOP:	cp.async.ca.shared.global [%a], [%p], 4; add.u32 %i, %i, 1; setp.lt.u32 %z, %i, 20000; @%z bra LOOP;`, 1)
	for {
		done, err := g.RunFor(1000)
		require.NoError(t, err)
		if len(g.State.CTAs) > 0 {
			require.LessOrEqual(t, len(g.State.CTAs[0].Warps[0].Copies), maxCopies)
		}
		if done {
			break
		}
	}
}

// A store to bytes that a copy has yet to read is a finding (9.7.10.28.2): the copy may read them before or after it.
func TestAsyncSourceOverwritten(t *testing.T) {
	const copy16 = "cp.async.ca.shared.global [%a], [%p], 16;\n"
	for _, c := range [][2]string{
		{copy16 + "st.global.u32 [%p+12], %n; cp.async.wait_all;", "`st.global.u32` in lane 0 of warp 0 writes to 0x"},
		{copy16 + "red.global.add.u32 [%p+12], %n; cp.async.wait_all;", "`red.global.add.u32` in lane 0"},
		{copy16 + "st.global.u32 [%p+16], %n; cp.async.wait_all;", ""}, // after it
		{copy16 + "cp.async.wait_all; st.global.u32 [%p], %n;", ""},
		{"cp.async.ca.shared.global [%a], [%p], 16, 4; st.global.u32 [%p+4], %n; cp.async.wait_all;", ""}, // 4 bytes are read
		{"cp.async.ca.shared.global [%a], [%p], 16, 0; st.global.u32 [%p], %n; cp.async.wait_all;", ""},
		{copy16 + "ld.global.u32 %v0, [%p]; cp.async.wait_all;", ""},
		// between both
		{"cp.async.ca.shared.global [%a+16], [%p+32], 16;" + copy16 + "st.global.u32 [%p+20], %n; cp.async.wait_all;", ""},
	} {
		body, want := c[0], c[1]
		_, g, _ := asyncGrid(t, body, 1)
		require.NoError(t, g.Run(context.Background()))
		if want == "" {
			require.Empty(t, g.Findings(), body)
			continue
		}
		require.Len(t, g.Findings(), 1, body)
		f := g.Findings()[0]
		require.Contains(t, f.Message, want)
		require.Contains(t, f.Message, "(4 bytes), which `cp.async.ca.shared.global` of line ")
		require.Contains(t, f.Message, "(lane 0 of warp 0) is still to read: it was not waited for")
		require.NotZero(t, f.Other.Line)
	}
	// Another warp's copy.
	_, g, _ := asyncGrid(t, "mov.u32 %n, %tid.x; setp.lt.u32 %z, %n, 32;\n@%z "+copy16+
		"bar.sync 0; @!%z st.global.u32 [%p], %n; cp.async.wait_all;", 64)
	require.NoError(t, g.Run(context.Background()))
	var all []string
	for _, f := range g.Findings() {
		all = append(all, f.Message)
	}
	require.Regexp(t, "`st.global.u32` in lane 0 of warp 1 [^`]*`cp.async[^`]*` of line [0-9]* \\(lane 0 of warp 0\\) is "+
		"still to read", all)
}
