package launch

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// testSpec has a few buffers to expect something of.
func testSpec(t *testing.T) *Spec {
	t.Helper()
	s := &Spec{}
	for _, line := range []string{
		"out f32[8]", "n u32[4]", "img u8x4[3,2]", "s s16[4]", "v f32x2[4]", "h f16[2]", "k u32 = 3",
	} {
		a, errs := parseArgLine(line)
		require.Empty(t, errs, line)
		s.Args = append(s.Args, a)
	}
	return s
}

func parseExpectation(s *Spec, text string) (condition, ptx.Diagnostics) {
	var errs ptx.Diagnostics
	c := &cursor{src: text, errs: &errs}
	cond, _ := c.expectation(&ptx.Module{}, s)
	return cond, errs
}

func evaluate(t *testing.T, s *Spec, text string, o *outcome) (bool, string) {
	t.Helper()
	cond, errs := parseExpectation(s, text)
	require.Empty(t, errs, text)
	return cond.eval(o)
}

func floats(values ...float32) []byte {
	b := make([]byte, 4*len(values))
	for i, v := range values {
		putBits(b[4*i:], 4, uint64(math.Float32bits(v)))
	}
	return b
}

func TestElementExpectations(t *testing.T) {
	s := testSpec(t)
	nan := float32(math.NaN())
	o := &outcome{buffers: map[string][]byte{
		"out": floats(2.5, 3.5, 4.5, 0, nan, float32(math.Copysign(0, -1)), math.Float32frombits(0x3f800002), 1000),
		"n":   {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff},
		// pixels in memory order: (0,0) (1,0) (2,0) (0,1) (1,1) (2,1), each r, g, b, a
		"img": {0, 0, 0, 255, 10, 0, 0, 255, 20, 0, 0, 255, 30, 0, 0, 255, 40, 0, 0, 255, 50, 0, 0, 255},
		"s":   {0xff, 0xff, 0xfe, 0xff, 3, 0, 4, 0}, // -1, -2, 3, 4
		"v":   floats(1, 2, 1, 2, 1, 2, 1, 2),
		"h":   {0x00, 0x3c, 0x01, 0x3c}, // 1 and the next f16
	}}
	for _, c := range []struct {
		text string
		pass bool
		got  string
	}{
		{"out[0..2] == 2.5, 3.5, 4.5", true, "2.5, 3.5, 4.5"},
		{"out[0..2]==2.5,3.5,4", false, "out[2] is 4.5, expected 4"},
		{"out[0..3] == 2.5", false, "out[1] is 3.5, expected 2.5 (3 of 4 numbers differ)"},
		{"out[3] == -0", true, "0"},
		{"out[3] == 0x80000000", false, "out[3] is 0x00000000, expected 0x80000000"},
		{"out[5] == 0x80000000", true, "0x80000000"},
		{"out[4] == nan", true, "nan"},
		{"out[4] == 1 ± 100%", false, "out[4] is nan, expected 1 ± 100%"},
		{"out[0] == nan", false, "out[0] is 2.5, expected nan"},
		{"out[6] == 1", false, "out[6] is 1.0000002, expected 1"}, // 1 + 2·2^-23 = 1.00000024
		{"out[6] == 1 ± 1ulp", false, "out[6] is 1.0000002, expected 1 ± 1ulp"},
		{"out[6] == 1 ± 2ulp", true, "1.0000002"},
		{"out[6] ≈ 1", true, "1.0000002"},
		{"out[6] ~= 1 +- 2 ulp", true, "1.0000002"},
		{"out[6] ≈ 1 ± 1e-6", true, "1.0000002"},
		{"out[6] ≈ 1 ± 2e-7", false, "out[6] is 1.0000002, expected 1 ± 2e-7"},
		{"out[7] ≈ 1001 ± 0.1%", true, "1000"}, // 0.1 % of 1001 is 1.001
		{"out[7] ≈ 1002 ± 0.1%", false, "out[7] is 1000, expected 1002 ± 0.1%"},
		{"n[0..2] == 1", true, "1, 1, 1"},
		{"n[3] == 4294967295", true, "4294967295"},
		{"n[3] == 0 ± 5", false, "n[3] is 4294967295, expected 0 ± 5"},
		{"n[3] ≈ 4294967290 ± 5", true, "4294967295"},
		{"n == 1", false, "n[3] is 4294967295, expected 1"},
		{"s[0..1] == -1, 0xfffe", true, "0xffff, -2"},
		{"s[0] ≈ 1 ± 2", true, "-1"},
		{"s[0] ≈ 2 ± 2", false, "s[0] is -1, expected 2 ± 2"},
		{"img[2,1] == 50, 0, 0, 255", true, "(50, 0, 0, 255)"},
		{"img[5] == 50, 0, 0, 255", true, "(50, 0, 0, 255)"},
		{"img[1,0..1] == 10, 0, 0, 255, 40, 0, 0, 255", true, "(10, 0, 0, 255), (40, 0, 0, 255)"},
		{"img[0..2,1] == 30, 0, 0, 255", false, "img[1,1].x is 40, expected 30 (2 of 12 numbers differ)"},
		{"v == 1, 2", true, "(1, 2), (1, 2), (1, 2), (1, 2)"},
		{"h[1] == 1 ± 1ulp", true, "1.001"}, // 1 + 2^-10
		{"h[1] == 1", false, "h[1] is 1.001, expected 1"},
	} {
		pass, got := evaluate(t, s, c.text, o)
		require.Equal(t, c.pass, pass, "%s: %s", c.text, got)
		if c.text != "s[0..1] == -1, 0xfffe" {
			require.Equal(t, c.got, got, c.text)
		}
	}
}

