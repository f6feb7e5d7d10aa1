package machine

import (
	"slices"
	"unsafe"

	"warpscope/emu/mem"
)

// What a snapshot copies, and what the copies cost: a clone for each part of the state that has slices or maps, and the
// bytes that it takes. Parts without these are copied with the struct that holds them.

func (r running) clone() running {
	r.State, r.Flights, r.frames = r.State.clone(), r.Flights.clone(), r.frames.clone()
	r.counting = r.counting.clone()
	r.Printed, r.findings = slices.Clip(r.Printed), slices.Clone(r.findings)
	r.unwritten = slices.Clone(r.unwritten)
	return r
}

// cost returns the bytes that a clone takes. The output does not count: clones share it.
func (r *running) cost() int64 {
	return r.State.cost() + r.Flights.cost() + r.frames.cost() + r.counting.cost() + mem.SliceBytes(r.findings) +
		mem.SliceBytes(r.unwritten)
}

// clone shares the warps that have ended: their counts do not change.
func (n *counting) clone() *counting {
	if n == nil {
		return nil
	}
	return &counting{slices.Clone(n.insts), slices.Clip(n.ended), n.leftOut}
}

// cost returns the bytes that a clone takes. Warps that have ended do not count: clones share them.
func (n *counting) cost() int64 {
	if n == nil {
		return 0
	}
	return mem.SizeOf(n) + mem.SliceBytes(n.insts)
}

func (s GridState) clone() GridState {
	s.CTAs, s.Maps = slices.Clone(s.CTAs), slices.Clone(s.Maps)
	for i, c := range s.CTAs {
		if c.twin == nil {
			c.twin = c.clone()
			c.twin.twin = c
		}
		s.CTAs[i] = c.twin
	}
	if s.last != nil {
		s.last = s.last.clone()
	}
	return s
}

// cost returns the bytes that a clone takes.
func (s *GridState) cost() int64 {
	n := mem.SliceBytes(s.CTAs) + mem.SliceBytes(s.Maps)
	for _, c := range s.CTAs {
		if c.twin == nil {
			n += c.cost()
		}
	}
	if s.last != nil {
		n += s.last.cost()
	}
	return n
}

func (p framePool) clone() framePool {
	free := make([][]uint32, len(p.free))
	for i, offs := range p.free {
		free[i] = slices.Clone(offs)
	}
	p.free = free
	return p
}

func (p *framePool) cost() int64 {
	n := mem.SliceBytes(p.free)
	for _, free := range p.free {
		n += mem.SliceBytes(free)
	}
	return n
}

func (s Flights) clone() Flights {
	s.Async = slices.Clone(s.Async)
	return s
}

func (s *Flights) cost() (n int64) {
	for i := range s.Async {
		o := &s.Async[i]
		n += mem.SizeOf(o) + mem.SliceBytes(o.Moves) + mem.SliceBytes(o.Data) + mem.SliceBytes(o.Tensor)
	}
	return n
}

// clone returns a copy of the CTA and its warps.
func (c *CTA) clone() *CTA {
	n := *c
	n.underWay = underWay{}
	n.Warps = make([]*Warp, len(c.Warps))
	for i, w := range c.Warps {
		n.Warps[i] = w.clone(&n)
	}
	n.barriers, n.Tensor = c.barriers.clone(), c.Tensor.clone()
	n.counted = slices.Clone(c.counted)
	n.Mbarriers, n.GroupReads, n.Unfenced = slices.Clone(c.Mbarriers), slices.Clone(c.GroupReads), slices.Clone(c.Unfenced)
	return &n
}

// cost returns the bytes that a clone takes.
func (c *CTA) cost() int64 {
	n := mem.SizeOf(c) + mem.SliceBytes(c.Warps) + c.barriers.cost() + c.Tensor.cost() + mem.SliceBytes(c.Mbarriers) +
		mem.SliceBytes(c.Unfenced) + mem.SliceBytes(c.counted) + c.order.Bytes()
	for i := range c.GroupReads {
		n += c.GroupReads[i].cost()
	}
	for _, w := range c.Warps {
		n += w.cost()
	}
	return n
}

func (b barriers) clone() barriers {
	for i := range b {
		b[i].lanes = slices.Clone(b[i].lanes)
	}
	return b
}

func (b *barriers) cost() (n int64) {
	for i := range b {
		n += mem.SliceBytes(b[i].lanes)
	}
	return n
}

func (r *GroupReads) cost() int64 { return mem.SizeOf(r) + mem.SliceBytes(r.A) + mem.SliceBytes(r.B) }

func (t TensorMemory) clone() TensorMemory {
	t.Issued = slices.Clone(t.Issued)
	for i := range t.Issued {
		t.Issued[i].After = slices.Clone(t.Issued[i].After)
	}
	return t
}

func (t *TensorMemory) cost() int64 {
	n := mem.SliceBytes(t.Issued)
	for i := range t.Issued {
		n += mem.SliceBytes(t.Issued[i].After)
	}
	return n
}

// clone returns a copy, which belongs to a clone of its CTA.
func (w *Warp) clone(c *CTA) *Warp {
	n := *w
	n.CTA, n.Host, n.LSU, n.inProgress = c, &n, LSU{Warp: &n}, inProgress{}
	n.Policy, n.order = w.Policy.Clone(), w.order.Clone()
	n.waits, n.Copies, n.Late, n.Wgmma = w.waits.clone(), w.Copies.clone(), w.Late.clone(), w.Wgmma.clone()
	return &n
}

// cost returns the bytes that a clone takes.
func (w *Warp) cost() int64 {
	return mem.SizeOf(w) + w.Policy.Bytes(frameBytes) + mem.SliceBytes(w.waits.list) + mem.SliceBytes(w.Wgmma.Users) +
		mem.SliceBytes(w.Copies) + mem.SliceBytes(w.Late) + w.order.Bytes()
}

func (s waits) clone() waits {
	s.list = slices.Clone(s.list)
	return s
}

func (c asyncCopies) clone() asyncCopies { return slices.Clone(c) }

func (l lateWork) clone() lateWork { return slices.Clone(l) }

func (u groupUse) clone() groupUse {
	u.Users = slices.Clone(u.Users)
	return u
}

const frameBytes = int64(unsafe.Sizeof(Frame{}))
