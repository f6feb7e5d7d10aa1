package emu

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/emu/texture"
	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// picture is a second model of sampling: an image of small integers that goes on forever on all sides. It interpolates
// between elements along one axis after the other. All coordinates are multiples of 1/64 of an element, so that weights
// of eight bits and all sums are exact.
type picture struct {
	texture.Description
	values []float64
}

func newPicture(rnd *rand.Rand, tex texture.Description) *picture {
	p := &picture{Description: tex}
	p.Format = texture.F32
	for range p.Size() / 4 {
		p.values = append(p.values, float64(rnd.Intn(101)-50))
	}
	return p
}

func (p *picture) bytes() []byte {
	var b []float32
	for _, v := range p.values {
		b = append(b, float32(v))
	}
	return f32s(b...)
}

// sides of a level: halved for each, at least 1 (9.7.12.2).
func (p *picture) sides(level int) (n [3]int) {
	n = [3]int{p.Width, max(p.Height, 1), max(p.Depth, 1)}
	for range level {
		for d := range n {
			n[d] = max(n[d]/2, 1)
		}
	}
	return n
}

// element of the image: finest levels first, then layers, depth, rows, columns.
func (p *picture) element(level, layer int, at [3]int, channel int) float64 {
	first := 0
	for l := range level {
		n := p.sides(l)
		first += n[0] * n[1] * n[2] * max(p.Layers, 1)
	}
	n := p.sides(level)
	index := first + ((layer*n[2]+at[2])*n[1]+at[1])*n[0] + at[0]
	return p.values[index*p.Channels+channel]
}

// endless is an element of the image that goes on forever (5.3.2).
func (p *picture) endless(level, layer int, at [3]int, channel int) float64 {
	n := p.sides(level)
	for d, mode := range p.Address {
		if !p.Normalized && (mode == texture.Wrap || mode == texture.Mirror) {
			mode = texture.ClampToEdge
		}
		for at[d] < 0 || at[d] >= n[d] {
			switch {
			case mode == texture.Wrap && at[d] < 0:
				at[d] += n[d]
			case mode == texture.Wrap:
				at[d] -= n[d]
			case mode == texture.Mirror && at[d] < 0:
				at[d] = -1 - at[d]
			case mode == texture.Mirror:
				at[d] = 2*n[d] - 1 - at[d]
			case mode == texture.ClampToBorder || mode == texture.ClampOGL && p.Linear:
				return float64(p.Border[channel])
			default:
				at[d] = min(max(at[d], 0), n[d]-1)
			}
		}
	}
	return p.element(level, layer, at, channel)
}

// sample interpolates at a point of dims coordinates, which count elements.
func (p *picture) sample(level, layer, dims int, x [3]float64, offset [3]int, channel int) float64 {
	n := p.sides(level)
	for d := range dims {
		if p.Address[d] == texture.ClampOGL {
			x[d] = min(max(x[d], 0), float64(n[d]))
		}
	}
	var along func(d int, at [3]int) float64
	along = func(d int, at [3]int) float64 {
		if d < 0 {
			return p.endless(level, layer, at, channel)
		}
		if !p.Linear {
			at[d] = int(math.Floor(x[d])) + offset[d]
			return along(d-1, at)
		}
		left := math.Floor(x[d] - 0.5)
		at[d] = int(left) + offset[d]
		a := along(d-1, at)
		at[d]++
		return a + (x[d]-0.5-left)*(along(d-1, at)-a)
	}
	return along(dims-1, [3]int{})
}

// points are the lanes' coordinates, and what they are in elements; the third is the same for all lanes.
func points(rnd *rand.Rand, p *picture, z float64) (coords [][2]float32, at [][3]float64) {
	n := p.sides(0)
	for range 32 {
		x := float64(rnd.Intn(64*5*n[0]))/64 - float64(2*n[0])
		y := float64(rnd.Intn(64*5*n[1]))/64 - float64(2*n[1])
		at = append(at, [3]float64{x, y, z})
		if p.Normalized {
			x, y = x/float64(n[0]), y/float64(n[1])
		}
		coords = append(coords, [2]float32{float32(x), float32(y)})
	}
	return coords, at
}

