package debug

import (
	"fmt"
	"strconv"
	"strings"

	"warpscope/emu"
	"warpscope/gpu"
	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// sentence says in terms of PTX what a step did: "line 14, `@%p1 bra DONE`: 5 of 32 lanes branch; pushed mask fffffff0,
// to meet at line 22." Under independent scheduling it says "new group" instead of "pushed mask".
func (s *Session) sentence(rec *emu.Step) string {
	after := emu.WarpHead(s.history.grid, rec.CTAIndex, rec.Warp)
	t := teller{Session: s, rec: rec, after: &after}
	if rec.Waits != 0 {
		t.tell(t.arrival())
	} else {
		t.tell(t.deed())
	}
	for i := range rec.Mbarriers {
		t.tell(t.mbarrier(&rec.Mbarriers[i]))
	}
	for _, w := range rec.Tensor {
		of := ""
		if w.CTA != rec.CTAIndex {
			of = " of CTA " + s.ctaName(w.CTA)
		}
		t.tell(fmt.Sprintf("tensor memory%s: lanes %d to %d, columns %d to %d", of, w.Lane, w.Lane+w.Lanes-1, w.Column,
			w.Column+w.Columns-1))
	}
	for _, u := range rec.Undefined {
		t.tell(Undefined(u, rec.Inst, s.line(u.Origin)))
	}
	t.stack()
	t.endings()
	return fmt.Sprintf("line %d, %s: %s.", s.lineOf(rec), s.quote(rec.Inst), strings.Join(t.clauses, "; "))
}

// Undefined says what an instruction does with an undefined value, and where the value comes from. line is the line of
// the instruction that read it.
func Undefined(u emu.UndefinedUse, in *ptx.Inst, line int) string {
	name, never := gpu.ComponentName(u.Reg, u.Elem), "have never written"
	they := "they "
	if u.Lanes.Count() == 1 {
		they, never = "it ", "has never written"
	}
	text := fmt.Sprintf("%s %s %s, which ", u.Lanes.Lanes(), u.Use.Does(u.Lanes), name)
	if u.Origin == in {
		return text + they + never
	}
	return fmt.Sprintf("%scomes from line %d, where %shad never written %s", text, line, they,
		gpu.ComponentName(u.From, u.FromElem))
}

// arrival describes lanes that have arrived at a warp operation and wait there for others.
func (t *teller) arrival() string {
	for _, e := range t.after.Stack {
		if e.Wait == emu.WaitMembers && e.Mask&t.rec.Waits != 0 {
			return fmt.Sprintf("%s %s here for %s", t.rec.Waits.Lanes(), verb(t.rec.Waits, "wait"), e.For.Lanes())
		}
	}
	return fmt.Sprintf("%s %s here for the others of the mask", t.rec.Waits.Lanes(), verb(t.rec.Waits, "wait"))
}

// teller collects the clauses of a sentence.
type teller struct {
	*Session
	rec     *emu.Step
	after   *emu.WarpView
	clauses []string
	names   Places // made when first needed
}

func (t *teller) tell(clause string) {
	if clause != "" {
		t.clauses = append(t.clauses, clause)
	}
}

// name writes a generic address. One in the shared memory of another CTA of the cluster is as that CTA sees it.
func (t *teller) name(a emu.Addr) string {
	owner, at := t.history.grid.SharedOwner(t.rec.CTAIndex, a)
	switch n := t.known(at); {
	case n == "":
		return fmt.Sprintf("%#x", a)
	case owner != t.rec.CTAIndex:
		return n + " of CTA " + t.ctaName(owner)
	default:
		return n
	}
}

// known is an address as a region and an offset, or "".
func (t *teller) known(a emu.Addr) string {
	if t.names == nil {
		t.names = t.extents(t.cta, t.warp, t.lane)
	}
	return t.names.name(a)
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
	mnemonic := "ret" // lanes that run past the end of the body return
	if r.Inst != nil {
		mnemonic, _, _ = strings.Cut(r.Inst.Opcode, ".")
	}
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
	case r.Output != "":
		return fmt.Sprintf("%s%s %q", who, verb(r.Exec, "print"), cut(r.Output))
	case mnemonic == "call" && r.Inst.Call != nil:
		return t.registers([]string{who + verb(r.Exec, "call") + " " + t.callee()})
	case mnemonic == "ret" && r.Exited == 0:
		return t.registers([]string{who + verb(r.Exec, "return")})
	case mnemonic == "ret" || mnemonic == "exit":
		return who + verb(r.Exited, "exit")
	case r.Barrier != nil:
		return t.barrier()
	case t.after.AtBarrier != 0 && t.after.BarrierID == emu.AtTensor:
		what := "columns of tensor memory"
		if r.Inst.Match.Has(".cta_group::2") {
			what = "the other CTA of the pair"
		}
		return who + verb(r.Exec, "wait") + " for " + what
	case t.after.AtBarrier != 0 && t.after.BarrierID == emu.AtGroup:
		return who + verb(r.Exec, "wait") + " for the other warps of the warpgroup"
	case mnemonic == "mbarrier" && t.after.AtBarrier != 0:
		return who + verb(r.Exec, "wait")
	case mnemonic == "mbarrier":
		return t.registers([]string{who + verb(r.Exec, mbarrierVerb(r.Inst))})
	}
	if text := t.start(who); text != "" {
		return t.registers([]string{text})
	}
	return t.effects(who)
}

