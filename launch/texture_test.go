package launch

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx"
)

const textureKernel = `.version 8.0
.target sm_80, texmode_independent
.address_size 64
.global .texref tv;
.global .samplerref sv, su;
.visible .entry k(.param .u64 t, .param .surfref s, .param .u64 out)
{
	.reg .b64 %t, %o; .reg .f32 %f<6>; .reg .b32 %r<2>;
	ld.param.u64 %t, [t]; ld.param.u64 %o, [out]; mov.u32 %r0, %tid.x; cvt.rn.f32.u32 %f4, %r0;
	tex.1d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%t, su, {%f4}]; st.global.f32 [%o], %f0;
	tex.1d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [tv, sv, {%f4}]; st.global.f32 [%o+4], %f0;
	suld.b.1d.b32.trap %r1, [s, {8}]; st.global.u32 [%o+8], %r1; ret;
}
`

func textureRun(t *testing.T, header string) (*Report, error) {
	t.Helper()
	m, err := ptx.Parse("t.ptx", []byte(header+textureKernel))
	require.NoError(t, err)
	s, err := FromSource(m)
	if err != nil {
		return nil, err
	}
	require.Equal(t, header+textureKernel, ApplyHeader(header+textureKernel, s))
	return Run(context.Background(), m, s, emu.Options{})
}

const textureHeader = "//@ block 1\n//@ arg out f32[3]\n//@ buffer img u8[4] = 51, 102, 153, 204\n//@ buffer i f32[4] = 1, 2, 4, 8\n" +
	"//@ surface s = i\n"

// A handle that is passed, a variable with a sampler of its own, and a surface.
func TestTextureLines(t *testing.T) {
	for _, c := range [][3]string{
		// 51/255; the middle of 1 and 8, which repeat
		{"t = img float", "tv = i f32[4] normalized\n//@ sampler sv = filter linear address wrap", "0.2, 4.5, 4"},
		{"t = i f32[2] layers 2 filter linear address clamp,wrap border 0,0,0,1", "tv = i\n//@ sampler sv = unnormalized", "1, 1, 4"},
	} {
		r, err := textureRun(t, textureHeader+"//@ texture "+c[0]+"\n//@ texture "+c[1]+"\n//@ expect out[0..2] == "+c[2]+"\n")
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
	// Options of a texture are not taken for a sampler's (5.3.1).
	_, err := textureRun(t, textureHeader+"//@ texture t = i\n//@ sampler sv = normalized\n")
	require.ErrorContains(t, err, `expected filter, mip, address, border, unnormalized, compare, found "normalized"`)
	_, err = textureRun(t, textureHeader+"//@ texture t = i\n//@ texture sv = i\n")
	require.ErrorContains(t, err, "sv is a .samplerref, and the line describes a texture")
}

// A variable in the texture space of PTX 1.x is a .texref (5.1.8). Beyond the edge lies the border.
func TestTextureSpace(t *testing.T) {
	const src = `//@ block 1
//@ arg out f32[2]
//@ buffer img f32[4] = 1, 2, 4, 8
//@ texture old = img normalized address border border 0.25,0,0,1
//@ expect out == 4, 0.25
.version 1.4
.target sm_10
.tex .u32 old;
.entry k(.param .u32 out)
{
	.reg .u32 %o; .reg .f32 %f<5>;
	ld.param.u32 %o, [out];
	mov.f32 %f4, 0.625; tex.1d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [old, {%f4,%f4,%f4,%f4}]; st.global.f32 [%o], %f0;
	mov.f32 %f4, 1.5; tex.1d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [old, {%f4,%f4,%f4,%f4}]; st.global.f32 [%o+4], %f0;
	exit;
}
`
	m, err := ptx.Parse("t.ptx", []byte(src))
	require.NoError(t, err)
	s, err := FromSource(m)
	require.NoError(t, err)
	r, err := Run(context.Background(), m, s, emu.Options{})
	require.NoError(t, err)
	require.True(t, r.OK(), "%v %v", r.Expectations, r.Fault)
}
