package slow

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx/isa"
)

// Random straight-line programs, made from the instruction table, run by the emulator and by Eval.
//
//	go test ./emu/slow -run Random -v -seed 7 -programs 5000000
var (
	seed     = flag.Int64("seed", setting("WARPSCOPE_SEED", 1), "seed of the random programs")
	programs = flag.Int64("programs", setting("WARPSCOPE_PROGRAMS", 100_000), "how many random programs")
)

// TestMain lets garbage be: machines and modules are small, and many.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// setting is a number from the environment.
func setting(name string, otherwise int64) int64 {
	if n, err := strconv.ParseInt(os.Getenv(name), 10, 64); err == nil {
		return n
	}
	return otherwise
}

// sections are those whose instructions are functions of one lane's registers: arithmetic, comparison and
// logic, and of 9.7.10 mov, prmt, cvt and cvt.pack.
var sections = regexp.MustCompile(`^9\.7\.([1-9]\.|10\.(3|4|7|24|25)$)`)

// without are families of these sections whose results the manual only bounds (9.7.3.8 to 9.7.3.22, 9.7.4.9 and
// 9.7.4.10), which emu/num/approx_test.go tests, and addresses of functions.
const without = `div.approx.f32 div.full.f32 rcp.approx.f32 rcp.approx.ftz.f64 sqrt.approx.f32 rsqrt.approx
	rsqrt.approx.ftz.f64 sin.approx cos.approx lg2.approx ex2.approx.f32 tanh.approx.f32 tanh.half ex2.half mov.funcaddr`

// modelled are the families of the instruction table that Eval knows, by ID: all of these sections but those above and
// old spellings of another opcode (testdata/values/legacy-approx.ptx). The coverage matrix reads both patterns above.
func modelled() (families []string) {
	for _, f := range isa.Forms() {
		old := f.Gone != (isa.Gone{}) && f.As != ""
		if sections.MatchString(f.Section) && !old && !slices.Contains(strings.Fields(without), f.ID) {
			families = append(families, f.ID)
		}
	}
	return families
}

// class is a kind of register. Each has inputs, which a launch fills and no instruction writes, and results.
type class uint8

const (
	predicate class = iota
	bits8
	bits16
	bits32
	bits64
	classes
)

// inputs is how many input registers a class has; results how many others.
const inputs, results = 6, 24

var (
	names  = [classes]string{"p", "b", "h", "r", "d"}
	widths = [classes]uint{1, 8, 16, 32, 64}
)

func classOf(bits int) class {
	return class(slices.Index(widths[:], uint(bits)))
}

// register is one of a class: inputs come first.
type register struct {
	class class
	index int
}

func (r register) String() string {
	switch {
	case r.index < 0:
		return "_"
	case r.index < inputs:
		return fmt.Sprintf("%%%s%d", names[r.class], r.index)
	}
	return fmt.Sprintf("%%%sx%d", names[r.class], r.index-inputs)
}

// argument is a source operand: a register, perhaps negated, a constant with its text, or a vector.
type argument struct {
	register
	negated  bool
	constant uint64
	text     string // of a constant; "" for a register
	vector   []argument
}

func (a argument) String() string {
	switch {
	case a.vector != nil:
		return "{" + list(a.vector) + "}"
	case a.text != "":
		return a.text
	case a.negated:
		return "!" + a.register.String()
	}
	return a.register.String()
}

// list are operands with commas in between.
func list[T fmt.Stringer](of []T) string {
	var words []string
	for _, v := range of {
		words = append(words, v.String())
	}
	return strings.Join(words, ", ")
}

// statement is an instruction of a random program.
type statement struct {
	opcode       string
	bound        *isa.Bound
	guard        register // index < 0: none
	guardNegated bool
	to           []register // index < 0: the sink
	vector       bool       // to is one operand
	from         []argument
}

// sources are the source operands, vectors element by element.
func (s *statement) sources() (out []argument) {
	for _, a := range s.from {
		if a.vector != nil {
			out = append(out, a.vector...)
		} else {
			out = append(out, a)
		}
	}
	return out
}

