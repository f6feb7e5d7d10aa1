package emu

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
)

// swizzleTable gives the tables of 5.5.7, of chunks of 16 bytes in lines of 128.
var swizzleTable = map[Swizzle][]string{
	NoSwizzle: {"01234567"}, Swizzle32B: {"01234567", "10325476"},
	Swizzle64B:  {"01234567", "10325476", "23016745", "32107654"},
	Swizzle128B: {"01234567", "10325476", "23016745", "32107654", "45670123", "54761032", "67452301", "76543210"},
}

// straight puts the chunks of shared memory back in order. The patterns are their own inverses.
func straight(s Swizzle, shared []byte) []byte {
	out := make([]byte, len(shared))
	table := swizzleTable[s]
	for at := 0; at < len(shared); at += 16 {
		line := at / 128
		from := int(table[line%len(table)][at/16%8] - '0')
		copy(out[at:], shared[128*line+16*from:][:16])
	}
	return out
}

// tensorPlace is an element of a box: its offset in the tensor's memory, or -1 outside of the tensor.
type tensorPlace int

// interleavedPlace is 5.5.6, N C/s D H W s: coordinates are channel, W, H, D, N as far as there are any.
func interleavedPlace(m *TensorMap, size int, at []int) tensorPlace {
	slice := 16
	if m.Interleave == Interleave32B {
		slice = 32
	}
	for i, x := range at {
		if x < 0 || x >= int(m.Dims[i]) {
			return -1
		}
	}
	rank := len(m.Dims)
	perSlice := slice / size
	offset := at[0]%perSlice*size + at[0]/perSlice*int(m.Strides[rank-3])*int(m.Dims[rank-2])
	for i := 1; i < rank; i++ {
		offset += at[i] * int(m.Strides[i-1])
	}
	return tensorPlace(offset)
}

// interleavedTile lists a box: images, slices, D, H, W, channels of the slice, each loop inside of the one before.
func interleavedTile(m *TensorMap, size int, coords []int) (out []tensorPlace) {
	rank := len(m.Dims)
	perSlice := int(m.Interleave) * 16 / size
	at := append([]int{}, coords...)
	var spatial func(d int)
	spatial = func(d int) {
		if d == 0 {
			first := at[0]
			for range perSlice {
				out = append(out, interleavedPlace(m, size, at))
				at[0]++
			}
			at[0] = first
			return
		}
		for i := 0; i < int(m.Box[d]); i += int(m.Steps[d]) {
			at[d] = coords[d] + i
			spatial(d - 1)
		}
	}
	for n := 0; n < int(m.Box[rank-1]); n += int(m.Steps[rank-1]) {
		at[rank-1] = coords[rank-1] + n
		for s := 0; s < int(m.Box[0])/perSlice; s += int(m.Steps[0]) {
			at[0] = coords[0] + s*perSlice
			spatial(rank - 2)
		}
	}
	return out
}

// gathered is what a load writes, scattered what a store makes of global memory.
func gathered(places []tensorPlace, size int, in []byte, fill byte) (out []byte) {
	for _, p := range places {
		for i := range size {
			if p < 0 {
				out = append(out, fill)
			} else {
				out = append(out, in[int(p)+i])
			}
		}
	}
	return out
}

func scattered(places []tensorPlace, size int, shared, global []byte) []byte {
	out := append([]byte{}, global...)
	for i, p := range places {
		if p >= 0 {
			copy(out[p:][:size], shared[i*size:])
		}
	}
	return out
}

// randomInterleaved makes a tensor of slices and the size of its memory.
func randomInterleaved(rnd *rand.Rand) (m TensorMap, size, bytes int) {
	types := map[int]string{1: "u8", 2: "u16", 4: "u32", 8: "u64"}
	size = 1 << rnd.Intn(4)
	m.Type, _ = TensorTypeNamed(types[size])
	m.Interleave = Interleave(1 + rnd.Intn(2))
	m.Swizzle = Swizzle32B
	if m.Interleave == Interleave16B {
		m.Swizzle = Swizzle(rnd.Intn(4))
	}
	slice := int(m.Interleave) * 16
	rank, channels := 3+rnd.Intn(3), 1+rnd.Intn(4*slice/size)
	m.Dims, m.Steps = []uint64{uint64(channels)}, []uint32{uint32(1 + rnd.Intn(2))}
	m.Box = []uint32{uint32((1 + rnd.Intn(3)) * slice / size)}
	stride := slice
	for d := 1; d < rank; d++ {
		m.Dims, m.Steps = append(m.Dims, uint64(1+rnd.Intn(5))), append(m.Steps, uint32(1+rnd.Intn(2)))
		m.Box = append(m.Box, uint32(1+rnd.Intn(3)))
		if d == rank-1 {
			stride *= (channels*size + slice - 1) / slice
		}
		m.Strides = append(m.Strides, uint64(stride+slice*rnd.Intn(2)))
		stride = int(m.Strides[d-1] * m.Dims[d])
	}
	return m, size, stride + 256
}

