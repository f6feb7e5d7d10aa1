// Pack makes a file much smaller than gzip does, in the .lzma format that public/unpack.js reads while the page loads:
//
//	pack FILE PACKED
//
// Go's WebAssembly is large and repetitive in ways that gzip cannot see; packed it is 40 % smaller. And the engine
// transfers in few bytes from any static file server, whether that compresses or not.
package main

import (
	"bufio"
	"fmt"
	"os"

	"warpscope/pack/lzma"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: pack FILE PACKED")
		os.Exit(2)
	}
	if err := pack(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func pack(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	data, err = joinData(data)
	if err != nil {
		return err
	}
	file, err := os.Create(to)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	lzma.Compress(out, data)
	if err := out.Flush(); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
