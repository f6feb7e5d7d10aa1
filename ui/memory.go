package ui

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"

	"warpscope/debug"
	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// parseElem reads an element type as launch headers write it; an unknown type counts as bytes.
func parseElem(name string) launch.Elem {
	if e, ok := launch.ParseElem(name); ok {
		return e
	}
	return launch.Elem{Type: isa.U8, Lanes: 1}
}

// loadBits reads a little-endian value of 1, 2, 4 or 8 bytes.
func loadBits(b []byte, size int) uint64 {
	var buf [8]byte
	copy(buf[:], b[:min(size, 8, len(b))])
	return binary.LittleEndian.Uint64(buf[:])
}

// regionSize is a region's size in bytes, whether or not all of its bytes are in the view.
func regionSize(r *debug.Region) int {
	size := parseElem(r.Type).Size()
	for _, d := range r.Dims {
		size *= d
	}
	if len(r.Dims) == 0 {
		size = 0
	}
	return max(size, len(r.Bytes))
}

// chooseRegion keeps the shown region if it still exists. Otherwise it takes the most informative one: a picture, else
// a buffer without initial values, which the kernel will write, else the first.
func chooseRegion(m *Model) {
	memory := m.View.Memory
	if len(memory) == 0 {
		return
	}
	chosen := slices.IndexFunc(memory, func(r debug.Region) bool { return r.Name == m.Region })
	if chosen < 0 {
		chosen = slices.IndexFunc(memory, func(r debug.Region) bool { return r.Image })
	}
	if chosen < 0 && m.Spec != nil {
		chosen = slices.IndexFunc(memory, func(r debug.Region) bool {
			return slices.ContainsFunc(m.Spec.Args, func(a launch.Arg) bool {
				return a.Buffer && a.Label() == r.Name && a.Init == ""
			})
		})
	}
	r := memory[max(chosen, 0)]
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

// region is the chosen region, or nil.
func (m *Model) region() *debug.Region {
	for i := range m.View.Memory {
		if m.View.Memory[i].Name == m.Region {
			return &m.View.Memory[i]
		}
	}
	return nil
}

// followWrites turns to the page that the last step wrote, and to its region unless the user has chosen one or looks at
// a picture.
func followWrites(m *Model) {
	chooseRegion(m)
	r := m.region()
	if r != nil && m.View.Last != nil && len(r.Changed) == 0 && !m.Chosen && m.MemoryTab != MemoryImage {
		written := slices.IndexFunc(m.View.Memory, func(r debug.Region) bool { return len(r.Changed) > 0 })
		if written >= 0 {
			r = &m.View.Memory[written]
			m.Region, m.Page = r.Name, 0
		}
	}
	if r == nil || m.View.Last == nil || len(r.Changed) == 0 || m.MemoryTab == MemoryImage {
		return
	}
	layout := m.pageLayout(r)
	first := r.Changed[0].Start / layout.pageBytes()
	last := (r.Changed[len(r.Changed)-1].End - 1) / layout.pageBytes()
	if m.Page < first || m.Page > last {
		m.Page = first
	}
}

// layout says how a region is divided into rows and pages.
type layout struct {
	unit    int // bytes of one cell
	columns int
	rows    int // on a page
}

func (l layout) pageBytes() int { return l.unit * l.columns * l.rows }

// pageLayout chooses eight columns, fewer for wide elements and for narrow matrices, and 16 for bytes in hex.
func pageLayout(r *debug.Region, tab string) layout {
	if tab == MemoryHex {
		return layout{1, 16, 16}
	}
	e := parseElem(r.Type)
	columns := 8
	if e.Lanes > 1 || e.Type.Bytes() > 4 {
		columns = 4
	}
	if n := rowOf(r, tab); n >= 4 {
		columns = min(columns, n)
	}
	return layout{e.Size(), columns, 16}
}

// rowOf is the number of elements in a row of a region that has rows, and is shown as values; 0 for all others.
func rowOf(r *debug.Region, tab string) int {
	if tab == MemoryHex || len(r.Dims) < 2 {
		return 0
	}
	return r.Dims[0]
}

// pageLayout is that of the panel: a page is twice as long on a wide screen.
func (m *Model) pageLayout(r *debug.Region) layout {
	l := pageLayout(r, m.MemoryTab)
	if m.Room.W >= wideScreen {
		l.rows *= 2
	}
	return l
}

// memoryWidth is that of the panel in pixels; 0 where there is no workspace.
func (m *Model) memoryWidth() int {
	for _, place := range m.screen().Places {
		if place.Panel == "memory" {
			return place.W
		}
	}
	return 0
}

// fit is what the width of a table of memory follows from.
type fit struct {
	width   int // of the panel, in pixels
	own     int // elements in a row of the region, or 0
	letters int // of the widest cell
	tight   int // of the widest cell where columns are close together; 0: they are never
	label   int // letters of the longest label there
}

// fitOf is the fit of a region before its cells are known. Where columns are close together, cells have room for what
// the type needs at least.
func fitOf(r *debug.Region, tab string, width int) fit {
	e := parseElem(r.Type)
	f := fit{width: width, own: rowOf(r, tab)}
	if tab == MemoryHex || e.Lanes > 1 {
		return f
	}
	last := max(regionSize(r)/max(e.Size(), 1), 1) - 1
	switch {
	case f.own != 0:
		f.tight, f.label = 3, len(indices(last, r.Dims, true))
	case e.Type.Bytes() == 1:
		f.tight, f.label = max(3, len(launch.FormatElement(e, []byte{0x80}))), len(fmt.Sprintf("[%d]", last))
	}
	return f
}

// hold makes room for the cells of rows.
func (f *fit) hold(rows []memoryRow) {
	for i := range rows {
		for k := range rows[i].Cells {
			n := len(rows[i].Cells[k].Text)
			f.letters = max(f.letters, n)
			if f.tight > 0 {
				f.tight = max(f.tight, n)
			}
		}
	}
}

// holds says whether so many columns of cells with so many letters fit.
func (f fit) holds(columns, letters int) bool {
	const label, letter, padding = 70, 7, 8
	return label+columns*(letter*letters+padding) <= f.width
}

// joins says whether two rows of so many columns fit beside each other, with room for 5 letters at least, so that few
// changes of memory are changes of the rows as well. What is in no row of the region together stays apart.
func (f fit) joins(columns int) bool {
	return (f.own%columns != 0 || f.own%(2*columns) == 0) && f.holds(2*columns, max(f.letters, 5))
}

// joinsTight says the same of columns that are close together. Rows are made so only to be whole: those of the region,
// or 16 bytes.
func (f fit) joinsTight(columns int) bool {
	const beside, letter, padding = 16, 7, 4
	return f.tight > 0 && 2*columns == cmp.Or(f.own, 16) &&
		beside+letter*f.label+2*columns*(letter*f.tight+padding) <= f.width
}

// widened joins rows, two and two, while there is room for them, and says whether their columns are close together.
func widened(rows []memoryRow, f fit) (joined []memoryRow, tight bool) {
	for len(rows) > 1 && !tight {
		columns := len(rows[0].Cells)
		if !f.joins(columns) {
			if tight = f.joinsTight(columns); !tight {
				break
			}
		}
		for i := range (len(rows) + 1) / 2 {
			row := rows[2*i]
			if 2*i+1 < len(rows) {
				row.Cells, row.Text = append(row.Cells, rows[2*i+1].Cells...), row.Text+rows[2*i+1].Text
			}
			rows[i] = row
		}
		rows = rows[:(len(rows)+1)/2]
	}
	return rows, tight
}

// narrowed divides rows in two while they do not fit: 8 columns of 9 letters are wider than some panels.
func narrowed(rows []memoryRow, f fit) []memoryRow {
	for f.width > 0 && len(rows) > 0 {
		columns := len(rows[0].Cells)
		if columns%2 != 0 || rows[0].Text != "" || f.holds(columns, f.letters) {
			break
		}
		var halves []memoryRow
		for _, row := range rows {
			for part := range slices.Chunk(row.Cells, columns/2) {
				halves = append(halves, memoryRow{Cells: part})
			}
		}
		rows = halves
	}
	return rows
}

// memoryCell is one element or byte.
type memoryCell struct {
	Text    string
	Offset  int // bytes from the region's start
	Changed bool
	Fault   bool   // the fault's address is in it
	Found   bool   // it was asked for
	Pointer uint64 // the address in it, if Text names what is there
}

// memoryRow is one line of the table; Label names its first element.
type memoryRow struct {
	Label string
	Cells []memoryCell
	Text  string // the bytes as characters, only in hex
}

// memoryPage computes what the memory panel shows of a region.
func memoryPage(r *debug.Region, tab string, page int) (rows []memoryRow, pages int) {
	rows, pages = memoryRows(r, pageLayout(r, tab), tab, page)
	nameRows(rows, r, tab)
	return rows, pages
}

// nameRows names each row by the indices of its first element: [40], or [2][8] if the row is in one row of the region,
// or [2] if it is all of that. Bytes have their addresses.
func nameRows(rows []memoryRow, r *debug.Region, tab string) {
	if len(rows) == 0 {
		return
	}
	size, columns, own := parseElem(r.Type).Size(), len(rows[0].Cells), rowOf(r, tab)
	for i := range rows {
		start := rows[i].Cells[0].Offset
		switch at := start / size; {
		case tab == MemoryHex:
			rows[i].Label = fmt.Sprintf("%x", r.Addr+uint64(start))
		case own == 0 || own%columns != 0:
			rows[i].Label = fmt.Sprintf("[%d]", at)
		default:
			rows[i].Label = indices(at, r.Dims, columns == own)
		}
	}
}

// indices writes the place of an element as an expectation does, the index that grows fastest last, or without that.
func indices(at int, dims []int, whole bool) string {
	text := ""
	for i, size := range dims {
		index := at
		if i+1 < len(dims) {
			index, at = at%size, at/size
		}
		if i > 0 || !whole {
			text = fmt.Sprintf("[%d]", index) + text
		}
	}
	return text
}

// elementName names an element as the table's rows do: a[26][0], or a[832] where a has one dimension.
func elementName(r *debug.Region, at int) string {
	if len(r.Dims) > 1 {
		return r.Name + indices(at, r.Dims, false)
	}
	return fmt.Sprintf("%s[%d]", r.Name, at)
}

// columnHeads are over the cells: the last index where rows are those of the region, else what is added to the row's.
func columnHeads(columns, own int, tab string) []string {
	heads := make([]string, columns)
	for i := range heads {
		switch {
		case tab == MemoryHex:
			heads[i] = fmt.Sprintf("%x", i)
		case columns == own:
			heads[i] = strconv.Itoa(i)
		default:
			heads[i] = fmt.Sprintf("+%d", i)
		}
	}
	return heads
}

func memoryRows(r *debug.Region, l layout, tab string, page int) (rows []memoryRow, pages int) {
	pages = max(1, (len(r.Bytes)+l.pageBytes()-1)/l.pageBytes())
	page = min(max(page, 0), pages-1)
	e := parseElem(r.Type)
	for i := 0; i < l.rows; i++ {
		start := page*l.pageBytes() + i*l.columns*l.unit
		if start >= len(r.Bytes) {
			break
		}
		var row memoryRow
		var text strings.Builder
		for off := start; off < start+l.columns*l.unit && off+l.unit <= len(r.Bytes); off += l.unit {
			cell := memoryCell{Offset: off, Changed: changedIn(r.Changed, off, off+l.unit)}
			if tab == MemoryHex {
				cell.Text = fmt.Sprintf("%02x", r.Bytes[off])
				text.WriteByte(printable(r.Bytes[off]))
			} else {
				cell.Text = launch.FormatElement(e, r.Bytes[off:])
			}
			row.Cells = append(row.Cells, cell)
		}
		row.Text = text.String()
		rows = append(rows, row)
	}
	return rows, pages
}

// memoryHTML writes the rows of the table: they have hundreds of cells.
func memoryHTML(rows []memoryRow, tab string) []string {
	list := make([]string, len(rows))
	reach := "0" // of the first cell; arrow keys lead to the others
	for i := range rows {
		var b strings.Builder
		fmt.Fprintf(&b, `<tr><th scope="row">%s</th>`, rows[i].Label)
		for _, c := range rows[i].Cells {
			class := ""
			switch {
			case c.Fault:
				class = ` class="fault"`
			case c.Changed:
				class = ` class="changed"`
			}
			if c.Found {
				class = strings.Replace(class+` class="found"`, `" class="`, " ", 1)
			}
			text := html.EscapeString(c.Text)
			if c.Pointer != 0 {
				text = fmt.Sprintf(`<button type="button" class="link" tabindex="-1" data-pointer="%#x" `+
					`title="Go to %#x">%s</button>`, c.Pointer, c.Pointer, text)
			}
			fmt.Fprintf(&b, `<td tabindex="%s" data-offset="%d"%s>%s</td>`, reach, c.Offset, class, text)
			reach = "-1"
		}
		if tab == MemoryHex {
			fmt.Fprintf(&b, `<td class="ascii">%s</td>`, html.EscapeString(rows[i].Text))
		}
		b.WriteString("</tr>")
		list[i] = b.String()
	}
	return list
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

// blank says why a picture shows nothing.
func blank(r *debug.Region) string {
	if slices.ContainsFunc(r.Bytes, func(b byte) bool { return b != 0 }) {
		return ""
	}
	return "All zero: nothing is drawn yet."
}

// pictureWords says what a picture shows to those who do not see it: its size, and how much is drawn, in which rows.
func pictureWords(r *debug.Region) string {
	size := max(1, parseElem(r.Type).Size())
	width := len(r.Bytes) / size
	if len(r.Dims) > 0 {
		width = max(1, r.Dims[0])
	}
	drawn, first, last := 0, 0, 0
	for i := 0; (i+1)*size <= len(r.Bytes); i++ {
		if !slices.ContainsFunc(r.Bytes[i*size:(i+1)*size], func(b byte) bool { return b != 0 }) {
			continue
		}
		if drawn++; drawn == 1 {
			first = i / width
		}
		last = i / width
	}
	words := fmt.Sprintf("Picture of %s, %d pixels wide: ", r.Name, width)
	if drawn == 0 {
		return words + "all are zero"
	}
	return words + fmt.Sprintf("%s not zero, in rows %d to %d", ptx.Plural(drawn, "pixel"), first, last)
}

// maxPicture bounds the pixels that are drawn.
const maxPicture = 1 << 22

// pixels turns a buffer into a picture, four bytes R G B A per pixel: dimensions are width, height. Three or four 8-bit
// components are colours, floats are grey from 0 to 1 (or colours), other numbers are grey from 0 to their largest
// value.
func pixels(r *debug.Region) (width, height int, rgba []byte) {
	width, height = len(r.Bytes)/max(1, parseElem(r.Type).Size()), 1
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
	for i := 0; i < width*height && (i+1)*e.Size() <= len(r.Bytes); i++ {
		pixel(rgba[4*i:4*i+4], r.Bytes[i*e.Size():], e, scale)
	}
	return width, height, rgba
}

func pixel(out, in []byte, e launch.Elem, scale float64) {
	if e.Lanes == 4 && e.Type.Bytes() == 1 {
		copy(out, in[:4])
		return
	}
	var c [4]float64
	for k := 0; k < e.Lanes; k++ {
		c[k] = component(e.Type, loadBits(in[k*e.Type.Bytes():], e.Type.Bytes())) / scale
	}
	if e.Lanes == 1 {
		c[1], c[2] = c[0], c[0]
	}
	for k := range 3 {
		out[k] = byte(255*min(max(c[k], 0), 1) + 0.5)
	}
	out[3] = 255
}

// component is a number of any type; NaN counts as 0.
func component(t isa.Type, bits uint64) float64 {
	if t.Class() == isa.Bits {
		return float64(bits)
	}
	f, err := strconv.ParseFloat(launch.FormatValue(t, bits, 0), 64)
	if err != nil || math.IsNaN(f) {
		return 0
	}
	return f
}

// largest is the value of full brightness: 1 for floats, 255 for bytes, the largest value in the buffer for the rest.
func largest(r *debug.Region, e launch.Elem) float64 {
	switch {
	case e.Type.Class() == isa.Float:
		return 1
	case e.Type.Bytes() == 1:
		return 255
	}
	top := 1.0
	for off := 0; off+e.Type.Bytes() <= len(r.Bytes); off += e.Type.Bytes() {
		top = max(top, component(e.Type, loadBits(r.Bytes[off:], e.Type.Bytes())))
	}
	return top
}

// regionFacts says what a region is: type, shape, space, address.
func regionFacts(r *debug.Region) string {
	shape := ""
	if len(r.Dims) > 0 {
		parts := make([]string, len(r.Dims))
		for i, d := range r.Dims {
			parts[i] = strconv.Itoa(d)
		}
		shape = "[" + strings.Join(parts, ",") + "]"
	}
	if r.Name == debug.TensorMemory {
		return fmt.Sprintf("%s%s · columns, lanes · %s", r.Type, shape, ptx.Plural(len(r.Bytes), "byte"))
	}
	facts := fmt.Sprintf("%s%s · %s · %s · 0x%x", r.Type, shape, r.Space,
		ptx.Plural(regionSize(r), "byte"), r.Addr)
	if len(r.Bytes) < regionSize(r) {
		facts += " · the first " + count(int64(len(r.Bytes))) + " are shown"
	}
	return facts + mbarrierLines(r)
}

// mbarrierLines describes the mbarrier objects in shared memory, a line each.
func mbarrierLines(r *debug.Region) string {
	const most = 8
	lines := ""
	for i := range r.Mbarriers {
		if i == most {
			return lines + fmt.Sprintf("\n… and %d more", len(r.Mbarriers)-most)
		}
		lines += fmt.Sprintf("\nmbarrier at %d: %s", r.Mbarriers[i].Addr-r.Addr, r.Mbarriers[i])
	}
	return lines
}

// sameMemory says whether two views show the same memory, of which no step has changed anything. It may say no of
// memory that is the same.
func sameMemory(a, b *Model) bool {
	r, s := a.region(), b.region()
	if r == nil || s == nil || a.MemoryBase != nil || b.MemoryBase != nil || a.View.Fault != nil || b.View.Fault != nil {
		return false
	}
	same := func(r, s debug.Region) bool { return r.Name == s.Name && r.Addr == s.Addr && news(&r)+news(&s) == 0 }
	return slices.EqualFunc(a.View.Memory, b.View.Memory, same) && r.Type == s.Type && slices.Equal(r.Dims, s.Dims) &&
		r.Image == s.Image && r.Size == s.Size && r.Lane == s.Lane && sameBytes(r.Bytes, s.Bytes)
}

// news is how much of a region is marked or described for a step.
func news(r *debug.Region) int { return len(r.Changed) + len(r.Mbarriers) }

// sameBytes says whether these are the same bytes: those that a step has not changed are one slice in both views.
func sameBytes(a, b []byte) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }
