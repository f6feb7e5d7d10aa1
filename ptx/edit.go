package ptx

import (
	"bytes"
	"iter"
	"slices"
	"sort"
)

// kept is what Edited needs of a parse, in addition to the module.
type kept struct {
	module              *scope
	target              target
	versionAt, targetAt Span
	debug               Span
	guesses             int
	settled             int32         // from here on no statement changed what the functions before it had seen
	gaps                []Span        // white space and comments in front of each statement of the module
	doublets            []*Func       // second definitions, which the module does not have
	found               []*Diagnostic // in the order of the parse, without those of finish and lintModule
}

// whatRemains is what the parser knows when the statements of the module have been read; nil if a function's body
// cannot be parsed again on its own.
func (p *parser) whatRemains() *kept {
	k := &kept{module: p.module, target: p.target, versionAt: p.versionAt, targetAt: p.targetAt, debug: p.debug,
		guesses: p.guesses, settled: p.settled, gaps: p.gaps, doublets: p.doublets,
		found: slices.Clip(p.found)}
	old := p.m.Version < 30 // registers of the module: each function makes its own
	if old || p.entangled() || len(p.module.sets) > 0 || len(p.src) < len(p.m.Src) {
		return nil
	}
	return k
}

// entangled says whether a body has left traces outside of itself.
func (p *parser) entangled() bool {
	return p.ended || p.traces || p.doubles || len(p.foreigners) > 0 || slices.Max(p.counts[:]) > maxDiagnostics
}

// change replaces the bytes from start to end; those after them move by so many.
type change struct{ start, end, by int32 }

// changeOf is the smallest change that makes one text of another.
func changeOf(from, to []byte) change {
	n := min(len(from), len(to))
	start := equalBytes(n, func(i, j int) bool { return bytes.Equal(from[i:j], to[i:j]) })
	tail := equalBytes(n-start, func(i, j int) bool {
		return bytes.Equal(from[len(from)-j:len(from)-i], to[len(to)-j:len(to)-i])
	})
	return change{int32(start), int32(len(from) - tail), int32(len(to) - len(from))}
}

// equalBytes is how many of n bytes are equal before the first that are not. Whole pieces are compared at once.
func equalBytes(n int, equal func(from, to int) bool) int {
	i := 0
	for piece := 1 << 12; piece > 0; {
		if i+piece <= n && equal(i, i+piece) {
			i += piece
		} else {
			piece /= 2
		}
	}
	return i
}

func (c change) moved(at int32) int32 {
	if at >= c.end {
		return at + c.by
	}
	return at
}

// shift moves a span, unless it is none.
func (c change) shift(s *Span) {
	if *s != (Span{}) {
		s.Start, s.End = c.moved(s.Start), c.moved(s.End)
	}
}

// Edited is Parse for a changed text of the module. If only one function's body has changed, or white space and
// comments between functions, it parses no more than that, and the rest moves to the new module: m and what belongs to
// it must not be used any more.
func (m *Module) Edited(src []byte) (*Module, error) {
	if p := m.reparse(src); p != nil {
		return p.m, p.diagnose()
	}
	return Parse(m.Name, src)
}

// reparse parses what has changed; nil if that may change more than itself.
func (m *Module) reparse(src []byte) *parser {
	k := m.kept
	if k == nil || len(src) > maxSource || bytes.HasSuffix(src, []byte{0}) {
		return nil
	}
	c := changeOf(m.Src, src)
	f, same := m.bodyAround(c), c.start == c.end && c.by == 0
	if f == nil && !same && !m.blank(c, src) || f != nil && k.settled > f.Body.Start {
		return nil
	}
	next := *m
	next.Src, next.lines = src, m.linesAfter(c, src)
	p := newParser(&next, src)
	p.target, p.versionAt, p.targetAt, p.debug, p.guesses = k.target, k.versionAt, k.targetAt, k.debug, k.guesses
	found := k.found
	if f != nil {
		first, last := f.found[0], f.found[1]
		if !p.bodyAgain(f, k.module, f.Body.End+c.by) {
			return nil
		}
		fresh := p.found
		found = slices.Concat(k.found[:first], fresh, k.found[last:])
		for g := range m.definitions() {
			if g != f && g.found[0] >= last && g.Body.Start > f.Body.Start {
				g.found[0], g.found[1] = g.found[0]+len(fresh)-(last-first), g.found[1]+len(fresh)-(last-first)
			}
		}
		f.found = [2]int{first, first + len(fresh)}
		m.shiftFound(c, k.found[:first], k.found[last:])
	} else {
		m.shiftFound(c, k.found)
	}
	m.shift(c, f)
	for _, s := range []*Span{&p.versionAt, &p.targetAt, &p.debug} {
		c.shift(s)
	}
	p.counts = [3]int{}
	for _, d := range found {
		p.counts[d.Severity]++
	}
	p.found, p.module, p.scope = found, k.module, k.module
	p.settled, p.gaps, p.doublets = c.moved(k.settled), k.gaps, k.doublets
	if p.entangled() {
		return nil
	}
	next.kept = p.whatRemains()
	p.finish()
	p.lintModule()
	return p
}

