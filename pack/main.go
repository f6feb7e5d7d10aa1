// Pack makes a file much smaller than gzip does, in the .lzma format that public/unpack.js reads while the page loads:
//
//	pack FILE PACKED SCRIPT
//
// SCRIPT tells pages which packed file belongs to them: it sets warpscopeVersion to the hash of PACKED.
//
// Go's WebAssembly is large and repetitive in ways that gzip cannot see; packed it is 40 % smaller. And the engine
// transfers in few bytes from any static file server, whether that compresses or not.
package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"

	"warpscope/pack/lzma"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: pack FILE PACKED SCRIPT")
		os.Exit(2)
	}
	if err := pack(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func pack(from, to, script string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	data, err = joinData(data)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	lzma.Compress(&packed, data)
	if err := os.WriteFile(to, packed.Bytes(), 0o644); err != nil {
		return err
	}
	hash := sha256.Sum256(packed.Bytes())
	return os.WriteFile(script, fmt.Appendf(nil, "globalThis.warpscopeVersion = \"%x\";\n", hash[:8]), 0o644)
}
