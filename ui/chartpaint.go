package ui

import (
	"math"
	"strconv"
	"strings"

	"warpscope/debug"
)

// The picture of a chart is pixels that this file computes: the page puts them on a canvas, and the gallery into files.

// tint is a colour: R G B A.
type tint [4]byte

// blockTint is one of the colours of blocks and of source lines: which of the two lightnesses, and the hue. sources.css
// has the same for the editor's gutter.
type blockTint struct {
	Light int
	Hue   float64
}

var blockTints = [stripeColours]blockTint{{2, 235}, {1, 325}, {2, 285}, {1, 210}, {2, 325}, {1, 260}, {2, 210},
	{1, 300}}

// chartChroma is how much more colour large shapes have than --blk-c says.
const chartChroma = 1.1

// chartLook are the colours of a picture.
type chartLook struct {
	Ground, Rule, Wait, Bar tint // Rule and Wait: of lanes that wait
	Blocks                  [stripeColours]tint
}

// tints sets the colours of blocks.
func (l *chartLook) tints(light [2]float64, chroma float64) {
	for i, t := range blockTints {
		l.Blocks[i] = oklch(light[t.Light-1], chroma, t.Hue)
	}
}

// oklch is a colour of the OKLCH space (CSS Color 4, 9.4) in sRGB.
func oklch(light, chroma, hue float64) tint {
	a, b := chroma*math.Cos(hue*math.Pi/180), chroma*math.Sin(hue*math.Pi/180)
	cube := func(x float64) float64 { return x * x * x }
	l := cube(light + .3963377774*a + .2158037573*b)
	m := cube(light - .1055613458*a - .0638541728*b)
	s := cube(light - .0894841775*a - 1.2914855480*b)
	channel := func(x float64) byte {
		x = min(max(x, 0), 1)
		if x <= .0031308 {
			x *= 12.92
		} else {
			x = 1.055*math.Pow(x, 1/2.4) - .055
		}
		return byte(math.Round(255 * x))
	}
	return tint{channel(4.0767416621*l - 3.3077115913*m + .2309699292*s),
		channel(-1.2684380046*l + 2.6097574011*m - .3413193965*s),
		channel(-.0041960863*l - .7034186147*m + 1.7076147010*s), 255}
}

// hexTint reads #rgb and #rrggbb.
func hexTint(text string) tint {
	text = strings.TrimPrefix(text, "#")
	if len(text) == 3 {
		text = string([]byte{text[0], text[0], text[1], text[1], text[2], text[2]})
	}
	n, _ := strconv.ParseUint(text, 16, 32)
	return tint{byte(n >> 16), byte(n >> 8), byte(n), 255}
}

// PaintChart paints a chart for pages whose ground is not known: without one. It gives four bytes R G B A for each of
// width times PictureHeight pixels.
func PaintChart(c *debug.Chart, width, rows, bars int) []byte {
	look := &chartLook{Rule: tint{0xc5, 0x8a, 0x22, 0x48}, Bar: tint{0x1f, 0xa3, 0x93, 0xff}}
	look.tints([2]float64{.76, .64}, .1)
	room := chartRoom{Width: width, Rows: rows, Gap: pictureGap, Bars: bars, Dot: 2}
	colours := &chartColours{code: c.Code, each: Straight(c)}
	return newChartSheet(c, colours, width).paint(room, look)
}

// Straight says whether a chart has at most two blocks: then its picture has a colour for each instruction.
func Straight(c *debug.Chart) bool {
	blocks := map[int]bool{}
	for i := range c.Moments {
		for _, p := range c.Moments[i].Places {
			blocks[c.Code.Block(p.At)] = true
		}
	}
	return len(blocks) <= 2
}

const pictureGap = 6

// PictureHeight is the height of such a picture.
func PictureHeight(rows, bars int) int { return rows + pictureGap + bars }

// half is the colour half way to another; without one to go to, only half of it.
func (p tint) half(q tint) tint {
	if q[3] == 0 {
		p[3] /= 2
		return p
	}
	for i := range p {
		p[i] = byte((int(p[i]) + int(q[i])) / 2)
	}
	return p
}

// chartCell is what a lane or a warp does in a column of the picture.
type chartCell struct {
	kind   cellKind
	colour uint8
	group  int32 // block or source line, -1 for none
	at     int32 // instruction
}

type cellKind uint8

const (
	cellEmpty  cellKind = iota // not started, or ended
	cellWaits                  // for other lanes or warps
	cellPauses                 // it is there, but does not execute: another warp does, or its guard is false
	cellRuns
)

