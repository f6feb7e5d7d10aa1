package matrix

import (
	"fmt"
	"math"

	"warpscope/emu/num"
	"warpscope/ptx/isa"
)

// Choice is which two elements of each four are kept: the greatest or the smallest, by value or by magnitude
// (9.7.10.30). The manual leaves open which of equal ones; here the first.
type Choice struct {
	Type            isa.Type
	Least, Absolute bool
}

// choices are the types that a descriptor numbers, of elements of 8 and of 16 bits.
var choices = map[int][]isa.Type{
	8:  {isa.U8, isa.S8, isa.E5M2, isa.E4M3, isa.E3M2, isa.E2M3},
	16: {isa.F16, isa.BF16},
}

// ChoiceOf reads the descriptor of spcompress (Table 38) for elements of 8 or 16 bits.
func ChoiceOf(descriptor uint32, size int) (Choice, error) {
	n := int(descriptor >> 2 & 7)
	switch types := choices[size]; {
	case descriptor>>5 != 0:
		return Choice{}, fmt.Errorf("the bits %#x are reserved", descriptor&^31)
	case n >= len(types):
		return Choice{}, fmt.Errorf("the type %d is none of %d bits", n, size)
	default:
		return Choice{types[n], descriptor&2 != 0, descriptor&1 != 0}, nil
	}
}

// rank is the greater, the sooner an element is kept. NaN always is; -0.0 is less than +0.0.
func (c Choice) rank(v uint64) int64 {
	rank := int64(c.Type.Extend(v))
	if decode := num.Decoder(c.Type); decode != nil {
		value := decode(v)
		if math.IsNaN(value) {
			return math.MaxInt64
		}
		if rank = int64(math.Float64bits(math.Abs(value))); math.Signbit(value) && !c.Absolute {
			rank = -rank - 1
		}
	} else if c.Absolute {
		rank = max(rank, -rank)
	}
	if c.Least {
		return -rank
	}
	return rank
}

// Compress keeps two of each four elements of size bits, in their order: the first element is in the lowest bits. Their
// places have so many bits each.
func (c Choice) Compress(data []uint32, size, places int) (meta, kept []uint32) {
	n := len(data) * 32 / size
	meta, kept = make([]uint32, (n/2*places+31)/32), make([]uint32, len(data)/2)
	for group := range n / 4 {
		ranks := [4]int64{}
		for i := range ranks {
			ranks[i] = c.rank(field(data, 4*group+i, size))
		}
		at := 2 * group
		for i, rank := range ranks {
			before := 0 // how many are kept sooner
			for j, other := range ranks {
				if other > rank || other == rank && j < i {
					before++
				}
			}
			if before < 2 {
				put(meta, at, places, uint64(i))
				put(kept, at, size, field(data, 4*group+i, size))
				at++
			}
		}
	}
	return meta, kept
}

// Expansion undoes it: of each group of so many elements, those stored go to their places, and the rest is zero
// (9.7.10.31).
type Expansion struct {
	Size, Places  int // bits of an element and of its place
	Stored, Group int // elements
	Times         int
}

// Expand is the dense data. An error is a place beyond the group, which the manual leaves to implementations.
func (e Expansion) Expand(meta, kept []uint32) ([]uint32, error) {
	data := make([]uint32, (e.Group*e.Size*e.Times+31)/32)
	for i := range e.Stored * e.Times {
		group, place := i/e.Stored, int(field(meta, i, e.Places))
		if place >= e.Group {
			return nil, fmt.Errorf("place %d of group %d, which has %d elements", place, group, e.Group)
		}
		put(data, group*e.Group+place, e.Size, field(kept, i, e.Size))
	}
	return data, nil
}

// field is element i of size bits.
func field(words []uint32, i, size int) uint64 {
	return uint64(words[i*size/32]) >> (i * size % 32) & (1<<size - 1)
}

// put sets it.
func put(words []uint32, i, size int, v uint64) {
	w, shift := &words[i*size/32], i*size%32
	*w = *w&^uint32((1<<size-1)<<shift) | uint32(v)<<shift
}
