// Package txtar reads texts for tests, programs above all, from archives of the txtar form: each text begins after a
// line "-- name --" and ends before the next such line.
package txtar

import (
	"os"
	"strings"
	"testing"
)

// Text is a text of an archive in the folder testdata of the test: "loops/inner" is the text "inner" of the file
// testdata/loops.txtar. pairs are words of the text and what replaces them.
func Text(t testing.TB, path string, pairs ...string) string {
	t.Helper()
	archive, name, _ := strings.Cut(path, "/")
	data, err := os.ReadFile("testdata/" + archive + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut("\n"+string(data), "\n-- "+name+" --")
	if !found {
		t.Fatalf("testdata/%s.txtar has no text %q", archive, name)
	}
	text, _, _ = strings.Cut(text, "\n-- ")
	text = strings.Trim(text, "\n") + "\n"
	return strings.NewReplacer(pairs...).Replace(text)
}
