// Command gen writes the unrolled 32-lane handlers of package emu.
//
//	go run ./emu/gen          writes emu/zz_handlers.go
//	go run ./emu/gen -check   fails when it is stale
//
// A handler computes all 32 lanes of one instruction from rows of registers; unrolling is what makes an interpreter in
// WebAssembly fast (docs/rationale.md). Only hot instructions are here: everything else runs lane by lane through the
// pure functions of emu/num, which also are the reference that the handlers are tested against.
package main

import (
	"bytes"
	"embed"
	"flag"
	"fmt"
	"go/format"
	"os"
	"strings"
	"text/template"
)

// handler is one generated op. Keys are canonical opcodes (isa.Bound.Key) that it implements. Sig gives the Go element
// types of result and operands by one letter each: w uint32, i int32, f float32, q uint64, l int64, d float64, v two
// uint32 in one word (for bitwise operations); the result may also be p, a mask of 32 bools. Expr computes one lane from a, b, c.
type handler struct {
	Name string
	Keys string
	Sig  string
	Expr string
	Wasm string
}

var elem = map[byte]string{'v': "uint64", 'w': "uint32", 'i': "int32", 'f': "float32", 'q': "uint64", 'l': "int64", 'd': "float64"}

func handlers() []handler {
	hs := []handler{
		{"AddU32", "add.u32 add.s32", "w=ww", "a + b", "a b I32Add"},
		{"SubU32", "sub.u32 sub.s32", "w=ww", "a - b", "a b I32Sub"},
		{"MulLoU32", "mul.lo.u32 mul.lo.s32", "w=ww", "a * b", "a b I32Mul"},
		{"MadLoU32", "mad.lo.u32 mad.lo.s32", "w=www", "a*b + c", "a b I32Mul c I32Add"},
		{"MulHiU32", "mul.hi.u32", "w=ww", "uint32(uint64(a) * uint64(b) >> 32)", ""},
		{"MulHiS32", "mul.hi.s32", "i=ii", "int32(int64(a) * int64(b) >> 32)", ""},
		{"MinU32", "min.u32", "w=ww", "min(a, b)", "a b a b I32LtU Select"},
		{"MaxU32", "max.u32", "w=ww", "max(a, b)", "a b a b I32GtU Select"},
		{"MinS32", "min.s32", "i=ii", "min(a, b)", "a b a b I32LtS Select"},
		{"MaxS32", "max.s32", "i=ii", "max(a, b)", "a b a b I32GtS Select"},
		{"Mov32", "", "v=v", "a", "a"},
		{"AndB32", "and.b32", "v=vv", "a & b", "a b I64And"},
		{"OrB32", "or.b32", "v=vv", "a | b", "a b I64Or"},
		{"XorB32", "xor.b32", "v=vv", "a ^ b", "a b I64Xor"},
		{"NotB32", "not.b32", "v=v", "^a", ""},
		{"ShlB32", "shl.b32", "w=ww", "a << b", "a b I32Shl 0 b 32 I32LtU Select"},
		{"ShrU32", "shr.u32 shr.b32", "w=ww", "a >> b", "a b I32ShrU 0 b 32 I32LtU Select"},
		{"ShrS32", "shr.s32", "i=iw", "a >> b", "a b 31 b 32 I32LtU Select I32ShrS"},
		{"ShlB32Const", "shl.b32.const", "w=ww", "a << (b & 31)", "a b I32Shl"}, // by a constant below 32
		{"ShrU32Const", "shr.u32.const shr.b32.const", "w=ww", "a >> (b & 31)", "a b I32ShrU"},
		{"ShrS32Const", "shr.s32.const", "i=iw", "a >> (b & 31)", "a b I32ShrS"},
		{"NegS32", "neg.s32", "i=i", "-a", "0 a I32Sub"},
		{"PopcB32", "popc.b32", "w=w", "uint32(bits.OnesCount32(a))", "a I32Popcnt"},
		{"ClzB32", "clz.b32", "w=w", "uint32(bits.LeadingZeros32(a))", "a I32Clz"},
		{"BrevB32", "brev.b32", "w=w", "bits.Reverse32(a)", ""},

		{"AddU64", "add.u64 add.s64", "q=qq", "a + b", "a b I64Add"},
		{"SubU64", "sub.u64 sub.s64", "q=qq", "a - b", "a b I64Sub"},
		{"MulLoU64", "mul.lo.u64 mul.lo.s64", "q=qq", "a * b", "a b I64Mul"},
		{"MadLoU64", "mad.lo.u64 mad.lo.s64", "q=qqq", "a*b + c", "a b I64Mul c I64Add"},
		{"AndB64", "and.b64", "q=qq", "a & b", "a b I64And"},
		{"OrB64", "or.b64", "q=qq", "a | b", "a b I64Or"},
		{"XorB64", "xor.b64", "q=qq", "a ^ b", "a b I64Xor"},
		{"NotB64", "not.b64", "q=q", "^a", ""},
		{"ShlB64", "shl.b64", "q=qw", "a << b", ""},
		{"ShrU64", "shr.u64 shr.b64", "q=qw", "a >> b", ""},
		{"ShrS64", "shr.s64", "l=lw", "a >> b", ""},
		{"MulWideU32", "mul.wide.u32", "q=ww", "uint64(a) * uint64(b)", "a b I64Mul"},
		{"MulWideS32", "mul.wide.s32", "l=ii", "int64(a) * int64(b)", "a b I64Mul"},
		{"MadWideU32", "mad.wide.u32", "q=wwq", "uint64(a)*uint64(b) + c", "a b I64Mul c I64Add"},
		{"MadWideS32", "mad.wide.s32", "l=iil", "int64(a)*int64(b) + c", "a b I64Mul c I64Add"},

		{"CvtU64U32", "cvt.u64.u32 cvt.s64.u32", "q=w", "uint64(a)", "a"},
		{"CvtS64S32", "cvt.s64.s32 cvt.u64.s32", "l=i", "int64(a)", "a"},
		{"CvtU32U64", "cvt.u32.u64 cvt.s32.u64 cvt.u32.s64 cvt.s32.s64", "w=q", "uint32(a)", ""},
		{"CvtF32S32", "cvt.rn.f32.s32", "f=i", "float32(a)", "a F32ConvertI32S"},
		{"CvtF32U32", "cvt.rn.f32.u32", "f=w", "float32(a)", "a F32ConvertI32U"},

		{"AddF32", "add.f32 add.rn.f32", "f=ff", "a + b", "a b F32Add"},
		{"SubF32", "sub.f32 sub.rn.f32", "f=ff", "a - b", "a b F32Sub"},
		{"MulF32", "mul.f32 mul.rn.f32", "f=ff", "a * b", "a b F32Mul"},
		{"AddFtzF32", "add.ftz.f32 add.ftz.rn.f32", "f=ff", "flush(flush(a) + flush(b))", ""},
		{"SubFtzF32", "sub.ftz.f32 sub.ftz.rn.f32", "f=ff", "flush(flush(a) - flush(b))", ""},
		{"MulFtzF32", "mul.ftz.f32 mul.ftz.rn.f32", "f=ff", "flush(flush(a) * flush(b))", ""},
		{"FmaF32", "fma.rn.f32 mad.rn.f32", "f=fff", "", "a F64PromoteF32 b F64PromoteF32 F64Mul c F64PromoteF32 F64Add"}, // own body: see fmaLanes
	}
	return append(hs, compares()...)
}

