package ui

import (
	"cmp"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"
	"honnef.co/go/js/dom/v2"

	"warpscope/debug"
	"warpscope/share"
)

// embedded says whether this page is a frame in another site's documentation.
func embedded() bool { return root().HasAttribute("data-embed") }

// root is the element of the whole page; the style sheets look at its data-… attributes.
func root() *dom.BasicHTMLElement { return element(htmlDocument().Get("documentElement")) }

// frame is the Platform of an embed: it stores nothing, so that frames are independent of each other and of the
// playground.
type frame struct {
	browser
	kept map[string]string
}

func (f frame) Load(key string) (string, bool) { value, ok := f.kept[key]; return value, ok }
func (f frame) Save(key, value string) error   { f.kept[key] = value; return nil }
func (f frame) Forget(key string)              { delete(f.kept, key) }
func (f frame) Keys() []string                 { return nil }
func (f frame) Window() string                 { return "" }
func (f frame) SetAddress(string, bool)        {}
func (f frame) Ask(bool)                       {}
func (f frame) PrefersDark() bool              { return root().GetAttribute("data-theme") == "dark" }

// startEmbed puts the embed in place of the first paint.
func startEmbed(session Session) error {
	location := js.Global().Get("location")
	query := js.Global().Get("URLSearchParams").New(location.Get("search"))
	options := embedOptions(func(name string) (string, bool) {
		value := query.Call("get", name)
		return value.String(), !value.IsNull()
	}, location.Get("hash").String())

	store := NewStore(session, frame{newBrowser(), map[string]string{}})
	store.model.Embedded, store.model.ReadOnly, store.model.Fold = true, options.ReadOnly, options.Fold
	store.model.Panels = knownPanels(nil)
	page := newPage(store, renderEmbed)
	store.Do(OpenLink{options.Link})
	if options.Panels != nil {
		store.update(func(m *Model) { m.Panels, m.Tab = options.Panels, options.Panels[0] })
	}
	if err := vecty.RenderInto("#app", page); err != nil {
		return err
	}
	listen("keydown", func(e js.Value) { shortcut(store, keyboard(e)) })
	follow(store, options)
	return nil
}

// renderEmbed is the page of a frame. The chosen panels stay; problems and output appear when there are some.
func renderEmbed(store *Store) *vecty.HTML {
	m, send := store.Model(), Send(store.Do)
	return elem.Div(
		vecty.Markup(prop.ID("app"), vecty.Class("app", "embed"), vecty.Data("tab", m.tab()),
			vecty.Data("phase", phaseWord(m)), vecty.ClassMap{"single": len(embedTabs(m)) < 2, "stale": m.Stale}),
		embedToolbar(store),
		&Notice{Model: m, Send: send},
		elem.Main(
			embedName(m),
			&EditorPanel{Model: m, Send: send, Fresh: store.Fresh, Card: store.Card},
			elem.Div(vecty.Markup(vecty.Class("side"), vecty.ClassMap{"empty": !m.shows("stack") && !m.shows("registers")}),
				when(m.shows("stack"), &Stack{Model: m, Send: send}),
				when(m.shows("registers"), &Registers{Model: m, Send: send}),
			),
			&Tabs{Tab: m.tab(), List: embedTabs(m), Problems: problemCount(m), Send: send},
			when(m.shows("lanes"), &Lanes{Model: m, Send: send}),
			when(m.shows("memory"), &Memory{Model: m, Send: send}),
			when(m.shows("launch"), &Launch{Model: m, Send: send}),
			elem.Div(vecty.Markup(vecty.Class("extra"), vecty.ClassMap{"empty": !m.shows("problems") && !speaks(m)}),
				&Problems{Model: m, Send: send}),
			elem.Div(vecty.Markup(vecty.Class("extra"), vecty.ClassMap{"empty": !m.shows("output") && !printed(m)}),
				&Output{Model: m, Send: send}),
			when(m.shows("statistics"), &Statistics{Model: m, Send: send}),
			when(m.shows(warpsPanel), &Warps{Model: m, Send: send}),
			when(m.shows(chartPanel), &Divergence{Model: m, Send: send}),
			when(m.shows(watchPanel), &Watch{Model: m, Send: send}),
			when(m.shows(flowPanel), &Flow{Model: m, Send: send}),
			when(m.shows(accessPanel), &AccessPanel{Model: m, Send: send}),
			when(m.shows(countersPanel), &Counters{Model: m, Send: send}),
			when(m.shows(holdsPanel), &Holds{Model: m, Send: send}),
			when(m.shows(stopsPanel), &Stops{Model: m, Send: send}),
		),
		&Status{Model: m},
	)
}

// embedName tells the landmarks of a frame from those of the page around it, and of other frames.
func embedName(m *Model) vecty.MarkupList {
	return vecty.Markup(aria("label", cmp.Or(m.Title, "Program")))
}

