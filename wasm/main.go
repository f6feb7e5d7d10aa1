//go:build js

// Command wasm is the engine of the page and of the JavaScript module. Started with the argument "api" it needs no
// page: it leaves its functions in the global object's property warpscope. Otherwise it is a debug session with the
// page of package ui.
package main

import (
	"os"
	"slices"

	"warpscope/debug"
	"warpscope/emu"
	_ "warpscope/emu/host" // the page and the module load jit.js
	"warpscope/ui"
)

// pageMemory is the device memory of a program in the page, in bytes. All of the page's memory is 4 GiB, and holds it
// several times: in the device, in snapshots, in what is shown, and once more while it grows.
const pageMemory = 256 << 20

// headroom is held and never used: with so many bytes more in the heap, Go collects garbage after so many more are
// made. The page's own heap is small, and a step makes much garbage. Memory that nothing touches takes none of the
// machine's.
var headroom []byte

func main() {
	if slices.Contains(os.Args[1:], "api") {
		serve()
	} else {
		headroom = make([]byte, 32<<20)
		if err := ui.Start(debug.New(emu.Options{MemoryLimit: pageMemory})); err != nil {
			panic(err)
		}
	}
	select {} // events and calls do the rest
}
