package slow

import (
	"encoding/binary"
	"fmt"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warpscope/emu"
	"warpscope/ptx/isa"
)

// Random structured kernels: branches, loops, calls, memory, warp operations, atomics and barriers around the
// statements of maker. Loops are bounded, and many are hot, so that an engine that compiles loops and basic blocks has
// something to compile. What a kernel computes is not known here: two runs of it are compared.

// A part is a piece of a kernel's text: text, then each list of parts inside of it with the text that ends the list.
type part struct {
	text string
	in   [][]*part
	ends []string
}

func (p *part) print(b *strings.Builder) {
	b.WriteString(p.text)
	for k, list := range p.in {
		printAll(b, list)
		b.WriteString(p.ends[k])
	}
}

func printAll(b *strings.Builder, list []*part) {
	for _, p := range list {
		p.print(b)
	}
}

// kernel is a random kernel, the functions that it calls, and its launch.
type kernel struct {
	seed      int64
	body      []*part
	functions [][]*part
	initial   bool // registers begin with values: otherwise some are read that nothing has written
	grid      emu.Dim3
	block     emu.Dim3
	flat      bool     // see author.flat
	in        []uint64 // what the buffer "in" begins with, repeated
}

// Sizes of memory in bytes, which are powers of two. Threads of a block are at most mostThreads.
const (
	globalSize, inSize, sharedSize, localSize, constSize = 4096, 8192, 1024, 64, 256

	accSize     = 256
	inWords     = 67 // is prime, so that the rows of 64 lanes differ
	mostThreads = 64
)

// few is how many registers of a class statements write, so that later rounds of a loop read what earlier ones have
// written.
var few = [classes]int{4, 2, 3, 5, 4}

// everyday are the families that most kernels are made of.
const everyday = "add.int sub.int mul.int mad.int min.int max.int abs.int neg.int sad and or xor not lop3 shf shl " +
	"shr prmt bfe bfi popc clz brev bfind setp set selp slct mov.scalar add.f32 sub.f32 mul.f32 fma.f32 mad.f32 " +
	"min.f32 max.f32 abs.fp neg.fp add.f64 sub.f64 mul.f64 fma.f64 min.f64 max.f64 div.int rem.int cvt.int cvt.f2i " +
	"cvt.i2f cvt.f2f cvt.round div.f32.ieee div.f64 sqrt.ieee rcp.ieee add.half mul.half fma.half testp copysign " +
	"mov.pack"

// author writes random kernels.
type author struct {
	*maker
	common []*isa.Form
	labels int
	left   int    // statements that may still be written
	loops  []loop // around what is being written
	inside bool   // of a function
	uses   int    // functions that the kernel calls

	threads int // of a flat kernel
}

// loop is a loop that is being written: its counter, its end, and how often everything in it runs at most.
type loop struct {
	counter, end string
	trips        int
}

func newAuthor(t testing.TB) *author {
	families := append(modelled(), slices.DeleteFunc(strings.Fields(without), func(id string) bool {
		return id == "mov.funcaddr" // its operand is a function
	})...)
	a := &author{maker: newMaker(t, 0, families, targets[0])}
	for _, f := range a.forms {
		if slices.Contains(strings.Fields(everyday), f.ID) {
			a.common = append(a.common, f)
		}
	}
	return a
}

// kernel is the kernel of a seed.
func (a *author) kernel(seed int64) *kernel {
	a.Rand = rand.New(rand.NewSource(seed))
	a.made, a.labels, a.loops, a.uses = few, 0, nil, 0
	k := &kernel{seed: seed, initial: a.Intn(8) > 0, grid: emu.Dim3{X: 1 + a.Intn(4)/3},
		block: emu.Dim3{X: [...]int{32, 32, 64, 64, 48, 33, 7}[a.Intn(7)]}}
	if a.Intn(6) == 0 {
		k.block = emu.Dim3{X: 8, Y: 1 + a.Intn(8)}
	}
	k.in = a.contents()
	a.inside, a.left = false, 6+a.Intn(34)
	if seed%7 == 3 {
		a.flat(k)
		return k
	}
	k.body = a.list(0, 8+a.Intn(10), true)
	for range a.uses {
		a.inside, a.left = true, 12
		k.functions = append(k.functions, a.list(1, 2+a.Intn(4), false))
	}
	return k
}

