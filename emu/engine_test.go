package emu

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/mem"
	"warpscope/ptx"
)

// askedHost is a host that compiles nothing, and counts how often it is asked to.
type askedHost struct {
	mem.Host
	asked *int
}

func (h askedHost) Base() uint32 { return 0 }

func (h askedHost) Compile([]byte, int) ([]mem.Func, error) {
	*h.asked++
	return nil, errors.New("no")
}

// TestChooseEngine: compiled code is asked for from the start where the options say so, in a loop of 100 rounds not by
// EngineAuto, and never by the interpreter. Where there is no host only the option that insists is an error.
func TestChooseEngine(t *testing.T) {
	m, err := ptx.Parse("test", []byte(".version 6.4\n.target sm_70\n.entry k { .reg .u32 %r; .reg .pred %p;\n"+
		"mov.u32 %r, 0; L: add.u32 %r, %r, 1; xor.b32 %r, %r, 0; setp.lt.u32 %p, %r, 100; @%p bra L; ret; }\n"))
	require.NoError(t, err)
	asked := 0
	run := func(e Engine, open func(*mem.Arena) (mem.Host, error)) error {
		t.Helper()
		defer mem.RegisterHost(mem.RegisterHost(open))
		asked = 0
		d, err := Load(m, Options{Engine: e})
		if err != nil {
			return err
		}
		g, err := d.Launch(Config{Entry: "k", Grid: Dim3{X: 1}, Block: Dim3{X: 32}})
		require.NoError(t, err)
		require.NoError(t, g.Run(t.Context()))
		return nil
	}
	for _, name := range EngineNames() {
		e, ok := EngineNamed(name)
		require.True(t, ok)
		require.Equal(t, name, e.String())
		require.NoError(t, run(e, func(*mem.Arena) (mem.Host, error) { return askedHost{asked: &asked}, nil }))
		require.Equal(t, e == Compiled, asked > 0, name)
	}
	none := func(*mem.Arena) (mem.Host, error) { return nil, errors.New("the reason") }
	require.NoError(t, run(EngineAuto, none))
	require.NoError(t, run(Interpreter, none))
	require.EqualError(t, run(Compiled, none), "the compiled engine is not available: the reason")

	_, ok := EngineNamed("fast")
	require.False(t, ok)
}
