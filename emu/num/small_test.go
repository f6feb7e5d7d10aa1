package num

import (
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx/isa"
)

// small describes a format for the tests by the numbers of 5.2.3.
type small struct {
	name     string
	f        *format
	exp, man int
	finite   int // encodings below this one are finite
}

var smallFormats = []small{
	{"f16", &fmtF16, 5, 10, 0x7c00}, {"bf16", &fmtBF16, 8, 7, 0x7f80}, {"e5m2", &fmtE5M2, 5, 2, 0x7c},
	{"e4m3", &fmtE4M3, 4, 3, 0x7f}, {"e3m2", &fmtE3M2, 3, 2, 0x20}, {"e2m3", &fmtE2M3, 2, 3, 0x20},
	{"e2m1", &fmtE2M1, 2, 1, 8},
}

func TestDecodeEveryValue(t *testing.T) {
	for _, s := range smallFormats {
		for a, v := range tableOf(s.exp, s.man, s.finite) {
			want, _ := v.Float64()
			require.Equal(t, want, s.f.decode(uint64(a)), s.name)
			require.Equal(t, -want, s.f.decode(uint64(a)|s.f.signBit()), s.name)
			require.EqualValues(t, a, s.f.encode(want, rz), s.name)
		}
	}
	k := kernel(t, "cvt.f32.f16")
	for a := range uint64(1 << 16) {
		want := math.Float32bits(float32(fmtF16.decode(a)))
		if a&0x7fff > 0x7c00 {
			want = nan32
		}
		require.EqualValues(t, want, k.F1(a))
	}
}

// Every value, every midpoint, and their float64 neighbours, in every mode and both signs. What lies just above value
// i is between i and i+1, and its nearest is known by construction.
func TestEncodeAroundEveryValue(t *testing.T) {
	for _, s := range smallFormats {
		values := tableOf(s.exp, s.man, s.finite)
		x, _ := values[0].Float64()
		for i, v := range values[1:] {
			next, _ := v.Float64()
			mid := (x + next) / 2
			even := i + i&1
			for _, p := range []struct {
				x       float64
				nearest int
			}{
				{math.Nextafter(x, 1e300), i}, {math.Nextafter(mid, 0), i}, {mid, even},
				{math.Nextafter(mid, 1e300), i + 1}, {math.Nextafter(next, 0), i + 1},
			} {
				checkEncode(t, s, p.x, i, i+1, p.nearest)
			}
			checkEncode(t, s, next, i+1, i+1, i+1)
			x = next
		}
	}
}

// checkEncode rounds ±x, whose magnitude lies between the encodings lo and hi.
func checkEncode(t *testing.T, s small, x float64, lo, hi, nearest int) {
	t.Helper()
	for r, mode := range modeNames {
		plus := uint64(pickNeighbour(mode, false, lo, hi, nearest))
		minus := uint64(pickNeighbour(mode, true, hi, lo, nearest)) | s.f.signBit()
		if a, b := s.f.encode(x, rounding(r)), s.f.encode(-x, rounding(r)); a != plus || b != minus {
			require.Failf(t, "wrong", "%s %s %x: want %#x %#x, got %#x %#x", s.name, mode, x, plus, minus, a, b)
		}
	}
}

// Half precision rounds the exact sum, product and fused product once.
func TestHalfArithmeticRoundsOnce(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	for _, s := range smallFormats[:2] {
		values := tableOf(s.exp, s.man, s.finite)
		value := func(a uint64) *big.Rat {
			v := new(big.Rat).Set(values[a&0x7fff])
			if a&0x8000 != 0 {
				v.Neg(v)
			}
			return v
		}
		random := func() uint64 { return uint64(rng.Intn(s.finite)) | uint64(rng.Intn(2))<<15 }
		for _, op := range []string{"add", "sub", "mul", "fma"} {
			key := op + ".rn." + s.name
			k := kernel(t, key)
			for range 15_000 {
				a, b, c := random(), random(), random()
				x := value(a)
				switch op {
				case "add":
					x.Add(x, value(b))
				case "sub":
					x.Sub(x, value(b))
				case "mul":
					x.Mul(x, value(b))
				default:
					if rng.Intn(2) == 0 { // comparable exponents
						c = (a&0x7fff+b&0x7fff-s.f.one()+uint64(rng.Intn(64)))%uint64(s.finite) | c&0x8000
					}
					x.Mul(x, value(b))
					x.Add(x, value(c))
				}
				if x.Sign() == 0 {
					continue
				}
				want := uint64(values.round(x, "rn"))
				if x.Sign() < 0 {
					want |= 0x8000
				}
				if got := arity(k, a, b, c); got != want {
					require.Failf(t, "wrong", "%s %#x %#x %#x: want %#x, got %#x", key, a, b, c, want, got)
				}
			}
		}
	}
}

func TestConversionsAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewSource(6))
	f16 := tableOf(5, 10, 0x7c00)
	for _, mode := range modeNames {
		fromU, fromS := kernel(t, "cvt."+mode+".f32.u64"), kernel(t, "cvt."+mode+".f32.s64")
		toDouble, from32 := kernel(t, "cvt."+mode+".f64.s64"), kernel(t, "cvt."+mode+".f32.u32")
		narrow, toHalf := kernel(t, "cvt."+mode+".f32.f64"), kernel(t, "cvt."+mode+".f16.f64")
		for range 20_000 {
			a := rng.Uint64() >> rng.Intn(64)
			if rng.Intn(2) == 0 {
				a = a&^(a>>1|a>>2) | 1<<uint(rng.Intn(64)) // few bits: ties
			}
			u, i := new(big.Rat).SetUint64(a), new(big.Rat).SetInt64(int64(a))
			require.EqualValues(t, math.Float32bits(round32(u, mode)), fromU.F1(a))
			require.EqualValues(t, math.Float64bits(round64(i, mode)), toDouble.F1(a))
			require.EqualValues(t, math.Float32bits(round32(i, mode)), fromS.F1(a))
			low := new(big.Rat).SetUint64(uint64(uint32(a)))
			require.EqualValues(t, math.Float32bits(round32(low, mode)), from32.F1(a))
			if x := random64(rng); x-x == 0 && x != 0 {
				require.EqualValues(t, math.Float32bits(round32(rat64(x), mode)), narrow.F1(math.Float64bits(x)), x)
			}
			if x := math.Abs(random64(rng)); x < 65504 && x > 0 {
				require.EqualValues(t, f16.round(rat64(x), mode), toHalf.F1(math.Float64bits(x)), x)
			}
		}
	}
}

// Float to integer: round the rational, clamp to the range of the destination.
func TestFloatToIntegerAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	for _, mode := range []string{"rni", "rzi", "rmi", "rpi"} {
		for _, d := range []struct {
			name   string
			bits   uint
			signed bool
		}{
			{"s8", 8, true}, {"u16", 16, false}, {"s32", 32, true}, {"u32", 32, false}, {"s64", 64, true},
			{"u64", 64, false},
		} {
			k := kernel(t, "cvt."+mode+"."+d.name+".f64")
			least, greatest := new(big.Int), new(big.Int).Lsh(big.NewInt(1), d.bits)
			if d.signed {
				greatest.Rsh(greatest, 1)
				least.Neg(greatest)
			}
			greatest.Sub(greatest, big.NewInt(1))
			for range 3000 {
				x := math.Ldexp(1+rng.Float64(), rng.Intn(int(d.bits)+6)-3)
				if rng.Intn(3) == 0 {
					x = math.Floor(x) + 0.5
				}
				if rng.Intn(2) == 0 {
					x = -x
				}
				want := integral(x, mode)
				if want.Cmp(least) < 0 {
					want = least
				} else if want.Cmp(greatest) > 0 {
					want = greatest
				}
				got := new(big.Int).SetUint64(k.F1(math.Float64bits(x)))
				if d.signed {
					got.SetInt64(int64(k.F1(math.Float64bits(x))))
				}
				require.Zerof(t, got.Cmp(want), "cvt.%s.%s.f64 %v: want %s, got %s", mode, d.name, x, want, got)
			}
		}
	}
}

// Around the least and the greatest value of each integer type: the power of two itself, and the floats next to it.
func TestFloatToIntegerAtTheLimits(t *testing.T) {
	for _, bits := range []uint{8, 16, 32, 64} {
		for _, signed := range []bool{false, true} {
			name, least, greatest := fmt.Sprint("u", bits), new(big.Int), new(big.Int).Lsh(big.NewInt(1), bits)
			if signed {
				name = fmt.Sprint("s", bits)
				greatest.Rsh(greatest, 1)
				least.Neg(greatest)
			}
			power, _ := new(big.Float).SetInt(greatest).Float64()
			greatest.Sub(greatest, big.NewInt(1))
			for _, mode := range []string{"rni", "rzi", "rmi", "rpi"} {
				single, double := kernel(t, "cvt."+mode+"."+name+".f32"), kernel(t, "cvt."+mode+"."+name+".f64")
				for _, x := range []float64{power, -power, power - 1, power - 0.5, -power - 0.5, -power - 1, 0.5, -0.5, -1} {
					f := float32(x)
					for _, near := range []float32{math.Nextafter32(f, -1e30), f, math.Nextafter32(f, 1e30)} {
						checkLimited(t, single, uint64(math.Float32bits(near)), float64(near), mode, least, greatest)
					}
					for _, near := range []float64{math.Nextafter(x, -1e30), x, math.Nextafter(x, 1e30)} {
						checkLimited(t, double, math.Float64bits(near), near, mode, least, greatest)
					}
				}
			}
		}
	}
}

