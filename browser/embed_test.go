package browser

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"

	"warpscope/share"
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

// pressRun presses the button of the n-th embed.
func (v *visit) pressRun(n int) {
	v.t.Helper()
	js[any](v, fmt.Sprintf(`document.querySelectorAll("warpscope-ptx")[%d].shadowRoot.querySelector("button").click()`, n))
}

// shown is a property of an element in the shadow tree of the first embed.
func (v *visit) shown(selector, property string) string {
	v.t.Helper()
	return js[string](v, fmt.Sprintf(`String(document.querySelector("warpscope-ptx").shadowRoot.querySelector(%q).%s)`,
		selector, property))
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
		v.pressRun(n)
	}
	for _, n := range []int{0, 49} {
		v.holds(v.inFrame(n, `document.querySelector("[role=status]")?.textContent.startsWith("Finished: 1,024 threads")`))
	}
	require.Equal(t, 1, site.times("/warpscope.wasm.lzma"))
	require.Equal(t, 0, site.times("/warpscope.wasm"))
	require.Equal(t, 2, js[int](v, "frames.length"))
}

// A frame that was loaded before an update keeps its engine to itself; frames of the new version share theirs.
func TestFramesOfTwoVersionsShareNoEngine(t *testing.T) {
	_, text := example(t, "04-")
	page := docsPage("warpscope/embed.js", strings.Repeat(embedOf("", text), 4))
	site := docs(map[string]string{"page.html": page})
	var version atomic.Value
	version.Store("")
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if id := version.Load().(string); id != "" && strings.HasSuffix(r.URL.Path, "/version.js") {
			fmt.Fprintf(w, "globalThis.warpscopeVersion = %q;", id)
			return
		}
		site.ServeHTTP(w, r)
	})
	v := open(t, setting{handler: handler, page: "page.html"})
	for n, engines := range []int{1, 1, 2, 2} {
		if n == 2 {
			version.Store("next")
		}
		require.Equal(t, "finished", js[string](v,
			fmt.Sprintf(`document.querySelectorAll("warpscope-ptx")[%d].run().then((state) => state.phase)`, n)))
		require.Equal(t, engines, site.times("/warpscope.wasm.lzma"), "after the program %d", n)
	}
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
	wantsShots(t)
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
			v := open(t, setting{docs: map[string]string{"page.html": page, "style.css": style},
				page: "page.html", width: width, height: 900, dark: theme == "dark"})
			js[any](v, `(async () => {
				await customElements.whenDefined("warpscope-ptx");
				const all = document.querySelectorAll("warpscope-ptx");
				await all[1].run();
				await all[2].run();
			})()`)
			v.settle()
			high := js[int64](v, "Math.ceil(document.documentElement.scrollHeight)")
			v.run(emulation.SetDeviceMetricsOverride(width, high, 1, width < 500))
			v.settle()
			v.shot(fmt.Sprintf("embed-%d-%s", width, theme))
		}
	}
}

// recipe is one section of docs/embedding.md as the page that it makes.
type recipe struct{ name, page string }

// recipes makes the pages of docs/embedding.md: HTML as it is there, Markdown by way of a Markdown renderer, and
// templates with what their generators put in.
func recipes(t *testing.T) []recipe {
	t.Helper()
	document, err := os.ReadFile("../docs/embedding.md")
	require.NoError(t, err)
	fill := strings.NewReplacer("https://example.org/", "", "{% raw %}\n", "", "{% endraw %}\n", "",
		"{{ path_to_root }}", "", `{{ "warpscope/embed.js" | relURL }}`, "warpscope/embed.js", `src="/ptx/`, `src="ptx/`,
		"{{ '/warpscope/embed.js' | relative_url }}", "warpscope/embed.js",
		"{{ '/warpscope/embed.js' | url }}", "warpscope/embed.js",
		`{useBaseUrl("/ptx/twice.ptx")}`, `"ptx/twice.ptx"`, `import useBaseUrl from "@docusaurus/useBaseUrl";`, "")
	var list []recipe
	section, fence, language, block := "", "", "", ""
	for line := range strings.Lines(string(document)) {
		mark := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && strings.HasPrefix(line, "#"):
			section = strings.Trim(line, "# \n")
			list = append(list, recipe{name: section})
		case fence == "" && len(mark) >= 3:
			fence, language, block = mark, strings.TrimSpace(line[len(mark):]), ""
		case fence != "" && strings.TrimSpace(line) == fence:
			list[len(list)-1].page += rendered(t, language, fill.Replace(block))
			fence = ""
		default:
			block += line
		}
	}
	return slices.DeleteFunc(list, func(r recipe) bool { return r.page == "" })
}

