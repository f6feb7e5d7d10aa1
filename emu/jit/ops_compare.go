package jit

import (
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/ptx/isa"
)

// comparison pushes 4 lanes of a comparison of two operands.
type comparison func(b *body, s []row.Operand)

// relations are the comparison operators on numbers: equal, less, less or equal, greater, greater or equal. ne is not
// eq, except for floating-point numbers, which can be unordered (9.3.1).
var relations = map[string]int{"eq": 0, "lt": 1, "le": 2, "gt": 3, "ge": 4, "lo": 1, "ls": 2, "hi": 3, "hs": 4}

var (
	wordCompares = [...][5]wasm.Op{
		{wasm.I32x4Eq, wasm.I32x4LtU, wasm.I32x4LeU, wasm.I32x4GtU, wasm.I32x4GeU},
		{wasm.I32x4Eq, wasm.I32x4LtS, wasm.I32x4LeS, wasm.I32x4GtS, wasm.I32x4GeS},
	}
	longCompares   = [5]wasm.Op{wasm.I64x2Eq, wasm.I64x2LtS, wasm.I64x2LeS, wasm.I64x2GtS, wasm.I64x2GeS}
	floatCompares  = [5]wasm.Op{wasm.F32x4Eq, wasm.F32x4Lt, wasm.F32x4Le, wasm.F32x4Gt, wasm.F32x4Ge}
	doubleCompares = [5]wasm.Op{wasm.F64x2Eq, wasm.F64x2Lt, wasm.F64x2Le, wasm.F64x2Gt, wasm.F64x2Ge}
)