// contents are values of 64, 32 and 16 bits.
func (a *author) contents() (words []uint64) {
	for n := range inWords {
		v := uint64(0)
		for bits, at := []uint{64, 32, 16, 32}[n%4], uint(0); at < 64; at += bits {
			v |= a.value(bits) << at
		}
		words = append(words, v)
	}
	return words
}

// memory is the buffer "in": the words over and over.
func (k *kernel) memory() []byte {
	b := make([]byte, 0, inSize)
	for n := range inSize / 8 {
		b = binary.LittleEndian.AppendUint64(b, k.in[n%inWords])
	}
	return b
}

func (a *author) label() string { a.labels++; return fmt.Sprintf("L%d", a.labels) }

// trips is how often what is written now runs at most.
func (a *author) trips() int {
	if len(a.loops) == 0 {
		return 1
	}
	return a.loops[len(a.loops)-1].trips
}

// list writes up to n parts. uniform: all lanes of the CTA that have not exited come here together.
func (a *author) list(depth, n int, uniform bool) (list []*part) {
	for range n {
		if a.left--; a.left < 0 {
			break
		}
		list = append(list, a.part(depth, uniform))
	}
	return list
}

func line(format string, args ...any) *part { return &part{text: fmt.Sprintf(format, args...) + "\n"} }

func (a *author) part(depth int, uniform bool) *part {
	inLoop := len(a.loops) > 0
	switch k := a.Intn(1000); {
	case k < 100 && depth < 4:
		return a.ifElse(depth)
	case k < 230 && depth < 4 && a.trips() < 40:
		return a.loop(depth, uniform)
	case k < 250 && depth < 3:
		return a.choice(depth)
	case k < 275 && inLoop:
		return line("@%s%s bra %s;", a.not(), a.register(predicate), a.loops[len(a.loops)-1].end)
	case k < 281 && !a.inside:
		return a.leave()
	case k < 286 && a.inside:
		return line("@%s%s ret;", a.not(), a.register(predicate))
	case k < 325:
		return a.warpOperation()
	case k < 355:
		return a.atomic()
	case k < 375 && uniform && !a.inside:
		return a.barrier()
	case k < 390 && !a.inside && a.trips() < 40:
		return a.call()
	case k < 410:
		return a.special()
	case k < 412 && !a.inside && a.trips() < 10:
		return line("mov.b32 %%t0, %s; st.local.b32 [%%lo], %%t0; { .param .b64 pf; .param .b64 pv; .param .b32 ps; "+
			"st.param.b64 [pf], %%format; st.param.b64 [pv], %%values; call (ps), vprintf, (pf, pv); }", a.register(bits32))
	case k < 600:
		return a.access()
	}
	return a.compute()
}

func (a *author) not() string { return [...]string{"", "!"}[a.Intn(2)] }

// guard is a guard, or mostly none.
func (a *author) guard() string {
	if a.Intn(6) > 0 {
		return ""
	}
	return "@" + a.not() + a.register(predicate).String() + " "
}

// compute is a statement of maker that writes few registers.
func (a *author) compute() *part {
	forms := a.common
	if a.Intn(8) == 0 {
		forms = a.forms
	}
	f := forms[a.Intn(len(forms))]
	var list program
	if f.Effect&(isa.ReadsCarry|isa.WritesCarry) != 0 {
		list = a.chain(f)
	} else {
		list = program{a.statement(f, true)}
	}
	var b strings.Builder
	for _, s := range list {
		a.narrow(s)
		if s.guard.index < 0 && a.Intn(8) == 0 && !s.vector {
			s.guard, s.guardNegated = a.register(predicate), a.Intn(2) == 0
		}
		b.WriteString(s.String() + "\n")
	}
	a.made = few
	return &part{text: b.String()}
}

// narrow lets a statement write some of the few registers, each once.
func (a *author) narrow(s *statement) {
	first := a.Intn(16)
	for n := range s.to {
		if r := &s.to[n]; r.index >= 0 && len(s.to) <= few[r.class] {
			r.index = inputs + (first+n)%few[r.class]
		}
	}
}

