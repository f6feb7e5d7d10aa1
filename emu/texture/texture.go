// Package texture has what textures, samplers and surfaces are, and what they answer: their descriptions, encoded and
// decoded, the formats of elements, sampling, and the places of surfaces. It knows images as bytes, and no machine.
package texture

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Description describes an image in global memory and how it is sampled: what a texture, sampler or surface holds
// (5.3). A handle, in a register or a kernel parameter, is the address of its encoding; the variables of these
// types are encodings themselves.
//
// Elements lie one after the other: the levels of a mipmap, finest first; in each the layers; in these depth, rows and
// columns; and the samples of an element.
type Description struct {
	Kind                 Kind
	Data                 uint64 // the address of the image in the device's memory
	Width, Height, Depth int    // elements; Height and Depth are 0 where the image has fewer dimensions
	Layers               int    // of an array, six for a cube map; 0: not an array
	Levels               int    // of a mipmap; 0: none
	Samples              int    // of an element; 0: no multi-sample image
	Channels             int    // 1, 2 or 4
	Format               Format
	Normalized           bool // coordinates are 0 to 1
	ForceUnnormalized    bool // samplers: whatever the texture says
	Linear, MipLinear    bool // filter between elements, between levels
	Address              [3]AddressMode
	Border               [4]float32
	Compare              Compare // of depth textures
}

// Kind is what an encoding describes.
type Kind uint8

// The kinds of opaque variables (5.3).
const (
	Image   Kind = 1 + iota // .texref
	Sampler                 // .samplerref
	Surface                 // .surfref
)

// AddressMode says what is outside of an image (5.3.2).
type AddressMode uint8

// The address modes, numbered as txq answers (9.7.12.5).
const (
	Wrap AddressMode = iota
	Mirror
	ClampOGL // the border begins half an element outside
	ClampToEdge
	ClampToBorder
)

// AddressModes are the address modes by their names in PTX.
var AddressModes = []string{"wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"}

// Compare is the comparison of a depth texture: reference with element.
type Compare uint8

// The comparisons.
const (
	LessEqual Compare = iota
	Less
	GreaterEqual
	Greater
)

// EncodedSize is the size of an encoding in bytes; it lies at a multiple of 16.
const EncodedSize = 64

// mark begins every encoding.
const mark = 0x5854 // "TX"

