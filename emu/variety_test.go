package emu

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/tensor"
	"warpscope/internal/txtar"
	"warpscope/ptx/isa"
)

// Every field that tensormap.replace changes, by the numbers of Table 36 (9.7.10.29).
//
// families = `tensormap.replace`
func TestTensorMapFields(t *testing.T) {
	const four = "{%v0, %v1, %v2, %v3}"
	named := func(name string) TensorType {
		typ, ok := TensorTypeNamed(name)
		require.True(t, ok, name)
		return typ
	}
	for _, c := range []struct {
		change string
		same   func(m *TensorMap)
	}{
		{"global_address.%s.b1024.b64 [%%x], 0x200001000", func(m *TensorMap) { m.Address = 0x200001000 }},
		{"global_dim.%s.b1024.b32 [%%x], 0, 60", func(m *TensorMap) { m.Dims[0] = 60 }},
		{"global_dim.%s.b1024.b32 [%%x], 2, 9", func(m *TensorMap) { m.Dims[2] = 9 }},
		{"global_stride.%s.b1024.b64 [%%x], 0, 512", func(m *TensorMap) { m.Strides[0] = 512 }},
		{"global_stride.%s.b1024.b64 [%%x], 1, 0x100000010", func(m *TensorMap) { m.Strides[1] = 0x100000010 }},
		{"box_dim.%s.b1024.b32 [%%x], 0, 4", func(m *TensorMap) { m.Box[0] = 4 }},
		{"box_dim.%s.b1024.b32 [%%x], 1, 256", func(m *TensorMap) { m.Box[1] = 256 }},
		{"element_stride.%s.b1024.b32 [%%x], 2, 8", func(m *TensorMap) { m.Steps[2] = 8 }},
		{"elemtype.%s.b1024.b32 [%%x], 3", func(m *TensorMap) { m.Type = named("s32") }},
		{"elemtype.%s.b1024.b32 [%%x], 7", func(m *TensorMap) { m.Type = named("f32") }},
		{"elemtype.%s.b1024.b32 [%%x], 8", func(m *TensorMap) { m.Type = named("f32.ftz") }},
		{"elemtype.%s.b1024.b32 [%%x], 11", func(m *TensorMap) { m.Type = named("tf32") }},
		{"elemtype.%s.b1024.b32 [%%x], 12", func(m *TensorMap) { m.Type = named("tf32.ftz") }},
		{"swizzle_mode.%s.b1024.b32 [%%x], 0", func(m *TensorMap) { m.Swizzle = NoSwizzle }},
		{"swizzle_mode.%s.b1024.b32 [%%x], 1", func(m *TensorMap) { m.Swizzle = Swizzle32B }},
		{"swizzle_mode.%s.b1024.b32 [%%x], 2", func(m *TensorMap) { m.Swizzle = Swizzle64B }},
		{"swizzle_mode.%s.b1024.b32 [%%x], 4", func(m *TensorMap) { m.Swizzle = Swizzle96B }},
		{"swizzle_atomicity.%s.b1024.b32 [%%x], 1", func(m *TensorMap) { m.Atomicity = Atom32B }},
		{"swizzle_atomicity.%s.b1024.b32 [%%x], 2", func(m *TensorMap) { m.Atomicity = Atom32BFlip8B }},
		{"swizzle_atomicity.%s.b1024.b32 [%%x], 3", func(m *TensorMap) { m.Atomicity = Atom64B }},
		{"fill_mode.%s.b1024.b32 [%%x], 1", func(m *TensorMap) { m.Type, m.FillNaN = named("f32"), true }},
		{"rank.%s.b1024.b32 [%%x], 2", func(m *TensorMap) {}}, // one less than three
	} {
		typ := "u32"
		if strings.HasPrefix(c.change, "fill") {
			typ = "f32"
		}
		maps := [2]TensorMap{}
		for i := range maps {
			maps[i] = TensorMap{Type: named(typ), Dims: []uint64{64, 8, 3}, Strides: []uint64{256, 4096}, Box: []uint32{8, 8, 1},
				Steps: []uint32{1, 1, 1}, Swizzle: Swizzle128B}
		}
		c.same(&maps[1])
		old, err := maps[0].Encode()
		require.NoError(t, err)
		want, err := maps[1].Encode()
		require.NoError(t, err, c.change)
		if strings.HasPrefix(c.change, "rank") {
			rank := slices.IndexFunc(tensor.Fields[:], func(f tensor.Field) bool { return f.Name == ".rank" })
			five := tensor.Replace(rank, 0, false)
			five.Set(old, 4) // else it would be the same
		}
		for _, space := range []string{"global", "shared::cta"} {
			body := "mov.u64 %x, %p; // sm_103a has all the fields' values\n"
			if space != "global" {
				body = "mov.u64 %x, s; // sm_103a\n"
			}
			body += " // sm_103a has swizzle mode 4\n"
			for i := 0; i < 128; i += 16 {
				body += fmt.Sprintf("ld.global.v4.u32 %s, [%%p+%d]; st.shared.v4.u32 [s+%[2]d], %[1]s;\n", four, i)
			}
			body += "tensormap.replace.tile." + fmt.Sprintf(c.change, space) + ";\n"
			for i := 0; i < 128; i += 16 {
				from := map[string]string{"global": "global.v4.u32 " + four + ", [%p"}[space]
				if from == "" {
					from = "shared.v4.u32 " + four + ", [s"
				}
				body += fmt.Sprintf("ld.%s+%d]; st.global.v4.u32 [%%q+%[2]d], %s;\n", from, i, four)
			}
			out, _, err := runBulk(t, 1, 1, body, old)
			require.NoError(t, err, c.change)
			require.Equal(t, want, out[:128], c.change)
		}
	}
}

