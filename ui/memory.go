package ui

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"warpscope/debug"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// elemType is an element type as launch headers write it: "f32", "u8x4".
type elemType struct {
	base isa.Type
	vec  int
}

// parseElem reads an element type; what it does not know counts as bytes.
func parseElem(name string) elemType {
	base, vec := name, 1
	for _, suffix := range []struct {
		text string
		vec  int
	}{{"x2", 2}, {"x4", 4}} {
		if cut, ok := strings.CutSuffix(name, suffix.text); ok {
			base, vec = cut, suffix.vec
		}
	}
	t, ok := isa.ParseType("." + strings.TrimPrefix(base, "."))
	if !ok || t.Bytes() == 0 {
		return elemType{isa.U8, 1}
	}
	return elemType{t, vec}
}

func (e elemType) size() int { return e.base.Bytes() * e.vec }

// format writes the element at the start of b.
func (e elemType) format(b []byte) string {
	parts := make([]string, 0, e.vec)
	for i := 0; i < e.vec; i++ {
		parts = append(parts, formatValue(e.base, loadBits(b[i*e.base.Bytes():], e.base.Bytes()), nil, AsHex))
	}
	return strings.Join(parts, " ")
}

// loadBits reads a little-endian value of 1, 2, 4 or 8 bytes; of wider types, the lower half.
func loadBits(b []byte, size int) uint64 {
	var buf [8]byte
	copy(buf[:], b[:min(size, 8, len(b))])
	return binary.LittleEndian.Uint64(buf[:])
}

// regionSize is a region's size in bytes, whether or not all of its bytes are in the view.
func regionSize(r *debug.Region) int {
	size := parseElem(r.Type).size()
	for _, d := range r.Dims {
		size *= d
	}
	if len(r.Dims) == 0 {
		size = 0
	}
	return max(size, len(r.Bytes))
}

// chooseRegion keeps the chosen region if it is there, else takes the one that says most: a picture, else the first.
func chooseRegion(m *Model) {
	chosen := -1
	for i, r := range m.View.Memory {
		if r.Name == m.Region {
			chosen = i
			break
		}
		if chosen < 0 && r.Image {
			chosen = i
		}
	}
	if len(m.View.Memory) == 0 {
		return
	}
	r := m.View.Memory[max(chosen, 0)]
	if r.Name != m.Region {
		m.Region, m.Page = r.Name, 0
		if r.Image {
			m.MemoryTab = MemoryImage
		}
	}
	if m.MemoryTab == MemoryImage && !r.Image {
		m.MemoryTab = MemoryTable
	}
}

// region is the chosen region, nil when there is none.
func (m *Model) region() *debug.Region {
	for i := range m.View.Memory {
		if m.View.Memory[i].Name == m.Region {
			return &m.View.Memory[i]
		}
	}
	return nil
}

// followWrites turns to the page that the last step wrote.
func followWrites(m *Model) {
	chooseRegion(m)
	r := m.region()
	if r == nil || m.View.Last == nil || len(r.Changed) == 0 || m.MemoryTab == MemoryImage {
		return
	}
	layout := pageLayout(r, m.MemoryTab)
	first := r.Changed[0].Start / layout.pageBytes()
	last := (r.Changed[len(r.Changed)-1].End - 1) / layout.pageBytes()
	if m.Page < first || m.Page > last {
		m.Page = first
	}
}

// layout is how a region is cut into rows and pages.
type layout struct {
	unit    int // bytes of one cell
	columns int
	rows    int // on a page
}

func (l layout) pageBytes() int { return l.unit * l.columns * l.rows }

// pageLayout chooses eight columns, less for wide elements, and 16 for bytes in hex.
func pageLayout(r *debug.Region, tab string) layout {
	if tab == MemoryHex {
		return layout{1, 16, 16}
	}
	e := parseElem(r.Type)
	columns := 8
	if e.vec > 1 || e.base.Bytes() > 4 {
		columns = 4
	}
	return layout{e.size(), columns, 16}
}

// memoryCell is one element or byte.
type memoryCell struct {
	Text    string
	Offset  int // bytes from the region's start
	Changed bool
}

// memoryRow is one line of the table; Label is the index of its first element, or its address in hex.
type memoryRow struct {
	Label string
	Cells []memoryCell
	Text  string // the bytes as characters, in hex only
}

