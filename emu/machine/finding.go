package machine

import (
	"fmt"
	"math/bits"
	"unsafe"

	"warpscope/emu/row"
	"warpscope/ptx"
)

// Cause is a kind of finding.
type Cause uint8

// The causes.
const (
	CauseStray     Cause = iota // a lane executes a warp operation outside of its own membermask
	CauseGone                   // a membermask names lanes that have exited
	CauseElsewhere              // a membermask names lanes that do not come
	CauseSource                 // shfl reads from a lane that takes no part
	CausePast                   // shfl.down reads past the last lane of the warp
	CauseApart                  // lanes come to an aligned barrier one after the other
	CauseFlight                 // an access to memory that an operation under way reads or writes
	CauseEnd                    // a CTA ends while an operation is under way
	CauseProxy                  // the async proxy reads memory that no fence has handed to it
	CauseMap                    // the tensormap proxy reads a tensor map that no fence has handed to it
	CauseMbarrier               // an mbarrier cannot count an arrival or its bytes
	CauseInit                   // an mbarrier is initialised again
	CauseUnseen                 // no thread has waited for a phase
	CauseTensor                 // tensor memory is not given back, or no commit tracks an operation on it
	CauseGroup                  // instructions differ in .cta_group
	CauseFence                  // wgmma.fence is missing
	CauseEarly                  // a register of a product is used before the product is complete
	CauseWarpgroup              // a warp of a warpgroup does not do what the others do
	CauseRegisters              // setmaxnreg in the wrong direction
	CauseLonely                 // a cluster of one CTA where the instruction needs several
	CauseResponse               // clusterlaunchcontrol: a query of a request that failed
	CauseRefused                // clusterlaunchcontrol: a request after a request that failed
	CauseRace                   // two accesses are unordered
	CauseUnwritten              // a lane reads memory that no thread has written
	CauseUnset                  // a register decides something, and the lane has never written it
	CauseStrides                // a tensor map's strides are impossible
	CauseDivisor                // an integer is divided by zero
	CauseAddress                // a tensor is moved to an address with too little memory
	CauseSpace                  // an address is converted to a space that it is not in
)

// noted is a finding with its instruction and cause, which tell it from other findings.
type noted struct {
	Finding
	inst  *ptx.Inst
	cause Cause
}

// Causes gives, for each cause, the check that it counts for and the section of the manual that decides. Where section
// is "", that is the section of the instruction.
var Causes = [...]struct {
	Check   Checks
	section string
}{
	CauseStray:     {Synccheck, "9.7.10.6"},
	CauseGone:      {Synccheck, "9.7.15.2"},
	CauseElsewhere: {Synccheck, "9.7.10.6"},
	CauseSource:    {Synccheck, ""},
	CausePast:      {Initcheck, ""},
	CauseApart:     {Synccheck, ""},
	CauseFlight:    {Synccheck, "9.7.10.28.1"},
	CauseEnd:       {Synccheck, "9.7.10.28.1"},
	CauseProxy:     {Synccheck, "9.7.10.28.2"},
	CauseMap:       {Synccheck, "9.7.15.4"},
	CauseMbarrier:  {Synccheck, "9.7.15.16.3"},
	CauseInit:      {Synccheck, "9.7.15.16.12"},
	CauseUnseen:    {Synccheck, "9.7.15.16.5"},
	CauseTensor:    {Synccheck, ""},
	CauseGroup:     {Synccheck, ""},
	CauseFence:     {Synccheck, "9.7.17.7.1"},
	CauseEarly:     {Synccheck, "9.7.17.7.3"},
	CauseWarpgroup: {Synccheck, ""},
	CauseRegisters: {Synccheck, ""},
	CauseLonely:    {Synccheck, ""},
	CauseResponse:  {Synccheck, ""},
	CauseRefused:   {Synccheck, ""},
	CauseRace:      {Racecheck, "8.7.1"},
	CauseUnwritten: {Initcheck, ""},
	CauseUnset:     {Initcheck, "5.1.1"},
	CauseStrides:   {Memcheck, "9.7.10.29"},
	CauseDivisor:   {Memcheck, ""},
	CauseSpace:     {Memcheck, ""},
	CauseAddress:   {Memcheck, "9.7.10.28.5.2.1"},
}

