package offline

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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
		"favicon.svg": "<svg/>", "manifest.webmanifest": "{}", "sw.js": "worker", "warpscope.wasm.lzma": "\x00\xff",
		"warpscope.wasm": "", "a.js.gz": "", "examples/1.ptx": "</script>", "examples/index.json": "[]",
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
	script, err := PrecacheScript(site(t, map[string]string{"precache.js": "old", "warpscope.html": "old"}))
	require.NoError(t, err)
	var names []string
	for _, match := range regexp.MustCompile(`\t"(.+)": "[0-9a-f]{64}"`).FindAllSubmatch(script, -1) {
		names = append(names, string(match[1]))
	}
	require.Equal(t, []string{"a.js", "examples/1.ptx", "examples/index.json", "favicon.svg", "index.html",
		"manifest.webmanifest", "offline.js", "style.css", "warpscope.wasm.lzma"}, names)
	// printf '<svg/>' | sha256sum
	require.Contains(t, string(script), `"favicon.svg": "d4dc56669143034f31aa309635d4113d9ad76a02b1739da22c965ed2049be9e6"`)
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

func TestOnePage(t *testing.T) {
	page, err := OnePage(site(t, nil))
	require.NoError(t, err)
	text := string(page)
	require.NotRegexp(t, `(src|href)="[^d]`, text, "nothing is loaded")
	require.Contains(t, text, `<link rel="icon" href="data:image/svg+xml;base64,PHN2Zy8+">`) // printf '<svg/>' | base64
	require.Contains(t, text, `<script>const end = "<\/script>";</script>`)
	require.Contains(t, text, `{"examples/1.ptx":"\u003c/script\u003e","examples/index.json":"[]"}</script>`)
	require.Contains(t, text, `id="onefile-engine">`+base64.StdEncoding.EncodeToString([]byte{0, 0xff})+"</script>")
	// printf 'body {}' | openssl sha256 -binary | base64
	require.Contains(t, text, "style-src 'sha256-YjaKGiklmzC6wjXA513HAMmzus8VE61XCOT+SmwNZWA=';")
	require.NotContains(t, text, "'self'")
}

func TestOnePageRefusesWhatItCannotHold(t *testing.T) {
	for name, more := range map[string]map[string]string{
		"another file":    {"index.html": index + `<img alt="" src="picture.png">`},
		"a missing style": {"index.html": index + `<link rel="stylesheet" href="none.css">` + "\n"},
		"no policy":       {"index.html": "<body>\n</body>"},
		"no body":         {"index.html": strings.Replace(index, "</body>", "", 1)},
		"a comment":       {"a.js": "<!-- begin"},
		"line ends":       {"style.css": "body {}\r\n"},
	} {
		_, err := OnePage(site(t, more))
		require.Error(t, err, name)
	}
}

func TestArchive(t *testing.T) {
	dir := site(t, nil)
	var a, b bytes.Buffer
	require.NoError(t, Archive(&a, dir))
	require.NoError(t, Archive(&b, dir))
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
