package texture

import "math"

// Sampling. The manual leaves the arithmetic of filters to the hardware; the CUDA C++ Programming Guide describes it:
// coordinates are scaled to elements, and the weights of a linear filter have eight fractional bits.

// Lookup is one lane's access to an image through a sampler.
type Lookup struct {
	Image   *Description
	Sampler *Description // filter and address modes
	Memory  []byte       // of the image
	Coord   [3]float64
	Dims    int
	Integer bool // coordinates count elements
	Offset  [3]int
	Layer   int
	Sample  int
	Depth   *float64 // reference value of a depth texture
}

// tap is an element along one dimension and its weight.
type tap struct {
	index  int // -1: the border
	weight float64
}

// normalized says whether coordinates run from 0 to 1.
func (k *Lookup) normalized() bool {
	return k.Image.Normalized && !k.Sampler.ForceUnnormalized && !k.Integer
}

func (k *Lookup) linear() bool { return k.Sampler.Linear && !k.Integer && !k.Image.Format.Integer() }

// position is a coordinate in elements. What is not finite counts as 0 or the farthest element.
func (k *Lookup) position(dim, size int) float64 {
	x := k.Coord[dim]
	if k.normalized() {
		x *= float64(size)
	}
	if x != x {
		return 0
	}
	return min(max(x, -1<<30), 1<<30)
}

// taps are the elements along one dimension: one, or two of a linear filter.
func (k *Lookup) taps(dim, size int) []tap {
	x, mode := k.position(dim, size), k.Sampler.Address[dim]
	if !k.normalized() && mode < ClampOGL {
		mode = ClampToEdge // wrap and mirror are for normalized coordinates
	}
	if mode == ClampOGL {
		x = min(max(x, 0), float64(size))
	}
	if !k.linear() {
		return []tap{{outside(int(math.Floor(x))+k.Offset[dim], size, mode), 1}}
	}
	fixed := int(math.RoundToEven((x - 0.5) * 256)) // 1.8 fixed point
	i, a := fixed>>8+k.Offset[dim], float64(fixed&255)/256
	if mode == ClampOGL {
		mode = ClampToBorder
	}
	return []tap{{outside(i, size, mode), 1 - a}, {outside(i+1, size, mode), a}}
}

// outside applies the address mode to an index.
func outside(i, size int, mode AddressMode) int {
	if i >= 0 && i < size {
		return i
	}
	switch mode {
	case Wrap:
		return (i%size + size) % size
	case Mirror:
		if i = (i%(2*size) + 2*size) % (2 * size); i >= size {
			i = 2*size - 1 - i
		}
		return i
	case ClampToBorder:
		return -1
	}
	return min(max(i, 0), size-1)
}

// fetch reads an element.
func (k *Lookup) fetch(level int, x [3]int) Texel {
	if x[0] < 0 || x[1] < 0 || x[2] < 0 {
		var v Texel
		for i := range v {
			v[i] = float64(k.Sampler.Border[i])
		}
		return k.compared(v)
	}
	at := k.Image.at(level, k.Layer, x) + uint64(k.Sample)*uint64(k.Image.ElementSize())/uint64(max(k.Image.Samples, 1))
	return k.compared(k.Image.read(k.Memory[at:]))
}

// compared is the result of a depth texture: 1 where the comparison passes, else 0 (9.7.12.3).
func (k *Lookup) compared(v Texel) Texel {
	if k.Depth == nil {
		return v
	}
	ref := *k.Depth
	for i := range v {
		pass := false
		switch k.Sampler.Compare {
		case LessEqual:
			pass = ref <= v[i]
		case Less:
			pass = ref < v[i]
		case GreaterEqual:
			pass = ref >= v[i]
		case Greater:
			pass = ref > v[i]
		}
		v[i] = float64(bit(pass))
	}
	return v
}