// mbarrierVerb is what an operation does to an mbarrier.
func mbarrierVerb(in *ptx.Inst) string {
	switch m := in.Match; {
	case m.Has(".init"):
		return "initialise"
	case m.Has(".inval"):
		return "invalidate"
	case m.Has(".arrive_drop"):
		return "leave"
	case m.Has(".arrive"):
		return "arrive"
	case m.Has(".test_wait"), m.Has(".try_wait"):
		return "look"
	}
	return "update"
}

// mbarrier is "mbarrier shared+8: phase 1, 3 of 128 arrivals pending".
func (t *teller) mbarrier(v *emu.MbarrierView) string {
	name := t.name(v.Addr)
	if v.CTA != t.rec.CTAIndex {
		name += " of CTA " + t.ctaName(v.CTA)
	}
	return "mbarrier " + name + ": " + v.String()
}

// barrierName is what a warp waits at.
func barrierName(id int) string {
	switch id {
	case emu.AtMbarrier:
		return "an mbarrier"
	case emu.AtCluster:
		return "the cluster's barrier"
	case emu.AtTensor:
		return "tensor memory"
	case emu.AtGroup:
		return "its warpgroup"
	}
	return fmt.Sprintf("barrier %d", id)
}

func branches(m emu.Mask) string {
	if m.Count() == 1 {
		return "branches"
	}
	return "branch"
}

// guardFalse describes an instruction that no lane executed.
func (t *teller) guardFalse() string {
	g := t.rec.Inst.Guard
	if g == nil {
		return "no lane executes it"
	}
	return fmt.Sprintf("no lane executes it: %s is %t in %s", g.Reg.Name, g.Neg, t.lanes(t.rec.Active))
}

// callee is what a call calls: a function's name, or the register that holds its address.
func (t *teller) callee() string {
	switch target := t.rec.Inst.Call.Target; {
	case target.Func() != nil:
		return target.Func().Name
	case target.Reg != nil:
		return "what " + target.Reg.Name + " holds"
	}
	return "a function"
}

func (t *teller) barrier() string {
	b := t.rec.Barrier
	if b.Done {
		if b.Expected == 1 {
			return fmt.Sprintf("the only thread has arrived, %s lets it go on", barrierName(b.ID))
		}
		return fmt.Sprintf("all %s have arrived, %s lets them go on", ptx.Plural(b.Expected, "thread"), barrierName(b.ID))
	}
	have := "have"
	if b.Arrived == 1 {
		have = "has"
	}
	return fmt.Sprintf("%d of %s %s arrived at %s", b.Arrived, ptx.Plural(b.Expected, "thread"), have, barrierName(b.ID))
}

// effects describes changes of memory and registers.
func (t *teller) effects(who string) string {
	r := t.rec
	form := r.Inst.Match
	reads := form != nil && form.Form.Effect&isa.ReadsMemory != 0
	var parts []string
	switch {
	case len(r.Mem) > 0 && reads:
		parts = append(parts, who+verb(r.Exec, "update")+" "+t.written())
	case len(r.Mem) > 0:
		parts = append(parts, t.stores(who))
	case reads:
		if from := t.loaded(); from != "" {
			parts = append(parts, who+verb(r.Exec, "load")+" from "+from)
		}
	}
	if parts = []string{t.registers(parts)}; parts[0] == "" {
		return who + verb(r.Exec, "execute") + " it"
	}
	return parts[0]
}

