package ptx

import (
	"fmt"
	"strings"

	"warpscope/ptx/isa"
)

// Hover is an editor's text about the word at a place.
type Hover struct {
	Span    Span
	Title   string // "setp.lt.s32", ".reg .b32 %r1", …
	Text    string // one or more lines
	Syntax  string // of instructions: the manual's syntax lines
	Section string // of the manual, or ""
}

// Hover describes what is at a byte offset: an instruction, register, special register, variable, function, label
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
	if infos := isa.Hover(word); len(infos) > 0 && (word[0] == '.' || word[0] == '%') {
		return hoverInfo(word, span, infos), true
	}
	if t, isType := isa.ParseType(word); isType {
		return Hover{Span: span, Title: word, Text: "type of " + Plural(t.Bits(), "bit"), Section: "5.2.1"}, true
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
		infos := isa.Hover(in.Opcode)
		if len(infos) == 0 {
			return Hover{}, false
		}
		return hoverInfo(in.Opcode, in.OpSpan, infos), true
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
	size := Plural(v.Size, "byte")
	if v.Size == 0 {
		size = "size given at launch"
	}
	return Hover{Span: span, Title: title, Text: what + ", " + size, Section: section}
}

func hoverFunc(f *Func, span Span) Hover {
	title, text := ".func ", "device function"
	if f.Entry {
		title, text = ".entry ", "kernel"
	}
	if !f.Defined {
		text += ", declared here only"
	} else {
		text += ", " + Plural(len(f.Insts), "instruction")
	}
	return Hover{Span: span, Title: title + f.Signature(), Text: text, Section: "11.2"}
}

// Signature is the function's header as PTX writes it: "(.reg .u32 r) f(.param .b8[12] a)".
func (f *Func) Signature() string {
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
	returns := ""
	if len(f.Returns) > 0 {
		returns = list(f.Returns, f.ReturnRegs) + " "
	}
	return returns + f.Name + list(f.Params, f.ParamRegs)
}

// hoverInfo shows what the tables say about an opcode, directive or special register.
func hoverInfo(title string, span Span, infos []isa.Info) Hover {
	h := Hover{Span: span, Title: title, Section: infos[0].Section}
	var text, syntax []string
	for _, i := range infos {
		text = append(text, i.Summary)
		syntax = append(syntax, i.Syntax...)
	}
	needs := infos[0].Requirement()
	if infos[0].Until != "" {
		needs += "; " + infos[0].Until
	}
	h.Text, h.Syntax = strings.Join(append(text, needs), "\n"), strings.Join(syntax, "\n")
	return h
}
