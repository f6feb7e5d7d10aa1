package debug

import (
	"fmt"
	"math/bits"
	"strings"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// sentence says in PTX terms what a step did: "line 14, `@%p1 bra DONE`: 5 of 32 lanes branch; pushed mask fffffff0,
// reconverge at line 22."
func (s *Session) sentence(rec *emu.Step) string {
	after := s.history.grid.Warp(rec.CTAIndex, rec.Warp)
	t := teller{Session: s, rec: rec, after: &after}
	t.tell(t.deed())
	t.stack()
	t.endings()
	return fmt.Sprintf("line %d, %s: %s.", s.line(rec.Inst), s.quote(rec.Inst), strings.Join(t.clauses, "; "))
}

// teller collects the clauses of a sentence.
type teller struct {
	*Session
	rec     *emu.Step
	after   *emu.WarpView
	clauses []string
	names   []extent // made when first needed
}

func (t *teller) tell(clause string) {
	if clause != "" {
		t.clauses = append(t.clauses, clause)
	}
}

// name writes a generic address.
func (t *teller) name(a emu.Addr) string {
	if n := t.known(a); n != "" {
		return n
	}
	return fmt.Sprintf("%#x", a)
}

// known is an address as a region and an offset, or "".
func (t *teller) known(a emu.Addr) string {
	if t.names == nil {
		t.names = t.extents()
	}
	return nameIn(t.names, a)
}

// lanes counts lanes out of those that were at the instruction: "all 32 lanes", "5 of 32 lanes", "no lane".
func (t *teller) lanes(m emu.Mask) string {
	n, all := m.Count(), t.rec.Active.Count()
	switch {
	case n == 0:
		return "no lane"
	case n == all && n == 1:
		return "1 lane"
	case n == all:
		return fmt.Sprintf("all %d lanes", n)
	}
	return fmt.Sprintf("%d of %d lanes", n, all)
}

func verb(m emu.Mask, plural string) string {
	if m.Count() == 1 {
		return plural + "s"
	}
	return plural
}

// deed is the main clause.
func (t *teller) deed() string {
	r := t.rec
	mnemonic, _, _ := strings.Cut(r.Inst.Opcode, ".")
	if mnemonic == "bra" {
		if r.Taken == 0 {
			return "no lane branches"
		}
		return t.lanes(r.Taken) + " " + branches(r.Taken)
	}
	if r.Exec == 0 {
		return t.guardFalse()
	}
	who := t.lanes(r.Exec) + " "
	switch {
	case mnemonic == "brx":
		return who + verb(r.Exec, "jump") + " through the table"
	case mnemonic == "call" && t.hasPush(emu.KindCall):
		return who + verb(r.Exec, "call") + " " + t.callee()
	case mnemonic == "ret" && r.Exited == 0:
		return who + verb(r.Exec, "return")
	case mnemonic == "ret" || mnemonic == "exit":
		return who + verb(r.Exited, "exit")
	case r.Barrier != nil:
		return t.barrier()
	case r.Output != "":
		return fmt.Sprintf("%s%s %q", who, verb(r.Exec, "print"), r.Output)
	}
	return t.effects(who)
}

func branches(m emu.Mask) string {
	if m.Count() == 1 {
		return "branches"
	}
	return "branch"
}

// guardFalse tells of an instruction that no lane executed.
func (t *teller) guardFalse() string {
	g := t.rec.Inst.Guard
	if g == nil {
		return "no lane executes it"
	}
	return fmt.Sprintf("no lane executes it: %s is %t in %s", g.Reg.Name, g.Neg, t.lanes(t.rec.Active))
}

func (t *teller) hasPush(k emu.EntryKind) bool {
	for _, c := range t.rec.Stack {
		if c.Push && c.Entry.Kind == k {
			return true
		}
	}
	return false
}

func (t *teller) callee() string {
	for _, c := range t.rec.Stack {
		if c.Push && c.Entry.Kind == emu.KindCall && c.Entry.Func != nil {
			return c.Entry.Func.Name
		}
	}
	return "a function"
}

func (t *teller) barrier() string {
	b := t.rec.Barrier
	if b.Done {
		return fmt.Sprintf("all %s have arrived, barrier %d lets them go on", plural(b.Expected, "thread"), b.ID)
	}
	return fmt.Sprintf("%d of %s have arrived at barrier %d", b.Arrived, plural(b.Expected, "thread"), b.ID)
}

// effects tells of memory and registers.
func (t *teller) effects(who string) string {
	r := t.rec
	form := r.Inst.Match
	reads := form != nil && form.Form.Effect&isa.ReadsMemory != 0
	var parts []string
	switch {
	case len(r.Mem) > 0 && reads:
		parts = append(parts, who+verb(r.Exec, "update")+" "+t.written())
	case len(r.Mem) > 0:
		parts = append(parts, who+verb(r.Exec, "store")+" "+t.stored()+"to "+t.written())
	case reads:
		if from := t.loaded(); from != "" {
			parts = append(parts, who+verb(r.Exec, "load")+" from "+from)
		}
	}
	shown := 0
	for i := range r.Regs {
		if r.Regs[i].Reg == nil || r.Regs[i].Lanes == 0 {
			continue
		}
		if shown++; shown > 4 {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, t.register(&r.Regs[i]))
	}
	if len(parts) == 0 {
		return who + verb(r.Exec, "execute") + " it"
	}
	return strings.Join(parts, ", ")
}

// register is "%r1 = 7 in all 32 lanes", "%f2 = 0.5 … 16 in 31 of 32 lanes" or "%p1 is true in 5 of 32 lanes".
func (t *teller) register(w *emu.RegWrite) string {
	name := w.Reg.Name
	if w.Elem >= 0 && w.Reg.Vec > 1 {
		name += "." + "xyzw"[w.Elem:w.Elem+1]
	}
	if w.Reg.Type == isa.Pred {
		var set emu.Mask
		for lane := range 32 {
			if w.Lanes.Has(lane) && w.New[lane]&1 != 0 {
				set |= 1 << lane
			}
		}
		return fmt.Sprintf("%s is true in %s", name, t.lanes(set))
	}
	value := func(lane int) string {
		hi := uint64(0)
		if w.NewHi != nil {
			hi = w.NewHi[lane]
		}
		return t.value(w.Reg.Type, w.New[lane], hi)
	}
	return fmt.Sprintf("%s = %s in %s", name, span(w.Lanes, value), t.lanes(w.Lanes))
}

// value names addresses in registers that can hold one.
func (t *teller) value(typ isa.Type, lo, hi uint64) string {
	if typ.Bits() == t.module.AddressSize && typ.Class() != isa.Float && lo > 1<<16 {
		if n := t.known(lo); n != "" {
			return n
		}
	}
	return launch.FormatValue(typ, lo, hi)
}

// span is the first and last lane's value, or the value that all lanes have.
func span(lanes emu.Mask, value func(lane int) string) string {
	first := bits.TrailingZeros32(uint32(lanes))
	last := 31 - bits.LeadingZeros32(uint32(lanes))
	text := value(first)
	for lane := first + 1; lane <= last; lane++ {
		if lanes.Has(lane) && value(lane) != text {
			return text + " … " + value(last)
		}
	}
	return text
}

// written is where memory was written: "out … out+124".
func (t *teller) written() string {
	m := t.rec.Mem
	first, last := t.name(m[0].Addr), t.name(m[len(m)-1].Addr)
	if first == last {
		return first
	}
	return first + " … " + last
}

// stored is what a store wrote, with a space behind it: "3.5 … 34.5 ". Vectors are not shown.
func (t *teller) stored() string {
	types := t.rec.Inst.Match.Types
	if len(types) == 0 {
		return ""
	}
	typ, m := types[len(types)-1], t.rec.Mem
	value := func(w *emu.MemWrite) string {
		var v uint64
		for i := len(w.New) - 1; i >= 0; i-- {
			v = v<<8 | uint64(w.New[i])
		}
		return t.value(typ, v, 0)
	}
	if len(m[0].New) != typ.Bytes() || typ.Bytes() > 8 {
		return ""
	}
	text := value(&m[0])
	for i := range m {
		if v := value(&m[i]); v != text {
			return text + " … " + value(&m[len(m)-1]) + " "
		}
	}
	return text + " "
}

// loaded is where a load read from; "" when that cannot be told.
func (t *teller) loaded() string {
	r := t.rec
	for i := range r.Inst.Operands {
		o := &r.Inst.Operands[i]
		switch {
		case o.Kind != ptx.OpAddr:
			continue
		case o.Var != nil && o.Off != 0:
			return fmt.Sprintf("%s%+d", o.Var.Name, o.Off)
		case o.Var != nil:
			return o.Var.Name
		case o.Reg != nil:
			base := t.before(o.Reg, int(o.Elem))
			if base == nil {
				return ""
			}
			return span(r.Exec, func(lane int) string { return t.place(base[lane] + uint64(o.Off)) })
		}
	}
	return ""
}

// place names an address of the space that the instruction names.
func (t *teller) place(a uint64) string {
	m := t.rec.Inst.Match
	for _, space := range []string{"shared", "local"} {
		if !m.Has("."+space) && !m.Has("."+space+"::cta") {
			continue
		}
		if a == 0 {
			return space
		}
		return fmt.Sprintf("%s+%d", space, a)
	}
	return t.name(a)
}

// before is a register's values before the step, nil when they are not known.
func (t *teller) before(reg *ptx.Reg, elem int) *[32]uint64 {
	for i := range t.rec.Regs {
		if w := &t.rec.Regs[i]; w.Reg == reg && w.Elem == elem {
			return &w.Old
		}
	}
	for i := range t.after.Regs {
		if v := &t.after.Regs[i]; v.Reg == reg && v.Elem == elem {
			return &v.Lo
		}
	}
	return nil
}

// stack tells what was popped and pushed.
func (t *teller) stack() {
	var popped, pushed []string
	rpc := ""
	for _, c := range t.rec.Stack {
		mask := fmt.Sprintf("%08x", uint32(c.Entry.Mask))
		switch {
		case !c.Push:
			popped = append(popped, mask)
		case c.Entry.Kind != emu.KindCall:
			pushed = append(pushed, mask)
			rpc = ", reconverge at the function's end"
			if c.Entry.RPC != nil {
				rpc = fmt.Sprintf(", reconverge at line %d", t.line(c.Entry.RPC))
			}
		}
	}
	if len(popped) > 0 {
		clause := "popped " + maskList(popped)
		if len(pushed) == 0 && len(t.after.Stack) > 0 && t.rec.Exited == 0 {
			top := t.after.Stack[0]
			clause += fmt.Sprintf(", %08x runs next at line %d", uint32(top.Mask), t.line(top.PC))
		}
		t.tell(clause)
	}
	if len(pushed) > 0 {
		t.tell("pushed " + maskList(pushed) + rpc)
	}
}

func maskList(masks []string) string {
	if len(masks) == 1 {
		return "mask " + masks[0]
	}
	n := len(masks) - 1
	return "masks " + strings.Join(masks[:n], ", ") + " and " + masks[n]
}

func (t *teller) endings() {
	switch {
	case t.rec.Exited == 0:
	case t.after.Ended:
		t.tell(fmt.Sprintf("warp %d has ended", t.rec.Warp))
	default:
		t.tell(plural((t.after.Present&^t.after.Exited).Count(), "lane") + " left")
	}
}

// faultStatus is "Stopped at line 12: misaligned address …".
func (s *Session) faultStatus() string {
	status := "Stopped at " + s.prepared.Fault().Error() + "."
	for _, e := range s.prepared.Report().Expectations {
		if e.Pass && strings.HasPrefix(e.Text, "fault") {
			return strings.TrimSuffix(status, ".") + ", as expected."
		}
	}
	return status
}

// finishedStatus is "Finished: 1,024 threads, 7,168 warp instructions. All 3 expectations are met."
func (s *Session) finishedStatus() string {
	stats := s.history.grid.Stats()
	status := fmt.Sprintf("Finished: %s, %s.", plural64(stats.Threads, "thread"),
		plural64(stats.WarpInstructions, "warp instruction"))
	met, all := 0, 0
	for _, e := range s.prepared.Report().Expectations {
		all++
		if e.Pass {
			met++
		}
	}
	switch {
	case all == 0:
	case met == all && all == 1:
		status += " The expectation is met."
	case met == all:
		status += fmt.Sprintf(" All %d expectations are met.", all)
	default:
		status += fmt.Sprintf(" %d of %s not met.", all-met, plural(all, "expectation"))
	}
	return status
}
