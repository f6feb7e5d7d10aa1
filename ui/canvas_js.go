package ui

import (
	"syscall/js"

	"honnef.co/go/js/dom/v2"
)

// drawPicture puts pixels, four bytes R G B A each, on the canvas with that id.
func drawPicture(id string, width, height int, rgba []byte) {
	canvas, ok := dom.GetWindow().Document().GetElementByID(id).(*dom.HTMLCanvasElement)
	if !ok {
		return
	}
	if canvas.Width() != width || canvas.Height() != height {
		canvas.SetWidth(width)
		canvas.SetHeight(height)
	}
	context := canvas.GetContext2d()
	image := context.CreateImageData(width, height)
	// The data are clamped bytes, which CopyBytesToJS takes as they are.
	js.CopyBytesToJS(image.Data(), rgba)
	context.Call("putImageData", image.Value, 0, 0)
}
