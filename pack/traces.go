package main

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
)

// Go's table of functions (runtime/symtab.go: pcHeader, moduledata, functab, _func) says for each function, among what
// the collector needs, how it is called, which file and line each place is from, what has been inlined there and which
// arguments to print. Only the traces of crashes use that, and it is a fifth of what the engine transfers: the page's
// engine goes without. The message of a crash stays.
//
// The layout is Go's own affair and may change with a version; dropTraces checks what it reads and leaves alone what it
// does not know.
const (
	headerSize = 8 + 8*8 // magic, sizes; then nine words of which the last follows
	funcSize   = 44      // of _func, before its tables

	// In _func: offsets of tables and other words, four bytes each, and two bytes.
	atName       = 4
	atArguments  = 8
	atDefer      = 12
	atStackTable = 16
	atFileTable  = 20
	atLineTable  = 24
	atTableCount = 28
	atUnit       = 32
	atFirstLine  = 36
	atID         = 40
	atDataCount  = 43

	wrapperID = 23 // of wrappers around methods (internal/abi: FuncIDWrapper)
	noData    = 1<<32 - 1

	// In moduledata, in words: where the functions' data begin, and where the table of functions ends, after them.
	atData, atTableEnd = 40, 41
)

// The tables and data of a function that traces, debuggers and signals use: points where it must not be stopped, what
// has been inlined, arguments that live (internal/abi: PCDATA, FUNCDATA).
var (
	tracedTables = []int{0, 2, 3}
	tracedData   = []int{3, 5, 6, 7}
)

// comparedNames are the names that the runtime itself compares. Of others it knows only its own by how they begin, and
// takes from the name of a wrapper the message of a call through a nil pointer: it becomes one that names no type.
var comparedNames = []string{"reflect.makeFuncStub", "reflect.methodValueCall"}

const (
	ownName     = "runtime.(*type).method"
	wrapperName = "some.(*type).method"
)

// magic begins the header: the magic number of Go since 1.20, two zeros, instructions of 1 byte, pointers of 8.
var magic = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

// dropTraces clears what only traces use in the memory that a module begins with, from an address on, and says whether
// it did. The part is what is left of the functions' tables and records.
func dropTraces(memory []byte, address int) (functions part, known bool) {
	at := bytes.Index(memory, magic)
	if at < 0 || len(memory)-at < headerSize {
		return part{}, false
	}
	t := &functionTable{all: memory[at:]}
	if !t.find() || !t.findData(memory, address, address+at) {
		return part{}, false
	}
	t.clearData()
	t.clearNames()
	clear(t.files)
	for _, f := range t.functions {
		f.drop()
	}
	if t.layOut() {
		functions = t.packed()
		functions.start += at
		functions.end += at
	}
	return functions, true
}

// functionTable is the parts of the table of functions.
type functionTable struct {
	all       []byte // from the header on
	names     []byte // closed by zeros; offset 0 means none
	files     []byte // the files of each unit of compilation, and their names
	tables    []byte // all tables, one after the other; offset 0 means none
	data      []byte // all data, one after the other; only their beginnings are known
	functions []function
	from, end int // where in all the tables begin, and the last record ends
}

func word(b []byte, i int) int { return int(binary.LittleEndian.Uint64(b[8*i:])) }

// find locates the parts, and says whether all is as expected.
func (t *functionTable) find() bool {
	header := t.all[8:]
	count, names, units := word(header, 0), word(header, 3), word(header, 4)
	tables, functions := word(header, 6), word(header, 7)
	if names < headerSize || units < names || tables < units || functions <= tables || count < 0 ||
		count > len(t.all) || functions+8*count > len(t.all) {
		return false
	}
	t.names, t.files, t.tables = t.all[names:units], t.all[units:tables], t.all[tables:functions]
	t.from = tables
	for i := range count {
		at := functions + int(binary.LittleEndian.Uint32(t.all[functions+8*i+4:]))
		if at+funcSize > len(t.all) {
			return false
		}
		f := function(t.all[at:])
		if at+f.size() > len(t.all) || int(f.word(atName)) >= len(t.names) || !t.holds(f) {
			return false
		}
		t.functions = append(t.functions, f)
		t.end = max(t.end, at+f.size())
	}
	return true
}

