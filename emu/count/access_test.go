package count_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"warpscope/emu/count"
)

// rows makes a row of addresses, by lane.
func rows(at func(lane uint64) uint64) *[32]uint64 {
	var list [32]uint64
	for i := range list {
		list[i] = at(uint64(i))
	}
	return &list
}

const all = ^uint32(0)

// The expected sectors are those of the CUDA C++ Best Practices Guide, Coalesced Access to Global Memory, or follow
// from its rule: the segments of 32 bytes that the warp's accesses are in.
func TestSectors(t *testing.T) {
	for _, c := range []struct {
		what        string
		at          func(lane uint64) uint64
		size, lanes uint32
		want, ideal int
	}{
		{"adjacent words: four segments of 32 bytes", func(i uint64) uint64 { return 4 * i }, 4, all, 4, 4},
		{"words of any order in four segments", func(i uint64) uint64 { return 4 * (i ^ 21) }, 4, all, 4, 4},
		{"misaligned by a word: five segments", func(i uint64) uint64 { return 4*i + 4 }, 4, all, 5, 4},
		{"a stride of two words: 50 % of eight segments", func(i uint64) uint64 { return 8 * i }, 4, all, 8, 4},
		{"a stride of 32 bytes: one segment each", func(i uint64) uint64 { return 32 * i }, 4, all, 32, 4},
		{"one word for all", func(uint64) uint64 { return 64 }, 4, all, 1, 4},
		{"downwards", func(i uint64) uint64 { return 4 * (31 - i) }, 4, all, 4, 4},
		{"bytes: 32 of them", func(i uint64) uint64 { return i }, 1, all, 1, 1},
		{"8 bytes each: 256 bytes", func(i uint64) uint64 { return 8 * i }, 8, all, 8, 8},
		{"16 bytes each: 512 bytes", func(i uint64) uint64 { return 16 * i }, 16, all, 16, 16},
		{"32 bytes each: 1024 bytes", func(i uint64) uint64 { return 32 * i }, 32, all, 32, 32},
		{"lanes 0 and 31 keep their places, 124 bytes apart", func(i uint64) uint64 { return 4 * i }, 4, 1<<31 | 1, 2, 2},
		{"every other lane touches all segments", func(i uint64) uint64 { return 4 * i }, 4, 0x55555555, 4, 4},
		{"the same lanes packed need two", func(i uint64) uint64 { return 2 * i }, 4, 0x55555555, 2, 4},
		{"a table in a random order: lanes mod 3", func(i uint64) uint64 { return i % 3 * 4096 }, 4, all, 3, 4},
	} {
		at := rows(c.at)
		assert.Equal(t, c.want, count.Sectors(at, 0, c.lanes), c.what)
		assert.Equal(t, c.want, count.Sectors(at, 1<<40, c.lanes), "%s, at another address", c.what)
		assert.Equal(t, c.ideal, count.IdealSectors(c.size, c.lanes), c.what)
	}
	narrow := [32]uint32{}
	for i := range narrow {
		narrow[i] = uint32(8*i) - 64
	}
	assert.Equal(t, 8, count.Sectors(&narrow, 64, all), "addresses of 32 bits, with an offset around zero")
}

// A sector of local memory has one word of eight neighbouring lanes.
func TestLocalSectors(t *testing.T) {
	for _, c := range []struct {
		what        string
		at          func(lane uint64) uint64
		size, lanes uint32
		want, ideal int
	}{
		{"the same word of all lanes: 128 bytes", func(uint64) uint64 { return 8 }, 4, all, 4, 4},
		{"the same 16 bytes of all lanes: 512 bytes", func(uint64) uint64 { return 16 }, 16, all, 16, 16},
		{"a byte of each lane's word", func(uint64) uint64 { return 3 }, 1, all, 4, 4},
		{"a word of its own in each lane: no two share a sector", func(i uint64) uint64 { return 4 * i }, 4, all, 32, 4},
		{"two words by parity: two sectors for eight lanes", func(i uint64) uint64 { return i & 1 * 4 }, 4, all, 8, 4},
		{"the lanes of one sector", func(uint64) uint64 { return 0 }, 4, 0xff00, 1, 1},
	} {
		n, ideal := count.LocalSectors(rows(c.at), 0, c.size, c.lanes)
		assert.Equal(t, [2]int{c.want, c.ideal}, [2]int{n, ideal}, c.what)
	}
}

