package emu

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// tensorRun copies a box of a tensor over global memory in to shared memory at byte dst, and shows that in out. When
// store is an instruction, shared memory begins with the bytes of out, and that is executed instead.
type tensorRun struct {
	target, mode string // "sm_90a"; ".tile" and the like
	m            TensorMap
	in, out      []byte
	coords       []int
	offsets      []int
	dst, bytes   int // where to, and how many bytes arrive
	store        string
	over         string // operands before the coordinates
	setup, after string // instructions around the copy
}

func (r *tensorRun) run(t *testing.T) (shared, global []byte, g *Grid, err error) {
	t.Helper()
	list := func(v []int) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(v), " ", ","), "[]") }
	dim := len(r.m.Dims)
	op := fmt.Sprintf("cp.async.bulk.tensor.%dd.shared::cta.global%s.mbarrier::complete_tx::bytes [s+%d], "+
		"[%%tm, %s{%s}], [bar]",
		dim, r.mode, r.dst, r.over, list(r.coords))
	if len(r.offsets) > 0 {
		op += ", {" + list(r.offsets) + "}"
	}
	body := fmt.Sprintf("mbarrier.arrive.expect_tx.shared.b64 _, [bar], %d; %s;\n%s", r.bytes, op, waitBar)
	if r.store != "" {
		body = fmt.Sprintf("%s [%%tm, %s{%s}], [s+%d]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;", r.store,
			r.over, list(r.coords), r.dst)
	}
	n, version := len(r.out), "8.8"
	if r.target == "sm_107a" {
		version = "9.4"
	}
	src := txtar.Text(t, "tensor/tensors",
		"VERSION", version,
		"TARGET", r.target,
		"SIZE", fmt.Sprint(n),
		"BODY", r.setup+body+r.after)
	m, err := ptx.Parse("t.ptx", []byte(src))
	require.NoError(t, err, src)
	d, err := Load(m, Options{})
	require.NoError(t, err)
	from, err := d.Alloc(len(r.in))
	require.NoError(t, err)
	require.NoError(t, d.Write(from, r.in))
	to, err := d.Alloc(n)
	require.NoError(t, err)
	require.NoError(t, d.Write(to, r.out))
	r.m.Address += from
	tm, err := r.m.Encode()
	r.m.Address -= from
	if err != nil {
		return nil, nil, nil, err
	}
	g, err = d.Launch(Config{Entry: "k", Args: [][]byte{tm, Ptr(to)}})
	require.NoError(t, err)
	err = g.Run(context.Background())
	shared, global = make([]byte, n), make([]byte, len(r.in))
	require.NoError(t, d.Read(to, shared))
	require.NoError(t, d.Read(from, global))
	return shared, global, g, err
}

func noise(seed int64, n int) []byte {
	b := make([]byte, n)
	rand.New(rand.NewSource(seed)).Read(b)
	return b
}

// The tables of 5.5.7: which 16-byte chunk of the source lies where, in lines of 128 bytes.
func TestSwizzleTables(t *testing.T) {
	full := swizzleTable[Swizzle128B]
	for _, c := range []struct {
		swizzle Swizzle
		atom    Atomicity
		width   uint64 // bytes of a row
		table   []string
	}{
		{NoSwizzle, Atom16B, 64, []string{"01234567"}},
		{Swizzle32B, Atom16B, 32, full[:2]},
		{Swizzle64B, Atom16B, 64, full[:4]},
		{Swizzle96B, Atom16B, 64, full[:2]},
		{Swizzle128B, Atom16B, 128, full},
		{Swizzle128B, Atom16B, 64, full}, // rows narrower than the pattern
		{Swizzle128B, Atom32B, 128, []string{"01234567", "23016745", "45670123", "67452301"}},
		{Swizzle128B, Atom32BFlip8B, 128, []string{"01234567", "23016745", "45670123", "67452301"}},
		{Swizzle128B, Atom64B, 128, []string{"01234567", "45670123"}},
	} {
		const size = 2048
		for _, dst := range []int{0, 1024, 384} { // 384: the base offset is not zero, the pattern begins at line 3
			in := noise(1, size)
			r := tensorRun{target: "sm_100a", m: TensorMap{Dims: []uint64{c.width, size / c.width}, Strides: []uint64{c.width},
				Box: []uint32{uint32(c.width), uint32(min(size/c.width, 256))}, Swizzle: c.swizzle, Atomicity: c.atom},
				in: in, out: make([]byte, 4096), coords: []int{0, 0}, dst: dst, bytes: size}
			got, _, g, err := r.run(t)
			require.NoError(t, err)
			require.Empty(t, g.Findings())
			want := make([]byte, 4096)
			for at := 0; at < size; at += 16 {
				line, chunk := (dst+at)/128, (dst+at)/16%8
				source := int(c.table[line%len(c.table)][chunk]-'0')*16 + line*128 - dst
				piece := append([]byte(nil), in[source:][:16]...)
				if c.atom == Atom32BFlip8B && line%2 == 1 { // "a flip of adjacent 8-bytes … at every alternate line"
					piece = append(piece[8:16:16], piece[:8]...)
				}
				copy(want[dst+at:], piece)
			}
			require.Equal(t, want, got, "%v", c)
		}
	}
}