func TestInterleavedTiles(t *testing.T) {
	rnd := rand.New(rand.NewSource(12))
	for range 60 {
		m, size, memory := randomInterleaved(rnd)
		perSlice := int(m.Interleave) * 16 / size
		coords := []int{(rnd.Intn(4) - 1) * perSlice}
		for _, d := range m.Dims[1:] {
			coords = append(coords, rnd.Intn(int(d)+2)-1)
		}
		places := interleavedTile(&m, size, coords)
		bytes, dst := len(places)*size, 128*rnd.Intn(9)
		r := tensorRun{target: "sm_90a", m: m, in: noise(rnd.Int63(), memory),
			out: noise(rnd.Int63(), (dst+bytes+127)&^127), coords: coords,
			dst: dst, bytes: bytes}
		got, _, g, err := r.run(t)
		require.NoError(t, err, "%+v", m)
		require.Empty(t, g.Findings())
		require.Equal(t, gathered(places, size, r.in, 0), straight(m.Swizzle, got)[dst:][:bytes], "%+v at %v", m, coords)

		for i := range coords {
			coords[i] = max(coords[i], 0)
		}
		places = interleavedTile(&m, size, coords)
		r.store = "cp.async.bulk.tensor." + string(rune('0'+len(m.Dims))) + "d.global.shared::cta.bulk_group"
		_, global, _, err := r.run(t)
		require.NoError(t, err)
		require.Equal(t, scattered(places, size, straight(m.Swizzle, r.out)[dst:], r.in), global, "%+v to %v", m, coords)
	}
}

// A reduction of slices, channels that are no whole slice among them: f32 2 x 2 pixels of 6 channels, 4 in a slice.
func TestInterleavedReduction(t *testing.T) {
	u32, _ := TensorTypeNamed("u32")
	m := TensorMap{Type: u32, Dims: []uint64{6, 2, 2, 1}, Box: []uint32{8, 2, 1, 1}, Interleave: Interleave16B}
	m.Strides = m.Packed()
	require.Equal(t, []uint64{16, 32, 128}, m.Strides)
	require.EqualValues(t, 128, m.Extent())
	r := tensorRun{target: "sm_90a", m: m, in: noise(1, 256), out: noise(2, 128), coords: []int{0, 0, 1, 0},
		store: "cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.bulk_group"}
	_, global, _, err := r.run(t)
	require.NoError(t, err)
	want := append([]byte{}, r.in...)
	for i, at := range []int{32, 36, 40, 44, 48, 52, 56, 60, 96, 100, -1, -1, 112, 116} { // channels 6 and 7 are in none
		if at >= 0 {
			machine.ByteOrder.PutUint32(want[at:], machine.ByteOrder.Uint32(r.in[at:])+machine.ByteOrder.Uint32(r.out[4*i:]))
		}
	}
	require.Equal(t, want, global)
}

// im2col of slices: a column of pixels for each slice.
func TestInterleavedIm2col(t *testing.T) {
	for _, inter := range []Interleave{Interleave16B, Interleave32B} {
		u16, _ := TensorTypeNamed("u16")
		perSlice := 8 * int(inter)
		m := TensorMap{Type: u16, Dims: []uint64{44, 5, 4, 3}, Box: []uint32{uint32(2 * perSlice), 30}, Interleave: inter,
			Mode:  Im2col,
			Lower: []int16{-1, 0}, Upper: []int16{0, -1}, Steps: []uint32{1, 2, 1, 1}}
		if inter == Interleave32B {
			m.Swizzle = Swizzle32B
		}
		m.Strides = m.Packed()
		var places []tensorPlace
		coords, offsets := []int{perSlice, 1, 2, 0}, []int{1, 1}
		for s := range 2 {
			for _, p := range im2colPlaces(&m, coords)[:30] {
				for c := range perSlice {
					places = append(places, interleavedPlace(&m, 2, []int{coords[0] + s*perSlice + c, p[0] + 1, p[1] + 1, p[2]}))
				}
			}
		}
		r := tensorRun{target: "sm_90a", mode: ".im2col", m: m, in: noise(5, int(m.Extent())),
			out:    make([]byte, 2*len(places)),
			coords: coords, offsets: offsets, bytes: 2 * len(places)}
		got, _, _, err := r.run(t)
		require.NoError(t, err)
		require.Equal(t, gathered(places, 2, r.in, 0), straight(m.Swizzle, got))
	}
}

