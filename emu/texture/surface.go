package texture

// Place is where an access to a surface begins: a byte of a row, the row and the slice; and the layer.
type Place struct {
	X     [3]int64
	Layer int
}

// ElementSize is the size of an element with all its samples, in bytes.
func (t *Description) ElementSize() uint32 {
	return t.Format.Size() * uint32(t.Channels) * uint32(max(t.Samples, 1))
}

// RowSize is the size of a row in bytes.
func (t *Description) RowSize() int64 { return int64(t.Width) * int64(t.ElementSize()) }

// Holds says whether a surface has size bytes of one row at a place.
func (t *Description) Holds(p Place, size uint32) bool {
	return p.X[0] >= 0 && p.X[0]+int64(size) <= t.RowSize() && p.X[1] >= 0 && p.X[1] < int64(max(t.Height, 1)) &&
		p.X[2] >= 0 && p.X[2] < int64(max(t.Depth, 1)) && p.Layer < max(t.Layers, 1)
}

// Nearest is the place with size bytes that is nearest to p, coordinate by coordinate, at a multiple of the size
// (9.7.13.1); ok is false where rows are shorter than that.
func (t *Description) Nearest(p Place, size uint32) (near Place, ok bool) {
	last, n := t.RowSize()-int64(size), int64(size)
	near.X[0] = min(max(p.X[0], 0), last) / n * n
	near.X[1], near.X[2] = min(max(p.X[1], 0), int64(max(t.Height, 1)-1)), min(max(p.X[2], 0), int64(max(t.Depth, 1)-1))
	near.Layer = min(p.Layer, max(t.Layers, 1)-1)
	return near, last >= 0
}

// Offset is a place's distance from the start of the image in bytes.
func (t *Description) Offset(p Place) uint64 {
	return t.at(0, p.Layer, [3]int{0, int(p.X[1]), int(p.X[2])}) + uint64(p.X[0])
}
