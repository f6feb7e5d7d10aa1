package ui

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx/isa"
)

func TestValuesHonourTheType(t *testing.T) {
	cases := []struct {
		t    isa.Type
		v    uint64
		as   Bits
		want string
	}{
		{isa.F32, 0x3dcccccd, ByType, "0.1"}, // the float nearest to 0.1
		{isa.F64, 0x3ff8000000000000, ByType, "1.5"},
		{isa.U32, 0xffffffff, ByType, "4294967295"},
		{isa.S32, 0xffffffff, ByType, "-1"},
		{isa.S16, 0x8000, ByType, "-32768"},
		{isa.Pred, 1, AsHex, "T"},
		{isa.Pred, 0, ByType, "F"},
		{isa.B32, 0x2a, ByType, "0x2a"},
		{isa.F32, 0x3dcccccd, AsHex, "0x3dcccccd"},
		{isa.S32, 0xffffffff, AsUnsigned, "4294967295"},
		{isa.U32, 0xfffffffe, AsSigned, "-2"},
		{isa.B32, 0x2a, AsHex, "0x2a"},
		{isa.B32, 0xffffffd6, AsSigned, "-42"},
		{isa.B32, 0x2a, AsUnsigned, "42"},
		{isa.B32, 0xc0490000, AsFloat, "-3.140625"}, // -(2 + 1 + 9/64)
		{isa.B16, 0x3e00, AsFloat, "1.5"},
		{isa.B64, 0x7f, AsHex, "0x7f"},
		{isa.B8, 0x7f, AsFloat, "0x7f"},       // there is no float of eight bits, so it is hex
		{isa.B32, 0x2a, AsBinary, "0b101010"}, // 32 + 8 + 2
		{isa.B16, 0, AsBinary, "0b0"},
		// Halves, the lower first: f16 is 1 5 10 bits with a bias of 15, so 0x3c00 is 1 and 0xc200 is -(1 + 1/2) * 2.
		{isa.B32, 0xc2003c00, AsF16x2, "1 -3"},
		{isa.B16, 0x3c00, AsF16x2, "1"},
		{isa.B64, 0x3c00_c200_3800_4000, AsF16x2, "2 0.5 -3 1"},
		{isa.B8, 0x7f, AsF16x2, "0x7f"}, // there is no room for one
		// bf16 is the upper half of an f32: 0x3fc0 is 1.5, 0x4120 is 10.
		{isa.B32, 0x41203fc0, AsBF16x2, "1.5 10"},
		// e4m3: 1 4 3 bits, bias 7. 0x38 is 2^0, 0x3c is 1.5, 0xc0 is -2, 0x01 is 2^-6 / 8 = 2^-9.
		{isa.B16, 0x3c38, AsE4M3, "1 1.5"},
		{isa.B32, 0x01c03c38, AsE4M3, "1 1.5 -2 0.001953125"},
		// e5m2: 1 5 2 bits, bias 15. 0x3c is 1, 0x3e is 1.5, 0x7c is infinite, 0xc4 is -4.
		{isa.B16, 0x3e3c, AsE5M2, "1 1.5"},
		{isa.B32, 0xc47c3e3c, AsE5M2, "1 1.5 inf -4"},
		{isa.B32, 0x80ff7f01, AsS8x4, "1 127 -1 -128"},
		{isa.U32, 0x80ff7f01, AsS8x4, "1 127 -1 -128"},
		{isa.B16, 0x8005, AsB1, "10100000 00000001"}, // bits 0, 2 and 15
	}
	for _, c := range cases {
		require.Equal(t, c.want, formatValue(c.t, c.v, nil, c.as), "%v %x as %s", c.t, c.v, c.as)
	}
	require.Equal(t, "0x3dcccccd", fullHex(isa.F32, 0x3dcccccd, nil))
	hi := uint64(1)
	require.Equal(t, "0x00000000000000010000000000000002", formatValue(isa.B128, 2, &hi, AsHex))
}

func TestWordsForNumbers(t *testing.T) {
	require.Equal(t, "fffffff0", maskHex(0xfffffff0))
	require.Equal(t, "0000000f", maskHex(0xf))
	require.Equal(t, "12.5 M/s", rate(12.5e6))
	require.Equal(t, "640 /s", rate(640))
	require.Equal(t, "4", dims(emu.Dim3{X: 4}))
	require.Equal(t, "8,2", dims(emu.Dim3{X: 8, Y: 2, Z: 1}))
	require.Equal(t, "1,1,3", dims(emu.Dim3{Z: 3}))
}

func TestTextPlaces(t *testing.T) {
	text := "one\ntwo\n\nfour"
	lines := indexLines(text)
	for offset, want := range map[int32][2]int{0: {1, 1}, 3: {1, 4}, 4: {2, 1}, 8: {3, 1}, 9: {4, 1}, 13: {4, 5}} {
		at := lines.position(offset)
		require.Equal(t, want, [2]int{at.Line, at.Column}, "offset %d", offset)
	}
	span := lines.lineSpan(2, len(text))
	require.Equal(t, "two", text[span.Start:span.End])
	span = lines.lineSpan(4, len(text))
	require.Equal(t, "four", text[span.Start:span.End])
	require.Zero(t, lines.lineSpan(5, len(text)))
	require.Equal(t, "add.s32 %r1, %r1, 1;", codeOf("   add.s32   %r1, %r1, 1;  // one more"))
}

func TestBreakpointsMoveWithTheText(t *testing.T) {
	before := "//@ grid 1\nadd;\nsub;\nret;\n"
	require.Equal(t, []int{2, 5}, moveLines([]int{1, 4}, before, "//@ title t\n"+before))
	require.Equal(t, []int{3, 4}, moveLines([]int{2, 3}, before, "//@ grid 1\n//@ block 2\nadd;\nsub;\nret;\n"))
	require.Equal(t, []int{2}, moveLines([]int{2}, before, "//@ grid 9\nadd;\nsub;\nret;\n"))
	require.Equal(t, []int{2}, moveLines([]int{3}, before, "//@ grid 1\nsub;\nret;\n"))
}

func TestKeys(t *testing.T) {
	require.Equal(t, Run{}, keyAction("F5", false, false))
	require.Equal(t, Run{}, keyAction("Enter", false, true))
	require.Equal(t, StepOnce{}, keyAction("F10", false, false))
	require.Equal(t, StepBack{}, keyAction("F10", true, false))
	require.Equal(t, ToggleBreak{}, keyAction("F9", false, false))
	require.Nil(t, keyAction("F5", false, true), "Ctrl+F5 reloads")
	require.Nil(t, keyAction("Enter", false, false))
	for _, k := range Keys[0].Keys { // those that run and step belong to the page
		for _, one := range k.Combinations() {
			require.NotNil(t, keyAction(one[len(one)-1], slices.Contains(one, "Shift"), one[0] == "Ctrl"), "%s: %s", k.Keys,
				k.Does)
		}
	}
}
