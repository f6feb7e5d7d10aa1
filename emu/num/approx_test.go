package num

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sweep visits about a million float32 of each sign that matters, evenly over the encodings from lo to hi.
func sweep(lo, hi float32, visit func(a uint64, x float64)) {
	first, last := uint64(math.Float32bits(lo)), uint64(math.Float32bits(hi))
	step := max((last-first)/1_000_000, 1)
	for a := first; a <= last; a += step {
		visit(a, float64(math.Float32frombits(uint32(a))))
	}
}

// ulp is the distance of float32 numbers at |x|.
func ulp(x float64) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(1, max(e-24, -149))
}

func TestApproximationsStayWithinTheirBounds(t *testing.T) {
	const tiny, largest = math.SmallestNonzeroFloat32, math.MaxFloat32
	absolute := func(got, want float64) float64 { return math.Abs(got - want) }
	relative := func(got, want float64) float64 { return math.Abs(got-want) / math.Abs(want) }
	inUlp := func(got, want float64) float64 { return math.Abs(got-want) / ulp(want) }
	rsqrt := func(x float64) float64 { return 1 / math.Sqrt(x) }
	for _, c := range []struct {
		key    string
		lo, hi float32
		f      func(float64) float64
		err    func(got, want float64) float64
		bound  float64
	}{
		{"rcp.approx.f32", 0x1p-127, largest, func(x float64) float64 { return 1 / x }, inUlp, 1},
		{"sqrt.approx.f32", tiny, largest, math.Sqrt, relative, 0x1p-23},
		{"rsqrt.approx.f32", tiny, largest, rsqrt, relative, math.Exp2(-22.9)},
		{"sin.approx.f32", tiny, 2 * math.Pi, math.Sin, absolute, math.Exp2(-20.5)},
		{"sin.approx.f32", 1, 100 * math.Pi, math.Sin, absolute, math.Exp2(-14.7)},
		{"cos.approx.f32", tiny, 2 * math.Pi, math.Cos, absolute, math.Exp2(-20.5)},
		{"cos.approx.f32", 1, 100 * math.Pi, math.Cos, absolute, math.Exp2(-14.7)},
		{"sin.approx.f32", 1000, 1e9, math.Sin, absolute, math.Exp2(-14.7)}, // best effort in the manual
		{"lg2.approx.f32", 0.5, 2, math.Log2, absolute, 0x1p-22},
		{"lg2.approx.f32", tiny, 0.5, math.Log2, relative, 0x1p-22},
		{"lg2.approx.f32", 2, largest, math.Log2, relative, 0x1p-22},
		{"ex2.approx.f32", tiny, 127.99, math.Exp2, inUlp, 2},
		{"ex2.approx.f32", float32(math.Copysign(0x1p-20, -1)), -149, math.Exp2, inUlp, 2},
		{"tanh.approx.f32", tiny, 100, math.Tanh, relative, 0x1p-11},
		{"tanh.approx.f32", -tiny, -100, math.Tanh, relative, 0x1p-11},
	} {
		k, worst, at := kernel(t, c.key), 0.0, 0.0
		require.NotEmpty(t, k.Bound)
		sweep(c.lo, c.hi, func(a uint64, x float64) {
			if e := c.err(float64(math.Float32frombits(uint32(k.F1(a)))), c.f(x)); !(e <= worst) {
				worst, at = e, x
			}
		})
		t.Logf("%s in [%g, %g]: worst error %.3g of %.3g, at %g", c.key, c.lo, c.hi, worst, c.bound, at)
		require.LessOrEqual(t, worst, c.bound, c.key)
	}
}

func TestApproximateDivision(t *testing.T) {
	approx, full := kernel(t, "div.approx.f32"), kernel(t, "div.full.f32")
	sweep(0x1p-126, 0x1p126, func(b uint64, y float64) {
		a := b*2654435761&0x007fffff | 0x3f800000
		want := float64(math.Float32frombits(uint32(a))) / y
		for _, k := range []*Kernel{approx, full} {
			got := float64(math.Float32frombits(uint32(k.F2(a, b))))
			if math.Abs(got-want) > 2*ulp(want) {
				require.Failf(t, "wrong", "%s %#x %#x", k.Key, a, b)
			}
		}
	})
}

func TestHalfApproximationsEveryValue(t *testing.T) {
	for _, c := range []struct {
		key      string
		f        *format
		of       func(float64) float64
		relative bool
		bound    float64
	}{
		{"tanh.approx.f16", &fmtF16, math.Tanh, false, math.Exp2(-10.987)},
		{"tanh.approx.bf16", &fmtBF16, math.Tanh, false, 0x1p-8},
		{"ex2.approx.f16", &fmtF16, math.Exp2, true, math.Exp2(-9.9)},
		{"ex2.approx.ftz.bf16", &fmtBF16, math.Exp2, true, 0x1p-7},
	} {
		k, worst := kernel(t, c.key), 0.0
		for a := range uint64(1 << 16) {
			got := c.f.decode(k.F1(a))
			if c.f.isNaN(a) {
				require.True(t, got != got)
				continue
			}
			want := c.of(c.f.decode(a))
			if c.relative { // subnormal results have fewer bits, overflow is infinite
				if least := math.Ldexp(1, 2-1<<(c.f.exp-1)); want < least || want >= c.f.decode(c.f.max) {
					continue
				}
				want, got = 1, got/want
			}
			worst = max(worst, math.Abs(got-want))
		}
		t.Logf("%s: worst error %.3g of %.3g", c.key, worst, c.bound)
		require.LessOrEqual(t, worst, c.bound, c.key)
	}
}

func TestGrossDoubleReciprocals(t *testing.T) {
	rcp, rsqrt := kernel(t, "rcp.approx.ftz.f64"), kernel(t, "rsqrt.approx.ftz.f64")
	for i := range 100_000 {
		x := math.Ldexp(1+float64(i)/100_000, i%2000-1000)
		x = math.Float64frombits(math.Float64bits(x) &^ 0xffffffff)
		a := math.Float64bits(x)
		for d, want := range map[uint64]float64{rcp.F1(a): 1 / x, rsqrt.F1(a): 1 / math.Sqrt(x)} {
			require.Zero(t, d&0xffffffff)
			require.InEpsilon(t, want, math.Float64frombits(d), 0x1.001p-21)
		}
	}
}

func BenchmarkKernels(b *testing.B) {
	for _, key := range strings.Fields(`add.f32 add.ftz.f32 mul.rn.f32 fma.rn.f32 fma.ftz.rn.f32 fma.rz.f32 div.rn.f32
		sqrt.rn.f32 cvt.rn.f32.s32 cvt.rzi.s32.f32 cvt.rn.f16.f32 cvt.f32.f16 ex2.approx.f32 lg2.approx.f32
		sin.approx.f32 cos.approx.f32 tanh.approx.f32 fma.rn.f16x2 fma.rn.f64 fma.rz.f64 add.u32 mul.hi.s32
		setp.lt.f32 min.f32`) {
		k := kernel(b, key)
		b.Run(key, func(b *testing.B) {
			var d uint64
			for i := range b.N {
				x := uint64(0x3f812345 + i&0xffff)
				switch {
				case k.F1 != nil:
					d += k.F1(x)
				case k.F2 != nil:
					d += k.F2(x, x)
				case k.F3 != nil:
					d += k.F3(x, x, x)
				case k.P2(x, x):
					d++
				}
			}
			sink = d
		})
	}
}

var sink uint64
