package ui

import (
	"syscall/js"
	"unicode/utf8"

	"github.com/hexops/vecty"
	"honnef.co/go/js/dom/v2"
)

// Start puts the page in place of the first paint and returns; the browser's events do the rest.
func Start(session Session) error {
	if embedded() {
		return startEmbed(session)
	}
	platform := newBrowser()
	store := NewStore(session, platform)
	page := newPage(store, renderPlayground)
	store.Open()
	openAddress(store)
	listen("hashchange", func(js.Value) { openAddress(store) })
	listen("popstate", func(js.Value) {
		if file, ok := addressedExample(addressFragment()); ok && file != store.Model().Example {
			store.Do(LoadExample{file})
		}
	})
	store.Do(SetRoom{emptyRoom()})
	if err := vecty.RenderInto("#app", page); err != nil {
		return err
	}
	listen("keydown", func(e js.Value) { shortcut(store, keyboard(e)) })
	js.Global().Call("addEventListener", "keydown", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if !keyboard(args[0]).Get("key").IsUndefined() {
			rove(args[0])
		}
		return nil
	}))
	takeDrops(store)
	listenTo(platform.darkScheme(), "change", func(e js.Value) { store.Do(SystemTheme{e.Get("matches").Bool()}) })
	listen("pagehide", func(js.Value) { store.Leave() })
	listen("pageshow", func(e js.Value) {
		if e.Get("persisted").Truthy() {
			store.Do(Returned{})
		}
	})
	listen("storage", func(e js.Value) {
		if key := word(e, "key"); store.concerned(key) { // texts are long, and others type
			store.Do(Stored{key, word(e, "oldValue"), word(e, "newValue")})
		}
	})
	return nil
}

// addressOpened marks the entries of the history whose address has been opened.
const addressOpened = "opened"

func addressFragment() string { return js.Global().Get("location").Get("hash").String() }

// SetAddress implements Platform.
func (b browser) SetAddress(fragment string, further bool) {
	if fragment == addressFragment() {
		return
	}
	how, location := "replaceState", b.window.Get("location")
	if further {
		how = "pushState"
	}
	path := location.Get("pathname").String() + location.Get("search").String()
	b.window.Get("history").Call(how, addressOpened, "", path+fragment)
}

// openAddress opens the link in the address, or the embed builder for "#embed", but only once: after a reload the page
// keeps the user's changes.
func openAddress(store *Store) {
	history, fragment := js.Global().Get("history"), addressFragment()
	if len(fragment) < 2 || history.Get("state").Equal(js.ValueOf(addressOpened)) {
		return
	}
	if file, ok := addressedExample(fragment); ok {
		history.Call("replaceState", addressOpened, "", fragment)
		store.Do(LoadExample{file})
		return
	}
	history.Call("replaceState", addressOpened, "")
	if fragment == "#embed" {
		as := AsElement
		if _, site := addresses(); onDisk(site) {
			as = AsLink
		}
		store.Do(SetShare{newShareForm(as, store.Model())})
		return
	}
	store.Do(OpenLink{fragment})
}

// listen receives the window's events before every other listener.
func listen(event string, f func(event js.Value)) { listenTo(js.Global(), event, f) }

func listenTo(target js.Value, event string, f func(event js.Value)) {
	target.Call("addEventListener", event, js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	}), true)
}

// shortcut handles the page's keys. The editor's own F9 knows its cursor and comes first. A browser that fills in a
// form sends events of this name without keys.
func shortcut(store *Store, key *dom.KeyboardEvent) {
	if key.Get("key").IsUndefined() {
		return
	}
	control, target := key.CtrlKey() || key.MetaKey(), key.Get("target")
	letter := !control && !key.AltKey() && utf8.RuneCountInString(key.Key()) == 1
	if p := store.Model().Palette; p != nil && letter && !closest(target, "dialog").Truthy() {
		key.PreventDefault() // its field is drawn in the next frame, and has what was typed until then
		key.StopPropagation()
		store.Do(Search{p.Query + key.Key()})
		return
	}
	action := keyAction(key.Key(), key.ShiftKey(), control)
	if action == nil || key.AltKey() {
		return
	}
	if _, ok := action.(ToggleBreak); ok && inEditor(target) {
		return
	}
	if _, ok := action.(Pause); ok && (!store.Model().Running || closest(target, "dialog").Truthy()) {
		return // Escape closes what is open
	}
	if types(action) && takesText(target) || forPlayground(action) && embedded() {
		return
	}
	key.PreventDefault()
	key.StopPropagation()
	if next, ok := action.(NextPanel); ok {
		nextPanel(store.Model(), next.Back)
		return
	}
	if !key.Repeat() || isStep(action) {
		store.Do(action)
	}
}

// takesText says whether letters are typed into an element.
func takesText(target js.Value) bool {
	return closest(target, "input, textarea, select, [contenteditable=true]").Truthy()
}

func inEditor(target js.Value) bool { return closest(target, "#"+editorID).Truthy() }
