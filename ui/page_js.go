package ui

import (
	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/prop"
)

// Page is the root component. It takes the place of the first paint's #app.
type Page struct {
	vecty.Core
	store   *Store
	mounted bool
}

// NewPage makes the page of a store; it renders again after each change of the model.
func NewPage(store *Store) *Page {
	p := &Page{store: store}
	store.OnChange(func() {
		if p.mounted {
			vecty.Rerender(p)
		}
	})
	return p
}

// Mount implements vecty.Mounter. What changed before is rendered now.
func (p *Page) Mount() {
	p.mounted = true
	vecty.Rerender(p)
}

// Render implements vecty.Component. Its structure never changes: what can be absent is an empty element.
func (p *Page) Render() vecty.ComponentOrHTML {
	m, send := p.store.Model(), Send(p.store.Do)
	return elem.Div(
		vecty.Markup(prop.ID("app"), vecty.Class("app"), vecty.Data("tab", m.Tab), vecty.Data("phase", phaseWord(m))),
		toolbar(m, send),
		&Notice{Model: m, Send: send},
		elem.Main(
			&EditorPanel{Model: m, Send: send, Fresh: p.store.Fresh},
			elem.Div(vecty.Markup(vecty.Class("side")),
				&Stack{Model: m, Send: send},
				&Launch{Model: m, Send: send},
			),
			&Registers{Model: m, Send: send},
			&Tabs{Tab: m.Tab, Problems: len(m.View.Diagnostics), Send: send},
			&Lanes{Model: m, Send: send},
			&Memory{Model: m, Send: send},
			&Problems{Model: m, Send: send},
			&Output{Model: m, Send: send},
			&Statistics{Model: m, Send: send},
		),
		&Status{Model: m},
	)
}

// Tabs chooses the panel of the phone layout; wide screens do not show it.
type Tabs struct {
	vecty.Core
	Tab      string `vecty:"prop"`
	Problems int    `vecty:"prop"`
	Send     Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (t *Tabs) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Tabs)
	return ok && p.Tab == t.Tab && p.Problems == t.Problems
}

// Render implements vecty.Component.
func (t *Tabs) Render() vecty.ComponentOrHTML {
	buttons := make(vecty.List, len(tabs))
	for i, entry := range tabs {
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

func boolWord(b bool) string {
	if b {
		return "true"
	}
	return "false"
}
