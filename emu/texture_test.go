package emu

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/texture"
	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// sampleWith runs a warp of a kernel with a texture object; every lane stores four words. %x and %y are the lane's
// coordinates as floats, %rx and %ry as integers.
func sampleWith(t *testing.T, tex texture.Description, image []byte, coords [][2]float32, body string) (
	[][4]uint32, error) {
	t.Helper()
	words, _, err := drawWith(t, tex, image, coords, body)
	return words, err
}

// drawWith is sampleWith with the image as the kernel leaves it.
func drawWith(t *testing.T, tex texture.Description, image []byte, coords [][2]float32, body string) (
	words [][4]uint32, after []byte, err error) {
	t.Helper()
	src := txtar.Text(t, "texture/fetch",
		"BODY", body)
	m, err := ptx.Parse("t.ptx", []byte(src))
	require.NoError(t, err)
	d, err := Load(m, Options{})
	require.NoError(t, err)
	alloc := func(b []byte) Addr {
		a, err := d.Alloc(max(len(b), 1))
		require.NoError(t, err)
		require.NoError(t, d.Write(a, b))
		return a
	}
	var in []byte
	for _, c := range coords {
		in = binary.LittleEndian.AppendUint32(in, math.Float32bits(c[0]))
		in = binary.LittleEndian.AppendUint32(in, math.Float32bits(c[1]))
	}
	at := alloc(image)
	tex.Kind, tex.Data = max(tex.Kind, texture.Image), at
	h := alloc(tex.Encode())
	sym, size, err := d.Symbol("tv")
	require.NoError(t, err)
	require.Equal(t, texture.EncodedSize, size)
	require.NoError(t, d.Write(sym, tex.Encode()))
	out := alloc(make([]byte, 16*len(coords)))
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: len(coords)},
		Args: [][]byte{Ptr(out), Ptr(alloc(in)), Ptr(h), Ptr(h)}})
	require.NoError(t, err)
	if err := g.Run(context.Background()); err != nil {
		return nil, nil, err
	}
	raw := make([]byte, 16*len(coords))
	require.NoError(t, d.Read(out, raw))
	after = make([]byte, len(image))
	require.NoError(t, d.Read(at, after))
	words = make([][4]uint32, len(coords))
	for i := range words {
		for j := range words[i] {
			words[i][j] = binary.LittleEndian.Uint32(raw[16*i+4*j:])
		}
	}
	return words, after, nil
}

func floatsOf(w [][4]uint32, channel int) (out []float32) {
	for _, v := range w {
		out = append(out, math.Float32frombits(v[channel]))
	}
	return out
}

