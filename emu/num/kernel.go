// Package num is the arithmetic of PTX: bits in, bits out, no machine.
//
// Lookup turns the canonical spelling of an opcode ("add.ftz.rn.f32") into a Kernel, a pure function of one lane's
// operands. The opcode is taken apart once and its modifiers become constants of a closure. Kernels are built on
// demand by the builder of their mnemonic; the package has no start-up work.
//
// How the parts fit together:
//
//   - int.go, bits.go, logic.go, carry.go: integers, by width and signedness.
//   - format.go, exact.go: any binary floating-point format of at most 64 bits, unpacked into an exact number
//     (sign, 128-bit significand, exponent) and rounded once, in any mode. This is the reference; it is never wrong and
//     never fast.
//   - float32.go, float64.go, half.go, minmax.go, compare.go: floating point. Narrow formats compute in float64, whose
//     result is made odd (see odd.go) so that the second rounding cannot go wrong.
//   - mixed.go: pairs of different types, and fours of narrow ones.
//   - cvt.go, cvt_pack.go: conversions.
//   - approx.go: the approximate functions, whose error the manual bounds.
//
// NaN. "Single-precision instructions return an unspecified NaN" (9.7.3), half precision too (9.7.4): results are the
// NaNs that hardware returns, 0x7fffffff, 0x7fff for f16 and 0x7fff for bf16. "NaN payloads are supported for
// double-precision instructions" (9.7.3) but the manual does not say whose payload wins, or what an invalid operation
// gives; see nan64.
//
// Flushing (.ftz) happens before the operation on its inputs and after rounding on its result: a result that rounds up
// to the smallest normal number is kept.
package num

import (
	"slices"
	"strings"

	"warpscope/ptx/isa"
)

// Kernel is the arithmetic of one opcode. One of the functions is set; min.f32 and max.f32, whose forms of two and of
// three operands share a key, have F2 and F3. Operands and results are bit patterns
// zero-extended to 64 bits; bits of an operand above its type are ignored. Only cvt to a signed integer type
// sign-extends its result, so that it can be written to a wider register (9.4.1).
type Kernel struct {
	Key   string
	Bound string // the error that the manual allows (see bound); "": it leaves one answer, and this is it

	F1   func(a uint64) uint64
	F2   func(a, b uint64) uint64
	F3   func(a, b, c uint64) uint64        // set with a BoolOp takes its predicate as c, 0 or 1
	F4   func(a, b, c, d uint64) uint64     // lop3 (immLut is d) and bfi
	V4   func(v [4]uint64, b uint64) uint64 // cvt.rs of four sources
	P1   func(a uint64) bool                // testp
	P2   func(a, b uint64) bool             // setp: t of 9.7.7.2; BoolOp and q are the caller's
	P2x2 func(a, b uint64) (p, q bool)      // setp.f16x2 and .bf16x2: t[0] and t[1] of 9.7.8.2

	// C is the carry chain of 9.7.2; two-operand instructions ignore c. See carry.go for the meaning of the flag.
	C func(a, b, c uint64, cf bool) (d uint64, carry bool)
}

// Key spells an opcode canonically: mnemonic, modifiers in byte order, types in their own order, all without dots.
func Key(mnemonic string, mods, types []string) string {
	sorted := slices.Clone(mods)
	slices.Sort(sorted)
	return strings.Join(slices.Concat([]string{mnemonic}, sorted, types), ".")
}

// Lookup builds the kernel of a canonical opcode. It keeps nothing: the caller asks once per instruction it lowers.
func Lookup(key string) (*Kernel, bool) {
	o := parse(key)
	o.fillDefaults()
	build := builders(o.mnemonic)
	if build == nil {
		return nil, false
	}
	k := build(o)
	if k == nil || len(o.mods) > 0 {
		return nil, false
	}
	k.Key = key
	return k, true
}

// opcode is a key taken apart. Builders remove the modifiers they understand; what remains is not supported.
type opcode struct {
	mnemonic string
	mods     []string
	types    []isa.Type
}

