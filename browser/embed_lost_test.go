package browser

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/share"
)

// headed is a site whose answers are changed on their way.
func headed(site http.Handler, change func(w http.ResponseWriter, r *http.Request) (done bool)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !change(w, r) {
			site.ServeHTTP(w, r)
		}
	})
}

// below says that a request is for Warpscope's own folder.
func below(r *http.Request, name string) bool {
	return strings.Contains(r.URL.Path, "/warpscope/"+name)
}

// An embed whose frame cannot come says so, with the reason; its promises end, and another press tries again.
func TestEmbedThatCannotLoad(t *testing.T) {
	_, text := example(t, "04-")
	strict := docsPage("warpscope/embed.js", embedOf("", text))
	for _, c := range []struct {
		name, page, sentence string
		change               func(w http.ResponseWriter, r *http.Request) bool
	}{
		{"framing forbidden", strict, "the server's headers forbid frames (DENY)",
			func(w http.ResponseWriter, r *http.Request) bool {
				w.Header().Set("X-Frame-Options", "DENY")
				return false
			}},
		{"framing forbidden by policy", strict, "the server's headers forbid frames (frame-ancestors 'none')",
			func(w http.ResponseWriter, r *http.Request) bool {
				if below(r, "") {
					w.Header().Set("Content-Security-Policy", "script-src 'self'; frame-ancestors 'none'")
				}
				return false
			}},
		{"no such file", strict, "warpscope/embed.html could not be loaded: the server answers 404",
			func(w http.ResponseWriter, r *http.Request) bool {
				if below(r, "embed.html") {
					http.NotFound(w, r)
				}
				return below(r, "embed.html")
			}},
		{"another page in its place", strict, "warpscope/embed.html could not be loaded: ",
			func(w http.ResponseWriter, r *http.Request) bool {
				if below(r, "embed.html") {
					_, _ = w.Write([]byte("<!doctype html><title>Welcome</title>"))
				}
				return below(r, "embed.html")
			}},
		{"policy of the page", strings.Replace(strict, "frame-src 'self'", "frame-src 'none'", 1),
			"The content security policy of this page forbids the frame: frame-src has to name http://127.0.0.1:",
			func(http.ResponseWriter, *http.Request) bool { return false }},
	} {
		t.Run(c.name, func(t *testing.T) {
			broken := true
			site := headed(docs(map[string]string{"page.html": c.page}), func(w http.ResponseWriter, r *http.Request) bool {
				return broken && c.change(w, r)
			})
			v := open(t, setting{handler: site, page: "page.html", expected: func(string) bool { return true }})
			v.holds(`document.querySelector("warpscope-ptx")?.source`)
			why := js[string](v, `document.querySelector("warpscope-ptx").run().catch((error) => error.message)`)
			require.Contains(t, why, c.sentence)
			require.Equal(t, why, v.shown(".news", "textContent"))
			require.Equal(t, "true", v.shown("pre", "checkVisibility()"))
			require.Equal(t, "Try again false", v.shown("button", "textContent")+" "+v.shown("button", "disabled"))
			require.Contains(t, v.shown("a", "href"), "/warpscope/index.html#1.")
			if c.page == strict { // the server is mended
				broken = false
				require.Equal(t, "finished", js[string](v,
					`document.querySelector("warpscope-ptx").run().then((state) => state.phase)`))
			}
		})
	}
}

// A page in a sandbox has no origin. Its embeds run where the server allows every origin, else they say what is
// missing.
func TestEmbedInASandbox(t *testing.T) {
	_, text := example(t, "04-")
	pages := map[string]string{"page.html": docsPage("warpscope/embed.js", embedOf("run", text)),
		"outer.html": `<!doctype html><title>Docs</title><link rel=icon href=data:,>` +
			`<iframe sandbox="allow-scripts" src="page.html" width=900 height=700></iframe><script>
				addEventListener("message", ({ data }) => { if (typeof data === "string") document.title = data; });
			</script>`}
	// The page in the sandbox cannot be looked into: it tells what its element shows.
	pages["page.html"] += `<script src="tell.js"></script>`
	pages["tell.js"] = `setInterval(() => {
		const element = document.querySelector("warpscope-ptx");
		const said = element.shadowRoot?.querySelector(".error")?.textContent;
		parent.postMessage(said || element.state?.phase || "nothing", "*");
	}, 50)`
	for _, allowed := range []bool{false, true} {
		site := headed(docs(pages), func(w http.ResponseWriter, r *http.Request) bool {
			if allowed {
				w.Header().Set("Access-Control-Allow-Origin", "*")
			}
			return false
		})
		v := open(t, setting{handler: site, page: "outer.html", expected: func(string) bool { return true }})
		if allowed {
			v.holds(`document.title === "finished"`)
		} else {
			v.holds(`document.title.includes("needs allow-same-origin")`)
		}
	}
}

// A policy on Warpscope's own files that knows no WebAssembly: the sentence names the word that is missing.
func TestPolicyWithoutWebAssembly(t *testing.T) {
	_, text := example(t, "04-")
	link := "#" + share.Encode(share.State{Text: text})
	for _, c := range []struct{ policy, sees string }{
		{"default-src 'self'", "'wasm-unsafe-eval', and no more"},
		{"default-src 'self'; script-src 'self' 'wasm-unsafe-eval'", "Ready"},
	} {
		site := headed(http.FileServer(http.Dir("../public")), func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Content-Security-Policy", c.policy)
			return false
		})
		for _, page := range []string{"index.html", "embed.html"} {
			v := open(t, setting{handler: site, page: page + link, expected: func(string) bool { return true }})
			v.eventually(c.sees, func() (bool, string) {
				text := js[string](v, `(document.querySelector(".boot-note, [role=status]") || document.body).textContent`)
				return strings.Contains(text, c.sees), text
			})
		}
	}
}

