package emu

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/num"
	"warpscope/emu/row"
	"warpscope/emu/simt"
	"warpscope/ptx"
)

// edges are operands at which arithmetic goes wrong first.
var edges = []uint64{0, 1, 2, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
	0xffffffff, 0x3f800000, 0x3f800001, 0xbf800000, 0x00800000, 0x007fffff, 0x80000001, 0x7f7fffff, 0x7f800000, 0xff800000,
	0x7fc00000, 0x33800000, 0x4b800001, 0x0f000000, 1 << 32, 1<<63 - 1, 1 << 63, math.MaxUint64, 0x3ff0000000000000,
	0x7ff0000000000000, 0x7ff8000000000000, 0x000fffffffffffff, 0xbff0000000000000}

// bench is a warp with one frame to run single instructions in.
func newBenchWarp(in machine.Inst) (*machine.Warp, *mem.Memory) {
	m, _ := mem.New(1<<20, mem.Windows64)
	off, _ := m.Alloc(1 << 12)
	code := []machine.Inst{in, {Op: machine.OpExit, Guard: row.TruePred}}
	prog := &machine.Program{Mod: &ptx.Module{SM: 70}, Code: code}
	g := &Grid{Dev: &Device{Mem: m}, Mem: m, Counts: make([]machine.Count, len(code)), Prog: prog}
	c := &machine.CTA{Grid: g, Mem: m}
	fn := &machine.Function{Frame: 1 << 12}
	w := &machine.Warp{CTA: c, Mem: m, Policy: simt.NewStack[*machine.Frame](), Present: FullMask}
	w.Live, w.Host, w.LSU.Warp = FullMask, w, w
	w.Base = &machine.Frame{Fn: fn, Off: off}
	w.Cur = machine.Group{PC: 0, RPC: machine.NoPC, Mask: FullMask, Frame: w.Base, Kind: KindBase, Cause: machine.NoPC}
	*row.Pred(w.FramePtr(), row.TruePred) = ^uint32(0)
	return w, m
}

// TestGeneratedHandlersAgreeWithTheirReference runs every generated handler, with every lane active and with some, and
// compares each lane with the pure function of the same opcode.
func TestGeneratedHandlersAgreeWithTheirReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func() uint64 {
		if rng.IntN(3) == 0 {
			return rng.Uint64()
		}
		return edges[rng.IntN(len(edges))]
	}
	for key, n := range row.Numbers() {
		g := row.Operations[n]
		k, ok := num.Lookup(strings.TrimSuffix(key, machine.ConstShift))
		require.True(t, ok, "%s has no reference in emu/num", key)
		hot := row.Inst{Handler: g.Run, Width: g.Rows[0], D: 512, A: 1024, B: 1536, C: 2048}
		in := machine.Inst{Inst: hot, Guard: row.FirstFree}
		for round := range 40 {
			w, _ := newBenchWarp(in)
			f := w.FramePtr()
			exec := FullMask
			if round%4 == 1 {
				exec = Mask(rng.Uint32())
			} else if round%4 == 2 {
				exec = 1 << rng.IntN(32)
			}
			*row.Pred(f, row.FirstFree) = uint32(exec)
			args, old := fillRows(f, key, g, pick)
			w.Run(1)
			for lane := range 32 {
				checkLane(t, key, k, g, w, lane, exec, args, old[lane])
			}
		}
	}
}

func laneOperand(off uint32, width uint8) row.Operand {
	switch width {
	case 0:
		return row.Operand{Off: off, Bits: 1, Mask: 1}
	case 1:
		return row.Operand{Off: off, Bits: 32, Mask: math.MaxUint32}
	}
	return row.Operand{Off: off, Bits: 64, Mask: math.MaxUint64}
}

func fillRows(f unsafe.Pointer, key string, g row.Operation, pick func() uint64) (args [3][32]uint64, old [32]uint64) {
	for lane := range 32 {
		for n, width := range g.Rows[1:] {
			o := laneOperand(1024+512*uint32(n), width)
			v := pick()
			if n == 1 && strings.HasSuffix(key, machine.ConstShift) {
				v &= 31
			}
			o.Set(f, lane, v)
			args[n][lane] = o.Get(f, lane)
		}
		d := laneOperand(512, g.Rows[0])
		d.Set(f, lane, pick())
		old[lane] = d.Get(f, lane)
	}
	return args, old
}

func checkLane(t *testing.T, key string, k *num.Kernel, g row.Operation, w *machine.Warp, lane int, exec Mask,
	args [3][32]uint64,
	old uint64) {
	d := laneOperand(512, g.Rows[0])
	got := d.Get(w.FramePtr(), lane)
	a, b, c := args[0][lane], args[1][lane], args[2][lane]
	want := old
	if exec.Has(lane) {
		switch {
		case k.F1 != nil:
			want = k.F1(a)
		case k.F2 != nil:
			want = k.F2(a, b)
		case k.F3 != nil:
			want = k.F3(a, b, c)
		case k.P2 != nil:
			want = uint64(row.Bit(k.P2(a, b)))
		}
	}
	require.Equal(t, want&d.Mask, got, "%s lane %d of mask %08x: a=%#x b=%#x c=%#x", key, lane, exec, a, b, c)
}
