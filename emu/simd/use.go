//go:build !js

package simd

// Use does nothing: the host of this program runs code in a memory of its own, where no instructions are.
func Use() {}
