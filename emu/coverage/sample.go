package coverage

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warpscope/ptx/isa"
)

// sample is a module made of statements of one form, for one .version and .target.
type sample struct {
	version int // times ten
	target  string
	trials  []*trial
}

const sampleKernel = "sample"

// samples makes statements for a form: for each of its opcodes one with all optional operands and one with none.
func samples(f *isa.Form) []sample {
	var out []sample
	add := func(b *isa.Bound, opcode, text string) {
		version, target := sampleTarget(f, b)
		i := slices.IndexFunc(out, func(s sample) bool { return s.version == version && s.target == target })
		if i < 0 {
			i = len(out)
			out = append(out, sample{version: version, target: target})
		}
		out[i].trials = append(out[i].trials, &trial{opcode: opcode, text: text})
	}
	for _, text := range handmade[f.ID] {
		add(nil, strings.TrimSuffix(strings.Fields(text)[0], ";"), text)
	}
	if handmade[f.ID] != nil {
		return out
	}
	for _, opcode := range f.Opcodes(opcodesPerLine) {
		bounds, err := isa.Resolve(opcode)
		if err != nil {
			continue
		}
		for _, b := range bounds {
			if b.Form != f {
				continue
			}
			long, short := statement(b, opcode, true), statement(b, opcode, false)
			if add(b, opcode, long); short != long {
				add(b, opcode, short)
			}
		}
	}
	return out
}

// handmade are statements of the forms that have no opcode or take more than registers.
var handmade = map[string][]string{
	"braces":        {"{ add.u32 %b32x0, %b32x1, 1; }"},
	"guard":         {"@%p0 add.u32 %b32x0, %b32x1, 1;", "@!%p0 add.u32 %b32x0, %b32x1, 1;"},
	"brx.idx":       {"brx.idx %b32x0, targets;", "brx.idx.uni %b32x0, targets;"},
	"call.direct":   {"call (%b32x0), add1, (%b32x1);", "call.uni (%b32x0), add1, (%b32x1);", "call nothing;"},
	"mov.funcaddr":  {"mov.u64 %b64x0, add1;", "mov.b64 %b64x0, add1;", "mov.s64 %b64x0, add1;"},
	"call.indirect": {"call (%b32x0), %b64x0, (%b32x1), proto;", "call.uni (%b32x0), %b64x0, (%b32x1), callees;"},
}

// sampleHead declares what most statements name; sampleTables what those that jump by a table do.
const (
	sampleHead = `.entry ` + sampleKernel + `()
{
	.reg .pred %p<8>; .reg .b8 %b8x<16>; .reg .b16 %b16x<16>; .reg .b32 %b32x<300>; .reg .b64 %b64x<40>;
`
	sampleFuncs = `.func (.reg .b32 r) add1(.reg .b32 a) { add.u32 r, a, 1; ret; }
.func nothing() { ret; }
`
	sampleTables = `	targets: .branchtargets start, end;
	callees: .calltargets add1;
	proto: .callprototype (.reg .b32 r) _ (.reg .b32 a);
`
)

// module is the sample's text with the statements of its lines.
func (s *sample) module(trials []*trial) (string, map[int]*trial) {
	var b strings.Builder
	has := func(word string) bool {
		return slices.ContainsFunc(trials, func(t *trial) bool { return strings.Contains(t.text, word) })
	}
	fmt.Fprintf(&b, ".version %d.%d\n.target %s\n", s.version/10, s.version%10, s.target)
	if s.version >= 23 {
		b.WriteString(".address_size 64\n")
	}
	if tables := has("brx") || has("call"); tables || has("add1") {
		b.WriteString(sampleFuncs)
	}
	b.WriteString(sampleHead)
	if has("%b128x") {
		b.WriteString("\t.reg .b128 %b128x<16>;\n")
	}
	if has("brx") || has("call") {
		b.WriteString(sampleTables)
	}
	b.WriteString("start:\n")
	line := strings.Count(b.String(), "\n") + 1
	lines := map[int]*trial{}
	for _, t := range trials {
		b.WriteString(t.text)
		b.WriteByte('\n')
		lines[line] = t
		line++
	}
	b.WriteString("end:\n\tret;\n}\n")
	return b.String(), lines
}

// sampleTarget is a version and target that have the opcode: the newest, but for forms that are gone or that only
// some architectures have.
func sampleTarget(f *isa.Form, b *isa.Bound) (version int, target string) {
	needs := isa.Needs{Version: f.Version, SM: f.SM, Arch: f.Arch}
	if b != nil {
		needs = b.Requires()
	}
	switch {
	case f.Gone != isa.Gone{}:
		return f.Gone.Version - 1, "sm_" + strconv.Itoa(max(needs.SM, 10))
	case needs.Arch != "":
		return isa.Latest, "sm_" + strconv.Itoa(needs.SM) + "a"
	}
	return isa.Latest, "sm_121a"
}