// parse adds an impossible modifier when the key is not canonical, so that no builder accepts it.
func parse(key string) *opcode {
	words := strings.Split(key, ".")
	o := &opcode{mnemonic: words[0]}
	for _, w := range words[1:] {
		if t, ok := isa.ParseType("." + w); ok {
			o.types = append(o.types, t)
		} else if n := len(o.mods); len(o.types) > 0 || n > 0 && o.mods[n-1] >= w {
			o.mods = append(o.mods, "?")
		} else {
			o.mods = append(o.mods, w)
		}
	}
	return o
}

// fillDefaults gives instructions without modifiers the ones they had in PTX ISA 1.0 to 1.3, where div, rcp, sqrt and
// the like had defaults (PTX ISA notes of 9.7.3.8 to 9.7.3.21) and mad.f64 was rounded to nearest (9.7.3.7).
func (o *opcode) fillDefaults() {
	if len(o.mods) > 0 {
		return
	}
	t := o.only()
	switch o.mnemonic {
	case "div", "rcp", "sqrt", "mad", "rsqrt", "sin", "cos", "lg2", "ex2":
	default:
		return
	}
	switch {
	case t == isa.F32 && o.mnemonic != "mad":
		o.mods = []string{"approx", "ftz"}
	case t == isa.F64 && o.mnemonic == "rsqrt":
		o.mods = []string{"approx"}
	case t == isa.F64:
		o.mods = []string{"rn"}
	}
}

// take removes a modifier and says whether it was there.
func (o *opcode) take(mod string) bool { return isa.Take(&o.mods, mod) != "" }

// oneOf removes the first of these modifiers that is there and returns it, or "".
func (o *opcode) oneOf(mods ...string) string { return isa.Take(&o.mods, mods...) }

// only is the type of an opcode that has exactly one.
func (o *opcode) only() isa.Type {
	if len(o.types) != 1 {
		return isa.NoType
	}
	return o.types[0]
}

// pair is the two types of an opcode that has exactly two.
func (o *opcode) pair() (first, second isa.Type) {
	if len(o.types) != 2 {
		return isa.NoType, isa.NoType
	}
	return o.types[0], o.types[1]
}

// builder makes the kernel of an opcode, or nil.
type builder func(o *opcode) *Kernel

// byKind picks a builder by the kind of the last type, which is the type of the operands.
func byKind(integer, float builder) builder {
	return func(o *opcode) *Kernel {
		switch n := len(o.types); {
		case n == 0:
			return nil
		case o.types[n-1].Class() == isa.Float:
			if float != nil {
				return float(o)
			}
		case integer != nil:
			return integer(o)
		}
		return nil
	}
}

// lanes packs kernels of one lane into kernels of several: half-words of a .b32, words of a .b64.
func lanes(k *Kernel, width uint) *Kernel {
	mask := uint64(1)<<width - 1
	total := uint(32)
	if width == 32 {
		total = 64
	}
	switch {
	case k == nil:
		return nil
	case k.F1 != nil:
		f := k.F1
		k.F1 = func(a uint64) (d uint64) {
			for s := uint(0); s < total; s += width {
				d |= f(a>>s&mask) & mask << s
			}
			return d
		}
	case k.F2 != nil:
		f := k.F2
		k.F2 = func(a, b uint64) (d uint64) {
			for s := uint(0); s < total; s += width {
				d |= f(a>>s&mask, b>>s&mask) & mask << s
			}
			return d
		}
	case k.F3 != nil:
		f := k.F3
		k.F3 = func(a, b, c uint64) (d uint64) {
			for s := uint(0); s < total; s += width {
				d |= f(a>>s&mask, b>>s&mask, c>>s&mask) & mask << s
			}
			return d
		}
	case k.P2 != nil:
		f := k.P2
		k.P2, k.P2x2 = nil, func(a, b uint64) (p, q bool) { return f(a&mask, b&mask), f(a>>width, b>>width) }
	}
	return k
}
