package ui

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEngineHasNoDOMInterfaces: each function of dom/v2 that gives an interface calls one of these, and with them come
// 124 types of elements and events. Go's linker writes the names of all functions that it keeps.
func TestEngineHasNoDOMInterfaces(t *testing.T) {
	engine := filepath.Join(t.TempDir(), "engine.wasm")
	build := exec.Command("go", "build", "-o", engine, "warpscope/wasm")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	code, err := os.ReadFile(engine)
	require.NoError(t, err)

	names := string(code)
	require.True(t, strings.Contains(names, "honnef.co/go/js/dom/v2.(*BasicHTMLElement)."), "no names: look elsewhere")
	for _, name := range []string{"wrapHTMLElement", "wrapElement", "wrapEvent", "wrapNode", "wrapDocument", "GetWindow"} {
		require.False(t, strings.Contains(names, "dom/v2."+name), "the engine has %s: see dom_js.go", name)
	}
}
