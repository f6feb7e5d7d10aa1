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

// Sectors counts the sectors of 32 bytes that lanes touch in global memory: "the concurrent accesses of the threads of
// a warp will coalesce into a number of transactions equal to the number of 32-byte transactions necessary to service
// all of the threads" (CUDA C++ Best Practices Guide, Coalesced Access to Global Memory).
func Sectors[A address](at *[32]A, off A, lanes uint32) int {
	return distinct(at, off, sectorBits, lanes)
}

// IdealSectors counts the sectors that the same lanes would touch if each accessed the element of its number in an
// array that begins at a sector. Lanes that do not take part keep their places.
func IdealSectors(size, lanes uint32) (n int) {
	if lanes == allLanes {
		return int(size) // 32 lanes of size bytes in sectors of 32
	}
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

// Wavefronts counts the wavefronts that an access to shared memory takes, and the fewest that the same lanes could
// need. Each wavefront is a conflict-free part of the access. all is the different words of all phases.
//
// Shared memory has 32 banks of 4 bytes, and successive words are in successive banks. Lanes that access the same word
// do not conflict; lanes that access different words of a bank take turns (CUDA C++ Programming Guide, Compute
// Capability 5.x, Shared Memory). 128 bytes are the most that all banks give at a time, so a warp whose lanes access 8
// bytes each is served in two phases, one for each half of the warp, and one whose lanes access 16 bytes in four.
func Wavefronts[A address](at *[32]A, off A, size, lanes uint32) (n, ideal, all int) {
	words := max(size/wordSize, 1)
	each := banks / words // lanes of a phase
	if words == 1 && lanes == allLanes {
		if all, free := withoutConflict(at, off); free {
			return 1, 1, all
		}
	}
	stride, same := strideOf(at)
	switch {
	case same && lanes == allLanes && stride == 0: // a broadcast in each phase
		return int(words), int(words), int(words * words)
	case same && lanes == allLanes && stride%A(wordSize*words) == 0:
		// Lanes repeat a place in the banks after as many lanes as the stride's powers of two leave.
		places := stride / A(wordSize*words)
		return min(int(places&-places), int(each)) * int(words), int(words), 32 * int(words)
	}
	for first := uint32(0); first < 32; first += each {
		if phase := lanes >> first & uint32(1<<uint64(each)-1); phase != 0 {
			most, words := phaseWavefronts(at, off, words, phase<<first)
			n, all, ideal = n+most, all+words, ideal+1
		}
	}
	return n, ideal, all
}

// strideOf returns the distance from lane to lane, if it is the same between all.
func strideOf[A address](at *[32]A) (stride A, same bool) {
	var odd A
	stride = at[1] - at[0]
	last := at[0]
	for _, a := range at[1:] {
		odd |= a - last ^ stride
		last = a
	}
	return stride, odd == 0
}

// withoutConflict says whether no bank has two of the words that 32 lanes access, and returns how many words these are:
// the rows of a tile, and lanes that share a word.
func withoutConflict[A address](at *[32]A, off A) (all int, free bool) {
	var held [banks]A
	used := uint32(0)
	for _, a := range at {
		word := (a + off) / wordSize
		bank := word % banks
		if used>>bank&1 == 0 {
			used |= 1 << bank
			held[bank] = word
		} else if held[bank] != word {
			return 0, false
		}
	}
	return bits.OnesCount32(used), true
}

// phaseWavefronts returns how many different words lanes access in the bank in which they access most, and in all.
func phaseWavefronts[A address](at *[32]A, off A, words, lanes uint32) (most, all int) {
	var held [banks + 1]A     // different words, from 1 on: a phase has 32 at most
	var next [banks + 1]uint8 // by word: the one before it in the same bank; 0: none
	var last, n [banks]uint8  // by bank: its last word, and how many it has
	for ; lanes != 0; lanes &= lanes - 1 {
		word := (at[bits.TrailingZeros32(lanes)%32] + off) / wordSize
		for end := word + A(words); word < end; word++ {
			bank := word % banks
			i := last[bank]
			for i != 0 && held[i%(banks+1)] != word {
				i = next[i%(banks+1)]
			}
			if i == 0 {
				all++
				held[all], next[all], last[bank] = word, last[bank], uint8(all)
				n[bank]++
				most = max(most, int(n[bank]))
			}
		}
	}
	return most, all
}
