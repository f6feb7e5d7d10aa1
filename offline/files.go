// Package offline makes the site usable without a network: the list of files that the service worker keeps, the whole
// playground in one file, and the archive for other hosts.
//
// All three are made from the finished site, public/ as build.sh leaves it.
package offline

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// kept are the types of files that pages ask for. The unpacked engine is not among them: it is for
// programs.
var kept = []string{".html", ".css", ".js", ".json", ".lzma", ".png", ".ptx", ".svg", ".webmanifest"}

// The service worker and its list are kept by the browser itself; the module is for programs.
const (
	worker   = "sw.js"
	Precache = "precache.js"
	OneFile  = "warpscope.html"
	module   = "warpscope.js"
)

// pages lists what the pages of a site ask for, by paths with slashes, in order.
func pages(dir string) ([]string, error) {
	return list(dir, func(name string) bool {
		return slices.Contains(kept, path.Ext(name)) && !slices.Contains([]string{worker, Precache, OneFile, module}, name)
	})
}

func list(dir string, wanted func(name string) bool) ([]string, error) {
	var names []string
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if name = filepath.ToSlash(name); err == nil && wanted(name) {
			names = append(names, name)
		}
		return err
	})
	slices.Sort(names)
	return names, err
}

// PrecacheScript is the file precache.js of a site: every file with the hash of its contents, and a version that
// changes when any of them, or the service worker, does.
func PrecacheScript(dir string) ([]byte, error) {
	names, err := pages(dir)
	if err != nil {
		return nil, err
	}
	hashes := map[string]string{}
	whole := sha256.New()
	for _, name := range append(slices.Clone(names), worker) {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		hash := sha256.Sum256(content)
		if name != worker {
			hashes[name] = hex.EncodeToString(hash[:])
		}
		fmt.Fprintf(whole, "%s %x\n", name, hash)
	}
	text, err := json.MarshalIndent(hashes, "", "\t") // in the order of the names
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString("// Made by build.sh: what sw.js keeps, with the SHA-256 of each file.\n")
	fmt.Fprintf(&b, "self.precache = { version: \"%x\", files: %s };\n", whole.Sum(nil)[:8], text)
	return []byte(b.String()), nil
}
