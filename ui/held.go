package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/ptx"
)

// heldCell is an element of a matrix; of the memory that a matrix is in, a word of tensor memory or 16 bytes of shared
// memory with the elements that begin there.
type heldCell struct {
	Lane    int    // of the warp that holds it; -1 for what is in memory
	Element int    // its number in the matrix, of several the first; -1: there is none
	Text    string // its value
	Sub     string // where it is; in memory, which element it is
	Words   string
	Odd     bool
}

// heldRow is a row of the table.
type heldRow struct {
	Head, Title string
	Cells       []heldCell
}

// heldTable is the part of a matrix, or of the memory that it is in, that the panel draws.
type heldTable struct {
	Name       string
	Legend     string
	Cols, Rows heldSpan
	Heads      []string // of the columns
	Lines      []heldRow
	CanPlace   bool // it is in memory, which can be drawn as well
}

// heldSpan is what is drawn of so many rows or columns. The next ones begin a step further.
type heldSpan struct{ From, N, All, Step int }

const (
	mostColumns = 32
	mostHeld    = 1024 // cells
)

// cutOut is the span of so many at most that begins at a multiple of them.
func cutOut(from, all, most int) heldSpan {
	from = min(max(from, 0), all-1) / most * most
	return heldSpan{from, min(all-from, most), all, most}
}

// cutOuts are those of a table: as many columns as are readable, and rows of tensor memory's lanes by the warp.
func cutOuts(c heldChoice, rows, cols int) (r, k heldSpan) {
	k = cutOut(c.Col, cols, mostColumns)
	return cutOut(c.Row, rows, mostHeld/min(cols, mostColumns)/32*32), k
}

// words are the rows or the columns in words: "rows 32–63 of 128".
func (s heldSpan) words(what string) string {
	return fmt.Sprintf("%s %d–%d of %d", what, s.From, s.From+s.N-1, s.All)
}

// matrix is the chosen matrix; ok is false where there is none.
func (m *Model) matrix() (at int, ok bool) {
	if m.Holding == nil || len(m.Holding.Matrices) == 0 {
		return 0, false
	}
	return min(m.Held.Matrix, len(m.Holding.Matrices)-1), true
}

// newHeldTable is what is drawn of a matrix.
func newHeldTable(h *debug.Holding, c heldChoice) heldTable {
	mat := &h.Matrices[min(c.Matrix, len(h.Matrices)-1)]
	if c.InPlaces && mat.Home != emu.InRegisters {
		return newHeldPlaces(mat, c)
	}
	t := heldTable{Name: mat.Name, CanPlace: mat.Home != emu.InRegisters, Legend: map[emu.Home]string{
		emu.InRegisters: "value, lane · register", emu.InShared: "value, byte of shared memory",
		emu.InTensor: "value, lane · column of tensor memory"}[mat.Home]}
	t.Rows, t.Cols = cutOuts(c, mat.Rows, mat.Cols)
	for col := t.Cols.From; col < t.Cols.From+t.Cols.N; col++ {
		t.Heads = append(t.Heads, strconv.Itoa(col+mat.FirstCol))
	}
	for row := t.Rows.From; row < t.Rows.From+t.Rows.N; row++ {
		line := heldRow{Head: strconv.Itoa(row + mat.FirstRow)}
		if mat.RowLanes != nil {
			line.Head += fmt.Sprintf(" (lane %d)", mat.RowLanes[row])
			line.Title = "whose address is that of the row"
		}
		for col := t.Cols.From; col < t.Cols.From+t.Cols.N; col++ {
			line.Cells = append(line.Cells, newHeldCell(mat, row*mat.Cols+col))
		}
		t.Lines = append(t.Lines, line)
	}
	return t
}