// Every geometry, address mode and filter at random points, against the model.
func TestSamplingModel(t *testing.T) {
	rnd := rand.New(rand.NewSource(12))
	for n := range 160 {
		geom := []string{"1d", "2d", "3d", "a1d", "a2d"}[n%5]
		dims := int(geom[len(geom)-2] - '0')
		tex := texture.Description{Channels: 1 << rnd.Intn(3), Width: 1 << rnd.Intn(5), Normalized: rnd.Intn(2) == 0,
			Linear: rnd.Intn(2) == 0}
		if dims > 1 {
			tex.Height = 1 << rnd.Intn(4)
		}
		if dims > 2 {
			tex.Depth = 1 << rnd.Intn(3)
		}
		layer := 0
		if geom[0] == 'a' {
			tex.Layers = 1 + rnd.Intn(4)
			layer = rnd.Intn(tex.Layers)
		}
		ogl := false
		for d := range tex.Address {
			tex.Address[d] = texture.AddressMode(rnd.Intn(5))
			ogl = ogl || tex.Address[d] == texture.ClampOGL
		}
		for c := range tex.Border {
			tex.Border[c] = float32(rnd.Intn(100))
		}
		p := newPicture(rnd, tex)
		z := float64(rnd.Intn(64*4*max(p.Depth, 1)))/64 - float64(max(p.Depth, 1))
		coords, at := points(rnd, p, z)
		if p.Normalized {
			z /= float64(max(p.Depth, 1))
		}
		var offset [3]int
		tail := ""
		if rnd.Intn(2) == 0 && !ogl && geom != "a1d" {
			for d := range dims {
				offset[d] = rnd.Intn(16) - 8
			}
			tail = ", " + map[int]string{1: "{%r4}", 2: "{%r4, %r5}", 3: "{%r4, %r5, %r6, %r6}"}[dims]
		}
		list := map[string]string{"1d": "%x", "2d": "%x, %y", "3d": "%x, %y, %f0, %f0", "a1d": "%r7, %x",
			"a2d": "%r7, %x, %y, %y"}[geom]
		got, err := sampleWith(t, p.Description, p.bytes(), coords, fmt.Sprintf("mov.f32 %%f0, 0f%08X; mov.b32 %%r7, %d;"+
			"mov.b32 %%r4, %d; mov.b32 %%r5, %d; mov.b32 %%r6, %d; tex.%s.v4.f32.f32 {%%r0,%%r1,%%r2,%%r3}, [%%h, {%s}]%s;",
			math.Float32bits(float32(z)), layer, offset[0], offset[1], offset[2], geom, list, tail))
		require.NoError(t, err)
		for lane := range got {
			for c := range p.Channels {
				want := float32(p.sample(0, layer, dims, at[lane], offset, c))
				require.Equal(t, want, math.Float32frombits(got[lane][c]), "%s %+v at %v offset %v channel %d", geom, p.Description,
					at[lane], offset, c)
			}
		}
	}
}

