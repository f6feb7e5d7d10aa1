package host

import (
	"encoding/binary"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/mem"
)

// section is a section of a module; its contents are shorter than 16 KiB.
func section(id byte, contents string) string {
	return string([]byte{id}) + leb(len(contents)) + contents
}

// leb writes a number below 2^14 as LEB128 in two bytes.
func leb(n int) string { return string([]byte{byte(n) | 0x80, byte(n >> 7)}) }

// module is a module of functions with the four arguments of mem.Host.Call: 0 is frame, 1 ctx, 2 mask, 3 budget. A body
// has the local variables and instructions, without the "end".
func module(bodies ...string) []byte {
	types, names, code := leb(len(bodies)), leb(len(bodies)), leb(len(bodies))
	for i, body := range bodies {
		types += "\x00"
		name := "f" + string(rune('0'+i%10))
		for n := i / 10; n > 0; n /= 10 {
			name = "f" + string(rune('0'+n%10)) + name[1:]
		}
		names += leb(len(name)) + name + "\x00" + leb(i)
		code += leb(len(body)+1) + body + "\x0b"
	}
	return []byte("\x00asm\x01\x00\x00\x00" + section(1, "\x01\x60\x04\x7f\x7f\x7f\x7f\x01\x7f") +
		section(2, "\x01\x03env\x06memory\x02\x00\x01") + section(3, types) + section(7, names) + section(10, code))
}

// double adds a row of 32 words at frame to itself, 4 lanes at a time, while budget is above 0, and returns ctx + mask.
const double = "\x00" +
	"\x03\x40" + // loop
	"\x20\x00" + "\x20\x00\xfd\x00\x04\x00" + "\x20\x00\xfd\x00\x04\x00" + "\xfd\xae\x01" + "\xfd\x0b\x04\x00" +
	"\x20\x00\x41\x10\x6a\x21\x00" + // frame += 16
	"\x20\x03\x41\x7c\x6a\x22\x03" + // budget -= 4
	"\x0d\x00\x0b" + // loop while it is not 0
	"\x20\x01\x20\x02\x6a"

// load returns the word at frame, store writes mask there and returns 0.
const (
	load  = "\x00\x20\x00\x28\x02\x00"
	store = "\x00\x20\x00\x20\x02\x36\x02\x00\x41\x00"
)

func newMemory(t *testing.T, limit int64) *mem.Memory {
	t.Helper()
	m, ok := mem.New(limit, mem.Windows64)
	require.True(t, ok)
	return m
}

func openHost(t *testing.T, m *mem.Memory) mem.Host {
	t.Helper()
	h, err := mem.OpenHost(&m.Arena)
	require.NoError(t, err)
	return h
}

func compiled(t *testing.T, h mem.Host, bodies ...string) []mem.Func {
	t.Helper()
	list, err := h.Compile(module(bodies...), len(bodies))
	require.NoError(t, err)
	require.Len(t, list, len(bodies))
	return list
}

func words(m *mem.Memory, off uint32, n int) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32(m.Bytes(off, uint32(n)*4)[i*4:])
	}
	return list
}

// Compiled code reads and writes the arena itself, and goes on doing so when the arena has grown and moved.
func TestRowInTheArena(t *testing.T) {
	m := newMemory(t, 1<<24)
	h := openHost(t, m)
	f := compiled(t, h, double)[0]
	row, ok := m.Alloc(128)
	require.True(t, ok)
	want := make([]uint32, 32)
	for i := range want {
		want[i] = uint32(i * 1000)
		binary.LittleEndian.PutUint32(m.Bytes(row, 128)[i*4:], want[i])
	}
	for range 4 {
		require.EqualValues(t, 12, h.Call(f, h.Base()+row, 5, 7, 32))
		for i := range want {
			want[i] *= 2
		}
		require.Equal(t, want, words(m, row, 32))
		was := len(m.All())
		_, ok = m.Alloc(int64(was))
		require.True(t, ok)
		require.Greater(t, len(m.All()), was)
		runtime.GC()
	}
}

// Code that was compiled before the arena has grown, and code that was compiled after it, see all of it.
func TestCodeSeesWhatHasGrown(t *testing.T) {
	m := newMemory(t, 1<<24)
	h := openHost(t, m)
	before := compiled(t, h, load, store)
	far, ok := m.Alloc(1 << 20)
	require.True(t, ok)
	at := h.Base() + far + 1<<20 - 4
	h.Call(before[1], at, 0, 0xfeedface, 0)
	require.Equal(t, []uint32{0xfeedface}, words(m, far+1<<20-4, 1))
	after := compiled(t, h, load)
	require.EqualValues(t, 0xfeedface, h.Call(before[0], at, 0, 0, 0))
	require.EqualValues(t, 0xfeedface, h.Call(after[0], at, 0, 0, 0))
}

// Arenas do not see each other's memory, nor each other's functions.
func TestTwoArenas(t *testing.T) {
	a, b := newMemory(t, 1<<20), newMemory(t, 1<<20)
	ha, hb := openHost(t, a), openHost(t, b)
	fa, fb := compiled(t, ha, store), compiled(t, hb, load, store)
	ha.Call(fa[0], ha.Base()+64, 0, 1, 0)
	hb.Call(fb[1], hb.Base()+64, 0, 2, 0)
	require.Equal(t, []uint32{1}, words(a, 64, 1))
	require.Equal(t, []uint32{2}, words(b, 64, 1))
	require.EqualValues(t, 2, hb.Call(fb[0], hb.Base()+64, 0, 0, 0))
}

// Handles of many functions, in modules of one and of many, stay apart. Function i of a module returns 64 * module + i.
func TestManyFunctions(t *testing.T) {
	m := newMemory(t, 1<<20)
	h := openHost(t, m)
	var all []mem.Func
	for k := range 40 {
		var bodies []string
		for i := range 1 + k {
			bodies = append(bodies, "\x00\x41"+string([]byte{byte(k*64+i) | 0x80, byte((k*64+i)>>7&0x3f) | 0x80, 0}))
		}
		all = append(all, compiled(t, h, bodies...)...)
	}
	at := 0
	for k := range 40 {
		for i := range 1 + k {
			require.EqualValues(t, k*64+i, h.Call(all[at], 0, 0, 0, 0))
			at++
		}
	}
}

// What is no module, or has another number of functions, is an error, and the host goes on.
func TestNoModule(t *testing.T) {
	h := openHost(t, newMemory(t, 1<<20))
	_, err := h.Compile([]byte("\x00asm\x01\x00\x00\x00\x63"), 1)
	require.Error(t, err)
	_, err = h.Compile(module(load), 2)
	require.Error(t, err)
	require.EqualValues(t, 0, h.Call(compiled(t, h, load)[0], h.Base()+64, 0, 0, 0))
}
