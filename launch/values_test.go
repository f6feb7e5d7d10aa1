package launch

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// parseArgLine reads what follows "//@ arg".
func parseArgLine(text string) (Arg, ptx.Diagnostics) {
	var errs ptx.Diagnostics
	c := &cursor{src: text, errs: &errs}
	a, _ := c.arg()
	return a, errs
}

func contents(t *testing.T, text string) []byte {
	t.Helper()
	a, errs := parseArgLine(text)
	require.Empty(t, errs, text)
	b, err := a.Contents()
	require.NoError(t, err)
	return b
}

func u32s(b []byte) (out []uint32) {
	for ; len(b) > 0; b = b[4:] {
		out = append(out, binary.LittleEndian.Uint32(b))
	}
	return out
}

func TestInitialValues(t *testing.T) {
	for _, c := range []struct {
		line string
		want []uint32
	}{
		{"x u32[3]", []uint32{0, 0, 0}},
		{"x u32[3] = 7", []uint32{7, 7, 7}},
		{"x u32[5] = 1, 2", []uint32{1, 2, 1, 2, 1}},
		{"x s32[2] = -1, 0x80000000", []uint32{0xffffffff, 0x80000000}},
		{"x u32[4] = iota", []uint32{0, 1, 2, 3}},
		{"x u32[3] = iota(5)", []uint32{5, 6, 7}},
		{"x u32[3] = iota( 5 , 10 )", []uint32{5, 15, 25}},
		{"x s32[3] = iota(1, -2)", []uint32{1, 0xffffffff, 0xfffffffd}},
		{"x u32[2] = iota(4294967295, 1)", []uint32{0xffffffff, 0}}, // wraps around
		// 1.0 is 0x3f800000, 1.5 is 0x3fc00000, 2.0 is 0x40000000 (sign 0, exponent 127 + 0 or 1)
		{"x f32[3] = iota(1, 0.5)", []uint32{0x3f800000, 0x3fc00000, 0x40000000}},
		{"x f32[2] = 0.1, -0", []uint32{0x3dcccccd, 0x80000000}},
		{"x f32[3] = inf, -inf, 0x7fc00001", []uint32{0x7f800000, 0xff800000, 0x7fc00001}},
		{"x f32 = 2.5", []uint32{0x40200000}},
		{"x f32x2 = 1, 2", []uint32{0x3f800000, 0x40000000}},
		// components count as elements: x0 y0 x1 y1
		{"x u16x2[2] = iota(1, 1)", []uint32{2<<16 | 1, 4<<16 | 3}},
		// 1.0 is 0x3c00 in f16 (exponent 15) and 0x3f80 in bf16 (upper half of 0x3f800000); 65504 is the largest f16
		{"x f16[2] = 1, 65504", []uint32{0x7bff3c00}},
		{"x bf16[2] = 1, -2", []uint32{0xc0003f80}},
		// "Hi\n" and two zeros, "é" is c3 a9 in UTF-8
		{`x u8[8] = text "Hi\né"`, []uint32{0xc30a6948, 0x000000a9}},
		{"x u8x4[2,1] = 1, 2, 3, 4 as image", []uint32{0x04030201, 0x04030201}},
		{"x u8x4[2,1] as image = 255", []uint32{0xffffffff, 0xffffffff}},
		{"x b8[4] = -1, 255, -128, 0x7f", []uint32{0x7f80ffff}},
	} {
		require.Equal(t, c.want, u32s(contents(t, c.line)), c.line)
	}
}

// Long buffers: lists go on where a part of the buffer ends, and so do halves of bytes.
func TestLongValues(t *testing.T) {
	list, iota := u32s(contents(t, "x u32[1000] = 5, 6, 7")), u32s(contents(t, "x u32[1000] = iota(2, 3)"))
	for i := range 1000 {
		require.EqualValues(t, 5+i%3, list[i], i)
		require.EqualValues(t, 2+3*i, iota[i], i)
	}
	// 1 is 0b0010 in e2m1 (exponent 1), 2 is 0b0100, 3 is 0b0101: 1, 2, 3, 1, 2, 3 are three bytes
	halves := contents(t, "x e2m1[999] = 1, 2, 3")
	require.Len(t, halves, 500)
	for i, b := range halves[:498] {
		require.Equal(t, []byte{0x42, 0x25, 0x54}[i%3], b, i)
	}
	require.Equal(t, []byte{0x42, 0x05}, halves[498:])
	pairs := contents(t, "x u16x2[1000] = 1, 2, 3") // 2,000 numbers
	for i := range 2000 {
		require.EqualValues(t, 1+i%3, binary.LittleEndian.Uint16(pairs[2*i:]), i)
	}
	wide := contents(t, "x u16x2[300] = iota")
	require.Equal(t, []byte{599 & 255, 599 >> 8}, wide[2*599:])
}

