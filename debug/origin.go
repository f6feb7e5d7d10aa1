package debug

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"warpscope/emu"
	"warpscope/gpu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Cell is a part of the machine whose history can be asked for: a register of a lane, bytes of memory, a lane's bit of
// the active mask, the SIMT stack of a warp or an entry of it, or a barrier of a CTA.
type Cell struct {
	CTA, Warp, Lane int
	Reg             *ptx.Reg // a register, and its component or -1; or nil
	Elem            int
	Depth           int      // of the register's function, as gpu.RegWrite has it; 0: any
	Carry           bool     // the lane's carry, CC.CF (9.7.2)
	Addr            emu.Addr // generic, of Size bytes of memory as the CTA (and for local memory the lane) sees it
	Size            int
	Space           ptx.Space
	Stack           bool            // the SIMT stack, or the groups of the warp
	Entry           *emu.StackEntry // one entry of it: the push of such an entry; or nil
	Active          bool            // the lane's bit of the active mask
	Barrier         int             // 1 and more: barrier 0 and so on; 0: no barrier
}

// Change is a step that changed a cell, or wrote the value that it had.
type Change struct {
	Tick     int64 // of the machine before the step
	CTA      int
	Warp     int
	Lane     int // that wrote; for a register the cell's lane
	Line     int
	Inst     *ptx.Inst
	Text     string // the instruction, as a quotation
	Old, New uint64 // of a register, or of up to 8 bytes of memory; little-endian
	OldHi    uint64
	NewHi    uint64
	Stack    []emu.StackChange
	rec      *emu.Step
}

// Writer returns the last step before now that wrote a cell. ok is false if no step since tick 0 has: then a register
// was never written, and memory is as the launch made it. The session stays where it is.
func (s *Session) Writer(c Cell) (w Change, ok bool) { return s.writerBefore(c, s.Tick()) }

// NextChange returns the next step that writes a cell, as far as the run is known.
func (s *Session) NextChange(c Cell) (w Change, ok bool) {
	s.Prepare()
	if s.phase == Invalid {
		return w, false
	}
	now := s.Tick()
	c = s.settled(c)
	found := s.history.next(s.writes(c), s.history.end)
	s.history.seek(now)
	if found == nil {
		return w, false
	}
	return s.change(c, found.rec), true
}

// Tick is where the session is.
func (s *Session) Tick() int64 {
	if s.history == nil {
		return 0
	}
	s.comeHome()
	return s.history.tick()
}

func (s *Session) writerBefore(c Cell, t int64) (w Change, ok bool) {
	s.Prepare()
	if s.phase == Invalid {
		return w, false
	}
	now := s.Tick()
	c = s.settled(c)
	found := s.history.last(s.writes(c), t, 0)
	s.history.seek(now)
	if found == nil {
		return w, false
	}
	return s.change(c, found.rec), true
}

// settled completes a cell by what is known of it now: the space of an address, and which activation has the register.
func (s *Session) settled(c Cell) Cell {
	c.Space = s.spaceOf(c)
	if g := s.history.grid; c.Reg != nil && c.Depth == 0 && emu.Register(g, c.CTA, c.Warp, c.Reg, c.Elem) != nil {
		c.Depth = emu.WarpHead(g, c.CTA, c.Warp).Depth
	}
	return c
}

// writes is the question which step writes a cell.
func (s *Session) writes(c Cell) question {
	q := question{at: map[*ptx.Inst]bool{}, cta: c.CTA, warp: c.Warp, pass: -1}
	q.match = func(rec *emu.Step) bool { return writesCell(s.history.grid, c, rec) }
	switch {
	case c.Active:
		q.match = func(rec *emu.Step) bool {
			after := emu.WarpHead(s.history.grid, c.CTA, c.Warp).Active
			return rec.Active.Has(c.Lane) != after.Has(c.Lane)
		}
	case c.Barrier > 0:
		q.warp = -1
	case c.Reg == nil && !c.Stack && !c.Carry:
		q.addr, q.size = c.Addr, c.Size
		if c.Space != ptx.LocalSpace {
			q.warp = -1
		}
		switch {
		case c.Space == ptx.SharedSpace && s.history.grid.ClusterSize() > 1:
			q.cta, q.size = -1, 0 // other CTAs have other addresses for it
		case c.Space != ptx.LocalSpace && c.Space != ptx.SharedSpace:
			q.cta = -1
		}
	}
	register := func(*ptx.Inst) bool { return false }
	if c.Reg != nil {
		register = s.mayWriteRegister(c.Reg)
	}
	if register(nil) || q.size > 0 || q.cta < 0 {
		q.at[nil] = true
	}
	for _, f := range s.module.Funcs {
		ends := blockEnds(f)
		for i, in := range f.Insts {
			switch {
			case c.Stack, c.Active:
				q.at[in] = ends[i]
			case c.Barrier > 0:
				q.at[in] = in.Match.Form.Effect&isa.Barrier != 0
			case c.Reg != nil:
				q.at[in] = register(in)
			case c.Carry:
				q.at[in] = setsCarry(in)
			default:
				q.at[in] = mayWriteMemory(in)
			}
			if !q.at[in] {
				delete(q.at, in)
			}
		}
	}
	return q
}

