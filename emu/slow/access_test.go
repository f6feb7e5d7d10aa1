package slow

import (
	"fmt"
	"strings"
)

// place is memory of a kernel that a statement loads from or stores to. Its base is in a register of 64 bits, that of
// .shared in one of 32.
type place struct {
	space string
	base  string
	size  int
	reads bool // nothing may be stored there
	own   bool // each lane has its own
}

var places = []place{
	{".global", "%g", globalSize, false, false},
	{".global", "%g", globalSize, false, false},
	{".global", "%g", globalSize, false, false},
	{"", "%g", globalSize, false, false},
	{".global", "%in", inSize, true, false},
	{".shared", "%sh", sharedSize, false, false},
	{".shared", "%sh", sharedSize, false, false},
	{"", "%shg", sharedSize, false, false},
	{".local", "%lo", localSize, false, true},
	{".const", "%co", constSize, true, false},
}

// moved is a type that a load or a store moves, and the class of its registers.
type moved struct {
	kind  string
	bytes int
	class class
}

var moves = []moved{
	{"b8", 1, bits8}, {"u8", 1, bits32}, {"s8", 1, bits32}, {"s8", 1, bits64}, {"u8", 1, bits16},
	{"b16", 2, bits16}, {"u16", 2, bits32}, {"s16", 2, bits32}, {"s16", 2, bits64},
	{"b32", 4, bits32}, {"u32", 4, bits32}, {"f32", 4, bits32}, {"s32", 4, bits64}, {"u32", 4, bits32},
	{"b64", 8, bits64}, {"u64", 8, bits64}, {"f64", 8, bits64},
}

// access is a load or a store. Its addresses are contiguous, equal in all lanes, strided or scattered; seldom they are
// out of bounds or misaligned.
func (a *author) access() *part {
	at := places[a.Intn(len(places))]
	if a.inside {
		at = places[a.Intn(4)] // a function gets no other addresses
	}
	if !a.inside && a.Intn(20) == 0 {
		return a.parameter()
	}
	apart := ""
	if at.base == "%g" && !a.inside && a.Intn(4) == 0 {
		apart, at = a.apart()
	}
	t := moves[a.Intn(len(moves))]
	load := at.reads || a.Intn(5) < 3
	elements := 1
	for elements < 4 && elements*t.bytes < 16 && elements < few[t.class]-1 && a.Intn(4) == 0 {
		elements *= 2
	}
	if elements > few[t.class] {
		elements = 2
	}
	text, address := a.address(&at, t.bytes*elements)
	text = apart + text
	var registers []string
	first := a.Intn(16)
	for n := range elements {
		r := a.register(t.class)
		if load {
			r.index = inputs + (first+n)%few[t.class]
		}
		registers = append(registers, r.String())
	}
	list, vector := registers[0], ""
	if elements > 1 {
		list, vector = "{"+strings.Join(registers, ", ")+"}", fmt.Sprintf(".v%d", elements)
	}
	how := ""
	if at.space != ".const" && at.space != ".local" && a.Intn(12) == 0 {
		how = ".volatile"
	}
	if load {
		return &part{text: text + fmt.Sprintf("%sld%s%s%s.%s %s, [%s];\n", a.guard(), how, at.space, vector, t.kind, list,
			address)}
	}
	return &part{text: text + fmt.Sprintf("%sst%s%s%s.%s [%s], %s;\n", a.guard(), how, at.space, vector, t.kind, address,
		list)}
}

// apart is memory that is another one in some lanes.
func (a *author) apart() (text string, at place) {
	at = place{[...]string{".global", ""}[a.Intn(2)], "%a1", accSize, false, false}
	other := "%acc"
	if a.Intn(2) == 0 {
		other, at.size, at.reads = "%in", globalSize, true
	}
	return a.condition() + fmt.Sprintf("selp.b64 %%a1, %%g, %s, %%q0;\n", other), at
}

// parameter loads an argument of the kernel.
func (a *author) parameter() *part {
	switch a.Intn(4) {
	case 0:
		return line("ld.param.b32 %s, [p_n];", a.result(bits32))
	case 1:
		return line("ld.param.b64 %s, [p_s+8];", a.result(bits64))
	case 2:
		return line("ld.param.v2.b32 {%%t0, %s}, [p_s];", a.result(bits32))
	}
	return line("ld.param.u8 %s, [p_s+%d];", a.result(bits32), a.Intn(16))
}

// address computes an address of so many bytes and gives the operand.
func (a *author) address(at *place, bytes int) (text, operand string) {
	slots := at.size / bytes
	offset := 0
	index := "%t0"
	switch k := a.Intn(20); {
	case at.own && k < 10, k < 3: // a constant
		return "", fmt.Sprintf("%s+%d", at.base, a.Intn(slots)*bytes)
	case k < 10 && at.own: // its lane's own memory: any index will do
		text = fmt.Sprintf("and.b32 %%t0, %s, %d;\n", a.register(bits32), slots-1)
	case k < 9 && slots >= mostThreads: // contiguous
		if index = "%id"; slots > mostThreads {
			offset = a.Intn(slots-mostThreads) * bytes
		}
	case k < 12 && len(a.loops) > 0: // along with a loop, all lanes the same or each its own
		text = fmt.Sprintf("mad.lo.u32 %%t0, %s, %d, %s;\nand.b32 %%t0, %%t0, %d;\n", a.loops[len(a.loops)-1].counter,
			1+a.Intn(40), [...]string{"%id", "3"}[a.Intn(2)], slots-1)
	case k < 14: // strided
		text = fmt.Sprintf("mul.lo.u32 %%t0, %%id, %d; and.b32 %%t0, %%t0, %d;\n", 2+a.Intn(9), slots-1)
	case a.Intn(25) == 0: // somewhere, which may be outside
		text = fmt.Sprintf("and.b32 %%t0, %s, %d;\n", a.register(bits32), 16*slots-1)
	default: // scattered
		text = fmt.Sprintf("and.b32 %%t0, %s, %d;\n", a.register(bits32), slots-1)
	}
	if a.Intn(90) == 0 {
		offset++ // misaligned, or past the end
	}
	result := "%a0"
	if at.base == "%sh" {
		result = "%s0"
		text += fmt.Sprintf("mad.lo.u32 %%s0, %s, %d, %%sh;\n", index, bytes)
	} else {
		text += fmt.Sprintf("mad.wide.u32 %%a0, %s, %d, %s;\n", index, bytes, at.base)
	}
	if offset > 0 {
		result += fmt.Sprintf("+%d", offset)
	}
	return text, result
}
