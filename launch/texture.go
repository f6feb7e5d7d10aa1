package launch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warpscope/emu"
	"warpscope/emu/texture"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// The keys of arguments that are descriptions: an object that the launch makes from the line.
const (
	keyTexture = "texture"
	keySurface = "surface"
	keySampler = "sampler"
)

// descriptions are the sizes of the described objects in bytes.
var descriptions = map[string]int{keyTensorMap: emu.TensorMapSize, keyTexture: texture.EncodedSize,
	keySurface: texture.EncodedSize, keySampler: texture.EncodedSize}

// image is a texture, surface or sampler that a header describes; Data is the offset into the buffer.
type image struct {
	texture.Description
	buffer *Arg
}

// texelTypes are the formats by the element type of a buffer: read unchanged, and read as floats.
var texelTypes = map[string][2]texture.Format{
	"u8": {texture.U8, texture.UNorm8}, "b8": {texture.U8, texture.UNorm8}, "s8": {texture.S8, texture.SNorm8},
	"u16": {texture.U16, texture.UNorm16}, "b16": {texture.U16, texture.UNorm16}, "s16": {texture.S16, texture.SNorm16},
	"u32": {texture.U32, texture.U32}, "b32": {texture.U32, texture.U32}, "s32": {texture.S32, texture.S32},
	"f16": {texture.F16, texture.F16}, "f32": {texture.F32, texture.F32},
}

// addressWords are short names of address modes.
var addressWords = map[string]string{"clamp": "clamp_to_edge", "border": "clamp_to_border", "ogl": "clamp_ogl"}

const imageOptions = "filter, mip, address, border, normalized, unnormalized, float, cube, layers, levels, samples, " +
	"offset, compare"

// samplerOptions are the options that a sampler has; the others belong to its textures (5.3.1).
const samplerOptions = "filter, mip, address, border, unnormalized, compare"

// image reads what comes after the "=" of a texture, surface or sampler line:
// "img u8x4[64,64] float normalized filter linear address wrap,clamp".
func (c *cursor) image(key string, args []Arg) (m *image, ok bool) {
	m = &image{}
	m.Kind = map[string]texture.Kind{keyTexture: texture.Image, keySurface: texture.Surface,
		keySampler: texture.Sampler}[key]
	m.Address = [3]texture.AddressMode{texture.ClampToEdge, texture.ClampToEdge, texture.ClampToEdge}
	c.skip()
	at := c.pos
	float := false
	if key != keySampler {
		if m.buffer, ok = c.bufferNamed(args, "header-texture", "an image", "img u8x4[64,64]"); !ok || !c.imageShape(m) {
			return nil, false
		}
	}
	for !c.done() {
		if key != keySampler && c.acceptWord("float") {
			float = true
			continue
		}
		if !c.imageOption(m) {
			return nil, false
		}
	}
	return m, key == keySampler || c.imageFits(m, float, at)
}

// bufferNamed reads the name of a buffer of the launch.
func (c *cursor) bufferNamed(args []Arg, code, what, like string) (*Arg, bool) {
	c.skip()
	at := c.pos
	name := c.word()
	for i := range args {
		if a := &args[i]; a.Name == name && a.Buffer && descriptions[a.Key] == 0 {
			return a, true
		}
	}
	c.pos = at + len(name)
	return nil, c.fail(code, c.from(at), `no buffer is named %q: %s needs one, such as "//@ buffer %s"`, short(name),
		what, like)
}

// imageShape reads the element type and the shape, x first.
func (c *cursor) imageShape(m *image) bool {
	c.skip()
	at := c.pos
	typ, dims, ok := c.shapeOf(m.buffer)
	if !ok {
		return false
	}
	name, channels := typ, "1"
	if i := strings.LastIndexByte(typ, 'x'); i > 0 {
		name, channels = typ[:i], typ[i+1:]
	}
	formats, known := texelTypes[name]
	n, _ := strconv.Atoi(channels)
	if !known || n != 1 && n != 2 && n != 4 {
		return c.fail("header-texture", c.from(at), "images have no elements of type %q: "+
			"there are u8 s8 u16 s16 u32 s32 f16 f32, and x2 and x4 vectors of them", short(typ))
	}
	if len(dims) > 3 {
		return c.fail("header-texture", c.from(at), "an image has at most three dimensions; layers are named apart")
	}
	m.Format, m.Channels = formats[0], n
	for i, p := range []*int{&m.Width, &m.Height, &m.Depth} {
		if i < len(dims) {
			*p = dims[i]
		}
	}
	if why := m.Check(); why != "" {
		return c.fail("header-texture", c.from(at), "%s", why)
	}
	return true
}

