package mem

import (
	"math/bits"
	"slices"
	"unsafe"
)

// A page is the unit in which snapshots share memory, and in which writes are marked. PageSize is in bytes.
const (
	PageShift = 12
	PageSize  = 1 << PageShift
)

// page is what a page held: all that base holds, but for some rows. Copies of a page share the base as long as few rows
// have changed; of a warp's registers most hold addresses and indices, which stay as they are.
type page struct {
	base *[PageSize]byte
	rows uint32 // by row: 1 if it is not that of base
	data []byte // of these rows
}

const (
	rowBytes  = PageSize / 32
	mostRows  = 12 // that a page may have beside its base
	pageBytes = int64(unsafe.Sizeof(page{}))
)

// zeros is the page that snapshots have for every page of zeros.
var zeros = &page{base: new([PageSize]byte)}

// save copies a page. last is the copy that the last snapshot has, or nil.
func save(now []byte, last *page) *page {
	if last == nil {
		last = zeros
	}
	rows, few := differing(now, last.base)
	if !few {
		last = zeros
		rows, few = differing(now, last.base)
	}
	switch {
	case !few:
		return &page{base: (*[PageSize]byte)(slices.Clone(now))}
	case rows == 0 && last.rows == 0:
		return last
	}
	p := &page{base: last.base, rows: rows, data: make([]byte, 0, bits.OnesCount32(rows)*rowBytes)}
	for ; rows != 0; rows &= rows - 1 {
		row := bits.TrailingZeros32(rows) * rowBytes
		p.data = append(p.data, now[row:row+rowBytes]...)
	}
	return p
}

// differing returns the rows that two pages do not have in common, unless there are more than mostRows.
func differing(now []byte, base *[PageSize]byte) (rows uint32, few bool) {
	left := mostRows
	for row := range 32 {
		if string(now[row*rowBytes:][:rowBytes]) == string(base[row*rowBytes:][:rowBytes]) {
			continue
		}
		if left--; left < 0 {
			return 0, false
		}
		rows |= 1 << row
	}
	return rows, true
}

// restore writes what the page held.
func (p *page) restore(to []byte) {
	copy(to, p.base[:])
	data := p.data
	for rows := p.rows; rows != 0; rows &= rows - 1 {
		copy(to[bits.TrailingZeros32(rows)*rowBytes:], data[:rowBytes])
		data = data[rowBytes:]
	}
}

// bytesBeside returns the bytes that the page takes when other is kept, too; other can be nil.
func (p *page) bytesBeside(other *page) int64 {
	if p == other || p == zeros {
		return 0
	}
	cost := pageBytes + int64(len(p.data))
	if p.base != zeros.base && (other == nil || p.base != other.base) {
		cost += PageSize
	}
	return cost
}
