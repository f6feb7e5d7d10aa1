package share

import "errors"

var (
	errDamaged = errors.New("damaged")
	errLarge   = errors.New("too large")
)

// bitReader reads from the lowest bit of each byte. At the end it gives zeros and notes that it did.
type bitReader struct {
	in    []byte
	acc   uint32
	n     int
	ended bool
}

func (r *bitReader) bits(count int) int {
	for r.n < count {
		if len(r.in) == 0 {
			r.ended = true
			r.n += 8
			continue
		}
		r.acc |= uint32(r.in[0]) << r.n
		r.in = r.in[1:]
		r.n += 8
	}
	value := int(r.acc & (1<<count - 1))
	r.acc >>= count
	r.n -= count
	return value
}

// huffman is a code: how many symbols there are of each length, and the symbols in the order of their codes.
type huffman struct {
	count   [16]int
	symbols []int
}

// newHuffman makes the code of these lengths, 3.2.2; false when there are more codes than lengths leave room for. A
// code with gaps is accepted, because a single distance code has them; input that reaches a gap is damaged.
func newHuffman(lengths []int) (*huffman, bool) {
	h := &huffman{}
	for _, l := range lengths {
		h.count[l]++
	}
	h.count[0] = 0
	var first [17]int
	room := 1
	for l := 1; l < 16; l++ {
		room = 2*room - h.count[l]
		if room < 0 {
			return nil, false
		}
		first[l+1] = first[l] + h.count[l]
	}
	h.symbols = make([]int, first[16])
	for s, l := range lengths {
		if l > 0 {
			h.symbols[first[l]] = s
			first[l]++
		}
	}
	return h, true
}

// next reads one symbol; it is -1 if the bits are no code.
func (h *huffman) next(r *bitReader) int {
	code, first, index := 0, 0, 0
	for l := 1; l < 16; l++ {
		code |= r.bits(1)
		if count := h.count[l]; code-first < count {
			return h.symbols[index+code-first]
		} else {
			index += count
			first = (first + count) << 1
		}
		code <<= 1
	}
	return -1
}

// inflate unpacks at most limit bytes.
func inflate(in []byte, limit int) ([]byte, error) {
	r := &bitReader{in: in}
	var out []byte
	for final := false; !final; {
		final = r.bits(1) == 1
		var err error
		switch r.bits(2) {
		case 0:
			out, err = stored(r, out)
		case 1:
			out, err = block(r, out, limit, fixedLiterals, fixedDistances)
		case 2:
			literals, distances, ok := codes(r)
			if !ok {
				return nil, errDamaged
			}
			out, err = block(r, out, limit, literals, distances)
		default:
			err = errDamaged
		}
		if err == nil && r.ended {
			err = errDamaged
		}
		if err == nil && len(out) > limit {
			err = errLarge
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// stored copies a block that is not compressed, 3.2.4.
func stored(r *bitReader, out []byte) ([]byte, error) {
	r.bits(r.n % 8)
	size, check := r.bits(16), r.bits(16)
	if size != check^0xffff || size > len(r.in)+r.n/8 {
		return nil, errDamaged
	}
	for range size {
		out = append(out, byte(r.bits(8)))
	}
	return out, nil
}

// block unpacks one block of Huffman codes.
func block(r *bitReader, out []byte, limit int, literals, distances *huffman) ([]byte, error) {
	for !r.ended {
		s := literals.next(r)
		switch {
		case s == endOfBlock:
			return out, nil
		case s < 0 || s > 285:
			return nil, errDamaged
		case s < endOfBlock:
			out = append(out, byte(s))
		default:
			length := lengthBase[s-257] + r.bits(lengthExtra(s-257))
			d := distances.next(r)
			if d < 0 || d >= len(distBase) {
				return nil, errDamaged
			}
			distance := distBase[d] + r.bits(distExtra(d))
			if distance > len(out) {
				return nil, errDamaged
			}
			for range length {
				out = append(out, out[len(out)-distance])
			}
		}
		if len(out) > limit {
			return nil, errLarge
		}
	}
	return nil, errDamaged
}

// codeOrder is the order in which the lengths of the code for lengths come, 3.2.7.
var codeOrder = [...]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// codes reads the codes of a dynamic block, 3.2.7.
func codes(r *bitReader) (literals, distances *huffman, ok bool) {
	nLiterals, nDistances, nCodes := 257+r.bits(5), 1+r.bits(5), 4+r.bits(4)
	var codeLengths [19]int
	for _, i := range codeOrder[:nCodes] {
		codeLengths[i] = r.bits(3)
	}
	code, ok := newHuffman(codeLengths[:])
	if !ok {
		return nil, nil, false
	}
	var lengths []int
	for len(lengths) < nLiterals+nDistances && !r.ended {
		s := code.next(r)
		repeated, times := 0, 1
		switch {
		case s < 0, s == 16 && len(lengths) == 0:
			return nil, nil, false
		case s < 16:
			repeated = s
		case s == 16:
			repeated, times = lengths[len(lengths)-1], 3+r.bits(2)
		case s == 17:
			times = 3 + r.bits(3)
		default:
			times = 11 + r.bits(7)
		}
		for range times {
			lengths = append(lengths, repeated)
		}
	}
	if len(lengths) != nLiterals+nDistances || lengths[endOfBlock] == 0 {
		return nil, nil, false
	}
	literals, ok1 := newHuffman(lengths[:nLiterals])
	distances, ok2 := newHuffman(lengths[nLiterals:])
	return literals, distances, ok1 && ok2
}

// fixedLiterals and fixedDistances are the code of 3.2.6.
var fixedLiterals, fixedDistances = fixedCodes()

func fixedCodes() (literals, distances *huffman) {
	lengths := make([]int, 288)
	for s := range lengths {
		switch {
		case s < 144 || s >= 280:
			lengths[s] = 8
		case s < 256:
			lengths[s] = 9
		default:
			lengths[s] = 7
		}
	}
	literals, _ = newHuffman(lengths)
	five := make([]int, 30)
	for s := range five {
		five[s] = 5
	}
	distances, _ = newHuffman(five)
	return literals, distances
}
