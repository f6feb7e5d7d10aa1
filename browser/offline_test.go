package browser

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"warpscope/offline"
)

// kept waits until the service worker has the whole site.
func (v *visit) kept() *visit {
	v.t.Helper()
	v.holds(`document.documentElement.dataset.offline === "ready"`)
	return v
}

// cut stops the server and takes the page's network away.
func (v *visit) cut() {
	v.t.Helper()
	if v.server != nil {
		v.server.CloseClientConnections()
		v.server.Close()
	}
	v.run(network.EmulateNetworkConditions(true, 0, 0, 0))
	require.Equal(v.t, "refused", js[string](v, `(async () => {
		const request = new XMLHttpRequest();
		request.open("GET", "http://127.0.0.1:9/");
		return new Promise(resolve => {
			request.onload = () => resolve("answered");
			request.onerror = () => resolve("refused");
			request.send();
		}).catch(() => "refused");
	})()`))
	v.forgetRequests()
}

// refused are the messages of cut's own attempt to reach another host.
func refused(message string) bool {
	return strings.Contains(message, "http://127.0.0.1:9/") || strings.Contains(message, "ERR_INTERNET_DISCONNECTED")
}

// session opens an example, edits, runs and steps it.
func (v *visit) session() {
	v.t.Helper()
	v.load("04-")
	for range 3 {
		v.button("Step")
	}
	v.standsAt("32 37 00000fff", "35 37 fffff000", "37 end ffffffff")
	v.button("Step back")
	v.button("Run")
	v.status("Finished")

	text := v.load("02-")
	v.paste(strings.Replace(text, "add.rn.f32", "sub.rn.f32", 1))
	v.region("Problems", "No problems")
	v.button("Run")
	v.status("Finished: 1,024 threads")
	v.region("Output", "1 of 3 expectations met")
	v.paste(text)
	v.button("Run")
	v.region("Output", "3 of 3 expectations met")
}

// lesson goes from the playground to the first lesson, runs its first program, solves its first exercise, and opens the
// program in the playground.
func (v *visit) lesson() {
	v.t.Helper()
	v.find("link", "Lessons").click()
	v.holds(`document.querySelector(".lesson-list a") && document.readyState === "complete"`)
	js[any](v, `document.querySelector(".lesson-list a").click()`)
	v.holds(`document.querySelector("article[data-lesson] warpscope-ptx:defined")`)
	v.holds(`document.readyState === "complete"`)
	js[any](v, `document.querySelector("warpscope-ptx").run().then(() => null)`)
	v.holds(`document.querySelector("warpscope-ptx").state.status.length > 0`)
	require.False(v.t, js[bool](v, `document.querySelector(".task").classList.contains("solved")`))
	js[any](v, `(async () => {
		const exercise = document.querySelector(".task warpscope-ptx");
		exercise.source = document.querySelector("details warpscope-ptx").source;
		await exercise.run();
	})()`)
	v.holds(`document.querySelector(".task").classList.contains("solved")`)
	program := js[string](v, `document.querySelector("warpscope-ptx").source`)
	v.run(chromedp.Navigate(js[string](v, `document.querySelector("warpscope-ptx").shadowRoot.querySelector("a").href`)))
	v.ready()
	require.Equal(v.t, program, v.source(), "opened in the playground")
}

func (v *visit) forgetRequests() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.requests = nil
}

func TestOfflineAfterOneVisit(t *testing.T) {
	v := open(t, setting{fresh: true, expected: refused}).ready().kept()
	v.cut()
	v.load("05-") // the page that is open asks for an example for the first time
	v.reload()
	v.session()
	for _, address := range []string{"index.html", "?from=elsewhere#here"} {
		v.run(chromedp.Navigate(v.url + address))
		v.ready()
	}
	v.lesson()
	for _, name := range pages(t) {
		v.run(chromedp.Navigate(v.url + name))
		v.holds(`document.readyState === "complete" && document.body.innerText.length > 0`)
		v.holds(`[...document.images].every((i) => { i.loading = "eager"; return i.complete && i.naturalWidth > 0; })`)
	}
	missing := js[[]string](v, `(async () => {
		const list = await (await fetch("`+v.url+`examples/index.json")).json();
		const ok = await Promise.all(list.map(({ file }) => fetch("`+v.url+`examples/" + file).then((r) => r.ok)));
		return list.filter((_, i) => !ok[i]).map(({ file }) => file);
	})()`)
	require.Empty(t, missing, "examples")
}

