package emu

import (
	"slices"
	"unsafe"

	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// lowerers has a function for each mnemonic that is more than arithmetic on registers. The function lowers l.in into
// l.i and says whether it could. The table is data: the code that fills a map with functions is 23 kB of WebAssembly.
var lowerers = [...]struct {
	mnemonic string
	lower    func(*lowerer) bool
}{
	{"mov", lowerMov},
	{"ld", lowerLoad},
	{"ldu", lowerLoad},
	{"st", lowerStore},
	{"atom", lowerAtom},
	{"red", lowerAtom},
	{"cvta", lowerCvta},
	{"isspacep", lowerIsspacep},
	{"setp", lowerSetp},
	{"testp", lowerTestp},
	{"selp", lowerSelp},
	{"and", lowerLogic},
	{"or", lowerLogic},
	{"xor", lowerLogic},
	{"not", lowerLogic},
	{"lop3", lowerLop3},
	{"bfi", lowerArithmetic},
	{"bra", lowerBra},
	{"brx", lowerBrx},
	{"call", lowerCall},
	{"ret", lowerRet},
	{"exit", lowerExit},
	{"bar", lowerBar},
	{"barrier", lowerBar},
	{"trap", func(l *lowerer) bool { return l.runs((*machine.Warp).Trap) }},
	{"brkpt", func(l *lowerer) bool { return l.plain(machine.OpNop) }},
	{"pmevent", func(l *lowerer) bool { return l.plain(machine.OpNop) }},
	{"nanosleep", func(l *lowerer) bool { return l.plain(machine.OpSleep) }},
	{"fence", lowerFence},
	{"membar", lowerFence},
	{"prefetch", func(l *lowerer) bool { return l.plain(machine.OpNop) }},
	{"prefetchu", func(l *lowerer) bool { return l.plain(machine.OpNop) }},
	{"applypriority", lowerApplyPriority},
	{"discard", lowerDiscard},
	{"createpolicy", lowerCreatepolicy},
	{"setmaxnreg", lowerMaxRegisters},
	{"shfl", lowerShfl},
	{"vote", lowerVote},
	{"match", lowerMatch},
	{"redux", lowerRedux},
	{"elect", lowerElect},
	{"activemask", lowerActivemask},
	{"mma", lowerMma},
	{"wmma", lowerWmma},
	{"wgmma", lowerWgmma},
	{"tcgen05", lowerTcgen05},
	{"spcompress", lowerCompress},
	{"spdecompress", lowerDecompress},
	{"ldmatrix", lowerLdmatrix},
	{"stmatrix", lowerLdmatrix},
	{"movmatrix", lowerMovmatrix},
	{"mbarrier", lowerMbarrier},
	{"tex", lowerFetch},
	{"tld4", lowerFetch},
	{"txq", lowerQueryOpaque},
	{"suq", lowerQueryOpaque},
	{"istypep", lowerIstypep},
	{"suld", lowerSurface},
	{"sust", lowerSurface},
	{"sured", lowerSurface},
	{"mapa", lowerMapa},
	{"stacksave", lowerStackOp},
	{"stackrestore", lowerStackOp},
	{"alloca", lowerStackOp},
	{"multimem", lowerMultimem},
	{"clusterlaunchcontrol", lowerLaunchControl},
	{"tensormap", lowerTensormap},
	{"getctarank", lowerMapa},
	{"cp", lowerCopyAsync},
	{"cvt", lowerCvt},
	{"vadd", lowerVideo},
	{"vshl", lowerVideo},
	{"vmad", lowerVideo},
	{"vset", lowerVideo},
	{"vadd2", lowerVideo},
	{"vset2", lowerVideo},
	{"vadd4", lowerVideo},
	{"vset4", lowerVideo},

	// Grids run one after the other: those that a grid depends on have ended (9.7.15.14).
	{"griddepcontrol", func(l *lowerer) bool { return l.plain(machine.OpNop) }},
}

var lowererOf = func() map[string]func(*lowerer) bool {
	m := map[string]func(*lowerer) bool{}
	for _, row := range lowerers {
		m[row.mnemonic] = row.lower
	}
	return m
}()

// lowerBra is bra (9.7.14.3).
func lowerBra(l *lowerer) bool {
	l.i.Op = l.dev.OpOfBra()
	l.i.Target, l.i.Fork.Reconv = l.pc(l.in.Targets()[0]), l.pc(l.in.Reconv())
	l.i.Uniform = l.has(".uni")
	return true
}

// lowerBrx is brx.idx (9.7.14.4).
func lowerBrx(l *lowerer) bool {
	b := &machine.BranchTable{Index: l.src(l.in.Operands[0], isa.U32)}
	if targets := l.in.Targets(); len(targets) > 0 {
		b.Targets = l.tables[&targets[0]]
		if b.Targets == nil {
			for _, t := range targets {
				b.Targets = append(b.Targets, l.pc(t))
			}
			l.tables[&targets[0]] = b.Targets
		}
	}
	l.i.Op, l.i.X, l.i.Fork.Reconv, l.i.Uniform = machine.OpBrx, &machine.Extra{Branches: b}, l.pc(l.in.Reconv()),
		l.has(".uni")
	return true
}

func lowerRet(l *lowerer) bool {
	l.i.Op, l.i.Uniform = machine.OpRet, l.has(".uni")
	return true
}

func lowerExit(l *lowerer) bool { return l.plain(machine.OpExit) }

// lowerCall is call (9.7.14.5).
func lowerCall(l *lowerer) bool {
	c := l.in.Call
	info := &machine.CallInfo{}
	l.i.Uniform = c.Uniform || l.has(".uni")
	if c.Target.Kind == ptx.OpFunc {
		info.Target = l.prog.ByFunc[c.Target.Func()]
		l.fn.Callees = append(l.fn.Callees, info.Target)
	} else {
		info.Via = l.src(c.Target, isa.NoType)
		l.fn.Indirect = true
	}
	proto := c.Proto
	if proto == nil && c.Target.Kind == ptx.OpFunc {
		proto = c.Target.Func()
	}
	for n, a := range c.Args {
		info.Args = append(info.Args, l.passed(a, formalType(proto.Params, proto.ParamRegs, n)))
	}
	for n, r := range c.Returns {
		p := l.passed(r, formalType(proto.Returns, proto.ReturnRegs, n))
		for i, e := range elements(r) {
			if p.V == nil {
				l.writesTo(e, p.Regs[i])
			}
		}
		info.Rets = append(info.Rets, p)
	}
	l.i.Op, l.i.X = machine.OpCall, &machine.Extra{Call: info}
	l.i.Fork.Reconv = int32(len(l.prog.Code)) + 1
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
func (l *lowerer) passed(op ptx.Operand, t isa.Type) machine.Passed {
	if op.Kind == ptx.OpVar && op.Var.Space == ptx.ParamSpace {
		return machine.Passed{V: op.Var}
	}
	p := machine.Passed{Bits: t.Bits()}
	for _, e := range elements(op) {
		p.Regs = append(p.Regs, l.src(e, t))
	}
	return p
}

// lowerBar is bar and barrier (9.7.15.1 to 9.7.15.3).
func lowerBar(l *lowerer) bool {
	ops := l.in.Operands
	switch {
	case l.has(".warp"):
		return l.syncLanes()
	case l.has(".cluster"):
		return lowerClusterBarrier(l)
	}
	b := &machine.BarrierOp{Count: row.Operand{Sink: true}, Arrives: l.has(".arrive")}
	if l.has(".red") {
		last := len(ops) - 1
		b.Red = &machine.BarrierReduction{D: l.dst(ops[0]), Popc: l.has(".popc"), And: l.has(".and"),
			P: l.src(ops[last], isa.Pred)}
		ops = ops[1:last]
	}
	b.ID = l.src(ops[0], isa.U32)
	if len(ops) > 1 {
		b.Count = l.src(ops[1], isa.U32)
	}
	b.Vary = slices.ContainsFunc(ops, func(o ptx.Operand) bool { return o.Kind == ptx.OpReg })
	l.i.Op, l.i.X, l.i.Fork.Reconv = machine.OpBar, &machine.Extra{Barrier: b}, int32(len(l.prog.Code))+1
	l.i.X.Strict = l.in.Match.Form.Mnemonic == "bar" || l.has(".aligned") || l.prog.Mod.SM < 70
	return true
}

// lowerTcgen05 lowers the instructions of that name.
func lowerTcgen05(l *lowerer) bool {
	var run func(*machine.Warp, *machine.Inst, unsafe.Pointer, Mask) bool
	switch l.in.Match.Form.ID {
	case "tcgen05.alloc", "tcgen05.alloc.exclusive":
		return lowerTensorAlloc(l)
	case "tcgen05.ld", "tcgen05.ld.red", "tcgen05.ld.spcompress", "tcgen05.st":
		return lowerTensorMove(l)
	case "tcgen05.wait":
		kind := machine.LateLoad
		if l.has(".wait::st") {
			kind = machine.LateStore
		}
		run = func(w *machine.Warp, in *machine.Inst, _ unsafe.Pointer, exec Mask) bool {
			w.DoLate(func(l *machine.Late) bool { return l.Kind == kind })
			return wholeWarp(w, in, exec)
		}
	case "tcgen05.fence":
		before := l.has(".fence::before_thread_sync")
		run = func(w *machine.Warp, _ *machine.Inst, _ unsafe.Pointer, exec Mask) bool {
			machine.EachLane(exec, func(lane int) { fence(&w.CTA.Tensor, machine.Thread{Warp: w.Index, Lane: lane}, before) })
			return true
		}
	case "tcgen05.cp":
		return lowerTensorCopy(l)
	case "tcgen05.shift":
		return lowerTensorShift(l)
	case "tcgen05.commit", "tcgen05.commit.sync_restrict":
		return lowerTensorCommit(l)
	default:
		return lowerTensorProduct(l)
	}
	return l.runs(run)
}