// rendered is what a block puts into the page; nothing for settings and scripts.
func rendered(t *testing.T, language, block string) string {
	t.Helper()
	switch language {
	case "html", "jsx":
		return block
	case "markdown":
		var b strings.Builder
		require.NoError(t, goldmark.Convert([]byte(block), &b))
		return b.String()
	case "rst":
		name, content, _ := strings.Cut(block, "\n")
		content = strings.ReplaceAll(content, "\n   ", "\n")
		if name == ".. raw:: html" {
			return content
		}
		return `<div class="highlight-ptx notranslate"><div class="highlight"><pre><span></span>` +
			html.EscapeString(strings.TrimSpace(content)+"\n") + "</pre></div></div>"
	}
	return ""
}

func TestEmbeddingRecipes(t *testing.T) {
	list := recipes(t)
	require.GreaterOrEqual(t, len(list), 14)
	pages := map[string]string{"start.html": "<!doctype html><title>Docs</title><link rel=icon href=data:,>"}
	address := func(i int) string { return fmt.Sprintf("page%d.html", i) }
	for i, r := range list {
		if !strings.Contains(r.page, "embed.js") && !strings.Contains(r.page, "<iframe") { // its settings load it
			r.page = `<script src="warpscope/embed.js" defer data-blocks></script>` + r.page
		}
		page := "<!doctype html><meta charset=utf-8>" + fmt.Sprintf(docsPolicy, "'self'") +
			"<title>Docs</title><link rel=icon href=data:,><body>" + r.page
		// Icons of data: addresses are none of the recipe's business.
		pages[address(i)] = strings.Replace(page, "style-src", "img-src data:; style-src", 1)
	}
	ran := map[string]bool{}
	var program atomic.Value // the text of the first recipe
	program.Store("")
	v := open(t, setting{page: "start.html",
		handler: headed(docs(pages), func(w http.ResponseWriter, r *http.Request) bool {
			file := r.URL.Path == "/ptx/twice.ptx"
			if file {
				fmt.Fprint(w, program.Load())
			}
			return file
		})})
	for i, r := range list {
		t.Run(r.name, func(t *testing.T) {
			v.t = t
			v.run(chromedp.Navigate(v.url + address(i)))
			if strings.Contains(r.page, "<iframe") {
				v.holds(`frames[0].document.querySelector("button[aria-label=Run]")`)
				js[any](v, `frames[0].document.querySelector("button[aria-label=Run]").click()`)
				v.holds(`frames[0].document.querySelector("[role=status]").textContent.startsWith("Finished: 32 threads")`)
				return
			}
			v.holds(`document.querySelector("warpscope-ptx")?.source.includes("double")`)
			elements := js[string](v, `[...document.querySelectorAll("warpscope-ptx")].map((e) =>
				e.cloneNode(false).outerHTML).join("") + document.querySelector("script[src]")?.outerHTML`)
			got := js[[]string](v, fmt.Sprint(`(async () => {
				const all = [];
				if (`, ran[elements], `) return all; // has run with the same attributes
				for (const e of document.querySelectorAll("warpscope-ptx")) {
					const met = new Promise((resolve) => e.addEventListener("expectations", (x) => resolve(x.detail.ok)));
					all.push((await e.run()).phase + " " + await met);
				}
				return all.filter((one) => one !== "finished true");
			})()`))
			ran[elements] = true
			require.Empty(t, got)
			source := js[string](v, `[...new Set([...document.querySelectorAll("warpscope-ptx")].map((e) => e.source))]
				.join("and another")`)
			program.CompareAndSwap("", source)
			require.Equal(t, program.Load(), source, "the same text in every recipe")
		})
	}
	v.t = t
}

