package emu

import (
	"fmt"
	"math/bits"
	"unsafe"

	"warpscope/ptx"
)

// cause is a kind of finding.
type cause uint8

const (
	causeStray     cause = iota // a lane executes a warp operation outside of its own membermask
	causeGone                   // a membermask names lanes that have exited
	causeElsewhere              // a membermask names lanes that do not come
	causeSource                 // shfl reads from a lane that takes no part
	causePast                   // the same by .down, past the last lane
	causeApart                  // lanes come to an aligned barrier one after the other
	causeFlight                 // an access to what is under way
	causeEnd                    // a CTA ends while something is under way
	causeProxy                  // the async proxy reads what no fence has handed to it
	causeMap                    // the tensormap proxy, the same
	causeMbarrier               // an mbarrier cannot count what comes
	causeInit                   // an mbarrier is initialised again
	causeUnseen                 // no thread has waited for a phase
	causeTensor                 // tensor memory is not given back, or its use not tracked
	causeGroup                  // instructions differ in .cta_group
	causeFence                  // wgmma.fence is missing
	causeEarly                  // a register of a product is used before it is there
	causeWarpgroup              // a warp of a warpgroup does not do what the others do
	causeRegisters              // setmaxnreg in the wrong direction
	causeLonely                 // a cluster of one CTA where it takes several
	causeResponse               // clusterlaunchcontrol: a request that failed is asked for its CTA
	causeRefused                // clusterlaunchcontrol: a request after one that failed
	causeRace                   // two accesses are unordered
	causeUnwritten              // memory is read that no thread has written
	causeUnset                  // a register decides something, and was never written
	causeStrides                // a tensor map's strides are impossible
	causeDivisor                // an integer is divided by zero
	causeSpace                  // an address is not of the space that it is converted to
)

// causes are the check that each kind counts for, and the section of the manual that decides; the section of the
// instruction where none is named.
var causes = [...]struct {
	check   Checks
	section string
}{
	causeStray:     {Synccheck, "9.7.9.6"},
	causeGone:      {Synccheck, "9.7.13.2"},
	causeElsewhere: {Synccheck, "9.7.9.6"},
	causeSource:    {Synccheck, ""},
	causePast:      {Initcheck, ""},
	causeApart:     {Synccheck, ""},
	causeFlight:    {Synccheck, "9.7.9.25.1"},
	causeEnd:       {Synccheck, "9.7.9.25.1"},
	causeProxy:     {Synccheck, "9.7.9.25.2"},
	causeMap:       {Synccheck, "9.7.13.4"},
	causeMbarrier:  {Synccheck, "9.7.13.15.2"},
	causeInit:      {Synccheck, "9.7.13.15.9"},
	causeUnseen:    {Synccheck, "9.7.13.15.4"},
	causeTensor:    {Synccheck, ""},
	causeGroup:     {Synccheck, ""},
	causeFence:     {Synccheck, "9.7.15.7.1"},
	causeEarly:     {Synccheck, "9.7.15.7.3"},
	causeWarpgroup: {Synccheck, ""},
	causeRegisters: {Synccheck, ""},
	causeLonely:    {Synccheck, ""},
	causeResponse:  {Synccheck, ""},
	causeRefused:   {Synccheck, ""},
	causeRace:      {Racecheck, "8.7.1"},
	causeUnwritten: {Initcheck, ""},
	causeUnset:     {Initcheck, "5.1.1"},
	causeStrides:   {Memcheck, "9.7.9.28"},
	causeDivisor:   {Memcheck, ""},
	causeSpace:     {Memcheck, ""},
}

// note reports a finding, once for each instruction and cause.
//
//go:noinline
func (w *warp) note(in *inst, why cause, message string) bool {
	return w.cta.grid.note(in, why, w.cta.index, message)
}

// noteWith is note with another instruction that has to do with it.
func (w *warp) noteWith(in *inst, why cause, other *inst, message string) {
	if g := w.cta.grid; w.note(in, why, message) {
		g.findings[len(g.findings)-1].Other = g.position(other.src)
	}
}

func (g *Grid) position(in *ptx.Inst) ptx.Position { return g.prog.mod.Position(int(in.OpSpan.Start)) }

// noted says that there is nothing to add about this instruction and cause.
func (g *Grid) noted(in *inst, why cause) bool {
	const most = 100
	for _, f := range g.findings {
		if f.inst == in.src && f.cause == why {
			return true
		}
	}
	return len(g.findings) >= most
}

func (g *Grid) note(in *inst, why cause, cta int, message string) bool {
	if g.noted(in, why) {
		return false
	}
	kind := causes[why]
	if kind.section == "" && in.src.Match != nil {
		kind.section = in.src.Match.Form.Section
	}
	g.findings = append(g.findings, Finding{Check: kind.check, Message: message, Pos: g.position(in.src),
		CTA: g.grid.index(cta), Section: kind.section, inst: in.src, cause: why})
	return true
}

// checkDivisors notes lanes that divide by zero: what comes out is unspecified (9.7.1.8, 9.7.1.9).
func (w *warp) checkDivisors(in *inst, divisor *operand, f unsafe.Pointer, exec Mask) {
	zero := Mask(0)
	for m := uint32(exec); m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros32(m); divisor.get(f, lane) == 0 {
			zero |= 1 << lane
		}
	}
	if zero == 0 || w.cta.grid.noted(in, causeDivisor) {
		return
	}
	w.note(in, causeDivisor,
		fmt.Sprintf("`%s` divides by zero in %s of warp %d: the result is unspecified, each machine "+
			"has its own; test the divisor, and guard the instruction", in.src.Opcode, zero.Lanes(), w.index))
}

// checkAligned notes an aligned barrier that the lanes of a warp do not execute together (9.7.13.1, 9.7.13.3). Those
// that have exited do not count, nor those that exit without meeting a barrier.
func (w *warp) checkAligned(in *inst, exec Mask) {
	if exec == w.Live || w.cta.grid.noted(in, causeApart) {
		return
	}
	const rule = ": the lanes of a warp must execute an aligned barrier together, else its behaviour is undefined"
	what := fmt.Sprintf("`%s` is executed by %s of warp %d", in.src.Opcode, exec.Lanes(), w.index)
	remedy := "; let them meet in front of it"
	if w.cta.grid.prog.mod.SM >= 70 {
		if remedy += ", or use barrier.sync without .aligned"; in.x.cluster {
			remedy = "; let them meet in front of it, or leave .aligned out"
		}
	}
	if rest := w.Cur.Mask &^ exec; rest != 0 && in.x.strict {
		w.note(in, causeApart, what+", but not by "+rest.Lanes()+", where its guard is false"+rule+remedy)
		return
	}
	for i := range w.waits {
		o := &w.waits[i]
		if o.at == AtMbarrier || o.in.src == in.src || !in.x.strict && !o.in.x.strict {
			continue
		}
		if w.cta.grid.noted(o.in, causeApart) {
			return
		}
		w.noteWith(in, causeApart, o.in, fmt.Sprintf("%s, while %s %s at `%s` of line %d%s%s", what, o.lanes.Lanes(),
			wait(o.lanes), o.in.src.Opcode, w.cta.grid.position(o.in.src).Line, rule, remedy))
		return
	}
	if !w.progress() && in.x.strict {
		if late := w.beforeBarriers() &^ exec; late != 0 {
			w.note(in, causeApart, what+", while "+late.Lanes()+" will come to a barrier later"+rule+remedy)
		}
	}
}
