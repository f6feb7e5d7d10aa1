package share

import "math/bits"

// DEFLATE is RFC 1951. The standard library's would add 30 kB to the transfer of every first visit. A link needs only
// one block of the Huffman codes that the format itself fixes (3.2.6), and a reader for the blocks of others.

const (
	minMatch, maxMatch = 3, 258
	window             = 1 << 15
	hashBits           = 14
	maxChain           = 64 // earlier places to try for a match
	endOfBlock         = 256
)

// lengthBase and distBase are the first length or distance of each symbol, 3.2.5; its extra bits follow from them.
var (
	lengthBase = [...]int{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
		163, 195, 227, 258}
	distBase = [...]int{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049,
		3073, 4097, 6145, 8193, 12289, 16385, 24577}
)

// lengthExtra is the number of extra bits of length symbol i.
func lengthExtra(i int) int {
	if i < 8 || i == 28 {
		return 0
	}
	return i/4 - 1
}

// distExtra is the number of extra bits of distance symbol i.
func distExtra(i int) int { return max(0, i/2-1) }

// bitWriter writes from the lowest bit of each byte, 3.1.1.
type bitWriter struct {
	out []byte
	acc uint64
	n   int
}

func (w *bitWriter) bits(value, count int) {
	w.acc |= uint64(value) << w.n
	w.n += count
	for w.n >= 8 {
		w.out = append(w.out, byte(w.acc))
		w.acc >>= 8
		w.n -= 8
	}
}

// code writes a Huffman code, whose highest bit comes first.
func (w *bitWriter) code(value, count int) {
	w.bits(int(bits.Reverse32(uint32(value))>>(32-count)), count)
}

// symbol writes a literal, a length symbol or the end of the block in the fixed code.
func (w *bitWriter) symbol(s int) {
	switch {
	case s < 144:
		w.code(0x30+s, 8)
	case s < 256:
		w.code(0x190+s-144, 9)
	case s < 280:
		w.code(s-256, 7)
	default:
		w.code(0xc0+s-280, 8)
	}
}

// match writes a copy of length bytes from distance bytes before.
func (w *bitWriter) match(length, distance int) {
	i := last(lengthBase[:], length)
	w.symbol(257 + i)
	w.bits(length-lengthBase[i], lengthExtra(i))
	i = last(distBase[:], distance)
	w.code(i, 5)
	w.bits(distance-distBase[i], distExtra(i))
}

// last is the index of the last base that is not above the value.
func last(bases []int, value int) int {
	i := len(bases) - 1
	for bases[i] > value {
		i--
	}
	return i
}

// deflate compresses into one block of the fixed code.
func deflate(in []byte) []byte {
	w := &bitWriter{}
	w.bits(1, 1) // the last block
	w.bits(1, 2) // of the fixed code
	head := make([]int32, 1<<hashBits)
	before := make([]int32, len(in)) // the last place with the same hash, plus 1
	enter := func(i int) {
		if i+minMatch <= len(in) {
			h := hash(in[i:])
			before[i], head[h] = head[h], int32(i+1)
		}
	}
	for i := 0; i < len(in); {
		length, distance := longest(in, i, head, before)
		if length < minMatch {
			w.symbol(int(in[i]))
			length = 1
		} else {
			w.match(length, distance)
		}
		for ; length > 0; length-- {
			enter(i)
			i++
		}
	}
	w.symbol(endOfBlock)
	w.bits(0, 7)
	return w.out
}

func hash(b []byte) uint32 {
	return (uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16) * 2654435761 >> (32 - hashBits)
}

// longest finds the longest earlier text that goes on as the one at i does.
func longest(in []byte, i int, head, before []int32) (length, distance int) {
	if i+minMatch > len(in) {
		return 0, 0
	}
	most := min(maxMatch, len(in)-i)
	at := head[hash(in[i:])]
	for range maxChain {
		j := int(at) - 1
		if j < 0 || i-j > window {
			break
		}
		n := 0
		for n < most && in[j+n] == in[i+n] {
			n++
		}
		if n > length {
			length, distance = n, i-j
		}
		at = before[j]
	}
	return length, distance
}