func f32s(v ...float32) (b []byte) {
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

// The four values 0, 1, 4, 9 in a row; the sides repeat, mirror, clamp or are zero.
func TestAddressModes(t *testing.T) {
	row := f32s(0, 1, 4, 9)
	xs := [][2]float32{{-0.3, 0}, {-1.2, 0}, {0.1, 0}, {0.99, 0}, {1.1, 0}, {1.3, 0}, {2.3, 0}, {-5, 0}}
	for _, c := range []struct {
		mode texture.AddressMode
		want []float32
	}{
		// floor(4x) is -2, -5, 0, 3, 4, 5, 9, -20
		{texture.Wrap, []float32{4, 9, 0, 9, 0, 1, 1, 0}},   // modulo 4: 2, 3, 0, 3, 0, 1, 1, 0
		{texture.Mirror, []float32{1, 9, 0, 9, 9, 4, 1, 9}}, // modulo 8 (6, 3, 0, 3, 4, 5, 1, 4), 7 - i from 4 on
		{texture.ClampToEdge, []float32{0, 0, 0, 9, 9, 9, 9, 0}},
		{texture.ClampToBorder, []float32{0, 0, 0, 9, 0, 0, 0, 0}},
	} {
		tex := texture.Description{Width: 4, Channels: 1, Format: texture.F32, Normalized: true,
			Address: [3]texture.AddressMode{c.mode}}
		got, err := sampleWith(t, tex, row, xs, "tex.1d.v4.f32.f32 {%r0,%r1,%r2,%r3}, [%h, {%x}];")
		require.NoError(t, err)
		require.Equal(t, c.want, floatsOf(got, 0), texture.AddressModes[c.mode])
		require.Equal(t, []uint32{0, 0, 0x3f800000}, got[2][1:], "channels that are not there: 0, 0, 1")
	}
	// Integer coordinates count elements whatever the texture says, and wrap and mirror do not apply to them.
	for mode, want := range [][]float32{texture.Wrap: {0, 9, 4}, texture.Mirror: {0, 9, 4}, texture.ClampOGL: {0, 9, 4},
		texture.ClampToEdge: {0, 9, 4}, texture.ClampToBorder: {0.5, 0.5, 4}} {
		tex := texture.Description{Width: 4, Height: 1, Channels: 1, Format: texture.F32, Normalized: true, Linear: true,
			Address: [3]texture.AddressMode{texture.AddressMode(mode)}, Border: [4]float32{0.5}}
		got, err := sampleWith(t, tex, row, [][2]float32{{-1, 0}, {4, 0}, {2, 0}},
			"tex.2d.v4.f32.s32 {%r0,%r1,%r2,%r3}, [%h, {%rx,%ry}];")
		require.NoError(t, err)
		require.Equal(t, want, floatsOf(got, 0), texture.AddressModes[mode])
	}
	// Without normalised coordinates wrapping is clamping, and half an element outside the border begins.
	tex := texture.Description{Width: 4, Channels: 1, Format: texture.F32, Linear: true,
		Address: [3]texture.AddressMode{texture.Wrap}}
	got, err := sampleWith(t, tex, row, [][2]float32{{-3, 0}, {0.5, 0}, {1, 0}, {4.5, 0}},
		"tex.1d.v4.f32.f32 {%r0,_,_,_}, [tp, {%x}]; mov.b32 %r1, 0; mov.b32 %r2, 0; mov.b32 %r3, 0;")
	require.NoError(t, err)
	require.Equal(t, []float32{0, 0, 0.5, 9}, floatsOf(got, 0))
	for mode, want := range map[texture.AddressMode][]float32{texture.ClampToBorder: {0, 4.5, 2.25},
		texture.ClampOGL: {0, 4.5, 4.5}} {
		tex.Address[0] = mode
		got, err = sampleWith(t, tex, row, [][2]float32{{-0.5, 0}, {4, 0}, {4.25, 0}},
			"tex.1d.v4.f32.f32 {%r0,%r1,%r2,%r3}, [tv, %x];")
		require.NoError(t, err)
		require.Equal(t, want, floatsOf(got, 0), texture.AddressModes[mode])
	}
}

// Bilinear: v(x, y) = x + 10y at the centres of 4 x 4 elements, so that a filter gives the plane itself, with weights
// in steps of 1/256: 0.7 - 0.5 = 0.2 is 51/256.
func TestLinearFilter(t *testing.T) {
	var plane []float32
	for y := range 4 {
		for x := range 4 {
			plane = append(plane, float32(x+10*y))
		}
	}
	tex := texture.Description{Width: 4, Height: 4, Channels: 1, Format: texture.F32, Linear: true,
		Address: [3]texture.AddressMode{texture.ClampToEdge, texture.ClampToEdge}}
	got, err := sampleWith(t, tex, f32s(plane...), [][2]float32{{0.5, 0.5}, {1, 1}, {2.25, 1.75}, {0.7, 3.5}, {9, -9}},
		"tex.2d.v4.f32.f32 {%r0,%r1,%r2,%r3}, [%h, {%x, %y}];")
	require.NoError(t, err)
	require.Equal(t, []float32{0, 5.5, 1.75 + 12.5, 51.0/256 + 30, 3}, floatsOf(got, 0))
	// An offset of (1, 2) elements, and the footprint: lower left, lower right, upper right, upper left.
	got, err = sampleWith(t, tex, f32s(plane...), [][2]float32{{1, 1}},
		"mov.b32 %r4, 1; mov.b32 %r5, 2; tex.2d.v4.f32.f32 {%r0,_,_,_}, [%h, {%x, %y}], {%r4, %r5};"+
			"tld4.r.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%h, {%x, %y}]; mov.b32 %r1, %f0; mov.b32 %r2, %f1; mov.b32 %r3, %f3;")
	require.NoError(t, err)
	require.Equal(t, [4]uint32{math.Float32bits(5.5 + 1 + 20), math.Float32bits(10), math.Float32bits(11),
		math.Float32bits(0)}, got[0])
	// Depth: references <= element, then filtered: of 0, 1, 10, 11 two are at least 5.
	got, err = sampleWith(t, tex, f32s(plane...), [][2]float32{{1, 1}},
		"mov.f32 %f0, 0f40A00000; tex.2d.v4.f32.f32 {%r0,%r1,%r2,%r3}, [%h, {%x, %y}], %f0;")
	require.NoError(t, err)
	require.Equal(t, float32(0.5), floatsOf(got, 0)[0])
}

func TestTexelFormats(t *testing.T) {
	at := [][2]float32{{1, 0}}
	for _, c := range []struct {
		format   texture.Format
		channels int
		image    []byte
		typ      string
		want     [4]uint32
	}{
		{texture.U8, 4, []byte{9, 9, 9, 9, 1, 2, 3, 255}, "u32", [4]uint32{1, 2, 3, 255}},
		{texture.S8, 2, []byte{9, 9, 0x80, 0x7f}, "s32", [4]uint32{0xffffff80, 127, 0, 1}},
		{texture.S16, 1, []byte{9, 9, 0xfe, 0xff}, "s32", [4]uint32{0xfffffffe, 0, 0, 1}},
		{texture.U32, 1, []byte{9, 9, 9, 9, 0xff, 0xff, 0xff, 0xff}, "u32", [4]uint32{0xffffffff, 0, 0, 1}},
		// 51/255
		{texture.UNorm8, 1, []byte{9, 51}, "f32", [4]uint32{math.Float32bits(0.2), 0, 0, 0x3f800000}},
		// -128 clamps
		{texture.SNorm8, 2, []byte{9, 9, 0x80, 127}, "f32", [4]uint32{math.Float32bits(-1), 0x3f800000, 0, 0x3f800000}},
		// 65535/65535
		{texture.UNorm16, 1, []byte{9, 9, 0xff, 0xff}, "f32", [4]uint32{0x3f800000, 0, 0, 0x3f800000}},
		// 1.5, -2
		{texture.F16, 2, []byte{9, 9, 9, 9, 0, 0x3e, 0, 0xc0}, "f32", [4]uint32{0x3fc00000, 0xc0000000, 0, 0x3f800000}},
		// -32767/32767
		{texture.SNorm16, 1, []byte{9, 9, 0x01, 0x80}, "f32", [4]uint32{math.Float32bits(-1), 0, 0, 0x3f800000}},
		{texture.F32, 1, f32s(9, 0.1), "u32", [4]uint32{math.Float32bits(0.1), 0, 0, 0x3f800000}}, // bits
	} {
		tex := texture.Description{Width: 2, Channels: c.channels, Format: c.format}
		got, err := sampleWith(t, tex, c.image, at, "tex.1d.v4."+c.typ+".s32 {%r0,%r1,%r2,%r3}, [%h, {%rx}];")
		require.NoError(t, err)
		require.Equal(t, c.want, got[0])
	}
	got, err := sampleWith(t, texture.Description{Width: 1, Channels: 2, Format: texture.F32}, f32s(1.5, -2),
		[][2]float32{{0, 0}},
		"tex.1d.v2.f16x2.f32 {%r0,%r1}, [%h, {%x}]; tex.1d.v4.f16.f32 {%q0,%q1,%q2,%q3}, [%h, {%x}]; "+
			"mov.b32 %r2, {%q0, %q1}; mov.b32 %r3, {%q2, %q3};")
	require.NoError(t, err)
	require.Equal(t, [4]uint32{0xc0003e00, 0x3c000000, 0xc0003e00, 0x3c000000}, got[0])
	// A buffer reads as zero outside.
	got, err = sampleWith(t, texture.Description{Width: 2, Channels: 1, Format: texture.U32}, f32s(1, 2),
		[][2]float32{{2, 0}, {-1, 0}}, "tex.1d.v4.u32.s32 {%r0,%r1,%r2,%r3}, [%h, {%rx}];")
	require.NoError(t, err)
	require.Equal(t, [][4]uint32{{}, {}}, got)
}

// Layers, faces and levels follow one another; every element holds its number.
func TestLayersFacesAndLevels(t *testing.T) {
	numbers := func(n int) []byte {
		var v []float32
		for i := range n {
			v = append(v, float32(i))
		}
		return f32s(v...)
	}
	near := texture.Description{Channels: 1, Format: texture.F32}
	array := near
	array.Width, array.Height, array.Layers = 2, 2, 3
	got, err := sampleWith(t, array, numbers(12), [][2]float32{{0, 1}, {1, 0}},
		"tex.a2d.v4.f32.f32 {%r0,_,_,_}, [%h, {%l, %x, %y, %x}];"+
			"mov.b32 %r4, 7; tex.a2d.v4.f32.s32 {%r1,_,_,_}, [%h, {%r4, %rx, %ry, %rx}]; txq.array_size.b32 %r2, [%h]; "+
			"txq.height.b32 %r3, [tv];")
	require.NoError(t, err)
	require.Equal(t, []float32{2, 4 + 1}, floatsOf(got, 0)) // layer l, row y, column x
	require.Equal(t, []float32{8 + 2, 8 + 1}, floatsOf(got, 1), "layers beyond the last are the last")
	require.Equal(t, []uint32{3, 2}, got[0][2:])
	// A cube of 2 x 2 faces. +x: s = -z, t = -y; of (1, 0.5, 0.5) both are -0.5, at 1/4: element 0 of face 0.
	// -y: s = x, t = -z; of (0.5, -1, 0.5): 3/4 and 1/4: element 1 of face 3.
	cube := near
	cube.Width, cube.Height, cube.Layers = 2, 2, 6
	got, err = sampleWith(t, cube, numbers(24), [][2]float32{{1, 0.5}, {0.5, -1}}, "mov.f32 %f0, 0f3F000000;"+
		"tex.cube.v4.f32.f32 {%r0,%r1,%r2,%r3}, [%h, {%x, %y, %f0, %f0}];")
	require.NoError(t, err)
	require.Equal(t, []float32{0, 13}, floatsOf(got, 0))
	// Levels of 4, 2 and 1 columns: 0..3, 4..5, 6. Level 1.5 lies halfway between elements of levels 1 and 2.
	mip := near
	mip.Width, mip.Levels, mip.Normalized = 4, 3, true
	read := "tex.level.1d.v4.f32.f32 {%r0,_,_,_}, [%h, {%x}], %y; tex.base.1d.v4.f32.f32 {%r1,_,_,_}, [%h, {%x}]; " +
		"mov.b32 %r4, 1;" +
		"txq.level.width.b32 %r2, [%h], %r4; txq.num_mipmap_levels.b32 %r3, [%h];"
	xs := [][2]float32{{0.9, 0}, {0.9, 1}, {0.2, 1.4}, {0.9, 1.5}, {0.9, 9}}
	got, err = sampleWith(t, mip, numbers(7), xs, read)
	require.NoError(t, err)
	require.Equal(t, []float32{3, 5, 4, 6, 6}, floatsOf(got, 0))
	require.Equal(t, []uint32{2, 3}, got[0][2:])
	mip.MipLinear = true
	got, err = sampleWith(t, mip, numbers(7), xs[:4], read)
	require.NoError(t, err)
	// 1.4 is 1 + 102/256 in 1.8 fixed point
	require.Equal(t, []float32{3, 5, 4 + 2*102.0/256, 5.5}, floatsOf(got, 0))
	// Neighbours two elements apart are at level 1; a step of 0.5 is two elements of four.
	got, err = sampleWith(t, mip, numbers(7), [][2]float32{{0.9, 0.5}},
		"mov.f32 %f0, 0f00000000; tex.grad.1d.v4.f32.f32 {%r0,%r1,%r2,%r3}, [%h, {%x}], {%y}, {%f0};")
	require.NoError(t, err)
	require.Equal(t, []float32{5}, floatsOf(got, 0))
}

func TestSurfaces(t *testing.T) {
	s := texture.Description{Kind: texture.Surface, Width: 4, Height: 2, Channels: 1, Format: texture.U16}
	image := func() []byte { return []byte{0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0} }
	got, err := sampleWith(t, s, image(), [][2]float32{{2, 1}, {-2, 0}, {6, 5}}, // byte 2 of row 1; outside
		"suld.b.2d.b16.zero %q0, [%h, {%rx, %ry}]; cvt.u32.u16 %r0, %q0; suld.b.2d.b16.clamp %q1, [%h, {%rx, %ry}]; "+
			"cvt.u32.u16 %r1, %q1;"+
			"suq.width.b32 %r2, [%h]; suq.channel_data_type.b32 %r3, [%h];")
	require.NoError(t, err)
	require.Equal(t, [][4]uint32{{5, 5, 4, 0x10db}, {0, 0, 4, 0x10db}, {0, 7, 4, 0x10db}}, got)
	got, err = sampleWith(t, s, image(), [][2]float32{{3, 1}},
		"mov.b32 %r4, 70000; mov.b16 %q0, 9; mov.b32 %r5, 0; sust.p.2d.b32.trap [%h, {%rx, %ry}], %r4; "+
			"sust.b.2d.b16.trap [%h, {%r5, %ry}], %q0;"+
			"mov.b32 %r6, 4; suld.b.2d.v2.b16.trap {%q1, %q2}, [%h, {%r6, %ry}]; cvt.u32.u16 %r0, %q1; cvt.u32.u16 %r1, %q2;"+
			"suld.b.2d.b16.trap %q3, [%h, {%r5, %ry}]; cvt.u32.u16 %r2, %q3; mov.b32 %r3, 0;")
	require.NoError(t, err)
	require.Equal(t, [4]uint32{6, 65535, 9, 0}, got[0], "70000 is clamped to the format")
	sum := texture.Description{Kind: texture.Surface, Width: 2, Channels: 1, Format: texture.S32}
	got, err = sampleWith(t, sum, make([]byte, 8), [][2]float32{{0, 0}, {1, 0}, {1, 0}},
		"mov.b32 %r4, -3; add.u32 %r4, %r4, %l; sured.p.min.1d.b32.trap [%h, {%rx}], %r4; mov.b32 %r5, 4; "+
			"sured.b.add.1d.u32.trap [%h, {%r5}], 10;"+
			"suld.b.1d.b32.trap %r0, [%h, {0}]; suld.b.1d.b32.trap %r1, [%h, {4}]; mov.b32 %r2, 0; mov.b32 %r3, 0;")
	require.NoError(t, err)
	// min(0, -3); min(0, -2, -1) + 3 * 10
	require.Equal(t, [2]uint32{^uint32(2), uint32(30 - 2)}, [2]uint32{got[2][0], got[2][1]})
	_, err = sampleWith(t, s, image(), [][2]float32{{8, 0}}, "suld.b.2d.b16.trap %q0, [%h, {%rx, %ry}];")
	require.ErrorContains(t, err, "byte 8 of row 0")
	_, err = sampleWith(t, s, image(), [][2]float32{{1, 0}}, "suld.b.2d.b16.trap %q0, [%h, {%rx, %ry}];")
	require.ErrorContains(t, err, "must be a multiple of 2")
}

func TestOpaqueHandles(t *testing.T) {
	tex := texture.Description{Width: 1, Channels: 1, Format: texture.U8, Linear: true,
		Address: [3]texture.AddressMode{texture.ClampToBorder, texture.Mirror}}
	got, err := sampleWith(t, tex, []byte{1}, [][2]float32{{0, 0}},
		"istypep.texref %p, %h; selp.u32 %r0, 1, 0, %p; istypep.surfref %p, %h;"+
			"selp.u32 %r1, 1, 0, %p; mov.u64 %a, tv; istypep.texref %p, %a; selp.u32 %r2, 1, 0, %p; istypep.texref %p, %o; "+
			"selp.u32 %r3, 1, 0, %p;")
	require.NoError(t, err)
	require.Equal(t, [4]uint32{1, 0, 1, 0}, got[0])
	got, err = sampleWith(t, tex, []byte{1}, [][2]float32{{0, 0}},
		"txq.filter_mode.b32 %r0, [%h]; txq.addr_mode_0.b32 %r1, [tp]; txq.addr_mode_1.b32 %r2, [tv]; "+
			"txq.channel_order.b32 %r3, [%h];")
	require.NoError(t, err)
	require.Equal(t, [4]uint32{1, 4, 1, 0x10b0}, got[0])
	_, err = sampleWith(t, tex, []byte{1}, [][2]float32{{0, 0}}, "tex.1d.v4.f32.f32 {%r0,%r1,%r2,%r3}, [%o, {%x}];")
	require.ErrorContains(t, err, "no texture")
}

// Initial properties of variables (5.3.2), and samplers of their own.
func TestSamplerVariables(t *testing.T) {
	parse := func(fields string) error {
		m, err := ptx.Parse("t.ptx", []byte(".version 8.0\n.target sm_80, texmode_independent\n.address_size 64\n"+
			".global .samplerref s = { "+
			fields+" };\n.entry k() { .reg .b32 %r; txq.filter_mode.b32 %r, [s]; ret; }"))
		require.NoError(t, err)
		_, err = Load(m, Options{})
		return err
	}
	require.NoError(t, parse("addr_mode_0 = clamp_to_border, filter_mode = nearest, force_unnormalized_coords = 1"))
	require.ErrorContains(t, parse("filter_mode = cubic"), "nearest and linear")
	require.ErrorContains(t, parse("colour = 1"), "no such property")
}
