package main

import (
	"bytes"
	"encoding/binary"
)

// part is a part of a module that is packed in another form. There is none where the form is empty.
type part struct {
	start, end int
	packed     []byte
}

// Go's linker writes the tables of all functions one after the other, each once, then a list of the functions, then
// their records, which name the tables by where they are. Most of those numbers can be told from the others. So the
// functions' records become:
//
//	how many there are; the bytes from the first table to the list of functions; the number of the first function
//	of each function: its name, how many tables and data it has, and the rest of its record's last word, the size of
//	    its arguments, and where its deferred calls return
//	of each function, the tables: that of its stack, then the others; each one or 0, where there is none, then its bytes
//	of each function, the data: 0 where there are none, else one more than their distance from the farthest data so
//	    far, folded
//
// All numbers are in LEB128.

// packed is the part of the memory from the tables to the last record in that form, once layOut has been there.
func (t *functionTable) packed() part {
	out := binary.AppendUvarint(nil, uint64(len(t.functions)))
	out = binary.AppendUvarint(out, uint64(len(t.tables)))
	out = binary.AppendUvarint(out, uint64(t.functions[0].word(0)))
	for _, f := range t.functions {
		for _, v := range []uint32{f.word(atName), f.word(atTableCount), f.word(atID), f.word(atArguments), f.word(atDefer)} {
			out = binary.AppendUvarint(out, uint64(v))
		}
	}
	for _, f := range t.functions {
		for _, at := range f.tables() {
			out = append(out, 0)
			if offset := f.word(at); offset > 0 {
				out[len(out)-1] = 1
				out = append(out, t.table(offset)...)
			}
		}
	}
	farthest := uint32(0)
	for _, f := range t.functions {
		for i := range f.dataCount() {
			v := 0
			if at := f.data(i); at != noData {
				v = 1 + folded(int(at)-int(farthest))
				farthest = max(farthest, at)
			}
			out = binary.AppendUvarint(out, uint64(v))
		}
	}
	if !bytes.Equal(restoredFunctions(out, t.end-t.from), t.all[t.from:t.end]) {
		return part{}
	}
	return part{t.from, t.end, out}
}

// layOut writes the tables in the order in which the functions need them, again for each function, and says whether
// there was room.
func (t *functionTable) layOut() bool {
	out := []byte{0}
	var offsets []uint32
	for _, f := range t.functions {
		for _, at := range f.tables() {
			offset := f.word(at)
			if offset > 0 {
				offset = uint32(len(out))
				out = append(out, t.table(f.word(at))...)
			}
			offsets = append(offsets, offset)
		}
	}
	if len(out) > len(t.tables) {
		return false
	}
	clear(t.tables)
	copy(t.tables, out)
	for _, f := range t.functions {
		for _, at := range f.tables() {
			f.set(at, offsets[0])
			offsets = offsets[1:]
		}
	}
	return true
}

// restoredFunctions undoes packed, as public/unpack.js does.
func restoredFunctions(packed []byte, size int) []byte {
	in := &wasm{rest: packed}
	count, room, first := in.unsigned(), in.unsigned(), in.unsigned()
	if records := room + 8*count + 8 + funcSize*count; in.err != nil || records > size {
		return nil
	}
	out := make([]byte, size)
	list := out[room:]
	put := func(at int, v uint32) { binary.LittleEndian.PutUint32(list[at:], v) }
	put(8*count, uint32(first+count))
	at := 8*count + 8
	functions := make([]function, count)
	for i := range functions {
		put(8*i, uint32(first+i))
		put(8*i+4, uint32(at))
		f := function(list[at:])
		f.set(0, uint32(first+i))
		for _, field := range []int{atName, atTableCount, atID, atArguments, atDefer} {
			f.set(field, uint32(in.unsigned()))
		}
		functions[i] = f
		at += (f.size() + 7) &^ 7
		if in.err != nil || len(list) < at-7 || i+1 < count && len(list) < at+funcSize {
			return nil
		}
	}
	restoreTables(in, functions, out[:room])
	restoreData(in, functions)
	if in.err != nil || len(in.rest) > 0 {
		return nil
	}
	return out
}

func restoreTables(in *wasm, functions []function, tables []byte) {
	used := 1
	for _, f := range functions {
		for _, at := range f.tables() {
			if in.unsigned() == 0 {
				continue
			}
			f.set(at, uint32(used))
			n := tableSize(in.rest)
			used += copy(tables[min(used, len(tables)):], in.bytes(n))
		}
	}
}

func restoreData(in *wasm, functions []function) {
	farthest := 0
	for _, f := range functions {
		for i := range f.dataCount() {
			at := noData
			if v := in.unsigned(); v > 0 {
				at = farthest + ((v-1)>>1 ^ -((v - 1) & 1))
				farthest = max(farthest, at)
			}
			f.set(f.atData(i), uint32(at))
		}
	}
}
