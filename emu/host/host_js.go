package host

import (
	"errors"
	"runtime"
	"unsafe"

	"warpscope/emu/mem"
)

// The functions of jit.js. Go suspends while they run, as it does for all imports.

// call runs a function of its table: it is a function of WebAssembly itself, and takes 12 ns.
//
//go:wasmimport warpscope.jit call
//go:noescape
func call(f, frame, ctx, mask, budget uint32) uint32

// compile makes the module at an address callable and returns the place in the table of its first function, or failed.
// The others follow it.
//
//go:wasmimport warpscope.jit compile
//go:noescape
func compile(module unsafe.Pointer, size, functions uint32) uint32

// release gives up the functions of a module.
//
//go:wasmimport warpscope.jit release
func release(first, functions uint32)

// works says with 1 that there is a host, and else with 0.
//
//go:wasmimport warpscope.jit works
func works() uint32

// failed is the answer of jit.js to what it cannot do.
const failed = ^uint32(0)

// beside is a mem.Host whose code runs beside this program, in its memory.
type beside struct {
	arena   *mem.Arena
	modules *[]run // that the host has compiled
}

// run is a run of places in the table.
type run struct{ first, functions uint32 }

func open(a *mem.Arena) (mem.Host, error) {
	if works() == 0 {
		return nil, errors.New("this JavaScript engine does not let programs compile WebAssembly")
	}
	h := &beside{a, new([]run)}
	runtime.AddCleanup(h, func(modules *[]run) {
		for _, m := range *modules {
			release(m.first, m.functions)
		}
	}, h.modules)
	return h, nil
}

// Interpreted is the host that there is: the JavaScript engine's.
func Interpreted(a *mem.Arena) (mem.Host, error) { return open(a) }

// Base implements mem.Host.
func (h *beside) Base() uint32 {
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(h.arena.All()))))
}

// Compile implements mem.Host. A browser can refuse a large module on its main thread.
func (h *beside) Compile(module []byte, functions int) ([]mem.Func, error) {
	n := uint32(functions)
	first := compile(unsafe.Pointer(unsafe.SliceData(module)), uint32(len(module)), n)
	runtime.KeepAlive(module)
	if first == failed {
		return nil, errors.New("the JavaScript engine has not compiled a module")
	}
	*h.modules = append(*h.modules, run{first, n})
	list := make([]mem.Func, functions)
	for i := range list {
		list[i] = mem.Func(first) + mem.Func(i)
	}
	return list, nil
}

// Call implements mem.Host. A trap is a defect of what has compiled the code, and the end of this program.
func (h *beside) Call(f mem.Func, frame, ctx, mask, budget uint32) uint32 {
	return call(uint32(f), frame, ctx, mask, budget)
}