// registers adds what was written to registers.
func (t *teller) registers(parts []string) string {
	r, shown := t.rec, 0
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
	return strings.Join(parts, ", ")
}

// register is "%r1 = 7 in all 32 lanes", "%f2 = 0.5 … 16 in 31 of 32 lanes" or "%p1 is true in 5 of 32 lanes".
func (t *teller) register(w *emu.RegWrite) string {
	name := gpu.ComponentName(w.Reg, w.Elem)
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
		return t.value(t.typeOf(w.Reg), w.New[lane], hi)
	}
	values := span(w.Lanes, value)
	if strings.HasSuffix(values, ")") { // it counts the lanes itself
		return fmt.Sprintf("%s = %s", name, values)
	}
	return fmt.Sprintf("%s = %s in %s", name, values, t.lanes(w.Lanes))
}

// typeOf is the type by which to write what an instruction put into a register: for untyped registers it is the
// instruction's type.
func (t *teller) typeOf(reg *ptx.Reg) isa.Type {
	in := t.rec.Inst
	if in == nil || in.Match == nil || reg.Type.Class() != isa.Bits {
		return reg.Type
	}
	for _, o := range in.Match.Operands {
		if o.Role&isa.Write != 0 && o.Type.Bits() == reg.Type.Bits() {
			return o.Type
		}
	}
	return reg.Type
}

// value names addresses in registers that can hold one, and leaves out leading zeros.
func (t *teller) value(typ isa.Type, lo, hi uint64) string {
	if typ.Bits() == t.module.AddressSize && typ.Class() != isa.Float && lo > 1<<16 {
		if n := t.known(lo); n != "" {
			return n
		}
	}
	if typ.Class() == isa.Bits && typ.Bits() <= 64 {
		return fmt.Sprintf("%#x", lo)
	}
	return launch.FormatValue(typ, lo, hi)
}

// span is the value that all lanes have, or the first and the last if they describe those between, or else the first
// few.
func span(lanes emu.Mask, value func(lane int) string) string {
	var values []string
	for lane := range 32 {
		if lanes.Has(lane) {
			values = append(values, value(lane))
		}
	}
	return ellipsis(values)
}

func ellipsis(values []string) string {
	const few = 4
	n := len(values)
	if n == 0 {
		return ""
	}
	switch runs := runsOf(values); {
	case len(runs) == 1:
		return values[0]
	case len(runs) == 2 && n > few:
		return strings.Join(runs, ", ")
	case values[0] != values[n-1] && monotone(values):
		return values[0] + " … " + values[n-1]
	case n <= few:
		return strings.Join(values, ", ")
	}
	return strings.Join(values[:few], ", ") + ", …"
}

// runsOf joins equal neighbours: "7 (5 lanes)", "9 (27 lanes)".
func runsOf(values []string) (runs []string) {
	for i := 0; i < len(values); {
		from := i
		for i < len(values) && values[i] == values[from] {
			i++
		}
		runs = append(runs, fmt.Sprintf("%s (%s)", values[from], ptx.Plural(i-from, "lane")))
	}
	return runs
}

// monotone says whether values only rise or only fall, so that the first and the last describe all between them.
// Addresses can do so only if all are in one region.
func monotone(values []string) bool {
	rises, falls, region, last := false, false, "", 0.0
	for i, text := range values {
		name, v, ok := ordinal(text)
		if !ok || i > 0 && name != region {
			return false
		}
		rises, falls = rises || i > 0 && v > last, falls || i > 0 && v < last
		region, last = name, v
	}
	return !rises || !falls
}

// ordinal is a number, or the region and the offset of an address: "x", "x+4" or "x[4]".
func ordinal(text string) (region string, v float64, ok bool) {
	if n, err := strconv.ParseUint(text, 0, 64); err == nil {
		return "", float64(n), true
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return "", v, true
	}
	at := strings.LastIndexAny(text, "+-[")
	if at < 0 {
		return text, 0, true
	}
	v, err := strconv.ParseFloat(strings.Trim(text[at:], "+[]"), 64)
	return text[:at], v, err == nil
}