func (s *statement) String() string {
	var b strings.Builder
	if s.guard.index >= 0 {
		b.WriteByte('@')
		if s.guardNegated {
			b.WriteByte('!')
		}
		b.WriteString(s.guard.String() + " ")
	}
	b.WriteString(s.opcode + " ")
	switch {
	case s.vector:
		b.WriteString("{" + list(s.to) + "}")
	case len(s.to) == 2:
		b.WriteString(s.to[0].String() + "|" + s.to[1].String())
	default:
		b.WriteString(s.to[0].String())
	}
	return b.String() + ", " + list(s.from) + ";"
}

// program is a few statements; they read inputs and what statements before them have written.
type program []*statement

// targets have all families between them: sm_100a has the alternate floating-point instructions, sm_107a what came with
// it.
var targets = []string{"sm_107a", "sm_100a"}

// has says whether a target has an opcode.
func has(target, opcode string) bool {
	bounds, _ := isa.Resolve(opcode)
	sm, _ := strconv.Atoi(target[3:6])
	return slices.ContainsFunc(bounds, func(b *isa.Bound) bool { return b.Requires().On(sm, target[6:]) })
}

// maker makes random programs for a target.
type maker struct {
	target string
	*rand.Rand
	forms   []*isa.Form
	opcodes map[*isa.Form][]string
	made    [classes]int // results that the program has written so far
	counts  map[string]int
}

func newMaker(t testing.TB, from int64, families []string, target string) *maker {
	m := &maker{target: target, Rand: rand.New(rand.NewSource(from)), opcodes: map[*isa.Form][]string{},
		counts: map[string]int{}}
	for _, f := range isa.Forms() {
		if !slices.Contains(families, f.ID) {
			continue
		}
		const perLine = 400
		opcodes := slices.DeleteFunc(f.Opcodes(perLine), func(opcode string) bool {
			return strings.HasSuffix(opcode, ".b128") || !has(target, opcode) // no class of registers
		})
		if len(opcodes) > 0 {
			m.forms = append(m.forms, f)
			m.opcodes[f] = opcodes
		}
	}
	require.NotEmpty(t, m.forms)
	return m
}

// program makes one.
func (m *maker) program() program {
	var p program
	m.made = [classes]int{}
	for range 3 + m.Intn(4) {
		f := m.forms[m.Intn(len(m.forms))]
		if f.Effect&(isa.ReadsCarry|isa.WritesCarry) != 0 {
			p = append(p, m.chain(f)...)
			continue
		}
		p = append(p, m.statement(f, true))
	}
	return p
}

// chain is a statement that touches the carry flag, with one before it that sets the flag, and some after it that use
// it.
func (m *maker) chain(f *isa.Form) program {
	var p program
	pick := func(effect isa.Effect) *isa.Form {
		for {
			if f := m.forms[m.Intn(len(m.forms))]; f.Effect&(isa.ReadsCarry|isa.WritesCarry) == effect {
				return f
			}
		}
	}
	if f.Effect&isa.ReadsCarry != 0 {
		p = append(p, m.statement(pick(isa.WritesCarry), false))
	}
	p = append(p, m.statement(f, false))
	for range 1 + m.Intn(2) {
		p = append(p, m.statement(pick(isa.ReadsCarry|isa.WritesCarry), false))
	}
	return p
}

// statement makes one of a family.
func (m *maker) statement(f *isa.Form, guarded bool) *statement {
	list := m.opcodes[f]
	s := &statement{opcode: list[m.Intn(len(list))], guard: register{index: -1}}
	bounds, _ := isa.Resolve(s.opcode)
	bounds = slices.DeleteFunc(slices.Clone(bounds), func(b *isa.Bound) bool { return b.Form != f })
	s.bound = bounds[m.Intn(len(bounds))]
	m.counts[f.ID+" "+s.opcode]++
	over := guarded && m.Intn(10) == 0 // write registers that hold something
	ops := s.bound.Operands
	for _, o := range ops[1:] {
		if o.Optional && m.Intn(2) == 0 {
			break
		}
		s.from = append(s.from, m.operand(s.bound, &o))
	}
	if o := &ops[0]; o.Kinds == isa.KVec {
		s.vector = true
		n, element := m.elements(s.bound, o)
		for range n {
			s.to = append(s.to, m.destination(element, false))
		}
		if m.Intn(4) == 0 && f.ID == "mov.pack" {
			s.to[m.Intn(n)].index = -1
		}
		return s
	}
	s.to = []register{m.destination(&ops[0], over)}
	if q := ops[0].Pair; q != nil && (!q.Optional || m.Intn(2) == 0) {
		second := m.destination(q, over)
		for second == s.to[0] {
			second = m.destination(q, false)
		}
		s.to = append(s.to, second)
		if m.Intn(8) == 0 && ops[0].Kinds&isa.KSink != 0 {
			s.to[0].index = -1
		}
	}
	if over && m.Intn(2) == 0 && slices.IndexFunc(s.to, func(r register) bool { return r.index < 0 }) < 0 {
		s.guard = m.register(predicate)
		s.guardNegated = m.Intn(2) == 0
	}
	return s
}