// Note notes a finding at an instruction. It returns false when there is a finding with this cause at this instruction
// already, or when there are too many.
//
//go:noinline
func (w *Warp) Note(in *Inst, why Cause, message string) bool {
	return w.CTA.Grid.note(in, why, w.CTA.Index, message)
}

// NoteWith notes a finding as Note does, and names another instruction that is involved.
func (w *Warp) NoteWith(in *Inst, why Cause, other *Inst, message string) {
	if g := w.CTA.Grid; w.Note(in, why, message) {
		g.findings[len(g.findings)-1].Other = g.Position(other.Src)
	}
}

// Position returns where an instruction is in the text: the position of its opcode.
func (g *Grid) Position(in *ptx.Inst) ptx.Position { return g.Prog.Mod.Position(int(in.OpSpan.Start)) }

// Noted says whether a finding with this cause at this instruction would be dropped: there is one already, or there are
// too many. Callers ask before they build a costly message.
func (g *Grid) Noted(in *Inst, why Cause) bool {
	const most = 100
	for _, f := range g.findings {
		if f.inst == in.Src && f.cause == why {
			return true
		}
	}
	return len(g.findings) >= most
}

func (g *Grid) note(in *Inst, why Cause, cta int, message string) bool {
	if g.Noted(in, why) {
		return false
	}
	kind := Causes[why]
	if kind.section == "" && in.Src.Match != nil {
		kind.section = in.Src.Match.Form.Section
	}
	f := Finding{Check: kind.Check, Message: message, Pos: g.Position(in.Src), CTA: g.Grid.Index(cta),
		Section: kind.section}
	g.findings = append(g.findings, noted{f, in.Src, why})
	return true
}

// CheckDivisors notes lanes that divide by zero: their results are unspecified (9.7.1.9, 9.7.1.10).
func (w *Warp) CheckDivisors(in *Inst, divisor *row.Operand, f unsafe.Pointer, exec Mask) {
	zero := Mask(0)
	for m := uint32(exec); m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros32(m); divisor.Get(f, lane) == 0 {
			zero |= 1 << lane
		}
	}
	if zero == 0 || w.CTA.Grid.Noted(in, CauseDivisor) {
		return
	}
	w.Note(in, CauseDivisor,
		fmt.Sprintf("`%s` divides by zero in %s of warp %d: the result is unspecified, each machine "+
			"has its own; test the divisor, and guard the instruction", in.Src.Opcode, zero.Lanes(), w.Index))
}

// CheckAligned notes an aligned barrier that the lanes of a warp do not execute together (9.7.15.1, 9.7.15.3). Lanes
// that have exited do not count, nor do lanes that exit without coming to a barrier.
func (w *Warp) CheckAligned(in *Inst, exec Mask) {
	if exec == w.Live || w.CTA.Grid.Noted(in, CauseApart) {
		return
	}
	const rule = ": the lanes of a warp must execute an aligned barrier together, else its behaviour is undefined"
	what := fmt.Sprintf("`%s` is executed by %s of warp %d", in.Src.Opcode, exec.Lanes(), w.Index)
	remedy := "; let them meet in front of it"
	if w.CTA.Grid.Prog.Mod.SM >= 70 {
		if remedy += ", or use barrier.sync without .aligned"; in.X.Cluster {
			remedy = "; let them meet in front of it, or leave .aligned out"
		}
	}
	if rest := w.Cur.Mask &^ exec; rest != 0 && in.X.Strict {
		w.Note(in, CauseApart, what+", but not by "+rest.Lanes()+", where its guard is false"+rule+remedy)
		return
	}
	for i := range w.waits.list {
		o := &w.waits.list[i]
		if o.At == AtMbarrier || o.In.Src == in.Src || !in.X.Strict && !o.In.X.Strict {
			continue
		}
		if w.CTA.Grid.Noted(o.In, CauseApart) {
			return
		}
		w.NoteWith(in, CauseApart, o.In, fmt.Sprintf("%s, while %s %s at `%s` of line %d%s%s", what, o.lanes.Lanes(),
			wait(o.lanes), o.In.Src.Opcode, w.CTA.Grid.Position(o.In.Src).Line, rule, remedy))
		return
	}
	if !w.progress() && in.X.Strict {
		if late := beforeBarriers(w) &^ exec; late != 0 {
			w.Note(in, CauseApart, what+", while "+late.Lanes()+" will come to a barrier later"+rule+remedy)
		}
	}
}
