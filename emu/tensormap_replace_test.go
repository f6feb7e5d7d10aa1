package emu

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/emu/tensor"
	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// replacements are the instructions that set all fields of a tensor map; its address is in %from, the map's in %at.
func replacements(m *TensorMap, space string) (list []string) {
	set := func(field, typ, operands string) {
		list = append(list, fmt.Sprintf("tensormap.replace.tile.%s%s.b1024.%s [%%at], %s;", field, space, typ, operands))
	}
	set("global_address", "b64", "%from")
	set("rank", "b32", fmt.Sprint(len(m.Dims)-1))
	for i, d := range m.Dims {
		step := uint32(1)
		if m.Steps != nil {
			step = m.Steps[i]
		}
		set("global_dim", "b32", fmt.Sprint(i, ", ", d))
		set("box_dim", "b32", fmt.Sprint(i, ", ", m.Box[i]))
		set("element_stride", "b32", fmt.Sprint(i, ", ", step))
	}
	for i, s := range m.Strides {
		set("global_stride", "b64", fmt.Sprint(i, ", ", s))
	}
	for field, v := range map[string]uint64{"elemtype": uint64(m.Type), "interleave_layout": uint64(m.Interleave),
		"swizzle_mode": uint64(m.Swizzle), "swizzle_atomicity": uint64(m.Atomicity),
		"fill_mode": uint64(row.Bit(m.FillNaN))} {
		set(field, "b32", fmt.Sprint(v))
	}
	slices.Sort(list)
	return list
}

// fromZeros runs a kernel that zeroes 128 bytes in a space, makes a tensor map of them by these instructions, and
// copies a box by it; and the same box by a map of the host. It gives both, and the bytes of the map that was made.
func fromZeros(t *testing.T, version string, m TensorMap, space string, list []string) (made, host, raw []byte,
	g *Grid, err error) {
	t.Helper()
	const room = 4096
	zero, take := "st.global.b64 [%at+I], 0;", ""
	if space == ".shared::cta" {
		zero = "st.shared.b64 [%at+I], 0;"
		take = "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%z], [%at], 128;"
	}
	zeros := ""
	for i := 0; i < 128; i += 8 {
		zeros += strings.ReplaceAll(zero, "I", fmt.Sprint(i))
	}
	tx := 1
	for i, n := range m.Box {
		if m.Steps != nil {
			n = (n + m.Steps[i] - 1) / m.Steps[i]
		}
		tx *= int(n)
	}
	sixteen := TensorMap{Type: m.Type, Dims: []uint64{16}} // elements, which all types have whole bytes for
	tx = tx * int(sixteen.Extent()) / 16
	load := fmt.Sprintf("mbarrier.arrive.expect_tx.shared.b64 _, [bar], %d;\n"+
		"cp.async.bulk.tensor.%dd.shared::cluster.global.mbarrier::complete_tx::bytes [s+OFF], [MAP, {%s}], [bar];", tx,
		len(m.Dims),
		strings.TrimSuffix(strings.Repeat("0, ", len(m.Dims)), ", "))
	src := txtar.Text(t, "tensormap_replace/fromZeros",
		"VERSION", version, "ZEROS", zeros, "FIELDS", strings.Join(list, "\n"), "TAKE", take,
		"AT", map[string]string{"": "%z", ".global": "%z", ".shared::cta": "map"}[space],
		"MADE", strings.NewReplacer("OFF", "0", "MAP", "%z").Replace(load),
		"HOST", strings.NewReplacer("OFF", fmt.Sprint(room), "MAP", "%tm").Replace(load))
	if version < "8.8" {
		src = strings.Replace(src, "sm_103a", "sm_90a", 1)
	}
	mod, err := ptx.Parse("t.ptx", []byte(src))
	require.NoError(t, err, src)
	d, err := Load(mod, Options{})
	require.NoError(t, err)
	var at [3]Addr
	for i, n := range []int{room, 128, 2 * room} {
		at[i], err = d.Alloc(n)
		require.NoError(t, err)
	}
	require.NoError(t, d.Write(at[0], noise(1, room)))
	require.NoError(t, d.Write(at[1], noise(2, 128)))
	m.Address = at[0]
	tm, err := m.Encode()
	require.NoError(t, err)
	g, err = d.Launch(Config{Entry: "k", Block: Dim3{X: 32}, Args: [][]byte{Ptr(at[0]), Ptr(at[1]), Ptr(at[2]), tm}})
	require.NoError(t, err)
	err = g.Run(context.Background())
	both, raw := make([]byte, 2*room), make([]byte, 128)
	require.NoError(t, d.Read(at[2], both))
	require.NoError(t, d.Read(at[1], raw))
	return both[:room], both[room:], raw, g, err
}

