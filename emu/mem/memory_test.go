package mem

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func newMemory(t *testing.T, limit int64) *Memory {
	t.Helper()
	m, ok := New(limit, Windows64)
	require.True(t, ok)
	return m
}

// Ranges are multiples of 256 bytes. The first page belongs to none.
func TestRangesAreUsedAgain(t *testing.T) {
	m := newMemory(t, PageSize+4*align)
	var offs [4]uint32
	for i := range offs {
		off, ok := m.Alloc(1)
		require.True(t, ok)
		require.EqualValues(t, PageSize+i*align, off)
		offs[i] = off
	}
	_, ok := m.Alloc(1)
	require.False(t, ok, "the limit is reached")

	m.Bytes(offs[1], align)[7] = 1
	m.Release(offs[1], 1)
	m.Release(offs[3], 1)
	m.Release(offs[2], 1)
	off, ok := m.Alloc(3 * align)
	require.True(t, ok, "neighbours have become one range")
	require.Equal(t, offs[1], off)
	require.Equal(t, make([]byte, 3*align), m.Bytes(off, 3*align), "what is given again reads as zero")
}

func TestNoMemory(t *testing.T) {
	_, ok := New(PageSize-1, Windows64)
	require.False(t, ok, "no room for the first page")
	m := newMemory(t, PageSize+2*align)
	_, ok = m.Reserve(2*align, "", Global)
	require.False(t, ok, "no room for the byte after it")
	_, ok = m.Reserve(2*align-1, "", Global)
	require.True(t, ok)
}

// Room changes no offset, and no limit.
func TestMakeRoom(t *testing.T) {
	m := newMemory(t, 1<<20)
	a, _ := m.Reserve(8, "a", Global)
	m.Bytes(m.Off(a), 8)[3] = 7
	before := m.At(0)
	m.MakeRoom(1 << 20)
	require.Equal(t, before, m.At(0), "there is less")
	m.MakeRoom(1<<20 - m.Used())
	room := m.At(0)
	require.EqualValues(t, 7, m.Bytes(m.Off(a), 8)[3])
	_, ok := m.Alloc(1<<20 - m.Used())
	require.True(t, ok)
	require.Equal(t, room, m.At(0), "it has not grown")
	_, ok = m.Alloc(1)
	require.False(t, ok)
}

// Spare memory is after all that is in use, reads as zero, and belongs to what is allocated next.
func TestSpare(t *testing.T) {
	m := newMemory(t, 1<<20)
	a, _ := m.Reserve(8, "a", Global)
	off, ok := m.Spare(4096)
	require.True(t, ok)
	require.EqualValues(t, m.Off(a)+align, off)
	require.Equal(t, make([]byte, 4096), m.Bytes(off, 4096))
	next, _ := m.Alloc(1)
	require.Equal(t, off, next)
	_, ok = m.Spare(1<<20 - next)
	require.False(t, ok, "the limit is reached")
}

func TestFind(t *testing.T) {
	m := newMemory(t, 1<<20)
	a, _ := m.Reserve(10, "a", Global)
	b, _ := m.Reserve(align, "b", Const)
	require.Equal(t, Windows64.Global+PageSize, a)
	require.Equal(t, a+align, b)
	for _, c := range []struct {
		at, size uint64
		name     string
	}{
		{a, 10, "a"}, {a + 9, 1, "a"}, {a + 10, 0, "a"}, {b, align, "b"},
		{a, 11, ""}, {a + 10, 1, ""}, {a - 1, 1, ""}, {b + 1, align, ""}, {0, 1, ""}, {b, 1<<64 - 1, ""},
	} {
		al := m.Find(c.at, c.size)
		require.Equal(t, c.name != "", al != nil, "%d bytes at %#x", c.size, c.at)
		if al != nil {
			require.Equal(t, c.name, al.Name)
			seg := m.Segment(al)
			off, ok := seg.Place(c.at, c.size, 0)
			require.Equal(t, c.size != 0, ok, "nothing is nowhere")
			if ok {
				require.Equal(t, m.Off(c.at), off)
			}
		}
	}

	al, before, gap := m.Nearest(a + 12)
	require.Equal(t, "a", al.Name)
	require.False(t, before)
	require.EqualValues(t, 2, gap)
	al, before, gap = m.Nearest(b - 3)
	require.Equal(t, "b", al.Name)
	require.True(t, before)
	require.EqualValues(t, 3, gap)
	al, _, _ = m.Nearest(b + align + 1<<20 + 1)
	require.Nil(t, al, "too far away")
	require.True(t, m.Beyond(Windows64.Global+1<<20))
	require.False(t, m.Beyond(Windows64.Global+1<<20-1))

	m.Unreserve(a)
	require.Nil(t, m.Find(a, 1))
	require.NotNil(t, m.Find(b, 1))
}

