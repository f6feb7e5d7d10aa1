package offline

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const index = `<!doctype html>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'">
<link rel="icon" href="favicon.svg" type="image/svg+xml">
<link rel="manifest" href="manifest.webmanifest">
<link rel="stylesheet" href="style.css">
<script defer src="a.js"></script>
<script defer src="offline.js"></script>
<body>
</body>
`

// site makes a small site; more replaces or adds files.
func site(t *testing.T, more map[string]string) string {
	t.Helper()
	files := map[string]string{
		"index.html": index, "style.css": "body {}", "a.js": `const end = "</script>";`, "offline.js": "",
		"unpack.js": "", "favicon.svg": "<svg/>", "manifest.webmanifest": "{}", "sw.js": "worker",
		"warpscope.wasm.lzma": "\x00\xff",
		"warpscope.wasm":      "", "a.js.gz": "", "examples/1.ptx": "</script>", "examples/index.json": "[]",
		"examples/examples_test.go": "",
	}
	for name, text := range more {
		files[name] = text
	}
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	return dir
}

func TestPrecacheNamesWhatPagesAskFor(t *testing.T) {
	script, err := PrecacheScript(site(t, map[string]string{"precache.js": "old", "warpscope.html": "old",
		"warpscope.js": "for programs"}))
	require.NoError(t, err)
	var names []string
	for _, match := range regexp.MustCompile(`\t"(.+)": "[0-9a-f]{64}"`).FindAllSubmatch(script, -1) {
		names = append(names, string(match[1]))
	}
	require.Equal(t, []string{"a.js", "examples/1.ptx", "examples/index.json", "favicon.svg", "index.html",
		"manifest.webmanifest", "offline.js", "style.css", "unpack.js", "warpscope.wasm.lzma"}, names)
	// printf '<svg/>' | sha256sum
	require.Contains(t, string(script), `"favicon.svg": `+
		`"d4dc56669143034f31aa309635d4113d9ad76a02b1739da22c965ed2049be9e6"`)
}

func TestVersionIsOfTheContents(t *testing.T) {
	version := func(more map[string]string) string {
		script, err := PrecacheScript(site(t, more))
		require.NoError(t, err)
		return string(regexp.MustCompile(`version: "([0-9a-f]{16})"`).FindSubmatch(script)[1])
	}
	same := version(nil)
	require.Equal(t, same, version(map[string]string{"a.js.gz": "other", "warpscope.wasm": "other"}), "not kept")
	for _, name := range []string{"a.js", "sw.js", "examples/1.ptx", "examples/2.ptx"} {
		require.NotEqual(t, same, version(map[string]string{name: "other"}), name)
	}
}

// held runs the unpacker of the page in Node: the files that the one file holds.
func held(t *testing.T, page []byte) map[string]string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not here")
	}
	unpack, err := os.ReadFile("../public/unpack.js")
	require.NoError(t, err)
	packed := regexp.MustCompile(`id="onefile-site">([^<]*)<`).FindSubmatch(page)
	require.NotNil(t, packed)
	command := exec.Command(node, "-e", string(unpack)+`
		process.stdout.write(unpacked(Buffer.from(require("fs").readFileSync(0, "utf8"), "base64")));`)
	command.Stdin = bytes.NewReader(packed[1])
	out, err := command.Output()
	require.NoError(t, err)
	var files map[string]string
	require.NoError(t, json.Unmarshal(out, &files))
	return files
}

func TestOnePage(t *testing.T) {
	page, err := OnePage(site(t, map[string]string{"b/p.html": `<img alt="" src="p.png">`, "b/p.png": "\x89"}))
	require.NoError(t, err)
	require.NotRegexp(t, `(src|href)=`, string(page), "nothing is loaded")
	// printf 'body {}' | openssl sha256 -binary | base64
	require.Contains(t, string(page), "style-src 'sha256-YjaKGiklmzC6wjXA513HAMmzus8VE61XCOT+SmwNZWA=';")
	require.NotContains(t, string(page), "connect-src")
	require.Contains(t, string(page), `id="onefile-engine">AP8=</script>`) // printf '\x00\xff' | base64

	files := held(t, page)
	require.Equal(t, index, files["index.html"])
	require.Equal(t, "</script>", files["examples/1.ptx"])
	require.Equal(t, "iQ==", files["b/p.png"]) // printf '\x89' | base64
	for _, name := range []string{"manifest.webmanifest", "offline.js", "sw.js", "warpscope.wasm.lzma"} {
		require.NotContains(t, files, name)
	}
}

