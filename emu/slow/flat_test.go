package slow

import (
	"fmt"
	"regexp"
	"strings"

	"warpscope/emu"
)

// Flat kernels are what most programs for GPUs are made of: many CTAs, whose threads load, compute and store without
// loops and barriers. An engine can execute many of their CTAs at once.

// flat is a kernel of many CTAs. Mostly it has as many threads in a block as there are lanes in some warps, and its
// branches agree in all of them.
func (a *author) flat(k *kernel) {
	k.flat = true
	k.grid = emu.Dim3{X: 2 + a.Intn(40), Y: 1 + a.Intn(3)/2*a.Intn(4)}
	k.block = emu.Dim3{X: [...]int{32, 64, 96, 128, 32, 64, 48, 33}[a.Intn(8)], Y: 1}
	if a.Intn(4) == 0 {
		k.block = emu.Dim3{X: 8, Y: 4 * (1 + a.Intn(4))}
	}
	threads := k.grid.X * k.grid.Y * k.block.X * k.block.Y
	a.threads = threads
	a.left = 5 + a.Intn(12)
	if a.Intn(3) > 0 { // the threads after the end leave
		n := threads - a.Intn(threads/2)
		if a.Intn(2) == 0 {
			n = n / k.block.X * k.block.X
		}
		end := "bra OUT"
		if a.Intn(4) == 0 {
			end = "ret"
		}
		k.body = append(k.body, line("setp.ge.u32 %%q0, %%id, %d;\n@%%q0 %s;", n, end))
	}
	k.body = append(k.body, a.flatList(0, 12)...)
	k.body = append(k.body, line("and.b32 %%t0, %%id, %d; mad.wide.u32 %%a0, %%t0, 8, %%g;\nst.global.b32 [%%a0], %s;",
		globalSize/8-1, a.register(bits32)))
}

func (a *author) flatList(depth, n int) (list []*part) {
	for range n {
		if a.left--; a.left < 0 {
			break
		}
		list = append(list, a.flatPart(depth))
	}
	return list
}

func (a *author) flatPart(depth int) *part {
	switch k := a.Intn(100); {
	case k < 8 && depth < 2:
		end := a.label()
		return &part{text: a.agreed() + fmt.Sprintf("@%s%%q0 bra %s;\n", a.not(), end),
			in: [][]*part{a.flatList(depth+1, 1+a.Intn(3))}, ends: []string{end + ":\n"}}
	case k < 10:
		return line("mov.u32 %s, %s;", a.result(bits32), [...]string{"%tid.x", "%tid.y", "%ntid.x", "%ctaid.x", "%ctaid.y",
			"%nctaid.x", "%laneid", "%warpid", "%lanemask_lt"}[a.Intn(9)])
	case k < 11:
		return a.leave()
	case k < 22: // what a thread does twice shows
		r := a.result(bits32)
		return line("and.b32 %%t0, %%id, %d; mad.wide.u32 %%a1, %%t0, 4, %%g;\nld.global.b32 %s, [%%a1]; "+
			"mad.lo.u32 %s, %s, 3, %s; st.global.b32 [%%a1], %s;", globalSize/4-1, r, r, r, a.register(bits32), r)
	case k < 60:
		return a.flatAccess()
	}
	p := a.compute()
	for rare.MatchString(p.text) && a.Intn(20) > 0 {
		p = a.compute()
	}
	return p
}

// rare matches what an engine leaves to the interpreter, among other things.
var rare = regexp.MustCompile(`16|\.r[mpz]|x[24]|sat|\.[us]8|ue|testp|bmsk|sad|bfi|rsqrt|relu|rc8`)

// agreed sets %q0, mostly to the same in all lanes of a warp.
func (a *author) agreed() string {
	switch a.Intn(5) {
	case 0:
		return fmt.Sprintf("mov.u32 %%t0, %%ctaid.x; setp.lt.u32 %%q0, %%t0, %d;\n", a.Intn(40))
	case 1:
		return fmt.Sprintf("setp.ge.u32 %%q0, %%id, %d;\n", 32*a.Intn(60))
	case 2:
		return fmt.Sprintf("and.b32 %%t0, %%id, 32; setp.eq.u32 %%q0, %%t0, %d;\n", 32*a.Intn(2))
	case 3:
		return a.condition()
	}
	return fmt.Sprintf("setp.eq.u32 %%q0, %%id, %d;\n", a.Intn(5000))
}

