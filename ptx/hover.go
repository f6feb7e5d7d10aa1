package ptx

import (
	"fmt"
	"strings"

	"warpscope/ptx/isa"
)

// Hover is what an editor shows about the word at a place.
type Hover struct {
	Span    Span
	Title   string // "setp.lt.s32", ".reg .b32 %r1", …
	Text    string // one or more lines
	Syntax  string // of instructions: the manual's syntax lines
	Section string // of the manual, or ""
}

// Hover describes what stands at a byte offset: an instruction, register, special register, variable, function, label
// or directive. ok is false when there is nothing to say.
func (m *Module) Hover(offset int) (h Hover, ok bool) {
	if offset < 0 || offset > len(m.Src) {
		return h, false
	}
	word, span := m.wordAt(offset)
	if word == "" {
		return h, false
	}
	if f := m.funcAround(offset); f != nil {
		if in := f.InstAt(offset); in != nil {
			if h, ok = m.hoverInst(f, in, offset); ok {
				return h, true
			}
		}
		if h, ok = m.hoverName(f, word, span); ok {
			return h, true
		}
	}
	for _, v := range m.Vars {
		if v.Name == word {
			return hoverVar(v, span), true
		}
	}
	for _, g := range m.Funcs {
		if g.Name == word {
			return hoverFunc(g, span), true
		}
	}
	if s := lookupSReg(word); s != nil {
		return hoverSReg(s, span), true
	}
	if d, known := directiveHelp[word]; known {
		return Hover{Span: span, Title: word, Text: d.text, Section: d.section}, true
	}
	if t, isType := isa.ParseType(word); isType {
		return Hover{Span: span, Title: word, Text: fmt.Sprintf("type of %s", plural(t.Bits(), "bit")), Section: "5.2.1"}, true
	}
	return h, false
}

// wordAt is the identifier or dotted word around an offset.
func (m *Module) wordAt(offset int) (string, Span) {
	inWord := func(i int) bool {
		return i >= 0 && i < len(m.Src) && (class[m.Src[i]]&isFollow != 0 || m.Src[i] == '%')
	}
	start, end := offset, offset
	for inWord(start - 1) {
		start--
	}
	for inWord(end) {
		end++
	}
	if start > 0 && m.Src[start-1] == '.' && start < end {
		start--
	} else if start == end && start < len(m.Src) && m.Src[start] == '.' {
		for end++; inWord(end); end++ {
		}
	}
	return string(m.Src[start:end]), Span{int32(start), int32(end)}
}

// FuncAt is the function whose braces enclose an offset.
func (m *Module) FuncAt(offset int) *Func {
	for _, f := range m.Funcs {
		if f.Defined && int(f.Body.Start) <= offset && offset <= int(f.Body.End) {
			return f
		}
	}
	return nil
}

// funcAround is the function whose header or braces enclose an offset.
func (m *Module) funcAround(offset int) *Func {
	for _, f := range m.Funcs {
		if f.Defined && int(f.header) <= offset && offset <= int(f.Body.End) {
			return f
		}
	}
	return nil
}

