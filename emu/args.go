package emu

import (
	"math"

	"warpscope/emu/machine"
)

// Ptr, U32, S32, U64, S64, F32 and F64 are kernel arguments: little-endian, of the parameter's size.
func Ptr(a Addr) []byte    { return U64(a) }
func U32(v uint32) []byte  { return machine.ByteOrder.AppendUint32(nil, v) }
func S32(v int32) []byte   { return U32(uint32(v)) }
func U64(v uint64) []byte  { return machine.ByteOrder.AppendUint64(nil, v) }
func S64(v int64) []byte   { return U64(uint64(v)) }
func F32(v float32) []byte { return U32(math.Float32bits(v)) }
func F64(v float64) []byte { return U64(math.Float64bits(v)) }
