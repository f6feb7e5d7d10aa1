package emu

import (
	"fmt"
	"math/bits"
	"unsafe"

	"warpscope/emu/causes"
	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/row"
)

// Generic addresses, and the windows of the state spaces among them.

// namedSpace is the state space of a cvta or isspacep.
func (l *lowerer) namedSpace() string {
	return l.first(".const", ".global", ".local", ".shared", ".shared::cta", ".shared::cluster", ".param", ".param::entry")
}

// lowerIsspacep is isspacep, which says whether a generic address is in a state space's window (9.7.10.22).
func lowerIsspacep(l *lowerer) bool {
	ops := l.in.Operands
	a, inside := l.src(ops[1], l.typeOf(1)), inSpace(l.namedSpace())
	p := l.dst(ops[0])
	l.pure(func(w *machine.Warp, _ *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		var t uint32
		machine.EachLane(exec, func(lane int) { t |= row.Bit(inside(w, a.Get(f, lane))) << lane })
		p.SetLanes(f, exec, t)
		return true
	})
	return inside != nil
}

// inSpace says whether a generic address is in the window of a space; nil for an unknown space.
func inSpace(space string) func(w *machine.Warp, a Addr) bool {
	switch space {
	case ".shared", ".shared::cta":
		return func(w *machine.Warp, a Addr) bool { return inOwnShared(&w.LSU, a) }
	case ".shared::cluster":
		return func(w *machine.Warp, a Addr) bool { return inClusterShared(&w.LSU, a) }
	case ".local":
		return func(w *machine.Warp, a Addr) bool { return w.Mem.Win.InLocal(a) }
	case ".const":
		return allocatedIn(mem.Const)
	case ".param", ".param::entry":
		return allocatedIn(mem.Param)
	case ".global": // kernel parameters are inside the global window
		return func(w *machine.Warp, a Addr) bool {
			al := w.Mem.Find(a, 1)
			return a >= w.Mem.Win.Global && (al == nil || al.Kind != mem.Const)
		}
	}
	return nil
}

func allocatedIn(kind mem.Kind) func(w *machine.Warp, a Addr) bool {
	return func(w *machine.Warp, a Addr) bool {
		al := w.Mem.Find(a, 1)
		return al != nil && al.Kind == kind
	}
}

// inOwnShared: "only if the address is of a variable declared in the executing CTA" (9.7.10.22).
func inOwnShared(w *machine.LSU, a Addr) bool {
	at := a - w.Mem.Win.Shared
	n := at / machine.ClusterStride
	return n == 0 || at < mem.SharedWindow && n == uint64(w.CTA.Rank())+1
}

func inClusterShared(w *machine.LSU, a Addr) bool {
	g := w.CTA.Grid
	return a-g.Mem.Win.Shared < machine.ClusterStride*uint64(g.ClusterSize()+1)
}

// lowerCvta converts between generic addresses and those of a state space (9.7.10.23).
func lowerCvta(l *lowerer) bool {
	ops := l.in.Operands
	t := l.in.Match.Types[0]
	a, d := l.src(ops[1], t), l.dst(ops[0])
	base := uint64(0)
	switch l.first(".shared", ".shared::cta", ".shared::cluster", ".local") {
	case "":
	case ".local":
		base = l.dev.Mem.Win.Local
	default:
		base = l.dev.Mem.Win.Shared
	}
	if l.has(".to") {
		return lowerCvtaTo(l, d, a, base, l.namedSpace())
	}
	return computes(l, "add"+t.String(), []row.Operand{d}, []row.Operand{a, l.bitsRow(base, t)},
		oneSource(func(a uint64) uint64 { return a + base }, d, a))
}

// lowerCvtaTo converts a generic address to one of a space. The result is undefined, and a finding, when the address is
// not of that space. Null is no finding: it stays null in most programs, and does no harm.
func lowerCvtaTo(l *lowerer, d, a row.Operand, base uint64, space string) bool {
	fits := convertible(space)
	return l.pure(func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		wrong, first := Mask(0), uint64(0)
		for m := uint32(exec); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			a := a.Get(f, lane)
			if a != 0 && !fits(w, a) {
				if wrong == 0 {
					first = a
				}
				wrong |= 1 << lane
			}
			d.Set(f, lane, a-base)
		}
		if wrong != 0 && !w.CTA.Grid.Noted(in, causes.Space) {
			w.Note(in, causes.Space,
				fmt.Sprintf("`%s` in %s of warp %d: %#x is no generic address of %s memory, and the result is "+
					"undefined; isspacep%s tells which addresses are",
					in.Src.Opcode, wrong.Lanes(), w.Index, first, space[1:], space))
		}
		return true
	})
}

// convertible says whether cvta.to may convert a generic address. cvta.to.global, .const and .param do not change an
// address that is in no window; memcheck reports its use.
func convertible(space string) func(w *machine.Warp, a Addr) bool {
	outside := func(w *machine.Warp, a Addr) bool { win := &w.Mem.Win; return a < win.Shared || a >= win.Global }
	switch space {
	case ".shared", ".shared::cta", ".shared::cluster", ".local":
		return inSpace(space)
	case ".const":
		return func(w *machine.Warp, a Addr) bool {
			al := w.Mem.Find(a, 1)
			return (al == nil || al.Kind == mem.Const) && outside(w, a)
		}
	}
	return outside
}
