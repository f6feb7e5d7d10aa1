package count_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/count"
)

func TestBanks(t *testing.T) {
	// Lane i loads word 16*(i%16): words 0, 16, … 240 are in the banks 0 and 16 in turn, eight in each.
	at := rows(func(i uint64) uint64 { return 64 * (i % 16) })
	list := count.Banks(at, 4, all)
	require.Equal(t, count.Bank{Lanes: 0x55555555, Words: 8, Apart: 0x55555555}, list[0])
	require.Equal(t, count.Bank{Lanes: 0xaaaaaaaa, Words: 8, Apart: 0xaaaaaaaa}, list[16])
	require.Zero(t, list[1])
	// One word for all lanes is a broadcast; the lanes of the lower half do not take part.
	at = rows(func(uint64) uint64 { return 132 })
	require.Equal(t, count.Bank{Lanes: 0xffff0000, Words: 1}, count.Banks(at, 4, 0xffff0000)[1])
	// Of 16 bytes a lane, eight lanes are a phase: bank 0 has one word in each of the four.
	at = rows(func(i uint64) uint64 { return 16 * i })
	require.Equal(t, count.Bank{Lanes: 0x01010101, Words: 1}, count.Banks(at, 16, all)[0])
}

// The words of the fullest bank are the wavefronts, of accesses that have one phase.
func TestBanksAgreeWithWavefronts(t *testing.T) {
	for stride := uint64(0); stride < 70; stride++ {
		for _, lanes := range []uint32{all, 0x0ff0f00f, 1} {
			at := rows(func(i uint64) uint64 { return 4 * (stride * i % 97) })
			most := 0
			for _, b := range count.Banks(at, 4, lanes) {
				most = max(most, b.Words)
			}
			n, _, _ := count.Wavefronts(at, 0, 4, lanes)
			require.Equal(t, n, most, "stride %d", stride)
		}
	}
}

func TestSectorsOf(t *testing.T) {
	// 32 words from byte 16 on: 16 bytes of the first sector, three whole ones, 16 bytes of the fifth.
	at := rows(func(i uint64) uint64 { return 0x1010 + 4*i })
	list := count.SectorsOf(at, 4, all)
	require.Len(t, list, 5)
	require.Equal(t, count.Sector{0x1000, 0xf, 0xffff0000}, list[0])
	require.Equal(t, count.Sector{0x1020, 0xff0, 0xffffffff}, list[1])
	require.Equal(t, count.Sector{0x1080, 0xf0000000, 0x0000ffff}, list[4])
	at = rows(func(i uint64) uint64 { return 0x2000 - 32*i })
	require.Equal(t, count.Sector{0x2000 - 32*31, 1 << 31, 0xffffffff}, count.SectorsOf(at, 32, all)[0])
}
