package gpu

import "slices"

// Engine chooses how instructions are executed. What a program does is the same under each, bit for bit. Single steps,
// breakpoints, racecheck, initcheck and counters are the interpreter's under each.
type Engine uint8

// The engines.
const (
	EngineAuto     Engine = iota // the interpreter, and compiled code for what has run as long as compiling takes
	Interpreter                  // each instruction by itself
	EngineCompiled               // compiled code from the start; Load returns ErrNoEngine where there is none
)

var engineNames = []string{EngineAuto: "auto", Interpreter: "interpreter", EngineCompiled: "compiled"}

// String returns the engine's name in launch headers and on the command line.
func (e Engine) String() string { return engineNames[e] }

// EngineNames lists the names of the engines by their Engine.
func EngineNames() []string { return slices.Clone(engineNames) }

// EngineNamed finds an engine by its name. ok is false when there is none.
func EngineNamed(name string) (e Engine, ok bool) {
	i := slices.Index(engineNames, name)
	return Engine(max(i, 0)), i >= 0
}
