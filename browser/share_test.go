package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/share"
)

// A link brings back text, breakpoints, lane and step; the text that was there before is offered back.
func TestLinkRestoresEverything(t *testing.T) {
	_, text := example(t, "05-")
	text = strings.Replace(text, "//@ title   Nested divergence", "//@ title   By link, nested", 1)
	link := "#" + share.Encode(share.State{Text: text, Breakpoints: []int{55}, Lane: 9, Step: 10})
	v := open(t, setting{}).ready()
	v.paste("// mine\n" + endless)
	v.region("Launch", "forever")
	v.settle()
	js[any](v, fmt.Sprintf("location.hash = %q", link))
	v.holds(`document.title.startsWith("By link, nested")`)
	v.holds(`document.querySelector(".ticks").textContent === "10 / 10"`)
	require.Equal(t, text, v.source())
	v.button("Run")
	v.status("breakpoint of line 55")
	v.reload()
	require.Equal(t, text, v.source())
	v.button("Bring my text back")
	require.Equal(t, "// mine\n"+endless, v.source())
	require.NotContains(t, js[string](v, "document.body.innerText"), "took the place")
	v.reload()
	require.Equal(t, "// mine\n"+endless, v.source())
}