// A plain model of 5.5.3: what element of the tensor, if any, goes to element i of the box.
func tileModel(m *TensorMap, size int, in []byte, coords []int, fill byte) (out []byte) {
	var walk func(d int, at uint64, outside bool)
	walk = func(d int, at uint64, outside bool) {
		step := 1
		if m.Steps != nil {
			step = int(m.Steps[d])
		}
		for i := 0; i < int(m.Box[d]); i += step {
			p := coords[d] + i
			o := outside || p < 0 || p >= int(m.Dims[d])
			stride := uint64(size)
			if d > 0 {
				stride = m.Strides[d-1]
			}
			switch {
			case d > 0:
				walk(d-1, at+uint64(p)*stride, o)
			case o:
				for range size {
					out = append(out, fill)
				}
			default:
				out = append(out, in[at+uint64(p)*stride:][:size]...)
			}
		}
	}
	walk(len(m.Dims)-1, 0, false)
	return out
}

func TestTensorTiles(t *testing.T) {
	rnd := rand.New(rand.NewSource(7))
	for rank := 1; rank <= 5; rank++ {
		for range 6 {
			types := []string{"u8", "u16", "f32", "f64"}
			size := 1 << rnd.Intn(4)
			typ, _ := TensorTypeNamed(types[map[int]int{1: 0, 2: 1, 4: 2, 8: 3}[size]])
			m := TensorMap{Type: typ}
			coords := []int{}
			stride, total := uint64(0), 1
			for d := range rank {
				dim, box, step := uint64(1+rnd.Intn(9)), uint32(1+rnd.Intn(5)), uint32(1)
				if d == 0 {
					dim, box = uint64(1+rnd.Intn(64)), uint32(16/size*(1+rnd.Intn(3)))
					stride = (dim*uint64(size) + 15) &^ 15
				} else {
					step = uint32(1 + rnd.Intn(3))
					m.Strides = append(m.Strides, stride+uint64(16*rnd.Intn(2)))
					stride = m.Strides[d-1] * dim
				}
				m.Dims, m.Box, m.Steps = append(m.Dims, dim), append(m.Box, box), append(m.Steps, step)
				coords = append(coords, rnd.Intn(int(dim)+4)-3)
				total *= int((box + step - 1) / step)
			}
			in := noise(rnd.Int63(), int(stride)+256)
			r := tensorRun{target: "sm_100a", mode: []string{"", ".tile"}[rnd.Intn(2)], m: m, in: in, out: make([]byte, 16384),
				coords: coords, bytes: total * size}
			got, _, _, err := r.run(t)
			require.NoError(t, err)
			require.Equal(t, tileModel(&m, size, in, coords, 0), got[:total*size], "%+v at %v", m, coords)
			require.Equal(t, make([]byte, 16384-total*size), got[total*size:])
		}
	}
}

