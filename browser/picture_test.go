package browser

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A picture is saved from Memory as a .png, in which each pixel is as the program wrote it. The Mandelbrot set of
// example 15 has 416 x 320 of them.
func TestPictureIsSaved(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("15-")
	v.button("Run")
	v.status("Finished")
	v.holds(`document.querySelector("#memory-picture")`)
	saved := js[[]any](v, `new Promise((resolve, reject) => {
		setTimeout(() => reject(new Error("nothing was saved")), 10000);
		const make = URL.createObjectURL;
		let blob;
		URL.createObjectURL = (given) => make(blob = given);
		HTMLAnchorElement.prototype.click = async function () {
			const bitmap = await createImageBitmap(blob), { width, height } = bitmap;
			const drawn = document.querySelector("#memory-picture").getContext("2d").getImageData(0, 0, width, height).data;
			const context = new OffscreenCanvas(width, height).getContext("2d");
			context.drawImage(bitmap, 0, 0);
			const pixels = context.getImageData(0, 0, width, height).data;
			resolve([this.download, blob.type, width, height, pixels.every((one, i) => one === drawn[i]),
				new Set(new Uint32Array(pixels.buffer)).size > 10]);
		};
		document.querySelector("[aria-label='Save picture as a .png file']").click();
	})`)
	require.Equal(t, []any{"picture.png", "image/png", 416., 320., true, true}, saved)
}