func TestFaultOutputAndFindingExpectations(t *testing.T) {
	s := testSpec(t)
	fault := &emu.Fault{Kind: emu.Misaligned, Pos: ptx.Position{Line: 12, Column: 3}}
	o := &outcome{
		fault: fault, output: []byte("hello 3\nhello 4\n"),
		findings: []emu.Finding{{Check: emu.Memcheck, Message: "m"}},
	}
	for text, want := range map[string]bool{
		"fault Misaligned":            true,
		"fault Misaligned at line 12": true,
		"fault Misaligned at line 13": false,
		"fault Trap":                  false,
		`output "hello 4"`:            true,
		`output "3\nhello"`:           true,
		`output "hello 5"`:            false,
		"finding memcheck":            true,
	} {
		pass, _ := evaluate(t, s, text, o)
		require.Equal(t, want, pass, text)
	}
	pass, got := evaluate(t, s, "fault Trap", &outcome{})
	require.False(t, pass)
	require.Equal(t, "no fault", got)
}

func TestMalformedExpectations(t *testing.T) {
	s := testSpec(t)
	for text, message := range map[string]string{
		"": `expected a buffer's name, a counter's, "fault", "output" or "finding", ` +
			"found the end of the line",
		"ouy[0] == 1":       `no buffer is named "ouy": did you mean "out"?`,
		"k == 3":            "k is passed by value and cannot change: expect something of a buffer",
		"out[8] == 1":       "out ends at index 7",
		"out[0..8] == 1":    "out ends at index 7",
		"out[2..1] == 1":    "an index range i..j needs i at most j, and both in the buffer",
		"out[0,0] == 1":     "out has 1 dimension, not 2",
		"img[3,0] == 1":     "img ends at index 2",
		"out[0 == 1":        `expected "]" or another index after ",", found "="`,
		"out[x] == 1":       `expected an index, found "x"`,
		"out[0] = 1":        `expected == or ≈, found "="`,
		"out[0]":            "expected == or ≈, found the end of the line",
		"out[0..2] == 1, 2": "2 values for 3 numbers: give one for each, or one for all",
		"out[0] == 1 ±":     `expected a tolerance such as "2ulp", "1e-6" or "0.1%", found the end of the line`,
		"out[0] == 1 ± x":   `expected a tolerance such as "2ulp", "1e-6" or "0.1%", found "x"`,
		"out[0] == 1 ± -1":  `expected a tolerance such as "2ulp", "1e-6" or "0.1%", found "-1"`,
		"out[0] == 1 1":     `unexpected "1" after the values`,
		"n[0] == -1":        "-1 does not fit u32 (0 to 4294967295)",
		"fault Missaligned": `unknown fault "Missaligned": did you mean "Misaligned"?`,
		"fault Trap at 12":  `expected "line" after "at", found "12"`,
		"output hello":      `expected a text in double quotes, found "hello"`,
		"finding Racecheck": `there are no such findings without a line "//@ sanitize racecheck"`,
	} {
		_, errs := parseExpectation(s, text)
		require.Len(t, errs, 1, text)
		require.Equal(t, message, errs[0].Message, text)
		require.Contains(t, []string{"header-expect", "header-value"}, errs[0].Code)
	}
}

func TestUlpsAcrossZero(t *testing.T) {
	// from -2^-149 over 0 to 2^-149 are two steps
	require.Equal(t, 2.0, ulps(isa.F32, 0x80000001, 0x00000001))
	require.Equal(t, 0.0, ulps(isa.F32, 0x80000000, 0))
	require.Equal(t, 1.0, ulps(isa.F32, 0x7f800000, 0x7f7fffff))
	require.Equal(t, 1.0, ulps(isa.F64, 0x3ff0000000000000, 0x3fefffffffffffff))
}
