package emu

import (
	"fmt"
	"math/bits"
	"unsafe"

	"warpscope/ptx"
)

// causes are the kinds of findings: the check that each counts for, and the section of the manual that decides; the
// section of the instruction where none is named.
var causes = map[string]struct {
	check   Checks
	section string
}{
	"stray": {Synccheck, "9.7.9.6"}, "gone": {Synccheck, "9.7.13.2"}, "elsewhere": {Synccheck, "9.7.9.6"},
	"flight": {Synccheck, "9.7.9.25.1"}, "end": {Synccheck, "9.7.9.25.1"}, "proxy": {Synccheck, "9.7.9.25.2"},
	"mbarrier": {Synccheck, "9.7.13.15.2"}, "init": {Synccheck, "9.7.13.15.9"}, "tensor": {Synccheck, ""},
	"group": {Synccheck, ""}, "shape": {Synccheck, "9.7.16.2.1"}, "fence": {Synccheck, "9.7.15.7.1"}, "lonely": {Synccheck, ""},
	"race": {Racecheck, "8.7.1"}, "unwritten": {Initcheck, ""}, "unset": {Initcheck, "5.1.1"},
	"early": {Synccheck, "9.7.15.7.3"}, "unseen": {Synccheck, "9.7.13.15.4"}, "registers": {Synccheck, ""},
	"warpgroup": {Synccheck, ""}, "response": {Synccheck, ""}, "map": {Synccheck, "9.7.13.4"}, "refused": {Synccheck, ""},
	"source": {Synccheck, ""}, "past": {Initcheck, ""}, "apart": {Synccheck, ""},
	"strides": {Memcheck, "9.7.9.28"}, "divisor": {Memcheck, ""}, "space": {Memcheck, ""},
}

// find notes a finding, once for each instruction and cause.
//
//go:noinline
func (w *warp) find(in *inst, cause, message string) bool {
	return w.cta.grid.note(in, cause, w.cta.index, message)
}

// findWith is find with another instruction that has to do with it.
func (w *warp) findWith(in *inst, cause string, other *inst, message string) {
	if g := w.cta.grid; w.find(in, cause, message) {
		g.findings[len(g.findings)-1].Other = g.position(other.src)
	}
}

func (g *Grid) position(in *ptx.Inst) ptx.Position { return g.prog.mod.Position(int(in.OpSpan.Start)) }

// noted says that there is nothing to add about this instruction and cause.
func (g *Grid) noted(in *inst, cause string) bool {
	const most = 100
	for _, f := range g.findings {
		if f.inst == in.src && f.cause == cause {
			return true
		}
	}
	return len(g.findings) >= most
}

func (g *Grid) note(in *inst, cause string, cta int, message string) bool {
	if g.noted(in, cause) {
		return false
	}
	kind := causes[cause]
	if kind.section == "" && in.src.Match != nil {
		kind.section = in.src.Match.Form.Section
	}
	g.findings = append(g.findings, Finding{Check: kind.check, Message: message, Pos: g.position(in.src),
		CTA: g.grid.index(cta), Section: kind.section, inst: in.src, cause: cause})
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
	if zero == 0 || w.cta.grid.noted(in, "divisor") {
		return
	}
	w.find(in, "divisor", fmt.Sprintf("`%s` divides by zero in %s of warp %d: the result is unspecified, each machine "+
		"has its own; test the divisor, and guard the instruction", in.src.Opcode, zero.Lanes(), w.index))
}

// cvta converts between generic addresses and those of a state space. An address that is not of this space has no
// defined result (9.7.9.20). Null stays null in most programs, and nobody minds.
func (w *warp) cvta(in *inst, f unsafe.Pointer, exec Mask) {
	x := in.x
	wrong, first := Mask(0), uint64(0)
	for m := uint32(exec); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		a := x.s[0].get(f, lane)
		if x.sub != "" && a != 0 && !w.convertible(x.sub, a) {
			if wrong == 0 {
				first = a
			}
			wrong |= 1 << lane
		}
		x.d[0].set(f, lane, a+x.mode)
	}
	if wrong == 0 || w.cta.grid.noted(in, "space") {
		return
	}
	w.find(in, "space", fmt.Sprintf("`%s` in %s of warp %d: %#x is no generic address of %s memory, and the result is "+
		"undefined; isspacep%s tells which addresses are", in.src.Opcode, wrong.Lanes(), w.index, first, x.sub[1:], x.sub))
}