// Levels of a mipmap, at levels of detail in steps of 1/64; a level of a picture has its own sides.
func TestMipmapModel(t *testing.T) {
	rnd := rand.New(rand.NewSource(13))
	for n := range 40 {
		p := newPicture(rnd, texture.Description{Channels: 1, Width: 16, Height: 4, Levels: 1 + rnd.Intn(5), Normalized: true,
			Linear: n%2 == 0, MipLinear: n%4 < 2,
			Address: [3]texture.AddressMode{texture.AddressMode(rnd.Intn(2)), texture.ClampToEdge}})
		lod := float64(rnd.Intn(64*7))/64 - 1
		coords, at := points(rnd, p, 0)
		got, err := sampleWith(t, p.Description, p.bytes(), coords, fmt.Sprintf("mov.f32 %%f0, 0f%08X; mov.b32 %%r4, 0;"+
			"tex.level.2d.v4.f32.f32 {%%r0,%%r1,%%r2,%%r3}, [%%h, {%%x, %%y}], %%f0;", math.Float32bits(float32(lod))))
		require.NoError(t, err)
		lod = min(max(lod, 0), float64(p.Levels-1))
		level := func(l, lane int) float64 { // at the same place, which a smaller level has fewer elements for
			sides, x := p.sides(l), at[lane]
			return p.sample(l, 0, 2, [3]float64{x[0] * float64(sides[0]) / 16, x[1] * float64(sides[1]) / 4}, [3]int{}, 0)
		}
		for lane := range got {
			want := level(int(math.Floor(lod+0.5)), lane)
			if l := int(lod); p.MipLinear && lod > float64(l) {
				want = level(l, lane) + (lod-float64(l))*(level(l+1, lane)-level(l, lane))
			}
			bound := 0.0
			if p.Linear { // small levels have weights of more than eight bits: half a step of 100 on each axis of two levels
				bound = 4 * 100.0 / 512
			}
			require.InDelta(t, want, math.Float32frombits(got[lane][0]), bound, "%+v at %v, level %v", p.Description, at[lane],
				lod)
		}
	}
}