// The examples are the figures of the CUDA C++ Programming Guide on strided and irregular shared memory accesses, and
// for wider accesses the numbers that Nsight Compute shows: an LDS.128 without conflicts takes 4 wavefronts, and one
// whose lanes are 128 bytes apart takes 32.
func TestWavefronts(t *testing.T) {
	for _, c := range []struct {
		what        string
		at          func(lane uint64) uint64
		size, lanes uint32
		want, ideal int
	}{
		{"a stride of one word: no conflict", func(i uint64) uint64 { return 4 * i }, 4, all, 1, 1},
		{"a stride of two words: a two-way conflict", func(i uint64) uint64 { return 8 * i }, 4, all, 2, 1},
		{"a stride of three words: no conflict", func(i uint64) uint64 { return 12 * i }, 4, all, 1, 1},
		{"a random permutation: no conflict", func(i uint64) uint64 { return 4 * (i * 13 % 32) }, 4, all, 1, 1},
		{"lanes 3, 4, 6, 7 and 9 read one word of bank 5: no conflict", func(i uint64) uint64 {
			if i == 3 || i == 4 || i == 6 || i == 7 || i == 9 {
				return 20
			}
			return 4 * i
		}, 4, all, 1, 1},
		{"all lanes read one word: broadcast", func(uint64) uint64 { return 36 }, 4, all, 1, 1},
		{"a column of a tile of 32 x 32 words: 32 ways", func(i uint64) uint64 { return 128 * i }, 4, all, 32, 1},
		{"a column of a tile of 32 x 33 words: no conflict", func(i uint64) uint64 { return 132 * i }, 4, all, 1, 1},
		{"four bytes of one word in each bank", func(i uint64) uint64 { return i }, 1, all, 1, 1},
		{"half-words of 64 bytes", func(i uint64) uint64 { return 2 * i }, 2, all, 1, 1},
		{"8 bytes each: two half-warps", func(i uint64) uint64 { return 8 * i }, 8, all, 2, 2},
		{"8 bytes each, 16 apart: two ways in each half", func(i uint64) uint64 { return 16 * i }, 8, all, 4, 2},
		{"8 bytes each, the first half alone", func(i uint64) uint64 { return 8 * i }, 8, 0xffff, 1, 1},
		{"lanes 0 and 16 share banks, in different halves", func(i uint64) uint64 { return 8 * i }, 8, 1<<16 | 1, 2, 2},
		{"16 bytes each: four quarter-warps", func(i uint64) uint64 { return 16 * i }, 16, all, 4, 4},
		{"16 bytes each, 128 apart: eight ways in each quarter", func(i uint64) uint64 { return 128 * i }, 16, all, 32, 4},
		{"16 bytes each, 32 apart: two ways", func(i uint64) uint64 { return 32 * i }, 16, all, 8, 4},
		{"the same 16 bytes: broadcast in each quarter", func(uint64) uint64 { return 16 }, 16, all, 4, 4},
		{"two lanes in a bank of five: two ways", func(i uint64) uint64 { return i / 4 * 128 }, 4, 0x11, 2, 1},
	} {
		n, ideal, _ := count.Wavefronts(rows(c.at), 0, c.size, c.lanes)
		assert.Equal(t, [2]int{c.want, c.ideal}, [2]int{n, ideal}, c.what)
	}
}

func TestRepeats(t *testing.T) {
	assert.Equal(t, 31, count.Repeats(rows(func(uint64) uint64 { return 8 }), 0, all), "one address: 31 wait")
	assert.Equal(t, 0, count.Repeats(rows(func(i uint64) uint64 { return 4 * i }), 0, all))
	assert.Equal(t, 24, count.Repeats(rows(func(i uint64) uint64 { return i % 8 * 4 }), 0, all), "eight bins: 32 - 8")
	assert.Equal(t, 1, count.Repeats(rows(func(uint64) uint64 { return 8 }), 0, 1<<5|1<<9), "two lanes")
}

// Where all lanes access shared memory there are short cuts. They count what is counted without them: with lane 31 left
// out, and its place taken by lane 30's.
func TestShortCutsOfWavefronts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 2000 {
		size := uint32(4) << (n % 3)
		height, width, stride := r.Uint64N(33)+1, r.Uint64N(33)+1, r.Uint64N(40)
		at := rows(func(i uint64) uint64 { return uint64(size) * (i%width + i/height*stride) })
		at[31] = at[30]
		words := map[uint64]bool{}
		for i := range at {
			for k := range size / 4 {
				words[uint64(i)/(128/uint64(size))<<32|at[i]/4+uint64(k)] = true
			}
		}
		whole, ideal, all := count.Wavefronts(at, 0, size, ^uint32(0))
		slow, slowIdeal, slowAll := count.Wavefronts(at, 0, size, ^uint32(0)>>1)
		require.Equal(t, [3]int{slow, slowIdeal, slowAll}, [3]int{whole, ideal, all}, "%d bytes at %d", size, at)
		require.Len(t, words, all)
	}
}
