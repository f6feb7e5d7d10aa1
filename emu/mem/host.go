package mem

// Host runs WebAssembly code on the bytes of an arena.
type Host interface {
	// Base is the address at which compiled code sees the arena's first byte: 0 where the arena is the whole memory. It
	// can change when the arena grows.
	Base() uint32

	// Compile makes a module callable. The module imports its memory as "env" "memory" and exports functions named f0,
	// f1, …; it returns handles of them.
	Compile(module []byte, functions int) ([]Func, error)

	// Call runs a function. frame and ctx are addresses (Base included), mask is the active lanes, and budget is the most
	// instructions before it must return.
	Call(f Func, frame, ctx, mask, budget uint32) uint32
}

// Func is a compiled function of a Host.
type Func uint32
