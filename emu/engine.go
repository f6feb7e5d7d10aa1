package emu

import (
	"errors"

	"warpscope/emu/mem"
)

// compiledEngine gives a loaded device the compiled engine on a host; nil while there is none.
var compiledEngine func(d *Device, host mem.Host, e Engine)

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
		return errors.New("the compiled engine is not available: " + err.Error())
	}
	return nil
}
