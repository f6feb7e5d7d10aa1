package ui

import (
	"errors"
	"fmt"
	"syscall/js"
)

// browser is the Platform of a page.
type browser struct{ window js.Value }

func newBrowser() browser { return browser{js.Global()} }

func (b browser) Now() float64 { return b.window.Get("performance").Call("now").Float() }

func (b browser) Frame(f func()) { b.window.Call("requestAnimationFrame", once(f)) }

// once is a callback that is called once and releases itself.
func once(f func()) js.Func {
	var callback js.Func
	callback = js.FuncOf(func(js.Value, []js.Value) any {
		callback.Release()
		f()
		return nil
	})
	return callback
}

func (b browser) After(milliseconds int, f func()) (cancel func()) {
	callback := once(f)
	id := b.window.Call("setTimeout", callback, milliseconds)
	return func() { b.window.Call("clearTimeout", id) }
}

// caught turns what JavaScript throws into an error.
func caught(err *error) {
	switch thrown := recover().(type) {
	case nil:
	case js.Error:
		*err = errors.New(thrown.Value.Get("name").String())
	default:
		*err = fmt.Errorf("%v", thrown)
	}
}

func (b browser) Load(key string) (value string, ok bool) {
	var err error
	defer func() { ok = ok && err == nil }()
	defer caught(&err)
	item := b.window.Get("localStorage").Call("getItem", key)
	if item.IsNull() {
		return "", false
	}
	return item.String(), true
}

func (b browser) Save(key, value string) (err error) {
	defer caught(&err)
	b.window.Get("localStorage").Call("setItem", key, value)
	return nil
}

func (b browser) Fetch(path string, f func(text string, err error)) {
	var gotResponse, gotText, failed js.Func
	done := func(text string, err error) {
		gotResponse.Release()
		gotText.Release()
		failed.Release()
		f(text, err)
	}
	gotResponse = js.FuncOf(func(_ js.Value, args []js.Value) any {
		if !args[0].Get("ok").Bool() {
			refusal := js.Global().Get("Error").New(fmt.Sprint("the server answers ", args[0].Get("status").Int()))
			return js.Global().Get("Promise").Call("reject", refusal)
		}
		return args[0].Call("text")
	})
	gotText = js.FuncOf(func(_ js.Value, args []js.Value) any {
		done(args[0].String(), nil)
		return nil
	})
	failed = js.FuncOf(func(_ js.Value, args []js.Value) any {
		done("", errors.New(args[0].Get("message").String()))
		return nil
	})
	b.window.Call("fetch", path).Call("then", gotResponse).Call("then", gotText, failed)
}

func (b browser) PrefersDark() bool { return b.darkScheme().Get("matches").Bool() }

// darkScheme is the system's choice, and hears when it changes.
func (b browser) darkScheme() js.Value {
	return b.window.Call("matchMedia", "(prefers-color-scheme: dark)")
}

func (b browser) SetTheme(dark bool) { dataset().Set("theme", themeName(dark)) }

func (b browser) SetTitle(title string) {
	if title != "" {
		title += " – "
	}
	b.window.Get("document").Set("title", title+"Warpscope")
}
