// Make writes what makes a site usable without a network; build.sh calls it.
//
//	make precache DIR    DIR/precache.js, the list that the service worker keeps
//	make onefile DIR     DIR/warpscope.html, the playground in one file
//	make zip DIR FILE    FILE, the archive of the site
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"warpscope/offline"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "offline/make:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	var content []byte
	var err error
	var file string
	switch {
	case len(args) == 2 && args[0] == "precache":
		file = filepath.Join(args[1], offline.Precache)
		content, err = offline.PrecacheScript(args[1])
	case len(args) == 2 && args[0] == "onefile":
		file = filepath.Join(args[1], offline.OneFile)
		content, err = offline.OnePage(args[1])
	case len(args) == 3 && args[0] == "zip":
		var archive bytes.Buffer
		file = args[2]
		err = offline.Archive(&archive, args[1])
		content = archive.Bytes()
	default:
		return fmt.Errorf("usage: make precache DIR | onefile DIR | zip DIR FILE")
	}
	if err != nil {
		return err
	}
	// At once or not at all.
	if err := os.WriteFile(file+".new", content, 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}
