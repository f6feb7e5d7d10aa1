package browser

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// served counts what is asked of a site.
type served struct {
	http.Handler
	mu    sync.Mutex
	paths []string
}

func (s *served) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.paths = append(s.paths, r.URL.Path)
	s.mu.Unlock()
	s.Handler.ServeHTTP(w, r)
}

func (s *served) times(suffix string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, p := range s.paths {
		if strings.HasSuffix(p, suffix) {
			n++
		}
	}
	return n
}

// docs is a site of documentation with these pages and files beside the built site, which is public/ below it.
func docs(pages map[string]string) *served {
	site := http.StripPrefix("/warpscope", http.FileServer(http.Dir("../public")))
	return &served{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store") // frames must not rely on the browser's cache
		text, ok := pages[strings.TrimPrefix(r.URL.Path, "/")]
		switch {
		case ok && strings.HasSuffix(r.URL.Path, ".html"):
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, text)
		case ok && strings.HasSuffix(r.URL.Path, ".css"):
			w.Header().Set("Content-Type", "text/css")
			fmt.Fprint(w, text)
		case ok:
			fmt.Fprint(w, text)
		case r.URL.Path == "/favicon.ico":
			w.WriteHeader(http.StatusNoContent)
		default:
			site.ServeHTTP(w, r)
		}
	})}
}

const docsPolicy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src %s; ` +
	`frame-src %[1]s; connect-src 'self'; style-src 'self'">`

// docsPage is a page that a strict policy forbids everything but the embed, from a site at that address.
func docsPage(script, body string) string {
	origin := "'self'"
	if strings.HasPrefix(script, "http") {
		origin = script[:strings.Index(script, "/warpscope/")]
	}
	return "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>" +
		fmt.Sprintf(docsPolicy, origin) + "<title>Docs</title><script src='" + script + "' defer></script><body>" + body
}

func embedOf(attributes, text string) string {
	return "<warpscope-ptx " + attributes + "><pre>" + html.EscapeString(text) + "</pre></warpscope-ptx>\n"
}

// inFrame evaluates an expression in the n-th embed's frame, as document.
func (v *visit) inFrame(n int, expression string) string {
	return fmt.Sprintf(`(() => {
		const frame = document.querySelectorAll("warpscope-ptx")[%d].querySelector("iframe");
		const document_ = frame && frame.contentDocument;
		return ((document) => document && (%s))(document_);
	})()`, n, expression)
}

func TestFiftyEmbedsLoadOnlyTheScript(t *testing.T) {
	_, text := example(t, "02-")
	body := strings.Repeat(embedOf("", text), 49) + `<warpscope-ptx src="one.ptx"></warpscope-ptx>`
	site := docs(map[string]string{"page.html": docsPage("warpscope/embed.js", body), "one.ptx": text})
	v := open(t, setting{handler: site, page: "page.html"})
	v.eventually("50 buttons", func() (bool, string) {
		n := len(v.query("button", "Run"))
		return n == 50, fmt.Sprint(n)
	})
	v.settle()
	require.ElementsMatch(t, []string{"/page.html", "/warpscope/embed.js", "/one.ptx"}, site.paths)
	require.Equal(t, text, js[string](v, `document.querySelectorAll("warpscope-ptx")[49].source`))
	require.Equal(t, text, js[string](v, `document.querySelectorAll("warpscope-ptx")[0].source`))

	// The first that runs brings the engine, the second does without.
	for _, n := range []int{0, 49} {
		js[any](v, fmt.Sprintf(`document.querySelectorAll("warpscope-ptx")[%d].shadowRoot.querySelector("button").click()`, n))
	}
	for _, n := range []int{0, 49} {
		v.holds(v.inFrame(n, `document.querySelector("[role=status]")?.textContent.startsWith("Finished: 1,024 threads")`))
	}
	require.Equal(t, 1, site.times("/warpscope.wasm.lzma"))
	require.Equal(t, 0, site.times("/warpscope.wasm"))
	require.Equal(t, 2, js[int](v, "frames.length"))
}

func TestEmbedAcrossOrigins(t *testing.T) {
	site := docs(nil)
	other := httptest.NewServer(site)
	t.Cleanup(other.Close)
	_, text := example(t, "04-")
	page := docsPage(other.URL+"/warpscope/embed.js", embedOf(`panels="lanes stack"`, text)+embedOf(`step="3"`, text))
	v := open(t, setting{handler: docs(map[string]string{"page.html": page}), page: "page.html", other: other.URL})
	got := js[map[string]any](v, `(async () => {
		const e = document.querySelector("warpscope-ptx");
		const events = [];
		for (const name of ["ready", "finished", "fault", "expectations"]) e.addEventListener(name, () => events.push(name));
		const first = await e.step();
		await e.step();
		const third = await e.step();
		const back = await e.stepBack();
		const end = await e.run();
		return { first: first.step, third: third.step, line: third.line, back: back.step, end: end.phase, events,
			height: e.getBoundingClientRect().height };
	})()`)
	require.EqualValues(t, 1, got["first"])
	require.EqualValues(t, 3, got["third"])
	require.EqualValues(t, 32, got["line"])
	require.EqualValues(t, 2, got["back"])
	require.EqualValues(t, "finished", got["end"])
	require.Equal(t, []any{"ready", "finished", "expectations"}, got["events"])
	require.Greater(t, got["height"], 300.0)

	state := js[map[string]any](v, `document.querySelectorAll("warpscope-ptx")[1].run()`)
	require.EqualValues(t, "paused", state["phase"])
	require.EqualValues(t, 3, state["step"])
	require.Contains(t, state["status"], "20 of 32 lanes")
	require.Equal(t, 1, site.times("/warpscope.wasm.lzma"))
}

// TestEmbedShots takes pictures of a page with three embeds: as text, after a run, and in the middle.
func TestEmbedShots(t *testing.T) {
	folder := os.Getenv("WARPSCOPE_SHOTS")
	if folder == "" {
		t.Skip("WARPSCOPE_SHOTS names no folder")
	}
	_, sum := example(t, "02-")
	_, branch := example(t, "05-")
	body := `<main><h1>Divergence</h1><p>A warp has 32 lanes. They execute one instruction together.</p>` +
		embedOf("", sum) + "<p>Lanes that take different sides of a branch wait for each other.</p>" +
		embedOf(`panels="lanes stack registers memory" step="14"`, branch) +
		"<p>A fault says which lanes did what.</p>" + embedOf(`panels="lanes"`, misaligned) + "</main>"
	style := "main { max-width: 46rem; margin: 0 auto; padding: 1rem; font: 16px/1.6 Georgia, serif; }"
	page := docsPage("warpscope/embed.js", `<link rel=stylesheet href=style.css>`+body)
	page = strings.Replace(page, "<title>", `<meta name="color-scheme" content="light dark"><title>`, 1)
	for _, width := range []int64{1440, 390} {
		for _, theme := range []string{"light", "dark"} {
			v := open(t, setting{handler: docs(map[string]string{"page.html": page, "style.css": style}),
				page: "page.html", width: width, height: 900, dark: theme == "dark"})
			js[any](v, `(async () => {
				await customElements.whenDefined("warpscope-ptx");
				const all = document.querySelectorAll("warpscope-ptx");
				await all[1].run();
				await all[2].run();
			})()`)
			v.settle()
			var picture []byte
			v.run(chromedp.FullScreenshot(&picture, 100))
			require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("embed-%d-%s.png", width, theme)), picture, 0o644))
		}
	}
}
