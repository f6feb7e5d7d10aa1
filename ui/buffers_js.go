package ui

import (
	"strings"
	"syscall/js"
)

// PickContents implements Platform.
func (b browser) PickContents(f func(FillBuffer)) {
	field := input(create("input").Value)
	field.SetType("file")
	var chosen js.Func
	chosen = js.FuncOf(func(js.Value, []js.Value) any {
		chosen.Release()
		readContents(field.Get("files"), f)
		return nil
	})
	field.Call("addEventListener", "change", chosen)
	field.Click()
}

// readContents passes on the bytes of the first file of a list. The browser decodes pictures.
func readContents(list js.Value, f func(FillBuffer)) {
	if list.Length() == 0 {
		return
	}
	file := list.Index(0)
	name := file.Get("name").String()
	if strings.HasPrefix(file.Get("type").String(), "image/") {
		then(js.Global().Call("createImageBitmap", file), func(bitmap js.Value) {
			w, h := bitmap.Get("width").Int(), bitmap.Get("height").Int()
			if 4*w*h > maxNumbers { // refused for its size, without its pixels
				f(FillBuffer{Name: name, Picture: true, W: w, H: h})
				return
			}
			canvas := js.Global().Get("OffscreenCanvas").New(w, h)
			drawing := canvas.Call("getContext", "2d")
			drawing.Call("drawImage", bitmap, 0, 0)
			pixels := drawing.Call("getImageData", 0, 0, w, h).Get("data")
			f(FillBuffer{Name: name, Text: bytesOf(pixels), Picture: true, W: w, H: h})
		}, func() { f(FillBuffer{Name: name, Picture: true}) })
		return
	}
	then(file.Call("slice", 0, maxFile).Call("arrayBuffer"), func(buffer js.Value) {
		f(FillBuffer{Name: name, Text: bytesOf(js.Global().Get("Uint8Array").New(buffer))})
	}, nil)
}

// then calls f with the value of a promise, or refused if there will be none; that may be nil.
func then(promise js.Value, f func(js.Value), refused func()) {
	var got, not js.Func
	release := func() {
		got.Release()
		not.Release()
	}
	got = js.FuncOf(func(_ js.Value, args []js.Value) any {
		release()
		f(args[0])
		return nil
	})
	not = js.FuncOf(func(js.Value, []js.Value) any {
		release()
		if refused != nil {
			refused()
		}
		return nil
	})
	promise.Call("then", got, not)
}

func bytesOf(array js.Value) string {
	data := make([]byte, array.Length())
	js.CopyBytesToGo(data, array)
	return string(data)
}

// DownloadPicture implements Platform.
func (b browser) DownloadPicture(name string, width, height int, rgba []byte) {
	canvas := b.window.Get("OffscreenCanvas").New(width, height)
	canvas.Call("getContext", "2d").Call("putImageData", imageData(width, height, rgba), 0, 0)
	then(canvas.Call("convertToBlob"), func(blob js.Value) { b.download(name, blob, "image/png") }, nil)
}

// DownloadBytes implements Platform.
func (b browser) DownloadBytes(name string, data []byte) {
	array := b.window.Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(array, data)
	b.download(name, array, "application/octet-stream")
}
