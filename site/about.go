package main

import (
	"bytes"
	"html"
	"html/template"
	"strings"
	texttemplate "text/template"

	"warpscope/ui"
)

// writeAbout makes the page about the site from pages/about.md.
func writeAbout(public string) error {
	source, err := files.ReadFile("pages/about.md")
	if err != nil {
		return err
	}
	text, err := texttemplate.New("about").Funcs(texttemplate.FuncMap{"caps": caps}).Parse(string(source))
	if err != nil {
		return err
	}
	var filled, content bytes.Buffer
	if err := text.Execute(&filled, map[string]any{"Groups": ui.Keys, "Note": ui.KeysNote}); err != nil {
		return err
	}
	if _, err := convert("about", "", filled.Bytes(), &content); err != nil {
		return err
	}
	p := page{Title: "About", Section: "About", Summary: "What Warpscope is, its keys, and what it does not do."}
	return writePage(public, "about.html", p, "about.html", template.HTML(content.String()))
}

// caps draws the keys.
func caps(k ui.Key) string {
	var list []string
	for _, one := range k.Combinations() {
		for i, part := range one {
			one[i] = "<kbd>" + html.EscapeString(part) + "</kbd>"
		}
		list = append(list, strings.Join(one, "&nbsp;+&nbsp;"))
	}
	return strings.Join(list, " or ")
}
