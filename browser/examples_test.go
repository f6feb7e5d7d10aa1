package browser

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The address names the example, back and forward go between them, and an address opens its example.
func TestExampleAddresses(t *testing.T) {
	v := open(t, setting{}).ready()
	v.holds(`location.hash === "#example=01-hello-lanes"`)
	v.load("02")
	v.holds(`location.hash === "#example=02-vector-add"`)
	v.load("05")
	js[any](v, "history.back()")
	v.holds(`document.title.startsWith("Vector add")`)
	js[any](v, "history.forward()")
	v.holds(`document.title.startsWith("Nested divergence")`)
	require.Equal(t, 1, js[int](v, `document.querySelectorAll(".file [role=tab]").length`))

	v.paste("// mine\n")
	v.load("02")
	require.Equal(t, 2, js[int](v, `document.querySelectorAll(".file [role=tab]").length`))
	v.reload()
	v.holds(`document.title.startsWith("Vector add")`)

	other := v.tab(setting{page: "index.html#example=06-loop"}).ready()
	other.holds(`document.title.startsWith("A loop with divergent trip counts")`)
}
