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
	picture.GetContext2d().Call("putImageData", imageData(width, height, rgba), 0, 0)
}

func imageData(width, height int, rgba []byte) js.Value {
	image := js.Global().Get("ImageData").New(width, height)
	js.CopyBytesToJS(image.Get("data"), rgba) // clamped bytes, which it accepts
	return image
}
