package ui

import (
	"fmt"
	"strconv"
	"strings"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/event"
	"github.com/hexops/vecty/prop"
)

// FileStrip shows the open programs as tabs, and the commands on whole programs.
type FileStrip struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// fileFacts has everything that the strip shows.
func fileFacts(m *Model) string {
	var facts strings.Builder
	for _, f := range m.Files.Open {
		fmt.Fprintln(&facts, f.ID, m.label(f.ID))
	}
	fmt.Fprintln(&facts, m.Files.Current, m.Naming, len(m.Files.Closed))
	return facts.String()
}

// SkipRender implements vecty.RenderSkipper.
func (s *FileStrip) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*FileStrip)
	return ok && fileFacts(p.Model) == fileFacts(s.Model)
}

// Mount implements vecty.Mounter. What is beside the strip changes its width.
func (s *FileStrip) Mount() {
	js.Global().Get("ResizeObserver").New(js.FuncOf(func(_ js.Value, args []js.Value) any {
		strip := args[0].Index(0).Get("target")
		if tab := strip.Call("querySelector", ".file.current"); tab.Truthy() {
			left, at := tab.Get("offsetLeft").Float(), strip.Get("scrollLeft").Float()
			if left < at || left+tab.Get("offsetWidth").Float() > at+strip.Get("clientWidth").Float() {
				showFile()
			}
		}
		return nil
	})).Call("observe", htmlDocument().Call("querySelector", ".file-strip"))
}

// Render implements vecty.Component.
func (s *FileStrip) Render() vecty.ComponentOrHTML {
	m := s.Model
	tabs := make(vecty.List, len(m.Files.Open))
	var owned []string
	for i, f := range m.Files.Open {
		tabs[i] = s.tab(i, f)
		if f.ID != m.Naming {
			owned = append(owned, tabID(f.ID))
		}
	}
	newBrowser().After(0, showFile)
	reopen := "Reopen the program that was closed last"
	return elem.Div(vecty.Markup(vecty.Class("files"), vecty.ClassMap{"several": len(tabs) > 1}),
		elem.Div(vecty.Markup(vecty.Class("file-strip")), tabs, // a list of tabs may have no other button in it
			elem.Div(vecty.Markup(attr("role", "tablist"), aria("label", "Programs"), aria("owns", strings.Join(owned, " "))))),
		s.command("New program", glyphNew, NewFile{}, ""),
		s.command(reopen, glyphReset, ReopenFile{}, map[bool]string{true: "empty"}[len(m.Files.Closed) == 0]),
		elem.Span(vecty.Markup(vecty.Class("space"))),
		s.command("Open file", glyphOpen, PickFiles{}, ""),
		s.command("Save file", glyphSave, SaveFile{}, ""),
	)
}

func (s *FileStrip) command(name, picture string, action Action, class string) *vecty.HTML {
	return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("icon"),
		vecty.MarkupIf(class != "", vecty.Class(class)), aria("label", name), attr("title", name),
		onClick(func() { s.Send(action) })), glyph(picture))
}

// showFile scrolls the strip until the whole current tab is visible, and the first visible one is whole as well. Where
// that is further than the tabs reach, there is room after the last one.
func showFile() {
	tab := element(htmlDocument().Call("querySelector", ".file.current"))
	if !tab.Truthy() {
		return
	}
	strip := tab.Get("parentElement")
	after := func(pixels float64) {
		strip.Get("style").Call("setProperty", "--after", strconv.FormatFloat(pixels, 'f', -1, 64)+"px")
	}
	after(0)
	room, at := strip.Get("clientWidth").Float(), strip.Get("scrollLeft").Float()
	at = max(min(at, tab.OffsetLeft()), tab.OffsetLeft()+tab.OffsetWidth()-room)
	files := strip.Call("querySelectorAll", ".file")
	for i := range files.Length() {
		if left := files.Index(i).Get("offsetLeft").Float(); left >= at {
			after(max(left+room-strip.Get("scrollWidth").Float(), 0))
			strip.Set("scrollLeft", left)
			return
		}
	}
}

