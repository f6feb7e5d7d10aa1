package emu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/internal/txtar"
)

// rowKernel stores a value made from lane and offset at base + offset + 8 of a state space and loads it again, with
// every element size and address width.
func rowKernel(t *testing.T, space string, bits, addr int, act string) string {
	base := "ld.param.u64 %a, [mem];"
	if space == "shared" {
		base = "mov.u64 %a, s;"
	}
	return txtar.Text(t, "rows/access", "BITS", fmt.Sprint(bits), "WIDTH", fmt.Sprint(addr), "BASE", base,
		"ACT", fmt.Sprintf(act, space, bits))
}

const rowMem = 48 << 12

// rowGrid launches such a kernel with the offsets of its lanes.
func rowGrid(t *testing.T, src string, offsets [32]uint64) (g *Grid, out func() []byte) {
	t.Helper()
	d := load(t, src)
	var args [][]byte
	for _, size := range []int{256, rowMem, 256} {
		a, err := d.Alloc(size)
		require.NoError(t, err)
		args = append(args, Ptr(a))
		b := make([]byte, size)
		for lane, o := range offsets {
			if len(args) == 1 {
				machine.ByteOrder.PutUint64(b[8*lane:], o)
			}
		}
		require.NoError(t, d.Write(a, b))
		out = func() []byte { // of the last one
			b := make([]byte, size)
			require.NoError(t, d.Read(a, b))
			return b
		}
	}
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}, Args: args})
	require.NoError(t, err)
	return g, out
}

// All lanes store and load at offsets that are spread over pages and sometimes equal: then the highest lane's value
// stays. A snapshot from before gives everything back, so every page that a store changes is known.
func TestRowsOfStoresAndLoads(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, space := range []string{"shared", "global"} {
		for _, bits := range []int{32, 64} {
			for _, addr := range []int{32, 64} {
				if space == "global" && addr == 32 {
					continue // a module has addresses of one width; shared ones fit into 32 bits
				}
				var offsets, want [32]uint64
				at := map[uint64]uint64{}
				var places [20]uint64
				for i := range places {
					places[i] = 8 * rng.Uint64N(9*512)
				}
				for lane := range offsets {
					offsets[lane] = places[rng.IntN(len(places))]
					at[offsets[lane]] = offsets[lane]*1000003 + 8*uint64(lane)
				}
				for lane, o := range offsets {
					want[lane] = at[o] & (1<<bits - 1) // 1<<64 - 1 is all bits
				}
				g, out := rowGrid(t, rowKernel(t, space, bits, addr,
					"st.%[1]s.b%[2]d [%%at+8], %%v; ld.%[1]s.b%[2]d %%u, [%%at+8];"), offsets)
				before, clean := g.Snapshot(), g.Hash()
				for range 2 {
					require.NoError(t, g.Run(context.Background()))
					got := out()
					for lane, w := range want {
						require.Equal(t, w, machine.ByteOrder.Uint64(got[8*lane:]), "%s b%d, address b%d, lane %d", space,
							bits, addr, lane)
					}
					require.NotEqual(t, clean, g.Hash())
					g.Restore(before)
					require.Equal(t, clean, g.Hash())
				}
			}
		}
	}
}

// One lane's bad address is a fault of that lane; no lane has stored or loaded, and only the instructions before are
// counted.
func TestRowsFault(t *testing.T) {
	for name, c := range map[string]struct {
		offset uint64
		kind   FaultKind
	}{
		"misaligned": {12, Misaligned}, "behind": {40000 - 8, OutOfBounds}, "far": {1 << 31, OutOfBounds},
	} {
		for _, act := range []string{"ld.%[1]s.b%[2]d %%u, [%%at+8];", "st.%[1]s.b%[2]d [%%at+8], %%v;"} {
			for _, addr := range []int{32, 64} {
				var offsets [32]uint64
				for lane := range offsets {
					offsets[lane] = 8 * uint64(lane)
				}
				offsets[29] = c.offset
				g, _ := rowGrid(t, rowKernel(t, "shared", 64, addr, act), offsets)
				var fault *Fault
				require.ErrorAs(t, g.Run(context.Background()), &fault, name)
				require.Equal(t, c.kind, fault.Kind, name)
				require.Equal(t, Mask(1<<29), fault.Lanes, name)
				counts := g.Counted()
				at := slices.IndexFunc(g.Prog.Code, func(in machine.Inst) bool { return in.Src == fault.Inst })
				require.Positive(t, at)
				require.Zero(t, counts[at])
				require.EqualValues(t, 1, counts[at-1])
				seg := g.State.CTAs[0]
				require.Equal(t, make([]byte, 40000), g.Mem.Bytes(seg.SharedOff, 40000), "nothing is stored")
			}
		}
	}
}
