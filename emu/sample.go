package emu

import "math"

// Sampling. The manual leaves the arithmetic of filters to the hardware; the CUDA C++ Programming Guide describes it:
// coordinates are scaled to elements, and the weights of a linear filter have eight fractional bits.

// lookup is one lane's access to an image through a sampler.
type lookup struct {
	*Texture          // the image
	sampler  *Texture // filter and address modes
	mem      []byte   // of the image
	coord    [3]float64
	dims     int
	integer  bool // coordinates count elements
	offset   [3]int
	layer    int
	sample   int
	depth    *float64 // reference value of a depth texture
}

// tap is an element along one dimension and its weight.
type tap struct {
	index  int // -1: the border
	weight float64
}

// normalized says whether coordinates run from 0 to 1.
func (k *lookup) normalized() bool {
	return k.Normalized && !k.sampler.ForceUnnormalized && !k.integer
}

func (k *lookup) linear() bool { return k.sampler.Linear && !k.integer && !k.Format.Integer() }

// position is a coordinate in elements. What is not finite counts as 0 or the farthest element.
func (k *lookup) position(dim, size int) float64 {
	x := k.coord[dim]
	if k.normalized() {
		x *= float64(size)
	}
	if x != x {
		return 0
	}
	return min(max(x, -1<<30), 1<<30)
}

// taps are the elements along one dimension: one, or two of a linear filter.
func (k *lookup) taps(dim, size int) []tap {
	x, mode := k.position(dim, size), k.sampler.Address[dim]
	if !k.normalized() && mode < ClampOGL {
		mode = ClampToEdge // wrap and mirror are for normalized coordinates
	}
	if mode == ClampOGL {
		x = min(max(x, 0), float64(size))
	}
	if !k.linear() {
		return []tap{{outside(int(math.Floor(x))+k.offset[dim], size, mode), 1}}
	}
	fixed := int(math.RoundToEven((x - 0.5) * 256)) // 1.8 fixed point
	i, a := fixed>>8+k.offset[dim], float64(fixed&255)/256
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
func (k *lookup) fetch(level int, x [3]int) texel {
	if x[0] < 0 || x[1] < 0 || x[2] < 0 {
		var v texel
		for i := range v {
			v[i] = float64(k.sampler.Border[i])
		}
		return k.compared(v)
	}
	at := k.at(level, k.layer, x) + uint64(k.sample)*uint64(k.texelBytes())/uint64(max(k.Samples, 1))
	return k.compared(k.read(k.mem[at:]))
}

// compared is the result of a depth texture: 1 where the comparison passes, else 0 (9.7.10.3).
func (k *lookup) compared(v texel) texel {
	if k.depth == nil {
		return v
	}
	ref := *k.depth
	for i := range v {
		pass := false
		switch k.sampler.Compare {
		case LessEqual:
			pass = ref <= v[i]
		case Less:
			pass = ref < v[i]
		case GreaterEqual:
			pass = ref >= v[i]
		case Greater:
			pass = ref > v[i]
		}
		v[i] = float64(b2u(pass))
	}
	return v
}

// filtered is the filtered value at a level.
func (k *lookup) filtered(level int) (sum texel) {
	shape := k.Texture.level(level)
	axes := [3][]tap{{{0, 1}}, {{0, 1}}, {{0, 1}}}
	for d := range k.dims {
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

// value is the value at a level of detail, between two levels when the sampler says so.
func (k *lookup) value(lod float64) texel {
	last := float64(max(k.Levels, 1) - 1)
	if lod != lod {
		lod = 0
	}
	lod = min(max(lod, 0), last)
	if !k.sampler.MipLinear {
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

// footprint is one channel of the four elements that a linear filter would read, counter-clockwise from the lower left:
// the second coordinate grows downwards (9.7.10.4).
func (k *lookup) footprint(channel int) (v texel) {
	linear := *k.sampler
	linear.Linear = true
	k.sampler = &linear
	shape := k.Texture.level(0)
	float := *k.Texture
	float.Format = TexelF32 // the elements of integers are gathered, too
	x, y := (&lookup{Texture: &float, sampler: &linear, coord: k.coord, offset: k.offset}).taps(0, shape[0]),
		(&lookup{Texture: &float, sampler: &linear, coord: k.coord, offset: k.offset}).taps(1, shape[1])
	for i, at := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
		v[i] = k.fetch(0, [3]int{x[at[0]].index, y[at[1]].index, 0})[channel]
	}
	return v
}

// detail is the level of detail for which an element is as large as the step between neighbours (9.7.10.2): the larger
// of the two steps, in elements.
func (k *lookup) detail(dx, dy [3]float64) float64 {
	length := func(d [3]float64) (sum float64) {
		for i, n := range []int{k.Width, k.Height, k.Depth} {
			if k.normalized() {
				d[i] *= float64(max(n, 1))
			}
			sum += d[i] * d[i]
		}
		return math.Sqrt(sum)
	}
	return math.Log2(max(length(dx), length(dy)))
}

// face projects a direction onto the faces of a cube: the face and its coordinates from 0 to 1 (9.7.10.3). The faces
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
