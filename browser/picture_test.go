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

// TestPicture makes the picture of README.md from the page: example 5 from its first step to the end. It writes the file
// that WARPSCOPE_PICTURE names.
func TestPicture(t *testing.T) {
	name := os.Getenv("WARPSCOPE_PICTURE")
	if name == "" {
		t.Skip("WARPSCOPE_PICTURE names no file")
	}
	v := open(t, setting{width: 1280, height: 800}).ready()
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
	for step := 2; step <= 26; step++ {
		v.seek(step)
		frame(900 * time.Millisecond)
	}
	v.seek(27)
	frame(3 * time.Second)
	var out bytes.Buffer
	require.NoError(t, apng.Encode(&out, film))
	require.Less(t, out.Len(), 500_000)
	require.NoError(t, os.WriteFile(name, out.Bytes(), 0o644))
}
