package simd_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	_ "warpscope/emu/host"
	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/emu/simd"
)

// Rows of the frames: a mask, the result, operands, and what follows them.
const (
	rowC = row.FirstFree + 3*row.Row64
	size = row.FirstFree + 5*row.Row64
)

// frame is one of random bits, of which many are numbers at an edge.
func frame(rng *rand.Rand) []byte {
	words := make([]uint32, size/4)
	for i := range words {
		switch rng.IntN(4) {
		case 0:
			words[i] = rng.Uint32()
		case 1:
			words[i] = [...]uint32{0, 1, 31, 32, 33, 1<<31 - 1, 1 << 31, math.MaxUint32}[rng.IntN(8)]
		case 2: // numbers near 1, zeros, infinities, a NaN, subnormal numbers
			words[i] = [...]uint32{0x3f800000, 0x3f800001, 0x80000000, 0x7f800000, 0xff800000, 0x7fc12345, 1, 0x807fffff,
				0x00800000, 0x33800000, 0x4b800001}[rng.IntN(11)]
		default:
			words[i] = math.Float32bits(float32(rng.NormFloat64()))
		}
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size)
}

// run executes an instruction in a copy of a frame, and returns the copy.
func run(t *testing.T, in row.Inst, f []byte, exec uint32, shared []byte, vectors bool) []byte {
	f = append([]byte{}, f...)
	at := unsafe.Pointer(&f[0])
	*row.Pred(at, row.ExecMask) = exec
	if !vectors && in.How <= row.ByFma {
		in.Partial(at, exec)
		return f
	}
	reach := row.Reach{Shared: row.Address(unsafe.Pointer(&shared[0])), SharedSize: uint32(len(shared))}
	row.Reached = row.Address(unsafe.Pointer(&reach))
	done, _ := row.Run(&in, machine.InstSize, 1, at, exec, unsafe.Pointer(&shared[0]), uint64(len(shared)))
	runtime.KeepAlive(&reach)
	if done == 0 {
		return nil
	}
	return f
}

// without does something without vectors.
func without(do func()) {
	was := row.Vectors
	defer func() { row.Vectors = was }()
	row.Vectors = nil
	do()
}

// Every operation gives the bits that its handler gives, in the scratch row as well, whether multiply-add is fused or
// not.
func TestOperationsAgreeWithTheirHandlers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, fused := range []bool{true, false} {
		if simd.UseAgain(fused); row.Vectors == nil {
			require.True(t, fused, "the host refuses the module without relaxed instructions")
			t.Log("this host has no fused multiply-add")
			continue
		}
		for n, op := range row.Operations {
			if op.How == 0 {
				continue
			}
			in := row.Inst{Handler: op.Run, Number: uint16(n), Width: op.Rows[0], How: op.How,
				D: row.FirstFree, A: row.FirstFree + row.Row64, B: row.FirstFree + 2*row.Row64, C: rowC}
			for i := range 200 {
				f := frame(rng)
				if i%2 == 0 {
					in.D, in.C = rowC, rowC // where a sum goes on
				} else {
					in.D = row.FirstFree
				}
				exec := [...]uint32{math.MaxUint32, math.MaxUint32, 0, 0x80ff3355, 1, rng.Uint32()}[i%6]
				if uint16(n) == row.NShlB32Const || uint16(n) == row.NShrU32Const || uint16(n) == row.NShrS32Const {
					for lane := range 32 { // the row is a constant below 32
						row.U32s(unsafe.Pointer(&f[0]), in.B)[lane] = uint32(i % 32)
					}
				}
				if uint16(n) == row.NFmaF32 && i%4 > 1 {
					twice(rng, f, in)
				}
				want, got := run(t, in, f, exec, f, false), run(t, in, f, exec, f, true)
				require.True(t, bytes.Equal(want, got), "operation %d, exec %08x", n, exec)
			}
		}
	}
}

