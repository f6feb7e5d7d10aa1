// Command gen writes the handlers of package emu/row, which compute all 32 lanes of one instruction from rows of
// registers, from the table in emu/handlers:
//
//	zz_handlers.go    handlers by number, numbers by opcode, and those handlers that Go compiles for every machine
//	zz_lanes.go       all others in Go, and functions on rows; for every machine but WebAssembly
//	zz_lanes_wasm.s   these handlers in assembly for WebAssembly; lanes_wasm.h has the macros
//	zz_lanes_wasm.go  their declarations
//
// In Go the 32 lanes are written out: that is what makes an interpreter in WebAssembly fast (docs/rationale.md).
package main

import (
	"bytes"
	"embed"
	"flag"
	"fmt"
	"go/format"
	"os"
	"strings"
	"text/template"

	"warpscope/emu/handlers"
)

// handler is a handler as the templates see it.
type handler struct{ handlers.Handler }

// IsPred says whether the result is a mask.
func (h handler) IsPred() bool { return h.Result() == 'p' }

// Func is the name of the function that computes the lanes. fma has a function around it, hFmaF32, which calls the
// fallback for lanes that fmaRow has left out.
func (h handler) Func() string {
	if h.Fallback != "" {
		return "fmaRow"
	}
	return "h" + h.Name
}

// Decl is its declaration.
func (h handler) Decl() string {
	result := ""
	if h.Fallback != "" {
		result = " uint32"
	}
	return "func " + h.Func() + "(f unsafe.Pointer, in *Inst, to uint32)" + result
}

// Row is how Run executes it: by a call when all is in assembly.
func (h handler) Row() string {
	switch {
	case h.Postfix == "" || h.Expr == "":
		return "0"
	case h.Fallback != "":
		return "ByFma"
	}
	return "ByCall"
}

// Rows gives the widths of destination and sources for the lowering: 1 for a 32-bit row, 2 for a 64-bit row, 0 absent.
func (h handler) Rows() string {
	width := map[byte]string{'p': "0", 'q': "2", 'l': "2", 'd': "2", 'v': "1", 'w': "1", 'i': "1", 'f': "1"}
	out := []string{width[h.Result()]}
	for _, elem := range []byte(h.Operands()) {
		out = append(out, width[elem])
	}
	return strings.Join(out, ", ")
}

//go:embed *.tmpl
var templates embed.FS

// outputs are the generated files and their templates.
var outputs = []struct{ file, template string }{
	{"zz_handlers.go", "handlers.tmpl"},
	{"zz_lanes.go", "lanes.tmpl"},
	{"zz_lanes_wasm.go", "lanes_wasm.tmpl"},
	{"zz_lanes_wasm.s", "lanes_asm.tmpl"},
}

// data is what the templates see.
type data struct {
	Operations []handler // all
	Handlers   []handler // those whose functions are generated
	Lanes      []int
	Pairs      []int
	Bits       int
}

// Widths are the element sizes in bits that have loads of their own.
func (data) Widths() []int { return []int{32, 64} }

// With is the data for one row width.
func (d data) With(bits int) data {
	d.Bits = bits
	return d
}

func generate(name string) []byte {
	text, err := templates.ReadFile(name)
	if err != nil {
		panic(err)
	}
	var d data
	for _, h := range handlers.Table() {
		d.Operations = append(d.Operations, handler{h})
		if h.Expr != "" {
			d.Handlers = append(d.Handlers, handler{h})
		}
	}
	for i := range 32 {
		d.Lanes = append(d.Lanes, i)
		if i < 16 {
			d.Pairs = append(d.Pairs, i)
		}
	}
	var out bytes.Buffer
	t := template.Must(template.New("").Parse(string(text)))
	if err := t.Execute(&out, d); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func main() {
	dir := flag.String("dir", "emu/row", "folder of package emu/row")
	flag.Parse()
	for _, o := range outputs {
		text := generate(o.template)
		if strings.HasSuffix(o.file, ".go") {
			var err error
			if text, err = format.Source(text); err != nil {
				panic(err)
			}
		}
		if err := os.WriteFile(*dir+"/"+o.file, text, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
