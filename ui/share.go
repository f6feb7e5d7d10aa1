package ui

import (
	"html"
	"slices"
	"strconv"
	"strings"

	"warpscope/share"
)

// The forms in which a program is shared.
const (
	AsLink     = "link"
	AsMarkdown = "markdown"
	AsElement  = "element"
	AsFrame    = "frame"
)

// ShareForm is the settings of the Share dialog.
type ShareForm struct {
	As       string
	Now      bool // at the step where the machine is
	ReadOnly bool
	AtOnce   bool   // runs when it comes into view
	Theme    string // "auto", "light" or "dark"
	Height   string // pixels; "" is the content's height, if the page can follow it
	News     string // of the clipboard
}

// frameHeight is for frames that cannot report their height: room for a text and the lane grid.
const frameHeight = "640"

// newShareForm is the dialog's first settings.
func newShareForm(as string, m *Model) *ShareForm {
	return &ShareForm{As: as, Now: m.View.Tick > 0, Theme: "auto"}
}

// embeds says whether the form shows the program in another page.
func (f *ShareForm) embeds() bool { return f.As == AsElement || f.As == AsFrame }

// height is the form's height if it is a number of pixels.
func (f *ShareForm) height() string {
	if n, err := strconv.Atoi(f.Height); err == nil && n > 0 && n <= 10000 {
		return strconv.Itoa(n)
	}
	return ""
}

// shared is the state that the form shares.
func (f *ShareForm) shared(s share.State) share.State {
	if !f.Now {
		s.CTA, s.Warp, s.Step, s.Edits = 0, 0, 0, nil
	}
	return s
}

// frameAddress is the address of an embed; site ends with a slash.
func (f *ShareForm) frameAddress(site string, s share.State) string {
	s = f.shared(s)
	query := "?panels=" + strings.Join(knownPanels(s.Panels), "+")
	if f.Theme != "auto" {
		query += "&theme=" + f.Theme
	}
	if f.ReadOnly {
		query += "&readonly"
	}
	s.Panels = nil // the address has them already
	return site + "embed.html" + query + "&fixed#" + share.Encode(s)
}

// snippet is the text to copy: page is the address of the playground, site its folder.
func (f *ShareForm) snippet(page, site, title string, s share.State) string {
	switch f.As {
	case AsMarkdown:
		title = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, "`", "\\`", "<", "&lt;").Replace(title)
		return "[" + title + "](" + page + "#" + share.Encode(f.shared(s)) + ")"
	case AsElement:
		return f.element(site, s)
	case AsFrame:
		height := f.height()
		if height == "" {
			height = frameHeight
		}
		return `<iframe src="` + html.EscapeString(f.frameAddress(site, s)) + `" title="` + html.EscapeString(title) +
			`" width="100%" height="` + height + `" loading="lazy" frameborder="0"></iframe>`
	}
	return page + "#" + share.Encode(f.shared(s))
}

// element is the program as <warpscope-ptx>. The blank lines around <pre> protect it in Markdown, where a block of any
// other element ends at the first blank line of the program.
func (f *ShareForm) element(site string, s share.State) string {
	s = f.shared(s)
	tag := "<warpscope-ptx"
	attribute := func(name, value string) { tag += " " + name + `="` + html.EscapeString(value) + `"` }
	number := func(name string, n int64) {
		if n > 0 {
			attribute(name, strconv.FormatInt(n, 10))
		}
	}
	attribute("panels", strings.Join(knownPanels(s.Panels), " "))
	number("step", s.Step)
	number("cta", int64(s.CTA))
	number("warp", int64(s.Warp))
	number("lane", int64(s.Lane))
	if f.Theme != "auto" {
		attribute("theme", f.Theme)
	}
	if h := f.height(); h != "" {
		attribute("height", h)
	}
	if f.ReadOnly {
		tag += " readonly"
	}
	if f.AtOnce {
		tag += " run"
	}
	return `<script src="` + html.EscapeString(site) + "embed.js\" defer></script>\n" + tag + ">\n\n<pre>\n" +
		html.EscapeString(strings.TrimRight(s.Text, "\n")) + "\n</pre>\n\n</warpscope-ptx>\n"
}

// toggledPanel adds or removes a panel; the last one stays. The order is that of the tabs.
func toggledPanel(panels []string, key string) []string {
	var list []string
	for _, t := range tabs {
		if slices.Contains(panels, t.key) != (t.key == key) {
			list = append(list, t.key)
		}
	}
	return knownPanels(list)
}
