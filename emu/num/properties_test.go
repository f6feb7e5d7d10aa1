package num

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// Laws that hold whatever the operands are, on random ones; on fewer where tests are slow.
var trials = map[bool]int{false: 20_000, true: 500}[runtime.GOOS == "js"]

func mask(w uint) uint64 { return ^uint64(0) >> (64 - w) }

// random is a number of w bits: any, few ones, or near the ends of the range.
func random(r *rand.Rand, w uint) uint64 {
	x := r.Uint64()
	switch r.Intn(4) {
	case 0:
		x &= r.Uint64() & r.Uint64()
	case 1:
		x = uint64(r.Intn(5) - 2)
	case 2:
		x = 1<<(w-1) + uint64(r.Intn(5)-2)
	}
	return x & mask(w)
}

// limbs is a number of several words, the lowest first, as a big integer.
func limbs(words []uint64, w uint) *big.Int {
	x := new(big.Int)
	for i := len(words) - 1; i >= 0; i-- {
		x.Lsh(x, w).Add(x, new(big.Int).SetUint64(words[i]))
	}
	return x
}

// Sums and differences of numbers of up to eight words by carry chains (9.7.2).
func TestCarryChainsAreBigIntegers(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, w := range []uint{32, 64} {
		for _, op := range []string{"add", "sub"} {
			first := kernel(t, fmt.Sprintf("%s.cc.u%d", op, w)).C
			next := kernel(t, fmt.Sprintf("%sc.cc.u%d", op, w)).C
			for range trials {
				n := 1 + r.Intn(8)
				a, b, d := make([]uint64, n), make([]uint64, n), make([]uint64, n)
				cf := r.Intn(2) == 0 // the first one does not look at it
				for i := range n {
					a[i], b[i] = random(r, w), random(r, w)
					step := next
					if i == 0 {
						step = first
					}
					d[i], cf = step(a[i], b[i], 0, cf)
				}
				want := limbs(a, w)
				if op == "add" {
					want.Add(want, limbs(b, w))
					require.Equal(t, want.Bit(n*int(w)) == 1, cf)
				} else {
					want.Sub(want, limbs(b, w))
					require.Equal(t, want.Sign() >= 0, cf) // the flag of a subtraction is "no borrow"
				}
				modulus := new(big.Int).Lsh(big.NewInt(1), w*uint(n))
				require.Zero(t, want.Mod(want, modulus).Cmp(limbs(d, w)), "%s %x %x", op, a, b)
			}
		}
	}
}

// The product of a number of several words by one word, by mad.lo.cc, madc.lo.cc, mad.hi.cc and madc.hi (9.7.2.5,
// 9.7.2.6).
func TestProductsByCarryChains(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for _, w := range []uint{32, 64} {
		step := func(key string) func(a, b, c uint64, cf bool) (uint64, bool) {
			return kernel(t, fmt.Sprintf(key, w)).C
		}
		lo, loc := step("mad.cc.lo.u%d"), step("madc.cc.lo.u%d")
		hi, hic := step("mad.cc.hi.u%d"), step("madc.cc.hi.u%d")
		for range trials {
			n := 1 + r.Intn(5)
			a, b, d := make([]uint64, n), random(r, w), make([]uint64, n+1)
			for i := range a {
				a[i] = random(r, w)
			}
			cf := false
			for i := range a { // low halves, at their places
				if i == 0 {
					d[i], cf = lo(a[i], b, 0, cf)
				} else {
					d[i], cf = loc(a[i], b, d[i], cf)
				}
			}
			for i := range a { // high halves, one place up
				if i == 0 {
					d[i+1], cf = hi(a[i], b, d[i+1], cf)
				} else {
					d[i+1], cf = hic(a[i], b, d[i+1], cf)
				}
			}
			want := limbs(a, w)
			want.Mul(want, new(big.Int).SetUint64(b))
			require.Zero(t, want.Cmp(limbs(d, w)), "%x %x", a, b)
		}
	}
}

