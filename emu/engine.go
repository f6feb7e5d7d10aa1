package emu

import (
	"errors"
	"fmt"

	"warpscope/emu/jit"
	"warpscope/emu/mem"
	"warpscope/emu/simd"
)

// warm is how many instructions of a region the interpreter executes before EngineAuto compiles it: about as long as
// compiling takes, a millisecond.
const warm = 1 << 15

// ErrNoEngine is what Load returns, with the reason, where Options ask for the compiled engine and it cannot run.
var ErrNoEngine = errors.New("the compiled engine is not available")

// chooseEngine gives a loaded device the engine that its options ask for. Where compiled code cannot run, EngineAuto
// means the interpreter, and Compiled is an error. Under a model that only the interpreter knows, both mean that.
func chooseEngine(d *Device, e Engine) error {
	simd.Offer() // under every engine, the interpreter executes what is not compiled
	if e == Interpreter || !d.Compiles() {
		return nil
	}
	host, err := mem.OpenHost(&d.Mem.Arena)
	switch {
	case err == nil && e == Compiled:
		d.SetEngine(jit.New(d, host, 0))
	case err == nil:
		d.SetEngine(jit.New(d, host, warm))
	case e == Compiled:
		return fmt.Errorf("%w: %w", ErrNoEngine, err)
	}
	return nil
}