// Outside of the tensor are NaNs when the map says so.
func TestTensorFill(t *testing.T) {
	f32, _ := TensorTypeNamed("f32")
	r := tensorRun{target: "sm_100a", m: TensorMap{Type: f32, Dims: []uint64{4, 2}, Strides: []uint64{16},
		Box: []uint32{8, 1}, FillNaN: true},
		in: noise(3, 32), out: make([]byte, 64), coords: []int{-3, 1}, bytes: 32}
	got, _, _, err := r.run(t)
	require.NoError(t, err)
	nan := []byte{0xff, 0xff, 0xff, 0x7f}
	want := append(append(append([]byte{}, nan...), append(append([]byte{}, nan...), nan...)...), r.in[16:32]...)
	require.Equal(t, append(want, nan...), got[:32])
}

// Groups of 16 elements below a byte get their padding in shared memory (5.5.1.1.1).
func TestTensorSubBytes(t *testing.T) {
	for name, unit := range map[string][2]int{"b4x16": {8, 8}, "b4x16_p64": {8, 16}, "b6x16_p32": {12, 16}} {
		typ, _ := TensorTypeNamed(name)
		r := tensorRun{target: "sm_100a", m: TensorMap{Type: typ, Dims: []uint64{128, 2},
			Strides: []uint64{uint64(8 * unit[0])}, Box: []uint32{128, 2}},
			in: noise(5, 512), out: make([]byte, 512), coords: []int{0, 0}, bytes: 16 * unit[0]}
		got, _, _, err := r.run(t)
		require.NoError(t, err, name)
		for u := range 16 {
			require.Equal(t, r.in[u*unit[0]:][:unit[0]], got[u*unit[1]:][:unit[0]], "%s unit %d", name, u)
			require.Equal(t, make([]byte, unit[1]-unit[0]), got[u*unit[1]+unit[0]:][:unit[1]-unit[0]])
		}
	}
}

func TestTensorGatherScatter(t *testing.T) {
	in := noise(4, 64*10)
	m := TensorMap{Dims: []uint64{64, 10}, Strides: []uint64{64}, Box: []uint32{32, 1}}
	r := tensorRun{target: "sm_100a", mode: ".tile::gather4", m: m, in: in, out: make([]byte, 128),
		coords: []int{16, 2, 5, 10, 9}, bytes: 128}
	got, _, _, err := r.run(t)
	require.NoError(t, err)
	want := append(append(append(append([]byte{}, in[2*64+16:][:32]...), in[5*64+16:][:32]...), make([]byte, 32)...),
		in[9*64+16:][:32]...)
	require.Equal(t, want, got)
	r.mode, r.store, r.out = "", "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group", noise(6, 128)
	r.coords = []int{48, 3, 0, 10, 1}
	_, global, g, err := r.run(t)
	require.NoError(t, err)
	require.Empty(t, g.Findings())
	wantGlobal := append([]byte{}, in...) // columns from 64 on are outside, and so is row 10
	copy(wantGlobal[3*64+48:][:16], r.out)
	copy(wantGlobal[48:][:16], r.out[32:])
	copy(wantGlobal[64+48:][:16], r.out[96:])
	require.Equal(t, wantGlobal, global)
}

// Stores leave out what lies outside, undo the swizzling, and may reduce.
func TestTensorStore(t *testing.T) {
	u32, _ := TensorTypeNamed("u32")
	m := TensorMap{Type: u32, Dims: []uint64{30, 7}, Strides: []uint64{128}, Box: []uint32{16, 4}, Swizzle: Swizzle64B}
	for _, op := range []string{"", ".add", ".max", ".xor"} {
		store := "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group"
		if op != "" {
			store = "cp.reduce.async.bulk.tensor.2d.global.shared::cta" + op + ".tile.bulk_group"
		}
		r := tensorRun{target: "sm_90a", m: m, in: noise(8, 128*7), out: noise(9, 512), coords: []int{20, 5}, dst: 128,
			store: store}
		_, global, g, err := r.run(t)
		require.NoError(t, err)
		require.Empty(t, g.Findings())
		want := append([]byte{}, r.in...)
		for y := range 2 {
			for x := range 10 {
				// Chunk x/4 of row y, which begins 64 y bytes after byte 128 of shared memory; line 1 + y/2 of the pattern.
				at := 128 + 64*y
				v := machine.ByteOrder.Uint32(r.out[at/128*128+(at%128/16+x/4^at/128%4)*16+x%4*4:])
				to := want[128*(5+y)+4*(20+x):]
				old := machine.ByteOrder.Uint32(to)
				switch op {
				case ".add":
					v += old
				case ".max":
					v = max(v, old)
				case ".xor":
					v ^= old
				}
				machine.ByteOrder.PutUint32(to, v)
			}
		}
		require.Equal(t, want, global, op)
	}
}

