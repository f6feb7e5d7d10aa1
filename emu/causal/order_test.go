package causal

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// grid is warps with their orders: warp i is warp i%2 of CTA i/2, and CTAs 0 and 1 are a cluster.
func grid(n int) (*Clock, []Warp) {
	clock := &Clock{Time: 1}
	clock.Begin()
	warps, ctas := make([]Warp, n), make([]CTAOrder, n)
	for i := range warps {
		at := Place{ThreadOf(i/2, i%2, 0), i / 4}
		warps[i] = Warp{Place: at, Clock: clock, Own: &WarpOrder{}, Of: &ctas[i/2]}
	}
	return clock, warps
}

// A message goes as far as both scopes (8.5), and a release orders what was before it (8.9.5).
func TestMessagesGoAsFarAsTheirScopes(t *testing.T) {
	for _, c := range []struct {
		to              int
		released, asked Reach
		arrives         bool
	}{
		{1, CTA, CTA, true}, {2, CTA, Grid, false}, {2, Grid, CTA, false}, {2, Cluster, Cluster, true},
		{4, Cluster, Grid, false}, {4, Grid, Grid, true}, {2, Grid, Cluster, true},
	} {
		clock, w := grid(6)
		before := clock.Time
		w[0].Synchronizes(&Operation{Locations: []uint32{8}, Reach: c.released, Writes: true, Releases: true})
		after := clock.Time
		w[c.to].Synchronizes(&Operation{Locations: []uint32{8}, Reach: c.asked, Reads: true, Acquires: true})
		require.Equal(t, c.arrives, w[c.to].Knows(0, w[0].Thread, before), "%+v", c)
		require.False(t, w[c.to].Knows(0, w[0].Thread, after), "%+v", c)
	}
}

// Patterns of 8.8: fences around strong operations, a chain of read-modify-writes, a store that ends it.
func TestPatterns(t *testing.T) {
	write := &Operation{Locations: []uint32{8}, Reach: Grid, Writes: true}
	read := &Operation{Locations: []uint32{8}, Reach: Grid, Reads: true}
	add := &Operation{Locations: []uint32{8}, Reach: Grid, Reads: true, Writes: true}
	for name, c := range map[string]struct {
		do    func(w []Warp)
		knows bool
	}{
		"fences": {func(w []Warp) {
			w[0].Fence(Grid)
			w[0].Synchronizes(write)
			w[4].Synchronizes(read)
			w[4].Fence(Grid)
		}, true},
		"no fence after the read": {func(w []Warp) {
			w[0].Fence(Grid)
			w[0].Synchronizes(write)
			w[4].Fence(Grid)
			w[4].Synchronizes(read)
		}, false},
		"no fence before the write": {func(w []Warp) {
			w[0].Synchronizes(write)
			w[0].Fence(Grid)
			w[4].Synchronizes(read)
			w[4].Fence(Grid)
		}, false},
		"another warp adds": {func(w []Warp) {
			w[0].Fence(Grid)
			w[0].Synchronizes(add)
			w[2].Synchronizes(add)
			w[4].Synchronizes(read)
			w[4].Fence(Grid)
		}, true},
		"another warp stores": {func(w []Warp) {
			w[0].Fence(Grid)
			w[0].Synchronizes(write)
			w[2].Synchronizes(write)
			w[4].Synchronizes(read)
			w[4].Fence(Grid)
		}, false},
		"by way of another warp": {func(w []Warp) {
			w[0].Fence(Grid)
			w[0].Synchronizes(write)
			w[2].Synchronizes(read)
			w[2].Fence(Grid)
			w[2].Synchronizes(&Operation{Locations: []uint32{16}, Reach: Grid, Writes: true, Releases: true})
			w[4].Synchronizes(&Operation{Locations: []uint32{16}, Reach: Grid, Reads: true, Acquires: true})
		}, true},
	} {
		clock, w := grid(6)
		before := clock.Time
		c.do(w)
		require.Equal(t, c.knows, w[4].Knows(0, w[0].Thread, before), name)
	}
}

// bar.warp.sync of some lanes orders those, and what they have learned before (9.7.15.2).
func TestLanesMeet(t *testing.T) {
	clock, w := grid(1)
	before := clock.Time
	w[0].MeetLanes(0b0011, false)
	between := clock.Time
	w[0].MeetLanes(0b0110, false)
	require.True(t, w[0].Knows(1, 0, before))
	require.True(t, w[0].Knows(2, 0, before), "by way of lane 1")
	require.False(t, w[0].Knows(2, 0, between))
	require.False(t, w[0].Knows(0, 2, before))
	require.False(t, w[0].Knows(3, 1, before))
	w[0].MeetLanes(0b1111, true)
	require.True(t, w[0].Knows(3, 1, between))
}