// zeroVariants are maps of every element type, interleave layout, swizzle and rank.
func zeroVariants() (list []TensorMap) {
	for typ := range TensorType(16) { // Table 36
		m := TensorMap{Type: typ, Dims: []uint64{128, 4}, Box: []uint32{128, 2}}
		m.Strides = m.Packed()
		list = append(list, m)
	}
	const u16, u32, f32 = 1, 2, 7
	for swizzle, n := range []uint32{32, 8, 16, 32, 24} { // a row of the box is as long as the pattern
		list = append(list, TensorMap{Type: u32, Dims: []uint64{32, 8}, Strides: []uint64{128}, Box: []uint32{n, 8},
			Swizzle: Swizzle(swizzle)})
	}
	for atom := range Atomicity(4) {
		list = append(list, TensorMap{Type: u32, Dims: []uint64{32, 8}, Strides: []uint64{128}, Box: []uint32{32, 8},
			Swizzle: Swizzle128B, Atomicity: atom})
	}
	dims, strides, box := []uint64{16, 3, 2, 3, 2}, []uint64{16, 48, 96, 288}, []uint32{16, 2, 2, 1, 2}
	for rank := 1; rank <= 5; rank++ {
		list = append(list, TensorMap{Dims: dims[:rank], Strides: strides[:rank-1], Box: box[:rank]})
	}
	return append(list,
		TensorMap{Type: u16, Dims: []uint64{20, 4, 3}, Strides: []uint64{16, 192}, Box: []uint32{16, 4, 1},
			Interleave: Interleave16B},
		TensorMap{Type: u16, Dims: []uint64{32, 4, 3}, Strides: []uint64{32, 256}, Box: []uint32{16, 4, 1},
			Interleave: Interleave32B, Swizzle: Swizzle32B},
		TensorMap{Type: f32, Dims: []uint64{6, 3}, Strides: []uint64{32}, Box: []uint32{8, 4}, FillNaN: true},
		TensorMap{Type: u32, Dims: []uint64{8, 8}, Strides: []uint64{32}, Box: []uint32{8, 8}, Steps: []uint32{1, 3}})
}

