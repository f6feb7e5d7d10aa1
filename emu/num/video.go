package num

import (
	"math"
	"math/bits"
	"strings"

	"warpscope/ptx/isa"
)

// Video is a video instruction (9.7.20).
type Video struct {
	Mnemonic                  string // vadd, vset2, …
	Types                     []isa.Type
	Mods                      []string // with their dots
	Dst, A, B                 string   // selectors of d, a and b, with their dots; "": the default
	NegateA, NegateB, NegateC bool     // vmad only

	elements  int
	d, a, b   []part // of each element; a and b of the pair of registers
	saturate  bool
	low, high int64 // the range that .sat clamps to
	signedC   bool
	primary   func(a, b int64) int64
	second    func(t, c int64) int64 // combines a result with c; nil: it is merged into c
}

// part is some bits of a pair of registers, b above a, or of a destination.
type part struct{ shift, bits int }

// of reads the part, extended to 64 bits (9.7.20.1: to signed 33 bits, which loses nothing).
func (p part) of(v uint64, signed bool) int64 {
	v <<= 64 - p.shift - p.bits
	if signed {
		return int64(v) >> (64 - p.bits)
	}
	return int64(v >> (64 - p.bits))
}

// put replaces the part of v by the low bits of t.
func (p part) put(v uint32, t int64) uint32 {
	mask := uint32(uint64(1)<<p.bits-1) << p.shift
	return v&^mask | uint32(t)<<p.shift&mask
}

// Build makes the instruction's function of one lane; c is ignored when the instruction has no third operand.
func (v *Video) Build() func(a, b, c uint64) uint64 {
	op := strings.TrimRight(v.Mnemonic, "24")
	switch v.Mnemonic[len(v.Mnemonic)-1] {
	case '2':
		v.simd(2)
	case '4':
		v.simd(4)
	default:
		v.elements = 1
		v.a, v.b, v.d = []part{scalarPart(v.A)}, []part{scalarPart(v.B)}, []part{scalarPart(v.Dst)}
		v.b[0].shift += 32
	}
	types := v.Types
	if op == "vset" { // 9.7.20.1.4: the result is unsigned
		types = append([]isa.Type{isa.U32}, types...)
	}
	dst, sa, sb := types[0], types[1] == isa.S32, types[2] == isa.S32
	v.signedC = dst == isa.S32
	if op == "vmad" {
		return v.mad(sa, sb)
	}
	v.clampTo(dst)
	v.primary = v.operation(op)
	v.second = map[string]func(t, c int64) int64{
		".add": func(t, c int64) int64 { return c + t },
		".min": func(t, c int64) int64 { return min(t<<31>>31, c) }, // the pseudo-code passes on 33 bits
		".max": func(t, c int64) int64 { return max(t<<31>>31, c) },
	}[v.one(".add", ".min", ".max")]
	return func(a, b, c uint64) uint64 { return uint64(v.run(uint32(a), uint32(b), uint32(c), sa, sb)) }
}

// one is the first of these modifiers that the opcode carries.
func (v *Video) one(mods ...string) string {
	for _, want := range mods {
		for _, m := range v.Mods {
			if m == want {
				return m
			}
		}
	}
	return ""
}

// run is one lane of everything but vmad.
func (v *Video) run(a, b, c uint32, sa, sb bool) uint32 {
	both := uint64(b)<<32 | uint64(a)
	d := c
	sum := part{0, 32}.of(uint64(c), v.signedC)
	for i := range v.elements {
		t := v.primary(v.a[i].of(both, sa), v.b[i].of(both, sb))
		if v.saturate {
			t = min(max(t, v.low), v.high)
		}
		switch {
		case v.d[i].bits == 0:
		case v.second != nil:
			sum = v.second(t, sum)
		default:
			d = v.d[i].put(d, t)
		}
	}
	if v.second != nil {
		return uint32(sum)
	}
	return d
}

// operation is the primary operation, on extended inputs.
func (v *Video) operation(op string) func(a, b int64) int64 {
	switch op {
	case "vadd":
		return func(a, b int64) int64 { return a + b }
	case "vsub":
		return func(a, b int64) int64 { return a - b }
	case "vabsdiff":
		return func(a, b int64) int64 { return max(a-b, b-a) }
	case "vmin":
		return func(a, b int64) int64 { return min(a, b) }
	case "vmax":
		return func(a, b int64) int64 { return max(a, b) }
	case "vavrg": // halves of non-negative sums go up, those of negative ones down (9.7.20.2.1)
		return func(a, b int64) int64 {
			if a+b >= 0 {
				return (a + b + 1) >> 1
			}
			return (a + b) >> 1
		}
	case "vset":
		return comparison(v.one(".eq", ".ne", ".lt", ".le", ".gt", ".ge"))
	case "vshl":
		return v.shift(func(a, n int64) int64 {
			if n == 32 && a > math.MaxInt32 {
				return 1 << 62 // a<<32, which has 64 bits: still too large for every range, and zero below
			}
			return a << n
		})
	}
	return v.shift(func(a, n int64) int64 { return a >> n })
}

