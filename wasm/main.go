//go:build js

// Command wasm is the engine of the page and of the JavaScript module. Started with the argument "api" it needs no
// page: it leaves its functions in the global object's property warpscope. Otherwise it is a debug session behind the
// page of package ui.
package main

import (
	"os"
	"slices"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/ui"
)

func main() {
	if slices.Contains(os.Args[1:], "api") {
		serve()
	} else if err := ui.Start(debug.New(emu.Options{})); err != nil {
		panic(err)
	}
	select {} // events and calls do the rest
}