// compares are the setp handlers (9.7.6.2). Unordered comparisons and .ftz run through emu/num.
func compares() []handler {
	ops := []struct{ name, op, unsigned string }{
		{"eq", "==", ""}, {"ne", "!=", ""}, {"lt", "<", "lo"}, {"le", "<=", "ls"}, {"gt", ">", "hi"}, {"ge", ">=", "hs"},
	}
	wasm := map[string]string{"w": "I32%sU", "i": "I32%sS", "q": "I64%sU", "l": "I64%sS", "f": "F32%s", "d": "F64%s"}
	var hs []handler
	for _, t := range []struct{ name, letter, bits string }{
		{"u32", "w", "b32"}, {"s32", "i", ""}, {"u64", "q", "b64"}, {"s64", "l", ""}, {"f32", "f", ""}, {"f64", "d", ""},
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
			hs = append(hs, handler{"Setp" + title(o.name) + title(t.name), keys, "p=" + t.letter + t.letter, expr, instr})
		}
	}
	return append(hs, handler{"SetpNeuF32", "setp.neu.f32", "p=ff", "a != b", "a b F32Ne"})
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (h handler) params() string { return h.Sig[2:] }

// IsPred says whether the result is a mask.
func (h handler) IsPred() bool { return h.Sig[0] == 'p' }

// KeyList are the canonical opcodes.
func (h handler) KeyList() []string { return strings.Fields(h.Keys) }

// Rows gives the widths of destination and sources for the lowering: 1 for a 32-bit row, 2 for a 64-bit row, 0 absent.
func (h handler) Rows() string {
	width := func(c byte) int {
		switch c {
		case 'p':
			return 0
		case 'q', 'l', 'd':
			return 2
		}
		return 1
	}
	out := []string{fmt.Sprint(width(h.Sig[0]))}
	for i := range h.params() {
		out = append(out, fmt.Sprint(width(h.params()[i])))
	}
	return strings.Join(out, ", ")
}

//go:embed *.tmpl
var templates embed.FS

// outputs are the generated files and their templates.
var outputs = []struct{ file, template string }{
	{"zz_handlers.go", "handlers.tmpl"},
	{"zz_lanes.go", "lanes.tmpl"},
	{"zz_lanes_wasm.go", "lanes_wasm.tmpl"},
	{"zz_lanes_wasm.s", "lanes_asm.tmpl"},
}

// data is what the templates see.
type data struct {
	Handlers []handler
	Lanes    []int
	Pairs    []int
	Bits     int
}

// Widths are the element sizes in bits that have loads of their own.
func (data) Widths() []int { return []int{32, 64} }

// With is the data for one row width.
func (d data) With(bits int) data {
	d.Bits = bits
	return d
}

func generate(name string) []byte {
	text, err := templates.ReadFile(name)
	if err != nil {
		panic(err)
	}
	d := data{Handlers: handlers()}
	for i := range 32 {
		d.Lanes = append(d.Lanes, i)
		if i < 16 {
			d.Pairs = append(d.Pairs, i)
		}
	}
	var out bytes.Buffer
	t := template.Must(template.New("").Parse(string(text)))
	if err := t.Execute(&out, d); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func main() {
	check := flag.Bool("check", false, "fail when the generated files are stale")
	dir := flag.String("dir", "emu", "folder of package emu")
	flag.Parse()
	for _, o := range outputs {
		want := generate(o.template)
		var err error
		if strings.HasSuffix(o.file, ".go") {
			if want, err = format.Source(want); err != nil {
				panic(err)
			}
		}
		path := *dir + "/" + o.file
		if *check {
			if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, want) {
				fmt.Fprintf(os.Stderr, "%s is stale: run go generate ./emu\n", path)
				os.Exit(1)
			}
		} else if err := os.WriteFile(path, want, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
