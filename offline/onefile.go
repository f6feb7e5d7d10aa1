package offline

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"warpscope/pack/lzma"
)

// engine is packed already; it is beside the other files.
const engine = "warpscope.wasm.lzma"

// servedOnly are the beginnings of the names of files that make sense with a server alone.
var servedOnly = []string{"offline.", "manifest.", "icons/"}

var (
	//go:embed onefile.html
	shellText string
	//go:embed onefile.js
	loader string

	shell = template.Must(template.New("onefile.html").Parse(shellText))
)

// reference finds what a page loads.
var reference = regexp.MustCompile(`<(?:script|img)[^>]*\ssrc="([^"]*)"|<link rel="(?:stylesheet|icon)" href="([^"]*)"`)

// OnePage is the whole site in one page, which works when opened from a disk, where a page may fetch nothing: a packed
// list of files, and a script that shows one of them. Its policy allows the site's scripts and styles by their hashes,
// frames of the page itself, and no request.
func OnePage(dir string) ([]byte, error) {
	names, err := pages(dir)
	if err != nil {
		return nil, err
	}
	files := map[string]string{} // pictures in base64, the rest as it is
	for _, name := range names {
		if slices.ContainsFunc(servedOnly, func(s string) bool { return strings.HasPrefix(name, s) }) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		files[name] = string(content)
		if ext := path.Ext(name); ext == ".png" || ext == ".lzma" {
			files[name] = base64.StdEncoding.EncodeToString(content)
		}
	}
	if err := complete(files); err != nil {
		return nil, err
	}
	packed := files[engine]
	delete(files, engine)
	return onePage(files, packed)
}

// complete checks that every file that pages load is there.
func complete(files map[string]string) error {
	for _, name := range []string{"index.html", "unpack.js", engine} {
		if _, ok := files[name]; !ok {
			return fmt.Errorf("%s is missing", name)
		}
	}
	for name, text := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, match := range reference.FindAllStringSubmatch(text, -1) {
			wanted := path.Join(path.Dir(name), match[1]+match[2])
			_, there := files[wanted]
			if !there && !strings.HasPrefix(wanted, "offline.") {
				return fmt.Errorf("%s loads %s, which the site does not hold", name, wanted)
			}
		}
	}
	return nil
}

func onePage(files map[string]string, engine string) ([]byte, error) {
	list, err := json.Marshal(files) // in the order of the names
	if err != nil {
		return nil, err
	}
	var site, page bytes.Buffer
	lzma.Compress(&site, list)
	fill := struct{ Scripts, Styles, Engine, Site, Unpack, Loader string }{
		Engine: engine, Site: base64.StdEncoding.EncodeToString(site.Bytes()), Unpack: files["unpack.js"], Loader: loader,
		Scripts: hashes(files, ".js") + " " + hash(loader), Styles: hashes(files, ".css"),
	}
	for _, script := range []string{fill.Unpack, fill.Loader} {
		if strings.Contains(script, "</script") || strings.Contains(script, "<!--") || strings.Contains(script, "\r") {
			return nil, fmt.Errorf("unpack.js or onefile.js holds markup or line ends that a page cannot contain")
		}
	}
	err = shell.Execute(&page, fill)
	return page.Bytes(), err
}

func hashes(files map[string]string, ext string) string {
	var list []string
	for name, text := range files {
		if path.Ext(name) == ext {
			list = append(list, hash(text))
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
