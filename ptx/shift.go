package ptx

// shift moves the module's places that are after a change, except those of one function, which has been parsed again.
func (m *Module) shift(c change, except *Func) {
	if c.by == 0 {
		return
	}
	seen := map[*Func]bool{}
	for f := range m.definitions() {
		seen[f] = true
	}
	for f := range m.definitions() {
		switch {
		case f == except:
		case f.Defined && f.Body.End <= c.start:
		default:
			f.shift(c, seen)
		}
	}
	shiftVars(c, m.Vars)
	for i := range m.Sections {
		c.shift(&m.Sections[i])
	}
	for i := range m.kept.gaps {
		gap := &m.kept.gaps[i]
		if gap.End = c.moved(gap.End); i > 0 {
			gap.Start = c.moved(gap.Start)
		}
	}
	for _, sym := range m.kept.module.names {
		c.shift(&sym.span)
	}
}

func (m *Module) shiftFound(c change, lists ...[]*Diagnostic) {
	for _, list := range lists {
		for _, d := range list {
			c.shift(&d.Span)
			for i := range d.Notes {
				c.shift(&d.Notes[i].Span)
			}
			if d.Fix != nil {
				c.shift(&d.Fix.Span)
			}
		}
	}
}

// shift moves a function's places. seen are the functions that are shifted elsewhere, or have been already: prototypes
// belong to several calls.
func (f *Func) shift(c change, seen map[*Func]bool) {
	c.shift(&f.Span)
	c.shift(&f.Body)
	f.header = c.moved(f.header)
	shiftVars(c, f.Params)
	shiftVars(c, f.Returns)
	shiftVars(c, f.Vars)
	for _, r := range f.Regs {
		c.shift(&r.Span)
	}
	for _, l := range f.Labels {
		c.shift(&l.Span)
	}
	for _, d := range f.decls {
		c.shift(&d.span)
		c.shift(&d.within)
		if d.count > 0 && d.model != nil { // that of a single name is one of Vars
			c.shift(&d.model.Span)
		}
	}
	for _, in := range f.Insts {
		in.shift(c, seen)
	}
}

func shiftVars(c change, list []*Var) {
	for _, v := range list {
		if v != nil {
			c.shift(&v.Span)
		}
	}
}

func (in *Inst) shift(c change, seen map[*Func]bool) {
	c.shift(&in.Span)
	c.shift(&in.OpSpan)
	if in.Guard != nil {
		c.shift(&in.Guard.Span)
	}
	shiftOperands(c, in.Operands)
	if in.Call == nil {
		return
	}
	shiftOperands(c, in.Call.Returns)
	shiftOperands(c, in.Call.Args)
	in.Call.Target.shift(c)
	if proto := in.Call.Proto; proto != nil && !seen[proto] {
		seen[proto] = true
		proto.shift(c, seen)
	}
}

func shiftOperands(c change, list []Operand) {
	for i := range list {
		list[i].shift(c)
	}
}

func (op *Operand) shift(c change) {
	c.shift(&op.Span)
	if op.rare != nil {
		shiftOperands(c, op.rare.list)
		if op.rare.second != nil {
			op.rare.second.shift(c)
		}
	}
}
