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

// caught turns an exception of JavaScript into an error.
func caught(err *error) {
	switch thrown := recover().(type) {
	case nil:
	case js.Error:
		*err = errors.New(thrown.Value.Get("name").String())
	default:
		*err = fmt.Errorf("%v", thrown)
	}
}

// storage is a storage of the window. If cookies are blocked, and in sandboxes, even reading its name throws an
// exception, which Call can catch and Get cannot.
func (b browser) storage(name string) (storage js.Value, err error) {
	defer caught(&err)
	if storage = b.window.Get("Reflect").Call("get", b.window, name); !storage.Truthy() {
		err = ErrNoStorage
	}
	return storage, err
}

// stored calls a method of a storage.
func (b browser) stored(name, method string, args ...any) (value js.Value, err error) {
	storage, err := b.storage(name)
	if err != nil {
		return js.Null(), ErrNoStorage
	}
	defer caught(&err)
	return storage.Call(method, args...), nil
}

const (
	local   = "localStorage"
	session = "sessionStorage" // of this window
)

func (b browser) Load(key string) (value string, ok bool) { return b.load(local, key) }

func (b browser) load(storage, key string) (value string, ok bool) {
	item, err := b.stored(storage, "getItem", key)
	if err != nil || item.Type() != js.TypeString {
		return "", false
	}
	return item.String(), true
}

func (b browser) Save(key, value string) error {
	_, err := b.stored(local, "setItem", key, value)
	return err
}

// Forget implements Platform.
func (b browser) Forget(key string) { _, _ = b.stored(local, "removeItem", key) }

func (b browser) Keys() []string {
	var keys []string
	for i := 0; ; i++ {
		key, err := b.stored(local, "key", i)
		if err != nil || key.Type() != js.TypeString {
			return keys
		}
		keys = append(keys, key.String())
	}
}

// boot.js reads it too.
const keyWindow = "warpscope.window"

func (b browser) Window() string {
	name, _ := b.load(session, keyWindow)
	return name
}

func (b browser) SetWindow(name string) { _, _ = b.stored(session, "setItem", keyWindow, name) }

func (b browser) Ask(on bool) {
	if !on {
		b.window.Set("onbeforeunload", js.Null())
		return
	}
	b.window.Set("onbeforeunload", js.FuncOf(func(js.Value, []js.Value) any { return "Not everything is kept." }))
}

// Fetch implements Platform. What boot.js has fetched is there at once.
func (b browser) Fetch(path string, f func(text string, err error)) {
	if early := b.window.Get("warpscopeFetched"); early.Truthy() && early.Get(path).Type() == js.TypeString {
		f(early.Get(path).String(), nil)
		return
	}
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

// darkScheme is the system's choice of a theme, and has an event for its changes.
func (b browser) darkScheme() js.Value {
	return b.window.Call("matchMedia", "(prefers-color-scheme: dark)")
}

func (b browser) SetTheme(dark bool) { root().SetAttribute("data-theme", themeName(dark)) }

func (b browser) SetTitle(title string) {
	if title != "" {
		title += " – "
	}
	htmlDocument().Set("title", title+"Warpscope")
}
