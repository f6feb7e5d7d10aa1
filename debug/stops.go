package debug

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/launch/expr"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// StopKind is what makes a run stop.
type StopKind uint8

// The kinds. The first stops before the instruction, the others after it.
const (
	StopLine       StopKind = iota // a warp comes to a line
	StopDivergence                 // lanes branch apart
	StopBarrier                    // a warp arrives at a barrier
	StopFinding                    // the sanitizers note something
	StopRead                       // a lane reads Stop.What
	StopWrite                      // a lane writes it
	StopChange                     // a lane changes it
)

// Stop is a breakpoint or a watchpoint.
type Stop struct {
	Kind      StopKind
	Line      int    // StopLine
	What      string // StopRead and so on: a register (%r4), or memory: out[5], out[5..9], out
	Condition string // an expression (see launch/expr) that has to be true in an active lane; "" is always true
	Off       bool
	Error     string // why the condition or What cannot be used; set by SetStops
}

// stops are the stops of a session.
type stops struct {
	list       []Stop
	conditions []*expr.Expr // by stop; nil without one
	noted      int          // findings before the step that is looked at

	places   map[int]map[*ptx.Inst]bool // by line with a breakpoint; nil until they are asked for
	placesOf *ptx.Module
}

// SetStops chooses at what RunFor stops. It replaces all earlier ones, breakpoints included, and says in Error which
// cannot be used.
func (s *Session) SetStops(list []Stop) {
	s.changed()
	s.comeHome()
	s.marks.list, s.marks.seen = nil, nil
	s.stops = stops{list: sortStops(slices.Clone(list)), conditions: make([]*expr.Expr, len(list))}
	for i := range s.stops.list {
		stop := &s.stops.list[i]
		stop.Error = ""
		if stop.Condition != "" {
			e, err := expr.Parse(stop.Condition)
			if err != nil {
				stop.Error = err.Error()
				continue
			}
			s.stops.conditions[i] = e
		}
		if s.history != nil && stop.Kind >= StopRead {
			_, stop.Error = s.watched(stop.What)
		}
	}
	s.useStops()
}

// useStops tells the history where plain breakpoints are.
func (s *Session) useStops() {
	if s.history != nil {
		s.history.setBreaks(s.stops.question(s).at)
	}
}

// Stops are the stops as they were set, with their errors.
func (s *Session) Stops() []Stop { return slices.Clone(s.stops.list) }

// SetBreakpoints sets the lines at which RunFor stops. A line without an instruction stands for the next line with one.
// A line that had a breakpoint keeps its condition. If there are as many lines as before, they are the same ones, moved
// by a change of the text. Other stops stay.
func (s *Session) SetBreakpoints(lines []int) {
	lines = slices.Clone(lines)
	slices.Sort(lines)
	lines = slices.Compact(lines)
	had := slices.Clone(s.stops.list)
	others := slices.IndexFunc(sortStops(had), func(o Stop) bool { return o.Kind != StopLine })
	if others < 0 {
		others = len(had)
	}
	var list []Stop
	for k, line := range lines {
		i := slices.IndexFunc(had[:others], func(o Stop) bool { return o.Line == line })
		if others == len(lines) {
			i = k
		}
		stop := Stop{}
		if i >= 0 {
			stop = had[i]
		}
		stop.Line = line
		list = append(list, stop)
	}
	s.SetStops(append(list, had[others:]...))
}

// sortStops puts lines first, in their order.
func sortStops(list []Stop) []Stop {
	slices.SortStableFunc(list, func(a, b Stop) int {
		return cmp.Or(cmp.Compare(min(a.Kind, 1), min(b.Kind, 1)), cmp.Compare(a.Line, b.Line))
	})
	return list
}