// Encode gives the encoding of a texture, sampler or surface.
func (t *Description) Encode() []byte {
	b := make([]byte, 0, EncodedSize)
	le := binary.LittleEndian
	b = le.AppendUint16(b, mark)
	b = append(b, byte(t.Kind), byte(t.Format), byte(t.Channels),
		byte(bit(t.Normalized)|bit(t.ForceUnnormalized)<<1|bit(t.Linear)<<2|bit(t.MipLinear)<<3), byte(t.Compare), 0)
	b = le.AppendUint64(b, t.Data)
	for _, n := range []int{t.Width, t.Height, t.Depth, t.Layers} {
		b = le.AppendUint32(b, uint32(n))
	}
	b = append(b, byte(t.Levels), byte(t.Samples), byte(t.Address[0]), byte(t.Address[1]), byte(t.Address[2]), 0, 0, 0)
	b = append(b, make([]byte, 8)...)
	for _, v := range t.Border {
		b = le.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// Decode reads an encoding, and says what is wrong with one that Encode cannot have made of an image that Check
// takes: programs can write what they want to the same place.
func Decode(b []byte) (t Description, why string) {
	le := binary.LittleEndian
	dim := func(i int) int { return int(le.Uint32(b[16+4*i:])) }
	t = Description{Kind: Kind(b[2]), Format: Format(b[3]), Channels: int(b[4]), Normalized: b[5]&1 != 0,
		ForceUnnormalized: b[5]&2 != 0, Linear: b[5]&4 != 0, MipLinear: b[5]&8 != 0, Compare: Compare(b[6]),
		Data: le.Uint64(b[8:]), Width: dim(0), Height: dim(1), Depth: dim(2), Layers: dim(3),
		Levels: int(b[32]), Samples: int(b[33])}
	for i := range t.Address {
		t.Address[i] = AddressMode(b[34+i])
	}
	for i := range t.Border {
		t.Border[i] = math.Float32frombits(le.Uint32(b[48+4*i:]))
	}
	if le.Uint16(b) != mark {
		return t, "its mark is missing"
	}
	return t, t.Check()
}

// These bound an image, so that its size is at most 2^57 bytes: fewer than 2^33 elements with all levels, in 2^16
// layers, and 2^8 bytes for an element with its samples.
const (
	maxElements = 1 << 32
	maxLayers   = 1 << 16
	maxLevels   = 16
	maxSamples  = 16
)

// Check says what is wrong with a description, or "".
func (t *Description) Check() string {
	rest := maxElements
	for _, d := range []int{t.Width, t.Height, t.Depth} {
		if rest /= max(d, 1); rest == 0 || d < 0 {
			return "an image has at most 4,294,967,296 elements"
		}
	}
	switch {
	case t.Layers < 0 || t.Layers > maxLayers || t.Levels < 0 || t.Levels > maxLevels || t.Samples < 0 ||
		t.Samples > maxSamples:
		return fmt.Sprintf("there are at most %d layers, %d levels and %d samples", maxLayers, maxLevels, maxSamples)
	case t.Kind < Image || t.Kind > Surface:
		return fmt.Sprintf("there is no kind %d of texture, sampler or surface", t.Kind)
	case int(t.Format) >= len(formats):
		return fmt.Sprintf("there is no format %d", t.Format)
	case t.Kind != Sampler && t.Channels != 1 && t.Channels != 2 && t.Channels != 4:
		return fmt.Sprintf("an element has 1, 2 or 4 channels, not %d", t.Channels)
	case t.Compare > Greater:
		return fmt.Sprintf("there is no comparison %d", t.Compare)
	}
	for _, mode := range t.Address {
		if int(mode) >= len(AddressModes) {
			return fmt.Sprintf("there is no address mode %d", mode)
		}
	}
	return ""
}

// level is the shape of a level: width, height and depth are halved for each (9.7.12.2).
func (t *Description) level(n int) (shape [3]int) {
	for i, d := range [3]int{t.Width, t.Height, t.Depth} {
		shape[i] = max(d>>n, 1)
	}
	return shape
}

// Size is the size of the image in bytes.
func (t *Description) Size() int64 {
	n := int64(0)
	for l := range max(t.Levels, 1) {
		s := t.level(l)
		n += int64(s[0]) * int64(s[1]) * int64(s[2])
	}
	return n * int64(max(t.Layers, 1)) * int64(t.ElementSize())
}

// at is the offset of an element from the start of the image.
func (t *Description) at(level, layer int, x [3]int) uint64 {
	n, layers := uint64(0), uint64(max(t.Layers, 1))
	for l := range level {
		s := t.level(l)
		n += uint64(s[0]) * uint64(s[1]) * uint64(s[2]) * layers
	}
	s := t.level(level)
	n += ((uint64(layer)*uint64(s[2])+uint64(x[2]))*uint64(s[1])+uint64(x[1]))*uint64(s[0]) + uint64(x[0])
	return n * uint64(t.ElementSize())
}

// Set gives a property its value and says what is wrong with it.
func (t *Description) Set(name, value string) string {
	number, err := strconv.ParseUint(value, 0, 32)
	mode := slices.Index(AddressModes, value)
	switch name {
	case "addr_mode_0", "addr_mode_1", "addr_mode_2":
		if mode < 0 {
			return "the address modes are wrap, mirror, clamp_ogl, clamp_to_edge and clamp_to_border"
		}
		t.Address[name[len(name)-1]-'0'] = AddressMode(mode)
		return ""
	case "filter_mode":
		if t.Linear = value == "linear"; !t.Linear && value != "nearest" {
			return "the filter modes are nearest and linear"
		}
		return ""
	case "channel_order":
		order := slices.Index([]uint64{0x10b0, 0x10b2, 0x10b5}, number)
		if order < 0 {
			return "the orders R (0x10b0), RG (0x10b2) and RGBA (0x10b5) are known"
		}
		t.Channels = 1 << order
		return ""
	case "channel_data_type":
		for f, known := range formats {
			if known.enum == number {
				t.Format = Format(f)
				return ""
			}
		}
		return "there is no such format"
	}
	if err != nil {
		return "it is a number"
	}
	fields := map[string]*int{"width": &t.Width, "height": &t.Height, "depth": &t.Depth, "array_size": &t.Layers,
		"num_mipmap_levels": &t.Levels, "num_samples": &t.Samples}
	switch p := fields[name]; {
	case p != nil:
		*p = int(number)
	case name == "normalized_coords":
		t.Normalized = number != 0
	case name == "force_unnormalized_coords":
		t.ForceUnnormalized = number != 0
	case name != "memory_layout":
		return "there is no such property"
	}
	return ""
}

// Property finds the function that answers a query of txq (9.7.12.5) or suq (9.7.13.4) about a level of an image.
func Property(query string) func(t *Description, level int) uint64 {
	return properties[query]
}

var properties = map[string]func(t *Description, level int) uint64{
	".width":                     func(t *Description, level int) uint64 { return extent(t.Width, level) },
	".height":                    func(t *Description, level int) uint64 { return extent(t.Height, level) },
	".depth":                     func(t *Description, level int) uint64 { return extent(t.Depth, level) },
	".channel_data_type":         func(t *Description, _ int) uint64 { return formats[t.Format].enum },
	".channel_order":             func(t *Description, _ int) uint64 { return orders[t.Channels] },
	".normalized_coords":         func(t *Description, _ int) uint64 { return bit(t.Normalized) },
	".force_unnormalized_coords": func(t *Description, _ int) uint64 { return bit(t.ForceUnnormalized) },
	".filter_mode":               func(t *Description, _ int) uint64 { return bit(t.Linear) },
	".addr_mode_0":               func(t *Description, _ int) uint64 { return uint64(t.Address[0]) },
	".addr_mode_1":               func(t *Description, _ int) uint64 { return uint64(t.Address[1]) },
	".addr_mode_2":               func(t *Description, _ int) uint64 { return uint64(t.Address[2]) },
	".array_size":                func(t *Description, _ int) uint64 { return uint64(t.Layers) },
	".num_mipmap_levels":         func(t *Description, _ int) uint64 { return uint64(t.Levels) },
	".num_samples":               func(t *Description, _ int) uint64 { return uint64(t.Samples) },
	".memory_layout":             func(*Description, int) uint64 { return 1 }, // linear
}

// orders are the OpenCL channel orders by the number of channels. A sampler can have any number, and no order.
var orders = map[int]uint64{1: 0x10b0, 2: 0x10b2, 4: 0x10b5}

// extent is the width, height or depth of a level; 0 where the image does not have this dimension.
func extent(size, level int) uint64 {
	if size == 0 {
		return 0
	}
	return uint64(max(size>>level, 1))
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
