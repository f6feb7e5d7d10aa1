package launch

import (
	"math"
	"strconv"
	"strings"

	"warpscope/emu"
	"warpscope/ptx"
)

// tensorMap is a tensor map that a header describes; its address is the offset into the buffer.
type tensorMap struct {
	emu.TensorMap
	buffer *Arg
}

// tensorTypes are the element types of tensors that have other names in headers.
var tensorTypes = map[string]string{"s8": "u8", "b8": "u8", "s16": "u16", "b16": "u16", "b32": "u32", "b64": "u64",
	"e4m3": "u8", "e5m2": "u8", "e3m2": "u8", "e2m3": "u8", "ue8m0": "u8", "ue4m3": "u8", "e2m1": "b4x16"}

var (
	interleaves = []string{"none", "16B", "32B"}
	swizzles    = []string{"none", "32B", "64B", "128B", "96B"}
	atomicities = []string{"16B", "32B", "32B+8B", "64B"}
)

// tensorModes are the words for the modes other than tiled.
var tensorModes = map[string]emu.TensorMode{"im2col": emu.Im2col, "im2col::w": emu.Im2colW,
	"im2col::w::128": emu.Im2colW128}

// tensorMap reads what comes after the "=" of a tensormap line: "x f16[64,128] box 16,32 swizzle 128B". args are the
// launch's arguments and buffers.
func (c *cursor) tensorMap(args []Arg) (m *tensorMap, ok bool) {
	m = &tensorMap{}
	c.skip()
	at := c.pos
	if m.buffer, ok = c.bufferNamed(args, "header-tensormap", "a tensor map", "x f16[64,128]"); !ok {
		return nil, false
	}
	if !c.tensorShape(m) {
		return nil, false
	}
	for seen := ""; !c.done(); {
		at := c.pos
		option := c.field()
		if strings.Contains(seen, " "+option+" ") {
			return nil, c.fail("header-tensormap", c.from(at), "%s is here twice", option)
		}
		if seen += " " + option + " "; !c.tensorOption(m, option) {
			return nil, false
		}
	}
	return m, c.tensorFits(m, at)
}

// shapeOf reads an element type and dimensions. If they are left out, they are the buffer's.
func (c *cursor) shapeOf(buffer *Arg) (typ string, dims []int, ok bool) {
	at := c.pos
	for c.pos < len(c.src) && (isWordByte(c.src[c.pos]) || c.src[c.pos] == '.') {
		c.pos++
	}
	typ = c.src[at:c.pos]
	if !c.accept("[") {
		c.pos = at
		return buffer.Type, buffer.Dims, true
	}
	dims, ok = c.dims()
	return typ, dims, ok
}

func (c *cursor) tensorShape(m *tensorMap) bool {
	c.skip()
	at := c.pos
	typ, dims, ok := c.shapeOf(m.buffer)
	if !ok {
		return false
	}
	if other, ok := tensorTypes[typ]; ok {
		typ = other
	}
	t, ok := emu.TensorTypeNamed(typ)
	if !ok {
		return c.fail("header-tensormap", c.from(at), "tensors have no elements of type %q", short(typ))
	}
	m.Type = t
	for _, d := range dims {
		m.Dims = append(m.Dims, uint64(d))
	}
	return true
}

// tensorNumber is an option that takes numbers.
type tensorNumber struct {
	low, high     int64
	one           bool // not a list
	tiled, im2col bool // the modes that have it
}

var tensorNumbers = map[string]tensorNumber{
	"box":      {low: 0, high: math.MaxUint32, tiled: true},
	"step":     {low: 0, high: math.MaxUint32, tiled: true, im2col: true},
	"stride":   {low: 0, high: 1 << 40, tiled: true, im2col: true},
	"offset":   {low: 0, high: 1 << 40, tiled: true, im2col: true, one: true},
	"lower":    {low: math.MinInt16, high: math.MaxInt16, im2col: true},
	"upper":    {low: math.MinInt16, high: math.MaxInt16, im2col: true},
	"channels": {low: 0, high: math.MaxUint32, im2col: true, one: true},
	"pixels":   {low: 0, high: math.MaxUint32, im2col: true, one: true},
}

// tensorOption reads what follows a word.
func (c *cursor) tensorOption(m *tensorMap, option string) bool {
	if _, ok := tensorNumbers[option]; ok {
		return c.tensorNumbers(m, option)
	}
	if mode, ok := tensorModes[option]; ok && m.Mode == emu.Tiled && m.Box == nil {
		m.Mode, m.Box = mode, []uint32{0, 0}
		return true
	}
	words := map[string][]string{"interleave": interleaves, "swizzle": swizzles, "atom": atomicities,
		"fill": {"zero", "nan"}}[option]
	if words == nil {
		c.pos -= len(option)
		return c.failHere("header-tensormap", "box, step, stride, offset, interleave, swizzle, atom, fill, or im2col, "+
			"im2col::w or im2col::w::128 with lower, upper, channels and pixels")
	}
	i, ok := c.oneOf("header-tensormap", words)
	switch option {
	case "interleave":
		m.Interleave = emu.Interleave(i)
	case "swizzle":
		m.Swizzle = emu.Swizzle(i)
	case "atom":
		m.Atomicity = emu.Atomicity(i)
	default:
		m.FillNaN = i == 1
	}
	return ok
}

