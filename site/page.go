package main

import (
	"bytes"
	"embed"
	"html/template"
	"path/filepath"
	"strings"
)

//go:embed pages
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{"join": strings.Join, "code": code}).
	ParseFS(files, "pages/*.html"))

// code marks the words between backquotes.
func code(text string) template.HTML {
	parts := strings.Split(template.HTMLEscapeString(text), "`")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = "<code>" + parts[i] + "</code>"
	}
	return template.HTML(strings.Join(parts, ""))
}

// page is what the layout needs to know of a page.
type page struct {
	Title, Summary string
	Section        string // the entry of the navigation that it belongs to
	Root           string // from the page to the site's root: "" or "../"
	Embeds         bool   // there are programs on it
	Body           template.HTML
}

// navigation is the same on every page.
var navigation = []struct{ Name, File string }{
	{"Playground", "index.html"},
	{"Lessons", "lessons/index.html"},
	{"Examples", "gallery.html"},
	{"Coverage", "coverage.html"},
	{"About", "about.html"},
}

// writePage fills the template called body and puts it into the layout.
func writePage(public, file string, p page, body string, data any) error {
	p.Root = strings.Repeat("../", strings.Count(file, "/"))
	var content bytes.Buffer
	if err := templates.ExecuteTemplate(&content, body, data); err != nil {
		return err
	}
	p.Body = template.HTML(content.String())
	var whole bytes.Buffer
	err := templates.ExecuteTemplate(&whole, "layout.html", map[string]any{"Page": p, "Navigation": navigation})
	if err != nil {
		return err
	}
	return put(filepath.Join(public, filepath.FromSlash(file)), whole.Bytes())
}