// filtered is the filtered value at a level.
func (k *Lookup) filtered(level int) (sum Texel) {
	shape := k.Image.level(level)
	axes := [3][]tap{{{0, 1}}, {{0, 1}}, {{0, 1}}}
	for d := range k.Dims {
		axes[d] = k.taps(d, shape[d])
	}
	for _, z := range axes[2] {
		for _, y := range axes[1] {
			for _, x := range axes[0] {
				weight := x.weight * y.weight * z.weight
				if weight == 0 {
					continue
				}
				v := k.fetch(level, [3]int{x.index, y.index, z.index})
				if weight == 1 {
					return v
				}
				for i := range sum {
					sum[i] += weight * v[i]
				}
			}
		}
	}
	return sum
}

// Value is the value at a level of detail, between two levels when the sampler says so.
func (k *Lookup) Value(lod float64) Texel {
	last := float64(max(k.Image.Levels, 1) - 1)
	if lod != lod {
		lod = 0
	}
	lod = min(max(lod, 0), last)
	if !k.Sampler.MipLinear {
		return k.filtered(int(math.Floor(lod + 0.5)))
	}
	fixed := int(math.RoundToEven(lod * 256))
	v, a := k.filtered(fixed>>8), float64(fixed&255)/256
	if a == 0 {
		return v
	}
	w := k.filtered(fixed>>8 + 1)
	for i := range v {
		v[i] = (1-a)*v[i] + a*w[i]
	}
	return v
}

// Footprint is one channel of the four elements that a linear filter would read, counter-clockwise from the lower left:
// the second coordinate grows downwards (9.7.12.4).
func (k *Lookup) Footprint(channel int) (v Texel) {
	linear := *k.Sampler
	linear.Linear = true
	k.Sampler = &linear
	shape := k.Image.level(0)
	float := *k.Image
	float.Format = F32 // the elements of integers are gathered, too
	x, y := (&Lookup{Image: &float, Sampler: &linear, Coord: k.Coord, Offset: k.Offset}).taps(0, shape[0]),
		(&Lookup{Image: &float, Sampler: &linear, Coord: k.Coord, Offset: k.Offset}).taps(1, shape[1])
	for i, at := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
		v[i] = k.fetch(0, [3]int{x[at[0]].index, y[at[1]].index, 0})[channel]
	}
	return v
}

// Detail is the level of detail for which an element is as large as the step between neighbours (9.7.12.2): the larger
// of the two steps, in elements.
func (k *Lookup) Detail(dx, dy [3]float64) float64 {
	length := func(d [3]float64) (sum float64) {
		for i, n := range []int{k.Image.Width, k.Image.Height, k.Image.Depth} {
			if k.normalized() {
				d[i] *= float64(max(n, 1))
			}
			sum += d[i] * d[i]
		}
		return math.Sqrt(sum)
	}
	return math.Log2(max(length(dx), length(dy)))
}

// Cube turns a direction into a place on a face of a cube map, and the cube's number into that of the face's layer.
func (k *Lookup) Cube() {
	face, s, t := face(k.Coord)
	k.Coord, k.Dims = [3]float64{s, t}, 2
	image, edge := *k.Image, *k.Sampler
	image.Normalized = true
	edge.Address, edge.ForceUnnormalized = [3]AddressMode{ClampToEdge, ClampToEdge, ClampToEdge}, false
	k.Image, k.Sampler = &image, &edge
	k.Layer = min(k.Layer, max(k.Image.Layers, 6)/6-1)*6 + face
}

// face projects a direction onto the faces of a cube: the face and its coordinates from 0 to 1 (9.7.12.3). The faces
// are +x, -x, +y, -y, +z, -z; of equal magnitudes z comes first, then y.
func face(d [3]float64) (layer int, s, t float64) {
	x, y, z := d[0], d[1], d[2]
	ax, ay, az := math.Abs(x), math.Abs(y), math.Abs(z)
	var major float64
	switch {
	case az >= ax && az >= ay:
		layer, major, s, t = 4, az, x, -y
		if z < 0 {
			layer, s = 5, -x
		}
	case ay >= ax:
		layer, major, s, t = 2, ay, x, z
		if y < 0 {
			layer, t = 3, -z
		}
	default:
		layer, major, s, t = 0, ax, -z, -y
		if x < 0 {
			layer, s = 1, z
		}
	}
	if major == 0 {
		return layer, 0.5, 0.5
	}
	return layer, (s/major + 1) / 2, (t/major + 1) / 2
}
