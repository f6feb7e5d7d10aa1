package ptx

import (
	"sort"
	"strconv"

	"warpscope/ptx/isa"
)

// symbol is what a name means. Exactly one of the pointers is set; a declared but not yet named register or
// variable of a set such as %r<100> has none until it is used (5.4.6).
type symbol struct {
	name    string
	span    Span
	reg     *Reg
	vr      *Var
	fn      *Func
	label   *Label
	targets *targetList // .branchtargets, .calltargets or .callprototype
	decl    *decl       // what to make when the name is first used
}

// decl is one declared name, or a set of names prefix0 … prefix(count-1).
type decl struct {
	prefix string
	count  int // 0: one plain name
	typ    isa.Type
	vec    int
	space  Space
	span   Span
	within Span // the braces in which the name is visible; zero at module scope
	model  *Var // for sets of addressable variables
}

// targetList is what the label of a control-flow directive names (11.3).
type targetList struct {
	labels  []labelName // .branchtargets
	targets []int       // where its labels are, once a brx.idx has asked
	funcs   []*Func     // .calltargets
	proto   *Func       // .callprototype
}

type labelName struct {
	name string
	span Span
}

// found is what a name means, and the scope that declares it.
type found struct {
	sym  *symbol
	home *scope
}

// scope is a pair of braces, or the module.
type scope struct {
	parent *scope
	names  map[string]*symbol
	sets   []*decl
	byName map[string]*decl // the sets by prefix, the last one of each prefix
	labels []*symbol        // labels and lists of them
	uses   int              // uses of labels before it
	outer  map[string]found // names of scopes far out
	fn     *Func            // the function it belongs to; nil for the module
	start  int32
}

// labelRef is the use of a label before the end of its scope, which may come before the label.
type labelRef struct {
	labelName
	inst   *Inst // the branch
	list   []int // its targets
	slot   int   // index into them
	table  bool  // brx.idx: the name of a .branchtargets list
	number int   // uses are counted from 1
}

func newScope(parent *scope, start int32) *scope {
	s := &scope{parent: parent, start: start}
	if parent != nil {
		s.fn = parent.fn
	}
	return s
}

func (s *scope) put(sym *symbol) {
	if s.names == nil {
		s.names = map[string]*symbol{}
	}
	s.names[sym.name] = sym
	if sym.label != nil || sym.targets != nil {
		s.labels = append(s.labels, sym)
	}
}

// local finds a name declared in this scope itself.
func (s *scope) local(name string) *symbol {
	if sym := s.names[name]; sym != nil {
		return sym
	}
	if d := s.setOf(name); d != nil {
		sym := &symbol{name: name, span: d.span, decl: d}
		s.put(sym)
		return sym
	}
	return nil
}

// setOf finds the set that a name belongs to. Its prefix ends before the last digit or some digits earlier.
func (s *scope) setOf(name string) *decl {
	if len(s.sets) == 0 {
		return nil
	}
	for i := len(name) - 1; i > 0 && class[name[i]]&isDigit != 0; i-- {
		if d := s.byName[name[:i]]; d != nil && d.holds(name) {
			return d
		}
	}
	return nil
}

// holds says whether name is one of the set's: the prefix and a number below count without leading zeros.
func (d *decl) holds(name string) bool {
	digits := len(name) - len(d.prefix)
	if digits < 1 || digits > 9 || name[:len(d.prefix)] != d.prefix || name[len(d.prefix)] == '0' && digits > 1 {
		return false
	}
	n, err := strconv.ParseUint(name[len(d.prefix):], 10, 32)
	return err == nil && n < uint64(d.count)
}

// lookup finds a name, from the inside out, and the scope that declares it. A name that is found far out is remembered,
// because the scopes around an open one get no new names.
func (s *scope) lookup(name string) (*symbol, *scope) {
	const far = 8
	levels := 0
	for at := s; at != nil; at = at.parent {
		if sym := at.local(name); sym != nil {
			if levels > far {
				if s.outer == nil {
					s.outer = map[string]found{}
				}
				s.outer[name] = found{sym, at}
			}
			return sym, at
		}
		if levels == 0 && s.outer != nil {
			if f, ok := s.outer[name]; ok {
				return f.sym, f.home
			}
		}
		levels++
	}
	return nil, nil
}

// visible yields every name that can be used here, for did-you-mean; sets yield their last name only.
func (s *scope) visible(yield func(string)) {
	for ; s != nil; s = s.parent {
		names := make([]string, 0, len(s.names))
		for name := range s.names {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			yield(name)
		}
		for _, d := range s.sets {
			yield(d.prefix + strconv.Itoa(max(0, d.count-1)))
		}
	}
}

// declare adds a plain name, or reports that this scope has it already.
func (p *parser) declare(s *scope, sym *symbol) bool {
	if sym.name == "_" {
		return true
	}
	if old := s.local(sym.name); old != nil {
		p.report("duplicate-name", sym.span, "%s is declared twice in the same scope", sym.name).
			note(old.span, "the first declaration is here")
		return false
	}
	s.put(sym)
	return true
}

// declareSet adds the names prefix0 … prefix(count-1) without making any of them.
func (p *parser) declareSet(s *scope, d *decl) {
	report := func(name string, old Span) {
		p.report("duplicate-name", d.span, "%s<%d> declares %s, which this scope has already", d.prefix, d.count, name).
			note(old, "the first declaration is here")
	}
	if other := s.byName[d.prefix]; other != nil && other.count > 0 && d.count > 0 {
		report(d.prefix+"0", other.span)
		return
	}
	const look = 1000 // names; a larger scope is checked only on use
	if len(s.names) < look {
		for name, sym := range s.names {
			if d.holds(name) {
				report(name, sym.span)
				return
			}
		}
	}
	s.sets = append(s.sets, d)
	if s.byName == nil {
		s.byName = map[string]*decl{}
	}
	if d.count > 0 {
		s.byName[d.prefix] = d
	}
}

// register makes the register of a symbol when an instruction first names it.
func (p *parser) register(sym *symbol) *Reg {
	if sym.reg == nil {
		d := sym.decl
		sym.reg = &Reg{Name: sym.name, Type: d.typ, Vec: d.vec, Index: -1, Span: sym.span}
	}
	f := p.fn
	if f != nil && (sym.reg.Index < 0 || sym.reg.Index >= len(f.Regs) || f.Regs[sym.reg.Index] != sym.reg) {
		if sym.reg.Index >= 0 { // a register at module scope (legacy): each function has its own
			own := *sym.reg
			sym.reg = &own
		}
		sym.reg.Index = len(f.Regs)
		f.Regs = append(f.Regs, sym.reg)
	}
	return sym.reg
}

// variable makes a variable of a set when it is first named.
func (p *parser) variable(sym *symbol, home *scope) *Var {
	if sym.vr == nil {
		v := *sym.decl.model
		v.Name = sym.name
		sym.vr = &v
		p.place(home, &v)
	}
	return sym.vr
}

// place appends a variable to its function's or the module's list.
func (p *parser) place(s *scope, v *Var) {
	list := &p.m.Vars
	if s.fn != nil {
		v.Func = s.fn
		list = &s.fn.Vars
	}
	v.Index = len(*list)
	*list = append(*list, v)
}