// result is one of the few registers.
func (a *author) result(c class) register { return register{c, inputs + a.Intn(few[c])} }

// leave ends some lanes, or seldom the grid.
func (a *author) leave() *part {
	out := "exit"
	if a.Intn(10) == 0 {
		out = "trap"
	}
	return line("{ .reg .pred %%u; and.b32 %%t0, %s, 31; setp.eq.b32 %%u, %%t0, %d; @%%u %s; }", a.register(bits32),
		a.Intn(32), out)
}

func (a *author) ifElse(depth int) *part {
	other, end := a.label(), a.label()
	p := &part{text: a.condition() + fmt.Sprintf("@%s%%q0 bra %s;\n", a.not(), other)}
	p.in = append(p.in, a.list(depth+1, 1+a.Intn(4), false))
	if a.Intn(3) == 0 {
		p.ends = []string{other + ":\n"}
		return p
	}
	p.in = append(p.in, a.list(depth+1, 1+a.Intn(4), false))
	p.ends = []string{fmt.Sprintf("bra %s;\n%s:\n", end, other), end + ":\n"}
	return p
}

// condition sets %q0.
func (a *author) condition() string {
	switch a.Intn(5) {
	case 0:
		return fmt.Sprintf("setp.lt.u32 %%q0, %%lane, %d;\n", a.Intn(34))
	case 1:
		return fmt.Sprintf("and.b32 %%t0, %s, %d; setp.ne.b32 %%q0, %%t0, 0;\n", a.register(bits32), 1<<a.Intn(8))
	case 2:
		return fmt.Sprintf("setp.%s.f32 %%q0, %s, %s;\n", [...]string{"lt", "geu", "neu"}[a.Intn(3)], a.register(bits32),
			a.register(bits32))
	case 3:
		return fmt.Sprintf("setp.gt.s64 %%q0, %s, %s;\n", a.register(bits64), a.register(bits64))
	}
	return fmt.Sprintf("and.b32 %%t0, %%id, %d; setp.eq.u32 %%q0, %%t0, %d;\n", 1+a.Intn(63), a.Intn(4))
}

// loop is a loop of as many rounds for all lanes, or of as many as a lane's register says, with its test at the end or
// at the top.
func (a *author) loop(depth int, uniform bool) *part {
	n := len(a.loops)
	top, l := a.label(), loop{counter: fmt.Sprintf("%%k%d", n), end: a.label()}
	var limit, text string
	most := 0
	switch a.Intn(4) {
	case 0, 1:
		most = 2 + a.Intn(9)
		if a.trips() == 1 && a.Intn(3) > 0 {
			most = 100 + a.Intn(100)
		}
		limit = fmt.Sprint(most)
	default:
		bits := 1 + a.Intn(3)
		if a.trips() == 1 && a.Intn(2) == 0 {
			bits = 7
		}
		most, limit = 1<<bits, fmt.Sprintf("%%n%d", n)
		text = fmt.Sprintf("and.b32 %s, %s, %d;\n", limit, a.register(bits32), most-1)
		uniform = false
	}
	l.trips = a.trips() * most
	a.loops = append(a.loops, l)
	p := &part{in: [][]*part{a.list(depth+1, 1+a.Intn(6), uniform)}}
	a.loops = a.loops[:n]
	text += fmt.Sprintf("mov.b32 %s, 0;\n%s:\n", l.counter, top)
	step := fmt.Sprintf("add.s32 %s, %s, 1;\n", l.counter, l.counter)
	if a.Intn(3) == 0 {
		text += fmt.Sprintf("setp.ge.s32 %%q1, %s, %s;\n@%%q1 bra %s;\n", l.counter, limit, l.end)
		p.ends = []string{step + fmt.Sprintf("bra %s;\n%s:\n", top, l.end)}
	} else {
		p.ends = []string{step + fmt.Sprintf("setp.lt.s32 %%q1, %s, %s;\n@%%q1 bra %s;\n%s:\n", l.counter, limit, top, l.end)}
	}
	p.text = text
	return p
}