// Foreign messages move nothing: neither those of another window nor those of another form.
func TestEmbedIgnoresStrangers(t *testing.T) {
	_, text := example(t, "04-")
	v := open(t, setting{docs: map[string]string{"page.html": docsPage("warpscope/embed.js", embedOf("", text))},
		page: "page.html", expected: func(message string) bool { return strings.Contains(message, "docs.example") }})
	js[any](v, `document.querySelector("warpscope-ptx").step()`)
	got := js[map[string]any](v, `(async () => {
		const e = document.querySelector("warpscope-ptx");
		const frame = e.querySelector("iframe");
		const events = [];
		for (const name of ["ready", "finished", "fault", "expectations"]) e.addEventListener(name, () => events.push(name));
		const height = frame.style.height;
		// To the element, from this window instead of the frame; from the frame, in forms that are not agreed.
		postMessage({ warpscope: 1, type: "state", phase: "finished", expectations: [] }, "*");
		const tell = frame.contentWindow.warpscopeTell;
		tell({ type: "state", phase: "<b>" });
		tell({ type: "size", height: "9e9" });
		tell({ type: "size", height: Infinity });
		tell({ type: "markup" });
		// To the frame, in forms that are not agreed.
		frame.contentWindow.postMessage({ warpscope: 1, type: "eval", link: "x" }, "*");
		frame.contentWindow.postMessage({ type: "step" }, "*");
		frame.contentWindow.postMessage("step", "*");
		frame.contentWindow.postMessage(null, "*");
		// To a frame that was told of another host.
		const lost = document.createElement("iframe");
		lost.src = frame.src.replace(/host=[^&#]*/, "host=https%3A%2F%2Fdocs.example");
		document.body.append(lost);
		const ticks = () => lost.contentDocument?.querySelector(".ticks")?.textContent;
		while (!ticks()) await new Promise((resolve) => setTimeout(resolve, 30));
		lost.contentWindow.postMessage({ warpscope: 1, type: "step" }, "*");
		await new Promise((resolve) => setTimeout(resolve, 300));
		events.push(ticks());
		return { events, same: height === frame.style.height, step: e.state.step };
	})()`)
	require.Equal(t, map[string]any{"events": []any{"0 / 0"}, "same": true, "step": 1.0}, got)
}

// The text can be changed from both sides, and what a reader has made of it goes along to the playground.
func TestEmbedSourceAndPlayground(t *testing.T) {
	_, text := example(t, "04-")
	_, other := example(t, "05-")
	v := open(t, setting{docs: map[string]string{"page.html": docsPage("warpscope/embed.js",
		embedOf(`panels="lanes stack" readonly`, text))}, page: "page.html"})
	link := func() share.State {
		address := js[string](v, v.inFrame(0, `(() => {
			const a = document.querySelector(".elsewhere");
			a.dispatchEvent(new Event("pointerdown"));
			return a.href;
		})()`))
		before, fragment, _ := strings.Cut(address, "#")
		require.Equal(t, v.url+"warpscope/index.html", before)
		state, err := share.Decode(fragment)
		require.NoError(t, err)
		return state
	}
	js[any](v, `(async () => { const e = document.querySelector("warpscope-ptx"); await e.step(); await e.step(); })()`)
	require.Equal(t, share.State{Text: text, Step: 2, Panels: []string{"lanes", "stack"}}, link())
	require.Equal(t, "true", js[string](v, v.inFrame(0, `String(document.querySelector(".cm-content").ariaReadOnly)`)))
	js[any](v, fmt.Sprintf(`(async () => {
		const e = document.querySelector("warpscope-ptx");
		e.source = %q;
		await e.run();
	})()`, other))
	v.holds(v.inFrame(0, `document.querySelector(".brand").textContent.startsWith("Nested")`))
	require.Equal(t, other, js[string](v, `document.querySelector("warpscope-ptx").source`))
	require.Equal(t, other, link().Text)

	// Before anything is loaded the link carries what the attributes say.
	v = open(t, setting{docs: map[string]string{"page.html": docsPage("warpscope/embed.js",
		embedOf(`step="7" warp="1" model="stack" breakpoints="34; 40 if lane < 8;barrier; change %v if hits == 2"`, text))},
		page: "page.html"})
	require.Equal(t, share.State{Text: text, Step: 7, Warp: 1, Model: "stack", Panels: []string{"lanes"},
		Breakpoints: []int{34, 40}, Stops: []share.Stop{{Line: 34}, {Line: 40, Condition: "lane < 8"}, {Kind: "barrier"},
			{Kind: "change", What: "%v", Condition: "hits == 2"}}}, v.linkShown())
}