// 128 zeroed bytes whose fields tensormap.replace sets are the tensor map that the host would have made: in global
// memory, or in shared memory and taken to global memory by tensormap.cp_fenceproxy (9.7.10.29, 9.7.15.17).
//
// families = `tensormap.replace`
func TestTensorMapsFromZeros(t *testing.T) {
	for i, m := range zeroVariants() {
		for _, space := range []string{"", ".global", ".shared::cta"} {
			made, host, raw, g, err := fromZeros(t, "8.8", m, space, replacements(&m, space))
			require.NoError(t, err, "map %d in %s", i, space)
			require.Empty(t, g.Findings())
			require.NotEqual(t, make([]byte, len(host)), host)
			require.Equal(t, host, made, "map %d in %s: %+v", i, space, m)
			m.Address = machine.ByteOrder.Uint64(raw)
			encoded, err := m.Encode()
			require.NoError(t, err)
			want, err := tensor.Decode(encoded)
			require.NoError(t, err)
			got, err := tensor.Decode(raw)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
	}
}

// A field that was never set is named where the map is used. The swizzle atomicity may be left out, since zero is 16
// bytes, and the rank of a map of one dimension, since it is counted from zero.
//
// families = `tensormap.replace`
func TestTensorMapFieldsNeverSet(t *testing.T) {
	two := TensorMap{Dims: []uint64{32, 4}, Strides: []uint64{32}, Box: []uint32{32, 2}}
	one := TensorMap{Dims: []uint64{32}, Box: []uint32{32}}
	lines := func(m *TensorMap, fields ...string) (list []string) {
		for _, line := range replacements(m, ".shared::cta") {
			field := strings.TrimPrefix(line, "tensormap.replace.tile.")
			if !slices.ContainsFunc(fields, func(f string) bool { return strings.HasPrefix(field, f) }) {
				list = append(list, line)
			}
		}
		return list
	}
	const stays = ".shared::cta.b1024.b32 [%at], "
	for _, c := range []struct {
		m    *TensorMap
		left []string
		want string
	}{
		{&two, []string{"global_address"}, "has never set .global_address"},
		{&two, []string{"rank"}, "has never set .rank"},
		{&two, []string{"box_dim" + stays + "1"}, "has never set .box_dim 1"},
		{&two, []string{"global_dim" + stays + "0"}, "has never set .global_dim 0"},
		{&two, []string{"global_stride"}, "has never set .global_stride 0"},
		{&two, []string{"element_stride"}, "has never set .element_stride 0, .element_stride 1"},
		{&two, []string{"elemtype"}, "has never set .elemtype"},
		{&two, []string{"interleave_layout", "swizzle_mode"}, "has never set .interleave_layout, .swizzle_mode"},
		{&two, []string{"fill_mode"}, "has never set .fill_mode"},
		{&two, []string{"swizzle_atomicity"}, ""},
		{&two, []string{""}, "there is no tensor map"},
		{&one, []string{"rank"}, ""},
		{&one, []string{"rank", "fill_mode"}, "has never set .fill_mode"},
	} {
		made, host, _, _, err := fromZeros(t, "8.8", *c.m, ".shared::cta", lines(c.m, c.left...))
		if c.want == "" {
			require.NoError(t, err)
			require.Equal(t, host, made)
			continue
		}
		require.ErrorContains(t, err, c.want)
		var f *Fault
		require.ErrorAs(t, err, &f)
		require.Equal(t, IllegalInstruction, f.Kind)
	}
}

// Up to PTX ISA 8.5, strides that cannot be bytes are units of 16 bytes, and a finding says so; later ones are bytes.
//
// families = `tensormap.replace`
func TestTensorMapStridesInSixteenths(t *testing.T) {
	const u32, sixteenths = 2, "whose strides cannot be bytes"
	for _, c := range []struct {
		version string
		dims    []uint64
		strides []uint64 // in bytes
		written []uint64
		finding string
		fault   string
	}{
		{"8.5", []uint64{8, 4, 3}, []uint64{32, 128}, []uint64{2, 8}, sixteenths, ""},
		{"8.3", []uint64{64, 4, 1}, []uint64{256, 1024}, []uint64{16, 64}, sixteenths, ""}, // shorter than a row
		{"8.5", []uint64{4, 1, 4}, []uint64{256, 1024}, []uint64{256, 1024}, "", ""},
		{"8.5", []uint64{8, 4, 3}, []uint64{96, 32}, []uint64{96, 32}, "", ""}, // dimensions in another order
		{"8.5", []uint64{8, 4, 3}, []uint64{0, 128}, []uint64{0, 128}, "", ""}, // the same row four times
		{"8.6", []uint64{8, 4, 3}, []uint64{32, 128}, []uint64{2, 8}, "", "stride of dimension 1 is 2 bytes"},
		{"8.6", []uint64{64, 4, 1}, []uint64{16, 64}, []uint64{16, 64}, "", ""}, // rows that overlap are no mistake
	} {
		m := TensorMap{Type: u32, Dims: c.dims, Strides: c.strides, Box: []uint32{4, 2, 1}}
		other := m
		other.Strides = c.written
		list := slices.DeleteFunc(replacements(&other, ".shared::cta"), func(line string) bool {
			return strings.Contains(line, "swizzle_atomicity") // sm_90a has none
		})
		made, host, _, g, err := fromZeros(t, c.version, m, ".shared::cta", list)
		if c.fault != "" {
			require.ErrorContains(t, err, c.fault)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, host, made)
		if c.finding == "" {
			require.Empty(t, g.Findings())
			continue
		}
		require.Len(t, g.Findings(), 1)
		require.Contains(t, g.Findings()[0].Message, c.finding)
		require.Equal(t, Memcheck, g.Findings()[0].Check)
	}
}
