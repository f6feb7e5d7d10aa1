package emu

import (
	"slices"

	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// lowerers are the mnemonics that are more than arithmetic on registers. Each function lowers l.in into l.i and says
// whether it could.
var lowerers = map[string]func(*lowerer) bool{
	"mov":                  lowerMov,
	"ld":                   lowerLoad,
	"ldu":                  lowerLoad,
	"st":                   lowerStore,
	"atom":                 lowerAtom,
	"red":                  lowerAtom,
	"cvta":                 lowerCvta,
	"isspacep":             lowerIsspacep,
	"setp":                 lowerSetp,
	"testp":                lowerTestp,
	"selp":                 lowerSelp,
	"and":                  lowerLogic,
	"or":                   lowerLogic,
	"xor":                  lowerLogic,
	"not":                  lowerLogic,
	"lop3":                 lowerLop3,
	"bfi":                  lowerArithmetic,
	"bra":                  lowerBra,
	"brx":                  lowerBrx,
	"call":                 lowerCall,
	"ret":                  lowerRet,
	"exit":                 lowerExit,
	"bar":                  lowerBar,
	"barrier":              lowerBar,
	"trap":                 func(l *lowerer) bool { return l.runs((*warp).trap) },
	"brkpt":                func(l *lowerer) bool { return l.plain(opNop) },
	"pmevent":              func(l *lowerer) bool { return l.plain(opNop) },
	"nanosleep":            func(l *lowerer) bool { return l.plain(opSleep) },
	"fence":                lowerFence,
	"membar":               lowerFence,
	"prefetch":             func(l *lowerer) bool { return l.plain(opNop) },
	"prefetchu":            func(l *lowerer) bool { return l.plain(opNop) },
	"applypriority":        lowerApplyPriority,
	"discard":              lowerDiscard,
	"createpolicy":         lowerCreatepolicy,
	"setmaxnreg":           lowerMaxRegisters,
	"shfl":                 lowerShfl,
	"vote":                 lowerVote,
	"match":                lowerMatch,
	"redux":                lowerRedux,
	"elect":                lowerElect,
	"activemask":           lowerActivemask,
	"mma":                  lowerMma,
	"wmma":                 lowerWmma,
	"wgmma":                lowerWgmma,
	"tcgen05":              lowerTcgen05,
	"ldmatrix":             lowerLdmatrix,
	"stmatrix":             lowerLdmatrix,
	"movmatrix":            lowerMovmatrix,
	"mbarrier":             lowerMbarrier,
	"tex":                  lowerFetch,
	"tld4":                 lowerFetch,
	"txq":                  lowerQueryOpaque,
	"suq":                  lowerQueryOpaque,
	"istypep":              lowerIstypep,
	"suld":                 lowerSurface,
	"sust":                 lowerSurface,
	"sured":                lowerSurface,
	"mapa":                 lowerMapa,
	"stacksave":            lowerStackOp,
	"stackrestore":         lowerStackOp,
	"alloca":               lowerStackOp,
	"multimem":             lowerMultimem,
	"clusterlaunchcontrol": lowerLaunchControl,
	"tensormap":            lowerTensormap,
	"getctarank":           lowerMapa,
	"cp":                   lowerCopyAsync,
	"cvt":                  lowerCvt,
	"vadd":                 lowerVideo,
	"vshl":                 lowerVideo,
	"vmad":                 lowerVideo,
	"vset":                 lowerVideo,
	"vadd2":                lowerVideo,
	"vset2":                lowerVideo,
	"vadd4":                lowerVideo,
	"vset4":                lowerVideo,

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

// lowerBra is bra (9.7.12.3).
func lowerBra(l *lowerer) bool {
	l.i.op = opBra
	l.i.target, l.i.fork.Reconv = l.pc(l.in.Targets()[0]), l.pc(l.in.Reconv())
	l.i.uniform = l.has(".uni")
	return true
}

// lowerBrx is brx.idx (9.7.12.4).
func lowerBrx(l *lowerer) bool {
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
	l.i.op, l.i.x, l.i.fork.Reconv, l.i.uniform = opBrx, &extra{branches: b}, l.pc(l.in.Reconv()), l.has(".uni")
	return true
}

func lowerRet(l *lowerer) bool {
	l.i.op, l.i.uniform = opRet, l.has(".uni")
	return true
}

func lowerExit(l *lowerer) bool { return l.plain(opExit) }

// lowerCall is call (9.7.12.5).
func lowerCall(l *lowerer) bool {
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
	l.i.fork.Reconv = int32(len(l.prog.code)) + 1
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

// lowerBar is bar and barrier (9.7.13.1 to 9.7.13.3).
func lowerBar(l *lowerer) bool {
	ops := l.in.Operands
	switch {
	case l.has(".warp"):
		return l.syncLanes()
	case l.has(".cluster"):
		return lowerClusterBarrier(l)
	}
	b := &barrierOp{count: row.Operand{Sink: true}, arrives: l.has(".arrive")}
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
	l.i.op, l.i.x, l.i.fork.Reconv = opBar, &extra{barrier: b}, int32(len(l.prog.code))+1
	l.i.x.strict = l.in.Match.Form.Mnemonic == "bar" || l.has(".aligned") || l.prog.mod.SM < 70
	return true
}