// twice gives some lanes sums that are rounded to something else if double precision rounds them first, to a number
// halfway between two others: 1 + 2^-11 + 2^-24 + 2^-60, or 2^-127 + 2^-149 + 2^-150 - 2^-190, a subnormal number. All
// other lanes have ordinary sums: one kind alone must be noticed.
func twice(rng *rand.Rand, f []byte, in row.Inst) {
	const least = 0x1p-149
	odd := [...][3]float32{{1 + 0x1p-12, 1 + 0x1p-12, 0x1p-60},
		{(1 + 0x1p-20) * 0x1p-75, (1 - 0x1p-20) * 0x1p-75, 0x1p-127 + least}}[rng.IntN(2)]
	at := rng.IntN(32)
	for i, off := range [...]uint32{in.A, in.B, in.C} {
		for lane := range 32 {
			v := float32(rng.IntN(1000))
			if lane == at {
				v = odd[i]
			}
			row.U32s(unsafe.Pointer(&f[0]), off)[lane] = math.Float32bits(v)
		}
	}
}

// Loads agree with those of row.Run, and leave to others what those leave.
func TestLoadsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	simd.UseAgain(false)
	require.NotNil(t, row.Vectors)
	loaded, refused := 0, 0
	for how := uint8(row.ByLoad32at32); how <= row.ByLoad64at64; how++ {
		for range 3000 {
			f, shared := frame(rng), frame(rng)[:1+rng.IntN(size)]
			in := row.Inst{How: how, Width: 1, D: row.FirstFree, A: row.FirstFree + row.Row64,
				C: uint32(int32(rng.IntN(3)-1) * 4 * int32(rng.IntN(9)))}
			addresses(rng, f[in.A:], how, int32(in.C))
			var want []byte
			without(func() { want = run(t, in, f, math.MaxUint32, shared, true) })
			got := run(t, in, f, math.MaxUint32, shared, true)
			if loaded++; want == nil {
				loaded--
				refused++
			}
			require.True(t, bytes.Equal(want, got))
			require.Nil(t, run(t, in, f, 0x7fffffff, shared, true), "some lanes")
		}
	}
	require.Greater(t, loaded, 2000)
	require.Greater(t, refused, 2000)
}

// Accesses agree with those of package row, pages that they mark included, and leave to others what those leave.
func TestAccessesAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	simd.UseAgain(false)
	require.NotNil(t, row.Vectors)
	const pages = 3
	done, refused := 0, 0
	for range 20000 {
		store, global, wide, width := rng.IntN(2) == 0, rng.IntN(2) == 0, rng.IntN(2) == 0, uint8(1+rng.IntN(2))
		if !store && !global || global && !wide {
			continue
		}
		f, size := frame(rng), uint32(8+rng.IntN(600))
		in := row.Inst{Number: row.Access(store, global, wide, width), Width: width, D: row.FirstFree,
			A: row.FirstFree + row.Row64, C: uint32(int32(rng.IntN(3)-1) * 4 * int32(rng.IntN(9)))}
		how := uint8(row.ByLoad32at32) + 2*(width-1) + uint8(row.Bit(wide))
		addresses(rng, f[in.A:], how, int32(in.C))
		// The window is anywhere in the arena, as far as it is aligned; often it runs over the end of a page.
		at := [...]uint32{1<<row.PageShift - 256, 0, 1 << row.PageShift, 512}[rng.IntN(4)]
		start := uint64(0)
		if global {
			start = 0x7f00_0000_0100
			for lane := range 32 {
				row.U64s(unsafe.Pointer(&f[0]), in.A)[lane] += start
			}
		}
		try := func(vectors bool) (after []byte, ok bool) {
			f := append([]byte{}, f...)
			arena := append(make([]byte, 0, pages<<row.PageShift), frame(rand.New(rand.NewPCG(7, 8)))...)
			arena = arena[:cap(arena)]
			marks := make([]byte, pages)
			if vectors {
				ok = access(&in, f, arena, marks, at, size, start, global)
			} else {
				ok = plainly(&in, f, arena, marks, at, size, start, store, wide)
			}
			return append(append(f, arena...), marks...), ok
		}
		want, wantOK := try(false)
		got, ok := try(true)
		require.Equal(t, wantOK, ok)
		require.True(t, bytes.Equal(want, got))
		done += int(row.Bit(ok))
		refused += int(row.Bit(!ok))
	}
	require.Greater(t, done, 1000)
	require.Greater(t, refused, 2000)
}

