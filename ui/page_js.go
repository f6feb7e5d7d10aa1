package ui

import (
	"slices"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"
)

// Page is the root component. It takes the place of the first paint's #app.
type Page struct {
	vecty.Core
	store   *Store
	render  func(*Store) *vecty.HTML
	mounted bool
	changed bool // since it was drawn
}

// newPage makes the page of a store; it renders again after each change of the model. The structure that render gives
// never changes: an absent part is an empty element.
func newPage(store *Store, render func(*Store) *vecty.HTML) *Page {
	p := &Page{store: store, render: render}
	store.OnChange(func() {
		p.changed = true
		if p.mounted {
			vecty.Rerender(p)
		}
	})
	return p
}

// whole is what waits until all of the page is there. What makes the browser lay the page out does: earlier, it would
// have to do that again for the rest.
var whole struct {
	mounted bool
	waiting []func()
}

func whenWhole(f func()) {
	if whole.mounted {
		f()
		return
	}
	whole.waiting = append(whole.waiting, f)
}

// Mount implements vecty.Mounter. Changes since the page was drawn are rendered now.
func (p *Page) Mount() {
	p.mounted, whole.mounted = true, true
	for _, f := range whole.waiting {
		f()
	}
	whole.waiting = nil
	if p.changed {
		vecty.Rerender(p)
	}
}

// Render implements vecty.Component.
func (p *Page) Render() vecty.ComponentOrHTML {
	p.changed = false
	drawLive(p.store.Model(), p.store.Calm())
	return p.render(p.store)
}

// renderPlayground is the whole page.
func renderPlayground(store *Store) *vecty.HTML {
	m, send := store.Model(), Send(store.Do)
	return elem.Div(
		vecty.Markup(prop.ID("app"), vecty.Class("app"), vecty.ClassMap{"stale": m.Stale},
			vecty.Data("tab", m.tab()), vecty.Data("phase", pagePhase(m))),
		&Part{Draw: func() *vecty.HTML { return skipLinks(send) }},
		toolbar(store),
		timelineRow(m, send),
		&Notice{Model: m, Send: send},
		&FileNews{Model: m, Send: send},
		&Workspace{Model: m, Calm: store.Calm(), Send: send, Panels: map[string]panelMaker{
			editorPanel: func(m *Model) vecty.Component {
				return &EditorPanel{Model: m, Send: send, Fresh: store.Fresh, Card: store.Card, Files: true}
			},
			"lanes":       func(m *Model) vecty.Component { return &Lanes{Model: m, Send: send} },
			"registers":   func(m *Model) vecty.Component { return &Registers{Model: m, Send: send} },
			stackPanel:    func(m *Model) vecty.Component { return &Stack{Model: m, Send: send} },
			"memory":      func(m *Model) vecty.Component { return &Memory{Model: m, Send: send} },
			"launch":      func(m *Model) vecty.Component { return &Launch{Model: m, Send: send} },
			"problems":    func(m *Model) vecty.Component { return &Problems{Model: m, Send: send} },
			"output":      func(m *Model) vecty.Component { return &Output{Model: m, Send: send} },
			"statistics":  func(m *Model) vecty.Component { return &Statistics{Model: m, Send: send} },
			sourcePanel:   func(m *Model) vecty.Component { return &Source{Model: m, Send: send} },
			watchPanel:    func(m *Model) vecty.Component { return &Watch{Model: m, Send: send} },
			stopsPanel:    func(m *Model) vecty.Component { return &Stops{Model: m, Send: send} },
			accessPanel:   func(m *Model) vecty.Component { return &AccessPanel{Model: m, Send: send} },
			holdsPanel:    func(m *Model) vecty.Component { return &Holds{Model: m, Send: send} },
			countersPanel: func(m *Model) vecty.Component { return &Counters{Model: m, Send: send} },
			chartPanel:    func(m *Model) vecty.Component { return &Divergence{Model: m, Send: send} },
			flowPanel:     func(m *Model) vecty.Component { return &Flow{Model: m, Send: send} },
			warpsPanel:    func(m *Model) vecty.Component { return &Warps{Model: m, Send: send} },
		}},
		&Tabs{Tab: m.tab(), List: pageTabs(m), Problems: problemCount(m), Send: send},
		&Status{Model: m, Send: send},
		&ShareDialog{Model: m, Send: send, State: store.State},
		compareDialog(m.Compared, send),
		modelsDialog(m.Models, send),
		&Finder{Palette: m.Palette, Send: send},
		&ValueDialog{Edit: m.CellEdit, Send: send},
		originDialog(m.Origin, send),
		&PopMenu{Popup: m.Popup, Send: send},
		helpDialog(m.Help, send),
	)
}

// Tabs chooses the panel of the phone layout; wide screens do not show it.
type Tabs struct {
	vecty.Core
	Tab      string `vecty:"prop"`
	List     []tab  `vecty:"prop"`
	Problems int    `vecty:"prop"`
	Send     Send   `vecty:"prop"`
	inSight  string // the tab that was brought into sight
}

// SkipRender implements vecty.RenderSkipper.
func (t *Tabs) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Tabs)
	return ok && p.Tab == t.Tab && p.Problems == t.Problems && slices.Equal(p.List, t.List)
}

// Render implements vecty.Component. A tab can be chosen elsewhere, as in the palette: it comes into sight.
func (t *Tabs) Render() vecty.ComponentOrHTML {
	if t.inSight != t.Tab {
		t.inSight = t.Tab
		newBrowser().Frame(func() { showCurrent(".tabs [aria-pressed=true]") })
	}
	buttons := make(vecty.List, len(t.List))
	for i, entry := range t.List {
		problems := ""
		if entry.key == "problems" && t.Problems > 0 {
			problems = count(int64(t.Problems))
		}
		buttons[i] = elem.Button(
			vecty.Markup(prop.Type(prop.TypeButton), aria("pressed", boolWord(entry.key == t.Tab)),
				onClick(func() { t.Send(SelectTab{entry.key}) })),
			vecty.Text(entry.label),
			elem.Span(vecty.Markup(vecty.Class("count"), aria("hidden", "true")), vecty.Text(problems)),
		)
	}
	return elem.Navigation(vecty.Markup(vecty.Class("tabs"), aria("label", "Panels")), buttons)
}