// chartSheet is a chart as cells: the rows are lanes or warps, the columns are pixels.
type chartSheet struct {
	Columns [][]chartCell
	Active  []float64 // lanes that execute, 0 to 32; negative: not known
	Edges   []bool    // a moment begins at the column
}

// newChartSheet puts a chart into columns. A column that has several moments shows what is commonest in them.
func newChartSheet(c *debug.Chart, colours *chartColours, width int) *chartSheet {
	s := &chartSheet{Columns: make([][]chartCell, width), Active: make([]float64, width), Edges: make([]bool, width)}
	span := float64(max(c.To-c.From, 1))
	place := func(tick int64) int { return int(math.Floor(float64(tick-c.From) / span * float64(width))) }
	for x := range s.Active {
		s.Active[x] = -1
	}
	for i := 0; i < len(c.Moments); {
		from := max(place(c.Moments[i].First), 0)
		n, active := i, 0.0
		var votes [][]chartCell
		for ; n < len(c.Moments) && (n == i || max(place(c.Moments[n].First), 0) == from); n++ {
			m := &c.Moments[n]
			votes = append(votes, momentCells(m, c, colours))
			active += float64(momentActive(m, c))
		}
		end := c.Moments[n-1].First + c.Stride
		if n < len(c.Moments) && c.Moments[n].First < end+4*c.Stride {
			end = c.Moments[n].First // what is between is not known yet
		}
		to := min(max(place(end), from+1), width)
		known := votes[0]
		if len(votes) > 1 {
			known = commonest(votes)
		}
		for x := from; x < to; x++ {
			s.Columns[x], s.Active[x], s.Edges[x] = known, active/float64(n-i), x == from
		}
		i = n
	}
	return s
}

func (c *chartColours) cell(kind cellKind, at int32) chartCell {
	return chartCell{kind, uint8(c.colour(at)), int32(c.of(at)), at}
}

// momentCells are the cells of one moment.
func momentCells(m *debug.Moment, c *debug.Chart, colours *chartColours) []chartCell {
	if c.All {
		cells := make([]chartCell, len(m.Rows))
		for i, r := range m.Rows {
			kind := cellEmpty
			switch r.Doing {
			case debug.DoesRun, debug.DoesFault:
				kind = cellRuns
			case debug.DoesReady, debug.DoesDiverged:
				kind = cellPauses
			case debug.DoesWait:
				kind = cellWaits
			}
			cells[i] = colours.cell(kind, r.At)
		}
		return cells
	}
	cells := make([]chartCell, 32)
	for _, p := range m.Places {
		cell := colours.cell(cellWaits, p.At)
		if p.Runs && !m.Turn && c.Stride == 1 {
			cell.kind = cellPauses
		} else if p.Runs {
			cell.kind = cellRuns
		}
		for lane := range cells {
			if p.Mask.Has(lane) {
				if cells[lane] = cell; p.Off.Has(lane) && c.Stride == 1 {
					cells[lane].kind = cellPauses
				}
			}
		}
	}
	return cells
}

// momentActive is the number of lanes that execute at a moment: those of the followed warp, or of the one that runs.
func momentActive(m *debug.Moment, c *debug.Chart) int {
	if !c.All {
		return m.Active()
	}
	for _, r := range m.Rows {
		if r.Doing == debug.DoesRun {
			return int(r.Lanes)
		}
	}
	return 0
}

// commonest is a column in which each row has what most of several columns have, the first of them if several do.
func commonest(votes [][]chartCell) []chartCell {
	out := make([]chartCell, len(votes[0]))
	for row := range out {
		best := 0
		for i := range votes {
			n := 0
			for _, v := range votes {
				if v[row].kind == votes[i][row].kind && v[row].group == votes[i][row].group {
					n++
				}
			}
			if n > best {
				best, out[row] = n, votes[i][row]
			}
		}
	}
	return out
}

// chartRoom is where the parts of a picture are, in pixels.
type chartRoom struct {
	Width, Rows, Gap, Bars int // of the rows, between them and the bars, of the bars
	Dot                    int // pixels of a hairline
}

// paint computes the picture: rows above, bars of active lanes below.
func (s *chartSheet) paint(room chartRoom, look *chartLook) []byte {
	height := room.Rows + room.Gap + room.Bars
	out := make([]byte, 4*room.Width*height)
	rows := 0
	for _, column := range s.Columns {
		rows = max(rows, len(column))
	}
	scan := [2][]byte{make([]byte, 4*room.Width), make([]byte, 4*room.Width)} // between rules, on them
	for row := range rows {
		top, end := row*room.Rows/rows, (row+1)*room.Rows/rows
		for i := range scan {
			s.scan(scan[i], row, i == 1, look)
		}
		for y := top; y < end; y++ {
			rule := 0
			if y/room.Dot%4 == 3 {
				rule = 1
			}
			copy(out[4*room.Width*y:], scan[rule])
		}
		if row > 0 && room.Rows/rows >= 3*room.Dot {
			s.part(out[4*room.Width*top:], row, room, look)
		}
	}
	s.bars(out[4*room.Width*(room.Rows+room.Gap):], room, look)
	return out
}

