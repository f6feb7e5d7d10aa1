package emu

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
)

// overridden is a copy through a map of a u8 tensor at byte 4096 of in. Its base address becomes that of byte 20080,
// and more than 128 KiB follow there (9.7.10.28.5.2.1).
func overridden(mods string) tensorRun {
	return tensorRun{target: "sm_107a", mode: ".tile.override::global_address" + mods, in: noise(4, 20080+128<<10),
		m:   TensorMap{Address: 4096, Dims: []uint64{64, 8}, Strides: []uint64{64}, Box: []uint32{32, 4}},
		out: make([]byte, 128), coords: []int{0, 0}, bytes: 128, over: "%q, ",
		setup: `.reg .b8 %c<5>; .reg .b16 %h<5>; ld.param.u64 %q, [tm]; add.u64 %q, %q, 15984;
		`}
}

// .override::global_address: the map's own address is not used (9.7.10.28.5.2.1).
func TestTensorAddressOverride(t *testing.T) {
	r := overridden("")
	r.coords = []int{48, 6}
	got, _, g, err := r.run(t)
	require.NoError(t, err)
	require.Empty(t, g.Findings())
	require.Equal(t, tileModel(&r.m, 1, r.in[20080:], r.coords, 0), got)

	r.setup += "add.u64 %q, %q, 8;"
	_, _, _, err = r.run(t)
	require.ErrorContains(t, err, "no multiple of 16")

	r = overridden("")
	r.in = r.in[:len(r.in)-1]
	_, _, g, err = r.run(t)
	require.NoError(t, err)
	require.Len(t, g.Findings(), 1)
	require.Contains(t, g.Findings()[0].Message, "of the 131,072 bytes from there on, which must be "+
		"allocated, some are not")
	require.Equal(t, "9.7.10.28.5.2.1", g.Findings()[0].Section)

	r = overridden("") // im2col walks through the same pixels, elsewhere
	r.mode = ".im2col.override::global_address"
	r.m = TensorMap{Address: 4096, Dims: []uint64{16, 5, 4}, Strides: []uint64{32, 192}, Box: []uint32{16, 8},
		Mode: Im2col, Lower: []int16{0}, Upper: []int16{-1}, Steps: []uint32{1, 1, 1}}
	r.coords, r.offsets = []int{0, 1, 1}, []int{1}
	got, _, _, err = r.run(t)
	require.NoError(t, err)
	require.Equal(t, im2colModel(&r.m, r.in[20080:], r.coords, r.offsets), got)
}

// .override::global_dim_stride: the lower 8 bits of registers are sizes, and strides are
// (lower + (upper << 32)) << 4 bytes (9.7.10.28.5.2.2).
func TestTensorAttributeOverride(t *testing.T) {
	const bytes = `cvt.u8.u32 %c0, 20; cvt.u8.u32 %c1, 3; mov.b16 %h0, 0;
		`
	r := overridden(".override::global_dim_stride")
	r.setup += bytes
	r.over = "%q, {%c0, %c1}, {5}, %h0, "
	got, _, g, err := r.run(t)
	require.NoError(t, err)
	require.Empty(t, g.Findings())
	want := make([]byte, 128)
	for y := range 3 {
		copy(want[32*y:], r.in[20080+80*y:][:20]) // 5 << 4 = 80
	}
	require.Equal(t, want, got)

	// One row of 1 << 32 << 4 bytes is never left; a second one is far away.
	r.over, r.setup = "%q, {%c0, %c1}, {0}, %h0, ", overridden("").setup+bytes+"cvt.u8.u32 %c1, 1; mov.b16 %h0, 0xfff1;"
	got, _, _, err = r.run(t)
	require.NoError(t, err)
	require.Equal(t, append(append([]byte{}, want[:20]...), make([]byte, 108)...), got)
	r.setup += "cvt.u8.u32 %c1, 2;"
	_, _, _, err = r.run(t)
	require.ErrorContains(t, err, "the tensor reaches beyond its memory")

	r = overridden(".override::global_dim_stride")
	r.over, r.setup = "%q, {%c0, %c1}, {5}, %h0, ", r.setup+bytes
	r.coords[1] = 1
	_, _, _, err = r.run(t)
	require.ErrorContains(t, err, "its dimensions are overridden, and then all coordinates must be zero")
	r.setup += "cvt.u8.u32 %c1, 0;"
	_, _, _, err = r.run(t)
	require.ErrorContains(t, err, "dimension 1 is overridden by 0 elements")

	r = overridden(".override::global_dim") // of one dimension, which has no stride
	r.m.Dims, r.m.Strides, r.m.Box, r.coords, r.bytes = []uint64{64}, nil, []uint32{128}, []int{0}, 128
	r.setup += "mov.b16 %h0, 0xab64;" // 0x64 = 100
	r.over = "%q, {%h0}, "
	got, _, _, err = r.run(t)
	require.NoError(t, err)
	require.Equal(t, append(append([]byte{}, r.in[20080:20180]...), make([]byte, 28)...), got)
}

