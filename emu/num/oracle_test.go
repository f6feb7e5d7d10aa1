package num

import (
	"math"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The oracles know rational numbers and tables of values; they share nothing with the code under test.

var modeNames = [...]string{"rn", "rz", "rm", "rp"}

func rat64(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// pickNeighbour says which of two neighbours lo ≤ x ≤ hi, by value, a mode picks; nearest is the nearer or even one.
func pickNeighbour[T any](mode string, negative bool, lo, hi, nearest T) T {
	switch {
	case mode == "rn":
		return nearest
	case mode == "rp" || mode == "rz" && negative:
		return hi
	}
	return lo
}

// round64 rounds a rational to float64 by the standard library's nearest and one comparison.
func round64(x *big.Rat, mode string) float64 {
	near, exact := x.Float64()
	if exact && (near != 0 || x.Sign() == 0) { // far below the least number Rat calls 0 exact
		return near
	}
	lo, hi := near, near
	if math.IsInf(near, 1) || !math.IsInf(near, -1) && rat64(near).Cmp(x) > 0 {
		lo = math.Nextafter(near, math.Inf(-1))
	} else {
		hi = math.Nextafter(near, math.Inf(1))
	}
	return signed(pickNeighbour(mode, x.Sign() < 0, lo, hi, near), x)
}

func signed(y float64, x *big.Rat) float64 {
	if y == 0 {
		return math.Copysign(0, float64(x.Sign()))
	}
	return y
}

func round32(x *big.Rat, mode string) float32 {
	near, exact := x.Float32()
	if exact && (near != 0 || x.Sign() == 0) {
		return near
	}
	lo, hi := near, near
	inf := float32(math.Inf(1))
	if near == inf || near != -inf && rat64(float64(near)).Cmp(x) > 0 {
		lo = math.Nextafter32(near, -inf)
	} else {
		hi = math.Nextafter32(near, inf)
	}
	return float32(signed(float64(pickNeighbour(mode, x.Sign() < 0, lo, hi, near)), x))
}

// table is the finite non-negative values of a small format, in order of their encoding.
type table []*big.Rat

func tableOf(exp, man int, count int) table {
	bias := 1<<(exp-1) - 1
	var t table
	for a := range count {
		e, m := a>>man, a&(1<<man-1)
		v := math.Ldexp(float64(m), 1-bias-man)
		if e > 0 {
			v = math.Ldexp(float64(m+1<<man), e-bias-man)
		}
		t = append(t, rat64(v))
	}
	return t
}

// round finds the encoding of the magnitude of x; count means overflow to what follows the largest value.
func (t table) round(x *big.Rat, mode string) int {
	mag := new(big.Rat).Abs(x)
	hi, exact := slices.BinarySearchFunc(t, mag, (*big.Rat).Cmp)
	if exact {
		return hi
	}
	next := new(big.Rat)
	if hi < len(t) {
		next = t[hi]
	} else { // the value that would follow
		next.Sub(t[hi-1], t[hi-2])
		next.Add(next, t[hi-1])
	}
	twice := new(big.Rat).Add(mag, mag)
	middle := new(big.Rat).Add(t[hi-1], next)
	nearest := hi
	if c := twice.Cmp(middle); c < 0 || c == 0 && hi&1 == 1 {
		nearest = hi - 1
	}
	if hi == len(t) && mag.Cmp(next) >= 0 {
		nearest = hi
	}
	if x.Sign() < 0 { // magnitudes: lo and hi change places
		return pickNeighbour(mode, true, hi, hi-1, nearest)
	}
	return pickNeighbour(mode, false, hi-1, hi, nearest)
}

// edges64 are the numbers where rounding goes wrong.
func edges64() (out []float64) {
	for _, m := range []float64{
		0, math.SmallestNonzeroFloat64, 0x1p-1023, math.Nextafter(0x1p-1022, 0), 0x1p-1022, 0x1p-537, 0x1p-53,
		math.Nextafter(1, 0), 1, math.Nextafter(1, 2), 1.5, 3, 0.1, 0x1p53 + 2, 0x1.fffffffffffffp511, 0x1p512,
		0x1p1023, math.MaxFloat64,
	} {
		out = append(out, m, -m)
	}
	return append(out, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN())
}

func edges32() (out []float32) {
	for _, m := range []float32{
		0, 0x1p-149, 0x1p-127, 0x1.fffffcp-127, 0x1p-126, 0x1p-63, 0x1p-24, 0x1.fffffep-1, 1, 0x1.000002p0, 1.5, 3, 0.1,
		0x1.fffffep63, 0x1p64, 0x1p127, math.MaxFloat32,
	} {
		out = append(out, m, -m)
	}
	inf := float32(math.Inf(1))
	return append(out, float32(math.Copysign(0, -1)), inf, -inf, float32(math.NaN()))
}

// random64 has few significant bits half of the time, and exponents near others, so that ties and cancellation occur.
func random64(r *rand.Rand) float64 {
	bits := r.Uint64()
	switch r.Intn(4) {
	case 0:
		bits &= 0xbff0000000000000 | 0xfff<<40
	case 1:
		bits = bits&^(0x7ff<<52) | uint64(1000+r.Intn(60))<<52
	case 2:
		bits = bits&^(0x7ff<<52|0xfffffff) | uint64(1000+r.Intn(60))<<52
	}
	return math.Float64frombits(bits)
}

func random32(r *rand.Rand) float32 {
	bits := r.Uint32()
	switch r.Intn(4) {
	case 0:
		bits &= 0xff8ff000
	case 1:
		bits = bits&^(0xff<<23) | uint32(110+r.Intn(40))<<23
	case 2:
		bits = bits&^(0xff<<23|0xfff) | uint32(110+r.Intn(40))<<23
	}
	return math.Float32frombits(bits)
}

// exactResult is the rational result of an operation on finite operands, nil when there is none; zero when the sign of
// a zero result needs a rule.
func exactResult(op string, a, b, c float64) *big.Rat {
	x, y := rat64(a), rat64(b)
	if x == nil || y == nil {
		return nil
	}
	switch op {
	case "add":
		return x.Add(x, y)
	case "sub":
		return x.Sub(x, y)
	case "mul":
		return x.Mul(x, y)
	case "div":
		if b == 0 {
			return nil
		}
		return x.Quo(x, y)
	}
	if z := rat64(c); z != nil {
		x.Mul(x, y)
		return x.Add(x, z)
	}
	return nil
}

// zeroResult is the sign rule of an exact zero (IEEE 754, 6.3).
func zeroResult(op string, a, b, c float64, mode string) float64 {
	p, q := a, b
	switch op {
	case "sub":
		q = -b
	case "mul":
		return a * b
	case "div":
		return a / b
	case "fma":
		p, q = math.Copysign(1, a)*math.Copysign(1, b), c
	}
	if math.Signbit(p) == math.Signbit(q) {
		return math.Copysign(0, p)
	}
	if mode == "rm" {
		return math.Copysign(0, -1)
	}
	return 0
}

// native is the operation in float64, for operands that are not finite: those results do not depend on rounding.
func native(op string, a, b, c float64) float64 {
	switch op {
	case "add":
		return a + b
	case "sub":
		return a - b
	case "mul":
		return a * b
	case "div":
		return a / b
	}
	return math.FMA(a, b, c)
}

func wantFloat(op, mode string, a, b, c float64, single bool) float64 {
	x := exactResult(op, a, b, c)
	switch {
	case x == nil:
		return native(op, a, b, c)
	case x.Sign() == 0:
		return zeroResult(op, a, b, c, mode)
	case single:
		return float64(round32(x, mode))
	}
	return round64(x, mode)
}

func arity(k *Kernel, a, b, c uint64) uint64 {
	if k.F3 != nil {
		return k.F3(a, b, c)
	}
	return k.F2(a, b)
}

var roundedOps = [...]string{"add", "sub", "mul", "div", "fma"}

func TestRoundingFloat64(t *testing.T) {
	check := func(op, mode string, k *Kernel, a, b, c float64) {
		want := wantFloat(op, mode, a, b, c, false)
		got := arity(k, math.Float64bits(a), math.Float64bits(b), math.Float64bits(c))
		if want != want {
			require.True(t, fmtF64.isNaN(got))
		} else if math.Float64bits(want) != got {
			require.Failf(t, "wrong", "%s.%s.f64 %x %x %x: want %x, got %#x", op, mode, a, b, c, want, got)
		}
	}
	edges, rng := edges64(), rand.New(rand.NewSource(1))
	for _, op := range roundedOps {
		for _, mode := range modeNames {
			k := kernel(t, op+"."+mode+".f64")
			for _, a := range edges {
				for i, b := range edges {
					check(op, mode, k, a, b, edges[(i*7+3)%len(edges)])
				}
			}
			for range 5000 {
				check(op, mode, k, random64(rng), random64(rng), random64(rng))
			}
		}
	}
}

func TestRoundingFloat32(t *testing.T) {
	check := func(op, mode string, k *Kernel, a, b, c float32) {
		want := float32(wantFloat(op, mode, float64(a), float64(b), float64(c), true))
		got := arity(k, uint64(math.Float32bits(a)), uint64(math.Float32bits(b)), uint64(math.Float32bits(c)))
		if want != want {
			require.EqualValues(t, nan32, got)
		} else if uint64(math.Float32bits(want)) != got {
			require.Failf(t, "wrong", "%s.%s.f32 %x %x %x: want %x, got %#x", op, mode, a, b, c, want, got)
		}
	}
	edges, rng := edges32(), rand.New(rand.NewSource(2))
	for _, op := range roundedOps {
		for _, mode := range modeNames {
			k := kernel(t, op+"."+mode+".f32")
			for _, a := range edges {
				for _, b := range edges {
					for _, c := range edges {
						check(op, mode, k, a, b, c)
						if k.F3 == nil {
							break
						}
					}
				}
			}
			for range 20000 {
				check(op, mode, k, random32(rng), random32(rng), random32(rng))
			}
		}
	}
}

// The fast path of fma against the exact core, where it is delicate: sums at and beside midpoints, subnormal results.
func TestFmaFloat32AgreesWithExactCore(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	for range 300_000 {
		a := math.Float32frombits(rng.Uint32()&0x807ff000 | uint32(40+rng.Intn(160))<<23)
		b := math.Float32frombits(rng.Uint32()&0x807ff000 | uint32(20+rng.Intn(160))<<23)
		p := float64(a) * float64(b)
		// c far below, near or above the product
		c := float32(math.Ldexp(p, rng.Intn(100)-50))
		if rng.Intn(2) == 0 {
			c = math.Float32frombits(rng.Uint32())
		}
		if c != c || math.IsInf(float64(c), 0) {
			continue
		}
		x, _ := times(unpack32(a), unpack32(b))
		x, _ = sum(x, unpack32(c), rn)
		want := math.Float32frombits(uint32(fmtF32.round(x, rn)))
		if got := FmaF32(a, b, c); math.Float32bits(got) != math.Float32bits(want) {
			require.Failf(t, "wrong", "fma %x %x %x: want %x, got %x", a, b, c, want, got)
		}
	}
}

func unpack32(x float32) exact { return fmtF32.unpack(uint64(math.Float32bits(x))) }

// A root is right when its square and its neighbours' bracket the operand.
func TestSquareRoots(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	for i, mode := range modeNames {
		k64, k32 := kernel(t, "sqrt."+mode+".f64"), kernel(t, "sqrt."+mode+".f32")
		for n := range 5000 {
			x := math.Abs(random64(rng))
			if n < len(edges64()) {
				x = math.Abs(edges64()[n])
			}
			got := math.Float64frombits(k64.F1(math.Float64bits(x)))
			y := float32(math.Abs(float64(random32(rng))))
			got32 := float64(math.Float32frombits(uint32(k32.F1(uint64(math.Float32bits(y))))))
			if x == x && x-x == 0 {
				checkRoot(t, rounding(i), x, got, func(v float64, up bool) float64 {
					return math.Nextafter(v, upTo(up))
				})
			}
			if y == y && y-y == 0 {
				checkRoot(t, rounding(i), float64(y), got32, func(v float64, up bool) float64 {
					return float64(math.Nextafter32(float32(v), float32(upTo(up))))
				})
			}
		}
	}
}

func upTo(up bool) float64 {
	if up {
		return math.Inf(1)
	}
	return 0
}

func checkRoot(t *testing.T, r rounding, x, got float64, next func(v float64, up bool) float64) {
	t.Helper()
	want, square := rat64(x), func(v *big.Rat) *big.Rat { return v.Mul(v, v) }
	switch cmp := square(rat64(got)).Cmp(want); {
	case cmp == 0:
	case r == rn:
		half := func(up bool) *big.Rat {
			m := rat64(got)
			return square(m.Mul(m.Add(m, rat64(next(got, up))), big.NewRat(1, 2)))
		}
		require.True(t, half(false).Cmp(want) <= 0 && half(true).Cmp(want) >= 0, x)
	case r == rp:
		require.True(t, cmp > 0 && square(rat64(next(got, false))).Cmp(want) < 0, x)
	default:
		require.True(t, cmp < 0 && square(rat64(next(got, true))).Cmp(want) > 0, x)
	}
}
