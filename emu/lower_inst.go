package emu

import (
	"slices"

	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// lowerers are the mnemonics that are more than arithmetic on registers. Each method lowers l.in into l.i and says
// whether it could.
var lowerers = map[string]func(*lowerer) bool{
	"mov":                  (*lowerer).mov,
	"ld":                   (*lowerer).load,
	"ldu":                  (*lowerer).load,
	"st":                   (*lowerer).store,
	"atom":                 (*lowerer).atom,
	"red":                  (*lowerer).atom,
	"cvta":                 (*lowerer).cvta,
	"isspacep":             (*lowerer).isspacep,
	"setp":                 (*lowerer).setp,
	"testp":                (*lowerer).testp,
	"selp":                 (*lowerer).selp,
	"and":                  (*lowerer).logic,
	"or":                   (*lowerer).logic,
	"xor":                  (*lowerer).logic,
	"not":                  (*lowerer).logic,
	"lop3":                 (*lowerer).lop3,
	"bfi":                  (*lowerer).arithmetic,
	"bra":                  (*lowerer).bra,
	"brx":                  (*lowerer).brx,
	"call":                 (*lowerer).call,
	"ret":                  (*lowerer).ret,
	"exit":                 (*lowerer).exit,
	"bar":                  (*lowerer).bar,
	"barrier":              (*lowerer).bar,
	"trap":                 func(l *lowerer) bool { return l.runs((*warp).trap) },
	"brkpt":                func(l *lowerer) bool { return l.plain(opNop) },
	"pmevent":              func(l *lowerer) bool { return l.plain(opNop) },
	"nanosleep":            func(l *lowerer) bool { return l.plain(opSleep) },
	"fence":                (*lowerer).fence,
	"membar":               (*lowerer).fence,
	"prefetch":             func(l *lowerer) bool { return l.plain(opNop) },
	"prefetchu":            func(l *lowerer) bool { return l.plain(opNop) },
	"applypriority":        (*lowerer).applyPriority,
	"discard":              (*lowerer).discard,
	"createpolicy":         (*lowerer).createpolicy,
	"setmaxnreg":           (*lowerer).maxRegisters,
	"shfl":                 (*lowerer).shfl,
	"vote":                 (*lowerer).vote,
	"match":                (*lowerer).match,
	"redux":                (*lowerer).redux,
	"elect":                (*lowerer).elect,
	"activemask":           (*lowerer).activemask,
	"mma":                  (*lowerer).multiply,
	"wmma":                 (*lowerer).wmma,
	"wgmma":                (*lowerer).wgmma,
	"tcgen05":              (*lowerer).tcgen05,
	"ldmatrix":             (*lowerer).ldmatrix,
	"stmatrix":             (*lowerer).ldmatrix,
	"movmatrix":            (*lowerer).movmatrix,
	"mbarrier":             (*lowerer).mbarrier,
	"tex":                  (*lowerer).fetch,
	"tld4":                 (*lowerer).fetch,
	"txq":                  (*lowerer).queryOpaque,
	"suq":                  (*lowerer).queryOpaque,
	"istypep":              (*lowerer).istypep,
	"suld":                 (*lowerer).surface,
	"sust":                 (*lowerer).surface,
	"sured":                (*lowerer).surface,
	"mapa":                 (*lowerer).mapa,
	"stacksave":            (*lowerer).stackOp,
	"stackrestore":         (*lowerer).stackOp,
	"alloca":               (*lowerer).stackOp,
	"multimem":             (*lowerer).multimem,
	"clusterlaunchcontrol": (*lowerer).launchControl,
	"tensormap":            (*lowerer).tensormap,
	"getctarank":           (*lowerer).mapa,
	"cp":                   (*lowerer).copyAsync,
	"cvt":                  (*lowerer).cvt,
	"vadd":                 (*lowerer).video,
	"vshl":                 (*lowerer).video,
	"vmad":                 (*lowerer).video,
	"vset":                 (*lowerer).video,
	"vadd2":                (*lowerer).video,
	"vset2":                (*lowerer).video,
	"vadd4":                (*lowerer).video,
	"vset4":                (*lowerer).video,

	// Grids run one after the other: those that a grid depends on have ended (9.7.13.13).
	"griddepcontrol": func(l *lowerer) bool { return l.plain(opNop) },
}

// plain is an instruction without operands that matter.
func (l *lowerer) plain(o op) bool {
	l.i.op = o
	return true
}

// pure makes the instruction one that can stand in the middle of a straight line; see opPure.
func (l *lowerer) pure(run runner) bool {
	l.i.op, l.i.x = opPure, &extra{run: run}
	return true
}

// runs makes the instruction one that may fail, or make lanes wait.
func (l *lowerer) runs(run runner) bool {
	l.i.op, l.i.x = opRun, &extra{run: run}
	return true
}

// bra is bra (9.7.12.3).
func (l *lowerer) bra() bool {
	l.i.op = opBra
	l.i.target, l.i.reconv = l.pc(l.in.Targets()[0]), l.pc(l.in.Reconv())
	l.i.uniform = l.has(".uni")
	return true
}

// brx is brx.idx (9.7.12.4).
func (l *lowerer) brx() bool {
	b := &branchTable{index: l.src(l.in.Operands[0], isa.U32)}
	if targets := l.in.Targets(); len(targets) > 0 {
		b.targets = l.tables[&targets[0]]
		if b.targets == nil {
			for _, t := range targets {
				b.targets = append(b.targets, l.pc(t))
			}
			l.tables[&targets[0]] = b.targets
		}
	}
	l.i.op, l.i.x, l.i.reconv, l.i.uniform = opBrx, &extra{branches: b}, l.pc(l.in.Reconv()), l.has(".uni")
	return true
}

func (l *lowerer) ret() bool {
	l.i.op, l.i.uniform = opRet, l.has(".uni")
	return true
}

func (l *lowerer) exit() bool { return l.plain(opExit) }

// call is call (9.7.12.5).
func (l *lowerer) call() bool {
	c := l.in.Call
	info := &callInfo{}
	l.i.uniform = c.Uniform || l.has(".uni")
	if c.Target.Kind == ptx.OpFunc {
		info.target = l.prog.byFunc[c.Target.Func()]
		l.fn.callees = append(l.fn.callees, info.target)
	} else {
		info.via = l.src(c.Target, isa.NoType)
		l.fn.indirect = true
	}
	proto := c.Proto
	if proto == nil && c.Target.Kind == ptx.OpFunc {
		proto = c.Target.Func()
	}
	for n, a := range c.Args {
		info.args = append(info.args, l.passed(a, formalType(proto.Params, proto.ParamRegs, n)))
	}
	for n, r := range c.Returns {
		p := l.passed(r, formalType(proto.Returns, proto.ReturnRegs, n))
		for i, e := range elements(r) {
			if p.v == nil {
				l.writesTo(e, p.regs[i])
			}
		}
		info.rets = append(info.rets, p)
	}
	l.i.op, l.i.x = opCall, &extra{call: info}
	l.i.reconv = int32(len(l.prog.code)) + 1
	return true
}

// formalType is the type of a parameter or return value, or of its elements.
func formalType(vars []*ptx.Var, regs []*ptx.Reg, n int) isa.Type {
	switch {
	case n >= len(vars):
	case vars[n] != nil:
		return vars[n].Type
	default:
		return regs[n].Type
	}
	return isa.NoType
}

// passed is the caller's side of a parameter or return value of type t.
func (l *lowerer) passed(op ptx.Operand, t isa.Type) passed {
	if op.Kind == ptx.OpVar && op.Var.Space == ptx.ParamSpace {
		return passed{v: op.Var}
	}
	p := passed{bits: t.Bits()}
	for _, e := range elements(op) {
		p.regs = append(p.regs, l.src(e, t))
	}
	return p
}

// bar is bar and barrier (9.7.13.1 to 9.7.13.3).
func (l *lowerer) bar() bool {
	ops := l.in.Operands
	switch {
	case l.has(".warp"):
		return l.syncLanes()
	case l.has(".cluster"):
		return l.clusterBarrier()
	}
	b := &barrierOp{count: operand{sink: true}, arrives: l.has(".arrive")}
	if l.has(".red") {
		last := len(ops) - 1
		b.red = &barrierReduction{d: l.dst(ops[0]), popc: l.has(".popc"), and: l.has(".and"), p: l.src(ops[last], isa.Pred)}
		ops = ops[1:last]
	}
	b.id = l.src(ops[0], isa.U32)
	if len(ops) > 1 {
		b.count = l.src(ops[1], isa.U32)
	}
	b.vary = slices.ContainsFunc(ops, func(o ptx.Operand) bool { return o.Kind == ptx.OpReg })
	l.i.op, l.i.x, l.i.reconv = opBar, &extra{barrier: b}, int32(len(l.prog.code))+1
	l.i.x.strict = l.in.Match.Form.Mnemonic == "bar" || l.has(".aligned") || l.prog.mod.SM < 70
	return true
}
