package ui

import (
	"cmp"
	"strconv"
	"strings"
	"syscall/js"

	"honnef.co/go/js/dom/v2"
)

// What the lanes panel does with the pointer and the keyboard: choose a lane, pin a register, read it otherwise.

func (p *lanePainter) listen(send Send) {
	on := func(event string, f func(event, target js.Value)) {
		p.host.Call("addEventListener", event, js.FuncOf(func(_ js.Value, args []js.Value) any {
			f(args[0], args[0].Get("target"))
			return nil
		}))
	}
	on("click", func(_, target js.Value) { p.choose(target, send) })
	askCell(p.host.Value, func() *Model { return p.model }, send,
		func(target js.Value) (cellRef, bool) { return registerAt(p.model, target) })
	on("mousedown", func(_, target js.Value) { // the browser then gives it the focus, and keys are about it
		if cell := closest(target, "[role=gridcell],[role=columnheader]"); cell.Truthy() {
			focusable(cell)
		}
	})
	on("keydown", func(event, target js.Value) { p.press(event, target, send) })
	on("mouseover", func(_, target js.Value) { p.hover(target) })
	on("focusin", func(_, target js.Value) {
		p.focused = ""
		if lane, ok := laneOf(target); ok {
			p.focused, p.focusedLane = element(target).GetAttribute("data-reg"), lane
		}
	})
	on("focusout", func(event, _ js.Value) {
		if event.Get("relatedTarget").Truthy() {
			p.focused = ""
		}
	})
	p.grid.Call("addEventListener", "scroll", js.FuncOf(func(js.Value, []js.Value) any {
		p.top = measured(p.grid.Value, "scrollTop")
		if p.drawn && len(p.lanes.Rows) > p.shown {
			if start, _ := p.window(); start != p.start {
				p.draw()
			}
		}
		return nil
	}))
}

// choose does what a click on a target does.
func (p *lanePainter) choose(target js.Value, send Send) {
	if pin := closest(target, "[data-pin]"); pin.Truthy() {
		send(TogglePin{pin.GetAttribute("data-pin")})
	} else if read := closest(target, "[data-read]"); read.Truthy() {
		p.askReading(read, send)
	} else if moment := closest(target, "[data-moment]"); moment.Truthy() {
		send(ShowUpcoming{moment.GetAttribute("data-moment") == "next"})
	} else if closest(target, ".fold button").Truthy() {
		send(ToggleFold{})
	} else if lane, ok := laneOf(target); ok {
		if cell := closest(target, "[data-reg]"); cell.Truthy() {
			send(PointAt{cell.GetAttribute("data-reg")})
		}
		send(SelectLane{lane})
	}
}

// press does what a key does on a target.
func (p *lanePainter) press(event, target js.Value, send Send) {
	if target.Get("tagName").String() == "SELECT" {
		return
	}
	switch key := keyboard(event); key.Key() {
	case "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End":
		key.PreventDefault()
		moveFocus(target, key.Key())
	case "p", "P":
		if row := closest(target, ".lane-row"); row.Truthy() {
			p.choose(row.Call("querySelector", "[data-pin]"), send)
		}
	case "Enter", " ":
		if key.Key() == "Enter" && closest(target, "[data-reg]").Truthy() {
			return // an edit; see askCell
		}
		key.PreventDefault()
		if target.Call("getAttribute", "role").String() == "rowheader" {
			target = target.Call("querySelector", "[data-read]")
		}
		p.choose(target, send)
	}
}

// askReading puts a chooser of readings in the place of a register's type.
func (p *lanePainter) askReading(button *dom.BasicHTMLElement, send Send) {
	reg := button.GetAttribute("data-read")
	list := create("select")
	list.SetAttribute("aria-label", "Read "+reg+" as")
	var b strings.Builder
	b.WriteString(`<option value="">by type</option>`)
	for _, as := range readings {
		selected := ""
		if p.model.Readings[reg] == as {
			selected = " selected"
		}
		b.WriteString(`<option` + selected + `>` + string(as) + `</option>`)
	}
	list.SetInnerHTML(b.String())
	row := button.Get("parentElement")
	row.Call("append", list.Value)
	list.Call("focus")
	var done js.Func
	done = js.FuncOf(func(_ js.Value, args []js.Value) any {
		as := Bits(list.Get("value").String())
		list.Call("removeEventListener", "blur", done)
		list.Call("remove")
		if args[0].Get("type").String() == "change" {
			send(SetReading{reg, as})
		}
		button.Call("focus")
		return nil
	})
	list.Call("addEventListener", "change", done)
	list.Call("addEventListener", "blur", done)
	if list.Get("showPicker").Truthy() {
		js.Global().Get("Promise").New(js.FuncOf(func(js.Value, []js.Value) any { list.Call("showPicker"); return nil })).
			Call("catch", js.FuncOf(func(js.Value, []js.Value) any { return nil }))
	}
}

func laneOf(target js.Value) (int, bool) {
	cell := closest(target, "[data-lane],[data-column]")
	if !cell.Truthy() {
		return 0, false
	}
	lane, err := strconv.Atoi(cmp.Or(cell.GetAttribute("data-lane"), cell.GetAttribute("data-column")))
	return lane, err == nil
}

// moveFocus goes to a neighbouring cell.
func moveFocus(target js.Value, key string) {
	cell := closest(target, "[role=gridcell],[role=columnheader],[role=rowheader]")
	if !cell.Truthy() {
		return
	}
	row := cell.Get("parentElement")
	cells := js.Global().Get("Array").Call("from", row.Get("children"))
	index := cells.Call("indexOf", cell.Value).Int()
	switch key {
	case "ArrowLeft":
		index--
	case "ArrowRight":
		index++
	case "Home":
		index = 1
	case "End":
		index = 32
	default:
		grid := closest(row, "[role=grid]")
		rows := js.Global().Get("Array").Call("from", grid.Call("querySelectorAll", "[role=row]"))
		at := rows.Call("indexOf", row).Int()
		if key == "ArrowUp" {
			at--
		} else {
			at++
		}
		if at < 0 || at >= rows.Length() {
			return
		}
		cells = rows.Index(at).Get("children")
	}
	if index = max(index, 0); index < cells.Length() {
		focus(element(cells.Index(index)), false)
	}
}

// focusable lets a cell have the focus. Tab does not stop at each of them.
func focusable(cell *dom.BasicHTMLElement) {
	if !cell.HasAttribute("tabindex") {
		cell.SetTabIndex(-1)
	}
}

// focus gives the focus to a cell.
func focus(cell *dom.BasicHTMLElement, still bool) {
	focusable(cell)
	cell.Call("focus", map[string]any{"preventScroll": still})
}

// hover gives the cell under the pointer its long form.
func (p *lanePainter) hover(target js.Value) {
	cell := closest(target, "[data-lane]")
	if !cell.Truthy() || p.model == nil {
		return
	}
	lane, _ := laneOf(cell.Value)
	if reg := cell.GetAttribute("data-reg"); reg != "" {
		cell.SetTitle(cellTitle(p.model, reg, lane))
	}
}