// imageOption reads a word and what follows it.
func (c *cursor) imageOption(m *image) bool {
	at := c.pos
	option := c.word()
	number := map[string]*int{"layers": &m.Layers, "levels": &m.Levels, "samples": &m.Samples}[option]
	switch {
	case m.Kind == texture.Sampler && !slices.Contains(strings.Split(samplerOptions, ", "), option):
		c.pos = at
		return c.failHere("header-texture", samplerOptions)
	case number != nil:
		n, ok := c.count("header-texture", "a number of at least 1")
		*number = n
		return ok
	case option == "cube":
		m.Layers = max(m.Layers, 6)
	case option == "normalized":
		m.Normalized = true
	case option == "unnormalized":
		m.ForceUnnormalized = true
	case option == "filter", option == "mip":
		i, ok := c.oneOf("header-texture", []string{"nearest", "linear"})
		*map[string]*bool{"filter": &m.Linear, "mip": &m.MipLinear}[option] = i == 1
		return ok
	case option == "compare":
		i, ok := c.oneOf("header-texture", []string{"lequal", "less", "gequal", "greater"})
		m.Compare = texture.Compare(i)
		return ok
	case option == "address":
		return c.addresses(m)
	case option == "border":
		return c.border(m)
	case option == "offset":
		c.skip()
		at := c.pos
		n, ok := c.numbers("header-texture")
		switch {
		case ok && len(n) > 1:
			return c.fail("header-texture", c.from(at), "offset is one number")
		case ok && n[0] < 0:
			return c.fail("header-texture", c.from(at), "the image cannot begin before its buffer")
		case ok && n[0] > 1<<40:
			return c.fail("header-texture", c.from(at), "the image begins after the end of its buffer")
		}
		if ok {
			m.Data = emu.Addr(n[0])
		}
		return ok
	default:
		c.pos = at
		return c.failHere("header-texture", imageOptions)
	}
	return true
}

// border reads up to four components: "0.5,0,0,1".
func (c *cursor) border(m *image) bool {
	for i := range m.Border {
		c.skip()
		at := c.pos
		f, err := strconv.ParseFloat(c.token(), 32)
		if err != nil {
			c.pos = at
			return c.failHere("header-texture", "a number")
		}
		if m.Border[i] = float32(f); !c.accept(",") {
			break
		}
	}
	return true
}

// addresses reads one address mode for all dimensions, or one for each: "wrap,clamp".
func (c *cursor) addresses(m *image) bool {
	for i := range m.Address {
		c.skip()
		at := c.pos
		word := c.word()
		if long, ok := addressWords[word]; ok {
			word = long
		}
		mode := slices.Index(texture.AddressModes, word)
		if mode < 0 {
			c.pos = at
			return c.failHere("header-texture", "wrap, mirror, clamp, border or ogl")
		}
		for k := i; k < len(m.Address); k++ {
			m.Address[k] = texture.AddressMode(mode)
		}
		if !c.accept(",") {
			break
		}
	}
	return true
}

// imageFits completes an image and checks it against its buffer.
func (c *cursor) imageFits(m *image, float bool, at int) bool {
	if float {
		for _, f := range texelTypes {
			if f[0] == m.Format && f[1] != f[0] {
				m.Format, float = f[1], false
			}
		}
	}
	switch need, why := m.Size()+int64(m.Data), m.Check(); {
	case float:
		return c.fail("header-texture", c.from(at),
			"float is for integers of 8 and 16 bits: other elements are read unchanged")
	case why != "":
		return c.fail("header-texture", c.from(at), "%s", why)
	case need > int64(m.buffer.Size()):
		return c.fail("header-texture", c.from(at), "the image has %s bytes, the buffer %s %s", ptx.Thousands(need),
			m.buffer.Name, ptx.Thousands(int64(m.buffer.Size())))
	case m.Linear && m.Format.Integer():
		return c.fail("header-texture", c.from(at),
			"integers are not filtered: read them as floats (float), or choose filter nearest")
	}
	return true
}

// description reads what a described argument's Init says; encode makes the object when the buffers have addresses.
func (c *cursor) description(a *Arg, args []Arg) (encode func(address func(*Arg) emu.Addr) ([]byte, error), ok bool) {
	if a.Key == keyTensorMap {
		m, ok := c.tensorMap(args)
		return func(address func(*Arg) emu.Addr) ([]byte, error) {
			m.Address += address(m.buffer)
			return m.Encode()
		}, ok
	}
	m, ok := c.image(a.Key, args)
	return func(address func(*Arg) emu.Addr) ([]byte, error) {
		if m.buffer != nil {
			m.Data += address(m.buffer)
		}
		return m.Encode(), nil
	}, ok
}

// opaqueVariable says whether a described object is bound to a variable of the module rather than passed (5.3).
func (b *builder) opaqueVariable(a *Arg) bool {
	for _, v := range b.m.Vars {
		if v.Name == a.Name && v.Type.Class() == isa.Opaque {
			want := map[string]isa.Type{keyTexture: isa.TexRef, keySurface: isa.SurfRef, keySampler: isa.SamplerRef}[a.Key]
			if want != v.Type {
				b.fail("header-texture", a.Span, "%s is a %s, and the line describes a %s", a.Name, v.Type, a.Key)
			}
			return true
		}
	}
	return false
}

// bind gives a variable its object.
func (p *Prepared) bind(a *Arg) (emu.Addr, error) {
	addr, size, err := p.Device.Symbol(a.Name)
	if err == nil && a.Key != keySymbol && size != texture.EncodedSize {
		err = fmt.Errorf("it is an array")
	}
	return addr, err
}
