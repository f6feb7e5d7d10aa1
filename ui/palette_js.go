package ui

import (
	"strconv"
	"strings"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/event"
	"github.com/hexops/vecty/prop"
)

// Finder is the dialog of the palette: a combobox with a list.
type Finder struct {
	dialog
	Palette *Palette `vecty:"prop"` // nil: it is closed
	Send    Send     `vecty:"prop"`
	shown   bool
}

const (
	paletteID = "palette"
	findID    = "palette-find"
	foundID   = "palette-found"
)

func foundAt(i int) string { return "palette-" + strconv.Itoa(i) }

// SkipRender implements vecty.RenderSkipper.
func (f *Finder) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*Finder)
	return ok && p.Palette == f.Palette
}

// Mount implements vecty.Mounter.
func (f *Finder) Mount() { f.mount(paletteID, f.Palette != nil) }

// Render implements vecty.Component.
func (f *Finder) Render() vecty.ComponentOrHTML {
	p := f.Palette
	if p != nil {
		opened := !f.shown
		newBrowser().After(0, func() {
			if field := byID(findID); opened && field.Truthy() {
				field.Focus()
			}
			if at := byID(foundAt(p.At)); at.Truthy() {
				at.Call("scrollIntoView", map[string]any{"block": "nearest"})
			}
		})
	}
	f.shown = p != nil
	return f.frame(paletteID, "Palette", p != nil, func() { f.Send(ShowPalette{false}) }, func() vecty.List {
		return vecty.List{f.field(p), f.list(p)}
	})
}

func (f *Finder) field(p *Palette) *vecty.HTML {
	active := vecty.MarkupOrChild(nil)
	if len(p.Found) > 0 {
		active = vecty.Markup(aria("activedescendant", foundAt(p.At)))
	}
	return elem.Input(vecty.Markup(prop.Type(prop.TypeText), attr("role", "combobox"), aria("label", "Find anything"),
		aria("expanded", "true"), aria("controls", foundID), aria("autocomplete", "list"), attr("autocomplete", "off"),
		attr("spellcheck", "false"), prop.ID(findID),
		prop.Placeholder("A command, an example, an instruction, a section …"), prop.Value(p.Query),
		onInput(func(value string) { f.Send(Search{value}) }),
		event.KeyDown(func(e *vecty.Event) {
			press := keyboard(e.Value)
			switch press.Key() {
			case "ArrowDown":
				f.Send(Point{By: 1})
			case "ArrowUp":
				f.Send(Point{By: -1})
			case "Enter":
				f.choose(ChoosePointed{})
			default:
				return
			}
			press.PreventDefault()
		})), active)
}

// list has a group for each kind of what was found.
func (f *Finder) list(p *Palette) *vecty.HTML {
	var groups, options vecty.List
	for i, one := range p.Found {
		options = append(options, f.option(i, one, i == p.At))
		if i+1 < len(p.Found) && p.Found[i+1].Kind == one.Kind {
			continue
		}
		name := kindNames[one.Kind]
		groups = append(groups, elem.Div(vecty.Markup(attr("role", "group"), aria("label", name)),
			elem.Div(vecty.Markup(vecty.Class("group-name"), aria("hidden", "true")), vecty.Text(name)), options))
		options = nil
	}
	if len(p.Found) == 0 {
		groups = vecty.List{elem.Paragraph(vecty.Markup(vecty.Class("muted"), attr("role", "status")),
			vecty.Text("Nothing has “"+p.Query+"” in its name."))}
	}
	return elem.Div(vecty.Markup(prop.ID(foundID), vecty.Class("found"), attr("role", "listbox"), aria("label", "Found")),
		groups)
}

func (f *Finder) option(i int, one found, current bool) *vecty.HTML {
	var keys vecty.List
	if one.Keys != "" {
		keys = keyCaps(Key{Keys: strings.Split(one.Keys, ", ")[0]})
	}
	return elem.Div(vecty.Markup(prop.ID(foundAt(i)), vecty.Class("choice"), attr("role", "option"),
		aria("selected", boolWord(current)), vecty.ClassMap{"current": current},
		onClick(func() { f.choose(Choose{i}) })),
		elem.Span(vecty.Markup(vecty.Class("choice-name")), marked(one)), span("more", one.More), elem.Span(keys))
}

// choose closes the dialog, which gives the focus back.
func (f *Finder) choose(action Action) {
	placeDialog(paletteID, false)
	f.Send(action)
}

// FocusPanel implements Platform: it waits until the panel is drawn.
func (b browser) FocusPanel(key string) {
	b.Frame(func() { b.Frame(func() { focusPanel(key, true) }) })
}

// marked is a name with the letters that were searched for underlined.
func marked(one found) vecty.List {
	var list vecty.List
	at := 0
	for _, m := range one.Marks {
		list = append(list, vecty.Text(one.Name[at:m[0]]), vecty.Tag("mark", vecty.Text(one.Name[m[0]:m[1]])))
		at = m[1]
	}
	return append(list, vecty.Text(one.Name[at:]))
}

// Visit implements Platform. Pages of the site take this one's place, as its links do; others open beside it.
func (b browser) Visit(href string) {
	if strings.HasPrefix(href, "https:") || strings.HasPrefix(href, "coverage.html") {
		b.window.Call("open", href, "_blank", "noopener")
		return
	}
	b.window.Get("location").Call("assign", href)
}