// A plain model of im2col (5.5.4): the places in the bounding box in the order of NDHW, from the filter's base on.
func im2colPlaces(m *TensorMap, coords []int) [][]int {
	space := len(m.Dims) - 2
	var places [][]int // W, H, D, N
	var walk func(d int, at []int)
	walk = func(d int, at []int) {
		if d < 0 {
			places = append(places, append([]int{}, at...))
			return
		}
		low, high, step := 0, int(m.Dims[d+1])-1+2, 1 // two images more than there are
		if d < space {
			low, high, step = int(m.Lower[d]), int(m.Dims[d+1])-1+int(m.Upper[d]), int(m.Steps[d+1])
		}
		for at[d] = low; at[d] <= high; at[d] += step {
			walk(d-1, at)
		}
	}
	walk(space, make([]int, space+1))
	first := 0
	for fmt.Sprint(places[first]) != fmt.Sprint(coords[1:]) {
		first++
	}
	return places[first:]
}

func im2colModel(m *TensorMap, in []byte, coords, offsets []int) (out []byte) {
	space := len(m.Dims) - 2
	for _, p := range im2colPlaces(m, coords)[:m.Box[1]] {
		at, inside := coords[0], true
		for d := range p {
			x := p[d]
			if d < space {
				x += offsets[d]
			}
			inside = inside && x >= 0 && x < int(m.Dims[d+1])
			at += x * int(m.Strides[d])
		}
		if inside {
			out = append(out, in[at:][:m.Box[0]]...)
		} else {
			out = append(out, make([]byte, m.Box[0])...)
		}
	}
	return out
}

func TestTensorIm2col(t *testing.T) {
	four := func(w, h, n int) TensorMap {
		return TensorMap{Dims: []uint64{64, uint64(w), uint64(h), uint64(n)},
			Strides: []uint64{64, uint64(64 * w), uint64(64 * w * h)},
			Mode:    Im2col, Steps: []uint32{1, 1, 1, 1}}
	}
	// The manual's examples 1 and 2: 9 x 14 pixels, 64 pixels from (4, 7) of image 7. Its coordinates are N, H, W, C.
	one := four(9, 14, 8)
	one.Box, one.Lower, one.Upper = []uint32{16, 64}, []int16{-1, -1}, []int16{-1, -1}
	two := four(9, 14, 8)
	two.Box, two.Lower, two.Upper = []uint32{16, 64}, []int16{0, 0}, []int16{-2, -2}
	// Example 3's traversal stride of 2; the last image runs out.
	three := four(8, 14, 8)
	three.Box, three.Lower, three.Upper, three.Steps = []uint32{16, 32}, []int16{-1, -1}, []int16{-1, -1},
		[]uint32{1, 2, 2, 1}
	line := TensorMap{Dims: []uint64{32, 11, 3}, Strides: []uint64{32, 352}, Box: []uint32{32, 20}, Mode: Im2col,
		Lower: []int16{-2}, Upper: []int16{1}, Steps: []uint32{1, 1, 1}}
	deep := TensorMap{Dims: []uint64{16, 4, 3, 3, 2}, Strides: []uint64{16, 64, 192, 576}, Box: []uint32{16, 50},
		Mode:  Im2col,
		Lower: []int16{-1, 0, -1}, Upper: []int16{0, -1, 0}, Steps: []uint32{1, 1, 1, 2, 1}}
	for i, c := range []struct {
		m       TensorMap
		coords  []int
		offsets []int
	}{
		{one, []int{0, 4, 7, 7}, []int{0, 0}},
		{two, []int{16, 4, 7, 7}, []int{2, 2}},
		{three, []int{0, 5, 7, 7}, []int{1, 1}},
		{line, []int{0, 9, 1}, []int{2}},
		{deep, []int{0, 1, 1, 1, 0}, []int{1, 1, 0}},
	} {
		in := noise(int64(i), 64*9*14*8)
		bytes := int(c.m.Box[0] * c.m.Box[1])
		r := tensorRun{target: "sm_100a", mode: ".im2col", m: c.m, in: in, out: make([]byte, 2048), coords: c.coords,
			offsets: c.offsets, bytes: bytes}
		got, _, _, err := r.run(t)
		require.NoError(t, err)
		require.Equal(t, im2colModel(&c.m, in, c.coords, c.offsets), got[:bytes], "case %d", i)
	}
}

