package tensor

import (
	"errors"
	"fmt"

	"warpscope/ptx"
)

// Box is what one tensor copy moves (9.7.10.28.5): a tensor map and what the instruction says.
type Box struct {
	*Layout
	Mode Mode     // of the instruction
	Load bool     // from global to shared memory
	Rows bool     // .tile::gather4 and .tile::scatter4: four rows, At[1] to At[4]
	Dims int      // how many coordinates there are
	At   [5]int64 // coordinates
	Info [3]int64 // im2col offsets, or wHalo and wOffset
}

// row is what lies together in shared memory: the coordinates of its first element.
type row [5]int64

// Fits checks the instruction against the tensor map.
func (b *Box) Fits() error {
	switch {
	case b.Rows && (b.rank != 2 || b.box[1] != 1):
		return errors.New(".tile::gather4 and .tile::scatter4 take tensors of 2 dimensions and boxes of one row (5.5.3.4)")
	case !b.Rows && b.Dims != b.rank:
		return fmt.Errorf("the tensor has %s, the instruction %d", ptx.Plural(b.rank, "dimension"), b.Dims)
	case b.Mode != b.mode:
		return fmt.Errorf("it is %s, the instruction %s", b.mode, b.Mode)
	case !b.Load && b.Type.String() == "b4x16_p64":
		return fmt.Errorf("elements of type %s are not copied to global memory (9.7.10.28.5.1)", b.Type)
	}
	return nil
}

// Check applies the rules for coordinates and im2col's numbers (5.5.4.1, 5.5.5.1, 9.7.10.28.5).
func (b *Box) Check() error {
	grain := b.grain
	if b.Padded() {
		grain = b.box[0]
	}
	for _, at := range b.At {
		if at < 0 && !b.Load {
			return fmt.Errorf("the coordinate %d is negative: copies to global memory begin inside of the tensor "+
				"(9.7.10.28.5.1)", at)
		}
	}
	if !b.Load && b.atomicity == Atom32BFlip8B {
		return errors.New("copies to global memory do not take the 8-byte flip (5.5.7)")
	}
	if b.At[0]%grain != 0 {
		return fmt.Errorf("coordinate %d of dimension 0 is no multiple of %d", b.At[0], grain)
	}
	if b.mode == Tiled {
		return nil
	}
	for i := range b.walked() {
		low, high := b.lower[i], b.dims[i+1]-1+b.upper[i]
		switch at := b.At[i+1]; {
		case at > high, at < low && !b.mode.wide():
			return fmt.Errorf("coordinate %d of dimension %d is outside of the bounding box, %d to %d", at, i+1, low, high)
		case !b.Load && (low < 0 || b.upper[i] > 0):
			return errors.New("copies to global memory need a bounding box inside of the tensor (9.7.10.28.5.1)")
		case !b.mode.wide() && b.Info[i]>>b.cornerBits() != 0:
			return fmt.Errorf("the im2col offset %d has more than %d bits (5.5.4.1)", b.Info[i], b.cornerBits())
		}
	}
	most := map[Mode]int64{Im2colW: 511, Im2colW128: 31}[b.mode]
	if b.mode.wide() && (b.Info[0] > most || b.Info[1] > 31) {
		return fmt.Errorf("wHalo %d and wOffset %d: there are at most %d and 31", b.Info[0], b.Info[1], most)
	}
	return nil
}

// sizes are how many rows a box has along each dimension, along dimension 0 in slices: traversal strides leave out
// elements, or slices (5.5.3.2).
func (b *Box) sizes() (n [5]int64) {
	for i := range b.rank {
		size := b.box[i]
		if i == 0 {
			size /= b.width
		}
		n[i] = (size + b.steps[i] - 1) / b.steps[i]
	}
	return n
}

// halos are how many pixels im2col moves, and after how many of them each halo (5.5.5.3).
func (b *Box) halos() (pixels, every int64) {
	if b.mode == Im2colW128 {
		return 128, 32
	}
	return b.box[1], b.box[1]
}

// Bytes is the size of the box in shared memory.
func (b *Box) Bytes() int64 { return b.count() * int64(b.RowBytes()) }

// count is the number of rows.
func (b *Box) count() int64 {
	n := b.sizes()
	switch {
	case b.Rows:
		return 4
	case b.mode == Tiled:
		total := n[0]
		for i := 1; i < b.rank; i++ {
			total *= n[i]
		}
		return total
	}
	pixels, every := b.halos()
	if b.mode.wide() {
		pixels += pixels / every * b.Info[0]
	}
	return pixels * n[0]
}

// list lists the rows in the order in which they lie in shared memory.
func (b *Box) list() (rows []row) {
	n := b.sizes()
	steps := b.steps
	steps[0] *= b.grain
	switch {
	case b.Rows:
		for _, at := range b.At[1:] {
			rows = append(rows, row{b.At[0], at})
		}
		return rows
	case b.mode != Tiled: // a column of pixels for each slice
		column := b.pixels()
		for i := range n[0] {
			for _, r := range column {
				r[0] += i * steps[0]
				rows = append(rows, r)
			}
		}
		return rows
	}
	// As in global memory, slices of channels lie between the images and what the images are made of (5.5.6).
	order := []int{0}
	for i := 1; i < b.rank; i++ {
		order = append(order, i)
	}
	if last := b.rank - 1; last > 0 {
		copy(order, order[1:last])
		order[last-1] = 0
	}
	r, done := row(b.At), [5]int64{}
	for range b.count() {
		rows = append(rows, r)
		for _, i := range order {
			r[i] += steps[i]
			if done[i]++; done[i] < n[i] {
				break
			}
			r[i], done[i] = b.At[i], 0
		}
	}
	return rows
}

// pixels are the rows of the im2col modes: the filter's base walks through the bounding box, W first, then H, D and the
// images, and the offsets are added to where it is (5.5.4). im2col::w keeps H and D as they are; a halo goes on along W
// after the pixels before it, and the walk then goes on after those (5.5.5).
func (b *Box) pixels() (rows []row) {
	pixels, every := b.halos()
	offsets, halo := b.Info, int64(0)
	if b.mode.wide() {
		offsets, halo = [3]int64{b.Info[1]}, b.Info[0]
	}
	base := row(b.At)
	for n := range pixels {
		r := base
		for i := range b.walked() {
			r[i+1] += offsets[i]
		}
		rows = append(rows, r)
		if (n+1)%every == 0 {
			for range halo {
				r[1] += b.steps[1]
				rows = append(rows, r)
			}
		}
		b.walk(&base)
	}
	return rows
}

// walk goes to the next place in the bounding box.
func (b *Box) walk(base *row) {
	for i := range b.walked() {
		if base[i+1] += b.steps[i+1]; base[i+1] <= b.dims[i+1]-1+b.upper[i] {
			return
		}
		base[i+1] = b.lower[i]
	}
	base[b.rank-1]++
}
