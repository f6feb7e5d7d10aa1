package count

import (
	"math/bits"
	"slices"
)

// Bank is what the lanes of an access do in one bank of shared memory.
type Bank struct {
	Lanes uint32 // that access it
	Words int    // different ones, in the phase of the access that has most of them: so many wavefronts it needs
	Apart uint32 // lanes of phases in which the bank has several words
}

// Banks says what an access of size bytes a lane does in each bank. Its phases are those of Wavefronts.
func Banks(at *[32]uint64, size, lanes uint32) (list [banks]Bank) {
	words := uint64(max(size/wordSize, 1))
	each := banks / int(words) // lanes of a phase
	for first := 0; first < 32; first += each {
		var held [banks][]uint64
		var here [banks]uint32
		for lane := first; lane < first+each; lane++ {
			if lanes>>lane&1 == 0 {
				continue
			}
			for word := at[lane] / wordSize; word < at[lane]/wordSize+words; word++ {
				bank := word % banks
				here[bank] |= 1 << lane
				if !slices.Contains(held[bank], word) {
					held[bank] = append(held[bank], word)
				}
			}
		}
		for i := range list {
			b := &list[i]
			b.Lanes |= here[i]
			b.Words = max(b.Words, len(held[i]))
			if len(held[i]) > 1 {
				b.Apart |= here[i]
			}
		}
	}
	return list
}

// Sector is 32 bytes of global memory with the lanes that touch it.
type Sector struct {
	Addr  uint64
	Lanes uint32
	Bytes uint32 // that they touch: bit i is byte i
}

// SectorsOf lists the sectors that an access of size bytes a lane touches, by address.
func SectorsOf(at *[32]uint64, size, lanes uint32) (list []Sector) {
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes)
		addr := at[lane] &^ (sectorSize - 1)
		i, found := slices.BinarySearchFunc(list, addr, func(s Sector, a uint64) int {
			switch {
			case s.Addr < a:
				return -1
			case s.Addr > a:
				return 1
			}
			return 0
		})
		if !found {
			list = slices.Insert(list, i, Sector{Addr: addr})
		}
		list[i].Lanes |= 1 << lane
		list[i].Bytes |= uint32(1<<uint64(size)-1) << (at[lane] % sectorSize)
	}
	return list
}