// checkLimited converts x, whose bits are a, to an integer type from least to greatest.
func checkLimited(t *testing.T, k *Kernel, a uint64, x float64, mode string, least, greatest *big.Int) {
	t.Helper()
	want := integral(x, mode)
	if want.Cmp(least) < 0 {
		want = least
	} else if want.Cmp(greatest) > 0 {
		want = greatest
	}
	got := new(big.Int).SetUint64(k.F1(a))
	if least.Sign() < 0 {
		got.SetInt64(int64(k.F1(a)))
	}
	require.Zerof(t, got.Cmp(want), "%s of %v: want %s, got %s", k.Key, x, want, got)
}

func integral(x float64, mode string) *big.Int {
	r := rat64(x)
	floor := new(big.Int).Div(r.Num(), r.Denom()) // Euclidean: the floor, for a positive denominator
	frac := new(big.Rat).Sub(r, new(big.Rat).SetInt(floor))
	half := frac.Cmp(big.NewRat(1, 2))
	up := false
	switch mode {
	case "rni":
		up = half > 0 || half == 0 && floor.Bit(0) == 1
	case "rzi":
		up = x < 0 && frac.Sign() != 0
	case "rpi":
		up = frac.Sign() != 0
	}
	if up {
		floor.Add(floor, big.NewInt(1))
	}
	return floor
}

// The scale factors of 5.2.3 have no sign: ue4m3 is e4m3 without it, ue8m0 is 2^(a-127). Each value reads back; what
// lies between two values goes to the nearer one.
func TestEncodersReadBack(t *testing.T) {
	for _, s := range []struct {
		t      isa.Type
		values uint64 // encodings of numbers
	}{
		{isa.F16, 0x7c00}, {isa.BF16, 0x7f80}, {isa.E5M2, 0x7c}, {isa.E4M3, 0x7f}, {isa.E3M2, 0x20}, {isa.E2M3, 0x20},
		{isa.E2M1, 8}, {isa.UE4M3, 0x7f}, {isa.UE8M0, 0xff}, {isa.UE5M3, 0xff},
	} {
		decode, encode := Decoder(s.t), Encoder(s.t)
		for a := range s.values {
			v := decode(a)
			require.Equal(t, a, encode(v), "%s %#x", s.t, a)
			if a+1 < s.values {
				mid := (v + decode(a+1)) / 2
				require.Equal(t, a, encode(math.Nextafter(mid, 0)), "%s %#x", s.t, a)
				require.Equal(t, a+1, encode(math.Nextafter(mid, math.Inf(1))), "%s %#x", s.t, a)
			}
		}
	}
	ue8m0, ue4m3 := Encoder(isa.UE8M0), Encoder(isa.UE4M3)
	require.EqualValues(t, 127, ue8m0(1)) // 2^(127-127)
	require.EqualValues(t, 0, ue8m0(0))
	require.EqualValues(t, 0xfe, ue8m0(math.Inf(1)))
	require.EqualValues(t, 0xff, ue8m0(math.NaN()))
	require.EqualValues(t, 0x38, ue4m3(1)) // exponent 7, the bias
	require.EqualValues(t, 0, ue4m3(-1))
	require.EqualValues(t, 0x7f, ue4m3(math.NaN()))
	ue5m3 := Encoder(isa.UE5M3) // 8 bits: five of exponent with bias 15, three of fraction
	require.EqualValues(t, []uint64{15 << 3, 0xfe, 0xff, 0, 1, 30 << 3},
		[]uint64{ue5m3(1), ue5m3(114688), ue5m3(math.NaN()), ue5m3(-1), ue5m3(0x1p-17), ue5m3(32768)}) // 1.75 * 2^16
	require.Nil(t, Encoder(isa.F32))
}
