package coverage

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warpscope/ptx/isa"
)

// TestPtxasOpcodes: ptxas has the opcodes that the table has.
func TestPtxasOpcodes(t *testing.T) {
	a := newAssembler(t)
	perLine := setting("WARPSCOPE_PTXAS_OPCODES", 20)
	var all []*question
	for _, f := range askForms() {
		for _, text := range handmade[f.ID] {
			all = append(all, &question{version: askVersion, target: askTarget, form: f.ID, text: text})
		}
		if handmade[f.ID] != nil {
			continue
		}
		for _, opcode := range f.Opcodes(perLine) {
			for _, b := range boundsOf(f, opcode) {
				version, target := newest(b)
				if version == 0 {
					continue
				}
				long, short := ptxasStatement(b, opcode, true), ptxasStatement(b, opcode, false)
				all = append(all, &question{version: version, target: target, form: f.ID, text: long})
				if long != short {
					all = append(all, &question{version: version, target: target, form: f.ID, text: short})
				}
			}
		}
	}
	a.compare(t, all)
}

// askForms are the forms to ask about: all, or those whose ids match WARPSCOPE_PTXAS_FORMS.
func askForms() []*isa.Form {
	wanted := regexp.MustCompile(os.Getenv("WARPSCOPE_PTXAS_FORMS"))
	return slices.DeleteFunc(isa.Forms(), func(f *isa.Form) bool { return !wanted.MatchString(f.ID) })
}

// boundsOf are the syntax lines of a form that have the opcode.
func boundsOf(f *isa.Form, opcode string) []*isa.Bound {
	var out []*isa.Bound
	bounds, _ := isa.Resolve(opcode)
	for _, b := range bounds {
		if b.Form == f {
			out = append(out, b)
		}
	}
	return out
}

// newest is the newest version and target of ptxas that have the opcode; 0 when it has none.
func newest(b *isa.Bound) (version int, target string) {
	n, gone := b.Requires(), b.Form.Gone
	switch {
	case n.Version > askVersion || !n.On(askSM, askArch):
		return 0, ""
	case gone.SM > 50:
		return askVersion, "sm_60"
	case gone.SM > 0:
		return askVersion, "sm_13"
	case gone.Version >= 60:
		return gone.Version - 1, "sm_70"
	case gone.Version > 0:
		return gone.Version - 1, "sm_13"
	}
	return askVersion, askTarget
}

// texelSizes are how many elements name a texel, and its derivatives and offsets (9.7.12.3, 9.7.13.1).
var texelSizes = map[string]struct{ place, slope int }{".1d": {1, 1}, ".2d": {2, 2}, ".3d": {4, 4}, ".a1d": {2, 1},
	".a2d": {4, 2}, ".cube": {4, 4}, ".acube": {4, 4}, ".2dms": {4, 2}, ".a2dms": {4, 2}}

// ptxasStatement is a statement as ptxas wants it.
func ptxasStatement(b *isa.Bound, opcode string, long bool) string {
	return strings.TrimSpace(opcode+" "+strings.Join(ptxasOperands(b, long), ", ")) + ";"
}

// ptxasOperands are its operands: coordinates have the right length, addresses of parameters are names.
func ptxasOperands(b *isa.Bound, long bool) []string {
	w := &operandWriter{bound: b, long: long}
	var ops []string
	for i := range b.Operands {
		o := &b.Operands[i]
		if o.Optional && !long {
			continue
		}
		text := w.operand(o)
		geometry := texelSizes[b.Value("geom")]
		switch {
		case geometry.place > 0 && o.Kinds&(isa.KTex|isa.KAddr) != 0:
			text = "[%b64x0, " + w.tuple(geometry.place) + "]"
		case o.Name == "dPdx" || o.Name == "dPdy" || o.Name == "e" && geometry.place > 0:
			text = w.tuple(geometry.slope)
		case o.Kinds&isa.KAddr != 0 && (b.Has(".param") || b.Has(".param::entry") || b.Has(".param::func")):
			text = "[kvar]"
			if b.Form.Mnemonic == "st" || b.Has(".param::func") {
				text = "[avar]"
			}
		case len(o.Suffix) > 0 && o.Suffix[0] == ".dsel":
			text += ".b0"
		}
		ops = append(ops, text)
	}
	return ops
}

