package row

import (
	"unsafe"
)

// These functions are in rows_wasm.s. On other machines they are in zz_lanes.go, which also explains them.

// Vectors, which there is when there is Straight, does what Run does.
var Vectors func(f, in, exec, n uint32) (done uint32)

// Run is explained in zz_lanes.go. Vectors look at Reached, not at shared and size.
func Run(in *Inst, stride uintptr, n int64, f unsafe.Pointer, exec uint32, shared unsafe.Pointer, size uint64) (
	done int64, odd uint32) {
	if Vectors == nil {
		return run(in, stride, n, f, exec, shared, size)
	}
	return int64(Vectors(Address(f), Address(unsafe.Pointer(in)), exec, uint32(n))), 0
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
