package main

import (
	"fmt"
	"strings"

	"warpscope/emu/handlers"
)

// WebAssembly bodies of hot handlers, in Go's assembler: the macros of emu/row/lanes_wasm.h do most of the work. What
// is left is one lane's macro, and the name of the macro that stores a row of such lanes.

// Lane is the body of the macro that computes lane n.
func (h handler) Lane() string {
	var words []string
	for _, word := range strings.Fields(h.Postfix) {
		switch i := strings.Index("abc", word); {
		case i >= 0:
			words = append(words, fmt.Sprintf("%s(%s, n)", h.load(h.Operands()[i]), strings.ToUpper(word)))
		case word[0] >= '0' && word[0] <= '9':
			words = append(words, "I32Const $"+word)
		default:
			words = append(words, word)
		}
	}
	return strings.Join(words, "; ")
}

// load is the macro that pushes an element: extended to 64 bits when the result is that wide.
func (h handler) load(elem byte) string {
	wide := handlers.Size(h.Result()) == 8
	switch {
	case elem == 'f':
		return "F"
	case elem == 'd':
		return "D"
	case handlers.Size(elem) == 8:
		return "Q"
	case wide && elem == 'i':
		return "WS"
	case wide:
		return "WU"
	}
	return "W"
}

// Lanes computes and stores all lanes.
func (h handler) Lanes() string {
	form := "LANES(WORD, %s)"
	switch {
	case h.IsPred():
		form = "MASK(%s)"
	case h.Fallback != "":
		form = "SUMS(%s)"
	case h.Result() == 'f':
		form = "FLOATS(%s)"
	case h.Result() == 'v':
		form = "PAIRS(QUAD, %s)"
	case handlers.Size(h.Result()) == 8:
		form = "LANES(QUAD, %s)"
	}
	return fmt.Sprintf(form, h.Name)
}