// Halves of products, and what is made of them.
func TestProductsAreWhole(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for _, w := range []uint{16, 32, 64} {
		for _, sign := range []string{"u", "s"} {
			lo, hi := kernel(t, fmt.Sprintf("mul.lo.%s%d", sign, w)), kernel(t, fmt.Sprintf("mul.hi.%s%d", sign, w))
			wide, _ := Lookup(fmt.Sprintf("mul.wide.%s%d", sign, w))
			for range trials {
				a, b := random(r, w), random(r, w)
				x, y := new(big.Int).SetUint64(a), new(big.Int).SetUint64(b)
				if sign == "s" {
					x, y = big.NewInt(int64(a<<(64-w))>>(64-w)), big.NewInt(int64(b<<(64-w))>>(64-w))
				}
				want := x.Mul(x, y)
				want.Mod(want, new(big.Int).Lsh(big.NewInt(1), 2*w))
				l, h := lo.F2(a, b)&mask(w), hi.F2(a, b)&mask(w)
				require.Zero(t, want.Cmp(limbs([]uint64{l, h}, w)), "%s %x %x", lo.Key, a, b)
				if w < 64 {
					require.Equal(t, h<<w|l, wide.F2(a, b)&mask(2*w))
				}
			}
		}
	}
}

// a = q·b + r with |r| < |b| and the sign of a (truncation).
func TestQuotientAndRemainder(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	for _, w := range []uint{16, 32, 64} {
		div, rem := kernel(t, fmt.Sprintf("div.s%d", w)), kernel(t, fmt.Sprintf("rem.s%d", w))
		udiv, urem := kernel(t, fmt.Sprintf("div.u%d", w)), kernel(t, fmt.Sprintf("rem.u%d", w))
		for range trials {
			a, b := random(r, w), random(r, w)
			if b == 0 {
				continue
			}
			q, m := udiv.F2(a, b), urem.F2(a, b)
			require.Equal(t, a, (q*b+m)&mask(w))
			require.Less(t, m, b)
			signed := func(x uint64) *big.Int { return big.NewInt(int64(x<<(64-w)) >> (64 - w)) }
			q, m = div.F2(a, b), rem.F2(a, b)
			require.Equal(t, a, (q*b+m)&mask(w))
			require.Less(t, signed(m).CmpAbs(signed(b)), 0, "%x %x", a, b)
			require.GreaterOrEqual(t, signed(m).Sign()*signed(a).Sign(), 0, "%x %x", a, b)
		}
	}
}

// shf rotates when both words are the same, and shifts 64 bits with a word from each neighbour (9.7.9.7).
func TestFunnelShiftsRotate(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	left, right := kernel(t, "shf.l.wrap.b32"), kernel(t, "shf.r.wrap.b32")
	clampL, clampR := kernel(t, "shf.clamp.l.b32"), kernel(t, "shf.clamp.r.b32")
	shl, shr := kernel(t, "shl.b32"), kernel(t, "shr.u32")
	for range trials {
		x, y, n := random(r, 32), random(r, 32), uint64(r.Intn(80))
		rotated := uint64(bits.RotateLeft32(uint32(x), int(n)))
		require.Equal(t, rotated, left.F3(x, x, n))
		require.Equal(t, x, right.F3(rotated, rotated, n))
		n = min(n, 32)
		both := y<<32 | x
		require.Equal(t, both<<n, clampL.F3(x, y, n)<<32|shl.F2(x, n))
		require.Equal(t, both>>n, shr.F2(y, n)<<32|clampR.F3(x, y, n))
	}
}

// prmt picks from a list of bytes; permutations compose (9.7.10.7).
func TestPrmtIsAListOfBytes(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	prmt := kernel(t, "prmt.b32")
	for range trials {
		a, b, c := random(r, 32), random(r, 32), random(r, 32)
		var list []byte
		for k := range 4 {
			list = append(list, byte(a>>(8*k)))
		}
		for k := range 4 {
			list = append(list, byte(b>>(8*k)))
		}
		want := uint64(0)
		for k := range 4 {
			nibble := c >> (4 * k) & 15
			x := list[nibble&7]
			if nibble > 7 {
				x = byte(int8(x) >> 7)
			}
			want |= uint64(x) << (8 * k)
		}
		require.Equal(t, want, prmt.F3(a, b, c))
		require.Equal(t, a, prmt.F3(a, b, 0x3210))
		require.Equal(t, b, prmt.F3(a, b, 0x7654))
		swapped := prmt.F3(a, 0, 0x0123)
		require.Equal(t, uint64(bits.ReverseBytes32(uint32(a))), swapped)
		require.Equal(t, a, prmt.F3(swapped, 0, 0x0123))
	}
}

