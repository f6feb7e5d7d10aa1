// Package handlers is the table of hot instructions, for which the emulator has handlers that compute all 32 lanes of a
// warp at once. emu/gen writes the handlers from it. Everything that is not in the table runs lane by lane through the
// pure functions of emu/num, which also are the reference that the handlers are tested against.
package handlers

import (
	"fmt"
	"strings"
)

// Handler is one operation.
type Handler struct {
	Number uint16 // its place in Table, from 1: lowered code names it so
	Name   string // of its function, after an h

	// Keys are the canonical opcodes (isa.Bound.Key) that it implements, with spaces between them; none where the
	// lowering of an instruction picks it.
	Keys string

	// Sig gives the element types of result and operands by one letter each, as in "q=ww". See Elem; the result may
	// also be p, a mask of 32 bools, and so may the last operand.
	Sig string

	// Expr computes one lane from a, b, c: an expression of Go.
	Expr string

	// Postfix computes the same in WebAssembly, in postfix notation: a, b, c push an operand's element, a number is a
	// 32-bit constant, everything else is an instruction. When the result is 64 bits wide, a and its like are extended
	// to 64 bits as their type says. Where Postfix is empty, Go compiles Expr for WebAssembly as well; where Expr is
	// empty, the function is in emu/row/rows.go.
	Postfix string

	// Fallback is set where Expr and Postfix are not the whole truth: they give a float64, and rounding it to a float32
	// is right unless it is a NaN, an infinity, tiny, or halfway between two results. Then this function of emu/num
	// decides.
	Fallback string
}

// Elem are the types of a row's elements. A row of v has 16 elements of two lanes each: bitwise operations need not
// know where one lane ends.
var Elem = map[byte]string{
	'v': "uint64", 'w': "uint32", 'i': "int32", 'f': "float32", 'q': "uint64", 'l': "int64", 'd': "float64",
}

// Result is the letter of the result's type.
func (h Handler) Result() byte { return h.Sig[0] }

// Operands are the letters of the operands' types.
func (h Handler) Operands() string { return h.Sig[2:] }

// KeyList are the canonical opcodes.
func (h Handler) KeyList() []string { return strings.Fields(h.Keys) }

// Size is the size in bytes of an element of a type.
func Size(elem byte) int {
	if strings.IndexByte("vqld", elem) >= 0 {
		return 8
	}
	return 4
}

// Table is all handlers.
func Table() []Handler {
	table := append(append(arithmetic(), compares()...), selections()...)
	for i := range table {
		table[i].Number = uint16(i + 1)
	}
	return table
}

// op is a handler without a fallback.
func op(name, keys, sig, expr, postfix string) Handler {
	return Handler{Name: name, Keys: keys, Sig: sig, Expr: expr, Postfix: postfix}
}

