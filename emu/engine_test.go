package emu

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/mem"
	"warpscope/ptx"
)

// noHost is a host that runs nothing.
type noHost struct{ mem.Host }

// TestChooseEngine: a device gets the compiled engine unless its options ask for the interpreter. Where there is no
// host only the option that insists is an error.
func TestChooseEngine(t *testing.T) {
	m, err := ptx.Parse("test", []byte(".version 6.4\n.target sm_70\n.entry k { ret; }\n"))
	require.NoError(t, err)
	var got []Engine
	defer func(was func(*Device, mem.Host, Engine)) { compiledEngine = was }(compiledEngine)
	compiledEngine = func(_ *Device, h mem.Host, e Engine) {
		require.Equal(t, noHost{}, h)
		got = append(got, e)
	}
	load := func(open func(*mem.Arena) (mem.Host, error)) (errs []error) {
		t.Helper()
		defer mem.RegisterHost(mem.RegisterHost(open))
		for _, name := range EngineNames() {
			e, ok := EngineNamed(name)
			require.True(t, ok)
			require.Equal(t, name, e.String())
			_, err := Load(m, Options{Engine: e})
			errs = append(errs, err)
		}
		return errs
	}
	errs := load(func(a *mem.Arena) (mem.Host, error) { return noHost{}, nil })
	require.Equal(t, []error{nil, nil, nil}, errs)
	require.Equal(t, []Engine{EngineAuto, Compiled}, got)

	got = nil
	errs = load(func(*mem.Arena) (mem.Host, error) { return nil, errors.New("the reason") })
	require.Empty(t, got)
	require.NoError(t, errs[EngineAuto])
	require.NoError(t, errs[Interpreter])
	require.EqualError(t, errs[Compiled], "the compiled engine is not available: the reason")

	_, ok := EngineNamed("fast")
	require.False(t, ok)
}
