package launch_test

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/internal/txtar"
	"warpscope/launch"
)

func withVariables(t testing.TB) string { return txtar.Text(t, "fields/withVariables") }

const fieldsHeader = `//@ arg      s b8[24] = u64 address(x, 8), u8 1, u16 2, f32 1.5, e4m3 448
//@ arg      p u64 = address(state, 16)
//@ buffer   x u32[4]
//@ buffer   nodes u64[2] = address(x), address(nodes)
//@ symbol   state b8[24] = at 16 u64 address(nodes, 16)
//@ symbol   factor f32 = 2
`

// C's rule decides where members lie: each at a multiple of its size. The numbers are 1.5 = 0x3fc00000 and the
// largest e4m3, 0x7e.
func TestFieldsLieAsInC(t *testing.T) {
	m := parse(t, fieldsHeader+withVariables(t))
	s, err := launch.FromSource(m)
	require.NoError(t, err)
	p, err := launch.Prepare(m, s, emu.Options{})
	require.NoError(t, err)
	at := map[string]emu.Addr{}
	bytes := map[string][]byte{}
	for i := range p.Buffers {
		at[p.Buffers[i].Arg.Name] = p.Buffers[i].Addr
		bytes[p.Buffers[i].Arg.Name] = p.Read(&p.Buffers[i])
	}
	state, _, err := p.Device.Symbol("state")
	require.NoError(t, err)
	require.Equal(t, state, at["state"])
	u64 := binary.LittleEndian.Uint64
	require.Equal(t, at["nodes"]+16, u64(bytes["state"][16:]))
	require.Equal(t, make([]byte, 16), bytes["state"][:16])
	require.Equal(t, at["x"], u64(bytes["nodes"]))
	require.Equal(t, at["nodes"], u64(bytes["nodes"][8:]))
	require.Equal(t, []byte{0, 0, 0, 0x40}, bytes["factor"])

	require.NoError(t, err)
	fields, _ := s.Args[0].Contents() // without the addresses
	require.Equal(t, []byte{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0xc0, 0x3f, 0x7e, 0, 0, 0, 0, 0, 0, 0}, fields)
}

func TestFieldsReadBack(t *testing.T) {
	src := fieldsHeader + "//@ expect   factor == 2\n" + withVariables(t)
	s := spec(t, src)
	require.Equal(t, src, launch.ApplyHeader(src, s))
	again := spec(t, s.Header()+withVariables(t))
	require.Equal(t, s.Header(), again.Header())
	for _, line := range strings.Split(strings.TrimSpace(fieldsHeader), "\n") {
		require.Contains(t, s.Header(), line+"\n")
	}
	// the lines that are no arguments stay when another kernel is chosen
	next := launch.ApplyHeader(src, s.WithEntry(parse(t, src), "j"))
	require.Contains(t, next, "//@ symbol   state b8[24] = at 16")
	require.Contains(t, next, "//@ arg      p u64 = address(state, 16)\n")
	require.Contains(t, next, "//@ expect   factor == 2\n")
	require.NotContains(t, next, "//@ arg      s")
}

func TestSettingsTakeFields(t *testing.T) {
	m := parse(t, fieldsHeader+withVariables(t))
	s, err := launch.FromSettings(m, launch.Settings{
		Lines: []string{"buffer y u8[64]", "symbol factor f32 = 3", "expect factor == 4"},
		Values: []launch.Value{{Name: "s", Text: "u64 address(y, 64), u32 9"}, {Name: "state", Text: "u64 5"},
			{Name: "factor", Text: "4"}},
	})
	require.NoError(t, err)
	r, err := launch.Run(context.Background(), m, s, emu.Options{})
	require.NoError(t, err)
	require.True(t, r.OK(), r.Expectations)
	require.Equal(t, byte(5), r.Buffers["state"][0])
}