// InstAt is the instruction whose text encloses an offset. Instructions are in source order.
func (f *Func) InstAt(offset int) *Inst {
	low, high := 0, len(f.Insts)
	for low < high {
		mid := (low + high) / 2
		if int(f.Insts[mid].Span.End) < offset {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < len(f.Insts) && int(f.Insts[low].Span.Start) <= offset {
		return f.Insts[low]
	}
	return nil
}

func within(s Span, offset int) bool {
	return int(s.Start) <= offset && offset <= int(s.End) && s.End > s.Start
}

func (m *Module) hoverInst(f *Func, in *Inst, offset int) (Hover, bool) {
	if within(in.OpSpan, offset) {
		if in.Match == nil {
			return Hover{}, false
		}
		form := in.Match.Form
		return Hover{Span: in.OpSpan, Title: in.Opcode, Text: form.Summary + since(form), Syntax: form.Syntax,
			Section: form.Section}, true
	}
	if in.Guard != nil && within(in.Guard.Span, offset) {
		sense := "true"
		if in.Guard.Neg {
			sense = "false"
		}
		return Hover{Span: in.Guard.Span, Title: m.Text(in.Guard.Span),
			Text: "guard: lanes whose " + in.Guard.Reg.Name + " is " + sense + " execute this instruction", Section: "9.3"}, true
	}
	return Hover{}, false
}

func since(f *isa.Form) string {
	return fmt.Sprintf("\nPTX ISA %d.%d, sm_%d%s and higher", f.Version/10, f.Version%10, f.SM, f.Arch)
}

func (m *Module) hoverName(f *Func, word string, span Span) (Hover, bool) {
	for _, r := range f.Regs {
		if r.Name == word {
			what := "register"
			if r.Param {
				what = "parameter in a register"
			}
			return Hover{Span: span, Title: ".reg " + vector(r.Vec) + r.Type.String() + " " + word,
				Text:    fmt.Sprintf("%s of %s, declared in line %d", what, f.Name, m.Position(int(r.Span.Start)).Line),
				Section: "5.1.1"}, true
		}
	}
	for _, list := range [][]*Var{f.Vars, f.Params, f.Returns} {
		for _, v := range list {
			if v != nil && v.Name == word {
				return hoverVar(v, span), true
			}
		}
	}
	for _, l := range f.Labels {
		if l.Name == word {
			return Hover{Span: span, Title: word + ":",
				Text: fmt.Sprintf("label in line %d", m.Position(int(l.Span.Start)).Line)}, true
		}
	}
	return Hover{}, false
}

func vector(n int) string {
	if n > 1 {
		return fmt.Sprintf(".v%d ", n)
	}
	return ""
}

func hoverVar(v *Var, span Span) Hover {
	title := fmt.Sprintf("%s .align %d %s%s %s", v.Space, v.Align, vector(v.Vec), v.Type, v.Name)
	for _, d := range v.Dims {
		title += fmt.Sprintf("[%d]", d)
	}
	what := "variable"
	section := "5.1." + map[Space]string{ConstSpace: "3", GlobalSpace: "4", LocalSpace: "5", ParamSpace: "6",
		SharedSpace: "7", TexSpace: "8"}[v.Space]
	if v.Space == ParamSpace {
		what = "parameter"
	}
	size := plural(int(v.Size), "byte")
	if v.Size == 0 {
		size = "size given at launch"
	}
	return Hover{Span: span, Title: title, Text: what + ", " + size, Section: section}
}

func hoverFunc(f *Func, span Span) Hover {
	list := func(vars []*Var, regs []*Reg) string {
		var parts []string
		for i, v := range vars {
			if v != nil {
				parts = append(parts, ".param "+shape(v.Type, v.Vec, v)+" "+v.Name)
			} else {
				parts = append(parts, ".reg "+vector(regs[i].Vec)+regs[i].Type.String()+" "+regs[i].Name)
			}
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	title, text := ".func ", "device function"
	if f.Entry {
		title, text = ".entry ", "kernel"
	}
	if len(f.Returns) > 0 {
		title += list(f.Returns, f.ReturnRegs) + " "
	}
	title += f.Name + list(f.Params, f.ParamRegs)
	if !f.Defined {
		text += ", declared here only"
	} else {
		text += ", " + plural(len(f.Insts), "instruction")
	}
	return Hover{Span: span, Title: title, Text: text, Section: "11.2"}
}

func hoverSReg(s *isa.SReg, span Span) Hover {
	return Hover{Span: span, Title: ".sreg " + vector(s.Vec) + s.Type.String() + " " + s.Name, Text: s.Summary,
		Section: s.Section}
}

// directiveHelp is one line for each directive, in our words.
var directiveHelp = map[string]struct{ text, section string }{
	".version":              {"PTX ISA version of the module, its first directive", "11.1.1"},
	".target":               {"target architecture and options, right after .version", "11.1.2"},
	".address_size":         {"width of addresses in bits, 32 or 64; 32 when absent", "11.1.3"},
	".entry":                {"a kernel, which the host can launch", "11.2.1"},
	".func":                 {"a device function, which kernels and functions can call", "11.2.2"},
	".alias":                {"a second name for a function", "11.2.3"},
	".branchtargets":        {"the list of labels that a brx.idx chooses from", "11.3.1"},
	".calltargets":          {"the list of functions that an indirect call may reach", "11.3.2"},
	".callprototype":        {"the signature of an indirect call", "11.3.3"},
	".maxnreg":              {"most registers per thread that the compiler may use", "11.4.1"},
	".maxntid":              {"most threads per block; the product of the extents counts", "11.4.2"},
	".reqntid":              {"the only block size that this kernel may be launched with", "11.4.3"},
	".minnctapersm":         {"fewest blocks that should fit on one multiprocessor", "11.4.4"},
	".maxnctapersm":         {"deprecated spelling of .minnctapersm", "11.4.5"},
	".noreturn":             {"the function does not return to its caller", "11.4.6"},
	".pragma":               {"hint to the compiler behind PTX; no effect on meaning", "11.4.7"},
	".abi_preserve":         {"how many general registers callers may keep in callee-saved ones", "11.4.8"},
	".abi_preserve_control": {"how many control registers callers may keep", "11.4.9"},
	".section":              {"debug information in DWARF format", "11.5.2"},
	".file":                 {"number and name of a source file, for .loc", "11.5.3"},
	".loc":                  {"source file, line and column of the instructions that follow", "11.5.4"},
	".extern":               {"the symbol is defined in another module", "11.6.1"},
	".visible":              {"the symbol can be seen from outside the module", "11.6.2"},
	".weak":                 {"visible, but gives way to a .visible symbol of the same name", "11.6.3"},
	".common":               {"visible, and merged with equal names of other modules; the largest size counts", "11.6.4"},
	".reqnctapercluster":    {"shape of the cluster in blocks", "11.7.1"},
	".explicitcluster":      {"the kernel must be launched with cluster dimensions", "11.7.2"},
	".maxclusterrank":       {"most blocks in a cluster", "11.7.3"},
	".blocksareclusters":    {"the launch grid counts clusters instead of blocks", "11.8.1"},
	".reg":                  {"registers: fast, private to the thread, without address", "5.1.1"},
	".sreg":                 {"special registers: predefined, read-only", "5.1.2"},
	".const":                {"constant memory: read-only for kernels", "5.1.3"},
	".global":               {"global memory: shared by all threads", "5.1.4"},
	".local":                {"local memory: private to the thread", "5.1.5"},
	".param":                {"parameters of kernels and functions", "5.1.6"},
	".ptr":                  {"the parameter is a pointer; its state space and alignment may follow", "5.1.6.3"},
	".shared":               {"shared memory: one for each block", "5.1.7"},
	".tex":                  {"texture memory, deprecated spelling of .global .texref", "5.1.8"},
	".align":                {"alignment in bytes, a power of two", "5.4.5"},
	".attribute":            {"attributes of a variable or function: .managed, .unified", "5.4.8"},
	".v2":                   {"vector of two elements", "5.4.2"},
	".v4":                   {"vector of four elements", "5.4.2"},
}