// The outputs of SplitMix64 for the seed 1234567 are published with the algorithm's reference implementations.
func TestRandomIsSplitMix64(t *testing.T) {
	b := contents(t, "x u64[3] = random(1234567)")
	require.Equal(t, uint64(6457827717110365317), binary.LittleEndian.Uint64(b))
	require.Equal(t, uint64(3203168211198807973), binary.LittleEndian.Uint64(b[8:]))
	require.Equal(t, uint64(9817491932198370423), binary.LittleEndian.Uint64(b[16:]))
}

func TestRandomMapsTopBits(t *testing.T) {
	z := uint64(6457827717110365317) // 0x599ed017fb08fc85
	require.Equal(t, uint64(0x599ed017fb08fc85), z)
	require.Equal(t, uint32(0x599ed017), u32s(contents(t, "x u32[1] = random(1234567)"))[0])
	require.Equal(t, byte(0x59), contents(t, "x s8[1] = random(1234567)")[0])
	// the top 24 bits are 0x599ed0 = 5873360; 5873360 / 2^24 = 0.350079536…
	f := math.Float32frombits(u32s(contents(t, "x f32[1] = random(1234567)"))[0])
	require.Equal(t, float32(5873360)/16777216, f)
	d := math.Float64frombits(binary.LittleEndian.Uint64(contents(t, "x f64[1] = random(1234567)")))
	require.Equal(t, float64(z>>11)/9007199254740992, d)
	// f16: the top 11 bits are 0x599ed017… >> 53 = 0b01011001100 = 716; 716/2048 = 0.349609375 = 1.3984375 * 2^-2:
	// exponent 13, fraction 0.3984375 * 1024 = 408 = 0x198, so 0x3598. bf16: 0x59 = 89; 89/256 = 1.390625 * 2^-2:
	// exponent 125, fraction 0.390625 * 128 = 50 = 0x32, so 0x3eb2.
	require.Equal(t, []byte{0x98, 0x35}, contents(t, "x f16[1] = random(1234567)"))
	require.Equal(t, []byte{0xb2, 0x3e}, contents(t, "x bf16[1] = random(1234567)"))
}

func TestRandomFloatsLieBelowOne(t *testing.T) {
	for _, typ := range []isa.Type{isa.F16, isa.BF16, isa.F32, isa.F64} {
		list := []uint64{math.MaxUint64, 0}
		scale(typ, list)
		require.Less(t, toFloat(typ, list[0]), 1.0, typ)
		require.Zero(t, list[1], typ)
	}
}

func TestValuesThatDoNotFit(t *testing.T) {
	for line, message := range map[string]string{
		"x u8[1] = 256":               "256 does not fit u8 (0 to 255)",
		"x s8[1] = 128":               "128 does not fit s8 (-128 to 127)",
		"x s8[1] = -129":              "-129 does not fit s8 (-128 to 127)",
		"x b8[1] = 256":               "256 does not fit b8 (-128 to 255)",
		"x u32[1] = -1":               "-1 does not fit u32 (0 to 4294967295)",
		"x u32[1] = 2.5":              `"2.5" is not an integer, but the type is u32`,
		"x s64[1] = 1e6":              `"1e6" is not an integer, but the type is s64`,
		"x u16[1] = 0x10000":          "0x10000 has more than the 16 bits of u16",
		"x f32[1] = 1e39":             "1e39 is too large for f32; write inf if that is meant",
		"x f16[1] = 65520":            "65520 is too large for f16; write inf if that is meant", // rounds to 2^16
		"x f32[1] = one":              `expected a number, a list, iota, random(seed), address(x) or text "…", found "one"`,
		"x f32[1] = 1.2.3":            `"1.2.3" is not a number`,
		"x u32[2] = 1, 2, 3":          "3 values for 2 elements of x",
		"x u8[2] = text \"abc\"":      "the text has 3 bytes, x has 2 bytes",
		"x u8[9] = text \"abc":        "the text has no closing double quote",
		`x u8[9] = text "\q"`:         `unknown escape: there are \n \t \r \0 \" and \\`,
		"x u32[2] = random":           `expected "(": random needs a seed, as in random(1), found the end of the line`,
		"x u32[2] = 1,":               "expected a number, found the end of the line",
		"x u32[2] = 1 2":              `unexpected "2" after the argument`,
		"x f33[2]":                    `unknown type "f33": did you mean "f32"?`,
		"x u32[0]":                    `expected a number of elements from 1 up, found "0"`,
		"x u32[2,]":                   `expected a number of elements from 1 up, found "]"`,
		"x u32[99999999999999999999]": "u32[99999999999999999999] is larger than any memory",
		"x f32x2[4,4] as image":       "f32x2 cannot be shown as an image: these can: u8x4 b8x4 u32 b32 u8 b8 f32 f32x4",
		"x u8x4[16] as image":         "an image needs two dimensions, as in u8x4[width,height]",
	} {
		_, errs := parseArgLine(line)
		require.Len(t, errs, 1, line)
		require.Equal(t, message, errs[0].Message, line)
	}
}

