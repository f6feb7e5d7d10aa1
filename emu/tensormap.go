package emu

import (
	"errors"
	"slices"
	"unsafe"

	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/emu/tensor"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Tensor maps are those of package tensor, under the names by which outside programs know them.
type (
	TensorMap  = tensor.Map
	TensorMode = tensor.Mode
	TensorType = tensor.Type
	Interleave = tensor.Interleave
	Swizzle    = tensor.Swizzle
	Atomicity  = tensor.Atomicity
)

// The values of those types, and the size of a tensor map in bytes.
const (
	Tiled      = tensor.Tiled
	Im2col     = tensor.Im2col
	Im2colW    = tensor.Im2colW
	Im2colW128 = tensor.Im2colW128

	NoInterleave  = tensor.NoInterleave
	Interleave16B = tensor.Interleave16B
	Interleave32B = tensor.Interleave32B

	NoSwizzle   = tensor.NoSwizzle
	Swizzle32B  = tensor.Swizzle32B
	Swizzle64B  = tensor.Swizzle64B
	Swizzle128B = tensor.Swizzle128B
	Swizzle96B  = tensor.Swizzle96B

	Atom16B       = tensor.Atom16B
	Atom32B       = tensor.Atom32B
	Atom32BFlip8B = tensor.Atom32BFlip8B
	Atom64B       = tensor.Atom64B

	TensorMapSize = tensor.MapSize
)

// TensorTypeNamed finds an element type by the name that the manual gives it, without the dot.
func TensorTypeNamed(name string) (TensorType, bool) { return tensor.TypeNamed(name) }

// readMap is the tensor map at a generic address, with what a copy overrides.
func readMap(w *machine.Warp, a Addr, over *tensor.Override) (m tensor.Layout, err error) {
	if a%64 != 0 {
		return m, errors.New("it must be a multiple of 64")
	}
	if kind := w.LSU.Segment(ptx.Generic, a, TensorMapSize, false); kind != "" || w.LSU.Seg.Stride != 0 {
		return m, errors.New("a tensor map is in global, constant or parameter memory")
	}
	at := a + w.LSU.Seg.Add
	if at >= w.LSU.Seg.Size || w.LSU.Seg.Size-at < TensorMapSize {
		return m, errors.New("it has 128 bytes")
	}
	return over.Decode(w.Mem.Bytes(w.LSU.Seg.Base+uint32(at), TensorMapSize))
}

// lowerTensormap lowers tensormap.replace (9.7.10.29) and tensormap.cp_fenceproxy (9.7.15.17).
func lowerTensormap(l *lowerer) bool {
	ops := l.in.Operands
	if l.has(".cp_fenceproxy") {
		to := l.accessIn(ops[0], ".global", isa.B64, true)
		from := l.accessIn(ops[1], ".shared::cta", isa.B64, false)
		if ops[2].Imm != TensorMapSize {
			return l.refuse(ops[2], "a tensor map has 128 bytes, not %d", ops[2].Imm)
		}
		return l.reaches(to, func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
			return copyMap(w, in, to, from, f, exec)
		})
	}
	v := &mapField{value: l.src(ops[len(ops)-1], l.in.Match.Types[len(l.in.Match.Types)-1])}
	i := slices.IndexFunc(tensor.Fields[:], func(f tensor.Field) bool { return l.has(f.Name) })
	if i < 0 {
		return false
	}
	ord := 0
	if len(ops) == 3 {
		if ord = int(min(ops[1].Imm, 5)); ord >= tensor.Fields[i].Ordinals {
			return l.refuse(ops[1], "a tensor has at most 5 dimensions, and strides for 4")
		}
	}
	v.Replacement = tensor.Replace(i, ord, l.prog.Mod.Version < 86)
	return l.reaches(l.access(ops[0], isa.B64, true), v.replace)
}

// mapField is a field of a tensor map that is replaced.
type mapField struct {
	tensor.Replacement
	value row.Operand
}

// replace is a weak operation on the whole map (9.7.10.29).
func (v *mapField) replace(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
	ac := in.X.Mem
	at, ok := w.Spans(in, ac, f, exec, 64, func(int) uint64 { return TensorMapSize })
	if !ok {
		return false
	}
	var local Mask // "global or .shared::cta state space" (9.7.10.29)
	machine.EachLane(exec, func(lane int) { local |= Mask(row.Bit(w.Local.Holds(at[lane]))) << lane })
	if local != 0 {
		w.LSU.MemoryFault(in, ac, IllegalAddress, machine.LaneAddr(ac, f, machine.FirstLane(local)), TensorMapSize, local)
		return false
	}
	g := w.CTA.Grid
	machine.EachLane(exec, func(lane int) {
		w.LSU.CheckRange(in, lane, at[lane], TensorMapSize, true)
		changesMap(w, in, at[lane])
		g.Record.Memory(g, at[lane], TensorMapSize, lane, func() {
			v.Set(g.Mem.Bytes(at[lane], TensorMapSize), v.value.Get(f, lane))
		})
	})
	return true
}

func copyMap(w *machine.Warp, in *machine.Inst, to, from *machine.Access, f unsafe.Pointer, exec Mask) bool {
	size := func(int) uint64 { return TensorMapSize }
	dst, ok := w.Spans(in, to, f, exec, 64, size)
	if !ok {
		return false
	}
	src, ok := w.Spans(in, from, f, exec, 64, size)
	g := w.CTA.Grid
	lane := machine.FirstLane(exec) // the warp makes one copy (9.7.15.17)
	machine.EachLane(exec, func(other int) {
		if ok && (src[other] != src[lane] || dst[other] != dst[lane]) {
			ok = machine.Illegal(w, in, 1<<other, ": all lanes of a warp give `%s` the same addresses, and those of lanes %d "+
				"and %d differ",
				in.Src.Opcode, lane, other)
		}
	})
	if ok {
		w.LSU.CheckRange(in, lane, src[lane], TensorMapSize, false)
		w.LSU.CheckRange(in, lane, dst[lane], TensorMapSize, true)
		changesMap(w, in, dst[lane])
		g.Record.Memory(g, dst[lane], TensorMapSize, lane, func() {
			copy(g.Mem.Bytes(dst[lane], TensorMapSize), g.Mem.Bytes(src[lane], TensorMapSize))
		})
	}
	return ok
}
