package emu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/num"
)

// TestLinesAgreeWithTheReference runs every generated handler twice in a straight line of code, the way warp.run does
// at full speed, and compares with the pure function of the same opcode: all lanes active, half of them, one.
func TestLinesAgreeWithTheReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	pick := func() uint64 { return edges[rng.IntN(len(edges))] ^ rng.Uint64()>>1>>rng.IntN(64) }
	for key, n := range generatedOps() {
		g := operations[n]
		k, _ := num.Lookup(strings.TrimSuffix(key, constShift))
		row := rowInst{handler: g.run, width: g.rows[0], row: g.row, d: 512, a: 1024, b: 1536, c: 2048}
		in := inst{rowInst: row, guard: truePred}
		for _, active := range []Mask{FullMask, 0x80ff3355, 1 << 31} {
			w, _ := newBenchWarp(in)
			code := []inst{in, in, {op: opExit, guard: truePred}}
			markLines(code, make([]uint32, len(code)))
			grid := w.cta.grid
			grid.prog.code, grid.counts, w.Cur.Mask = code, make([]count, len(code)), active
			args, old := fillRows(w.framePtr(), key, g, pick)
			if g.row == rowCall { // a pure function of other rows: once more does no harm
				*predAt(w.framePtr(), execMask) = uint32(active)
				done, _ := runRows(&code[0].rowInst, instSize, 1, w.framePtr(), uint32(active), nil, 0)
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
