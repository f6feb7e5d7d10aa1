package ptx

import (
	"math/bits"
	"slices"
	"strings"

	"warpscope/ptx/isa"
)

// accessed are the instructions with one memory operand in the state space that their modifiers name.
var accessed = map[string]bool{"ld": true, "ldu": true, "st": true, "atom": true, "red": true}

// wide are other mnemonics whose operands are full addresses; those with .async are in shared memory.
var wide = map[string]bool{"prefetch": true, "prefetchu": true, "applypriority": true, "discard": true,
	"multimem": true}

var spaceMods = map[string]Space{".global": GlobalSpace, ".shared": SharedSpace, ".shared::cta": SharedSpace,
	".shared::cluster": SharedSpace, ".local": LocalSpace, ".const": ConstSpace, ".param": ParamSpace,
	".param::entry": ParamSpace, ".param::func": ParamSpace}

// NamedSpace is the state space that a modifier names; Generic if it names none.
func NamedSpace(mod string) Space { return spaceMods[mod] }

// checkSpaces checks variables' state spaces against those that the instruction accesses (5.1, 6.4.1). An instruction
// that names several spaces names them in the order of its addresses; any further addresses are those of mbarriers, in
// shared memory.
func (p *parser) checkSpaces(in *Inst, mnemonic string) {
	var spaces []Space
	for _, m := range in.Match.Mods {
		if s, ok := spaceMods[m]; ok {
			spaces = append(spaces, s)
		}
	}
	n := 0
	for i := range in.Operands {
		op := &in.Operands[i]
		if op.Kind != OpAddr && (op.Kind != OpVar || mnemonic != "cvta" && mnemonic != "mapa" && mnemonic != "getctarank") {
			continue
		}
		space := Generic
		switch {
		case op.Kind == OpVar && mnemonic != "cvta": // mapa and getctarank map shared memory
			space = SharedSpace
		case n < len(spaces):
			space = spaces[n]
		case n > 0 && len(spaces) > 1:
			space = SharedSpace
		case len(spaces) == 1:
			space = spaces[0]
		}
		n++
		p.checkUnified(&in.Match.Operands[i], op, space)
		if r := op.Reg; r != nil && op.Var == nil && r.Type.Bits() == 32 && r.Type != isa.F32 && p.m.AddressSize == 64 &&
			(accessed[mnemonic] || wide[mnemonic]) && !in.Match.Has(".async") && !in.Match.Has(".tensormap") &&
			(space == Generic || space == GlobalSpace) {
			p.report("narrow-address", op.Span, "%s has 32 bits of an address of 64: zeros are put in front, and ptxas refuses "+
				"the module", r.describe()).note(r.Span, "declared here")
		}
		if v := op.Var; v != nil && v.Type.Class() == isa.Opaque && accessed[mnemonic] {
			p.report("bad-operand", op.Span, "%s is a %s: only instructions for textures and surfaces read it", v.Name, v.Type).
				note(v.Span, "declared here").section("5.3")
		} else if v != nil && v.Type.Class() != isa.Opaque && in.Match.Coordinates() == 0 {
			p.checkSpace(in, op, v, space)
			if accessed[mnemonic] {
				if space == ParamSpace && v.Space == space {
					p.checkParamAccess(in, op, mnemonic)
				}
				p.lintAccess(in, op, v)
			}
		}
	}
}

// checkUnified checks ld [a].unified, which says that a is in unified memory. A variable is there if that is its
// attribute, and then its address must say so (9.7.10.8). NVIDIA's assembler does not require it.
func (p *parser) checkUnified(s *isa.Operand, op *Operand, space Space) {
	v := op.Var
	switch marked := op.Sel() == ".unified"; {
	case !marked && v != nil && v.Unified && slices.Contains(s.Suffix, ".unified"):
		p.report("unified-missing", op.Span, "%s has the attribute .unified, which its address says too: [%s].unified",
			v.Name, v.Name).note(v.Span, "declared here")
		return
	case !marked:
		return
	case v != nil && !v.Unified:
		p.report("bad-operand", op.Span, "%s does not have the .unified attribute", v.Name).note(v.Span, "declared here").
			section("9.7.10.8")
	case space != Generic && space != GlobalSpace:
		p.report("bad-operand", op.Span, ".unified is for addresses in global memory, not in %s", space).section("9.7.10.8")
	}
	p.needVersion(op.Span, ".unified", 80, 90, "9.7.10.8")
}

