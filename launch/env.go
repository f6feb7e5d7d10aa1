package launch

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"warpscope/emu"
	"warpscope/launch/expr"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Env gives an expression the values of a warp that is about to execute its next instruction. It implements expr.Env.
type Env struct {
	Of   *Prepared
	Warp emu.WarpView
	Tick int64
	Hits int64 // how often the run has come to the warp's line, this time included
}

// Active implements expr.Env: the lanes that execute the next instruction, or all threads of a warp that has ended.
func (e *Env) Active() uint32 {
	if e.Warp.Active == 0 {
		return uint32(e.Warp.Present)
	}
	return uint32(e.Warp.Active)
}

// Register implements expr.Env. A component of a vector register is named as in PTX: %v.x.
func (e *Env) Register(name string) (r expr.Row, ok bool) {
	base, component, _ := strings.Cut(name, ".")
	elem := strings.Index("xyzw", component)
	if component == "" {
		elem = -1
	}
	for i := range e.Warp.Regs {
		v := &e.Warp.Regs[i]
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
	f := e.Warp.Func
	if f != nil && slices.ContainsFunc(f.Regs, func(reg *ptx.Reg) bool { return reg.Name == base }) {
		return expr.Row{None: ^uint32(0)}, true // of the function, not in use here
	}
	values, ok := e.Of.Spec.Special(&e.Warp, base, elem)
	if !ok && f == nil { // a warp that is in no function has no registers
		return expr.Row{None: ^uint32(0)}, true
	}
	return expr.Row{Kind: expr.Unsigned, Lanes: values}, ok
}

// Special computes those special registers that follow from a thread's place in the grid (chapter 10), in the lanes of
// a warp. elem is the component, of which -1 stands for the first. ok is false for other registers.
func (s *Spec) Special(w *emu.WarpView, name string, elem int) (row [32]uint64, ok bool) {
	of := func(d emu.Dim3) uint64 { return uint64([]int{d.X, d.Y, d.Z, 0}[max(elem, 0)]) }
	block := atLeastOne(s.Block)
	for lane := range row {
		switch name {
		case "%tid":
			row[lane] = of(block.Index(w.Index*32 + lane))
		case "%ntid":
			row[lane] = of(block)
		case "%nctaid":
			row[lane] = of(atLeastOne(s.Grid))
		case "%ctaid":
			row[lane] = of(w.CTA)
		case "%laneid":
			row[lane] = uint64(lane)
		case "%warpid":
			row[lane] = uint64(w.Index)
		case "%WARP_SZ":
			row[lane] = 32
		default:
			return row, false
		}
	}
	return row, true
}

// Name implements expr.Env.
func (e *Env) Name(name string) (expr.Row, bool) {
	number := func(n int64) (expr.Row, bool) { return expr.Uniform(expr.Unsigned, uint64(n)), true }
	switch name {
	case "lane":
		return e.Register("%laneid")
	case "active":
		return number(int64(e.Warp.Active))
	case "present":
		return number(int64(e.Warp.Present))
	case "exited":
		return number(int64(e.Warp.Exited))
	case "warp":
		return number(int64(e.Warp.Index))
	case "cta":
		return number(int64(e.Warp.CTAIndex))
	case "tick":
		return number(e.Tick)
	case "line":
		return number(int64(e.Of.lineOf(e.Warp.PC)))
	case "hits":
		return number(e.Hits)
	}
	return expr.Row{}, false
}

// lineOf is the source line of an instruction, 0 for none.
func (p *Prepared) lineOf(in *ptx.Inst) int {
	if in == nil {
		return 0
	}
	return p.Module.Position(int(in.Span.Start)).Line
}

// Element implements expr.Env: an element of a launch's buffer, by the order of memory, or of a variable of the module
// or of shared memory.
func (e *Env) Element(buffer string, index int64) (k expr.Kind, value uint64, inside, known bool) {
	a, ok := e.Of.Array(buffer, e.Warp.CTAIndex)
	if !ok {
		return 0, 0, false, false
	}
	if k, _, known = expr.As(a.Type, 0); !known || index < 0 || index >= a.Count {
		return k, 0, false, known
	}
	k, value, _ = expr.As(a.Type, e.Of.peek(&a, e.Warp.CTAIndex, index))
	return k, value, true, true
}

// Array is a buffer or a variable as an array of elements.
type Array struct {
	Addr  emu.Addr  // generic
	Space ptx.Space // ptx.GlobalSpace or ptx.SharedSpace
	Type  string    // of an element, without its dot
	Size  int       // of an element, in bytes
	Count int64
}

// Array finds a buffer or variable by its name; shared variables are those of a CTA, and "shared" is its whole shared
// memory.
func (p *Prepared) Array(name string, cta int) (a Array, ok bool) {
	for i := range p.Buffers {
		if b := &p.Buffers[i]; b.Arg.Label() == name || b.Arg.Name == name {
			typ, _ := b.Arg.Cells()
			return array(ptx.GlobalSpace, b.Addr, typ, int64(b.Arg.Size()))
		}
	}
	symbols := p.Symbols()
	for _, v := range p.Device.Variables() {
		if of := symbols.Vars[v.Name]; of != nil && v.Name == name {
			return array(ptx.GlobalSpace, v.Addr, ElemOf(of), int64(v.Size))
		}
	}
	base, bytes := p.Grid.Shared(cta)
	for _, v := range p.Grid.SharedVars() {
		size := v.Var.Size
		if size == 0 {
			size = int64(len(bytes)) - v.Off
		}
		if v.Var.Name == name && size > 0 {
			return array(ptx.SharedSpace, base+emu.Addr(v.Off), symbols.SharedElem(v.Var), size)
		}
	}
	if name == "shared" {
		return array(ptx.SharedSpace, base, p.SharedType(), int64(len(bytes)))
	}
	return a, false
}

// SharedType is the type of the elements of shared memory as a whole: that of its only variable, else b32.
func (p *Prepared) SharedType() string {
	if vars := p.Grid.SharedVars(); len(vars) == 1 {
		return p.Symbols().SharedElem(vars[0].Var)
	}
	return "b32"
}

// array cuts size bytes into elements. Those of a vector type are its components.
func array(space ptx.Space, at emu.Addr, typ string, size int64) (Array, bool) {
	typ, _, _ = strings.Cut(typ, "x")
	t, ok := isa.ParseType("." + typ)
	if !ok || t.Bytes() == 0 {
		return Array{}, false
	}
	return Array{at, space, typ, t.Bytes(), size / int64(t.Bytes())}, true
}

// peek reads an element of up to 8 bytes; 0 where its CTA is not resident.
func (p *Prepared) peek(a *Array, cta int, index int64) uint64 {
	var bytes [8]byte
	at := a.Addr + emu.Addr(index)*emu.Addr(a.Size)
	if base, shared := p.Grid.Shared(cta); a.Space == ptx.SharedSpace {
		if from := at - base; from < emu.Addr(len(shared)) {
			copy(bytes[:min(a.Size, 8)], shared[from:])
		}
	} else if p.Device.Read(at, bytes[:min(a.Size, 8)]) != nil {
		return 0
	}
	return binary.LittleEndian.Uint64(bytes[:])
}

// Symbols is what the user sees of a module's variables.
type Symbols struct {
	Vars   map[string]*ptx.Var // without those of C++ namespaces that nothing names: headers declare many
	shared string              // type of the kernel's first load or store of shared memory, "" for none
}

// Symbols finds them.
func (p *Prepared) Symbols() *Symbols {
	if p.symbols != nil {
		return p.symbols
	}
	m, s := p.Module, &Symbols{Vars: map[string]*ptx.Var{}}
	p.symbols = s
	for _, f := range m.Funcs {
		for _, v := range f.Vars {
			s.Vars[v.Name] = v
		}
		for _, in := range f.Insts {
			s.mention(in.Operands)
			if in.Call != nil {
				s.mention(in.Call.Args)
			}
			if b := in.Match; s.shared == "" && f.Name == p.Spec.Entry && b != nil && b.Has(".shared") &&
				(b.Form.Mnemonic == "ld" || b.Form.Mnemonic == "st") {
				s.shared = typeName(b.Types[0])
			}
		}
	}
	for _, v := range m.Vars {
		if !strings.HasPrefix(v.Name, "_ZN") {
			s.Vars[v.Name] = v
		}
		for _, r := range v.Relocs {
			if r.Var != nil {
				s.Vars[r.Var.Name] = r.Var
			}
		}
	}
	return s
}

func (s *Symbols) mention(ops []ptx.Operand) {
	for i := range ops {
		if v := ops[i].Var; v != nil {
			s.Vars[v.Name] = v
		}
	}
}

// SharedElem is a shared variable's element type. Compilers declare arrays of bytes for everything; for these it is the
// type of the kernel's first access to shared memory.
func (s *Symbols) SharedElem(v *ptx.Var) string {
	if v.Type == isa.B8 && s.shared != "" {
		return s.shared
	}
	return ElemOf(v)
}

// ElemOf is a variable's element type as launch headers write it.
func ElemOf(v *ptx.Var) string {
	text := typeName(v.Type)
	if v.Vec > 1 {
		text += fmt.Sprintf("x%d", v.Vec)
	}
	return text
}
