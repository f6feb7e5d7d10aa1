package browser

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
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
	v.panel("Launch")
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

// hand presses Share and gives the text of a form.
func (v *visit) hand(form string) string {
	v.t.Helper()
	if len(v.query("dialog", "Share")) == 0 {
		v.button("Share")
	}
	v.button(form)
	const chosen = `[...document.querySelectorAll("dialog [aria-pressed=true]")].some((b) => b.innerText === %q)`
	v.holds(fmt.Sprintf(chosen, form))
	return call[string](v.find("textbox", "Text to copy"), "e => e.value")
}

// One reader shares a program and another finds it: in a new profile, at the same step, with the sentence of that step.
func TestShareALink(t *testing.T) {
	v := open(t, setting{}).ready()
	text := v.load("04-")
	v.panel("Launch")
	v.find("textbox", "Block").fill("16")
	v.eventually("the header to follow", func() (bool, string) {
		have := v.source()
		return strings.Contains(have, "//@ block   16"), have
	})
	v.goTo(35)
	v.press(kb.F9)
	for range 3 {
		v.button("Step")
	}
	v.standsAt("32 37 00000fff", "35 37 0000f000", "37 end 0000ffff")
	sentence := v.status("line 30")
	link := v.hand("Link")
	require.True(t, strings.HasPrefix(link, v.url+"index.html#2.") || strings.HasPrefix(link, v.url+"#2."), link)
	_, fragment, _ := strings.Cut(link, "#")

	w := open(t, setting{page: "#" + fragment}).ready()
	w.standsAt("32 37 00000fff", "35 37 0000f000", "37 end 0000ffff")
	require.Equal(t, sentence, w.status("line 30"))
	require.Equal(t, strings.Replace(text, "//@ block   32", "//@ block   16", 1), w.source())
	w.button("Run")
	w.status("breakpoint of line 35")
	require.Empty(t, w.query("button", "Bring my text back"), "there was no text before")

	v.press(kb.Escape)
	v.eventually("the dialog to close", func() (bool, string) { return len(v.query("dialog", "Share")) == 0, "open" })
}

// Each form, as it is copied, works in a page of documentation.
func TestShareIntoOtherPages(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("05-")
	for range 12 {
		v.button("Step")
	}
	require.Regexp(t, `^\[Nested divergence: the stack grows\]\(http.*#2\.[\w-]+\)$`, v.hand("Markdown"))
	element := v.hand("<warpscope-ptx>")
	v.find("checkbox", "Stack").click()
	v.eventually("the panel in the snippet", func() (bool, string) {
		element = v.hand("<warpscope-ptx>")
		return strings.Contains(element, `panels="lanes stack"`), element
	})
	require.Contains(t, element, `step="12"`)
	frame := v.hand("iframe")
	require.Contains(t, frame, "embed.html?panels=lanes+stack")
	v.holds(`document.querySelector("iframe[title='The result']").contentDocument?.querySelector(".panel-stack") !== null`)
	require.Empty(t, js[[]string](v, contrastScript))

	page := "<!doctype html><title>Docs</title><link rel=icon href=data:,>" + frame + element
	site := docs(map[string]string{"page.html": page})
	w := open(t, setting{handler: site, page: "page.html", other: v.url})
	state := js[map[string]any](w, `document.querySelector("warpscope-ptx").run()`)
	require.EqualValues(t, 12, state["step"])
	_, text := example(t, "05-")
	require.Equal(t, text, js[string](w, `document.querySelector("warpscope-ptx").source`))
	w.holds(`frames.length === 2`)
}

// The site's pages lead to the embed builder by an address of its own.
func TestEmbedBuilderHasAnAddress(t *testing.T) {
	v := open(t, setting{page: "#embed"})
	v.find("dialog", "Share")
	require.Contains(t, call[string](v.find("textbox", "Text to copy"), "e => e.value"), "<warpscope-ptx panels=")
}

// For every text after the #, the page says in a sentence what is wrong, shows no markup of it, and works.
func TestHostileAddresses(t *testing.T) {
	var bomb bytes.Buffer // 100 MB; 1 GB is tested beside the code
	w, err := flate.NewWriter(&bomb, flate.BestSpeed)
	require.NoError(t, err)
	for chunk := make([]byte, 1<<20); bomb.Len() < 400_000; {
		_, err := w.Write(chunk)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	for name, c := range map[string]struct{ fragment, sentence string }{
		"markup":        {"<img src=x onerror=document.title='owned'>", "not a Warpscope link"},
		"later version": {"9.AAAA", "format 9"},
		"broken":        {"1.%25%25", "damaged"},
		"bomb":          {"1." + base64.RawURLEncoding.EncodeToString(bomb.Bytes()), "more than 4 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			v := open(t, setting{page: "#" + c.fragment})
			v.eventually("the sentence", func() (bool, string) {
				alerts := v.query("alert", "")
				if len(alerts) != 1 {
					return false, ""
				}
				text := alerts[0].text()
				return strings.Contains(text, c.sentence), text
			})
			v.ready()
			require.Zero(t, js[int](v, `document.querySelectorAll("img:not(.cm-widgetBuffer)").length`))
			v.button("Dismiss")
			v.button("Run")
			v.status("Finished")
		})
	}
}

// A program in a link is text, whatever it looks like.
func TestMarkupInALinkStaysText(t *testing.T) {
	text := "//@ title <img src=x onerror=document.title='owned'>\n" + header +
		".visible .entry k() { ret; } // <script>document.title='owned'</script>\n"
	v := open(t, setting{page: "#" + share.Encode(share.State{Text: text, Panels: []string{"<b>", "stack"}})}).ready()
	v.region("Launch", "<img src=x")
	require.Equal(t, text, v.source())
	require.Contains(t, v.hand("<warpscope-ptx>"), "&lt;img src=x")
	v.settle()
	require.Zero(t, js[int](v, `document.querySelectorAll("img:not(.cm-widgetBuffer)").length`))
	require.NotEqual(t, "owned", js[string](v, "document.title"))
}

// A link of the first version opens at its step, in the page and in a frame. A sentence says that the step may be
// another moment now.
func TestALinkFromTheTimeOfShorterTurns(t *testing.T) {
	link := share.Encode(share.State{Text: "//@ block 64\n" + endless, Warp: 1, Step: 400})
	for _, page := range []string{"#", "embed.html#"} {
		v := open(t, setting{page: page + "1" + strings.TrimPrefix(link, "2")})
		v.holds(`document.querySelector(".ticks")?.textContent.startsWith("400 / ")`)
		alerts := v.query("alert", "")
		require.Len(t, alerts, 1)
		require.Contains(t, alerts[0].text(), "its step 400 may be another moment of the run now.")
		v.button("Dismiss")
		require.Empty(t, v.query("alert", ""))
	}
	v := open(t, setting{page: "#" + link})
	v.holds(`document.querySelector(".ticks")?.textContent.startsWith("400 / ")`)
	require.Empty(t, v.query("alert", ""))
}

// A step that lies far in an endless run is looked for in slices: the page stays alive and Pause ends it.
func TestALinkIntoAnEndlessRun(t *testing.T) {
	v := open(t, setting{page: "#" + share.Encode(share.State{Text: endless, Step: 1 << 50})}).ready()
	v.status("Running")
	v.button("Pause")
	v.status("Paused after")
}
