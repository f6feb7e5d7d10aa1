package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The document lists the attributes that a code block can have, all of them and in the script's order.
func TestAttributesOfBlocksAreListed(t *testing.T) {
	script, err := os.ReadFile("../public/embed.js")
	require.NoError(t, err)
	taken := regexp.MustCompile(`for \(const name of \[([^\]]*)\]\) \{\s*const owner`).FindStringSubmatch(string(script))
	require.NotNil(t, taken)
	var want []string
	for _, name := range regexp.MustCompile(`\w+`).FindAllString(taken[1], -1) {
		want = append(want, "data-"+name)
	}
	document, err := os.ReadFile("embedding.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(document), "what generators make of a block of the language\n`ptx`.\n\n")
	require.True(t, found)
	sentence, _, _ := strings.Cut(rest, " of the block,")
	require.Equal(t, want, regexp.MustCompile(`data-\w+`).FindAllString(sentence, -1))
}
