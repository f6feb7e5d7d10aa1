package machine

import (
	"fmt"
	"slices"
	"unsafe"

	"warpscope/emu/causes"
	"warpscope/gpu"
)

// A register that a lane has never written holds nothing that a program can rely on. Such a value does no harm where it
// is only copied, and compilers do copy some. So the emulator follows it through moves, selections, arithmetic and
// comparisons, and reports it where it decides something: an address, a branch or another guard, or a value that is
// stored.
//
// With initcheck the same is done with what a load brings from memory that was never written. Such loads are rare: from
// the first one on, its warp executes instructions one by one and looks at each (Warp.Doubting).
//
// The emulator does not follow it through bitwise operations and vectors, which compilers use to cut off undefined
// parts; through memory and calls; and to other lanes. The results of these count as defined. So some uses are not
// found, but no use is found that does not exist.
//
// Lowering finds out which instructions can see such a value: those that read a register which is not written on every
// path from the function's start, and those that depend on them. Most functions have none. Only these instructions
// check (Inst.Held).

// regDoubt is a word of a frame about a register: the lanes in which its value comes from a register that was never
// written, and the read of that one. origin holds the pc of the instruction and the number of its read.
type regDoubt struct {
	lanes  uint32
	origin uint32
}

const (
	originBits = 6
	fromMemory = 1<<originBits - 1 // in place of the number of a read: a load has brought it from unwritten memory
)

// doubt takes the elements that a lane is about to load from unwritten memory for undefined. It returns false where the
// instruction has no such elements.
func (w *LSU) doubt(in *Inst, lane int, off uint32) bool {
	g, pc := w.CTA.Grid, w.CTA.Grid.Prog.pcOf(in)
	if pc < 0 || len(in.X.D) == 0 || g.Prog.Tracked[pc] == nil {
		return false
	}
	f, size := w.FramePtr(), in.X.Mem.Size
	for i := range in.X.D {
		at := off + uint32(i)*size
		d := &in.X.D[i]
		if d.Sink || g.Dev.Shadow.Written(at, size) {
			continue
		}
		for k := range w.Cur.Frame.Fn.Regs {
			if s := &w.Cur.Frame.Fn.Regs[k]; s.Off == d.Off {
				v := doubtAt(f, s.Doubt)
				v.lanes, v.origin = v.lanes|1<<lane, uint32(pc)<<originBits|fromMemory
			}
		}
		w.Doubting = true
		if !slices.ContainsFunc(g.unwritten, func(u unwrittenRead) bool { return u.pc == pc }) {
			g.unwritten = append(g.unwritten, unwrittenRead{pc, lane, w.Index, whereIs(w.Warp, at)})
		}
	}
	return true
}

// noteUnwritten notes a value from unwritten memory that decides something.
func noteUnwritten(w *Warp, in *Inst, r *RegRead, bad Mask, origin uint32) {
	g, pc := w.CTA.Grid, int32(origin>>originBits)
	load := &g.Prog.Code[pc]
	if g.Noted(load, causes.Unwritten) {
		return
	}
	u := g.unwritten[slices.IndexFunc(g.unwritten, func(u unwrittenRead) bool { return u.pc == pc })]
	f := w.NoteWith(load, causes.Unwritten, in, fmt.Sprintf("`%s` in lane %d of warp %d reads %s, which nothing has "+
		"written, and what `%s` of line %d %s comes of it; store something first", load.Src.Opcode, u.lane, u.warp, u.where,
		in.Src.Opcode, g.Position(in.Src).Line, what(r.Use)))
	if f != nil {
		f.At.Warp, f.At.Lanes, f.With.Warp, f.With.Lanes = u.warp, 1<<u.lane, w.Index, bad
	}
}

func doubtAt(f unsafe.Pointer, off uint32) *regDoubt { return (*regDoubt)(unsafe.Add(f, off)) }

// undefinedLanes returns the lanes, of those given, that read a register whose value is undefined, and where it was
// first read. here is the origin of this read.
func undefinedLanes(w *Warp, f unsafe.Pointer, r *RegRead, lanes Mask, here uint32) (bad Mask, origin uint32) {
	if r.When != nil {
		lanes &= Mask(r.When.Lanes(f))
	}
	if r.Early {
		if bad = lanes &^ writtenLanes(w, w.Cur.Frame, r.Slot, nil); bad != 0 {
			origin = here
		}
	}
	if r.Slot.Doubt != 0 {
		if v := doubtAt(f, r.Slot.Doubt); v.lanes&uint32(lanes) != 0 {
			if bad |= Mask(v.lanes) & lanes; origin == 0 {
				origin = v.origin
			}
		}
	}
	return bad, origin
}

// inDoubt says whether any lane's value is undefined in a register that an instruction reads or writes.
func inDoubt(t *Tracked, f unsafe.Pointer) bool {
	any := uint32(0)
	if t != nil {
		for i := range t.Reads {
			any |= doubtAt(f, t.Reads[i].Slot.Doubt).lanes
		}
		for _, off := range t.Dsts {
			any |= doubtAt(f, off).lanes
		}
	}
	return any != 0
}