// Sizes whose sum with an address is beyond 2^64 are in no allocation.
func TestFindOfEnormousSizes(t *testing.T) {
	m := newMemory(t, 1<<20)
	a, _ := m.Reserve(256, "a", Global)
	for _, at := range []uint64{a, a + 1, a + 255, a + 256} {
		in := at - a
		require.NotNil(t, m.Find(at, 256-in))
		for _, size := range []uint64{257 - in, 1 << 63, math.MaxUint64 - 256, math.MaxUint64 - in, math.MaxUint64} {
			require.Nil(t, m.Find(at, size), "%d bytes at %d", size, in)
		}
	}
	require.Nil(t, m.Find(a-1, math.MaxUint64))
}

// Lanes of local memory have ranges of 64 bytes here, one after the other.
func TestPlacesOfLanes(t *testing.T) {
	s := Segment{Base: 4096, Add: -Windows64.Local, Size: 48, Stride: 64}
	off, ok := s.Place(Windows64.Local+40, 8, 3)
	require.True(t, ok)
	require.EqualValues(t, 4096+3*64+40, off)
	_, ok = s.Place(Windows64.Local+41, 8, 3)
	require.False(t, ok, "it ends at 49")
	_, ok = s.Place(Windows64.Local-1, 1, 0)
	require.False(t, ok)
}

// Pages that were not written are shared between snapshots; pages of zeros cost nothing.
func TestSnapshots(t *testing.T) {
	m := newMemory(t, 1<<20)
	a, _ := m.Reserve(3*PageSize, "", Global)
	write := func(page int, v byte) {
		off := m.Off(a) + uint32(page*PageSize)
		m.Bytes(off, 1)[0] = v
		m.Touch(off, 1)
	}
	page := func(page int) byte { return m.Bytes(m.Off(a)+uint32(page*PageSize), 1)[0] }
	write(0, 1)
	write(1, 1)
	first, cost := m.Snapshot()
	const row = pageBytes + rowBytes // beside a page of zeros
	require.EqualValues(t, 2*row, cost-first.Bytes())

	write(1, 2)
	require.EqualValues(t, PageSize+pageBytes, m.SnapshotBytes()-first.Bytes())
	second, cost := m.Snapshot()
	require.EqualValues(t, row, cost-second.Bytes())
	require.EqualValues(t, row, second.BytesBeside(first)-second.Bytes())

	b, _ := m.Reserve(100*PageSize, "later", Global)
	m.Unreserve(a)
	write(0, 3)
	m.Restore(first)
	require.Equal(t, []byte{1, 1, 0}, []byte{page(0), page(1), page(2)})
	require.NotNil(t, m.Find(a, 3*PageSize))
	require.Nil(t, m.Find(b, 1))
	m.Restore(second)
	require.Equal(t, []byte{1, 2, 0}, []byte{page(0), page(1), page(2)})

	again, ok := m.Reserve(100*PageSize, "again", Global)
	require.True(t, ok)
	require.Equal(t, b, again)
	require.Equal(t, make([]byte, 100*PageSize), m.Bytes(m.Off(again), 100*PageSize), "reads as zero")
}

// Snapshots of a page of which one row changes each time hold that row, until many rows are not as they were at first.
// Each can be restored after each other one.
func TestSnapshotsOfRows(t *testing.T) {
	m := newMemory(t, 1<<20)
	a, _ := m.Reserve(PageSize, "", Global)
	off := m.Off(a)
	write := func(row int, v byte) {
		m.Bytes(off+uint32(row*rowBytes), 1)[0] = v
		m.Touch(off+uint32(row*rowBytes), 1)
	}
	for row := range 32 {
		write(row, 100)
	}
	first, cost := m.Snapshot()
	require.EqualValues(t, PageSize+pageBytes, cost-first.Bytes())
	snaps, held := []*Snapshot{first}, [][]byte{slices.Clone(m.Bytes(off, PageSize))}
	for row := range 2 * mostRows {
		write(row, byte(row))
		snap, cost := m.Snapshot()
		want := pageBytes + int64(row%mostRows+1)*rowBytes
		if row == mostRows {
			want = PageSize + pageBytes
		} else if row > mostRows {
			want -= rowBytes
		}
		require.EqualValues(t, want, cost-snap.Bytes(), "row %d", row)
		require.EqualValues(t, want, snap.BytesBeside(snaps[len(snaps)-1])-snap.Bytes(), "row %d", row)
		snaps, held = append(snaps, snap), append(held, slices.Clone(m.Bytes(off, PageSize)))
	}
	require.Greater(t, snaps[2].BytesBeside(&Snapshot{})-snaps[2].Bytes(), int64(PageSize), "what they share counts once")
	for from := range snaps {
		for to := range snaps {
			m.Restore(snaps[from])
			write(31, 7)
			m.Restore(snaps[to])
			require.Equal(t, held[to], m.Bytes(off, PageSize), "from %d to %d", from, to)
		}
	}
	m.Restore(first)
	for row := range 32 {
		write(row, 0)
	}
	snap, cost := m.Snapshot()
	require.EqualValues(t, 0, cost-snap.Bytes(), "a page of zeros")
}
