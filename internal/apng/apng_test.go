package apng

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A film of two pictures that differ in one pixel: a reader of PNG sees the first one, and the second frame is that
// pixel, at its place, after half a second.
func TestEncode(t *testing.T) {
	red, blue := color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}
	a, b := image.NewRGBA(image.Rect(0, 0, 4, 3)), image.NewRGBA(image.Rect(0, 0, 4, 3))
	for i := range 12 {
		a.Set(i%4, i/4, red)
		b.Set(i%4, i/4, red)
	}
	b.Set(2, 1, blue)
	var file bytes.Buffer
	require.NoError(t, Encode(&file, []Frame{{a, 500 * time.Millisecond}, {b, time.Second}}))
	first, err := png.Decode(bytes.NewReader(file.Bytes()))
	require.NoError(t, err)
	require.Equal(t, a.Bounds(), first.Bounds())
	require.Equal(t, red, color.RGBAModel.Convert(first.At(2, 1)))

	var names []string
	var controls [][]byte
	for b := file.Bytes()[8:]; len(b) > 0; {
		n := binary.BigEndian.Uint32(b)
		require.Equal(t, crc32.ChecksumIEEE(b[4:8+n]), binary.BigEndian.Uint32(b[8+n:]))
		if names = append(names, string(b[4:8])); names[len(names)-1] == "fcTL" {
			controls = append(controls, b[8:8+n])
		}
		b = b[12+n:]
	}
	require.Equal(t, []string{"IHDR", "acTL", "PLTE", "tRNS", "fcTL", "IDAT", "fcTL", "fdAT", "IEND"}, names)
	// PNG 11.3.6.2: sequence number, width, height, x, y, delay as a fraction, dispose, blend
	require.Equal(t, []byte{0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 244, 3, 232, 0, 1}, controls[0])
	require.Equal(t, []byte{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 3, 232, 3, 232, 0, 1}, controls[1])
}
