package offline

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// engine is the packed engine; in the one file it is written in base64.
const engine = "warpscope.wasm.lzma"

// Files that only a served site needs.
var served = []string{"offline.js"}

//go:embed onefile.js
var fetchFromPage string

var (
	policyTag = regexp.MustCompile(`(?m)^<meta http-equiv="Content-Security-Policy".*>\n`)
	styleTag  = regexp.MustCompile(`(?m)^<link rel="stylesheet" href="([^"]+)">\n`)
	scriptTag = regexp.MustCompile(`(?m)^<script defer src="([^"]+)"></script>\n`)
	iconTag   = regexp.MustCompile(`<link rel="icon" href="([^"]+)" type="image/svg\+xml">`)
	linkTag   = regexp.MustCompile(`(?m)^<link rel="(?:manifest|apple-touch-icon)".*>\n`)
	reference = regexp.MustCompile(`<[^!][^>]*\s(?:src|href)="([^"]*)"`)
)

// onePage is index.html on its way to need nothing beside it.
type onePage struct {
	dir     string
	err     error
	styles  []string // hashes for the content security policy
	scripts []string
}

// OnePage is the page of a site with everything that it loads inside: it works when opened from a disk, where a page
// may fetch nothing. Its policy allows the scripts and styles that it holds, by their hashes, and nothing else.
func OnePage(dir string) ([]byte, error) {
	p := &onePage{dir: dir}
	page := p.read("index.html")
	if !policyTag.MatchString(page) || !strings.Contains(page, "</body>") {
		p.fail(errors.New("index.html has no content security policy or no end of its body"))
	}
	var scripts strings.Builder
	scripts.WriteString(p.data() + p.script("onefile.js", fetchFromPage))
	page = replace(scriptTag, page, func(name string) string {
		if !slices.Contains(served, name) {
			scripts.WriteString(p.script(name, p.read(name)))
		}
		return ""
	})
	page = linkTag.ReplaceAllString(page, "")
	page = replace(styleTag, page, func(name string) string { return p.style(name, p.read(name)) })
	page = replace(iconTag, page, func(name string) string {
		return `<link rel="icon" href="data:image/svg+xml;base64,` + inBase64(p.read(name)) + `">`
	})
	if strings.Contains(page, "<script ") {
		p.fail(errors.New("index.html has a script that is not written as the others"))
	}
	for _, match := range reference.FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(match[1], "data:") {
			p.fail(fmt.Errorf("index.html needs %s, and the one file does not know how to hold it", match[1]))
		}
	}
	page = strings.Replace(page, "</body>", scripts.String()+"</body>", 1)
	page = policyTag.ReplaceAllLiteralString(page,
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src `+
			strings.Join(p.scripts, " ")+" 'wasm-unsafe-eval'; style-src "+strings.Join(p.styles, " ")+
			"; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n")
	return []byte(page), p.err
}

// replace puts f of the first group in the place of each match.
func replace(pattern *regexp.Regexp, text string, f func(name string) string) string {
	return pattern.ReplaceAllStringFunc(text, func(match string) string {
		return f(pattern.FindStringSubmatch(match)[1])
	})
}

func (p *onePage) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *onePage) read(name string) string {
	content, err := os.ReadFile(filepath.Join(p.dir, filepath.FromSlash(name)))
	if err != nil {
		p.fail(err)
	}
	return string(content)
}

// data holds the files that the page fetches: texts as JSON, whose strings can hold no markup, and the engine.
func (p *onePage) data() string {
	names, err := list(p.dir, func(name string) bool { return strings.HasPrefix(name, "examples/") && isText(name) })
	if err != nil {
		p.fail(err)
	}
	files := map[string]string{}
	for _, name := range names {
		files[name] = p.read(name)
	}
	text, err := json.Marshal(files)
	if err != nil {
		p.fail(err)
	}
	return `<script type="application/json" id="onefile-texts">` + string(text) + "</script>\n" +
		`<script type="text/plain" id="onefile-engine">` + inBase64(p.read(engine)) + "</script>\n"
}

func inBase64(content string) string { return base64.StdEncoding.EncodeToString([]byte(content)) }

func isText(name string) bool {
	return strings.HasSuffix(name, ".ptx") || strings.HasSuffix(name, ".json")
}

// script is a script element. In a script "</script" can only stand in a string or a regular expression, where the
// backslash changes nothing.
func (p *onePage) script(name, text string) string {
	text = p.inline(name, strings.ReplaceAll(text, "</script", `<\/script`))
	p.scripts = append(p.scripts, hash(text))
	return "<script>" + text + "</script>\n"
}

func (p *onePage) style(name, text string) string {
	text = p.inline(name, text)
	p.styles = append(p.styles, hash(text))
	return "<style>" + text + "</style>\n"
}

// inline refuses what would end an element early, and line ends that a browser changes before it hashes.
func (p *onePage) inline(name, text string) string {
	if strings.Contains(text, "<!--") || strings.Contains(text, "</style") || strings.ContainsAny(text, "\r\x00") {
		p.fail(errors.New(name + " holds markup or line ends that cannot stand inside a page"))
	}
	return text
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
