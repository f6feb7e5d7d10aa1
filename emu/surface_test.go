package emu

import (
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/mem"
	"warpscope/emu/texture"
)

// canvas is a second model of surfaces: rows of bytes in slices and layers.
type canvas struct {
	texture.Description
	data []byte
}

func (c *canvas) row() int {
	return c.Width * c.Channels * map[texture.Format]int{texture.U8: 1, texture.U32: 4}[c.Format]
}

// reach are the bytes of an access of size bytes: nil where it is dropped, or gives zeros. clamp goes to the nearest
// place of this size, coordinate by coordinate (9.7.13.1).
func (c *canvas) reach(clamp string, layer, x, y, z, size int) []byte {
	limits := [4]int{c.row() - size, max(c.Height, 1) - 1, max(c.Depth, 1) - 1, max(c.Layers, 1) - 1}
	for n, p := range [4]*int{&x, &y, &z, &layer} {
		switch {
		case *p >= 0 && *p <= limits[n]:
		case clamp == "zero":
			return nil
		case *p < 0:
			*p = 0
		default:
			*p = limits[n]
		}
	}
	at := ((layer*max(c.Depth, 1)+z)*max(c.Height, 1)+y)*c.row() + x
	return c.data[at : at+size]
}

// surfaceAccess is a load and a store at one place.
type surfaceAccess struct {
	geom, clamp    string
	bits, vec      int
	layer, x, y, z int
	canvas         *canvas
}

func newSurfaceAccess(rnd *rand.Rand, n int) *surfaceAccess {
	a := &surfaceAccess{geom: []string{"1d", "2d", "3d", "a1d", "a2d"}[n%5], bits: 8 << (n / 5 % 4),
		vec: 1 << (n / 20 % 3), clamp: []string{"zero", "clamp", "trap"}[n/60]}
	c := &canvas{Description: texture.Description{Kind: texture.Surface, Width: 16, Channels: 4, Format: texture.U8}}
	if rnd.Intn(2) == 0 {
		c.Width, c.Channels, c.Format = 32, 1, texture.U32
	}
	place := func(limit int) int { // perhaps outside
		if a.clamp == "trap" {
			return rnd.Intn(limit)
		}
		return rnd.Intn(3*limit) - limit
	}
	a.x = a.size() * place(c.row()/a.size())
	if strings.Contains("2d 3d a2d", a.geom) {
		c.Height, a.y = 3, place(3)
	}
	if a.geom == "3d" {
		c.Depth, a.z = 2, place(2)
	}
	if a.geom[0] == 'a' {
		c.Layers, a.layer = 3, max(place(3), 0) // an unsigned index
	}
	c.data = make([]byte, c.Size())
	rnd.Read(c.data)
	a.canvas = c
	return a
}

func (a *surfaceAccess) size() int { return a.bits / 8 * a.vec }

// statements load from the place, store value there, and store what was loaded at the start of the surface.
func (a *surfaceAccess) statements(value []byte) string {
	var k strings.Builder
	fmt.Fprintf(&k, ".reg .b%d %%u<4>, %%v<4>; mov.b32 %%r4, %d; mov.b32 %%r5, %d; mov.b32 %%r6, %d; mov.b32 %%r7, %d;\n",
		a.bits, a.x, a.y, a.z, a.layer)
	for i := range a.vec {
		v := mem.ReadUint(value[i*a.bits/8:], a.bits/8)
		if a.bits == 8 {
			fmt.Fprintf(&k, "mov.b32 %%r0, %d; cvt.u8.u32 %%v%d, %%r0;\n", v, i)
		} else {
			fmt.Fprintf(&k, "mov.b%d %%v%d, %d;\n", a.bits, i, v)
		}
	}
	at := map[string]string{"1d": "%r4", "2d": "%r4, %r5", "3d": "%r4, %r5, %r6, %r6", "a1d": "%r7, %r4",
		"a2d": "%r7, %r4, %r5, %r5"}[a.geom]
	start := strings.NewReplacer("%r4", "0", "%r5", "0", "%r6", "0", "%r7", "0").Replace(at)
	form := fmt.Sprintf("b.%s%s.b%d.%s", a.geom, map[int]string{1: "", 2: ".v2", 4: ".v4"}[a.vec], a.bits, a.clamp)
	fmt.Fprintf(&k, "suld.%s %s, [%%h, {%s}];\n", form, vector("u", a.vec), at)
	fmt.Fprintf(&k, "sust.%s [%%h, {%s}], %s;\n", form, at, vector("v", a.vec))
	fmt.Fprintf(&k, "sust.%s [%%h, {%s}], %s;\n", form, start, vector("u", a.vec))
	return k.String() + noWords
}

