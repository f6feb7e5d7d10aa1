package emu

import "fmt"

// tensorBox is what a tensor copy moves: a tensor map and the instruction's numbers.
type tensorBox struct {
	*tensorMap
	at   [5]int64 // coordinates
	info [3]int64 // im2col offsets, or wHalo and wOffset
	rows bool     // four rows, at[1] to at[4]
}

// tensorRow is what lies together in shared memory: the coordinates of its first element.
type tensorRow [5]int64

// check applies the rules for coordinates and im2col's numbers (5.5.4.1, 5.5.5.1, 9.7.9.27.1).
func (b *tensorBox) check(load bool) string {
	grain := b.grain
	if b.padded() {
		grain = b.box[0]
	}
	for _, at := range b.at {
		if at < 0 && !load {
			return fmt.Sprintf("the coordinate %d is negative: copies to global memory begin inside of the tensor (9.7.9.27.1.1)", at)
		}
	}
	if b.at[0]%grain != 0 {
		return fmt.Sprintf("coordinate %d of dimension 0 is no multiple of %d", b.at[0], grain)
	}
	if b.mode == Tiled {
		return ""
	}
	for i := range b.walked() {
		low, high := b.lower[i], b.dims[i+1]-1+b.upper[i]
		switch at := b.at[i+1]; {
		case at > high, at < low && !b.mode.wide():
			return fmt.Sprintf("coordinate %d of dimension %d is outside of the bounding box, %d to %d", at, i+1, low, high)
		case !load && (low < 0 || b.upper[i] > 0):
			return "copies to global memory need a bounding box inside of the tensor (9.7.9.27.1.1)"
		case !b.mode.wide() && b.info[i]>>b.cornerBits() != 0:
			return fmt.Sprintf("the im2col offset %d has more than %d bits (5.5.4.1)", b.info[i], b.cornerBits())
		}
	}
	most := map[TensorMode]int64{Im2colW: 511, Im2colW128: 31}[b.mode]
	if b.mode.wide() && (b.info[0] > most || b.info[1] > 31) {
		return fmt.Sprintf("wHalo %d and wOffset %d: there are at most %d and 31", b.info[0], b.info[1], most)
	}
	return ""
}

// sizes are how many rows a box has along each dimension, along dimension 0 in slices: traversal strides leave out
// elements, or slices (5.5.3.2).
func (b *tensorBox) sizes() (n [5]int64) {
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
func (b *tensorBox) halos() (pixels, every int64) {
	if b.mode == Im2colW128 {
		return 128, 32
	}
	return b.box[1], b.box[1]
}

// count is the number of rows.
func (b *tensorBox) count() int64 {
	n := b.sizes()
	switch {
	case b.rows:
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
		pixels += pixels / every * b.info[0]
	}
	return pixels * n[0]
}

// list lists the rows in the order in which they lie in shared memory.
func (b *tensorBox) list() (rows []tensorRow) {
	n := b.sizes()
	steps := b.steps
	steps[0] *= b.grain
	switch {
	case b.rows:
		for _, row := range b.at[1:] {
			rows = append(rows, tensorRow{b.at[0], row})
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
	// As in global memory, slices of channels stand between the images and what the images are made of (5.5.6).
	order := []int{0}
	for i := 1; i < b.rank; i++ {
		order = append(order, i)
	}
	if last := b.rank - 1; last > 0 {
		copy(order, order[1:last])
		order[last-1] = 0
	}
	r, done := tensorRow(b.at), [5]int64{}
	for range b.count() {
		rows = append(rows, r)
		for _, i := range order {
			r[i] += steps[i]
			if done[i]++; done[i] < n[i] {
				break
			}
			r[i], done[i] = b.at[i], 0
		}
	}
	return rows
}

// pixels are the rows of the im2col modes: the filter's base walks through the bounding box, W first, then H, D and the
// images, and the offsets are added to where it is (5.5.4). im2col::w keeps H and D as they are; a halo goes on along W
// behind the pixels before it, and the walk then goes on behind those (5.5.5).
func (b *tensorBox) pixels() (rows []tensorRow) {
	pixels, every := b.halos()
	offsets, halo := b.info, int64(0)
	if b.mode.wide() {
		offsets, halo = [3]int64{b.info[1]}, b.info[0]
	}
	base := tensorRow(b.at)
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
func (b *tensorBox) walk(base *tensorRow) {
	for i := range b.walked() {
		if base[i+1] += b.steps[i+1]; base[i+1] <= b.dims[i+1]-1+b.upper[i] {
			return
		}
		base[i+1] = b.lower[i]
	}
	base[b.rank-1]++
}
