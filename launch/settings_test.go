package launch

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// scale is out[i] = factor * in[i] for i < n.
func scaleKernel(t testing.TB) string { return txtar.Text(t, "settings/scaleKernel") }

const scaleHeader = `//@ block 8
//@ arg in f32[8] = iota
//@ arg out f32[8]
//@ arg n u32 = 8
//@ arg factor f32 = 2
//@ expect out[7] == 14
`

func f32s(values ...float32) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func runSettings(t *testing.T, src string, set Settings) *Report {
	t.Helper()
	m, err := ptx.Parse("scale.ptx", []byte(src))
	require.NoError(t, err)
	spec, err := FromSettings(m, set)
	require.NoError(t, err)
	r, err := Run(context.Background(), m, spec, emu.Options{})
	require.NoError(t, err)
	return r
}

func TestSettings(t *testing.T) {
	r := runSettings(t, scaleHeader+scaleKernel(t), Settings{})
	require.True(t, r.OK())

	r = runSettings(t, scaleHeader+scaleKernel(t), Settings{Values: []Value{{Name: "factor", Text: "3"}}})
	require.False(t, r.OK())
	require.Equal(t, f32s(0, 3, 6, 9, 12, 15, 18, 21), r.Buffers["out"])

	r = runSettings(t, scaleHeader+scaleKernel(t), Settings{
		Lines:  []string{"block 4", "expect out[3] == 8"},
		Values: []Value{{Name: "in", Type: "f32", Data: f32s(1, 2, 3, 4, 5, 6, 7, 8)}},
	})
	require.Equal(t, f32s(2, 4, 6, 8, 0, 0, 0, 0), r.Buffers["out"])
	require.EqualValues(t, 4, r.Stats.Threads)
	require.Len(t, r.Expectations, 2)
	require.False(t, r.Expectations[0].Pass)
	require.True(t, r.Expectations[1].Pass)

	// A list decides the length of a buffer; numbers of another type are converted.
	r = runSettings(t, scaleKernel(t), Settings{Lines: []string{"block 3"}, Values: []Value{
		{Name: "in", Text: "1, 0.5, 4", List: true}, {Name: "out", Text: "f32[3]"}, {Name: "n", Text: "3"},
		{Name: "factor", Text: "2"}}})
	require.Equal(t, f32s(2, 1, 8), r.Buffers["out"])
	require.Equal(t, f32s(1, 0.5, 4), r.Buffers["in"])
	r = runSettings(t, scaleHeader+scaleKernel(t), Settings{Values: []Value{
		{Name: "in", Type: "u8", Data: []byte{1, 2, 3, 4, 5, 6, 7, 255}}}})
	require.Equal(t, f32s(2, 4, 6, 8, 10, 12, 14, 510), r.Buffers["out"])

	// another kernel: the header's arguments and expectations are not its
	r = runSettings(t, scaleHeader+scaleKernel(t), Settings{Lines: []string{"entry nothing"}})
	require.True(t, r.OK())
	require.Empty(t, r.Buffers)
	require.Empty(t, r.Expectations)
}

func TestTitle(t *testing.T) {
	require.Equal(t, "A b", Title("//@ grid x\n  //@   title  A b \r\n.version\n"))
	require.Empty(t, Title(".version 6.4\n//@ title late\n"))
}

func TestSettingsThatDoNotFit(t *testing.T) {
	m, err := ptx.Parse("scale.ptx", []byte(scaleHeader+scaleKernel(t)))
	require.NoError(t, err)
	for _, c := range []struct {
		set  Settings
		says string
	}{
		{Settings{Lines: []string{"grid 0"}}, "setting grid 0: "},
		{Settings{Lines: []string{"frid 1"}}, `did you mean "grid"?`},
		{Settings{Lines: []string{"entry scal"}, Flags: true},
			`-entry scal: no kernel is named "scal": did you mean "scale"?`},
		{Settings{Lines: []string{"expect out[99] == 1"}}, "setting expect out[99] == 1: out ends at index "},
		{Settings{Lines: []string{"expect out[99] == 1"}, Flags: true}, "-expect out[99] == 1: out ends at index "},
		{Settings{Lines: []string{"grid 0"}, Flags: true}, "-grid 0: "},
		{Settings{Values: []Value{{Name: "n", Text: "-1"}}, Flags: true}, "-arg n: -1 does not fit u32"},
		{Settings{Values: []Value{{Name: "n", Text: "u64 = 1"}}, Flags: true}, "-arg n: n has 4 bytes (.u32), u64 has 8"},
		{Settings{Values: []Value{{Name: "in", Text: "u64[1] = 1, address(inn)"}}, Flags: true}, "-arg in: "},
		{Settings{Values: []Value{{Name: "inn", Text: "1"}}}, `no parameter "inn": did you mean "in"?`},
		{Settings{Values: []Value{{Name: "n", Text: "-1"}}}, "setting arg n: -1 does not fit u32"},
		{Settings{Values: []Value{{Name: "n", Text: "1.5"}}}, `setting arg n: "1.5" is not an integer`},
		{Settings{Values: []Value{{Name: "in", Type: "f64", Data: make([]byte, 9)}}}, "not a whole number of f64"},
		{Settings{Values: []Value{{Name: "n", Type: "u32", Data: make([]byte, 8)}}}, "has 2 elements and needs 1"},
	} {
		_, err := FromSettings(m, c.set)
		require.ErrorContains(t, err, c.says)
		var found ptx.Diagnostics
		require.ErrorAs(t, err, &found)
		require.Equal(t, ptx.Span{}, found[0].Span, "a setting has no place in the text")
	}
}

// TestSettingsThatTheMachineRefuses: the machine finds that a launch does not fit its kernel. The message names the
// setting, and not another line of the header.
func TestSettingsThatTheMachineRefuses(t *testing.T) {
	// .reqntid wants 64 threads (11.4.4); clusters are for sm_90 and later (11.7); a CTA has at most 227 KiB = 232448
	// bytes of shared memory, and s needs 4 of them.
	m, err := ptx.Parse("k.ptx", []byte("//@ grid 4\n//@ block 64\n.version 8.0\n.target sm_80\n.address_size 64\n"+
		".entry k() .reqntid 64 {\n.shared .b32 s;\n.reg .b32 %r;\nld.shared.b32 %r, [s];\n}\n"))
	require.NoError(t, err)
	for _, c := range []struct {
		lines []string
		says  string
	}{
		{[]string{"cluster 2"}, "-cluster 2: clusters need a .target of sm_90 or later"},
		{[]string{"cluster 1", "block 32"}, "-block 32: k requires CTAs of [64 1 1] threads"},
		{[]string{"grid 1", "shared 232448"}, "-shared 232448: 232464 bytes of shared memory"}, // 4, aligned to 16
	} {
		spec, err := FromSettings(m, Settings{Lines: c.lines, Flags: true})
		require.NoError(t, err)
		_, err = Prepare(m, spec, emu.Options{})
		var found ptx.Diagnostics
		require.ErrorAs(t, err, &found)
		require.Contains(t, found[0].Message, c.says)
		require.Equal(t, ptx.Span{}, found[0].Span)
	}
	spec, err := FromSettings(m, Settings{Lines: []string{"cluster 1"}, Flags: true})
	require.NoError(t, err)
	_, err = Prepare(m, spec, emu.Options{})
	require.NoError(t, err)
}