// findData locates the functions' data through the module's record, which begins with the header's address and the
// slice of names.
func (t *functionTable) findData(memory []byte, address, header int) bool {
	var start []byte
	for _, v := range []int{header, header + word(t.all[8:], 3), len(t.names)} {
		start = binary.LittleEndian.AppendUint64(start, uint64(v))
	}
	at := bytes.Index(memory, start)
	if at < 0 || len(memory)-at < 8*(atTableEnd+1) {
		return false
	}
	from, to := word(memory[at:], atData)-address, word(memory[at:], atTableEnd)-address
	if from < 0 || to < from || to > len(memory) {
		return false
	}
	t.data = memory[from:to]
	return true
}

func (t *functionTable) holds(f function) bool {
	for _, at := range f.tables() {
		if int(f.word(at)) >= len(t.tables) {
			return false
		}
	}
	return true
}

// table is the table at an offset that is not 0.
func (t *functionTable) table(offset uint32) []byte {
	rest := t.tables[offset:]
	return rest[:tableSize(rest)]
}

// tableSize is the size of the table that bytes begin with: pairs of numbers, closed by a zero where a pair would
// begin; only the first pair may begin with a zero itself.
func tableSize(bytes []byte) int {
	at := 0
	for first := true; at < len(bytes) && (first || bytes[at] != 0); first = false {
		for range 2 {
			for at < len(bytes) && bytes[at] >= 0x80 {
				at++
			}
			at++
		}
	}
	return min(at+1, len(bytes))
}

// clearData clears the data that only traces use, each up to where the next begin.
func (t *functionTable) clearData() {
	needed := map[uint32]bool{}
	var starts []uint32
	for _, f := range t.functions {
		for i := range f.dataCount() {
			if at := f.data(i); at != noData {
				starts = append(starts, at)
				needed[at] = needed[at] || !slices.Contains(tracedData, i)
			}
		}
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	for i, at := range starts[:max(len(starts), 1)-1] {
		if next := int(starts[i+1]); !needed[at] && next <= len(t.data) {
			clear(t.data[at:next])
		}
	}
}

func (t *functionTable) clearNames() {
	var names []string
	for _, f := range t.functions {
		name, _, _ := bytes.Cut(t.names[f.word(atName):], []byte{0})
		names = append(names, string(name))
	}
	clear(t.names)
	end := 1
	places := map[string]int{"": 0}
	for i, f := range t.functions {
		name := keptName(names[i], f[atID])
		if _, ok := places[name]; !ok {
			places[name] = end
			end += copy(t.names[end:], name) + 1
		}
		f.set(atName, uint32(places[name]))
	}
}

// keptName is what becomes of the name of a function.
func keptName(name string, id byte) string {
	switch {
	case slices.Contains(comparedNames, name):
		return name
	case strings.HasPrefix(name, "runtime."):
		return ownName
	case id == wrapperID:
		return wrapperName
	}
	return ""
}

// function is the record of a function, and what comes after it: offsets of its tables, then of its data.
type function []byte

func (f function) word(at int) uint32   { return binary.LittleEndian.Uint32(f[at:]) }
func (f function) set(at int, v uint32) { binary.LittleEndian.PutUint32(f[at:], v) }
func (f function) tableCount() int      { return int(f.word(atTableCount)) }
func (f function) dataCount() int       { return int(f[atDataCount]) }
func (f function) size() int            { return funcSize + 4*(f.tableCount()+f.dataCount()) }
func (f function) atData(i int) int     { return funcSize + 4*(f.tableCount()+i) }
func (f function) data(i int) uint32    { return f.word(f.atData(i)) }

// tables are where the record names its tables, but for the two that tell files and lines.
func (f function) tables() []int {
	list := []int{atStackTable}
	for i := range f.tableCount() {
		list = append(list, funcSize+4*i)
	}
	return list
}

// drop forgets where the dropped tables and data were.
func (f function) drop() {
	for _, at := range []int{atFileTable, atLineTable, atUnit, atFirstLine} {
		f.set(at, 0)
	}
	for i := range f.tableCount() {
		if slices.Contains(tracedTables, i) {
			f.set(funcSize+4*i, 0)
		}
	}
	for i := range f.dataCount() {
		if slices.Contains(tracedData, i) {
			f.set(f.atData(i), noData)
		}
	}
}