// Stores and reductions go where the operands say.
func TestTensorOverrideOfStores(t *testing.T) {
	u32, _ := TensorTypeNamed("u32")
	for _, op := range []string{"cp.async.bulk.tensor.3d.global.shared::cta",
		"cp.reduce.async.bulk.tensor.3d.global.shared::cta.add"} {
		r := overridden("")
		r.m = TensorMap{Address: 4096, Type: u32, Dims: []uint64{64, 8, 8}, Strides: []uint64{256, 2048},
			Box: []uint32{4, 4, 2}}
		r.out, r.coords = noise(5, 128), []int{0, 0, 0}
		r.store = op + ".bulk_group.override::global_address.override::global_dim_stride"
		r.setup += `cvt.u8.u32 %c0, 3; cvt.u8.u32 %c1, 2; cvt.u8.u32 %c2, 2; mov.b16 %h0, 0;
		`
		r.over = "%q, {%c0, %c1, %c2}, {3, 9}, %h0, " // 48 and 144 bytes
		_, global, g, err := r.run(t)
		require.NoError(t, err)
		require.Empty(t, g.Findings())
		want := append([]byte{}, r.in...)
		for z := range 2 {
			for y := range 2 {
				for x := range 3 {
					to, v := want[20080+144*z+48*y+4*x:], machine.ByteOrder.Uint32(r.out[64*z+16*y+4*x:])
					if strings.HasPrefix(op, "cp.reduce") {
						v += machine.ByteOrder.Uint32(to)
					}
					machine.ByteOrder.PutUint32(to, v)
				}
			}
		}
		require.Equal(t, want, global, op)
	}
}

// .im2col_no_offs::w: im2col::w with a halo and an offset of 0 (9.7.10.28.5.3), from shared to global memory.
func TestTensorStoreWide(t *testing.T) {
	u32, _ := TensorTypeNamed("u32")
	m := TensorMap{Type: u32, Dims: []uint64{8, 9, 7, 12}, Strides: []uint64{32, 288, 2016}, Box: []uint32{4, 40},
		Steps: []uint32{1, 2, 1, 1}, Mode: Im2colW, Lower: []int16{1}, Upper: []int16{-1},
		Swizzle: Swizzle32B}
	inBytes := m // for the model, whose elements are bytes
	inBytes.Dims, inBytes.Box, inBytes.Type = []uint64{32, 9, 7, 12}, []uint32{16, 40}, 0
	size := int(m.Extent())
	// The model copies three pictures of global memory, which tell where each byte of the column comes from.
	low, high, inside := make([]byte, size), make([]byte, size), make([]byte, size)
	for i := range size {
		low[i], high[i], inside[i] = byte(i), byte(i>>8), 1
	}
	from := func(picture []byte) []byte { return wideModel(&inBytes, picture, []int{16, 3, 2, 7}, 0, 0, 40, 40) }
	low, high, inside = from(low), from(high), from(inside)
	for _, op := range []string{"cp.async.bulk.tensor.4d.global.shared::cta",
		"cp.reduce.async.bulk.tensor.4d.global.shared::cta.xor"} {
		r := tensorRun{target: "sm_107a", m: m, in: noise(6, size), out: noise(7, 640), coords: []int{4, 3, 2, 7},
			store: op + ".im2col_no_offs::w.bulk_group"}
		_, global, g, err := r.run(t)
		require.NoError(t, err)
		require.Empty(t, g.Findings())
		want := append([]byte{}, r.in...)
		written := 0
		for i, v := range straight(m.Swizzle, r.out) {
			if inside[i] == 0 {
				continue
			}
			written++
			at := int(low[i]) | int(high[i])<<8
			if strings.HasPrefix(op, "cp.reduce") {
				v ^= want[at]
			}
			want[at] = v
		}
		// W is 3, 5, 7 in image 7, then 1, 3, 5, 7 in each of the images 8 to 11: 19 pixels; the other 21 are outside.
		require.Equal(t, 19*16, written)
		require.Equal(t, want, global, op)
	}
	r := tensorRun{target: "sm_107a", m: m, in: noise(6, size), out: noise(7, 640), coords: []int{4, 3, 2, 7},
		store: "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group"}
	_, _, _, err := r.run(t)
	require.ErrorContains(t, err, "it is im2col::w, the instruction im2col")
}
