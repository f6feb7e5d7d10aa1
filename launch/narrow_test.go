package launch

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx/isa"
)

// The values are computed by 5.2.3: an exponent field e > 0 and a mantissa of m bits are 2^(e-bias) * (1 + m/2^n), e =
// 0 is 2^(1-bias) * m/2^n. The biases are 7 (e4m3), 15 (e5m2), 3 (e3m2), 1 (e2m3, e2m1) and 127 (ue8m0).
func TestNarrowTypes(t *testing.T) {
	for _, c := range []struct {
		line string
		want []byte
	}{
		{"x e4m3[4]", []byte{0, 0, 0, 0}},
		// 0 0111 000, 1 1000 100 (2 * 1.5), 0 1111 110 (2^8 * 1.75 is the largest), 0 0000 001 (2^-6 / 8)
		{"x e4m3[4] = 1, -3, 448, 0.001953125", []byte{0x38, 0xc4, 0x7e, 0x01}},
		// 1.0625 lies between 1 and 1.125, and the even mantissa is that of 1; 1.1875 between 1.125 and 1.25
		{"x e4m3[3] = 1.0625, 1.1875, nan", []byte{0x38, 0x3a, 0x7f}},
		// 0 01111 00, 0 11110 11 (2^15 * 1.75), infinity
		{"x e5m2[4] = 1, 57344, inf, -inf", []byte{0x3c, 0x7b, 0x7c, 0xfc}},
		// six bits: 0 011 00, 0 111 11 (2^4 * 1.75), 1 000 01 (-2^-2 / 4)
		{"x e3m2[3] = 1, 28, -0.0625", []byte{0x0c, 0x1f, 0x21}},
		// 0 01 000, 0 11 111 (2^2 * 1.875), 1 00 001 (-1/8)
		{"x e2m3[3] = 1, 7.5, -0.125", []byte{0x08, 0x1f, 0x21}},
		// 0 01 0 = 1 and 0 11 1 = 6 (2^2 * 1.5); 1 00 1 = -0.5 and 0 10 1 = 3: the first of two in the lower half
		{"x e2m1[4] = 1, 6, -0.5, 3", []byte{0x72, 0x59}},
		{"x e2m1[3] = 1, 6, 2", []byte{0x72, 0x04}},
		{"x e2m1x2[2] = 1, 6, -0.5, 3", []byte{0x72, 0x59}},
		{"x e2m1x4 = 1, 6, -0.5, 3", []byte{0x72, 0x59}},
		{"x e2m1[4,2] = 0xf, 0", []byte{0x0f, 0x0f, 0x0f, 0x0f}},
		// 2^(a - 127)
		{"x ue8m0[4] = 1, 0.5, 1024, nan", []byte{127, 126, 137, 0xff}},
		{"x ue4m3[3] = 1, 448, nan", []byte{0x38, 0x7e, 0x7f}},
		{"x e4m3x4 = iota", []byte{0, 0x38, 0x40, 0x44}}, // 2 = 0 1000 000, 3 = 0 1000 100
	} {
		require.Equal(t, c.want, contents(t, c.line), c.line)
	}
}

func TestNarrowTypesSayWhatTheyLack(t *testing.T) {
	for _, c := range [][2]string{
		{"x e4m3[2] = 449", "449 is too large for e4m3, whose largest number is 448"},
		{"x e4m3[2] = -inf", "e4m3 has no infinity"},
		{"x e5m2[2] = 70000", "70000 is too large for e5m2; write inf if that is meant"},
		{"x e3m2[2] = nan", "e3m2 has no nan"},
		{"x e2m3[2] = 7.6", "7.6 is too large for e2m3, whose largest number is 7.5"},
		{"x e2m1[2] = 7", "7 is too large for e2m1, whose largest number is 6"},
		{"x e2m1[2] = 0x10", "0x10 has more than the 4 bits of e2m1"},
		{"x ue4m3[2] = -1", "-1 is negative, and ue4m3 has no sign"},
		{"x ue8m0[2] = 3", "3 is no power of two from 2^-127 to 2^127, which are the numbers of ue8m0"},
		{"x ue8m0[2] = 0", "0 is no power of two from 2^-127 to 2^127, which are the numbers of ue8m0"},
		{"x ue8m0[2] = iota", "expected a list, as the numbers of ue8m0 are powers of two, not iota, found the end of the " +
			"line"},
		{"x ue8m0[2] = random(1", "expected a list, as the numbers of ue8m0 are powers of two, not random, found \"(\""},
	} {
		line, want := c[0], c[1]
		_, errs := parseArgLine(line)
		require.NotEmpty(t, errs, line)
		require.Equal(t, want, errs[0].Message, line)
	}
}

func TestNarrowNumbersAreShown(t *testing.T) {
	for _, c := range []struct {
		t    isa.Type
		bits uint64
		want string
	}{
		{isa.E4M3, 0x7e, "448"}, {isa.E4M3, 0x01, "0.001953125"}, {isa.E4M3, 0x7f, "nan"}, {isa.E4M3, 0x80, "-0"},
		{isa.E5M2, 0x7c, "inf"}, {isa.E5M2, 0x3d, "1.25"},
		{isa.E3M2, 0x1f, "28"}, {isa.E2M3, 0x1f, "7.5"}, {isa.E2M1, 0x7, "6"}, {isa.E2M1, 0x9, "-0.5"},
		{isa.UE8M0, 126, "0.5"}, {isa.UE8M0, 0xff, "nan"}, {isa.UE4M3, 0x7e, "448"},
	} {
		require.Equal(t, c.want, FormatValue(c.t, c.bits, 0), "%s %#x", c.t, c.bits)
	}
	for ue8m0 := range uint64(0xff) { // what is shown reads back
		bits, why := ParseValue(isa.UE8M0, FormatValue(isa.UE8M0, ue8m0, 0))
		require.Equal(t, "", why)
		require.Equal(t, ue8m0, bits)
	}
	e, _ := ParseElem("e2m1x2")
	require.Equal(t, "(1, 6)", FormatElement(e, []byte{0x72}))
}

func TestCellsHaveWholeBytes(t *testing.T) {
	for line, want := range map[string]Arg{
		"x e2m1[6,2]": {Type: "e2m1x2", Dims: []int{3, 2}},
		"x e2m1[5,3]": {Type: "e2m1x2", Dims: []int{8}}, // 15 numbers
		"x e2m1x2[6]": {Type: "e2m1x2", Dims: []int{6}},
		"x e4m3[6]":   {Type: "e4m3", Dims: []int{6}},
	} {
		a, errs := parseArgLine(line)
		require.Empty(t, errs)
		typ, dims := a.Cells()
		require.Equal(t, want.Type, typ, line)
		require.Equal(t, want.Dims, dims, line)
	}
}

// A result in f32 is given as it is: not converted number by number, which would also make a signalling NaN quiet.
func TestF32IsNotWidened(t *testing.T) {
	data := []byte{0x01, 0x00, 0x80, 0x7f, 0x00, 0x00, 0x80, 0x3f} // a signalling NaN, and 1
	typ, got := Widened(isa.F32, data, 2)
	require.Equal(t, isa.F32, typ)
	require.Equal(t, []byte{0x01, 0x00, 0x80, 0x7f, 0x00, 0x00, 0x80, 0x3f}, got)
	require.Same(t, &data[0], &got[0])
	typ, got = Widened(isa.F16, []byte{0x00, 0x3c}, 1) // 0 01111 0000000000 is 1
	require.Equal(t, isa.F32, typ)
	require.Equal(t, []byte{0x00, 0x00, 0x80, 0x3f}, got)
}