// scan computes one line of pixels of a row.
func (s *chartSheet) scan(out []byte, row int, rule bool, look *chartLook) {
	for x, column := range s.Columns {
		p := look.Ground
		if row < len(column) {
			switch cell := column[row]; cell.kind {
			case cellWaits:
				if p = look.Wait; rule {
					p = look.Rule
				}
			case cellPauses, cellRuns:
				if p = look.Blocks[cell.colour]; cell.kind == cellPauses {
					p = p.half(look.Ground)
				}
				if s.begins(x, row) {
					p = look.Ground
				}
			}
		}
		copy(out[4*x:], p[:])
	}
}

// begins says whether a hairline parts a column from the one before: another block begins, or the same one again.
func (s *chartSheet) begins(x, row int) bool {
	if x == 0 || !s.Edges[x] || s.Edges[x-1] || row >= len(s.Columns[x-1]) {
		return false // columns of one pixel have no room
	}
	was, is := s.Columns[x-1][row], s.Columns[x][row]
	return was.kind == is.kind && (was.group != is.group || is.at < was.at) ||
		was.kind >= cellPauses && is.kind >= cellPauses && was.group != is.group
}

// part draws the line between a row and the one above where they differ.
func (s *chartSheet) part(out []byte, row int, room chartRoom, look *chartLook) {
	for x, column := range s.Columns {
		if row >= len(column) || column[row].kind < cellPauses || column[row-1].kind < cellPauses ||
			column[row].group == column[row-1].group && len(column) == 32 {
			continue
		}
		for dot := range room.Dot {
			copy(out[4*(room.Width*dot+x):], look.Ground[:])
		}
	}
}

// bars draws how many lanes are active.
func (s *chartSheet) bars(out []byte, room chartRoom, look *chartLook) {
	for x, n := range s.Active {
		parted := x > 0 && s.Edges[x] && !s.Edges[x-1] && x+1 < len(s.Edges) && !s.Edges[x+1]
		top := room.Bars - int(math.Round(max(n, 0)/32*float64(room.Bars)))
		for y := range room.Bars {
			p := look.Ground
			if y >= top && !parted {
				p = look.Bar
			}
			copy(out[4*(room.Width*y+x):], p[:])
		}
	}
}

// chartLabel is a name in the picture, or a number below it.
type chartLabel struct {
	Text         string
	Left, Right  float64 // parts of the width
	Above, Below int     // rows
}

// chartLabels are the names of the rectangles: of lanes that are in one block for some time. Those narrower than least
// parts of the width have none.
func chartLabels(c *debug.Chart, colours *chartColours, least float64) (list []chartLabel) {
	if c.All {
		return nil
	}
	span := float64(max(c.To-c.From, 1))
	part := func(tick int64) float64 { return min(max(float64(tick-c.From)/span, 0), 1) }
	for i := 0; i < len(c.Moments); {
		n := i + 1
		now, ok := runsAt(&c.Moments[i])
		for n < len(c.Moments) && c.Moments[n].First == c.Moments[n-1].First+c.Stride {
			next, same := runsAt(&c.Moments[n])
			if same != ok || next.Mask != now.Mask || colours.of(next.At) != colours.of(now.At) || next.At < now.At {
				break
			}
			n++
		}
		left, right := part(c.Moments[i].First), part(c.Moments[n-1].First+c.Stride)
		if name := colours.name(now.At); ok && right-left >= least && name != "" {
			above, below := longestRun(uint32(now.Mask))
			list = append(list, chartLabel{name, left, right, above, below})
		}
		i = n
	}
	return list
}

// runsAt is where lanes run.
func runsAt(m *debug.Moment) (p debug.Place, ok bool) {
	for _, p := range m.Places {
		if p.Runs {
			return p, true
		}
	}
	return p, false
}

// longestRun is the longest run of lanes of a mask: the first, and that after the last.
func longestRun(mask uint32) (from, to int) {
	for lane := 0; lane < 32; {
		end := lane
		for end < 32 && mask>>end&1 != 0 {
			end++
		}
		if end-lane > to-from {
			from, to = lane, end
		}
		lane = max(end, lane+1)
	}
	return from, to
}
