//go:build js

package host

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"warpscope/emu/mem"
)

// When a device is garbage, the places of its functions in the table are used again.
func TestPlacesAreUsedAgain(t *testing.T) {
	bodies := make([]string, 37) // no other test has so many
	for i := range bodies {
		bodies[i] = load
	}
	place := func() mem.Func { return compiled(t, openHost(t, newMemory(t, 1<<20)), bodies...)[0] }
	first := place()
	require.Eventually(t, func() bool {
		runtime.GC()
		return place() == first
	}, 10*time.Second, 10*time.Millisecond)
}

// Node has relaxed SIMD without a flag since 21, and x86-64 and ARM computers of today fuse it. Whatever is answered
// here, it is an answer.
func TestFused(t *testing.T) {
	h := openHost(t, newMemory(t, 1<<20))
	require.NotEqual(t, failed, fused())
	require.Equal(t, fused() == 1, mem.Fused(h))
	t.Log("fused:", mem.Fused(h))
}

func BenchmarkCall(b *testing.B) {
	m, _ := mem.New(1<<20, mem.Windows64)
	h, _ := mem.OpenHost(&m.Arena)
	list, err := h.Compile(module(load), 1)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		h.Call(list[0], h.Base()+64, 0, 0, 0)
	}
}
