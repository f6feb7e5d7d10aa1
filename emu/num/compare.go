package num

import (
	"math"

	"warpscope/ptx/isa"
)

// relation is how two values compare; exactly one bit is set. A comparison operator is the set of relations that make
// it true (9.3.1).
type relation uint8

const (
	less relation = 1 << iota
	equal
	greater
	unordered
)

// comparison takes the operator off an opcode; set is 0 when there is none. unsigned is true for lo, ls, hi, hs,
// floatOnly for operators that integers do not have.
func (o *opcode) comparison() (set relation, unsigned, floatOnly bool) {
	op := o.oneOf("eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs",
		"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
	switch op {
	case "eq", "equ":
		set = equal
	case "ne", "neu":
		set = less | greater
	case "lt", "ltu", "lo":
		set = less
	case "le", "leu", "ls":
		set = less | equal
	case "gt", "gtu", "hi":
		set = greater
	case "ge", "geu", "hs":
		set = greater | equal
	case "num":
		return less | equal | greater, false, true
	case "nan":
		return unordered, false, true
	}
	switch op {
	case "lo", "ls", "hi", "hs":
		return set, true, false
	case "equ", "neu", "ltu", "leu", "gtu", "geu":
		return set | unordered, false, true
	}
	return set, false, false
}

func relate[T uint64 | float32 | float64](a, b T) relation {
	switch {
	case a < b:
		return less
	case a == b:
		return equal
	case a > b:
		return greater
	}
	return unordered
}

// compare is the comparison of an opcode on lanes of type t, nil when the type does not have it.
func compare(o *opcode, t isa.Type) func(a, b uint64) bool {
	set, unsigned, floatOnly := o.comparison()
	if set == 0 {
		return nil
	}
	if f := formatOf(t); f != nil {
		if unsigned {
			return nil
		}
		return floatCompare(f, takeFtz(o, f), set)
	}
	it := integer(t, true)
	if it.bits == 0 || floatOnly || t.Class() == isa.Bits && set != equal && set != less|greater {
		return nil
	}
	return it.compare(set, unsigned)
}

func (t intType) compare(set relation, unsigned bool) func(a, b uint64) bool {
	if unsigned {
		t.signed = false
	}
	return func(a, b uint64) bool { return relate(t.ordered(a), t.ordered(b))&set != 0 }
}

func floatCompare(f *format, ftz bool, set relation) func(a, b uint64) bool {
	switch {
	case f == &fmtF64:
		return func(a, b uint64) bool { return relate(math.Float64frombits(a), math.Float64frombits(b))&set != 0 }
	case f == &fmtF32 && !ftz:
		return func(a, b uint64) bool {
			return relate(math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b)))&set != 0
		}
	case f == &fmtF32:
		m := f32{ftz: ftz}
		return func(a, b uint64) bool { return relate(m.in(a), m.in(b))&set != 0 }
	}
	m := half{f: f, ftz: ftz}
	return func(a, b uint64) bool { return relate(m.in(a), m.in(b))&set != 0 }
}

// buildSetp: 9.7.7.2, 9.7.8.2. A BoolOp in the key is accepted and left to the caller, as is q.
func buildSetp(o *opcode) *Kernel {
	o.oneOf("and", "or", "xor")
	t := o.only()
	packed := t == isa.F16x2 || t == isa.BF16x2
	if packed {
		t = laneType(t)
	}
	f := compare(o, t)
	if f == nil {
		return nil
	}
	if packed {
		return lanes(&Kernel{P2: f}, 16)
	}
	return &Kernel{P2: f}
}

func laneType(t isa.Type) isa.Type {
	switch t {
	case isa.F16x2:
		return isa.F16
	case isa.BF16x2:
		return isa.BF16
	}
	return t
}

// trueValue is what set writes for True (9.7.7.1, 9.7.8.1).
func trueValue(t isa.Type) uint64 {
	switch t {
	case isa.F32, isa.F16, isa.BF16:
		return formatOf(t).one()
	case isa.U16, isa.S16:
		return 0xffff
	case isa.U32, isa.S32:
		return 0xffffffff
	}
	return 0
}

