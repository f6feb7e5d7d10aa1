package ui

import "syscall/js"

// drawPicture puts pixels, four bytes R G B A each, on the canvas with that id.
func drawPicture(id string, width, height int, rgba []byte) {
	picture := canvas(byID(id).Value)
	if !picture.Truthy() {
		return
	}
	if picture.Width() != width || picture.Height() != height {
		picture.SetWidth(width)
		picture.SetHeight(height)
	}
	context := picture.GetContext2d()
	image := context.CreateImageData(width, height)
	// The data are clamped bytes, which CopyBytesToJS accepts.
	js.CopyBytesToJS(image.Data(), rgba)
	context.Call("putImageData", image.Value, 0, 0) // PutImageData would pass a Go pointer to JavaScript, and panic
}
