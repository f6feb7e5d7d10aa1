package docs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
)

// Outside of Go the names of the divergence models are listed in these places, and written there from emu.Models.
var modelLists = []struct{ file, before, quote, between, after string }{
	{"../launch/doc.go", "//\t//@ model    ", "", " | ", "  "},
	{"share-format.md", "| `model` | `", `"`, "` or `", "` |"},
	{"embedding.md", "| `model=\"stack\"` | `", "", "` or `", "`:"},
	{"../public/embed.js", "\n    model: [", `"`, ", ", "]"},
	{"../npm/warpscope.d.ts", "\n  model?: ", `"`, " | ", ";"},
}

func TestModelsAreListed(t *testing.T) {
	for _, l := range modelLists {
		have, err := os.ReadFile(l.file)
		require.NoError(t, err)
		head, rest, found := strings.Cut(string(have), l.before)
		require.True(t, found, "%s has no list of models", l.file)
		old, tail, found := strings.Cut(rest, l.after)
		require.True(t, found, l.file)
		list := l.quote + strings.Join(emu.ModelNames(), l.quote+l.between+l.quote) + l.quote
		if *update {
			require.NoError(t, os.WriteFile(l.file, []byte(head+l.before+list+l.after+tail), 0o644))
			continue
		}
		require.Equal(t, list, old, "%s; run: go test ./docs -update", l.file)
	}
}
