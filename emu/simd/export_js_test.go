package simd

import (
	"warpscope/emu/mem"
	"warpscope/emu/row"
)

// UseAgain does what Use does, but for what it finds out about multiply-add.
func UseAgain(relaxed bool) {
	host, err := mem.OpenHost(new(mem.Arena))
	if err != nil {
		panic(err)
	}
	if use(host, relaxed) && relaxed && !fused() {
		row.Vectors, row.Straight = nil, nil
	}
}