// wideModel is 5.5.5: pixels of a row along W, then of the same row of the next image, and halos after them.
func wideModel(m *TensorMap, in []byte, coords []int, halo, offset, pixels, every int) (out []byte) {
	rank := len(m.Dims)
	add := func(w, n int) {
		at, outside := coords[0], w < 0 || w >= int(m.Dims[1]) || n < 0 || n >= int(m.Dims[rank-1])
		for d := 2; d < rank-1; d++ {
			outside = outside || coords[d] < 0 || coords[d] >= int(m.Dims[d])
			at += coords[d] * int(m.Strides[d-1])
		}
		at += w*int(m.Strides[0]) + n*int(m.Strides[rank-2])
		for c := range int(m.Box[0]) {
			if outside || coords[0]+c >= int(m.Dims[0]) {
				out = append(out, 0)
			} else {
				out = append(out, in[at+c])
			}
		}
	}
	first, step, done := coords[1], int(m.Steps[1]), 0
	for n := coords[rank-1]; ; n++ {
		for w := first; w <= int(m.Dims[1])-1+int(m.Upper[0]); w += step {
			add(w+offset, n)
			if done++; done%every == 0 {
				for h := 1; h <= halo; h++ {
					add(w+offset+h*step, n)
				}
			}
			if done == pixels {
				return out
			}
		}
		first = int(m.Lower[0])
	}
}

func TestTensorIm2colWide(t *testing.T) {
	wide := func(mode TensorMode, step, lower, upper int, dims ...uint64) TensorMap {
		m := TensorMap{Dims: dims, Box: []uint32{16, 128}, Steps: []uint32{1, uint32(step), 1, 1, 1}[:len(dims)], Mode: mode,
			Lower: []int16{int16(lower)}, Upper: []int16{int16(upper)}, Swizzle: Swizzle32B}
		m.Strides = m.Packed()
		return m
	}
	sevens := wide(Im2colW, 3, -1, -1, 32, 7, 7, 60)
	short := wide(Im2colW, 1, -2, 1, 32, 11, 4)
	short.Box[1] = 21 // with the halo an even number: pairs of pixels are swizzled
	for i, c := range []struct {
		m            TensorMap
		coords       []int
		halo, offset int
	}{
		// The examples of 5.5.5.3 and 5.5.5.4, with fewer channels and images; the manual's coordinates are N, H, W, C.
		{wide(Im2colW, 1, 0, 0, 32, 9, 7, 24), []int{16, 3, 2, 7}, 2, 0},
		{wide(Im2colW128, 1, 0, 0, 32, 9, 7, 24), []int{0, 3, 2, 7}, 2, 0},
		{wide(Im2colW, 2, -1, 0, 32, 9, 67, 33), []int{0, -1, 2, 7}, 1, 0},
		{wide(Im2colW, 2, -1, 0, 32, 9, 67, 33), []int{0, -1, 2, 7}, 0, 1},
		{sevens, []int{0, -1, 2, 7}, 0, 0},
		{sevens, []int{0, -1, 2, 7}, 0, 1},
		{sevens, []int{0, -1, 2, 7}, 0, 2},
		// Left of the bounding box, three and five dimensions, images and channels that run out.
		{short, []int{24, -5, 1}, 7, 3},
		{wide(Im2colW128, 2, 1, -1, 16, 40, 2, 3, 8), []int{0, -2, 1, 2, 1}, 31, 2},
	} {
		halos, every, pixels, mode := 1, int(c.m.Box[1]), int(c.m.Box[1]), ".im2col::w"
		if c.m.Mode == Im2colW128 {
			halos, every, pixels, mode = 4, 32, 128, ".im2col::w::128"
		}
		bytes := 16 * (pixels + halos*c.halo)
		r := tensorRun{target: "sm_100a", mode: mode, m: c.m, in: noise(int64(i), int(c.m.Extent())),
			out: make([]byte, bytes), coords: c.coords,
			offsets: []int{c.halo, c.offset}, bytes: bytes}
		got, _, g, err := r.run(t)
		require.NoError(t, err, "case %d", i)
		require.Empty(t, g.Findings())
		got = straight(c.m.Swizzle, got)
		require.Equal(t, wideModel(&c.m, r.in, c.coords, c.halo, c.offset, pixels, every), got, "case %d", i)
		if i == 0 { // by hand: 6 pixels of image 7, 13 images of 9, 5 of image 21; then W 5 and 6 of that
			for p, w := range map[int][2]int{0: {3, 7}, 5: {8, 7}, 6: {0, 8}, 127: {4, 21}, 128: {5, 21}, 129: {6, 21}} {
				at := 16 + 32*(w[0]+9*(2+7*w[1]))
				require.Equal(t, r.in[at:at+16], got[16*p:][:16], "pixel %d", p)
			}
		}
	}
}