func TestOnePageIsComplete(t *testing.T) {
	for name, more := range map[string]map[string]string{
		"no picture":      {"index.html": index + `<img alt="" src="picture.png">`},
		"no style":        {"b/p.html": `<link rel="stylesheet" href="style.css">`},
		"no script":       {"b/p.html": `<script defer src="../none.js"></script>`},
		"markup in code":  {"unpack.js": "</script>"},
		"another comment": {"unpack.js": "<!-- begin"},
		"line ends":       {"unpack.js": "const a = 1;\r\n"},
	} {
		_, err := OnePage(site(t, more))
		require.Error(t, err, name)
	}
}

// day is a date for archives.
var day = time.Date(2026, 3, 1, 12, 0, 1, 0, time.UTC)

// tags are what servers send for a file of an archive, unzipped: nginx's ETag is its date and size, and others have
// Last-Modified alone.
func tags(t *testing.T, dir, name string, date time.Time) (etag, lastModified string) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Archive(&b, dir, date))
	archive, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	root := t.TempDir()
	require.NoError(t, os.CopyFS(root, archive))
	var last time.Time
	for _, f := range archive.File {
		require.NoError(t, os.Chtimes(filepath.Join(root, f.Name), f.Modified, f.Modified))
		require.Equal(t, fs.FileMode(0o644), f.Mode(), "a regular file that all may read")
		year, month, of := 1980+f.ModifiedDate>>9, f.ModifiedDate>>5&15, f.ModifiedDate&31 // APPNOTE.TXT, 4.4.6
		require.Equal(t, date.UTC().Format("2006-01-02"), fmt.Sprintf("%d-%02d-%02d", year, month, of))
		last = f.Modified
	}
	server := httptest.NewServer(http.FileServer(http.Dir(root)))
	defer server.Close()
	response, err := http.Get(server.URL + "/warpscope/" + name)
	require.NoError(t, err)
	response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode)
	return fmt.Sprintf("%x-%x", last.Unix(), response.ContentLength), response.Header.Get("Last-Modified")
}

// The list of files has the same length in nearly all versions, so that its date alone says that there is a new one.
func TestArchivesOfTwoBuildsDiffer(t *testing.T) {
	build := func(word string) (dir string, list []byte) {
		dir = site(t, map[string]string{"a.js": word})
		list, err := PrecacheScript(dir)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, Precache), list, 0o644))
		return dir, list
	}
	one, listOne := build("one")
	two, listTwo := build("two")
	require.NotEqual(t, listOne, listTwo)
	require.Len(t, listTwo, len(listOne))
	tagOne, dateOne := tags(t, one, Precache, day)
	tagTwo, dateTwo := tags(t, two, Precache, day.Add(time.Minute))
	require.NotEqual(t, tagOne, tagTwo)
	require.NotEqual(t, dateOne, dateTwo)
	require.Equal(t, "Sun, 01 Mar 2026 12:00:01 GMT", dateOne)
}

// A zip file holds no date before 1980.
func TestArchiveOfAnyDate(t *testing.T) {
	var a, b bytes.Buffer
	require.NoError(t, Archive(&a, site(t, nil), time.Unix(0, 0)))
	require.NoError(t, Archive(&b, site(t, nil), time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)))
	require.Equal(t, a.Bytes(), b.Bytes())
}

func TestArchive(t *testing.T) {
	dir := site(t, nil)
	var a, b bytes.Buffer
	require.NoError(t, Archive(&a, dir, day))
	require.NoError(t, Archive(&b, dir, day))
	require.Equal(t, a.Bytes(), b.Bytes())
	r, err := zip.NewReader(bytes.NewReader(a.Bytes()), int64(a.Len()))
	require.NoError(t, err)
	content := map[string]string{}
	for _, file := range r.File {
		f, err := file.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(f)
		require.NoError(t, err)
		content[file.Name] = string(text)
	}
	require.Equal(t, index, content["warpscope/index.html"])
	require.Contains(t, content, "warpscope/warpscope.wasm")
	require.Contains(t, content, "warpscope/a.js.gz")
	require.NotContains(t, fmt.Sprint(content), "_test.go")
}
