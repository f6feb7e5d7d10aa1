package emu

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"warpscope/emu/matrix"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// tcgen05.mma, .cp and .shift are asynchronous: they happen when somebody waits for the mbarrier of a tcgen05.commit that
// tracks them (see flight.go), those of one thread in the order in which it issued them, and behind those of others that
// tcgen05.fence puts before them. What nothing tracks never happens. Each lane that executes the instruction issues an
// operation of its own (9.7.16.5). With .cta_group::2 it works on both CTAs of the pair.

// lowerIssueTensor lowers an instruction for which begin, lane by lane, checks the operands and gives what is to be done, and
// which matrices of each CTA it reads.
func lowerIssueTensor(l *lowerer, begin func(w *warp, in *inst, f unsafe.Pointer, lane int) (func(c *cta), []smemRead)) bool {
	pair := l.has(pairGroup)
	l.prog.proxies = l.prog.proxies || !l.has(".shift")
	l.i.op, l.i.x = opRun, &extra{run: func(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
		ok := w.grouped(in, exec, pair)
		eachLane(exec, func(lane int) {
			if !ok {
				return
			}
			do, reads := begin(w, in, f, lane)
			if ok = do != nil; ok {
				w.cta.tensor.issued = append(w.cta.tensor.issued, tensorOp{in: in, by: thread{w.index, lane}, pair: pair, do: do,
					reads: reads})
			}
		})
		return ok
	}}
	return true
}

// lowerTensorCommit is tcgen05.commit (9.7.16.12.1).
func lowerTensorCommit(l *lowerer) bool {
	mbar, _ := l.named("mbar")
	mem := l.access(mbar, isa.B64, true)
	if mem.space == ptx.SharedSpace {
		mem.space = clusterSpace
	}
	mask, several := l.named("ctaMask")
	pair := l.has(pairGroup)
	ctas := l.src(mask, isa.U32) // or .u16, by the modifier
	l.i.op, l.i.x = opRun, &extra{mem: mem, run: func(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
		at, ok := w.mbarriers(in, mem, f, exec)
		ok = ok && w.grouped(in, exec, pair)
		eachLane(exec, func(lane int) {
			if !ok {
				return
			}
			o := asyncOp{mbarrier: at[lane], arrive: 1, group: -1, pair: pair,
				tensor: w.cta.tensor.commit(thread{w.index, lane}, pair)}
			if !several {
				startAsync(w, in, lane, o)
				return
			}
			own := ownerOfShared(w.cta.grid, at[lane])
			for rank, m := 0, ctas.Get(f, lane); m != 0; rank, m = rank+1, m>>1 {
				if p := w.cta.peer(rank); m&1 != 0 && p == nil {
					ok = illegal(w, in, 1<<lane, ": the cluster has no CTA of rank %d", rank)
					return
				} else if m&1 != 0 {
					o.mbarrier = p.sharedOff + at[lane] - own.sharedOff
					startAsync(w, in, lane, o)
					o.tensor = []tensorOp{} // they happen once
				}
			}
		})
		return ok
	}}
	return true
}

// commit takes the operations of a thread out of the list, those with the .cta_group of the commit, and those of others
// that come before them.
func (t *tensorMemory) commit(by thread, pair bool) []tensorOp {
	ops, left := []tensorOp{}, []tensorOp(nil)
	for _, o := range t.issued {
		if o.pair == pair && (o.by == by || slices.Contains(o.behind, by)) {
			ops = append(ops, o)
		} else {
			left = append(left, o)
		}
	}
	t.issued = left
	return ops
}

// fence is tcgen05.fence (9.7.16.11.1): what a thread has issued before fence::before_thread_sync comes before what
// another one issues behind fence::after_thread_sync, if they have met in between.
func (t *tensorMemory) fence(by thread, before bool) {
	for i := range t.issued {
		o := &t.issued[i]
		switch {
		case before:
			o.fenced = o.fenced || o.by == by
		case o.fenced && o.by != by && !slices.Contains(o.behind, by):
			o.behind = append(slices.Clip(o.behind), by) // snapshots share the old ones
		}
	}
}