// theme="auto" is the page's theme, which may be another than the system's and may change.
func TestEmbedFollowsThePage(t *testing.T) {
	_, text := example(t, "04-")
	isDark := `getComputedStyle(document.querySelector("warpscope-ptx").shadowRoot.querySelector(".box"))
		.backgroundColor === "rgb(20, 23, 27)"`
	for _, c := range []struct {
		name, style, toggle string
		system, dark        bool
		frame               bool // its page takes over the element's theme
	}{
		{name: "a plain page is white", system: true},
		{name: "a page that follows the system", style: ":root { color-scheme: light dark }", system: true, dark: true},
		{name: "a light page", style: ":root { color-scheme: light }", system: true},
		{name: "a scheme", style: "html.dark { color-scheme: dark }", toggle: `documentElement.classList.toggle("dark")`,
			frame: true},
		{name: "colours only", style: `body[data-theme="dark"] { background: #131416; color: #cfd0d0 }`,
			toggle: `body.dataset.theme = document.body.dataset.theme === "dark" ? "light" : "dark"`},
		{name: "colours in another notation", toggle: `documentElement.classList.toggle("night")`, system: true,
			style: "html { color: oklch(0.2 0.03 260) } html.night { background: oklch(0.2 0 0); color: oklch(0.93 0.01 260) }"},
		{name: "colours that change slowly", frame: true, toggle: `documentElement.toggleAttribute("data-night")`,
			style: "body { transition: color .3s } html[data-night] body { background: #111; color: #eee }"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := open(t, setting{page: "page.html", dark: c.system, docs: map[string]string{"style.css": c.style,
				"page.html": docsPage("warpscope/embed.js", "<link rel=stylesheet href=style.css>"+embedOf("", text))}})
			v.holds(`document.querySelector("warpscope-ptx:defined")`)
			v.settle()
			require.Equal(t, c.dark, js[bool](v, isDark))
			if c.toggle == "" {
				return
			}
			js[any](v, "document."+c.toggle)
			v.holds(isDark)
			if c.frame {
				js[any](v, `document.querySelector("warpscope-ptx").run()`)
				v.holds(v.inFrame(0, `document.documentElement.dataset.theme === "dark"`))
			}
			js[any](v, "document."+c.toggle)
			v.holds("!(" + isDark + ")")
			if c.frame {
				v.holds(v.inFrame(0, `document.documentElement.dataset.theme === "light"`))
			}
		})
	}
}

// Code blocks become elements also when a site shows another page without loading it, and take their attributes from
// the elements around them or from the script.
func TestBlocksOfLaterPages(t *testing.T) {
	_, text := example(t, "04-")
	code := html.EscapeString(text)
	page := docsPage(`warpscope/embed.js' data-blocks data-panels='stack' data-lane='5`, `<main>
		<pre><code class="language-ptx">`+code+`</code></pre>
		<div class="language-ptx" data-panels="memory"><div class="highlight">
			<pre><code data-step="3">`+code+`</code></pre></div></div>
		<div class="highlight-ptx"><div class="highlight"><pre data-readonly><span></span>`+code+`</pre></div></div>
		<pre class="ptx" data-height="300"><code>`+code+`</code></pre>
		<pre><code class="language-c">int x;</code></pre></main>`)
	v := open(t, setting{docs: map[string]string{"page.html": page}, page: "page.html"})
	v.holds(`document.querySelectorAll("warpscope-ptx").length === 4`)
	list := `[...document.querySelectorAll("warpscope-ptx")].map((e) => e.getAttributeNames().map((name) =>
		name + "=" + e.getAttribute(name)).join(" "))`
	require.Equal(t, []string{"panels=stack lane=5", "panels=memory step=3 lane=5", "panels=stack lane=5 readonly=",
		"panels=stack height=300 lane=5"}, js[[]string](v, list))
	for _, source := range js[[]string](v, `[...document.querySelectorAll("warpscope-ptx")].map((e) => e.source)`) {
		require.Equal(t, text, source)
	}
	for range 2 {
		js[any](v, `document.querySelector("main").innerHTML = '<p>Next</p><pre><code class="language-ptx">' +
			document.querySelector("warpscope-ptx").source.replaceAll("&", "&amp;").replaceAll("<", "&lt;") + "</code></pre>"`)
		v.holds(`document.querySelector("main warpscope-ptx")?.source === ` + quoted(text))
	}
	require.Equal(t, "finished", js[string](v,
		`document.querySelector("warpscope-ptx").run().then((state) => state.phase)`))
}

// Vue and React set an attribute as a property where the element has one of its name: run and step are methods too.
func TestAttributesAsProperties(t *testing.T) {
	_, text := example(t, "04-")
	v := open(t, setting{page: "page.html",
		docs: map[string]string{"page.html": docsPage("warpscope/embed.js", embedOf("", text))}})
	v.holds(`document.querySelector("warpscope-ptx:defined")`)
	got := js[[]any](v, `(async () => {
		const e = document.querySelector("warpscope-ptx");
		e.step = "3";
		e.run = false;
		const { step } = await e.run();
		return [e.getAttribute("step"), e.hasAttribute("run"), step, (await e.step()).step];
	})()`)
	require.Equal(t, []any{"3", false, 3.0, 4.0}, got)
}
