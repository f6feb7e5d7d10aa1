package launch

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"warpscope/emu"
	"warpscope/launch/expr"
	"warpscope/ptx"
)

// lineCondition is an expectation that an expression is true in each active lane whenever a warp comes to a line.
type lineCondition struct {
	line  int
	holds *expr.Expr

	came   int64  // the first tick at which a warp was there; -1: none was
	failed int64  // the first tick at which the expression was not true; -1: none
	why    string // and what it was
}

// there parses "EXPRESSION at line N". It is for expectations whose subject is no buffer as a whole, no counter and no
// fault; none is true if the text ends otherwise.
func (c *cursor) there(m *ptx.Module, s *Spec) (cond condition, ok, none bool) {
	text, number, found := lastCut(c.rest(), " at line ")
	line, err := strconv.Atoi(strings.TrimSpace(number))
	if !found || err != nil {
		return nil, false, true
	}
	start, digits := c.pos, c.pos+len(c.rest())-len(number)
	c.pos = len(c.src)
	e, err := expr.Parse(text)
	if err == nil {
		in := instsAt(m, line)
		if len(in) == 0 {
			return nil, c.fail("header-expect", span(digits, len(c.src)), "line %d has no instruction", line), false
		}
		_, err = e.Eval(&unknown{m, s, in[0].fn})
	}
	var wrong *expr.Error
	if errors.As(err, &wrong) {
		return nil, c.fail("header-expect", span(start+wrong.Start, start+wrong.End), "%s", wrong.Message), false
	}
	return &lineCondition{line: line, holds: e, came: -1, failed: -1}, true, false
}

// lastCut is strings.Cut around the last occurrence.
func lastCut(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// placedInst is an instruction with its function.
type placedInst struct {
	*ptx.Inst
	fn *ptx.Func
}

// instsAt are the first instructions of a line, one of each function that has any there.
func instsAt(m *ptx.Module, line int) (list []placedInst) {
	for _, f := range m.Funcs {
		i := slices.IndexFunc(f.Insts, func(in *ptx.Inst) bool {
			return !in.Implicit() && m.Position(int(in.Span.Start)).Line == line
		})
		if i >= 0 {
			list = append(list, placedInst{f.Insts[i], f})
		}
	}
	return list
}

// unknown is an expr.Env that knows names, but no values.
type unknown struct {
	m  *ptx.Module
	s  *Spec
	fn *ptx.Func
}

func (u *unknown) Active() uint32 { return 0 }

func (u *unknown) Register(name string) (r expr.Row, ok bool) {
	base, _, _ := strings.Cut(name, ".")
	_, special := u.s.Special(&emu.WarpView{}, base, -1)
	return expr.Row{None: ^uint32(0)}, special || slices.ContainsFunc(u.fn.Regs, func(r *ptx.Reg) bool {
		return r.Name == base || r.Name == name
	})
}

func (u *unknown) Name(name string) (expr.Row, bool) {
	known := []string{"lane", "active", "present", "exited", "warp", "cta", "tick", "line", "hits"}
	return expr.Row{None: ^uint32(0)}, slices.Contains(known, name)
}

func (u *unknown) Element(buffer string, _ int64) (k expr.Kind, value uint64, inside, known bool) {
	isVar := func(v *ptx.Var) bool { return v.Name == buffer }
	known = slices.ContainsFunc(u.s.Args, func(a Arg) bool { return a.Buffer && a.called(buffer) }) ||
		slices.ContainsFunc(u.m.Vars, isVar) ||
		slices.ContainsFunc(u.m.Funcs, func(f *ptx.Func) bool { return slices.ContainsFunc(f.Vars, isVar) })
	return expr.Unsigned, 0, false, known
}

// observe has the grid look at the conditions of lines.
func (p *Prepared) observe() {
	at := map[*ptx.Inst]bool{}
	for _, c := range p.lineConditions() {
		for _, in := range instsAt(p.Module, c.line) {
			at[in.Inst] = true
		}
	}
	if len(at) > 0 {
		emu.Observe(p.Grid, at, p.arrived)
	}
}

func (p *Prepared) lineConditions() (list []*lineCondition) {
	for _, c := range p.conditions {
		if l, ok := c.(*lineCondition); ok {
			list = append(list, l)
		}
	}
	return list
}

// arrived looks at the conditions of the line that a warp has come to.
func (p *Prepared) arrived(cta, warp int) {
	e := &Env{Of: p, Warp: p.Grid.Warp(cta, warp), Tick: p.Grid.Tick()}
	line := p.lineOf(e.Warp.PC)
	for _, c := range p.lineConditions() {
		if c.line != line {
			continue
		}
		if strings.Contains(c.holds.Text, "hits") {
			e.Hits = p.Grid.LineCounts()[line] + 1
		}
		c.look(e)
	}
}

// look notes whether the condition is true now. Looking at one tick twice is looking once: a debugger goes back.
func (c *lineCondition) look(e *Env) {
	if c.came < 0 || e.Tick < c.came {
		c.came = e.Tick
	}
	if c.failed >= 0 && c.failed <= e.Tick {
		return
	}
	lanes, err := c.holds.Holds(e)
	missing := e.Active() &^ lanes
	if err == nil && missing == 0 {
		return
	}
	lane := bits.TrailingZeros32(missing)
	c.failed, c.why = e.Tick, fmt.Sprintf("false at step %d in lane %d of CTA %d, warp %d", e.Tick, lane, e.Warp.CTAIndex,
		e.Warp.Index)
	if err != nil {
		c.why = err.Error()
	} else if sides := c.holds.Sides(e, lane); sides != "" {
		c.why += ": " + sides
	}
}

func (c *lineCondition) eval(*outcome) (bool, string) {
	switch {
	case c.came < 0:
		return false, fmt.Sprintf("no warp came to line %d", c.line)
	case c.failed >= 0:
		return false, c.why
	}
	return true, "true in all active lanes"
}

// Forget makes expectations at lines forget what they have seen from a tick on, because the run will be another one
// from there on.
func (p *Prepared) Forget(tick int64) {
	for _, c := range p.lineConditions() {
		if c.came >= tick {
			c.came = -1
		}
		if c.failed >= tick {
			c.failed, c.why = -1, ""
		}
	}
}