func TestFieldMistakes(t *testing.T) {
	base := "//@ arg p u64\n"
	for _, c := range [][2]string{
		{"//@ arg s b8[24] = u64 address(node)\n//@ buffer nodes b8\n", `a buffer has a length, as in b8[32]`},
		{"//@ arg s b8[24] = u64 address(stat)\n//@ symbol state b8[24]\n",
			`no buffer is named "stat": did you mean "state"?`},
		{"//@ arg s b8[24] = u64 address(other)\n", `no buffer is named "other": add a line "//@ buffer other TYPE[LENGTH]"`},
		{"//@ arg s b8[24] = u64 address(p)\n", `no buffer is named "p": add a line "//@ buffer p TYPE[LENGTH]"`},
		{"//@ arg s b8[24] = u64 address(x, 17)\n//@ buffer x u32[4]\n", "x has 16 bytes, so nothing of it is at 17"},
		{"//@ arg s b8[24] = address(x)\n//@ buffer x u32[4]\n",
			"an address has 64 bits, and b8 cannot hold it: give it the type u64"},
		{"//@ arg s f64[3] = address(x)\n//@ buffer x u32[4]\n",
			"an address has 64 bits, and f64 cannot hold it: give it the type u64"},
		{"//@ arg s b8[24] = u64 address x\n", `expected "(": an address is address(x) or address(x, BYTES), found "x"`},
		{"//@ arg s b8[24] = u64 address(\n", "expected the name of a buffer, found the end of the line"},
		{"//@ arg s b8[24] = u64 address(x 5\n", `expected ")", as in address(x) or address(x, 64), found "5"`},
		{"//@ arg s b8[24] = at 2 u32 5\n", "u32 lies at a multiple of 4 bytes, not at 2"},
		{"//@ arg s b8[24] = u64 1, at 4 u32 5\n", "fields come in ascending order: " +
			"this one cannot begin at 4, where the one before it ends at 8"},
		{"//@ arg s b8[24] = u64 1, 2, u64 3, u64 4\n", "the fields take 32 bytes, s has 24 bytes"},
		{"//@ arg s b8[24] = at 70368744177663 u8 1\n", "the fields take 70,368,744,177,664 bytes, s has 24 bytes"},
		{"//@ arg s b8[24] = at 999999999999999999999 u8 1\n", "no argument is so large"},
		{"//@ arg s b8[24] = u32 -1\n", "-1 does not fit u32 (0 to 4294967295)"},
		{"//@ arg s b8[24] = u32\n", "expected a number, found the end of the line"},
		{"//@ symbol stat b8[24]\n", `the module has no variable "stat": did you mean "state"?`},
		{"//@ symbol pqrst b8[24]\n", `the module has no variable "pqrst": there are state, factor`},
		{"//@ symbol tex b8[64]\n", `tex is an object, which a line "//@ texture", "//@ surface" or "//@ sampler" describes`},
		{"//@ symbol tile b32[4]\n", "tile is a variable in .shared: a symbol is one in .global or .const"},
		{"//@ symbol factor f64 = 1\n", "the variable factor has 4 bytes (.f32), f64 has 8 bytes"},
	} {
		line, want := c[0], c[1]
		header := base + line
		if !strings.Contains(line, "arg s") {
			header += "//@ arg s b8[24]\n"
		}
		found := refusal(t, header+withVariables(t))
		require.Equal(t, want, found[0].Message, line)
		require.Contains(t, strings.TrimPrefix(header, base),
			(header + withVariables(t))[found[0].Span.Start:found[0].Span.End], line)
	}
}

// With addresses of 32 bits (11.1.3) a pointer has 32.
func TestAddressesOf32Bits(t *testing.T) {
	src := "//@ arg p u32 = address(x, 4)\n//@ buffer x u32[2]\n" +
		".version 6.4\n.target sm_70\n.address_size 32\n.entry k(.param .u32 p) { ret; }\n"
	m := parse(t, src)
	s, err := launch.FromSource(m)
	require.NoError(t, err)
	_, err = launch.Prepare(m, s, emu.Options{})
	require.NoError(t, err)
}