// statement writes a statement with operands that its syntax line allows.
func statement(b *isa.Bound, opcode string, long bool) string {
	w := &operandWriter{bound: b, long: long}
	var ops []string
	for i := range b.Operands {
		if o := &b.Operands[i]; long || !o.Optional {
			ops = append(ops, w.operand(o))
		}
	}
	if len(ops) == 0 {
		return opcode + ";"
	}
	return opcode + " " + strings.Join(ops, ", ") + ";"
}

// operandWriter hands out registers.
type operandWriter struct {
	bound *isa.Bound
	long  bool
	used  map[string]int
}

func (w *operandWriter) operand(o *isa.Operand) string {
	text := w.scalar(o)
	switch {
	case o.Kinds&isa.KTex != 0:
		var inner []string
		for i := range o.Inner {
			if w.long || !o.Inner[i].Optional {
				inner = append(inner, w.operand(&o.Inner[i]))
			}
		}
		if n := w.bound.Coordinates(); n > 1 {
			at := len(inner) - 1
			inner[at] = w.register(isa.B32)
			for range n - 1 {
				inner[at] += ", " + w.register(isa.B32)
			}
			inner[at] = "{" + inner[at] + "}"
		}
		text = "[" + strings.Join(inner, ", ") + "]"
	case o.Kinds&isa.KAddr != 0:
		text = "[" + w.register(isa.B64) + "]"
		if w.long && slices.Contains(o.Suffix, ".unified") {
			text += ".unified"
		}
	case o.Kinds&isa.KVec != 0 && o.Kinds&isa.KReg == 0:
		var list []string
		n, t := tupleFor(w.bound, o)
		for range n {
			list = append(list, w.register(t))
		}
		text = "{" + strings.Join(list, ", ") + "}"
	}
	if o.Pair != nil && (w.long || !o.Pair.Optional) {
		text += "|" + w.operand(o.Pair)
	}
	return text
}

// scalar is an operand that is one word.
func (w *operandWriter) scalar(o *isa.Operand) string {
	switch {
	case o.Kinds&isa.KLabel != 0:
		return "end"
	case o.Kinds&isa.KFunc != 0:
		return "add1"
	case o.Kinds&(isa.KReg|isa.KPred) != 0:
		return w.register(o.Type)
	case o.Kinds&isa.KImm != 0:
		return constantFor(w.bound, o)
	case o.Kinds&isa.KSink != 0:
		return "_"
	}
	return ""
}

// constantFor is a value that the place allows: most are selectors and counts; sizes are of a line or of a copy.
func constantFor(b *isa.Bound, o *isa.Operand) string {
	switch o.Name {
	case "size":
		return "128"
	case "initval":
		return "0"
	case "cp-size":
		return "16"
	case "imm-reg-count":
		return "64"
	case "immAlign":
		return "8"
	case "f", "sp-sel": // the sparsity selector that every shape takes
		return "0"
	}
	switch {
	case o.Type.Class() == isa.Float:
		return "0.5"
	case o.Range != nil && !o.Range.Has(1):
		return fmt.Sprint(o.Range.Low)
	}
	return "1"
}

// register takes the next register that agrees with a type (9.4, Table 26): bit-size registers agree with all.
func (w *operandWriter) register(t isa.Type) string {
	if w.used == nil {
		w.used = map[string]int{}
	}
	name := "%b64x"
	switch bits := t.Bits(); {
	case t == isa.Pred:
		name = "%p"
	case bits > 0 && bits <= 8:
		name = "%b8x"
	case bits > 0 && bits != 64:
		name = "%b" + strconv.Itoa(bits) + "x"
	}
	w.used[name]++
	return name + strconv.Itoa(w.used[name]-1)
}

// tupleFor is the length of a tuple and the type of its registers, also where the opcode decides.
func tupleFor(b *isa.Bound, o *isa.Operand) (int, isa.Type) {
	if o.Vec > 0 {
		return o.Vec, o.Type
	}
	t := o.Type
	switch mnemonic := b.Form.Mnemonic; {
	case mnemonic == "mov":
		return 2, isa.BitsType(b.Types[0].Bits() / 2)
	case strings.HasSuffix(mnemonic, "mma") && b.Has(".f64"):
		t = isa.B64
	case o.Name == "tensorSizeToOverride": // or of 8 bits
		t = isa.B16
	case t == isa.NoType, b.Has(".v2"): // the type of tex.v2.f16x2 is that of both elements
		t = isa.B32
	}
	return max(b.Tuple(o.Name), 1), t
}
