package matrix

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// swizzle is Swizzle<b, m, s> of include/cute/swizzle.hpp: b bits from bit m+s on are exclusive-ored into those from
// bit m on.
func swizzle(b, m, s int, at uint32) uint32 { return at ^ at>>(m+s)&(1<<b-1)<<m }

// The canonical layouts of make_gmma_desc (include/cute/atom/mma_traits_sm90_gmma.hpp) and make_umma_desc
// (mma_traits_sm100.hpp), in elements: of line and k to an address, which is swizzled after the start has been added. T
// elements are 16 bytes. LBO and SBO are what descriptors have at bits 16 and 32.
func TestDescriptorsAreThoseOfCuTe(t *testing.T) {
	const start, lbo, sbo = 0x2000, 4096 + 32, 2048
	for _, bits := range []int{8, 16, 32} {
		T := 128 / bits
		l, s := lbo*8/bits, sbo*8/bits
		for _, c := range []struct {
			name    string
			mode    uint64 // of wgmma, and of tcgen05
			tcgen   uint64
			mnMajor bool
			line, k cute
			bits    int // of the swizzle
		}{
			{"K, none", 0, 0, false, modes([]int{8, 4}, T, s), modes([]int{T, 2}, 1, l), 0},
			{"K, 32", 3, 6, false, modes([]int{8, 4}, 2*T, s), modes([]int{T, 2}, 1, T), 1},
			{"K, 64", 2, 4, false, modes([]int{8, 4}, 4*T, s), modes([]int{T, 2}, 1, T), 2},
			{"K, 128", 1, 2, false, modes([]int{8, 4}, 8*T, s), modes([]int{T, 2}, 1, T), 3},
			{"MN, none", 0, 0, true, modes([]int{T, 1, 4}, 1, T, s), modes([]int{8, 2}, T, l), 0},
			{"MN, 32", 3, 6, true, modes([]int{T, 2, 2}, 1, T, l), modes([]int{8, 2}, 2*T, s), 1},
			{"MN, 64", 2, 4, true, modes([]int{T, 4, 2}, 1, T, l), modes([]int{8, 2}, 4*T, s), 2},
			{"MN, 128", 1, 2, true, modes([]int{T, 8, 2}, 1, T, l), modes([]int{8, 2}, 8*T, s), 3},
		} {
			fields := uint64(start>>4 | lbo>>4<<16 | sbo>>4<<32)
			w := Wgmma(fields|c.mode<<62, bits, c.mnMajor)
			u, err := Tcgen05(fields|1<<46|c.tcgen<<61, bits, c.mnMajor)
			require.NoError(t, err)
			for line := range c.line.size() {
				for k := range c.k.size() {
					want := swizzle(c.bits, 4, 3, start+uint32((c.line.at(line)+c.k.at(k))*bits/8))
					for _, m := range []Descriptor{w, u} {
						at, bit := m.at(line, k)
						require.Zero(t, bit)
						require.Equal(t, want, at, "%s, %d bits, line %d, k %d", c.name, bits, line, k)
					}
				}
			}
		}
	}
}

// SWIZZLE_128B_BASE32B of make_umma_desc, for .tf32: Swizzle<2,5,2> on ((T,8,m),(4,k)):((1,T,LBO),(8T,SBO)).
func TestWideAtomsAreThoseOfCuTe(t *testing.T) {
	const start, lbo, sbo, T = 0x1000, 4096, 1024, 4
	m, err := Tcgen05(start>>4|lbo>>4<<16|sbo>>4<<32|1<<46|1<<61, 32, true)
	require.NoError(t, err)
	line, k := modes([]int{T, 8, 2}, 1, T, lbo/4), modes([]int{4, 2}, 8*T, sbo/4)
	for i := range line.size() {
		for j := range k.size() {
			at, _ := m.at(i, j)
			require.Equal(t, swizzle(2, 5, 2, start+uint32(4*(line.at(i)+k.at(j)))), at, "line %d, k %d", i, j)
		}
	}
}

// The copies of sm_103a's rows of 48 bytes in 128 bytes, three of 16 bytes: what MMA_Traits of SM103 hands over as the
// next buffer is the leading dimension offset, an address, with the mode bit 52.
func TestNextBufferIsThatOfCuTe(t *testing.T) {
	const start, next, sbo = 0x1000 + 112, 0x3000, 1024
	m, err := Tcgen05(start>>4|next>>4<<16|sbo>>4<<32|1<<46|1<<52|2<<61, 4, false)
	require.NoError(t, err)
	for line := range 16 {
		row := uint32(line/8*sbo + line%8*128)
		for k := range 96 {
			want := start + row + uint32(k/2)
			if k >= 32 { // the first 16 bytes are the last of the buffer
				want = next + row + uint32(k/2) - 16
			}
			at, bit := m.at(line, k)
			require.Equal(t, swizzle(3, 4, 3, want), at, "line %d, k %d", line, k)
			require.Equal(t, 4*(k%2), bit)
		}
	}
}
