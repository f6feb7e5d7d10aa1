package browser

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"image"
	"image/png"
	"os"
	"path"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "draw the icons again")

// drawing paints favicon.svg: as it is, or for masks that cut the corners off, smaller on a ground of its own colour.
const drawing = `(async (size, share) => {
	const canvas = Object.assign(document.createElement("canvas"), { width: size, height: size });
	const context = canvas.getContext("2d");
	const svg = await (await fetch("favicon.svg")).text();
	const picture = new Image();
	picture.src = "data:image/svg+xml," + encodeURIComponent(svg.replace("<svg ", '<svg width="1024" height="1024" '));
	await picture.decode();
	if (share < 1) {
		context.fillStyle = /fill="(.*?)"/.exec(svg)[1];
		context.fillRect(0, 0, size, size);
	}
	const margin = size * (1 - share) / 2;
	context.drawImage(picture, margin, margin, size - 2 * margin, size - 2 * margin);
	return canvas.toDataURL("image/png").split(",")[1];
})`

// The icons are favicon.svg at the sizes that systems ask for.
func TestIcons(t *testing.T) {
	v := open(t, setting{}).ready()
	var manifest struct {
		Icons []struct{ Src, Sizes, Type string }
	}
	content, err := os.ReadFile("../public/manifest.webmanifest")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, &manifest))
	drawn := map[string]string{
		"icons/192.png":          drawing + "(192, 1)",
		"icons/512.png":          drawing + "(512, 1)",
		"icons/maskable-512.png": drawing + "(512, 0.85)",
	}
	require.Len(t, manifest.Icons, 1+len(drawn))
	for _, icon := range manifest.Icons {
		file := path.Join("../public", icon.Src)
		if icon.Type == "image/svg+xml" {
			require.FileExists(t, file)
			continue
		}
		want, err := base64.StdEncoding.DecodeString(js[string](v, drawn[icon.Src]))
		require.NoError(t, err)
		if *update {
			require.NoError(t, os.MkdirAll(path.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, want, 0o644))
		}
		have, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Less(t, difference(t, have, want), 0.01, "%s is not favicon.svg; run this test with -update", icon.Src)
	}
}

// Chromium finds nothing that prevents installing the site, but that this profile is private.
func TestInstallable(t *testing.T) {
	v := open(t, setting{}).ready().kept()
	v.run(chromedp.ActionFunc(func(ctx context.Context) error {
		_, wrong, _, _, err := page.GetAppManifest().Do(ctx)
		require.Empty(t, wrong)
		if err != nil {
			return err
		}
		obstacles, err := page.GetInstallabilityErrors().Do(ctx)
		for _, obstacle := range obstacles {
			require.Equal(t, "in-incognito", obstacle.ErrorID)
		}
		return err
	}))
}

// difference is the mean difference of two pictures' colours, from 0 to 1; browsers draw edges differently.
func difference(t *testing.T, a, b []byte) float64 {
	pictures := [2]image.Image{}
	for i, content := range [][]byte{a, b} {
		picture, err := png.Decode(bytes.NewReader(content))
		require.NoError(t, err)
		pictures[i] = picture
	}
	bounds := pictures[0].Bounds()
	require.Equal(t, bounds, pictures[1].Bounds())
	sum := 0.0
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			r1, g1, b1, _ := pictures[0].At(x, y).RGBA()
			r2, g2, b2, _ := pictures[1].At(x, y).RGBA()
			for _, d := range [][2]uint32{{r1, r2}, {g1, g2}, {b1, b2}} {
				sum += float64(max(d[0], d[1])-min(d[0], d[1])) / 0xffff
			}
		}
	}
	return sum / float64(3*bounds.Dx()*bounds.Dy())
}
