package ui

import (
	"cmp"
	"strings"
	"syscall/js"

	"github.com/hexops/vecty"
	"github.com/hexops/vecty/elem"
	"github.com/hexops/vecty/event"
	"github.com/hexops/vecty/prop"

	"warpscope/ptx"
	"warpscope/share"
)

// ShareDialog shares the program: as a link, in Markdown, or as an element or a frame of another page. It shows the
// result.
type ShareDialog struct {
	dialog
	Model *Model `vecty:"prop"`
	Send  Send   `vecty:"prop"`
	State func() share.State
}

const (
	shareID  = "share"
	copiedID = "share-text"
)

// SkipRender implements vecty.RenderSkipper. While the dialog is open, nothing else changes.
func (d *ShareDialog) SkipRender(prev vecty.Component) bool {
	p, ok := prev.(*ShareDialog)
	return ok && p.Model.Share == d.Model.Share && (d.Model.Share == nil || equalPanels(p.Model, d.Model))
}

func equalPanels(a, b *Model) bool { return strings.Join(a.Panels, " ") == strings.Join(b.Panels, " ") }

// Mount implements vecty.Mounter.
func (d *ShareDialog) Mount() { d.mount(shareID, d.Model.Share != nil) }

// Render implements vecty.Component.
func (d *ShareDialog) Render() vecty.ComponentOrHTML {
	return d.frame(shareID, "Share", d.Model.Share != nil, func() { d.Send(SetShare{nil}) }, d.content)
}

// set sends the form with a change.
func (d *ShareDialog) set(change func(f *ShareForm)) {
	next := *d.Model.Share
	next.News = ""
	change(&next)
	d.Send(SetShare{&next})
}

func (d *ShareDialog) content() vecty.List {
	f := d.Model.Share
	page, site := addresses()
	title := cmp.Or(d.Model.Title, "PTX")
	state := d.State()
	text := f.snippet(page, site, title, state)
	return vecty.List{
		d.forms(f, site),
		elem.Paragraph(vecty.Markup(vecty.Class("muted")), vecty.Text(explained(f.As, site))),
		d.options(f, state.Step),
		d.panels(f),
		elem.Div(vecty.Markup(vecty.Class("copy")),
			elem.TextArea(vecty.Markup(prop.ID(copiedID), aria("label", "Text to copy"), vecty.Property("readOnly", true),
				attr("rows", map[bool]string{true: "7", false: "4"}[f.As == AsElement]), attr("spellcheck", "false"),
				vecty.Property("value", text))),
			elem.Div(
				elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("primary"), onClick(func() { d.copy(text) })),
					vecty.Text("Copy")),
				elem.Span(vecty.Markup(vecty.Class("muted"), attr("role", "status")), vecty.Text(copyNews(f, text))))),
		d.result(f, site, state),
	}
}

// copyNews says that the text has been copied, or how long it is.
func copyNews(f *ShareForm, text string) string {
	if f.News != "" {
		return f.News
	}
	return ptx.Plural(len([]rune(text)), "character")
}

// shareWords explain the forms.
var shareWords = map[string]string{
	AsLink: "Opens the playground with this text, its launch, its breakpoints and its step. All of it is in the link: " +
		"nothing is stored anywhere.",
	AsMarkdown: "The same link, for texts in Markdown.",
	AsElement:  "A runnable program for your own pages, with one small script. Readers without scripts see the code.",
	AsFrame:    "For places that allow frames but no scripts. Its height is fixed.",
}

func explained(as, site string) string {
	if onDisk(site) {
		return "This copy of Warpscope lies on a disk: the link works where the copy is."
	}
	return shareWords[as]
}

func (d *ShareDialog) forms(f *ShareForm, site string) *vecty.HTML {
	var buttons vecty.List
	for _, o := range []option{{AsLink, "Link"}, {AsMarkdown, "Markdown"}, {AsElement, "<warpscope-ptx>"},
		{AsFrame, "iframe"}} {
		if onDisk(site) && (o.value == AsElement || o.value == AsFrame) {
			continue // a page on the disk has no files next to it to embed
		}
		buttons = append(buttons, elem.Button(vecty.Markup(prop.Type(prop.TypeButton),
			aria("pressed", boolWord(o.value == f.As)),
			onClick(func() { d.set(func(f *ShareForm) { f.As = o.value }) })), vecty.Text(o.label)))
	}
	return elem.Div(vecty.Markup(vecty.Class("segmented"), attr("role", "group"), aria("label", "Share as")), buttons)
}

