package emu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What tcgen05.mma has on sm_107: integers of 16 bits (a sign and 11 bits of magnitude, 9.7.18.4.2), which can be
// transposed and negated, in the shapes of Table 48; scale factors of type .ue5m3, and of .ue4m3 for blocks of 32.
func TestTensorProductsOf107(t *testing.T) {
	rng := rand.New(rand.NewPCG(107, 107))
	const ti16, mx = 2<<4 | 3<<7 | 3<<10, 1<<7 | 1<<10
	for _, tc := range []tensorCase{
		{kind: "ti16", m: 128, n: 48, k: 16, width: 128},
		{kind: "ti16.collector::b::fill", m: 64, n: 8, k: 16, width: 32},
		{kind: "ti16", m: 64, n: 24, k: 16, inTensor: true, lane: 16},
		{kind: "ti16", m: 128, n: 256, k: 16, transA: true, transB: true, width: 64},
		{kind: "ti16", m: 256, n: 64, k: 16, width: 128, pair: true},
		{kind: "ti16", m: 128, n: 32, k: 16, inTensor: true, pair: true, issuer: 1},
		{kind: "ti16", m: 32, n: 128, k: 16, width: 64, ws: true},
		{kind: "ti16", m: 128, n: 32, k: 32, width: 128, sparse: true, selector: 1},
		{kind: "ti16", m: 64, n: 64, k: 32, ws: true, sparse: true},
	} {
		tc.types, tc.idesc = "s32 s1z4m11 s1z4m11", ti16
		t.Run(tc.name(), func(t *testing.T) { tc.run(t, rng) })
	}
	for _, tc := range []tensorCase{
		{kind: "mxf4nvf4.block_scale.scale_vec::4X", m: 128, n: 16, k: 64, idesc: mx | 2<<23, factors: 4},
		{kind: "mxf4nvf4.block_scale.block32", m: 128, n: 64, k: 64, idesc: mx | 2<<23, factors: 2, sfa: 2, inTensor: true},
		{kind: "mxf4nvf4.block_scale.block16", m: 256, n: 160, k: 64, idesc: mx | 2<<23, factors: 4, pair: true},
		{kind: "mxf4nvf4.block_scale.block16", m: 256, n: 80, k: 96, idesc: mx | 2<<23 | 1<<31, factors: 6, pair: true,
			sfb: 2},
	} {
		tc.types, tc.scale = "f32 mx mx", "ue5m3"
		t.Run(tc.name(), func(t *testing.T) { tc.run(t, rng) })
	}
}

// commitReadA makes an mbarrier say when products have read A from shared memory.
const commitReadA = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.sync_restrict::shared::read::mma::a" +
	".shared::cluster.b64 "

// A can be overwritten when the mbarrier of tcgen05.commit.sync_restrict says that it has been read, before the
// products are complete (9.7.18.12.1).
//
// families = `tcgen05.commit.sync_restrict`
func TestTensorReadsAEarly(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	const floats, mx = 1 << 4, 1<<7 | 1<<10
	for _, tc := range []tensorCase{
		{kind: "f16", types: "f32 f16 f16", m: 128, n: 16, k: 16, idesc: floats, width: 32},
		{kind: "f16", types: "f32 f16 f16", m: 128, n: 16, k: 16, idesc: floats, inTensor: true},
		{kind: "f16", types: "f32 f16 f16", m: 256, n: 32, k: 16, idesc: floats, pair: true},
		{kind: "f16", types: "f32 f16 f16", m: 64, n: 16, k: 32, idesc: floats, width: 64, sparse: true, selector: 1},
		{kind: "mxf4nvf4.block_scale.scale_vec::4X", types: "f32 mx mx", m: 128, n: 16, k: 64, idesc: mx | 2<<23, factors: 4,
			scale: "ue5m3"},
	} {
		tc.spoilsA = true
		t.Run(tc.name(), func(t *testing.T) { tc.run(t, rng) })
	}
}

// That A has been read does not say that D is written: column 0 is looked at in between. With B the unit matrix, D is
// A.
func TestTensorReadIsNotComplete(t *testing.T) {
	unit, a := make(integers, 16), randomMatrix(rand.New(rand.NewPCG(12, 2)), 128, 16, kinds["f16"])
	for i := range unit {
		unit[i] = make([]int, 16)
		unit[i][i] = 1
	}
	image, m := make([]byte, 49152), newTensorImage(32)
	la, lb := layoutOf(false, 0, 8192, 128, 16, 16), layoutOf(false, 0, 0, 16, 16, 16)
	la.fill(t, image, a, kinds["f16"])
	lb.fill(t, image, unit, kinds["f16"])
	const whole = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
	kernel := tensorKernel(t, 32, "cvt.u32.u64 %x, %v2; tcgen05.mma.cta_group::1.kind::f16 [%base], %v0, %v1, %x, 0;\n",
		`tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r20}, [%base]; tcgen05.wait::ld.sync.aligned;
		tcgen05.st.sync.aligned.32x32b.x1.b32 [%base+20], {%r20}; tcgen05.wait::st.sync.aligned;
		bar.sync 0; @!%first bra completing; `+whole+`[bar];
		completing: mbarrier.try_wait.parity.shared.b64 %p, [bar], 1; @!%p bra completing;
		`)
	kernel = "// sm_107a\n" + strings.Replace(kernel, whole, commitReadA, 1)
	idesc := uint64(1<<4 | 16/8<<17 | 128/16<<24)
	require.NoError(t, runBlock(t, 128, "s t v", kernel, image, m.bytes, words(la.tensorDesc(), lb.tensorDesc(), idesc)))
	for lane := range 128 {
		require.Zero(t, m.get(lane, 20))
		require.Equal(t, math.Float32bits(float32(a[lane][0])), m.get(lane, 0))
	}
}