// lowerTensorCopy is tcgen05.cp (9.7.16.9.2). Row r of the source goes to lane r, or to several, from the column of taddr on.
// Each CTA of a pair copies from its own shared memory.
func lowerTensorCopy(l *lowerer) bool {
	taddr := l.tensorAddress("taddr")
	desc, _ := l.named("s-desc")
	source := l.src(desc, isa.B64)
	var rows, size int
	fmt.Sscanf(l.in.Match.Value("shape"), ".%dx%db", &rows, &size)
	width := 8 // bits of a source element when it is spread over a byte
	switch {
	case l.has(".b6x16_p32"):
		width = 6
	case l.has(".b4x16_p64"):
		width = 4
	}
	pair := l.has(pairGroup)
	lanes := copyLanes(rows, l.first(".warpx2::02_13", ".warpx2::01_23"))
	return taddr != nil && lowerIssueTensor(l, func(w *warp, in *inst, f unsafe.Pointer, lane int) (func(c *cta), []smemRead) {
		addr := taddr(f, lane)
		col := int(addr & 0xffff)
		if !w.hasColumns(in, 1<<lane, pair, col, size/32) {
			return nil, nil
		}
		m, err := matrix.Tcgen05(source.Get(f, lane), 8, false)
		if err == nil {
			err = m.CheckCopy()
		}
		if err == nil && addr>>16 != 0 {
			err = errors.New("the destination begins in lane 0")
		}
		read := smemRead{m, 0, rows, size / 8}
		if !w.goodMatrix(in, lane, read, err) {
			return nil, nil
		}
		return eachOf(pair, func(c *cta) {
			bytes := make([]uint64, rows*size/8)
			m.Read(c.sharedBytes(), 0, rows, size/8, bytes)
			matrix.UnpackBytes(bytes, width)
			for i := range bytes {
				row, at := i/(size/8), i%(size/8)
				for _, to := range lanes(row) {
					p := c.word(to, col+at/4)
					*p = *p&^(0xff<<(at%4*8)) | uint32(bytes[i])<<(at%4*8)
				}
			}
			c.touchTensor(0, tensorLanes, col, size/32)
		}), []smemRead{read}
	})
}

// copyLanes are the lanes that a row goes to. A pair of warps receives 64 rows, each warp of it one half; 4 rows are the
// first of each warp's lanes.
func copyLanes(rows int, pairs string) func(row int) []int {
	switch {
	case rows == 4:
		return func(row int) []int { return []int{32 * row} }
	case rows == 32:
		return func(row int) []int { return []int{row, row + 32, row + 64, row + 96} }
	case pairs == ".warpx2::02_13":
		return func(row int) []int { return []int{row%32 + row/32*64, row%32 + row/32*64 + 32} }
	case pairs == ".warpx2::01_23":
		return func(row int) []int { return []int{row, row + 64} }
	}
	return func(row int) []int { return []int{row} }
}

// lowerTensorShift is tcgen05.shift (9.7.16.9.3): 32 bytes of the lanes of a warp move to the next lane; what the last one
// had is lost, and the first one keeps what it has.
func lowerTensorShift(l *lowerer) bool {
	taddr := l.tensorAddress("taddr")
	pair := l.has(pairGroup)
	return taddr != nil && lowerIssueTensor(l, func(w *warp, in *inst, f unsafe.Pointer, lane int) (func(c *cta), []smemRead) {
		addr := taddr(f, lane)
		first, col := int(addr>>16), int(addr&0xffff)
		if first%32 != 0 || first >= tensorLanes {
			illegal(w, in, 1<<lane, ": the address begins in lane %d, which must be a multiple of 32 below 128", first)
			return nil, nil
		}
		if !w.hasColumns(in, 1<<lane, pair, col, 8) {
			return nil, nil
		}
		return eachOf(pair, func(c *cta) {
			for i := first + 31; i > first; i-- {
				for k := range 8 {
					*c.word(i, col+k) = *c.word(i-1, col+k)
				}
			}
			c.touchTensor(first, 32, col, 8)
		}), nil
	})
}

// goodMatrix says whether what is read of a matrix in shared memory is well described, as err says, and inside it.
func (w *warp) goodMatrix(in *inst, lane int, r smemRead, err error) bool {
	if err != nil {
		return illegal(w, in, 1<<lane, ": a matrix descriptor of `%s`: %v", in.src.Opcode, err)
	}
	if at, bad := r.Outside(w.cta.sharedSize, r.first, r.lines, r.k); bad {
		w.lsu.memoryFault(in, &access{space: ptx.SharedSpace}, OutOfBounds, Addr(at), 16, 1<<lane)
		return false
	}
	w.checkMatrix(in, lane, r)
	return true
}
