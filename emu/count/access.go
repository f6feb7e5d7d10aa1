package count

import "math/bits"

// An access of a warp, for the functions here: the addresses of its lanes are those of a row plus an offset, and lanes
// says which lanes take part. Addresses are multiples of the bytes that a lane accesses, a power of two.

// address is the type of the addresses in a row.
type address interface{ uint32 | uint64 }

const (
	allLanes   = ^uint32(0)
	sectorBits = 5 // a sector has 32 bytes
	sectorSize = 1 << sectorBits
	wordSize   = 4  // of a bank of shared memory, and of local memory
	banks      = 32 // of shared memory
)

// Sectors counts the sectors of 32 bytes that lanes touch in global memory: "the concurrent accesses of the threads of a
// warp will coalesce into a number of transactions equal to the number of 32-byte transactions necessary to service all
// of the threads" (CUDA C++ Best Practices Guide, Coalesced Access to Global Memory).
func Sectors[A address](at *[32]A, off A, lanes uint32) int {
	return distinct(at, off, sectorBits, lanes)
}

// IdealSectors counts the sectors that the same lanes would touch if each accessed the element of its number in an
// array that begins at a sector. Lanes that do not take part keep their places.
func IdealSectors(size, lanes uint32) (n int) {
	each := max(sectorSize/size, 1) // lanes that share a sector
	for first := uint32(0); first < 32; first += each {
		if lanes>>first&uint32(1<<uint64(each)-1) != 0 {
			n++
		}
	}
	return n
}

// distinct counts the different values that addresses have without their lowest bits.
func distinct[A address](at *[32]A, off A, low uint, lanes uint32) int {
	if lanes != allLanes {
		return distinctOf(at, off, low, lanes)
	}
	n, last := 1, (at[0]+off)>>low
	for _, a := range at {
		now := (a + off) >> low
		if now != last {
			if n++; now < last {
				return distinctOf(at, off, low, lanes)
			}
			last = now
		}
	}
	return n
}

// distinctOf is distinct for lanes of any order.
func distinctOf[A address](at *[32]A, off A, low uint, lanes uint32) (n int) {
	var seen set[A]
	for ; lanes != 0; lanes &= lanes - 1 {
		if seen.add((at[bits.TrailingZeros32(lanes)] + off) >> low) {
			n++
		}
	}
	return n
}

// set is a set of up to 32 numbers: an open hash table, in which they are one larger.
type set[A address] [64]A

// add says whether a number is new.
func (s *set[A]) add(v A) bool {
	v++
	i := uint64(v) * 0x9e3779b97f4a7c15 >> 58
	for s[i] != 0 && s[i] != v {
		i = (i + 1) % 64
	}
	added := s[i] == 0
	s[i] = v
	return added
}

// Repeats counts the lanes whose address a lower lane has.
func Repeats[A address](at *[32]A, off A, lanes uint32) int {
	return bits.OnesCount32(lanes) - distinct(at, off, 0, lanes)
}

// LocalSectors counts the sectors that lanes touch in local memory, and the fewest that they could. "Local memory is
// organized such that consecutive 32-bit words are accessed by consecutive thread IDs" (CUDA C++ Programming Guide,
// Device Memory Accesses): a sector holds one word of eight neighbouring lanes.
func LocalSectors[A address](at *[32]A, off A, size, lanes uint32) (n, ideal int) {
	words := int(max(size/wordSize, 1))
	low := uint(bits.TrailingZeros32(max(size, wordSize)))
	for eight := uint32(1)<<(sectorSize/wordSize) - 1; eight != 0; eight <<= sectorSize / wordSize {
		if lanes&eight != 0 {
			n += words * distinctOf(at, off, low, lanes&eight)
			ideal += words
		}
	}
	return n, ideal
}

// Wavefronts counts the wavefronts that an access to shared memory takes, and the fewest that the same lanes could need.
// Each wavefront is a conflict-free part of the access.
//
// Shared memory has 32 banks of 4 bytes, and successive words are in successive banks. Lanes that access the same word
// do not conflict; lanes that access different words of a bank take turns (CUDA C++ Programming Guide, Compute
// Capability 5.x, Shared Memory). 128 bytes are the most that all banks give at a time, so a warp whose lanes access 8
// bytes each is served in two phases, one for each half of the warp, and one whose lanes access 16 bytes in four.
func Wavefronts[A address](at *[32]A, off A, size, lanes uint32) (n, ideal int) {
	words := max(size/wordSize, 1)
	each := min(banks/words, 32) // lanes of a phase
	for first := uint32(0); first < 32; first += each {
		if phase := lanes >> first & uint32(1<<uint64(each)-1); phase != 0 {
			n += phaseWavefronts(at, off, words, phase<<first)
			ideal++
		}
	}
	return n, ideal
}

// phaseWavefronts returns how many different words lanes access in the bank in which they access most.
func phaseWavefronts[A address](at *[32]A, off A, words, lanes uint32) int {
	var used uint32
	var held [banks]A // by bank: the first word that a lane accesses there
	for left := lanes; left != 0; left &= left - 1 {
		word := (at[bits.TrailingZeros32(left)] + off) / wordSize
		for end := word + A(words); word < end; word++ {
			bank := word % banks
			if used>>bank&1 != 0 && held[bank] != word {
				return conflicts(at, off, words, lanes)
			}
			used |= 1 << bank
			held[bank] = word
		}
	}
	return 1
}

// conflicts is phaseWavefronts for lanes that conflict.
func conflicts[A address](at *[32]A, off A, words, lanes uint32) (most int) {
	var seen set[A] // a phase has 32 words at most
	var n [banks]int
	for ; lanes != 0; lanes &= lanes - 1 {
		word := (at[bits.TrailingZeros32(lanes)] + off) / wordSize
		for end := word + A(words); word < end; word++ {
			if seen.add(word) {
				n[word%banks]++
				most = max(most, n[word%banks])
			}
		}
	}
	return most
}
