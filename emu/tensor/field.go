package tensor

import (
	"fmt"
	"slices"
)

// Field is a field that tensormap.replace sets (9.7.10.29), and where it lies in a tensor map. The map knows which of
// them have been set: 128 zeroed bytes are a map without any.
type Field struct {
	Name     string // the modifier
	at, size uint32
	Ordinals int    // 1, or how many values there are
	less     uint64 // the field holds the value less this
}

// Fields are all of them, in the order of their bits in the word that says which are set.
var Fields = [...]Field{
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
	for _, f := range Fields {
		for i := range f.Ordinals {
			has := set&bit != 0
			bit <<= 1
			switch needed := f.Ordinals == 1 || i < rank-5+f.Ordinals; { // dimension 0 has no stride
			case f.Name == ".rank":
				ranked = has
			case !needed:
				beyond = beyond || has
			case has || f.Name == ".swizzle_atomicity":
			case f.Ordinals == 1:
				names = append(names, f.Name)
			default:
				names = append(names, fmt.Sprint(f.Name, " ", i))
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
func (m *Layout) undivide() {
	row := uint64(m.dims[0]/m.per) * uint64(m.global)
	for i := 1; i < m.rank; i++ {
		s := m.strides[i]
		short := m.interleave == NoInterleave && m.dims[i] > 1 && s != 0 && s < row
		m.Sixteenths = m.Sixteenths || short || s%16 != 0
	}
	for i := 1; i < m.rank && m.Sixteenths; i++ {
		m.strides[i] = min(m.strides[i], 1<<40) * 16 // what is too long stays too long
	}
}

// Replacement is one value that tensormap.replace sets.
type Replacement struct {
	Field
	bit uint32 // its bit, or bits, among those that say which fields are set
}

// Replace is the replacement of field number i of Fields, with an ordinal below its Ordinals. divided: the module may
// give strides in units of 16 bytes, as compilers wrote them before PTX ISA 8.6.
func Replace(i, ordinal int, divided bool) Replacement {
	r := Replacement{Field: Fields[i], bit: 1 << ordinal}
	for _, before := range Fields[:i] {
		r.bit <<= before.Ordinals
	}
	if r.at += uint32(ordinal) * r.size; divided && r.Name == ".global_stride" {
		r.bit |= oldStrides
	}
	return r
}

// Set writes the value into the bytes of a tensor map.
func (r *Replacement) Set(b []byte, value uint64) {
	value -= r.less
	switch at := b[r.at:]; r.size {
	case 1:
		at[0] = byte(value)
	case 4:
		le.PutUint32(at, uint32(value))
	default:
		le.PutUint64(at, value)
	}
	set := le.Uint32(b[mapSet:])
	if b[mapMark] == 0 && set == 0 {
		b[mapMark] = 'T'
	}
	if b[mapMark] == 'T' {
		le.PutUint32(b[mapSet:], set|r.bit)
	}
}

// Override is what a copy uses in place of fields of its tensor map (9.7.10.28.5.2).
type Override struct {
	Address uint64
	Dims    []uint64 // none: those of the map
	Strides []uint64 // bytes, of dimensions 1 and up
}

// Decode reads the bytes of a tensor map, and ignores the fields that are overridden. nil overrides none.
func (o *Override) Decode(b []byte) (Layout, error) {
	if o == nil {
		return Decode(b)
	}
	b = slices.Clone(b)
	set := func(name string, ordinal int, value uint64) {
		r := Replace(slices.IndexFunc(Fields[:], func(f Field) bool { return f.Name == name }), ordinal, false)
		r.Set(b, value)
	}
	set(".global_address", 0, o.Address)
	for i, n := range o.Dims {
		if n == 0 {
			return Layout{}, fmt.Errorf("dimension %d is overridden by 0 elements: there is at least one", i)
		}
		set(".global_dim", i, n)
	}
	for i, n := range o.Strides {
		le.PutUint32(b[mapSet:], le.Uint32(b[mapSet:])&^oldStrides)
		set(".global_stride", i, n)
	}
	return Decode(b)
}
