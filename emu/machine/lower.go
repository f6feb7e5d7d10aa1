package machine

import (
	"encoding/binary"

	"warpscope/emu/texture"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

type SlotKey struct {
	Reg  *ptx.Reg
	Elem int8
}

// VarSize is the memory that a variable takes.
func VarSize(v *ptx.Var) int64 {
	if v.Type.Class() == isa.Opaque {
		return v.Size / int64(v.Type.Bytes()) * texture.EncodedSize
	}
	return v.Size
}

// ByteOrder is the byte order of device memory.
var ByteOrder = binary.LittleEndian
