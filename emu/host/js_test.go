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
