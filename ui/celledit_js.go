package ui

import (
	"strconv"
	"strings"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/event"
	"github.com/hexops/vecty/prop"
)

// ValueDialog asks for the value of a cell.
type ValueDialog struct {
	dialog
	Edit *CellEdit `vecty:"prop"` // nil: it is closed
	Send Send      `vecty:"prop"`
	text string
	open bool
}

const (
	valueDialogID = "cell-value"
	valueFieldID  = "cell-value-field"
)

// SkipRender implements vecty.RenderSkipper.
func (d *ValueDialog) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*ValueDialog)
	return ok && p.Edit == d.Edit
}

// Mount implements vecty.Mounter.
func (d *ValueDialog) Mount() { d.mount(valueDialogID, d.Edit != nil) }

// Render implements vecty.Component.
func (d *ValueDialog) Render() vecty.ComponentOrHTML {
	e := d.Edit
	if e != nil && !d.open {
		d.text = e.Ref.Text
		newBrowser().After(0, func() {
			if field := byID(valueFieldID); field.Truthy() {
				field.Call("select")
			}
		})
	}
	d.open = e != nil
	return d.frame(valueDialogID, "Edit value", e != nil, func() { d.Send(CloseEdit{}) }, func() vecty.List {
		set := "Set"
		if e.Drops > 0 {
			set = "Set, and drop these steps"
		}
		return vecty.List{elem.Form(vecty.Markup(event.Submit(func(*vecty.Event) { d.Send(EnterValue{d.text}) }).
			PreventDefault()),
			elem.Label(elem.Span(elem.Code(vecty.Text(e.Ref.Name)), vecty.Text(strings.TrimPrefix(e.Ref.where(), e.Ref.Name)+
				", "+strings.TrimPrefix(e.Ref.Type.String(), "."))),
				elem.Input(vecty.Markup(prop.Type(prop.TypeText), prop.ID(valueFieldID), vecty.Class("code"),
					aria("label", "Value of "+e.Ref.where()), aria("invalid", boolWord(e.Problem != "")), prop.Value(d.text),
					attr("spellcheck", "false"), attr("autocomplete", "off"),
					onInput(func(v string) { d.text = v })))),
			fieldProblem(e.Problem),
			elem.Paragraph(vecty.Markup(vecty.ClassMap{"empty": e.Drops == 0}), vecty.Text(e.dropWords())),
			elem.Div(vecty.Markup(vecty.Class("dialog-buttons")),
				elem.Button(vecty.Markup(prop.Type(prop.TypeButton), onClick(func() { d.Send(CloseEdit{}) })),
					vecty.Text("Cancel")),
				elem.Button(vecty.Markup(prop.Type(prop.TypeSubmit), vecty.Class("primary")), vecty.Text(set))))}
	})
}

const originID = "value-origin"

// originDialog shows where a value comes from; t is nil while it is closed.
func originDialog(t *originTree, send Send) *Dialog {
	title := "Where a value comes from"
	if t != nil {
		title = t.Title
	}
	return &Dialog{ID: originID, Title: title, Open: t != nil, Shows: t, Close: func() { send(HideOrigin{}) },
		Content: func() vecty.List {
			var rows vecty.List
			for _, r := range t.Rows {
				rows = append(rows, drawnOrigin(r, send))
			}
			return vecty.List{elem.Div(vecty.Markup(attr("role", "tree"), aria("label", title)), rows)}
		}}
}

func drawnOrigin(r originRow, send Send) *vecty.HTML {
	where := r.Where
	if r.More {
		where += ", and so on"
	}
	return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), attr("role", "treeitem"),
		aria("level", strconv.Itoa(r.Depth+1)), aria("disabled", boolWord(r.Tick == 0)),
		vecty.Style("padding-left", px(14+18*r.Depth)), onClick(func() {
			if r.Tick > 0 {
				placeDialog(originID, false)
				send(HideOrigin{})
				send(Seek{r.Tick})
			}
		})),
		elem.Span(elem.Strong(vecty.Text(r.Value)), span("origin-name", r.Name), elem.Code(vecty.Text(r.Text))),
		span("muted", where))
}

// askCell listens for what is asked of the cells of an element: a menu, and an edit. refOf tells the cell of a target.
func askCell(host js.Value, model func() *Model, send Send, refOf func(target js.Value) (cellRef, bool)) {
	listenTo(host, "contextmenu", func(e js.Value) {
		ref, ok := refOf(e.Get("target"))
		if !ok {
			return
		}
		e.Call("preventDefault")
		box := element(e.Get("target")).GetBoundingClientRect()
		p := cellMenu(model(), ref)
		if row, ok := entryAt(e.Get("target")); ok {
			p = entryMenu(model(), row)
		}
		if mask, ok := activeRef(model(), ref.Cell.Lane); ok && ref.Cell.Reg != nil && phone() {
			p.Items = append(p.Items, cellMenu(model(), mask).Items...) // the lane's head has no place of its own
		}
		p.X, p.Y = int(box.Left()), int(box.Bottom())+2
		send(ShowPopup{p})
	})
	listenTo(host, "dblclick", func(e js.Value) {
		if ref, ok := refOf(e.Get("target")); ok && ref.holdsValue() {
			send(EditCell{ref})
		}
	})
	listenTo(host, "keydown", func(e js.Value) {
		press := keyboard(e)
		if press.CtrlKey() || press.AltKey() || press.MetaKey() || takesText(e.Get("target")) {
			return
		}
		ref, ok := refOf(e.Get("target"))
		if !ok {
			return
		}
		switch press.Key() {
		case "Enter", "F2":
			if !ref.holdsValue() {
				return
			}
			send(EditCell{ref})
		case "w", "W":
			send(WhoWrote{ref})
		default:
			return
		}
		press.PreventDefault()
	})
}

// entryAt is the row of the stack panel at a target.
func entryAt(target js.Value) (row int, ok bool) {
	at := closest(target, "[data-entry]")
	if !at.Truthy() {
		return 0, false
	}
	row, err := strconv.Atoi(at.GetAttribute("data-entry"))
	return row, err == nil
}

// registerAt is the register cell of the lane grid or of the registers panel at a target, or the bit of the active mask
// that a lane's head shows.
func registerAt(m *Model, target js.Value) (cellRef, bool) {
	if m == nil {
		return cellRef{}, false
	}
	if cell := closest(target, "[data-register]"); cell.Truthy() {
		return registerRef(m, cell.GetAttribute("data-register"), m.Lane)
	}
	cell := closest(target, "[data-reg]")
	if closest(target, "[data-column]").Truthy() && phone() { // a tile: the lane's head is over its cell
		cell = element(htmlDocument().Call("querySelector", ".lane-row.tile [data-reg]"))
	}
	lane, ok := laneOf(target)
	if ok && !cell.Truthy() {
		return activeRef(m, lane)
	}
	if !cell.Truthy() || !ok {
		return cellRef{}, false
	}
	return registerRef(m, cell.GetAttribute("data-reg"), lane)
}