// compareAs takes the operator off an opcode. t is the type of the operands.
func compareAs(o *opcode, t isa.Type) comparison {
	op := o.oneOf("eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs",
		"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
	switch {
	case op == "":
		return nil
	case t == isa.F32 || t == isa.F64:
		return compareNumbers(op, t, t == isa.F32 && o.take("ftz"))
	case !whole(t):
		return nil
	}
	n, known := relations[op]
	if op != "ne" && !known {
		return nil
	}
	signed := t.Class() == isa.Signed && op[0] != 'h' && op != "lo" && op != "ls"
	return func(b *body, s []row.Operand) {
		if t.Bits() == 64 {
			b.compareLongs(s, longCompares[n], !signed && n > 0)
		} else {
			for _, o := range s[:2] {
				if signed {
					b.signed(o, t.Bits())
				} else {
					b.word(o)
				}
			}
			b.Op(wordCompares[row.Bit(signed)][n])
		}
		if op == "ne" {
			b.Op(wasm.V128Not)
		}
	}
}

// compareLongs pushes 4 lanes of a comparison of 64 bits. Unsigned numbers have their sign flipped.
func (b *body) compareLongs(s []row.Operand, do wasm.Op, flip bool) {
	for half := range uint32(2) {
		for _, o := range s[:2] {
			b.long(o, half)
			if flip {
				b.V128(1<<63, 1<<63)
				b.Op(wasm.V128Xor)
			}
		}
		b.Op(do)
	}
	b.Shuffle(wasm.LowerWords)
}

// compareNumbers is a comparison of floating-point numbers. An unordered operator is the negation of its opposite.
func compareNumbers(op string, t isa.Type, ftz bool) comparison {
	opposite := map[string]string{"equ": "ne", "neu": "eq", "ltu": "ge", "leu": "gt", "gtu": "le", "geu": "lt",
		"nan": "num"}
	not := false
	if other := opposite[op]; other != "" {
		op, not = other, true
	}
	n, known := relations[op]
	if !known && op != "ne" && op != "num" || op[0] == 'h' || op == "lo" || op == "ls" {
		return nil
	}
	return func(b *body, s []row.Operand) {
		switch op {
		case "ne":
			b.compareFloat(s[0], s[1], t, 1, ftz)
			b.compareFloat(s[0], s[1], t, 3, ftz)
			b.Op(wasm.V128Or)
		case "num":
			b.compareFloat(s[0], s[0], t, 0, ftz)
			b.compareFloat(s[1], s[1], t, 0, ftz)
			b.Op(wasm.V128And)
		default:
			b.compareFloat(s[0], s[1], t, n, ftz)
		}
		if not {
			b.Op(wasm.V128Not)
		}
	}
}

func (b *body) compareFloat(x, y row.Operand, t isa.Type, n int, ftz bool) {
	if t == isa.F64 {
		b.compareLongs([]row.Operand{x, y}, doubleCompares[n], false)
		return
	}
	for _, o := range [...]row.Operand{x, y} {
		b.getFloat(o.Off)
		if ftz {
			b.flush()
		}
	}
	b.Op(floatCompares[n])
}

// combine pops 4 lanes of a comparison and pushes what a BoolOp makes of them and a predicate.
func (b *body) combine(op string, c row.Operand) {
	if op != "" {
		b.boolean(c)
		b.Op(map[string]wasm.Op{"and": wasm.V128And, "or": wasm.V128Or, "xor": wasm.V128Xor}[op])
	}
}

// buildSetp is setp (9.7.7.2).
func buildSetp(o *opcode) emits {
	if len(o.types) != 1 {
		return nil
	}
	op := o.oneOf("and", "or", "xor")
	test := compareAs(o, o.types[0])
	if test == nil {
		return nil
	}
	return func(b *body, in *machine.Inst) {
		r := in.X.Predicates
		t := b.fresh(2)
		test(b, in.X.S)
		b.Tee(t)
		if r.Combine == nil {
			op = ""
		}
		b.combine(op, r.C)
		if r.Q.Sink {
			b.setMask(r.P)
			return
		}
		b.Get(t)
		b.Op(wasm.V128Not)
		b.combine(op, r.C) // before p is written
		b.Set(t + 1)
		b.setMask(r.P)
		b.Get(t + 1)
		b.setMask(r.Q)
	}
}

// buildSet is set (9.7.7.1).
func buildSet(o *opcode) emits {
	if len(o.types) != 2 {
		return nil
	}
	yes := uint64(1<<32 - 1)
	switch o.types[0] {
	case isa.F32:
		yes = 0x3f800000
	case isa.U32, isa.S32:
	default:
		return nil
	}
	op := o.oneOf("and", "or", "xor")
	test := compareAs(o, o.types[1])
	if test == nil {
		return nil
	}
	return func(b *body, in *machine.Inst) {
		test(b, in.X.S)
		if op != "" {
			b.combine(op, in.X.S[2])
		}
		b.splat(yes)
		b.Op(wasm.V128And)
		b.setWord(in.X.D[0], false)
	}
}

// buildSlct is slct (9.7.7.4), which selects by the sign of c. -0 equals zero, NaN selects b.
func buildSlct(o *opcode) emits {
	if len(o.types) != 2 || !whole(o.types[0]) && o.types[0] != isa.F32 && o.types[0] != isa.F64 {
		return nil
	}
	ftz, float := o.take("ftz"), o.types[1] == isa.F32
	return func(b *body, in *machine.Inst) {
		d, s := in.X.D[0], in.X.S
		m := b.fresh(1)
		if float {
			b.getFloat(s[2].Off)
			if ftz {
				b.flush()
			}
			b.splat(0)
			b.Op(wasm.F32x4Ge)
		} else {
			b.word(s[2])
			b.splat(0)
			b.Op(wasm.I32x4GeS)
		}
		b.Set(m)
		if o.types[0].Bits() < 64 {
			b.word(s[0])
			b.word(s[1])
			b.Get(m)
			b.Op(wasm.V128Bitselect)
			b.setWord(d, false)
			return
		}
		for half := range uint32(2) {
			b.long(s[0], half)
			b.long(s[1], half)
			b.Get(m)
			b.Op(extend[half], wasm.V128Bitselect)
		}
		b.setLong(d)
	}
}

// predicateLogic is and, or, xor, not and mov on predicates (9.7.9.1 to 9.7.9.4).
func predicateLogic(name string) emits {
	var do []wasm.Op
	switch name {
	case "and":
		do = []wasm.Op{wasm.V128And}
	case "or":
		do = []wasm.Op{wasm.V128Or}
	case "xor":
		do = []wasm.Op{wasm.V128Xor}
	case "not":
		do = []wasm.Op{wasm.V128Not}
	case "mov":
	default:
		return nil
	}
	return func(b *body, in *machine.Inst) {
		b.boolean(in.X.S[0])
		if name != "not" && name != "mov" {
			b.boolean(in.X.S[1])
		}
		b.Op(do...)
		b.setMask(in.X.D[0])
	}
}
