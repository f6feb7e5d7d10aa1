// Package slow is a second, independent model of the arithmetic instructions, for tests alone: plain, after the
// manual's text, with math/big and without speed. It knows nothing of package num, and the emulator nothing of it.
package slow

import (
	"strings"

	"warpscope/ptx/isa"
)

// Result is what an instruction may write to one destination.
type Result struct {
	Bits  uint64
	loose []loose
}

// loose is a field of a result that the manual leaves open.
type loose struct {
	shift, width uint
	how          openness
	f            *format
}

// openness says what is open.
type openness uint8

const (
	anyBits openness = iota + 1
	anyNaN           // which NaN it is
	anyZero          // the sign of a zero
)

// Accepts says whether bits are a result that the manual allows.
func (r Result) Accepts(bits uint64) bool {
	want := r.Bits
	for _, l := range r.loose {
		mask := ones(l.width) << l.shift
		field := bits >> l.shift & ones(l.width)
		switch l.how {
		case anyNaN:
			if !l.f.isNaN(field) {
				return false
			}
		case anyZero:
			if field&(l.f.sign()-1) != 0 {
				return false
			}
		}
		want, bits = want&^mask, bits&^mask
	}
	return want == bits
}

// exactly is a result without choice.
func exactly(bits uint64) Result { return Result{Bits: bits} }

// packed puts results of width bits side by side, the first lowest.
func packed(width uint, parts ...Result) Result {
	var all Result
	for i, p := range parts {
		at := uint(i) * width
		all.Bits |= p.Bits & ones(width) << at
		for _, l := range p.loose {
			l.shift += at
			all.loose = append(all.loose, l)
		}
	}
	return all
}

// inst is an instruction with its operands' values.
type inst struct {
	*isa.Bound
	in    []uint64
	carry bool
}

// Eval computes one lane of an instruction. in are the source operands in the order of the text, vectors element by
// element, as bits of their registers; predicates are 0 or 1, negated ones already turned round; carry is CC.CF. There
// is a result for each of n destinations, and the new carry. A result of a conversion to a signed integer is
// sign-extended to 64 bits (9.4.1).
func Eval(b *isa.Bound, in []uint64, n int, carry bool) (out []Result, carryOut bool) {
	i := inst{b, in, carry}
	switch b.Form.Mnemonic {
	case "and", "or", "xor", "not", "cnot", "lop3", "shf", "shl", "shr":
		return i.logic(), carry
	case "set", "setp", "selp", "slct":
		return i.comparison(), carry
	case "prmt":
		return []Result{exactly(i.prmt())}, carry
	case "mov":
		return i.mov(n), carry
	case "cvt":
		return []Result{i.convert()}, carry
	}
	switch b.Form.Section[:6] {
	case "9.7.1.":
		return []Result{i.integer()}, carry
	case "9.7.2.":
		return i.extended()
	}
	return []Result{i.float()}, carry
}

// mov is 9.7.10.3 and 9.7.10.4: n results of as many operands, of one, or one of several; the first is the lowest.
func (i inst) mov(n int) []Result {
	out := make([]Result, n)
	bits := uint(i.Types[0].Bits())
	for k := range out {
		switch {
		case n == len(i.in):
			out[k] = exactly(i.in[k])
		case n == 1:
			for at, v := range i.in {
				part := bits / uint(len(i.in))
				out[0].Bits |= v & ones(part) << (uint(at) * part)
			}
		default:
			part := bits / uint(n)
			out[k] = exactly(i.in[0] >> (uint(k) * part) & ones(part))
		}
	}
	return out
}

// mode is the floating-point rounding mode of the opcode.
func (i inst) mode() string {
	for _, m := range []string{"rna", "rn", "rz", "rm", "rp", "rs"} {
		if i.Has("." + m) {
			return m
		}
	}
	return "rn"
}

// combine applies the opcode's boolean operator, if any, to a truth value and the last operand.
func (i inst) combine(t bool) bool {
	c := i.in[len(i.in)-1] != 0
	switch {
	case i.Has(".and"):
		return t && c
	case i.Has(".or"):
		return t || c
	case i.Has(".xor"):
		return t != c
	}
	return t
}

func truth(t bool) Result {
	if t {
		return exactly(1)
	}
	return exactly(0)
}

// lastType is the type of the operands.
func (i inst) lastType() isa.Type { return i.Types[len(i.Types)-1] }

func (i inst) signed() bool { return i.lastType().Class() == isa.Signed }

// is says whether the form's ID begins so.
func (i inst) is(prefix string) bool { return strings.HasPrefix(i.Form.ID, prefix) }