// trackUndefinedUses looks at the registers that an instruction is about to read, and notes where undefined values go.
func trackUndefinedUses(w *Warp, in *Inst, pc int32, f unsafe.Pointer, active, exec Mask) {
	t := w.CTA.Grid.Prog.Tracked[pc]
	if t == nil {
		return
	}
	var all Mask
	from := uint32(0)
	for i := range t.Reads {
		r := &t.Reads[i]
		lanes := exec
		if r.Use == gpu.UseGuard {
			lanes = active
		}
		bad, origin := undefinedLanes(w, f, r, lanes, uint32(pc)<<originBits|uint32(i))
		if bad == 0 {
			continue
		}
		if r.Use != gpu.UseValue {
			noteUndefinedUse(w, in, r, bad, origin)
		}
		all, from = all|bad&exec, origin
	}
	for _, off := range t.Dsts {
		v := doubtAt(f, off)
		if v.lanes &^= uint32(exec); t.Flows && all != 0 {
			v.lanes, v.origin = v.lanes|uint32(all), from
		}
	}
}

// noteUndefinedUse notes an undefined value that decides something.
func noteUndefinedUse(w *Warp, in *Inst, r *RegRead, bad Mask, origin uint32) {
	g := w.CTA.Grid
	if origin&fromMemory == fromMemory {
		noteUnwritten(w, in, r, bad, origin)
		return
	}
	if w.Rec != nil {
		w.Rec.Undefined = append(w.Rec.Undefined, g.regUse(r, bad, origin))
	}
	if !g.Dev.Shadow.On(gpu.Initcheck) {
		return
	}
	at := &g.Prog.Code[origin>>originBits]
	read := &g.Prog.Tracked[int32(origin>>originBits)].Reads[origin&(1<<originBits-1)]
	if g.Noted(at, causes.Unset) {
		return
	}
	reads := gpu.Verb(bad, "reads", "read")
	if at == in {
		reads = r.Use.Does(bad)
	}
	text := fmt.Sprintf("`%s`: %s of warp %d %s %s", at.Src.Opcode, bad.Lanes(), w.Index, reads, read.Slot.Name())
	text += ", which " + gpu.Verb(bad, "it has", "they have") + " never written"
	if at != in {
		text += fmt.Sprintf(", and what `%s` of line %d %s comes of it", in.Src.Opcode, g.Position(in.Src).Line, what(r.Use))
	}
	other, why := g.Prog.Mod.Position(int(read.Slot.Reg.Span.Start)), "no instruction writes it"
	if len(read.Slot.Defs) > 0 {
		other = g.Position(g.Prog.Code[read.Slot.Defs[0]].Src)
		why = fmt.Sprintf("the way that %s took leads past line %d, which writes it", gpu.Verb(bad, "it", "they"), other.Line)
	}
	if w.Note(at, causes.Unset, text+": "+why) {
		f := &g.findings[len(g.findings)-1].Finding
		f.Other, f.At.Lanes = other, bad
	}
}

// regUse returns one use as people see it.
func (g *Grid) regUse(r *RegRead, bad Mask, origin uint32) gpu.UndefinedUse {
	from := g.Prog.Tracked[int32(origin>>originBits)].Reads[origin&(1<<originBits-1)].Slot
	return gpu.UndefinedUse{Reg: r.Slot.Reg, Elem: r.Slot.Elem, Use: r.Use, Lanes: bad,
		From: from.Reg, FromElem: from.Elem, Origin: g.Prog.Code[origin>>originBits].Src}
}

// undefinedAhead lists the undefined values that decide something in the next instruction of the warp.
func undefinedAhead(w *Warp) (list []gpu.UndefinedUse) {
	g := w.CTA.Grid
	pc := w.Cur.PC
	if t := g.Prog.Tracked[pc]; !w.Ended && t != nil {
		f := w.FramePtr()
		in := &g.Prog.Code[pc]
		exec := in.guarded(f, w.Cur.Mask)
		for i := range t.Reads {
			r := &t.Reads[i]
			lanes := exec
			if r.Use == gpu.UseGuard {
				lanes = w.Cur.Mask
			}
			bad, origin := undefinedLanes(w, f, r, lanes, uint32(pc)<<originBits|uint32(i))
			if bad != 0 && r.Use != gpu.UseValue && origin&fromMemory != fromMemory {
				list = append(list, g.regUse(r, bad, origin))
			}
		}
	}
	return list
}

// Name returns the name of the register or of the component.
func (s *RegSlot) Name() string { return gpu.ComponentName(s.Reg, s.Elem) }

// what says what an instruction does with an undefined value: "what `st` of line 3 stores".
func what(u gpu.RegUse) string {
	return [...]string{"reads", "takes for an address", "has for a guard", "branches by", "stores"}[u]
}