// wider is a class that an operand of this type may have.
func (m *maker) wider(o *isa.Operand) class {
	c := classOf(o.Type.Bits())
	if o.Wider && (o.Type.Class() == isa.Signed || o.Type.Class() == isa.Unsigned) {
		c = max(c, bits16)
		for c < bits64 && m.Intn(3) == 0 {
			c++
		}
	}
	return c
}

// destination is a new result, or one that has been written before; then the program's next result of the class does
// not move on.
func (m *maker) destination(o *isa.Operand, over bool) register {
	c := m.wider(o)
	if over && m.made[c] > 0 || m.made[c] == results {
		return register{c, inputs + m.Intn(m.made[c])}
	}
	m.made[c]++
	return register{c, inputs + m.made[c] - 1}
}

// register is one that holds something.
func (m *maker) register(c class) register {
	if n := m.made[c]; n > 0 && m.Intn(3) > 0 {
		return register{c, inputs + n - 1 - min(m.Intn(n), m.Intn(n))}
	}
	return register{c, m.Intn(inputs)}
}

// elements says how many elements a vector operand has, and what each may be; mov.pack divides its type.
func (m *maker) elements(b *isa.Bound, o *isa.Operand) (n int, element *isa.Operand) {
	if o.Vec > 0 {
		one := *o
		one.Kinds = isa.KReg
		return o.Vec, &one
	}
	types := map[int]isa.Type{8: isa.B8, 16: isa.B16, 32: isa.B32}
	for {
		n = 2 << m.Intn(2)
		if t, ok := types[b.Types[0].Bits()/n]; ok {
			return n, &isa.Operand{Kinds: isa.KReg, Type: t}
		}
	}
}

// operand is a source operand, perhaps a vector.
func (m *maker) operand(b *isa.Bound, o *isa.Operand) argument {
	if o.Kinds&(isa.KVec|isa.KReg) != isa.KVec {
		return m.source(b.Form, o)
	}
	n, element := m.elements(b, o)
	a := argument{}
	for range n {
		a.vector = append(a.vector, m.source(b.Form, element))
	}
	return a
}

// amounts are the families with operands that count bits.
const amounts = " shl shr bfe bfi szext bmsk shf fns "

func (m *maker) source(f *isa.Form, o *isa.Operand) argument {
	if o.Type == isa.Pred {
		return argument{register: m.register(predicate), negated: o.Neg && m.Intn(3) == 0}
	}
	constant := func(v uint64, format string) argument { return argument{constant: v, text: fmt.Sprintf(format, v)} }
	onlyConstant := o.Kinds&isa.KReg == 0
	switch {
	case onlyConstant:
		return constant(uint64(m.Intn(256)), "%#x")
	case o.Name == "base":
		return constant(uint64(m.Intn(32)), "%d")
	case o.Type == isa.U32 && strings.Contains(amounts, " "+f.Mnemonic+" ") && m.Intn(2) == 0:
		return constant(uint64(m.Intn(70)), "%d")
	case o.Range != nil && o.Range.Low >= 0 && o.Kinds&isa.KImm != 0 && m.Intn(10) == 0:
		return constant(uint64(o.Range.Low+o.Range.Step*m.Int63n((o.Range.High-o.Range.Low)/o.Range.Step+1)), "%d")
	case parts(o.Type) > 0: // no constants
	case o.Range == nil && o.Kinds&isa.KImm != 0 && f.Mnemonic != "cvt" && m.Intn(10) == 0:
		n := uint(o.Type.Bits())
		switch {
		case o.Type == isa.F32:
			return constant(m.value(n), "0f%08X")
		case o.Type == isa.F64:
			return constant(m.value(n), "0d%016X")
		case o.Type.Class() != isa.Float:
			return constant(m.value(n), "%#x")
		}
	}
	return argument{register: m.register(m.wider(o))}
}

