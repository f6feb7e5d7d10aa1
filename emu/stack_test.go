package emu

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/internal/txtar"
)

// runWords runs one kernel of n threads with parameters in and out, and gives the words of out.
func runWords(t *testing.T, src string, c Config, in []byte) ([]uint32, *Grid, error) {
	t.Helper()
	d := load(t, src)
	from, err := d.Alloc(256)
	require.NoError(t, err)
	to, err := d.Alloc(256)
	require.NoError(t, err)
	require.NoError(t, d.Write(from, in))
	c.Entry, c.Args = "k", [][]byte{Ptr(from), Ptr(to)}
	g, err := d.Launch(c)
	require.NoError(t, err)
	err = g.Run(context.Background())
	raw, words := make([]byte, 256), make([]uint32, 64)
	require.NoError(t, d.Read(to, raw))
	for i := range words {
		words[i] = machine.ByteOrder.Uint32(raw[4*i:])
	}
	return words, g, err
}

// Lanes allocate 16 times their number + 1 bytes, fill them, call a function that allocates as well, and find their own
// bytes again. stackrestore gives the same memory once more; alignment is as asked for.
func TestAlloca(t *testing.T) {
	words, _, err := runWords(t, txtar.Text(t, "stack/alloca"), Config{Block: Dim3{X: 32}}, nil)
	require.NoError(t, err)
	for lane := range 32 {
		require.Equal(t, uint32(77+2*lane), words[lane])
	}
	for body, want := range map[string]string{
		"mov.u64 %p, 1000000; alloca.u64 %p, %p;":                                         "alloca of 1,000,000 bytes",
		"L: alloca.u64 %p, 4096; bra L;":                                                  "alloca of 4,096 bytes",
		"mov.u64 %p, 400000; stackrestore.u64 %p; ld.local.u32 %v, [300000];":             "out of bounds",
		"alloca.u64 %p, 8; ld.local.u32 %v, [%p+8];":                                      "out of bounds",
		"stacksave.u64 %p; alloca.u64 %q, 8; stackrestore.u64 %p; ld.local.u32 %v, [%q];": "out of bounds",
	} {
		_, _, err := runWords(t, `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) { .reg .b64 %p, %q; .reg .b32 %v; `+body+" ret; }", Config{}, nil)
		require.ErrorContains(t, err, want, body)
	}
}

// A loop that calls a function which allocates does not run out of memory.
func TestAllocaIsGivenBack(t *testing.T) {
	_, _, err := runWords(t, `.version 8.0
.target sm_90
.address_size 64
.func f() { .reg .b64 %p; alloca.u64 %p, 65536; st.local.u64 [%p], %p; ret; }
.visible .entry k(.param .u64 in, .param .u64 out) {
	.reg .b32 %i; .reg .pred %z; mov.b32 %i, 0;
L:	call f; add.u32 %i, %i, 1; setp.lt.u32 %z, %i, 100; @%z bra L; ret;
}`, Config{Block: Dim3{X: 32}}, nil)
	require.NoError(t, err)
}

// A multimem address on one device is the address of one place.
func TestMultimem(t *testing.T) {
	words, _, err := runWords(t, txtar.Text(t, "stack/multimem"), Config{}, append(U32(7), make([]byte, 60)...))
	require.NoError(t, err)
	require.Equal(t, []uint32{7 + 5 + 100, 100, 100, 100, 100, 100, 100, 100}, words[:8])
}