// choice branches over a list.
func (a *author) choice(depth int) *part {
	list, end := a.label(), a.label()
	cases := []string{a.label(), a.label(), a.label()}
	p := &part{text: fmt.Sprintf("%s: .branchtargets %s, %s;\nand.b32 %%t0, %s, 3; brx.idx %%t0, %s;\n%s:\n", list,
		strings.Join(cases, ", "), end, a.register(bits32), list, cases[0])}
	for k := range cases {
		p.in = append(p.in, a.list(depth+1, 1+a.Intn(2), false))
		after := ""
		if a.Intn(2) == 0 {
			after = fmt.Sprintf("bra %s;\n", end)
		}
		if k+1 < len(cases) {
			after += cases[k+1] + ":\n"
		} else {
			after += end + ":\n"
		}
		p.ends = append(p.ends, after)
	}
	return p
}

// warpOperation is among the lanes that are here.
func (a *author) warpOperation() *part {
	d, s, p := a.result(bits32), a.register(bits32), a.register(predicate)
	text := "activemask.b32 %m;\n"
	if a.Intn(8) == 0 {
		text = "mov.b32 %m, -1;\n" // lanes wait for all that have not exited
	}
	switch a.Intn(8) {
	case 0:
		text += fmt.Sprintf("vote.sync.ballot.b32 %s, %s, %%m;", d, p)
	case 1:
		text += fmt.Sprintf("vote.sync.%s.pred %s, %s, %%m;", [...]string{"any", "all", "uni"}[a.Intn(3)],
			a.result(predicate), p)
	case 2:
		text += fmt.Sprintf("redux.sync.%s %s, %s, %%m;",
			[...]string{"add.u32", "max.s32", "xor.b32", "min.u32", "and.b32"}[a.Intn(5)], d, s)
	case 3, 4:
		text += fmt.Sprintf("and.b32 %%t0, %s, 31;\nshfl.sync.%s.b32 %s|%s, %s, %%t0, %d, %%m;", a.register(bits32),
			[...]string{"idx", "up", "down", "bfly"}[a.Intn(4)], d, a.result(predicate), s,
			[...]int{31, 0x1800 | 31, 0}[a.Intn(3)])
	case 5:
		text += fmt.Sprintf("match.any.sync.b32 %s, %s, %%m;", d, s)
	case 6:
		text += "bar.warp.sync %m;"
	case 7:
		text += fmt.Sprintf("elect.sync %s|%s, %%m;", d, a.result(predicate))
	}
	return &part{text: text + "\n"}
}

// atomic changes memory that all threads change; the order in which they do shows in some results.
func (a *author) atomic() *part {
	op := [...]string{"add.u32", "xor.b32", "max.u32", "min.s32", "or.b32", "and.b32", "inc.u32", "dec.u32", "exch.b32",
		"add.f32", "add.u64", "max.s64", "exch.b64", "xor.b64", "add.f64", "cas.b32", "cas.b64"}[a.Intn(17)]
	c := bits32
	if strings.HasSuffix(op, "64") {
		c = bits64
	}
	text := fmt.Sprintf("and.b32 %%t0, %s, %d; ", a.register(bits32), [...]int{0, 1, 7, 15}[a.Intn(4)])
	space, at := "global", "%a0"
	if a.Intn(3) == 0 && !a.inside {
		space, at = "shared", "%s0"
		text += "mad.lo.u32 %s0, %t0, 8, %sh;\n"
	} else {
		text += "mad.wide.u32 %a0, %t0, 8, %acc;\n"
	}
	switch {
	case strings.HasPrefix(op, "cas"):
		text += fmt.Sprintf("%satom.%s.%s %s, [%s], %s, %s;", a.guard(), space, op, a.result(c), at, a.register(c),
			a.register(c))
	case a.Intn(2) == 0 || strings.HasPrefix(op, "exch"):
		text += fmt.Sprintf("%satom.%s.%s %s, [%s], %s;", a.guard(), space, op, a.result(c), at, a.register(c))
	default:
		text += fmt.Sprintf("%sred.%s.%s [%s], %s;", a.guard(), space, op, at, a.register(c))
	}
	return &part{text: text + "\n"}
}

