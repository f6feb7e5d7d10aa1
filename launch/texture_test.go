package launch

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/internal/txtar"
	"warpscope/ptx"
)

func textureKernel(t testing.TB) string { return txtar.Text(t, "texture/textureKernel") }

func textureRun(t *testing.T, header string) (*Report, error) {
	t.Helper()
	m, err := ptx.Parse("t.ptx", []byte(header+textureKernel(t)))
	require.NoError(t, err)
	s, err := FromSource(m)
	if err != nil {
		return nil, err
	}
	require.Equal(t, header+textureKernel(t), ApplyHeader(header+textureKernel(t), s))
	return Run(context.Background(), m, s, emu.Options{})
}

const textureHeader = "//@ block 1\n//@ arg out f32[3]\n//@ buffer img u8[4] = 51, 102, 153, 204\n" +
	"//@ buffer i f32[4] = 1, 2, 4, 8\n" +
	"//@ surface s = i\n"

// A handle that is passed, a variable with a sampler of its own, and a surface.
func TestTextureLines(t *testing.T) {
	for _, c := range [][3]string{
		// 51/255; the middle of 1 and 8, which repeat
		{"t = img float", "tv = i f32[4] normalized\n//@ sampler sv = filter linear address wrap", "0.2, 4.5, 4"},
		{"t = i f32[2] layers 2 filter linear address clamp,wrap border 0,0,0,1", "tv = i\n//@ sampler sv = unnormalized",
			"1, 1, 4"},
	} {
		r, err := textureRun(t, textureHeader+"//@ texture "+c[0]+"\n//@ texture "+c[1]+"\n//@ expect out[0..2] == "+c[2]+
			"\n")
		require.NoError(t, err)
		require.True(t, r.OK(), "%s: %v %v", c[0], r.Expectations, r.Fault)
	}
}

func TestTextureMistakes(t *testing.T) {
	for line, want := range map[string]string{
		"t = i offset 4":                     "the image has 20 bytes, the buffer i 16",
		"t = img offset 0,4":                 "offset is one number",
		"t = img offset 9223372036854775800": "the image begins after the end of its buffer",
		"t = img u32[4294967296,4294967296]": "at most 4,294,967,296 elements",
		"t = nothing":                        `no buffer is named "nothing"`,
		"t = img filter cubic":               "nearest, linear",
		"t = img filter linear":              "integers are not filtered",
		"t = img f64[2]":                     `no elements of type "f64"`,
		"t = img u8[5]":                      "the image has 5 bytes, the buffer img 4",
		"t = img wobble":                     "filter, mip, address",
		"t = img address up":                 "wrap, mirror, clamp, border or ogl",
		"t = img layers 0":                   "a number of at least 1",
		"t = img u8[1,1,2,2]":                "at most three dimensions",
		"t img":                              `and "="`,
		"t = img offset -4":                  "cannot begin before its buffer",
		"t = img border x":                   "a number, found \"x\"",
		"t = img levels 17 float":            "at most 65536 layers, 16 levels",
		"t = img u32[1] float":               "float is for integers of 8 and 16 bits",
		"t = img s32[1] float":               "float is for integers of 8 and 16 bits",
		"t = img f16[2] float":               "float is for integers of 8 and 16 bits",
	} {
		_, err := textureRun(t, textureHeader+"//@ texture "+line+"\n")
		require.ErrorContains(t, err, want, line)
	}
	// Options of a texture are not accepted as a sampler's (5.3.1).
	_, err := textureRun(t, textureHeader+"//@ texture t = i\n//@ sampler sv = normalized\n")
	require.ErrorContains(t, err, `expected filter, mip, address, border, unnormalized, compare, found "normalized"`)
	_, err = textureRun(t, textureHeader+"//@ texture t = i\n//@ texture sv = i\n")
	require.ErrorContains(t, err, "sv is a .samplerref, and the line describes a texture")
}

// A variable in the texture space of PTX 1.x is a .texref (5.1.8). Beyond the edge is the border.
func TestTextureSpace(t *testing.T) {
	src := txtar.Text(t, "texture/space")
	m, err := ptx.Parse("t.ptx", []byte(src))
	require.NoError(t, err)
	s, err := FromSource(m)
	require.NoError(t, err)
	r, err := Run(context.Background(), m, s, emu.Options{})
	require.NoError(t, err)
	require.True(t, r.OK(), "%v %v", r.Expectations, r.Fault)
}