func (d *ShareDialog) options(f *ShareForm, step int64) *vecty.HTML {
	list := vecty.List{}
	if step > 0 {
		list = append(list, check("At step "+count(step), f.Now, func(on bool) {
			d.set(func(f *ShareForm) { f.Now = on })
		}))
	}
	if f.embeds() {
		list = append(list, check("Read only", f.ReadOnly, func(on bool) { d.set(func(f *ShareForm) { f.ReadOnly = on }) }))
	}
	if f.As == AsElement {
		list = append(list, check("Runs when in view", f.AtOnce, func(on bool) {
			d.set(func(f *ShareForm) { f.AtOnce = on })
		}))
	}
	if f.embeds() {
		list = append(list,
			elem.Label(span("", "Theme"), chooser("Theme", f.Theme, []option{{"auto", "as the reader's"}, {"light", "light"},
				{"dark", "dark"}}, func(v string) { d.set(func(f *ShareForm) { f.Theme = v }) })),
			elem.Label(span("", "Height"), elem.Input(vecty.Markup(prop.Type(prop.TypeNumber), aria("label", "Height"),
				attr("min", "160"), attr("max", "10000"), prop.Placeholder(map[bool]string{true: "its content's",
					false: frameHeight}[f.As == AsElement]), prop.Value(f.Height),
				onChange(func(v string) { d.set(func(f *ShareForm) { f.Height = v }) })))))
	}
	return elem.Div(vecty.Markup(vecty.Class("options"), vecty.ClassMap{"empty": len(list) == 0}), list)
}

func (d *ShareDialog) panels(f *ShareForm) *vecty.HTML {
	list := vecty.List{}
	chosen := knownPanels(d.Model.Panels)
	for _, t := range tabs {
		on := false
		for _, key := range chosen {
			on = on || key == t.key
		}
		list = append(list, check(t.label, on, func(bool) { d.Send(ChoosePanels{toggledPanel(chosen, t.key)}) }))
	}
	return elem.FieldSet(vecty.Markup(vecty.Class("options"), vecty.ClassMap{"empty": !f.embeds()}),
		elem.Legend(vecty.Text("Panels")), list)
}

// check is a labelled checkbox.
func check(label string, on bool, f func(on bool)) *vecty.HTML {
	return elem.Label(elem.Input(vecty.Markup(prop.Type(prop.TypeCheckbox), prop.Checked(on),
		event.Change(func(e *vecty.Event) { f(input(e.Target).Checked()) }))), vecty.Text(label))
}

// result shows the finished embed.
func (d *ShareDialog) result(f *ShareForm, site string, state share.State) *vecty.HTML {
	if !f.embeds() {
		return elem.Div()
	}
	height := f.height()
	if height == "" {
		height = frameHeight
	}
	return elem.Div(vecty.Markup(vecty.Class("result")),
		elem.Heading3(vecty.Text("The result")),
		elem.InlineFrame(vecty.Markup(attr("title", "The result"), vecty.Property("height", height),
			vecty.Property("src", f.frameAddress(site, state)))))
}

// copy puts the text on the clipboard. If the browser does not allow that, it selects the text.
func (d *ShareDialog) copy(text string) {
	input(byID(copiedID).Value).Select()
	say := func(news string) {
		if d.Model.Share != nil {
			d.set(func(f *ShareForm) { f.News = news })
		}
	}
	const refused = "The browser does not allow that: press Ctrl+C."
	clipboard := js.Global().Get("navigator").Get("clipboard")
	switch {
	case clipboard.Truthy():
		var done, failed js.Func
		end := func(news string) func(js.Value, []js.Value) any {
			return func(js.Value, []js.Value) any {
				done.Release()
				failed.Release()
				say(news)
				return nil
			}
		}
		done, failed = js.FuncOf(end("Copied.")), js.FuncOf(end(refused))
		clipboard.Call("writeText", text).Call("then", done, failed)
	case htmlDocument().Call("execCommand", "copy").Bool():
		say("Copied.")
	default:
		say(refused)
	}
}

// addresses are the address of this page, without query and fragment, and that of its folder.
func addresses() (page, site string) {
	location := js.Global().Get("location")
	page = location.Get("href").String()
	if i := strings.IndexAny(page, "?#"); i >= 0 {
		page = page[:i]
	}
	return page, page[:strings.LastIndexByte(page, '/')+1]
}

func onDisk(site string) bool { return strings.HasPrefix(site, "file:") }

// shareButton opens the dialog.
func shareButton(store *Store) *vecty.HTML {
	return elem.Button(vecty.Markup(prop.Type(prop.TypeButton), vecty.Class("share-button"),
		aria("label", "Share"),
		attr("title", "Link, Markdown or an embed for your own pages"),
		onClick(func() { store.Do(SetShare{newShareForm(AsLink, store.Model())}) })), glyph(glyphShare), span("", "Share"))
}
