package bench_test

import (
	"encoding/binary"
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
)

// Kernels that show other sides: atomics, 64-bit integers, double precision, and bytes with much divergence.

// Lane-instructions of one launch. unpack's differ by thread; TestUnpackCounts adds them up.
const (
	histogramLaneInstructions = 4096 * (14 + 64*21 + 6)                 // 5,586,944
	xxhashLaneInstructions    = 4096 * (7 + 512*22 + 4)                 // 46,182,400
	nbodyLaneInstructions     = 512 * (21 + 8*(6+64*17+5) + 13)         // 4,518,912
	unpackLaneInstructions    = unpackThreads*(11+7*512+1) + 100_386*10 // 8,368,468; so many tokens
)

// histogram counts the four bytes of each word.
func histogram() workload {
	in, want := make([]uint32, 1<<18), make([]uint32, 256)
	for i := range in {
		w := uint32(i) * 2654435761
		w ^= w >> 15
		in[i] = w
		for n := 0; n < 32; n += 8 {
			want[w>>n&255]++
		}
	}
	return workload{
		name: "histogram", grid: emu.Dim3{X: 16}, block: emu.Dim3{X: 256},
		args:             []any{in, make([]uint32, 256)},
		laneInstructions: histogramLaneInstructions, warpInstructions: histogramLaneInstructions / 32,
		out: 1, want: want,
	}
}

// xxh64 is XXH64 of a message of 8 bytes, after the specification in github.com/Cyan4973/xxHash/doc.
func xxh64(message, seed uint64) uint64 {
	const p1, p2, p3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
	const p4, p5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
	h := seed + p5 + 8
	h ^= bits.RotateLeft64(message*p2, 31) * p1
	h = bits.RotateLeft64(h, 27)*p1 + p4
	h = (h ^ h>>33) * p2
	h = (h ^ h>>29) * p3
	return h ^ h>>32
}

// xxhash hashes each thread's number, then 511 times the hash; the round is the seed.
func xxhash() workload {
	want := make([]uint32, 0, 2*4096)
	for t := range uint64(4096) {
		h := t
		for i := range uint64(512) {
			h = xxh64(h, i)
		}
		want = append(want, uint32(h), uint32(h>>32))
	}
	return workload{
		name: "xxhash", grid: emu.Dim3{X: 16}, block: emu.Dim3{X: 256},
		args:             []any{make([]uint32, 2*4096)},
		laneInstructions: xxhashLaneInstructions, warpInstructions: xxhashLaneInstructions / 32,
		want: want,
	}
}

// nbody moves 512 bodies by one step. A body is x, y, z and its mass.
func nbody() workload {
	const n, step, softening = 512, 1.0 / 128, 1.0 / 64
	body := make([]float64, 4*n)
	for i := range n {
		for c, prime := range []int{7919, 104729, 1299709} {
			body[4*i+c] = float64(i*prime%1024)/512 - 1
		}
		body[4*i+3] = float64(1+i%4) / 1024
	}
	want := make([]float64, 4*n)
	for i := range n {
		var a [3]float64
		for j := range n {
			var d [3]float64
			square := softening
			for c := range d {
				d[c] = body[4*j+c] - body[4*i+c]
				square = math.FMA(d[c], d[c], square)
			}
			pull := body[4*j+3] / (math.Sqrt(square) * square)
			for c := range a {
				a[c] = math.FMA(d[c], pull, a[c])
			}
		}
		for c := range a {
			velocity := math.FMA(a[c], step, 0)
			want[4*i+c] = math.FMA(velocity, step, body[4*i+c])
		}
		want[4*i+3] = body[4*i+3]
	}
	return workload{
		name: "nbody", grid: emu.Dim3{X: 8}, block: emu.Dim3{X: 64},
		args:             []any{doubles(body), make([]uint32, 8*n), make([]uint32, 8*n)},
		laneInstructions: nbodyLaneInstructions, warpInstructions: nbodyLaneInstructions / 32,
		out: 2, want: doubles(want),
	}
}

// TestXXH64 is the hash of eight zero bytes, as the reference implementation has it.
func TestXXH64(t *testing.T) { require.EqualValues(t, uint64(0x34c96acdcadb1bbb), xxh64(0, 0)) }

