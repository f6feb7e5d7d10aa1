//go:build js

// Command wasm is the page's program: a debug session behind the page of package ui.
package main

import (
	"warpscope/debug"
	"warpscope/emu"
	"warpscope/ui"
)

func main() {
	if err := ui.Start(debug.New(emu.Options{})); err != nil {
		panic(err)
	}
	select {} // the browser's events do the rest
}
