package emu

import (
	"strings"
	"unsafe"

	"warpscope/emu/num"
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
	"bfi":                  (*lowerer).fourOperands,
	"bra":                  (*lowerer).bra,
	"brx":                  (*lowerer).brx,
	"call":                 (*lowerer).call,
	"ret":                  (*lowerer).ret,
	"exit":                 (*lowerer).exit,
	"bar":                  (*lowerer).bar,
	"barrier":              (*lowerer).bar,
	"trap":                 func(l *lowerer) bool { return l.plain(opTrap) },
	"brkpt":                func(l *lowerer) bool { return l.plain(opNop) },
	"pmevent":              func(l *lowerer) bool { return l.plain(opNop) },
	"nanosleep":            func(l *lowerer) bool { return l.plain(opSleep) },
	"fence":                (*lowerer).fence,
	"membar":               (*lowerer).fence,
	"prefetch":             func(l *lowerer) bool { return l.plain(opNop) },
	"prefetchu":            func(l *lowerer) bool { return l.plain(opNop) },
	"applypriority":        func(l *lowerer) bool { return l.aligned(128) }, // 9.7.9.16
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

// arithmetic lowers whatever is a pure function of a lane's operands: to a generated handler when there is one for the
// opcode, else to the function of emu/num.
func (l *lowerer) arithmetic() bool {
	ops := l.in.Operands
	if len(ops) < 2 {
		return false
	}
	x := &extra{}
	for n := 1; n < len(ops); n++ {
		if ops[n].Kind == ptx.OpVec || ops[n].Kind == ptx.OpAddr || ops[n].Kind == ptx.OpLabel {
			return false
		}
		x.s = append(x.s, l.src(ops[n], l.typeOf(n)))
	}
	if ops[0].Kind != ptx.OpReg && ops[0].Kind != ptx.OpSink {
		return false
	}
	x.d = []operand{l.dst(ops[0])}
	key := l.in.Match.Key()
	g, ok := l.gen[key]
	if c, has := l.gen[key+constShift]; has && ops[2].Kind == ptx.OpImm && ops[2].Imm < 32 {
		g, ok = c, true
	}
	if ok && g.fits(x) {
		l.i.handler, l.i.width, l.i.row = g.run, g.rows[0], g.row
		l.place(x)
		return true
	}
	k, ok := num.Lookup(key)
	if !ok {
		return false
	}
	x.kernel = k
	l.i.x = x
	switch {
	case k.F1 != nil && len(x.s) == 1:
		l.i.op = opF1
	case k.F2 != nil && len(x.s) == 2:
		l.i.op = opF2
		if l.in.Match.Form.Effect&isa.Divides != 0 {
			x.mode = 1 // zero divisors are noted
		}
	case k.F3 != nil && len(x.s) == 3:
		l.i.op = opF3
	case k.F4 != nil && len(x.s) == 4:
		l.i.op, x.four = opFour, k.F4
	case k.C != nil && len(x.s) >= 2:
		l.i.op = opCarry
		if l.has(".cc") {
			x.mode = 1
		}
	default:
		return false
	}
	return true
}

// cvt is arithmetic, but for the forms with four sources (9.7.9.21).
func (l *lowerer) cvt() bool {
	ops := l.in.Operands
	k, ok := num.Lookup(l.in.Match.Key())
	if !ok || k.V4 == nil {
		return l.arithmetic()
	}
	v := [4]operand{}
	for i, e := range elements(ops[1]) {
		v[i] = l.src(e, isa.F32)
	}
	d, random := l.dst(ops[0]), l.src(ops[2], isa.B32)
	l.i.op, l.i.x = opRun, &extra{run: func(_ *warp, _ *inst, f unsafe.Pointer, exec Mask) bool {
		eachLane(exec, func(lane int) {
			var s [4]uint64
			for i := range s {
				s[i] = v[i].get(f, lane)
			}
			d.set(f, lane, k.V4(s, random.get(f, lane)))
		})
		return true
	}}
	return true
}

// fits says whether the operands live in rows of the widths that a generated handler works on.
func (g genOp) fits(x *extra) bool {
	if len(g.rows) != len(x.s)+1 || len(x.d) > 0 && !rowFits(g.rows[0], &x.d[0]) {
		return false
	}
	for n := range x.s {
		if !rowFits(g.rows[n+1], &x.s[n]) {
			return false
		}
	}
	return true
}

func rowFits(width uint8, o *operand) bool {
	return !o.sink && (width == 1 && o.bits == 32 || width == 2 && o.bits == 64)
}

// place fills the operand offsets that generated handlers use.
func (l *lowerer) place(x *extra) {
	if len(x.d) > 0 {
		l.i.d = x.d[0].off
	}
	for n, o := range x.s {
		switch n {
		case 0:
			l.i.a = o.off
		case 1:
			l.i.b = o.off
		case 2:
			l.i.c = o.off
		}
	}
}

// withoutBoolOp is the opcode's key without the operator that combines a comparison with a predicate.
func (l *lowerer) withoutBoolOp() string {
	var words []string
	for _, w := range strings.Split(l.in.Match.Key(), ".") {
		if w != "and" && w != "or" && w != "xor" {
			words = append(words, w)
		}
	}
	return strings.Join(words, ".")
}

// boolOp is the opcode's operator for predicates, or 0.
func (l *lowerer) boolOp() byte {
	switch l.first(".and", ".or", ".xor") {
	case ".and":
		return '&'
	case ".or":
		return '|'
	case ".xor":
		return '^'
	}
	return 0
}

// setp is setp in all its forms (9.7.6.2, 9.7.7.2).
func (l *lowerer) setp() bool {
	ops := l.in.Operands
	x := &extra{s: []operand{l.src(ops[1], l.typeOf(1)), l.src(ops[2], l.typeOf(2))}}
	l.preds(x, ops[0])
	if len(ops) > 3 && ops[3].Kind != ptx.OpMissing {
		x.boolOp, x.boolIn = l.boolOp(), l.src(ops[3], isa.Pred)
	}
	key := l.withoutBoolOp()
	if g, ok := l.gen[key]; ok && g.fits(x) {
		l.i.handler, l.i.row = g.run, g.row
		l.place(x)
		if l.i.d = x.p.off; x.boolOp != 0 || x.hasQ || x.p.sink {
			l.i.x, l.i.row = x, 0
		}
		return true
	}
	k, ok := num.Lookup(key)
	if !ok || k.P2 == nil && k.P2x2 == nil {
		return false
	}
	x.kernel, l.i.x, l.i.op = k, x, opSetp
	if k.P2x2 != nil {
		l.i.op = opSetpX2
	}
	return true
}

// preds are the predicate destinations p|q.
func (l *lowerer) preds(x *extra, op ptx.Operand) {
	x.p = l.dst(op)
	if op.Second() != nil {
		x.q, x.hasQ = l.dst(*op.Second()), true
	}
}

func (l *lowerer) testp() bool {
	ops := l.in.Operands
	k, ok := num.Lookup(l.in.Match.Key())
	if !ok || k.P1 == nil {
		return false
	}
	x := &extra{kernel: k, s: []operand{l.src(ops[1], l.typeOf(1))}}
	l.preds(x, ops[0])
	l.i.op, l.i.x = opPredTest, x
	return true
}

// selp is selp (9.7.6.3).
func (l *lowerer) selp() bool {
	ops := l.in.Operands
	t := l.typeOf(1)
	x := &extra{d: []operand{l.dst(ops[0])}, s: []operand{l.src(ops[1], t), l.src(ops[2], t)}}
	p := l.src(ops[3], isa.Pred)
	if x.d[0].sink {
		return l.plain(opNop)
	}
	if p.neg { // d = !p ? a : b is d = p ? b : a
		x.s[0], x.s[1] = x.s[1], x.s[0]
	}
	l.place(x)
	l.i.c = p.off
	if l.i.handler, l.i.width = hSelp32, 1; x.d[0].wide() {
		l.i.handler, l.i.width = hSelp64, 2
	}
	return true
}

// logic is and, or, xor and not, on bits or on predicates (9.7.8.1 to 9.7.8.4).
func (l *lowerer) logic() bool {
	if l.in.Match.Types[0] != isa.Pred {
		return l.arithmetic()
	}
	return l.predicates(l.in.Match.Form.Mnemonic)
}

func (l *lowerer) predicates(sub string) bool {
	x := &extra{sub: sub}
	for _, op := range l.in.Operands[1:] {
		x.s = append(x.s, l.src(op, isa.Pred))
	}
	x.d = []operand{l.dst(l.in.Operands[0])}
	l.i.op, l.i.x = opPredLogic, x
	return true
}

// lop3 is lop3 with and without a predicate result (9.7.8.6).
func (l *lowerer) lop3() bool {
	ops := l.in.Operands
	x := &extra{four: func(a, b, c, lut uint64) uint64 {
		return uint64(num.Lop3(uint32(a), uint32(b), uint32(c), uint8(lut)))
	}}
	x.d = []operand{l.dst(ops[0])}
	for _, op := range ops[1:5] {
		x.s = append(x.s, l.src(op, isa.B32))
	}
	if ops[0].Second() != nil {
		x.p, x.boolOp, x.boolIn = l.dst(*ops[0].Second()), l.boolOp(), l.src(ops[5], isa.Pred)
	}
	l.i.op, l.i.x = opFour, x
	return true
}

func (l *lowerer) fourOperands() bool { return l.arithmetic() }

// mov is mov in all its forms (9.7.9.3, 9.7.9.4).
func (l *lowerer) mov() bool {
	ops := l.in.Operands
	t := l.in.Match.Types[0]
	switch {
	case l.in.Match.Value("vec") != "":
		return l.movVector(t)
	case t == isa.Pred:
		return l.predicates("mov")
	case ops[0].Kind == ptx.OpVec || ops[1].Kind == ptx.OpVec:
		return l.packOrUnpack(t)
	case ops[1].Kind == ptx.OpSReg && clockShift(ops[1].SReg().Name) >= 0:
		x := &extra{d: []operand{l.dst(ops[0])}, mode: uint64(clockShift(ops[1].SReg().Name))}
		l.i.op, l.i.x = opClock, x
		return true
	}
	x := &extra{s: []operand{l.src(ops[1], t)}, d: []operand{l.dst(ops[0])}}
	s, d := &x.s[0], &x.d[0]
	switch {
	case s.sink:
		return false
	case d.sink:
		return l.plain(opNop)
	case d.bits == 128:
		l.i.op = opMov128
	case d.bits == 32 && !s.wide() && s.mask == 1<<32-1:
		l.i.handler, l.i.width, l.i.row, l.i.d, l.i.a = hMov32, 1, rowCall, d.off, s.off
		return true
	case d.bits == 64 && s.bits == 64 && s.mask == ^uint64(0):
		l.i.handler, l.i.width, l.i.d, l.i.a = hMov64, 2, d.off, s.off
		return true
	default:
		l.i.op = opUnpack
	}
	l.i.x = x
	return true
}

// clockShift is the right shift that makes a clock register of the tick counter, or -1 for other registers.
func clockShift(name string) int {
	switch name {
	case "%clock", "%clock64", "%globaltimer", "%globaltimer_lo":
		return 0
	case "%clock_hi", "%globaltimer_hi":
		return 32
	}
	return -1
}

// packOrUnpack is mov between a scalar and a tuple, or between tuples.
func (l *lowerer) packOrUnpack(t isa.Type) bool {
	ops := l.in.Operands
	x := &extra{}
	list := func(op ptx.Operand) []ptx.Operand {
		if op.Kind == ptx.OpVec {
			return op.List()
		}
		return []ptx.Operand{op}
	}
	ds, ss := list(ops[0]), list(ops[1])
	elem := func(n int) isa.Type { return bitsType(t.Bits() / n) }
	for _, s := range ss {
		x.s = append(x.s, l.src(s, elem(len(ss))))
	}
	for _, d := range ds {
		o := l.dst(d)
		o.mask = ^uint64(0) >> max(64-elem(len(ds)).Bits(), 0)
		x.d = append(x.d, o)
	}
	l.i.op, l.i.x = opUnpack, x
	return true
}

// movVector is mov.v2 and mov.v4, which copy element by element (6.4.3).
func (l *lowerer) movVector(t isa.Type) bool {
	x := &extra{}
	for _, s := range elements(l.in.Operands[1]) {
		x.s = append(x.s, l.src(s, t))
	}
	for _, d := range elements(l.in.Operands[0]) {
		x.d = append(x.d, l.dst(d))
	}
	l.i.op, l.i.x = opMovVector, x
	return len(x.s) == len(x.d)
}

func bitsType(bits int) isa.Type {
	switch bits {
	case 8:
		return isa.B8
	case 16:
		return isa.B16
	case 32:
		return isa.B32
	case 64:
		return isa.B64
	}
	return isa.B128
}

// cvta converts between generic addresses and those of a state space (9.7.9.20).
func (l *lowerer) cvta() bool {
	ops := l.in.Operands
	t := l.in.Match.Types[0]
	x := &extra{s: []operand{l.src(ops[1], t)}, d: []operand{l.dst(ops[0])}}
	switch l.first(".shared", ".shared::cta", ".shared::cluster", ".local") {
	case "":
	case ".local":
		x.mode = l.dev.win.local
	default:
		x.mode = l.dev.win.shared
	}
	if l.has(".to") {
		x.mode = -x.mode
		x.sub = l.first(".const", ".global", ".local", ".shared", ".shared::cta", ".shared::cluster", ".param", ".param::entry")
	}
	l.i.op, l.i.x = opCvta, x
	return true
}

func (l *lowerer) isspacep() bool {
	ops := l.in.Operands
	x := &extra{s: []operand{l.src(ops[1], l.typeOf(1))}}
	x.sub = l.first(".const", ".global", ".local", ".shared", ".shared::cta", ".shared::cluster", ".param", ".param::entry")
	l.preds(x, ops[0])
	l.i.op, l.i.x = opIsspacep, x
	return x.sub != ""
}

// bra is bra (9.7.12.3).
func (l *lowerer) bra() bool {
	l.i.op = opBra
	l.i.target, l.i.reconv = l.pc(l.in.Targets()[0]), l.pc(l.in.Reconv())
	if l.has(".uni") {
		l.i.b = 1
	}
	return true
}

func (l *lowerer) brx() bool {
	x := &extra{s: []operand{l.src(l.in.Operands[0], isa.U32)}}
	if targets := l.in.Targets(); len(targets) > 0 {
		x.targets = l.tables[&targets[0]]
		if x.targets == nil {
			for _, t := range targets {
				x.targets = append(x.targets, l.pc(t))
			}
			l.tables[&targets[0]] = x.targets
		}
	}
	if l.has(".uni") {
		x.mode = 1
	}
	l.i.op, l.i.x, l.i.reconv = opBrx, x, l.pc(l.in.Reconv())
	return true
}

func (l *lowerer) ret() bool {
	l.i.op = opRet
	if l.has(".uni") {
		l.i.b = 1
	}
	return true
}

func (l *lowerer) exit() bool { return l.plain(opExit) }

// call is call (9.7.12.5).
func (l *lowerer) call() bool {
	c := l.in.Call
	info := &callInfo{uniform: c.Uniform || l.has(".uni")}
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
		for i, e := range elementsOf(&r) {
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
	for _, e := range elementsOf(&op) {
		p.regs = append(p.regs, l.src(e, t))
	}
	return p
}

// elementsOf are the elements of a tuple, or the operand itself.
func elementsOf(op *ptx.Operand) []ptx.Operand {
	if op.Kind == ptx.OpVec {
		return op.List()
	}
	return []ptx.Operand{*op}
}

// bar is bar and barrier (9.7.13.1); bar.warp.sync (9.7.13.2) has nothing to wait for on the SIMT stack.
func (l *lowerer) bar() bool {
	ops := l.in.Operands
	switch {
	case l.has(".warp"):
		x := &extra{}
		l.membermask(x)
		l.i.op, l.i.x = opBarWarp, x
		return true
	case l.has(".cluster"):
		return l.clusterBarrier()
	}
	x := &extra{}
	n := 0
	switch {
	case l.has(".red"):
		x.sub = "red"
		if l.has(".popc") {
			x.d = []operand{l.dst(ops[0])}
		} else {
			x.boolOp = l.boolOp()
			x.p = l.dst(ops[0])
		}
		n = 1
		x.boolIn = l.src(ops[len(ops)-1], isa.Pred)
		ops = ops[:len(ops)-1]
	case l.has(".arrive"):
		x.sub = "arrive"
	}
	for ; n < len(ops); n++ {
		x.s = append(x.s, l.src(ops[n], isa.U32))
		if ops[n].Kind == ptx.OpReg {
			x.mode = 1 // lanes may differ
		}
	}
	x.strict = l.in.Match.Form.Mnemonic == "bar" || l.has(".aligned") || l.prog.mod.SM < 70
	l.i.op, l.i.x, l.i.reconv = opBar, x, int32(len(l.prog.code))+1
	return true
}

// fence is fence and membar (9.7.13.4): lanes and warps take turns, so memory is always in order.
func (l *lowerer) fence() bool {
	if l.has(".async", ".async::generic") && !l.has(".global") {
		l.i.x = &extra{} // see proxy.go
	}
	if len(l.in.Operands) > 0 && l.in.Operands[0].Kind == ptx.OpAddr {
		l.i.x = &extra{mem: l.access(l.in.Operands[0], isa.B64, false)}
	}
	return l.plain(opNop)
}

// createpolicy is createpolicy (9.7.9.18). There is no cache to govern: every policy is the same handle.
func (l *lowerer) createpolicy() bool {
	x := &extra{s: []operand{l.bitsRow(0, isa.B64)}, d: []operand{l.dst(l.in.Operands[0])}}
	l.i.op, l.i.x = opUnpack, x
	return true
}

// shfl is shfl and shfl.sync (9.7.9.6).
func (l *lowerer) shfl() bool {
	ops := l.in.Operands
	x := &extra{sub: l.first(".up", ".down", ".bfly", ".idx"), d: []operand{l.dst(ops[0])}}
	for n := 1; n <= 3; n++ {
		x.s = append(x.s, l.src(ops[n], isa.B32))
	}
	if ops[0].Second() != nil {
		x.q, x.hasQ = l.dst(*ops[0].Second()), true
	}
	l.membermask(x)
	l.i.op, l.i.x = opShfl, x
	return true
}

// membermask is the last operand of a .sync form.
func (l *lowerer) membermask(x *extra) {
	if l.has(".sync") {
		x.mode = 1
		x.boolIn = l.src(l.in.Operands[len(l.in.Operands)-1], isa.B32)
		l.i.reconv = int32(len(l.prog.code)) + 1
	}
}

func (l *lowerer) vote() bool {
	ops := l.in.Operands
	x := &extra{sub: l.first(".all", ".any", ".uni", ".ballot"), s: []operand{l.src(ops[1], isa.Pred)}}
	if x.sub == ".ballot" {
		x.d = []operand{l.dst(ops[0])}
	} else {
		x.p = l.dst(ops[0])
	}
	l.membermask(x)
	l.i.op, l.i.x = opVote, x
	return true
}

func (l *lowerer) match() bool {
	ops := l.in.Operands
	x := &extra{sub: l.first(".any", ".all"), s: []operand{l.src(ops[1], l.in.Match.Types[0])}, d: []operand{l.dst(ops[0])}}
	if ops[0].Second() != nil {
		x.q, x.hasQ = l.dst(*ops[0].Second()), true
	}
	l.membermask(x)
	l.i.op, l.i.x = opMatch, x
	return true
}

func (l *lowerer) redux() bool {
	ops := l.in.Operands
	t := l.in.Match.Types[0]
	x := &extra{s: []operand{l.src(ops[1], t)}, d: []operand{l.dst(ops[0])}}
	if x.fold = folds[l.first(".add", ".min", ".max", ".and", ".or", ".xor")+t.String()]; t == isa.F32 {
		x.kernel, x.fold = l.floatFold()
	}
	l.membermask(x)
	l.i.op, l.i.x = opRedux, x
	return x.fold != nil
}

// floatFold is what redux.sync does with .f32: what becomes of each value, and the minimum or maximum. The minimum of
// a NaN and itself is the canonical NaN, and of a number and itself that number, so that a single value is folded, too.
func (l *lowerer) floatFold() (each *num.Kernel, fold func(a, b uint64) uint64) {
	key := strings.TrimPrefix(l.first(".min", ".max"), ".")
	if l.has(".NaN") {
		key += ".NaN"
	}
	k, ok := num.Lookup(key + ".f32")
	if !ok {
		return nil, nil
	}
	sign := uint64(0)
	if l.has(".abs") {
		sign = 1 << 31
	}
	return &num.Kernel{F1: func(a uint64) uint64 { return k.F2(a&^sign, a&^sign) }}, k.F2
}

// folds are the operations of redux.sync (9.7.13.12).
var folds = map[string]func(a, b uint64) uint64{
	".add.u32": func(a, b uint64) uint64 { return uint64(uint32(a + b)) },
	".add.s32": func(a, b uint64) uint64 { return uint64(uint32(a + b)) },
	".min.u32": func(a, b uint64) uint64 { return min(a, b) },
	".max.u32": func(a, b uint64) uint64 { return max(a, b) },
	".min.s32": func(a, b uint64) uint64 { return uint64(uint32(min(int32(a), int32(b)))) },
	".max.s32": func(a, b uint64) uint64 { return uint64(uint32(max(int32(a), int32(b)))) },
	".and.b32": func(a, b uint64) uint64 { return a & b },
	".or.b32":  func(a, b uint64) uint64 { return a | b },
	".xor.b32": func(a, b uint64) uint64 { return a ^ b },
}

func (l *lowerer) elect() bool {
	ops := l.in.Operands
	x := &extra{d: []operand{l.dst(ops[0])}}
	if ops[0].Second() == nil {
		return false
	}
	x.p = l.dst(*ops[0].Second())
	l.membermask(x)
	l.i.op, l.i.x = opElect, x
	return true
}

func (l *lowerer) activemask() bool {
	l.i.op, l.i.x = opActivemask, &extra{d: []operand{l.dst(l.in.Operands[0])}}
	return true
}