func arithmetic() []Handler {
	return []Handler{
		op("AddU32", "add.u32 add.s32", "w=ww", "a + b", "a b I32Add"),
		op("SubU32", "sub.u32 sub.s32", "w=ww", "a - b", "a b I32Sub"),
		op("MulLoU32", "mul.lo.u32 mul.lo.s32", "w=ww", "a * b", "a b I32Mul"),
		op("MadLoU32", "mad.lo.u32 mad.lo.s32", "w=www", "a*b + c", "a b I32Mul c I32Add"),
		op("MulHiU32", "mul.hi.u32", "w=ww", "uint32(uint64(a) * uint64(b) >> 32)", ""),
		op("MulHiS32", "mul.hi.s32", "i=ii", "int32(int64(a) * int64(b) >> 32)", ""),
		op("MinU32", "min.u32", "w=ww", "min(a, b)", "a b a b I32LtU Select"),
		op("MaxU32", "max.u32", "w=ww", "max(a, b)", "a b a b I32GtU Select"),
		op("MinS32", "min.s32", "i=ii", "min(a, b)", "a b a b I32LtS Select"),
		op("MaxS32", "max.s32", "i=ii", "max(a, b)", "a b a b I32GtS Select"),
		op("Mov32", "", "v=v", "a", "a"),
		op("Mov64", "", "q=q", "a", "a"),
		op("AndB32", "and.b32", "v=vv", "a & b", "a b I64And"),
		op("OrB32", "or.b32", "v=vv", "a | b", "a b I64Or"),
		op("XorB32", "xor.b32", "v=vv", "a ^ b", "a b I64Xor"),
		op("NotB32", "not.b32", "v=v", "^a", ""),
		op("ShlB32", "shl.b32", "w=ww", "a << b", "a b I32Shl 0 b 32 I32LtU Select"),
		op("ShrU32", "shr.u32 shr.b32", "w=ww", "a >> b", "a b I32ShrU 0 b 32 I32LtU Select"),
		op("ShrS32", "shr.s32", "i=iw", "a >> b", "a b 31 b 32 I32LtU Select I32ShrS"),
		op("ShlB32Const", "shl.b32.const", "w=ww", "a << (b & 31)", "a b I32Shl"), // by a constant below 32
		op("ShrU32Const", "shr.u32.const shr.b32.const", "w=ww", "a >> (b & 31)", "a b I32ShrU"),
		op("ShrS32Const", "shr.s32.const", "i=iw", "a >> (b & 31)", "a b I32ShrS"),
		op("NegS32", "neg.s32", "i=i", "-a", "0 a I32Sub"),
		op("PopcB32", "popc.b32", "w=w", "uint32(bits.OnesCount32(a))", "a I32Popcnt"),
		op("ClzB32", "clz.b32", "w=w", "uint32(bits.LeadingZeros32(a))", "a I32Clz"),
		op("BrevB32", "brev.b32", "w=w", "bits.Reverse32(a)", ""),

		op("AddU64", "add.u64 add.s64", "q=qq", "a + b", "a b I64Add"),
		op("SubU64", "sub.u64 sub.s64", "q=qq", "a - b", "a b I64Sub"),
		op("MulLoU64", "mul.lo.u64 mul.lo.s64", "q=qq", "a * b", "a b I64Mul"),
		op("MadLoU64", "mad.lo.u64 mad.lo.s64", "q=qqq", "a*b + c", "a b I64Mul c I64Add"),
		op("AndB64", "and.b64", "q=qq", "a & b", "a b I64And"),
		op("OrB64", "or.b64", "q=qq", "a | b", "a b I64Or"),
		op("XorB64", "xor.b64", "q=qq", "a ^ b", "a b I64Xor"),
		op("NotB64", "not.b64", "q=q", "^a", ""),
		op("ShlB64", "shl.b64", "q=qw", "a << b", ""),
		op("ShrU64", "shr.u64 shr.b64", "q=qw", "a >> b", ""),
		op("ShrS64", "shr.s64", "l=lw", "a >> b", ""),
		op("MulWideU32", "mul.wide.u32", "q=ww", "uint64(a) * uint64(b)", "a b I64Mul"),
		op("MulWideS32", "mul.wide.s32", "l=ii", "int64(a) * int64(b)", "a b I64Mul"),
		op("MadWideU32", "mad.wide.u32", "q=wwq", "uint64(a)*uint64(b) + c", "a b I64Mul c I64Add"),
		op("MadWideS32", "mad.wide.s32", "l=iil", "int64(a)*int64(b) + c", "a b I64Mul c I64Add"),

		op("CvtU64U32", "cvt.u64.u32 cvt.s64.u32", "q=w", "uint64(a)", "a"),
		op("CvtS64S32", "cvt.s64.s32 cvt.u64.s32", "l=i", "int64(a)", "a"),
		op("CvtU32U64", "cvt.u32.u64 cvt.s32.u64 cvt.u32.s64 cvt.s32.s64", "w=q", "uint32(a)", ""),
		op("CvtF32S32", "cvt.rn.f32.s32", "f=i", "float32(a)", "a F32ConvertI32S"),
		op("CvtF32U32", "cvt.rn.f32.u32", "f=w", "float32(a)", "a F32ConvertI32U"),

		op("AddF32", "add.f32 add.rn.f32", "f=ff", "a + b", "a b F32Add"),
		op("SubF32", "sub.f32 sub.rn.f32", "f=ff", "a - b", "a b F32Sub"),
		op("MulF32", "mul.f32 mul.rn.f32", "f=ff", "a * b", "a b F32Mul"),
		op("AddFtzF32", "add.ftz.f32 add.ftz.rn.f32", "f=ff", "flush(flush(a) + flush(b))", ""),
		op("SubFtzF32", "sub.ftz.f32 sub.ftz.rn.f32", "f=ff", "flush(flush(a) - flush(b))", ""),
		op("MulFtzF32", "mul.ftz.f32 mul.ftz.rn.f32", "f=ff", "flush(flush(a) * flush(b))", ""),
		{
			Name:     "FmaF32",
			Keys:     "fma.rn.f32 mad.rn.f32",
			Sig:      "f=fff",
			Expr:     "float64(a)*float64(b) + float64(c)",
			Postfix:  "a F64PromoteF32 b F64PromoteF32 F64Mul c F64PromoteF32 F64Add",
			Fallback: "FmaF32",
		},
	}
}