// showCurrent scrolls a row of tabs until the whole current one is visible.
func showCurrent(selector string) {
	tab := element(htmlDocument().Call("querySelector", selector))
	if !tab.Truthy() {
		return
	}
	strip, left, width := tab.Get("parentElement"), tab.OffsetLeft(), tab.OffsetWidth()
	room, at := strip.Get("clientWidth").Float(), strip.Get("scrollLeft").Float()
	strip.Set("scrollLeft", max(min(at, left), left+width-room))
}

func tabID(id int) string { return "file-" + strconv.Itoa(id) }

// tab is one program. A second click on the current one starts renaming, like F2.
func (s *FileStrip) tab(i int, f File) vecty.ComponentOrHTML {
	m, label := s.Model, s.Model.label(f.ID)
	current := f.ID == m.Files.Current
	if f.ID == m.Naming {
		return &NameField{ID: f.ID, Name: label, Send: s.Send}
	}
	title, action, reach := "Go to "+label, Action(TurnTo{f.ID}), "-1"
	if current {
		title, action, reach = label+": click to rename", EditName{f.ID}, "0"
	}
	return elem.Div(vecty.Markup(vecty.Class("file"), vecty.ClassMap{"current": current}, attr("role", "presentation")),
		elem.Button(vecty.Markup(prop.Type(prop.TypeButton), prop.ID(tabID(f.ID)), attr("role", "tab"),
			attr("tabindex", reach), aria("selected", boolWord(current)), aria("controls", editorID),
			attr("title", title), onClick(func() { s.Send(action) }),
			event.KeyDown(func(e *vecty.Event) { s.key(i, f.ID, e) })),
			vecty.Text(label)),
		elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("close"), aria("label", "Close "+label),
			attr("tabindex", reach), attr("title", "Close (it can be reopened)"),
			vecty.ClassMap{"empty": len(m.Files.Open) == 1}, onClick(func() { s.Send(CloseFile{f.ID}) })),
			glyph(glyphClose)),
	)
}

// key handles the keys of a tab.
func (s *FileStrip) key(i, id int, e *vecty.Event) {
	open := s.Model.Files.Open
	to := -1
	press := keyboard(e.Value)
	switch press.Key() {
	case "ArrowLeft":
		to = max(0, i-1)
	case "ArrowRight":
		to = min(len(open)-1, i+1)
	case "Home":
		to = 0
	case "End":
		to = len(open) - 1
	case "Delete":
		s.Send(CloseFile{id})
	case "F2":
		s.Send(EditName{id})
	default:
		return
	}
	press.PreventDefault()
	if to >= 0 && to != i {
		s.Send(TurnTo{open[to].ID})
		byID(tabID(open[to].ID)).Focus()
	}
}

// NameField takes a new name in place of a tab.
type NameField struct {
	vecty.Core
	ID   int    `vecty:"prop"`
	Name string `vecty:"prop"`
	Send Send   `vecty:"prop"`
	done bool
}

const nameFieldID = "file-name"

// Mount implements vecty.Mounter.
func (n *NameField) Mount() {
	field := input(byID(nameFieldID).Value)
	field.Focus()
	field.Select()
}

// Render implements vecty.Component.
func (n *NameField) Render() vecty.ComponentOrHTML {
	return elem.Div(vecty.Markup(vecty.Class("file", "current")),
		elem.Input(vecty.Markup(prop.Type(prop.TypeText), prop.ID(nameFieldID), aria("label", "Name of the program"),
			attr("spellcheck", "false"), attr("autocomplete", "off"), prop.Value(n.Name),
			event.Blur(func(e *vecty.Event) { n.finish(input(e.Target).Value()) }),
			event.KeyDown(func(e *vecty.Event) {
				switch keyboard(e.Value).Key() {
				case "Enter":
					n.finish(input(e.Target).Value())
				case "Escape":
					n.finish(n.Name)
				}
			}))))
}

// finish takes the name only once, because a field that is removed also loses the focus.
func (n *NameField) finish(name string) {
	switch {
	case n.done:
		return
	case strings.TrimSpace(name) == n.Name:
		n.done = true
		n.Send(EditName{0})
	default:
		n.done = true
		n.Send(RenameFile{n.ID, name})
	}
}

// FileNews offers to open a closed program again.
type FileNews struct {
	vecty.Core
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
}

// SkipRender implements vecty.RenderSkipper.
func (n *FileNews) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*FileNews)
	return ok && p.Model.JustClosed == n.Model.JustClosed && p.Model.Elsewhere == n.Model.Elsewhere
}