// linkShown is what the link to the playground carries before anything is loaded.
func (v *visit) linkShown() share.State {
	v.t.Helper()
	v.holds(`/#[12]\./.test(document.querySelector("warpscope-ptx").shadowRoot.querySelector("a").href)`)
	_, fragment, _ := strings.Cut(v.shown("a", "href"), "#")
	state, err := share.Decode(fragment)
	require.NoError(v.t, err)
	return state
}

// A browser that cannot compress makes longer links, that is all.
func TestEmbedWithoutCompression(t *testing.T) {
	text := "// " + strings.Repeat("0123456789abcdef", 9000) + "\n" + endless // more than two blocks of 64 kB
	v := open(t, setting{docs: map[string]string{"page.html": docsPage("warpscope/embed.js", embedOf("", text))},
		page: "page.html", script: "delete globalThis.CompressionStream"})
	require.Equal(t, text, v.linkShown().Text)
}

// The frame that loads the engine for all is taken away meanwhile: another one loads it.
func TestEmbedWhoseNeighbourGoes(t *testing.T) {
	_, text := example(t, "04-")
	pages := docs(map[string]string{"page.html": docsPage("warpscope/embed.js", embedOf("", text)+embedOf("", text))})
	inner, release := pages.Handler, make(chan struct{})
	pages.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".lzma") && pages.times(".lzma") == 1 {
			<-release
		}
		inner.ServeHTTP(w, r)
	})
	v := open(t, setting{handler: pages, page: "page.html",
		expected: func(message string) bool { return strings.Contains(message, "ERR_ABORTED") }})
	v.pressRun(0)
	v.holds(v.inFrame(0, `frame.contentWindow.warpscopeEngine`))
	v.pressRun(1)
	v.holds(v.inFrame(1, `frame.contentWindow.warpscopeEngine`))
	js[any](v, `window.first = document.querySelector("warpscope-ptx"); first.remove()`)
	v.holds(v.inFrame(0, `document.querySelector("[role=status]")?.textContent.startsWith("Finished")`))
	close(release)
	require.Equal(t, 2, pages.times(".lzma"))

	// The one that was taken away can come back.
	js[any](v, `document.body.append(first)`)
	require.Equal(t, "finished", js[map[string]any](v, "first.run()")["phase"])
	require.Equal(t, 2, pages.times(".lzma"))
}

// A script may make an element, give it a program before it is in a document, and move it about later.
func TestEmbedMadeByAScript(t *testing.T) {
	_, text := example(t, "04-")
	page := docsPage("warpscope/embed.js", "<p id=first></p><p id=second></p>")
	early := fmt.Sprintf(`document.addEventListener("readystatechange", () => {
		if (document.readyState !== "interactive") return;
		const e = document.createElement("warpscope-ptx"); // embed.js has not run
		e.source = %q;
		document.body.append(e);
	})`, text)
	v := open(t, setting{docs: map[string]string{"page.html": page}, page: "page.html", script: early})
	v.holds(`document.querySelector("warpscope-ptx:defined")`)
	require.Equal(t, text, js[string](v, `document.querySelector("warpscope-ptx").source`))
	got := js[[]string](v, fmt.Sprintf(`(async () => {
		document.querySelector("warpscope-ptx").remove();
		const e = document.createElement("warpscope-ptx");
		e.source = %q;
		const log = [e.source === document.createElement("warpscope-ptx").source ? "lost" : "kept"];
		log.push(await e.run().catch((error) => error.message));
		document.querySelector("#first").append(e);
		e.shadowRoot.querySelector("button").focus();
		log.push((await e.run()).phase, document.activeElement.localName);
		document.querySelector("#second").append(e);
		log.push(String(e.querySelector("iframe")), (await e.step()).phase);
		return log;
	})()`, text))
	require.Equal(t, []string{"kept", "the element is in no document", "finished", "iframe", "null", "paused"}, got)
}