// breakpoints are the lines with a breakpoint.
func (st *stops) breakpoints() (lines []int) {
	for _, o := range st.list {
		if o.Kind == StopLine {
			lines = append(lines, o.Line)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// hits are how often the run has come to each line with a breakpoint, whatever its condition. It has come to the line
// that runs next, and to that of a fault. If the step before a fault has run to its end, nothing runs next: all wait.
func (s *Session) hits() map[int]int64 {
	st, h := &s.stops, s.history
	if st.places == nil || st.placesOf != s.module {
		st.places, st.placesOf = map[int]map[*ptx.Inst]bool{}, s.module
		for _, line := range st.breakpoints() {
			st.places[line] = breakInsts(s.module, []int{line})
		}
	}
	if len(st.places) == 0 {
		return nil
	}
	var now *ptx.Inst
	if cta, warp, ok := h.grid.Next(); ok && !(h.faulted && h.grid.Tick() == h.faultTick) {
		now = emu.WarpHead(h.grid, cta, warp).PC
	}
	hits, ran := map[int]int64{}, emu.Executions(h.grid, func(in *ptx.Inst) bool {
		for _, at := range st.places { // few: a kernel has thousands of instructions, and this is asked at each step
			if at[in] {
				return true
			}
		}
		return false
	})
	for line, at := range st.places {
		hits[line] = 0
		for in := range at {
			if hits[line] += ran[in]; in == now {
				hits[line]++
			}
		}
	}
	return hits
}

// plain says whether all stops are breakpoints without conditions.
func (st *stops) plain() bool {
	return !slices.ContainsFunc(st.list, func(o Stop) bool {
		return !o.Off && o.Error == "" && (o.Kind != StopLine || o.Condition != "")
	})
}

// placed is a stop with the instructions that it is about.
type placed struct {
	*Stop
	condition *expr.Expr
	at        map[*ptx.Inst]bool
	cells     []Cell
}

// question is the search for the next of the stops.
func (st *stops) question(s *Session) question {
	q := question{at: map[*ptx.Inst]bool{}, cta: -1, warp: -1, pass: -1}
	var before, after []placed
	for i := range st.list {
		p := placed{Stop: &st.list[i], condition: st.conditions[i]}
		if p.Off || p.Error != "" {
			continue
		}
		p.at, p.cells = s.placeOf(p.Stop)
		for in := range p.at {
			q.at[in] = true
		}
		if p.Kind == StopLine || p.Kind == StopRead {
			before = append(before, p)
		} else {
			after = append(after, p)
		}
	}
	if len(before) > 0 {
		q.stop = func(cta, warp int) bool { return s.anyBefore(before, cta, warp) }
	}
	if len(after) > 0 {
		q.before = func() { st.noted = len(s.history.grid.Findings()) }
		q.match = func(rec *emu.Step) bool {
			return slices.ContainsFunc(after, func(p placed) bool { return p.at[rec.Inst] && s.holdsAfter(&p, rec) })
		}
	}
	return q
}

// placeOf is the instructions at which a stop can stop, and the cells that it watches.
func (s *Session) placeOf(o *Stop) (at map[*ptx.Inst]bool, cells []Cell) {
	where := func(in *ptx.Inst) bool { return true }
	switch o.Kind {
	case StopLine:
		return breakInsts(s.module, []int{o.Line}), nil
	case StopDivergence:
		where = func(in *ptx.Inst) bool { return in.Match.Form.Effect&isa.Branches != 0 }
	case StopBarrier:
		where = func(in *ptx.Inst) bool { return in.Match.Form.Effect&isa.Barrier != 0 }
	case StopFinding: // any instruction can lead to one
	default:
		c, _ := s.watched(o.What)
		cells = []Cell{c}
		if where = mayWriteMemory; c.Reg != nil {
			where = s.mayWriteRegister(c.Reg)
		} else if o.Kind == StopRead {
			where = func(in *ptx.Inst) bool { return in.Match.Form.Effect&isa.ReadsMemory != 0 }
		}
	}
	at = map[*ptx.Inst]bool{}
	if o.Kind > StopRead && (cells[0].Reg == nil || where(nil)) {
		at[nil] = true // the end of a body, where lanes return
	}
	for _, f := range s.module.Funcs {
		for _, in := range f.Insts {
			if where(in) {
				at[in] = true
			}
		}
	}
	return at, cells
}

// watched parses what a watchpoint watches: a register in every lane of every warp, or elements of a buffer.
func (s *Session) watched(what string) (c Cell, problem string) {
	if strings.HasPrefix(what, "%") {
		for _, f := range s.module.Funcs {
			for _, reg := range f.Regs {
				if reg.Name == what {
					return Cell{Reg: reg, Elem: -1}, ""
				}
			}
		}
		return c, fmt.Sprintf("there is no register %s", what)
	}
	c, _, problem = s.elementsNamed(what, s.cta)
	return c, problem
}

// elementsNamed parses elements of a buffer or variable, as a CTA sees it.
func (s *Session) elementsNamed(what string, cta int) (c Cell, typ, problem string) {
	name, index, indexed := strings.Cut(what, "[")
	c, typ, count, ok := s.Elements(name, cta)
	if !ok {
		return c, "", fmt.Sprintf("there is no register, buffer or variable named %q", what)
	}
	low, high := int64(0), count-1
	if indexed {
		from, to, isRange := strings.Cut(strings.TrimSuffix(index, "]"), "..")
		var err, err2 error
		low, err = strconv.ParseInt(from, 0, 64)
		if high = low; isRange {
			high, err2 = strconv.ParseInt(to, 0, 64)
		}
		if err != nil || err2 != nil || !strings.HasSuffix(index, "]") {
			return c, "", fmt.Sprintf("%q is not an element such as %s[5] or a range such as %s[5..9]", what, name, name)
		}
	}
	if low < 0 || high < low || high >= count {
		return c, "", fmt.Sprintf("%s has the elements 0 to %d", name, count-1)
	}
	c.Addr += uint64(low) * uint64(c.Size)
	c.Size *= int(high - low + 1)
	return c, typ, ""
}

// anyBefore says whether a stop stops before the instruction that a warp executes next.
func (s *Session) anyBefore(list []placed, cta, warp int) bool {
	e := s.at(cta, warp)
	return slices.ContainsFunc(list, func(p placed) bool {
		return p.at[e.Warp.PC] && (p.Kind != StopRead || s.readsCell(p.cells[0], e)) && s.holds(&p, e)
	})
}

// stopNext says where the stop before the next instruction is. line is that of a breakpoint; 0 for another stop.
func (s *Session) stopNext() (where string, line int) {
	cta, warp, _ := s.history.grid.Next()
	now := s.line(emu.WarpHead(s.history.grid, cta, warp).PC)
	for i := range s.stops.list {
		p := placed{Stop: &s.stops.list[i], condition: s.stops.conditions[i]}
		unusable := p.Error != "" && p.condition == nil
		if p.Off || unusable || p.Kind != StopLine && p.Kind != StopRead {
			continue
		}
		p.at, p.cells = s.placeOf(p.Stop)
		switch {
		case !s.anyBefore([]placed{p}, cta, warp):
		case p.Kind == StopRead:
			return "before a read of " + p.What, 0
		case p.Line != now:
			return fmt.Sprintf("at the breakpoint of line %d, before line %d", p.Line, now), p.Line
		default:
			return fmt.Sprintf("at the breakpoint of line %d", now), now
		}
	}
	return fmt.Sprintf("at line %d", now), 0
}

// holds says whether the condition of a stop is true. One that cannot be computed stops the run, and says why.
func (s *Session) holds(p *placed, e *launch.Env) bool {
	if p.condition == nil {
		return true
	}
	if e.Warp.PC != nil {
		e.Hits = s.history.grid.LineCounts()[s.line(e.Warp.PC)] + 1
	}
	lanes, err := p.condition.Holds(e)
	if err != nil {
		p.Error = err.Error()
		return true
	}
	return lanes != 0
}

// readsCell says whether the next instruction of a warp reads a cell.
func (s *Session) readsCell(c Cell, e *launch.Env) bool {
	exec, in := s.executes(e), e.Warp.PC
	operands := s.Operands(in, &e.Warp)
	if layouts := emu.Layouts(in); c.Reg == nil && len(layouts) > 0 {
		q := inquiry{Session: s, cell: c, w: &Change{Inst: in}, view: e.Warp, operands: operands}
		return exec != 0 && len(q.parts(layouts)) > 0
	}
	copies := in.Match.Form.Mnemonic == "cp" // to the first of two addresses
	for _, o := range operands {
		if c.Reg != nil {
			if o.Reg == c.Reg && o.Read && exec != 0 {
				return true
			}
			continue
		}
		for lane, a := range o.Values {
			if o.Memory && o.Read && !copies && exec>>lane&1 != 0 && a < c.Addr+uint64(c.Size) &&
				c.Addr < a+max(uint64(o.Size), copied(in, &e.Warp, lane)) {
				return true
			}
		}
		copies = copies && !o.Memory
	}
	return false
}

// copied is how many bytes a copy reads in a lane; 0 for other instructions.
func copied(in *ptx.Inst, at *emu.WarpView, lane int) (size uint64) {
	for i, o := range in.Match.Operands {
		switch o.Name {
		case "cp-size", "size", "src-size":
			if v, known := operandValue(&in.Operands[min(i, len(in.Operands)-1)], at, lane); known {
				size = v
			}
		case "ignore-src":
			if v, known := operandValue(&in.Operands[min(i, len(in.Operands)-1)], at, lane); known && v&1 != 0 {
				return 0
			}
		}
	}
	return size
}

// holdsAfter says whether a step is one after which a stop stops.
func (s *Session) holdsAfter(p *placed, rec *emu.Step) bool {
	switch p.Kind {
	case StopDivergence:
		if !splits(rec) {
			return false
		}
	case StopBarrier:
		if rec.Barrier == nil {
			return false
		}
	case StopFinding:
		if len(s.history.grid.Findings()) == s.stops.noted {
			return false
		}
	default:
		if !touched(s.history.grid, p.cells[0], rec, p.Kind == StopChange) {
			return false
		}
	}
	return s.holds(p, s.at(rec.CTAIndex, rec.Warp))
}

// touched says whether a step wrote a cell in any lane or, if change is set, gave it another value.
func touched(g *emu.Grid, c Cell, rec *emu.Step, change bool) bool {
	for i := range rec.Regs {
		for w, lane := &rec.Regs[i], 0; c.Reg != nil && lane < 32; lane++ {
			if c.Lane = lane; writesReg(c, w) && (!change || w.Old[lane] != w.New[lane]) {
				return true
			}
		}
	}
	for i := range rec.Mem {
		w := &rec.Mem[i]
		c.CTA, c.Warp, c.Lane = rec.CTAIndex, rec.Warp, w.Lane
		if w.Space == ptx.SharedSpace {
			c.CTA, _ = g.SharedOwner(rec.CTAIndex, w.Addr)
		}
		if c.Reg == nil && writesBytes(g, c, rec, w) && (!change || !slices.Equal(w.Old, w.New)) {
			return true
		}
	}
	return false
}
