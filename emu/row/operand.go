package row

import (
	"unsafe"

	"warpscope/gpu"
)

// Operand is a place in a frame, with its width.
type Operand struct {
	Off  uint32 // of the row, in the frame
	Bits uint8  // width of the register: 1 for a predicate, 8 to 128
	Sink bool   // writes have no effect
	Neg  bool   // a negated predicate
	Mask uint64 // bits that the instruction's type covers
}

// Wide says whether the operand's row has 64 bits in each lane.
func (o Operand) Wide() bool { return o.Bits == 64 || o.Bits == 128 }

// Get returns the operand in one lane: the bits that the instruction's type covers. A predicate is 0 or 1.
func (o *Operand) Get(f unsafe.Pointer, lane int) uint64 {
	switch {
	case o.Bits == 1:
		return uint64(o.Lanes(f)>>lane) & 1
	case o.Wide():
		return U64s(f, o.Off)[lane] & o.Mask
	}
	return uint64(U32s(f, o.Off)[lane]) & o.Mask
}

// All returns a register's bits in all lanes, of 128 bits the low half.
func (o *Operand) All(f unsafe.Pointer) (all [32]uint64) {
	switch {
	case o.Bits == 1:
		for p, lane := *Pred(f, o.Off), 0; lane < 32; lane++ {
			all[lane] = uint64(p >> lane & 1)
		}
	case o.Wide():
		all = *U64s(f, o.Off)
	default:
		for lane, v := range U32s(f, o.Off) {
			all[lane] = uint64(v)
		}
	}
	return all
}

// Set writes the operand in one lane, cut to the register's width.
func (o *Operand) Set(f unsafe.Pointer, lane int, v uint64) {
	switch {
	case o.Sink:
	case o.Bits == 1:
		p := Pred(f, o.Off)
		*p = *p&^(1<<lane) | uint32(v&1)<<lane
	case o.Wide():
		U64s(f, o.Off)[lane] = v
	case o.Bits == 32:
		U32s(f, o.Off)[lane] = uint32(v)
	default:
		U32s(f, o.Off)[lane] = uint32(v) & (1<<o.Bits - 1)
	}
}

// Hi returns the place of the upper half of a 128-bit operand.
func (o Operand) Hi() Operand {
	o.Off += Row64
	o.Bits = 64
	return o
}

// Lanes returns a predicate operand as a mask of lanes.
func (o *Operand) Lanes(f unsafe.Pointer) uint32 {
	p := *Pred(f, o.Off)
	if o.Neg {
		p = ^p
	}
	return p
}

// SetLanes writes a predicate operand in the lanes of exec. Bit i of v is lane i.
func (o *Operand) SetLanes(f unsafe.Pointer, exec gpu.Mask, v uint32) {
	if o.Sink {
		return
	}
	p := Pred(f, o.Off)
	*p = *p&^uint32(exec) | v&uint32(exec)
}

// Pair is a 128-bit value, low half first.
type Pair [2]uint64

// GetPair returns the operand in one lane. The high half is 0 unless the operand has 128 bits.
func (o *Operand) GetPair(f unsafe.Pointer, lane int) (v Pair) {
	if v[0] = o.Get(f, lane); o.Bits == 128 {
		h := o.Hi()
		v[1] = U64s(f, h.Off)[lane]
	}
	return v
}

// SetPair writes the operand in one lane. The high half counts only if the operand has 128 bits.
func (o *Operand) SetPair(f unsafe.Pointer, lane int, v Pair) {
	if o.Set(f, lane, v[0]); o.Bits == 128 && !o.Sink {
		h := o.Hi()
		h.Set(f, lane, v[1])
	}
}

// Joined returns a lane's elements of so many bits as one value, the first lowest. A single element can have 128 bits.
func Joined(list []Operand, bits int, f unsafe.Pointer, lane int) (v Pair) {
	if len(list) == 1 {
		return list[0].GetPair(f, lane)
	}
	for i := range list {
		at := i * bits
		v[at/64] |= list[i].Get(f, lane) << (at % 64)
	}
	return v
}

// SetJoined gives a lane's elements the parts of one value.
func SetJoined(list []Operand, bits int, f unsafe.Pointer, lane int, v Pair) {
	if len(list) == 1 {
		list[0].SetPair(f, lane, v)
		return
	}
	for i := range list {
		at := i * bits
		list[i].Set(f, lane, v[at/64]>>(at%64))
	}
}
