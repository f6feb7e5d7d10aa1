package row

import (
	"unsafe"
)

// These functions are in rows_wasm.s. On other machines they are in zz_lanes.go, which also explains them.

// Vectors, if there is one, executes straight lines in the place of the loop in rows_wasm.s: see package emu/simd.
var Vectors func(f, in, exec, n uint32) (done uint32)

// near is what Run reaches by itself.
var near Reach

// Run is explained in zz_lanes.go.
func Run(in *Inst, stride uintptr, n int64, f unsafe.Pointer, exec uint32, shared unsafe.Pointer, size uint64) (
	done int64, odd uint32) {
	if Vectors == nil {
		return run(in, stride, n, f, exec, shared, size)
	}
	near.Shared, near.SharedSize = uint32(uintptr(shared)), uint32(size)
	Reached = uint32(uintptr(unsafe.Pointer(&near)))
	return int64(Vectors(uint32(uintptr(f)), uint32(uintptr(unsafe.Pointer(in))), exec, uint32(n))), 0
}

//go:noescape
func run(in *Inst, stride uintptr, n int64, f unsafe.Pointer, exec uint32, shared unsafe.Pointer,
	size uint64) (done int64, odd uint32)

//go:noescape
func select32(f unsafe.Pointer, to, from, other, p uint32)

//go:noescape
func select64(f unsafe.Pointer, to, from, other, p uint32)

//go:noescape
func Load32at32(f unsafe.Pointer, in *Inst, mem unsafe.Pointer, add, limit uint64) bool

//go:noescape
func Load32at64(f unsafe.Pointer, in *Inst, mem unsafe.Pointer, add, limit uint64) bool

//go:noescape
func Load64at32(f unsafe.Pointer, in *Inst, mem unsafe.Pointer, add, limit uint64) bool

//go:noescape
func Load64at64(f unsafe.Pointer, in *Inst, mem unsafe.Pointer, add, limit uint64) bool

//go:noescape
func Store32at32(f unsafe.Pointer, in *Inst, mem, dirty unsafe.Pointer, skip uint32, add, limit uint64) bool

//go:noescape
func Store32at64(f unsafe.Pointer, in *Inst, mem, dirty unsafe.Pointer, skip uint32, add, limit uint64) bool

//go:noescape
func Store64at32(f unsafe.Pointer, in *Inst, mem, dirty unsafe.Pointer, skip uint32, add, limit uint64) bool

//go:noescape
func Store64at64(f unsafe.Pointer, in *Inst, mem, dirty unsafe.Pointer, skip uint32, add, limit uint64) bool