// Tensor copies that reduce, of every type and operation (9.7.10.28.5.4), against arithmetic.
//
// families = `cp.reduce.async.bulk.tensor`
func TestTensorReductions(t *testing.T) {
	rnd := rand.New(rand.NewSource(18))
	for name, ops := range map[string]string{"u32": "add min max inc dec and or xor", "s32": "add min max and or xor",
		"u64": "add min max and or xor", "s64": "min max and or xor", "f16": "add min max", "bf16": "add min max",
		"f32": "add"} {
		typ, ok := isa.ParseType("." + name)
		require.True(t, ok)
		element, ok := TensorTypeNamed(name)
		require.True(t, ok)
		size := typ.Bytes()
		for _, op := range strings.Fields(ops) {
			r := reduction{op: op, typ: typ, element: typ}
			n := uint32(64 / size)
			run := tensorRun{target: "sm_90a", m: TensorMap{Type: element, Dims: []uint64{uint64(n)}, Box: []uint32{n}},
				in: r.values(rnd), out: r.values(rnd), coords: []int{0},
				store: "cp.reduce.async.bulk.tensor.1d.global.shared::cta." + op + ".tile.bulk_group"}
			_, global, g, err := run.run(t)
			require.NoError(t, err, "%s %s", op, name)
			require.Empty(t, g.Findings())
			for i := 0; i < 64; i += size {
				want := r.fold(mem.ReadUint(run.in[i:], size), mem.ReadUint(run.out[i:], size), 0)
				mask := uint64(1)<<(8*size-1)<<1 - 1
				require.Equal(t, want&mask, mem.ReadUint(global[i:], size), "%s %s of %x and %x", op, name,
					run.in[i:i+size],
					run.out[i:i+size])
			}
		}
	}
}

