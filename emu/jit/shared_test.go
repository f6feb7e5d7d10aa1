package jit_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
)

// stretchKernel loads neighbouring words of shared memory, of which word i is 7*i+3, from where the buffer says.
const stretchKernel = `.entry k(.param .u64 out) {
	.reg .b32 %%t, %%s, %%v, %%x, %%y, %%z; .reg .b64 %%a, %%b;
	.shared .align 16 .b8 sh[128];
	ld.param.u64 %%a, [out];
	mov.u32 %%t, %%tid.x;
	mad.wide.u32 %%a, %%t, 4, %%a;
	ld.global.u32 %%v, [%%a];
	mov.u32 %%s, sh; mad.lo.u32 %%x, %%t, 4, %%s;
	mad.lo.u32 %%y, %%t, 7, 3;
	st.shared.u32 [%%x], %%y;
	bar.sync 0;
	add.u32 %%s, %%s, %%v; %s
	ld.shared.u32 %%x, [%s+0];
	ld.shared.u32 %%y, [%s+%d];
	shl.b32 %%y, %%y, 8;
	ld.shared.u32 %%z, [%s+%d];
	add.u32 %%x, %%x, %%y;
	shl.b32 %%z, %%z, 16;
	add.u32 %%x, %%x, %%z;
	st.global.u32 [%%a+128], %%x;
	ret;
}`

// Loads of a stretch, by addresses of 32 and 64 bits: the same in each group of 4 lanes, neighbours, or anything. The
// offsets in the text make the engine expect the first or the second.
func TestStretches(t *testing.T) {
	shapes := map[string]func(lane int) uint32{
		"same":       func(lane int) uint32 { return uint32(lane) / 4 * 12 },
		"neighbours": func(lane int) uint32 { return uint32(lane) % 16 * 4 },
		"anything":   func(lane int) uint32 { return uint32(lane) * 20 % 112 },
		"unaligned":  func(lane int) uint32 { return uint32(lane) / 31 * 2 },
		"outside":    func(lane int) uint32 { return uint32(lane) / 16 << 14 },
	}
	for name, at := range shapes {
		for _, wide := range []bool{false, true} {
			for _, step := range []uint32{4, 8} {
				base, to64 := "%s", ""
				if wide {
					base, to64 = "%b", "cvt.u64.u32 %b, %s;"
				}
				text := fmt.Sprintf(stretchKernel, to64, base, base, step, base, 2*step)
				in, want := make([]uint32, 32), make([]uint32, 32)
				for lane := range in {
					in[lane] = at(lane)
					for i := range uint32(3) {
						want[lane] += (7*((at(lane)+i*step)/4) + 3) << (8 * i)
					}
				}
				grids, read := pairOfGrids(t, text, emu.Stack, 32, 64, in)
				errA, errB := grids[0].Run(t.Context()), grids[1].Run(t.Context())
				require.Equal(t, grids[0].Hash(), grids[1].Hash())
				if name == "unaligned" || name == "outside" {
					require.Error(t, errA, name)
					require.EqualError(t, errB, errA.Error())
					continue
				}
				require.NoError(t, errB)
				require.Equal(t, want, read(1)[32:], "%s, wide %v, step %d", name, wide, step)
			}
		}
	}
}

// sumsKernel adds up three products, of which the buffer has the factors.
const sumsKernel = `.entry k(.param .u64 out) {
	.reg .b32 %t, %o, %s; .reg .f32 %c, %x, %y, %z; .reg .b64 %a;
	ld.param.u64 %a, [out];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %a, %t, 32, %a;
	ld.global.f32 %c, [%a]; ld.global.f32 %x, [%a+4]; ld.global.f32 %y, [%a+8]; ld.global.f32 %z, [%a+12];
	fma.rn.f32 %c, %x, %y, %c;
	fma.rn.f32 %x, %c, %z, %y;
	fma.rn.f32 %y, %x, %x, %c;
	st.global.f32 [%a+16], %c;
	st.global.f32 [%a+20], %x;
	st.global.f32 [%a+24], %y;
	ret;
}`

// Sums in a row are those of exact products, rounded once: halfway between two results in double precision, too, and
// where results are subnormal, too large or NaN.
func TestSums(t *testing.T) {
	numbers := []float32{0, 1, -1, 1 + 0x1p-12, -1 - 0x1p-11, 1 + 0x1p-23, 3, 0x1p-24, 0x1p-54, -0x1p-60, 0x1p-75,
		0x1.8p-75, 0x1p-126, 0x1.fffffep-127, 0x1p-149, -0x1p-140, 0x1p64, 0x1.fffffep127, -0x1p127,
		float32(math.Inf(1)), float32(math.NaN())}
	fma := func(x, y, z float32) float32 {
		if s := float64(x)*float64(y) + float64(z); math.IsNaN(s) || math.IsInf(s, 0) || s == 0 {
			return float32(s) // a sum of doubles is not 0 unless the exact one is
		}
		exact := func(v float32) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(float64(v)) }
		s, _ := new(big.Float).SetPrec(1000).Add(new(big.Float).SetPrec(1000).Mul(exact(x), exact(y)), exact(z)).Float32()
		return s
	}
	const threads = 128
	for first, n := 0, len(numbers); first < n*n*n*n; first += threads * 37 {
		in, want := make([]uint32, 8*threads), [][3]float32{}
		for i := range threads {
			var v [4]float32
			for k, at := 0, (first+i*37)%(n*n*n*n); k < 4; k, at = k+1, at/n {
				v[k] = numbers[at%n]
			}
			if i == first/threads%threads { // the first result is subnormal and not exact, which the second one shows
				v = [4]float32{0, 1 + 0x1p-12, -0x1p-140, 0x1p64}
			}
			for k := range v {
				in[8*i+k] = math.Float32bits(v[k])
			}
			c := fma(v[1], v[2], v[0])
			x := fma(c, v[3], v[2])
			want = append(want, [3]float32{c, x, fma(x, x, c)})
		}
		grids, read := pairOfGrids(t, sumsKernel, emu.Stack, threads, 8*threads, in)
		require.NoError(t, grids[1].Run(t.Context()))
		out := read(1)
		for i, w := range want {
			for k := range w {
				bits := math.Float32bits(w[k])
				if w[k] != w[k] {
					bits = 0x7fffffff // the NaN that single-precision instructions return (9.7.3)
				}
				require.Equal(t, bits, out[8*i+4+k], "%v: result %d", in[8*i:8*i+4], k)
			}
		}
	}
}