// cubeFaces are the axes of the faces +x, -x, +y, -y, +z, -z: the direction, to the right, and down.
var cubeFaces = [6][3][3]float64{
	{{1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
	{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}, {{0, -1, 0}, {1, 0, 0}, {0, 0, -1}},
	{{0, 0, 1}, {1, 0, 0}, {0, -1, 0}}, {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}},
}

// Directions to a place of a face, built from the face's axes, find that place (9.7.12.3).
func TestCubeModel(t *testing.T) {
	rnd := rand.New(rand.NewSource(14))
	for n := range 48 {
		face, cube := n%6, 0
		p := newPicture(rnd, texture.Description{Channels: 1, Width: 4, Height: 4, Layers: 6, Linear: n%4 < 2,
			Address: [3]texture.AddressMode{texture.ClampToEdge, texture.ClampToEdge, texture.ClampToEdge}})
		geom, list, sampler := "cube", "%x, %y, %f0, %f0", ""
		if n >= 24 {
			p.Layers, cube, geom, list = 18, rnd.Intn(3), "acube", "%r7, %x, %y, %f0"
			p = newPicture(rnd, p.Description)
		}
		dir := func(right, down float64) (d [3]float64) { // in the cube of side 8
			for i := range d {
				d[i] = 4*cubeFaces[face][0][i] + right*cubeFaces[face][1][i] + down*cubeFaces[face][2][i]
			}
			return d
		}
		// One number is the same for all lanes: the third coordinate.
		right, down := float64(rnd.Intn(97)-48)/16, float64(rnd.Intn(97)-48)/16
		d := dir(right, down)
		coords := [][2]float32{{float32(d[0]), float32(d[1])}}
		op := fmt.Sprintf("tex.%s.v4.f32.f32 {%%r0,%%r1,%%r2,%%r3}", geom)
		if n%8 > 3 {
			op = fmt.Sprintf("tld4.r.%s.v4.f32.f32 {%%r0,%%r1,%%r2,%%r3}", geom)
			sampler = "%h, " // only .2d goes without
		}
		got, err := sampleWith(t, p.Description, p.bytes(), coords, fmt.Sprintf("mov.f32 %%f0, 0f%08X; mov.b32 %%r7, %d;"+
			"%s, [%%h, %s{%s}];", math.Float32bits(float32(d[2])), cube, op, sampler, list))
		require.NoError(t, err)
		x := [3]float64{right/2 + 2, down/2 + 2} // elements
		if n%8 > 3 {
			want := p.footprint(6*cube+face, x, [3]int{}, 0)
			require.Equal(t, want[:], floatsOfLane(got[0]), "%s face %d at %v", op, face, x)
			continue
		}
		want := float32(p.sample(0, 6*cube+face, 2, x, [3]int{}, 0))
		require.Equal(t, want, math.Float32frombits(got[0][0]), "%s face %d at %v", op, face, x)
	}
}

// footprint are the elements around a point, counter-clockwise from the lower left; rows go down.
func (p *picture) footprint(layer int, x [3]float64, offset [3]int, channel int) (out [4]float32) {
	i, j := int(math.Floor(x[0]-0.5))+offset[0], int(math.Floor(x[1]-0.5))+offset[1]
	for n, at := range [4][3]int{{i, j + 1}, {i + 1, j + 1}, {i + 1, j}, {i, j}} {
		out[n] = float32(p.endless(0, layer, at, channel))
	}
	return out
}

func floatsOfLane(words [4]uint32) []float32 {
	var out []float32
	for _, w := range words {
		out = append(out, math.Float32frombits(w))
	}
	return out
}

// tld4: every component, geometry, address mode and offset (9.7.12.4).
func TestGatherModel(t *testing.T) {
	rnd := rand.New(rand.NewSource(15))
	for n := range 64 {
		p := newPicture(rnd, texture.Description{Channels: 4, Width: 8, Height: 4, Normalized: n%2 == 0,
			Address: [3]texture.AddressMode{texture.AddressMode(rnd.Intn(5)), texture.AddressMode(rnd.Intn(5))}})
		for d := range 2 {
			if p.Address[d] == texture.ClampOGL {
				p.Address[d] = texture.ClampToBorder
			}
		}
		geom, list, layer := "2d", "{%x, %y}", 0
		if n%3 == 0 {
			p.Layers = 3
			p = newPicture(rnd, p.Description)
			geom, list, layer = "a2d", "%h, {%r7, %x, %y, %y}", rnd.Intn(3)
		}
		channel := n % 4
		offset := [3]int{rnd.Intn(16) - 8, rnd.Intn(16) - 8}
		coords, at := points(rnd, p, 0)
		got, err := sampleWith(t, p.Description, p.bytes(), coords, fmt.Sprintf("mov.b32 %%r7, %d; mov.b32 %%r4, %d;"+
			"mov.b32 %%r5, %d; tld4.%c.%s.v4.f32.f32 {%%r0,%%r1,%%r2,%%r3}, [%%h, %s], {%%r4, %%r5};", layer, offset[0],
			offset[1], "rgba"[channel], geom, list))
		require.NoError(t, err)
		for lane := range got {
			want := p.footprint(layer, at[lane], offset, channel)
			require.Equal(t, want[:], floatsOfLane(got[lane]), "%+v at %v offset %v", p.Description, at[lane], offset)
		}
	}
	// Integers come as they are.
	for typ, image := range map[string][]byte{"u32": {1, 2, 3, 255}, "s32": {0xff, 0x80, 0x7f, 0}} {
		format := map[string]texture.Format{"u32": texture.U8, "s32": texture.S8}[typ]
		got, err := sampleWith(t, texture.Description{Width: 2, Height: 2, Channels: 1, Format: format}, image,
			[][2]float32{{1, 1}},
			"tld4.r.2d.v4."+typ+".f32 {%r0,%r1,%r2,%r3}, [%h, {%x, %y}];")
		require.NoError(t, err)
		for n, at := range [4]int{2, 3, 1, 0} {
			want := uint32(image[at])
			if typ == "s32" {
				want = uint32(int8(image[at]))
			}
			require.Equal(t, want, got[0][n], typ)
		}
	}
}

// Depth textures: what a reference of 1, 2 or 3 gives at elements of 2, and gathered from 1, 2, 3 and 2 (9.7.12.3,
// 9.7.12.4). Comparisons read: reference, relation, element.
func TestDepthComparisons(t *testing.T) {
	for mode, want := range map[texture.Compare][3]float32{texture.LessEqual: {1, 1, 0}, texture.Less: {1, 0, 0},
		texture.GreaterEqual: {0, 1, 1}, texture.Greater: {0, 0, 1}} {
		for n, ref := range []float32{1, 2, 3} {
			refer := fmt.Sprintf("mov.f32 %%f0, 0f%08X;", math.Float32bits(ref))
			tex := texture.Description{Width: 2, Height: 2, Channels: 1, Format: texture.F32, Compare: mode}
			got, err := sampleWith(t, tex, f32s(2, 2, 2, 2), [][2]float32{{0.5, 0.5}},
				refer+"tex.2d.v4.f32.f32 {%r0,%r1,%r2,%r3}, [%h, {%x, %y}], %f0;")
			require.NoError(t, err)
			require.Equal(t, want[n], floatsOf(got, 0)[0], "mode %d of %v", mode, ref)
			got, err = sampleWith(t, tex, f32s(2, 3, 1, 2), [][2]float32{{1, 1}},
				refer+"tld4.r.2d.v4.f32.f32 {%r0,%r1,%r2,%r3}, [%h, {%x, %y}], %f0;")
			require.NoError(t, err)
			for i, element := range []float32{1, 2, 3, 2} { // lower left, lower right, upper right, upper left
				passes := map[texture.Compare]bool{texture.LessEqual: ref <= element, texture.Less: ref < element,
					texture.GreaterEqual: ref >= element, texture.Greater: ref > element}[mode]
				require.Equal(t, passes, floatsOfLane(got[0])[i] == 1, "mode %d: %v and %v", mode, ref, element)
			}
		}
	}
}

// A sampler of its own decides about filter and address modes, and may force coordinates to count elements (5.3.2).
func TestSamplersOfTheirOwn(t *testing.T) {
	for force, want := range map[int]float32{0: 3, 1: 1} { // 0.9 of four elements is in element 3, and 1.25 elements in 1
		x := map[int]float32{0: 0.9, 1: 1.25}[force]
		src := txtar.Text(t, "texture_model/unnormalized",
			"FORCE", fmt.Sprint(force), "VALUE", fmt.Sprintf("0f%08X", math.Float32bits(x)))
		m, err := ptx.Parse("t.ptx", []byte(src))
		require.NoError(t, err)
		d, err := Load(m, Options{})
		require.NoError(t, err)
		image, err := d.Alloc(16)
		require.NoError(t, err)
		require.NoError(t, d.Write(image, f32s(0, 1, 2, 3)))
		tv, _, err := d.Symbol("tv")
		require.NoError(t, err)
		tex := texture.Description{Kind: texture.Image, Data: image, Width: 4, Channels: 1, Format: texture.F32,
			Normalized: true,
			Linear:     true}
		require.NoError(t, d.Write(tv, tex.Encode()))
		out, err := d.Alloc(8)
		require.NoError(t, err)
		g, err := d.Launch(Config{Entry: "k", Args: [][]byte{Ptr(out)}})
		require.NoError(t, err)
		require.NoError(t, g.Run(t.Context()))
		raw := make([]byte, 8)
		require.NoError(t, d.Read(out, raw))
		require.Equal(t, want, math.Float32frombits(machine.ByteOrder.Uint32(raw)))
		require.Equal(t, uint32(force), machine.ByteOrder.Uint32(raw[4:]))
	}
}

// Samples of an element are side by side; of an array the layer comes first: {idx, sample, x, y} (9.7.12.3).
func TestMultisampleModel(t *testing.T) {
	tex := texture.Description{Width: 4, Height: 2, Layers: 3, Samples: 4, Channels: 1, Format: texture.U16}
	image := make([]byte, 0, 192)
	for i := range 96 {
		image = binary.LittleEndian.AppendUint16(image, uint16(i))
	}
	got, err := sampleWith(t, tex, image, [][2]float32{{0, 0}, {1, 0}, {3, 1}, {2, 1}}, "mov.b32 %r4, 2; mov.b32 %r5, 3;"+
		"tex.a2dms.v4.u32.s32 {%r0,_,_,_}, [%h, {%r4, %r5, %rx, %ry}];"+
		"tex.2dms.v4.u32.s32 {%r1,_,_,_}, [%h, {%r4, %rx, %ry, %ry}];"+
		"txq.num_samples.b32 %r2, [%h]; txq.array_size.b32 %r3, [%h];")
	require.NoError(t, err)
	for lane, at := range [4]uint32{0, 1, 7, 6} { // element of a layer
		require.Equal(t, [4]uint32{(2*8+at)*4 + 3, at*4 + 2, 4, 3}, got[lane])
	}
}

// Every query of 9.7.12.5 and 9.7.13.4, of a texture, a sampler and a surface with numbers of their own.
func TestOpaqueQueries(t *testing.T) {
	ask := func(tex texture.Description, queries ...string) {
		t.Helper()
		for len(queries) > 0 {
			var name, handle string
			var want uint32
			_, err := fmt.Sscan(queries[0], &name, &handle, &want)
			require.NoError(t, err)
			got, err := sampleWith(t, tex, make([]byte, tex.Size()), [][2]float32{{0, 0}}, "mov.b32 %r4, 1;"+
				fmt.Sprintf("%s.b32 %%r0, [%s", name, handle)+"; mov.b32 %r1, 0; mov.b32 %r2, 0; mov.b32 %r3, 0;")
			require.NoError(t, err)
			require.Equal(t, want, got[0][0], queries[0])
			queries = queries[1:]
		}
	}
	tex := texture.Description{Width: 24, Height: 10, Depth: 7, Levels: 3, Channels: 2, Format: texture.UNorm16,
		Normalized: true,
		Linear:     true, Address: [3]texture.AddressMode{texture.Mirror, texture.ClampOGL, texture.ClampToBorder}}
	ask(tex, "txq.width %h] 24", "txq.height tv] 10", "txq.depth tp] 7", "txq.channel_data_type %h] 4307", // 0x10d3
		"txq.channel_order %h] 4274", // RG: 0x10b2
		"txq.normalized_coords %h] 1", "txq.array_size %h] 0", "txq.num_mipmap_levels %h] 3", "txq.num_samples %h] 0",
		"txq.level.width %h],%r4 12", "txq.level.height %h],%r4 5", "txq.level.depth %h],%r4 3",
		"txq.filter_mode %h] 1", "txq.addr_mode_0 %h] 1", "txq.addr_mode_1 %h] 2", "txq.addr_mode_2 %h] 4")
	ask(texture.Description{Width: 5, Layers: 4, Channels: 4, Format: texture.F32}, "txq.width %h] 5", "txq.height %h] 0",
		"txq.depth %h] 0", "txq.array_size %h] 4", "txq.normalized_coords %h] 0", "txq.channel_order %h] 4277",
		"txq.channel_data_type %h] 4318",
		"txq.num_mipmap_levels %h] 0", "txq.filter_mode %h] 0", "txq.addr_mode_0 %h] 0")
	ask(texture.Description{Kind: texture.Sampler, Width: 1, Channels: 1, Format: texture.F32, ForceUnnormalized: true},
		"txq.force_unnormalized_coords %h] 1")
	ask(texture.Description{Kind: texture.Surface, Width: 6, Height: 5, Depth: 4, Channels: 1, Format: texture.S8},
		"suq.width %h] 6",
		"suq.height %h] 5", "suq.depth %h] 4", "suq.channel_data_type %h] 4311", "suq.channel_order %h] 4272",
		"suq.array_size %h] 0",
		"suq.memory_layout %h] 1") // 0x10d7, R: 0x10b0
	ask(texture.Description{Kind: texture.Surface, Width: 6, Height: 5, Layers: 3, Channels: 4, Format: texture.U32},
		"suq.array_size %h] 3",
		"suq.channel_data_type %h] 4316", "suq.depth %h] 0")
}