// pages are the pages of the site: what the service worker keeps.
func pages(t *testing.T) []string {
	script, err := os.ReadFile("../public/" + offline.Precache)
	require.NoError(t, err)
	var names []string
	for _, match := range regexp.MustCompile(`"(\S+\.html)":`).FindAllSubmatch(script, -1) {
		names = append(names, string(match[1]))
	}
	return names
}

// policies are what a page may allow at most.
var policies = map[string]string{
	"default-src": "'none'", "script-src": "'self' 'wasm-unsafe-eval'", "style-src": "'self'",
	"img-src": "'self' data: blob:", "connect-src": "'self'", "frame-src": "'self'", "worker-src": "'self'",
	"manifest-src": "'self'", "base-uri": "'none'", "form-action": "'none'",
}

// Every page carries the policy; TestOfflineAfterOneVisit sees that each lives within it, and says nothing on the
// console. So do the copies in the one file, of which one lesson is opened for all.
func TestEveryPageUnderItsPolicy(t *testing.T) {
	file, err := filepath.Abs("../public/warpscope.html")
	require.NoError(t, err)
	single := open(t, setting{file: file})
	names := pages(t)
	require.Subset(t, names, []string{"index.html", "embed.html", "gallery.html", "coverage.html", "lessons/index.html"})
	for _, name := range names {
		html, err := os.ReadFile("../public/" + name)
		require.NoError(t, err)
		title := regexp.MustCompile(`<title>(.*)</title>`).FindSubmatch(html)
		require.NotNil(t, title, name)
		// The playground puts the program's name before its own.
		shown := fmt.Sprintf(`document.readyState === "complete" && document.body.innerText.length > 0 &&
			document.title.endsWith(%q)`, title[1])
		policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)"`).FindSubmatch(html)
		require.NotNil(t, policy, name)
		for _, directive := range strings.Split(string(policy[1]), "; ") {
			kind, allowed, _ := strings.Cut(directive, " ")
			require.Equal(t, policies[kind], allowed, "%s: %s", name, kind)
		}
		require.Contains(t, string(policy[1]), "default-src 'none'", name)
		if path.Dir(name) == "lessons" && !slices.Contains(sitePages, name) {
			continue
		}
		single.run(chromedp.Navigate(single.url + "?page=" + name))
		single.holds(shown)
	}
}

func TestOneFile(t *testing.T) {
	page, err := os.ReadFile("../public/warpscope.html")
	require.NoError(t, err, "build the site first: ./build.sh")
	require.LessOrEqual(t, len(page), 3_000_000)
	file := filepath.Join(t.TempDir(), "somewhere else.html")
	require.NoError(t, os.WriteFile(file, page, 0o644))
	v := open(t, setting{file: strings.ReplaceAll(file, " ", "%20"), expected: refused}).ready()
	v.cut()
	v.session()
	text := v.source()
	v.reload()
	require.Equal(t, text, v.source(), "the text is kept")
	v.lesson()
}

// The page of the site cannot run from a disk, and says what can.
func TestIndexFromADisk(t *testing.T) {
	file, err := filepath.Abs("../public/index.html")
	require.NoError(t, err)
	v := open(t, setting{file: file, expected: func(string) bool { return true }})
	require.Contains(t, v.alert(), "Open warpscope.html instead")
	v.forgetRequests()
}

// The policy of the single file allows its own scripts and styles, by their hashes, and no request at all.
func TestOneFileAllowsNothingElse(t *testing.T) {
	file, err := filepath.Abs("../public/warpscope.html")
	require.NoError(t, err)
	v := open(t, setting{file: file, expected: func(message string) bool {
		return strings.Contains(message, "Content Security Policy")
	}}).ready()
	for name, attempt := range map[string]string{
		"script": `(() => {
			const s = document.createElement("script");
			s.textContent = "window.inline = 1";
			document.head.append(s);
			return window.inline ? "done" : "refused";
		})()`,
		"style": `(() => {
			const s = document.createElement("style");
			s.textContent = "body { opacity: .5 }";
			document.head.append(s);
			return getComputedStyle(document.body).opacity === "1" ? "refused" : "done";
		})()`,
		"request": `new Promise(resolve => {
			const request = new XMLHttpRequest();
			request.open("GET", "http://192.0.2.1/");
			request.onload = () => resolve("done");
			request.onerror = () => resolve("refused");
			request.send();
		})`,
	} {
		require.Equal(t, "refused", js[string](v, attempt), name)
	}
	v.forgetRequests()
}

// unpacked is the folder that the archive of the site unpacks to.
func unpacked(t *testing.T) string {
	var b bytes.Buffer
	require.NoError(t, offline.Archive(&b, "../public", time.Now()))
	archive, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, archive))
	return filepath.Join(dir, "warpscope")
}

