package lzma

import "encoding/binary"

// match is a place before with the same bytes: distance from 0, which is the byte before.
type match struct {
	length   int
	distance uint32
}

// finder finds matches with a binary tree of the places that share a hash of four bytes, sorted by what follows them,
// the latest at the root; and with the latest place for each two and three bytes.
type finder struct {
	data   []byte
	two    []int32 // latest place by hash, plus one
	three  []int32
	four   []int32
	sons   []int32 // smaller and larger son of each place, plus one
	result []match
}

const (
	hashBits = 22
	depth    = 512
	enough   = 273
)

func newFinder(data []byte) *finder {
	return &finder{data: data, two: make([]int32, 1<<16), three: make([]int32, 1<<hashBits),
		four: make([]int32, 1<<hashBits), sons: make([]int32, 2*len(data))}
}

func hash(v uint32) uint32 { return v * 2654435761 >> (32 - hashBits) }

// next enters a place and lists its matches, longer ones later, each the nearest of its length. Places must come in
// order, without gaps.
func (f *finder) next(at int) []match {
	f.result = f.result[:0]
	rest := f.data[at:]
	if len(rest) < 4 {
		return nil
	}
	word := binary.LittleEndian.Uint32(rest)
	f.short(&f.two[word&0xffff], at, 2)
	f.short(&f.three[hash(word&0xffffff)], at, 3)
	f.tree(&f.four[hash(word)], at)
	return f.result
}

func (f *finder) short(latest *int32, at, length int) {
	place := int(*latest) - 1
	*latest = int32(at + 1)
	if place < 0 {
		return
	}
	if n := common(f.data, place, at, min(maxMatch, len(f.data)-at)); n >= length && n > f.longest() {
		f.result = append(f.result, match{n, uint32(at - place - 1)})
	}
}

func (f *finder) longest() int {
	if len(f.result) == 0 {
		return 1
	}
	return f.result[len(f.result)-1].length
}

// tree makes the place the root of its tree, and splits the old tree into what is smaller and what is larger.
func (f *finder) tree(root *int32, at int) {
	limit := min(maxMatch, len(f.data)-at)
	place := int(*root) - 1
	*root = int32(at + 1)
	smaller, larger := &f.sons[2*at], &f.sons[2*at+1]
	commonSmaller, commonLarger := 0, 0
	for range depth {
		if place < 0 {
			break
		}
		n := min(commonSmaller, commonLarger)
		n += common(f.data, place+n, at+n, limit-n)
		if n > f.longest() {
			f.result = append(f.result, match{n, uint32(at - place - 1)})
		}
		if n == limit {
			// Alike as far as the search looks: the new place replaces the old one.
			*smaller, *larger = f.sons[2*place], f.sons[2*place+1]
			return
		}
		if f.data[place+n] < f.data[at+n] {
			*smaller = int32(place + 1)
			smaller, commonSmaller = &f.sons[2*place+1], n
			place = int(*smaller) - 1
		} else {
			*larger = int32(place + 1)
			larger, commonLarger = &f.sons[2*place], n
			place = int(*larger) - 1
		}
	}
	*smaller, *larger = 0, 0
}

// common is how many bytes from a and b on are alike, at most limit.
func common(data []byte, a, b, limit int) int {
	n := 0
	for n+8 <= limit && binary.LittleEndian.Uint64(data[a+n:]) == binary.LittleEndian.Uint64(data[b+n:]) {
		n += 8
	}
	for n < limit && data[a+n] == data[b+n] {
		n++
	}
	return n
}
