package simd

import (
	"warpscope/emu/mem"
	"warpscope/emu/row"
)

// UseAgain does what Use does, but for what it finds out about multiply-add.
func UseAgain(stride uintptr, relaxed bool) {
	host, err := mem.OpenHost(new(mem.Arena))
	if err != nil {
		panic(err)
	}
	if row.Vectors = compiled(host, setting(stride, relaxed)); relaxed && row.Vectors != nil && !fused() {
		row.Vectors = nil
	}
}
