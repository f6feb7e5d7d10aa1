package jit

import (
	"strings"

	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/ptx/isa"
)

// opcode is the key of an instruction, taken apart.
type opcode struct {
	name  string
	mods  []string
	types []isa.Type
}

func parse(key string) *opcode {
	words := strings.Split(key, ".")
	o := &opcode{name: words[0]}
	for _, w := range words[1:] {
		if t, ok := isa.ParseType("." + w); ok {
			o.types = append(o.types, t)
		} else {
			o.mods = append(o.mods, w)
		}
	}
	return o
}

// take removes a modifier and says whether it was there.
func (o *opcode) take(mod string) bool { return isa.Take(&o.mods, mod) != "" }

// oneOf removes the first of these modifiers that is there and returns it, or "".
func (o *opcode) oneOf(mods ...string) string { return isa.Take(&o.mods, mods...) }

// whole says whether a type is an integer, or bits, of 16 to 64 bits.
func whole(t isa.Type) bool {
	switch t {
	case isa.U16, isa.S16, isa.B16, isa.U32, isa.S32, isa.B32, isa.U64, isa.S64, isa.B64:
		return true
	}
	return false
}

// word pushes 4 lanes of an operand: its lower 32 bits.
func (b *body) word(o row.Operand) {
	switch {
	case o.Bits == 1:
		b.boolean(o)
		b.splat(1)
		b.Op(wasm.V128And)
		return
	case o.Wide():
		b.getHalf(o.Off, 0)
		b.getHalf(o.Off, 1)
		b.Shuffle(wasm.LowerWords)
	default:
		b.get(o.Off)
	}
	if m := uint32(o.Mask); m != 1<<32-1 {
		b.splat(uint64(m))
		b.Op(wasm.V128And)
	}
}

// boolean pushes 4 lanes of a predicate as all ones or zeros.
func (b *body) boolean(o row.Operand) {
	b.mask(o.Off)
	if o.Neg {
		b.Op(wasm.V128Not)
	}
}

// signed is word of a signed number of so many bits.
func (b *body) signed(o row.Operand, bits int) {
	b.word(o)
	b.extendWord(bits, true)
}

// extendWord makes words of their lower bits.
func (b *body) extendWord(bits int, signed bool) {
	switch {
	case bits >= 32:
	case signed:
		b.I32(int32(32 - bits))
		b.Op(wasm.I32x4Shl)
		b.I32(int32(32 - bits))
		b.Op(wasm.I32x4ShrS)
	default:
		b.splat(1<<bits - 1)
		b.Op(wasm.V128And)
	}
}

// long pushes 2 lanes of an operand, with 64 bits each.
func (b *body) long(o row.Operand, half uint32) {
	if !o.Wide() {
		b.word(o)
		b.Op([2]wasm.Op{wasm.I64x2ExtendLowU, wasm.I64x2ExtendHighU}[half])
		return
	}
	b.getHalf(o.Off, half)
	if o.Mask != 1<<64-1 {
		b.V128(o.Mask, o.Mask)
		b.Op(wasm.V128And)
	}
}

// setWord pops 4 lanes of 32 bits into a register. A wider one has zeros above, or copies of the sign.
func (b *body) setWord(o row.Operand, signed bool) {
	switch {
	case o.Sink:
		b.Op(wasm.Drop)
	case o.Wide():
		v := b.fresh(1)
		b.Set(v)
		widths := [2]wasm.Op{wasm.I64x2ExtendLowU, wasm.I64x2ExtendHighU}
		if signed {
			widths = extend
		}
		for _, do := range widths {
			b.Get(v)
			b.Op(do)
		}
		b.putHalves(o.Off)
	default:
		b.extendWord(int(o.Bits), false)
		b.put(o.Off)
	}
}

// setFloat pops 4 single-precision results.
func (b *body) setFloat(o row.Operand) {
	if o.Sink {
		b.Op(wasm.Drop)
	} else {
		b.putFloat(o.Off)
	}
}

// setLong pops lanes of 64 bits: lanes 2 and 3 first, then 0 and 1.
func (b *body) setLong(o row.Operand) {
	switch {
	case o.Sink:
		b.Op(wasm.Drop, wasm.Drop)
	case o.Wide():
		b.putHalves(o.Off)
	default:
		b.Shuffle(wasm.LowerWords)
		b.setWord(o, false)
	}
}

// setMask pops 4 lanes of a predicate.
func (b *body) setMask(o row.Operand) {
	if o.Sink {
		b.Op(wasm.Drop)
	} else {
		b.putMask(o.Off)
	}
}

// stash puts 4 lanes of each operand into locals, two for an operand of 64 bits, and returns them.
func (b *body) stash(list []row.Operand) []uint32 {
	at := make([]uint32, len(list))
	for i, o := range list {
		if o.Wide() {
			at[i] = b.fresh(2)
			for half := range uint32(2) {
				b.long(o, half)
				b.Set(at[i] + half)
			}
			continue
		}
		at[i] = b.fresh(1)
		b.word(o)
		b.Set(at[i])
	}
	return at
}

// eachLane computes lane by lane. do pushes the result of one; arg pushes an operand of it, an i32 or an i64.
func eachLane(do func(b *body, arg func(i int))) emits {
	return func(b *body, in *machine.Inst) {
		d, s := in.X.D[0], in.X.S
		at := b.stash(s)
		to := b.fresh(2)
		for n := range uint32(4) {
			half, lane := n/2, byte(n%2)
			if !d.Wide() {
				half, lane = 0, byte(n)
			}
			b.Get(to + half)
			do(b, func(i int) {
				if s[i].Wide() {
					b.lane(wasm.I64x2ExtractLane, at[i]+n/2, byte(n%2))
				} else {
					b.lane(wasm.I32x4ExtractLane, at[i], byte(n))
				}
			})
			replace := wasm.I32x4ReplaceLane
			if d.Wide() {
				replace = wasm.I64x2ReplaceLane
			}
			b.Op(replace)
			b.Bytes = append(b.Bytes, lane)
			b.Set(to + half)
		}
		b.Get(to)
		if d.Wide() {
			b.Get(to + 1)
			b.setLong(d)
		} else {
			b.setWord(d, false)
		}
	}
}

// saturate clamps to [+0, 1]. NaN and everything with a sign become +0.
func (b *body) saturate() {
	v := b.fresh(1)
	b.Tee(v)
	b.Get(v)
	b.splat(0)
	b.Op(wasm.F32x4Gt, wasm.V128And)
	b.splat(0x3f800000)
	b.Op(wasm.F32x4Min)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// least makes the i32 on the stack at most n.
func (b *body) least(n int64) {
	b.Tee(locTemp)
	b.I32(int32(n))
	b.Get(locTemp)
	b.I32(int32(n))
	b.Op(wasm.I32LtU, wasm.Select)
}

// A refusal pushes 4 lanes, all ones in those for which the interpreter must execute an instruction.
type refusal func(b *body, in *machine.Inst)