// barrier exchanges values between threads, or counts them.
func (a *author) barrier() *part {
	if a.Intn(3) == 0 {
		return line("bar.red.popc.u32 %s, 0, %s;", a.result(bits32), a.register(predicate))
	}
	return line("mad.lo.u32 %%s0, %%id, 4, %%sh; st.shared.b32 [%%s0], %s;\nbar.sync 0;\nxor.b32 %%t0, %%id, %d;\n"+
		"mad.lo.u32 %%s0, %%t0, 4, %%sh; ld.shared.b32 %s, [%%s0];\nbar.sync 0;", a.register(bits32), a.Intn(mostThreads),
		a.result(bits32))
}

// mostFunctions of a kernel; those with odd numbers have parameters in memory.
const mostFunctions = 2

func (a *author) call() *part {
	n := a.Intn(min(a.uses+1, mostFunctions))
	a.uses = max(a.uses, n+1)
	if n%2 == 0 {
		return line("%scall (%s), f%d, (%s, %s, %%g, %%acc);", a.guard(), a.result(bits32), n, a.register(bits32),
			a.register(bits64))
	}
	return line("{ .param .b32 pa; .param .b64 pb; .param .b64 pg; .param .b64 pc; .param .b32 po;\n"+
		"st.param.b32 [pa], %s; "+
		"st.param.b64 [pb], %s; st.param.b64 [pg], %%g; st.param.b64 [pc], %%acc;\ncall (po), f%d, (pa, pb, pg, pc);\n"+
		"ld.param.b32 %s, [po]; }", a.register(bits32), a.register(bits64), n, a.result(bits32))
}

// special reads special registers.
func (a *author) special() *part {
	if a.Intn(5) == 0 {
		return line("mov.u64 %s, %s;", a.result(bits64), [...]string{"%clock64", "%gridid"}[a.Intn(2)])
	}
	return line("mov.u32 %s, %s;", a.result(bits32), [...]string{"%tid.x", "%tid.y", "%ntid.x", "%ctaid.x", "%nctaid.x",
		"%laneid", "%warpid", "%lanemask_lt", "%lanemask_ge", "%clock"}[a.Intn(10)])
}

// text is a module with the kernel.
func (k *kernel) text() string {
	if k.flat {
		return k.flatText()
	}
	var b strings.Builder
	k.header(&b)
	b.WriteString(moduleHead)
	for n, f := range k.functions {
		k.function(&b, n, f)
	}
	var body strings.Builder
	printAll(&body, k.body)
	b.WriteString(kernelHead + common + kernelStart)
	k.registers(&b, body.String(), false)
	b.WriteString(body.String())
	b.WriteString("mad.wide.u32 %a0, %id, 8, %g;\nst.global.b32 [%a0], %t0;\nret;\n}\n")
	return b.String()
}

// header is the launch, for those who run the text elsewhere.
func (k *kernel) header(b *strings.Builder) {
	fmt.Fprintf(b, "//@ title seed %d\n//@ grid %d,%d\n//@ block %d,%d\n", k.seed, k.grid.X, max(k.grid.Y, 1),
		k.block.X, max(k.block.Y, 1))
	fmt.Fprintf(b, "//@ arg p_g b8[%d]\n//@ arg p_in b64[%d] = ", globalSize, inSize/8)
	for n, v := range k.in {
		if n > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(b, "%#x", v)
	}
	fmt.Fprintf(b, "\n//@ arg p_acc b8[%d]\n//@ arg p_n b32 = %d\n//@ arg p_s b64[2] = %#x, %#x\n", accSize,
		uint32(k.seed), k.in[0], k.in[1])
}

const moduleHead = `.version 9.4
.target sm_107a
.address_size 64
.extern .func (.param .b32 status) vprintf(.param .b64 format, .param .b64 values);
.global .align 16 .b8 words[8] = {37, 100, 59, 10, 0, 0, 0, 0};
.const .align 16 .b32 co[64] = {1, 2, 3, 5, 7, 11, 0x3f800000, 0x80000000, 0xffffffff, 13, 17, 0x7fc00000, 19};
`

const kernelHead = `.entry k(.param .u64 p_g, .param .u64 p_in, .param .u64 p_acc, .param .b32 p_n,
	.param .align 8 .b8 p_s[16]) {
.shared .align 16 .b8 shm[1024]; .local .align 16 .b8 loc[64];
.reg .b64 %il, %format, %values;
`

