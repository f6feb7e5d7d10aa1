package debug

import (
	"fmt"
	"math/bits"
	"slices"

	"warpscope/emu"
	"warpscope/emu/count"
	"warpscope/ptx"
)

// Access is what an access of the followed warp takes of shared, global or local memory: counts, no times.
type Access struct {
	*Instruction
	When  AccessTime
	Tick  int64 // at which it was executed, or is
	Op    count.Op
	Space ptx.Space // that most of its lanes access
	Size  int       // bytes of a lane
	Lanes emu.Mask  // that access Space
	Other int       // lanes that access another space

	Addrs   [32]emu.Addr
	Parts   int // wavefronts of shared memory, or sectors
	Ideal   int
	Repeats int // lanes of an atomic whose address a lower lane has
	Banks   [32]count.Bank
	Sectors []count.Sector // of global memory
}

// AccessTime says which execution of an instruction an Access is about.
type AccessTime uint8

// The times.
const (
	AccessNext AccessTime = iota
	AccessRan
	AccessEarlier
	AccessNever // the warp has not executed the instruction yet
)

// Access is the access that the followed warp has just executed or executes next: if both are one, upcoming says which.
// Of a line that is not 0 it is the last one up to now. nil says that there is none.
func (s *Session) Access(line int, upcoming bool) *Access {
	v := s.View()
	if s.phase == Invalid {
		return nil
	}
	order := []AccessTime{AccessRan, AccessNext}
	if upcoming {
		slices.Reverse(order)
	}
	for _, when := range order {
		i := [...]*Instruction{v.Next, v.Ran}[when]
		if i == nil || line != 0 && i.Line != line {
			continue
		}
		if a := s.access(i, v.State.Index); a != nil {
			a.When, a.Tick = when, v.Tick-int64(when)
			return a
		}
	}
	if line == 0 {
		return nil
	}
	return s.earlierAccess(line)
}

// earlierAccess is the last access that the followed warp has executed in a line.
func (s *Session) earlierAccess(line int) *Access {
	q := question{at: map[*ptx.Inst]bool{}, cta: s.cta, warp: s.warp, pass: -1}
	q.match = func(rec *emu.Step) bool { return true }
	var first *ptx.Inst
	for _, f := range s.module.Funcs {
		for _, in := range f.Insts {
			if s.line(in) == line && accessOp(in) != count.None {
				if q.at[in] = true; first == nil {
					first = in
				}
			}
		}
	}
	if first == nil {
		return nil
	}
	now := s.Tick()
	defer s.history.seek(now)
	found := s.history.last(q, now, 0)
	if found == nil {
		return &Access{Instruction: &Instruction{Inst: first, Line: line, Text: s.code(first)}, When: AccessNever}
	}
	rec := found.rec
	s.history.seek(rec.Tick)
	view := s.look(s.cta, s.warp)
	a := s.access(s.instruction(rec.Inst, rec.Active, rec.Exec, &view), s.warp)
	if a != nil {
		a.When, a.Tick = AccessEarlier, rec.Tick
	}
	return a
}

// accessOp says what an instruction does with memory that is counted, by its opcode.
func accessOp(in *ptx.Inst) count.Op {
	if in.Match == nil {
		return count.None
	}
	switch accessSpace(in) {
	case ptx.ParamSpace, ptx.ConstSpace:
		return count.None
	}
	return count.OpOf(in.Match.Form.Mnemonic)
}

// access works out what an instruction's lanes access; nil if its addresses are not known.
func (s *Session) access(i *Instruction, warp int) *Access {
	a := &Access{Instruction: i, Op: accessOp(i.Inst)}
	if a.Op == count.None {
		return nil
	}
	if a.Size = accessSize(i.Inst); a.Size == 0 || a.Size > 32 || bits.OnesCount(uint(a.Size)) > 1 {
		return nil
	}
	for _, row := range i.Rows {
		if row.Role == RoleAddress {
			a.Lanes, a.Addrs = i.Exec&row.Known, row.Values
		}
	}
	if a.Lanes == 0 {
		return nil
	}
	a.choose(s)
	a.measure()
	return a
}

// choose keeps the lanes of the space that most of them access.
func (a *Access) choose(s *Session) {
	all, most := a.Lanes, 0
	var in [ptx.TexSpace + 1]emu.Mask
	for lane := range 32 {
		if all.Has(lane) {
			c := Cell{CTA: s.cta, Warp: s.warp, Lane: lane, Addr: a.Addrs[lane], Size: a.Size, Space: accessSpace(a.Inst)}
			in[s.spaceOf(c)] |= 1 << lane
		}
	}
	for space, lanes := range in {
		if lanes.Count() > most {
			a.Space, a.Lanes, most = ptx.Space(space), lanes, lanes.Count()
		}
	}
	a.Other = all.Count() - most
}

