package main

import (
	"bytes"
	"encoding/binary"
)

// Go's table of functions (runtime/symtab.go: pcHeader, functab, _func) says for each function, among what the
// collector needs, which file and line each place is from. Only the traces of crashes use that, and it is a tenth of
// what the engine transfers: the page's engine goes without. Traces then name functions, not lines.
//
// The layout is Go's own affair and may change with a version; dropLines checks what it reads and leaves alone what it
// does not know.
const (
	headerSize = 8 + 8*8 // magic, sizes; then nine words of which the last follows
	funcSize   = 44      // of _func, before its tables

	atStackTable = 16 // in _func: offsets of tables, four bytes each
	atFileTable  = 20
	atLineTable  = 24
	atTableCount = 28
)

// magic begins the header: the magic number of Go since 1.20, two zeros, instructions of 1 byte, pointers of 8.
var magic = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

// dropLines clears the tables of files and lines in a module's data, and says whether it did.
func dropLines(data []byte) bool {
	at := bytes.Index(data, magic)
	if at < 0 || len(data)-at < headerSize {
		return false
	}
	t := &lineTables{all: data[at:]}
	if !t.find() {
		return false
	}
	needed := make([]bool, len(t.tables))
	for _, f := range t.functions {
		for _, offset := range f.needed() {
			t.each(offset, func(i int) { needed[i] = true })
		}
	}
	cleared := bytes.Clone(t.tables)
	for _, f := range t.functions {
		for _, offset := range f.dropped() {
			t.each(offset, func(i int) {
				if !needed[i] {
					cleared[i] = 0
				}
			})
		}
		f.drop()
	}
	copy(t.tables, cleared)
	return true
}

// lineTables is the table of functions, taken apart.
type lineTables struct {
	all       []byte // from the header on
	tables    []byte // all tables, one after the other; offset 0 means none
	functions []function
}

// find locates the parts, and says whether all is as expected.
func (t *lineTables) find() bool {
	word := func(i int) int { return int(binary.LittleEndian.Uint64(t.all[8+8*i:])) }
	count, tables, functions := word(0), word(6), word(7)
	if tables < headerSize || functions <= tables || count < 0 || count > len(t.all) || functions+8*count > len(t.all) {
		return false
	}
	t.tables = t.all[tables:functions]
	for i := range count {
		at := functions + int(binary.LittleEndian.Uint32(t.all[functions+8*i+4:]))
		if at+funcSize > len(t.all) {
			return false
		}
		f := function(t.all[at:])
		if at+funcSize+4*f.count() > len(t.all) || !t.holds(f.needed()) || !t.holds(f.dropped()) {
			return false
		}
		t.functions = append(t.functions, f)
	}
	return true
}

func (t *lineTables) holds(offsets []uint32) bool {
	for _, offset := range offsets {
		if int(offset) >= len(t.tables) {
			return false
		}
	}
	return true
}

// each visits the bytes of a table: pairs of numbers, closed by a zero where a pair would begin; only the first pair
// may begin with a zero itself.
func (t *lineTables) each(offset uint32, visit func(i int)) {
	if offset == 0 {
		return
	}
	at := int(offset)
	for first := true; at < len(t.tables) && (first || t.tables[at] != 0); first = false {
		for range 2 {
			for ; at < len(t.tables) && t.tables[at] >= 0x80; at++ {
				visit(at)
			}
			if at < len(t.tables) {
				visit(at)
			}
			at++
		}
	}
	if at < len(t.tables) {
		visit(at)
	}
}

// function is the record of a function, and what lies behind it.
type function []byte

func (f function) word(at int) uint32 { return binary.LittleEndian.Uint32(f[at:]) }

// count is how many tables follow the record.
func (f function) count() int { return int(f.word(atTableCount)) }

// needed are the tables that the collector and the scheduler read.
func (f function) needed() []uint32 {
	offsets := []uint32{f.word(atStackTable)}
	for i := range f.count() {
		offsets = append(offsets, f.word(funcSize+4*i))
	}
	return offsets
}

func (f function) dropped() []uint32 { return []uint32{f.word(atFileTable), f.word(atLineTable)} }

func (f function) drop() {
	binary.LittleEndian.PutUint32(f[atFileTable:], 0)
	binary.LittleEndian.PutUint32(f[atLineTable:], 0)
}
