package emu

import (
	"math"

	"warpscope/emu/machine"
)

// Ptr, U32, U64 and F32 are kernel arguments: little-endian, of the parameter's size.
func Ptr(a Addr) []byte    { return U64(a) }
func U32(v uint32) []byte  { return machine.ByteOrder.AppendUint32(nil, v) }
func U64(v uint64) []byte  { return machine.ByteOrder.AppendUint64(nil, v) }
func F32(v float32) []byte { return U32(math.Float32bits(v)) }