// doubles are the words of numbers.
func doubles(list []float64) (words []uint32) {
	for _, v := range list {
		b := math.Float64bits(v)
		words = append(words, uint32(b), uint32(b>>32))
	}
	return words
}

// The streams of unpack: each thread has one, which is packed into at most 768 bytes and unpacks to 512. A token below
// 128 is followed by as many literal bytes and one more. Any other token t is followed by the distance, back from
// where the output is, of t - 126 bytes that come once more.
const unpackThreads, packed, unpacked = 2048, 768, 512

// token is a part of a stream: the length of what it unpacks to, and whether it is a back reference.
type token struct {
	length int
	back   bool
}

// pack makes a thread's stream, appends what it unpacks to, and gives the tokens.
func pack(thread int, in []byte, out *[]byte) (tokens []token) {
	state := uint32(thread)*2654435761 + 1
	next := func() int {
		state = state*1664525 + 1013904223
		return int(state >> 16)
	}
	text := []byte{}
	for at := 0; len(text) < unpacked; {
		r, left := next(), unpacked-len(text)
		if len(text) == 0 || left < 2 || r&1 != 0 {
			n := min(1+r>>1%8, left)
			in[at] = byte(n - 1)
			for i := range n {
				in[at+1+i] = byte('a' + next()%26)
			}
			text = append(text, in[at+1:][:n]...)
			at += 1 + n
			tokens = append(tokens, token{n, false})
			continue
		}
		n, distance := min(2+r>>1%31, left), 1+next()%min(len(text), 255)
		in[at], in[at+1] = byte(126+n), byte(distance)
		for range n {
			text = append(text, text[len(text)-distance])
		}
		at += 2
		tokens = append(tokens, token{n, true})
	}
	*out = append(*out, text...)
	return tokens
}

// unpackInstructions is how many instructions the lanes of a warp take, and the warp: 11 before the first token; 3 for
// a token, 5 for either kind, 7 for each byte, 2 after it; and ret. A warp executes both kinds where lanes have both,
// and copies as many bytes as the longest of them.
func unpackInstructions(streams [][]token) (lanes, warp int64) {
	warp = 11 + 1
	for round := 0; ; round++ {
		longest, kinds := 0, map[bool]bool{}
		for _, tokens := range streams {
			if round < len(tokens) {
				longest, kinds[tokens[round].back] = max(longest, tokens[round].length), true
			}
		}
		if longest == 0 {
			break
		}
		warp += int64(3 + 5*len(kinds) + 7*longest + 2)
	}
	for _, tokens := range streams {
		lanes += int64(11 + 10*len(tokens) + 7*unpacked + 1)
	}
	return lanes, warp
}

func unpack() workload {
	in, out := make([]byte, unpackThreads*packed), make([]byte, 0, unpackThreads*unpacked)
	var streams [][]token
	var warps int64
	for t := range unpackThreads {
		streams = append(streams, pack(t, in[t*packed:][:packed], &out))
		if len(streams) == 32 {
			_, warp := unpackInstructions(streams)
			warps += warp
			streams = nil
		}
	}
	return workload{
		name: "unpack", grid: emu.Dim3{X: unpackThreads / 256}, block: emu.Dim3{X: 256},
		args:             []any{toWords(in), make([]uint32, len(out)/4)},
		laneInstructions: unpackLaneInstructions, warpInstructions: warps,
		out: 1, want: toWords(out),
	}
}

func toWords(b []byte) (words []uint32) {
	for ; len(b) > 0; b = b[4:] {
		words = append(words, binary.LittleEndian.Uint32(b))
	}
	return words
}

// TestUnpackCounts: unpack's lane-instructions, added up from its streams.
func TestUnpackCounts(t *testing.T) {
	var streams [][]token
	var out []byte
	for thread := range unpackThreads {
		streams = append(streams, pack(thread, make([]byte, packed), &out))
	}
	lanes, _ := unpackInstructions(streams)
	require.EqualValues(t, unpackLaneInstructions, lanes)
	require.InDelta(t, 0.322, float64(lanes)/float64(32*unpack().warpInstructions), 0.0005)
}

func BenchmarkHistogram(b *testing.B) { measure(b, histogram()) }
func BenchmarkXxhash(b *testing.B)    { measure(b, xxhash()) }
func BenchmarkNbody(b *testing.B)     { measure(b, nbody()) }
func BenchmarkUnpack(b *testing.B)    { measure(b, unpack()) }