// What bfi puts into a word, bfe finds there, and the rest of the word stays (9.7.1.20, 9.7.1.21).
func TestBitFieldsRoundTrip(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	for _, w := range []uint{32, 64} {
		insert := kernel(t, fmt.Sprintf("bfi.b%d", w))
		extract, signed := kernel(t, fmt.Sprintf("bfe.u%d", w)), kernel(t, fmt.Sprintf("bfe.s%d", w))
		for range trials {
			a, b := random(r, w), random(r, w)
			pos := uint64(r.Intn(int(w)))
			length := uint64(1 + r.Intn(int(w)-int(pos)))
			d := insert.F4(a, b, pos, length)
			field := mask(uint(length))
			require.Equal(t, a&field, extract.F3(d, pos, length))
			require.Equal(t, uint64(int64(a<<(64-length))>>(64-length))&mask(w), signed.F3(d, pos, length)&mask(w))
			require.Equal(t, b&^(field<<pos), d&^(field<<pos)&mask(w))
			require.Equal(t, d, insert.F4(extract.F3(d, pos, length), d, pos, length))
		}
	}
}

func TestCountingBits(t *testing.T) {
	r := rand.New(rand.NewSource(8))
	for _, w := range []uint{32, 64} {
		k := func(name, typ string) func(uint64) uint64 { return kernel(t, fmt.Sprintf("%s.%s%d", name, typ, w)).F1 }
		popc, clz, brev, not := k("popc", "b"), k("clz", "b"), k("brev", "b"), k("not", "b")
		bfind, shift, sfind := k("bfind", "u"), k("bfind.shiftamt", "u"), k("bfind", "s")
		for range trials {
			x := random(r, w)
			require.Equal(t, uint64(w), popc(x)+popc(not(x)))
			require.Equal(t, x, brev(brev(x)))
			require.Equal(t, popc(x), popc(brev(x)))
			require.Equal(t, sfind(x), sfind(not(x)))
			if x != 0 {
				require.Equal(t, uint64(w)-1-clz(x), bfind(x))
				require.Equal(t, clz(x), shift(x))
				require.Equal(t, uint64(bits.TrailingZeros64(x)), clz(brev(x)))
			}
		}
	}
}

// Every truth table of lop3 as a sum of products (9.7.9.6).
func TestLop3IsItsTruthTable(t *testing.T) {
	r := rand.New(rand.NewSource(9))
	for lut := range 256 {
		for range 50 {
			a, b, c := r.Uint32(), r.Uint32(), r.Uint32()
			want := uint32(0)
			for row := range 8 {
				if lut>>row&1 == 1 {
					pick := func(x uint32, bit int) uint32 { return ^x ^ -uint32(row>>bit&1) }
					want |= pick(a, 2) & pick(b, 1) & pick(c, 0)
				}
			}
			require.Equal(t, want, Lop3(a, b, c, uint8(lut)))
		}
	}
}

// dp4a and dp2a are sums of products of bytes, one at a time.
func TestDotProductsAddUp(t *testing.T) {
	r := rand.New(rand.NewSource(10))
	for _, types := range []string{"u32.u32", "u32.s32", "s32.u32", "s32.s32"} {
		four := kernel(t, "dp4a."+types).F3
		lo, hi := kernel(t, "dp2a.lo."+types).F3, kernel(t, "dp2a.hi."+types).F3
		for range trials / 4 {
			a, b, c := random(r, 32), random(r, 32), random(r, 32)
			sum := c
			for k := range 4 {
				sum = four(a&(0xff<<(8*k)), b, sum)
			}
			require.Equal(t, four(a, b, c), sum)
			require.Equal(t, lo(a, b, c), hi(a, b<<16&0xffffffff, c))
			require.Equal(t, lo(a, b, c), lo(a&0xffff, b, lo(a&0xffff0000, b, c)))
		}
	}
}

func rationals(values ...float64) []*big.Rat {
	var out []*big.Rat
	for _, v := range values {
		out = append(out, rat64(v))
	}
	return out
}