// compares are the setp handlers (9.7.7.2). Unordered comparisons and .ftz run through emu/num.
func compares() []Handler {
	ops := []struct{ name, op, unsigned string }{
		{"eq", "==", ""}, {"ne", "!=", ""},
		{"lt", "<", "lo"}, {"le", "<=", "ls"}, {"gt", ">", "hi"}, {"ge", ">=", "hs"},
	}
	wasm := map[string]string{"w": "I32%sU", "i": "I32%sS", "q": "I64%sU", "l": "I64%sS", "f": "F32%s", "d": "F64%s"}
	var hs []Handler
	for _, t := range []struct{ name, letter, bits string }{
		{"u32", "w", "b32"}, {"s32", "i", ""}, {"u64", "q", "b64"}, {"s64", "l", ""},
		{"f32", "f", ""}, {"f64", "d", ""},
	} {
		for _, o := range ops {
			keys := "setp." + o.name + "." + t.name
			f := wasm[t.letter]
			expr, instr := "a "+o.op+" b", "a b "+fmt.Sprintf(f, title(o.name))
			switch {
			case t.bits != "" && o.unsigned != "":
				keys += " setp." + o.unsigned + "." + t.name
			case t.bits != "":
				keys += " setp." + o.name + "." + t.bits
			case t.name == "s32" && o.unsigned == "", t.name == "s64" && o.unsigned == "":
				continue // equal bits: the unsigned handler serves
			case t.name[0] == 'f' && o.name == "ne":
				expr, instr = "a < b || a > b", "a b "+f[:3]+"Lt a b "+f[:3]+"Gt I32Or" // false with NaN (9.3.1.2)
			}
			if t.bits != "" && o.unsigned == "" {
				keys += " setp." + o.name + ".s" + t.name[1:]
				instr = instr[:len(instr)-1] // equality has no sign
			}
			hs = append(hs, op("Setp"+title(o.name)+title(t.name), keys, "p="+t.letter+t.letter, expr, instr))
		}
	}
	return append(hs, op("SetpNeuF32", "setp.neu.f32", "p=ff", "a != b", "a b F32Ne"))
}

// selections are selp (9.7.7.3), by a predicate that is not negated.
func selections() []Handler {
	return []Handler{
		op("Selp32", "", "w=wwp", "", "a b c Select"),
		op("Selp64", "", "q=qqp", "", "a b c Select"),
	}
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
