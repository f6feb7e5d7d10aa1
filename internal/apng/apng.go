// Package apng writes animated PNG files: pictures of 256 colours of which each shows only what differs from the one
// before. The format is that of PNG, third edition, chapter 11.3: chunks acTL, fcTL and fdAT.
package apng

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"slices"
	"time"
)

// Frame is a picture and how long it stays. All pictures of a film have one size.
type Frame struct {
	Picture image.Image
	Stays   time.Duration
}

// Encode writes a film that runs again and again.
func Encode(w io.Writer, film []Frame) error {
	e := &encoder{palette: palette(film)}
	e.out.WriteString("\x89PNG\r\n\x1a\n")
	var before *image.Paletted
	for i, f := range film {
		now := e.reduce(f.Picture)
		part := now
		if before != nil {
			part = difference(before, now)
		}
		chunks, err := pngChunks(part)
		if err != nil {
			return err
		}
		if i == 0 {
			e.chunk("IHDR", chunks["IHDR"])
			e.chunk("acTL", binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(len(film))), 0))
			e.chunk("PLTE", chunks["PLTE"])
			e.chunk("tRNS", chunks["tRNS"])
		}
		e.control(part.Rect, f.Stays)
		if i == 0 {
			e.chunk("IDAT", chunks["IDAT"])
		} else {
			e.chunk("fdAT", append(e.next(), chunks["IDAT"]...))
		}
		before = now
	}
	e.chunk("IEND", nil)
	_, err := w.Write(e.out.Bytes())
	return err
}

type encoder struct {
	out      bytes.Buffer
	palette  color.Palette // the first colour is none
	indices  map[color.RGBA]uint8
	sequence uint32
}

func (e *encoder) chunk(name string, data []byte) {
	e.out.Write(binary.BigEndian.AppendUint32(nil, uint32(len(data))))
	named := append([]byte(name), data...)
	e.out.Write(named)
	e.out.Write(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(named)))
}

// next is the next sequence number.
func (e *encoder) next() []byte {
	e.sequence++
	return binary.BigEndian.AppendUint32(nil, e.sequence-1)
}

// control announces a frame, which is drawn over what is there.
func (e *encoder) control(at image.Rectangle, stays time.Duration) {
	data := e.next()
	for _, n := range []int{at.Dx(), at.Dy(), at.Min.X, at.Min.Y} {
		data = binary.BigEndian.AppendUint32(data, uint32(n))
	}
	data = binary.BigEndian.AppendUint16(data, uint16(stays.Milliseconds()))
	e.chunk("fcTL", append(binary.BigEndian.AppendUint16(data, 1000), 0, 1))
}

// palette is no colour, and the 255 colours that are most frequent.
func palette(film []Frame) color.Palette {
	counts := map[color.RGBA]int{}
	for _, f := range film {
		each(f.Picture, func(_, _ int, c color.RGBA) { counts[c]++ })
	}
	list := make([]color.RGBA, 0, len(counts))
	for c := range counts {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	p := color.Palette{color.RGBA{}}
	for _, c := range list[:min(len(list), 255)] {
		p = append(p, c)
	}
	return p
}

func each(m image.Image, f func(x, y int, c color.RGBA)) {
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			f(x-b.Min.X, y-b.Min.Y, color.RGBAModel.Convert(m.At(x, y)).(color.RGBA))
		}
	}
}

// reduce draws a picture in the colours of the palette.
func (e *encoder) reduce(m image.Image) *image.Paletted {
	if e.indices == nil {
		e.indices = map[color.RGBA]uint8{}
	}
	out := image.NewPaletted(image.Rect(0, 0, m.Bounds().Dx(), m.Bounds().Dy()), e.palette)
	each(m, func(x, y int, c color.RGBA) {
		i, known := e.indices[c]
		if !known {
			i = uint8(1 + e.palette[1:].Index(c))
			e.indices[c] = i
		}
		out.Pix[y*out.Stride+x] = i
	})
	return out
}

// difference is the smallest part of a picture with all that differs from another; the rest of it is no colour.
func difference(before, now *image.Paletted) *image.Paletted {
	var at image.Rectangle
	for i := range now.Pix {
		if now.Pix[i] != before.Pix[i] {
			x, y := i%now.Stride, i/now.Stride
			at = at.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	if at.Empty() {
		at = image.Rect(0, 0, 1, 1)
	}
	part := image.NewPaletted(at, now.Palette)
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			if i := now.ColorIndexAt(x, y); i != before.ColorIndexAt(x, y) {
				part.SetColorIndex(x, y, i)
			}
		}
	}
	return part
}

// pngChunks are the contents of the chunks of a PNG file; those of a name are joined.
func pngChunks(m *image.Paletted) (map[string][]byte, error) {
	var file bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&file, m); err != nil {
		return nil, err
	}
	chunks := map[string][]byte{}
	for b := file.Bytes()[8:]; len(b) > 0; {
		n := binary.BigEndian.Uint32(b)
		chunks[string(b[4:8])] = append(chunks[string(b[4:8])], b[8:8+n]...)
		b = b[12+n:]
	}
	return chunks, nil
}
