package emu

import (
	"errors"
	"fmt"

	"warpscope/emu/mem"
)

// compiledEngine gives a loaded device the compiled engine on a host; nil while there is none.
var compiledEngine func(d *Device, host mem.Host, e Engine)

// ErrNoEngine is what Load returns, with the reason, where Options ask for the compiled engine and it cannot run.
var ErrNoEngine = errors.New("the compiled engine is not available")

// chooseEngine gives a loaded device the engine that its options ask for. Where compiled code cannot run, EngineAuto
// means the interpreter, and Compiled is an error.
func chooseEngine(d *Device, e Engine) error {
	if e == Interpreter {
		return nil
	}
	host, err := mem.OpenHost(&d.Mem.Arena)
	if err == nil && compiledEngine == nil {
		err = errors.New("this version has none")
	}
	switch {
	case err == nil:
		compiledEngine(d, host, e)
	case e == Compiled:
		return fmt.Errorf("%w: %w", ErrNoEngine, err)
	}
	return nil
}
