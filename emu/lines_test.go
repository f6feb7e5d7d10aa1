package emu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/num"
	"warpscope/emu/row"
)

// TestLinesAgreeWithTheReference runs every generated handler twice in a straight line of code, the way warp.run does
// at full speed, and compares with the pure function of the same opcode: all lanes active, half of them, one.
func TestLinesAgreeWithTheReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	pick := func() uint64 { return edges[rng.IntN(len(edges))] ^ rng.Uint64()>>1>>rng.IntN(64) }
	for key, n := range row.Numbers() {
		g := row.Operations[n]
		k, _ := num.Lookup(strings.TrimSuffix(key, constShift))
		hot := row.Inst{Handler: g.Run, Width: g.Rows[0], How: g.How, D: 512, A: 1024, B: 1536, C: 2048}
		in := inst{Inst: hot, guard: row.TruePred}
		for _, active := range []Mask{FullMask, 0x80ff3355, 1 << 31} {
			w, _ := newBenchWarp(in)
			code := []inst{in, in, {op: opExit, guard: row.TruePred}}
			markLines(code, make([]uint32, len(code)))
			grid := w.cta.grid
			grid.prog.code, grid.counts, w.Cur.Mask = code, make([]count, len(code)), active
			args, old := fillRows(w.framePtr(), key, g, pick)
			if g.How == row.ByCall { // a pure function of other rows: once more does no harm
				*row.Pred(w.framePtr(), row.ExecMask) = uint32(active)
				done, _ := row.Run(&code[0].Inst, instSize, 1, w.framePtr(), uint32(active), nil, 0)
				require.EqualValues(t, 1, done, key)
			}
			n, _ := w.run(2)
			require.EqualValues(t, 2, n)
			require.EqualValues(t, []int64{1, 1, 0}, grid.counted())
			for lane := range 32 {
				checkLane(t, key, k, g, w, lane, active, args, old[lane])
			}
		}
	}
}
