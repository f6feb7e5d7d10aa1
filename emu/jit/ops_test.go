package jit

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"warpscope/emu/handlers"
	_ "warpscope/emu/host"
	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// specials are operands that are likely to be wrong: borders of integers, shifts about the width, zeros, subnormal
// numbers, halfway cases, infinities and NaNs of both precisions.
var specials = []uint64{0, 1, 2, 31, 32, 33, 63, 64, 65, 255, 1 << 31, 1<<31 - 1, 1<<32 - 1, 0x80000001, 1 << 63,
	1<<63 - 1,
	0x3f800000, 0xbf800000, 0x3f800001, 0x33800000, 0x7f800000, 0xff800000, 0x7fc00001, 0xffc00000, 0x7f7fffff,
	0x00800000, 0x00000003, 0x80000003, 0x00ffffff, 0x7fffffff, 0x4b000001, 0x34000000,
	0x3ff0000000000000, 0x7ff0000000000000, 0xfff8000000000001, 0x000fffffffffffff}

// The rows of the test's frame.
const (
	testPred = row.FirstFree
	testSeen = testPred + 8
	testRows = 512 // D, A, B, C, each of 256 bytes
	testSize = testRows + 4*row.Row64
)

// bench is one instruction in a program of its own, with a frame.
type bench struct {
	engine *Engine
	frame  uint32
	in     machine.Inst
}

func newBench(t *testing.T, in machine.Inst, consts []machine.ConstRow) *bench {
	m, ok := mem.New(1<<20, mem.Windows64)
	require.True(t, ok)
	frame, ok := m.Alloc(testSize)
	require.True(t, ok)
	in.Leader, in.Handler = true, row.Operations[in.Number].Run
	if in.Guard == row.TruePred {
		in.Line = 1
	}
	end := machine.Inst{Op: machine.OpRet, Leader: true}
	in.Fork.Reconv, end.Fork.Reconv = machine.NoPC, machine.NoPC
	fn := &machine.Function{End: 1, Src: &ptx.Func{Defined: true}, Consts: consts}
	p := &machine.Program{Code: []machine.Inst{in, end}, Funcs: []*machine.Function{fn}}
	host, err := mem.OpenHost(&m.Arena)
	require.NoError(t, err)
	return &bench{New(&machine.Device{Mem: m, Prog: p}, host, 0), frame, in}
}

// operation is an instruction of an operation whose operands are in the rows of the test's frame.
func operation(h handlers.Handler) machine.Inst {
	in := machine.Inst{Inst: row.Inst{Number: h.Number, Width: row.Operations[h.Number].Rows[0]}}
	in.D, in.A, in.B, in.C = testRows, testRows+row.Row64, testRows+2*row.Row64, testRows+3*row.Row64
	in.Seen = testSeen
	return in
}

// fill gives all rows values, and the frame its fixed parts.
func (b *bench) fill(r *rand.Rand, h handlers.Handler) {
	f := b.engine.mem.At(b.frame)
	*row.Pred(f, row.TruePred), *row.Pred(f, row.FalsePred) = ^uint32(0), 0
	*row.Pred(f, testPred) = r.Uint32()
	for off := uint32(testRows); off < testSize; off += row.Row64 {
		elem := h.Sig[0]
		if n := (off - testRows) / row.Row64; n > 0 && int(n) <= len(h.Operands()) {
			elem = h.Operands()[n-1]
		}
		for lane := range 32 {
			v := specials[r.IntN(len(specials))]
			if r.IntN(3) == 0 {
				v = r.Uint64()
			}
			if handlers.Size(elem) == 8 && elem != 'v' {
				row.U64s(f, off)[lane] = v
			} else {
				row.U32s(f, off)[lane] = uint32(v)
			}
		}
	}
}

// interpret executes the instruction as the interpreter does.
func (b *bench) interpret(active uint32) {
	f, in := b.engine.mem.At(b.frame), &b.in
	exec := active & (*row.Pred(f, in.Guard) ^ in.Neg)
	*row.Pred(f, row.ExecMask) = exec
	if exec != 0 {
		in.Inst.Partial(f, exec)
	}
	*row.Pred(f, in.Seen) |= exec
	b.tidy()
}

func (b *bench) tidy() {
	clear(b.engine.mem.Bytes(b.frame+row.ExecMask, row.FalsePred-row.ExecMask))
}

// compiled executes it with the engine.
func (b *bench) compiled(t *testing.T, active uint32) {
	pc, ran := b.engine.Run(nil, machine.Place{RPC: machine.NoPC, Active: machine.Mask(active), Frame: b.frame, Left: 10,
		Most: 10})
	require.EqualValues(t, 1, pc)
	require.EqualValues(t, 1, ran)
	b.engine.Flush(func(start, end int32, n int64) {
		require.Equal(t, [3]int64{0, 1, 1}, [3]int64{int64(start), int64(end), n})
	})
}

// Every compiled operation gives the bits of its handler, in all lanes, in some, under a guard, and with constants.
func TestOperations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, h := range handlers.Table() {
		if compiles(h.Number) == nil {
			continue
		}
		for variant := range 5 {
			in := operation(h)
			var consts []machine.ConstRow
			switch variant {
			case 1:
				in.Guard = testPred
			case 2:
				in.Guard, in.Neg = testPred, ^uint32(0)
			case 3:
				if ops := h.Operands(); len(ops) < 2 || ops[0] != ops[1] {
					continue
				}
				in.B = in.A
			case 4:
				if len(h.Operands()) < 2 {
					continue
				}
				consts = []machine.ConstRow{{Off: in.B, Value: specials[r.IntN(len(specials))],
					Wide: handlers.Size(h.Operands()[1]) == 8 && h.Operands()[1] != 'v'}}
			}
			b := newBench(t, in, consts)
			for round := range 40 {
				b.fill(r, h)
				b.fillConstants(h, consts)
				active := ^uint32(0)
				if round%2 == 1 {
					active = 1<<r.IntN(32) | r.Uint32()&r.Uint32()
				}
				b.same(t, h.Name, active, variant)
			}
		}
	}
}

// fillConstants fills the constant rows. Shifts by a constant have one below 32.
func (b *bench) fillConstants(h handlers.Handler, consts []machine.ConstRow) {
	f := b.engine.mem.At(b.frame)
	for lane := range 32 {
		for _, c := range consts {
			if c.Wide {
				row.U64s(f, c.Off)[lane] = c.Value
			} else {
				row.U32s(f, c.Off)[lane] = uint32(c.Value)
			}
		}
		if strings.HasSuffix(h.Name, "Const") {
			row.U32s(f, b.in.B)[lane] = row.U32s(f, b.in.B)[0] & 31
		}
	}
}

// same executes the instruction with both engines, on the same frame.
func (b *bench) same(t *testing.T, name string, active uint32, variant int) {
	t.Helper()
	frame := b.engine.mem.Bytes(b.frame, testSize)
	b.tidy()
	before := append([]byte(nil), frame...)
	b.interpret(active)
	want := append([]byte(nil), frame...)
	copy(frame, before)
	b.compiled(t, active)
	if string(want) == string(frame) {
		return
	}
	for off := uint32(0); off < testSize; off += 4 {
		word := func(f []byte) uint32 { return *(*uint32)(unsafe.Pointer(&f[off])) }
		require.Equal(t, word(want), word(frame), "%s, variant %d, active %08x, at %d: was %08x", name, variant, active, off,
			word(before))
	}
}