// Render implements vecty.Component.
func (n *FileNews) Render() vecty.ComponentOrHTML {
	news, undo := "” is closed, and kept.", "Undo"
	if n.Model.Elsewhere {
		news, undo = "” comes from another window, and is kept among the closed programs.", "Open it"
	}
	return elem.Div(vecty.Markup(vecty.Class("notice"), vecty.ClassMap{"empty": n.Model.JustClosed == ""}),
		elem.Paragraph(vecty.Text("“"+n.Model.JustClosed+news),
			elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("link"),
				onClick(func() { n.Send(ReopenFile{}) })), vecty.Text(undo)),
			elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("icon"), aria("label", "Dismiss"),
				onClick(func() { n.Send(DismissClosed{}) })), glyph(glyphClose))))
}

// maxFile bounds how many bytes of a file are read.
const maxFile = 16 << 20

// readFiles passes on the texts of a FileList, in its order.
func readFiles(list js.Value, f func(name, text string)) {
	for i := range min(list.Length(), 20) {
		file := list.Index(i)
		name := file.Get("name").String()
		var got js.Func
		got = js.FuncOf(func(_ js.Value, args []js.Value) any {
			got.Release()
			f(name, args[0].String())
			return nil
		})
		file.Call("slice", 0, maxFile).Call("text").Call("then", got)
	}
}

// PickFiles implements Platform.
func (b browser) PickFiles(f func(name, text string)) {
	field := input(create("input").Value)
	field.SetType("file")
	field.SetMultiple(true)
	field.SetAccept(".ptx,.txt,text/plain,.cu,.cuh,.py,.cpp,.cc,.c,.h,.hpp,.jl,.rs,.mlir,.ll")
	var chosen js.Func
	chosen = js.FuncOf(func(js.Value, []js.Value) any {
		chosen.Release()
		readFiles(field.Get("files"), f)
		return nil
	})
	field.Call("addEventListener", "change", chosen)
	field.Click()
}

// Download implements Platform.
func (b browser) Download(name, text string) { b.download(name, text, "text/plain;charset=utf-8") }

// download hands the user a file with this content.
func (b browser) download(name string, content any, kind string) {
	blob := b.window.Get("Blob").New([]any{content}, map[string]any{"type": kind})
	address := b.window.Get("URL").Call("createObjectURL", blob)
	link := create("a")
	link.SetAttribute("href", address.String())
	link.SetAttribute("download", name)
	link.Click()
	b.After(10000, func() { b.window.Get("URL").Call("revokeObjectURL", address) })
}

// takeDrops opens files that are dropped anywhere on the page.
func takeDrops(store *Store) {
	holdsFiles := func(e js.Value) bool {
		data := e.Get("dataTransfer")
		return data.Truthy() && data.Get("types").Call("includes", "Files").Bool()
	}
	over := func(words string) { // says what a drop would do; "" after it
		body := js.Global().Get("document").Get("body")
		if words == "" {
			body.Call("removeAttribute", "data-dropping")
			return
		}
		body.Call("setAttribute", "data-dropping", words)
	}
	argument := func(e js.Value) (name string, ok bool) {
		if row := closest(e.Get("target"), "tr[data-arg]"); row.Truthy() {
			return row.GetAttribute("data-arg"), true
		}
		return "", false
	}
	listen("dragover", func(e js.Value) {
		if holdsFiles(e) {
			basicEvent(e).PreventDefault()
			e.Get("dataTransfer").Set("dropEffect", "copy")
			if name, ok := argument(e); ok {
				over("Drop to fill " + name)
			} else {
				over("Drop to open")
			}
		}
	})
	listen("dragleave", func(e js.Value) {
		if !e.Get("relatedTarget").Truthy() { // it has left the window
			over("")
		}
	})
	listen("drop", func(e js.Value) {
		over("")
		if holdsFiles(e) {
			drop := basicEvent(e)
			drop.PreventDefault()
			drop.StopPropagation()
			if name, ok := argument(e); ok {
				readContents(e.Get("dataTransfer").Get("files"), func(f FillBuffer) {
					f.Arg = name
					store.Do(f)
				})
				return
			}
			readFiles(e.Get("dataTransfer").Get("files"), func(name, text string) { store.Do(OpenFile{name, text}) })
		}
	})
}