// noWords gives the words that a kernel stores, where only the image matters.
const noWords = "mov.b32 %r0, 0; mov.b32 %r1, 0; mov.b32 %r2, 0; mov.b32 %r3, 0;"

// Loads and stores of every geometry, size, vector and clamp mode, in and outside of the surface.
func TestSurfaceModel(t *testing.T) {
	rnd := rand.New(rand.NewSource(17))
	for n := range 5 * 4 * 3 * 3 {
		a := newSurfaceAccess(rnd, n)
		if a.size() > 16 {
			continue // 5.4.2: no vector has more than 128 bits
		}
		c := a.canvas
		value, loaded := make([]byte, a.size()), make([]byte, a.size())
		rnd.Read(value)
		_, after, err := drawWith(t, c.Description, append([]byte{}, c.data...), [][2]float32{{0, 0}}, a.statements(value))
		require.NoError(t, err)
		reached := c.reach(a.clamp, a.layer, a.x, a.y, a.z, a.size())
		copy(loaded, reached)
		copy(reached, value)
		copy(c.data, loaded)
		require.Equal(t, c.data, after, "%+v of %+v", a, c.Description)
	}
}

// Formatted stores convert to the format, channel by channel (9.7.13.2). Values beyond its range are limited.
func TestFormattedStores(t *testing.T) {
	f := math.Float32bits
	negativeZero := f(float32(math.Copysign(0, -1))) // Go has no literal for it
	for _, c := range []struct {
		format texture.Format
		values [4]uint32
		want   [4]uint64
		size   int
	}{
		{texture.U8, [4]uint32{0, 200, 255, 256}, [4]uint64{0, 200, 255, 255}, 1},
		{texture.S8, [4]uint32{0xffffff80, 0xffffff7f, 127, 128}, [4]uint64{0x80, 0x80, 127, 127}, 1},
		{texture.U16, [4]uint32{1, 65535, 65536, 0xffffffff}, [4]uint64{1, 65535, 65535, 65535}, 2},
		{texture.S16, [4]uint32{0xffff8000, 0xffff7fff, 32767, 32768}, [4]uint64{0x8000, 0x8000, 32767, 32767}, 2},
		{texture.U32, [4]uint32{1, 2, 3, 0xffffffff}, [4]uint64{1, 2, 3, 0xffffffff}, 4},
		{texture.S32, [4]uint32{1, 2, 3, 0x80000000}, [4]uint64{1, 2, 3, 0x80000000}, 4},
		// Times 255 to the nearest: 0.5 is 127.5, halfway, to 128 as the even one; 0.7 is 178.5 and a little less.
		{texture.UNorm8, [4]uint32{f(0.5), f(0.7), f(-1), f(2)}, [4]uint64{128, 178, 0, 255}, 1},
		// Times 127: 0.3 is 38.1, 0.31 is 39.37, -0.7 is -88.9.
		{texture.SNorm8, [4]uint32{f(0.3), f(0.31), f(-0.7), f(-3)}, [4]uint64{38, 39, 256 - 89, 256 - 127}, 1},
		// 16383.75, 65534.3; 8191.75.
		{texture.UNorm16, [4]uint32{f(1), f(0.25), f(0.99999), 0x7fc00000}, [4]uint64{65535, 16384, 65534, 0}, 2},
		{texture.SNorm16, [4]uint32{f(1), f(-1), f(0.25), f(-0.25)}, [4]uint64{32767, 65536 - 32767, 8192, 65536 - 8192}, 2},
		{texture.F16, [4]uint32{f(1.5), f(-2), f(1e9), f(1 + 0x1p-11)}, [4]uint64{0x3e00, 0xc000, 0x7c00, 0x3c00}, 2},
		{texture.F32, [4]uint32{f(0.1), 0x7f812345, negativeZero, 1},
			[4]uint64{uint64(f(0.1)), 0x7f812345, uint64(negativeZero), 1}, 4},
	} {
		for _, channels := range []int{1, 2, 4} {
			s := texture.Description{Kind: texture.Surface, Width: 2, Height: 2, Channels: channels, Format: c.format}
			image := make([]byte, s.Size())
			_, after, err := drawWith(t, s, image, [][2]float32{{1, 1}}, fmt.Sprintf("mov.b32 %%r0, %d; mov.b32 %%r1, %d;"+
				"mov.b32 %%r2, %d; mov.b32 %%r3, %d; sust.p.2d.v4.b32.trap [%%h, {%%rx, %%ry}], {%%r0, %%r1, %%r2, %%r3};",
				c.values[0], c.values[1], c.values[2], c.values[3]))
			require.NoError(t, err)
			at := 3 * channels * c.size
			require.Equal(t, image[:at], after[:at])
			for i := range channels {
				require.Equal(t, c.want[i], mem.ReadUint(after[at+i*c.size:], c.size), "format %d channel %d", c.format, i)
			}
		}
	}
}

