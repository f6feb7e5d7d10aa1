// Package txtar reads texts for tests, programs above all, from archives of the txtar form: each text begins after a
// line "-- name --" and ends before the next such line.
package txtar

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Part is one text of an archive.
type Part struct{ Name, Text string }

var mark = regexp.MustCompile(`(?m)^-- (.+) --$`)

// Parts are the texts of the archive testdata/NAME.txtar, in its order.
func Parts(t testing.TB, name string) []Part {
	t.Helper()
	return File(t, "testdata/"+name+".txtar")
}

// File are the texts of the archive at a path.
func File(t testing.TB, path string) (parts []Part) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	marks := mark.FindAllSubmatchIndex(data, -1)
	for i, m := range marks {
		end := len(data)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		parts = append(parts, Part{string(data[m[2]:m[3]]), strings.Trim(string(data[m[1]:end]), "\n") + "\n"})
	}
	if len(parts) == 0 {
		t.Fatalf("%s has no texts", path)
	}
	return parts
}

// Text is a text of an archive: "loops/inner" is the text "inner" of testdata/loops.txtar. pairs are words of the text
// and what replaces them.
func Text(t testing.TB, path string, pairs ...string) string {
	t.Helper()
	archive, name, _ := strings.Cut(path, "/")
	for _, p := range Parts(t, archive) {
		if p.Name == name {
			return strings.NewReplacer(pairs...).Replace(p.Text)
		}
	}
	t.Fatalf("testdata/%s.txtar has no text %q", archive, name)
	return ""
}
