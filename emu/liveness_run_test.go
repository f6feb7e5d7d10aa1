package emu_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// Every program of testdata leaves the same memory, after as many instructions and with the same fault, when registers
// that are not live hold garbage. So no instruction reads more, or writes less, than liveness knows of.
func TestDeadRegistersDoNotMatterInTestdata(t *testing.T) {
	dead, every := 0, 1 // programs of which one runs
	if testing.Short() {
		every = 16
	}
	for _, folder := range []string{"control", "faults", "values", "real/ptx"} {
		paths, err := filepath.Glob("../testdata/" + folder + "/*.ptx")
		require.NoError(t, err)
		require.NotEmpty(t, paths)
		for n, path := range paths {
			if n%every != 0 {
				continue
			}
			src, err := os.ReadFile(path)
			require.NoError(t, err)
			m, err := ptx.Parse(path, src)
			require.NoError(t, err, path)
			spec, err := launch.FromSource(m)
			require.NoError(t, err, path)
			for _, model := range emu.Divergences() {
				want := endsWith(t, m, spec, model, func(*emu.Grid) {})
				got := endsWith(t, m, spec, model, func(g *emu.Grid) { dead += emu.Spoil(g) })
				require.Equal(t, want, got, "%s, %s", path, model)
			}
		}
	}
	require.Greater(t, dead, 1<<20/every, "values that did not matter")
}

// ending is what a run leaves.
type ending struct {
	memory [][]byte
	tick   int64
	err    string
}

// endsWith runs a launch step by step, up to a limit, and does something before each.
func endsWith(t *testing.T, m *ptx.Module, spec *launch.Spec, model emu.Divergence, before func(*emu.Grid)) (e ending) {
	const limit = 150
	p, err := launch.Prepare(m, spec, emu.Options{Divergence: model})
	if err != nil {
		return ending{err: err.Error()}
	}
	for !p.Grid.Done() && p.Grid.Tick() < limit && err == nil {
		before(p.Grid)
		_, err = p.Grid.RunFor(1)
	}
	if e.tick = p.Grid.Tick(); err != nil {
		e.err = err.Error()
	}
	for _, a := range p.Device.Allocations() {
		b := make([]byte, a.Size)
		require.NoError(t, p.Device.Read(a.Addr, b))
		e.memory = append(e.memory, b)
	}
	return e
}
