package mem

// Extent is a range of the arena: from Start on, up to End.
type Extent struct{ Start, End uint32 }

// Span is the range of size bytes at an arena offset.
func Span(off, size uint32) Extent { return Extent{off, off + size} }

// Add makes the range hold size bytes at an arena offset, too.
func (e *Extent) Add(off, size uint32) {
	if e.End == 0 {
		*e = Span(off, size)
		return
	}
	e.Start, e.End = min(e.Start, off), max(e.End, off+size)
}

// Overlaps says whether two ranges have a byte in common.
func (e Extent) Overlaps(o Extent) bool { return e.End > o.Start && e.Start < o.End }

// Meets says whether the range overlaps size bytes at an arena offset.
func (e Extent) Meets(off, size uint32) bool { return off < e.End && off+size > e.Start }
