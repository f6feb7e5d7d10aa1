package emu

import (
	"fmt"
	"unsafe"
)

// checkMembers notes misuse of a membermask: warp operations with .sync are undefined for lanes that are not in their
// own mask, and they wait for the lanes of the mask that have not exited, which must come (9.7.9.6, 9.7.13.9);
// bar.warp.sync for all of them (9.7.13.2). On the SIMT stack lanes that are elsewhere cannot come, and lanes that have
// exited never will; the operation goes on with those that are there.
func (w *warp) checkMembers(in *inst, f unsafe.Pointer, exec Mask) {
	var stray, named Mask
	eachLane(exec, func(lane int) {
		m := Mask(in.x.boolIn.get(f, lane))
		stray |= exec & (1 << lane) &^ m
		named |= m
	})
	if stray != 0 {
		w.find(in, "stray", fmt.Sprintf("`%s` is executed by %s of warp %d outside its own mask: the result is undefined",
			in.src.Opcode, laneList(stray), w.index))
	}
	if gone := named &^ w.live(); gone != 0 && in.op == opBarWarp {
		w.find(in, "gone", fmt.Sprintf("the mask %08x of `%s` names %s of warp %d, gone or never there",
			uint32(named), in.src.Opcode, laneList(gone), w.index))
	}
	if elsewhere := named & w.live() &^ exec; elsewhere != 0 {
		w.find(in, "elsewhere", fmt.Sprintf("the mask %08x of `%s` names %s of warp %d, elsewhere in the program: only %s came",
			uint32(named), in.src.Opcode, laneList(elsewhere), w.index, laneList(exec)))
	}
}

// causes are the kinds of findings, with the sections of the manual that decide.
var causes = map[string]string{
	"stray": "9.7.9.6", "gone": "9.7.13.2", "elsewhere": "9.7.9.6",
	"flight": "9.7.9.25.1", "end": "9.7.9.25.1", "proxy": "9.7.9.25.2",
	"mbarrier": "9.7.13.15.2", "init": "9.7.13.15.9",
}

// find notes a finding, once for each instruction and cause.
func (w *warp) find(in *inst, cause, message string) bool {
	return w.cta.grid.note(in, cause, w.cta.index, message)
}

func (g *Grid) note(in *inst, cause string, cta int, message string) bool {
	const most = 100
	for _, f := range g.findings {
		if f.inst == in.src && f.cause == cause || len(g.findings) >= most {
			return false
		}
	}
	g.findings = append(g.findings, Finding{Check: Synccheck, Message: message,
		Pos: g.prog.mod.Position(int(in.src.OpSpan.Start)), CTA: g.grid.index(cta), Section: causes[cause],
		inst: in.src, cause: cause})
	return true
}