// b6p2x16: bytes lose their upper two bits on the way to global memory (5.5.1.1.1), elements from the low bits up.
func TestTensorStorePacks(t *testing.T) {
	typ, _ := TensorTypeNamed("b6x16_p32")
	m := TensorMap{Type: typ, Dims: []uint64{128, 3}, Strides: []uint64{96}, Box: []uint32{128, 2}, Swizzle: Swizzle128B}
	r := tensorRun{target: "sm_100a", m: m, in: noise(1, 3*96), out: noise(2, 256), coords: []int{0, 1},
		store: "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group"}
	_, global, g, err := r.run(t)
	require.NoError(t, err)
	require.Empty(t, g.Findings())
	want := append([]byte{}, r.in...)
	shared := straight(Swizzle128B, r.out)
	for bit := range 2 * 128 * 6 {
		v := shared[bit/6] >> (bit % 6) & 1
		to := &want[96+bit/8]
		*to = *to&^(1<<(bit%8)) | v<<(bit%8)
	}
	require.Equal(t, want, global)
}

func TestTensorNumbersThatAreRefused(t *testing.T) {
	slices := TensorMap{Dims: []uint64{20, 4, 4}, Strides: []uint64{16, 128}, Box: []uint32{16, 4, 1},
		Interleave: Interleave16B}
	column := TensorMap{Dims: []uint64{16, 4, 4}, Strides: []uint64{16, 64}, Box: []uint32{16, 4}, Lower: []int16{0},
		Upper: []int16{-1}, Swizzle: Swizzle32B}
	mode := func(m TensorMode) TensorMap {
		c := column
		c.Mode = m
		return c
	}
	flip := TensorMap{Dims: []uint64{16, 4, 4}, Strides: []uint64{16, 64}, Box: []uint32{16, 4, 1},
		Swizzle: Swizzle128B, Atomicity: Atom32BFlip8B}
	const store = "cp.async.bulk.tensor.3d.global.shared::cta"
	for _, c := range []struct {
		m       TensorMap
		mode    string
		coords  []int
		offsets []int
		store   string
		want    string
	}{
		{slices, "", []int{8, 0, 0}, nil, "", "coordinate 8 of dimension 0 is no multiple of 16"},
		{slices, "", []int{0, -1, 0}, nil, store + ".bulk_group", "the coordinate -1 is negative"},
		{mode(Im2col), ".im2col::w", []int{0, 0, 0}, []int{0, 0}, "", "it is im2col, the instruction im2col::w"},
		{mode(Im2colW), ".im2col::w::128", []int{0, 0, 0}, []int{0, 0}, "",
			"it is im2col::w, the instruction im2col::w::128"},
		{mode(Im2colW), ".im2col::w", []int{0, 3, 0}, []int{0, 0}, "",
			"coordinate 3 of dimension 1 is outside of the bounding box, 0 to 2"},
		{mode(Im2col), ".im2col", []int{0, -1, 0}, []int{0}, "",
			"coordinate -1 of dimension 1 is outside of the bounding box, 0 to 2"},
		{mode(Im2colW), ".im2col::w", []int{0, 0, 0}, []int{512, 0}, "",
			"wHalo 512 and wOffset 0: there are at most 511 and 31"},
		{mode(Im2colW128), ".im2col::w::128", []int{0, 0, 0}, []int{32, 0}, "",
			"wHalo 32 and wOffset 0: there are at most 31 and 31"},
		{mode(Im2colW), ".im2col::w", []int{0, 0, 0}, []int{0, 32}, "", "wHalo 0 and wOffset 32"},
		{mode(Im2col), "", []int{0, 0, 0}, nil, store + ".im2col_no_offs.bulk_group", ""},
		{flip, "", []int{0, 0, 0}, nil, "", ""},
		{flip, "", []int{0, 0, 0}, nil, store + ".bulk_group", "to global memory do not take the 8-byte flip"},
	} {
		r := tensorRun{target: "sm_100a", mode: c.mode, m: c.m, in: make([]byte, 4096), out: make([]byte, 1024),
			coords:  c.coords,
			offsets: c.offsets, bytes: 64, store: c.store}
		_, _, _, err := r.run(t)
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.want)
	}
}