// written is where memory was written: "out … out+124".
func (t *teller) written() string {
	for _, o := range t.rec.Inst.Operands {
		if o.Kind == ptx.OpAddr && o.Var != nil && o.Var.Space == ptx.ParamSpace {
			return varText(&o)
		}
	}
	var places []string
	for _, w := range t.rec.Mem {
		places = append(places, t.name(w.Addr))
	}
	return ellipsis(places)
}

// stores says what lanes store where. Of lanes that store to one place, what the last of them stored is there.
func (t *teller) stores(who string) string {
	does, values := who+verb(t.rec.Exec, "store"), t.stored()
	base, local := t.history.grid.Local(t.rec.CTAIndex, t.rec.Warp, 0)
	places, own := map[emu.Addr]bool{}, false // local memory and parameters are each lane's own
	for _, w := range t.rec.Mem {
		places[w.Addr] = true
		own = own || w.Addr >= base && w.Addr < base+emu.Addr(len(local))
	}
	ops := t.rec.Inst.Operands
	for i := range ops {
		own = own || ops[i].Kind == ptx.OpAddr && ops[i].Var != nil && ops[i].Var.Space == ptx.ParamSpace
	}
	if !own && values != "" && len(places) < t.rec.Exec.Count() && ops[len(ops)-1].Reg != nil {
		holds := map[bool]string{true: "holds", false: "hold"}[len(places) == 1]
		return does + " to " + t.written() + ", which then " + holds + " " + strings.TrimSpace(values)
	}
	return does + " " + values + "to " + t.written()
}

// stored is what a store wrote, with a space after it: "3.5 … 34.5 ". Vectors are not shown.
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
	var values []string
	for i := range m {
		values = append(values, value(&m[i]))
	}
	return ellipsis(values) + " "
}

// loaded is where a load read from; "" when that is unknown.
func (t *teller) loaded() string {
	r, lanes := t.rec, t.rec.Exec&addressing(t.rec.Inst)
	for i := range r.Inst.Operands {
		o := &r.Inst.Operands[i]
		switch {
		case o.Kind != ptx.OpAddr || o.Var == nil && o.Reg == nil:
			continue
		case o.Reg == nil:
			return varText(o)
		}
		base := t.before(o.Reg, int(o.Elem))
		switch {
		case base == nil:
			return ""
		case o.Var != nil:
			return span(lanes, func(lane int) string {
				return fmt.Sprintf("%s[%d]", o.Var.Name, int64(o.Reg.Type.Extend(base[lane]))+o.Off()/o.Var.Stride())
			})
		}
		return span(lanes, func(lane int) string { return t.place(base[lane] + uint64(o.Off())) })
	}
	return ""
}

// addressing are the lanes that give addresses: of ldmatrix.x1 and .x2 not all.
func addressing(in *ptx.Inst) (lanes emu.Mask) {
	if in.Match == nil || in.Match.Form.Mnemonic != "ldmatrix" {
		return emu.FullMask
	}
	for _, l := range emu.Layouts(in) {
		for _, lane := range l.RowLanes {
			lanes |= 1 << lane
		}
	}
	return lanes
}

// varText is the address of a variable and an offset: "x+4". Of a long name, such as compilers give to parameters, it
// has both ends.
func varText(o *ptx.Operand) string {
	name := o.Var.Name
	if n := len(name); n > 48 {
		name = name[:16] + "…" + name[n-16:]
	}
	if o.Off() == 0 {
		return name
	}
	return fmt.Sprintf("%s%+d", name, o.Off())
}

// place names an address of the space that the instruction names.
func (t *teller) place(a uint64) string {
	return t.name(t.history.grid.Generic(accessSpace(t.rec.Inst), a))
}

// before is a register's values before the step, nil when they are not known.
func (t *teller) before(reg *ptx.Reg, elem int) *[32]uint64 {
	for i := range t.rec.Regs {
		if w := &t.rec.Regs[i]; w.Reg == reg && w.Elem == elem {
			return &w.Old
		}
	}
	return emu.Register(t.history.grid, t.rec.CTAIndex, t.rec.Warp, reg, elem)
}

