package emu

import (
	"fmt"
	"unsafe"

	"warpscope/ptx/isa"
)

// mapFields are the fields that tensormap.replace sets (9.7.9.28), and where they lie in a tensor map. The map knows
// which of them have been set: 128 zeroed bytes are a map without any.
var mapFields = [...]struct {
	name     string
	at, size uint32
	ordinals int
	less     uint64 // the field holds the value less this
}{
	{".global_address", 0, 8, 1, 0},
	{".rank", mapRank, 1, 1, 0},
	{".box_dim", mapBox, 4, 5, 0},
	{".global_dim", mapDims, 4, 5, 1},
	{".global_stride", mapStrides, 8, 4, 0},
	{".element_stride", mapSteps, 4, 5, 0},
	{".elemtype", mapType, 1, 1, 0},
	{".interleave_layout", mapInterleave, 1, 1, 0},
	{".swizzle_mode", mapSwizzle, 1, 1, 0},
	{".fill_mode", mapFill, 1, 1, 0},
	{".swizzle_atomicity", mapAtomicity, 1, 1, 0},
}

// Bits of the word that says which fields are set: one for each field and ordinal, and one for strides of modules
// before PTX ISA 8.6.
const (
	allFields  = 1<<26 - 1
	oldStrides = 1 << 31
)

// unset names the fields that a map of this rank lacks. Two may be left out, because zero says it: the swizzle
// atomicity is then 16 bytes, and the rank 1.
func unset(set uint32, rank int) (names []string) {
	beyond, ranked, bit := false, false, uint32(1)
	for _, f := range mapFields {
		for i := range f.ordinals {
			has := set&bit != 0
			bit <<= 1
			switch needed := f.ordinals == 1 || i < rank-5+f.ordinals; { // dimension 0 has no stride
			case f.name == ".rank":
				ranked = has
			case !needed:
				beyond = beyond || has
			case has || f.name == ".swizzle_atomicity":
			case f.ordinals == 1:
				names = append(names, f.name)
			default:
				names = append(names, fmt.Sprint(f.name, " ", i))
			}
		}
	}
	if beyond && !ranked {
		names = append([]string{".rank"}, names...)
	}
	return names
}

// undivide multiplies strides by 16 that cannot be bytes, because one is no multiple of 16, or shorter than a row.
// There were versions of ptxas that took .global_stride in units of 16 bytes; Triton writes them up to PTX ISA 8.5.
func (m *tensorMap) undivide() {
	row := uint64(m.dims[0]/m.per) * uint64(m.global)
	for i := 1; i < m.rank; i++ {
		s := m.strides[i]
		short := m.interleave == NoInterleave && m.dims[i] > 1 && s != 0 && s < row
		m.sixteenths = m.sixteenths || short || s%16 != 0
	}
	for i := 1; i < m.rank && m.sixteenths; i++ {
		m.strides[i] = min(m.strides[i], 1<<40) * 16 // what is too long stays too long
	}
}

// tensormap lowers tensormap.replace (9.7.9.28) and tensormap.cp_fenceproxy (9.7.13.16).
func (l *lowerer) tensormap() bool {
	ops := l.in.Operands
	if l.has(".cp_fenceproxy") {
		to := l.accessIn(ops[0], ".global", isa.B64, true)
		from := l.accessIn(ops[1], ".shared::cta", isa.B64, false)
		if ops[2].Imm != TensorMapSize {
			return l.refuse(ops[2], "a tensor map has 128 bytes, not %d", ops[2].Imm)
		}
		l.i.op, l.i.x = opRun, &extra{mem: to, run: func(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
			return w.copyMap(in, to, from, f, exec)
		}}
		return true
	}
	v := &mapField{value: l.src(ops[len(ops)-1], l.in.Match.Types[len(l.in.Match.Types)-1]), bit: 1}
	for _, f := range mapFields {
		if !l.has(f.name) {
			v.bit <<= f.ordinals
			continue
		}
		ord := 0
		if len(ops) == 3 {
			if ord = int(min(ops[1].Imm, 5)); ord >= f.ordinals {
				return l.refuse(ops[1], "a tensor has at most 5 dimensions, and strides for 4")
			}
		}
		if v.bit <<= ord; f.name == ".global_stride" && l.prog.mod.Version < 86 {
			v.bit |= oldStrides
		}
		v.at, v.size, v.less = f.at+uint32(ord)*f.size, f.size, f.less
		break
	}
	l.i.op, l.i.x = opRun, &extra{mem: l.access(ops[0], isa.B64, true), run: v.replace}
	return true
}

// mapField is a field of a tensor map that is replaced.
type mapField struct {
	at, size uint32
	bit      uint32 // its bit among those that say which fields are set
	less     uint64
	value    operand
}

// replace is a weak operation on the whole map (9.7.9.28).
func (v *mapField) replace(w *warp, in *inst, f unsafe.Pointer, exec Mask) bool {
	ac := in.x.mem
	at, ok := w.spans(in, ac, f, exec, 64, func(int) uint64 { return TensorMapSize })
	if !ok {
		return false
	}
	var local Mask // "global or .shared::cta state space" (9.7.9.28)
	eachLane(exec, func(lane int) { local |= Mask(b2u(w.inLocal(at[lane]))) << lane })
	if local != 0 {
		w.memoryFault(in, ac, IllegalAddress, laneAddr(ac, f, firstLane(local)), TensorMapSize, local)
		return false
	}
	g := w.cta.grid
	eachLane(exec, func(lane int) {
		w.checkRange(in, lane, at[lane], TensorMapSize, true)
		w.changesMap(in, at[lane])
		g.record.memory(g, at[lane], TensorMapSize, lane, func() {
			b := g.dev.arena.bytes[at[lane]:][:TensorMapSize]
			writeElement(unsafe.Pointer(&b[v.at]), v.size, v.value.get(f, lane)-v.less, 0)
			set := le.Uint32(b[mapSet:])
			if b[mapMark] == 0 && set == 0 {
				b[mapMark] = 'T'
			}
			if b[mapMark] == 'T' {
				le.PutUint32(b[mapSet:], set|v.bit)
			}
		})
	})
	return true
}

func (w *warp) copyMap(in *inst, to, from *access, f unsafe.Pointer, exec Mask) bool {
	size := func(int) uint64 { return TensorMapSize }
	dst, ok := w.spans(in, to, f, exec, 64, size)
	if !ok {
		return false
	}
	src, ok := w.spans(in, from, f, exec, 64, size)
	g := w.cta.grid
	lane := firstLane(exec) // the warp makes one copy (9.7.13.16)
	eachLane(exec, func(other int) {
		if ok && (src[other] != src[lane] || dst[other] != dst[lane]) {
			ok = w.illegal(in, 1<<other, ": all lanes of a warp give `%s` the same addresses, and those of lanes %d and %d differ",
				in.src.Opcode, lane, other)
		}
	})
	if ok {
		w.checkRange(in, lane, src[lane], TensorMapSize, false)
		w.checkRange(in, lane, dst[lane], TensorMapSize, true)
		w.changesMap(in, dst[lane])
		g.record.memory(g, dst[lane], TensorMapSize, lane, func() {
			copy(g.dev.arena.bytes[dst[lane]:][:TensorMapSize], g.dev.arena.bytes[src[lane]:])
		})
	}
	return ok
}
