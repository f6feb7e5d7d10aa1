package matrix

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The tables of 5.5.7: chunk of 16 bytes that lies at each place of lines of 128.
func TestSwizzle(t *testing.T) {
	for _, c := range []struct {
		mask  uint32
		lines []string
	}{
		{0, []string{"01234567"}},
		{1, []string{"01234567", "10325476"}},
		{3, []string{"01234567", "10325476", "23016745", "32107654"}},
		{7, []string{"01234567", "10325476", "23016745", "32107654", "45670123", "54761032", "67452301", "76543210"}},
	} {
		for line := range uint32(8) {
			for at := range uint32(8) {
				chunk := uint32(c.lines[int(line)%len(c.lines)][at] - '0')
				require.Equal(t, 128*line+16*chunk+5, Swizzle(128*line+16*at+5, 0, c.mask, 4))
			}
		}
	}
}

// Descriptors of 16-bit elements. In units of 16 bytes: start 0x40 at bit 0, LBO 8 at bit 16, SBO 16 at bit 32.
func TestDescriptorAddresses(t *testing.T) {
	const plain = 0x40 | 8<<16 | 16<<32
	for _, c := range []struct {
		name    string
		d       uint64
		mnMajor bool
		line, k int
		want    uint32
	}{
		// 9.7.17.5.1.2.1.3: 8 lines of 16 bytes follow each other; the next 8 lines are SBO on, the next 8 elements LBO.
		{"K-major", plain, false, 9, 10, 0x400 + 256 + 16 + 128 + 4},
		{"MN-major", plain, true, 10, 9, 0x400 + 256 + 16 + 128 + 4},
		// Element 10 is byte 4 of chunk 1. The 128 bytes at 0x400+256+128 = 0x580 are line 3 of the pattern, 11 % 8, where
		// chunk 1 lies at place 2.
		{"K-major, 128 bytes", plain | 1<<62, false, 9, 10, 0x580 + 2*16 + 4},
		{"K-major, 32 bytes", plain | 3<<62, false, 4, 0, 0x480 + 16}, // line 1: chunks 0 and 1 change places
	} {
		m := Wgmma(c.d, 16, c.mnMajor)
		at, bit := m.at(c.line, c.k)
		require.Equal(t, c.want, at, c.name)
		require.Zero(t, bit)
		shared := make([]byte, 2048)
		_, outside := m.Outside(int64(len(shared)), c.line, 1, c.k+1)
		require.False(t, outside, c.name)
		_, outside = m.Outside(int64(c.want)+1, c.line, 1, c.k+1)
		require.True(t, outside, c.name)
		shared[c.want], shared[c.want+1] = 0x34, 0x12
		out := make([]uint64, c.k+1)
		m.Read(shared, c.line, 1, c.k+1, out)
		require.EqualValues(t, 0x1234, out[c.k], c.name)
	}
}

// What 9.7.18.4.1 and Table 65 forbid.
func TestDescriptorErrors(t *testing.T) {
	const good = 1 << 46
	for _, c := range []struct {
		d       uint64
		bits, k int
		mnMajor bool
		want    string
	}{
		{good, 16, 16, false, ""},
		{0, 16, 16, false, "bits 46 to 48 must be 0b001"},
		{good | 1<<15, 16, 16, false, "bits 15 and 31 must be 0"},
		{good | 1<<31, 16, 16, false, "bits 15 and 31 must be 0"},
		{good | 1<<53, 16, 16, false, "bits 53 to 60 must be 0"},
		{good | 3<<61, 16, 16, false, "the swizzling mode 3 is none"},
		{good | 1<<61, 32, 8, false, "swizzling of 32-byte atoms is for matrices that are M- or N-major"},
		{good | 1<<61, 16, 16, true, "M- and N-major matrices of .kind::tf32, and only they"},
		{good | 1<<52 | 2<<61, 4, 96, false, "for .target sm_103a only"},
		{good | 6<<61, 4, 96, false, "a row of 48 bytes at 0x0 goes beyond 32 bytes, which are swizzled"},
		{good | 6<<61, 4, 128, false, "a row of 64 bytes at 0x0 goes beyond 32 bytes, which are swizzled"},
		{good | 4<<61, 8, 64, false, ""},
		{good | 4<<61 | 2, 8, 64, false, "a row of 64 bytes at 0x20 goes beyond 64 bytes, which are swizzled"},
		{good | 2<<61 | 4, 8, 64, false, ""},
		{good | 6<<61, 8, 64, true, ""},
	} {
		m, err := Tcgen05(c.d, c.bits, c.mnMajor)
		if err == nil {
			err = m.checkProduct(c.k, false)
		}
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.want)
	}
	m, err := Tcgen05(good|1<<52, 8, false)
	require.NoError(t, err)
	require.ErrorContains(t, m.CheckCopy(), "for tcgen05.mma only")
	m, err = Tcgen05(good|1<<14|1<<30, 8, false) // the topmost bits of the two that have fifteen
	require.NoError(t, err)
	require.Equal(t, []uint32{1 << 18, 1 << 18}, []uint32{m.start, m.lbo})
}
