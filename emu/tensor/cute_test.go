package tensor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The pictures of swizzling (5.5.7) against a second public source: get_tma_swizzle_bits and get_tma_swizzle_base of
// include/cute/atom/copy_traits_sm90_tma_swizzle.hpp in NVIDIA's CUTLASS say which Swizzle<b, m, s> a tensor map stands
// for. Of an address, b bits from bit m+s on are exclusive-ored into those from bit m on. With atoms of 64 bytes the
// file has two bits, and leaves s open; the manual's own table has one bit, and decides.
func TestSwizzlesAreThoseOfCuTe(t *testing.T) {
	for _, c := range []struct {
		swizzle   Swizzle
		atomicity Atomicity
		b, m, s   uint32
	}{
		{NoSwizzle, Atom16B, 0, 4, 3}, {Swizzle32B, Atom16B, 1, 4, 3}, {Swizzle64B, Atom16B, 2, 4, 3},
		{Swizzle128B, Atom16B, 3, 4, 3}, {Swizzle128B, Atom32B, 2, 5, 2}, {Swizzle128B, Atom64B, 1, 6, 1},
	} {
		l := Layout{swizzle: c.swizzle, atomicity: c.atomicity}
		for at := range uint32(4096) {
			require.Equal(t, at^at>>(c.m+c.s)&(1<<c.b-1)<<c.m, l.swizzled(at), "%v, %#x", c, at)
		}
	}
}
