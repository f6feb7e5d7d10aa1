package machine

// Bulk and tensor copies, wgmma, tcgen05.mma and .cp read shared memory through the async proxy. They are certain to
// see what threads have stored there only after fence.proxy.async (9.7.10.28.2, 9.7.17.4, 9.7.18.6.5); without it
// hardware reads old bytes now and then. Here the bytes are right, and the missing fence is a finding. A fence of any
// thread counts for all stores before it.

// EachPiece calls visit for the shared memory address of each 16-byte piece, until visit returns false.
func (r *SmemRead) EachPiece(visit func(addr uint32) bool) { r.Chunks(r.First, r.Lines, r.K, visit) }

// NoteUnfenced notes a store of a thread to size bytes at an arena offset.
func (w *LSU) NoteUnfenced(in *Inst, off, size uint32) {
	c := w.CTA
	if at := off - c.SharedOff; c.Grid.Prog.Proxies && at < uint32(c.SharedSize) {
		if c.Unfenced == nil {
			c.Unfenced = make(unfenced, c.SharedSize>>4+1)
		}
		for i := at >> 4; i <= (at+size-1)>>4; i++ {
			c.Unfenced[i] = in
		}
	}
}

// noteUnfencedLanes notes the stores of lanes of size bytes each, at w.Seg and w.offs.
func (w *LSU) noteUnfencedLanes(in *Inst, exec Mask, size uint32) {
	if w.CTA.Grid.Prog.Proxies {
		EachLane(exec, func(lane int) { w.NoteUnfenced(in, w.Seg.Base+w.offs[lane], size) })
	}
}

// overwrittenMaps forgets the stores of threads that an operation of the async proxy has overwritten.
func overwrittenMaps(g *Grid, off, size uint32) {
	if !g.Prog.Proxies || size == 0 {
		return
	}
	if c := OwnerOfShared(g, off); c != nil && c.Unfenced != nil {
		at := off - c.SharedOff
		clear(c.Unfenced[at>>4 : (at+size-1)>>4+1])
	}
}
