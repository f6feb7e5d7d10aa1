package ui

import "syscall/js"

// drawPicture puts pixels, four bytes R G B A each, on the canvas with that id.
func drawPicture(id string, width, height int, rgba []byte) {
	canvas := js.Global().Get("document").Call("getElementById", id)
	if canvas.IsNull() {
		return
	}
	if canvas.Get("width").Int() != width || canvas.Get("height").Int() != height {
		canvas.Set("width", width)
		canvas.Set("height", height)
	}
	context := canvas.Call("getContext", "2d")
	image := context.Call("createImageData", width, height)
	// The data are clamped bytes, which CopyBytesToJS takes as they are.
	js.CopyBytesToJS(image.Get("data"), rgba)
	context.Call("putImageData", image, 0, 0)
}