// access executes it with vectors.
func access(in *row.Inst, f, arena, marks []byte, at, size uint32, start uint64, global bool) bool {
	word := func(p *byte) uint32 { return uint32(uintptr(unsafe.Pointer(p))) }
	reach := row.Reach{Stores: 1, Arena: word(&arena[0]), Marks: word(&marks[0])}
	if global {
		reach.Windows[1] = row.Window{Start: 0x7f00_0000_0000, At: word(&arena[0]), Size: 64}
		reach.Windows[2] = row.Window{Start: start, At: word(&arena[at]), Size: size}
	} else {
		reach.Shared, reach.SharedSize = word(&arena[at]), size
	}
	row.Reached = uint32(uintptr(unsafe.Pointer(&reach)))
	done := row.Vectors(word(&f[0]), uint32(uintptr(unsafe.Pointer(in))), math.MaxUint32, 1)
	runtime.KeepAlive(&reach)
	return done == 1
}

// plainly executes it without.
func plainly(in *row.Inst, f, arena, marks []byte, at, size uint32, start uint64, store, wide bool) bool {
	p, memory := unsafe.Pointer(&f[0]), unsafe.Pointer(&arena[at])
	bytes := uint32(in.Width) * 4
	if size < bytes {
		return false
	}
	add, limit := uint64(int32(in.C))-start, uint64(size-bytes)
	if store {
		do := [...]func(unsafe.Pointer, *row.Inst, unsafe.Pointer, unsafe.Pointer, uint32, uint64, uint64) bool{
			row.Store32at32, row.Store32at64, row.Store64at32, row.Store64at64}[2*(in.Width-1)+uint8(row.Bit(wide))]
		mark := unsafe.Pointer(&marks[at>>row.PageShift])
		return do(p, in, memory, mark, at&(1<<row.PageShift-1), add, limit)
	}
	do := [...]func(unsafe.Pointer, *row.Inst, unsafe.Pointer, uint64, uint64) bool{
		row.Load32at32, row.Load32at64, row.Load64at32, row.Load64at64}[2*(in.Width-1)+uint8(row.Bit(wide))]
	return do(p, in, memory, add, limit)
}

// addresses writes a row of addresses: all lanes the same, one after the other, or any; sometimes one of them far away
// or not aligned.
func addresses(rng *rand.Rand, to []byte, how uint8, off int32) {
	step, group := int64(0), [...]int64{32, 16, 4, 2}[rng.IntN(4)]
	switch rng.IntN(3) {
	case 0:
		step = 4 << ((how - row.ByLoad32at32) / 2)
	case 1:
		step = 12
	}
	first, odd := int64(rng.IntN(64))*8-int64(off), rng.IntN(100)
	for lane := range int64(32) {
		a := max(first+lane%group*step+lane/group*64, 0)
		if int64(odd) == lane {
			a += [...]int64{1, 4, 1 << 31, 1 << 32, -1 << 40, 1<<32 - 8}[rng.IntN(6)]
		}
		if (how-row.ByLoad32at32)%2 == 0 {
			row.U32s(unsafe.Pointer(&to[0]), 0)[lane] = uint32(a)
		} else {
			row.U64s(unsafe.Pointer(&to[0]), 0)[lane] = uint64(a)
		}
	}
}
