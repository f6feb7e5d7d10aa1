package machine

import (
	"fmt"
	"slices"

	"warpscope/emu/causes"
	"warpscope/gpu"
	"warpscope/ptx"
)

// Note notes a finding at an instruction. It returns false when there is a finding with this cause at this instruction
// already, or when there are too many.
//
//go:noinline
func (w *Warp) Note(in *Inst, why causes.Kind, message string) bool {
	g := w.CTA.Grid
	if !g.note(in, why, w.CTA.Index, message) {
		return false
	}
	g.findings[len(g.findings)-1].At.Warp = w.Index
	return true
}

// NoteWith notes a finding as Note does, and names another instruction that is involved. It returns the finding, or nil
// when it is not new.
func (w *Warp) NoteWith(in *Inst, why causes.Kind, other *Inst, message string) *gpu.Finding {
	g := w.CTA.Grid
	if !w.Note(in, why, message) {
		return nil
	}
	f := &g.findings[len(g.findings)-1].Finding
	f.Other, f.With = g.Position(other.Src), gpu.Witness{Inst: other.Src, CTA: f.CTA, Warp: -1}
	return f
}

// Position returns where an instruction is in the text: the position of its opcode.
func (g *Grid) Position(in *ptx.Inst) ptx.Position { return g.Prog.Mod.Position(int(in.OpSpan.Start)) }

// Noted says whether a finding with this cause at this instruction would be dropped: there is one already, or there are
// too many. Callers ask before they build a costly message.
func (g *Grid) Noted(in *Inst, why causes.Kind) bool {
	const most = 100
	for _, f := range g.findings {
		if f.inst == in.Src && f.cause == why {
			return true
		}
	}
	return len(g.findings) >= most
}

// notedPair says whether there is a finding with this cause at an instruction that names another one.
func notedPair(g *Grid, in, other *Inst, why causes.Kind) bool {
	at := g.Position(other.Src)
	return slices.ContainsFunc(g.findings, func(f noted) bool {
		return f.inst == in.Src && f.cause == why && f.Other == at
	})
}

func (g *Grid) note(in *Inst, why causes.Kind, cta int, message string) bool {
	if g.Noted(in, why) {
		return false
	}
	kind := causes.Table[why]
	if kind.Section == "" && in.Src.Match != nil {
		kind.Section = in.Src.Match.Form.Section
	}
	if kind.Cure != "" {
		message += "; " + kind.Cure
	}
	id := g.Grid.Index(cta)
	f := gpu.Finding{Check: kind.Check, Message: message, Pos: g.Position(in.Src), CTA: id, Section: kind.Section,
		At: gpu.Witness{Inst: in.Src, CTA: id}}
	g.findings = append(g.findings, noted{f, in.Src, why})
	return true
}

// CheckAligned notes an aligned barrier that the lanes of a warp do not execute together (9.7.15.1, 9.7.15.3). Lanes
// that have exited do not count, nor do lanes that exit without coming to a barrier.
func (w *Warp) CheckAligned(in *Inst, exec Mask) {
	if exec == w.Live || w.CTA.Grid.Noted(in, causes.Apart) {
		return
	}
	const rule = ": the lanes of a warp must execute an aligned barrier together, else its behaviour is undefined"
	what := fmt.Sprintf("`%s` is executed by %s of warp %d", in.Src.Opcode, exec.Lanes(), w.Index)
	remedy := "; let them meet before it"
	if w.CTA.Grid.Prog.Mod.SM >= 70 {
		if remedy += ", or use barrier.sync without .aligned"; in.X.Cluster {
			remedy = "; let them meet before it, or leave .aligned out"
		}
	}
	if rest := w.Cur.Mask &^ exec; rest != 0 && in.X.Strict {
		w.Note(in, causes.Apart, what+", but not by "+rest.Lanes()+", where its guard is false"+rule+remedy)
		return
	}
	for i := range w.waits.list {
		o := &w.waits.list[i]
		if o.At == AtMbarrier || o.In.Src == in.Src || !in.X.Strict && !o.In.X.Strict {
			continue
		}
		if w.CTA.Grid.Noted(o.In, causes.Apart) {
			return
		}
		w.NoteWith(in, causes.Apart, o.In, fmt.Sprintf("%s, while %s %s at `%s` of line %d%s%s", what, o.lanes.Lanes(),
			wait(o.lanes), o.In.Src.Opcode, w.CTA.Grid.Position(o.In.Src).Line, rule, remedy))
		return
	}
	if !groups(w) && in.X.Strict {
		if late := beforeBarriers(w) &^ exec; late != 0 {
			w.Note(in, causes.Apart, what+", while "+late.Lanes()+" will come to a barrier later"+rule+remedy)
		}
	}
}
