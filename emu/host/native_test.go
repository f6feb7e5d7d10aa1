//go:build !js

package host

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"warpscope/emu/mem"
)

// The arena's last byte is the last that compiled code reaches, whatever lies after it in the process. Under js/wasm
// all memory of the program is in reach.
func TestTrapAfterTheArena(t *testing.T) {
	m := newMemory(t, 1<<24)
	h := openHost(t, m)
	f := compiled(t, h, load, store)
	for range 2 {
		end := uint32(len(m.All()))
		h.Call(f[1], end-4, 0, 9, 0)
		require.Equal(t, []byte{9, 0, 0, 0}, m.All()[end-4:])
		for _, off := range []uint32{end - 3, end, end + 1<<16, 1<<32 - 4} {
			require.Panics(t, func() { h.Call(f[1], off, 0, 0xffffffff, 0) }, "%#x", off)
			require.Panics(t, func() { h.Call(f[0], off, 0, 0, 0) }, "%#x", off)
		}
		require.Equal(t, []byte{9, 0, 0, 0}, m.All()[end-4:], "nothing of a store that traps is written")
		require.EqualValues(t, 9, h.Call(f[0], end-4, 0, 0, 0), "code runs after a trap")
		_, ok := m.Alloc(int64(end))
		require.True(t, ok)
	}
}

// A canary after the arena's bytes, in the same allocation of Go's, stays as it is.
func TestCanaryAfterTheArena(t *testing.T) {
	const size = 1 << 16
	block := bytes.Repeat([]byte{0xa5}, 2*size)
	e, err := newEnvironment(compiler)
	require.NoError(t, err)
	defer e.runtime.Close(e.ctx)
	e.see(block[:size])
	m, err := e.runtime.Instantiate(e.ctx, module(store))
	require.NoError(t, err)
	f := m.ExportedFunction("f0")
	_, err = f.Call(e.ctx, size-4, 0, 0, 0)
	require.NoError(t, err)
	for off := uint64(size - 3); off < 2*size; off += 61 {
		_, err = f.Call(e.ctx, off, 0, 0, 0)
		require.Error(t, err)
	}
	require.Equal(t, append(bytes.Repeat([]byte{0xa5}, size-4), 0, 0, 0, 0), block[:size])
	require.Equal(t, bytes.Repeat([]byte{0xa5}, size), block[size:])
}

// When a device is garbage, its host's runtime is closed, which gives back the code.
func TestRelease(t *testing.T) {
	memory := func() api.Module {
		m := newMemory(t, 1<<20)
		h := openHost(t, m)
		compiled(t, h, store)
		return h.(*native).env.memory
	}()
	require.Eventually(t, func() bool {
		runtime.GC()
		return memory.IsClosed()
	}, 10*time.Second, 10*time.Millisecond)
}

// A device that compiles nothing has no runtime.
func TestNoRuntimeBeforeCode(t *testing.T) {
	require.Nil(t, openHost(t, newMemory(t, 1<<20)).(*native).env)
}

func BenchmarkCall(b *testing.B) {
	m, _ := mem.New(1<<20, mem.Windows64)
	h, _ := mem.OpenHost(&m.Arena)
	list, err := h.Compile(module(load), 1)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		h.Call(list[0], 64, 0, 0, 0)
	}
}

func BenchmarkFirstCompile(b *testing.B) {
	code := module(load)
	for b.Loop() {
		m, _ := mem.New(1<<20, mem.Windows64)
		h, _ := mem.OpenHost(&m.Arena)
		if _, err := h.Compile(code, 1); err != nil {
			b.Fatal(err)
		}
		h.(*native).env.runtime.Close(h.(*native).env.ctx)
	}
}
