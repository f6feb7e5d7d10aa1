// Pack makes a file much smaller than gzip does, in the .lzma format that public/unpack.js reads while the page loads:
//
//	pack FILE PACKED SCRIPT
//	pack -direct FILE DIRECT
//
// The second makes jumps in Go's code direct (directJumps): the same program, which runs faster.
//
// SCRIPT tells pages which packed file belongs to them: it sets warpscopeVersion to the hash of PACKED.
//
// Go's WebAssembly is large and repetitive in ways that gzip cannot see, and some of them LZMA cannot see either. So
// its code is rewritten before it is packed, and what only traces of crashes use is left out. The engine transfers in
// few bytes from any static file server, whether that compresses or not.
package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"

	"warpscope/pack/lzma"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: pack FILE PACKED SCRIPT, or pack -direct FILE DIRECT")
		os.Exit(2)
	}
	run := func() error { return pack(os.Args[1], os.Args[2], os.Args[3], os.Stderr) }
	if os.Args[1] == "-direct" {
		run = func() error { return makeDirect(os.Args[2], os.Args[3]) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// pack packs a file, and notes what makes the result larger than it should be.
func pack(from, to, script string, notes io.Writer) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	data, functions, known, err := joinData(data)
	if err != nil {
		return err
	}
	if !known {
		fmt.Fprintf(notes, "pack: pack/traces.go does not know the tables of functions in %s, built with another Go "+
			"release: what only traces of crashes use stays in the packed file\n", from)
	}
	var packed bytes.Buffer
	lzma.Compress(&packed, rewriteCode(data, functions))
	if err := os.WriteFile(to, packed.Bytes(), 0o644); err != nil {
		return err
	}
	hash := sha256.Sum256(packed.Bytes())
	return os.WriteFile(script, fmt.Appendf(nil, "globalThis.warpscopeVersion = \"%x\";\n", hash[:8]), 0o644)
}

// makeDirect makes a module whose jumps are direct.
func makeDirect(from, to string) error {
	module, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, directJumps(module), 0o644)
}