// Reductions on 40 with 7, -1 and the like. Whether .p is signed follows from the format; its first coordinate counts
// elements of the instruction's type (9.7.13.3).
func TestSurfaceReductions(t *testing.T) {
	const minus1 = ^uint64(0)
	for _, c := range []struct {
		op     string
		format texture.Format
		old, b uint64
		want   uint64
	}{
		{"b.add.%s.u32", texture.U32, 40, minus1, 39}, {"b.add.%s.s32", texture.U32, 40, 7, 47},
		{"b.min.%s.u32", texture.U32, 40, minus1, 40}, {"b.min.%s.s32", texture.U32, 40, minus1, 0xffffffff},
		{"b.max.%s.u32", texture.U32, 40, minus1, 0xffffffff}, {"b.max.%s.s32", texture.U32, 40, minus1, 40},
		{"b.and.%s.b32", texture.U32, 40, 44, 40 & 44}, {"b.or.%s.b32", texture.U32, 40, 44, 40 | 44},
		{"b.add.%s.u64", texture.U32, 1 << 32, minus1, 1<<32 - 1}, {"b.min.%s.u64", texture.U32, 1 << 40, minus1, 1 << 40},
		{"b.min.%s.s64", texture.U32, 1 << 40, minus1, minus1}, {"b.max.%s.s64", texture.U32, 1 << 40, minus1, 1 << 40},
		{"b.max.%s.u64", texture.U32, 1 << 40, minus1, minus1},
		{"p.add.%s.b32", texture.U32, 40, 7, 47}, {"p.min.%s.b32", texture.U32, 40, minus1, 40},
		{"p.min.%s.b32", texture.S32, 40, minus1, 0xffffffff},
		{"p.max.%s.b32", texture.U32, 40, minus1, 0xffffffff}, {"p.max.%s.b32", texture.S32, 40, minus1, 40},
		{"p.and.%s.b32", texture.U32, 40, 44, 40 & 44}, {"p.or.%s.b32", texture.S32, 40, 44, 40 | 44},
		{"p.min.%s.b64", texture.U32, 1 << 40, minus1, 1 << 40}, {"p.min.%s.b64", texture.S32, 1 << 40, minus1, minus1},
		{"p.max.%s.b64", texture.S32, 1 << 40, minus1, 1 << 40},
	} {
		for geom, coords := range map[string]string{"1d": "%r4", "2d": "%r4, 1", "3d": "%r4, 1, 1, 0"} {
			size := 4
			if strings.HasSuffix(c.op, "64") {
				size = 8
			}
			s := texture.Description{Kind: texture.Surface, Width: 8, Channels: 2, Format: c.format}
			x, at := 3, 3*size // the fourth element of the last row
			if c.op[0] == 'b' {
				x *= size
			}
			if geom != "1d" {
				s.Height, at = 2, at+64
			}
			if geom == "3d" {
				s.Depth, at = 2, at+128
			}
			old, want := make([]byte, s.Size()), make([]byte, s.Size())
			for i := range size {
				old[at+i], want[at+i] = byte(c.old>>(8*i)), byte(c.want>>(8*i))
			}
			reduce := func(clamp string, x int) []byte {
				_, after, err := drawWith(t, s, append([]byte{}, old...), [][2]float32{{0, 0}}, fmt.Sprintf(
					".reg .b%d %%c; mov.b32 %%r4, %d; mov.b%[1]d %%c, %[3]d; sured.%[4]s.%[5]s [%%h, {%[6]s}], %%c;", 8*size, x,
					c.b&(1<<(8*size-1)<<1-1), fmt.Sprintf(c.op, geom), clamp, coords)+noWords)
				require.NoError(t, err)
				return after
			}
			for _, clamp := range []string{"trap", "clamp", "zero"} {
				require.Equal(t, want, reduce(clamp, x), "%s %s", c.op, geom)
			}
			require.Equal(t, old, reduce("zero", 64), "outside")
		}
	}
}
