package main

import (
	"bytes"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"strings"
)

// lesson is one Markdown file of public/lessons. It begins with facts, a line each, between lines of three hyphens:
//
//	---
//	title: 32 lanes, one instruction
//	summary: One sentence for the list of lessons.
//	minutes: 6
//	sections: 2.2, 3.1, 10.1
//	---
//
// Programs are fenced blocks; see program.
type lesson struct {
	Name     string // file name without its extension: "01-lanes"
	Number   int
	Title    string
	Summary  string
	Minutes  string
	Sections []string
	Programs []program
	Body     template.HTML
	Previous *lesson
	Next     *lesson
}

// Exercises are the ids of a lesson's exercises, in its order.
func (l *lesson) Exercises() []string {
	var ids []string
	for _, p := range l.Programs {
		if p.task() {
			ids = append(ids, l.Name+"/"+p.ID)
		}
	}
	return ids
}

// readLessons reads all lessons of a folder, in the order of their names.
func readLessons(dir string) ([]*lesson, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return nil, err
	}
	var all []*lesson
	for i, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		l, err := readLesson(strings.TrimSuffix(filepath.Base(name), ".md"), text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		l.Number = i + 1
		if i > 0 {
			l.Previous, all[i-1].Next = all[i-1], l
		}
		all = append(all, l)
	}
	return all, nil
}

func readLesson(name string, text []byte) (*lesson, error) {
	head, body, found := strings.Cut(strings.TrimPrefix(string(text), "---\n"), "\n---\n")
	if !found {
		return nil, fmt.Errorf("no facts between lines of three hyphens")
	}
	l := &lesson{Name: name}
	for _, line := range strings.Split(head, "\n") {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch key {
		case "title":
			l.Title = value
		case "summary":
			l.Summary = value
		case "minutes":
			l.Minutes = value
		case "sections":
			l.Sections = strings.Split(value, ", ")
		default:
			return nil, fmt.Errorf("unknown fact %q", key)
		}
	}
	var html bytes.Buffer
	programs, err := convert(name, "../", []byte(body), &html)
	l.Programs, l.Body = programs, template.HTML(html.String())
	return l, err
}

func writeLessons(public string, lessons []*lesson) error {
	for _, l := range lessons {
		p := page{Title: l.Title, Summary: l.Summary, Section: "Lessons", Embeds: true}
		if err := writePage(public, "lessons/"+l.Name+".html", p, "lesson.html", l); err != nil {
			return err
		}
	}
	p := page{Title: "Lessons", Section: "Lessons",
		Summary: "Lessons about PTX with programs that run, step by step, in the page."}
	exercises := 0
	for _, l := range lessons {
		exercises += len(l.Exercises())
	}
	return writePage(public, "lessons/index.html", p, "lessons.html",
		map[string]any{"Lessons": lessons, "Exercises": exercises})
}
