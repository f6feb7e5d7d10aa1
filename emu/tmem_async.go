package emu

import (
	"errors"
	"slices"
	"unsafe"

	"warpscope/emu/machine"
	"warpscope/emu/matrix"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// tcgen05.mma, .cp and .shift are asynchronous: they happen when a thread waits for the mbarrier of a tcgen05.commit
// that tracks them (see machine/transfer.go), those of one thread in the order in which it issued them, and after
// those of others that tcgen05.fence puts before them. What nothing tracks never happens. Each lane that executes the
// instruction issues an operation of its own (9.7.18.5). With .cta_group::2 it works on both CTAs of the pair.

// lowerIssueTensor lowers an instruction for which begin, lane by lane, checks the operands and gives what is to be
// done, or nothing when they are bad.
func lowerIssueTensor(l *lowerer, begin func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer,
	lane int) machine.TensorOp) bool {
	pair := l.has(pairGroup)
	l.prog.Proxies = l.prog.Proxies || !l.has(".shift")
	return l.runs(func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		ok := grouped(w, in, exec, pair)
		machine.EachLane(exec, func(lane int) {
			if !ok {
				return
			}
			o := begin(w, in, f, lane)
			if ok = o.Do != nil; ok {
				o.In, o.By, o.Pair = in, machine.Thread{Warp: w.Index, Lane: lane}, pair
				w.CTA.Tensor.Issued = append(w.CTA.Tensor.Issued, o)
			}
		})
		return ok
	})
}

// lowerTensorCommit is tcgen05.commit (9.7.18.12.1).
func lowerTensorCommit(l *lowerer) bool {
	mbar, _ := l.named("mbar")
	mem := l.access(mbar, isa.B64, true)
	if mem.Space == ptx.SharedSpace {
		mem.Space = machine.ClusterSpace
	}
	mask, several := l.named("ctaMask")
	pair := l.has(pairGroup)
	track := commit
	if l.has(".sync_restrict::shared::read::mma::a") {
		track = commitReads
	}
	ctas := l.src(mask, isa.U32) // or .u16, by the modifier
	return l.reaches(mem, func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		at, ok := w.Mbarriers(in, mem, f, exec)
		ok = ok && grouped(w, in, exec, pair)
		machine.EachLane(exec, func(lane int) {
			if !ok {
				return
			}
			o := machine.AsyncOp{Mbarrier: at[lane], Arrive: 1, Group: -1, Pair: pair,
				Tensor: track(w.CTA, machine.Thread{Warp: w.Index, Lane: lane}, pair)}
			if !several {
				startAsync(w, in, lane, o)
				return
			}
			own := machine.OwnerOfShared(w.CTA.Grid, at[lane])
			for rank, m := 0, ctas.Get(f, lane); m != 0; rank, m = rank+1, m>>1 {
				if p := w.CTA.Peer(rank); m&1 != 0 && p == nil {
					ok = machine.Illegal(w, in, 1<<lane, ": the cluster has no CTA of rank %d", rank)
					return
				} else if m&1 != 0 {
					o.Mbarrier = p.SharedOff + at[lane] - own.SharedOff
					startAsync(w, in, lane, o)
					o.Tensor = []machine.TensorOp{} // they happen once
				}
			}
		})
		return ok
	})
}

// comesBefore says whether a commit of a thread tracks an operation: one of the thread, or one of another that comes
// before, with the .cta_group of the commit.
func comesBefore(o *machine.TensorOp, by machine.Thread, pair bool) bool {
	return o.Pair == pair && (o.By == by || slices.Contains(o.After, by))
}

// commit takes the operations that it tracks out of the list.
func commit(c *machine.CTA, by machine.Thread, pair bool) []machine.TensorOp {
	ops, left := []machine.TensorOp{}, []machine.TensorOp(nil)
	for _, o := range c.Tensor.Issued {
		if comesBefore(&o, by, pair) {
			ops = append(ops, o)
		} else {
			left = append(left, o)
		}
	}
	c.Tensor.Issued = left
	return ops
}

// commitReads lets products read A from shared memory now. They stay in the list, without A, and what the commit tracks
// are the reads: until its mbarrier has been waited for, A is not to be overwritten.
func commitReads(c *machine.CTA, by machine.Thread, pair bool) []machine.TensorOp {
	reads := []machine.TensorOp{}
	for i := range c.Tensor.Issued {
		o := &c.Tensor.Issued[i]
		if o.ReadA == nil || !comesBefore(o, by, pair) {
			continue
		}
		read := *o
		read.Do, read.Reads = func(*machine.CTA) {}, o.Reads[1:]
		reads = append(reads, read)
		o.Do, o.Reads, o.ReadA = o.ReadA(c), o.Reads[:1], nil
	}
	return reads
}

// fence is tcgen05.fence (9.7.18.11.1): what a thread has issued before fence::before_thread_sync comes before what
// another one issues after fence::after_thread_sync, if they have met in between.
func fence(t *machine.TensorMemory, by machine.Thread, before bool) {
	for i := range t.Issued {
		o := &t.Issued[i]
		switch {
		case before:
			o.Fenced = o.Fenced || o.By == by
		case o.Fenced && o.By != by && !slices.Contains(o.After, by):
			o.After = append(slices.Clip(o.After), by) // snapshots share the old ones
		}
	}
}