const common = `.reg .b64 %g, %acc, %in, %a<2>, %co, %lo, %shg;
.reg .b32 %id, %lane, %t<2>, %m, %sh, %s0, %k<8>, %n<8>; .reg .pred %q<2>;
`

const kernelStart = `ld.param.u64 %g, [p_g]; ld.param.u64 %in, [p_in]; ld.param.u64 %acc, [p_acc];
mov.u64 %co, co; mov.u32 %sh, shm; cvt.u64.u32 %shg, %sh; cvta.shared.u64 %shg, %shg; mov.u64 %lo, loc;
mov.u64 %format, words; cvta.global.u64 %format, %format; cvta.local.u64 %values, %lo;
mov.u32 %lane, %laneid; mov.u32 %id, %tid.y; mov.u32 %t1, %ntid.x; mov.u32 %t0, %tid.x;
mad.lo.u32 %id, %id, %t1, %t0; mad.wide.u32 %il, %id, 8, %in;
`

// function writes a function of the kernel.
func (k *kernel) function(b *strings.Builder, n int, list []*part) {
	var body strings.Builder
	printAll(&body, list)
	if n%2 == 0 {
		fmt.Fprintf(b, ".func (.reg .b32 %%out) f%d(.reg .b32 %%x, .reg .b64 %%y, .reg .b64 %%g, .reg .b64 %%acc) {\n", n)
		b.WriteString(strings.Replace(common, "%g, %acc, ", "", 1))
	} else {
		fmt.Fprintf(b, ".func (.param .b32 out) f%d(.param .b32 x, .param .b64 y, .param .b64 pg, .param .b64 pa) {\n", n)
		b.WriteString(common + ".reg .b32 %x, %out; .reg .b64 %y;\nld.param.b32 %x, [x]; ld.param.b64 %y, [y]; " +
			"ld.param.b64 %g, [pg]; ld.param.b64 %acc, [pa];\n")
	}
	k.registers(b, body.String(), true)
	b.WriteString("mov.u64 %co, co; mov.u32 %lane, %laneid; mov.u32 %id, %tid.x; mov.b32 %t0, 0;\n")
	b.WriteString(body.String())
	b.WriteString("xor.b32 %out, %x, %t0;\n")
	if n%2 != 0 {
		b.WriteString("st.param.b32 [out], %out;\n")
	}
	b.WriteString("ret;\n}\n")
}

var named = regexp.MustCompile(`%[pbhrd]x?\d+`)

// registers declares registers, and gives those that a body names their first values: from memory, or those of a
// function from its parameters.
func (k *kernel) registers(b *strings.Builder, body string, function bool) {
	for c, name := range names {
		typ := ".pred"
		if class(c) != predicate {
			typ = fmt.Sprintf(".b%d", widths[c])
		}
		fmt.Fprintf(b, ".reg %s %%%s<%d>, %%%sx<%d>;\n", typ, name, inputs, name, results)
	}
	if !k.initial {
		return
	}
	found := named.FindAllString(body, -1)
	slices.Sort(found)
	for n, r := range slices.Compact(found) {
		c := class(slices.Index(names[:], r[1:2]))
		at := n % (inSize / 512) * 512
		switch {
		case c == predicate && function:
			fmt.Fprintf(b, "and.b32 %%t0, %%x, %d; setp.ne.b32 %s, %%t0, 0;\n", 1<<(n%8), r)
		case c == predicate:
			fmt.Fprintf(b, "ld.global.b32 %%t0, [%%il+%d]; and.b32 %%t0, %%t0, %d; setp.ne.b32 %s, %%t0, 0;\n", at, 1<<(n%8), r)
		case !function:
			fmt.Fprintf(b, "ld.global.b%d %s, [%%il+%d];\n", widths[c], r, at)
		case c == bits64:
			fmt.Fprintf(b, "xor.b64 %s, %%y, %d;\n", r, n)
		case c == bits32:
			fmt.Fprintf(b, "add.u32 %s, %%x, %d;\n", r, n)
		default:
			fmt.Fprintf(b, "cvt.u%d.u32 %s, %%x;\n", widths[c], r)
		}
	}
}
