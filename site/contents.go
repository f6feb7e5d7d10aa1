package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeContents writes contents.json: the lessons and the manual's sections, for the playground's palette.
func writeContents(public string, lessons []*lesson) error {
	type lessonEntry struct {
		File  string `json:"file"`
		Title string `json:"title"`
	}
	type section struct {
		Number string `json:"number"`
		Title  string `json:"title"`
	}
	var contents struct {
		Lessons  []lessonEntry `json:"lessons"`
		Sections []section     `json:"sections"`
	}
	for _, l := range lessons {
		contents.Lessons = append(contents.Lessons, lessonEntry{"lessons/" + l.Name + ".html", l.Title})
	}
	root := filepath.Dir(filepath.Clean(public))
	table, err := os.ReadFile(filepath.Join(root, "ptx", "isa", "testdata", "sections.tsv"))
	if err != nil {
		return err
	}
	for _, row := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		cells := strings.Split(row, "\t")
		if len(cells) != 3 {
			return fmt.Errorf("sections.tsv: %q has not three cells", row)
		}
		contents.Sections = append(contents.Sections, section{cells[0], cells[2]})
	}
	text, err := json.Marshal(contents)
	if err != nil {
		return err
	}
	return put(filepath.Join(public, "contents.json"), append(text, '\n'))
}
