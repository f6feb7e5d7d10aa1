package emu

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
)

// warpSpecialised is a product of matrices in the shape that CUTLASS gives it on sm_90: a warpgroup of which one thread
// fetches tiles by tensor copies with 128-byte swizzling, multicast to the two CTAs of a cluster where both need them,
// and a warpgroup that multiplies them with wgmma. D is 64 x 64 for each CTA; CTA 1 has other columns of B.
func warpSpecialised() string {
	var d, store strings.Builder
	for i := range 32 {
		if i > 0 {
			d.WriteString(", ")
		}
		fmt.Fprintf(&d, "%%d%d", i)
		// 9.7.15.5.1.2: row lane/4 of the warp's 16, 8 further for odd pairs; columns 8 (i/4) + 2 (lane%4) + i%2.
		fmt.Fprintf(&store, "st.global.f32 [%%q+%d], %%d%d;\n", i/2%2*8*512+i/4*32+i%2*4, i)
	}
	return `.version 8.3
.target sm_90a
.address_size 64
.visible .entry k(.param .align 64 .b8 ta[128], .param .align 64 .b8 tb[128], .param .u64 out)
.reqntid 256 .reqnctapercluster 2
{
	.shared .align 1024 .b8 sa[16384]; .shared .align 1024 .b8 sb[16384]; // two buffers of 64 rows of 128 bytes
	.shared .align 8 .b64 full[2]; .shared .align 8 .b64 empty[2];
	.reg .b32 %t, %i, %buffer, %parity, %fa, %ea, %pa, %pb, %x, %y, %r, %v<4>; .reg .pred %p, %z, %first; .reg .b16 %both;
	.reg .b64 %q, %da, %db, %w, %ta, %tb; .reg .f32 %d<32>;
	cvta.param.u64 %ta, ta; cvta.param.u64 %tb, tb;
	mov.u32 %t, %tid.x; mov.u32 %r, %cluster_ctarank; setp.ne.u32 %p, %t, 0; @%p bra READY;
	mbarrier.init.shared::cta.b64 [full], 1; mbarrier.init.shared::cta.b64 [full+8], 1;
	mbarrier.init.shared::cta.b64 [empty], 256; mbarrier.init.shared::cta.b64 [empty+8], 256; // consumers of both CTAs
	fence.mbarrier_init.release.cluster;
READY:	barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
	mov.b32 %i, 0; mov.b16 %both, 3; setp.lt.u32 %p, %t, 128; @!%p bra CONSUMER;

	setmaxnreg.dec.sync.aligned.u32 40;
	elect.sync _|%z, -1; setp.lt.and.u32 %z, %t, 32, %z; @!%z bra END;
PRODUCE:	and.b32 %buffer, %i, 1; shr.u32 %parity, %i, 1; and.b32 %parity, %parity, 1; xor.b32 %parity, %parity, 1;
	mov.u32 %fa, full; mad.lo.u32 %fa, %buffer, 8, %fa; mov.u32 %ea, empty; mad.lo.u32 %ea, %buffer, 8, %ea;
	mov.u32 %pa, sa; mad.lo.u32 %pa, %buffer, 8192, %pa; mov.u32 %pb, sb; mad.lo.u32 %pb, %buffer, 8192, %pb;
FREE:	mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, [%ea], %parity; @!%p bra FREE;
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [%fa], 16384;
	mul.lo.u32 %x, %i, 64; mul.lo.u32 %y, %r, 32; mad.lo.u32 %pa, %r, 4096, %pa; // A: each CTA fetches half for both
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%pa], [%ta, {%x, %y}], [%fa], %both;
	mul.lo.u32 %y, %r, 64;
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%pb], [%tb, {%x, %y}], [%fa];
	add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 5; @%p bra PRODUCE; bra END;

CONSUMER:	setmaxnreg.inc.sync.aligned.u32 232; setp.ne.u32 %first, 0, 0;
CONSUME:	and.b32 %buffer, %i, 1; shr.u32 %parity, %i, 1; and.b32 %parity, %parity, 1;
	mov.u32 %fa, full; mad.lo.u32 %fa, %buffer, 8, %fa; mov.u32 %ea, empty; mad.lo.u32 %ea, %buffer, 8, %ea;
FULL:	mbarrier.try_wait.parity.shared::cta.b64 %p, [%fa], %parity; @!%p bra FULL;
	mov.u32 %v0, sa; mad.lo.u32 %v0, %buffer, 8192, %v0; shr.u32 %v0, %v0, 4; cvt.u64.u32 %da, %v0;
	mov.u32 %v0, sb; mad.lo.u32 %v0, %buffer, 8192, %v0; shr.u32 %v0, %v0, 4; cvt.u64.u32 %db, %v0;
	mov.b64 %w, 0x4000004000010000; or.b64 %da, %da, %w; or.b64 %db, %db, %w; // 128-byte swizzle, 1024 bytes from 8 rows to the next
	wgmma.fence.sync.aligned;
` + strings.Repeat(`	wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {`+d.String()+`}, %da, %db, %first, 1, 1, 0, 0;
	setp.eq.u32 %first, 0, 0; add.u64 %da, %da, 2; add.u64 %db, %db, 2;
`, 4) + `	wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
	mapa.shared::cluster.u32 %v1, %ea, 0; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%v1];
	mapa.shared::cluster.u32 %v1, %ea, 1; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%v1];
	add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 5; @%p bra CONSUME;

	sub.u32 %t, %t, 128; and.b32 %v0, %t, 31; shr.u32 %v1, %t, 5; shr.u32 %v2, %v0, 2; mad.lo.u32 %v2, %v1, 16, %v2; // row
	and.b32 %v0, %v0, 3; mul.lo.u32 %v2, %v2, 512; mad.lo.u32 %v2, %v0, 8, %v2; mad.lo.u32 %v2, %r, 256, %v2;
	ld.param.u64 %q, [out]; cvt.u64.u32 %w, %v2; add.u64 %q, %q, %w;
` + store.String() + `END:	barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ret;
}
`
}

