package schedule

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// In every schedule each warp comes to its turn in each round, and each cluster starts once.
func TestSchedulesLeaveNothingOut(t *testing.T) {
	for seed := range Seed(50) {
		for n := 1; n <= 32; n++ {
			seen, started := map[int]bool{}, map[int]bool{}
			for i := range n {
				seen[i*seed.Stride(n, 3)%n] = true
				place := seed.Permute(n, i, false)
				require.Equal(t, i, seed.Permute(n, place, true), "seed %d: cluster %d of %d", seed, i, n)
				started[place] = true
			}
			require.Len(t, seen, n, "seed %d", seed)
			require.Len(t, started, n, "seed %d", seed)
		}
		require.Positive(t, seed.Turn(256, 1, 2, 3))
		require.LessOrEqual(t, seed.Turn(256, 1, 2, 3), int64(256))
		require.Positive(t, seed.Slice(1<<16, 1))
	}
}
