package main

import (
	"bytes"
	"html/template"
)

// writeAbout makes the page about the site from pages/about.md.
func writeAbout(public string) error {
	source, err := files.ReadFile("pages/about.md")
	if err != nil {
		return err
	}
	var html bytes.Buffer
	if _, err := convert("about", "", source, &html); err != nil {
		return err
	}
	p := page{Title: "About", Section: "About", Summary: "What Warpscope is, its keys, and what it does not do."}
	return writePage(public, "about.html", p, "about.html", template.HTML(html.String()))
}