// checkSpace checks one variable. ptxas accepts a name of .shared or .local space in a generic access, which is hardly
// what was meant; it refuses names of .const and .param space.
func (p *parser) checkSpace(in *Inst, op *Operand, v *Var, space Space) {
	switch {
	case space == v.Space, space == Generic && v.Space == GlobalSpace:
	case space == Generic && (v.Space == SharedSpace || v.Space == LocalSpace):
		d := p.report("generic-variable", op.Span, "%s is in %s space, and its name is an offset there; %s without a "+
			"state space reads a generic address: add %s, or convert with cvta", v.Name, v.Space, in.Opcode, v.Space)
		p.rightSpace(d, in, op, space)
	case space == Generic || len(op.List()) > 0 && v.Space != SharedSpace:
		d := p.report("wrong-space", op.Span, "%s is in %s space, and %s takes a generic address: convert with cvta%s",
			v.Name, v.Space, in.Opcode, v.Space).note(v.Span, "declared here")
		p.rightSpace(d, in, op, Generic)
	default:
		d := p.report("wrong-space", op.Span, "%s is in %s space, but %s accesses %s", v.Name, v.Space, in.Opcode, space).
			note(v.Span, "declared here")
		p.rightSpace(d, in, op, space)
	}
}

// checkParamAccess: input parameters are read, return parameters written (5.1.6.1, 5.1.6.4).
func (p *parser) checkParamAccess(in *Inst, op *Operand, mnemonic string) {
	v, f := op.Var, p.fn
	has := func(list []*Var) bool { return v.Index < len(list) && list[v.Index] == v }
	switch {
	case mnemonic == "st" && has(f.Params) && f.Entry:
		p.report("parameter-access", op.Span, "%s is a kernel parameter and can only be read", v.Name).
			note(v.Span, "declared here").section("5.1.6.1")
	case mnemonic == "st" && has(f.Params):
		p.report("parameter-access", op.Span, "%s is an input parameter and can only be read", v.Name).
			note(v.Span, "declared here")
	case in.Guard != nil && v.Func == f && has(f.Vars):
		p.report("parameter-access", in.Guard.Span, "%s holds an argument or result of a call: %s cannot be guarded", v.Name,
			in.Opcode).note(v.Span, "declared here").section("7.1")
	case mnemonic == "ld" && has(f.Returns):
		p.report("parameter-access", op.Span, "%s is a return parameter and can only be written", v.Name).
			note(v.Span, "declared here")
	}
}

// accessSize is the bytes that a load, store or atomic touches (6.4.1).
func accessSize(b *isa.Bound) int64 {
	n := int64(b.Type("type").Bytes())
	if n == 0 && len(b.Types) > 0 {
		n = int64(b.Types[len(b.Types)-1].Bytes())
	}
	for _, m := range b.Mods {
		switch m {
		case ".v2", ".v4", ".v8":
			n *= int64(m[2] - '0')
		}
	}
	return n
}

// lintAccess looks at accesses whose address is known but for the place of the variable.
func (p *parser) lintAccess(in *Inst, op *Operand, v *Var) {
	size := accessSize(in.Match)
	if size <= 0 || size&(size-1) != 0 {
		return
	}
	switch {
	case v.Size > 0 && (op.Off() < 0 || op.Off()+size > v.Size):
		p.report("access-past-end", op.Span, "%s accesses bytes %d to %d of %s, which has %d", in.Opcode, op.Off(),
			op.Off()+size-1, v.Name, v.Size).note(v.Span, "declared here")
	case op.Off()&(size-1) != 0 && v.Align >= size:
		p.report("misaligned-constant", op.Span, "%s accesses %d bytes, so its address must be a multiple of %d; %s%+d "+
			"is not", in.Opcode, size, size, v.Name, op.Off())
	case v.Align < size && v.Space != ParamSpace:
		p.report("misaligned-constant", op.Span, "%s accesses %d bytes, but %s is aligned to %d only; declare it .align %d",
			in.Opcode, size, v.Name, v.Align, size).note(v.Span, "declared here").section("5.4.5")
	}
}