// shift limits the amount (9.7.20.1.2).
func (v *Video) shift(f func(a, n int64) int64) func(a, n int64) int64 {
	if v.one(".wrap") != "" {
		return func(a, n int64) int64 { return f(a, n&31) }
	}
	return func(a, n int64) int64 { return f(a, min(n, 32)) }
}

func comparison(cmp string) func(a, b int64) int64 {
	return func(a, b int64) int64 {
		holds := false
		switch cmp {
		case ".eq":
			holds = a == b
		case ".ne":
			holds = a != b
		case ".lt":
			holds = a < b
		case ".le":
			holds = a <= b
		case ".gt":
			holds = a > b
		case ".ge":
			holds = a >= b
		}
		if holds {
			return 1
		}
		return 0
	}
}

// clampTo sets the range of .sat: the type's, in as many bits as an element of the destination has.
func (v *Video) clampTo(t isa.Type) {
	v.saturate = v.one(".sat") != ""
	width := 32 / v.elements
	if v.elements == 1 {
		width = v.d[0].bits
	}
	if v.low, v.high = 0, 1<<width-1; t == isa.S32 {
		v.low, v.high = -1<<(width-1), 1<<(width-1)-1
	}
}

// scalarPart is what .b2 or .h1 selects; without a selector the whole register.
func scalarPart(sel string) part {
	if sel == "" {
		return part{0, 32}
	}
	width := 16
	if sel[1] == 'b' {
		width = 8
	}
	return part{int(sel[2]-'0') * width, width}
}

// simd sets the parts of an instruction on n elements (9.7.20.2): the last digit of a selector is element 0.
func (v *Video) simd(n int) {
	width := 32 / n
	v.elements = n
	select1 := func(sel string, first int) []part {
		parts := make([]part, n)
		for i := range parts {
			k := first + i
			if sel != "" {
				k = int(sel[len(sel)-1-i] - '0')
			}
			parts[i] = part{k * width, width}
		}
		return parts
	}
	v.a, v.b = select1(v.A, 0), select1(v.B, n)
	v.d = select1("", 0)
	for i := range v.d {
		if v.Dst != "" && !strings.Contains(v.Dst[2:], string(rune('0'+i))) {
			v.d[i].bits = 0 // not in the mask
		}
	}
}

// mad is vmad (9.7.20.1.3): a product of 128 bits, to which c and, for negations and .po, one are added.
func (v *Video) mad(sa, sb bool) func(a, b, c uint64) uint64 {
	negate := v.NegateA != v.NegateB
	signed := sa || sb || negate || v.NegateC
	plusOne := v.one(".po") != ""
	shift := map[string]uint{".shr7": 7, ".shr15": 15}[v.one(".shr7", ".shr15")]
	saturate := v.one(".sat") != ""
	return func(a, b, c uint64) uint64 {
		hi, lo := multiply(v.a[0].of(a&math.MaxUint32, sa), part{v.b[0].shift - 32, v.b[0].bits}.of(b&math.MaxUint32, sb))
		one := uint64(0)
		switch {
		case plusOne:
			one = 1
		case negate:
			hi, lo, one = ^hi, ^lo, 1
		case v.NegateC:
			c, one = ^c, 1
		}
		third := part{0, 32}.of(c&math.MaxUint32, signed)
		var carry uint64
		lo, carry = bits.Add64(lo, uint64(third), one)
		hi, _ = bits.Add64(hi, uint64(third>>63), carry)
		if shift > 0 {
			hi, lo = uint64(int64(hi)>>shift), lo>>shift|hi<<(64-shift)
		}
		if saturate {
			lo = clamp128(int64(hi), lo, signed)
		}
		return lo & math.MaxUint32
	}
}

// multiply is the signed product of 128 bits.
func multiply(a, b int64) (hi, lo uint64) {
	hi, lo = bits.Mul64(uint64(a), uint64(b))
	return hi - uint64(a>>63)&uint64(b) - uint64(b>>63)&uint64(a), lo
}

// clamp128 limits hi:lo to the range of .s32 or .u32.
func clamp128(hi int64, lo uint64, signed bool) uint64 {
	low, high := int64(0), int64(math.MaxUint32)
	if signed {
		low, high = math.MinInt32, math.MaxInt32
	}
	switch {
	case hi < 0 && (hi != -1 || int64(lo) >= 0 || int64(lo) < low):
		return uint64(low)
	case hi >= 0 && (hi > 0 || lo > uint64(high)):
		return uint64(high)
	}
	return lo
}
