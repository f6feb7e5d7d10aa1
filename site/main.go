// Command site makes the pages beside the playground, at build time: lessons from Markdown, the gallery of examples
// with a picture of each, the matrix of what is emulated, the page about all of it, the benchmark, and the list of the
// examples.
//
//	go run ./site            writes into public/
//	go run ./site DIR        reads and writes another folder laid out like public/
//
// The pages are static, carry the strict Content-Security-Policy of the playground, and link relatively only.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	public := "public"
	if len(os.Args) > 1 {
		public = os.Args[1]
	}
	if err := build(public); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// build makes every page.
func build(public string) error {
	examples, err := readExamples(filepath.Join(public, "examples"))
	if err != nil {
		return err
	}
	lessons, err := readLessons(filepath.Join(public, "lessons"))
	if err != nil {
		return err
	}
	for _, part := range []func() error{
		func() error { return writeLessons(public, lessons) },
		func() error { return writeIndex(public, examples) },
		func() error { return writeContents(public, lessons) },
		func() error { return writeGallery(public, examples) },
		func() error { return writeCoverage(public, examples, lessons) },
		func() error { return writeAbout(public) },
		func() error { return writeBench(public) },
	} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// put writes a file at once or not at all.
func put(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(name+".new", content, 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