// stack says what was popped, replaced and pushed; under independent scheduling it says which groups are new, and which
// have come to the place where lanes meet.
func (t *teller) stack() {
	var popped, replaced, pushed []string
	pops, rpc, met := 0, "", ""
	for _, c := range t.rec.Stack {
		mask := fmt.Sprintf("%08x", uint32(c.Entry.Mask))
		switch {
		case !c.Push && c.Why == emu.Replaced:
			replaced = append(replaced, mask)
		case !c.Push:
			if pops++; c.Entry.Mask != 0 { // all its lanes have left already: there is nothing to say
				popped = append(popped, mask)
				met = t.lineWords(c.Entry.RPC)
			}
		case c.Entry.Kind != emu.KindCall:
			pushed = append(pushed, mask)
			rpc = t.lineWords(c.Entry.RPC)
		}
	}
	noun, newWord := "mask", "pushed "
	groups := emu.Models[t.after.Model].Groups
	if groups {
		noun, newWord = "group", "new "
	}
	var clause []string
	switch gone := maskList(noun, popped); {
	case len(popped) == 0:
	case !groups:
		clause = append(clause, "popped "+gone)
	case len(popped) == 1:
		clause = append(clause, gone+" reaches "+met)
	default:
		clause = append(clause, gone+" reach "+met)
	}
	if pops > 0 && len(pushed) == 0 && len(t.after.Stack) > 0 && t.after.Stack[0].Wait == emu.WaitNone {
		top := t.after.Stack[0]
		clause = append(clause, fmt.Sprintf("%s %08x runs next at line %d", noun, uint32(top.Mask), t.line(top.PC)))
	}
	t.tell(strings.Join(clause, ", "))
	if len(replaced) > 0 {
		newWord = "replaced " + maskList(noun, replaced) + " by "
	}
	if len(pushed) > 0 {
		t.tell(newWord + maskList(noun, pushed) + ", to meet at " + rpc)
	}
}

// lineWords is "line 12", or "the function's end" if there is no line.
func (t *teller) lineWords(at *ptx.Inst) string {
	if at == nil {
		return "the function's end"
	}
	return fmt.Sprintf("line %d", t.line(at))
}

// maskList is "mask 0000000f" or "masks 0000000f and fffffff0".
func maskList(noun string, masks []string) string {
	if len(masks) < 2 {
		return noun + " " + strings.Join(masks, "")
	}
	n := len(masks) - 1
	return noun + "s " + strings.Join(masks[:n], ", ") + " and " + masks[n]
}

func (t *teller) endings() {
	switch {
	case t.rec.Exited == 0:
	case t.after.Ended:
		t.tell(fmt.Sprintf("warp %d has ended", t.rec.Warp))
	default:
		left := t.after.Present &^ t.after.Exited
		t.tell(ptx.Plural(left.Count(), "lane") + " " + verb(left, "remain"))
	}
}

// faultStatus is "Stopped at line 12: misaligned address …".
func (s *Session) faultStatus() string {
	status := "Stopped at " + s.prepared.Fault().Error() + "."
	for _, e := range s.outcome() {
		if e.Pass && strings.HasPrefix(e.Text, "fault") {
			return strings.TrimSuffix(status, ".") + ", as expected."
		}
	}
	return status
}

// finishedStatus is "Finished: 1,024 threads, 7,168 warp instructions. All 3 expectations are met. 1 finding: see
// Problems."
func (s *Session) finishedStatus() string {
	stats := s.history.grid.Stats()
	status := fmt.Sprintf("Finished: %s, %s.", ptx.Plural(stats.Threads, "thread"),
		ptx.Plural(stats.WarpInstructions, "warp instruction"))
	met, all := 0, 0
	for _, e := range s.outcome() {
		all++
		if e.Pass {
			met++
		}
	}
	switch {
	case s.prepared.Unchecked():
		status += " The launch is guessed, and nothing is checked."
	case all == 0:
	case met == all && all == 1:
		status += " The expectation is met."
	case met == all:
		status += " All " + ptx.Plural(all, "expectation") + " are met."
	default:
		status += fmt.Sprintf(" %s of %s not met.", ptx.Thousands(int64(all-met)), ptx.Plural(all, "expectation"))
	}
	if n := len(s.prepared.Findings()); n > 0 {
		status += " " + ptx.Plural(n, "finding") + ": see Problems."
	}
	return status
}