func TestWarpSpecialisedProduct(t *testing.T) {
	for _, model := range []Divergence{Stack, Independent} {
		m, err := ptx.Parse("t.ptx", []byte(warpSpecialised()))
		require.NoError(t, err)
		d, err := Load(m, Options{Divergence: model})
		require.NoError(t, err)
		const k = 320
		a, _ := d.Alloc(64 * k * 2)
		b, _ := d.Alloc(128 * k * 2)
		out, _ := d.Alloc(64 * 128 * 4)
		// Small whole numbers, which .f16 and the sums in .f32 hold exactly: 0 to 7 are 0, 3c00, 4000, 4200, 4400, …
		half := []uint16{0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700}
		value := func(row, col, seed int) int { return (row*seed + col*5 + row*col) % 8 }
		fill := func(at Addr, rows, seed int) {
			var bytes []byte
			for r := range rows {
				for c := range k {
					bytes = le.AppendUint16(bytes, half[value(r, c, seed)])
				}
			}
			require.NoError(t, d.Write(at, bytes))
		}
		fill(a, 64, 3)
		fill(b, 128, 7)
		f16, _ := TensorTypeNamed("f16")
		tile := func(at Addr, rows, box int) []byte {
			tm, err := (&TensorMap{Type: f16, Address: at, Dims: []uint64{k, uint64(rows)}, Strides: []uint64{2 * k}, Box: []uint32{64, uint32(box)},
				Swizzle: Swizzle128B}).Encode()
			require.NoError(t, err)
			return tm
		}
		g, err := d.Launch(Config{Entry: "k", Grid: Dim3{X: 2}, Block: Dim3{X: 256},
			Args: [][]byte{tile(a, 64, 32), tile(b, 128, 64), Ptr(out)}})
		require.NoError(t, err)
		require.NoError(t, g.Run(context.Background()))
		require.Empty(t, g.Findings())
		got := make([]byte, 64*128*4)
		require.NoError(t, d.Read(out, got))
		for r := range 64 {
			for c := range 128 {
				sum := 0
				for i := range k {
					sum += value(r, i, 3) * value(c, i, 7)
				}
				require.Equal(t, F32(float32(sum)), got[4*(128*r+c):][:4], "row %d column %d", r, c)
			}
		}
	}
}

// A consumer that does not wait multiplies what is not there yet.
func TestProductTooEarly(t *testing.T) {
	src := strings.Replace(warpSpecialised(), "@!%p bra FULL;", "", 1)
	src = strings.Replace(src, "mbarrier.try_wait.parity.shared::cta.b64 %p, [%fa], %parity;", "nanosleep.u32 1;", 1)
	m, err := ptx.Parse("t.ptx", []byte(src))
	require.NoError(t, err)
	d, err := Load(m, Options{})
	require.NoError(t, err)
	a, _ := d.Alloc(128 * 640)
	f16, _ := TensorTypeNamed("f16")
	tm := TensorMap{Type: f16, Address: a, Dims: []uint64{320, 64}, Strides: []uint64{640}, Box: []uint32{64, 32}, Swizzle: Swizzle128B}
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
