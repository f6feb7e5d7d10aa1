package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/ptx/isa"
	"warpscope/ui"
)

// Sizes of the picture of a run, in pixels: all, the rows of 32 lanes, the bars of active lanes.
const (
	pictureWidth = 480
	pictureRows  = 32 * 7
	pictureBars  = 48
)

// paint runs an example and makes its picture: its last image buffer if it has one, else where the lanes of the first
// warp were, a row for each lane and time to the right.
func paint(e *example) ([]byte, error) {
	p, err := launch.Prepare(e.module, e.spec, emu.Options{})
	if err != nil {
		return nil, err
	}
	if err := p.Grid.Run(context.Background()); err != nil {
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
	c, err := chartOf(e)
	if err != nil {
		return nil, err
	}
	each := "block of code"
	if ui.Straight(c) {
		each = "instruction"
	}
	e.Caption = fmt.Sprintf("The first warp in %s: a row for each lane, a colour for each %s; below it, how many lanes "+
		"are active.", ptx.Plural(c.To-c.From, "step"), each)
	return encode(chartImage(c))
}

// chartOf runs an example under the debugger and gives the chart of its first warp, up to where that ends.
func chartOf(e *example) (*debug.Chart, error) {
	s := debug.New(emu.Options{})
	s.SetSource(e.Name, string(e.module.Src))
	s.Follow(0, 0)
	for s.RunFor(1 << 20) {
	}
	if v := s.View(); v.Phase != debug.Finished && v.Phase != debug.Faulted {
		return nil, errors.New(v.Status)
	}
	s.Follow(0, 0)
	whole := complete(s, debug.ChartAsk{})
	end := int64(1)
	for i := range whole.Moments {
		if m := &whole.Moments[i]; m.Present != 0 {
			end = m.First + whole.Stride
		}
	}
	return complete(s, debug.ChartAsk{To: end}), nil
}

// complete is a chart that is known as a whole.
func complete(s *debug.Session, ask debug.ChartAsk) *debug.Chart {
	for s.AskChart(ask); !s.Chart().Complete; {
		s.Survey(1 << 20)
	}
	return s.Chart()
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

// chartImage draws a chart as the page's panel Divergence does.
func chartImage(c *debug.Chart) image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, pictureWidth, ui.PictureHeight(pictureRows, pictureBars)))
	copy(m.Pix, ui.PaintChart(c, pictureWidth, pictureRows, pictureBars))
	return m
}