// A mistake in an attribute is no secret of the script.
func TestEmbedNamesStrangeWords(t *testing.T) {
	_, text := example(t, "04-")
	page := docsPage("warpscope/embed.js", embedOf(`panels="lanes registres" model="stak" theme="dark"`, text)+
		embedOf(`panels="lanes, stack+memory" model="independent" theme="auto" step="12" height="480px"`, text)+
		embedOf(`step="abc" lane="-1" height="100"`, text)+embedOf(`lane="32"`, text)+embedOf(`lane="31" warp="32"`, text))
	said := func(message string) bool { return strings.Contains(message, "<warpscope-ptx ") }
	v := open(t, setting{docs: map[string]string{"page.html": page}, page: "page.html", expected: said})
	v.linkShown()
	v.settle()
	v.mu.Lock()
	defer v.mu.Unlock()
	require.Len(t, v.console, 6)
	require.Contains(t, v.console[0], "panels>: registres is none of lanes, registers")
	require.Contains(t, v.console[1], "model>: stak is none of stack, independent")
	require.Contains(t, v.console[2], "step>: abc is no whole number from 0 on")
	require.Contains(t, v.console[3], "lane>: -1 is no whole number from 0 to 31")
	require.Contains(t, v.console[4], "height>: 100 is no whole number from 160 on")
	require.Contains(t, v.console[5], "lane>: 32 is no whole number from 0 to 31")
}

// A frame that is as high as its content has no scroll bar. While the frame grows one would take 15 of 760 pixels, and
// the content, lower in what is left, would keep it. A frame that nobody makes higher has one.
func TestEmbedHasNoScrollBar(t *testing.T) {
	_, text := example(t, "05-")
	link := "#" + share.Encode(share.State{Text: text})
	page := "<!doctype html><script src='warpscope/embed.js' defer></script><style>body { max-width: 760px }</style>" +
		embedOf(`panels="lanes stack"`, text) + "<iframe id=bare src='warpscope/embed.html" + link + "'></iframe>"
	v := open(t, setting{docs: map[string]string{"page.html": page}, page: "page.html", width: 1024, height: 700})
	v.linkShown()
	v.pressRun(0)
	v.holds(v.inFrame(0, `document.querySelector("[role=status]")?.innerText.startsWith("Finished")`))
	const width = `getComputedStyle(document.documentElement).scrollbarWidth`
	require.Equal(t, "none", js[string](v, v.inFrame(0, width)))
	require.Equal(t, "auto", js[string](v, `((document) => `+width+`)(bare.contentDocument)`))
}

// An empty embed offers nothing that only the playground has.
func TestEmbedWithoutAProgram(t *testing.T) {
	v := open(t, setting{docs: map[string]string{"page.html": docsPage("warpscope/embed.js",
		"<warpscope-ptx></warpscope-ptx><warpscope-ptx readonly></warpscope-ptx>")}, page: "page.html"})
	v.linkShown()
	for n, want := range []string{"There is no program: type or paste PTX.", "There is no program."} {
		v.pressRun(n)
		v.holds(v.inFrame(n, fmt.Sprintf(`document.querySelector("[role=status]")?.innerText.trim() === %q`, want)))
	}
}

// An embed with "run" starts when the reader comes to it, and a height that is given is kept.
func TestEmbedRunsWhenInView(t *testing.T) {
	_, text := example(t, "04-")
	site := docs(map[string]string{"page.html": docsPage("warpscope/embed.js", `<p>up here</p>`+
		strings.Repeat("<p>text</p>", 200)+embedOf(`run height="400"`, text))})
	v := open(t, setting{handler: site, page: "page.html"})
	v.settle()
	require.Zero(t, site.times("embed.html"))
	js[any](v, `document.querySelector("warpscope-ptx").scrollIntoView()`)
	v.holds(v.inFrame(0, `document.querySelector("[role=status]")?.textContent.startsWith("Finished")`))
	height := func() float64 {
		return js[float64](v, `document.querySelector("warpscope-ptx").getBoundingClientRect().height`)
	}
	require.EqualValues(t, 400, height())
	for _, other := range []string{"50%", "tall", "-300"} {
		js[any](v, `document.querySelector("warpscope-ptx").setAttribute("height", "300px")`)
		require.EqualValues(t, 300, height())
		js[any](v, fmt.Sprintf(`document.querySelector("warpscope-ptx").setAttribute("height", %q)`, other))
		require.EqualValues(t, 300, height(), "%s says nothing", other)
	}
}

