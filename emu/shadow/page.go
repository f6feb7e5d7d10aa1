package shadow

import (
	"unsafe"

	"warpscope/emu/causal"
	"warpscope/emu/mem"
)

// Page is what the shadow knows of a page of the arena.
type Page struct {
	age     int
	Written [mem.PageSize / 64]uint64 // a bit for each byte
	last    []Unit                    // racecheck: by unit
	unit    uint8                     // log2 of the bytes in a unit of last
}

// The units of pages. A page has the largest unit that fits all accesses to it so far.
const (
	WordUnit = 2 // whole words of four bytes
	WarpUnit = 7 // 32 words, which the lanes of a warp access together, in their order; a unit names lane 0
)

// Unit is the last write of a unit, its last read, and a read before that of another warp or lane.
type Unit struct{ Write, Read, Other Access }

// Access is one access. There was none where Time is 0. It has no pointers, which the garbage collector would visit.
type Access struct {
	Thread causal.Thread
	Time   uint32
	How    How
}

// How is the instruction of an access, by its pc, with its reach in two bits and one for the non-coherent cache.
type How uint32

// HowOf returns how the instruction at a pc accesses memory. nc says that it uses the non-coherent cache.
func HowOf(pc int32, reach causal.Reach, nc bool) How {
	h := How(pc)<<3 | How(reach)<<1
	if nc {
		h |= 1
	}
	return h
}

// PC returns the pc of the instruction.
func (h How) PC() int32 { return int32(h >> 3) }

// Reach returns the scope of a strong access.
func (h How) Reach() causal.Reach { return causal.Reach(h >> 1 & 3) }

// NC says whether the access uses the non-coherent cache.
func (h How) NC() bool { return h&1 != 0 }

// UnitOf returns what racecheck knows of the unit that an offset in the page is in.
func (p *Page) UnitOf(off uint32) *Unit { return &p.last[off&(mem.PageSize-1)>>p.unit] }

// Divide makes the units of a page small enough for an access to a unit.
func (p *Page) Divide(unit uint8) {
	if p.last == nil {
		p.last, p.unit = make([]Unit, mem.PageSize>>unit), unit
	}
	if p.unit == WarpUnit && unit < WarpUnit {
		rows := p.last
		p.last, p.unit = make([]Unit, mem.PageSize>>WordUnit), WordUnit
		for i := range p.last {
			p.last[i] = rows[i>>(WarpUnit-WordUnit)].of(causal.Thread(i & 31))
		}
	}
	if p.unit == WordUnit && unit < WordUnit {
		words := p.last
		p.last, p.unit = make([]Unit, mem.PageSize), 0
		for i := range p.last {
			p.last[i] = words[i>>WordUnit]
		}
	}
}

// of returns what the unit of a warp says of a lane.
func (u Unit) of(lane causal.Thread) Unit {
	for _, a := range []*Access{&u.Write, &u.Read, &u.Other} {
		if a.Time != 0 {
			a.Thread |= lane
		}
	}
	return u
}

// unitFor returns the unit of an access of one lane.
func unitFor(off, size uint32) uint8 {
	if (off|size)&(1<<WordUnit-1) != 0 {
		return 0
	}
	return WordUnit
}

// eachPart visits a range of the arena in parts that each have their bits in one word of Written.
func eachPart(off uint32, size int64, do func(at uint32, bits uint64)) {
	for size > 0 {
		n := min(size, int64(64-off&63))
		do(off, ^uint64(0)>>(64-n)<<(off&63))
		off, size = off+uint32(n), size-n
	}
}

// WrittenAt returns the word of Written for an offset.
func (p *Page) WrittenAt(off uint32) *uint64 { return &p.Written[off&(mem.PageSize-1)>>6] }

// words returns what racecheck knows of the words of size bytes at an offset. The page is one of words.
func (p *Page) words(off, size uint32) []Unit {
	return p.last[off&(mem.PageSize-1)>>WordUnit:][:size>>WordUnit]
}

func (p *Page) bytes() int64 {
	return int64(unsafe.Sizeof(*p)) + int64(len(p.last))*int64(unsafe.Sizeof(Unit{}))
}

// read remembers a read, after others, of which those are ordered before all that follows that floor and met say: of
// all threads, and of the CTA.
func (u *Unit) read(now *Access, floor, met uint32) {
	if was := u.Read.Thread ^ now.Thread; was>>5 != 0 || was != 0 && u.Other.ordered(now, floor, met) {
		u.Other = u.Read
	}
	u.Read = *now
}

// ordered says, of most pairs of accesses that are no data race and at a glance, that they are none.
func (a *Access) ordered(now *Access, floor, met uint32) bool {
	return a.Time <= floor || a.Thread == now.Thread || a.Time <= met && (a.Thread^now.Thread)>>10 == 0
}
