package emu

import (
	"fmt"
	"slices"
	"strings"

	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/emu/simt"
	"warpscope/emu/texture"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// lower makes a module's program. With the name of a kernel it lowers what a launch of that can execute, and only looks
// at the rest.
func lower(d *Device, m *ptx.Module, kernel string) (*machine.Program, error) {
	l := &lowerer{dev: d, gen: row.Numbers(), tables: map[*int][]int32{}, opcodes: map[string]int{}, bodies: bodies(m),
		places: map[*ptx.Func]uint64{}}
	l.prog = &machine.Program{Mod: m, ByFunc: map[*ptx.Func]*machine.Function{}, ByAddr: map[uint64]*machine.Function{},
		Vars:   map[*ptx.Var]Addr{},
		Bounds: map[string]string{}, Held: machine.HeldRegs{Users: map[int32][]int32{}}}
	if err := l.placeVars(m); err != nil {
		return nil, err
	}
	need := needed(l, kernel)
	for i, f := range m.Funcs {
		if f.Defined && !need[f] {
			continue
		}
		fn := &machine.Function{Src: f, Number: len(l.prog.Funcs), LocalOff: map[*ptx.Var]int64{}}
		l.prog.Funcs = append(l.prog.Funcs, fn)
		l.prog.ByFunc[f] = fn
		l.prog.ByAddr[uint64(i)*functionSize] = fn
	}
	for i, f := range m.Funcs {
		l.prog.ByFunc[f] = l.prog.ByFunc[l.bodyOf(f)]
		l.places[f] = uint64(i) * functionSize
	}
	if err := l.initVars(m); err != nil {
		return nil, err
	}
	for _, f := range m.Funcs {
		switch fn := l.prog.ByFunc[f]; {
		case fn == nil:
			noteGaps(l, f)
		case fn.Src == f:
			l.function(fn)
		}
	}
	l.checkCalls()
	if len(l.diags) > 0 {
		return nil, l.diags
	}
	order := calleesFirst(l.prog.Funcs)
	markBarriers(l.prog, order)
	markSpins(l.prog, order)
	if d.Shadow != nil {
		l.prog.Watch(d.Shadow.On(Initcheck))
	}
	indexArrays(l.prog)
	markWrites(l.prog)
	machine.MarkPrivate(l.prog.Code)
	if d.Counting() {
		planAccesses(l.prog)
	}
	return l.prog, nil
}

// indexArrays wraps the instructions that index arrays: they compute the addresses first.
func indexArrays(p *machine.Program) {
	for _, x := range p.Indexed {
		in := &p.Code[x.PC]
		x.Inner = *in
		in.Op, in.How, in.X = machine.OpIndexed, 0, &machine.Extra{Indexing: x}
	}
}

// functionSize is the distance between the addresses of functions.
const functionSize = 16

// placeVars allocates memory for the .global and .const variables of the module and its functions.
func (l *lowerer) placeVars(m *ptx.Module) error {
	place := func(vars []*ptx.Var) error {
		for _, v := range vars {
			if v.Space != ptx.GlobalSpace && v.Space != ptx.ConstSpace {
				continue
			}
			kind := mem.Global
			if v.Space == ptx.ConstSpace {
				kind = mem.Const
			}
			a, err := l.dev.Reserve(machine.VarSize(v), v.Name, kind)
			if err != nil {
				return err
			}
			l.prog.Vars[v] = a
		}
		return nil
	}
	if err := place(m.Vars); err != nil {
		return err
	}
	for _, f := range m.Funcs {
		if err := place(f.Vars); err != nil {
			return err
		}
	}
	return nil
}

// initVars writes the initial values, addresses of symbols included (5.4.4).
func (l *lowerer) initVars(m *ptx.Module) error {
	vars := append([]*ptx.Var(nil), m.Vars...)
	for _, f := range m.Funcs {
		vars = append(vars, f.Vars...)
	}
	for _, v := range vars {
		a, ok := l.prog.Vars[v]
		opaque := v.Type.Class() == isa.Opaque
		if !ok || v.Init == nil && v.Relocs == nil && !opaque {
			continue
		}
		b := make([]byte, machine.VarSize(v))
		copy(b, v.Init)
		for i := 0; opaque && i < len(b); i += texture.EncodedSize {
			copy(b[i:], l.opaque(v))
		}
		for _, r := range v.Relocs {
			value, ok := l.symbol(r)
			if !ok {
				return fmt.Errorf("the initialiser of %s names %s, whose address is not known before a launch", v.Name, r.Var.Name)
			}
			if r.Mask != 0 {
				value &= r.Mask
			}
			value >>= r.Shift
			for i := 0; i < r.Size && int(r.Offset)+i < len(b); i++ {
				b[int(r.Offset)+i] = byte(value >> (8 * i))
			}
		}
		off, n := l.dev.Mem.Off(a), uint32(len(b))
		copy(l.dev.Mem.Bytes(off, n), b)
		l.dev.Mem.Touch(off, max(n, 1))
	}
	return nil
}

// function lowers one function. If it has no body, the emulator may provide it.
func (l *lowerer) function(fn *machine.Function) {
	f := fn.Src
	if !f.Defined {
		fn.Builtin = builtins[f.Name]
		return
	}
	l.fn, l.next = fn, row.FirstFree
	l.slots, l.consts = map[machine.SlotKey]row.Operand{}, map[machine.ConstRow]uint32{}
	l.layoutLocal(f)
	fn.FormalParams, fn.Returns = l.formals(f.Params, f.ParamRegs), l.formals(f.Returns, f.ReturnRegs)
	fn.Start = int32(len(l.prog.Code))
	fn.End = fn.Start + int32(len(f.Insts))
	for _, in := range f.Insts {
		l.inst(in)
	}
	// A lane that runs past the end of the body returns.
	l.prog.Code = append(l.prog.Code, machine.Inst{Op: machine.OpRet, Guard: row.TruePred})
	l.prog.Writes = append(l.prog.Writes, nil)
	markLeaders(l.prog, fn)
	fn.Frame = l.next
	l.slotsInOrder(f)
	markHeld(l)
	trackUndefined(l)
}

// markLeaders marks the block boundaries of a function.
func markLeaders(p *machine.Program, fn *machine.Function) {
	code := p.Code[fn.Start : fn.End+1]
	for _, b := range fn.Src.Blocks {
		code[b.Start].Leader = true
	}
	for i := range code[:len(code)-1] {
		if code[i].Op == machine.OpCall {
			code[i+1].Leader = true
		}
	}
	code[len(code)-1].Leader = true
}

// formals are the callee's side of parameters or return values: each is a variable or a register.
func (l *lowerer) formals(vars []*ptx.Var, regs []*ptx.Reg) []machine.Passed {
	list := make([]machine.Passed, len(vars))
	for i, v := range vars {
		list[i].V = v
		if v == nil {
			r := regs[i]
			list[i].Bits = r.Type.Bits()
			for elem := range r.Vec {
				list[i].Regs = append(list[i].Regs, l.reg(r, int8(elem)))
			}
		}
	}
	return list
}

// layoutLocal gives offsets to the variables in a thread's local memory: .local variables, and .param variables of
// functions and of calls (7.1).
func (l *lowerer) layoutLocal(f *ptx.Func) {
	fn := l.fn
	place := func(v *ptx.Var) {
		if v == nil {
			return
		}
		fn.Local = machine.AlignUp(fn.Local, max(v.Align, 1))
		fn.LocalOff[v] = fn.Local
		fn.Local += v.Size
		if v.Size == 0 {
			fn.Local += l.largestParam()
		}
	}
	if !f.Entry {
		for _, v := range f.Params {
			place(v)
		}
		for _, v := range f.Returns {
			place(v)
		}
	}
	for _, v := range f.Vars {
		if v.Space == ptx.LocalSpace || v.Space == ptx.ParamSpace {
			place(v)
		}
	}
	fn.LocalUsed = fn.Local
	fn.Local = machine.AlignUp(fn.Local, 16)
}

// largestParam is the size of the largest .param variable of any function: room for an argument to an unsized array.
func (l *lowerer) largestParam() (size int64) {
	for _, f := range l.prog.Mod.Funcs {
		for _, v := range f.Vars {
			if v.Space == ptx.ParamSpace {
				size = max(size, v.Size)
			}
		}
	}
	return size
}

// slotsInOrder lists the registers for display, with the instructions that write each.
func (l *lowerer) slotsInOrder(f *ptx.Func) {
	defs := map[machine.SlotKey][]int32{}
	for pc := l.fn.Start; pc < l.fn.End; pc++ {
		for _, d := range l.prog.Writes[pc] {
			k := machine.SlotKey{Reg: d.Reg, Elem: int8(d.Elem)}
			defs[k] = append(defs[k], pc)
		}
	}
	for _, r := range f.Regs {
		for elem := int8(-1); int(elem) < r.Vec; elem++ {
			k := machine.SlotKey{Reg: r, Elem: elem}
			if o, ok := l.slots[k]; ok {
				param := slices.Contains(f.ParamRegs, r)
				l.fn.Regs = append(l.fn.Regs, machine.RegSlot{Reg: r, Off: o.Off, Bits: o.Bits, Elem: int(elem),
					Defs: defs[k], Param: param})
			}
		}
	}
}

// inst lowers one instruction.
func (l *lowerer) inst(in *ptx.Inst) {
	i := machine.Inst{Guard: row.TruePred, Src: in, Fork: simt.Fork{Reconv: machine.NoPC}}
	l.in, l.i = in, &i
	l.prog.Writes = append(l.prog.Writes, nil)
	if g := in.Guard; g != nil {
		i.Guard = l.reg(g.Reg, g.Elem).Off
		if g.Neg {
			i.Neg = ^uint32(0)
		}
	}
	mnemonic := in.Match.Form.Mnemonic
	lowerOne, ok := lowererOf[mnemonic]
	if !ok {
		lowerOne = lowerArithmetic
	}
	if gapOf(in.Match) != nil || !lowerOne(l) {
		l.notEmulated(in)
	}
	if i.Op == machine.OpRun && in.Match.Has(".sync") && in.Match.Has(".aligned") {
		i.X.Aligned = true
	}
	if l.indexed != nil {
		l.prog.Indexed = append(l.prog.Indexed, &machine.Indexing{PC: len(l.prog.Code), Elements: l.indexed})
		l.indexed = nil
	}
	l.prog.Code = append(l.prog.Code, i)
}

// notEmulated reports valid PTX that is in the list of gaps.
func (l *lowerer) notEmulated(in *ptx.Inst) {
	f := in.Match.Form
	message := fmt.Sprintf("`%s` is valid PTX (%s), but it is not emulated yet", in.Opcode, f.Section)
	if g := gapOf(in.Match); g != nil {
		message += ": " + g.reason
	}
	l.diags = append(l.diags, ptx.Diagnostic{Severity: ptx.Error, Code: "not-emulated", Span: in.OpSpan,
		Section: f.Section, Message: message})
}

// checkCalls reports calls of functions without a definition, like a linker.
func (l *lowerer) checkCalls() {
	for _, f := range l.prog.Mod.Funcs {
		for _, in := range f.Insts {
			if in.Call == nil || in.Call.Target.Kind != ptx.OpFunc {
				continue
			}
			callee := l.bodyOf(in.Call.Target.Func())
			_, declared := l.places[callee]
			if !declared || !callee.Defined && builtins[callee.Name] == nil {
				l.diags = append(l.diags, unlinked(in.Call.Target, declared))
			}
		}
	}
}

// unlinked reports a function that this module calls but does not have.
func unlinked(target ptx.Operand, declared bool) ptx.Diagnostic {
	d := ptx.Diagnostic{Severity: ptx.Error, Code: "undefined-function", Span: target.Span, Section: "11.6.1"}
	what := "is not declared, and nothing is linked to this module"
	if declared {
		what = "is declared but has no body, and nothing is linked to this module"
	}
	for _, g := range FunctionGaps {
		if strings.HasPrefix(target.Func().Name, g.Prefix) {
			d.Code, d.Section, what = "not-emulated", "", g.Reason
		}
	}
	d.Message = "function " + target.Func().Name + " " + what
	return d
}
