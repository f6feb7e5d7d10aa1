package debug

import (
	"slices"
	"strings"

	"warpscope/emu"
	"warpscope/launch/expr"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// env gives an expression the values of a warp that is about to execute its next instruction.
type env struct {
	*Session
	warp emu.WarpView
	hits int64
}

// at is the environment of a warp.
func (s *Session) at(cta, warp int) *env {
	return &env{Session: s, warp: s.look(cta, warp)}
}

// Active implements expr.Env: the lanes that execute the next instruction, or all threads of a warp that has ended.
func (e *env) Active() uint32 {
	if e.warp.Active == 0 {
		return uint32(e.warp.Present)
	}
	return uint32(e.warp.Active)
}

// Register implements expr.Env. A component of a vector register is named as in PTX: %v.x.
func (e *env) Register(name string) (r expr.Row, ok bool) {
	base, component, _ := strings.Cut(name, ".")
	elem := strings.Index("xyzw", component)
	if component == "" {
		elem = -1
	}
	for i := range e.warp.Regs {
		v := &e.warp.Regs[i]
		if v.Reg.Name != base && v.Reg.Name != name || v.Elem > 0 && v.Elem != elem {
			continue
		}
		k, _, ok := expr.As(typeName(v.Reg.Type), 0)
		if !ok {
			return r, false
		}
		r = expr.Row{Kind: k, None: ^uint32(v.Written)}
		for lane, bits := range v.Lo {
			_, r.Lanes[lane], _ = expr.As(typeName(v.Reg.Type), bits)
		}
		return r, true
	}
	if i := slices.IndexFunc(e.warp.Func.Regs, func(reg *ptx.Reg) bool { return reg.Name == base }); i >= 0 {
		return expr.Row{None: ^uint32(0)}, true // of the function, not in use here
	}
	return e.special(base, max(elem, 0))
}

// special is a special register that follows from the thread's place (chapter 10).
func (e *env) special(name string, elem int) (r expr.Row, ok bool) {
	l := operandLister{Session: e.Session, warp: &e.warp}
	values, known := l.special(name, elem)
	return expr.Row{Kind: expr.Unsigned, Lanes: values}, known != 0
}

// Name implements expr.Env.
func (e *env) Name(name string) (expr.Row, bool) {
	number := func(n int64) (expr.Row, bool) { return expr.Uniform(expr.Unsigned, uint64(n)), true }
	switch name {
	case "lane":
		return e.special("%laneid", 0)
	case "active":
		return number(int64(e.warp.Active))
	case "present":
		return number(int64(e.warp.Present))
	case "exited":
		return number(int64(e.warp.Exited))
	case "warp":
		return number(int64(e.warp.Index))
	case "cta":
		return number(int64(e.warp.CTAIndex))
	case "tick":
		return number(e.Tick())
	case "line":
		return number(int64(e.line(e.warp.PC)))
	case "hits":
		return number(e.hits)
	}
	return expr.Row{}, false
}

// Element implements expr.Env: an element of a launch's buffer, by the order of memory, or of a variable of the module
// or of shared memory.
func (e *env) Element(buffer string, index int64) (k expr.Kind, value uint64, inside, known bool) {
	c, typ, count, ok := e.Elements(buffer, e.warp.CTAIndex)
	if !ok {
		return 0, 0, false, false
	}
	if k, _, known = expr.As(typ, 0); !known || index < 0 || index >= count {
		return k, 0, false, known
	}
	c.Warp = e.warp.Index
	c.Addr += uint64(index) * uint64(c.Size)
	k, value, _ = expr.As(typ, e.peek(c))
	return k, value, true, true
}

// Elements finds a buffer or variable by its name. It returns its first element as a cell, the type and the number of
// elements.
func (s *Session) Elements(name string, cta int) (c Cell, typ string, count int64, ok bool) {
	for i := range s.prepared.Buffers {
		if b := &s.prepared.Buffers[i]; b.Arg.Label() == name || b.Arg.Name == name {
			typ, _ = b.Arg.Cells()
			return s.elements(Cell{CTA: cta, Addr: b.Addr, Space: ptx.GlobalSpace}, typ, int64(b.Arg.Size()))
		}
	}
	for _, a := range s.prepared.Device.Variables() {
		if v := s.names.vars[a.Name]; v != nil && a.Name == name {
			return s.elements(Cell{CTA: cta, Addr: a.Addr, Space: ptx.GlobalSpace}, elemText(v), int64(a.Size))
		}
	}
	base, bytes := s.history.grid.Shared(cta)
	for _, v := range s.history.grid.SharedVars() {
		size := v.Var.Size
		if size == 0 {
			size = int64(len(bytes)) - v.Off
		}
		if v.Var.Name == name && size > 0 {
			at := Cell{CTA: cta, Addr: base + emu.Addr(v.Off), Space: ptx.SharedSpace}
			return s.elements(at, s.sharedElem(v.Var), size)
		}
	}
	return c, "", 0, false
}

// elements cuts size bytes into elements. Those of a vector type are its components.
func (s *Session) elements(c Cell, typ string, size int64) (Cell, string, int64, bool) {
	typ, _, _ = strings.Cut(typ, "x")
	t, ok := isa.ParseType("." + typ)
	if !ok || t.Bytes() == 0 {
		return c, "", 0, false
	}
	c.Size = t.Bytes()
	return c, typ, size / int64(c.Size), true
}

// typeName is a type without its dot.
func typeName(t isa.Type) string { return strings.TrimPrefix(t.String(), ".") }

// Watch is a watched expression and its values in the followed warp.
type Watch struct {
	Text   string
	Same   bool // one value for the warp
	Values [32]string
	Error  string
}

// Watches computes expressions in the followed warp.
func (s *Session) Watches(texts []string) []Watch {
	s.Prepare()
	list := make([]Watch, len(texts))
	for i, text := range texts {
		w := &list[i]
		w.Text = text
		e, err := expr.Parse(text)
		if err != nil {
			w.Error = err.Error()
			continue
		}
		if s.phase == Invalid {
			w.Error = "nothing is loaded"
			continue
		}
		r, err := e.Eval(s.at(s.cta, s.warp))
		if err != nil {
			w.Error = err.Error()
			continue
		}
		w.Same = r.Same
		for lane := range w.Values {
			w.Values[lane] = r.Text(lane)
		}
	}
	return list
}
