package docs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// TestTour: what architecture.md prints on its way from a line to a lit lane is what the stages print. The registers'
// offsets in a frame are for the emulator alone to know.
func TestTour(t *testing.T) {
	const opcode, line, tick = "mul.lo.u32", 32, 3
	data, err := os.ReadFile("architecture.md")
	require.NoError(t, err)
	tour, _, _ := strings.Cut(string(data), "## Packages")
	words := strings.Join(strings.Fields(tour), " ")
	says := func(format string, args ...any) {
		t.Helper()
		if text := fmt.Sprintf(format, args...); !strings.Contains(words, text) {
			t.Errorf("architecture.md does not say %q", text)
		}
	}
	source, err := os.ReadFile("../public/examples/04-if-else.ptx")
	require.NoError(t, err)
	m, err := ptx.Parse("04-if-else.ptx", source)
	require.NoError(t, err)
	in := m.Funcs[0].Insts[tick]
	require.Equal(t, line, m.Position(int(in.Span.Start)).Line)
	says("Span bytes %d to %d Opcode %s", in.Span.Start, in.Span.End, in.Opcode)
	says("Index %d,", in.Index)

	bounds, err := isa.Resolve(opcode)
	require.NoError(t, err)
	b := bounds[0]
	says("Form %s, section %s Line %d:", b.Form.ID, b.Form.Section, b.Line)
	says(`Mods %s Value("mode") = %s, Value("type") = %s`, strings.Join(b.Mods, " "), b.Value("mode"), b.Value("type"))
	says("Key %s", b.Key())

	spec, err := launch.FromSource(m)
	require.NoError(t, err)
	prepared, err := launch.Prepare(m, spec, emu.Options{})
	require.NoError(t, err)
	for range tick {
		_, err := prepared.Grid.Step()
		require.NoError(t, err)
	}
	for _, e := range prepared.Grid.Warp(0, 0).Stack {
		says("%08x line %d:", uint32(e.Mask), m.Position(int(e.PC.Span.Start)).Line)
	}
	step, err := prepared.Grid.Step()
	require.NoError(t, err)
	says("Tick %d: three warp instructions", step.Tick)
	says("Active %08x Exec %08x Regs %s in lanes %08x", uint32(step.Active), uint32(step.Exec), step.Regs[0].Reg.Name,
		uint32(step.Regs[0].Lanes))
	says("old %s …", strings.Trim(fmt.Sprint(step.Regs[0].Old[:13]), "[]"))
	says("new %s …", strings.Trim(fmt.Sprint(step.Regs[0].New[:13]), "[]"))
	require.Empty(t, step.Stack)

	s := debug.New(emu.Options{})
	s.SetSource("04-if-else.ptx", string(source))
	for range tick + 1 {
		s.Step()
	}
	says("%s", strings.Join(strings.Fields(s.View().Status), " "))
}