// The error of a rounded sum or product is a number of the format, and fma finds it: s + e = a + b, p + e = a·b.
func TestErrorFreeTransformations(t *testing.T) {
	r := rand.New(rand.NewSource(11))
	add, sub, mul, fma := kernel(t, "add.rn.f64").F2, kernel(t, "sub.rn.f64").F2, kernel(t, "mul.rn.f64").F2,
		kernel(t, "fma.rn.f64").F3
	add32, sub32, mul32, fma32 := kernel(t, "add.rn.f32").F2, kernel(t, "sub.rn.f32").F2, kernel(t, "mul.rn.f32").F2,
		kernel(t, "fma.rn.f32").F3
	for range trials {
		a, b := math.Ldexp(r.Float64()-0.5, r.Intn(60)), math.Ldexp(r.Float64()-0.5, r.Intn(60))
		x, y := math.Float64bits(a), math.Float64bits(b)
		s := add(x, y)
		z := sub(s, x)
		e := add(sub(x, sub(s, z)), sub(y, z))
		v := rationals(a, b, math.Float64frombits(s), math.Float64frombits(e))
		require.Zero(t, v[0].Add(v[0], v[1]).Cmp(v[2].Add(v[2], v[3])), "%x + %x", a, b)
		p := mul(x, y)
		e = fma(x, y, p^sign64)
		v = rationals(a, b, math.Float64frombits(p), math.Float64frombits(e))
		require.Zero(t, v[0].Mul(v[0], v[1]).Cmp(v[2].Add(v[2], v[3])), "%x · %x", a, b)

		f, g := float32(a), float32(b)
		i, j := uint64(math.Float32bits(f)), uint64(math.Float32bits(g))
		value := func(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }
		s = add32(i, j)
		z = sub32(s, i)
		e = add32(sub32(i, sub32(s, z)), sub32(j, z))
		v = rationals(float64(f), float64(g), value(s), value(e))
		require.Zero(t, v[0].Add(v[0], v[1]).Cmp(v[2].Add(v[2], v[3])), "%x + %x", f, g)
		p = mul32(i, j)
		e = fma32(i, j, p^sign32)
		v = rationals(float64(f), float64(g), value(p), value(e))
		require.Zero(t, v[0].Mul(v[0], v[1]).Cmp(v[2].Add(v[2], v[3])), "%x · %x", f, g)
	}
}

// Rounding down, to nearest and up are in this order and at most one step apart; toward zero is one of the outer two.
func TestDirectedRoundingEncloses(t *testing.T) {
	r := rand.New(rand.NewSource(12))
	value := func(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }
	for _, op := range []string{"add.%s.f32", "sub.%s.f32", "mul.%s.f32", "div.%s.f32", "fma.%s.f32", "sqrt.%s.f32",
		"rcp.%s.f32", "cvt.%s.f32.f64", "cvt.%s.f32.s64", "cvt.%s.f32.u64"} {
		apply := func(mode string, a, b, c uint64) float64 {
			k := kernel(t, fmt.Sprintf(op, mode))
			switch {
			case k.F1 != nil:
				return value(k.F1(a))
			case k.F2 != nil:
				return value(k.F2(a, b))
			}
			return value(k.F3(a, b, c))
		}
		for range trials / 4 {
			a, b, c := r.Uint64(), uint64(math.Float32bits(random32(r))), uint64(math.Float32bits(random32(r)))
			down, near, up, zero := apply("rm", a, b, c), apply("rn", a, b, c), apply("rp", a, b, c), apply("rz", a, b, c)
			if near != near {
				require.True(t, down != down && up != up && zero != zero)
				continue
			}
			require.True(t, down <= near && near <= up, "%s %x %x %x", op, a, b, c)
			if down != up {
				require.Equal(t, float32(up), math.Nextafter32(float32(down), float32(math.Inf(1))), "%s %x %x %x", op, a, b, c)
			}
			if up > 0 {
				require.Equal(t, down, zero)
			} else {
				require.Equal(t, up, zero)
			}
		}
	}
}

