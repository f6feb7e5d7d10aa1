package emu

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/txtar"
	"warpscope/ptx"
)

func load(t *testing.T, src string) *Device {
	t.Helper()
	m, err := ptx.Parse("test.ptx", []byte(src))
	require.NoError(t, err)
	d, err := Load(m, Options{})
	require.NoError(t, err)
	return d
}

// Addresses in initialisers are written after a short list of values, too (5.4.4: incomplete lists are zero-filled).
func TestInitialisers(t *testing.T) {
	d := load(t, `.version 6.4
.target sm_70
.address_size 64
.global .b32 x[4] = {7, 8};
.global .u64 p[3] = {1, x+4};
.global .u64 q = generic(x);
.const .b16 c[3] = {0xffff, 2};
`)
	x, size, err := d.Symbol("x")
	require.NoError(t, err)
	require.Equal(t, 16, size)
	read := func(name string) []byte {
		a, n, err := d.Symbol(name)
		require.NoError(t, err)
		b := make([]byte, n)
		require.NoError(t, d.Read(a, b))
		return b
	}
	require.Equal(t, append(append(U32(7), U32(8)...), make([]byte, 8)...), read("x"))
	require.Equal(t, append(append(U64(1), U64(x+4)...), U64(0)...), read("p"))
	require.Equal(t, U64(x), read("q"))
	require.Equal(t, []byte{0xff, 0xff, 2, 0, 0, 0}, read("c"))
}

// Valid PTX that is not emulated is reported before anything runs, with a code of its own.
func TestNotEmulated(t *testing.T) {
	t.Cleanup(func() { delete(gapsOf, "nanosleep"); delete(gapsOf, "membar") })
	gapsOf["nanosleep"] = []*gap{{"nobody sleeps", "nanosleep", ""}}
	gapsOf["membar"] = []*gap{{"nobody waits for the system", "membar", ".sys"}}
	m, err := ptx.Parse("test.ptx", []byte(`.version 8.6
.target sm_100a
.address_size 64
.entry k() { nanosleep.u32 20; membar.gl; membar.sys; ret; }
`))
	require.NoError(t, err)
	_, err = Load(m, Options{})
	var diags ptx.Diagnostics
	require.ErrorAs(t, err, &diags)
	require.Len(t, diags, 2)
	require.Equal(t, "not-emulated", diags[0].Code)
	require.Equal(t, 4, m.Position(int(diags[0].Span.Start)).Line)
	require.Contains(t, diags[0].Message, "nobody sleeps")
	require.Contains(t, diags[1].Message, "`membar.sys` is valid PTX (9.7.15.4), but it is not emulated yet: nobody waits")
}

func TestCallOfSomethingUndefined(t *testing.T) {
	m, err := ptx.Parse("test.ptx", []byte(`.version 6.4
.target sm_70
.address_size 64
.extern .func elsewhere;
.entry k() { call elsewhere; ret; }
`))
	require.NoError(t, err)
	_, err = Load(m, Options{})
	require.ErrorContains(t, err, "function elsewhere is declared but has no body")
}

// Registers below 32 bits keep to their width; reads of a narrow type from a wide register take the low bits (9.4.1).
func TestNarrowRegisters(t *testing.T) {
	d := load(t, txtar.Text(t, "lower/narrow"))
	out, err := d.Alloc(12)
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Args: [][]byte{Ptr(out)}})
	require.NoError(t, err)
	require.NoError(t, g.Run(context.Background()))
	b := make([]byte, 12)
	require.NoError(t, d.Read(out, b))
	require.Equal(t, append(append(U32(1), U32(0xff)...), U32(0xffffffff)...), b)
}
