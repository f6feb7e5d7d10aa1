package launch_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/emu/mem"
	"warpscope/launch"
	"warpscope/ptx"
)

const emptyKernel = ".version 6.4\n.target sm_70\n.entry k { ret; }\n"

// Where compiled code cannot run, only a launch that insists on it fails. The caller's options take precedence over the
// header.
func TestEngineThatIsNotThere(t *testing.T) {
	defer mem.RegisterHost(mem.RegisterHost(func(*mem.Arena) (mem.Host, error) { return nil, errors.New("the reason") }))
	const before = "//@ block 32\n//@ grid 1\n"
	run := func(header string, e emu.Engine) error {
		m, err := ptx.Parse("test", []byte(before+header+emptyKernel))
		require.NoError(t, err)
		s, err := launch.FromSource(m)
		require.NoError(t, err)
		_, err = launch.Run(context.Background(), m, s, emu.Options{Engine: e})
		return err
	}
	require.NoError(t, run("", emu.EngineAuto))
	require.NoError(t, run("//@ engine auto\n", emu.EngineAuto))
	require.NoError(t, run("//@ engine interpreter\n", emu.EngineAuto))
	require.NoError(t, run("//@ engine compiled\n", emu.Interpreter))
	var found ptx.Diagnostics
	require.ErrorAs(t, run("//@ engine compiled\n", emu.EngineAuto), &found)
	require.Equal(t, "the compiled engine is not available: the reason", found[0].Message)
	require.EqualValues(t, len(before), found[0].Span.Start)
	require.ErrorAs(t, run("", emu.Compiled), &found)
}

// A choice in the form is a line of the header, and the choice "auto" is none.
func TestEngineInTheHeader(t *testing.T) {
	const grid = "//@ grid     2\n"
	src := grid + "//@ engine   compiled\n" + emptyKernel
	s := spec(t, src)
	require.Equal(t, emu.Compiled, s.Engine)
	require.Equal(t, src, launch.ApplyHeader(src, s))
	require.Equal(t, src, launch.ApplyHeader(grid+emptyKernel, s))
	s.Engine = emu.EngineAuto
	require.Equal(t, grid+emptyKernel, launch.ApplyHeader(src, s))
	auto := grid + "//@ engine auto\n" + emptyKernel
	require.Equal(t, auto, launch.ApplyHeader(auto, s))
}