// A reader without scripts sees the code; one whose engine does not come sees a sentence, and the code.
func TestEmbedWithoutEngine(t *testing.T) {
	_, text := example(t, "04-")
	pages := docs(map[string]string{"page.html": docsPage("warpscope/embed.js", embedOf("", text))})
	inner := pages.Handler
	pages.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".lzma") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		inner.ServeHTTP(w, r)
	})
	v := open(t, setting{handler: pages, page: "page.html",
		width: 1000, height: 400, expected: func(message string) bool { return strings.Contains(message, "404") }})
	v.button("Run")
	v.eventually("the sentence", func() (bool, string) {
		text := v.shown(".news", "textContent")
		return strings.Contains(text, "the server answers 404"), text
	})
	bottom := func(selector string) float64 {
		n, err := strconv.ParseFloat(v.shown(selector, "getBoundingClientRect().bottom"), 64)
		require.NoError(t, err)
		return n
	}
	require.Greater(t, bottom(".box"), 400.0, "the code is longer than the window")
	require.LessOrEqual(t, bottom(".news"), 400.0, "the sentence is in sight beside the button")
	require.Equal(t, "true", v.shown("pre", "checkVisibility()"))

	v = open(t, setting{docs: map[string]string{"page.html": docsPage("warpscope/embed.js",
		`<warpscope-ptx src="missing.ptx"></warpscope-ptx>`)}, page: "page.html",
		expected: func(message string) bool { return strings.Contains(message, "404") }})
	v.eventually("the sentence", func() (bool, string) {
		text := v.shown(".news", "textContent")
		return text == "missing.ptx could not be loaded: the server answers 404.", text
	})
}

// Inside the frame too, text has the contrast that WCAG asks for, and nothing sticks out of a phone's screen.
func TestEmbedContrastAndWidth(t *testing.T) {
	_, text := example(t, "05-")
	link := "#" + share.Encode(share.State{Text: text, Step: 9})
	for _, theme := range []string{"light", "dark"} {
		v := open(t, setting{page: "embed.html?panels=lanes+stack+registers+memory&theme=" + theme + link})
		v.holds(`document.documentElement.dataset.engine === "running"`)
		require.Empty(t, js[[]string](v, contrastScript), theme)
		for _, width := range []int64{320, 390, 700, 1000, 1440} {
			v.run(emulation.SetDeviceMetricsOverride(width, 800, 1, false))
			v.settle()
			wide := js[float64](v, "document.documentElement.scrollWidth")
			require.LessOrEqual(t, wide, float64(width), "at %d pixels", width)
		}
	}
}

// The pictures of the page's tools in embeds: beneath each other where there is room, under tabs where there is none.
func TestEmbedShowsPictures(t *testing.T) {
	_, text := example(t, "23-")
	names := []string{"watch", "flow", "access", "counters", "holds", "breakpoints"}
	v := open(t, setting{page: "embed.html?theme=dark&panels=" + strings.Join(names, "+") + "#" +
		share.Encode(share.State{Text: text, Step: 23, Watches: []string{"popc(active)"},
			Breakpoints: []int{58}}), width: 800})
	v.holds(`document.documentElement.dataset.engine === "running"`)
	v.region("Control flow", "run")
	v.region("Breakpoints", "line 58")
	v.region("Who holds what", "mma.sync", "line 58, just ran")
	v.region("Access", "ld.global")
	v.holds(firstLine + ` === "33"`)
	v.holds(`document.querySelector(".watch-values .run")?.innerText === "32"`)
	for _, width := range []int64{800, 360} {
		v.run(emulation.SetDeviceMetricsOverride(width, 800, 1, false))
		for i, name := range names {
			if width <= 760 {
				js[any](v, fmt.Sprintf(`document.querySelectorAll(".tabs button")[%d].click()`, i))
			}
			v.holds(fmt.Sprintf(`document.querySelector(".panel-%s").checkVisibility() &&
				document.querySelector(".panel-%[1]s > .body").offsetHeight >= 48`, name))
			require.LessOrEqual(t, js[float64](v, "document.documentElement.scrollWidth"), float64(width), name)
		}
	}
	require.Empty(t, js[[]string](v, contrastScript))
}