// definitions are the module's functions, and second definitions of them.
func (m *Module) definitions() iter.Seq[*Func] {
	return func(yield func(*Func) bool) {
		for _, list := range [][]*Func{m.Funcs, m.kept.doublets} {
			for _, f := range list {
				if !yield(f) {
					return
				}
			}
		}
	}
}

// bodyAround is the function whose braces enclose a change.
func (m *Module) bodyAround(c change) *Func {
	for f := range m.definitions() {
		if f.Defined && f.Body.Start < c.start && c.end < f.Body.End {
			return f
		}
	}
	return nil
}

// blank says whether a change is within white space and comments between statements, before and after.
func (m *Module) blank(c change, src []byte) bool {
	gaps := m.kept.gaps
	i := sort.Search(len(gaps), func(i int) bool { return gaps[i].End >= c.end })
	if i == len(gaps) {
		return false
	}
	gap := gaps[i]
	if i > 0 && (c.start <= gap.Start || gap.Start < m.kept.settled) { // fixes quote what is between the first statements
		return false
	}
	said := false
	note := func(string, Span, string, ...any) *Diagnostic {
		said = true
		return &Diagnostic{}
	}
	before := scanner{src: m.Src, pos: gap.Start, report: note}
	after := scanner{src: src, pos: gap.Start, report: note}
	sameLine := before.skipBlank() == after.skipBlank()
	return sameLine && !said && before.pos == gap.End && after.pos == gap.End+c.by
}

// linesAfter are the beginnings of the lines after a change.
func (m *Module) linesAfter(c change, src []byte) []int32 {
	from := sort.Search(len(m.lines), func(i int) bool { return m.lines[i] > c.start })
	to := sort.Search(len(m.lines), func(i int) bool { return m.lines[i] > c.end })
	lines := make([]int32, from, len(m.lines)+8)
	copy(lines, m.lines)
	for _, start := range lineStarts(src[c.start : c.end+c.by])[1:] {
		lines = append(lines, c.start+start)
	}
	for _, start := range m.lines[to:] {
		lines = append(lines, start+c.by)
	}
	return lines
}

// bodyAgain parses a body that has changed, with what was declared before it. It says whether the body ends where it
// should and everything else stays as it is.
func (p *parser) bodyAgain(f *Func, module *scope, end int32) bool {
	p.module = module.before(f.Body.Start)
	p.scope, p.began = p.module, f.header
	inner := newScope(p.module, f.header)
	inner.fn = f
	params := func(vars []*Var, regs []*Reg) {
		for i, v := range vars {
			sym := &symbol{vr: v}
			if v != nil {
				sym.name, sym.span = v.Name, v.Span
			} else {
				sym.reg, sym.name, sym.span = regs[i], regs[i].Name, regs[i].Span
			}
			if inner.local(sym.name) == nil && sym.name != "_" {
				inner.put(sym)
			}
		}
	}
	params(f.Returns, f.ReturnRegs)
	params(f.Params, f.ParamRegs)
	regs := slices.IndexFunc(f.Regs, func(r *Reg) bool { return !r.Param })
	if regs < 0 {
		regs = len(f.Regs)
	}
	endsLanes := f.endsLanes
	f.Regs, f.Vars, f.Labels, f.Insts = f.Regs[:regs:regs], nil, nil, nil
	f.Blocks, f.Tables, f.decls, f.endsLanes = nil, nil, nil, false
	p.pos = f.Body.Start
	p.next()
	p.braces(f, inner)
	return f.Body.End == end && f.endsLanes == endsLanes && !p.entangled()
}

// before is the module's scope as a function at some place saw it.
func (s *scope) before(at int32) *scope {
	old := newScope(nil, s.start)
	for _, sym := range s.names {
		if sym.span.Start < at {
			old.put(sym)
		}
	}
	return old
}