// tuple is n registers of 32 bits.
func (w *operandWriter) tuple(n int) string {
	var list []string
	for range n {
		list = append(list, w.register(isa.B32))
	}
	if n == 1 {
		return list[0]
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// TestPtxasGates: what an opcode needs is what ptxas asks for, and one version or target less is not enough.
func TestPtxasGates(t *testing.T) {
	a := newAssembler(t)
	var all []*question
	for _, f := range askForms() {
		if handmade[f.ID] != nil {
			continue
		}
		seen := map[string]bool{}
		for _, opcode := range f.Opcodes(setting("WARPSCOPE_PTXAS_OPCODES", 40)) {
			for _, b := range boundsOf(f, opcode) {
				n := b.Requires()
				key := fmt.Sprint(n, gatesOf(b))
				if seen[key] || n.Version > askVersion || !n.On(askSM, askArch) {
					continue
				}
				seen[key] = true
				for _, m := range around(n, f.Gone) {
					all = append(all, &question{version: m.version, target: m.target, form: f.ID,
						text: ptxasStatement(b, opcode, false)})
				}
			}
		}
	}
	a.compare(t, all)
}

// gatesOf are the gates that an opcode passes.
func gatesOf(b *isa.Bound) string {
	var out []string
	for _, g := range b.Form.Gates {
		passes := b.Value(g.Mod) != ""
		switch g.Mod[0] {
		case '!':
			passes = b.Value(g.Mod[1:]) == ""
		case '.':
			passes = !slices.ContainsFunc(strings.Split(g.Mod[1:], "."), func(m string) bool { return !b.Has("." + m) })
		}
		if passes {
			out = append(out, g.Mod)
		}
	}
	return strings.Join(out, " ")
}

// machine is a version and a target.
type machine struct {
	version int
	target  string
}

// exists says whether the version has the target.
func (m machine) exists() bool {
	q := question{version: m.version, target: m.target}
	q.askUs()
	return q.ours == ""
}

// versions and targets up to those of ptxas 12.5, in their order.
var (
	askVersions = []int{10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 30, 31, 32, 40, 41, 42, 43, 50, 60, 61, 62, 63, 64, 65, 70,
		71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85}
	askTargets = strings.Fields(`sm_10 sm_11 sm_12 sm_13 sm_20 sm_30 sm_32 sm_35 sm_37 sm_50 sm_52 sm_53 sm_60 sm_61 sm_62
		sm_70 sm_72 sm_75 sm_80 sm_86 sm_87 sm_89 sm_90 sm_90a`)
)

// around are the lowest version and target that have what is needed, and for each of the two the one below it; for what
// is gone also the last version that had it, and versions that do not.
func around(n isa.Needs, gone isa.Gone) []machine {
	at := slices.Index(askTargets, n.Target())
	version := slices.Index(askVersions, n.Version)
	if at < 0 || version < 0 {
		return nil
	}
	for !(machine{askVersions[version], askTargets[at]}).exists() {
		version++
	}
	out := []machine{{askVersions[version], askTargets[at]}}
	if version > 0 && askVersions[version] == n.Version {
		out = append(out, machine{askVersions[version-1], askTargets[at]})
	}
	if at > 0 {
		out = append(out, machine{askVersions[version], askTargets[at-1]})
	}
	if last := slices.Index(askVersions, gone.Version); last > 0 {
		target := askTargets[max(at, slices.Index(askTargets, fmt.Sprint("sm_", gone.SM)))]
		for _, v := range []int{askVersions[last-1], askVersions[last], askVersion} {
			out = append(out, machine{v, target})
		}
	}
	return slices.DeleteFunc(out, func(m machine) bool { return !m.exists() })
}

// TestPtxasNeighbours: what is one modifier away from a legal opcode is legal for both or for neither.
func TestPtxasNeighbours(t *testing.T) {
	a := newAssembler(t)
	perLine := setting("WARPSCOPE_PTXAS_OPCODES", 2)
	words := map[string][]string{}
	for _, f := range isa.Forms() {
		const spread = 60 // has every value of every slot
		for _, opcode := range f.Opcodes(spread) {
			for _, w := range strings.Split(opcode, ".")[1:] {
				if !slices.Contains(words[f.Mnemonic], w) && w != "sync" && w != "pred" {
					words[f.Mnemonic] = append(words[f.Mnemonic], w)
				}
			}
		}
	}
	a.compare(t, questions(perLine, func(f *isa.Form, opcode string, b *isa.Bound) []string {
		base := ptxasStatement(b, opcode, false)
		var texts []string
		for _, near := range neighbours(opcode, words[f.Mnemonic]) {
			texts = append(texts, statementsNear(base, opcode, near)...)
		}
		return texts
	}))
}

// questions are statements about every form that ptxas can be asked about, perLine opcodes of each line of its syntax.
func questions(perLine int, statements func(f *isa.Form, opcode string, b *isa.Bound) []string) []*question {
	asked := map[string]bool{}
	var all []*question
	for _, f := range askForms() {
		if handmade[f.ID] != nil || f.Gone.Version != 0 {
			continue
		}
		for _, opcode := range f.Opcodes(perLine) {
			for _, b := range boundsOf(f, opcode) {
				if n := b.Requires(); n.Version > askVersion || !n.On(askSM, askArch) {
					continue
				}
				for _, text := range statements(f, opcode, b) {
					if !asked[text] {
						asked[text] = true
						all = append(all, &question{version: askVersion, target: askTarget, form: f.ID, text: text})
					}
				}
			}
		}
	}
	return all
}

// neighbours are the opcodes that lack one modifier, have one more, another one, or two of them swapped. Left out is
// what ptxas does not care about: modifiers given twice, .sync and .pred where they mean nothing, and orders that
// we allow.
func neighbours(opcode string, words []string) []string {
	parts := strings.Split(opcode, ".")
	edit := func(i, n int, with ...string) string {
		return strings.Join(slices.Replace(slices.Clone(parts), i, i+n, with...), ".")
	}
	var out []string
	for i := 1; i < len(parts); i++ {
		out = append(out, edit(i, 1))
		if i > 1 {
			out = append(out, edit(i-1, 2, parts[i], parts[i-1]))
		}
		for _, w := range append(words, moreTypes...) {
			if !slices.Contains(parts, w) || isType(w) && w != parts[i] {
				out = append(out, edit(i, 1, w))
			}
		}
	}
	for _, w := range words {
		if slices.Contains(parts, w) && !isType(w) {
			continue
		}
		at := len(parts)
		if !isType(w) {
			for at > 1 && isType(parts[at-1]) {
				at--
			}
		}
		out = append(out, edit(at, 0, w))
	}
	return slices.DeleteFunc(out, reordered)
}

// reordered says whether an opcode is legal, but not written as its syntax line is.
func reordered(opcode string) bool {
	bounds, _ := isa.Resolve(opcode)
	mnemonic, _, _ := strings.Cut(opcode, ".")
	return len(bounds) > 0 && !slices.ContainsFunc(bounds, func(b *isa.Bound) bool {
		return mnemonic+strings.Join(b.Mods, "") == opcode
	})
}

var moreTypes = strings.Fields("b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f32 f64 f16x2 bf16x2")

func isType(word string) bool {
	_, ok := isa.ParseType("." + word)
	return ok
}

var registerName = regexp.MustCompile(`%(p|b\d+x)(\d+)`)

// statementsNear are statements of an opcode near another one: with operands of our own where we have it, else with
// those of the other, as they are and with the registers of the type that has changed.
func statementsNear(base, opcode, near string) []string {
	if bounds, err := isa.Resolve(near); err == nil {
		var out []string
		for _, b := range bounds {
			if n := b.Requires(); n.Version <= askVersion && n.On(askSM, askArch) && !b.Form.Gone.For(askVersion, askSM) &&
				handmade[b.Form.ID] == nil && b.Form.Mnemonic != "call" {
				out = append(out, ptxasStatement(b, near, false))
			}
		}
		return out
	}
	operands := strings.TrimPrefix(base, opcode)
	out := []string{near + operands}
	was, is := strings.Split(opcode, "."), strings.Split(near, ".")
	for i := range min(len(was), len(is)) {
		from, ok1 := isa.ParseType("." + was[i])
		to, ok2 := isa.ParseType("." + is[i])
		if was[i] == is[i] || !ok1 || !ok2 || from.Bits() == to.Bits() {
			continue
		}
		out = append(out, near+registerName.ReplaceAllStringFunc(operands, func(r string) string {
			m := registerName.FindStringSubmatch(r)
			if class(from) != m[1] {
				return r
			}
			return "%" + class(to) + m[2]
		}))
	}
	return out
}

// class is the kind of register that holds a type.
func class(t isa.Type) string {
	if t == isa.Pred {
		return "p"
	}
	return fmt.Sprint("b", max(t.Bits(), 8), "x")
}

// TestPtxasOperands: what may be in the place of each operand.
func TestPtxasOperands(t *testing.T) {
	a := newAssembler(t)
	perLine := setting("WARPSCOPE_PTXAS_OPCODES", 2)
	a.compare(t, questions(perLine, func(_ *isa.Form, opcode string, b *isa.Bound) []string {
		texts := withOtherOperands(opcode, ptxasOperands(b, false))
		if aboutMatrices.MatchString(opcode) { // with a stride
			texts = append(texts, withOtherOperands(opcode, ptxasOperands(b, true))...)
		}
		return texts
	}))
}

// others may be where an operand is, or may not.
var others = strings.Fields(`1 -1 0 65536 0x100000000 1.0 0f3F800000 0d3FF0000000000000 %p0 !%p0 _ WARP_SZ
	%b8x9 %b16x9 %b32x9 %b64x9 %b128x9 %u8x1 %s8x1 %u16x1 %s16x1 %u32x1 %s32x1 %u64x1 %s64x1 %f16x1 %f16x2x1 %f32x1 %f64x1
	-%b32x9 %tid.x %clock64 %v2x1 %v2x1.x gvar gvar+4 svar cvar lvar kvar [%b64x9] [%b64x9+4] [%b32x9] [%u32x1] [%s64x1]
	[%f32x1] [gvar] [gvar+4] [svar] [64] {%b32x8} {%b32x8,%b32x9} {%b32x6,%b32x7,%b32x8,%b32x9} {%b16x8,%b16x9}
	{%f32x1,%f32x2}
	{_,%b32x9} {%b32x9,_} {1,2} {%b64x8,%b64x9} {%b8x6,%b8x7,%b8x8,%b8x9} end`)

// otherMatrix may be where an operand of a matrix instruction is, or may not: selectors, and addresses.
var otherMatrix = strings.Fields(`2 3 4 1U 2-1 0x80000000 %p0|%p1 1.5 {1} {} {%p0} {%v2x1.x,%v2x1.y} %v2x1.y %b32x299
	[%b64x9+1] [%b64x9+-16] [cvar] [lvar] [kvar] [svar+8] [%b16x9] [%b128x9] [%f64x1] [%p0] [%v2x1.x]
	%laneid %warpid gvar|svar`)

// aboutMatrices are the opcodes whose operands are fragments.
var aboutMatrices = regexp.MustCompile(`^(w?g?mma|(ld|st|mov)matrix)\.`)

// withOtherOperands replace each operand in turn, leave it out, or add one.
func withOtherOperands(opcode string, operands []string) []string {
	write := func(list []string) string { return strings.TrimSpace(opcode+" "+strings.Join(list, ", ")) + ";" }
	out := []string{write(append(slices.Clone(operands), "%b32x9"))}
	matrix := aboutMatrices.MatchString(opcode)
	if matrix {
		out = append(out, write(append(slices.Clone(operands), "1")), write(append(slices.Clone(operands), "0")))
	}
	for i := range operands {
		out = append(out, write(slices.Delete(slices.Clone(operands), i, i+1)))
		others := others
		if matrix {
			others = slices.Concat(others, otherMatrix, otherTuples(operands[i]))
		}
		for _, other := range others {
			list := slices.Clone(operands)
			list[i] = other
			out = append(out, write(list))
		}
	}
	return out
}

// otherTuples are tuples like one that an opcode takes: of other lengths, and of registers of other types, all or one.
func otherTuples(tuple string) []string {
	if tuple[0] != '{' {
		return nil
	}
	have := strings.Split(tuple[1:len(tuple)-1], ", ")
	n := len(have)
	var out []string
	write := func(list []string) { out = append(out, "{"+strings.Join(list, ",")+"}") }
	set, _, _ := strings.Cut(have[0], "x")
	for _, length := range []int{1, n / 2, n - 1, n + 1, 2 * n} {
		if length > 0 {
			write(registersOf(set+"x", length))
		}
	}
	for _, other := range registerSets {
		write(registersOf(other, n))
		write(registersOf(other, 2*n))
		write(registersOf(other, max(n/2, 1)))
		for _, i := range []int{0, n - 1} {
			one := slices.Clone(have)
			one[i] = other + "1"
			write(one)
		}
	}
	for _, other := range strings.Fields(`1 1.0 _ %p0 !%p0 %v2x1 %v2x1.x %tid.x gvar WARP_SZ -%b32x9 0f3F800000
		{%b32x8}`) {
		one := slices.Clone(have)
		one[n-1] = other
		write(one)
		for i := range one {
			one[i] = other
		}
		write(one)
	}
	return out
}

// registerSets are the sets of registers that the questions declare.
var registerSets = strings.Fields(`%b8x %b16x %b32x %b64x %b128x %u8x %s8x %u16x %s16x %u32x %s32x %u64x %s64x
	%f16x %f16x2x %f32x %f64x`)

// registersOf are n of a set.
func registersOf(set string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint(set, i)
	}
	return list
}