// flatAccess is a load or a store of an element that belongs to the thread, or is the same for many, or anywhere.
// Seldom it is out of bounds in some threads.
func (a *author) flatAccess() *part {
	at := []place{{".global", "%g", globalSize, false, false}, {".global", "%g", globalSize, false, false},
		{"", "%g", globalSize, false, false}, {".global", "%in", inSize, true, false}, {"", "%in", inSize, false, false},
		{".const", "%co", constSize, true, false}, {".global", "%acc", accSize, false, false}}[a.Intn(7)]
	t := moves[a.Intn(len(moves))]
	if a.Intn(2) == 0 {
		t = moved{"f32", 4, bits32}
	}
	elements := 1
	if a.Intn(6) == 0 && few[t.class] > 2 {
		elements = 2
	}
	load := at.reads || a.Intn(5) < 3
	list, vector, guard := "", "", ""
	first := a.Intn(16)
	for n := range elements {
		r := a.register(t.class)
		if load {
			r.index = inputs + (first+n)%few[t.class]
		}
		list += ", " + r.String()
	}
	if list = list[2:]; elements > 1 {
		list, vector = "{"+list+"}", fmt.Sprintf(".v%d", elements)
	}
	if a.Intn(8) == 0 {
		guard = a.guard()
	}
	slots := at.size / (t.bytes * elements)
	text := ""
	switch k := a.Intn(20); {
	case k < 10:
		text = fmt.Sprintf("and.b32 %%t0, %%id, %d;\n", slots-1)
	case k < 12: // neighbours in the other order, or two threads for one element
		text = fmt.Sprintf("xor.b32 %%t0, %%id, %d; shr.u32 %%t0, %%t0, %d; and.b32 %%t0, %%t0, %d;\n", a.Intn(4), a.Intn(2),
			slots-1)
	case k < 14:
		text = fmt.Sprintf("mul.lo.u32 %%t0, %%id, %d; and.b32 %%t0, %%t0, %d;\n", 1+a.Intn(9), slots-1)
	case k < 16:
		text = fmt.Sprintf("and.b32 %%t0, %s, %d;\n", a.register(bits32), slots-1)
	case k < 17 && a.Intn(4) == 0: // out of bounds in some thread
		text = fmt.Sprintf("min.u32 %%t0, %%id, %d;\n", slots-1+a.Intn(3))
	case k < 18 && slots > a.threads && a.Intn(2) == 0: // past the end from some thread on
		text = fmt.Sprintf("add.u32 %%t0, %%id, %d;\n", slots-a.threads/2-a.Intn(a.threads/2))
	default: // one for the CTA
		text = fmt.Sprintf("mov.u32 %%t0, %%ctaid.x; and.b32 %%t0, %%t0, %d;\n", slots-1)
	}
	text += fmt.Sprintf("mad.wide.u32 %%a1, %%t0, %d, %s;\n", t.bytes*elements, at.base)
	if load {
		return &part{text: text + fmt.Sprintf("%sld%s%s.%s %s, [%%a1];\n", guard, at.space, vector, t.kind, list)}
	}
	return &part{text: text + fmt.Sprintf("%sst%s%s.%s [%%a1], %s;\n", guard, at.space, vector, t.kind, list)}
}

// flatText is text for a flat kernel.
func (k *kernel) flatText() string {
	var b, body strings.Builder
	k.header(&b)
	b.WriteString(moduleHead + ".entry k(.param .u64 p_g, .param .u64 p_in, .param .u64 p_acc, .param .b32 p_n,\n" +
		"	.param .align 8 .b8 p_s[16]) {\n.reg .b64 %il;\n" + common +
		"ld.param.u64 %g, [p_g]; ld.param.u64 %in, [p_in]; ld.param.u64 %acc, [p_acc]; mov.u64 %co, co;\n" +
		"mov.u32 %lane, %laneid; mov.u32 %t0, %ctaid.y; mov.u32 %t1, %nctaid.x; mov.u32 %id, %ctaid.x;\n" +
		"mad.lo.u32 %id, %t0, %t1, %id; mov.u32 %t0, %ntid.y; mul.lo.u32 %id, %id, %t0;\n" +
		"mov.u32 %t0, %tid.y; add.u32 %id, %id, %t0; mov.u32 %t0, %ntid.x; mov.u32 %t1, %tid.x;\n" +
		"mad.lo.u32 %id, %id, %t0, %t1; and.b32 %t0, %id, 63; mad.wide.u32 %il, %t0, 8, %in;\n")
	printAll(&body, k.body)
	k.registers(&b, body.String(), false)
	b.WriteString(body.String())
	b.WriteString("OUT: ret;\n}\n")
	return b.String()
}