func TestArchiveOnAnyHost(t *testing.T) {
	files := http.StripPrefix("/deep/er", http.FileServer(http.Dir(unpacked(t))))
	v := open(t, setting{handler: files, page: "deep/er/", expected: refused}).ready().kept()
	v.cut()
	v.reload()
	v.session()
	v.lesson()
}

// hosts is a proxy that notes which hosts are asked: by pages, by workers, by anything in a profile.
type hosts struct {
	mu   sync.Mutex
	seen map[string]int
}

func (h *hosts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	h.seen[r.Host]++
	h.mu.Unlock()
	if r.Method == http.MethodConnect {
		http.Error(w, "not from here", http.StatusForbidden)
		return
	}
	(&httputil.ReverseProxy{Rewrite: func(*httputil.ProxyRequest) {}}).ServeHTTP(w, r)
}

func TestNobodyElseIsAsked(t *testing.T) {
	h := &hosts{seen: map[string]int{}}
	proxy := httptest.NewServer(h)
	defer proxy.Close()
	v := open(t, setting{proxy: proxy.URL}).ready().kept()
	v.load("05-")
	v.button("Run")
	v.status("Finished")
	v.lesson()
	h.mu.Lock()
	defer h.mu.Unlock()
	site := strings.TrimPrefix(v.server.URL, "http://")
	require.Greater(t, h.seen[site], len(examples(t)), "what the service worker fetches is seen too")
	require.Len(t, h.seen, 1, "%v", h.seen)
}

// The engine crosses the wire once: the worker takes it from the browser's cache.
func TestEngineIsTransferredOnce(t *testing.T) {
	var mu sync.Mutex
	sent := 0
	files := http.FileServer(http.Dir("../public"))
	open(t, setting{handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counter := &counting{ResponseWriter: w}
		files.ServeHTTP(counter, r)
		mu.Lock()
		defer mu.Unlock()
		if strings.HasSuffix(r.URL.Path, ".lzma") {
			sent += counter.bytes
		}
	})}).ready().kept()
	mu.Lock()
	defer mu.Unlock()
	engine, err := os.Stat("../public/warpscope.wasm.lzma")
	require.NoError(t, err)
	require.Equal(t, int(engine.Size()), sent)
}

// After the first visit nothing is unpacked: the engine is kept as browsers compile it, and a worker compiles it.
func TestEngineIsKeptUnpacked(t *testing.T) {
	v := open(t, setting{fresh: true, expected: refused}).ready().kept()
	require.True(t, js[bool](v, `(async () => {
		const response = await caches.match(new URL("warpscope.wasm.lzma", location));
		return await WebAssembly.compileStreaming(response) instanceof WebAssembly.Module;
	})()`))
	v.cut()
	v.reload()
	const asked = `performance.getEntriesByType("resource").filter((one) => one.name.endsWith(".lzma")).length`
	require.Equal(t, 0, js[int](v, asked), "the page itself asks for no engine")
	v.session()
}

// A page of the old version, whose worker the new service worker answers, gets the old engine.
func TestOldPageGetsItsOwnEngine(t *testing.T) {
	site := newEdition(t)
	v := open(t, setting{handler: site.handler()}).ready().kept()
	site.write("second")
	site.publish()
	js[any](v, `navigator.serviceWorker.ready.then((r) => r.update()).then(() => null)`)
	v.region("New version", "A new version is ready.")
	engine := func(version string) string {
		return `compilingKept("warpscope.wasm.lzma", ` + version + `).then(String)`
	}
	require.Equal(t, "[object WebAssembly.Module]", js[string](v, engine("warpscopeVersion")))
	require.Equal(t, "null", js[string](v, engine(`"0123456789abcdef"`)), "another version")
}

type counting struct {
	http.ResponseWriter
	bytes int
}

func (c *counting) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b)
	c.bytes += n
	return n, err
}

// ---- versions -----------------------------------------------------------------------------------------------------

// edition is a copy of the site that can be changed while it is served.
type edition struct {
	t   *testing.T
	dir string
}

func newEdition(t *testing.T) *edition {
	return &edition{t, unpacked(t)}
}

// write puts a word into the first example; publish makes the list that names the new contents.
func (e *edition) write(word string) {
	file := filepath.Join(e.dir, "examples", examples(e.t)[0].File)
	content, err := os.ReadFile(file)
	require.NoError(e.t, err)
	require.NoError(e.t, os.WriteFile(file, append(content, "// "+word+"\n"...), 0o644))
}