// lowerTensorCopy is tcgen05.cp (9.7.18.9.2). Row r of the source goes to lane r, or to several, from the column of
// taddr on. Each CTA of a pair copies from its own shared memory. .4x256b has one lane in each warp, which taddr names:
// with lane 31 it is the one that tcgen05.shift leaves.
func lowerTensorCopy(l *lowerer) bool {
	taddr := l.tensorAddress("taddr")
	desc, _ := l.named("s-desc")
	source := l.src(desc, isa.B64)
	v, pair := lanesCopyOf(l.in.Match), l.has(pairGroup)
	rows, size, lanes := v.rows, v.size, v.lanes
	return taddr != nil && lowerIssueTensor(l, func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer,
		lane int) machine.TensorOp {
		addr := taddr(f, lane)
		first, col := int(addr>>16), int(addr&0xffff)
		if !hasColumns(w, in, 1<<lane, pair, col, size/32) {
			return machine.TensorOp{}
		}
		m, err := matrix.Tcgen05(source.Get(f, lane), 8, false)
		m.Pack(v.width)
		if err == nil {
			err = m.CheckCopy()
		}
		switch {
		case err != nil:
		case rows == 4 && first >= 32:
			err = errors.New("the destination begins in a lane of the first warp")
		case rows != 4 && first != 0:
			err = errors.New("the destination begins in lane 0")
		}
		read := machine.SmemRead{Descriptor: m, First: 0, Lines: rows, K: size / 8}
		if !goodMatrix(w, in, lane, read, err) {
			return machine.TensorOp{}
		}
		return machine.TensorOp{Reads: []machine.SmemRead{read}, Do: eachOf(pair, func(c *machine.CTA) {
			bytes := make([]uint64, rows*size/8)
			m.Read(c.SharedBytes(), 0, rows, size/8, bytes)
			for i := range bytes {
				row, at := i/(size/8), i%(size/8)
				for _, to := range lanes(row) {
					p := c.Word(first+to, col+at/4)
					*p = *p&^(0xff<<(at%4*8)) | uint32(bytes[i])<<(at%4*8)
				}
			}
			touchTensor(c, 0, machine.TensorLanes, col, size/32)
		})}
	})
}

// lanesCopy is a tcgen05.cp by its modifiers.
type lanesCopy struct {
	rows, size int // bits of a row in tensor memory
	width      int // bits of a source element that is spread over a byte; 8 if none is
	lanes      func(row int) []int
}

func lanesCopyOf(b *isa.Bound) (v lanesCopy) {
	shape := isa.Numbers(b.Value("shape")) // .128x256b
	v.rows, v.size, v.width = shape[0], shape[1], 8
	switch {
	case b.Has(".b6x16_p32"):
		v.width = 6
	case b.Has(".b4x16_p64"):
		v.width = 4
	}
	pairs := ""
	for _, mod := range []string{".warpx2::02_13", ".warpx2::01_23"} {
		if b.Has(mod) {
			pairs = mod
		}
	}
	v.lanes = copyLanes(v.rows, pairs)
	return v
}

// copyLanes are the lanes that a row goes to. Of 64 rows, one pair of warps receives the first half and the other
// pair the second, both warps of a pair the same; 4 rows go to one lane of each warp.
func copyLanes(rows int, pairs string) func(row int) []int {
	switch {
	case rows == 4:
		return func(row int) []int { return []int{32 * row} }
	case rows == 32:
		return func(row int) []int { return []int{row, row + 32, row + 64, row + 96} }
	case pairs == ".warpx2::01_23":
		return func(row int) []int { return []int{row%32 + row/32*64, row%32 + row/32*64 + 32} }
	case pairs == ".warpx2::02_13":
		return func(row int) []int { return []int{row, row + 64} }
	}
	return func(row int) []int { return []int{row} }
}

// lowerTensorShift is tcgen05.shift (9.7.18.9.3): in each warp from that of taddr on, 32 bytes of a lane move to the
// lane before it; what the first lane had is lost, and the last one keeps what it has.
func lowerTensorShift(l *lowerer) bool {
	taddr := l.tensorAddress("taddr")
	pair := l.has(pairGroup)
	return taddr != nil && lowerIssueTensor(l, func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer,
		lane int) machine.TensorOp {
		addr := taddr(f, lane)
		first, col := int(addr>>16), int(addr&0xffff)
		if first%32 != 0 || first >= machine.TensorLanes {
			machine.Illegal(w, in, 1<<lane, ": the address begins in lane %d, which must be a multiple of 32 below 128", first)
			return machine.TensorOp{}
		}
		if !hasColumns(w, in, 1<<lane, pair, col, 8) {
			return machine.TensorOp{}
		}
		return machine.TensorOp{Do: eachOf(pair, func(c *machine.CTA) {
			for i := first; i < machine.TensorLanes; i++ {
				for k := range 8 {
					*c.Word(i, col+k) = *c.Word(min(i+1, i|31), col+k)
				}
			}
			touchTensor(c, first, machine.TensorLanes-first, col, 8)
		})}
	})
}

// goodMatrix says whether what is read of a matrix in shared memory is well described, as err says, and inside it.
func goodMatrix(w *machine.Warp, in *machine.Inst, lane int, r machine.SmemRead, err error) bool {
	if err != nil {
		return machine.Illegal(w, in, 1<<lane, ": a matrix descriptor of `%s`: %v", in.Src.Opcode, err)
	}
	if at, bad := r.Outside(w.CTA.SharedSize, r.First, r.Lines, r.K); bad {
		w.LSU.MemoryFault(in, &machine.Access{Space: ptx.SharedSpace}, OutOfBounds, Addr(at), 16, 1<<lane)
		return false
	}
	checkMatrix(w, in, lane, r)
	return true
}