// Rows of matrices in registers, by the formulas of Figures 107 to 111, for every number of matrices. Registers hold
// numbers of their own.
//
// families = `stmatrix stmatrix.b8`
func TestStmatrixCounts(t *testing.T) {
	value := func(lane, reg int) uint32 { return uint32(4*lane+reg) * 0x9e3779b1 }
	for _, n := range []int{1, 2, 4} {
		for _, shape := range []string{"m8n8.x%d.shared.b16", "m8n8.x%d.trans.shared.b16", "m16n8.x%d.trans.shared.b8"} {
			body := `.shared .align 16 .b8 s[512]; .reg .b32 %r<4>, %a, %t; .reg .b64 %p, %o; mov.b32 %t, 0;
				mov.u32 %a, s; mad.lo.u32 %a, %l, 16, %a; st.shared.v4.b32 [%a], {%t, %t, %t, %t}; shl.b32 %t, %l, 2;
				`
			for r := range n {
				body += fmt.Sprintf("add.u32 %%r%d, %%t, %[1]d; mul.lo.u32 %%r%[1]d, %%r%[1]d, 0x9e3779b1;\n", r)
			}
			body += "stmatrix.sync.aligned." + fmt.Sprintf(shape, n) + " [%a], " + tuple("r", n) + ";\n" +
				`bar.warp.sync -1; ld.shared.v4.b32 {%r0,%r1,%r2,%r3}, [%a]; ld.param.u64 %p, [out]; mul.wide.u32 %o, %l, 16;
				add.s64 %p, %p, %o; st.global.v4.b32 [%p], {%r0,%r1,%r2,%r3};`
			out, want := make([]byte, 512), make([]byte, 512)
			require.NoError(t, runMatrix(t, "out", body, out), shape)
			for lane := range 32 {
				for r := range n {
					v := value(lane, r)
					switch shape {
					case "m8n8.x%d.shared.b16": // row lane/4, columns 2(lane%4) and one more
						machine.ByteOrder.PutUint32(want[128*r+lane/4*16+lane%4*4:], v)
					case "m8n8.x%d.trans.shared.b16":
						machine.ByteOrder.PutUint16(want[128*r+lane%4*2*16+lane/4*2:], uint16(v))
						machine.ByteOrder.PutUint16(want[128*r+(lane%4*2+1)*16+lane/4*2:], uint16(v>>16))
					default: // a row of memory is a column of 16 bytes: two columns of row lane/4, then of row lane/4+8
						for e := range 4 {
							want[128*r+(lane%4*2+e%2)*16+lane/4+e/2*8] = byte(v >> (8 * e))
						}
					}
				}
			}
			require.Equal(t, want, out, "%s of %d", shape, n)
		}
	}
}

// Loads and stores of 256 bits of every type: eight elements of 32 bits, four of 64 (9.7.10.8, 9.7.10.11). A load
// leaves elements out that have no register.
//
// families = `ld.256 st.hints`
func TestWideVectors(t *testing.T) {
	in := counting(0, 64)
	for _, typ := range strings.Fields("v8.b32 v8.u32 v8.s32 v8.f32 v4.b64 v4.u64 v4.s64 v4.f64") {
		n, bits := 8, 32
		if strings.HasSuffix(typ, "64") {
			n, bits = 4, 64
		}
		all := tuple("v", n)
		rest, _ := strings.CutPrefix(all, "{%v0, ")
		words, _, err := runWords(t, fmt.Sprintf(`.version 8.8
.target sm_100
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) { .reg .b64 %%p, %%q; .reg .b%d %%v<8>;
	ld.param.u64 %%p, [in]; ld.param.u64 %%q, [out]; ld.global.%s %s, [%%p+32];
	ld.global.%s {%%v0%s}, [%%p]; st.global.%s [%%q+64], {%s, %%v0}; ret; }`, bits, typ, all, typ,
			strings.Repeat(", _", n-1), typ, strings.TrimSuffix(rest, "}")), Config{}, in)
		require.NoError(t, err)
		for i := range 8 { // moved down by an element; the last one is of the second load
			require.Equal(t, machine.ByteOrder.Uint32(in[(32+4*i+bits/8)%64:]), words[16+i], typ)
		}
	}
}

// Work of a grid of three dimensions: who asks for more gets the whole number of a CTA that has not started, and every
// CTA's work is done once (9.7.15.18, 9.7.15.19).
//
// families = `clusterlaunchcontrol.try_cancel clusterlaunchcontrol.query_cancel`
func TestClusterLaunchControlDimensions(t *testing.T) {
	words, g, err := runWords(t, txtar.Text(t, "variety/dimensions"), Config{Grid: Dim3{X: 2, Y: 3, Z: 4}}, nil)
	require.NoError(t, err)
	for i, n := range words {
		require.Equal(t, map[bool]uint32{true: 1}[i < 24], n, "CTA %d", i)
	}
	require.Equal(t, int64(24), g.Stats().CTAsDone)
	require.True(t, g.Done())
}

// A cluster of two asks together: rank 0's question is answered in both, and each goes on with the CTA of its rank.
func TestClusterLaunchControlOfClusters(t *testing.T) {
	d := load(t, txtar.Text(t, "variety/clusters"))
	out, err := d.Alloc(64)
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Grid: Dim3{X: 10}, Cluster: Dim3{X: 2}, Args: [][]byte{Ptr(out)}})
	require.NoError(t, err)
	require.NoError(t, g.Run(context.Background()))
	raw := make([]byte, 64)
	require.NoError(t, d.Read(out, raw))
	for i := range 16 {
		require.Equal(t, map[bool]uint32{true: 1}[i < 10], machine.ByteOrder.Uint32(raw[4*i:]), "CTA %d", i)
	}
}