// buildSet: 9.7.7.1, 9.7.8.1. With a BoolOp the kernel has a third operand, the predicate, as 0 or 1.
func buildSet(o *opcode) *Kernel {
	if lane, packed := packedInt(o.only()); packed {
		return setPacked(o, lane)
	}
	dt, st := o.pair()
	lane, yes := laneType(st), trueValue(dt)
	packed := lane != st
	if packed { // dtype is the packed type itself, or 32 bits of two 0xffff
		switch dt {
		case st:
			yes = trueValue(lane)
		case isa.U32, isa.S32:
			yes = 0xffff
		default:
			return nil
		}
	}
	boolOp := o.oneOf("and", "or", "xor")
	if dt == isa.F16 && (st.Class() != isa.Float || st == isa.F64) {
		o.take("ftz") // set.ftz.f16 takes every type (9.7.8.1); only .f16 and .f32 flush
	}
	f := compare(o, lane)
	if yes == 0 || f == nil || !setTypes(dt, lane, packed) {
		return nil
	}
	var k *Kernel
	switch boolOp {
	case "":
		k = &Kernel{F2: func(a, b uint64) uint64 { return -boolBit(f(a, b)) & yes }}
	case "and":
		k = &Kernel{F3: func(a, b, c uint64) uint64 { return -(boolBit(f(a, b)) & c & 1) & yes }}
	case "or":
		k = &Kernel{F3: func(a, b, c uint64) uint64 { return -(boolBit(f(a, b)) | c&1) & yes }}
	case "xor":
		k = &Kernel{F3: func(a, b, c uint64) uint64 { return -(boolBit(f(a, b)) ^ c&1) & yes }}
	}
	if packed {
		return setLanes(k)
	}
	return k
}

// setPacked: a lane becomes all ones or 0. .lo, .ls, .hi and .hs are for unsigned ones.
func setPacked(o *opcode, lane intType) *Kernel {
	set, unsigned, floatOnly := o.comparison()
	if set == 0 || floatOnly || unsigned && lane.signed {
		return nil
	}
	f := lane.compare(set, unsigned)
	return lanes(&Kernel{F2: func(a, b uint64) uint64 { return -boolBit(f(a, b)) & lane.mask() }}, lane.bits)
}

// setTypes says which pairs of types the syntax of 9.7.7.1 and 9.7.8.1 allows.
func setTypes(dt, st isa.Type, packed bool) bool {
	switch {
	case packed:
		return true
	case st == isa.F16 || st == isa.BF16:
		return dt != isa.F32 && (dt.Class() != isa.Float || dt == st || dt == isa.BF16)
	}
	return dt != isa.U16 && dt != isa.S16
}

// setLanes packs two halves; the predicate of a BoolOp is the same for both.
func setLanes(k *Kernel) *Kernel {
	if k.F3 == nil {
		return lanes(k, 16)
	}
	f := k.F3
	return &Kernel{F3: func(a, b, c uint64) uint64 {
		return f(a&0xffff, b&0xffff, c) | f(a>>16&0xffff, b>>16&0xffff, c)<<16
	}}
}

// buildSlct: 9.7.7.4. c ≥ 0 selects a; -0 equals zero, NaN selects b.
func buildSlct(o *opcode) *Kernel {
	dt, ct := o.pair()
	var mask uint64
	switch n := dt.Bits(); {
	case dt == isa.F32 || dt == isa.F64:
		mask = formatOf(dt).mask()
	case integer(dt, true).bits == uint(n) && n > 0:
		mask = integer(dt, true).mask()
	default:
		return nil
	}
	switch ct {
	case isa.S32:
		return &Kernel{F3: func(a, b, c uint64) uint64 {
			if int32(c) >= 0 {
				return a & mask
			}
			return b & mask
		}}
	case isa.F32:
		m := f32{ftz: o.take("ftz")}
		return &Kernel{F3: func(a, b, c uint64) uint64 {
			if m.in(c) >= 0 {
				return a & mask
			}
			return b & mask
		}}
	}
	return nil
}