func (c *cursor) tensorNumbers(m *tensorMap, option string) bool {
	takes := tensorNumbers[option]
	if m.Mode == emu.Tiled && !takes.tiled || m.Mode != emu.Tiled && !takes.im2col {
		c.pos -= len(option)
		return c.failHere("header-tensormap", "either a box, or im2col with lower, upper, channels and pixels")
	}
	c.skip()
	at := c.pos
	n, ok := c.numbers("header-tensormap")
	if !ok {
		return false
	}
	if takes.one && len(n) > 1 {
		return c.fail("header-tensormap", c.from(at), "%s is one number", option)
	}
	for _, x := range n {
		if int64(x) < takes.low || int64(x) > takes.high {
			return c.fail("header-tensormap", c.from(at), "%d is not from %d to %d", x, takes.low, takes.high)
		}
	}
	switch option {
	case "box":
		m.Box = unsigned(n)
	case "step":
		m.Steps = unsigned(n)
	case "stride":
		for _, s := range n {
			m.Strides = append(m.Strides, uint64(s))
		}
	case "offset":
		m.Address = emu.Addr(n[0])
	case "lower":
		m.Lower = signed(n)
	case "upper":
		m.Upper = signed(n)
	case "channels":
		m.Box[0] = uint32(n[0])
	case "pixels":
		m.Box[1] = uint32(n[0])
	}
	return true
}

// field reads up to the next blank.
func (c *cursor) field() string {
	c.skip()
	at := c.pos
	for c.pos < len(c.src) && c.src[c.pos] != ' ' && c.src[c.pos] != '\t' {
		c.pos++
	}
	return c.src[at:c.pos]
}

func (c *cursor) oneOf(code string, words []string) (int, bool) {
	c.skip()
	at := c.pos
	word := c.field()
	for i, w := range words {
		if strings.EqualFold(word, w) {
			return i, true
		}
	}
	c.pos = at
	return 0, c.failHere(code, strings.Join(words, ", "))
}

// numbers reads "16,32"; they may be negative.
func (c *cursor) numbers(code string) (list []int, ok bool) {
	for {
		c.skip()
		at := c.pos
		n, err := strconv.Atoi(c.token())
		if err != nil {
			c.pos = at
			return nil, c.failHere(code, "a number")
		}
		if list = append(list, n); !c.accept(",") {
			return list, true
		}
	}
}

func unsigned(list []int) (out []uint32) {
	for _, n := range list {
		out = append(out, uint32(n))
	}
	return out
}

func signed(list []int) (out []int16) {
	for _, n := range list {
		out = append(out, int16(n))
	}
	return out
}

// tensorFits completes a tensor map, and checks it against its buffer and as the driver would.
func (c *cursor) tensorFits(m *tensorMap, at int) bool {
	rank := len(m.Dims)
	fail := func(format string, args ...any) bool {
		return c.fail("header-tensormap", c.from(at), format, args...)
	}
	switch {
	case m.Mode == emu.Tiled && len(m.Box) != rank:
		return fail("the box has %s, the tensor %s", ptx.Plural(len(m.Box), "dimension"), ptx.Plural(rank, "dimension"))
	case m.Steps != nil && len(m.Steps) != rank:
		return fail("there are %s, the tensor has %s", ptx.Plural(len(m.Steps), "step"), ptx.Plural(rank, "dimension"))
	case m.Mode == emu.Im2col && (len(m.Lower) != rank-2 || len(m.Upper) != rank-2):
		return fail("im2col takes %s in lower and in upper: W first, then H and D", ptx.Plural(max(rank-2, 1), "number"))
	case m.Mode > emu.Im2col && (len(m.Lower) != 1 || len(m.Upper) != 1):
		return fail("%s takes 1 number in lower and in upper: that of W", m.Mode)
	}
	if m.Mode != emu.Tiled && (m.Box[0] == 0 || m.Box[1] == 0 && m.Mode != emu.Im2colW128) {
		return fail("%s needs channels and pixels", m.Mode)
	}
	if m.Strides == nil {
		m.Strides = m.Packed()
	}
	if _, err := m.Encode(); err != nil {
		return fail("%s", err.Error())
	}
	if need := uint64(m.Address) + m.Extent(); need > uint64(m.buffer.Size()) {
		return fail("the tensor has %s bytes, the buffer %s %s", ptx.Thousands(int64(need)), m.buffer.Name,
			ptx.Thousands(int64(m.buffer.Size())))
	}
	return true
}

// described checks the launch's described arguments.
func (b *builder) described(s *Spec) {
	for i := range s.Args {
		if a := &s.Args[i]; descriptions[a.Key] > 0 {
			c := &cursor{src: string(b.m.Src), pos: int(a.initAt), errs: b.errs}
			if a.Span.End > 0 {
				c.src = c.src[:a.Span.End]
			} else {
				c.src, c.pos = a.Init, 0
			}
			c.description(a, s.Args)
		}
	}
}

// encode makes a described object, given the addresses of the buffers.
func (a *Arg) encode(args []Arg, address func(*Arg) emu.Addr) ([]byte, error) {
	var errs ptx.Diagnostics
	c := &cursor{src: a.Init, errs: &errs}
	encode, ok := c.description(a, args)
	if !ok {
		return nil, errs
	}
	return encode(address)
}