// lint warns about valid instructions that the author hardly meant.
func (p *parser) lint(in *Inst, mnemonic string) {
	switch mnemonic {
	case "mov", "cvta":
		p.checkParamAddress(in)
	case "cvt":
		p.checkRounding(in)
	case "shfl":
		p.lintShfl(in)
	case "shl", "shr":
		p.lintShift(in)
	case "ld", "ldu":
		p.lintTuple(in)
	case "mma", "wmma", "wgmma", "tcgen05", "ldmatrix", "stmatrix", "spcompress", "spdecompress",
		"applypriority", "fabric":
		p.checkTuples(in)
	case "tex":
		p.checkTuples(in)
		p.checkTexture(in, mnemonic)
	case "vmad":
		p.checkNegations(in)
	case "cp":
		p.checkCopySize(in)
		p.checkTuples(in)
	case "tld4", "txq", "suld", "sust", "sured", "suq":
		p.checkTexture(in, mnemonic)
	}
	for i := range in.Operands {
		op := &in.Operands[i]
		what, section := "hold an address", "6.4.1"
		if op.Var != nil {
			what, section = "be an index", "6.4.2"
		}
		asked := mnemonic == "isspacep" && i == 1
		if r := op.Reg; r != nil && (op.Kind == OpAddr || op.Var != nil || asked) &&
			(r.Type.Class() == isa.Float || r.Type == isa.Pred || r.Type == isa.B128 || asked && r.Type.Bits() < 32) {
			p.report("type-mismatch", op.Span, "%s cannot %s: an integer or bit-size register can", r.describe(), what).
				note(r.Span, "declared here").section(section)
		}
		if i < len(in.Match.Operands) && in.Match.Operands[i].Name == "membermask" && op.Kind == OpImm && op.Imm == 0 {
			p.report("empty-mask", op.Span, "the member mask 0 names no lane; the executing lane must be in it").
				section(in.Match.Form.Section)
		}
	}
}

// checkTexture checks what is between the brackets of [texture, sampler, {coordinates}] and its like. There is a
// sampler if textures and samplers are separate (9.7.12.1). Tuples of coordinates have 2 or 4 elements; those that the
// geometry does not need are ignored.
func (p *parser) checkTexture(in *Inst, mnemonic string) {
	apart := slices.Contains(p.m.TargetOpts, "texmode_independent")
	want, need := isa.TexRef, in.Match.Coordinates()
	if mnemonic[0] == 's' {
		want = isa.SurfRef
	} else if apart && in.Match.Value("squery") != "" {
		want = isa.SamplerRef
	}
	for i := range in.Operands {
		op := &in.Operands[i]
		if op.Kind == OpReg && in.Match.Operands[i].Name == "e" && in.Match.Has(".3d") {
			p.report("bad-operand", op.Span, "the offset of %s is a tuple of four; a reference value is for fewer dimensions",
				in.Opcode).section("9.7.12.3")
		}
		if op.Kind != OpAddr {
			continue
		}
		if op.Off() != 0 {
			p.report("bad-operand", op.Span, "the name of a %s has no offset", want).section(in.Match.Form.Section)
		}
		p.checkReference(in, op, want)
		if n := len(op.List()); n > 0 && need > 0 {
			if n > 1 {
				p.checkReference(in, &op.List()[0], isa.SamplerRef)
			} else if apart && want == isa.TexRef {
				p.report("bad-operand", op.Span, "the module says texmode_independent: a sampler follows the texture").
					section("9.7.12.1")
			}
			c := &op.List()[n-1]
			for j := range c.List() {
				if r := c.List()[j].Reg; r != nil && r.Type.Bits() != 32 {
					p.report("type-mismatch", c.List()[j].Span, "%s is not a coordinate: coordinates have 32 bits", r.describe()).
						note(r.Span, "declared here").section(in.Match.Form.Section)
				}
			}
			if have := max(1, len(c.List())); have < need || have == 3 {
				p.report("bad-operand", c.Span, "the coordinates of %s are a tuple of length %d, not %d", in.Opcode, need, have).
					section(in.Match.Form.Section)
			}
		}
	}
}

