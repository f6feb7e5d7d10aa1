package ui

import (
	"syscall/js"

	"github.com/hexops/vecty"
	"honnef.co/go/js/dom/v2"
)

// Start puts the page in place of the first paint and returns; the browser's events do the rest.
func Start(session Session) error {
	store := NewStore(session, newBrowser())
	store.Open()
	if err := vecty.RenderInto("#app", NewPage(store)); err != nil {
		return err
	}
	window := dom.GetWindow()
	window.AddEventListener("keydown", true, func(e dom.Event) {
		if key, ok := e.(*dom.KeyboardEvent); ok {
			shortcut(store, key)
		}
	})
	window.AddEventListener("pagehide", false, func(dom.Event) { store.Leave() })
	return nil
}

// shortcut serves the page's keys. The editor's own F9 knows its cursor and comes first.
func shortcut(store *Store, key *dom.KeyboardEvent) {
	action := keyAction(key.Key(), key.ShiftKey(), key.CtrlKey() || key.MetaKey())
	if action == nil || key.AltKey() {
		return
	}
	if _, ok := action.(ToggleBreak); ok && inEditor(key.Underlying().Get("target")) {
		return
	}
	key.PreventDefault()
	key.StopPropagation()
	if !key.Repeat() || isStep(action) {
		store.Do(action)
	}
}

func inEditor(target js.Value) bool {
	return target.Get("closest").Truthy() && target.Call("closest", "#"+editorID).Truthy()
}
