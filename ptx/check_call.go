package ptx

import (
	"fmt"

	"warpscope/ptx/isa"
)

// callOperands parses {(returns),} target {, (arguments)} {, list or prototype} (9.7.14.5).
func (p *parser) callOperands(in *Inst) bool {
	c := &Call{}
	in.Call = c
	var ok bool
	if p.tok.kind == '(' {
		if c.Returns, ok = p.argumentList(); !ok || !p.expect(',', " after the return values") {
			return false
		}
	}
	if c.Target, ok = p.callTarget(); !ok {
		return false
	}
	hasArgs := false
	for p.accept(',') {
		switch {
		case p.tok.kind == '(' && !hasArgs:
			hasArgs = true
			if c.Args, ok = p.argumentList(); !ok {
				return false
			}
		case p.tok.kind == tokIdent:
			if !p.callList(c) {
				return false
			}
		default:
			p.unexpected("'(' with the arguments, or the name of a target list or prototype", "")
			return false
		}
	}
	return true
}

// functionsOf are the functions that a table names; its calls share the list.
func (p *parser) functionsOf(v *Var) []*Func {
	list, ok := p.callTables[v]
	if !ok {
		for _, r := range v.Relocs {
			if r.Func != nil {
				list = append(list, r.Func)
			}
		}
		p.callTables[v] = list
	}
	return list
}

func (p *parser) argumentList() ([]Operand, bool) {
	p.next()
	if p.accept(')') {
		return nil, true
	}
	first := len(p.elems)
	for {
		op, ok := p.operand()
		if !ok {
			return p.elementsFrom(first), false
		}
		p.elems = append(p.elems, op)
		if !p.accept(',') {
			return p.elementsFrom(first), p.expect(')', " after the arguments")
		}
	}
}

// callTarget parses the function's name, or the register that holds its address.
func (p *parser) callTarget() (Operand, bool) {
	t := p.tok
	if t.kind != tokIdent {
		p.unexpected("a function", "")
		return Operand{}, false
	}
	sym, _ := p.scope.lookup(p.text(t))
	if sym == nil {
		p.next()
		fn := p.foreign(t)
		return Operand{Kind: OpFunc, Span: t.span(), Elem: -1, rare: p.shared(fn, rarePart{fn: fn})}, true
	}
	op, ok := p.named()
	if ok && (op.Kind == OpFunc && op.Func().Entry || op.Kind != OpFunc && op.Kind != OpReg) {
		p.report("bad-operand", op.Span, "%s is not a device function that could be called", p.text(t)).
			note(sym.span, "declared here")
		return op, false
	}
	return op, ok
}

// foreign is a function that nothing has declared. Compilers for OptiX leave its functions undeclared for a linker to
// find, so loading the module reports them.
func (p *parser) foreign(t token) *Func {
	name := p.text(t)
	f := p.foreignNamed[name]
	if f == nil {
		f = &Func{Name: name, Linkage: Extern, Span: t.span()}
		p.foreignNamed[name] = f
		p.foreigners = append(p.foreigners, f)
	}
	return f
}

// checkForeigners reports each function that is called without a declaration, at its first call.
func (p *parser) checkForeigners() {
	for _, f := range p.foreigners {
		if sym := p.module.local(f.Name); sym != nil {
			p.report("undeclared", f.Span, "%s is called before it is declared; functions are declared or defined first",
				f.Name).note(sym.span, "declared here").section("7.1")
			continue
		}
		d := p.report("undeclared-function", f.Span, "the function %s is not declared here: this module cannot run before "+
			"something that has it is linked in", f.Name)
		near := p.nearest(f.Name, func(yield func(string)) {
			for _, g := range p.m.Funcs {
				yield(g.Name)
			}
		})
		if near != "" {
			d.Message += fmt.Sprintf("; did you mean %s?", near)
			d.fix(f.Span, near, "call %s", near)
		}
	}
}

// callList takes the operand that says what an indirect call may reach: a label of .calltargets or .callprototype,
// or an array of functions.
func (p *parser) callList(c *Call) bool {
	t := p.next()
	sym, home := p.scope.lookup(p.text(t))
	switch {
	case sym == nil:
		p.undeclared(t, ".calltargets list, .callprototype or table of functions", "")
		return false
	case sym.targets != nil && sym.targets.proto != nil:
		c.Proto = sym.targets.proto
	case sym.targets != nil && len(sym.targets.funcs) > 0:
		c.Targets, c.Proto = sym.targets.funcs, sym.targets.funcs[0]
	case sym.vr != nil || sym.decl != nil && sym.decl.model != nil:
		v := p.variable(sym, home)
		c.Targets = p.functionsOf(v)
		if len(c.Targets) == 0 {
			p.report("bad-operand", t.span(), "%s is not a table of functions", v.Name).note(v.Span, "declared here")
			return false
		}
		c.Proto = c.Targets[0]
	default:
		p.report("bad-operand", t.span(), "%s is no .calltargets list, .callprototype or table of functions", p.text(t)).
			note(sym.span, "declared here")
		return false
	}
	return true
}