func newHeldCell(mat *debug.Matrix, element int) heldCell {
	c := heldCell{Lane: -1, Element: element, Text: heldValue(mat, element)}
	switch mat.Home {
	case emu.InRegisters:
		held := mat.Holders[element]
		c.Lane, c.Odd = held.Lane, held.Lane/4%2 == 1
		c.Sub = fmt.Sprintf("%d·%d", held.Lane, held.Register)
	case emu.InShared: // neighbours that swizzling keeps together look alike
		c.Sub, c.Odd = strconv.Itoa(mat.Places[element].At), mat.Places[element].At/16%2 == 1
	case emu.InTensor: // so do the lanes of a warp
		p := mat.Places[element]
		c.Sub, c.Odd = fmt.Sprintf("%d·%d", p.Lane, p.At), p.Lane/32%2 == 1
	}
	c.Words = heldName(mat, element)
	if mat.Known {
		c.Words += " = " + c.Text
	}
	c.Words += ": " + mat.PlaceName(element)
	return c
}

// heldName is an element: "A[5][8]".
func heldName(mat *debug.Matrix, element int) string {
	short, _, _ := strings.Cut(mat.Name, " of ")
	return fmt.Sprintf("%s[%d][%d]", short, element/mat.Cols+mat.FirstRow, element%mat.Cols+mat.FirstCol)
}

func heldValue(mat *debug.Matrix, element int) string {
	if !mat.Known {
		return "·"
	}
	return formatValue(mat.Type, mat.Values[element], nil, ByType)
}

// heldPiece is where elements lie together: a line of 128 bytes and the 16 bytes in it, or a lane and a column.
type heldPiece struct{ line, at int }

func pieceOf(mat *debug.Matrix, element int) heldPiece {
	p := mat.Places[element]
	if mat.Home == emu.InTensor {
		return heldPiece{p.Lane, p.At}
	}
	return heldPiece{p.At / 128, p.At % 128 / 16}
}

