package expr_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"warpscope/launch/expr"
)

// warp has %r4 = 0, 1, … 31, %s1 = -lane, %f1 = lane/2, %p1 true in odd lanes, and lanes 0 to 7 active.
type warp struct{}

func (warp) Active() uint32 { return 0xff }

func (warp) Register(name string) (expr.Row, bool) {
	var r expr.Row
	for i := range r.Lanes {
		switch name {
		case "%r4":
			r.Kind, r.Lanes[i] = expr.Unsigned, uint64(i)
		case "%s1":
			r.Kind, r.Lanes[i] = expr.Signed, uint64(-int64(i))
		case "%f1":
			r.Kind, r.Lanes[i] = expr.Float, math.Float64bits(float64(i)/2)
		case "%p1":
			r.Kind, r.Lanes[i] = expr.Bool, uint64(i&1)
		default:
			return r, false
		}
	}
	return r, true
}

func (w warp) Name(name string) (expr.Row, bool) {
	switch name {
	case "lane":
		return w.Register("%r4")
	case "active":
		return expr.Uniform(expr.Unsigned, 0xff), true
	case "warp":
		return expr.Uniform(expr.Unsigned, 2), true
	}
	return expr.Row{}, false
}

// out has four elements: 10, 11, 12, 13.
func (warp) Element(buffer string, index int64) (expr.Kind, uint64, bool, bool) {
	return expr.Unsigned, uint64(index + 10), index >= 0 && index < 4, buffer == "out"
}

func TestExpressions(t *testing.T) {
	for text, lanes := range map[string]uint32{ // among lanes 0 to 7
		"%r4 > 5":                      0xc0,
		"%r4 > 5 && lane == 6":         0x40,
		"%r4 == 1 || %r4 == 2":         0x06,
		"any(%p1)":                     0xff,
		"all(%p1)":                     0,
		"all(%r4 < 8)":                 0xff, // lanes 8 to 31 are not asked
		"popc(active) == 8":            0xff,
		"ballot(%p1) == 0xaa":          0xff,
		"warp == 2":                    0xff,
		"warp==2&&%p1":                 0xaa,
		"!%p1":                         0x55,
		"%s1 < 0":                      0xfe,
		"%s1 < %r4":                    0xfe, // -1 is less than an unsigned 1
		"%f1 == 1.5":                   0x08,
		"%f1 * 2 == %r4":               0xff,
		"%r4 % 3 == 1":                 0x92,
		"%r4%%r4 == 0":                 0xfe, // lane 0 divides by zero: no value
		"1 + 2 * 3 == 7":               0xff,
		"(1 + 2) * 3 == 9":             0xff,
		"1 | 2 ^ 2 & 6 == 6":           0xff, // as in C: 6 == 6 is 1, 2 & 1 is 0, 2 ^ 0 is 2, 1 | 2 is 3
		"1 << 4 >> 2 == 4":             0xff,
		"-1 >> 63 == -1":               0xff,
		"~0 == 0xffffffffffffffff":     0xff,
		"-7 / 2 == -3 && -7 % 2 == -1": 0xff, // towards zero, as in C
		"out[2] == 12":                 0xff,
		"out[%r4] >= 12":               0x0c, // lanes 4 to 7 are outside
		"f32(0x3f800000) == 1":         0xff,
		"f16(0xc000) == -2":            0xff,
		"s8(255) == -1 && u8(511)>254": 0xff,
		"0f3f000000 == 0.5":            0xff,
		"0d3FE0000000000000 == 5e-1":   0xff,
		"%f1 < 1e+0 - 0.25":            0x03,
		"5u - 6 > 0":                   0xff, // unsigned integers wrap
	} {
		e, err := expr.Parse(text)
		require.NoError(t, err, text)
		got, err := e.Holds(warp{})
		require.NoError(t, err, text)
		assert.Equal(t, lanes, got, text)
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]expr.Error{
		"":        {0, 0, "a value is missing at the end"},
		"%r4 >":   {5, 5, "a value is missing at the end"},
		"%r4 = 3": {4, 7, `unexpected "= 3" after the expression`},
		"(%r4":    {0, 1, `"(" has no matching ")"`},
		"out[1":   {3, 4, `"[" has no matching "]"`},
		"%r9 > 1": {0, 3, "there is no register %r9 here"},
		"out > 1": {0, 3, "there is no value named out: it may be a buffer, out[0]"},
		"in[0]":   {0, 2, "there is no buffer or function named in"},
		"some(%p1)": {0, 4, "there is no function some: " +
			"there are any, all, ballot, popc and types such as u32, s32 and f32"},
		"0x1g":         {0, 4, `"0x1g" is not a number`},
		"1.2.3":        {0, 5, `"1.2.3" is not a number`},
		"%f1 & 1":      {0, 7, "& needs integers"},
		"~%f1":         {0, 4, "~ needs an integer"},
		"out[%f1]":     {4, 7, "an index is an integer"},
		"f32(1.0) > 0": {4, 7, "f32 reads the bits of an integer"},
		"@":            {0, 1, `expected a register, a name or a number, found "@"`},
	} {
		e, err := expr.Parse(text)
		if err == nil {
			_, err = e.Eval(warp{})
		}
		var got *expr.Error
		require.True(t, errors.As(err, &got), text)
		assert.Equal(t, want, *got, text)
	}
}

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"%s1": "-3", "%f1": "1.5", "%p1": "true", "%r4": "3", "%r4 / 0": "·", "1/0.0": "+Inf",
	} {
		e, err := expr.Parse(text)
		require.NoError(t, err)
		r, err := e.Eval(warp{})
		require.NoError(t, err)
		assert.Equal(t, want, r.Text(3), text)
	}
}

// TestHalf has the largest half, the smallest normal one, the smallest subnormal one and 1/3 rounded.
func TestHalf(t *testing.T) {
	for bits, want := range map[uint64]float64{
		0x7bff: 65504, 0x0400: 0x1p-14, 0x0001: 0x1p-24, 0x3555: 0.333251953125, 0xfc00: math.Inf(-1), 0x8000: 0,
	} {
		k, v, ok := expr.As("f16", bits)
		require.True(t, ok)
		assert.Equal(t, expr.Float, k)
		assert.Equal(t, want, math.Float64frombits(v)+0)
	}
	_, _, ok := expr.As("f16x2", 0)
	assert.False(t, ok)
}

func FuzzParse(f *testing.F) {
	f.Add("%r4 > 10 && any(%p1) || out[-1] << 3")
	f.Fuzz(func(t *testing.T, text string) {
		if e, err := expr.Parse(text); err == nil {
			_, _ = e.Eval(warp{})
		}
	})
}
