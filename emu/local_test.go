package emu

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// A thread has 512 KiB of local memory: 524,288 bytes.
func TestLocalMemoryOfAKernel(t *testing.T) {
	const params = ""
	d := device(t, params, ".local .b8 s[524288]; st.local.u8 [s+524287], 1; ret;")
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}})
	require.NoError(t, err)
	require.NoError(t, g.Run(context.Background()))

	d = device(t, params, ".local .b8 r[8]; .local .b8 s[524281]; ret;")
	_, err = d.Launch(Config{Entry: "k"})
	found, ok := err.(ptx.Diagnostics)
	require.True(t, ok, "%v", err)
	require.Equal(t, "k needs 524,289 bytes of local memory with s, and a thread has at most 524,288 bytes (512 KiB)",
		found[0].Message)
	require.Equal(t, "s", d.Mod.Text(found[0].Span))
}

// When calls or alloca need too much local memory, the fault says how much and where.
func TestLocalMemoryOfCallsAndAlloca(t *testing.T) {
	const head = ".version 8.0\n.target sm_90\n.address_size 64\n"
	for _, c := range []struct{ src, want string }{
		{head + ".func f() { .local .b8 s[524289]; ret; }\n.entry k() { call f; ret; }",
			"line 5: stack overflow: 1 call deep: 524,304 bytes of local memory are needed, and a thread has at most 524,288 " +
				"bytes (512 KiB);"},
		// 300,000 bytes in use, rounded up to a multiple of 16, and as many again: room once made for more does not count
		{head + ".func f() { .local .b8 s[300000]; ret; }\n.entry k() { .local .b8 s[300000]; call f; ret; }",
			"line 5: stack overflow: 1 call deep: 600,000 bytes of local memory are needed"},
		{head + ".func f();\n.func f() { call f; ret; }\n.entry k() { call f; ret; }",
			"line 5: stack overflow: 4,096 calls deep, which is the limit;"},
		{head + "\n.entry k() { .reg .b64 %a; alloca.u64 %a, -1; ret; }",
			"line 5: stack overflow: alloca of 0xffffffffffffffff bytes after 0 bytes in use; " +
				"a thread has 524,288 bytes of local memory;"},
		{head + "\n.entry k() { .local .b8 s[16]; .reg .b64 %a; alloca.u64 %a, 524273; ret; }",
			"line 5: stack overflow: alloca of 524,273 bytes after 16 bytes in use; " +
				"a thread has 524,288 bytes of local memory;"},
		{head + "\n.entry k() { .reg .b64 %a; .reg .b32 %i; mov.u32 %i, %laneid; mul.wide.u32 %a, %i, 0x10000000; " +
			"alloca.u64 %a, %a; ret; }",
			"alloca of 268,435,456 bytes after 0 bytes in use; a thread has 524,288 bytes of local memory; " +
				"CTA 0,0,0 warp 0 lanes 1-31"},
	} {
		g, err := load(t, c.src).Launch(Config{Entry: "k", Block: Dim3{X: 32}})
		require.NoError(t, err)
		require.ErrorContains(t, g.Run(context.Background()), c.want, c.src)
	}
}

// A CTA that finds no device memory says so at the kernel's name: before the launch, or when an earlier CTA has taken
// it.
func TestNoMemoryForACTA(t *testing.T) {
	src := txtar.Text(t, "local/greedy")
	m, err := ptx.Parse("test.ptx", []byte(src))
	require.NoError(t, err)
	d, err := Load(m, Options{MemoryLimit: 1 << 18})
	require.NoError(t, err)
	_, err = d.Launch(Config{Entry: "k", Block: Dim3{X: 32}})
	require.EqualError(t, err, "no device memory is left for the local memory of a warp (limit 262,144 bytes)")

	d, err = Load(m, Options{MemoryLimit: 4 << 20})
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}, Grid: Dim3{X: 2}})
	require.NoError(t, err)
	require.EqualError(t, g.Run(context.Background()),
		"line 5: stack overflow: no device memory is left for the local memory of "+
			"a warp (limit 4,194,304 bytes); CTA 1,0,0")
}

// 1073741824 · 1073741824 · 16 is 2^64.
func TestMaxThreadsBeyond64Bits(t *testing.T) {
	for directive, want := range map[string]int{
		".maxntid 1073741824, 1073741824, 16": 1<<31 - 1,
		".maxntid 8, 4":                       32,
		".maxntid 2147483647":                 1<<31 - 1,
		"":                                    0,
	} {
		d := load(t, ".version 7.0\n.target sm_70\n.entry k() "+directive+" { ret; }")
		require.Equal(t, want, d.Mod.Entries()[0].MaxThreads(), directive)
		_, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}})
		require.NoError(t, err, directive)
	}
}

// A pointer that malloc has not given is null: a fault near address 0 says so once malloc has found no memory, in a
// restored state too.
func TestNullOfMalloc(t *testing.T) {
	const head = `.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b64 p) malloc(.param .b64 n);
.entry k() { .reg .b64 %p; .reg .b32 %v; `
	const said = "; malloc has found no memory before this and has returned 0"
	for _, c := range []struct {
		body string
		note bool
	}{
		{"call (%p), malloc, (0x100000); st.global.u32 [%p+8], 1;", true}, // 2^20 bytes of 2^20, of which a frame takes some
		{"call (%p), malloc, (-1); st.u32 [%p], 1;", true},
		{"call (%p), malloc, (0x1000); mov.u64 %p, 0; ld.global.u32 %v, [%p];", false},
		{"call (%p), malloc, (-1); mov.u64 %p, 0x2000; ld.global.u32 %v, [%p];", false}, // 8,192 is not near 0
	} {
		m, err := ptx.Parse("test.ptx", []byte(head+c.body+" ret; }"))
		require.NoError(t, err)
		d, err := Load(m, Options{MemoryLimit: 1 << 20})
		require.NoError(t, err)
		g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 1}})
		require.NoError(t, err)
		start := g.Snapshot()
		_, err = g.RunFor(1)
		require.NoError(t, err)
		called := g.Snapshot()
		err = g.Run(context.Background())
		require.Error(t, err)
		require.Equal(t, c.note, strings.Contains(err.Error(), said), "%s: %s", c.body, err)
		g.Restore(start)
		g.Restore(called)
		require.EqualError(t, g.Run(context.Background()), err.Error())
	}
}