// newHeldPlaces draws the memory that a matrix is in, and which elements are there: lines of 128 bytes of shared
// memory, so that swizzling is seen, or lanes of tensor memory. Lines without an element are left out.
func newHeldPlaces(mat *debug.Matrix, c heldChoice) heldTable {
	pieces, first, cols := map[heldPiece][]int{}, 0, 8
	var lines []int
	low, high := mat.Places[0].At, mat.Places[0].At
	for i, p := range mat.Places {
		at := pieceOf(mat, i)
		pieces[at] = append(pieces[at], i)
		low, high = min(low, p.At), max(high, p.At)
		lines = append(lines, at.line)
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	t := heldTable{Name: "byte", Legend: "value, row · column of " + mat.Name, CanPlace: true}
	if mat.Home == emu.InTensor {
		t.Name, first, cols = "lane", low, high-low+1
	}
	t.Rows, t.Cols = cutOuts(c, len(lines), cols)
	for col := t.Cols.From; col < t.Cols.From+t.Cols.N; col++ {
		head := strconv.Itoa(first + col)
		if mat.Home == emu.InShared {
			head = "+" + strconv.Itoa(16*col)
		}
		t.Heads = append(t.Heads, head)
	}
	for _, line := range lines[t.Rows.From:][:t.Rows.N] {
		r := heldRow{Head: strconv.Itoa(line)}
		if mat.Home == emu.InShared {
			r.Head = mat.SharedName(128 * line)
		}
		for col := t.Cols.From; col < t.Cols.From+t.Cols.N; col++ {
			r.Cells = append(r.Cells, newHeldPiece(mat, pieces[heldPiece{line, first + col}]))
		}
		t.Lines = append(t.Lines, r)
	}
	return t
}

// newHeldPiece is a piece of memory with the elements in it.
func newHeldPiece(mat *debug.Matrix, elements []int) heldCell {
	if len(elements) == 0 {
		return heldCell{Lane: -1, Element: -1, Words: "none of " + mat.Name}
	}
	slices.SortFunc(elements, func(a, b int) int {
		p, q := mat.Places[a], mat.Places[b]
		return cmp.Or(cmp.Compare(p.At, q.At), cmp.Compare(p.Bit, q.Bit))
	})
	first, last, n := elements[0], elements[len(elements)-1], len(elements)
	row, col := first/mat.Cols, first%mat.Cols
	c := newHeldCell(mat, first)
	toRow, toCol := last/mat.Cols, last%mat.Cols
	c.Sub = heldRange(row+mat.FirstRow, toRow+mat.FirstRow) + "·" + heldRange(col+mat.FirstCol, toCol+mat.FirstCol)
	switch { // what is neighbours in the matrix
	case mat.Home == emu.InTensor:
		c.Odd = row/32%2 == 1
	case row == toRow:
		c.Odd = col/n%2 == 1
	default:
		c.Odd = row/n%2 == 1
	}
	if n > 1 {
		c.Text += "…"
		c.Words = fmt.Sprintf("%s and the next %s, to %s", c.Words, ptx.Plural(n-1, "element"), heldName(mat, last))
		if mat.Known {
			c.Words += " = " + heldValue(mat, last)
		}
	}
	return c
}

// heldRange are numbers from one to another: "8–15", or "5".
func heldRange(from, to int) string {
	if from == to {
		return strconv.Itoa(from)
	}
	return fmt.Sprintf("%d–%d", from, to)
}

// stored is the chosen matrix if it is in memory, else nil.
func (m *Model) stored() *debug.Matrix {
	if at, ok := m.matrix(); ok && m.Holding.Matrices[at].Home != emu.InRegisters {
		return &m.Holding.Matrices[at]
	}
	return nil
}

// heldWith are the elements that are drawn as one with those that a test finds.
func (m *Model) heldWith(is func(element int) bool) (elements []int) {
	mat := m.stored()
	if mat == nil {
		return nil
	}
	pieces := map[heldPiece]bool{}
	for i := range mat.Places {
		if is(i) {
			elements = append(elements, i)
			pieces[pieceOf(mat, i)] = true
		}
	}
	if !m.Held.InPlaces || len(elements) == 0 {
		return elements
	}
	elements = nil
	for i := range mat.Places {
		if pieces[pieceOf(mat, i)] {
			elements = append(elements, i)
		}
	}
	return elements
}

// memoryCells gives the cell of the Memory panel that an element is in, by its offset; ok is false where the panel
// shows another region.
func (m *Model) memoryCells() func(element int) (offset int, ok bool) {
	r, mat := m.region(), m.stored()
	if r == nil || mat == nil || (mat.Home == emu.InTensor) != (r.Name == debug.TensorMemory) {
		return func(int) (int, bool) { return 0, false }
	}
	unit := pageLayout(m.shownRegion(), m.MemoryTab).unit
	return func(element int) (offset int, ok bool) {
		p := mat.Places[element]
		if offset = int(mat.Shared+uint64(p.At)) - int(r.Addr); mat.Home == emu.InTensor {
			offset = 4*(p.Lane*r.Dims[0]+p.At) + p.Bit/8
		}
		return offset / unit * unit, offset >= 0 && offset < len(r.Bytes)
	}
}

// heldIn are the elements that light up with a cell of the Memory panel.
func (m *Model) heldIn(offset int) []int {
	cellOf := m.memoryCells()
	return m.heldWith(func(i int) bool {
		in, ok := cellOf(i)
		return ok && in == offset
	})
}

// heldOffsets are the cells of the Memory panel that light up with an element.
func (m *Model) heldOffsets(element int) (offsets []int) {
	cellOf := m.memoryCells()
	for _, i := range m.heldWith(func(i int) bool { return i == element }) {
		if at, ok := cellOf(i); ok && !slices.Contains(offsets, at) {
			offsets = append(offsets, at)
		}
	}
	return offsets
}

// heldAddress is where GoToMemory finds an element of the chosen matrix.
func (m *Model) heldAddress(element int) string {
	mat := m.stored()
	if mat == nil || element < 0 {
		return ""
	}
	p := mat.Places[element]
	if mat.Home == emu.InShared {
		return fmt.Sprintf("%#x", mat.Shared+uint64(p.At))
	}
	for i := range m.View.Memory {
		if r := &m.View.Memory[i]; r.Name == debug.TensorMemory {
			return fmt.Sprintf("%s+%d", r.Name, 4*(p.Lane*r.Dims[0]+p.At))
		}
	}
	return ""
}