func (e *edition) publish() {
	script, err := offline.PrecacheScript(e.dir)
	require.NoError(e.t, err)
	require.NoError(e.t, os.WriteFile(filepath.Join(e.dir, offline.Precache), script, 0o644))
}

// handler serves without caching, as a host that is being changed should.
func (e *edition) handler() http.Handler {
	files := http.FileServer(http.Dir(e.dir))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		files.ServeHTTP(w, r)
	})
}

// reads is whether the first example, fetched by the page, holds a word.
func (v *visit) reads(word string) bool {
	v.t.Helper()
	return js[bool](v, fmt.Sprintf(`fetch("examples/%s").then(r => r.text()).then(t => t.includes(%q))`,
		examples(v.t)[0].File, "// "+word))
}

// versions are the caches of the site but the state of the worker.
func (v *visit) versions() []string {
	v.t.Helper()
	return js[[]string](v, `caches.keys().then(names => names.filter(n => !n.endsWith(" state")))`)
}

// hasVersions waits for a number of them: an attempt that fails leaves none.
func (v *visit) hasVersions(n int) {
	v.t.Helper()
	v.eventually("the number of versions", func() (bool, string) {
		versions := v.versions()
		return len(versions) == n, fmt.Sprint(versions)
	})
}

// renew follows the notice and waits for the page of the new version.
func (v *visit) renew() {
	v.t.Helper()
	js[any](v, `window.old = true, null`)
	v.button("Reload")
	v.holds(`!window.old && document.documentElement.dataset.engine === "running"`)
}

func TestUpdateAnnouncesItself(t *testing.T) {
	site := newEdition(t)
	v := open(t, setting{handler: site.handler()}).ready().kept()
	require.Len(t, v.versions(), 1)
	require.Empty(t, v.query("region", "New version"), "nothing is new on the first visit")

	site.write("second")
	site.publish()
	other := v.tab(setting{}).ready()
	v.reload() // still the first edition, while the second is fetched
	v.region("New version", "A new version is ready.")
	v.settle()
	v.shot("update-1440-light")
	require.False(t, v.reads("second"))
	other.region("New version", "A new version is ready.")

	v.renew()
	require.True(t, v.reads("second"))
	require.False(t, other.reads("second"), "the other page goes on with the version it began with")
	require.Len(t, v.versions(), 2)

	other.renew()
	require.True(t, other.reads("second"))
	other.hasVersions(1)
	v.reload()
	require.Empty(t, v.query("region", "New version"))
}

// While a host is half-way between two versions, no page gets a mixture.
func TestHalfAnUpdateIsNone(t *testing.T) {
	site := newEdition(t)
	v := open(t, setting{handler: site.handler()}).ready().kept()
	site.write("second")
	site.publish()
	site.write("third") // the list does not know it yet
	v.reload()
	v.kept() // the page has asked for an update itself: what asks later ends later
	js[any](v, `navigator.serviceWorker.ready.then(r => r.update()).then(() => null, () => null)`)
	v.eventually("the attempt to end", func() (bool, string) {
		return js[bool](v, `navigator.serviceWorker.ready.then(r => r.installing === null && r.waiting === null)`), ""
	})
	require.Empty(t, v.query("region", "New version"))
	require.False(t, v.reads("second"))
	v.hasVersions(1)

	site.publish()
	v.reload()
	v.renew()
	require.True(t, v.reads("third"))
}

// The worker's files can be damaged: by a disk, or by another script of the origin. The site stays reachable, and
// updates go on.
func TestDamagedStateOfTheWorker(t *testing.T) {
	site := newEdition(t)
	v := open(t, setting{handler: site.handler()}).ready().kept()
	damage := func(state string) {
		js[any](v, fmt.Sprintf(`(async () => {
			const name = (await caches.keys()).find(name => name.endsWith(" state"));
			const cache = await caches.open(name);
			for (const request of await cache.keys()) await cache.put(request, new Response(%q));
		})()`, state))
		v.run(serviceworker.Enable(), serviceworker.StopAllWorkers())
	}
	for _, state := range []string{"<html>", "null", "[]", `{"current": 1}`, `{"pages": 7, "current": "x"}`, "{}"} {
		t.Run(state, func(t *testing.T) {
			v.t = t
			damage(state)
			v.reload()
			v.button("Run")
			v.status("Finished")
		})
	}
	v.t = t
	damage("{}")
	site.write("second")
	site.publish()
	v.reload()
	v.renew()
	require.True(t, v.reads("second"))
	v.hasVersions(1)
}
