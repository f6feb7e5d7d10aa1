package browser

import (
	"bytes"
	"image/png"
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"warpscope/internal/apng"
)

// TestPicture makes the picture of README.md from the page: steps of example 5 up to its end. It writes the file
// that WARPSCOPE_PICTURE names.
func TestPicture(t *testing.T) {
	name := os.Getenv("WARPSCOPE_PICTURE")
	if name == "" {
		t.Skip("WARPSCOPE_PICTURE names no file")
	}
	v := open(t, setting{width: 1200, height: 750}).ready()
	v.load("05-")
	v.button("Run") // the timeline then knows where the warp splits
	v.status("Finished")
	var film []apng.Frame
	frame := func(stays time.Duration) {
		v.settle()
		var file []byte
		v.run(chromedp.CaptureScreenshot(&file))
		picture, err := png.Decode(bytes.NewReader(file))
		require.NoError(t, err)
		film = append(film, apng.Frame{Picture: picture, Stays: stays})
	}
	for _, step := range []int{2, 3, 5, 6, 8, 10, 11, 13, 15, 16, 18, 20, 22} { // it splits, meets and stores
		v.seek(step)
		frame(1200 * time.Millisecond)
	}
	v.seek(27)
	frame(3 * time.Second)
	var out bytes.Buffer
	require.NoError(t, apng.Encode(&out, film))
	require.Less(t, out.Len(), 500_000)
	require.NoError(t, os.WriteFile(name, out.Bytes(), 0o644))
}