// checkReference checks the name of a texture, sampler or surface, or from PTX ISA 3.1 on a register that holds its
// handle (9.7.12.3, 9.7.13.1).
func (p *parser) checkReference(in *Inst, op *Operand, want isa.Type) {
	switch r, v := op.Reg, op.Var; {
	case v != nil && (v.Type != want || v.Dims != nil):
		p.report("bad-operand", op.Span, "%s is no %s", v.Name, want).note(v.Span, "declared here").
			section(in.Match.Form.Section)
	case r != nil && (r.Type.Bits() != 64 || r.Type.Class() == isa.Float):
		p.report("type-mismatch", op.Span, "%s cannot hold a handle: a .u64 or .b64 register can", r.describe()).
			note(r.Span, "declared here").section(in.Match.Form.Section)
	case r != nil:
		p.needVersion(op.Span, "a register in the place of a texture or surface", 31, 20, in.Match.Form.Section)
	}
}

// checkNegations: vmad negates either its product, by a sign on one factor, or its addend (9.7.20.1.3).
func (p *parser) checkNegations(in *Inst) {
	ops := in.Operands
	if ops[1].Neg != ops[2].Neg && ops[3].Neg {
		p.report("bad-operand", ops[3].Span,
			"vmad negates either the product or what is added, not both").section("9.7.20.1.3")
	}
}

// checkParamAddress: .param variables of a body, which hold arguments of calls, have no address (5.1.6.4).
func (p *parser) checkParamAddress(in *Inst) {
	for i := range in.Operands {
		op := &in.Operands[i]
		if v := op.Var; op.Kind == OpVar && v.Space == ParamSpace && v.Func != nil && v.Index < len(v.Func.Vars) &&
			v.Func.Vars[v.Index] == v {
			p.report("parameter-access", op.Span, "%s holds an argument of a call and has no address", v.Name).
				note(v.Span, "declared here")
		}
	}
}

// lintShfl looks at the clamp value in bits 0 to 4 of c (9.7.10.6).
func (p *parser) lintShfl(in *Inst) {
	if len(in.Operands) < 4 || in.Operands[3].Kind != OpImm {
		return
	}
	c, at := in.Operands[3].Imm, in.Operands[3].Span
	clamp, segment, up := c&31, c>>8&31, in.Match.Has(".up")
	switch {
	case up && clamp == 31 && segment == 0:
		p.report("shfl-clamp", at, "with .up the clamp value is a lower bound: %d leaves every lane its own value; "+
			"the whole warp is 0", c).fix(at, "0", "write 0")
	case !up && clamp == 0 && segment == 0:
		p.report("shfl-clamp", at, "bits 0 to 4 of c are the clamp value, and those of %d are 0: no lane could read beyond "+
			"lane 0; the whole warp is 31", c).fix(at, "31", "write 31")
	}
}

// lintShift: shifts by the width or more give 0, or the sign (9.7.9.8, 9.7.9.9).
func (p *parser) lintShift(in *Inst) {
	if len(in.Operands) < 3 || in.Operands[2].Kind != OpImm || len(in.Match.Types) == 0 {
		return
	}
	op, typ := in.Operands[2], in.Match.Types[0]
	if op.Imm >= uint64(typ.Bits()) {
		result := "always 0"
		if typ.Class() == isa.Signed {
			result = "the sign in every bit"
		}
		p.report("shift-amount", op.Span, "%s by %d: amounts are not taken modulo %d; the result is %s", in.Opcode,
			int64(op.Imm), typ.Bits(), result).section(in.Match.Form.Section)
	}
}