func TestTensorCopiesThatAreRefused(t *testing.T) {
	f32, _ := TensorTypeNamed("f32")
	r := tensorRun{target: "sm_100a", m: TensorMap{Type: f32, Dims: []uint64{64, 8}, Strides: []uint64{256},
		Box: []uint32{16, 8}},
		in: make([]byte, 512), out: make([]byte, 1024), coords: []int{0, 0}, bytes: 512}
	_, _, _, err := r.run(t)
	require.ErrorContains(t, err, "the tensor reaches beyond its memory")
	five := TensorMap{Dims: []uint64{256, 256, 256, 256, 1}, Strides: []uint64{256, 1 << 16, 1 << 24, 1 << 32},
		Box: []uint32{256, 256, 256, 256, 1}}
	huge := tensorRun{target: "sm_100a", m: five, in: make([]byte, 512), out: make([]byte, 1024),
		coords: []int{0, 0, 0, 0, 0}, bytes: 16}
	_, _, _, err = huge.run(t)
	require.ErrorContains(t, err, "more than any shared memory")
	r.in, r.dst = make([]byte, 4096), 64
	_, _, _, err = r.run(t)
	require.ErrorContains(t, err, "must be a multiple of 128")
	r.dst, r.store = 0, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.tile.bulk_group"
	_, _, _, err = r.run(t)
	require.ErrorContains(t, err, "no reduction .min of elements of type f32")
}

// tensormap.replace makes another map of one, in shared memory, and tensormap.cp_fenceproxy takes it to global memory.
//
// families = `tensormap.replace`
func TestTensorMapReplace(t *testing.T) {
	testMapReplace(t, "fence.proxy.tensormap::generic.acquire.gpu [%x], 128;", "")
	// A map is read through the tensormap proxy (9.7.10.28.5.3), and that wants a fence for its address (9.7.15.4).
	const missing = "has changed: fence.proxy.tensormap::generic.acquire is missing"
	testMapReplace(t, "", missing)
	testMapReplace(t, "fence.proxy.tensormap::generic.acquire.gpu [%q], 128;", missing)
	testMapReplace(t, "fence.proxy.async;", missing)
}

func testMapReplace(t *testing.T, fence, words string) {
	m, err := ptx.Parse("t.ptx", []byte(txtar.Text(t, "tensor/replace", "FENCE", fence)))
	require.NoError(t, err)
	d, err := Load(m, Options{})
	require.NoError(t, err)
	from, _ := d.Alloc(512)
	to, _ := d.Alloc(512)
	in := noise(11, 512)
	require.NoError(t, d.Write(from, in))
	old := TensorMap{Dims: []uint64{16, 1}, Strides: []uint64{16}, Box: []uint32{16, 1}, Swizzle: Swizzle128B}
	tm, err := old.Encode()
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}, Args: [][]byte{Ptr(from), Ptr(to), tm}})
	require.NoError(t, err)
	require.NoError(t, g.Run(context.Background()))
	if list := g.Findings(); words == "" {
		require.Empty(t, list)
	} else {
		require.Len(t, list, 1)
		require.Contains(t, list[0].Message, words)
	}
	got := make([]byte, 32)
	require.NoError(t, d.Read(to, got))
	require.Equal(t, append(append([]byte{}, in[4:20]...), in[256+4:][:16]...), got) // rows 0 and 2
}