// convertible says whether cvta.to may convert a generic address. Addresses of no window at all become nothing else by
// cvta.to.global, .const and .param; whoever uses them is told by memcheck.
func (w *warp) convertible(space string, a Addr) bool {
	win := &w.cta.grid.dev.win
	switch space {
	case ".shared", ".shared::cta", ".shared::cluster", ".local":
		return w.inSpace(space, a)
	case ".const":
		al := w.cta.grid.dev.find(a, 1)
		return (al == nil || al.space == ptx.ConstSpace) && (a < win.shared || a >= win.global)
	}
	return a < win.shared || a >= win.global
}

// sources notes lanes that take a register from a lane that takes no part: it has exited, is elsewhere, or is not in
// the mask (9.7.9.6). from is the lane that each reads. The last lanes of every sum over a part of a warp do so by
// .down, and throw away what comes: only initcheck tells of that.
func (w *warp) sources(in *inst, f unsafe.Pointer, exec Mask, from *[32]uint8) {
	cause := "source"
	if in.x.sub == ".down" {
		if cause = "past"; !w.cta.grid.dev.shadow.on(Initcheck) {
			return
		}
	}
	for _, same := range []string{cause, "stray", "elsewhere"} { // lanes that cannot come have been told of
		if w.cta.grid.noted(in, same) {
			return
		}
	}
	var readers, absent Mask
	eachLane(exec, func(lane int) {
		if s := int(from[lane]); s != lane && !member(in.x, f, lane, exec).Has(s) {
			readers |= 1 << lane
			absent |= 1 << s
		}
	})
	if readers == 0 {
		return
	}
	reads := "read"
	if readers.Count() == 1 {
		reads = "reads"
	}
	take := "take"
	if absent.Count() == 1 {
		take = "takes"
	}
	w.find(in, cause, fmt.Sprintf("`%s`: %s of warp %d %s from %s, which %s no part in it: the value read is undefined; "+
		"source lanes must be in the mask and execute the same shfl", in.src.Opcode, readers.Lanes(), w.index, reads,
		absent.Lanes(), take))
}

// checkAligned notes an aligned barrier that the lanes of a warp do not execute together (9.7.13.1, 9.7.13.3). Those
// that have exited do not count, nor those that exit without meeting a barrier.
func (w *warp) checkAligned(in *inst, exec Mask) {
	if exec == w.Live || w.cta.grid.noted(in, "apart") {
		return
	}
	const rule = ": the lanes of a warp must execute an aligned barrier together, else its behaviour is undefined"
	what := fmt.Sprintf("`%s` is executed by %s of warp %d", in.src.Opcode, exec.Lanes(), w.index)
	remedy := "; let them meet in front of it"
	if w.cta.grid.prog.mod.SM >= 70 {
		if remedy += ", or use barrier.sync without .aligned"; in.x.sub == "cluster" {
			remedy = "; let them meet in front of it, or leave .aligned out"
		}
	}
	if rest := w.Cur.Mask &^ exec; rest != 0 && in.x.strict {
		w.find(in, "apart", what+", but not by "+rest.Lanes()+", where its guard is false"+rule+remedy)
		return
	}
	for i := range w.waits {
		o := &w.waits[i]
		if o.at == AtMbarrier || o.in.src == in.src || !in.x.strict && !o.in.x.strict {
			continue
		}
		if w.cta.grid.noted(o.in, "apart") {
			return
		}
		w.findWith(in, "apart", o.in, fmt.Sprintf("%s, while %s %s at `%s` of line %d%s%s", what, o.lanes.Lanes(),
			wait(o.lanes), o.in.src.Opcode, w.cta.grid.position(o.in.src).Line, rule, remedy))
		return
	}
	if !w.progress() && in.x.strict {
		if late := w.beforeBarriers() &^ exec; late != 0 {
			w.find(in, "apart", what+", while "+late.Lanes()+" will come to a barrier later"+rule+remedy)
		}
	}
}