// memoryPage works out what the memory panel shows of a region.
func memoryPage(r *debug.Region, tab string, page int) (rows []memoryRow, pages int) {
	l := pageLayout(r, tab)
	pages = max(1, (len(r.Bytes)+l.pageBytes()-1)/l.pageBytes())
	page = min(max(page, 0), pages-1)
	e := parseElem(r.Type)
	for i := 0; i < l.rows; i++ {
		start := page*l.pageBytes() + i*l.columns*l.unit
		if start >= len(r.Bytes) {
			break
		}
		row := memoryRow{Label: strconv.Itoa(start / l.unit)}
		if tab == MemoryHex {
			row.Label = fmt.Sprintf("%x", r.Addr+uint64(start))
		}
		var text strings.Builder
		for off := start; off < start+l.columns*l.unit && off+l.unit <= len(r.Bytes); off += l.unit {
			cell := memoryCell{Offset: off, Changed: changedIn(r.Changed, off, off+l.unit)}
			if tab == MemoryHex {
				cell.Text = fmt.Sprintf("%02x", r.Bytes[off])
				text.WriteByte(printable(r.Bytes[off]))
			} else {
				cell.Text = e.format(r.Bytes[off:])
			}
			row.Cells = append(row.Cells, cell)
		}
		row.Text = text.String()
		rows = append(rows, row)
	}
	return rows, pages
}

func printable(b byte) byte {
	if b >= 32 && b < 127 {
		return b
	}
	return '.'
}

func changedIn(ranges []debug.Range, start, end int) bool {
	for _, r := range ranges {
		if r.Start < end && start < r.End {
			return true
		}
	}
	return false
}

// maxPicture bounds the pixels that are drawn.
const maxPicture = 1 << 22

// pixels turns a buffer into a picture, four bytes R G B A per pixel: dimensions are width, height. Three or four
// 8-bit components are colours as they stand, floats are grey from 0 to 1 (or colours), other numbers are grey from 0
// to their largest value.
func pixels(r *debug.Region) (width, height int, rgba []byte) {
	width, height = len(r.Bytes)/max(1, parseElem(r.Type).size()), 1
	if len(r.Dims) > 0 {
		width = r.Dims[0]
	}
	if len(r.Dims) > 1 {
		height = r.Dims[1]
	}
	if width <= 0 || height <= 0 || width > maxPicture/height {
		return 0, 0, nil
	}
	e := parseElem(r.Type)
	rgba = make([]byte, 4*width*height)
	scale := largest(r, e)
	for i := 0; i < width*height && (i+1)*e.size() <= len(r.Bytes); i++ {
		pixel(rgba[4*i:4*i+4], r.Bytes[i*e.size():], e, scale)
	}
	return width, height, rgba
}

func pixel(out, in []byte, e elemType, scale float64) {
	if e.vec == 4 && e.base.Bytes() == 1 {
		copy(out, in[:4])
		return
	}
	var c [4]float64
	for k := 0; k < e.vec; k++ {
		c[k] = component(e.base, loadBits(in[k*e.base.Bytes():], e.base.Bytes())) / scale
	}
	if e.vec == 1 {
		c[1], c[2] = c[0], c[0]
	}
	for k := range 3 {
		out[k] = byte(255*min(max(c[k], 0), 1) + 0.5)
	}
	out[3] = 255
}

// component is a number of any type; NaN counts as 0.
func component(t isa.Type, bits uint64) float64 {
	var f float64
	switch {
	case t == isa.F16:
		f = halfToFloat(uint16(bits))
	case t == isa.BF16:
		f = float64(math.Float32frombits(uint32(bits) << 16))
	case t == isa.F32:
		f = float64(math.Float32frombits(uint32(bits)))
	case t == isa.F64:
		f = math.Float64frombits(bits)
	case t.Class() == isa.Signed:
		f = float64(signExtend(bits, t.Bits()))
	default:
		f = float64(bits)
	}
	if math.IsNaN(f) {
		return 0
	}
	return f
}

// largest is what counts as full brightness: 1 for floats, 255 for bytes, the largest value present for the rest.
func largest(r *debug.Region, e elemType) float64 {
	switch {
	case e.base.Class() == isa.Float:
		return 1
	case e.base.Bytes() == 1:
		return 255
	}
	top := 1.0
	for off := 0; off+e.base.Bytes() <= len(r.Bytes); off += e.base.Bytes() {
		top = max(top, component(e.base, loadBits(r.Bytes[off:], e.base.Bytes())))
	}
	return top
}

// spaceName is a state space as PTX writes it.
func spaceName(s ptx.Space) string {
	switch s {
	case ptx.ConstSpace:
		return ".const"
	case ptx.GlobalSpace:
		return ".global"
	case ptx.LocalSpace:
		return ".local"
	case ptx.ParamSpace:
		return ".param"
	case ptx.SharedSpace:
		return ".shared"
	}
	return ""
}
