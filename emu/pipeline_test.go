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
				bytes = le.AppendUint16(bytes, half[value(r, c, seeds[i])])
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
			LATER: add.u32 %v2, %v2, -1; setp.ne.u32 %z, %v2, 0; @%z bra LATER; setp.eq.u32 %z, %t, 128; wgmma.fence.sync.aligned;
`).Replace(warpSpecialised())
	for _, model := range []Divergence{Stack, Independent} {
		for _, src := range []string{warpSpecialised(), one} {
			runTiles(t, src, model, 2, 256, [2]int{64, 128}, [2]int{32, 64})
		}
	}
}

// The same for sm_100a: warp 4 fetches tiles, warp 5 multiplies them with tcgen05.mma, whose commits give the buffers back,
// and warps 0 to 3 store D, 128 x 64, from tensor memory.
func TestTensorPipeline(t *testing.T) {
	var regs []string
	store := ""
	for i := range 64 {
		regs = append(regs, fmt.Sprintf("%%d%d", i))
		store += fmt.Sprintf("st.global.b32 [%%q+%d], %%d%d;\n", 4*i, i)
	}
	src := `.version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .align 64 .b8 ta[128], .param .align 64 .b8 tb[128], .param .u64 out)
{
	.shared .align 1024 .b8 sa[32768]; .shared .align 1024 .b8 sb[16384]; // two buffers of 128 and 64 rows of 128 bytes
	.shared .align 8 .b64 full[2]; .shared .align 8 .b64 empty[2]; .shared .align 8 .b64 done; .shared .b32 slot;
	.reg .b32 %t, %w, %i, %buffer, %parity, %fa, %ea, %x, %d, %v, %d<64>; .reg .pred %p, %one, %more;
	.reg .b64 %q, %o, %da, %db, %ta, %tb, %m;
	cvta.param.u64 %ta, ta; cvta.param.u64 %tb, tb; mov.u32 %t, %tid.x; shr.u32 %w, %t, 5; setp.ne.u32 %p, %t, 0; @%p bra MADE;
	mbarrier.init.shared.b64 [full], 1; mbarrier.init.shared.b64 [full+8], 1; mbarrier.init.shared.b64 [done], 1;
	mbarrier.init.shared.b64 [empty], 1; mbarrier.init.shared.b64 [empty+8], 1; fence.mbarrier_init.release.cluster;
MADE:	setp.ne.u32 %p, %w, 0; @%p bra READY;
	tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 64; tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
READY:	tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;
	ld.shared.b32 %d, [slot]; mov.b32 %i, 0; elect.sync _|%one, -1;
	setp.eq.u32 %p, %w, 5; @%p bra MULTIPLY; setp.lt.u32 %p, %w, 4; @%p bra STORE; @!%one bra END;
FETCH:	and.b32 %buffer, %i, 1; shr.u32 %parity, %i, 1; and.b32 %parity, %parity, 1; xor.b32 %parity, %parity, 1;
	mov.u32 %fa, full; mad.lo.u32 %fa, %buffer, 8, %fa; mov.u32 %ea, empty; mad.lo.u32 %ea, %buffer, 8, %ea;
FREE:	mbarrier.try_wait.parity.shared::cta.b64 %p, [%ea], %parity; @!%p bra FREE;
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [%fa], 24576; mul.lo.u32 %x, %i, 64;
	mov.u32 %v, sa; mad.lo.u32 %v, %buffer, 16384, %v;
	cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%v], [%ta, {%x, 0}], [%fa];
	mov.u32 %v, sb; mad.lo.u32 %v, %buffer, 8192, %v;
	cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%v], [%tb, {%x, 0}], [%fa];
	add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 5; @%p bra FETCH; bra END;

MULTIPLY:	@!%one bra END; setp.ne.u32 %more, 0, 0;
NEXT:	and.b32 %buffer, %i, 1; shr.u32 %parity, %i, 1; and.b32 %parity, %parity, 1;
	mov.u32 %fa, full; mad.lo.u32 %fa, %buffer, 8, %fa; mov.u32 %ea, empty; mad.lo.u32 %ea, %buffer, 8, %ea;
FULL:	mbarrier.try_wait.parity.shared::cta.b64 %p, [%fa], %parity; @!%p bra FULL;
	tcgen05.fence::after_thread_sync;
	mov.u32 %v, sa; mad.lo.u32 %v, %buffer, 16384, %v; shr.u32 %v, %v, 4; cvt.u64.u32 %da, %v;
	mov.u32 %v, sb; mad.lo.u32 %v, %buffer, 8192, %v; shr.u32 %v, %v, 4; cvt.u64.u32 %db, %v;
	mov.b64 %m, 0x4000404000010000; or.b64 %da, %da, %m; or.b64 %db, %db, %m; // 128-byte swizzle, 1024 bytes from 8 rows to the next
` + strings.Repeat(`	tcgen05.mma.cta_group::1.kind::f16 [%d], %da, %db, 0x8100010, %more; // M 128, N 64, D .f32
	setp.eq.u32 %more, 0, 0; add.u64 %da, %da, 2; add.u64 %db, %db, 2;
`, 4) + `	cvt.u64.u32 %o, %ea; cvta.shared.u64 %o, %o; tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%o];
	add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 5; @%p bra NEXT;
	mov.u64 %o, done; cvta.shared.u64 %o, %o; tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%o]; bra END;

STORE:	mbarrier.try_wait.parity.shared::cta.b64 %p, [done], 0; @!%p bra STORE;
	tcgen05.fence::after_thread_sync; shl.b32 %v, %w, 21; add.u32 %v, %v, %d;
	tcgen05.ld.sync.aligned.32x32b.x64.b32 {` + strings.Join(regs, ", ") + `}, [%v]; tcgen05.wait::ld.sync.aligned;
	ld.param.u64 %q, [out]; mul.wide.u32 %o, %t, 256; add.u64 %q, %q, %o;
` + store + `END:	bar.warp.sync -1; tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync; setp.ne.u32 %p, %w, 0; @%p ret;
	tcgen05.dealloc.cta_group::1.sync.aligned.b32 %d, 64; ret;
}
`
	for _, model := range []Divergence{Stack, Independent} {
		runTiles(t, src, model, 1, 192, [2]int{128, 64}, [2]int{128, 64})
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