// lintTuple: all elements of a destination tuple must differ (6.4.3).
func (p *parser) lintTuple(in *Inst) {
	if len(in.Operands) == 0 || in.Operands[0].Kind != OpVec {
		return
	}
	list := in.Operands[0].List()
	for i := range list {
		for j := range list[:i] {
			if list[i].Kind == OpReg && list[j].Kind == OpReg && list[i].Reg == list[j].Reg && list[i].Elem == list[j].Elem {
				p.report("duplicate-element", list[i].Span, "%s is twice in the destination; which value it gets is undefined",
					p.m.Text(list[i].Span))
				return
			}
		}
	}
}

// lintModule looks at whole functions when everything is parsed.
func (p *parser) lintModule() {
	if p.counts[Error] > 0 {
		return // the code that is missing may be what reaches it
	}
	for _, f := range p.m.Funcs {
		p.lintUnreachable(f)
	}
	p.lintMemory()
}

// constantLimit is the room for a module's constants (5.1.3).
const constantLimit = 64 << 10

// sharedLimit is the room for a CTA's variables in shared memory (5.1.7). It gets more only as dynamic shared memory.
func (t target) sharedLimit() int64 {
	switch {
	case t.arch != "a":
		return 48 << 10
	case t.sm >= 120:
		return 100 << 10
	}
	return 228 << 10
}

// lintMemory warns of variables that are too large for NVIDIA's assembler.
func (p *parser) lintMemory() {
	total := int64(0)
	for _, v := range p.m.Vars {
		if v.Space == ConstSpace && v.Linkage != Extern {
			if total = v.after(total); total > constantLimit && p.m.Version >= 22 {
				p.report("too-much-constant", v.Span, "the .const variables up to here take %d bytes; a GPU has %d for them",
					total, constantLimit)
				break
			}
		}
	}
	for _, f := range p.m.Funcs {
		if f.Entry {
			p.lintShared(f)
		}
	}
}

// lintShared adds up the shared variables that a kernel declares or names.
func (p *parser) lintShared(f *Func) {
	total := int64(0)
	seen := map[*Var]bool{}
	count := func(v *Var) {
		if v != nil && v.Space == SharedSpace && v.Linkage != Extern && !seen[v] {
			seen[v] = true
			total = v.after(total)
		}
	}
	for _, v := range f.Vars {
		count(v)
	}
	for _, in := range f.Insts {
		for i := range in.Operands {
			count(in.Operands[i].Var)
		}
	}
	if limit := p.target.sharedLimit(); total > limit {
		p.report("too-much-shared", f.Span, "the .shared variables of %s take %d bytes; a CTA of %s gets %d, and more only "+
			"as dynamic shared memory, an .extern .shared array", f.Name, total, p.target, limit)
	}
}

// lintUnreachable reports the first instruction of each stretch that nothing reaches. Compilers leave such code
// in the thousands, so a function's stretches make one message.
func (p *parser) lintUnreachable(f *Func) {
	if len(f.Blocks) == 0 {
		return
	}
	seen := make([]uint64, (f.Nodes()+63)/64)
	seen[0] = 1
	stack := []int{0}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, s := range f.Next(b) {
			if seen[s/64]>>(s%64)&1 == 0 {
				seen[s/64] |= 1 << (s % 64)
				stack = append(stack, s)
			}
		}
	}
	count := 0
	for _, w := range seen {
		count += bits.OnesCount64(w)
	}
	if count == f.Nodes() {
		return
	}
	for i := range f.Blocks {
		if seen[i/64]>>(i%64)&1 == 0 {
			in := f.Insts[f.Blocks[i].Start]
			if word, _, _ := strings.Cut(in.Opcode, "."); word != "ret" && word != "exit" && word != "bra" && word != "trap" {
				p.report("unreachable", in.Span, "nothing reaches this instruction in %s", f.Name)
				return
			}
		}
	}
}
