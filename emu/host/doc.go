// Package host runs WebAssembly code that is made at run time, on the bytes of a device's memory. Natively the code
// runs under wazero, whose linear memory is the arena itself. In a program that is WebAssembly already it runs beside
// it, in the same memory, through a trampoline that jit.js gives the program; see host_js.go.
//
// A program that imports this package has the compiled engine. Package launch imports it natively. Under js/wasm only
// programs do, because one that imports it cannot start without jit.js.
package host

import "warpscope/emu/mem"

func init() { mem.RegisterHost(open) }
