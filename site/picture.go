package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"slices"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

const (
	pictureRows = 48        // steps that a picture of a run has room for
	maxRecorded = 20_000    // steps of the first warp that are looked at
	maxSteps    = 2_000_000 // steps of all warps before the rest is run without looking
)

// Colours that stand out on white and on black alike: lanes that computed go from pale to full with the value, lanes
// that stored, voted or jumped have the second colour.
var (
	pale   = color.NRGBA{0x2a, 0x9d, 0x8f, 0x38}
	full   = color.NRGBA{0x1f, 0xa3, 0x93, 0xff}
	second = color.NRGBA{0xe0, 0x8a, 0x2e, 0xff}
	off    = color.NRGBA{0x80, 0x88, 0x94, 0x1c}
)

// paint runs an example and makes its picture: its last image buffer if it has one, else what the first warp did, a row
// for each instruction and a column for each lane.
func paint(e *example) ([]byte, error) {
	p, err := launch.Prepare(e.module, e.spec, emu.Options{})
	if err != nil {
		return nil, err
	}
	rows, err := record(p.Grid)
	if err != nil {
		return nil, err
	}
	s := p.Grid.Stats()
	e.Facts = fmt.Sprintf("%s threads · %s executed", ptx.Thousands(s.Threads),
		ptx.Thousands(s.WarpInstructions))
	for i := range p.Buffers {
		if b := &p.Buffers[len(p.Buffers)-1-i]; b.Arg.Image {
			e.Caption, e.Drawing = "The picture that the program draws.", true
			return encode(imageOf(b.Arg, p.Read(b)))
		}
	}
	e.Caption = "The first warp: a row for each instruction, a column for each lane."
	if len(rows) > pictureRows {
		e.Caption = fmt.Sprintf("The first warp: %d of its %s instructions, a column for each lane.", pictureRows,
			ptx.Thousands(int64(len(rows))))
		rows = sample(rows)
	}
	return encode(weave(rows))
}

// record runs a grid to its end and keeps the first steps of the first warp.
func record(g *emu.Grid) ([]emu.Step, error) {
	var rows []emu.Step
	for n := 0; !g.Done() && n < maxSteps && len(rows) < maxRecorded; n++ {
		s, err := g.Step()
		if err != nil {
			return nil, err
		}
		if s.Inst != nil && s.CTAIndex == 0 && s.Warp == 0 {
			rows = append(rows, s)
		}
		if s.CTAIndex > 0 {
			break
		}
	}
	return rows, g.Run(context.Background())
}

// sample keeps rows at even distances, the first and the last among them.
func sample(rows []emu.Step) []emu.Step {
	var out []emu.Step
	for i := range pictureRows {
		out = append(out, rows[i*(len(rows)-1)/(pictureRows-1)])
	}
	return out
}

func encode(m image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, m)
	return b.Bytes(), err
}

// imageOf is a buffer as a picture: colours as they are, integers as grey from 0 to the largest of them.
func imageOf(a *launch.Arg, data []byte) image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, a.Dims[0], a.Dims[1]))
	if a.Elem() == (launch.Elem{Type: isa.U8, Lanes: 4}) {
		copy(m.Pix, data)
		return m
	}
	size := a.Elem().Size()
	numbers := make([]float64, len(data)/size)
	top := 255.0
	for i := range numbers {
		for k := size - 1; k >= 0; k-- {
			numbers[i] = 256*numbers[i] + float64(data[i*size+k])
		}
		top = max(top, numbers[i])
	}
	for i, n := range numbers {
		v := byte(255 * n / top)
		m.SetNRGBA(i%a.Dims[0], i/a.Dims[0], color.NRGBA{v, v, v, 0xff})
	}
	return m
}

// weave draws steps as rows of cells with a gap between them.
func weave(rows []emu.Step) image.Image {
	const cell, gap = 6, 1
	const pitch = cell + gap
	m := image.NewNRGBA(image.Rect(0, 0, 32*pitch-gap, len(rows)*pitch-gap))
	for y, s := range rows {
		colours := colours(&s)
		for lane, c := range colours {
			r := image.Rect(lane*pitch, y*pitch, lane*pitch+cell, y*pitch+cell)
			draw.Draw(m, r, image.NewUniform(c), image.Point{}, draw.Src)
		}
	}
	return m
}

// colours are the colours of a step's lanes.
func colours(s *emu.Step) [32]color.NRGBA {
	var out [32]color.NRGBA
	shades := shades(s)
	for lane := range out {
		switch {
		case !s.Exec.Has(lane):
			out[lane] = off
		case len(s.Regs) == 0 && (len(s.Mem) > 0 || s.Taken.Has(lane)):
			out[lane] = second
		case len(s.Regs) == 0:
			out[lane] = pale
		default:
			out[lane] = mix(pale, full, shades[lane])
		}
	}
	return out
}

// shades rank what the lanes wrote, from 0 for the smallest value to 1 for the largest; equal values are pale.
func shades(s *emu.Step) (out [32]float64) {
	if len(s.Regs) == 0 {
		return
	}
	w := s.Regs[0]
	var values []float64
	for lane := range 32 {
		if s.Exec.Has(lane) {
			values = append(values, number(w.Reg, w.New[lane]))
		}
	}
	slices.SortFunc(values, cmp.Compare)
	values = slices.Compact(values)
	for lane := range 32 {
		at, _ := slices.BinarySearchFunc(values, number(w.Reg, w.New[lane]), cmp.Compare)
		if out[lane] = 0.25; len(values) > 1 {
			out[lane] = float64(at) / float64(len(values)-1)
		}
	}
	return
}

// number is a register's value as its type means it.
func number(r *ptx.Reg, bits uint64) float64 {
	switch r.Type {
	case isa.F32:
		return float64(math.Float32frombits(uint32(bits)))
	case isa.F64:
		return math.Float64frombits(bits)
	case isa.S32:
		return float64(int32(bits))
	case isa.S64:
		return float64(int64(bits))
	case isa.S16:
		return float64(int16(bits))
	}
	return float64(bits)
}

func mix(a, b color.NRGBA, t float64) color.NRGBA {
	part := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + (float64(y)-float64(x))*t)) }
	return color.NRGBA{part(a.R, b.R), part(a.G, b.G), part(a.B, b.B), part(a.A, b.A)}
}