// checkCall checks a call against the signature of what it calls (7.1, 9.7.14.5).
func (p *parser) checkCall(in *Inst) {
	c := in.Call
	c.Uniform = in.Match != nil && in.Match.Has(".uni")
	switch {
	case c.Target.Kind == OpFunc && p.foreignNamed[c.Target.Func().Name] == c.Target.Func():
		return
	case c.Target.Kind == OpFunc && c.Proto != nil:
		p.report("bad-operand", c.Target.Span, "a call by name has no list of targets and no prototype").section("9.7.14.5")
		return
	case c.Target.Kind == OpFunc:
		c.Proto = c.Target.Func()
	case c.Proto == nil:
		p.report("bad-operand", c.Target.Span, "an indirect call needs a .calltargets list, a .callprototype or a table of "+
			"functions as its last operand").section("9.7.14.5")
		return
	default:
		p.needVersion(in.OpSpan, "an indirect call", 21, 20, "9.7.14.5")
		if t := c.Target.Reg.Type; t.Class() == isa.Float || t.Bits() < 32 {
			p.report("type-mismatch", c.Target.Span, "%s cannot hold a function's address", c.Target.Reg.describe())
		}
	}
	f := c.Proto
	args := len(f.Params)
	if f.Variadic && len(c.Args) == args-1 {
		args--
	}
	if len(c.Args) != args {
		p.report("signature-mismatch", in.OpSpan, "%s takes %s, %d given", f.Name, Plural(args, "argument"), len(c.Args)).
			note(f.Span, "declared here")
		return
	}
	if len(c.Returns) != len(f.Returns) {
		p.report("signature-mismatch", in.OpSpan, "%s returns %s, %d given", f.Name, Plural(len(f.Returns), "value"),
			len(c.Returns)).note(f.Span, "declared here")
		return
	}
	for i := range c.Args {
		p.checkArgument(f, &c.Args[i], f.Params[i], f.ParamRegs[i], false)
	}
	for i := range c.Returns {
		p.checkArgument(f, &c.Returns[i], f.Returns[i], f.ReturnRegs[i], true)
	}
}

// checkArgument checks one actual against one formal parameter, which is a variable or a register (7.1).
func (p *parser) checkArgument(f *Func, op *Operand, v *Var, r *Reg, returned bool) {
	typ, vec, size, at := isa.NoType, 1, int64(0), Span{}
	array := false
	if v != nil {
		typ, vec, size, at, array = v.Type, v.Vec, v.Size, v.Span, len(v.Dims) > 0
	} else {
		typ, vec, size, at = r.Type, r.Vec, int64(r.Type.Bytes()*r.Vec), r.Span
	}
	mismatch := func(op *Operand) {
		p.report("signature-mismatch", op.Span, "%s does not fit the parameter of %s, which is %s", p.given(op), f.Name,
			shape(typ, vec, v)).note(at, "declared here").section("7.1")
	}
	// fits checks a scalar, or an element of a tuple.
	fits := func(op *Operand) bool {
		switch {
		case op.Kind == OpSink && returned:
		case op.Kind == OpImm && !returned:
			p.adapt(&isa.Operand{Type: typ}, op)
		case op.Kind != OpReg || !agree(typ, op.Reg.Type):
			mismatch(op)
			return false
		}
		return true
	}
	switch op.Kind {
	case OpSink, OpImm, OpReg:
		if (array || vec > 1) && !(op.Kind == OpSink && returned) {
			mismatch(op)
			return
		}
		fits(op)
	case OpVec:
		if len(op.List()) != vec || array {
			mismatch(op)
			return
		}
		for i := range op.List() {
			if !fits(&op.List()[i]) {
				return
			}
		}
	case OpVar:
		switch a := op.Var; {
		case a.Space != ParamSpace:
			p.report("signature-mismatch", op.Span, "%s is in %s space; an argument is a register, a constant or a .param "+
				"variable", a.Name, a.Space).note(a.Span, "declared here").section("7.1")
		case p.fn.Entry && a.Index < len(p.fn.Params) && p.fn.Params[a.Index] == a:
			p.report("signature-mismatch", op.Span, "%s is a parameter of the kernel: read it with ld.param and pass the "+
				"register", a.Name).note(a.Span, "declared here").section("5.1.6.1")
		case a.Func != nil && a.Func != p.fn, size > 0 && a.Size != size, !array && !agree(typ, a.Type):
			mismatch(op)
		case v != nil && a.Align < v.Align:
			p.report("signature-mismatch", op.Span, "%s is aligned to %s, the parameter of %s to %d", a.Name,
				Plural(a.Align, "byte"), f.Name, v.Align).note(at, "declared here").section("7.1")
		}
	default:
		mismatch(op)
	}
}

// given describes an argument in messages.
func (p *parser) given(op *Operand) string {
	switch op.Kind {
	case OpSink:
		return "_"
	case OpImm:
		return "a constant"
	case OpReg:
		return op.Reg.describe()
	case OpVec:
		return "a tuple of " + Plural(len(op.List()), "element")
	case OpVar:
		return op.Var.Name + " (" + shape(op.Var.Type, op.Var.Vec, op.Var) + ")"
	}
	return p.m.Text(op.Span)
}

// shape describes a parameter's type in messages.
func shape(typ isa.Type, vec int, v *Var) string {
	s := typ.String()
	if vec > 1 {
		s = fmt.Sprintf(".v%d %s", vec, s)
	}
	if v != nil {
		for _, d := range v.Dims {
			s += fmt.Sprintf("[%d]", d)
		}
	}
	return s
}