// The deeper K of sm_107f: 64 bytes of a line (Tables 48 and 51 to 53).
func TestTensorProductsOfDeeperK(t *testing.T) {
	rng := rand.New(rand.NewPCG(64, 128))
	const f8, mx8, mx4 = 1<<4 | 1<<29, 1<<23 | 1<<31, 1<<3 | 1<<7 | 1<<10
	for _, tc := range []tensorCase{
		{kind: "f8f6f4", types: "f32 e4m3 e5m2", m: 128, n: 48, k: 64, idesc: f8 | 1<<10, width: 128},
		{kind: "f8f6f4", types: "f16 e5m2 e4m3", m: 128, n: 32, k: 64, idesc: 1<<7 | 1<<29, width: 64, transA: true,
			transB: true},
		{kind: "f8f6f4", types: "f32 e4m3 e4m3", m: 256, n: 64, k: 64, idesc: f8, inTensor: true, pair: true},
		{kind: "f8f6f4", types: "f32 e4m3 e4m3", m: 32, n: 128, k: 64, idesc: f8, width: 64, ws: true},
		{kind: "f8f6f4", types: "f32 e5m2 e4m3", m: 64, n: 64, k: 64, idesc: f8 | 1<<7, ws: true, inTensor: true},
		{kind: "f8f6f4", types: "f32 e4m3 e5m2", m: 128, n: 16, k: 128, idesc: f8 | 1<<10, width: 128, sparse: true},
		{kind: "f8f6f4", types: "f32 e4m3 e4m3", m: 64, n: 24, k: 128, idesc: f8, lane: 16, inTensor: true, sparse: true},
		{kind: "mxf8f6f4.block_scale", types: "f32 e4m3 e5m2", m: 128, n: 40, k: 64, idesc: mx8 | 1<<10, width: 128,
			factors: 2, sfa: 2},
		{kind: "mxf8f6f4.block_scale.block32", types: "f32 e4m3 e4m3", m: 256, n: 160, k: 64, idesc: mx8, factors: 2,
			sfb: 2, pair: true, issuer: 1, inTensor: true},
		{kind: "mxf8f6f4.block_scale", types: "f32 e5m2 e4m3", m: 128, n: 24, k: 128, idesc: mx8 | 1<<7, factors: 2,
			sparse: true},
		// two factors here as well: .scale_vec::1X is .block32 for every K (9.7.18.10.10.1)
		{kind: "mxf8f6f4.block_scale.scale_vec::1X", types: "f32 e4m3 e5m2", m: 128, n: 24, k: 64, idesc: mx8 | 1<<10,
			factors: 2, sfb: 2},
		{kind: "mxf8f6f4.block_scale.scale_vec::1X", types: "f32 e4m3 e4m3", m: 256, n: 32, k: 128, idesc: mx8, factors: 2,
			sparse: true, pair: true},
		{kind: "mxf8f6f4.block_scale", types: "f32 e3m2 e4m3", m: 128, n: 24, k: 64, idesc: mx8 | 4<<7, factors: 2},
		{kind: "mxf8f6f4.block_scale", types: "f32 e4m3 e2m3", m: 128, n: 40, k: 64, idesc: mx8 | 3<<10, width: 64,
			factors: 2, sfa: 2},
		{kind: "mxf8f6f4.block_scale", types: "f32 e2m3 e3m2", m: 256, n: 32, k: 64, idesc: mx8 | 3<<7 | 4<<10, width: 128,
			factors: 2, pair: true},
		{kind: "mxf8f6f4.block_scale", types: "f32 e3m2 e3m2", m: 128, n: 16, k: 64, idesc: mx8 | 4<<7 | 4<<10,
			inTensor: true, factors: 2},
		{kind: "mxf4.block_scale", types: "f32 mx mx", m: 128, n: 24, k: 128, idesc: mx4 | 1<<23, width: 64, factors: 4},
		{kind: "mxf4nvf4.block_scale.block32", types: "f32 mx mx", m: 256, n: 64, k: 128, idesc: mx4, scale: "ue4m3",
			factors: 4, pair: true, width: 128},
		{kind: "mxf4nvf4.block_scale.block16", types: "f32 mx mx", m: 128, n: 256, k: 128, idesc: mx4 | 2<<23,
			scale: "ue5m3", factors: 8, inTensor: true},
		{kind: "mxf4nvf4.block_scale.block16", types: "f32 mx mx", m: 256, n: 80, k: 128, idesc: mx4, scale: "ue4m3",
			factors: 8, pair: true},
	} {
		tc.deep = true
		t.Run(fmt.Sprintf("%s n%d", tc.name(), tc.n), func(t *testing.T) { tc.run(t, rng) })
	}
}
