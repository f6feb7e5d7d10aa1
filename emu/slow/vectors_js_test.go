package slow

import "warpscope/emu/simd"

// Programs run in vectors from their first instruction on.
func init() { simd.Use() }
