package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

const columns = 120 // a tab is one of them

// tables are files in which a row is a line.
var tables = regexp.MustCompile(`^ptx/isa/table_\w+\.go$`)

// TestLinesAreShort: hand-written Go and the programs of tests fit into 120 columns. A line of one word has no place to
// break.
func TestLinesAreShort(t *testing.T) {
	generated := regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	checked := 0
	require.NoError(t, filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (entry.Name()[0] == '.' || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".txtar"):
			return nil
		case tables.MatchString(name):
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil || generated.Match(data) {
			return err
		}
		checked++
		number := 0
		for line := range strings.Lines(string(data)) {
			number++
			line = strings.TrimRight(line, "\n")
			if n := utf8.RuneCountInString(line); n > columns && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("%s:%d has %d columns", name, number, n)
			}
		}
		return nil
	}))
	require.Greater(t, checked, 300)
}
