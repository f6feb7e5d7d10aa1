// Make writes what makes a site usable without a network; build.sh calls it.
//
//	make DIR         DIR/warpscope.html, the site in one file, and DIR/precache.js, the list for the service worker
//	make DIR FILE    FILE, the archive of the site
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"warpscope/offline"
)

func main() {
	var err error
	switch len(os.Args) {
	case 2:
		err = makeSite(os.Args[1])
	case 3:
		err = makeArchive(os.Args[1], os.Args[2])
	default:
		err = fmt.Errorf("usage: make DIR [FILE]")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "offline/make:", err)
		os.Exit(1)
	}
}

func makeSite(dir string) error {
	page, err := offline.OnePage(dir)
	if err != nil {
		return err
	}
	script, err := offline.PrecacheScript(dir)
	if err != nil {
		return err
	}
	if err := put(filepath.Join(dir, offline.OneFile), page); err != nil {
		return err
	}
	return put(filepath.Join(dir, offline.Precache), script)
}

func makeArchive(dir, file string) error {
	var archive bytes.Buffer
	if err := offline.Archive(&archive, dir); err != nil {
		return err
	}
	return put(file, archive.Bytes())
}

// put writes a file at once or not at all.
func put(file string, content []byte) error {
	if err := os.WriteFile(file+".new", content, 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}
