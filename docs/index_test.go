package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/fresh"
)

// indexed are the documents of questions, each with an index of them on top.
var indexed = []string{"rationale.md", "interpretations.md"}

const indexStart, indexEnd = "<!-- index -->\n", "<!-- end of index -->\n"

var heading = regexp.MustCompile(`(?m)^(#{1,6}) (.+)$`)

// anchor is the name that GitHub gives a heading: in lower case, without punctuation, hyphens for spaces.
func anchor(title string) string {
	title = regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(title), "")
	return strings.ReplaceAll(title, " ", "-")
}

// index lists the questions of a document under the names of its parts, as links.
func index(text string) string {
	var b strings.Builder
	b.WriteString(indexStart)
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		switch h[1] {
		case "##":
			fmt.Fprintf(&b, "\n**%s**\n\n", h[2])
		case "###":
			fmt.Fprintf(&b, "- [%s](#%s)\n", h[2], anchor(h[2]))
		}
	}
	return b.String() + "\n" + indexEnd
}

func TestIndexesAreFresh(t *testing.T) {
	for _, file := range indexed {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		text := string(data)
		start, end := strings.Index(text, indexStart), strings.Index(text, indexEnd)
		require.True(t, start >= 0 && end > start, "%s has a place for its index", file)
		have, want := text[start:end+len(indexEnd)], index(text)
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(strings.Replace(text, have, want, 1)), 0o644))
			have = want
		}
		fresh.Require(t, "the index of "+file, remedy, want, have)
	}
}

// TestQuestionsAreAskedOnce: two answers to one question would drift apart.
func TestQuestionsAreAskedOnce(t *testing.T) {
	asked := map[string]string{}
	for _, file := range indexed {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, h := range heading.FindAllStringSubmatch(string(data), -1) {
			require.Emptyf(t, asked[h[2]], "%s asks again: %s", file, h[2])
			asked[h[2]] = file
		}
	}
}

// TestInterpretationsAscend: a reader who comes from a section of the manual finds its place.
func TestInterpretationsAscend(t *testing.T) {
	data, err := os.ReadFile("interpretations.md")
	require.NoError(t, err)
	var before []int
	questions := 0
	for _, h := range regexp.MustCompile(`(?m)^### ([\d.]+) `).FindAllStringSubmatch(string(data), -1) {
		var section []int
		for _, part := range strings.Split(h[1], ".") {
			n, err := strconv.Atoi(part)
			require.NoError(t, err)
			section = append(section, n)
		}
		require.LessOrEqualf(t, slices.Compare(before, section), 0, "%s comes after %v", h[1], before)
		before, questions = section, questions+1
	}
	require.Greater(t, questions, 30)
}

// TestAnchorsExist: a link into a document leads to a heading of it.
func TestAnchorsExist(t *testing.T) {
	link := regexp.MustCompile(`\]\(([\w./-]*\.md)?#([^)]+)\)`)
	for file, text := range texts(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target := text
			if m[1] != "" {
				data, err := os.ReadFile(filepath.Join(filepath.Dir(file), m[1]))
				require.NoErrorf(t, err, "%s links to %s", file, m[1])
				target = string(data)
			}
			names := []string{}
			for _, h := range heading.FindAllStringSubmatch(target, -1) {
				names = append(names, anchor(h[2]))
			}
			require.Containsf(t, names, m[2], "%s links to %s#%s", file, m[1], m[2])
		}
	}
}