// Conversions there and back: to a format that holds every value, and back.
func TestConversionsRoundTrip(t *testing.T) {
	r := rand.New(rand.NewSource(13))
	for _, c := range []struct {
		there, back string
		bits        uint
		nan         *format
	}{
		{"cvt.f32.f16", "cvt.rn.f16.f32", 16, &fmtF16}, {"cvt.f64.f16", "cvt.rz.f16.f64", 16, &fmtF16},
		{"cvt.f32.bf16", "cvt.rn.bf16.f32", 16, &fmtBF16}, {"cvt.f64.bf16", "cvt.rp.bf16.f64", 16, &fmtBF16},
		{"cvt.f64.f32", "cvt.rm.f32.f64", 32, &fmtF32}, {"cvt.rn.f64.s32", "cvt.rni.s32.f64", 32, nil},
		{"cvt.rz.f64.u32", "cvt.rzi.u32.f64", 32, nil}, {"cvt.rn.f32.s16", "cvt.rmi.s16.f32", 16, nil},
		{"cvt.rn.f32.u16", "cvt.rpi.u16.f32", 16, nil}, {"cvt.rn.f16.s8", "cvt.rni.s8.f16", 8, nil},
		{"cvt.rn.bf16.u8", "cvt.rni.u8.bf16", 8, nil}, {"cvt.u64.s32", "cvt.u32.u64", 32, nil},
		{"cvt.s64.s16", "cvt.s16.s64", 16, nil}, {"cvt.rn.f16x2.e4m3x2", "cvt.rn.satfinite.e4m3x2.f16x2", 16, nil},
		{"cvt.rn.f16x2.e2m3x2", "cvt.rn.satfinite.e2m3x2.f16x2", 0x3f3f, nil},
		{"cvt.rn.f16x2.e3m2x2", "cvt.rn.satfinite.e3m2x2.f16x2", 0x3f3f, nil},
		{"cvt.rn.f16x2.e2m1x2", "cvt.rn.satfinite.e2m1x2.f16x2", 8, nil},
	} {
		there, back := kernel(t, c.there), kernel(t, c.back)
		const most = 1 << 16
		for i := 0; i < most; i += max(20_000/trials, 1) {
			a := uint64(i)
			switch {
			case c.bits == 32:
				a = random(r, 32)
			case c.bits > 64:
				a &= uint64(c.bits)
			default:
				a &= mask(c.bits)
			}
			if c.nan != nil && c.nan.isNaN(a) || c.there == "cvt.rn.f16x2.e4m3x2" && (a&0x7f == 0x7f || a>>8&0x7f == 0x7f) {
				continue
			}
			width := min(c.bits, 32)
			require.Equal(t, a&mask(width), back.F1(there.F1(a))&mask(width), "%s %#x", c.there, a)
		}
	}
}

// min and max pick one of their operands and agree with the comparisons; each relation is the reverse of another.
func TestOrderIsOneOrder(t *testing.T) {
	r := rand.New(rand.NewSource(14))
	for _, typ := range []string{"s16", "u32", "s64", "f32", "f64", "f16", "bf16"} {
		k := func(name string) *Kernel { return kernel(t, name+"."+typ) }
		least, most := k("min"), k("max")
		lt, gt, le, eq := k("setp.lt"), k("setp.gt"), k("setp.le"), k("setp.eq")
		w := uint(least.width(t))
		for range trials / 2 {
			a, b := random(r, w), random(r, w)
			if lt.P2(a, b) || eq.P2(a, b) || gt.P2(a, b) { // no NaN
				require.Equal(t, a^b, least.F2(a, b)&mask(w)^most.F2(a, b)&mask(w), "%s %x %x", typ, a, b)
			}
			if eq.P2(a, a) || eq.P2(b, b) { // which of two NaNs comes out is open
				require.Equal(t, least.F2(a, b), least.F2(b, a))
				require.Equal(t, most.F2(a, b), most.F2(b, a))
			}
			require.Equal(t, lt.P2(a, b), gt.P2(b, a))
			require.Equal(t, le.P2(a, b), lt.P2(a, b) || eq.P2(a, b))
			require.False(t, gt.P2(least.F2(a, b), most.F2(a, b)))
		}
	}
}

// width is the width of a kernel's type.
func (k *Kernel) width(t *testing.T) int {
	o := parse(k.Key)
	require.Len(t, o.types, 1)
	return o.types[0].Bits()
}
