package main

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// dataSection is the section that holds what memory begins with.
const dataSection = 11

// joinData makes few data segments of a WebAssembly module's many, without what only traces use. Go's linker cuts its
// data into up to 100,000 segments to leave out zeros; whole, with the zeros and their regular distances, the data pack
// to less. A file that is not a module stays as it is. What is known of the table of functions is where it is in the
// module.
func joinData(module []byte) (out []byte, functions part, known bool, err error) {
	if !bytes.HasPrefix(module, []byte("\x00asm\x01\x00\x00\x00")) {
		return module, part{}, true, nil
	}
	out, known = bytes.Clone(module[:8]), true
	in := &wasm{rest: module[8:]}
	for len(in.rest) > 0 {
		id := in.bytes(1)
		body := in.bytes(in.unsigned())
		isData := in.err == nil && id[0] == dataSection
		if isData {
			body, functions, known, in.err = joined(body)
		}
		if in.err != nil {
			return nil, part{}, false, in.err
		}
		out = append(out, id[0])
		out = binary.AppendUvarint(out, uint64(len(body)))
		if isData {
			functions.start += len(out)
			functions.end += len(out)
		}
		out = append(out, body...)
	}
	return out, functions, known, nil
}

// wasm reads the parts of a module; the first error stays.
type wasm struct {
	rest []byte
	err  error
}

var errModule = errors.New("the module's data section is not as Go's linker writes it")

// bytes takes n bytes; where there are fewer, what it gives means nothing.
func (w *wasm) bytes(n int) []byte {
	if n < 0 || n > len(w.rest) {
		w.rest, w.err = nil, errModule
		return make([]byte, 2)
	}
	b := w.rest[:n]
	w.rest = w.rest[n:]
	return b
}

// unsigned reads a LEB128 number of 32 bits.
func (w *wasm) unsigned() int {
	v, n := binary.Uvarint(w.rest)
	if n <= 0 || v > 1<<32-1 {
		w.rest, w.err = nil, errModule
		return 0
	}
	w.rest = w.rest[n:]
	return int(v)
}

// Active segments of memory 0 begin with these, around their address: i32.const address, end.
const (
	active   = 0x00
	i32Const = 0x41
	end      = 0x0b
)

// segment is bytes of memory at an address.
type segment struct {
	at      int
	content []byte
}

func (w *wasm) segment() segment {
	head := w.bytes(2)
	// A signed number, but addresses are positive: its bits are those of the unsigned one.
	at := w.unsigned()
	ends := w.bytes(1)
	content := w.bytes(w.unsigned())
	if w.err == nil && (head[0] != active || head[1] != i32Const || ends[0] != end) {
		w.err = errModule
	}
	return segment{at, content}
}

// maxImage bounds what the segments may span.
const maxImage = 64 << 20

// joined is the body of a data section with few segments in place of all, and where in it the table of functions is.
func joined(body []byte) (out []byte, functions part, known bool, err error) {
	in := &wasm{rest: body}
	segments := make([]segment, 0, 100_000)
	low, high := maxImage, 0
	for range in.unsigned() {
		s := in.segment()
		if in.err != nil {
			return nil, part{}, false, in.err
		}
		segments = append(segments, s)
		low, high = min(low, s.at), max(high, s.at+len(s.content))
	}
	if len(segments) == 0 || len(in.rest) > 0 || high > maxImage {
		return nil, part{}, false, errModule
	}
	image := make([]byte, high-low)
	for _, s := range segments {
		copy(image[s.at-low:], s.content) // in order: where segments overlap, the later one stays
	}
	functions, known = dropTraces(image, low)
	segments = cut(image, functions)
	out = binary.AppendUvarint(nil, uint64(len(segments)))
	shift := 0
	for _, s := range segments {
		out = appendSigned(append(out, active, i32Const), int64(low+s.at))
		out = append(out, end)
		out = binary.AppendUvarint(out, uint64(len(s.content)))
		if s.at <= functions.start {
			shift = len(out) - s.at
		}
		out = append(out, s.content...)
	}
	functions.start += shift
	functions.end += shift
	return out, functions, known, nil
}

// longZeros is how many zeros part two segments: LZMA has no symbol for more than a few hundred.
const longZeros = 8192

// cut cuts memory where there are many zeros, but not in the whole part.
func cut(image []byte, whole part) (segments []segment) {
	start, last := 0, 0 // of the segment; after its last byte that is not zero
	for i, b := range image {
		if b == 0 && (i < whole.start || i >= whole.end) {
			continue
		}
		if i-last >= longZeros {
			segments = append(segments, segment{start, image[start:last]})
			start = i
		}
		last = i + 1
	}
	return append(segments, segment{start, image[start:]})
}

// appendSigned appends a number of at least 0 in signed LEB128, whose last byte's bit 6 is the sign.
func appendSigned(out []byte, v int64) []byte {
	for v >= 0x40 {
		out = append(out, byte(v)|0x80)
		v >>= 7
	}
	return append(out, byte(v))
}