// Stops of the attribute are in the panel Breakpoints with their conditions, of which a phone shows the whole text.
// Only what is no stop is said on the console.
func TestEmbedStops(t *testing.T) {
	_, text := example(t, "05-")
	page := docsPage("warpscope/embed.js", embedOf(`panels="lanes breakpoints" breakpoints="34; `+
		`40 if popc(active) &lt; 8; divergence; write %v if lane == 26; nonsense; 9999"`, text))
	said, beyond := false, false
	v := open(t, setting{width: 390, height: 1000,
		docs: map[string]string{"page.html": page}, page: "page.html",
		expected: func(message string) bool {
			said = said || strings.Contains(message, "nonsense is no line, divergence,")
			beyond = beyond || strings.Contains(message, "breakpoints>: there is no line 9999: the program has ")
			return strings.HasPrefix(message, "warning")
		}})
	v.find("button", "Run")
	v.pressRun(0)
	v.holds(v.inFrame(0, `document.querySelector("[role=status]").innerText.includes("breakpoint of line 34")`))
	js[any](v, v.inFrame(0, `[...document.querySelectorAll(".tabs button")]
		.find(e => e.innerText === "Breakpoints").click()`))
	v.holds(v.inFrame(0, `document.querySelector("#panel-breakpoints").checkVisibility()`))
	require.Equal(t, []string{"line 34: ", "line 40: popc(active) < 8", "divergence: ", "%v is written: lane == 26"},
		js[[]string](v, v.inFrame(0, `[...document.querySelectorAll(".stop-row:not(.off)")].map(e =>
			e.querySelector(".stop-name").innerText + ": " + e.querySelector("input.code").value)`)))
	require.Empty(t, js[[]string](v, v.inFrame(0, `[...document.querySelectorAll(".stop-row:not(.off) *")].filter(e =>
		e.scrollWidth > Math.max(e.clientWidth, 1) && e.clientWidth > 0).map(e => e.outerHTML)`)))
	v.silent()
	require.True(t, said)
	require.True(t, beyond)
}

// The lane grid's message in place of registers that are gone stays in its panel.
func TestEmbedSaysThatTheWarpHasEnded(t *testing.T) {
	_, text := example(t, "02-") // a step after the end: the first of 4 CTAs is followed
	v := open(t, setting{page: "embed.html?panels=lanes+memory#" + share.Encode(share.State{Text: text, Step: 1000})})
	v.holds(`document.querySelector(".ended-note")?.textContent.includes("ended")`)
	for _, width := range []int64{390, 700, 1000, 1440} {
		v.run(emulation.SetDeviceMetricsOverride(width, 800, 1, false))
		v.holds(`(() => {
			const box = (name) => document.querySelector(name).getBoundingClientRect();
			return box(".ended-note").bottom <= box(".panel-lanes").bottom && box(".ended-note").top >= box(".panel-lanes").top;
		})()`)
	}
}

// A page's mistake is said on its console; the other elements of the page work.
func TestEmbedTakesAnySelectorAndTitle(t *testing.T) {
	text := "//@ title " + strings.Repeat("x", 1<<20) + "\n" + misaligned
	page := strings.Replace(docsPage("warpscope/embed.js", "<pre><code class=ptx>ret;</code></pre>"+embedOf("", text)),
		" defer>", " defer data-blocks='code['>", 1)
	said := false
	v := open(t, setting{docs: map[string]string{"page.html": page}, page: "page.html",
		expected: func(message string) bool {
			said = said || strings.Contains(message, "is not a CSS selector")
			return strings.HasPrefix(message, "warning")
		}})
	v.find("button", "Run")
	require.Equal(t, strings.Repeat("x", 120)+"…", v.shown(".title", "textContent"))
	v.silent()
	require.True(t, said)
	js[any](v, `document.querySelector("warpscope-ptx").run().then(() => null)`)
	require.Equal(t, "Warpscope: "+strings.Repeat("x", 120)+"…", js[string](v, `document.querySelector("iframe").title`))
	require.LessOrEqual(t, js[int](v, v.inFrame(0, `document.querySelector("h1").textContent.length`)), 121)
}