func TestFormatValue(t *testing.T) {
	for _, c := range []struct {
		t    isa.Type
		bits uint64
		want string
	}{
		{isa.U8, 0xff, "255"}, {isa.S8, 0xff, "-1"}, {isa.S16, 0x8000, "-32768"},
		{isa.U64, math.MaxUint64, "18446744073709551615"},
		{isa.S64, math.MaxUint64, "-1"}, {isa.B8, 5, "0x05"}, {isa.B32, 0x2a, "0x0000002a"}, {isa.Pred, 1, "1"},
		{isa.F32, 0x3dcccccd, "0.1"}, {isa.F32, 0x3f800000, "1"}, {isa.F32, 0x80000000, "-0"}, {isa.F32, 0x7fc00000, "nan"},
		{isa.F32, 0xff800000, "-inf"}, {isa.F32, 0x7f800000, "inf"}, {isa.F32, 0x4b800000, "16777216"},
		{isa.F32, 0x7f7fffff, "3.4028235e38"}, {isa.F32, 1, "1e-45"}, // 2^-149 = 1.4e-45; one digit is enough
		{isa.F32, 0x38d1b717, "0.0001"}, {isa.F32, 0x3727c5ac, "1e-5"},
		{isa.F64, 0x3fb999999999999a, "0.1"}, {isa.F64, 0x4197d78400000000, "100000000"},
		{isa.F16, 0x3c00, "1"}, {isa.F16, 0x7bff, "65504"}, {isa.F16, 0x2e66, "0.1"}, // 0.0999755859375, nearest f16 to 0.1
		{isa.F16, 0x0001, "6e-8"},                             // 2^-24 = 5.96e-8
		{isa.BF16, 0x3dcd, "0.1"}, {isa.BF16, 0x4049, "3.14"}, // 3.140625
		{isa.F16x2, 0x40003c00, "(1, 2)"}, {isa.S16x2, 0xffff0001, "(1, -1)"},
		{isa.U8x4, 0xff000201, "(1, 2, 0, 255)"}, {isa.S8x4, 0xff800201, "(1, 2, -128, -1)"},
	} {
		require.Equal(t, c.want, FormatValue(c.t, c.bits, 0), "%s %#x", c.t, c.bits)
	}
	require.Equal(t, "0x00000000000000010000000000000002", FormatValue(isa.B128, 2, 1))
	require.Equal(t, "(1, 2, 3, 255)", FormatElement(Elem{isa.U8, 4}, []byte{1, 2, 3, 255}))
}

// Every f16 and bf16 number reads back as itself, and a sample of f32.
func TestFormattedFloatsReadBack(t *testing.T) {
	check := func(typ isa.Type, bits uint64) {
		if math.IsNaN(toFloat(typ, bits)) {
			return
		}
		text := FormatValue(typ, bits, 0)
		back, why := ParseValue(typ, text)
		require.Empty(t, why, text)
		require.Equal(t, bits, back, "%s %#x %s", typ, bits, text)
	}
	for bits := range uint64(1 << 16) {
		check(isa.F16, bits)
		check(isa.BF16, bits)
		check(isa.F32, bits*0x10001)
		check(isa.F64, bits*0x1000100010001)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", 7168: "7,168", -1234567: "-1,234,567", -100: "-100",
	} {
		require.Equal(t, want, ptx.Thousands(n))
	}
}