// blockEnds says after which instructions of a function the lanes of a warp can part or meet: those that can go
// elsewhere or wait, and those before a label.
func blockEnds(f *ptx.Func) []bool {
	ends := make([]bool, len(f.Insts))
	for i, in := range f.Insts {
		ends[i] = in.Match.Form.Effect&(isa.Branches|isa.Barrier) != 0 || strings.Contains(in.Opcode, ".sync")
	}
	for _, l := range f.Labels {
		if l.Target > 0 {
			ends[l.Target-1] = true
		}
	}
	return ends
}

// mayWriteRegister says of an instruction whether it can write a register: one that names it, a call that passes an
// argument in it, or a return from a function whose result a call takes in it.
func (s *Session) mayWriteRegister(reg *ptx.Reg) func(in *ptx.Inst) bool {
	argument, result := false, false
	for _, f := range s.module.Funcs {
		argument = argument || slices.Contains(f.ParamRegs, reg)
		result = result || slices.ContainsFunc(f.Insts, func(in *ptx.Inst) bool {
			return in.Call != nil && among(in.Call.Returns, reg)
		})
	}
	return func(in *ptx.Inst) bool {
		if in == nil { // the end of a body, where lanes return
			return result
		}
		return mentions(in, reg) || lateWriter(in) || argument && in.Call != nil ||
			result && in.Match.Form.Mnemonic == "ret"
	}
}

// mentions says whether a register is an operand of an instruction, of a call's returns included.
func mentions(in *ptx.Inst, reg *ptx.Reg) bool {
	return among(in.Operands, reg) || in.Call != nil && among(in.Call.Returns, reg)
}

// among says whether a register is one of the operands, or in one of them.
func among(ops []ptx.Operand, reg *ptx.Reg) bool {
	return slices.ContainsFunc(ops, func(op ptx.Operand) bool {
		return op.Reg == reg || among(op.List(), reg) || op.Second() != nil && op.Second().Reg == reg
	})
}

// setsCarry says whether an instruction writes the carry, and usesCarry whether it adds it (9.7.2).
func setsCarry(in *ptx.Inst) bool { return in.Match.Has(".cc") }

func usesCarry(in *ptx.Inst) bool {
	return slices.Contains([]string{"addc", "subc", "madc"}, in.Match.Form.Mnemonic)
}

// lateWriter says whether an instruction can end asynchronous work that writes registers (9.7.16, 9.7.17).
func lateWriter(in *ptx.Inst) bool {
	return strings.HasPrefix(in.Opcode, "wgmma.") || strings.HasPrefix(in.Opcode, "tcgen05.")
}

// mayWriteMemory says whether memory can change when an instruction executes: it writes memory, or an asynchronous copy
// can arrive there.
func mayWriteMemory(in *ptx.Inst) bool {
	effect := in.Match.Form.Effect
	return effect&(isa.WritesMemory|isa.Barrier) != 0 || effect&isa.Branches != 0 && !strings.HasPrefix(in.Opcode, "br") ||
		slices.ContainsFunc(asynchronous, func(p string) bool { return strings.HasPrefix(in.Opcode, p) })
}

// asynchronous begin the opcodes at which asynchronous copies can arrive.
var asynchronous = []string{"cp.", "mbarrier.", "fence", "wgmma.", "tcgen05.", "clusterlaunch"}

// writesCell says whether a step wrote a cell.
func writesCell(g *emu.Grid, c Cell, rec *emu.Step) bool {
	switch {
	case c.Entry != nil:
		return slices.ContainsFunc(rec.Stack, func(w emu.StackChange) bool {
			return w.Push && w.Entry.Mask == c.Entry.Mask && w.Entry.Cause == c.Entry.Cause && w.Entry.RPC == c.Entry.RPC
		})
	case c.Stack:
		return len(rec.Stack) > 0
	case c.Barrier > 0:
		return rec.Barrier != nil && rec.Barrier.ID == c.Barrier-1
	case c.Carry:
		return rec.Exec.Has(c.Lane)
	case c.Reg != nil:
		return slices.ContainsFunc(rec.Regs, func(w emu.RegWrite) bool { return writesReg(c, &w) })
	}
	return slices.ContainsFunc(rec.Mem, func(w emu.MemWrite) bool { return writesBytes(g, c, rec, &w) })
}

