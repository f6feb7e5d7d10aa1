package emu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/emu/num"
	"warpscope/emu/row"
)

// TestLinesAgreeWithTheReference runs every generated handler twice in a straight line, as package machine does at full
// speed, and compares with the pure function of the same opcode: all lanes active, half of them, one.
func TestLinesAgreeWithTheReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	pick := func() uint64 { return edges[rng.IntN(len(edges))] ^ rng.Uint64()>>1>>rng.IntN(64) }
	for key, n := range row.Numbers() {
		g := row.Operations[n]
		k, _ := num.Lookup(strings.TrimSuffix(key, machine.ConstShift))
		hot := row.Inst{Handler: g.Run, Width: g.Rows[0], How: g.How, D: 512, A: 1024, B: 1536, C: 2048}
		in := machine.Inst{Inst: hot, Guard: row.TruePred}
		for _, active := range []Mask{FullMask, 0x80ff3355, 1 << 31} {
			w, _ := newBenchWarp(in)
			code := []machine.Inst{in, in, {Op: machine.OpExit, Guard: row.TruePred}}
			machine.MarkLines(code, make([]uint32, len(code)))
			grid := w.CTA.Grid
			grid.Prog.Code, grid.Counts, w.Cur.Mask = code, make([]machine.Count, len(code)), active
			args, old := fillRows(w.FramePtr(), key, g, pick)
			if g.How == row.ByCall { // a pure function of other rows: once more does no harm
				*row.Pred(w.FramePtr(), row.ExecMask) = uint32(active)
				done, _ := row.Run(&code[0].Inst, machine.InstSize, 1, w.FramePtr(), uint32(active), nil, 0)
				require.EqualValues(t, 1, done, key)
			}
			n, _ := w.Run(2)
			require.EqualValues(t, 2, n)
			require.EqualValues(t, []int64{1, 1, 0}, grid.Counted())
			for lane := range 32 {
				checkLane(t, key, k, g, w, lane, active, args, old[lane])
			}
		}
	}
}
