package mem

import (
	"encoding/binary"
	"unsafe"
)

// ReadElement reads a little-endian element of size bytes, 1 to 16, and extends it to 64 bits. hi is the upper half of
// a 128-bit element.
func ReadElement(p unsafe.Pointer, size uint32, signed bool) (v, hi uint64) {
	switch size {
	case 1:
		v = uint64(*(*uint8)(p))
		if signed {
			v = uint64(int8(v))
		}
	case 2:
		v = uint64(*(*uint16)(p))
		if signed {
			v = uint64(int16(v))
		}
	case 4:
		v = uint64(*(*uint32)(p))
		if signed {
			v = uint64(int32(v))
		}
	case 8:
		v = *(*uint64)(p)
	case 16:
		v, hi = *(*uint64)(p), *(*uint64)(unsafe.Add(p, 8))
	}
	return v, hi
}

// WriteElement writes a little-endian element of size bytes, 1 to 16. hi is the upper half of a 128-bit element.
func WriteElement(p unsafe.Pointer, size uint32, v, hi uint64) {
	switch size {
	case 1:
		*(*uint8)(p) = uint8(v)
	case 2:
		*(*uint16)(p) = uint16(v)
	case 4:
		*(*uint32)(p) = uint32(v)
	case 8:
		*(*uint64)(p) = v
	case 16:
		*(*uint64)(p), *(*uint64)(unsafe.Add(p, 8)) = v, hi
	}
}

// ReadUint returns the first size bytes of b, little-endian. size is at most 8.
func ReadUint(b []byte, size int) uint64 {
	var v [8]byte
	copy(v[:], b[:size])
	return binary.LittleEndian.Uint64(v[:])
}

// PackSixes packs the lower six bits of each byte (5.5.1.1.1).
func PackSixes(from []byte) []byte {
	to := make([]byte, len(from)*6/8)
	for i, b := range from {
		bits := uint16(b&63) << (6 * i % 8)
		to[6*i/8] |= byte(bits)
		if bits > 255 {
			to[6*i/8+1] |= byte(bits >> 8)
		}
	}
	return to
}

// Fold reduces elements of size bytes into memory, one by one.
func Fold(fold func(old, b, c uint64) uint64, size int, to, from []byte) {
	for i := 0; i+size <= len(to); i += size {
		v := fold(ReadUint(to[i:], size), ReadUint(from[i:], size), 0)
		for k := range size {
			to[i+k] = byte(v >> (8 * k))
		}
	}
}
