package emu

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// warpSpecialised is a product of matrices in the shape that CUTLASS gives it on sm_90: a warpgroup of which one thread
// fetches tiles by tensor copies with 128-byte swizzling, multicast to the two CTAs of a cluster where both need them,
// and a warpgroup that multiplies them with wgmma. D is 64 x 64 for each CTA; CTA 1 has other columns of B.
func warpSpecialised(t *testing.T) string {
	t.Helper()
	var d, store strings.Builder
	for i := range 32 {
		if i > 0 {
			d.WriteString(", ")
		}
		fmt.Fprintf(&d, "%%d%d", i)
		// 9.7.17.5.1.2: row lane/4 of the warp's 16, 8 further for odd pairs; columns 8 (i/4) + 2 (lane%4) + i%2.
		fmt.Fprintf(&store, "st.global.f32 [%%q+%d], %%d%d;\n", i/2%2*8*512+i/4*32+i%2*4, i)
	}
	return txtar.Text(t, "pipeline/wgmma", "STORE", store.String(),
		"PRODUCTS", strings.Repeat(txtar.Text(t, "pipeline/wgmmaProduct", "SUMS", d.String()), 4))
}

// runTiles launches a product of 320 columns of A and B, which have so many rows, fetched in boxes of 64 columns and so
// many rows; out is D by rows.
func runTiles(t *testing.T, src string, model Divergence, grid, block int, rows, box [2]int) {
	t.Helper()
	m, err := ptx.Parse("t.ptx", []byte(src))
	require.NoError(t, err)
	d, err := Load(m, Options{Divergence: model})
	require.NoError(t, err)
	const k = 320
	// Small whole numbers, which .f16 and the sums in .f32 hold exactly: 0 to 7 are 0, 3c00, 4000, 4200, 4400, …
	half := []uint16{0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700}
	value := func(row, col, seed int) int { return (row*seed + col*5 + row*col) % 8 }
	seeds := [2]int{3, 7}
	var args [][]byte
	f16, _ := TensorTypeNamed("f16")
	for i := range 2 {
		at, err := d.Alloc(rows[i] * k * 2)
		require.NoError(t, err)
		var bytes []byte
		for r := range rows[i] {
			for c := range k {
				bytes = machine.ByteOrder.AppendUint16(bytes, half[value(r, c, seeds[i])])
			}
		}
		require.NoError(t, d.Write(at, bytes))
		tm, err := (&TensorMap{Type: f16, Address: at, Dims: []uint64{k, uint64(rows[i])}, Strides: []uint64{2 * k},
			Box: []uint32{64, uint32(box[i])}, Swizzle: Swizzle128B}).Encode()
		require.NoError(t, err)
		args = append(args, tm)
	}
	got := make([]byte, rows[0]*rows[1]*4)
	out, err := d.Alloc(len(got))
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Grid: Dim3{X: grid}, Block: Dim3{X: block}, Args: append(args, Ptr(out))})
	require.NoError(t, err)
	require.NoError(t, g.Run(context.Background()))
	require.Empty(t, g.Findings())
	require.NoError(t, d.Read(out, got))
	for r := range rows[0] {
		for c := range rows[1] {
			sum := 0
			for i := range k {
				sum += value(r, i, 3) * value(c, i, 7)
			}
			require.Equal(t, F32(float32(sum)), got[4*(rows[1]*r+c):][:4], "row %d column %d", r, c)
		}
	}
}

// The consumers of a warpgroup may give a buffer back together, or one thread for all, however far apart its warps are.
func TestWarpSpecialisedProduct(t *testing.T) {
	one := strings.NewReplacer("[empty], 256", "[empty], 2", "[empty+8], 256", "[empty+8], 2",
		"mbarrier.arrive.release.cluster.shared", "@%z mbarrier.arrive.release.cluster.shared",
		"wgmma.fence.sync.aligned;\n", `shr.u32 %v2, %t, 5; and.b32 %v2, %v2, 3; mad.lo.u32 %v2, %v2, 4000, 1;
			LATER: add.u32 %v2, %v2, -1; setp.ne.u32 %z, %v2, 0; @%z bra LATER; setp.eq.u32 %z, %t, 128; `+
			`wgmma.fence.sync.aligned;
`).Replace(warpSpecialised(t))
	models := []Divergence{Stack, Independent}
	if testing.Short() {
		models = models[1:]
	}
	for _, model := range models {
		for _, src := range []string{warpSpecialised(t), one} {
			runTiles(t, src, model, 2, 256, [2]int{64, 128}, [2]int{32, 64})
		}
	}
}

// The same for sm_100a: warp 4 fetches tiles, warp 5 multiplies them with tcgen05.mma, whose commits give the buffers
// back, and warps 0 to 3 store D, 128 x 64, from tensor memory.
func TestTensorPipeline(t *testing.T) {
	var regs []string
	store := ""
	for i := range 64 {
		regs = append(regs, fmt.Sprintf("%%d%d", i))
		store += fmt.Sprintf("st.global.b32 [%%q+%d], %%d%d;\n", 4*i, i)
	}
	src := txtar.Text(t, "pipeline/tcgen05", "STORE", store, "COLUMNS", strings.Join(regs, ", "),
		"PRODUCTS", strings.Repeat(txtar.Text(t, "pipeline/tcgen05Product"), 4))
	for _, model := range []Divergence{Stack, Independent} {
		runTiles(t, src, model, 1, 192, [2]int{128, 64}, [2]int{128, 64})
	}
}

// A consumer that does not wait multiplies tiles that are not there yet.
func TestProductTooEarly(t *testing.T) {
	src := strings.Replace(warpSpecialised(t), "@!%p bra FULL;", "", 1)
	src = strings.Replace(src, "mbarrier.try_wait.parity.shared::cta.b64 %p, [%fa], %parity;", "nanosleep.u32 1;", 1)
	m, err := ptx.Parse("t.ptx", []byte(src))
	require.NoError(t, err)
	d, err := Load(m, Options{})
	require.NoError(t, err)
	a, _ := d.Alloc(128 * 640)
	f16, _ := TensorTypeNamed("f16")
	tm := TensorMap{Type: f16, Address: a, Dims: []uint64{320, 64}, Strides: []uint64{640}, Box: []uint32{64, 32},
		Swizzle: Swizzle128B}
	ta, err := tm.Encode()
	require.NoError(t, err)
	tm.Box[1] = 64
	tb, err := tm.Encode()
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Grid: Dim3{X: 2}, Block: Dim3{X: 256}, Args: [][]byte{ta, tb, Ptr(a)}})
	require.NoError(t, err)
	_ = g.Run(context.Background())
	found := g.Findings()
	require.NotEmpty(t, found)
	require.Contains(t, found[0].Message, "`wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16` in lane 0 of warp ")
	require.Contains(t, found[0].Message, "is still to write: it was not waited for")
}