// when is the panel, or an empty element in its place.
func when(shown bool, panel vecty.Component) vecty.MarkupOrChild {
	if shown {
		return panel
	}
	return elem.Span(vecty.Markup(attr("hidden", "")))
}

func embedToolbar(store *Store) *vecty.HTML {
	m, send := store.Model(), Send(store.Do)
	v := &m.View
	return elem.Header(vecty.Markup(vecty.Class("toolbar")), embedName(m),
		elem.Div(vecty.Markup(vecty.Class("brand")), brandMark(), elem.Heading1(vecty.Text(m.Title))),
		&Commands{Runs: v.Phase != debug.Invalid && !m.Stale, Running: m.Running, Started: v.Tick > 0 || v.Edits > 0,
			AtEnd: atEnd(m.View), Send: send},
		&Timeline{Still: m.Running || v.End == 0, Send: send},
		&StaleNote{Words: staleWords(m), Tick: againTick(m), Send: send},
		&OpenElsewhere{State: store.State},
	)
}

// OpenElsewhere opens the playground with the current program. The address is made when the link is about to be used.
type OpenElsewhere struct {
	vecty.Core
	State func() share.State
}

// SkipRender implements vecty.RenderSkipper.
func (*OpenElsewhere) SkipRender(vecty.Component) bool { return true }

// Render implements vecty.Component.
func (o *OpenElsewhere) Render() vecty.ComponentOrHTML {
	update := func(e *vecty.Event) {
		closest(e.Target, "a").SetAttribute("href", "index.html#"+share.Encode(o.State()))
	}
	return elem.Anchor(vecty.Markup(vecty.Class("elsewhere"), prop.Href("index.html"), attr("target", "_blank"),
		attr("rel", "noopener"),
		&vecty.EventListener{Name: "pointerenter", Listener: update}, &vecty.EventListener{Name: "focus", Listener: update},
		&vecty.EventListener{Name: "pointerdown", Listener: update}, &vecty.EventListener{Name: "click", Listener: update}),
		vecty.Text("Open in playground"))
}

// follow tells the page around the frame what happens, and does what it asks for.
func follow(store *Store, o EmbedOptions) {
	f := &follower{store: store, text: store.text}
	rerender := store.changed
	store.OnChange(func() {
		rerender()
		f.changed()
	})
	tellSize()
	f.inform("ready", js.Undefined())
	parent := js.Global().Get("parent")
	listen("message", func(e js.Value) {
		data := e.Get("data")
		if o.Host == "" || !e.Get("source").Equal(parent) || e.Get("origin").String() != o.Host ||
			data.Type() != js.TypeObject || !data.Get("warpscope").Equal(js.ValueOf(1)) {
			return
		}
		action, known := embedCommand(word(data, "type"), word(data, "link"))
		if !known {
			return
		}
		if action != nil {
			store.Do(action)
		}
		f.waiting = append(f.waiting, data.Get("id"))
		f.changed()
	})
}

// word is a field of a message that is a string.
func word(data js.Value, name string) string {
	if v := data.Get(name); v.Type() == js.TypeString {
		return v.String()
	}
	return ""
}

// follower tells the page around the frame what the store does. Changes come in bursts; the follower sends the result
// of a burst when it is over.
type follower struct {
	store   *Store
	text    string
	phase   string // told last
	tick    int64
	moved   bool
	waiting []js.Value // ids of commands that wait for the machine to pause
	soon    bool
}

func (f *follower) changed() {
	m := f.store.Model()
	f.moved = f.moved || m.Running || phaseWord(m) != f.phase || m.View.Tick != f.tick
	if !f.soon {
		f.soon = true
		f.store.platform.After(0, f.flush)
	}
}

func (f *follower) flush() {
	f.soon = false
	if f.text != f.store.text {
		f.text = f.store.text
		tell(map[string]any{"type": "source", "text": f.text})
	}
	if f.moved {
		f.inform("state", js.Undefined())
	}
	if f.store.Model().Running {
		return
	}
	f.moved = false
	for _, id := range f.waiting {
		f.inform("done", id)
	}
	f.waiting = nil
}

func (f *follower) inform(kind string, id js.Value) {
	m := f.store.Model()
	f.phase, f.tick = phaseWord(m), m.View.Tick
	message := embedState(m)
	message["type"], message["id"] = kind, id
	tell(message)
}

// tell sends a message through frame.js, which knows the receiver.
func tell(message map[string]any) { js.Global().Call("warpscopeTell", message) }

// tellSize sends the height of the content, now and whenever it changes.
func tellSize() {
	app := byID("app")
	js.Global().Get("ResizeObserver").New(js.FuncOf(func(js.Value, []js.Value) any {
		tell(map[string]any{"type": "size", "height": app.OffsetHeight()})
		return nil
	})).Call("observe", app.Value)
}
