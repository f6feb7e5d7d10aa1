package emu

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/mem"
	"warpscope/emu/texture"
	"warpscope/internal/txtar"
)

// Programs can write the 64 bytes of an encoding as they like.
func TestForgedTextures(t *testing.T) {
	const image = 4096
	d := load(t, txtar.Text(t, "texture_forged/fetching"))
	data, err := d.Alloc(image)
	require.NoError(t, err)
	good := texture.Description{Kind: texture.Image, Data: data, Width: 8, Height: 8, Channels: 1, Format: texture.UNorm8}
	for _, c := range []struct {
		change func(*texture.Description)
		want   string
	}{
		{func(t *texture.Description) {}, ""},
		{func(t *texture.Description) { t.Channels = 255 },
			"there is no texture here: an element has 1, 2 or 4 channels, not 255"},
		{func(t *texture.Description) { t.Channels = 3 }, "an element has 1, 2 or 4 channels, not 3"},
		{func(t *texture.Description) { t.Format = 12 }, "there is no format 12"},
		{func(t *texture.Description) { t.Kind = 4 }, "there is no kind 4 of texture, sampler or surface"},
		{func(t *texture.Description) { t.Compare = 4 }, "there is no comparison 4"},
		{func(t *texture.Description) { t.Address[2] = 255 }, "there is no address mode 255"},
		{func(t *texture.Description) { t.Levels = 255 }, "there are at most 65536 layers, 16 levels and 16 samples"},
		{func(t *texture.Description) { t.Samples = 17 }, "there are at most 65536 layers, 16 levels and 16 samples"},
		{func(t *texture.Description) { t.Layers = math.MaxUint32 },
			"there are at most 65536 layers, 16 levels and 16 samples"},
		// 536870911 · 536870913 · 64 is 2^64 - 64, and 65536 · 12648641 · 22253377 is 2^64 + 65536
		{func(t *texture.Description) { t.Width, t.Height, t.Depth = 536870911, 536870913, 64 },
			"at most 4,294,967,296 elements"},
		{func(t *texture.Description) { t.Width, t.Height, t.Depth = 65536, 12648641, 22253377 },
			"at most 4,294,967,296 elements"},
		// 2^31 · 2 · 1 elements are allowed, but no image has them here
		{func(t *texture.Description) { t.Width, t.Height = 1<<31, 2 }, "no image is bound to this texture"},
		{func(t *texture.Description) { t.Width, t.Height, t.Layers, t.Samples = math.MaxUint32, 0, 1<<16, 16 },
			"no image is bound to this texture"},
		{func(t *texture.Description) { t.Data = math.MaxUint64 - 8 }, "no image is bound to this texture"},
		{func(t *texture.Description) { t.Width = image/8 + 1 }, "no image is bound to this texture"},
	} {
		forged := good
		c.change(&forged)
		encoding := hostBytes(t, d, forged.Encode())
		g, err := d.Launch(Config{Entry: "k", Args: [][]byte{Ptr(encoding)}})
		require.NoError(t, err)
		if err = g.Run(context.Background()); c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.want)
		require.Equal(t, IllegalAddress, err.(*Fault).Kind)
	}
}

// Surfaces: nothing outside of the image is read or written, wherever its rows end.
func TestForgedSurfaces(t *testing.T) {
	d := load(t, txtar.Text(t, "texture_forged/fetching"))
	data, err := d.Alloc(4)
	require.NoError(t, err)
	constant, err := d.Reserve(4, "constant", mem.Const)
	require.NoError(t, err)
	good := texture.Description{Kind: texture.Surface, Data: data, Width: 1, Channels: 1, Format: texture.U32}
	for _, c := range []struct {
		change func(*texture.Description)
		want   string
	}{
		{func(t *texture.Description) {}, ""},
		{func(t *texture.Description) { t.Width, t.Height, t.Depth = 65536, 12648641, 22253377 },
			"at most 4,294,967,296 elements"},
		// rows of 1 and 0 bytes have no place for the 4 bytes of the access, not even the nearest
		{func(t *texture.Description) { t.Format = texture.U8 },
			"out of bounds: address 0x1388 (4 bytes, surface); byte 5000 of row 5000"},
		{func(t *texture.Description) { t.Width = 0 },
			"out of bounds: address 0x1388 (4 bytes, surface); byte 5000 of row 5000"},
		{func(t *texture.Description) { t.Data = constant }, "no image is bound to this surface"},
	} {
		forged := good
		c.change(&forged)
		g, err := d.Launch(Config{Entry: "s", Args: [][]byte{Ptr(hostBytes(t, d, forged.Encode()))}})
		require.NoError(t, err)
		if err = g.Run(context.Background()); c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.want)
	}
}