func (a *Access) measure() {
	size, lanes := uint32(a.Size), uint32(a.Lanes)
	switch a.Space {
	case ptx.SharedSpace:
		a.Parts, a.Ideal, _ = count.Wavefronts(&a.Addrs, 0, size, lanes)
		a.Banks = count.Banks(&a.Addrs, size, lanes)
	case ptx.LocalSpace:
		a.Parts, a.Ideal = count.LocalSectors(&a.Addrs, 0, size, lanes)
	default:
		a.Sectors = count.SectorsOf(&a.Addrs, size, lanes)
		a.Parts, a.Ideal = len(a.Sectors), count.IdealSectors(size, lanes)
	}
	if a.Op >= count.Atomic {
		a.Repeats = count.Repeats(&a.Addrs, 0, lanes)
	}
}

// Unit is what Parts counts.
func (a *Access) Unit() string {
	if a.Space == ptx.SharedSpace {
		return "wavefront"
	}
	return "sector"
}

// Costly says whether the access takes more than the same lanes need.
func (a *Access) Costly() bool { return a.Parts > a.Ideal }

// Why says what the lanes access, in a few words.
func (a *Access) Why() string {
	switch {
	case a.Space == ptx.SharedSpace:
		return a.banksWords()
	case a.Space == ptx.LocalSpace:
		return "local memory keeps a word of neighbouring lanes side by side"
	}
	touched := 0
	for _, s := range a.Sectors {
		touched += bits.OnesCount32(s.Bytes)
	}
	return fmt.Sprintf("%d of %d bytes are used", touched, 32*len(a.Sectors))
}

func (a *Access) banksWords() string {
	words, used, least, most := 0, 0, 32, 0
	for _, b := range a.Banks {
		if b.Words > 0 {
			used, words = used+1, words+b.Words
			least, most = min(least, b.Words), max(most, b.Words)
		}
	}
	switch lanes := a.Lanes.Count(); {
	case a.Size > 4:
		return fmt.Sprintf("%d bytes a lane: %s of lanes, one after the other", a.Size, ptx.Plural(a.phases(), "part"))
	case most == 1 && words < lanes:
		return fmt.Sprintf("%s for %s: broadcast, no bank conflict", ptx.Plural(words, "word"), ptx.Plural(lanes, "lane"))
	case most == 1:
		return fmt.Sprintf("%s in %s: no bank conflict", ptx.Plural(words, "word"), ptx.Plural(used, "bank"))
	case least == most:
		return fmt.Sprintf("%d words in %s, %d in each", words, ptx.Plural(used, "bank"), most)
	}
	return fmt.Sprintf("%d words in %s, up to %d in one", words, ptx.Plural(used, "bank"), most)
}

// phases is in how many parts of a warp shared memory serves the access at least.
func (a *Access) phases() int { return max(a.Size/4, 1) }

// Cure says in a sentence what would make the access cheaper; "" where nothing would.
func (a *Access) Cure() string {
	stride, regular := a.stride()
	switch {
	case a.Repeats > 0:
		return fmt.Sprintf("%s the address of a lower lane, and lanes with one address take turns: combine their values in "+
			"the warp first, with redux or shfl, and let one lane do the atomic.", has(a.Repeats))
	case !a.Costly():
		return ""
	case a.Space == ptx.SharedSpace && regular && stride%(8) == 0:
		words := stride / 4
		return fmt.Sprintf("Neighbouring lanes are %d words apart, so few of the 32 banks serve them all: pad each row by "+
			"one word, to %d.", words, words+1)
	case a.Space == ptx.SharedSpace:
		return "Let the lanes access different banks, or the same word: change the order of the elements, or pad the rows."
	case a.Space == ptx.LocalSpace:
		return "Lanes that use different indices of a local array touch more sectors: use the same index in all lanes."
	case regular && stride == int64(a.Size):
		return fmt.Sprintf("The lanes' bytes are side by side but begin in the middle of a sector: begin them at a multiple "+
			"of 32, %d bytes earlier.", a.Sectors[0].Addr^a.first())
	case regular:
		return fmt.Sprintf("Neighbouring lanes are %d bytes apart: let neighbouring lanes access neighbouring elements, or "+
			"copy the data through shared memory.", stride)
	}
	return "The addresses are scattered: let neighbouring lanes access neighbouring elements where the data allow it."
}

func has(lanes int) string {
	if lanes == 1 {
		return "1 lane has"
	}
	return fmt.Sprintf("%d lanes have", lanes)
}

// first is the lowest address.
func (a *Access) first() emu.Addr {
	least := ^emu.Addr(0)
	for lane := range 32 {
		if a.Lanes.Has(lane) {
			least = min(least, a.Addrs[lane])
		}
	}
	return least
}

// stride is the distance in bytes between most neighbouring lanes. ok is false where it is 0, or of fewer than half of
// them.
func (a *Access) stride() (stride int64, ok bool) {
	times, pairs := map[int64]int{}, 0
	for lane := range 31 {
		if a.Lanes.Has(lane) && a.Lanes.Has(lane+1) {
			by := int64(a.Addrs[lane+1] - a.Addrs[lane])
			if by < 0 {
				by = -by
			}
			times[by]++
			pairs++
			if times[by] > times[stride] || times[by] == times[stride] && by < stride {
				stride = by
			}
		}
	}
	return stride, stride != 0 && 2*times[stride] > pairs
}
