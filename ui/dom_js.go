package ui

import (
	"strconv"
	"syscall/js"

	"honnef.co/go/js/dom/v2"
)

// Elements and events of the page as concrete types of dom/v2, made here from the browser's values. Never call a
// function of dom/v2 that gives one of its interfaces (GetWindow, GetElementByID, QuerySelector, Closest, Target,
// AddEventListener and more): it can make any of 124 types, and the engine would contain them all, 96 kB of transfer.
// TestEngineHasNoDOMInterfaces looks for them. Pass an element's Value to JavaScript, not the element.

// element is an HTML element. If the browser gives null instead of one, its Truthy is false.
func element(v js.Value) *dom.BasicHTMLElement {
	return &dom.BasicHTMLElement{BasicElement: &dom.BasicElement{BasicNode: &dom.BasicNode{Value: v}}}
}

func htmlDocument() js.Value { return js.Global().Get("document") }

func byID(id string) *dom.BasicHTMLElement { return element(htmlDocument().Call("getElementById", id)) }

// closest is the first element, from a target outwards, that the selector matches. The target of an event can also be
// the document or the window, which have none.
func closest(target js.Value, selector string) *dom.BasicHTMLElement {
	if !target.Get("closest").Truthy() {
		return element(js.Null())
	}
	return element(target.Call("closest", selector))
}

// create makes an element that is not in the document yet.
func create(tag string) *dom.BasicHTMLElement {
	return element(htmlDocument().Call("createElement", tag))
}

func input(v js.Value) *dom.HTMLInputElement {
	return &dom.HTMLInputElement{BasicHTMLElement: element(v)}
}

func canvas(v js.Value) *dom.HTMLCanvasElement {
	return &dom.HTMLCanvasElement{BasicHTMLElement: element(v)}
}

func basicEvent(v js.Value) *dom.BasicEvent { return &dom.BasicEvent{Value: v} }

func keyboard(v js.Value) *dom.KeyboardEvent { return &dom.KeyboardEvent{BasicEvent: basicEvent(v)} }

// Sizes are pixels of the design, whose letters are 16 pixels high unless the user wants larger ones. What the browser
// measures is converted on its way in, and px and scroll convert what goes out.

// unit is how high a pixel of the design is on this user's page. To ask the browser makes it style the page. So it is
// asked once, and tells of another size itself: it lays out an empty element that is as wide as a letter is high.
func unit() float64 {
	if lastUnit == 0 {
		root := htmlDocument().Get("documentElement")
		size := js.Global().Call("getComputedStyle", root).Get("fontSize")
		lastUnit = js.Global().Call("parseFloat", size).Float() / 16
		gauge := create("div")
		gauge.Get("style").Set("cssText", "position:absolute;width:1rem;visibility:hidden")
		htmlDocument().Get("body").Call("append", gauge.Value)
		js.Global().Get("ResizeObserver").New(js.FuncOf(func(_ js.Value, args []js.Value) any {
			if width := args[0].Index(0).Get("contentRect").Get("width").Float(); width > 0 {
				lastUnit = width / 16
			}
			return nil
		})).Call("observe", gauge.Value)
	}
	return lastUnit
}

var lastUnit float64

// designed converts a size that the browser measured.
func designed(size float64) int { return int(size / unit()) }

// measured is a property of an element or the window that is a size.
func measured(of js.Value, property string) int { return designed(of.Get(property).Float()) }

// px is a size for a style.
func px(n int) string { return strconv.FormatFloat(float64(n)/16, 'f', -1, 64) + "rem" }

// scroll scrolls an element to a row at this height.
func scroll(element js.Value, to int) { element.Set("scrollTop", float64(to)*unit()) }