// fitScript measures a frame's page: what sticks out of it, and how much of each part can be seen, in pixels; of the
// code in lines.
const fitScript = `(() => {
	const frame = document.querySelector("main").getBoundingClientRect();
	const seen = (element, { top, bottom } = frame) => {
		const box = element.getBoundingClientRect();
		return Math.max(0, Math.min(box.bottom, bottom) - Math.max(box.top, top));
	};
	const panels = [...document.querySelectorAll("main .panel:not(.panel-editor)")].filter((p) => p.checkVisibility());
	return {
		outside: Math.max(document.documentElement.scrollHeight, frame.bottom) - innerHeight,
		code: Math.floor(seen(document.querySelector(".cm-scroller")) / 19),
		panel: Math.min(...panels.map((panel) => seen(panel))),
		status: seen(document.querySelector(".status"), { top: 0, bottom: innerHeight }),
		rows: [...document.querySelectorAll(".lane-grid [role=rowheader]")].filter((name) =>
			seen(name, document.querySelector(".panel-lanes").getBoundingClientRect()) >= 19).length,
	};
})()`

// In a frame whose height is given, the code shrinks so that the panels and the status line keep room.
func TestEmbedFitsItsFrame(t *testing.T) {
	_, text := example(t, "05-")
	link := "#" + share.Encode(share.State{Text: text, Step: 9})
	sizes := [][2]int64{{390, 480}, {1050, 480}, {800, 480}, {700, 480}, {1050, 640}, {1050, 560}}
	for i, panels := range []string{"lanes", "memory", "lanes+stack", "lanes+stack+registers"} {
		theme := []string{"dark", "light"}[i%2]
		v := open(t, setting{page: "embed.html?fixed&theme=" + theme + "&panels=" + panels + link,
			width: sizes[i%2][0], height: sizes[i%2][1]})
		v.holds(`document.documentElement.dataset.engine === "running"`)
		v.settle()
		current := js[bool](v, `(() => {
			const line = document.querySelector(".ptx-at-top")?.getBoundingClientRect();
			const code = document.querySelector(".cm-scroller").getBoundingClientRect();
			return Boolean(line) && line.top >= code.top && line.bottom <= code.bottom;
		})()`)
		require.True(t, current, "%s at %d: the current line is seen", panels, sizes[i%2])
		for _, size := range sizes {
			v.run(emulation.SetDeviceMetricsOverride(size[0], size[1], 1, size[0] < 500))
			v.settle()
			name := fmt.Sprintf("embed-fixed-%s-%dx%d-%s", panels, size[0], size[1], theme)
			v.shot(name)
			got := js[map[string]float64](v, fitScript)
			require.LessOrEqual(t, got["outside"], 0.0, "%s: nothing is outside of the frame", name)
			lines := 8.0 // as docs/embedding.md says
			if size[0] <= 760 {
				lines = 6
			}
			require.GreaterOrEqual(t, got["code"], lines, "%s: lines of code", name)
			require.GreaterOrEqual(t, got["panel"], 76.0, "%s: the smallest panel", name)
			require.GreaterOrEqual(t, got["status"], 30.0, "%s: the status line", name)
			if panels == "lanes" && size[0] > 760 {
				require.GreaterOrEqual(t, got["rows"], 3.0, "%s: rows of registers", name)
			}
		}
	}
}

// After an error in its text, an embed says whose state it still shows, and its panels lose their hue; right again, it
// offers to run to the same step.
func TestEmbedSaysWhatIsStale(t *testing.T) {
	_, text := example(t, "04-")
	v := open(t, setting{width: 760, height: 1000,
		page: "embed.html?panels=lanes+stack#" + share.Encode(share.State{Text: text, Step: 5})})
	v.holds(`document.querySelector("#timeline")?.value === "5"`)
	grey := `getComputedStyle(document.querySelector(".panel-lanes > .body")).filter === "grayscale(1)"`
	v.holds(`!(` + grey + `)`)
	js[any](v, `document.querySelector(".cm-content").focus()`)
	v.press(kb.End, input.ModifierCtrl)
	v.run(input.InsertText("nonsense"))
	v.holds(`document.querySelector(".stale-note .badge")?.innerText === "stale: step 5 of the last good text"`)
	v.holds(grey)
	v.shot("embed-stale")
	v.press("z", input.ModifierCtrl)
	v.holds(`document.querySelector(".stale-note button:not(.empty)")?.innerText === "Run again to step 5"`)
	v.holds(`!(` + grey + `)`)
	v.button("Run again to step 5")
	v.holds(`document.querySelector("#timeline").value === "5"`)
}