func writesReg(c Cell, w *emu.RegWrite) bool {
	here := c.Depth == 0 || w.Depth == c.Depth
	return here && w.Reg == c.Reg && (w.Elem == c.Elem || w.Elem <= 0 && c.Elem <= 0) && w.Lanes.Has(c.Lane)
}

// writesBytes says whether a step's write is one of a cell's bytes. CTAs of a cluster write each other's shared memory.
func writesBytes(g *emu.Grid, c Cell, rec *emu.Step, w *emu.MemWrite) bool {
	owner, at := g.SharedOwner(rec.CTAIndex, w.Addr)
	switch {
	case at >= c.Addr+emu.Addr(c.Size) || c.Addr >= at+emu.Addr(len(w.New)):
		return false
	case w.Space == ptx.LocalSpace:
		return c.Space == ptx.LocalSpace && rec.CTAIndex == c.CTA && rec.Warp == c.Warp && w.Lane == c.Lane
	case w.Space == ptx.SharedSpace:
		return c.Space == ptx.SharedSpace && owner == c.CTA
	}
	return true
}

// change describes what a step did to a cell.
func (s *Session) change(c Cell, rec *emu.Step) Change {
	w := Change{Tick: rec.Tick, CTA: rec.CTAIndex, Warp: rec.Warp, Lane: c.Lane, Line: s.lineOf(rec), Inst: rec.Inst,
		Text: s.quote(rec.Inst), Stack: rec.Stack, rec: rec}
	for i := range rec.Regs {
		r := &rec.Regs[i]
		if c.Reg == nil || !writesReg(c, r) {
			continue
		}
		w.Old, w.New = r.Old[c.Lane], r.New[c.Lane]
		if r.OldHi != nil && r.NewHi != nil {
			w.OldHi, w.NewHi = r.OldHi[c.Lane], r.NewHi[c.Lane]
		}
	}
	if c.Reg == nil && c.Size > 0 {
		s.bytesChanged(&w, c, rec)
	}
	return w
}

// bytesChanged sets what the first 8 bytes of a cell were before a step and are after it. Bytes that the step did not
// write are as they are afterwards.
func (s *Session) bytesChanged(w *Change, c Cell, rec *emu.Step) {
	size := min(c.Size, 8)
	before, after := make([]byte, 8), make([]byte, 8)
	for i := range rec.Mem {
		m := &rec.Mem[i]
		if !writesBytes(s.history.grid, c, rec, m) {
			continue
		}
		w.Lane = m.Lane
		_, start := s.history.grid.SharedOwner(rec.CTAIndex, m.Addr)
		for k := range m.New {
			if at := int64(start) + int64(k) - int64(c.Addr); at >= 0 && at < int64(size) {
				before[at], after[at] = m.Old[k], m.New[k]
			}
		}
	}
	w.Old, w.New = binary.LittleEndian.Uint64(before), binary.LittleEndian.Uint64(after)
}

// spaceOf is the state space of a cell of memory whose access was generic (6.4.1.1).
func (s *Session) spaceOf(c Cell) ptx.Space {
	if c.Space != ptx.Generic || c.Size == 0 {
		return c.Space
	}
	if base, bytes := s.history.grid.Shared(c.CTA); c.Addr >= base && c.Addr < base+emu.Addr(len(bytes)) {
		return ptx.SharedSpace
	}
	if base, bytes := s.history.grid.Local(c.CTA, c.Warp, c.Lane); c.Addr >= base && c.Addr < base+emu.Addr(len(bytes)) {
		return ptx.LocalSpace
	}
	return ptx.GlobalSpace
}

// peek reads up to 8 bytes of a cell of memory as they are now.
func (s *Session) peek(c Cell) uint64 {
	bytes := make([]byte, 8)
	var base emu.Addr
	var from []byte
	switch s.spaceOf(c) {
	case ptx.SharedSpace:
		base, from = s.history.grid.Shared(c.CTA)
	case ptx.LocalSpace:
		base, from = s.history.grid.Local(c.CTA, c.Warp, c.Lane)
	default:
		if s.prepared.Device.Read(c.Addr, bytes[:min(c.Size, 8)]) != nil {
			return 0
		}
	}
	if at := c.Addr - base; from != nil && at < emu.Addr(len(from)) {
		copy(bytes[:min(c.Size, 8)], from[at:])
	}
	return binary.LittleEndian.Uint64(bytes)
}

// cellName names a cell: a register, or an address by buffer and offset.
func (s *Session) cellName(c Cell) string {
	switch {
	case c.Reg != nil:
		return gpu.ComponentName(c.Reg, c.Elem)
	case c.Stack:
		return fmt.Sprintf("the stack of warp %d of CTA %s", c.Warp, s.ctaName(c.CTA))
	}
	if name := s.extents(c.CTA, c.Warp, c.Lane).name(c.Addr); name != "" {
		return name
	}
	return fmt.Sprintf("0x%x", c.Addr)
}
