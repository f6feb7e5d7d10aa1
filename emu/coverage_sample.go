package emu

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

// module is the sample's text with the statements that stand on its lines.
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
		return 91, "sm_" + strconv.Itoa(needs.SM) + "a"
	}
	return 91, "sm_121a"
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
	if o.Type.Class() == isa.Float {
		return "0.5"
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

// tupleFor is the length of a tuple and the type of its registers, also where the opcode's shape decides.
func tupleFor(b *isa.Bound, o *isa.Operand) (int, isa.Type) {
	if o.Vec > 0 {
		return o.Vec, o.Type
	}
	switch b.Form.Mnemonic {
	case "mov":
		half := isa.BitsType(b.Types[0].Bits() / 2)
		return 2, half
	case "mma", "wmma":
		return tupleOfTile(b, o.Name)
	case "ldmatrix", "stmatrix":
		n := int(b.Value("num")[2] - '0')
		if b.Has(".m16n16") {
			n *= 2
		}
		return n, isa.B32
	case "tex":
		if b.Has(".v2") {
			return 2, isa.B32
		}
		return 4, o.Type
	case "cp":
		return tupleOfTensor(b, o.Name), o.Type
	case "tcgen05":
		if o.Name != "r" {
			return 4 << b2u(b.Has(pairGroup)), isa.B32
		}
		num, _ := strconv.Atoi(strings.TrimPrefix(b.Value("num"), ".x"))
		for shape, v := range tensorShapes {
			if b.Has(shape) {
				num *= v.regs
			}
		}
		return num, isa.B32
	case "wgmma": // one warp's share of 64 rows
		var n, k int
		if fmt.Sscanf(b.Value("shape"), ".m64n%dk%d", &n, &k); o.Name == "d" {
			return n * b.Types[0].Bits() / 64, isa.B32
		}
		return 4, isa.B32
	}
	if o.Type == isa.NoType {
		return 1, isa.B32
	}
	return 1, o.Type
}

// tupleOfTensor is the number of a tensor copy's coordinates or im2col offsets (9.7.9.27.1.2).
func tupleOfTensor(b *isa.Bound, name string) int {
	dims := int(b.Value("dim")[1] - '0')
	switch wide := b.Has(".im2col::w") || b.Has(".im2col::w::128"); {
	case name == "tensorCoords" && (b.Has(".tile::gather4") || b.Has(".tile::scatter4")):
		return 5
	case name == "tensorCoords":
		return dims
	case wide:
		return 2
	}
	return max(dims-2, 1)
}

// tupleOfTile is the share of one lane of a tile (9.7.14.4.1, 9.7.14.5): its elements, packed into registers.
func tupleOfTile(b *isa.Bound, name string) (int, isa.Type) {
	var m, n, k int
	for _, mod := range b.Mods {
		if _, err := fmt.Sscanf(mod, ".m%dn%dk%d", &m, &n, &k); err == nil {
			break
		}
	}
	wmma := b.Form.Mnemonic == "wmma"
	t := tileType(b, name)
	elements := m * n
	switch tile := tileName(b, name); tile {
	case "a":
		if elements = m * k; strings.HasPrefix(b.Form.ID, "mma.sp") {
			elements /= 2
		}
	case "b":
		elements = n * k
	}
	bits := t.Bits()
	if t == isa.E2M1 && !b.Has(".kind::mxf4") && !b.Has(".kind::mxf4nvf4") || t == isa.E2M3 || t == isa.E3M2 {
		bits = 8 // each in a byte of its own
	}
	switch isAB := tileName(b, name) == "a" || tileName(b, name) == "b"; {
	case t == isa.F64:
		return elements / 32, isa.B64
	case wmma && isAB && t == isa.F16:
		return 8, isa.B32 // every element is held twice
	case m == 8 && n == 8 && k == 4: // four products, one of each quarter of the warp
		bits *= 4
	}
	return max(elements*bits/1024, 1), isa.B32
}

// tileName is the matrix that an operand of mma and wmma belongs to.
func tileName(b *isa.Bound, name string) string {
	if name != "r" && name != "q" {
		return name
	}
	return strings.TrimPrefix(b.Mods[1], ".") // wmma.load.a, wmma.store.d
}

// tileType is the type of a tile's elements.
func tileType(b *isa.Bound, name string) isa.Type {
	types := b.Types
	if len(types) == 1 {
		return types[0]
	}
	if len(types) == 2 { // wmma.mma of .f16: only d and c are named
		switch name {
		case "d":
			return types[0]
		case "c":
			return types[1]
		}
		return isa.F16
	}
	return types[strings.Index("dabc", name)]
}