// edges are values at which arithmetic changes, by width: integers, and numbers of the floating-point formats.
var edges = map[uint][]uint64{
	8: {0, 1, 0x7f, 0x80, 0xff, 0x08, 0x38, 0x7e, 0x7c, 0x7b},
	16: {0, 1, 0x7fff, 0x8000, 0xffff, 0x7e00, 0x7c00, 0xfc00, 0x3c00, 0xbc00, 0x0400, 0x03ff, 0x8001, 0x7bff, 0x3f80,
		0x7f80, 0xff80, 0x7f7f, 0x0080, 0x007f, 0x7ffe},
	32: {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00001, 0x00800000,
		0x007fffff, 0x80000001, 0x7f7fffff, 0x4b000001, 0x477ff000, 0x477fefff, 0x3f000000, 0x40200000, 0x4f000000,
		0xcf000000, 0x33800000, 0x3c003c00, 0x7e01fc00, 0x3f80ff80, 0x7ffe7ffe, 0x3c007ffe},
	64: {0, 1, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x3ff0000000000000, 0xbff0000000000000,
		0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001, 0x0010000000000000, 0x000fffffffffffff,
		0x8000000000000001, 0x7fefffffffffffff, 0x43e0000000000000, 0xc3e0000000000000, 0x41efffffffe00000,
		0x3ca0000000000000, 0x47efffffe0000000, 0x47effffff0000000, 0x3690000000000000, 0x3f8000007f800000},
}

// value is a random value of n bits: an edge, a small number, few ones, a floating-point number around 1 with few
// digits, or anything.
func (m *maker) value(n uint) uint64 {
	v := m.Uint64()
	switch m.Intn(6) {
	case 0:
		v = edges[n][m.Intn(len(edges[n]))]
	case 1:
		v = uint64(m.Int63n(80) - 16)
	case 2:
		v = v & m.Uint64() & m.Uint64()
	case 3, 4:
		const near = 24
		switch n {
		case 16:
			v = v&0x83c0 | uint64(15-4+m.Intn(8))<<10
		case 32:
			v = v&0x807ff000 | uint64(127-near+m.Intn(2*near))<<23
		case 64:
			v = v&(0x800fffff<<32) | uint64(1023-near+m.Intn(2*near))<<52
		}
	}
	return v & ones(n)
}

// TestRandomPrograms compares the emulator with Eval.
func TestRandomPrograms(t *testing.T) {
	total := *programs
	if runtime.GOOS == "js" || testing.Short() {
		total = min(total, 2000)
	}
	const perModule = 250
	var makers []*maker
	families := modelled()
	for _, target := range targets {
		makers = append(makers, newMaker(t, *seed, families, target))
	}
	lanes := int64(0)
	for done := int64(0); done < total; done += perModule {
		m := makers[done/perModule%int64(len(makers))]
		batch := make([]program, min(perModule, total-done))
		for k := range batch {
			batch[k] = m.program()
		}
		l := m.launch(int(done / perModule))
		lanes += int64(l.lanes * len(batch))
		if bad := run(t, batch, l); bad != nil {
			bad = shrink(t, batch[bad.program], l, bad)
			require.Fail(t, "the emulator and the model differ", "seed %d\n%s", *seed, bad)
		}
	}
	t.Logf("%d programs, %d runs of one by a lane, seed %d", total, lanes, *seed)
	made := map[string]bool{}
	for _, m := range makers {
		m.report(t)
		for _, f := range m.forms {
			made[f.ID] = true
		}
	}
	require.Len(t, made, len(families))
}

// report prints how often each family and opcode was made; every family has to be there.
func (m *maker) report(t *testing.T) {
	statements, opcodes := map[string]int{}, map[string]int{}
	for key, n := range m.counts {
		id, _, _ := strings.Cut(key, " ")
		statements[id] += n
		opcodes[id]++
	}
	var b strings.Builder
	for _, f := range m.forms {
		require.NotZero(t, statements[f.ID], "no statement of %s was made", f.ID)
		fmt.Fprintf(&b, "%s: %d statements, %d of %d opcodes\n", f.ID, statements[f.ID], opcodes[f.ID], len(m.opcodes[f]))
	}
	t.Logf("%d opcodes of %d families\n%s", len(m.counts), len(m.forms), b.String())
}
