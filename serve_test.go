package main

import (
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// folder makes a site: the text of each file by its name. All files are of the same time.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, now := t.TempDir(), time.Now()
	for name, text := range files {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		require.NoError(t, os.Chtimes(file, now, now))
	}
	return dir
}

// serve is the server of a folder.
func serve(t *testing.T, dir string) http.Handler {
	t.Helper()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { root.Close() })
	s := server(root)
	require.Positive(t, s.ReadHeaderTimeout)
	return s.Handler
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

func get(t *testing.T, h http.Handler, url, acceptEncoding string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, url, nil)
	r.Header.Set("Accept-Encoding", acceptEncoding)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func TestTypes(t *testing.T) {
	names := map[string]string{
		"index.html": "text/html; charset=utf-8", "style.css": "text/css; charset=utf-8",
		"boot.js": "text/javascript; charset=utf-8", "a.mjs": "text/javascript; charset=utf-8",
		"warpscope.wasm": "application/wasm", "examples/a.ptx": "text/plain; charset=utf-8",
		"examples/index.json": "application/json", "favicon.svg": "image/svg+xml",
	}
	files := map[string]string{}
	for name := range names {
		files[name] = name
	}
	h := serve(t, folder(t, files))
	for name, want := range names {
		url := "/" + name
		if name == "index.html" {
			url = "/"
		}
		require.Equal(t, want, get(t, h, url, "").Header.Get("Content-Type"), name)
	}
	require.Equal(t, http.StatusNotFound, get(t, h, "/none.js", "").StatusCode)
}

func TestPrecompressed(t *testing.T) {
	dir := folder(t, map[string]string{
		"a.js": "plain", "a.js.gz": zipped(t, "plain"), "a.js.br": "brotli's bytes",
		"b.js": "plain", "b.js.gz": zipped(t, "plain"),
		"old.js": "newer", "old.js.gz": zipped(t, "older"),
		"index.html": "page", "index.html.gz": zipped(t, "page"),
	})
	past := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(dir, "old.js.gz"), past, past))
	h := serve(t, dir)
	cases := []struct{ url, accept, encoding string }{
		{"/a.js", "gzip, br", "br"},
		{"/a.js", "gzip", "gzip"},
		{"/a.js", "br;q=0, gzip;q=0.5", "gzip"},
		{"/a.js", "", ""},
		{"/b.js", "gzip, br", "gzip"},
		{"/old.js", "gzip", ""},
		{"/", "gzip", "gzip"},
		{"/../a.js", "br", "br"},
	}
	for _, c := range cases {
		response := get(t, h, "http://x"+c.url, c.accept)
		require.Equal(t, http.StatusOK, response.StatusCode, c)
		require.Equal(t, c.encoding, response.Header.Get("Content-Encoding"), c)
		require.Equal(t, "Accept-Encoding", response.Header.Get("Vary"), c)
	}
	response := get(t, h, "/b.js", "gzip")
	body, err := gzip.NewReader(response.Body)
	require.NoError(t, err)
	text, err := io.ReadAll(body)
	require.NoError(t, err)
	require.Equal(t, "plain", string(text))
	require.Equal(t, "text/javascript; charset=utf-8", response.Header.Get("Content-Type"))
}

// A file that a developer changes after the build is a new version for the service worker too.
func TestPrecacheIsOfToday(t *testing.T) {
	dir := folder(t, map[string]string{"a.js": "one", "sw.js": "", "precache.js": "as built"})
	list := func() string {
		response := get(t, serve(t, dir), "/precache.js", "gzip")
		require.Equal(t, "text/javascript; charset=utf-8", response.Header.Get("Content-Type"))
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return string(text)
	}
	before := list()
	require.Contains(t, before, `"a.js": "7692c3ad`) // printf one | sha256sum
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.js"), []byte("two"), 0o644))
	require.NotEqual(t, before, list())
}

// Only the site's own files are answered: no hidden ones, no lists of folders, nothing that a link leads out to.
func TestNothingButTheSite(t *testing.T) {
	outside := folder(t, map[string]string{"secret.txt": "secret"})
	dir := folder(t, map[string]string{"index.html": "page", "a.js": "a", ".git/config": "c", ".env": "e",
		"examples/1.ptx": "one", "lessons/index.html": "lessons"})
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "out")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret.txt"), filepath.Join(dir, "out.js")))
	require.NoError(t, os.Symlink("a.js", filepath.Join(dir, "in.js")))
	h := serve(t, dir)
	for url, want := range map[string]int{
		"/": 200, "/a.js": 200, "/in.js": 200, "/lessons/": 200, "/examples/1.ptx": 200,
		"/.env": 404, "/.git/config": 404, "/.git/": 404, "/examples/": 404, "/examples": 404,
		"/out/": 404, "/out/secret.txt": 404, "/out.js": 404, "/../secret.txt": 404,
		"/" + strings.Repeat("x", 100_000): 404,
	} {
		response := get(t, h, "http://x"+url, "gzip")
		require.Equal(t, want, response.StatusCode, url[:min(len(url), 40)])
		require.Equal(t, "nosniff", response.Header.Get("X-Content-Type-Options"))
	}
}

func TestOnlyReading(t *testing.T) {
	h := serve(t, folder(t, map[string]string{"a.js": "a", "precache.js": "", "sw.js": ""}))
	for method, want := range map[string]int{
		"GET": 200, "HEAD": 200, "POST": 405, "PUT": 405, "DELETE": 405, "OPTIONS": 405,
	} {
		for _, url := range []string{"/a.js", "/precache.js"} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(method, url, nil))
			require.Equal(t, want, w.Code, method)
			if want == 405 {
				require.Equal(t, "GET, HEAD", w.Header().Get("Allow"))
			}
		}
	}
}

func TestNextFreePort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	var said strings.Builder
	listener, err := listen(taken.Addr().String(), &said)
	require.NoError(t, err)
	defer listener.Close()
	wanted, got := taken.Addr().(*net.TCPAddr).Port, listener.Addr().(*net.TCPAddr).Port
	require.Greater(t, got, wanted)
	require.Equal(t, "Port "+strconv.Itoa(wanted)+" is taken; "+strconv.Itoa(got)+" is free.\n", said.String())

	_, err = listen("nowhere", &said)
	require.Error(t, err)
}

// A static file server of any kind, under any path: so nothing in the page may point at the root or at a host.
func TestRelativeAddresses(t *testing.T) {
	page, err := os.ReadFile("public/index.html")
	require.NoError(t, err)
	links := regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllSubmatch(page, -1)
	require.NotEmpty(t, links)
	for _, link := range links {
		require.NotRegexp(t, `^/|^[a-z]+:`, string(link[1]))
	}
	script, err := os.ReadFile("public/boot.js")
	require.NoError(t, err)
	require.NotRegexp(t, `fetch\(["'\x60](/|[a-z]+:)`, string(script))
}

func TestUnderAnyPath(t *testing.T) {
	server := httptest.NewServer(http.StripPrefix("/some/where/", http.FileServer(http.Dir("public"))))
	defer server.Close()
	for _, name := range []string{"", "boot.js", "lessons.css", "boot.css", "favicon.svg"} {
		response, err := http.Get(server.URL + "/some/where/" + name)
		require.NoError(t, err)
		response.Body.Close()
		require.Equal(t, http.StatusOK, response.StatusCode, name)
	}
}
